/* clock.h - how long something took, and when it was */
#ifndef RC_CAMPAIGN_BASE_CLOCK_H
#define RC_CAMPAIGN_BASE_CLOCK_H

#include <stdint.h>

/* Wall time since some moment in the past; never runs backwards. */
uint64_t rc_clock_ns(void);

/* What time it is: ns since 1970, UTC.  May be set, and so run backwards. */
uint64_t rc_clock_unix_ns(void);

#endif
