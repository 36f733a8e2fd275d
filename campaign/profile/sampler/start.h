/* start.h - begins the sampler of a launch */
#ifndef RC_CAMPAIGN_PROFILE_SAMPLER_START_H
#define RC_CAMPAIGN_PROFILE_SAMPLER_START_H

#include "campaign/profile/wire/plan.h"
#include "campaign/profile/wire/shared_file.h"

/* Starts the sampler, which is not a child of this process, and waits until it is ready
 * or says why it cannot be; RC_EIO: it was killed before.
 */
int rc_profile_sampler_start(const struct rc_profile_plan *plan,
                             struct rc_profile_shared *shared, struct rc_error *err);

#endif
