/* Points whose readings are too short for a source's clock get more iterations. */
#include "tests/lib/test.h"

#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/plan/kind_plan.h"
#include "campaign/plan/lengthen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct rc_campaign *campaign;
    struct rc_catalogue *catalogue;
    struct rc_spec spec;
    char remark[8192];
    struct rc_error err;
} t;

static int open_campaign(void **state)
{
    (void)state;
    memset(&t, 0, sizeof t);
    t.campaign = rc_campaign_create();
    return t.campaign ? 0 : -1;
}

static int close_campaign(void **state)
{
    (void)state;
    rc_catalogue_close(t.catalogue);
    rc_spec_fini(&t.spec);
    rc_campaign_close(t.campaign);
    return 0;
}

static void keep_remark(void *context, const char *line)
{
    (void)context;
    rc_text_append(t.remark, sizeof t.remark, "%s\n", line);
}

static void open_catalogue(const char *text)
{
    if (rc_spec_from_text("c.yaml", text, strlen(text), &t.spec, &t.err) != RC_OK ||
        rc_catalogue_open(&t.spec, true, &t.catalogue, &t.err) != RC_OK)
        fail_msg("%s", t.err.text);
}

static struct rc_kind_plan plan_of(void)
{
    return (struct rc_kind_plan){.spec = &t.spec,
                                 .catalogue = t.catalogue,
                                 .campaign = t.campaign,
                                 .remark = keep_remark};
}

static void plan_well(void)
{
    const struct rc_kind_plan plan = plan_of();

    if (rc_kind_plan_kind(&plan, &t.err) != RC_OK)
        fail_msg("%s", t.err.text);
}

/* The first points of 'blas' take less than a us; a source without a limit keeps the
 * suite's iterations, and so does a plan that is made again.
 */
static void short_points_get_more_iterations(void **fixture)
{
    const struct rc_suite *suite = rc_suite_find("blas");
    struct rc_suite_points found;
    size_t longer = 0;

    (void)fixture;
    open_catalogue("source: [time, sysfs]\nsuites: [blas]\n"
                   "events: ['time::*', 'sysfs:::stat:ctxt']");
    plan_well();
    const struct rc_suite_request request = rc_catalogue_campaign_request(t.catalogue);
    assert_int_equal(rc_suite_points_find(t.catalogue, &request, suite, &found, &t.err),
                     RC_OK);
    const struct rc_record_suite *record = &t.campaign->kind[0].suite[0];
    const size_t points = found.points.count;
    assert_int_equal(record->point_count, points);
    for (size_t i = 0; i < points; i++) {
        const double times =
            (double)record->iterations[i] / (double)found.iterations[i];
        assert_true(times >= 1 && log2(times) == floor(log2(times)));
        longer += times > 1;
    }
    assert_true(longer > 0);
    assert_memory_equal(record->iterations + points, found.iterations + points,
                        points * sizeof *found.iterations);
    assert_non_null(strstr(t.remark, "have more iterations than usual under source "
                                     "time, so that readings last "));
    /* Again: what was found stays, whatever a trial would find now. */
    uint64_t *const kept = test_malloc(points * sizeof *kept);
    memcpy(kept, record->iterations, points * sizeof *kept);
    t.remark[0] = 0;
    plan_well();
    assert_memory_equal(t.campaign->kind[0].suite[0].iterations, kept,
                        points * sizeof *kept);
    assert_null(strstr(t.remark, "more iterations"));
    test_free(kept);
    rc_suite_points_fini(&found);
}

/* A suite of one point whose iterations take so many ns. */
static double each_ns, useful_bytes;
static uint64_t most_iterations;

static struct rc_range fake_expect(const struct rc_suite_request *request,
                                   const struct rc_point *point, enum rc_ideal ideal)
{
    (void)request, (void)point;
    return ideal == RC_IDEAL_B_STREAM ? rc_exactly(useful_bytes) : rc_unknown();
}

static uint64_t fake_iterations(const struct rc_suite_request *request,
                                const struct rc_point *point, uint64_t budget)
{
    (void)request, (void)point, (void)budget;
    return 3;
}

static int fake_setup(const struct rc_suite_request *request,
                      const struct rc_point *point, struct rc_kernel **out,
                      struct rc_error *err)
{
    (void)request;
    return rc_kernel_create(point, 64, out, err);
}

static void fake_run(struct rc_kernel *kernel, uint64_t iterations)
{
    const uint64_t begin = rc_clock_ns();

    (void)kernel;
    most_iterations = iterations > most_iterations ? iterations : most_iterations;
    while ((double)(rc_clock_ns() - begin) < each_ns * (double)iterations)
        ;
}

static int fake_verify(const struct rc_kernel *kernel, uint64_t iterations,
                       struct rc_error *err)
{
    (void)kernel, (void)iterations, (void)err;
    return RC_OK;
}

static void fake_prepare(struct rc_kernel *kernel)
{
    (void)kernel;
}

static void fake_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

static uint64_t lengthen_fake(struct rc_suite *suite)
{
    const struct rc_kind_plan plan = plan_of();
    struct rc_point point = {.name = "only"};
    uint64_t iterations = 3;
    struct rc_suite_points found = {.points = {.point = &point, .count = 1},
                                    .iterations = &iterations};

    suite->name = "fake";
    suite->expect = fake_expect;
    suite->iterations = fake_iterations;
    suite->setup = fake_setup;
    suite->run = fake_run;
    suite->verify = fake_verify;
    suite->teardown = fake_teardown;
    most_iterations = 0;
    t.remark[0] = 0;
    rc_kind_plan_lengthen(&plan, NULL, &rc_request_default, suite, &found);
    return iterations;
}

/* 2^20 times the iterations are not enough: the point is left out. */
static void endlessly_short_points_are_left_out(void **fixture)
{
    struct rc_suite suite = {.footprint = RC_FOOTPRINT_CORE};

    (void)fixture;
    open_catalogue("source: [time]");
    each_ns = 0;
    assert_int_equal(lengthen_fake(&suite), 0);
    assert_int_equal(most_iterations, UINT64_C(3) << 20);
    assert_non_null(strstr(t.remark, "suite fake: point only is left out for source "
                                     "time: a reading takes "));
    assert_non_null(strstr(t.remark, "even with 2^20 times the iterations, expected "));
    /* Data that is to be out of the caches: another iteration would find it there. */
    suite.prepare = fake_prepare;
    suite.footprint = RC_FOOTPRINT_MEMORY;
    assert_int_equal(lengthen_fake(&suite), 0);
    assert_int_equal(most_iterations, 3);
    assert_non_null(strstr(t.remark, "cannot be repeated with the data out of caches"));
}

static const char *fake_made_by(const struct rc_suite_request *request)
{
    (void)request;
    return "a compiler";
}

/* Arrays of a compiled suite may take seconds to make. */
static void long_points_of_compiled_suites_are_not_tried(void **fixture)
{
    struct rc_suite suite = {.footprint = RC_FOOTPRINT_MEMORY, .made_by = fake_made_by};

    (void)fixture;
    open_catalogue("source: [time]");
    each_ns = 0;
    useful_bytes = 1e9;
    assert_int_equal(lengthen_fake(&suite), 3);
    assert_int_equal(most_iterations, 0);
    useful_bytes = 1e3;
    assert_int_equal(lengthen_fake(&suite), 0);
    assert_true(most_iterations > 0);
}

/* As many iterations as it takes, and not many more. */
static void readings_are_as_long_as_asked_for(void **fixture)
{
    struct rc_suite suite = {.footprint = RC_FOOTPRINT_CORE};

    (void)fixture;
    open_catalogue("source: [time]");
    const double least =
        (double)t.catalogue->source[0].source->least_ns(t.catalogue->source[0].state);
    each_ns = 2 * least;
    assert_int_equal(lengthen_fake(&suite), 3);
    assert_string_equal(t.remark, "");
    each_ns = least / 100;
    const uint64_t found = lengthen_fake(&suite);
    assert_true(found % 3 == 0 && found >= 96 && found <= 192);
    assert_non_null(strstr(t.remark, "1 of 1 points have more iterations than usual"));
}

int main(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, open_campaign, close_campaign)
    const struct CMUnitTest tests[] = {
        FRESH(short_points_get_more_iterations),
        FRESH(endlessly_short_points_are_left_out),
        FRESH(long_points_of_compiled_suites_are_not_tried),
        FRESH(readings_are_as_long_as_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
