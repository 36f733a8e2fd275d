/* planted_nodes.h - machines of many nodes, some of which are off, and who is named
 *
 * Each event has a number on each node: normal, with a deviation of 0.3 % between
 * nodes, and in each of two suites another one of 0.1 % by its own readings.
 */
#ifndef RC_TESTS_PLANTED_PLANTED_NODES_H
#define RC_TESTS_PLANTED_PLANTED_NODES_H

#include "campaign/base/mix.h"
#include "solve/study/evidence.h"
#include "solve/study/outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLANTED_NODES = 256, PLANTED_SUITES = 2, PLANTED_EVENTS = 64 };

struct planted_machine {
    size_t nodes, events;
    size_t off; /* nodes: the first ones */
    double by;  /* in each event, or in one: */
    bool one_event;
    double alike; /* correlation of all events on a node */
    bool heavy;   /* Student's t of 5 degrees instead of normal */
};

/* Over all machines: nodes that were said to be off, rightly and falsely, and likewise
 * to be so perhaps.
 */
struct planted_named {
    size_t off, found, wrong, perhaps, perhaps_wrong, machines_wrong;
};

static double planted_normal(uint64_t *state)
{
    const double a = ((double)(rc_mix_next(state) >> 11) + 0.5) / 0x1p53;
    const double b = ((double)(rc_mix_next(state) >> 11) + 0.5) / 0x1p53;

    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

/* The node's numbers in all events, the same event of two suites one after the other.
 */
static void planted_draw(const struct planted_machine *m, uint64_t *state,
                         double value[][PLANTED_NODES])
{
    for (size_t n = 0; n < m->nodes; n++) {
        const double common = planted_normal(state);
        for (size_t e = 0; e < m->events; e++) {
            double of_node = 3e-3 * (sqrt(m->alike) * common +
                                     sqrt(1 - m->alike) * planted_normal(state));
            if (m->heavy) {
                double square = 0;
                for (int i = 0; i < 5; i++)
                    square += pow(planted_normal(state), 2);
                of_node *= sqrt(3 / square);
            }
            if (n < m->off && (!m->one_event || e == 0))
                of_node += m->by;
            for (size_t s = 0; s < PLANTED_SUITES; s++)
                value[PLANTED_SUITES * e + s][n] =
                    1 + of_node + 1e-3 * planted_normal(state);
        }
    }
}

static void planted_count(const struct planted_machine *m, const bool *off,
                          const bool *perhaps, struct planted_named *out)
{
    size_t wrong = 0;

    for (size_t n = 0; n < m->nodes; n++) {
        const bool is = n < m->off;
        out->off += is;
        out->found += is && off[n];
        wrong += !is && off[n];
        out->perhaps += is && perhaps[n];
        out->perhaps_wrong += !is && perhaps[n];
    }
    out->wrong += wrong;
    out->machines_wrong += wrong > 0;
}

#endif
