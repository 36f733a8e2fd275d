#include "tests/lib/test.h"

#include "solve/algebra/noise.h"

#include <math.h>
#include <stdlib.h>

static double between(const double *vector, size_t count, size_t points)
{
    double room[16];

    return rc_noise_between(vector, count, points, room);
}

static void the_same_readings_have_no_noise(void **state)
{
    const double same[] = {3, 0, 7, 3, 0, 7, 3, 0, 7}, zero[6] = {0};

    (void)state;
    assert_true(between(same, 3, 3) == 0);
    assert_true(between(same, 1, 3) == 0);
    assert_true(between(zero, 2, 3) == 0);
}

static void noise_is_that_of_the_worst_pair(void **state)
{
    /* || (4,4) - (6,6) || / sqrt(2 * 4 * 6) = sqrt(8 / 48) */
    const double pair[] = {4, 4, 6, 6}, three[] = {4, 4, 5, 5, 6, 6};

    (void)state;
    assert_float_equal(between(pair, 2, 2), sqrt(8.0 / 48), 1e-15);
    assert_float_equal(between(three, 3, 2), sqrt(8.0 / 48), 1e-15);
}

static void a_repetition_that_counts_nothing_is_all_noise(void **state)
{
    const double some[] = {0, 0, 5, 5}, cancels[] = {-1, 1, 5, 5};

    (void)state;
    assert_true(between(some, 2, 2) == 1);
    assert_true(between(cancels, 2, 2) == 1);
}

static void many_points_give_what_few_lines_of_arithmetic_give(void **state)
{
    double v[2 * 7], squares = 0, a = 0, b = 0;

    (void)state;
    for (size_t p = 0; p < 7; p++) {
        v[p] = (double)(p + 1);
        v[7 + p] = (double)(p * p + 2);
        squares += (v[p] - v[7 + p]) * (v[p] - v[7 + p]);
        a += v[p] / 7;
        b += v[7 + p] / 7;
    }
    assert_float_equal(between(v, 2, 7), sqrt(squares / (7 * a * b)), 1e-14);
}

static void mean_and_median_go_point_by_point(void **state)
{
    const double v[] = {1, 10, 2, 20, 9, 0};
    const double *side[] = {v, v + 2, v + 4};
    double out[2], room[3];

    (void)state;
    rc_noise_mean(v, 3, 2, out);
    assert_float_equal(out[0], 4, 0);
    assert_float_equal(out[1], 10, 0);
    rc_noise_median(side, 3, 2, room, out);
    assert_float_equal(out[0], 2, 0);
    assert_float_equal(out[1], 10, 0);
    rc_noise_median(side, 2, 2, room, out);
    assert_float_equal(out[0], 1.5, 0);
    assert_float_equal(out[1], 15, 0);
}

static void the_threshold_lies_in_the_widest_gap(void **state)
{
    double clusters[] = {0, 2e-3, 0, 1e-3, 3e-3, NAN, 4e-2}, low, high;
    double steady[] = {0, 0}, none[] = {NAN};

    (void)state;
    double tau = rc_noise_threshold(clusters, 7, &low, &high);
    assert_true(low == RC_NOISE_FLOOR && high == 1e-3);
    assert_true(tau > 1e-16 && tau < 1e-3);
    tau = rc_noise_threshold(steady, 2, &low, &high);
    assert_true(low == RC_NOISE_FLOOR && high == RC_NOISE_CEILING);
    assert_true(tau > low && tau < high);
    tau = rc_noise_threshold(none, 1, &low, &high);
    assert_true(low == RC_NOISE_FLOOR && high == RC_NOISE_CEILING && tau < high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_readings_have_no_noise),
        cmocka_unit_test(noise_is_that_of_the_worst_pair),
        cmocka_unit_test(a_repetition_that_counts_nothing_is_all_noise),
        cmocka_unit_test(many_points_give_what_few_lines_of_arithmetic_give),
        cmocka_unit_test(mean_and_median_go_point_by_point),
        cmocka_unit_test(the_threshold_lies_in_the_widest_gap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
