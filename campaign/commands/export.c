/* The export command: DIR/metrics.h5 in the formats of other tools.
 *
 * The formats themselves are in io/export/.  Here: which metrics are wanted, where the
 * result goes, and the exit status 3 where what was exported is not all that the
 * campaign could have given.
 */
#include "io/export/export.h"

#include "campaign/base/file.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/records/campaign_dir.h"
#include "campaign/solve/origin.h"
#include "campaign/spec/options.h"
#include "io/metrics/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_option option_format = {
    .name = "format",
    .argument = "FORMAT",
    .words = rc_export_format_names,
    .summary = "json, csv, csv-raw, papi, likwid or perf"};
static const struct rc_option option_approximate = {
    .name = "approximate", .summary = "metrics that are approximate, too"};
static const struct rc_option option_table = {
    .name = "table",
    .argument = "TABLE",
    .words = rc_export_table_names,
    .summary = "csv: metrics (default), events or representations"};
static const struct rc_option option_pmu = {
    .name = "pmu",
    .argument = "NAME",
    .summary = "papi: libpfm's name of the counters, where the kind does not tell"};

static const struct rc_option *const options[] = {
    &option_format,          &rc_option_result_kind,
    &rc_option_result_suite, &option_approximate,
    &option_table,           &option_pmu,
    &rc_option_result_file,  NULL};

struct job {
    const struct rc_export_format *format;
    struct rc_export_choice choice; /* what of the file is wanted */
    struct rc_metrics_file *file;
    struct rc_arg_words suites; /* owns choice.suite */
    FILE *left_out; /* in memory: a line for each metric that the format cannot say */
};

/* Options that only some formats have are refused for the others. */
static int take_options(const struct rc_args *args, struct job *job,
                        struct rc_error *err)
{
    const char *format = rc_args_value(args, &option_format);
    const char *table = rc_args_value(args, &option_table);
    int status;

    if (args->operand_count == 0 || !args->operands[0][0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (!format)
        return rc_fail(err, RC_EUSAGE, "expected --format, see 'rollcall help export'");
    job->choice.raw = strcmp(format, "csv-raw") == 0;
    job->format = rc_export_find(format);
    if (table && job->format->write != rc_export_find("csv")->write)
        return rc_fail(err, RC_EUSAGE, "--table is for --format csv");
    job->choice.pmu = rc_args_value(args, &option_pmu);
    if (job->choice.pmu && job->format != rc_export_find("papi"))
        return rc_fail(err, RC_EUSAGE, "--pmu is for --format papi");
    job->choice.kind = rc_args_value(args, &rc_option_result_kind);
    job->choice.approximate = rc_args_has(args, &option_approximate);
    if (table)
        job->choice.table =
            (enum rc_export_table)rc_word_find(table, rc_export_table_names);
    status = rc_args_words(args, &rc_option_result_suite, true, &job->suites, err);
    job->choice.suite = job->suites.count ? job->suites.word : NULL;
    return status;
}

static int write_export(FILE *out, void *context, struct rc_error *err)
{
    struct job *job = context;

    return job->format->write(job->file, &job->choice, out, job->left_out, err);
}

/* Writes the export to 'path', NULL: the standard output; then what was left out to the
 * standard error, a line for each metric.
 */
static int export_to(const char *path, struct job *job, struct rc_error *err)
{
    const struct rc_file_writer writer = {write_export, job};
    char *left_out = NULL;
    size_t bytes = 0;
    int status;

    job->left_out = open_memstream(&left_out, &bytes);
    if (!job->left_out)
        return rc_fail(err, RC_ENOMEM, "no memory for the export");
    status = path ? rc_file_replace_by(path, RC_FILE_GIVEN, &writer, err)
                  : write_export(stdout, job, err);
    if (fclose(job->left_out) != 0 && !status)
        status = rc_fail(err, RC_ENOMEM, "no memory for the export");
    for (char *line = left_out; !status && *line;) {
        const size_t length = strcspn(line, "\n");
        fprintf(stderr, "rollcall export: left out: %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    free(left_out);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *file = rc_args_value(args, &rc_option_result_file);
    struct rc_campaign_dir *campaign_dir = NULL;
    struct rc_error closing = {.rank = -1}; /* of a file that was only read */
    char why[RC_ERROR_TEXT] = "";
    struct job job = {0};
    bool holds = false;
    int status = take_options(args, &job, err);

    if (status != RC_OK)
        goto out;
    if (file && rc_campaign_dir_holds_file(args->operands[0], file)) {
        status = rc_campaign_dir_open_results(MPI_COMM_NULL, args->operands[0], rc_tell,
                                              &campaign_dir, err);
        if (status != RC_OK)
            goto out;
    }
    /* What was solved from another state of campaign.h5 is exported all the same. */
    status = rc_solve_open_results(args->operands[0], &job.file, why, sizeof why, err);
    if (why[0])
        fprintf(stderr, "rollcall export: '%s': %s\n", args->operands[0], why);
    job.choice.holds = &holds;
    if (status != RC_OK || (status = export_to(file, &job, err)) != RC_OK ||
        (status = rc_export_find_gaps(job.file, &job.choice, &session->incomplete,
                                      err)) != RC_OK)
        goto out;
    if (session->incomplete)
        fputs("rollcall export: the campaign is not complete: events that can be "
              "counted have too few valid readings\n",
              stderr);
    if (!holds) {
        fputs("rollcall export: there is nothing in it: no metric could be written\n",
              stderr);
        session->incomplete = true;
    }
out:
    if (job.file)
        rc_metrics_close(job.file, &closing);
    rc_arg_words_fini(&job.suites);
    rc_campaign_dir_close(campaign_dir);
    return status;
}

const struct rc_command rc_command_export = {
    .name = "export",
    .summary = "writes metrics in the formats of other tools",
    .operands = "DIR",
    .operands_most = 1,
    .description =
        "Writes what 'solve' found out, DIR/metrics.h5, as json or csv, with "
        "everything in it, or for tools that count: papi (definitions of events), "
        "likwid (a group file), perf (metrics as JSON). These get the metrics that are "
        "defined, with --approximate also those that nearly are, and never one that "
        "was rejected. What a format cannot say is left out with the reason, on the "
        "standard error and in a comment. The exit status is 3 where events that can "
        "be counted have too few valid readings.\n\n"
        "papi, likwid and perf hold one kind of machine: where there are several, "
        "--kind says which. PAPI reads lines EVENT by PAPI_USER_EVENTS_FILE and lines "
        "PRESET by PAPI_CSV_EVENT_FILE; both may name the same file.",
    .examples = "  rollcall export results --format json -o results.json\n"
                "  rollcall export results --format csv --table events\n"
                "  rollcall export results --format papi --suite flops -o events.csv\n",
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_METRICS,
    .see = (const char *const[]){"solve", "report", NULL},
    .run = run,
};
