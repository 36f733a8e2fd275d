/* launches.h - which launches a directory of profiles holds */
#ifndef RC_CAMPAIGN_PROFILE_LAUNCH_LAUNCHES_H
#define RC_CAMPAIGN_PROFILE_LAUNCH_LAUNCHES_H

#include "campaign/base/error.h"
#include "campaign/profile/wire/plan.h"

#define RC_PROFILE_LAUNCHES "launches.txt" /* in DIR: see launches.c */

/* Notes in DIR/launches.txt that a sampler begins on this node, and says in 'plan'
 * whose records it writes.  'key' is that of the job: launches with the same one are
 * one launch on several nodes.  RC_EUSAGE: DIR is a campaign's, or the file is not what
 * it should be.
 */
int rc_profile_launches_add(struct rc_profile_plan *plan, uint64_t key,
                            struct rc_error *err);

#endif
