/* passes.h - a program launched several times, each time with other events counted
 *
 * DIR/passes.txt says which pass each launch took: "LAUNCH PASS PASSES KEY", a line for
 * each, the key being that of what was asked for.  A pass is there when a launch of it
 * ended as it should on all of its nodes, which the journals tell.
 */
#ifndef RC_CAMPAIGN_PROFILE_PASSES_PASSES_H
#define RC_CAMPAIGN_PROFILE_PASSES_PASSES_H

#include "campaign/profile/passes/program.h"
#include "campaign/profile/read/read.h"
#include "campaign/profile/wire/plan.h"

enum { RC_PROFILE_PASSES = 1000 }; /* at most */

/* The passes of what was asked for last. */
struct rc_profile_passes {
    uint64_t passes;                    /* 0: the directory has none */
    uint64_t key;                       /* of the events and their number of passes */
    uint64_t launch[RC_PROFILE_PASSES]; /* the last whole launch of each, or */
#define RC_PROFILE_NO_LAUNCH UINT64_MAX /* ... there is none */
    size_t missing;                     /* passes without one */
};

/* Reads DIR/passes.txt and joins it with the journals. */
int rc_profile_passes_find(const char *dir, const struct rc_profile *profile,
                           struct rc_profile_passes *out, struct rc_error *err);

/* The pass of plan->launch, into plan->pass: that of the same launch on another node,
 * else the first that is missing and was begun least often, which is noted in the file.
 * The caller holds the lock of launches.txt.
 */
int rc_profile_passes_choose(struct rc_profile_plan *plan, struct rc_error *err);

/* Sets plan->passes to the fewest that count all events of the plan that threads count.
 * RC_EMISSING: there are none.
 */
int rc_profile_passes_fewest(struct rc_profile_plan *plan, struct rc_error *err);

/* Events that threads count, spread over passes: group[i] is the pass of name[i].  The
 * same on every node with the same counters.  RC_EUSAGE: there are more passes or fewer
 * than plan->passes.
 */
int rc_profile_passes_spread(const struct rc_profile_plan *plan,
                             const char *const *name, size_t count, uint32_t *group,
                             struct rc_error *err);

#endif
