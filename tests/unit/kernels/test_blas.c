#include "tests/lib/test.h"

#include "kernels/blas/blas_loops.h"
#include "tests/unit/kernels/step.h"

#include <math.h>
#include <string.h>

static const struct rc_suite *blas(void)
{
    const struct rc_suite *suite = rc_suite_find("blas");

    assert_non_null(suite);
    return suite;
}

enum { DOT, GEMV, GEMM };

static struct rc_point a_point(int operation, int bits, int n)
{
    return (struct rc_point){.name = "p", .axis = {operation, bits, n}};
}

static struct rc_kernel *ready(const struct rc_point *point)
{
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    assert_int_equal(blas()->setup(&rc_request_default, point, &kernel, &err), RC_OK);
    assert_non_null(kernel);
    return kernel;
}

static double element(const void *array, int bits, int i)
{
    return bits == 32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void compare_with_reference(const struct rc_kernel *kernel, int operation,
                                   int bits, int n, int times)
{
    struct rc_loop_operands at = rc_loop_operands(kernel, 0);
    int rows = operation == DOT ? 1 : n, cols = operation == GEMM ? n : 1;

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum +=
                    element(at.a, bits, i * n + k) * element(at.b, bits, k * cols + j);
            assert_true(element(at.c, bits, i * cols + j) == times * sum);
        }
}

static void results_are_those_of_a_plain_loop(void **state)
{
    static const int sizes[] = {1, 2, 3, 7, 100};

    (void)state;
    for (int bits = 32; bits <= 64; bits += 32)
        for (int operation = DOT; operation <= GEMM; operation++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                struct rc_point point = a_point(operation, bits, sizes[i]);
                struct rc_kernel *kernel = ready(&point);
                blas()->run(kernel, 3);
                compare_with_reference(kernel, operation, bits, sizes[i], 3);
                assert_int_equal(blas()->verify(kernel, 3, NULL), RC_OK);
                blas()->prepare(kernel);
                blas()->run(kernel, 1);
                compare_with_reference(kernel, operation, bits, sizes[i], 1);
                blas()->teardown(kernel);
            }
}

static void verify_refuses_a_run_that_never_happened(void **state)
{
    struct rc_point point = a_point(GEMV, 64, 7);
    struct rc_kernel *kernel = ready(&point);
    struct rc_error err = {0};

    (void)state;
    assert_int_equal(blas()->verify(kernel, 0, &err), RC_ECONFLICT);
    assert_string_equal(err.text, "point 'p': there was no run");
    assert_int_equal(blas()->verify(kernel, 5, &err), RC_ECONFLICT);
    blas()->run(kernel, 5);
    assert_int_equal(blas()->verify(kernel, 5, &err), RC_OK);
    blas()->prepare(kernel);
    assert_int_equal(blas()->verify(kernel, 5, &err), RC_ECONFLICT);
    assert_int_equal(blas()->verify(kernel, 0, &err), RC_ECONFLICT);
    blas()->run(kernel, 0);
    assert_int_equal(blas()->verify(kernel, 0, &err), RC_ECONFLICT);
    assert_int_equal(blas()->verify(kernel, 1, &err), RC_ECONFLICT);
    blas()->teardown(kernel);
}

static void verify_refuses_other_numbers_of_iterations(void **state)
{
    struct rc_error err = {0};

    (void)state;
    for (int bits = 32; bits <= 64; bits += 32)
        for (int operation = DOT; operation <= GEMM; operation++) {
            struct rc_point point = a_point(operation, bits, 3);
            struct rc_kernel *kernel = ready(&point);
            for (uint64_t run = 1; run < 20; run += 6) { /* without prepare() between */
                blas()->run(kernel, run);
                assert_int_equal(blas()->verify(kernel, run, &err), RC_OK);
                assert_int_equal(blas()->verify(kernel, run - 1, &err), RC_ECONFLICT);
                assert_int_equal(blas()->verify(kernel, run + 1, &err), RC_ECONFLICT);
                assert_true(blas()->verify(kernel, UINT64_MAX, &err) < 0);
            }
            blas()->teardown(kernel);
        }
}

static void verify_sees_one_wrong_element(void **state)
{
    struct rc_point point = a_point(GEMM, 32, 7);
    struct rc_kernel *kernel = ready(&point);
    float *c = rc_loop_operands(kernel, 0).c;
    struct rc_error err = {0};

    (void)state;
    blas()->run(kernel, 2);
    for (int i = 0; i < 49; i++) {
        float kept = c[i];
        c[i] += 1;
        assert_int_equal(blas()->verify(kernel, 2, &err), RC_ECONFLICT);
        assert_non_null(strstr(err.text, "point 'p': row "));
        c[i] = (float)NAN;
        assert_int_equal(blas()->verify(kernel, 2, &err), RC_ECONFLICT);
        c[i] = kept;
    }
    assert_int_equal(blas()->verify(kernel, 2, &err), RC_OK);
    blas()->teardown(kernel);
}

static void more_iterations_than_sums_can_hold_are_refused(void **state)
{
    struct rc_point point = a_point(DOT, 32, 1);
    struct rc_kernel *kernel = ready(&point);
    struct rc_error err = {0};
    uint64_t most = (1 << 24) / 4;

    (void)state;
    blas()->run(kernel, most);
    assert_int_equal(blas()->verify(kernel, most, &err), RC_OK);
    blas()->run(kernel, 1);
    assert_int_equal(blas()->verify(kernel, 1, &err), RC_EUNSUPPORTED);
    assert_string_equal(err.text,
                        "point 'p': 4194305 iterations since it was prepared, expected "
                        "at most 4194304: sums are not exact beyond");
    blas()->prepare(kernel);
    blas()->run(kernel, 1);
    assert_int_equal(blas()->verify(kernel, 1, &err), RC_OK);
    blas()->teardown(kernel);
}

static void each_point(void (*check)(const struct rc_point *, const struct rc_points *))
{
    struct rc_points points = {0};
    struct rc_error err = {0};

    assert_int_equal(blas()->points(&rc_request_default, &points, &err), RC_OK);
    assert_int_equal(points.count, 6 * 22);
    for (size_t i = 0; i < points.count; i++)
        check(&points.point[i], &points);
    rc_points_fini(&points);
}

static double expect(const struct rc_point *point, enum rc_ideal ideal)
{
    return rc_expect(blas(), &rc_request_default, point, ideal);
}

static void check_counts(const struct rc_point *point, const struct rc_points *points)
{
    double n = (double)point->axis[2];
    double ops = 2 * pow(n, (double)point->axis[0] + 1);
    bool sp = point->axis[1] == 32;

    (void)points;
    assert_true(expect(point, RC_IDEAL_OPS_SP) == (sp ? ops : 0));
    assert_true(expect(point, RC_IDEAL_OPS_DP) == (sp ? 0 : ops));
    assert_true(expect(point, RC_IDEAL_S_SCAL) == (sp ? ops : 0));
    assert_true(expect(point, RC_IDEAL_D_SCAL) == (sp ? 0 : ops));
    assert_true(expect(point, RC_IDEAL_DF_512) == 0);
    assert_true(expect(point, RC_IDEAL_S_128) == 0);
    assert_true(expect(point, RC_IDEAL_T) == ops / 2);
    assert_true(expect(point, RC_IDEAL_D) == 0);
    assert_true(expect(point, RC_IDEAL_CR) > expect(point, RC_IDEAL_T));
    assert_true(expect(point, RC_IDEAL_INS) > 3.5 * ops);
    assert_true(expect(point, RC_IDEAL_LOADS) > ops);
    assert_true(expect(point, RC_IDEAL_STORES) == ops / 2 / n);
    assert_true(isnan(expect(point, RC_IDEAL_L1DM)));
    assert_true(isnan(expect(point, RC_IDEAL_M)));
}

static void counts_follow_from_the_operation(void **state)
{
    (void)state;
    each_point(check_counts);
}

static void check_name_and_budget(const struct rc_point *point,
                                  const struct rc_points *points)
{
    static const uint64_t budgets[] = {1, 1000, 100000, 100000000};
    double each = expect(point, RC_IDEAL_INS);

    for (const struct rc_point *other = points->point; other < point; other++)
        assert_string_not_equal(other->name, point->name);
    assert_true(blas()->iterations(&rc_request_default, point, 0) >= 1);
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        uint64_t n = blas()->iterations(&rc_request_default, point, budgets[i]);
        bool fits = rc_point_fits(blas(), &rc_request_default, point, budgets[i]);
        assert_true(n >= 1);
        assert_int_equal(fits, each <= (double)budgets[i]);
        if (fits)
            assert_true((double)n * each <= (double)budgets[i]);
    }
    assert_true(rc_point_fits(blas(), &rc_request_default, point, 0));
}

static void points_are_unique_and_keep_to_a_budget(void **state)
{
    (void)state;
    each_point(check_name_and_budget);
}

static void check_run(const struct rc_point *point, const struct rc_points *points)
{
    uint64_t iterations = blas()->iterations(&rc_request_default, point, 0);
    struct rc_kernel *kernel = ready(point);

    (void)points;
    for (int run = 0; run < 2; run++) {
        blas()->run(kernel, iterations);
        assert_int_equal(blas()->verify(kernel, iterations, NULL), RC_OK);
    }
    blas()->teardown(kernel);
}

static void every_point_runs_and_verifies(void **state)
{
    (void)state;
    each_point(check_run);
}

static void stepping_counts_the_instructions_that_are_expected(void **state)
{
    static const int sizes[] = {1, 2, 7};

    (void)state;
    for (int bits = 32; bits <= 64; bits += 32)
        for (int operation = DOT; operation <= GEMM; operation++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                struct rc_point point = a_point(operation, bits, sizes[i]);
                struct rc_kernel *kernel = ready(&point);
                long counted = rc_step_iteration(blas(), kernel);
                blas()->teardown(kernel);
                if (counted < 0)
                    skip();
                assert_int_equal(counted, (long)expect(&point, RC_IDEAL_INS));
            }
}

static void other_suites_count_operations_by_width_and_fma(void **state)
{
    static const struct {
        const char *suite, *point;
        double sp, dp;
    } cases[] = {
        {"flops", "sp-scalar-24", 24, 0},       {"flops", "dp-128-48", 0, 96},
        {"flops", "sp-256-96", 768, 0},         {"flops", "dp-512-fma-12", 0, 192},
        {"flops", "sp-512-fma-24", 24 * 32, 0}, {"flops", "dp-scalar-fma-12", 0, 24},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rc_suite *suite = rc_suite_find(cases[i].suite);
        struct rc_points points = {0};
        size_t p = 0;
        assert_non_null(suite);
        assert_int_equal(suite->points(&rc_request_default, &points, NULL), RC_OK);
        while (p < points.count && strcmp(points.point[p].name, cases[i].point) != 0)
            p++;
        assert_true(p < points.count);
        assert_true(rc_expect(suite, &rc_request_default, &points.point[p],
                              RC_IDEAL_OPS_SP) == cases[i].sp);
        assert_true(rc_expect(suite, &rc_request_default, &points.point[p],
                              RC_IDEAL_OPS_DP) == cases[i].dp);
        rc_points_fini(&points);
    }
}

static void teardown_takes_nothing(void **state)
{
    (void)state;
    blas()->teardown(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verify_refuses_a_run_that_never_happened),
        cmocka_unit_test(verify_refuses_other_numbers_of_iterations),
        cmocka_unit_test(verify_sees_one_wrong_element),
        cmocka_unit_test(more_iterations_than_sums_can_hold_are_refused),
        cmocka_unit_test(results_are_those_of_a_plain_loop),
        cmocka_unit_test(counts_follow_from_the_operation),
        cmocka_unit_test(points_are_unique_and_keep_to_a_budget),
        cmocka_unit_test(every_point_runs_and_verifies),
        cmocka_unit_test(stepping_counts_the_instructions_that_are_expected),
        cmocka_unit_test(other_suites_count_operations_by_width_and_fma),
        cmocka_unit_test(teardown_takes_nothing),
    };
    if (rc_loop_usable())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
