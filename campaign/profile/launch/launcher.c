/* The program 'rollcall-launch': starts a program that is to be profiled, and leaves
 * all else to rollcall-main beside it.
 *
 * Each rank of a profiled program comes through here, so that few libraries are to be
 * loaded: this file stands in, by functions of the same names, for what brings in the
 * others.  What they would do here, a launch that is read does not ask for.
 */
#include "campaign/base/limits.h"
#include "campaign/base/memory.h"
#include "campaign/cli/args.h"
#include "campaign/cli/become.h"
#include "campaign/cli/tell.h"
#include "campaign/profile/launch/launch.h"
#include "campaign/profile/passes/passes.h"
#include "campaign/profile/tables/metrics.h"
#include "campaign/profile/tables/trees.h"
#include "campaign/sources/source.h"
#include "campaign/spec/options.h"
#include "kernels/kernel.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct rc_source rc_source_sysfs;

/* What else a launch may be given, such as --metrics, is for rollcall-main. */
static RC_OPTIONS(options, &rc_option_directory, &rc_option_events,
                  &rc_profile_option_rate, &rc_profile_option_every,
                  &rc_profile_option_trace, &rc_profile_option_stacks,
                  &rc_profile_option_budget, &rc_profile_option_no_waiting,
                  &rc_profile_option_strict, &rc_option_quiet);

static const struct rc_command launch = {
    .name = "profile", .operands = "", .operands_most = SIZE_MAX, .options = options};

const struct rc_source *rc_source_find(const char *name)
{
    return strcmp(name, rc_source_sysfs.name) == 0 ? &rc_source_sysfs : NULL;
}

const struct rc_source *const *rc_sources(void)
{
    static const struct rc_source *const all[] = {&rc_source_sysfs, NULL};

    return all;
}

/* The options of other commands have them as hints. */
const struct rc_suite *const *rc_suites(void)
{
    static const struct rc_suite *const none[] = {NULL};

    return none;
}

static int not_here(struct rc_error *err)
{
    return rc_fail(err, RC_EUNSUPPORTED, "this is for rollcall-main");
}

int rc_profile_metrics_plan(struct rc_profile_plan *plan, struct rc_error *err)
{
    (void)plan;
    return not_here(err);
}

int rc_profile_trees_plan(struct rc_profile_plan *plan, struct rc_error *err)
{
    (void)plan;
    return not_here(err);
}

int rc_profile_passes_choose(struct rc_profile_plan *plan, struct rc_error *err)
{
    (void)plan;
    return not_here(err);
}

int rc_profile_passes_spread(const struct rc_profile_plan *plan,
                             const char *const *name, size_t count, uint32_t *group,
                             struct rc_error *err)
{
    (void)plan;
    (void)name;
    (void)count;
    (void)group;
    return not_here(err);
}

bool rc_profile_counter_native(const char *name, struct perf_event_attr *attr)
{
    (void)name;
    (void)attr;
    return false;
}

/* Whether the events are files of the system's, or the kernel's own. */
static bool needs_no_library(const struct rc_args *args)
{
    static const char sysfs[] = "sysfs:::";

    for (size_t i = 0; i < args->given_count; i++) {
        const char *name = args->given[i].value;
        if (args->given[i].option == &rc_option_events &&
            strncmp(name + (*name == '!'), sysfs, strlen(sysfs)) != 0 &&
            !rc_profile_counter_is_generic(name))
            return false;
    }
    return true;
}

/* Whether the command line is a launch without mistakes that asks for nothing but what
 * is here; its words are read in an order of their own.
 */
static bool is_launch(int argc, char **argv, struct rc_args *args)
{
    struct rc_error ignored;
    const char *stacks;

    if (argc < 2 || strcmp(argv[0], launch.name) != 0 ||
        rc_args_parse(&launch, argc, argv, args, &ignored) != RC_OK)
        return false;
    stacks = rc_args_value(args, &rc_profile_option_stacks);
    return !args->wants_help && rc_args_has(args, &rc_option_directory) &&
           args->operand_count > 0 && strcmp(args->operands[-1], "--") == 0 &&
           needs_no_library(args) && !(stacks && stacks[0] == 'd'); /* not dwarf */
}

/* A launch that could not be made; else this process has become the program. */
static int start_launch(const struct rc_args *args)
{
    struct rc_error err = {.rank = -1};
    int exits = 0;

    rc_tell_open_streams();
    if (rc_args_has(args, &rc_option_quiet))
        rc_tell_set_level(RC_TELL_QUIET);
    int status = rc_limits_raise(&err);
    if (status == RC_OK || status == RC_EIO) /* few files: that is its own to say */
        status = rc_profile_launch(args, &exits, &err);
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
                          ? start_launch(&args)
                          : rc_become_main(argv);
    rc_args_fini(&args);
    free(words);
    return exits;
}
