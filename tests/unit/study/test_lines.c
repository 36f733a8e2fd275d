/* Lines of detours: none where none are, and those that were planted. "test_lines 1000"
 * tries as many trains of random detours.
 */
#include "tests/lib/test.h"

#include "solve/study/fft.h"
#include "solve/study/lines.h"
#include "tests/lib/trains.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define assert_near(is, wanted, most) assert_true(fabs((is) - (wanted)) <= (most))

static size_t random_trains = 100;
static struct train train; /* too large for a stack */
static int8_t line_of[TRAIN_MOST];

static size_t find_lines(struct rc_line line[RC_LINES_MOST])
{
    struct rc_error err = {.rank = -1};
    size_t found = 99;

    assert_int_equal(rc_lines_find(train.detour, train.count,
                                   (uint64_t)(train.duration * 1e9), line, &found,
                                   line_of, &err),
                     RC_OK);
    assert_true(found <= RC_LINES_MOST);
    return found;
}

static void few_or_strange_detours_have_no_line(void **state)
{
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    train_begin(&train, 1, 0);
    assert_int_equal(find_lines(line), 0);
    train.duration = 5;
    assert_int_equal(find_lines(line), 0);
    train_add(&train, 1, 1e-6);
    assert_int_equal(find_lines(line), 0);
    /* all at once, without a length; one that is as long as all */
    train.count = 1000;
    for (size_t i = 0; i < train.count; i++)
        train.detour[i] = (struct rc_detour){4999999999, 0};
    assert_int_equal(find_lines(line), 0);
    train.count = 1;
    train.detour[0] = (struct rc_detour){0, 5000000000};
    assert_int_equal(find_lines(line), 0);
    /* a nanosecond in all */
    train.duration = 1e-9;
    train.detour[0] = (struct rc_detour){0, 1};
    assert_int_equal(find_lines(line), 0);
    assert_int_equal(line_of[0], -1);
}

static void spectra_are_those_of_the_definition(void **state)
{
    (void)state;
    for (size_t length = 4; length <= 256; length *= 4) {
        double series[256], own[256], power[128] = {0};
        struct rc_fft fft;
        struct rc_arena arena = {0};
        train.seed = length;
        for (size_t t = 0; t < length; t++)
            series[t] = own[t] = train_normal(&train);
        rc_fft_init(&fft, &arena, length);
        rc_fft_add_power(&fft, series, power);
        for (size_t k = 0; k < length / 2; k++) {
            double re = 0, im = 0;
            for (size_t t = 0; t < length; t++) {
                const double angle = 6.283185307179586 * (double)(k * t % length);
                re += own[t] * cos(angle / (double)length);
                im += own[t] * sin(angle / (double)length);
            }
            assert_near(power[k], re * re + im * im, 1e-9 * (double)length);
        }
        rc_arena_free(&arena);
    }
}

/* From 2 a second to 3000, which is from quiet to full. */
static void random_detours_have_no_line(void **state)
{
    struct rc_line line[RC_LINES_MOST];
    size_t with_line = 0;

    (void)state;
    for (size_t i = 0; i < random_trains; i++) {
        train_begin(&train, i, 6);
        train_add_random(&train, pow(10, 0.3 + 3.2 * train_uniform(&train)));
        train_end(&train);
        const size_t found = find_lines(line);
        with_line += found > 0;
        if (found)
            printf("  train %zu: %.4f Hz, %zu of %zu\n", i, line[0].hz,
                   (size_t)line[0].hits, (size_t)line[0].pulses);
    }
    printf("  %zu of %zu random trains have a line\n", with_line, random_trains);
    assert_true(with_line * 100 <= random_trains);
}

/* Detours that come in heaps, after each other, have no period either. */
static void heaps_of_detours_have_no_line(void **state)
{
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    for (size_t i = 0; i < 10; i++) {
        train_begin(&train, i, 6);
        for (size_t heap = 0; heap < 30; heap++) {
            double at = train.duration * train_uniform(&train);
            while (train_uniform(&train) < 0.95) {
                train_add(&train, at, 5e-6);
                at -= log(train_uniform(&train)) * 1e-3;
            }
        }
        train_end(&train);
        assert_int_equal(find_lines(line), 0);
    }
}

/* The only line is the one of that period, to a part 'most' of it. */
static void assert_found(double period, double most)
{
    struct rc_line line[RC_LINES_MOST];
    const size_t found = find_lines(line);

    if (found != 1 || fabs(line[0].hz * period - 1) > most)
        printf("  %.4f ms: %zu lines, the first of %.6f ms\n", period * 1e3, found,
               found ? 1e3 / line[0].hz : 0);
    assert_int_equal(found, 1);
    assert_near(line[0].hz * period, 1, most);
    /* six degrees of freedom: one in 1000 is farther off than six errors */
    assert_near(line[0].hz, 1 / period, 6 * line[0].hz_error);
}

static void planted_pulses_are_found_by_their_fundamental(void **state)
{
    static const double period[] = {2.1, 2.9, 4.003, 5.7, 8.1, 11.3,
                                    17,  23,  33,    49,  97};

    (void)state;
    for (size_t i = 0; i < sizeof period / sizeof *period; i++) {
        struct pulses p = {.period = period[i] * 1e-3,
                           .phase = 0.3 * period[i] * 1e-3,
                           .hit = 0.95,
                           .jitter = 20e-6,
                           .stolen = 80e-6};
        train_begin(&train, i, 10);
        train_add_pulses(&train, &p);
        train_end(&train);
        assert_found(p.period, 1e-5);
        train_begin(&train, i, 10);
        train_add_random(&train, 100);
        train_add_pulses(&train, &p);
        train_end(&train);
        assert_found(p.period, 1e-5);
        p.hit = 0.64;
        p.jitter = 40e-6;
        train_begin(&train, i, 20);
        train_add_random(&train, 100);
        train_add_pulses(&train, &p);
        train_end(&train);
        assert_found(p.period, 5e-5);
    }
}

/* Planted pulses may be stolen together with a switch of threads each time: it is the
 * slope that must be right.
 */
static void stolen_time_follows_what_was_planted(void **state)
{
    static const double planted[] = {20, 50, 100, 200, 500};
    enum { COUNT = sizeof planted / sizeof *planted };
    double mean[2] = {0}, xx = 0, xy = 0, stolen[COUNT];
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        train_begin(&train, i, 10);
        train_add_random(&train, 100);
        train_add_pulses(&train, &(struct pulses){.period = 7.3e-3,
                                                  .hit = 0.9,
                                                  .jitter = 20e-6,
                                                  .stolen = 55e-6 + planted[i] * 1e-6});
        train_end(&train);
        assert_int_equal(find_lines(line), 1);
        stolen[i] = line[0].stolen_ns / 1e3;
        assert_near(line[0].share, 0.9 * stolen[i] / 7.3e3, 0.05 * line[0].share);
        mean[0] += planted[i] / COUNT;
        mean[1] += stolen[i] / COUNT;
    }
    for (size_t i = 0; i < COUNT; i++) {
        xx += pow(planted[i] - mean[0], 2);
        xy += (planted[i] - mean[0]) * (stolen[i] - mean[1]);
    }
    printf("  slope of stolen against planted: %.4f\n", xy / xx);
    assert_near(xy / xx, 1, 0.03);
}

static const struct pulses tick = {
    .period = 4e-3, .phase = 1e-3, .hit = 0.98, .jitter = 8e-6, .stolen = 45e-6};

static void two_lines_are_told_apart(void **state)
{
    static const double period[] = {3.1e-3, 7.3e-3, 97.3e-3};
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    for (size_t i = 0; i < sizeof period / sizeof *period; i++) {
        struct pulses thief = {.period = period[i],
                               .phase = 2e-3,
                               .hit = 0.95,
                               .jitter = 20e-6,
                               .stolen = i == 2 ? 3e-3 : 80e-6};
        size_t tick_at = 0, own[2] = {0};
        train_begin(&train, i, 10);
        train_add_random(&train, 50);
        train_add_pulses(&train, &tick);
        train_add_pulses(&train, &thief);
        train_end(&train);
        assert_int_equal(find_lines(line), 2);
        assert_true(line[0].share >= line[1].share);
        tick_at = fabs(line[1].hz - 250) < 1;
        assert_near(line[tick_at].hz, 250, 0.01);
        assert_near(line[!tick_at].hz * thief.period, 1, 1e-5);
        assert_near(line[tick_at].phase_ns, 1e6, 2e4);
        /* detours are told by their line, whatever the order in which it was found */
        for (size_t d = 0; d < train.count; d++)
            for (size_t l = 0; l < 2; l++)
                own[l] += line_of[d] == (int8_t)l;
        assert_true(own[0] >= line[0].hits && own[1] >= line[1].hits);
        assert_true((double)own[tick_at] > 0.8 * 2500);
        assert_true((double)own[!tick_at] > 0.8 * 10 / thief.period);
    }
}

/* As by a thread that waits for the core after others: later than the timer by 134 us
 * in the mean, beside a tick that has a period of its own in common with it.
 */
static void pulses_that_come_late_are_found(void **state)
{
    struct pulses late = {.period = 10e-3,
                          .phase = 2.5e-3,
                          .hit = 0.9,
                          .jitter = 10e-6,
                          .late = 134e-6,
                          .stolen = 105e-6};
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    train_begin(&train, 1, 6);
    train_add_random(&train, 200);
    train_add_pulses(&train, &tick);
    train_add_pulses(&train, &late);
    train_end(&train);
    assert_int_equal(find_lines(line), 2);
    assert_near(line[0].hz, 250, 0.01);
    assert_near(line[1].hz, 100, 0.005);
    assert_true(line[1].hits > 480);
    assert_near(line[1].stolen_ns, 107e3, 5e3);
    assert_near(line[1].phase_ns, 2.7e6, 0.2e6);
}

/* Each of these pulses comes together with a tick, and is one detour with it. */
static void a_timer_in_phase_with_the_tick_is_a_line_of_its_own(void **state)
{
    struct pulses timer = {
        .period = 20e-3, .phase = 1e-3, .hit = 0.98, .jitter = 8e-6, .stolen = 300e-6};
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    train_begin(&train, 1, 10);
    train_add_random(&train, 50);
    train_add_pulses(&train, &tick);
    train_add_pulses(&train, &timer);
    train_end(&train);
    assert_int_equal(find_lines(line), 2);
    const size_t tick_at = fabs(line[1].hz - 250) < 1;
    assert_near(line[tick_at].hz, 250, 0.01);
    assert_near(line[!tick_at].hz, 50, 0.001);
    assert_near(line[!tick_at].stolen_ns, 347e3, 10e3);
}

/* Pulses that are few among many detours, but longer. */
static void long_pulses_are_found_among_many_short_detours(void **state)
{
    (void)state;
    train_begin(&train, 1, 6);
    train_add_random(&train, 1500);
    train_add_pulses(&train, &(struct pulses){.period = 97e-3,
                                              .phase = 3e-3,
                                              .hit = 0.9,
                                              .jitter = 30e-6,
                                              .stolen = 500e-6});
    train_end(&train);
    assert_found(97e-3, 5e-5);
}

/* While the host keeps the core away for 30 ms nobody can see a pulse: none is missed.
 */
static void pulses_inside_longer_detours_are_not_expected(void **state)
{
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    train_begin(&train, 1, 6);
    train_add_pulses(&train, &tick);
    for (size_t i = 0; i < 85; i++)
        train_add(&train, 5.9 * train_uniform(&train), 0.03);
    train_end(&train);
    assert_true(train.count < 1200);
    assert_int_equal(find_lines(line), 1);
    assert_near(line[0].hz, 250, 0.01);
    assert_true(line[0].pulses < 1000);
    assert_true((double)line[0].hits > 0.93 * (double)line[0].pulses);
}

/* Spectra of three pieces of time are averaged. */
static void long_measurements_are_searched_too(void **state)
{
    struct rc_line line[RC_LINES_MOST];

    (void)state;
    train_begin(&train, 1, 700);
    train_add_random(&train, 50);
    train_add_pulses(
        &train,
        &(struct pulses){
            .period = 1, .phase = 0.2, .hit = 0.9, .jitter = 30e-6, .stolen = 300e-6});
    train_add_pulses(&train, &(struct pulses){.period = 13.37e-3,
                                              .phase = 0.2e-3,
                                              .hit = 0.9,
                                              .jitter = 30e-6,
                                              .stolen = 100e-6});
    train_end(&train);
    assert_int_equal(find_lines(line), 2);
    assert_near(line[0].hz * 13.37e-3, 1, 1e-6);
    assert_near(line[1].hz, 1, 1e-6);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_or_strange_detours_have_no_line),
        cmocka_unit_test(spectra_are_those_of_the_definition),
        cmocka_unit_test(random_detours_have_no_line),
        cmocka_unit_test(heaps_of_detours_have_no_line),
        cmocka_unit_test(planted_pulses_are_found_by_their_fundamental),
        cmocka_unit_test(stolen_time_follows_what_was_planted),
        cmocka_unit_test(two_lines_are_told_apart),
        cmocka_unit_test(pulses_that_come_late_are_found),
        cmocka_unit_test(a_timer_in_phase_with_the_tick_is_a_line_of_its_own),
        cmocka_unit_test(long_pulses_are_found_among_many_short_detours),
        cmocka_unit_test(pulses_inside_longer_detours_are_not_expected),
        cmocka_unit_test(long_measurements_are_searched_too),
    };

    if (argc > 1)
        random_trains = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
