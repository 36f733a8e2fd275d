/* messages.h - clocks of processes compared by messages there and back, along a tree
 *
 * It uses neither MPI nor files: the caller provides the sending of numbers, and the
 * time.  The nodes of a job (measure.h) and the ranks of a profiled program
 * (campaign/profile/preload/) use it.
 */
#ifndef RC_CAMPAIGN_CLOCK_MESSAGES_H
#define RC_CAMPAIGN_CLOCK_MESSAGES_H

#include "campaign/clock/clock.h"

#include <stdbool.h>

/* Sends numbers, in order for each pair and tag, and reads the clock that is compared.
 * Sending may wait until the peer receives.
 */
struct rc_clock_wire {
    void (*send)(void *context, int peer, int tag, const int64_t *number, int count);
    void (*receive)(void *context, int peer, int tag, int64_t *number, int count);
    int64_t (*now_ns)(void);
    void *context; /* for 'send' and 'receive' */
};

/* Collective over 'all' processes numbered from 0, of which 'me' is one: in as many
 * rounds as 'all' can be halved each is measured by one that knows its own offset
 * already.  True: *found is this clock's offset against number 0's; number 0 itself
 * gets none.
 */
bool rc_clock_measure_tree(const struct rc_clock_wire *wire, int me, int all,
                           struct rc_clock_offset *found);

/* One pair: the parent, whose offset is 'known' (NULL: it has the reference clock), and
 * its child, which receives the result.
 */
void rc_clock_measure_child(const struct rc_clock_wire *wire, int child,
                            const struct rc_clock_offset *known);
struct rc_clock_offset rc_clock_be_measured(const struct rc_clock_wire *wire,
                                            int parent);

/* The width of an offset's bounds, in ns. */
static inline int64_t rc_clock_width(const struct rc_clock_offset *o)
{
    return o->high_ns - o->low_ns;
}

#endif
