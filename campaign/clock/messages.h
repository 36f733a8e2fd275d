/* messages.h - clocks of processes compared by messages there and back, along a tree
 *
 * It knows neither MPI nor files: whoever compares clocks says how numbers are sent,
 * and what the time is.  The nodes of a job (measure.h) and the ranks of a program that
 * is profiled (campaign/profile/preload/) use the same.
 */
#ifndef RC_CAMPAIGN_CLOCK_MESSAGES_H
#define RC_CAMPAIGN_CLOCK_MESSAGES_H

#include "campaign/clock/clock.h"

#include <stdbool.h>

/* How numbers go from one to another, in order for each pair and tag, and the clock
 * that is compared.  Sending may wait until the other one receives.
 */
struct rc_clock_wire {
    void (*send)(void *context, int peer, int tag, const int64_t *number, int count);
    void (*receive)(void *context, int peer, int tag, int64_t *number, int count);
    int64_t (*now_ns)(void);
    void *context; /* is handed to both */
};

/* Collective over 'all' that are numbered from 0 on, 'me' being one of them: in as many
 * rounds as 'all' can be halved each is measured by one that knows its own clock
 * already.  True: *found has by how much this clock is off against that of number 0;
 * number 0 itself finds nothing.
 */
bool rc_clock_measure_tree(const struct rc_clock_wire *wire, int me, int all,
                           struct rc_clock_offset *found);

/* One pair alone: the parent, whose clock is off by 'known' (NULL: it is the clock that
 * all are compared with), and its child, which is told what was found.
 */
void rc_clock_measure_child(const struct rc_clock_wire *wire, int child,
                            const struct rc_clock_offset *known);
struct rc_clock_offset rc_clock_be_measured(const struct rc_clock_wire *wire,
                                            int parent);

/* By how much the bounds of an offset are apart, in ns. */
static inline int64_t rc_clock_width(const struct rc_clock_offset *o)
{
    return o->high_ns - o->low_ns;
}

#endif
