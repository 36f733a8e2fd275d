/* The report command: DIR/report.html, or text, from the campaign or profile in DIR;
 * campaign/profile/ makes page and text of a profile.
 *
 * A process that writes into DIR holds its results, so that no 'pack' or 'solve'
 * replaces the files while they are read, and two reports do not write the same file.
 */
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/tell.h"
#include "campaign/directory/campaign_dir.h"
#include "campaign/fft3d/expected.h"
#include "campaign/pack/journal_to_store.h"
#include "campaign/profile/show/page.h"
#include "campaign/profile/show/page_cube.h"
#include "campaign/profile/show/show.h"
#include "campaign/profile/tables/combine.h"
#include "campaign/report/parts.h"
#include "campaign/spec/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 300 }; /* limit for each kind: a page has to stay small */

static RC_OPTION(option_file, "output", "FILE",
                 "a file, or - for the standard output; DIR/report.html by default, "
                 "the standard output for --text",
                 .letter = 'o');
static RC_OPTION(option_curves, "curves", "N",
                 "draw the curves of the N most telling events of each kind (as many "
                 "as fit with all readings, at most 300)");
static RC_OPTION(option_events, "events", "PATTERN",
                 "draw the curves of these events, too: GLOB, !GLOB or @FILE",
                 .letter = 'e', .repeats = true);

static RC_OPTION(option_text, "text", NULL,
                 "on the terminal, as wide as that is, instead of a page of HTML");
static RC_OPTION(option_kind, "kind", "K", "text: only this kind of machine");
static RC_OPTION(option_suite, "suite", "A,B", "text: only these suites of kernels",
                 .repeats = true, .hint = rc_suite_hint);

static RC_OPTION(option_launch, "launch", "N",
                 "of a profile: this launch; the last one by default");
static RC_OPTION(
    option_metrics, "metrics", "CAMPAIGN",
    "of a profile: the metrics of this campaign, from what threads counted");

static RC_OPTIONS(options, &option_file, &option_text, &option_kind, &option_suite,
                  &option_curves, &option_events, &option_launch, &option_metrics,
                  &rc_profile_option_hierarchy, &rc_option_quiet, &rc_option_verbose);

/* rc_report.wanted: whether --events asks for the event's curves. */
static bool is_wanted(void *context, const char *event)
{
    struct rc_reporting *r = context;
    const bool wanted = rc_patterns_may_take(&r->patterns, event);

    r->matched = r->matched || wanted;
    if (!r->matched &&
        rc_patterns_is_nearer(&r->patterns, 0, r->near[0] ? r->near : NULL, event))
        snprintf(r->near, sizeof r->near, "%s", event);
    return wanted;
}

static int take_options(const struct rc_args *args, struct rc_reporting *r,
                        struct rc_error *err)
{
    const char *curves = rc_args_value(args, &option_curves);
    const bool text = rc_args_has(args, &option_text);
    /* Options that apply only to the other form of the report. */
    RC_OPTIONS(other, text ? &option_curves : &option_kind,
               text ? &option_events : &option_suite);
    static const struct rc_option *const of_profiles[] = {
        &option_launch, &option_metrics, &rc_profile_option_hierarchy};
    uint64_t count = CURVES;
    int status;

    r->dir = args->operands[0];
    for (size_t i = 0; i < sizeof of_profiles / sizeof of_profiles[0]; i++)
        if (rc_args_has(args, of_profiles[i]))
            return rc_fail(err, RC_EUSAGE, "--%s is for the report of a profile",
                           of_profiles[i]->name);
    for (size_t i = 0; other[i]; i++)
        if (rc_args_has(args, other[i]))
            return rc_fail(err, RC_EUSAGE, "--%s is %s", other[i]->name,
                           text ? "not for --text, which has no curves"
                                : "for --text: a page of HTML has all");
    if (curves && rc_text_count(curves, &count))
        return rc_fail(err, RC_EUSAGE, "--curves %s: expected " RC_TEXT_COUNT, curves);
    r->report.curves = count;
    r->report.curves_fit = !curves;
    status = rc_patterns_read(&r->patterns, args, &option_events, err);
    if (status != RC_OK)
        return status;
    if (r->patterns.count) {
        r->report.wanted = is_wanted;
        r->report.context = r;
    }
    status = rc_args_words(args, &option_suite, true, &r->suites, err);
    r->report.only_suites = r->suites.count ? r->suites.word : NULL;
    r->report.only_kind = rc_args_value(args, &option_kind);
    return status;
}

/* Whether a shown kind has the suite; 'have' lists the suites that they have. */
static bool has_suite(const struct rc_report *report, const char *name, char *have,
                      size_t room)
{
    bool there = false;

    for (size_t k = 0; k < rc_store_kind_count(report->store); k++) {
        const char *kind = rc_store_kind(report->store, k)->name;
        if (report->only_kind && strcmp(kind, report->only_kind) != 0)
            continue;
        for (size_t s = 0; s < rc_store_suite_count(report->store, k); s++) {
            const char *suite = rc_store_suite(report->store, k, s)->name;
            there |= strcmp(suite, name) == 0;
            if (!rc_word_listed(have, suite))
                rc_text_append(have, room, "%s%s", have[0] ? ", " : "", suite);
        }
    }
    return there;
}

/* Refuses a kind or suite that does not exist. */
static int check_names(const struct rc_report *report, struct rc_error *err)
{
    const struct rc_store *store = report->store;
    const size_t kinds = rc_store_kind_count(store);
    char have[RC_ERROR_TEXT / 2] = "";

    for (size_t k = 0; k < kinds; k++)
        rc_text_append(have, sizeof have, "%s'%s'", k ? ", " : "",
                       rc_store_kind(store, k)->name);
    if (report->only_kind && rc_store_find_kind(store, report->only_kind) == kinds)
        return rc_fail(err, RC_EMISSING, "kind '%s' is not there, expected one of %s",
                       report->only_kind, have);
    for (size_t i = 0; report->only_suites && report->only_suites[i]; i++) {
        have[0] = 0;
        if (!has_suite(report, report->only_suites[i], have, sizeof have))
            return rc_fail(err, RC_EMISSING,
                           "suite '%s' is not there, expected one of: %s",
                           report->only_suites[i], have);
    }
    return RC_OK;
}

static int write_report(FILE *out, void *context, struct rc_error *err)
{
    struct rc_reporting *r = context;
    int status = rc_report_html(&r->report, out, err);

    if (status != RC_OK)
        return status;
    if (r->patterns.count && !r->matched)
        return rc_fail(
            err, RC_EMISSING,
            "--events: no event of this campaign matches '%s'%s%s%s%s",
            r->patterns.item[0], r->patterns.count > 1 ? " or the other patterns" : "",
            r->near[0] ? ", did you mean '" : "", r->near, r->near[0] ? "'?" : "");
    return RC_OK;
}

static int write_text(FILE *out, void *context, struct rc_error *err)
{
    const struct rc_reporting *r = context;
    struct rc_page page;
    int status;

    rc_page_init(&page, out);
    status = rc_report_text(&r->report, &page, err);
    rc_page_fini(&page);
    return status;
}

/* Writes to the file of --output, or to DIR/report.html, whose name is printed. */
static int write_file(const struct rc_args *args, const struct rc_file_writer *writer,
                      struct rc_error *err)
{
    const char *file = rc_args_value(args, &option_file);
    char path[PATH_MAX];

    if (file)
        return rc_file_replace_by(file, RC_FILE_GIVEN, writer, err);
    int status = rc_path(path, sizeof path, err, "%s/report.html", args->operands[0]);
    if (status != RC_OK)
        return status;
    if ((status = rc_file_replace_by(path, RC_FILE_IN, writer, err)) != RC_OK)
        return status;
    printf("%s\n", rc_text_printable(path, sizeof path, path));
    return RC_OK;
}

static int write_to(const struct rc_args *args, struct rc_reporting *r,
                    struct rc_error *err)
{
    const bool text = rc_args_has(args, &option_text);
    const struct rc_file_writer writer = {text ? write_text : write_report, r};

    return text && !rc_args_has(args, &option_file) ? write_text(stdout, r, err)
                                                    : write_file(args, &writer, err);
}

/* Writes a profile's page.  Damage of journals goes to the standard error, as with all
 * readers.
 */
static int write_profile(FILE *out, void *context, struct rc_error *err)
{
    const struct rc_args *args = *(const struct rc_args *const *)context;
    const struct rc_profile_choice choice = {
        .launch = rc_args_value(args, &option_launch),
        .metrics = rc_args_value(args, &option_metrics),
        .trees = rc_args_value(args, &rc_profile_option_hierarchy)};

    if (!rc_profile_is_in(args->operands[0]))
        return rc_profile_page_of_cube(args->operands[0], choice.trees, choice.metrics,
                                       out, err);
    return rc_profile_export(args->operands[0], &rc_profile_page, &choice, out, stderr,
                             err);
}

/* The report of a profile: its tables as text, or its page. */
static int run_profile(const struct rc_args *args, struct rc_error *err)
{
    static const struct rc_option *const of_campaigns[] = {
        &option_kind, &option_suite, &option_curves, &option_events};
    const struct rc_file_writer writer = {write_profile, &args};
    struct rc_arg_words trees = {0};
    struct rc_profile_request request = {.dir = args->operands[0],
                                         .study = &rc_fft3d_study,
                                         .launch = rc_args_value(args, &option_launch),
                                         .metrics =
                                             rc_args_value(args, &option_metrics)};

    for (size_t i = 0; i < sizeof of_campaigns / sizeof of_campaigns[0]; i++)
        if (rc_args_has(args, of_campaigns[i]))
            return rc_fail(err, RC_EUSAGE, "--%s is for the report of a campaign",
                           of_campaigns[i]->name);
    if (!rc_args_has(args, &option_text))
        return write_file(args, &writer, err);
    if (rc_args_has(args, &option_file) &&
        strcmp(rc_args_value(args, &option_file), "-") != 0)
        return rc_fail(err, RC_EUSAGE,
                       "--output: the text of a profile goes to the standard output");
    int status = rc_args_words(args, &rc_profile_option_hierarchy, true, &trees, err);
    request.tree = trees.count ? trees.word : NULL;
    if (status == RC_OK)
        status = rc_profile_show(&request, err);
    rc_arg_words_fini(&trees);
    return status;
}

/* The report of a directory that has only detours. */
static int run_detours(const struct rc_args *args, struct rc_error *err)
{
    const bool text = rc_args_has(args, &option_text);
    const struct rc_file_writer writer = {text ? rc_report_detours_text
                                               : rc_report_detours_page,
                                          (void *)args->operands[0]};

    return text && !rc_args_has(args, &option_file)
               ? rc_report_detours_text(stdout, writer.context, err)
               : write_file(args, &writer, err);
}

static int run(struct rc_session *session, const struct rc_args *given,
               struct rc_error *err)
{
    const char *here = NULL;
    const struct rc_args own = rc_campaign_dir_or_here(given, &here), *args = &own;
    struct rc_reporting r = {0};
    const char *file = rc_args_value(args, &option_file);
    struct rc_campaign_dir *campaign_dir = NULL;

    if (args->operand_count == 0 || !args->operands[0][0])
        return rc_fail(err, RC_EUSAGE,
                       "expected DIR, the directory of a campaign or of a profile");
    if (rc_profile_is_in(args->operands[0]) || rc_profile_cube_is_in(args->operands[0]))
        return run_profile(args, err);
    int status = rc_campaign_dir_refuse_model(args->operands[0], err);

    if (status == RC_OK)
        status = take_options(args, &r, err);

    if (status == RC_OK && rc_report_has_only_detours(r.dir)) {
        status = run_detours(args, err);
        goto out;
    }
    if (status != RC_OK || (status = rc_reporting_make_missing(r.dir, err)) != RC_OK)
        goto out;
    /* If the report is written into the directory, its results are held. */
    if (((file ? rc_campaign_dir_holds_file(r.dir, file)
               : !rc_args_has(args, &option_text)) &&
         (status = rc_campaign_dir_open_results(MPI_COMM_NULL, r.dir, rc_tell,
                                                &campaign_dir, err)) != RC_OK) ||
        (status = rc_reporting_read(&r, err)) != RC_OK ||
        (status = check_names(&r.report, err)) != RC_OK ||
        (status = write_to(args, &r, err)) != RC_OK)
        goto out;
    session->incomplete = r.report.complete_known && !r.report.complete;
out:
    rc_reporting_fini(&r);
    rc_campaign_dir_close(campaign_dir);
    return status;
}

const struct rc_command rc_command_report = {
    .name = "report",
    .summary = "shows a campaign or a profile: a page of HTML, or text on the terminal",
    .operands = "[DIR]",
    .operands_most = 1,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_SPEC | RC_FILE_JOURNAL | RC_FILE_STORE | RC_FILE_METRICS |
             RC_FILE_NOISE | RC_FILE_REPORT,
    .variables = RC_VARIABLE_TERMINAL,
    .see = (const char *const[]){"solve", "export", "status", NULL},
    .run = run,
};
