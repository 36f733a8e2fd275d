/* The report command: DIR/report.html, made of what is in DIR. */
#include "campaign/assemble.h"
#include "campaign/base/file.h"
#include "campaign/base/text.h"
#include "campaign/commands.h"
#include "campaign/report_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CURVES = 300 };

static const struct rc_option option_file = {.name = "output",
                                             .letter = 'o',
                                             .argument = "FILE",
                                             .summary = "DIR/report.html by default"};
static const struct rc_option option_curves = {
    .name = "curves",
    .argument = "N",
    .summary = "draw the curves of the N most telling events of each kind (300)"};
static const struct rc_option option_events = {
    .name = "events",
    .letter = 'e',
    .argument = "PATTERN",
    .repeats = true,
    .summary = "draw the curves of these events, too: GLOB, !GLOB or @FILE"};

static const struct rc_option *const options[] = {&option_file, &option_curves,
                                                  &option_events, NULL};

static bool is_wanted(void *context, const char *event)
{
    const struct rc_patterns *patterns = context;

    return rc_patterns_take(patterns, event);
}

static int take_patterns(const struct rc_args *args, struct rc_patterns *patterns,
                         struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < args->given_count && status == RC_OK; i++) {
        const char *expected = NULL;
        if (args->given[i].option != &option_events)
            continue;
        status = rc_patterns_add(patterns, args->given[i].value, &expected, err);
        if (status != RC_OK && expected)
            status = rc_fail(err, RC_EUSAGE, "--events %s: expected %s",
                             args->given[i].value, expected);
    }
    return status;
}

static int take_options(const struct rc_args *args, struct rc_reporting *r,
                        struct rc_error *err)
{
    const char *curves = rc_args_value(args, &option_curves);
    uint64_t count = CURVES;
    int status;

    if (args->operand_count == 0 || !args->operands[0][0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (curves && rc_text_count(curves, &count))
        return rc_fail(err, RC_EUSAGE, "--curves %s: expected " RC_TEXT_COUNT, curves);
    r->dir = args->operands[0];
    r->report.curves = count;
    status = take_patterns(args, &r->patterns, err);
    if (r->patterns.count) {
        r->report.wanted = is_wanted;
        r->report.context = &r->patterns;
    }
    return status;
}

static int write_report(FILE *out, void *context, struct rc_error *err)
{
    const struct rc_reporting *r = context;

    return rc_report_html(&r->report, out, err);
}

static int write_to(const struct rc_args *args, struct rc_reporting *r,
                    struct rc_error *err)
{
    const struct rc_file_writer writer = {write_report, r};
    const char *file = rc_args_value(args, &option_file);
    char path[PATH_MAX];
    int status;

    if (!file &&
        snprintf(path, sizeof path, "%s/report.html", r->dir) >= (int)sizeof path)
        return rc_fail(err, RC_EUSAGE, "DIR is longer than a path can be");
    status = rc_file_replace_by(file ? file : path, &writer, err);
    if (status == RC_OK && !file)
        printf("%s\n", rc_text_printable(path, sizeof path, path));
    return status;
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    struct rc_reporting r = {0};
    int status = take_options(args, &r, err);

    if (status == RC_OK)
        status = rc_reporting_read(&r, err);
    if (status == RC_OK)
        status = write_to(args, &r, err);
    session->incomplete =
        status == RC_OK && r.report.complete_known && !r.report.complete;
    rc_reporting_fini(&r);
    return status;
}

const struct rc_command rc_command_report = {
    .name = "report",
    .summary = "makes one page of HTML of a campaign: metrics, figures, all events",
    .operands = "DIR",
    .operands_most = 1,
    .description =
        "Writes DIR/report.html, a page that holds everything itself and opens in any "
        "browser without a network: what was measured where and how far it is, for "
        "each kind of machine and suite the metrics with their verdicts, definitions, "
        "errors and intervals, the noise of all events, each metric's combination "
        "beside what it should count, the machine with the places that were used, who "
        "measured what when, and a browser of all events.\n\n"
        "It is made of campaign.h5, metrics.h5 and the journals in DIR. What is not "
        "there is left out, and the page says so. The curves of an event over the "
        "points, with all repetitions, are in the page for the events that tell most; "
        "--curves and --events say of how many and which others. The exit status is 3 "
        "where the campaign is not complete.",
    .examples = "  rollcall report results\n"
                "  rollcall report results -o report.html --events 'L2_RQSTS*'\n",
    .options = options,
    .mpi = RC_MPI_NONE,
    .run = run,
};
