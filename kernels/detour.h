/* detour.h - a loop that reads only the time stamp counter and finds what interrupts it
 *
 * Two readings that are farther apart than the loop takes are a detour: the core did
 * something else in between.  Every gap is counted in a histogram; gaps longer than tau
 * are kept one by one.  With a kernel as 'work' the loop runs the kernel again and
 * again instead (fixed work quantum), and finds how much of its time detours took and
 * how much slower it ran without any.
 *
 * The calling thread should be bound to one core.  Nothing here knows of nodes, files
 * or ranks.  x86-64 (TSC) and aarch64 (cntvct_el0).
 */
#ifndef RC_KERNELS_DETOUR_H
#define RC_KERNELS_DETOUR_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bins of a histogram: one for each value below 32, then 32 for each octave. */
enum { RC_DETOUR_PARTS = 32, RC_DETOUR_BINS = 60 * RC_DETOUR_PARTS };
uint32_t rc_detour_bin(uint64_t value);     /* below RC_DETOUR_BINS */
uint64_t rc_detour_bin_begin(uint32_t bin); /* the least value in it */
uint64_t rc_detour_bin_middle(uint32_t bin);

/* At most so many windows of quanta, and so many quanta in each of them. */
enum { RC_DETOUR_PACES = 4096, RC_DETOUR_QUANTA = 64 };

/* The reason why the counter cannot serve as a clock, or NULL.  'invariant': cpuid says
 * that it runs at one rate whatever the core does.  'current' and 'available' are the
 * kernel's clock sources ("": not known); a kernel that has found the counter
 * unreliable does not list it.
 */
const char *rc_detour_judge_clock(bool invariant, const char *current,
                                  const char *available);

/* The same for this machine: RC_EUNSUPPORTED with the reason. */
int rc_detour_check_clock(struct rc_error *err);

/* Whether there is a hypervisor below the kernel, as far as the processor says so. */
bool rc_detour_is_virtual(void);

/* Start, from the beginning of the measurement, and length of a detour. */
struct rc_detour_gap {
    uint64_t start_ns, length_ns;
};

#define RC_DETOUR_LONGEST_NS UINT64_C(86400000000000) /* a day */

/* The order for a measurement. */
struct rc_detour_setup {
    uint64_t duration_ns;       /* more than 0, and RC_DETOUR_LONGEST_NS at most */
    bool (*stopped)(void *arg); /* asked every 0.1 s: end now; may be NULL */
    void (*work)(void *arg);    /* one quantum; NULL: the bare loop */
    void *arg;                  /* passed to both */
};

/* The result.  The arrays belong to the loop and live until its next measurement. */
struct rc_detour_seen {
    uint64_t begin_ns; /* CLOCK_MONOTONIC_RAW when it began */
    uint64_t duration_ns;
    uint64_t gaps;          /* or quanta */
    uint64_t median_gap_ps; /* or of a quantum */
    uint64_t tau_ns;    /* longer gaps are detours; with work, quanta that took longer
                         * than those around them by more than that */
    uint64_t stolen_ns; /* in detours, dropped ones included */
    uint64_t dropped;   /* detours for which the list had no room */
    uint64_t faults;    /* page faults while it ran: 0, or the loop disturbed itself */
    uint64_t switches;  /* involuntary ones */
    bool stopped;
    const uint64_t *bin; /* [RC_DETOUR_BINS] gaps, or quanta, by picoseconds */
    const struct rc_detour_gap *gap; /* detours, ascending */
    size_t count;

    /* With work, for each window of RC_DETOUR_QUANTA quanta or more: the median
     * quantum, and how many dependent additions a second the core did just before.
     */
    const uint64_t *pace_ps, *pace_hz;
    size_t paces;
};

struct rc_detour_loop; /* opaque: room for one measurement, its pages in memory */

/* 'most' is how many detours are kept. */
int rc_detour_create(size_t most, struct rc_detour_loop **out, struct rc_error *err);
void rc_detour_close(struct rc_detour_loop *loop); /* accepts NULL */

/* Tau is 1 us or 8 median gaps, whichever is more; with work 1 us or 6 deviations of
 * the quanta.  RC_EUSAGE: the duration is out of range.  RC_EUNSUPPORTED: the counter
 * ran backwards, or no loop was written for this processor.
 */
int rc_detour_measure(struct rc_detour_loop *loop, const struct rc_detour_setup *setup,
                      struct rc_detour_seen *out, struct rc_error *err);

#endif
