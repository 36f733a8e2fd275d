/* Compares clocks by messages there and back, along a tree.
 *
 * The parent, which knows the offset of its clock, sends a message at t1 of its own
 * clock; the child receives it at t2 of its clock and answers; the answer arrives at t3
 * of the parent's.  However long the messages took, the parent's clock was between t1
 * and t3 when the child's was t2: so the child's offset against the parent is at least
 * t1 - t2 and at most t3 - t2.  All messages together leave the intersection.
 * Meanwhile the clocks drift, which widens the bounds of older messages.  The narrowest
 * bounds are kept.
 *
 * The tree is that of HCA3 (Hunold, Carpen-Amarie: Hierarchical clock synchronization
 * in MPI): first number 0 measures 1, then 0 and 1 measure 2 and 3, then 0..3 measure
 * 4..7.
 */
#include "campaign/clock/messages.h"

enum {
    PINGS_LEAST = 100,
    PINGS_MOST = 1000,
    PINGS_IN_VAIN = 50, /* in a row without closer bounds end it */
    TAG_DOWN = 1,       /* to a child: struct message */
    TAG_UP = 2          /* to a parent: one number, t2 */
};

/* Numbers of a parent's message: a ping, or with ENDS the result. */
enum { ENDS, AT, LOW, HIGH, NUMBERS };

/* The messages with the best bounds, below and above. */
struct closest {
    struct rc_clock_offset low, high;
};

/* Adds a message, and returns the bounds that all of them leave at its time.  If it
 * contradicts the others, a clock has jumped, or runs faster than it may: then it
 * counts alone.
 */
static struct rc_clock_offset narrow(struct closest *c,
                                     const struct rc_clock_offset *one)
{
    struct rc_clock_offset all = {
        .at_ns = one->at_ns,
        .low_ns = c->low.low_ns - rc_clock_drift_ns(one->at_ns - c->low.at_ns),
        .high_ns = c->high.high_ns + rc_clock_drift_ns(one->at_ns - c->high.at_ns)};
    const bool apart = one->high_ns < all.low_ns || all.high_ns < one->low_ns;

    if (apart || one->low_ns > all.low_ns) {
        c->low = *one;
        all.low_ns = one->low_ns;
    }
    if (apart || one->high_ns < all.high_ns) {
        c->high = *one;
        all.high_ns = one->high_ns;
    }
    return all;
}

/* One message there and back: the child's offset, by the parent's own, whose bounds
 * have grown since it was measured.
 */
static struct rc_clock_offset ping(const struct rc_clock_wire *wire, int child,
                                   const struct rc_clock_offset *known)
{
    const int64_t answer[NUMBERS] = {0};
    struct rc_clock_offset o = {.at_ns = 0};
    int64_t low = wire->now_ns();

    wire->send(wire->context, child, TAG_DOWN, answer, NUMBERS);
    wire->receive(wire->context, child, TAG_UP, &o.at_ns, 1);
    int64_t high = wire->now_ns();
    if (known) {
        low += known->low_ns - rc_clock_drift_ns(low - known->at_ns);
        high += known->high_ns + rc_clock_drift_ns(high - known->at_ns);
    }
    o.low_ns = low - o.at_ns;
    o.high_ns = high - o.at_ns;
    return o;
}

void rc_clock_measure_child(const struct rc_clock_wire *wire, int child,
                            const struct rc_clock_offset *known)
{
    struct rc_clock_offset one = ping(wire, child, known), found = one;
    struct closest closest = {.low = one, .high = one};

    for (int pings = 1, vain = 0;
         pings < PINGS_MOST && (pings < PINGS_LEAST || vain < PINGS_IN_VAIN); pings++) {
        one = ping(wire, child, known);
        const struct rc_clock_offset all = narrow(&closest, &one);
        vain++;
        if (rc_clock_width(&all) < rc_clock_width(&found)) {
            found = all;
            vain = 0;
        }
    }
    const int64_t last[NUMBERS] = {
        [ENDS] = 1, [AT] = found.at_ns, [LOW] = found.low_ns, [HIGH] = found.high_ns};
    wire->send(wire->context, child, TAG_DOWN, last, NUMBERS);
}

struct rc_clock_offset rc_clock_be_measured(const struct rc_clock_wire *wire,
                                            int parent)
{
    int64_t message[NUMBERS] = {0};

    for (;;) {
        wire->receive(wire->context, parent, TAG_DOWN, message, NUMBERS);
        const int64_t t2 = wire->now_ns();
        if (message[ENDS])
            return (struct rc_clock_offset){message[AT], message[LOW], message[HIGH]};
        wire->send(wire->context, parent, TAG_UP, &t2, 1);
    }
}

bool rc_clock_measure_tree(const struct rc_clock_wire *wire, int me, int all,
                           struct rc_clock_offset *found)
{
    for (int known = 1; known < all; known *= 2) {
        if (me < known && me + known < all)
            rc_clock_measure_child(wire, me + known, me > 0 ? found : NULL);
        if (me >= known && me < 2 * known)
            *found = rc_clock_be_measured(wire, me - known);
    }
    return me > 0;
}
