#include "tests/lib/test.h"

#include "solve/algebra/cross_check.h"

#include <math.h>

enum { POINTS = 4, IDEALS = 2 };

/* Two ideals on four points, the last of which does not know the second one. */
static const double ideal[POINTS * IDEALS] = {1, 0, 0, 2, 3, 1, 5, NAN};
static const uint64_t iterations[POINTS] = {1000, 2000, 500, 1000};
static const struct rc_cross_check suite = {POINTS, IDEALS, ideal, iterations};

static struct rc_cross_check_result try(const double *weight, const double *counted)
{
    const struct rc_cross_check_claim claim =
        rc_cross_check_event(weight, IDEALS, 1e-6, 1);

    return rc_cross_check_try(&suite, &claim, counted);
}

static void a_true_claim_holds_and_skips_what_is_not_known(void **state)
{
    const double weight[] = {2, 1}, counted[] = {2, 2, 7, 99};
    const double first[] = {1, 0}, of_first[] = {1, 0, 3, 5};

    (void)state;
    struct rc_cross_check_result r = try(weight, counted);
    assert_int_equal(r.points, 3);
    assert_true(r.error < 1e-15);
    r = try(first, of_first);
    assert_int_equal(r.points, 4);
    assert_true(r.error < 1e-15);
}

static void a_constant_rest_of_each_reading_is_forgiven(void **state)
{
    const double weight[] = {1, 0};
    double counted[POINTS] = {1, 0, 3, 5};

    (void)state;
    for (size_t p = 0; p < POINTS; p++)
        counted[p] += 100 / (double)iterations[p];
    assert_true(try(weight, counted).error < 1e-14);
}

static void a_rest_goes_with_the_least_weight(void **state)
{
    const double weight[] = {1, 48}, small[] = {0.5, 1e-9};
    double counted[POINTS] = {1, 96, 51, 5};

    (void)state;
    assert_true(rc_cross_check_event(weight, IDEALS, 0, 1).rest_most ==
                RC_CROSS_CHECK_REST);
    assert_true(rc_cross_check_event(small, IDEALS, 0, 1).rest_most ==
                RC_CROSS_CHECK_REST / 2);
    for (size_t p = 0; p < POINTS; p++)
        counted[p] += 48 * RC_CROSS_CHECK_REST / (double)iterations[p];
    assert_true(try(weight, counted).error > 0.05);
}

static void only_a_difference_has_a_rest_below_0(void **state)
{
    const double sum[] = {1, 1}, difference[] = {1, -1};

    (void)state;
    assert_true(rc_cross_check_event(sum, IDEALS, 0, 1).rest_least == 0);
    assert_true(rc_cross_check_event(difference, IDEALS, 0, 1).rest_least ==
                -RC_CROSS_CHECK_REST);
}

static void what_whole_numbers_leave_out_is_forgiven(void **state)
{
    const double weight[] = {1, 0};
    const double counted[POINTS] = {1 + 0.9e-3, 0, 3 - 1.9e-3, 5};
    const double gross[POINTS] = {1e6, 1e6, 1e6, 1e6}, far[POINTS] = {1.9, 0.9, 3, 5.9};
    struct rc_cross_check_claim claim = rc_cross_check_event(weight, IDEALS, 0, 1);

    (void)state;
    assert_true(try(weight, counted).error == 0);
    assert_true(try(weight, far).error > 0.1);
    claim.gross = gross;
    assert_true(rc_cross_check_try(&suite, &claim, far).error == 0);
}

static void what_is_counted_besides_is_seen(void **state)
{
    const double weight[] = {1, 0}, counted[] = {3, 4, 5, 9};
    const double absent[] = {0, 2}, none[POINTS] = {0};

    (void)state;
    assert_true(try(weight, counted).error > 0.2);
    assert_true(try(absent, none).error > 0.9); /* claimed, and not counted */
}

static void little_is_as_good_as_nothing(void **state)
{
    const double weight[] = {1, 0};
    const double zero[POINTS * IDEALS] = {0}, counted[] = {1e-3, 0, 2e-3, 0};
    const struct rc_cross_check empty = {POINTS, IDEALS, zero, iterations};

    (void)state;
    const struct rc_cross_check_claim claim =
        rc_cross_check_event(weight, IDEALS, 1e-6, 1);
    assert_true(rc_cross_check_try(&empty, &claim, counted).error < 2e-3);
}

static void a_little_of_much_is_not_nothing(void **state)
{
    const double weight[] = {300, 0}; /* cycles of a miss, on points without any */
    const double zero[POINTS * IDEALS] = {0}, counted[] = {24, 25, 48, 12};
    const uint64_t many[POINTS] = {100000, 200000, 100000, 100000};
    const struct rc_cross_check empty = {POINTS, IDEALS, zero, many};

    (void)state;
    const struct rc_cross_check_claim claim =
        rc_cross_check_event(weight, IDEALS, 15, 300);
    assert_true(rc_cross_check_try(&empty, &claim, counted).error > 0.1);
}

static void points_that_were_not_measured_do_not_count(void **state)
{
    const double weight[] = {1, 0}, counted[] = {NAN, 0, 3, 5};
    const uint64_t none[POINTS] = {0};
    const struct rc_cross_check unmeasured = {POINTS, IDEALS, ideal, none};

    (void)state;
    assert_int_equal(try(weight, counted).points, 3);
    const struct rc_cross_check_claim claim =
        rc_cross_check_event(weight, IDEALS, 1e-6, 1);
    struct rc_cross_check_result r = rc_cross_check_try(&unmeasured, &claim, counted);
    assert_int_equal(r.points, 0);
    assert_true(r.error == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_claim_holds_and_skips_what_is_not_known),
        cmocka_unit_test(a_constant_rest_of_each_reading_is_forgiven),
        cmocka_unit_test(a_rest_goes_with_the_least_weight),
        cmocka_unit_test(only_a_difference_has_a_rest_below_0),
        cmocka_unit_test(what_whole_numbers_leave_out_is_forgiven),
        cmocka_unit_test(what_is_counted_besides_is_seen),
        cmocka_unit_test(little_is_as_good_as_nothing),
        cmocka_unit_test(a_little_of_much_is_not_nothing),
        cmocka_unit_test(points_that_were_not_measured_do_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
