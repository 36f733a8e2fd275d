/* noise_nodes - which nodes of planted machines are named, by two rules
 *
 * bench_noise_nodes [MACHINES]
 *
 * MACHINES (1,000) of each sort are drawn (tests/planted/planted_nodes.h), the same in
 * every run.  Prints a row for each sort: how many of the nodes that are off are named,
 * how many that are not, and how many are off "perhaps".  "before" is the rule of
 * single events: a node is named where one of all events and nodes reported at a false
 * rate of 5 % (Benjamini and Hochberg) is on it.  "now" is what 'rollcall noise' does.
 * Ends with 1 where more than one in twenty of the nodes named is not off, or, where
 * none is, more than one machine in twenty has one that is named; of events that are
 * alike on a node, or scatter with heavy tails, that is not a goal.
 */
#include "campaign/base/text.h"
#include "io/noise/noise.h"
#include "tests/planted/planted_nodes.h"

#include <stdio.h>

static double value[PLANTED_SUITES * PLANTED_EVENTS][PLANTED_NODES];
static double error[PLANTED_NODES];
static uint32_t number[PLANTED_NODES];

static void name_by_events(const struct planted_machine *m, bool *off)
{
    static double p[PLANTED_SUITES * PLANTED_EVENTS * PLANTED_NODES];
    static double sorted[PLANTED_SUITES * PLANTED_EVENTS * PLANTED_NODES];
    double room[3 * PLANTED_NODES + 2], edge;
    struct rc_off found[PLANTED_NODES];
    size_t tests = 0, low;

    for (size_t e = 0; e < PLANTED_SUITES * m->events; e++) {
        if (rc_two_classes(value[e], error, m->nodes, room, &low, &edge))
            continue;
        rc_outliers(value[e], error, m->nodes, room, found);
        for (size_t n = 0; n < m->nodes; n++)
            p[tests++] =
                fabs(found[n].delta) > 0.005 && fabs(found[n].z) > 3 ? found[n].p : 1;
    }
    memcpy(sorted, p, tests * sizeof *p);
    qsort(sorted, tests, sizeof *sorted, rc_order_reals);
    const double most = rc_false_discovery(sorted, tests, tests, 0.05);
    memset(off, 0, m->nodes * sizeof *off);
    for (size_t i = 0; i < tests; i++)
        off[i % m->nodes] |= p[i] <= most;
}

static void name_by_all(const struct planted_machine *m, bool *off, bool *perhaps)
{
    struct rc_evidence e = {.nodes = m->nodes};
    double p[PLANTED_NODES];

    for (size_t v = 0; v < PLANTED_SUITES * m->events; v++)
        if (rc_evidence_add(&e, value[v], error, number, m->nodes))
            exit(2);
    void *room = rc_calloc(rc_evidence_room(&e), 1);
    if (!room)
        exit(2);
    rc_evidence_judge(&e, RC_NOISE_LEAST_DELTA, NULL, room, p, off);
    for (size_t n = 0; n < m->nodes; n++) {
        off[n] = p[n] <= RC_NOISE_OFF_P;
        perhaps[n] = !off[n] && p[n] <= RC_NOISE_PERHAPS_P;
    }
    free(room);
    rc_evidence_fini(&e);
}

static int try_machines(const struct planted_machine *m, size_t machines)
{
    struct planted_named before = {0}, now = {0};
    bool off[PLANTED_NODES], perhaps[PLANTED_NODES] = {false};
    uint64_t state = 1;

    for (size_t i = 0; i < machines; i++) {
        planted_draw(m, &state, value);
        name_by_events(m, off);
        planted_count(m, off, perhaps, &before);
        memset(perhaps, 0, sizeof perhaps);
        name_by_all(m, off, perhaps);
        planted_count(m, off, perhaps, &now);
        memset(perhaps, 0, sizeof perhaps);
    }
    char how[64];
    snprintf(how, sizeof how, "%s%s%s", m->alike > 0 ? "alike " : "",
             m->heavy ? "heavy " : "", m->one_event ? "one event" : "");
    const double all = before.off ? (double)before.off : 1, most = (double)machines;
    /* A goal where events are independent and normal, as close as chance lets it be. */
    const double named = m->off ? (double)(now.wrong + now.found) : most;
    const double wrong = m->off ? (double)now.wrong : (double)now.machines_wrong;
    const bool bad = m->alike <= 0 && !m->heavy &&
                     wrong > 0.05 * named + 2 * sqrt(0.05 * 0.95 * named);
    printf(
        "%5zu %6zu %4zu %4.0f %%  %-16s  %5.1f %%  %6.3f   %5.1f %%  %6.3f  %5.1f %% "
        "%6.3f%s\n",
        m->nodes, m->events, m->off, 100 * m->by, how, 100 * (double)before.found / all,
        (double)before.wrong / most, 100 * (double)now.found / all,
        (double)now.wrong / most, 100 * (double)now.perhaps / all,
        (double)now.perhaps_wrong / most, bad ? "  MISSED" : "");
    return bad;
}

int main(int argc, char **argv)
{
    static const size_t nodes[] = {8, 16, 64}, events[] = {1, 4, 16};
    static const double by[] = {0.01, -0.03};
    uint64_t machines = 1000;
    int missed = 0;

    if (argc > 2 || (argc == 2 && rc_text_count(argv[1], &machines)) || machines == 0) {
        fputs("bench_noise_nodes: expected a number of machines\n", stderr);
        return 2;
    }
    for (size_t n = 0; n < PLANTED_NODES; n++) {
        number[n] = (uint32_t)n;
        error[n] = 1e-3;
    }
    printf(
        "two suites; false: innocent nodes named, a machine\n"
        "                                            before           now\n"
        "nodes events  off   by    sort              found   false    found   false  "
        "perhaps  false\n");
    for (size_t n = 0; n < 3; n++)
        for (size_t e = 0; e < 3; e++)
            for (size_t off = 0; off <= 2; off++)
                for (size_t b = 0; b < (off ? 2 : 1); b++) {
                    const struct planted_machine m = {.nodes = nodes[n],
                                                      .events = events[e],
                                                      .off = off,
                                                      .by = off ? by[b] : 0};
                    missed += try_machines(&m, machines);
                }
    for (size_t off = 0; off <= 2; off++) {
        const double shift = off ? 0.03 : 0;
        struct planted_machine other[] = {
            {.nodes = 16, .events = 4, .alike = 0.5},
            {.nodes = 16, .events = 16, .alike = 0.5},
            {.nodes = 64, .events = 16, .alike = 0.5},
            {.nodes = 16, .events = 16, .alike = 0.9},
            {.nodes = 16, .events = 16, .heavy = true},
            {.nodes = 64, .events = 16, .heavy = true},
            {.nodes = 64, .events = 64, .heavy = true},
            {.nodes = 16, .events = 16, .one_event = true},
            {.nodes = 64, .events = 64, .one_event = true},
            {.nodes = 256, .events = 4},
        };
        for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
            other[i].off = off;
            other[i].by = shift;
            if (off || !other[i].one_event)
                missed += try_machines(&other[i], machines);
        }
    }
    return missed > 0;
}
