/* clock.h - one time for all nodes of a job: converts a node's time to the first node's
 *
 * Each node has a clock of its own, rc_clock_raw_ns(): it begins when the node is
 * booted and runs at the rate of the node's quartz.  The shared time is that of the
 * first node's clock, in ns. rc_clock_measure() (measure.h) exchanges messages to find
 * the offset of another clock: not one number but two, between which the truth is.  It
 * is called before a measurement and after it, and in pauses between.  Then
 * rc_clock_global() converts any time of the node to the first node's clock, again with
 * bounds.
 *
 *     struct rc_clock clock = {0};
 *     rc_clock_measure(&nodes, &clock, &quality, err);     (collective)
 *     ...                                   (times are taken by rc_clock_raw_ns())
 *     rc_clock_measure(&nodes, &clock, &quality, err);
 *     rc_clock_global(&clock, begin_ns, &low_ns, &high_ns);
 *     rc_clock_fini(&clock);
 *
 * The only assumptions: two clocks of a job drift apart by at most RC_CLOCK_DRIFT_PPM;
 * and between two measurements their rate stays within RC_CLOCK_WANDER_PPM of its mean
 * there.  Quartz is off by some tens of ppm (parts per million) and moves by some ppm
 * in a day, with the temperature.  So the middle of 60 s between two measurements is
 * known to 30 us, but 1 s after the last one only to 50 us: closer bounds need more
 * measurements.
 */
#ifndef RC_CAMPAIGN_CLOCK_CLOCK_H
#define RC_CAMPAIGN_CLOCK_CLOCK_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { RC_CLOCK_DRIFT_PPM = 50, RC_CLOCK_WANDER_PPM = 1 };

/* One measurement of a node's clock.  A record of a journal has these three numbers as
 * they are, 8 bytes each.
 */
struct rc_clock_offset {
    int64_t at_ns;           /* on the node's own clock */
    int64_t low_ns, high_ns; /* bounds of the first node's clock less this one */
};

/* A node's clock.  Without offsets it is the first node's, or that of a job of one
 * node, and times stay as they are.
 */
struct rc_clock {
    struct rc_clock_offset *offset; /* ascending by time */
    size_t count, room;             /* of 'offset' */
};

/* Makes a clock from a copy of the offsets in a record.  RC_EUSAGE if they cannot come
 * from rc_clock_measure(): times that do not ascend, a low above its high, numbers of
 * more than 30 years.  On failure 'out' is zeroed. rc_clock_fini() after success.
 */
int rc_clock_decode(const struct rc_clock_offset *offset, size_t count,
                    struct rc_clock *out, struct rc_error *err);

void rc_clock_fini(struct rc_clock *clock); /* accepts a zeroed one */

/* The time of the first node's clock when this node's was 'local_ns': the middle of
 * 'low' and 'high' (either may be NULL), between which the truth is.  Between two
 * measurements the bounds are lines through both, with the wander above; before the
 * first and after the last they diverge by the drift above.  Any number is accepted;
 * one of more than 30 years counts as 30.
 */
int64_t rc_clock_global(const struct rc_clock *clock, int64_t local_ns, int64_t *low_ns,
                        int64_t *high_ns);

/* The least rate in ppm by which this clock is faster or slower than the first node's,
 * by the last two measurements and their bounds; 0 if there are not two.
 */
double rc_clock_drift_ppm(const struct rc_clock *clock);

/* The drift of two clocks in that time, rounded up, with 1 ns since times are whole ns.
 */
static inline int64_t rc_clock_drift_ns(int64_t elapsed_ns)
{
    return elapsed_ns / (1000000 / RC_CLOCK_DRIFT_PPM) + 1;
}

#endif
