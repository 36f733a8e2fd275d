/* Which nodes are off, by all events together, on planted machines. */
#include "tests/lib/test.h"

#include "campaign/base/memory.h"
#include "io/noise/noise.h"
#include "tests/planted/planted_nodes.h"

static double value[PLANTED_SUITES * PLANTED_EVENTS][PLANTED_NODES];
static double error[PLANTED_NODES];
static uint32_t number[PLANTED_NODES];

/* Judges the first 'rows' rows of 'value'. */
static void judge(size_t nodes, size_t rows, double *p)
{
    struct rc_evidence e = {.nodes = nodes};
    bool apart[PLANTED_NODES];

    for (size_t n = 0; n < nodes; n++)
        number[n] = (uint32_t)n;
    for (size_t v = 0; v < rows; v++)
        assert_int_equal(rc_evidence_add(&e, value[v], error, number, nodes), 0);
    void *room = rc_calloc(rc_evidence_room(&e), 1);
    assert_non_null(room);
    rc_evidence_judge(&e, RC_NOISE_LEAST_DELTA, NULL, room, p, apart);
    free(room);
    rc_evidence_fini(&e);
}

static struct planted_named try_machines(const struct planted_machine *m, size_t count)
{
    struct planted_named out = {0};
    uint64_t state = 1;

    for (size_t i = 0; i < count; i++) {
        bool off[PLANTED_NODES], perhaps[PLANTED_NODES];
        double p[PLANTED_NODES];
        planted_draw(m, &state, value);
        judge(m->nodes, PLANTED_SUITES * m->events, p);
        for (size_t n = 0; n < m->nodes; n++) {
            off[n] = p[n] <= RC_NOISE_OFF_P;
            perhaps[n] = !off[n] && p[n] <= RC_NOISE_PERHAPS_P;
        }
        planted_count(m, off, perhaps, &out);
    }
    return out;
}

static void fill(size_t nodes, size_t rows, double with)
{
    for (size_t v = 0; v < rows; v++)
        for (size_t n = 0; n < nodes; n++)
            value[v][n] = with;
}

static void nothing_is_said_where_nothing_is_known(void **state)
{
    double p[PLANTED_NODES];

    (void)state;
    judge(0, 0, p);
    judge(16, 0, p);
    assert_true(p[0] == 1 && p[15] == 1);
    fill(16, 4, 1);
    value[0][0] = 2; /* of two nodes nobody can say which one is off */
    judge(2, 4, p);
    assert_true(p[0] == 1 && p[1] == 1);
    value[0][0] = 1;
    judge(16, 4, p); /* all the same */
    for (size_t n = 0; n < 16; n++)
        assert_true(p[n] > 0.3);
}

static void differences_that_are_too_small_to_matter_name_nobody(void **state)
{
    double p[PLANTED_NODES];

    (void)state;
    fill(16, 40, 1);
    for (size_t v = 0; v < 40; v++)
        value[v][3] = 1.0002;
    judge(16, 40, p);
    assert_true(p[3] > 0.3);
    for (size_t v = 0; v < 40; v++)
        value[v][3] = 1.03; /* where all others are the same */
    judge(16, 40, p);
    assert_true(p[3] < 1e-3);
    for (size_t n = 0; n < 16; n++)
        assert_true(n == 3 || p[n] > 0.3);
}

static void nodes_that_are_off_are_named_and_no_others(void **state)
{
    const struct {
        struct planted_machine machine;
        double found, wrong; /* the least part of those that are; the most a machine */
    } row[] = {
        {{.nodes = 8, .events = 4, .off = 1, .by = -0.03}, 0.97, 0.03},
        {{.nodes = 8, .events = 4, .off = 2, .by = -0.03}, 0.85, 0.03},
        {{.nodes = 16, .events = 4, .off = 1, .by = -0.03}, 0.99, 0.03},
        {{.nodes = 16, .events = 4, .off = 2, .by = 0.03}, 0.99, 0.05},
        {{.nodes = 16, .events = 4, .off = 1, .by = 0.01}, 0.7, 0.03},
        {{.nodes = 16, .events = 16, .off = 2, .by = 0.01}, 0.97, 0.05},
        {{.nodes = 64, .events = 4, .off = 1, .by = 0.01}, 0.87, 0.03},
        {{.nodes = 200, .events = 4, .off = 20, .by = 0.03}, 0.98, 0.2},
        {{.nodes = 64, .events = 16, .off = 1, .by = -0.03, .one_event = true},
         0.9,
         0.03},
        {{.nodes = 16, .events = 4}, 0, 0.03},
        {{.nodes = 64, .events = 4}, 0, 0.03},
        {{.nodes = 64, .events = 16, .alike = 0.5}, 0, 0.03},
        {{.nodes = 64, .events = 16, .off = 1, .by = 0.03, .alike = 0.5}, 0.98, 0.03},
    };

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const size_t count = 100;
        const struct planted_named is = try_machines(&row[i].machine, count);
        if ((double)is.found < row[i].found * (double)is.off ||
            (double)is.wrong > row[i].wrong * (double)count)
            fail_msg("row %zu: %zu of %zu found, %zu false", i, is.found, is.off,
                     is.wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_where_nothing_is_known),
        cmocka_unit_test(differences_that_are_too_small_to_matter_name_nobody),
        cmocka_unit_test(nodes_that_are_off_are_named_and_no_others),
    };

    for (size_t n = 0; n < PLANTED_NODES; n++)
        error[n] = 1e-3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
