/* ticks.h - the clock of a profile: what 'ticks' are, in the program and in its sampler
 *
 * The counter of the processor is read in a third of the time that clock_gettime()
 * takes, and threads of a node read the same.  The launcher chooses once for all
 * processes (struct rc_shared, 'clock'); the sampler finds out how long a tick is, by
 * reading both clocks from time to time.
 */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_TICKS_H
#define RC_CAMPAIGN_PROFILE_WIRE_TICKS_H

#include "campaign/profile/wire/shared.h"

#include <time.h>

/* Now, in ticks of this enum rc_shared_clock. */
static inline uint64_t rc_ticks(uint32_t clock)
{
    if (clock == RC_SHARED_COUNTER) {
#if defined(__x86_64__)
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
        return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
#endif
    }
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
