/* Phases of series: planted ones are found, and none where there is none. */
#include "tests/lib/test.h"

#include "solve/series/phases.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SERIES = 6, BINS_MOST = 600, TRIALS = 200, PHASES = 8 };

/* Numbers that are the same in every run (splitmix64, Box and Muller). */
static uint64_t chance = 1;

static double uniform(void)
{
    uint64_t x = chance += 0x9e3779b97f4a7c15;

    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return ((double)((x ^ (x >> 31)) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double value[SERIES][BINS_MOST], scatter[SERIES], least[SERIES];
static size_t boundary[BINS_MOST], boundaries;

static void find(size_t series, size_t bins)
{
    static double packed[SERIES * BINS_MOST];
    struct rc_error err;

    for (size_t j = 0; j < series; j++)
        memcpy(packed + j * bins, value[j], bins * sizeof **value);
    for (size_t j = 0; j < series; j++)
        scatter[j] = least[j];
    assert_int_equal(
        rc_phases_find(packed, series, bins, boundary, &boundaries, scatter, &err),
        RC_OK);
}

static void what_is_short_still_or_unknown_has_no_phases(void **state)
{
    (void)state;
    find(0, 100);
    assert_int_equal(boundaries, 0);
    for (size_t t = 0; t < 100; t++) {
        value[0][t] = 7;
        value[1][t] = NAN;
        value[2][t] = t < 40 ? 3 : NAN; /* less than half is known */
        value[3][t] = 1e300 * (t % 2 ? 1 : -1);
        value[4][t] = t == 50 ? INFINITY : 0;
    }
    find(5, 100);
    assert_int_equal(boundaries, 0);
    for (size_t j = 0; j < 5; j++)
        assert_true(scatter[j] == 0);
    for (size_t t = 0; t < RC_PHASES_BINS; t++)
        value[0][t] = t < 6 ? 0 : 1;
    find(1, RC_PHASES_BINS - 1);
    assert_int_equal(boundaries, 0);
    find(1, RC_PHASES_BINS);
    assert_int_equal(boundaries, 1);
    assert_int_equal(boundary[0], 6);
    assert_true(scatter[0] > 0);
}

/* Series of a steady run: noise, rare counts, a drift, a walk, steps that are rounded,
 * noise that remembers.
 */
static void make_steady(size_t bins)
{
    double walk = 0, memory = 0;

    for (size_t t = 0; t < bins; t++) {
        walk += normal();
        memory = 0.5 * memory + normal();
        value[0][t] = 1e6 + 100 * normal();
        value[1][t] = uniform() < 0.03 ? 1 : 0;
        value[2][t] = 5e9 + 1e6 * (double)t;
        value[3][t] = walk;
        value[4][t] = floor(10 + normal());
        value[5][t] = memory;
    }
}

static void a_steady_run_has_one_phase(void **state)
{
    size_t invented = 0;

    (void)state;
    least[1] = 1; /* counts */
    for (size_t trial = 0; trial < TRIALS; trial++) {
        const size_t bins = 20 + (size_t)(uniform() * (BINS_MOST - 20));
        make_steady(bins);
        find(SERIES, bins);
        invented += boundaries;
    }
    least[1] = 0;
    print_message("%zu boundaries in %d steady runs\n", invented, TRIALS);
    assert_true(invented <= TRIALS / 100);
}

/* Levels that are eight times the scatter apart, or more, in some of the series. */
static size_t plant(size_t begin[PHASES + 1], double noise)
{
    double level[SERIES] = {0};
    size_t bins = 0;

    for (size_t phase = 0; phase < PHASES; phase++) {
        const double length = 2 * exp(uniform() * log(40)); /* 2 to 80 bins */
        begin[phase] = bins;
        bins += (size_t)length;
        const size_t sure = (size_t)(uniform() * 3);
        for (size_t j = 0; j < 3; j++)
            if (j == sure || uniform() < 0.5)
                level[j] += (uniform() < 0.5 ? -1 : 1) * noise * (8 + 30 * uniform());
        for (size_t t = begin[phase]; t < bins; t++)
            for (size_t j = 0; j < 3; j++)
                value[j][t] = level[j] + noise * normal();
    }
    begin[PHASES] = bins;
    return bins;
}

static void planted_phases_are_found_where_they_are(void **state)
{
    size_t found = 0, far = 0, exact = 0;

    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        size_t begin[PHASES + 1], bins;
        do {
            bins = plant(begin, trial % 2 ? 1 : 1e9);
        } while (bins >= BINS_MOST || bins < 60);
        for (size_t t = 0; t < bins; t++) { /* and what tells nothing */
            value[3][t] = normal();
            value[4][t] = (double)t;
        }
        value[0][bins / 3] = NAN;
        find(5, bins);
        for (size_t phase = 1; phase < PHASES; phase++) {
            bool near = false;
            for (size_t i = 0; i < boundaries; i++) {
                near |=
                    boundary[i] + 1 >= begin[phase] && boundary[i] <= begin[phase] + 1;
                exact += boundary[i] == begin[phase];
            }
            found += near;
        }
        for (size_t i = 0; i < boundaries; i++) {
            bool near = false;
            for (size_t phase = 1; phase < PHASES; phase++)
                near |=
                    boundary[i] + 1 >= begin[phase] && boundary[i] <= begin[phase] + 1;
            far += !near;
        }
    }
    const size_t planted = TRIALS * (PHASES - 1);
    print_message("%zu of %zu boundaries found, %zu of them exactly, %zu others\n",
                  found, planted, exact, far);
    assert_true(found * 100 >= planted * 95);
    assert_true(far * 100 <= planted);
}

/* A boundary within a bin leaves a value between the two levels. */
static void a_boundary_within_a_bin_is_found_beside_it(void **state)
{
    (void)state;
    for (size_t t = 0; t < 40; t++)
        value[0][t] = (t < 20 ? 0 : t == 20 ? 5 : 10) + 0.2 * normal();
    find(1, 40);
    assert_int_equal(boundaries, 1);
    assert_true(boundary[0] == 20 || boundary[0] == 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_short_still_or_unknown_has_no_phases),
        cmocka_unit_test(a_steady_run_has_one_phase),
        cmocka_unit_test(planted_phases_are_found_where_they_are),
        cmocka_unit_test(a_boundary_within_a_bin_is_found_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
