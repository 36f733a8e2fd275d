/* Passes of a program whose references differ by more than their noise. */
#include "tests/lib/test.h"

#include "solve/cube/runs.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { PASSES = 9, TIMES = 3, SETS = 2000 };

static uint64_t seed = 1;

static double draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

static double draw_normal(void)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += draw();
    return sum;
}

static void runs_once_each_differ_by_more_than_2_percent(void **state)
{
    struct rc_run run[] = {{0, 1000}, {1, 1010}, {2, 995}, {3, 1041}};
    struct rc_run_differs out[4];

    (void)state;
    assert_int_equal(rc_runs_judge(run, 1, 1, out), 0);
    assert_int_equal(rc_runs_judge(run, 3, 3, out), 0);
    assert_int_equal(rc_runs_judge(run, 4, 4, out), 1);
    assert_int_equal(out[0].pass, 3);
    assert_true(out[0].value == 1041 && out[0].others == 1005);
    assert_true(fabs(out[0].bound - 20.1) < 1e-9);
    /* of two nobody knows which is the odd one */
    run[1].value = 1100;
    assert_int_equal(rc_runs_judge(run, 2, 2, out), 2);
    run[1].value = run[0].value = 0;
    assert_int_equal(rc_runs_judge(run, 2, 2, out), 0);
}

/* Noise from 1e-5 to 3 %; in each second set one pass did 20 standard deviations more.
 */
static void planted_passes_are_found_and_no_others(void **state)
{
    size_t planted = 0, found = 0, others = 0, wrong = 0;

    (void)state;
    for (size_t set = 0; set < SETS; set++) {
        const size_t passes = 2 + (size_t)(draw() * (PASSES - 2)),
                     odd = set % 2 ? (size_t)(draw() * (double)passes) : SIZE_MAX;
        const double value = pow(10, 3 + 6 * draw()),
                     noise = pow(10, -5 + 3.5 * draw());
        struct rc_run run[PASSES * TIMES];
        struct rc_run_differs out[PASSES];
        size_t runs = 0;
        for (size_t p = 0; p < passes; p++)
            for (int t = 0; t < TIMES; t++, runs++)
                run[runs] = (struct rc_run){
                    p, value * (1 + noise * (draw_normal() + (p == odd ? 20 : 0)))};
        const size_t differ = rc_runs_judge(run, runs, passes, out);
        bool is_found = false;
        for (size_t i = 0; i < differ; i++) {
            is_found |= out[i].pass == odd;
            /* of two passes both differ */
            wrong += out[i].pass != odd && !(odd != SIZE_MAX && passes == 2);
        }
        /* three of two passes have so few repetitions that they count within 2 % */
        const bool can = noise * 20 > 0.02 || runs - passes >= 4;
        planted += odd != SIZE_MAX && can;
        found += odd != SIZE_MAX && can && is_found;
        others += passes - (odd != SIZE_MAX);
    }
    print_message("%zu of %zu planted passes found; %zu of %zu others flagged\n", found,
                  planted, wrong, others);
    assert_true(planted > 900);
    assert_true(found * 1000 >= planted * 995);
    assert_true(wrong * 1000 <= others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_once_each_differ_by_more_than_2_percent),
        cmocka_unit_test(planted_passes_are_found_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
