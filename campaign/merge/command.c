/* The merge command, which also serves means, differences and shares. */
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/merge/merge.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/profile/tables/combine.h"
#include "campaign/run/progress.h"
#include "campaign/solve/solve.h"
#include "campaign/spec/options.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>

static RC_OPTION(option_no_solve, "no-solve", NULL, "no metrics.h5 and no tables");
static RC_OPTION(
    option_split, "split", "K",
    "the inverse: DIR/0 to DIR/(K-1) get the units of one campaign, or the "
    "launches of a profile, in turn");

static RC_OPTION(
    option_replace, "replace", NULL,
    "DIR may hold what an earlier merge made: the new one takes its place");

static RC_OPTIONS(options, &rc_option_directory, &option_split, &option_replace,
                  &option_no_solve, &rc_profile_option_cut, &rc_profile_option_flat,
                  &rc_profile_option_collapse, &rc_option_quiet, &rc_option_verbose);

/* A merge's lines for people, under the name of the command. */
struct telling {
    const char *command;
    struct rc_progress *progress;
};

static void print_line(void *arg, const char *line)
{
    const struct telling *t = arg;

    rc_progress_warn(t->progress, "rollcall %s: %s", t->command, line);
}

int rc_merge_run(struct rc_session *session, const char *command,
                 struct rc_merge_job job, bool solve, struct rc_error *err)
{
    struct telling telling = {.command = command};
    char path[PATH_MAX];
    struct rc_merge_result result;
    bool incomplete = false; /* of units, of which a merge knows more */
    int status;

    if (!job.dir || !job.dir[0])
        return rc_fail(err, RC_EUSAGE, "expected -o DIR: the directory for the result");
    signal(SIGXFSZ, SIG_IGN); /* makes a limit of file sizes an error like any other */
    telling.progress = rc_progress_of(MPI_COMM_NULL);
    job.say = print_line;
    job.arg = &telling;
    rc_progress_stage(telling.progress, "merging %zu campaign%s", job.operand_count,
                      rc_text_s(job.operand_count));
    status = rc_merge(&job, &result, err);
    rc_progress_hide(telling.progress);
    if (status != RC_OK ||
        (status = rc_campaign_dir_results(job.dir, path, sizeof path, err)) != RC_OK)
        goto out;
    printf("%s: %s\n", rc_text_printable(path, sizeof path, path), result.text);
    /* Solves as 'rollcall solve' does; if that fails, the merge is done all the same.
     */
    if (solve && job.operation != RC_OPERATION_DIFFERENCE) {
        const struct rc_solving how = {.comm = MPI_COMM_NULL,
                                       .dir = job.dir,
                                       .seed = result.seed,
                                       .progress = telling.progress,
                                       .out = stdout};
        struct rc_campaign_dir *campaign_dir;
        if ((status = rc_campaign_dir_open_results(MPI_COMM_NULL, job.dir, rc_tell,
                                                   &campaign_dir, err)) == RC_OK)
            status = rc_solve(&how, &incomplete, err);
        rc_campaign_dir_close(campaign_dir);
        if (status != RC_OK)
            rc_text_append(err->text, sizeof err->text,
                           "; campaign.h5 is whole: 'rollcall solve' solves it");
    }
    session->incomplete = status == RC_OK && !result.complete;
out:
    rc_progress_close(telling.progress, NULL);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const struct rc_merge_job job = {.operation = RC_OPERATION_MERGE,
                                     .dir = rc_args_value(args, &rc_option_directory),
                                     .operand = args->operands,
                                     .operand_count = args->operand_count,
                                     .replaces = rc_args_has(args, &option_replace)};
    const char *text = rc_args_value(args, &option_split);
    struct rc_profile_combination of_profiles = {.command = "merge"};
    bool profiles = false;
    uint64_t shares;
    int found = rc_profile_combines(args, &profiles, err);

    if (found != RC_OK)
        return found;
    if (profiles) {
        rc_profile_combination_options(args, &of_profiles);
        if (job.replaces)
            return rc_fail(err, RC_EUSAGE,
                           "--replace is for campaigns, '%s' is a profile",
                           args->operands[0]);
        if (!text)
            return rc_profile_combine(&of_profiles, RC_PROFILE_MERGE, job.dir, err);
    } else if (!text)
        return rc_merge_run(session, "merge", job, !rc_args_has(args, &option_no_solve),
                            err);
    if (rc_text_count(text, &shares) || shares < 1)
        return rc_fail(err, RC_EUSAGE,
                       "--split: '%s', expected a whole number of shares", text);
    if (!job.dir || !job.dir[0])
        return rc_fail(err, RC_EUSAGE, "expected -o DIR: where the shares are to be");
    if (profiles)
        return rc_profile_split(&of_profiles, shares, job.dir, err);
    if (args->operand_count != 1)
        return rc_fail(err, RC_EUSAGE,
                       "--split: %zu directories, expected one campaign's",
                       args->operand_count);
    signal(SIGXFSZ, SIG_IGN); /* makes a limit of file sizes an error like any other */
    struct telling telling = {.command = "merge",
                              .progress = rc_progress_of(MPI_COMM_NULL)};
    rc_progress_stage(telling.progress, "dealing out shares");
    const int status =
        rc_merge_split(job.operand[0], shares, job.dir, print_line, &telling, err);
    rc_progress_close(telling.progress, NULL);
    if (status != RC_OK)
        return status;
    for (uint64_t i = 0; i < shares; i++)
        printf("%s/%" PRIu64 "\n", job.dir, i);
    return RC_OK;
}

const struct rc_command rc_command_merge = {
    .name = "merge",
    .summary = "makes one campaign, or profile, from several",
    .operands = "DIR...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_SPEC | RC_FILE_JOURNAL | RC_FILE_STORE | RC_FILE_METRICS,
    .variables = RC_VARIABLE_TERMINAL | RC_VARIABLE_DATA,
    .see = (const char *const[]){"status", "solve", "compare", NULL},
    .run = run,
};
