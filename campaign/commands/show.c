/* The show command: an event or a metric by words, as a card with what to type. */
#include "io/show/show.h"

#include "campaign/cli/commands.h"
#include "campaign/solve/origin.h"
#include "campaign/spec/options.h"
#include "kernels/kernel.h"

#include <stdint.h>
#include <stdio.h>

static const char *const format_names[] = {"text", "json", NULL};
static RC_OPTION(option_format, "format", "FORMAT", "text (default) or json",
                 .words = format_names);
static RC_OPTION(option_all, "all", NULL,
                 "a card for each thing that has all of the words");

static RC_OPTIONS(options, &rc_option_result_kind, &option_all, &option_format);

/* Nothing was found: a suite of compiled kernels has rates where it was measured in time. */
static void say_how_measured(const struct rc_show_request *request,
                             struct rc_error *err)
{
    const struct rc_suite *suite = rc_suite_find(request->word[0]);

    if (suite && suite->made_by)
        rc_fail(err, RC_EMISSING,
                "'%s' has no rates of suite '%s': 'rollcall run -o DIR --source time "
                "--suite %s' measures them",
                request->dir, suite->name, suite->name);
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    const char *dir = args->operand_count ? args->operands[0] : "";
    struct rc_error closing = {.rank = -1}; /* of a file that was only read */
    char why[RC_ERROR_TEXT] = "";
    struct rc_show_request request = {
        .dir = dir,
        .kind = rc_args_value(args, &rc_option_result_kind),
        .all = rc_args_has(args, &option_all),
        .format = rc_rows_format(rc_args_value(args, &option_format))};
    int status;

    (void)session;
    if (!dir[0])
        return rc_fail(err, RC_EUSAGE, "expected DIR, the directory of a campaign");
    if (args->operand_count < 2)
        return rc_fail(err, RC_EUSAGE,
                       "expected words after DIR, such as: rollcall show %s dp "
                       "operations",
                       dir);
    request.word = args->operands + 1;
    request.word_count = args->operand_count - 1;
    status = rc_solve_open_results(dir, &request.metrics, why, sizeof why, err);
    if (why[0])
        fprintf(stderr, "rollcall show: '%s': %s\n", dir, why);
    if (status == RC_OK)
        status = rc_show(&request, stdout, err);
    if (status == RC_EMISSING && request.metrics && !rc_show_suite(&request))
        say_how_measured(&request, err);
    if (request.metrics)
        rc_store_close(request.metrics, &closing);
    return status;
}

const struct rc_command rc_command_show = {
    .name = "show",
    .summary = "says of an event or a metric what it is, and what to type to count it",
    .operands = "DIR WORD...",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_NONE,
    .files = RC_FILE_METRICS,
    .variables = RC_VARIABLE_TERMINAL,
    .see = (const char *const[]){"solve", "report", "export", NULL},
    .run = run,
};
