#include "tests/lib/test.h"

#include "kernels/kernel.h"
#include "tests/lib/request.h"

#include <math.h>
#include <string.h>

static const struct rc_suite *flops(void)
{
    return rc_suite_find("flops");
}

static struct rc_points points_of(const struct rc_suite *suite, uint32_t bits, bool fma)
{
    struct rc_geometry geometry = rc_request_default.geometry;
    struct rc_points points = {0};
    struct rc_error err;

    geometry.vector_bits = bits;
    geometry.fma = fma;
    assert_int_equal(suite->points(REQUEST(&geometry), &points, &err), RC_OK);
    return points;
}

static void what_a_machine_lacks_has_no_points(void **state)
{
    static const struct {
        uint32_t bits;
        bool fma;
        size_t count;
    } machines[] = {{0, false, 6},    {0, true, 12},   {128, false, 12},
                    {128, true, 24},  {255, true, 24}, {256, true, 36},
                    {512, false, 24}, {512, true, 48}};

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct rc_points points = points_of(flops(), machines[i].bits, machines[i].fma);
        assert_int_equal(points.count, machines[i].count);
        rc_points_fini(&points);
    }
}

static void names_and_counts_are_the_published_ones(void **state)
{
    static const struct {
        size_t index;
        const char *name;
        enum rc_ideal ideal;
        double count;
    } rows[] = {
        {0, "sp-scalar-24", RC_IDEAL_S_SCAL, 24},
        {4, "sp-128-48", RC_IDEAL_S_128, 48},
        {11, "sp-512-96", RC_IDEAL_S_512, 96},
        {12, "dp-scalar-24", RC_IDEAL_D_SCAL, 24},
        {23, "dp-512-96", RC_IDEAL_D_512, 96},
        {24, "sp-scalar-fma-12", RC_IDEAL_SF_SCAL, 12},
        {43, "dp-256-fma-24", RC_IDEAL_DF_256, 24},
        {47, "dp-512-fma-48", RC_IDEAL_DF_512, 48},
    };
    struct rc_points points = points_of(flops(), 512, true);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct rc_point *point = &points.point[rows[i].index];
        double sum = 0;
        assert_string_equal(point->name, rows[i].name);
        for (size_t j = 0; j < flops()->ideal_count; j++)
            sum += rc_expect(flops(), &rc_request_default, point, flops()->ideals[j]);
        assert_true(sum == rows[i].count);
        assert_true(sum ==
                    rc_expect(flops(), &rc_request_default, point, rows[i].ideal));
    }
    rc_points_fini(&points);
}

static void check_count(const struct rc_suite *suite, struct rc_kernel *kernel,
                        uint64_t n)
{
    struct rc_error err = {0};

    suite->run(kernel, n);
    if (suite->verify(kernel, n, &err) != RC_OK)
        fail_msg("%llu iterations: %s", (unsigned long long)n, err.text);
    for (uint64_t off = 1; off <= 64; off *= 2) {
        assert_int_equal(suite->verify(kernel, n + off, &err), RC_ECONFLICT);
        assert_int_equal(suite->verify(kernel, n - off, &err), RC_ECONFLICT);
    }
}

static void odd_counts_of(const char *name)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 251, 1009, 65536, 99991};
    const struct rc_suite *suite = rc_suite_find(name);
    struct rc_points points = points_of(suite, 512, true);
    struct rc_error err;

    for (size_t i = 0; i < points.count && !(suite->usable && suite->usable()); i++) {
        struct rc_kernel *kernel;
        if (points.point[i].unusable)
            continue;
        assert_int_equal(
            suite->setup(&rc_request_default, &points.point[i], &kernel, &err), RC_OK);
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++)
            check_count(suite, kernel, counts[j]);
        suite->run(kernel, 0);
        assert_int_equal(suite->verify(kernel, 0, &err), RC_ECONFLICT);
        assert_int_equal(suite->verify(kernel, 99991, &err), RC_ECONFLICT);
        suite->teardown(kernel);
    }
    rc_points_fini(&points);
}

static void any_count_of_iterations_can_be_told_from_its_result(void **state)
{
    (void)state;
    odd_counts_of("flops");
    odd_counts_of("instructions");
}

/* So many steps that sums would long have left the precision of a float. */
static void values_stay_exact_over_a_hundred_million_steps(void **state)
{
    struct rc_points points = points_of(flops(), 0, false);
    struct rc_kernel *kernel;
    struct rc_error err;

    (void)state;
    if (flops()->usable() || points.point[2].unusable)
        skip();
    assert_int_equal(
        flops()->setup(&rc_request_default, &points.point[2], &kernel, &err), RC_OK);
    check_count(flops(), kernel, 25000000);
    flops()->teardown(kernel);
    rc_points_fini(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_machine_lacks_has_no_points),
        cmocka_unit_test(names_and_counts_are_the_published_ones),
        cmocka_unit_test(any_count_of_iterations_can_be_told_from_its_result),
        cmocka_unit_test(values_stay_exact_over_a_hundred_million_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
