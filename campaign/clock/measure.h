/* measure.h - by how much the clocks of a job's nodes are off, found out by messages */
#ifndef RC_CAMPAIGN_CLOCK_MEASURE_H
#define RC_CAMPAIGN_CLOCK_MEASURE_H

#include "campaign/clock/clock.h"
#include "campaign/machine/nodes.h"

#include <stdbool.h>

/* The largest of something, and the node where it is, as an index of rc_nodes. */
struct rc_clock_most {
    double value;
    int node;
};

/* How good a measurement is; the same on every rank.  After it nodes are compared by
 * twos, each with one that it was not measured against (but where there are only two):
 * directly, and by the time that both have now.
 */
struct rc_clock_quality {
    struct rc_clock_most uncertainty_ns; /* half of the widest bounds */
    struct rc_clock_most pair_ns;        /* the two ways differ by at most that */
    struct rc_clock_most apart_ns;  /* their bounds do not meet by that; 0: all do */
    struct rc_clock_most drift_ppm; /* against the first node since the measurement
                                     * before; 0 at the first */
};

/* Collective over nodes->comm.  Has each node, by its leader, exchange messages with
 * one that knows already by how much it is off, in as many rounds as the number of
 * nodes can be halved, and appends what was found to 'clock', which is the same on all
 * ranks of a node.  Other traffic is not disturbed, but it disturbs: bounds get wider.
 * A pair takes 100 to 1000 messages there and back.  Where there is one node nothing is
 * appended.  A failure (no memory) is one on every rank and leaves all clocks as they
 * were.
 */
int rc_clock_measure(const struct rc_nodes *nodes, struct rc_clock *clock,
                     struct rc_clock_quality *quality, struct rc_error *err);

/* Whether what is taken for granted (clock.h) was so: all bounds met, and no clock was
 * faster or slower than it may be.
 */
bool rc_clock_holds(const struct rc_clock_quality *quality);

/* Writes a line for people, such as "clocks of 4 nodes: known to 180 ns (n3), pairs
 * differ by at most 40 ns (n2), drift 3.10 ppm (n1)", and what does not hold.
 */
const char *rc_clock_quality_put(char *out, size_t room, const struct rc_nodes *nodes,
                                 const struct rc_clock_quality *quality);

#endif
