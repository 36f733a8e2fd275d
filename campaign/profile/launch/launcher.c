/* The program 'rollcall-launch': starts a program that is to be profiled, and leaves
 * all else to rollcall-main beside it.
 *
 * Each rank of a profiled program comes through here, so that few libraries are to be
 * loaded: this program has none of the hooks of a launch, which need the others.
 */
#include "campaign/base/limits.h"
#include "campaign/base/memory.h"
#include "campaign/cli/args.h"
#include "campaign/cli/become.h"
#include "campaign/cli/tell.h"
#include "campaign/profile/launch/launch.h"
#include "campaign/spec/options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static RC_OPTIONS(options, &rc_option_directory, &rc_option_events,
                  &rc_profile_option_source, &rc_profile_option_rate,
                  &rc_profile_option_every, &rc_profile_option_trace,
                  &rc_profile_option_stacks, &rc_profile_option_no_waiting,
                  &rc_profile_option_passes, &rc_profile_option_budget,
                  &rc_profile_option_metrics, &rc_profile_option_trees,
                  &rc_profile_option_set, &rc_profile_option_strict, &rc_option_quiet);

static const struct rc_command launch = {
    .name = "profile", .operands = "", .operands_most = SIZE_MAX, .options = options};

/* Whether the command line is a launch without mistakes; parsing reorders its words. */
static bool is_launch(int argc, char **argv, struct rc_args *args)
{
    struct rc_error ignored;

    return argc >= 2 && strcmp(argv[0], launch.name) == 0 &&
           rc_args_parse(&launch, argc, argv, args, &ignored) == RC_OK &&
           !args->wants_help && rc_args_has(args, &rc_option_directory) &&
           args->operand_count > 0 && strcmp(args->operands[-1], "--") == 0;
}

/* A launch that could not be made, or that is for rollcall-main, which this process
 * becomes; else it has become the program.
 */
static int start_launch(const struct rc_args *args, char **argv)
{
    static const struct rc_profile_hooks none = {.native = NULL};
    struct rc_error err = {.rank = -1};
    int exits = 0;

    rc_tell_open_streams();
    if (rc_args_has(args, &rc_option_quiet))
        rc_tell_set_level(RC_TELL_QUIET);
    int status = rc_limits_raise(&err);
    if (status == RC_OK || status == RC_EIO) /* few files: that is its own to say */
        status = rc_profile_launch(args, &none, &exits, &err);
    if (status == RC_OK) {
        rc_limits_restore();
        return rc_become_main(argv);
    }
    rc_tell_failure(launch.name, &err, 1);
    return exits ? exits : rc_exit_status(status);
}

int main(int argc, char **argv)
{
    struct rc_args args = {0};
    char **words = rc_calloc((size_t)argc + 1, sizeof *words);

    for (int i = 0; words && i < argc; i++)
        words[i] = argv[i];
    const int exits = words && argc > 2 && is_launch(argc - 1, words + 1, &args)
                          ? start_launch(&args, argv)
                          : rc_become_main(argv);
    rc_args_fini(&args);
    free(words);
    return exits;
}
