/* Real counters against the instruction-exact source, where there are both. */
#include "tests/lib/test.h"

#include "campaign/base/memory.h"
#include "campaign/sources/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIP = 77 };

struct counter {
    const struct rc_source *source;
    struct rc_source_state *state;
    struct rc_group_state *group;
    const char *event;
    uint32_t found, next; /* numbers: of the event, of the next one listed */
};

struct finder {
    struct rc_event_sink sink;
    struct counter *counter;
};

static int find(struct rc_event_sink *sink, const struct rc_event_info *info,
                struct rc_error *err)
{
    struct counter *counter = ((struct finder *)(void *)sink)->counter;

    (void)err;
    if (strcmp(info->name, counter->event) == 0)
        counter->found = counter->next;
    counter->next++;
    return RC_OK;
}

/* 0, or -1 where the source or the event is not here. */
static int counter_open(struct counter *counter, const char *source, const char *event)
{
    const struct rc_enumerate what = {RC_QUALIFIERS_UMASKS, false};
    struct rc_source_setup setup = {.seed = 1,
                                    .geometry = &rc_request_default.geometry};
    struct finder finder = {{find}, counter};
    struct rc_error err;

    *counter = (struct counter){
        .source = rc_source_find(source), .event = event, .found = UINT32_MAX};
    if (!counter->source ||
        (counter->source->unavailable && counter->source->unavailable()) ||
        counter->source->open(&setup, &counter->state, &err) != RC_OK)
        return -1;
    if (counter->source->enumerate(counter->state, &what, &finder.sink, &err) !=
            RC_OK ||
        counter->found == UINT32_MAX)
        return -1;
    return counter->source->arm(counter->state, &counter->found, 1, &counter->group,
                                &err)
               ? -1
               : 0;
}

static void counter_close(struct counter *counter)
{
    if (counter->group)
        counter->source->disarm(counter->group);
    if (counter->state)
        counter->source->close(counter->state);
}

static int64_t count(struct counter *counter, const struct rc_suite *suite,
                     const struct rc_point *point, struct rc_kernel *kernel, uint64_t n)
{
    const struct rc_measurement what = {.suite = suite,
                                        .request = &rc_request_default,
                                        .point = point,
                                        .iterations = n};
    struct rc_reading reading;
    struct rc_error err;

    assert_int_equal(counter->source->start(counter->group, &what, &err), RC_OK);
    suite->run(kernel, n);
    assert_int_equal(counter->source->stop(counter->group, &reading, &err), RC_OK);
    assert_int_equal(suite->verify(kernel, n, &err), RC_OK);
    return reading.value;
}

static void compare_suite(struct counter *real, struct counter *exact,
                          const struct rc_suite *suite)
{
    struct rc_points points = {0};
    struct rc_error err;

    assert_int_equal(suite->points(&rc_request_default, &points, &err), RC_OK);
    for (size_t i = 0; i < points.count; i++) {
        const struct rc_point *point = &points.point[i];
        struct rc_kernel *kernel;
        uint64_t n = suite->iterations(&rc_request_default, point, 20000);
        if (point->unusable)
            continue;
        assert_int_equal(suite->setup(&rc_request_default, point, &kernel, &err),
                         RC_OK);
        int64_t stepped = count(exact, suite, point, kernel, 2 * n) -
                          count(exact, suite, point, kernel, n);
        int64_t counted = count(real, suite, point, kernel, 2 * n) -
                          count(real, suite, point, kernel, n);
        /* Interrupts may add a few to the real one. */
        assert_true(fabs((double)(counted - stepped)) <= 50 + 0.002 * (double)stepped);
        suite->teardown(kernel);
    }
    rc_points_fini(&points);
}

static const char *const pairs[][2] = {
    {"perf::INSTRUCTIONS", "soft::instructions"},
    {"perf::BRANCHES", "soft::branches"},
};

static void real_counters_agree_with_stepping(void **state)
{
    static const char *const suites[] = {"flops", "branch", "instructions"};

    (void)state;
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        struct counter real, exact;
        assert_int_equal(counter_open(&real, "papi", pairs[p][0]), 0);
        assert_int_equal(counter_open(&exact, "soft", pairs[p][1]), 0);
        for (size_t s = 0; s < sizeof suites / sizeof suites[0]; s++)
            compare_suite(&real, &exact, rc_suite_find(suites[s]));
        counter_close(&real);
        counter_close(&exact);
    }
}

/* NULL where both sources count here. */
static const char *why_not(void)
{
    static char why[256];
    struct counter real = {0}, exact = {0};
    const char *reason = NULL;

    if (counter_open(&exact, "soft", "soft::instructions") != 0)
        reason = "the soft source cannot be used here";
    else if (counter_open(&real, "papi", "perf::INSTRUCTIONS") != 0 && !real.state)
        reason = "PAPI cannot be used here";
    else if (!real.source->hardware(real.state, why, sizeof why))
        reason = why;
    counter_close(&exact);
    counter_close(&real);
    return reason;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_counters_agree_with_stepping),
    };
    const char *reason = why_not();

    if (reason) {
        printf("skipped: %s\n", reason);
        return SKIP;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
