/* The export command: DIR/metrics.h5, a profile or a model, in the formats of other
 * tools.
 *
 * The formats are in io/export/ and campaign/profile/.  Here are the options, the
 * destination, and the exit status 3 if the campaign is not complete.
 */
#include "io/export/export.h"

#include "campaign/base/files/file.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/profile/export/export.h"
#include "campaign/profile/read/read.h"
#include "campaign/solve/origin.h"
#include "campaign/spec/options.h"
#include "io/export/model.h"
#include "io/metrics/metrics.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formats of io/export/export.c, then of campaign/profile/export/export.c and of
 * io/export/model.c; csv is in all, json in the first and the last.
 */
static const char *const format_names[] = {
    "json", "csv",       "csv-raw", "papi",         "likwid",
    "perf", "perf-stat", "chrome",  "cubex",        "folded",
    "otf2", "pprof",     "extrap",  "extrap-jsonl", NULL};
static RC_OPTION(
    option_format, "format", "FORMAT",
    "json, csv, csv-raw, papi, likwid, perf or perf-stat; of a profile chrome, csv, "
    "csv-raw, cubex, folded, otf2 or pprof; of a model csv, csv-raw, json, extrap or "
    "extrap-jsonl",
    .words = format_names);
static RC_OPTION(option_approximate, "approximate", NULL,
                 "also metrics that are only approximate");
static RC_OPTION(option_table, "table", "TABLE",
                 "csv: metrics (default), events, representations or rates; of a model "
                 "laws (default) or points",
                 .words = rc_export_table_names);
static RC_OPTION(
    option_pmu, "pmu", "NAME",
    "papi, perf, perf-stat, likwid: libpfm's name for the PMU, where the kind does "
    "not say");

static RC_OPTION(option_limit, "limit", "N",
                 "of a profile: at most this many events; 1e6 by default, all for csv");
static RC_OPTION(option_launch, "launch", "N",
                 "of a profile: launch N; the last by default");
static RC_OPTION(option_from, "from", "TIME",
                 "of a profile: from this time on, counted from its start: 3s, 250ms");
static RC_OPTION(option_to, "to", "TIME", "of a profile: to this time");

static RC_OPTION(option_stacks, "stacks", NULL,
                 "folded: functions, by samples of stacks, instead of regions");

static RC_OPTION(option_verbose, "verbose", NULL, "name each metric that was left out",
                 .letter = 'v');

static RC_OPTIONS(options, &option_format, &rc_option_result_kind,
                  &rc_option_result_suite, &option_approximate, &option_table,
                  &option_pmu, &option_limit, &option_launch, &option_from, &option_to,
                  &option_stacks, &rc_option_result_file, &rc_option_quiet,
                  &option_verbose);

struct job {
    const char *dir;
    const struct rc_export_format *format;
    struct rc_export_choice choice; /* the part of the file that is wanted */
    const struct rc_profile_export_format
        *profile; /* for profiles; NULL: a campaign's */
    struct rc_profile_choice of_profile;
    const struct rc_export_model_format *model; /* for models; NULL: another */
    struct rc_export_model_choice of_model;
    struct rc_model *model_file;
    struct rc_store *file;
    struct rc_arg_words suites; /* owns choice.suite */
    FILE *left_out; /* in memory: a line for each metric that was left out */
    bool verbose;   /* with a line for each of them */
};

enum { REASONS_MOST = 16 };

/* Reasons why metrics were left out, each once, with the line of its first metric. */
struct reasons {
    struct reason {
        const char *text, *line;
        size_t count;
    } item[REASONS_MOST];
    size_t count, others; /* reasons; metrics with further ones */
};

/* The first of several options that was given; NULL: none. */
static const char *find_given(const struct rc_args *args,
                              const struct rc_option *const *of)
{
    while (*of && !rc_args_has(args, *of))
        of++;
    return *of ? (*of)->name : NULL;
}

static int take_time(const struct rc_args *args, const struct rc_option *option,
                     uint64_t *ns, struct rc_error *err)
{
    const char *text = rc_args_value(args, option);

    if (text && (rc_text_duration(text, ns) != 0 || *ns > INT64_MAX))
        return rc_fail(err, RC_EUSAGE, "--%s '%s': expected " RC_TEXT_DURATION,
                       option->name, text);
    return RC_OK;
}

/* Options of campaigns are refused for a profile, and those of a time axis for formats
 * without one.
 */
static int take_profile_options(const struct rc_args *args, struct job *job,
                                struct rc_error *err)
{
    static RC_OPTIONS(of_campaign, &rc_option_result_kind, &rc_option_result_suite,
                      &option_approximate, &option_table, &option_pmu);
    static RC_OPTIONS(of_axis, &option_limit, &option_from, &option_to);
    struct rc_profile_choice *choice = &job->of_profile;
    const char *limit = rc_args_value(args, &option_limit), *other;
    double most = 0;
    int status;

    if ((other = find_given(args, of_campaign)) ||
        (!job->profile->marks && (other = find_given(args, of_axis))))
        return rc_fail(err, RC_EUSAGE, "--%s is not for --format %s of a profile",
                       other, job->profile->name);
    if (limit && (rc_text_real(limit, &most) != 0 || !(most >= 1) || most > 1e9))
        return rc_fail(err, RC_EUSAGE, "--limit '%s': expected a number from 1 to 1e9",
                       limit);
    if (limit && job->profile->directory)
        return rc_fail(err, RC_EUSAGE, "--limit is not for --format %s",
                       job->profile->name);
    choice->path = rc_args_value(args, &rc_option_result_file);
    if (job->profile->directory && !choice->path)
        return rc_fail(err, RC_EUSAGE, "--format %s: expected -o, a new directory",
                       job->profile->name);
    choice->limit = limit ? (size_t)most : job->profile->limit;
    choice->launch = rc_args_value(args, &option_launch);
    if ((status = take_time(args, &option_from, &choice->from_ns, err)) ||
        (status = take_time(args, &option_to, &choice->to_ns, err)))
        return status;
    if (rc_args_has(args, &option_to) && choice->to_ns <= choice->from_ns)
        return rc_fail(err, RC_EUSAGE, "--to '%s': expected a time after --from",
                       rc_args_value(args, &option_to));
    choice->stacks = rc_args_has(args, &option_stacks);
    if (choice->stacks && job->profile != rc_profile_export_find("folded"))
        return rc_fail(err, RC_EUSAGE, "--stacks is for --format folded");
    return RC_OK;
}

static int take_model_options(const struct rc_args *args, struct job *job,
                              struct rc_error *err)
{
    static RC_OPTIONS(of_others, &rc_option_result_kind, &rc_option_result_suite,
                      &option_approximate, &option_pmu, &option_limit, &option_launch,
                      &option_from, &option_to, &option_stacks);
    const char *format = rc_args_value(args, &option_format);
    const char *table = rc_args_value(args, &option_table);
    const char *other = find_given(args, of_others);
    const int number =
        table ? rc_word_find(table, rc_export_table_names) : RC_EXPORT_LAWS;

    job->model = rc_export_model_find(format);
    if (!job->model)
        return rc_fail(err, RC_EUSAGE,
                       "--format %s is not for a model, which '%s' holds", format,
                       job->dir);
    if (other)
        return rc_fail(err, RC_EUSAGE, "--%s is not for --format %s of a model", other,
                       format);
    if (table && (job->model->write != rc_export_model_find("csv")->write ||
                  number < RC_EXPORT_LAWS))
        return rc_fail(err, RC_EUSAGE, "--table %s is not for --format %s of a model",
                       table, format);
    job->of_model.table = (enum rc_export_table)number;
    return RC_OK;
}

/* Options that only some formats have are refused for the others. */
static int take_options(const struct rc_args *args, struct job *job,
                        struct rc_error *err)
{
    static RC_OPTIONS(of_profile, &option_limit, &option_launch, &option_from,
                      &option_to, &option_stacks);
    const char *format = rc_args_value(args, &option_format);
    const char *table = rc_args_value(args, &option_table), *other;
    int status;

    if (args->operand_count == 0 || !args->operands[0][0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (!format)
        return rc_fail(err, RC_EUSAGE, "expected --format, see 'rollcall help export'");
    job->dir = args->operands[0];
    job->choice.raw = job->of_model.raw = strcmp(format, "csv-raw") == 0;
    if (rc_campaign_dir_is_model(job->dir))
        return take_model_options(args, job, err);
    job->format = rc_export_find(format);
    job->profile = rc_profile_export_find(format);
    if (job->profile && job->format && !rc_profile_is_in(job->dir))
        job->profile = NULL;
    if (job->profile)
        return take_profile_options(args, job, err);
    if (!job->format)
        return rc_fail(err, RC_EUSAGE,
                       "--format %s is for a model, which 'rollcall model -o DIR' "
                       "makes",
                       format);
    if ((other = find_given(args, of_profile)))
        return rc_fail(err, RC_EUSAGE, "--%s is not for --format %s of a campaign",
                       other, format);
    if (table && job->format->write != rc_export_find("csv")->write)
        return rc_fail(err, RC_EUSAGE, "--table is for --format csv");
    if (table && rc_word_find(table, rc_export_table_names) >= RC_EXPORT_LAWS)
        return rc_fail(err, RC_EUSAGE, "--table %s is for a model", table);
    job->choice.pmu = rc_args_value(args, &option_pmu);
    if (job->choice.pmu &&
        !rc_word_listed("papi,perf,perf-stat,likwid", job->format->name))
        return rc_fail(err, RC_EUSAGE,
                       "--pmu is for --format papi, perf, perf-stat and likwid");
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

    if (job->model)
        return job->model->write(job->model_file, &job->of_model, out, job->left_out,
                                 err);
    if (job->profile)
        return rc_profile_export(job->dir, job->profile, &job->of_profile, out,
                                 job->left_out, err);
    return job->format->write(job->file, &job->choice, out, job->left_out, err);
}

static void note_reason(struct reasons *r, const char *text, const char *line)
{
    size_t i = 0;

    while (i < r->count && strcmp(r->item[i].text, text) != 0)
        i++;
    if (i == REASONS_MOST) {
        r->others++;
        return;
    }
    if (i == r->count)
        r->item[r->count++] = (struct reason){text, line, 0};
    r->item[i].count++;
}

/* Reads the lines on metrics that were left out: those with a shared reason are counted
 * by it, all others are printed as they are.
 */
static void read_reasons(char *lines, bool verbose, struct reasons *r)
{
    for (char *line; (line = strsep(&lines, "\n")) && *line;) {
        char *reason = strchr(line, '\t');
        if (reason)
            *reason++ = 0;
        if (verbose || (!reason && rc_tell_level() > RC_TELL_QUIET))
            fprintf(stderr, "rollcall export: left out: %s\n", line);
        if (reason)
            note_reason(r, reason, line);
    }
}

static void say_reasons(const struct reasons *r)
{
    const char *hint = "; --verbose names them";

    for (size_t i = 0; i < r->count; i++) {
        const struct reason *reason = &r->item[i];
        if (reason->count == 1) {
            fprintf(stderr, "rollcall export: left out: %s\n", reason->line);
            continue;
        }
        fprintf(stderr, "rollcall export: left out: %zu metrics (%s)%s\n",
                reason->count, reason->text, hint);
        hint = "";
    }
    if (r->others)
        fprintf(stderr, "rollcall export: left out: %zu metrics for other reasons%s\n",
                r->others, hint);
}

/* Prints one line on an empty export. */
static void say_nothing(const struct job *job, const struct reasons *r)
{
    char why[RC_ERROR_TEXT];
    const size_t taken = rc_export_count(job->file, &job->choice, why, sizeof why);

    fprintf(stderr, "rollcall export: nothing to export: ");
    if (job->choice.table == RC_EXPORT_RATES)
        fprintf(stderr, "no suite has a rate\n");
    else if (taken == 0 || r->count == 0)
        fprintf(stderr, "%s\n", why);
    else
        fprintf(stderr, "%zu metric%s left out (%s%s)\n", taken,
                rc_text_plural(taken, " was", "s were"), r->item[0].text,
                r->count > 1 ? ", and other reasons" : "");
}

static void print_path(const char *path)
{
    char printable[PATH_MAX];

    printf("%s\n", rc_text_printable(printable, sizeof printable, path));
}

/* Writes the export to 'path', NULL: the standard output; then the metrics that were
 * left out to the standard error: a line for each reason, or for each metric.
 */
static int export_to(const char *path, struct job *job, struct rc_error *err)
{
    const struct rc_file_writer writer = {write_export, job};
    struct reasons reasons = {.count = 0};
    char *left_out = NULL;
    size_t bytes = 0;
    int status;

    job->left_out = open_memstream(&left_out, &bytes);
    if (!job->left_out)
        return rc_fail(err, RC_ENOMEM, "no memory for the export");
    if (path && !job->profile && !job->model && job->format->each_suite &&
        strcmp(path, "-") != 0)
        status = rc_export_each_suite(job->file, job->format, &job->choice, path,
                                      job->left_out, print_path, err);
    else
        status = path && !(job->profile && job->profile->directory)
                     ? rc_file_replace_by(path, RC_FILE_GIVEN, &writer, err)
                     : write_export(stdout, job, err);
    if (fclose(job->left_out) != 0 && !status)
        status = rc_fail(err, RC_ENOMEM, "no memory for the export");
    if (status == RC_OK) {
        read_reasons(left_out, job->verbose, &reasons);
        if (job->model && !*job->of_model.holds)
            fprintf(stderr, "rollcall export: nothing to export: no series%s\n",
                    reasons.count ? " that the format can express" : "");
        else if (!job->profile && !job->model && !*job->choice.holds)
            say_nothing(job, &reasons);
        else if (!job->verbose && rc_tell_level() > RC_TELL_QUIET)
            say_reasons(&reasons);
    }
    free(left_out);
    return status;
}

static int export_model(const char *file, struct job *job, struct rc_error *err)
{
    char path[PATH_MAX];
    int status = rc_path(path, sizeof path, err, "%s/" RC_MODEL_FILE, job->dir);

    if (status == RC_OK)
        status = rc_model_read(path, &job->model_file, err);
    if (status == RC_OK)
        status = export_to(file, job, err);
    rc_model_close(job->model_file);
    return status;
}

static int run(struct rc_session *session, const struct rc_args *given,
               struct rc_error *err)
{
    const char *here = NULL;
    const struct rc_args own = rc_campaign_dir_or_here(given, &here), *args = &own;
    const char *file = rc_args_value(args, &rc_option_result_file);
    struct rc_campaign_dir *campaign_dir = NULL;
    struct rc_error closing = {.rank = -1}; /* of a file that was only read */
    char why[RC_ERROR_TEXT] = "";
    struct job job = {.verbose = rc_args_has(args, &option_verbose)};
    const char *lacks = NULL;
    bool holds = false;
    int status = take_options(args, &job, err);

    if (status != RC_OK)
        goto out;
    if (job.profile) {
        status = export_to(file, &job, err);
        goto out;
    }
    if (job.model) {
        job.of_model.holds = &holds;
        status = export_model(file, &job, err);
        session->incomplete = status == RC_OK && !holds;
        goto out;
    }
    if (file && rc_campaign_dir_holds_file(args->operands[0], file)) {
        status = rc_campaign_dir_open_results(MPI_COMM_NULL, args->operands[0], rc_tell,
                                              &campaign_dir, err);
        if (status != RC_OK)
            goto out;
    }
    /* Metrics that were solved from another state of campaign.h5 are exported, too. */
    status = rc_solve_open_results(args->operands[0], &job.file, why, sizeof why, err);
    if (why[0])
        fprintf(stderr, "rollcall export: '%s': %s\n", args->operands[0], why);
    job.choice.holds = &holds;
    if (status != RC_OK || (status = export_to(file, &job, err)) != RC_OK ||
        (status = rc_export_find_gaps(job.file, &job.choice, &lacks, err)) != RC_OK)
        goto out;
    if (lacks && holds)
        fprintf(stderr, "rollcall export: the campaign is not complete: %s\n", lacks);
    session->incomplete = lacks || !holds;
out:
    if (job.file)
        rc_store_close(job.file, &closing);
    rc_arg_words_fini(&job.suites);
    rc_campaign_dir_close(campaign_dir);
    return status;
}

const struct rc_command rc_command_export = {
    .name = "export",
    .summary = "writes metrics, a profile or a model in the formats of other tools",
    .operands = "[DIR]",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_METRICS | RC_FILE_JOURNAL | RC_FILE_MODEL,
    .see = (const char *const[]){"solve", "report", NULL},
    .run = run,
};
