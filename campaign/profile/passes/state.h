/* state.h - what a directory of profiles holds, launch by launch: 'rollcall status DIR'
 */
#ifndef RC_CAMPAIGN_PROFILE_PASSES_STATE_H
#define RC_CAMPAIGN_PROFILE_PASSES_STATE_H

#include "campaign/base/error.h"
#include "io/text/rows.h"

#include <stdbool.h>

/* Prints a row for each launch on each node, and what is damaged.  *complete: nothing
 * is damaged, and all passes are there; without passes: the sampler of each launch has
 * ended by itself, so that nothing is still to come.
 */
int rc_profile_state_show(const char *dir, enum rc_format format, bool *complete,
                          struct rc_error *err);

#endif
