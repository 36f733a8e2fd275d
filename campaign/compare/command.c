/* The compare command: campaigns and kinds side by side.  With --mean or --difference
 * it makes a campaign (campaign/merge/merge.h).
 */
#include "campaign/base/files/file.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/compare/parts.h"
#include "campaign/merge/merge.h"
#include "campaign/profile/tables/combine.h"
#include "campaign/spec/options.h"

#include <string.h>

enum { EXIT_TROUBLE = 2 }; /* since 1 means that something differs, as with diff */

static RC_OPTION(option_format, "format", "FORMAT", "text (default), json or html",
                 .words = rc_compare_format_names);
static RC_OPTION(
    option_check, "check", "A,B",
    "differences that matter for the exit status: metrics, events, counts, "
    "noise, use, rates; all by default",
    .repeats = true);
static RC_OPTION(option_chance, "chance", NULL,
                 "differences that chance explains matter, too");
static RC_OPTION(option_as_one_kind, "as-one-kind", NULL,
                 "compare kinds with each other although they differ, in their order");
static RC_OPTION(
    option_all, "all", NULL,
    "every definition, and every event of a change, not only the first few");
static RC_OPTION(option_quiet, "quiet", NULL, "prints nothing; only the exit status",
                 .letter = 'q');
static RC_OPTION(option_mean, "mean", NULL,
                 "makes a campaign, -o DIR: the mean of the others");
static RC_OPTION(option_difference, "difference", NULL,
                 "makes a campaign, -o DIR: the first minus the second");

static RC_OPTIONS(options, &option_format, &option_check, &option_chance,
                  &rc_option_result_suite, &option_quiet, &option_as_one_kind,
                  &option_all, &rc_option_result_file, &option_mean, &option_difference,
                  &rc_profile_option_cut, &rc_profile_option_flat,
                  &rc_profile_option_collapse, &rc_profile_option_hierarchy);

/* The job borrows the words in 'suites'. */
static int read_options(const struct rc_args *args, struct rc_compare_job *job,
                        struct rc_arg_words *suites, struct rc_error *err)
{
    const bool all = !rc_args_has(args, &option_check);
    char expected[128] = "one of ";
    int status;

    if (args->operand_count == 0)
        return rc_fail(err, RC_EUSAGE, "expected the directories of campaigns");
    if (rc_args_has(args, &option_quiet) && rc_args_has(args, &rc_option_result_file))
        return rc_fail(err, RC_EUSAGE, "--quiet writes nothing, --output a file");
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++)
        job->compare.checked[i] = all;
    rc_text_append_list(expected, sizeof expected, rc_compare_check_names);
    if ((status = rc_args_choose(args, &option_check, rc_compare_check_names, expected,
                                 job->compare.checked, err)) != RC_OK ||
        (status = rc_args_words(args, &rc_option_result_suite, true, suites, err)) !=
            RC_OK)
        return status;
    job->suites = suites->count ? suites->word : NULL;
    job->compare.strict = rc_args_has(args, &option_chance);
    job->as_one_kind = rc_args_has(args, &option_as_one_kind);
    return RC_OK;
}

struct output {
    const struct rc_compare *compare;
    const struct rc_compare_format *format;
    bool all;
};

static int write_to(FILE *out, void *context, struct rc_error *err)
{
    const struct output *o = context;

    return o->format->write(o->compare, o->all, out, err);
}

/* --mean and --difference: makes a campaign instead of a comparison.  Options of the
 * comparison do not go with them, and are refused rather than ignored.
 */
static int make_campaign(struct rc_session *session, const struct rc_args *args,
                         struct rc_error *err)
{
    const bool mean = rc_args_has(args, &option_mean);
    const struct rc_merge_job job = {.operation = mean ? RC_OPERATION_MEAN
                                                       : RC_OPERATION_DIFFERENCE,
                                     .dir = rc_args_value(args, &rc_option_result_file),
                                     .operand = args->operands,
                                     .operand_count = args->operand_count};

    for (size_t i = 0; i < args->given_count; i++)
        if (args->given[i].option != &option_mean &&
            args->given[i].option != &option_difference &&
            args->given[i].option != &rc_option_result_file)
            return rc_fail(err, RC_EUSAGE, "--%s: --%s goes with -o DIR alone",
                           args->given[i].option->name, mean ? "mean" : "difference");
    if (mean && rc_args_has(args, &option_difference))
        return rc_fail(err, RC_EUSAGE, "--difference: --mean goes with -o DIR alone");
    return rc_merge_run(session, "compare", job, false, err);
}

/* The request, and the result of comparing profiles. */
struct profiles {
    struct rc_profile_combination how;
    bool differ;
};

static int write_profiles(FILE *out, void *context, struct rc_error *err)
{
    struct profiles *p = context;

    return rc_profile_compare(&p->how, out, &p->differ, err);
}

/* Compares profiles, or makes one from them. */
static int run_profiles(struct rc_session *session, const struct rc_args *args,
                        struct rc_error *err)
{
    static const struct rc_option *const of_campaigns[] = {
        &option_check, &option_chance, &rc_option_result_suite, &option_as_one_kind,
        &option_quiet};
    const bool mean = rc_args_has(args, &option_mean),
               difference = rc_args_has(args, &option_difference);
    const char *format = rc_args_value(args, &option_format),
               *path = rc_args_value(args, &rc_option_result_file);
    struct profiles p = {.how = {.command = "compare",
                                 .all = rc_args_has(args, &option_all),
                                 .json = format && strcmp(format, "json") == 0}};
    const struct rc_file_writer writer = {write_profiles, &p};

    for (size_t i = 0; i < sizeof of_campaigns / sizeof of_campaigns[0]; i++)
        if (rc_args_has(args, of_campaigns[i]))
            return rc_fail(err, RC_EUSAGE, "--%s is for campaigns, '%s' is a profile",
                           of_campaigns[i]->name, args->operands[0]);
    if (mean && difference)
        return rc_fail(err, RC_EUSAGE, "--difference: --mean goes with -o DIR alone");
    if (format && strcmp(format, "html") == 0)
        return rc_fail(err, RC_EUSAGE,
                       "--format html: expected text or json of "
                       "profiles");
    rc_profile_combination_options(args, &p.how);
    if ((mean || difference) && p.how.hierarchy)
        return rc_fail(
            err, RC_EUSAGE,
            "--hierarchy: expected what is shown, --%s keeps what was counted",
            mean ? "mean" : "difference");
    if (mean || difference)
        return rc_profile_combine(
            &p.how, mean ? RC_PROFILE_MEAN : RC_PROFILE_DIFFERENCE, path, err);
    const int status = path ? rc_file_replace_by(path, RC_FILE_GIVEN, &writer, err)
                            : write_profiles(stdout, &p, err);
    session->differs = p.differ;
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_compare_job job = {0};
    struct rc_arg_words suites = {0};
    bool profiles = false;
    int status;

    if ((status = rc_profile_combines(args, &profiles, err)) != RC_OK)
        return status;
    if (profiles)
        return run_profiles(session, args, err);
    if (rc_args_has(args, &option_mean) || rc_args_has(args, &option_difference))
        return make_campaign(session, args, err);
    if ((status = read_options(args, &job, &suites, err)) != RC_OK ||
        (status = rc_compare_open(&job, args->operands, args->operand_count, err)) !=
            RC_OK)
        goto out;
    const char *format = rc_args_value(args, &option_format);
    const char *path = rc_args_value(args, &rc_option_result_file);
    struct output output = {.compare = &job.compare,
                            .format = rc_compare_format_find(format ? format : "text"),
                            .all = rc_args_has(args, &option_all)};
    const struct rc_file_writer writer = {write_to, &output};
    if (path)
        status = rc_file_replace_by(path, RC_FILE_GIVEN, &writer, err);
    else if (!rc_args_has(args, &option_quiet))
        status = write_to(stdout, &output, err);
    if (status != RC_OK)
        goto out;
    session->differs = rc_compare_differs(&job.compare);
out:
    rc_compare_close(&job);
    rc_arg_words_fini(&suites);
    return status;
}

const struct rc_command rc_command_compare = {
    .name = "compare",
    .summary = "shows campaigns and kinds of machines side by side, and what differs",
    .operands = "DIR|FILE...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_METRICS | RC_FILE_STORE,
    .variables = RC_VARIABLE_TERMINAL,
    .see = (const char *const[]){"solve", "report", "merge", NULL},
    .trouble = EXIT_TROUBLE,
    .exits = "0 the same, 1 different in what --check names and by more than chance "
             "explains, 2 trouble of any sort.",
    .run = run,
};
