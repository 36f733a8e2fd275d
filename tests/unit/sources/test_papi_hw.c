/* Counts known work with hardware counters; skipped where none counts. */
#include "tests/lib/test.h"

#include "campaign/sources/source.h"

#include <stdio.h>
#include <string.h>

struct sink {
    struct rc_event_sink sink;
    const char *wanted;
    uint32_t count, found;
};

static const struct rc_source *papi;

static int take(struct rc_event_sink *sink, const struct rc_event_info *info,
                struct rc_error *err)
{
    struct sink *s = (struct sink *)sink;

    (void)err;
    if (strcmp(info->name, s->wanted) == 0)
        s->found = s->count;
    s->count++;
    return RC_OK;
}

/* Ten additions, a decrement and a branch: at least ten instructions a turn,
 * at most twelve and what surrounds the loop.
 */
static void turns(unsigned long count)
{
    unsigned long sum = 0;

    for (; count > 0; count--) {
#define ADD                                                                            \
    __asm__ volatile("" : "+r"(sum));                                                  \
    sum += count;
        ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#undef ADD
    }
    __asm__ volatile("" : : "r"(sum));
}

static void instructions_of_a_known_loop_are_counted_twice_alike(void **unused)
{
    enum { TURNS = 1000000 };
    struct sink sink = {
        .sink.add = take, .wanted = "perf::INSTRUCTIONS", .found = UINT32_MAX};
    struct rc_enumerate what = {0};
    struct rc_source_setup setup = {0};
    struct rc_source_state *state;
    struct rc_group_state *group;
    struct rc_reading reading[2];
    struct rc_error err = {0};

    (void)unused;
    assert_int_equal(papi->open(&setup, &state, &err), RC_OK);
    assert_int_equal(papi->enumerate(state, &what, &sink.sink, &err), RC_OK);
    assert_int_not_equal(sink.found, UINT32_MAX);
    assert_int_equal(papi->arm(state, &sink.found, 1, &group, &err), RC_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(papi->start(group, NULL, &err), RC_OK);
        turns(TURNS);
        assert_int_equal(papi->stop(group, &reading[i], &err), RC_OK);
        assert_int_equal(reading[i].enabled_ns, reading[i].running_ns);
        assert_in_range(reading[i].value, 10 * TURNS, 14 * TURNS);
    }
    assert_in_range(reading[1].value, reading[0].value - TURNS / 100,
                    reading[0].value + TURNS / 100);
    papi->disarm(group);
    papi->close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_of_a_known_loop_are_counted_twice_alike),
    };
    struct rc_source_setup setup = {0};
    struct rc_source_state *state;
    struct rc_error err = {0};
    char why[300];

    papi = rc_source_find("papi");
    if (papi->open(&setup, &state, &err) != RC_OK) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    bool counts = papi->hardware(state, why, sizeof why);
    papi->close(state);
    printf("%s%s\n", counts ? "" : "skipped: ", why);
    return counts ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
