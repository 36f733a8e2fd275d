/* clock.h - how long something took, and when it was */
#ifndef RC_CAMPAIGN_BASE_CLOCK_H
#define RC_CAMPAIGN_BASE_CLOCK_H

#include <stdint.h>

/* Wall time since some moment in the past; never runs backwards. */
uint64_t rc_clock_ns(void);

/* As rc_clock_ns(), but at the rate of the hardware, which nobody corrects.  Clocks of
 * nodes are compared by it (campaign/clock/measure.h), and it gives all times that
 * other nodes are to understand.  All processes of a node share it, except those in a
 * time namespace of their own.
 */
uint64_t rc_clock_raw_ns(void);

/* Processor time of this process, and of this thread, so far. */
uint64_t rc_clock_cpu_ns(void);
uint64_t rc_clock_thread_ns(void);

/* The time of day: ns since 1970, UTC.  May be set, and so run backwards. */
uint64_t rc_clock_unix_ns(void);

#endif
