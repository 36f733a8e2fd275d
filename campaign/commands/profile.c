/* The profile command: starts a program and records it, or shows a recorded profile. */
#include "campaign/fft3d/expected.h"
#include "campaign/fft3d/fft3d.h"
#include "campaign/profile/launch/launch.h"
#include "campaign/profile/show/show.h"

#include "campaign/base/limits.h"
#include "campaign/cli/commands.h"
#include "campaign/cli/launch.h"
#include "campaign/spec/options.h"
#include "io/text/rows.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

static RC_OPTION(option_region, "region", "R",
                 "show only what is inside regions of this name or pattern");
static RC_OPTION(option_launch, "launch", "N",
                 "show this launch of the program; the last one by default");

static RC_OPTION(option_reference, "reference", "DIR",
                 "with --hierarchy pop: the profile of the run that this one is "
                 "compared with, with instructions and cycles");

static RC_OPTIONS(options, &rc_option_directory, &rc_option_events,
                  &rc_profile_option_source, &rc_profile_option_rate,
                  &rc_profile_option_every, &rc_profile_option_trace,
                  &rc_profile_option_stacks, &rc_profile_option_no_waiting,
                  &rc_profile_option_passes, &rc_profile_option_budget,
                  &rc_profile_option_metrics, &rc_profile_option_trees,
                  &rc_profile_option_set, &rc_profile_option_size,
                  &rc_profile_option_ranks, &rc_profile_option_stepped,
                  &rc_profile_option_strict, &option_region, &option_launch,
                  &option_reference, &rc_option_format, &rc_option_quiet);

static const char usage[] = "expected -o DIR -- PROGRAM [ARGUMENT]... to record a "
                            "program, or DIR to show what was recorded";

/* Refuses an option that belongs to the other of the two uses. */
static int refuse_option(const struct rc_args *args, const struct rc_option *option,
                         struct rc_error *err)
{
    if (!rc_args_has(args, option))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "--%s does not go with this: %s", option->name,
                   usage);
}

/* getopt puts the word -- directly before the operands, which are the program's words:
 * options after it are not rollcall's.
 */
static int run_launch(struct rc_session *session, const struct rc_args *args,
                      struct rc_error *err)
{
    int status;

    if (args->operand_count == 0)
        return rc_fail(err, RC_EUSAGE, "no program: %s", usage);
    if (strcmp(args->operands[-1], "--") != 0)
        return rc_fail(err, RC_EUSAGE, "no -- before '%.200s': %s", args->operands[0],
                       usage);
    if ((status = refuse_option(args, &option_region, err)) != RC_OK ||
        (status = refuse_option(args, &option_launch, err)) != RC_OK ||
        (status = refuse_option(args, &option_reference, err)) != RC_OK ||
        (status = refuse_option(args, &rc_option_format, err)) != RC_OK)
        return status;
    return rc_profile_launch(args, &rc_profile_hooks, &session->trouble, err);
}

static int run(struct rc_session *session, const struct rc_args *args,
               struct rc_error *err)
{
    static const struct rc_option *const of_launch[] = {&rc_option_events,
                                                        &rc_profile_option_source,
                                                        &rc_profile_option_rate,
                                                        &rc_profile_option_every,
                                                        &rc_profile_option_trace,
                                                        &rc_profile_option_stacks,
                                                        &rc_profile_option_no_waiting,
                                                        &rc_profile_option_passes,
                                                        &rc_profile_option_budget,
                                                        &rc_profile_option_set,
                                                        &rc_profile_option_strict};
    static const struct rc_option *const of_fft3d[] = {
        &rc_profile_option_size, &rc_profile_option_ranks, &rc_profile_option_stepped};
    struct rc_arg_words trees = {0};
    int status = RC_OK;

    if (!rc_args_has(args, &rc_option_directory) &&
        (status = rc_limits_raise(err)) != RC_OK)
        return status;
    if (rc_profile_is_fft3d(args))
        return rc_profile_fft3d(args, &session->trouble, err);
    if (args->operand_count && strcmp(args->operands[0], "fft3d") == 0 &&
        !rc_args_has(args, &rc_option_directory) && access("fft3d", F_OK) != 0)
        return rc_fail(err, RC_EUSAGE,
                       "fft3d: expected its size: rollcall profile fft3d -n N, points "
                       "along an edge, such as 64");
    for (size_t i = 0; i < sizeof of_fft3d / sizeof of_fft3d[0]; i++)
        if (rc_args_has(args, of_fft3d[i]))
            return rc_fail(err, RC_EUSAGE,
                           "--%s goes with the built-in fft3d: expected rollcall "
                           "profile fft3d -n N",
                           of_fft3d[i]->name);
    if (rc_args_has(args, &rc_option_directory))
        return run_launch(session, args, err);
    if (args->operand_count != 1)
        return rc_fail(err, RC_EUSAGE, "%s", usage);
    for (size_t i = 0; i < sizeof of_launch / sizeof of_launch[0]; i++)
        if ((status = refuse_option(args, of_launch[i], err)) != RC_OK)
            return status;
    if (rc_launch_rank() != 0 ||
        (status = rc_args_words(args, &rc_profile_option_trees, true, &trees, err)))
        return status;
    const struct rc_profile_request request = {
        .dir = args->operands[0],
        .region = rc_args_value(args, &option_region),
        .metrics = rc_args_value(args, &rc_profile_option_metrics),
        .launch = rc_args_value(args, &option_launch),
        .tree = trees.count ? trees.word : NULL,
        .reference = rc_args_value(args, &option_reference),
        .study = &rc_fft3d_study,
        .format = rc_rows_format(rc_args_value(args, &rc_option_format))};
    if (request.reference && !request.tree)
        status = rc_fail(err, RC_EUSAGE,
                         "--reference: expected --hierarchy pop, whose values it "
                         "changes");
    else if ((request.metrics || request.tree) && rc_rows_is_csv(request.format))
        status = rc_fail(err, RC_EUSAGE,
                         "--%s is not for --format csv: expected text or json",
                         request.tree ? "hierarchy" : "metrics");
    else
        status = rc_profile_show(&request, err);
    rc_arg_words_fini(&trees);
    return status;
}

const struct rc_command rc_command_profile = {
    .name = "profile",
    .summary = "records where a program's time goes, beside the counters of its nodes",
    .operands = "DIR | -o DIR -- PROGRAM [ARGUMENT]... | fft3d -n N",
    .operands_most = SIZE_MAX,
    .options = options,
    .mpi = RC_MPI_NONE_EACH,
    .few_files = true,
    .exits = "The program's own, which this command becomes: 126 where it cannot be "
             "run, 127 where it is not there; else as for the other commands.",
    .files = RC_FILE_JOURNAL | RC_FILE_METRICS,
    .see = (const char *const[]){"events", "noise", NULL},
    .run = run,
};
