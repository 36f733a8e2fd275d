/* Detours that strike cores together, by chance, and one core after the other. */
#include "tests/lib/test.h"

#include "solve/study/synchrony.h"
#include "tests/lib/trains.h"

#include <math.h>
#include <stdio.h>

#define assert_near(is, wanted, most) assert_true(fabs((is) - (wanted)) <= (most))

static struct train train; /* too large for a stack */
static struct rc_synchrony windows;

static void begin(double grain_ns, size_t count)
{
    struct rc_error err;

    rc_synchrony_fini(&windows);
    assert_int_equal(rc_synchrony_init(&windows, grain_ns, count, &err), RC_OK);
}

/* A pulse of 0.1 ms each 10 ms for 10 s, the first one at 'first'. */
static void plant_pulses(double first)
{
    train_begin(&train, 1, 10);
    for (double at = first; at < 10; at += 10e-3)
        train_add(&train, at, 1e-4);
}

static void nothing_is_known_without_windows_or_cores(void **state)
{
    (void)state;
    begin(1e6, 0);
    rc_synchrony_add(&windows, NULL, 0, 0, 1);
    assert_true(isnan(rc_synchrony_find(&windows).measured));
    begin(1e6, 10);
    assert_true(isnan(rc_synchrony_find(&windows).independent));
    rc_synchrony_add(&windows, NULL, 0, 0, 1);
    const struct rc_synchrony_found is = rc_synchrony_find(&windows);
    assert_true(is.measured == 0 && is.error == 0 && is.independent == 0);
    rc_synchrony_fini(&windows);
    rc_synchrony_fini(&windows);
}

static void a_detour_is_of_the_window_in_which_it_begins(void **state)
{
    const struct rc_detour detour[] = {{0, 50},    {999, 5000}, {6500, 10},
                                       {6600, 20}, {9999, 7},   {10000, 99}};

    (void)state;
    begin(1e3, 10);
    rc_synchrony_add(&windows, detour, 6, 0, 1);
    assert_true(windows.largest[0] == 5050 && windows.largest[1] == 0);
    assert_true(windows.largest[6] == 30 && windows.largest[9] == 7);
    assert_near(rc_synchrony_find(&windows).measured, 508.7, 1e-6);
    /* one core is independent of nobody */
    assert_near(rc_synchrony_find(&windows).independent, 508.7, 1e-6);
    /* another began 1 us earlier, by a clock at half the rate */
    begin(1e3, 4);
    rc_synchrony_add(&windows, detour, 6, -1000, 0.5);
    assert_true(windows.largest[0] == 0 && windows.largest[2] == 30);
    assert_true(windows.largest[3] == 7);
}

static void cores_that_are_stopped_together_lose_what_one_loses(void **state)
{
    enum { CORES = 8 };

    (void)state;
    begin(1e6, 10000);
    for (int core = 0; core < CORES; core++) {
        const double ahead = 1e-3 * core; /* it began so much before the first window */
        plant_pulses(4.5e-3 + ahead);
        rc_synchrony_add(&windows, train.detour, train.count, -1e9 * ahead, 1);
    }
    const struct rc_synchrony_found is = rc_synchrony_find(&windows);
    assert_near(is.measured, 1e4, 10);
    assert_near(is.independent, 1e5 * (1 - pow(0.9, CORES)), 100);
    assert_near(is.error, 1e5 * sqrt(0.1 * 0.9 / 10000), 1);
}

static void cores_that_are_stopped_in_turn_lose_more_than_by_chance(void **state)
{
    (void)state;
    begin(1e6, 10000);
    for (int core = 0; core < 4; core++) {
        plant_pulses(0.5e-3 + 1e-3 * core);
        rc_synchrony_add(&windows, train.detour, train.count, 0, 1);
    }
    const struct rc_synchrony_found is = rc_synchrony_find(&windows);
    assert_near(is.measured, 4e4, 10);
    assert_near(is.independent, 1e5 * (1 - pow(0.9, 4)), 100);
}

/* Lengths by an exponential distribution, some cores busier than others. */
static void independent_cores_have_a_factor_of_one(void **state)
{
    static const double grain_ns[] = {1e5, 1e6, 1e7};
    enum { CORES = 16 };

    (void)state;
    for (size_t g = 0; g < 3; g++) {
        begin(grain_ns[g], (size_t)(20e9 / grain_ns[g]));
        for (uint64_t core = 0; core < CORES; core++) {
            train_begin(&train, 100 * g + core, 20);
            for (double at = 0;;) {
                at -= log(train_uniform(&train)) / (50.0 * (double)(1 + core % 4));
                if (at >= 20)
                    break;
                train_add(&train, at, -2e-5 * log(train_uniform(&train)));
            }
            rc_synchrony_add(&windows, train.detour, train.count, 0, 1);
        }
        const struct rc_synchrony_found is = rc_synchrony_find(&windows);
        printf("  %.1f ms: %.3f of what is by chance, +- %.3f\n", grain_ns[g] / 1e6,
               is.measured / is.independent, is.error / is.independent);
        assert_near(is.measured, is.independent, 4 * is.error + 0.002 * is.independent);
        assert_true(is.error < 0.03 * is.independent);
    }
    rc_synchrony_fini(&windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_without_windows_or_cores),
        cmocka_unit_test(a_detour_is_of_the_window_in_which_it_begins),
        cmocka_unit_test(cores_that_are_stopped_together_lose_what_one_loses),
        cmocka_unit_test(cores_that_are_stopped_in_turn_lose_more_than_by_chance),
        cmocka_unit_test(independent_cores_have_a_factor_of_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
