/* limits.h - what the system lets this process have */
#ifndef RC_CAMPAIGN_BASE_LIMITS_H
#define RC_CAMPAIGN_BASE_LIMITS_H

#include "campaign/base/error.h"

/* Raises the limits of the stack and of open files that are lower than usual.  A stack
 * that stays too small is RC_EUNSUPPORTED, as libraries crash of it; too few files are
 * RC_EIO, as libraries report something else then.
 */
int rc_limits_raise(struct rc_error *err);

/* Sets the limits back to what they were: for a program that this process becomes. */
void rc_limits_restore(void);

#endif
