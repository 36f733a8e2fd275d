/* The longest detours: a Pareto tail that was planted, the largest of many windows. */
#include "tests/lib/test.h"

#include "solve/study/scale.h"
#include "solve/study/tail.h"
#include "tests/lib/trains.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define assert_near(is, wanted, most) assert_true(fabs((is) - (wanted)) <= (most))

static struct train train; /* too large for a stack */

/* Detours of 2 us and one in twenty that is longer than 10 us, by a Pareto
 * distribution of that shape and a scale of 20 us.
 */
static const double scale = 20e-6;

static double pareto(double shape, double unlikely)
{
    return shape == 0 ? -scale * log(unlikely)
                      : scale * (pow(unlikely, -shape) - 1) / shape;
}

static void plant(uint64_t seed, double duration, double rate, double shape)
{
    train_begin(&train, seed, duration);
    for (double at = 0;;) {
        at -= log(train_uniform(&train)) / rate;
        if (at >= duration)
            return;
        const bool is_long = train_uniform(&train) < 0.05;
        const double excess = pareto(shape, train_uniform(&train));
        train_add(&train, at, is_long ? 10e-6 + excess : 2e-6);
    }
}

static struct rc_tail fit(double core_s)
{
    struct rc_error err;
    struct rc_tail tail;

    assert_int_equal(rc_tail_fit(train.detour, train.count,
                                 (uint64_t)(train.duration * 1e9), core_s, &tail, &err),
                     RC_OK);
    return tail;
}

static void few_detours_have_no_tail(void **state)
{
    (void)state;
    train_begin(&train, 1, 0);
    assert_true(isnan(fit(1).worst_ns));
    train_begin(&train, 1, 10);
    assert_true(isnan(fit(1).threshold_ns));
    /* 18 above the threshold; all the same; all but a few the same */
    plant(1, 6, 100, 0.2);
    assert_true(!isnan(fit(1).threshold_ns));
    assert_true(isnan(fit(1).worst_ns) && isnan(fit(1).pareto.shape));
    plant(1, 60, 100, 0.2);
    for (size_t i = 0; i < train.count; i++)
        train.detour[i].length_ns = 5000;
    assert_true(isnan(fit(1e6).worst_ns));
    for (size_t i = 0; i < train.count / 20; i++)
        train.detour[i].length_ns = 9000;
    assert_true(isnan(fit(1e6).worst_low_ns));
}

/* Means over 60 measurements of 10,000 detours, 300 of which are above the threshold.
 */
static void planted_tails_are_found(void **state)
{
    static const double shape[] = {-0.2, 0, 0.2, 0.4};
    enum { RUNS = 60 };

    (void)state;
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        double mean = 0, covered = 0;
        for (size_t i = 0; i < RUNS; i++) {
            plant(1000 * s + i, 100, 100, shape[s]);
            const struct rc_tail tail = fit(1e5);
            /* 5 long ones a second, all of 1e5 s: one in 5e5 of them is longer */
            const double truth = 10e3 + 1e9 * pareto(shape[s], 1 / 5e5);
            assert_true(tail.worst_low_ns <= tail.worst_high_ns);
            assert_near(tail.rate_hz, 3, 0.3);
            mean += tail.pareto.shape / RUNS;
            covered += tail.worst_low_ns <= truth && truth <= tail.worst_high_ns;
        }
        printf("  shape %.1f: %.3f found; the worst lies in the interval %.1f %%\n",
               shape[s], mean, 100 * covered / RUNS);
        assert_near(mean, shape[s], 0.05);
        assert_true(covered / RUNS > 0.8);
    }
}

static void the_same_detours_have_the_same_interval(void **state)
{
    (void)state;
    plant(7, 100, 100, 0.2);
    const struct rc_tail once = fit(1e6), again = fit(1e6);
    assert_true(once.worst_low_ns == again.worst_low_ns);
    assert_true(once.worst_high_ns == again.worst_high_ns);
    assert_true(once.worst_low_ns < once.worst_ns &&
                once.worst_ns < once.worst_high_ns);
}

static void largest(double grain, const double *cores, size_t numbers, double *out)
{
    struct rc_error err;

    assert_int_equal(rc_scale_largest(train.detour, train.count,
                                      (uint64_t)(train.duration * 1e9), grain, cores,
                                      numbers, out, &err),
                     RC_OK);
}

static void a_detour_stops_the_window_that_it_is_in(void **state)
{
    const double one = 1;
    double is;

    (void)state;
    /* 10 ms of work in ten windows, 13 ms in all: 3 ms stolen from two of them */
    train_begin(&train, 1, 13e-3);
    train_add(&train, 0.5e-3, 2e-3);    /* in the first */
    train_add(&train, 2.7e-3, 0.5e-3);  /* 0.7 ms of work before it: likewise */
    train_add(&train, 12.3e-3, 0.5e-3); /* 9.8 ms of work before it: in the last */
    largest(1e6, &one, 1, &is);
    assert_near(is, 3e5, 1); /* the mean of a window */
    largest(1e6, &(double){2}, 1, &is);
    assert_near(is, 2.5e6 * 0.19 + 0.5e6 * 0.17, 1);
    /* nothing measured, nothing stolen, more cores than windows can show */
    largest(1e6, &(double){3}, 1, &is);
    assert_true(isnan(is));
    train.count = 0;
    largest(1e6, &one, 1, &is);
    assert_near(is, 0, 0);
    largest(1e6, &(double){1000}, 1, &is);
    assert_true(isnan(is));
    train.duration = 0;
    largest(1e6, &one, 1, &is);
    assert_true(isnan(is));
}

/* The largest of windows that are drawn again, of as many cores: the mean of many
 * steps.
 */
static double simulated(double cores, double rate, double grain, double shape)
{
    const size_t steps = (size_t)fmax(fmin(3e7 / cores, 3000), 100);
    struct train draw = {.seed = 99};
    double sum = 0;

    /* Time goes over the windows of one core after the other. */
    for (size_t s = 0; s < steps; s++) {
        double step = 0, window = -1, stolen = 0;
        for (double at = 0;;) {
            at -= log(train_uniform(&draw)) / (rate * grain);
            if (at >= cores)
                break;
            if (floor(at) > window)
                stolen = 0;
            window = floor(at);
            const bool is_long = train_uniform(&draw) < 0.05;
            const double excess = pareto(shape, train_uniform(&draw));
            stolen += is_long ? 10e-6 + excess : 2e-6;
            step = fmax(step, stolen);
        }
        sum += step / (double)steps;
    }
    return sum * 1e9;
}

/* 600 s measured, windows of 1 ms: 100,000 cores are told by the measured windows,
 * a million only by the tail.
 */
static void the_largest_of_many_is_that_of_a_simulation(void **state)
{
    static const double cores[] = {10, 1e3, 1e5, 1e6};
    enum { COUNT = sizeof cores / sizeof *cores };
    double is[COUNT];

    (void)state;
    plant(3, 600, 200, 0.1);
    largest(1e6, cores, COUNT, is);
    for (size_t i = 0; i < COUNT; i++) {
        const double wanted = simulated(cores[i], 200, 1e-3, 0.1);
        printf("  %.0f cores: %.1f us, simulated %.1f us\n", cores[i], is[i] / 1e3,
               wanted / 1e3);
        assert_near(is[i] / wanted, 1, i < 2 ? 0.1 : 0.3);
        assert_true(i == 0 || is[i] > is[i - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_detours_have_no_tail),
        cmocka_unit_test(planted_tails_are_found),
        cmocka_unit_test(the_same_detours_have_the_same_interval),
        cmocka_unit_test(a_detour_stops_the_window_that_it_is_in),
        cmocka_unit_test(the_largest_of_many_is_that_of_a_simulation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
