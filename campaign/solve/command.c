/* The solve command: what every event measures, and the tables of metrics. */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/run/progress.h"
#include "campaign/solve/solve.h"
#include "campaign/spec/options.h"

#include <stdio.h>
#include <string.h>

static RC_OPTION(
    option_suite, "suite", "A,B",
    "only the metrics of these; readings of the others are for trying them",
    .repeats = true, .hint = rc_suite_hint);
static RC_OPTION(option_seed, "seed", "N",
                 "seed of the random draws for intervals (1)");
static RC_OPTION(option_definitions, "definitions", "FILE",
                 "bases and metrics of your own, see docs/metrics.md", .repeats = true);
static RC_OPTION(option_alpha, "alpha", "X",
                 "rounding in the choice of events, or 'scan': found from the data");
static RC_OPTION(option_noise, "noise", "X",
                 "threshold of noise, or 'auto': the widest gap between noises");
static RC_OPTION(option_plain, "plain", NULL,
                 "the published method alone: no event is tried on other suites");

static RC_OPTIONS(options, &option_suite, &option_definitions, &option_alpha,
                  &option_noise, &option_plain, &option_seed, &rc_option_quiet,
                  &rc_option_verbose);

/* Reads a number above 0, or the word that means that it is found from the data. */
static int get_level(const struct rc_args *args, const struct rc_option *option,
                     const char *word, double *out, bool *found, struct rc_error *err)
{
    const char *value = rc_args_value(args, option);

    if (!value || (*found = strcmp(value, word) == 0))
        return RC_OK;
    if (rc_text_real(value, out) || !(*out > 0))
        return rc_fail(err, RC_EUSAGE, "--%s %s: expected a number above 0, or '%s'",
                       option->name, value, word);
    return RC_OK;
}

static int get_settings(const struct rc_args *args, struct rc_solving *how,
                        struct rc_error *err)
{
    const char *seed = rc_args_value(args, &option_seed);
    int status;

    how->dir = args->operand_count ? args->operands[0] : "";
    how->plain = rc_args_has(args, &option_plain);
    how->seed = 1;
    if (!how->dir[0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (seed && rc_text_count(seed, &how->seed))
        return rc_fail(err, RC_EUSAGE, "--seed %s: expected " RC_TEXT_COUNT, seed);
    if ((status = get_level(args, &option_alpha, "scan", &how->alpha, &how->alpha_scan,
                            err)) != RC_OK)
        return status;
    return get_level(args, &option_noise, "auto", &how->tau, &how->tau_gap, err);
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_solving how = {.comm = session->comm, .out = stdout};
    struct rc_arg_words files = {0}, suites = {0};
    struct rc_campaign_dir *campaign_dir = NULL; /* keeps others from writing results */
    int status;

    if ((status = get_settings(args, &how, err)) == RC_OK &&
        (status = rc_args_words(args, &option_definitions, false, &files, err)) ==
            RC_OK)
        status = rc_args_words(args, &option_suite, true, &suites, err);
    if ((status = rc_agree(session->comm, status, err)) != RC_OK)
        goto out;
    how.definitions = files.word;
    how.suites = suites.count ? suites.word : NULL;
    if ((status = rc_campaign_dir_open_results(how.comm, how.dir, rc_tell,
                                               &campaign_dir, err)) != RC_OK)
        goto out;
    how.progress = rc_progress_of(how.comm);
    status = rc_solve(&how, &session->incomplete, err);
    rc_progress_close(how.progress, NULL);
    if (status != RC_OK)
        goto out;
    if (session->incomplete && rc_team_rank(session->comm) == 0)
        fprintf(stderr,
                "incomplete: no event counts, or too few readings are valid: see "
                "the notes in the tables\n");
out:
    rc_campaign_dir_close(campaign_dir);
    rc_arg_words_fini(&suites);
    rc_arg_words_fini(&files);
    return status;
}

const struct rc_command rc_command_solve = {
    .name = "solve",
    .summary = "says what every event measures, and prints the tables of metrics",
    .operands = "DIR",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_LAUNCHED,
    .any_ranks = true,
    .files = RC_FILE_STORE | RC_FILE_METRICS,
    .variables = RC_VARIABLE_TERMINAL | RC_VARIABLE_DATA | RC_VARIABLE_RANKS,
    .see = (const char *const[]){"run", "report", "export", NULL},
    .run = run,
};
