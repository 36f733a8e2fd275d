#include "tests/lib/test.h"

#include "campaign/base/words.h"
#include "kernels/axes.h"
#include "tests/lib/request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Machines that a suite may be described for: a large one, the least that a
 * geometry can say, and one with sizes that are not powers of two.
 */
static const struct rc_geometry bare = {
    .l1d = {8192, 2}, .line_bytes = 64, .page_bytes = 4096, .dtlb_entries = 16};
static const struct rc_geometry odd = {
    .l1d = {UINT64_C(48) << 10, 12},
    .l1i = {UINT64_C(32) << 10, 8},
    .l2 = {UINT64_C(1280) << 10, 20},
    .l3 = {UINT64_C(1536) << 10, 12},
    .line_bytes = 64,
    .page_bytes = 4096,
    .huge_page_bytes = UINT64_C(2) << 20,
    .dtlb_entries = 96,
    .vector_bits = 256,
    .fma = true,
};
static const struct rc_geometry small = {
    /* as the source soft has by default */
    .l1d = {4096, 8},   .l1i = {4096, 8},   .l2 = {16384, 8},
    .l3 = {65536, 16},  .line_bytes = 64,   .page_bytes = 4096,
    .dtlb_entries = 16, .vector_bits = 512, .fma = true,
};
static const struct rc_geometry *const geometries[] = {&rc_request_default.geometry,
                                                       &bare, &odd, &small};
enum { GEOMETRIES = sizeof geometries / sizeof geometries[0] };

/* Calls 'check' with the points of each suite for each machine. */
typedef void check_points(const struct rc_suite *suite,
                          const struct rc_geometry *geometry,
                          const struct rc_points *points);

static void each(check_points *check)
{
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        for (size_t g = 0; g < GEOMETRIES; g++) {
            struct rc_points points = {0};
            struct rc_error err;
            assert_int_equal((*suite)->points(REQUEST(geometries[g]), &points, &err),
                             RC_OK);
            check(*suite, geometries[g], &points);
            rc_points_fini(&points);
        }
}

static void unknown_names_are_not_found(void **state)
{
    static const char *const bad[] = {"", "flop", "flops ", "FLOPS", "../flops", "%s"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(rc_suite_find(bad[i]));
        assert_int_equal(rc_ideal_find(bad[i]), RC_IDEAL_COUNT);
    }
}

static void each_suite_and_ideal_is_found_by_its_name(void **state)
{
    (void)state;
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        assert_ptr_equal(rc_suite_find((*suite)->name), *suite);
    for (unsigned i = 0; i < RC_IDEAL_COUNT; i++)
        assert_int_equal(rc_ideal_find(rc_ideal_name(i)), i);
}

static void check_descriptor(const struct rc_suite *suite)
{
    assert_non_null(suite->summary);
    assert_true(suite->footprint < RC_FOOTPRINT_COUNT);
    size_t axes = 0;
    while (suite->axes[axes])
        axes++;
    assert_in_range(axes, 1, RC_AXES_MAX);
    assert_true(!suite->team || rc_word_find("workers", suite->axes) >= 0);
    for (const struct rc_axis *axis = suite->chosen; axis && axis->name; axis++) {
        struct rc_axis_values values;
        assert_true(rc_word_find(axis->name, suite->axes) >= 0);
        assert_true(axis->unit && axis->summary && axis->least <= axis->most);
        assert_int_equal(rc_axis_chosen(&rc_request_default, axis, &values, NULL),
                         RC_OK);
        rc_axis_values_fini(&values);
    }
    if (!suite->setup)
        assert_non_null(suite->usable());
    else
        assert_true(suite->run && suite->verify && suite->teardown);
    for (size_t i = 0; i < suite->ideal_count; i++) {
        bool own = strcmp(rc_ideal_suite(suite->ideals[i]), suite->name) == 0;
        assert_true(own || rc_ideal_exact(suite->ideals[i]) ||
                    rc_suite_find(rc_ideal_suite(suite->ideals[i])));
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(suite->ideals[i], suite->ideals[j]);
    }
}

static void descriptors_are_complete(void **state)
{
    (void)state;
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        check_descriptor(*suite);
}

static void check_names(const struct rc_suite *suite,
                        const struct rc_geometry *geometry,
                        const struct rc_points *points)
{
    struct rc_points again = {0};
    struct rc_error err;

    assert_true(points->count > 0);
    assert_int_equal(suite->points(REQUEST(geometry), &again, &err), RC_OK);
    assert_int_equal(again.count, points->count);
    for (size_t i = 0; i < points->count; i++) {
        const struct rc_point *point = &points->point[i];
        assert_non_null(memchr(point->name, 0, sizeof point->name));
        assert_int_not_equal(point->name[0], 0);
        assert_string_equal(point->name, again.point[i].name);
        assert_memory_equal(point->axis, again.point[i].axis, sizeof point->axis);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(point->name, points->point[j].name);
    }
    rc_points_fini(&again);
}

static void points_are_unique_and_the_same_each_time(void **state)
{
    (void)state;
    each(check_names);
}

/* Where instructions are counted, nothing is said of useful work. */
static void check_useful(const struct rc_suite *suite,
                         const struct rc_geometry *geometry,
                         const struct rc_points *points)
{
    assert_true(!suite->made_by == (suite->ideal_count > 0));
    for (size_t i = 0; i < points->count; i++)
        for (unsigned d = 0; d < RC_IDEAL_COUNT; d++)
            if (rc_ideal_useful(d) == !suite->made_by)
                assert_false(rc_range_says(rc_expect_range(
                    suite, REQUEST(geometry), &points->point[i], (enum rc_ideal)d)));
}

static void useful_work_is_said_of_compiled_suites_alone(void **state)
{
    (void)state;
    assert_true(rc_ideal_useful(rc_ideal_find("B_STREAM")));
    assert_true(rc_ideal_useful(rc_ideal_find("OPS_USEFUL")));
    assert_false(rc_ideal_useful(rc_ideal_find("OPS_DP")));
    assert_false(rc_ideal_useful(RC_IDEAL_COUNT));
    each(check_useful);
}

static void check_expectations(const struct rc_suite *suite,
                               const struct rc_geometry *geometry,
                               const struct rc_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        for (unsigned ideal = 0; ideal < RC_IDEAL_COUNT; ideal++) {
            double count =
                rc_expect(suite, REQUEST(geometry), &points->point[i], ideal);
            if (isnan(count) && suite->setup && !suite->made_by &&
                rc_ideal_exact(ideal))
                fail_msg("%s, %s: %s is not known", suite->name, points->point[i].name,
                         rc_ideal_name(ideal));
            if (!isnan(count) && (count < 0 || isinf(count)))
                fail_msg("%s, %s: %s is %g", suite->name, points->point[i].name,
                         rc_ideal_name(ideal), count);
        }
}

/* Where kernels are written; what the host of a device does is not known. */
static void exact_ideals_are_known_on_every_point(void **state)
{
    (void)state;
    each(check_expectations);
}

static void a_range_is_exact_where_its_ends_are_equal(void **state)
{
    static const double exact[] = {0, 0.5, 1e15};

    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        const struct rc_range range = rc_exactly(exact[i]);
        assert_true(range.low == exact[i] && range.high == exact[i]);
        assert_true(rc_range_exact(range) == exact[i]);
    }
    assert_true(isnan(rc_range_exact(rc_between(0, 12.5))));
    assert_true(isnan(rc_range_exact(rc_unknown())));
    assert_true(rc_unknown().low == 0 && isinf(rc_unknown().high));
    assert_true(isinf(rc_exactly(NAN).high));
}

static void a_range_is_written_by_its_ends(void **state)
{
    static const struct {
        struct rc_range range;
        const char *text;
        bool says;
    } cases[] = {{{2, 2}, "2", true},
                 {{0, 0}, "0", true},
                 {{0, 12.5}, "0..12.5", true},
                 {{1.0 / 3, INFINITY}, "0.3333..", true},
                 {{0, INFINITY}, "?", false}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        rc_range_put(text, sizeof text, cases[i].range, 4);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(rc_range_says(cases[i].range), cases[i].says);
    }
}

static void check_ranges(const struct rc_suite *suite,
                         const struct rc_geometry *geometry,
                         const struct rc_points *points)
{
    for (size_t i = 0; i < points->count; i++)
        for (unsigned ideal = 0; ideal < RC_IDEAL_COUNT; ideal++) {
            const struct rc_range range =
                suite->expect(REQUEST(geometry), &points->point[i], ideal);
            if (!(range.low >= 0 && range.low <= range.high && isfinite(range.low)))
                fail_msg("%s, %s: %s lies in %g to %g", suite->name,
                         points->point[i].name, rc_ideal_name(ideal), range.low,
                         range.high);
        }
}

static void ranges_have_a_low_end_and_a_high_end(void **state)
{
    (void)state;
    each(check_ranges);
}

/* Hits and misses add up to the accesses, whatever the caches do. */
static void check_laws(const struct rc_suite *suite, const struct rc_geometry *geometry,
                       const struct rc_points *points)
{
    static const enum rc_ideal parts[][2] = {
        {RC_IDEAL_L1DM, RC_IDEAL_LOADS},   {RC_IDEAL_L1DH, RC_IDEAL_LOADS},
        {RC_IDEAL_L2DH, RC_IDEAL_LOADS},   {RC_IDEAL_L3DH, RC_IDEAL_LOADS},
        {RC_IDEAL_L1DWH, RC_IDEAL_STORES}, {RC_IDEAL_L1DWM, RC_IDEAL_STORES},
        {RC_IDEAL_M, RC_IDEAL_CR},         {RC_IDEAL_L2DH, RC_IDEAL_L1DM},
        {RC_IDEAL_L2IH, RC_IDEAL_L1IM},
    };

    for (size_t i = 0; i < points->count && suite->setup; i++) {
        const struct rc_point *point = &points->point[i];
        struct rc_range of[RC_IDEAL_COUNT];
        for (unsigned d = 0; d < RC_IDEAL_COUNT; d++)
            of[d] = suite->expect(REQUEST(geometry), point, (enum rc_ideal)d);
        const double loads = of[RC_IDEAL_LOADS].low;
        if (of[RC_IDEAL_L1DM].low + of[RC_IDEAL_L1DH].low > loads + 1e-9 ||
            of[RC_IDEAL_L1DM].high + of[RC_IDEAL_L1DH].high < loads - 1e-9)
            fail_msg("%s, %s: L1DM and L1DH are not LOADS", suite->name, point->name);
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            if (of[parts[k][0]].high > of[parts[k][1]].high + 1e-9)
                fail_msg("%s, %s: up to %g of %s, which is a part of %s, up to %g",
                         suite->name, point->name, of[parts[k][0]].high,
                         rc_ideal_name(parts[k][0]), rc_ideal_name(parts[k][1]),
                         of[parts[k][1]].high);
        if (of[RC_IDEAL_CE].low < of[RC_IDEAL_CR].low)
            fail_msg("%s, %s: fewer branches executed than retired", suite->name,
                     point->name);
    }
}

static void ranges_hold_the_laws_of_caches(void **state)
{
    (void)state;
    each(check_laws);
}

static double expect(const struct rc_suite *suite, const struct rc_geometry *geometry,
                     const struct rc_point *point, enum rc_ideal ideal)
{
    return rc_expect(suite, REQUEST(geometry), point, ideal);
}

static void check_whole(const struct rc_suite *suite,
                        const struct rc_geometry *geometry,
                        const struct rc_points *points)
{
    if (!suite->setup)
        return;
    for (size_t i = 0; i < points->count; i++) {
        const struct rc_point *point = &points->point[i];
        uint64_t smallest = suite->iterations(REQUEST(geometry), point, 1);
        double ins = expect(suite, geometry, point, RC_IDEAL_INS);
        assert_true(smallest > 0);
        assert_true(suite->iterations(REQUEST(geometry), point, 0) >= smallest);
        for (uint64_t budget = 1000; budget <= 10000000; budget *= 10) {
            uint64_t n = suite->iterations(REQUEST(geometry), point, budget);
            if (n != smallest && (double)n * ins > (double)budget)
                fail_msg("%s, %s: %llu iterations of %g instructions, budget %llu",
                         suite->name, point->name, (unsigned long long)n, ins,
                         (unsigned long long)budget);
            for (unsigned ideal = 0; ideal < RC_IDEAL_COUNT; ideal++) {
                double count = (double)n * expect(suite, geometry, point, ideal);
                if (rc_ideal_exact(ideal) && !isnan(count))
                    assert_true(fabs(count - round(count)) <= 1e-9 * fabs(count));
            }
        }
    }
}

static void budgets_hold_and_expected_counts_are_whole(void **state)
{
    (void)state;
    each(check_whole);
}

static void check_parts(const struct rc_suite *suite,
                        const struct rc_geometry *geometry,
                        const struct rc_points *points)
{
    static const enum rc_ideal parts[] = {
        RC_IDEAL_INT_ADD, RC_IDEAL_INT_MUL, RC_IDEAL_INT_LOGIC,
        RC_IDEAL_INT_MOV, RC_IDEAL_CR,      RC_IDEAL_D,
    };

    if (!suite->setup || suite->made_by)
        return;
    for (size_t i = 0; i < points->count; i++) {
        const struct rc_point *point = &points->point[i];
        double ins = expect(suite, geometry, point, RC_IDEAL_INS), sum = 0;
        for (size_t j = 0; j < sizeof parts / sizeof parts[0]; j++)
            sum += expect(suite, geometry, point, parts[j]);
        for (unsigned j = RC_IDEAL_S_SCAL; j <= RC_IDEAL_DF_512; j++)
            sum += expect(suite, geometry, point, j);
        if (sum > ins + 1e-9)
            fail_msg("%s, %s: %g instructions of known kinds, %g in all", suite->name,
                     point->name, sum, ins);
        assert_true(expect(suite, geometry, point, RC_IDEAL_T) <=
                    expect(suite, geometry, point, RC_IDEAL_CR));
        assert_true(expect(suite, geometry, point, RC_IDEAL_LOADS) <= ins);
        assert_true(expect(suite, geometry, point, RC_IDEAL_STORES) <= ins);
    }
}

static void parts_are_never_more_than_all_instructions(void **state)
{
    (void)state;
    each(check_parts);
}

static double dot(const double *x, const double *y, size_t m)
{
    double sum = 0;

    for (size_t i = 0; i < m; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Scales the column of the largest norm, at place 'from' or later, to norm 1 and
 * puts it there; returns that norm, squared.
 */
static double take_pivot(double *a, size_t m, size_t n, size_t from)
{
    size_t pivot = from;
    double best = dot(&a[from * m], &a[from * m], m);

    for (size_t j = from + 1; j < n; j++) {
        double norm = dot(&a[j * m], &a[j * m], m);
        if (norm > best) {
            best = norm;
            pivot = j;
        }
    }
    for (size_t i = 0; i < m && best > 0; i++) {
        double taken = a[pivot * m + i];
        a[pivot * m + i] = a[from * m + i];
        a[from * m + i] = taken / sqrt(best);
    }
    return best;
}

/* Rank of the n columns of length m, by Gram-Schmidt with pivoting. */
static size_t rank_of(double *a, size_t m, size_t n)
{
    double first = 0;

    for (size_t rank = 0; rank < n; rank++) {
        double norm = take_pivot(a, m, n, rank);
        first = fmax(first, norm);
        if (norm <= 1e-18 * first || norm <= 0)
            return rank;
        for (size_t j = rank + 1; j < n; j++) {
            double part = dot(&a[rank * m], &a[j * m], m);
            for (size_t i = 0; i < m; i++)
                a[j * m + i] -= part * a[rank * m + i];
        }
    }
    return n;
}

/* A width that the machine lacks leaves a column of zeros, which is not a fault.
 * Expectations of caches depend on the machine: the default one is used.
 */
static bool basis_is_exact(const struct rc_suite *suite)
{
    for (size_t i = 0; i < suite->ideal_count; i++)
        if (!rc_ideal_exact(suite->ideals[i]))
            return false;
    return true;
}

static void check_rank(const struct rc_suite *suite, const struct rc_geometry *geometry,
                       const struct rc_points *points)
{
    size_t m = points->count, n = 0;
    double *basis;

    if (geometry != &rc_request_default.geometry && !basis_is_exact(suite))
        return;
    basis = calloc(m * suite->ideal_count, sizeof *basis);
    assert_non_null(basis);
    for (size_t j = 0; j < suite->ideal_count; j++) {
        bool zero = true;
        for (size_t i = 0; i < m; i++) {
            double count = expect(suite, geometry, &points->point[i], suite->ideals[j]);
            /* Not exact, and not known on a point: a solve leaves the point out. */
            assert_true(count >= 0 || !rc_ideal_exact(suite->ideals[j]));
            basis[n * m + i] = isnan(count) ? 0 : count;
            zero = zero && count == 0;
        }
        n += !zero;
    }
    if (geometry == &rc_request_default.geometry)
        assert_int_equal(n, suite->ideal_count);
    if (rank_of(basis, m, n) < n)
        fail_msg("%s: the basis of %zu points has less than rank %zu", suite->name, m,
                 n);
    free(basis);
}

static void bases_have_full_column_rank(void **state)
{
    (void)state;
    each(check_rank);
}

static void check_unusable(const struct rc_suite *suite,
                           const struct rc_geometry *geometry,
                           const struct rc_points *points)
{
    for (size_t i = 0; i < points->count && suite->setup; i++) {
        struct rc_error err = {0};
        struct rc_kernel *kernel = (struct rc_kernel *)&err;
        if (!points->point[i].unusable)
            continue;
        assert_int_equal(
            suite->setup(REQUEST(geometry), &points->point[i], &kernel, &err),
            RC_EUNSUPPORTED);
        assert_null(kernel);
        assert_non_null(strstr(err.text, points->point[i].unusable));
    }
    if (suite->teardown)
        suite->teardown(NULL);
}

static void unusable_points_are_refused_with_their_reason(void **state)
{
    (void)state;
    each(check_unusable);
}

/* The smallest run of a point, twice, with all that verify() must refuse. */
static void run_twice(const struct rc_suite *suite, const struct rc_geometry *geometry,
                      const struct rc_point *point)
{
    uint64_t n = suite->iterations(REQUEST(geometry), point, 1);
    struct rc_error err = {0};
    struct rc_kernel *kernel;

    if (suite->setup(REQUEST(geometry), point, &kernel, &err) != RC_OK)
        fail_msg("%s, %s: %s", suite->name, point->name, err.text);
    assert_int_not_equal(suite->verify(kernel, n, &err), RC_OK);
    assert_int_not_equal(suite->verify(kernel, 0, &err), RC_OK);
    for (uint64_t times = 2; times > 0; times--) {
        suite->run(kernel, times * n);
        if (suite->verify(kernel, times * n, &err) != RC_OK)
            fail_msg("%s, %s, %llu iterations: %s", suite->name, point->name,
                     (unsigned long long)(times * n), err.text);
        assert_int_not_equal(suite->verify(kernel, times * n + 1, &err), RC_OK);
        assert_int_not_equal(suite->verify(kernel, times * n - 1, &err), RC_OK);
        assert_int_not_equal(suite->verify(kernel, (3 - times) * n, &err), RC_OK);
        assert_int_not_equal(suite->verify(kernel, 0, &err), RC_OK);
    }
    suite->teardown(kernel);
}

static void check_runs(const struct rc_suite *suite, const struct rc_geometry *geometry,
                       const struct rc_points *points)
{
    if (!suite->setup || (suite->usable && suite->usable()))
        return;
    for (size_t i = 0; i < points->count; i++)
        if (!points->point[i].unusable)
            run_twice(suite, geometry, &points->point[i]);
}

static void runs_verify_and_runs_that_never_happened_do_not(void **state)
{
    (void)state;
    each(check_runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_names_are_not_found),
        cmocka_unit_test(each_suite_and_ideal_is_found_by_its_name),
        cmocka_unit_test(descriptors_are_complete),
        cmocka_unit_test(useful_work_is_said_of_compiled_suites_alone),
        cmocka_unit_test(points_are_unique_and_the_same_each_time),
        cmocka_unit_test(exact_ideals_are_known_on_every_point),
        cmocka_unit_test(a_range_is_exact_where_its_ends_are_equal),
        cmocka_unit_test(a_range_is_written_by_its_ends),
        cmocka_unit_test(ranges_have_a_low_end_and_a_high_end),
        cmocka_unit_test(ranges_hold_the_laws_of_caches),
        cmocka_unit_test(budgets_hold_and_expected_counts_are_whole),
        cmocka_unit_test(parts_are_never_more_than_all_instructions),
        cmocka_unit_test(bases_have_full_column_rank),
        cmocka_unit_test(unusable_points_are_refused_with_their_reason),
        cmocka_unit_test(runs_verify_and_runs_that_never_happened_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
