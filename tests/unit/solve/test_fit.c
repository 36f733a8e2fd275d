#include "tests/lib/test.h"

#include "solve/algebra/fit.h"

#include <math.h>
#include <string.h>

static struct rc_error err;

/* Two events that count an FMA twice: the published case of "no such metric". */
static void an_event_that_counts_twice_cannot_tell_the_one_from_the_other(void **state)
{
    enum { ROWS = 8, EVENTS = 4 };
    double x[ROWS * EVENTS] = {0}, s[2 * ROWS] = {0}, y[2 * EVENTS], error[2];

    (void)state;
    for (size_t e = 0; e < EVENTS; e++) {
        x[e * ROWS + e] = 1;
        x[e * ROWS + EVENTS + e] = 2;
        s[e] = 1;
        s[EVENTS + e] = 2;
        s[ROWS + EVENTS + e] = 2;
    }
    assert_int_equal(rc_fit(x, ROWS, EVENTS, s, 2, y, error, &err), RC_OK);
    for (size_t e = 0; e < EVENTS; e++) {
        assert_float_equal(y[e], 1, 1e-12);
        assert_float_equal(y[EVENTS + e], 0.8, 1e-12);
    }
    assert_true(error[0] < 1e-15);
    assert_float_equal(error[1], 0.236, 5e-4);
}

static void without_events_or_without_a_part_in_them_the_error_is_one(void **state)
{
    const double x[] = {1, 0}, s[] = {0, 1};
    double y[1] = {7}, error;

    (void)state;
    assert_int_equal(rc_fit(x, 2, 1, s, 1, y, &error, &err), RC_OK);
    assert_float_equal(y[0], 0, 1e-15);
    assert_float_equal(error, 1, 1e-15);
    assert_int_equal(rc_fit(x, 2, 0, s, 1, y, &error, &err), RC_OK);
    assert_float_equal(error, 1, 0);
}

static void coefficients_are_rounded_to_simple_numbers_nearby(void **state)
{
    static const struct {
        double given, largest, expected;
    } row[] = {{1.0004, 1, 1},
               {0.98, 1, 1},
               {1.02, 1, 1},
               {0.8, 1, 0.8},
               {-1.002, 1, -1},
               {0.5, 1, 0.5},
               {0.3333, 1, 1. / 3},
               {2.96, 3, 3},
               {0.02, 1, 0},
               {-0.01, 1, 0},
               {16.001, 16, 16},
               {0.92, 1, 0.92},
               {0.715, 1, 0.715},
               {37.4, 37, 37.4},
               {511.81, 512, 512},
               {-63.9, 64, -64},
               {510.2, 512, 510.2},
               {63.8642, 64, 64},
               {63.875, 64, 64},
               {60.1, 64, 60.1},
               {1e-17, 1, 0},
               {1 / 64.02, 1. / 64, 1. / 64},
               /* a simple number is not near 0, however much the others add */
               {1 - 2e-13, 400, 1},
               {-0.125, 400, -0.125},
               {0.7692, 400, 0},
               {1 + 1e-6, 400, 0},
               {0.7692, 0, 0.7692},
               {1 + 1e-6, 0, 1},
               {1e-9, 0, 1e-9}};

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        assert_float_equal(rc_fit_round(row[i].given, row[i].largest, 0.03),
                           row[i].expected, 1e-12);
}

/* The basis is the identity: coordinates are the readings themselves. */
static void intervals_cover_what_the_repetitions_say(void **state)
{
    enum { REPETITIONS = 20 };
    const double unit[] = {1, 0, 0, 1}, s[] = {1, 0};
    double vector[2 * REPETITIONS], y = 1, low, high, inverse[4];
    const char *const name[] = {"A", "B"};
    const struct rc_basis basis = {2, 2, unit, name};

    (void)state;
    assert_int_equal(rc_fit_inverse(&basis, inverse, &err), RC_OK);
    for (size_t i = 0; i < 4; i++)
        assert_float_equal(inverse[i], unit[i], 1e-15);
    for (size_t r = 0; r < REPETITIONS; r++) {
        vector[2 * r] = 1 + (r % 2 ? 0.1 : -0.1);
        vector[2 * r + 1] = 0;
    }
    const struct rc_repetitions event = {vector, REPETITIONS, 2, inverse, s};
    assert_int_equal(
        rc_fit_intervals(&event, 1, 2, s, 1, &y, 1000, 3, &low, &high, &err), RC_OK);
    /* The mean's standard error is 0.1 / sqrt(20) = 0.022. */
    assert_true(low > 0.9 && low < 0.97);
    assert_true(high > 1.03 && high < 1.1);
    double again_low, again_high;
    assert_int_equal(rc_fit_intervals(&event, 1, 2, s, 1, &y, 1000, 3, &again_low,
                                      &again_high, &err),
                     RC_OK);
    assert_true(low == again_low && high == again_high);
}

static void without_noise_an_interval_is_the_coefficient(void **state)
{
    const double vector[] = {1, 0, 1, 0}, unit[] = {1, 0, 0, 1}, s[] = {1, 0};
    double y = 1, low, high;
    const struct rc_repetitions event = {vector, 2, 2, unit, s};

    (void)state;
    assert_int_equal(
        rc_fit_intervals(&event, 1, 2, s, 1, &y, 1000, 3, &low, &high, &err), RC_OK);
    assert_true(low == 1 && high == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_that_counts_twice_cannot_tell_the_one_from_the_other),
        cmocka_unit_test(without_events_or_without_a_part_in_them_the_error_is_one),
        cmocka_unit_test(coefficients_are_rounded_to_simple_numbers_nearby),
        cmocka_unit_test(intervals_cover_what_the_repetitions_say),
        cmocka_unit_test(without_noise_an_interval_is_the_coefficient),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
