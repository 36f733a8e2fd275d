/* measure.h - measures the offsets of the clocks of a job's nodes by messages */
#ifndef RC_CAMPAIGN_CLOCK_MEASURE_H
#define RC_CAMPAIGN_CLOCK_MEASURE_H

#include "campaign/clock/clock.h"
#include "campaign/machine/nodes.h"

#include <stdbool.h>

/* The largest of some numbers, and its node, as an index of rc_nodes. */
struct rc_clock_most {
    double value;
    int node;
};

/* Quality of a measurement; the same on every rank.  After the measurement nodes are
 * compared in pairs, each with one against which it was not measured (unless there are
 * only two): directly, and by the time that both now have.
 */
struct rc_clock_quality {
    struct rc_clock_most uncertainty_ns; /* half of the widest bounds */
    struct rc_clock_most pair_ns;        /* largest difference between the two ways */
    struct rc_clock_most apart_ns;       /* largest gap between their bounds; 0: none */
    struct rc_clock_most drift_ppm; /* against the first node since the last time */
};

/* Collective over nodes->comm.  The leader of each node exchanges messages with that of
 * a node whose offset is known already, in as many rounds as the number of nodes can be
 * halved, and appends the result to 'clock', which is the same on all ranks of a node.
 * Other traffic is not disturbed, but makes the bounds wider.  A pair takes 100 to 1000
 * messages there and back.  With one node nothing is appended.  A failure (no memory)
 * is one on every rank and leaves all clocks as they were.
 */
int rc_clock_measure(const struct rc_nodes *nodes, struct rc_clock *clock,
                     struct rc_clock_quality *quality, struct rc_error *err);

/* Whether the assumptions (clock.h) held: all bounds met, and no clock was faster or
 * slower than it may be.
 */
bool rc_clock_holds(const struct rc_clock_quality *quality);

/* Writes a line for people, such as "clocks of 4 nodes: known to 180 ns (n3), pairs
 * differ by at most 40 ns (n2), drift 3.10 ppm (n1)", and the assumptions that did not
 * hold.
 */
const char *rc_clock_quality_put(char *out, size_t room, const struct rc_nodes *nodes,
                                 const struct rc_clock_quality *quality);

#endif
