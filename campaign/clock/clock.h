/* clock.h - one time for all nodes of a job: a node's own made the first node's
 *
 * Each node has a clock of its own, rc_clock_raw_ns(): it begins when the node is
 * booted and runs at the rate of the node's quartz.  The time that all nodes share is
 * that of the first node's clock, in ns.  rc_clock_measure() (measure.h) finds out by
 * messages by how much another clock is off: not one number but two, between which the
 * truth is.  It is called before a measurement and again after it, and as often between
 * as there is a pause.  Afterwards rc_clock_global() says what any time of the node is
 * on the first node's clock, again with bounds.
 *
 *     struct rc_clock clock = {0};
 *     rc_clock_measure(&nodes, &clock, &quality, err);     (collective)
 *     ...                                   (times are taken by rc_clock_raw_ns())
 *     rc_clock_measure(&nodes, &clock, &quality, err);
 *     rc_clock_global(&clock, begin_ns, &low_ns, &high_ns);
 *     rc_clock_fini(&clock);
 *
 * What is taken for granted, and nothing else: two clocks of a job drift apart by at
 * most RC_CLOCK_DRIFT_PPM; and between two measurements their rate stays within
 * RC_CLOCK_WANDER_PPM of its mean there.  Quartz is off by some tens of ppm (parts per
 * million) and moves by some ppm in a day, with the temperature.  So the middle of 60 s
 * between two measurements is known to 30 us, while 1 s after the last one is to 50 us:
 * who needs it closer measures more often.
 */
#ifndef RC_CAMPAIGN_CLOCK_CLOCK_H
#define RC_CAMPAIGN_CLOCK_CLOCK_H

#include "campaign/base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { RC_CLOCK_DRIFT_PPM = 50, RC_CLOCK_WANDER_PPM = 1 };

/* By how much a node's clock was off when that was measured.  A record of a journal
 * keeps these three numbers, of 8 bytes each, as they are.
 */
struct rc_clock_offset {
    int64_t at_ns;           /* on the node's own clock */
    int64_t low_ns, high_ns; /* the first node's clock less this one: between these */
};

/* A node's clock.  Without offsets it is the first node's own, or that of a job of one
 * node: there every time is what it is.
 */
struct rc_clock {
    struct rc_clock_offset *offset; /* ascending by time */
    size_t count, room;             /* of 'offset' */
};

/* Makes the clock that a record holds, of a copy of these.  RC_EUSAGE where they cannot
 * be what rc_clock_measure() found: times that do not ascend, a low above its high,
 * numbers of more than 30 years.  On failure 'out' is zeroed.  rc_clock_fini() after
 * success.
 */
int rc_clock_decode(const struct rc_clock_offset *offset, size_t count,
                    struct rc_clock *out, struct rc_error *err);

void rc_clock_fini(struct rc_clock *clock); /* accepts a zeroed one */

/* The time of the first node's clock when this node's was 'local_ns': the middle of
 * 'low' and 'high' (either may be NULL), between which the truth is.  Between two
 * measurements these are the line through both, with the wander above; before the first
 * and after the last they part by the drift above.  Any number is taken; one of more
 * than 30 years is taken for 30.
 */
int64_t rc_clock_global(const struct rc_clock *clock, int64_t local_ns, int64_t *low_ns,
                        int64_t *high_ns);

/* By how many ppm at least this clock is faster or slower than the first node's, by the
 * last two measurements and their bounds; 0 where there are no two.
 */
double rc_clock_drift_ppm(const struct rc_clock *clock);

/* How far two clocks may have drifted apart in that time, rounded up, with 1 ns for
 * times that are whole ns.
 */
static inline int64_t rc_clock_drift_ns(int64_t elapsed_ns)
{
    return elapsed_ns / (1000000 / RC_CLOCK_DRIFT_PPM) + 1;
}

#endif
