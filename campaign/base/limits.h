/* limits.h - what the system lets this process have */
#ifndef RC_CAMPAIGN_BASE_LIMITS_H
#define RC_CAMPAIGN_BASE_LIMITS_H

#include "campaign/base/error.h"

/* Raises the limits of the stack and of open files that are lower than usual.  Those
 * that may not be raised and are too low are RC_EUNSUPPORTED of the stack, which
 * libraries crash of, and RC_EIO of files, of which they say something else.
 */
int rc_limits_raise(struct rc_error *err);

/* The limits are again what they were before: for a program that this process becomes.
 */
void rc_limits_restore(void);

#endif
