/* The time that a sample of a stack takes from the thread that is sampled. */
#include "campaign/profile/stacks/sampling.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/perf/perf.h"

#include <stdlib.h>

/* So many samples are taken, after so much processor time each; no longer than that. */
enum {
    SAMPLES = 9,
    PERIOD_NS = 150000,
    PATIENCE_NS = 50000000,
    TURNS = 512,
    LEAST = 4,
    RING_BYTES = 1 << 20,
    STACK_BYTES = 1 << 16,
    PAGE_LEAST = 4096
};

static int order_longest(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* How many came; all of them have room in the ring. */
static size_t samples_in(const struct rc_perf_ring *ring)
{
    const struct perf_event_header *head;
    uint64_t record[RC_PERF_RECORD_MOST / 8], at = 0;
    size_t count = 0;

    while ((head = rc_perf_ring_next(ring, rc_perf_ring_end(ring), &at, record)))
        count += head->type == PERF_RECORD_SAMPLE;
    return count < SAMPLES ? count : SAMPLES - 1;
}

/* The thread reads its clock again and again: a sample is a gap between two readings,
 * and most often one of the longest.  Others that want the processor are seldomer than
 * samples, so that the median of as many of the longest gaps as there were samples is
 * one of a sample.
 */
static double spin(const struct rc_perf_ring *ring)
{
    volatile char stack[STACK_BYTES]; /* which is copied, like a program's */
    for (size_t i = 0; i < sizeof stack; i += PAGE_LEAST)
        stack[i] = 1;
    uint64_t longest[SAMPLES] = {0}, before = rc_clock_raw_ns();
    const uint64_t cpu = rc_clock_cpu_ns(), until = before + PATIENCE_NS;

    for (size_t turn = 1; before < until; turn++) {
        const uint64_t now = rc_clock_raw_ns();
        if (turn % TURNS == 0 &&
            rc_clock_cpu_ns() - cpu > (uint64_t)SAMPLES * PERIOD_NS)
            break;
        if (now - before > longest[SAMPLES - 1]) {
            longest[SAMPLES - 1] = now - before;
            qsort(longest, SAMPLES, sizeof *longest, order_longest);
        }
        before = now; /* no gap between gaps: a sample may be anywhere */
    }
    const size_t samples = samples_in(ring);
    const size_t middle = samples / 2;
    return samples >= LEAST ? (double)longest[middle] : 0;
}

double rc_profile_sample_ns(const struct perf_event_attr *attr)
{
    struct perf_event_attr own = *attr;
    struct rc_perf_ring ring = {0};
    double ns = 0;

    own.sample_period = PERIOD_NS;
    const int fd = rc_perf_open(&own, 0, -1, -1);
    if (fd < 0)
        return 0;
    if (rc_perf_ring_map(&ring, fd, RING_BYTES) == 0)
        ns = spin(&ring);
    rc_perf_ring_unmap(&ring);
    close(fd);
    return ns;
}
