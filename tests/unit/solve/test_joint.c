/* Coordinates over all suites as small fractions, and the fewest events of a metric. */
#include "tests/lib/test.h"

#include "solve/algebra/combine.h"
#include "solve/algebra/coordinates.h"
#include "solve/algebra/snap.h"

#include <math.h>
#include <string.h>

static struct rc_error err;

static void fractions_are_the_simplest_ones_that_are_near_enough(void **state)
{
    static const struct {
        double value, within;
        int64_t most;
        bool found;
        struct rc_fraction is;
    } cases[] = {
        {0.37, 1e-9, 1000, true, {37, 100}},
        {-0.37, 1e-9, 1000, true, {-37, 100}},
        {1 - 2e-13, 1e-12, 1000, true, {1, 1}},
        {1e-7, 1e-6, 1000, true, {0, 1}},
        {0, 0, 1, true, {0, 1}},
        {7, 0, 1, true, {7, 1}},
        {3.14159265358979, 1e-2, 1000, true, {22, 7}},
        {3.14159265358979, 1e-5, 1000, true, {355, 113}},
        {3.14159265358979, 1e-9, 1000, false, {0, 1}},
        {0.001, 1e-9, 1000, true, {1, 1000}},
        {0.001, 1e-9, 999, false, {0, 1}},
        {-2940, 1e-6, 1000, true, {-2940, 1}},
        {1e9, 0.5, 1000, false, {0, 1}},
        {NAN, 1, 1000, false, {0, 1}},
        {INFINITY, 1, 1000, false, {0, 1}},
        {1, NAN, 1000, false, {0, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rc_fraction f;
        assert_int_equal(
            rc_fraction_near(cases[i].value, cases[i].within, cases[i].most, &f),
            cases[i].found);
        if (!cases[i].found)
            continue;
        assert_int_equal(f.over, cases[i].is.over);
        assert_int_equal(f.under, cases[i].is.under);
    }
}

enum { POINTS = 8, IDEALS = 3 };

/* Counts of a reading: two ideals and what both are nearly; a million each. */
static const double ideal[IDEALS * POINTS] = {
    1000000, 2000000, 0,       0,       500000,  10,     3000000, 0, /* one */
    0,       0,       1000000, 4000000, 700000,  20,     3000000, 0, /* two */
    1000003, 2000003, 3000003, 4000003, 1200003, 900003, 6000003, 3};

static struct rc_joint *make_joint(void)
{
    static const struct rc_joint_points points = {
        .points = POINTS, .ideals = IDEALS, .ideal = ideal};
    struct rc_joint *joint;

    assert_int_equal(rc_joint_create(&points, &joint, &err), RC_OK);
    assert_non_null(joint);
    return joint;
}

static void count(const double *x, double rest, double *reading)
{
    for (size_t p = 0; p < POINTS; p++) {
        reading[p] = rest;
        for (size_t i = 0; i < IDEALS; i++)
            reading[p] += x[i] * ideal[i * POINTS + p];
        reading[p] = rint(reading[p]);
    }
}

static void coordinates_come_out_as_they_were_planted(void **state)
{
    static const double planted[][IDEALS] = {
        {1, 0, 0},      {0.37, 0.02, 0}, {1, -1, 3},         {0, 0, 1},
        {2.5, 0.13, 1}, {370, 20, 1000}, {0.02, 2.97, -0.5}, {0.0625, 0, 0}};
    struct rc_joint *joint = make_joint();

    (void)state;
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++)
        for (double rest = 0; rest < 200; rest += 97) {
            double reading[POINTS], x[IDEALS], constant;
            count(planted[i], rest, reading);
            assert_true(rc_joint_exact(joint, reading, 1, x, &constant));
            assert_true(fabs(constant - rest) <= 1);
            for (size_t k = 0; k < IDEALS; k++)
                assert_true(x[k] == planted[i][k]);
        }
    rc_joint_close(joint);
}

static void what_is_no_sum_of_ideals_has_no_exact_coordinates(void **state)
{
    static const double some[IDEALS] = {1, 2, 0};
    double reading[POINTS], x[IDEALS] = {7, 7, 7}, constant = 7;
    struct rc_joint *joint = make_joint();

    (void)state;
    for (size_t p = 0; p < POINTS; p++) { /* a few counts too many on one point */
        count(some, 5, reading);
        reading[p] += 9;
        assert_false(rc_joint_exact(joint, reading, 1, x, &constant));
        reading[p] = NAN;
        assert_false(rc_joint_exact(joint, reading, 1, x, &constant));
    }
    assert_true(x[0] == 7 && x[2] == 7 && constant == 7);
    rc_joint_close(joint);
}

static void fractions_that_rounding_hides_are_not_guessed(void **state)
{
    static const double tiny[IDEALS] = {0.00037, 0.00002, 0};
    double reading[POINTS], x[IDEALS], constant;
    struct rc_joint *joint = make_joint();

    (void)state;
    count(tiny, 0, reading);
    assert_false(rc_joint_exact(joint, reading, 1, x, &constant));
    rc_joint_close(joint);
}

/* From counts [part][row]. */
static struct rc_joint *make_of(size_t rows, size_t parts, const double *counts)
{
    const struct rc_joint_points points = {
        .points = rows, .ideals = parts, .ideal = counts};
    struct rc_joint *joint;

    assert_int_equal(rc_joint_create(&points, &joint, &err), RC_OK);
    return joint;
}

/* The same noise on all points. */
static struct rc_joint_fit solve_noisy(struct rc_joint *joint, size_t points,
                                       double noise, const double *reading, double *x)
{
    double each[64];

    assert_true(points <= 64);
    for (size_t p = 0; p < points; p++)
        each[p] = noise * reading[p];
    return rc_joint_solve(
        joint, &(struct rc_joint_readings){.value = reading, .noise = each}, x);
}

static void noise_leaves_coordinates_within_their_deviations(void **state)
{
    static const double planted[IDEALS] = {0.37, 0.02, 1};
    double reading[POINTS], x[IDEALS + 1];
    struct rc_joint *joint = make_joint();

    (void)state;
    count(planted, 50, reading);
    for (size_t p = 0; p < POINTS; p++)
        reading[p] *= 1 + 1e-4 * ((double)(p * 5 % 8) / 4 - 1);
    const struct rc_joint_fit fit = solve_noisy(joint, POINTS, 1e-4, reading, x);
    assert_true(fit.left < 2);
    for (size_t k = 0; k < IDEALS; k++) {
        assert_true(fabs(x[k] - planted[k]) < 4 * fit.deviation[k]);
        assert_true(fit.deviation[k] < 1e-3);
    }
    reading[0] *= 1.1; /* that is not noise */
    assert_true(solve_noisy(joint, POINTS, 1e-4, reading, x).left > 10);
    rc_joint_close(joint);
}

static void columns_that_depend_give_a_relation_and_no_coordinates(void **state)
{
    enum { ALL = IDEALS + 1 };
    double with[ALL * POINTS], relation[ALL * ALL] = {0};
    bool independent[ALL];
    struct rc_joint *joint;

    (void)state;
    memcpy(with, ideal, sizeof ideal);
    for (size_t p = 0; p < POINTS; p++)
        with[IDEALS * POINTS + p] = 2 * ideal[p] + 8 * ideal[POINTS + p];
    const struct rc_joint_points points = {
        .points = POINTS, .ideals = ALL, .ideal = with};
    assert_int_equal(rc_joint_independent(&points, independent, relation, &err), RC_OK);
    for (size_t i = 0; i < ALL; i++)
        assert_int_equal(independent[i], i < IDEALS);
    assert_true(relation[IDEALS * ALL] == 2 && relation[IDEALS * ALL + 1] == 8 &&
                relation[IDEALS * ALL + 2] == 0);
    assert_int_equal(rc_joint_create(&points, &joint, &err), RC_OK);
    assert_null(joint);
}

/* Combines, and says which events, by their bits; 0: none. */
static unsigned combine(const double *x, size_t events, size_t ideals,
                        const double *wanted, double doubted, double *coefficient)
{
    double doubt[8];
    const struct rc_combine_events from = {events, ideals, x,
                                           doubted > 0 ? doubt : NULL};
    struct rc_combiner *combiner;
    size_t event[8], found;
    unsigned bits = 0;
    bool spanned;

    assert_true(ideals < 8 && events <= 8);
    for (size_t e = 0; e < events; e++)
        doubt[e] = doubted;
    assert_int_equal(rc_combiner_create(&from, &combiner, &err), RC_OK);
    assert_int_equal(
        rc_combine(combiner, wanted, 1, event, coefficient, &found, &spanned, &err),
        RC_OK);
    for (size_t i = 0; i < found; i++) {
        assert_true(i == 0 || event[i] > event[i - 1]);
        bits |= 1U << event[i];
    }
    assert_true(spanned || found == 0);
    rc_combiner_close(combiner);
    return bits;
}

static void one_event_comes_before_any_sum(void **state)
{
    static const double x[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 0, 3, 3, 3};
    double y[8];

    (void)state;
    assert_int_equal(combine(x, 5, 3, (double[]){1, 1, 0}, 0, y), 1U << 3);
    assert_true(y[0] == 0.5);
    assert_int_equal(combine(x, 5, 3, (double[]){1, 1, 1}, 0, y), 1U << 4);
    assert_int_equal(combine(x, 5, 3, (double[]){0, 1, 1}, 0, y), 1U << 1 | 1U << 2);
    assert_true(y[0] == 1 && y[1] == 1);
}

/* The case that one suite rounded away: 1, -4, +4, with a large event beside. */
static void parts_that_cancel_are_kept_however_small_they_seem(void **state)
{
    static const double x[] = {1, 4, 0, 0, 1, 20, 0, 0, 20};
    double y[8];

    (void)state;
    assert_int_equal(combine(x, 3, 3, (double[]){1, 0, 0}, 0, y), 7);
    assert_true(y[0] == 1 && y[1] == -4 && y[2] == 4);
}

static void impurities_cancel_with_as_few_events_as_can_be(void **state)
{
    /* The first four span all; the last two alone are the metric. */
    static const double x[] = {1, 0.37, 0,    0,    0, 1, 0.02, 0, 0, 0, 1,   0.13,
                               0, 0,    0.51, 1.25, 1, 1, 1,    0, 0, 0, 0.5, 0};
    double y[8], sum[4] = {0};
    const double wanted[] = {1, 1, 0, 0};

    (void)state;
    assert_int_equal(combine(x, 6, 4, wanted, 0, y), 1U << 4 | 1U << 5);
    assert_true(y[0] == 1 && y[1] == -2);
    assert_int_equal(combine(x, 4, 4, wanted, 0, y), 15);
    for (size_t e = 0; e < 4; e++)
        for (size_t k = 0; k < 4; k++)
            sum[k] += y[e] * x[e * 4 + k];
    for (size_t k = 0; k < 4; k++)
        assert_float_equal(sum[k], wanted[k], 1e-12);
}

static void what_is_not_in_the_span_or_of_no_use_is_not_made_up(void **state)
{
    static const double x[] = {1, 1, 0, 1, 1 + 1e-4, 0}, flat[] = {1, 2, 0, 2, 4, 0};
    double y[8];

    (void)state;
    assert_int_equal(combine(flat, 2, 3, (double[]){1, 0, 0}, 0, y), 0);
    assert_int_equal(combine(flat, 2, 3, (double[]){0, 0, 0}, 0, y), 0);
    assert_int_equal(combine(flat, 0, 3, (double[]){1, 0, 0}, 0, y), 0);
    /* 10001 x one - 10000 x the other. */
    assert_int_equal(combine(x, 2, 3, (double[]){1, 0, 0}, 0, y), 0);
    /* Nor is 1e-4 anything where 1e-3 is noise. */
    assert_int_equal(combine(x, 2, 3, (double[]){1, 1, 0}, 1e-3, y), 1);
}

static void surely_simple_coordinates_become_fractions_and_help_the_others(void **state)
{
    enum { COLUMNS = 3 };
    /* The second shares nearly all of its doubt with the first, which is surely 2;
     * alone it would not be known as 17/50.  The third may be any number.
     */
    double covariance[COLUMNS * COLUMNS] = {1e-4, 1e-3, 0, 1e-3, 0.01000001,
                                            0,    0,    0, 1};
    double x[COLUMNS] = {2.005, 0.34 + 0.05, 7.3};

    (void)state;
    assert_true(rc_snap(COLUMNS, 2, covariance, x));
    assert_true(x[0] == 2);
    assert_true(fabs(x[1] - 0.34) < 1e-9);
    assert_true(x[2] == 7.3);
    assert_true(covariance[0] == 0);
    assert_true(sqrt(covariance[4]) < 4e-4);
    assert_true(covariance[8] == 1);
}

static void coordinates_that_are_no_surely_simple_number_stay(void **state)
{
    double variance = 1e-6, x = 0.3483;

    (void)state;
    assert_true(rc_snap(1, 1, &variance, &x));
    assert_true(x == 0.3483 && variance == 1e-6);
    /* Thousands and thousandths are counted in their own units. */
    variance = 0.01;
    x = 1500.1;
    assert_true(rc_snap(1, 1, &variance, &x));
    assert_true(fabs(x - 1500) < 1e-9 && variance == 0);
    variance = 1e-14;
    x = 0.0025 + 1e-7;
    assert_true(rc_snap(1, 1, &variance, &x));
    assert_true(fabs(x - 0.0025) < 1e-12 && variance == 0);
    /* Three deviations from 2 it may as well be 1.98; one from it, it is 2. */
    variance = 0.0039 * 0.0039;
    x = 1.98805;
    assert_true(rc_snap(1, 1, &variance, &x));
    assert_true(x == 1.98805 && variance > 0);
    assert_false(rc_snap_one(x, 0.0039, &variance));
    variance = 0.0039 * 0.0039;
    x = 1.9961;
    assert_true(rc_snap(1, 1, &variance, &x));
    assert_true(x == 2 && variance == 0);
    /* Nor is it surely 1/2 that has as many deviations as there are other fractions. */
    assert_false(rc_snap_one(0.503, 0.001, &x));
    assert_true(rc_snap_one(0.50001, 1e-5, &x) && x == 0.5);
}

static void coordinates_that_have_a_denominator_in_common_become_fractions(void **state)
{
    enum { COLUMNS = 3 };
    static const double diagonal[] = {2.5e-9, 2.5e-9, 2.5e-9};
    static const double off[] = {4e-5, -3e-5, 2e-5};
    double covariance[COLUMNS * COLUMNS] = {0}, variance = 2.5e-9, x = 2.67 + 4e-5;
    double all[COLUMNS] = {2.67, 0.92, 1.48}, wide[2] = {0.5, 2.67};

    (void)state;
    /* One alone may be anything; three are multiples of 1/100. */
    assert_true(rc_snap(1, 1, &variance, &x));
    assert_true(variance > 0);
    for (size_t i = 0; i < COLUMNS; i++) {
        covariance[i * COLUMNS + i] = diagonal[i];
        all[i] += off[i];
    }
    assert_true(rc_snap(COLUMNS, COLUMNS, covariance, all));
    assert_true(fabs(all[0] - 2.67) < 1e-12 && fabs(all[1] - 0.92) < 1e-12 &&
                fabs(all[2] - 1.48) < 1e-12);
    assert_true(covariance[0] == 0 && covariance[8] == 0);
    /* A surer one does not make of another 8/3, nor 5/2. */
    double two[] = {1e-12, 0, 0, 3e-3 * 3e-3};
    assert_true(rc_snap(2, 2, two, wide));
    assert_true(wide[0] == 0.5 && two[0] == 0);
    assert_true(wide[1] == 2.67 && two[3] > 0);
}

static void noise_is_told_by_the_readings_that_have_it(void **state)
{
    enum { ROWS = 40, COUNTING = 6, PARTS = 2 };
    double counts[PARTS * ROWS] = {0}, reading[ROWS], x[PARTS + 1];
    const double noise = 1e-5;

    (void)state;
    for (size_t p = 0; p < ROWS; p++) {
        counts[p] = (double)(1000000 * (p + 1));
        counts[ROWS + p] = p < COUNTING ? 3e6 : 0;
        reading[p] = rint(0.5 * counts[ROWS + p] * (1 + (p % 3 ? noise : -2 * noise))) +
                     146; /* which has no noise */
    }
    struct rc_joint *joint = make_of(ROWS, PARTS, counts);
    const struct rc_joint_fit fit = solve_noisy(joint, ROWS, noise, reading, x);
    assert_true(fit.left > 0.7 && fit.left < 1.5);
    assert_true(fabs(x[1] - 0.5) < 4 * fit.left * fit.deviation[1]);
    assert_true(fit.noise > 0.7 * noise && fit.noise < 1.5 * noise);
    rc_joint_close(joint);
}

static void noise_of_each_point_is_its_own(void **state)
{
    enum { ROWS = 40, PARTS = 2, QUIET = 10 };
    double counts[PARTS * ROWS], reading[ROWS], noise[ROWS], x[PARTS + 1];

    (void)state;
    for (size_t p = 0; p < ROWS; p++) {
        counts[p] = (double)(1000000 * (p + 1));
        counts[ROWS + p] = (double)(1000000 * (1 + p * p % 7));
        noise[p] = p < QUIET ? 1e-6 : 1e-3;
        reading[p] = (2.5 * counts[p] + 0.37 * counts[ROWS + p]) *
                     (1 + noise[p] * (p % 3 ? 1 : -2));
        noise[p] *= reading[p];
    }
    struct rc_joint *joint = make_of(ROWS, PARTS, counts);
    const struct rc_joint_fit fit = rc_joint_solve(
        joint, &(struct rc_joint_readings){.value = reading, .noise = noise}, x);
    assert_true(fit.left < 2);
    for (size_t k = 0; k < PARTS; k++) {
        assert_true(fabs(x[k] - (k ? 0.37 : 2.5)) < 4 * fit.left * fit.deviation[k]);
        assert_true(fit.deviation[k] < 1e-5);
    }
    rc_joint_close(joint);
}

/* An event that counts on few points fits by chance: that tells little of its noise. */
static void few_points_do_not_make_noise_small(void **state)
{
    enum { ROWS = 12, PARTS = 2 };
    double counts[PARTS * ROWS] = {0}, reading[ROWS] = {0}, x[PARTS + 1];

    (void)state;
    for (size_t p = 0; p < ROWS; p++) {
        counts[p] = (double)(1000000 * (p + 1));
        counts[ROWS + p] = p < 2 ? 3e6 : 0;
        reading[p] = counts[ROWS + p]; /* without any noise */
    }
    struct rc_joint *joint = make_of(ROWS, PARTS, counts);
    const struct rc_joint_fit fit = solve_noisy(joint, ROWS, 1e-4, reading, x);
    assert_true(fit.left > 0.3 && fit.noise > 0.3e-4);
    rc_joint_close(joint);
}

static void noise_that_is_snapped_away_leaves_what_was_planted(void **state)
{
    enum { ROWS = 24, PARTS = 2 };
    double counts[PARTS * ROWS], reading[ROWS], x[PARTS + 1], left_of[PARTS + 1];

    (void)state;
    for (size_t p = 0; p < ROWS; p++) {
        counts[p] = (double)(1000000 * (p + 1));
        counts[ROWS + p] = (double)(1000000 * (1 + p * p % 7));
        reading[p] = (1.5 * counts[p] + 0.3 * counts[ROWS + p] + 40) *
                     (1 + (p % 2 ? 1e-6 : -1e-6));
    }
    struct rc_joint *joint = make_of(ROWS, PARTS, counts);
    const struct rc_joint_fit fit = solve_noisy(joint, ROWS, 1e-6, reading, x);
    assert_true(rc_joint_snap(joint, fit.left, NULL, x, left_of));
    assert_true(x[0] == 1.5 && x[1] == 0.3);
    assert_true(left_of[0] == 0 && left_of[1] == 0 && left_of[2] > 0);
    rc_joint_close(joint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fractions_are_the_simplest_ones_that_are_near_enough),
        cmocka_unit_test(coordinates_come_out_as_they_were_planted),
        cmocka_unit_test(what_is_no_sum_of_ideals_has_no_exact_coordinates),
        cmocka_unit_test(fractions_that_rounding_hides_are_not_guessed),
        cmocka_unit_test(noise_leaves_coordinates_within_their_deviations),
        cmocka_unit_test(
            surely_simple_coordinates_become_fractions_and_help_the_others),
        cmocka_unit_test(coordinates_that_are_no_surely_simple_number_stay),
        cmocka_unit_test(
            coordinates_that_have_a_denominator_in_common_become_fractions),
        cmocka_unit_test(noise_is_told_by_the_readings_that_have_it),
        cmocka_unit_test(noise_of_each_point_is_its_own),
        cmocka_unit_test(few_points_do_not_make_noise_small),
        cmocka_unit_test(noise_that_is_snapped_away_leaves_what_was_planted),
        cmocka_unit_test(columns_that_depend_give_a_relation_and_no_coordinates),
        cmocka_unit_test(one_event_comes_before_any_sum),
        cmocka_unit_test(parts_that_cancel_are_kept_however_small_they_seem),
        cmocka_unit_test(impurities_cancel_with_as_few_events_as_can_be),
        cmocka_unit_test(what_is_not_in_the_span_or_of_no_use_is_not_made_up)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
