#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "tests/lib/fake_campaign.h"

/* Closes the measurer: all that was opened must have been closed once. */
static void assert_nothing_is_left(void)
{
    rc_measurer_close(t.measurer);
    t.measurer = NULL;
    assert_int_equal(fake.arms, fake.disarms);
    assert_int_equal(fake.setups, fake.teardowns);
}

static enum rc_reading_status status_at(size_t event, size_t repetition)
{
    return (enum rc_reading_status)
        t.readings.status[repetition * t.unit.events + event];
}

enum { NONE = -1, MIB = 1 << 20 };

/* One unit of three events, four points and equal sweeps. */
struct outcome {
    const char *name;
    struct fake_fault fault[2];
    bool absent; /* E1 is not on this node */
    enum rc_unit_status status;
    uint32_t repetitions, tries;
    const char *reason;                        /* exactly */
    enum rc_reading_status event[FAKE_EVENTS]; /* in each repetition */
    int left_out;                              /* the point without values, or NONE */
};

#define OKAY                                                                           \
    {                                                                                  \
        RC_READING_OK, RC_READING_OK, RC_READING_OK                                    \
    }
#define ONE(status)                                                                    \
    {                                                                                  \
        RC_READING_OK, (status), RC_READING_OK                                         \
    }

/* clang-format off */
static const struct outcome outcomes[] = {
    {"nothing goes wrong", {{0}}, false, RC_UNIT_OK, 5, 0, "", OKAY, NONE},
    {"the group does not arm as a whole",
     {{FAKE_ARM, FAKE_TOGETHER, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_OK, 5, 0, "", OKAY, NONE},
    {"one event never arms",
     {{FAKE_ARM, 1, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 0,
     "E1: no counter for it", ONE(RC_READING_FAILED), NONE},
    {"one event is not on this node",
     {{0}},
     true, RC_UNIT_INVALID, 5, 0,
     "E1: event 'E1' is not on this node", ONE(RC_READING_FAILED), NONE},
    {"no event arms",
     {{FAKE_ARM, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_FAILED, 0, 0, "E0: no counter for it", OKAY, NONE},
    {"one event is multiplexed once",
     {{FAKE_MULTIPLEX, 1, 3, 1}},
     false, RC_UNIT_OK, 5, 1, "", OKAY, NONE},
    {"one event is multiplexed at one point, always",
     {{FAKE_MULTIPLEX, 1, 2, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 3,
     "E1: did not count all the time", ONE(RC_READING_MULTIPLEXED), NONE},
    {"all events are multiplexed, always",
     {{FAKE_MULTIPLEX, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 1, 3,
     "E0: did not count all the time",
     {RC_READING_MULTIPLEXED, RC_READING_MULTIPLEXED, RC_READING_MULTIPLEXED}, NONE},
    {"it does not start once",
     {{FAKE_START, FAKE_ANY, 1, 1}},
     false, RC_UNIT_OK, 5, 1, "", OKAY, NONE},
    {"it cannot be read once",
     {{FAKE_STOP, FAKE_ANY, 3, 1}},
     false, RC_UNIT_OK, 5, 1, "", OKAY, NONE},
    {"it does not start three times, and then it does",
     {{FAKE_START, FAKE_ANY, 1, 3}},
     false, RC_UNIT_OK, 5, 3, "", OKAY, NONE},
    {"nothing ever starts",
     {{FAKE_START, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_FAILED, 0, 5, "E0: it does not start", OKAY, NONE},
    {"nothing can ever be read",
     {{FAKE_STOP, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_FAILED, 0, 5, "E0: it cannot be read", OKAY, NONE},
    {"the events never start together",
     {{FAKE_START, FAKE_TOGETHER, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_OK, 5, 3, "", OKAY, NONE},
    {"one event never starts",
     {{FAKE_START, 1, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 6,
     "E1: it does not start", ONE(RC_READING_FAILED), NONE},
    {"one event cannot be read at one point",
     {{FAKE_STOP, 1, 2, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 6,
     "E1: it cannot be read", ONE(RC_READING_FAILED), NONE},
    {"one event never starts and another is multiplexed at the first point",
     {{FAKE_START, 1, FAKE_ANY, FAKE_ALWAYS}, {FAKE_MULTIPLEX, 2, 0, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 6,
     "E1: it does not start",
     {RC_READING_OK, RC_READING_FAILED, RC_READING_MULTIPLEXED}, NONE},
    {"a kernel does not do its work once",
     {{FAKE_VERIFY, FAKE_ANY, 0, 1}},
     false, RC_UNIT_OK, 5, 1, "", OKAY, NONE},
    {"the kernel of one point never does its work",
     {{FAKE_VERIFY, FAKE_ANY, 2, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 3, "p2: the work was not done", OKAY, 2},
    {"no kernel ever does its work",
     {{FAKE_VERIFY, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS}},
     false, RC_UNIT_FAILED, 0, 2, "p0: the work was not done", OKAY, NONE},
    {"a kernel is not made ready once",
     {{FAKE_SETUP, FAKE_ANY, 3, 1}},
     false, RC_UNIT_OK, 5, 1, "", OKAY, NONE},
    {"the kernel of one point is never made ready",
     {{FAKE_SETUP, FAKE_ANY, 0, FAKE_ALWAYS}},
     false, RC_UNIT_INVALID, 5, 3, "p0: no pages for its buffer", OKAY, 0},
};
/* clang-format on */

static void assert_event_is(const struct outcome *o, size_t e, size_t r)
{
    if (status_at(e, r) != o->event[e])
        fail_msg("%s: E%zu in repetition %zu is %s", o->name, e, r,
                 rc_reading_status_names()[status_at(e, r)]);
    for (int p = 0; p < FAKE_POINTS && o->event[e] != RC_READING_FAILED; p++) {
        int64_t expected = p == o->left_out ? INT64_MIN : fake.value[e] + p;
        if (value_at(e, r, (size_t)p) != expected)
            fail_msg("%s: E%zu in repetition %zu at p%d", o->name, e, r, p);
    }
    uint64_t points = o->event[e] == RC_READING_FAILED ? 0
                      : o->left_out == NONE            ? FAKE_POINTS
                                                       : FAKE_POINTS - 1;
    assert_int_equal(t.readings.enabled_ns[r * t.unit.events + e], 10 * points);
}

static void what_fails_costs_only_itself_and_is_said(void **state)
{
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        const struct outcome *o = &outcomes[i];
        assert_int_equal(close_all(state) | open_all(state), 0);
        memcpy(fake.fault, o->fault, sizeof o->fault);
        if (o->absent)
            t.number[1] = RC_EVENT_ABSENT;
        const uint64_t before = rc_clock_unix_ns();
        measure(RUNS, 0);
        assert_in_range(t.unit.begin_ns, before, rc_clock_unix_ns());
        if (strcmp(t.unit.reason, o->reason) != 0 || t.unit.status != o->status)
            fail_msg("%s: %s, '%s'", o->name, rc_unit_status_names()[t.unit.status],
                     t.unit.reason);
        if (t.unit.repetitions != o->repetitions || t.unit.tries != o->tries)
            fail_msg("%s: %u repetitions, %u tries", o->name, t.unit.repetitions,
                     t.unit.tries);
        assert_int_equal(t.unit.events, FAKE_EVENTS);
        assert_int_equal(t.unit.points, FAKE_POINTS);
        for (size_t e = 0; e < FAKE_EVENTS; e++)
            for (size_t r = 0; r < t.unit.repetitions; r++)
                assert_event_is(o, e, r);
        assert_nothing_is_left();
    }
}

/* Called after each point. */
static struct {
    int calls, gives_up_at;
    int breaks_at;
    struct fake_fault breaks;
} hook;

static bool called(void *arg)
{
    (void)arg;
    hook.calls++;
    if (hook.calls == hook.breaks_at)
        fake.fault[0] = hook.breaks;
    return hook.calls == hook.gives_up_at;
}

static void an_event_that_fails_later_keeps_what_was_read(void **state)
{
    (void)state;
    hook.calls = hook.gives_up_at = 0;
    hook.breaks_at = 2 * FAKE_POINTS;
    hook.breaks = (struct fake_fault){FAKE_START, 1, FAKE_ANY, FAKE_ALWAYS};
    open_measurer(0);
    rc_measurer_pause(t.measurer, called, NULL);
    measure(RUNS, 0);
    assert_int_equal(t.unit.status, RC_UNIT_INVALID);
    assert_int_equal(t.unit.repetitions, 5);
    for (size_t r = 0; r < 5; r++) {
        assert_int_equal(status_at(0, r), RC_READING_OK);
        assert_int_equal(status_at(1, r), r < 2 ? RC_READING_OK : RC_READING_FAILED);
    }
    assert_nothing_is_left();
}

static void the_first_lasting_failure_is_the_reason(void **state)
{
    (void)state;
    hook.calls = hook.gives_up_at = 0;
    hook.breaks_at = 6 * FAKE_POINTS; /* when the first repetition is done */
    hook.breaks = (struct fake_fault){FAKE_VERIFY, FAKE_ANY, 2, FAKE_ALWAYS};
    fake.fault[0] = (struct fake_fault){FAKE_START, FAKE_ANY, 1, 3}; /* and no more */
    open_measurer(0);
    rc_measurer_pause(t.measurer, called, NULL);
    measure(RUNS, 0);
    assert_int_equal(t.unit.status, RC_UNIT_INVALID);
    assert_string_equal(t.unit.reason, "p2: the work was not done");
    assert_nothing_is_left();
}

/* Three sweeps and a look at each point, the same event by event, five sweeps. */
enum { ASKED_APART = (3 + 1 + 3 + 1 + 5) * FAKE_POINTS };

/* At every point of a unit that goes well, and of one that takes its group apart. */
static void a_unit_that_is_given_up_keeps_its_whole_repetitions(void **state)
{
    for (int way = 0; way < 2; way++)
        for (int at = 1; at <= 5 * FAKE_POINTS; at++) {
            assert_int_equal(close_all(state) | open_all(state), 0);
            if (way)
                fake.fault[0] = (struct fake_fault){FAKE_START, 1, 3, FAKE_ALWAYS};
            hook.calls = hook.breaks_at = 0;
            hook.gives_up_at = at;
            open_measurer(0);
            rc_measurer_pause(t.measurer, called, NULL);
            measure(RUNS, 0);
            assert_int_equal(hook.calls, at);
            const uint32_t kept = t.unit.status ? t.unit.repetitions : 0;
            if (!way)
                assert_int_equal(kept, (at - 1) / FAKE_POINTS);
            assert_true(kept < 5);
            if (t.unit.status) {
                assert_int_equal(t.unit.stop, RC_STOP_INTERRUPTED);
                assert_true(kept > 0);
                for (uint32_t r = 0; r < kept; r++)
                    assert_int_equal(status_at(0, r), RC_READING_OK);
            }
            hook.calls = hook.gives_up_at = 0;
            measure(RUNS, 0); /* the measurer can be used again */
            assert_int_equal(hook.calls, way ? ASKED_APART : 5 * FAKE_POINTS);
            assert_int_equal(t.unit.status, way ? RC_UNIT_INVALID : RC_UNIT_OK);
            assert_nothing_is_left();
        }
}

static void repetitions_end_by_the_rule(void **state)
{
    static const struct {
        uint32_t group, min, max, repetitions;
        int64_t noise; /* on 1000 */
        enum rc_stop stop;
    } cases[] = {
        {RUNS, 0, 0, 5, 0, RC_STOP_DETERMINISTIC},
        {EXACT, 0, 0, 2, 0, RC_STOP_DETERMINISTIC},
        {MADE_UP, 0, 0, 5, 0, RC_STOP_DETERMINISTIC},
        {RUNS, 3, 0, 3, 0, RC_STOP_DETERMINISTIC},
        {RUNS, 1, 1, 1, 0, RC_STOP_MOST},
        {RUNS, 0, 0, 5, 3, RC_STOP_PRECISE},
        {RUNS, 0, 0, 30, 1000, RC_STOP_MOST},
        {EXACT, 0, 0, 30, 1000, RC_STOP_MOST},
        {RUNS, 0, 7, 7, 1000, RC_STOP_MOST},
        {RUNS, 9, 7, 9, 1000, RC_STOP_MOST},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(close_all(state) | open_all(state), 0);
        t.spec.repeat_min = cases[i].min;
        t.spec.repeat_max = cases[i].max;
        fake.noise[0] = cases[i].noise;
        measure(cases[i].group, 0);
        assert_int_equal(t.unit.status, RC_UNIT_OK);
        assert_int_equal(t.unit.repetitions, cases[i].repetitions);
        assert_int_equal(t.unit.stop, cases[i].stop);
        for (uint32_t r = 0; r < t.unit.repetitions; r++)
            assert_int_equal(value_at(0, r, 1), 1001 + (r % 2 ? cases[i].noise : 0));
        assert_nothing_is_left();
    }
}

/* INT64_MIN itself is how a reading that is missing looks. */
static void counts_may_be_of_any_size(void **state)
{
    (void)state;
    fake.value[0] = INT64_MIN + 1;
    fake.value[1] = INT64_MAX - FAKE_POINTS;
    fake.value[2] = -1;
    fake.noise[0] = INT64_MAX;
    fake.noise[1] = INT64_MIN + 1;
    measure(RUNS, 0);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    assert_int_equal(t.unit.stop, RC_STOP_MOST);
    assert_true(value_at(0, 0, 0) == INT64_MIN + 1 && value_at(0, 1, 0) == 0);
    assert_true(value_at(1, 0, 3) == INT64_MAX - 1 && value_at(2, 0, 1) == 0);
    assert_nothing_is_left();
}

/* Each kernel takes a MiB; what the first one takes is not seen. */
static void kernels_are_kept_as_far_as_memory_and_source_allow(void **state)
{
    static const struct {
        uint64_t kernel_bytes;
        uint32_t group;
        int setups;
    } cases[] = {
        {UINT64_C(1) << 30, RUNS, FAKE_POINTS},
        {MIB + MIB / 2, RUNS, FAKE_POINTS + 4 * (FAKE_POINTS - 2)}, /* two stay */
        {UINT64_C(1) << 30, EXACT, 2 * FAKE_POINTS},
        {0, MADE_UP, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(close_all(state) | open_all(state), 0);
        fake.kernel_bytes = MIB;
        open_measurer(cases[i].kernel_bytes);
        measure(cases[i].group, 0);
        assert_int_equal(fake.setups, cases[i].setups);
        assert_nothing_is_left();
    }
}

static void real_suites_are_measured_by_all_sources_one_after_the_other(void **state)
{
    (void)state;
    for (uint32_t s = 0; s < SUITES; s++)
        for (uint32_t g = 0; g < SOURCES; g++) {
            size_t missing = 0;
            measure(g, s);
            assert_int_equal(t.unit.points, t.suite[s].point_count);
            for (size_t p = 0; p < t.unit.points; p++)
                missing += value_at(2, 0, p) == INT64_MIN;
            assert_true(missing < t.unit.points);
            assert_int_equal(t.unit.status, RC_UNIT_OK);
        }
    assert_nothing_is_left();
}

static void a_sweep_is_timed_where_it_can_be(void **state)
{
    uint32_t repetitions;

    (void)state;
    open_measurer(0);
    assert_true(rc_measurer_time_sweep(t.measurer, RUNS, 0) > 0);
    assert_true(rc_measurer_time_sweep(t.measurer, MADE_UP, 1) > 0);
    assert_true(rc_measurer_time_group(t.measurer, EXACT, &repetitions) > 0);
    assert_int_equal(repetitions, 2);
    fake.noise[1] = 1000; /* of 2000 */
    assert_true(rc_measurer_time_group(t.measurer, RUNS, &repetitions) > 0);
    assert_int_equal(repetitions, 30);
    assert_int_equal(rc_measurer_time_sweep(t.measurer, SOURCES, 0), 0);
    fake.fault[0] = (struct fake_fault){FAKE_ARM, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS};
    assert_int_equal(rc_measurer_time_sweep(t.measurer, RUNS, 0), 0);
    assert_int_equal(rc_measurer_time_group(t.measurer, RUNS, &repetitions), 0);
    assert_nothing_is_left();
}

static void a_suite_with_other_points_than_the_campaigns_is_refused(void **state)
{
    const struct rc_measurer_setup setup = {
        .spec = &t.spec, .catalogue = &t.catalogue, .kind = &t.kind, .map = &t.map};

    (void)state;
    t.suite[0].point_count--;
    assert_int_equal(rc_measurer_create(&setup, &t.measurer, &t.err), RC_ECONFLICT);
    assert_null(t.measurer);
    assert_non_null(strstr(t.err.text, "suite 'fake' has 4 points on this node, "
                                       "expected 3"));
}

/* Campaigns of other builds have them; none of their units are planned here. */
static void a_suite_that_this_build_lacks_does_not_disturb_the_others(void **state)
{
    (void)state;
    t.suite[1].name = "of another build";
    measure(RUNS, 0);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    assert_int_equal(rc_measurer_time_sweep(t.measurer, RUNS, 1), 0);
    assert_nothing_is_left();
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)
    const struct CMUnitTest tests[] = {
        FRESH(a_suite_with_other_points_than_the_campaigns_is_refused),
        FRESH(a_suite_that_this_build_lacks_does_not_disturb_the_others),
        FRESH(what_fails_costs_only_itself_and_is_said),
        FRESH(an_event_that_fails_later_keeps_what_was_read),
        FRESH(the_first_lasting_failure_is_the_reason),
        FRESH(a_unit_that_is_given_up_keeps_its_whole_repetitions),
        FRESH(repetitions_end_by_the_rule),
        FRESH(counts_may_be_of_any_size),
        FRESH(kernels_are_kept_as_far_as_memory_and_source_allow),
        FRESH(real_suites_are_measured_by_all_sources_one_after_the_other),
        FRESH(a_sweep_is_timed_where_it_can_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
