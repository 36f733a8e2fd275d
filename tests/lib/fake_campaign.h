/* fake_campaign.h - a measurer on the source and the suite of fake_lib.h, for tests */
#ifndef RC_TESTS_LIB_FAKE_CAMPAIGN_H
#define RC_TESTS_LIB_FAKE_CAMPAIGN_H

#include "campaign/measure/measure.h"
#include "tests/lib/fake_lib.h"
#include "tests/lib/request.h"

/* Three sources: one that runs kernels, one whose readings never differ, and one
 * that makes its readings up.  Suite 0 is the test's, 1 and 2 are real ones.
 */
enum { RUNS, EXACT, MADE_UP, SOURCES, SUITES = 3 };

static const struct rc_source sources[SOURCES] = {
    FAKE_SOURCE("runs", .runs_kernels = true),
    FAKE_SOURCE("exact", .runs_kernels = true, .deterministic = true),
    FAKE_SOURCE("made-up", .runs_kernels = false),
};

static struct {
    struct rc_spec spec;
    struct rc_source_state state;
    struct rc_open_source open[SOURCES];
    struct rc_catalogue catalogue;
    uint32_t number[FAKE_EVENTS];
    struct rc_event_numbers map;
    struct rc_record_event event[FAKE_EVENTS];
    uint32_t member[FAKE_EVENTS];
    struct rc_record_group group[SOURCES];
    uint64_t *iterations[SUITES];
    struct rc_record_suite suite[SUITES];
    struct rc_campaign_kind kind;
    struct rc_measurer *measurer;
    struct rc_measure_task task;
    struct rc_record_unit unit;
    struct rc_record_readings readings;
    struct rc_error err;
} t;

static void open_suite(size_t s, const char *name)
{
    struct rc_geometry geometry = rc_machine_geometry(t.catalogue.machine);
    struct rc_points points = {0};

    assert_int_equal(rc_suite_find(name)->points(REQUEST(&geometry), &points, NULL),
                     RC_OK);
    t.iterations[s] = rc_calloc(SOURCES * points.count, sizeof *t.iterations[s]);
    for (size_t i = 0; i < SOURCES * points.count; i++)
        t.iterations[s][i] = 1;
    t.suite[s] = (struct rc_record_suite){.name = name,
                                          .point_count = points.count,
                                          .iterations = t.iterations[s],
                                          .source_count = SOURCES};
    rc_points_fini(&points);
}

static int open_all(void **state)
{
    static const char *const names[] = {"E0", "E1", "E2"};

    (void)state;
    memset(&t, 0, sizeof t);
    memset(&fake, 0, sizeof fake);
    t.spec.target = 0.005;
    if (rc_machine_open(RC_MACHINE_SYNTHETIC, "core:2 pu:1", &t.catalogue.machine,
                        &t.err) != RC_OK)
        return -1;
    for (uint32_t s = 0; s < SOURCES; s++) {
        t.open[s] = (struct rc_open_source){
            .source = &sources[s], .state = &t.state, .label = sources[s].label};
        t.group[s] = (struct rc_record_group){s, RC_SCOPE_CORE, t.member, FAKE_EVENTS,
                                              FAKE_EVENTS};
    }
    for (uint32_t e = 0; e < FAKE_EVENTS; e++) {
        t.number[e] = t.member[e] = e;
        t.event[e] = (struct rc_record_event){.name = names[e]};
        fake.value[e] = 1000 * (e + 1);
    }
    t.catalogue.source = t.open;
    t.catalogue.source_count = SOURCES;
    t.map = (struct rc_event_numbers){.number = t.number, .events = FAKE_EVENTS};
    open_suite(0, "fake");
    open_suite(1, "flops");
    open_suite(2, "branch");
    t.kind = (struct rc_campaign_kind){.event = t.event,
                                       .event_count = FAKE_EVENTS,
                                       .suite = t.suite,
                                       .suite_count = SUITES,
                                       .group = t.group,
                                       .group_count = SOURCES};
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    rc_measurer_close(t.measurer);
    for (size_t s = 0; s < SUITES; s++)
        free(t.iterations[s]);
    rc_machine_close(t.catalogue.machine);
    return 0;
}

static void open_measurer(uint64_t kernel_bytes)
{
    const struct rc_measurer_setup setup = {
        .spec = &t.spec,
        .catalogue = &t.catalogue,
        .kind = &t.kind,
        .map = &t.map,
        .kernel_bytes = kernel_bytes,
    };

    if (rc_measurer_create(&setup, &t.measurer, &t.err) != RC_OK)
        fail_msg("%s", t.err.text);
}

static void measure(uint32_t group, uint32_t suite)
{
    if (!t.measurer)
        open_measurer(0);
    t.task.group = group;
    t.task.suite = suite;
    t.unit = (struct rc_record_unit){.reason = "untouched"};
    if (rc_measurer_run(t.measurer, &t.task, &t.unit, &t.readings, &t.err) != RC_OK)
        fail_msg("%s", t.err.text);
}

static int64_t value_at(size_t event, size_t repetition, size_t point)
{
    return t.readings
        .values[(repetition * t.unit.events + event) * t.unit.points + point];
}

#endif
