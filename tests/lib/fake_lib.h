/* fake_lib.h - a source and a suite that fail when a test wants them to
 *
 * A test that includes this is linked with --wrap=rc_suite_find, so that the
 * suite "fake" is found beside the real ones.
 */
#ifndef RC_TESTS_LIB_FAKE_LIB_H
#define RC_TESTS_LIB_FAKE_LIB_H

#include "campaign/base/memory.h"
#include "campaign/sources/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAKE_EVENTS = 3, FAKE_POINTS = 4, FAKE_ITERATIONS = 100 };

enum fake_act {
    FAKE_NOTHING,
    FAKE_ARM,
    FAKE_START,
    FAKE_STOP,
    FAKE_MULTIPLEX,
    FAKE_SETUP,
    FAKE_VERIFY
};

/* A planted failure: of an event or of all (ANY), also only where it is not alone in
 * its group (TOGETHER); at a point or at all; so many times or ALWAYS.
 */
enum { FAKE_ANY = -1, FAKE_TOGETHER = -2, FAKE_ALWAYS = 1 << 30 };
struct fake_fault {
    enum fake_act act;
    int event, point, times;
};

static struct {
    struct fake_fault fault[4];
    int setups, teardowns, arms, disarms, runs;
    size_t kernel_bytes;           /* that a kernel takes and uses */
    int64_t value[FAKE_EVENTS];    /* of the first point, others count on from there */
    int64_t noise[FAKE_EVENTS];    /* added in every other repetition */
    uint32_t workers[FAKE_POINTS]; /* of each point, in the suite "fake-team" */
} fake;

struct rc_source_state {
    int unused;
};

struct rc_group_state {
    uint32_t event[FAKE_EVENTS];
    size_t count;
    int64_t point, repetition;
    bool started;
};

struct rc_kernel {
    uint64_t done;
    int point;
};

static bool fake_hits(const struct fake_fault *fault, const uint32_t *event,
                      size_t count, int point)
{
    bool hit = fault->event == FAKE_ANY || (fault->event == FAKE_TOGETHER && count > 1);

    for (size_t i = 0; i < count; i++)
        hit |= fault->event == (int)event[i];
    return hit && (fault->point == FAKE_ANY || fault->point == point);
}

static bool fake_fails(enum fake_act act, const uint32_t *event, size_t count,
                       int point)
{
    for (size_t i = 0; i < sizeof fake.fault / sizeof fake.fault[0]; i++) {
        struct fake_fault *fault = &fake.fault[i];
        if (fault->act != act || fault->times == 0 ||
            !fake_hits(fault, event, count, point))
            continue;
        if (fault->times != FAKE_ALWAYS)
            fault->times--;
        return true;
    }
    return false;
}

static int fake_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                    struct rc_group_state **out, struct rc_error *err)
{
    (void)state;
    *out = NULL;
    if (fake_fails(FAKE_ARM, events, count, FAKE_ANY))
        return rc_fail(err, RC_EUNSUPPORTED, "no counter for it");
    *out = calloc(1, sizeof **out);
    memcpy((*out)->event, events, count * sizeof *events);
    (*out)->count = count;
    fake.arms++;
    return RC_OK;
}

static void fake_disarm(struct rc_group_state *group)
{
    fake.disarms += group != NULL;
    free(group);
}

static int fake_start(struct rc_group_state *group, const struct rc_measurement *what,
                      struct rc_error *err)
{
    group->point = what->point_index;
    group->repetition = what->repetition;
    if (fake_fails(FAKE_START, group->event, group->count, (int)group->point))
        return rc_fail(err, RC_EIO, "it does not start");
    group->started = true;
    return RC_OK;
}

static int fake_stop(struct rc_group_state *group, struct rc_reading *readings,
                     struct rc_error *err)
{
    bool started = group->started;

    group->started = false;
    if (!started ||
        fake_fails(FAKE_STOP, group->event, group->count, (int)group->point))
        return rc_fail(err, RC_EIO, "it cannot be read");
    for (size_t i = 0; i < group->count; i++) {
        uint32_t e = group->event[i];
        bool odd = group->repetition % 2 != 0;
        bool half = fake_fails(FAKE_MULTIPLEX, &e, 1, (int)group->point);
        readings[i] = (struct rc_reading){.value = fake.value[e] + group->point +
                                                   (odd ? fake.noise[e] : 0),
                                          .enabled_ns = 10,
                                          .running_ns = half ? 5 : 10};
    }
    return RC_OK;
}

#define FAKE_SOURCE(its_name, ...)                                                     \
    {                                                                                  \
        .name = its_name, .summary = "a source in a test", .label = "in a test",       \
        .arm = fake_arm, .disarm = fake_disarm, .start = fake_start,                   \
        .stop = fake_stop, __VA_ARGS__                                                 \
    }

static int fake_points(const struct rc_suite_request *request, struct rc_points *points,
                       struct rc_error *err)
{
    (void)request;
    for (int i = 0; i < FAKE_POINTS; i++) {
        struct rc_point point = {.axis = {i}, .workers = fake.workers[i]};
        snprintf(point.name, sizeof point.name, "p%d", i);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

static struct rc_range fake_expect(const struct rc_suite_request *request,
                                   const struct rc_point *point, enum rc_ideal ideal)
{
    (void)request;
    return rc_exactly(ideal == RC_IDEAL_INS ? (double)(point->axis[0] + 1) : 0);
}

static uint64_t fake_iterations(const struct rc_suite_request *request,
                                const struct rc_point *point, uint64_t budget)
{
    (void)request;
    (void)point;
    return budget ? 1 : FAKE_ITERATIONS;
}

static int fake_setup(const struct rc_suite_request *request,
                      const struct rc_point *point, struct rc_kernel **out,
                      struct rc_error *err)
{
    (void)request;
    *out = NULL;
    if (fake_fails(FAKE_SETUP, NULL, 0, (int)point->axis[0]))
        return rc_fail(err, RC_EUNSUPPORTED, "no pages for its buffer");
    *out = malloc(sizeof **out + fake.kernel_bytes);
    memset(*out, 1, sizeof **out + fake.kernel_bytes);
    (*out)->done = 0;
    (*out)->point = (int)point->axis[0];
    fake.setups++;
    return RC_OK;
}

static void fake_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->done = iterations;
    fake.runs++;
}

static int fake_verify(const struct rc_kernel *kernel, uint64_t iterations,
                       struct rc_error *err)
{
    if (kernel->done != iterations || fake_fails(FAKE_VERIFY, NULL, 0, kernel->point))
        return rc_fail(err, RC_ECONFLICT, "the work was not done");
    return RC_OK;
}

static void fake_teardown(struct rc_kernel *kernel)
{
    fake.teardowns += kernel != NULL;
    free(kernel);
}

static const enum rc_ideal fake_ideals[] = {RC_IDEAL_INS};

#define FAKE_SUITE(its_name, ...)                                                      \
    {                                                                                  \
        .name = its_name, .summary = "kernels of a test",                              \
        .footprint = RC_FOOTPRINT_CORE, .ideals = fake_ideals, .ideal_count = 1,       \
        .points = fake_points, .expect = fake_expect, .iterations = fake_iterations,   \
        .setup = fake_setup, .run = fake_run, .verify = fake_verify,                   \
        .teardown = fake_teardown, __VA_ARGS__                                         \
    }

static const struct rc_suite fake_suite = FAKE_SUITE("fake", .team = false);
static const struct rc_suite fake_team = FAKE_SUITE("fake-team", .team = true);

const struct rc_suite *__real_rc_suite_find(const char *name);
const struct rc_suite *__wrap_rc_suite_find(const char *name);

const struct rc_suite *__wrap_rc_suite_find(const char *name)
{
    return strcmp(name, fake_suite.name) == 0  ? &fake_suite
           : strcmp(name, fake_team.name) == 0 ? &fake_team
                                               : __real_rc_suite_find(name);
}

#endif
