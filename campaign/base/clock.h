/* clock.h - how long something took */
#ifndef RC_BASE_CLOCK_H
#define RC_BASE_CLOCK_H

#include <stdint.h>

/* Wall time since some moment in the past; never runs backwards. */
uint64_t rc_clock_ns(void);

#endif
