/* launch.h - a program started under the eyes of a sampler: 'rollcall profile -o DIR
 * --' */
#ifndef RC_CAMPAIGN_PROFILE_LAUNCH_LAUNCH_H
#define RC_CAMPAIGN_PROFILE_LAUNCH_LAUNCH_H

#include "campaign/base/error.h"
#include "campaign/cli/args.h"
#include "campaign/profile/wire/plan.h"

/* Options of a launch. */
extern const struct rc_option rc_profile_option_source, rc_profile_option_rate,
    rc_profile_option_every, rc_profile_option_trace, rc_profile_option_stacks,
    rc_profile_option_no_waiting, rc_profile_option_passes, rc_profile_option_budget,
    rc_profile_option_strict, rc_profile_option_metrics, rc_profile_option_trees,
    rc_profile_option_set;

/* All hooks. */
extern const struct rc_profile_hooks rc_profile_hooks;

/* Becomes the program that the operands name: returns only if that fails, or if what is
 * asked for cannot be done; with RC_OK where a hook is NULL that is needed, and nothing
 * was done.  *exits is what to end with then, as a shell would; 0: as any failure.
 * Where the system lets nothing be recorded (a full disk, no memory, no
 * right) the program is started all the same, and a line says so; not with --strict.
 */
int rc_profile_launch(const struct rc_args *args, const struct rc_profile_hooks *hooks,
                      int *exits, struct rc_error *err);

#endif
