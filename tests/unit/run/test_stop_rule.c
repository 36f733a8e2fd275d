/* When a group has been measured often enough. */
#include "tests/lib/test.h"

#include "campaign/measure/stop_rule.h"

#include <math.h>
#include <stdbool.h>

static const struct rc_stop_rule_limits rule = {.min = 3, .max = 6, .target = 0.005};

static struct rc_stop_rule *open_rule(const struct rc_stop_rule_limits *from,
                                      size_t events, size_t points)
{
    struct rc_stop_rule *stop_rule;

    assert_int_equal(rc_stop_rule_create(from, events, points, &stop_rule, NULL),
                     RC_OK);
    return stop_rule;
}

/* Adds 'times' sweeps of one event at two points. */
static void add(struct rc_stop_rule *stop_rule, int64_t first, int64_t second,
                int times)
{
    const int64_t values[] = {first, second};

    for (int i = 0; i < times; i++)
        rc_stop_rule_add(stop_rule, values, NULL);
}

static void identical_sweeps_stop_at_the_minimum(void **state)
{
    struct rc_stop_rule *stop_rule = open_rule(&rule, 1, 2);

    (void)state;
    add(stop_rule, 7, 0, 2);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_NONE);
    add(stop_rule, 7, 0, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_DETERMINISTIC);
    rc_stop_rule_close(stop_rule);
}

static void one_sweep_is_never_called_identical(void **state)
{
    const struct rc_stop_rule_limits once = {.min = 1, .max = 4, .target = 0.005},
                                     only = {.min = 1, .max = 1, .target = 0.005};
    struct rc_stop_rule *stop_rule = open_rule(&once, 1, 2);

    (void)state;
    add(stop_rule, 7, 7, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_NONE);
    add(stop_rule, 7, 7, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_DETERMINISTIC);
    rc_stop_rule_close(stop_rule);
    stop_rule = open_rule(&only, 1, 2);
    add(stop_rule, 7, 7, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_MOST);
    rc_stop_rule_close(stop_rule);
}

static void a_wide_spread_goes_on_to_the_maximum(void **state)
{
    struct rc_stop_rule *stop_rule = open_rule(&rule, 1, 2);

    (void)state;
    for (int i = 0; i < 5; i++) {
        add(stop_rule, 100 + 50 * (i % 2), 100, 1);
        assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_NONE);
    }
    add(stop_rule, 100, 100, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_MOST);
    rc_stop_rule_close(stop_rule);
}

/* Half-width by hand: values 1000, 1001, 1002 at one point: s = 1, t(2) = 4.303,
 * 4.303 * 1 / sqrt(3) / 1001 = 0.002482.
 */
static void a_narrow_spread_is_precise(void **state)
{
    const int64_t values[] = {1000, 1001, 1002};
    struct rc_stop_rule *stop_rule = open_rule(&rule, 1, 1);

    (void)state;
    for (int i = 0; i < 3; i++)
        rc_stop_rule_add(stop_rule, &values[i], NULL);
    assert_true(fabs(rc_stop_rule_width(stop_rule, 0) - 0.002482) < 1e-6);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_PRECISE);
    rc_stop_rule_close(stop_rule);
}

static void the_noisiest_event_decides_unless_it_is_skipped(void **state)
{
    const bool skip[] = {false, true};
    struct rc_stop_rule *stop_rule = open_rule(&rule, 2, 1);

    (void)state;
    for (int i = 0; i < 3; i++)
        rc_stop_rule_add(stop_rule, (int64_t[]){5, i * 100}, NULL);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_NONE);
    rc_stop_rule_add(stop_rule, (int64_t[]){5, 1}, skip);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_DETERMINISTIC);
    rc_stop_rule_close(stop_rule);
}

static void counts_above_2_to_53_and_missing_ones_are_compared(void **state)
{
    const int64_t huge = INT64_C(1) << 60;
    struct rc_stop_rule *stop_rule = open_rule(&rule, 1, 2);

    (void)state;
    add(stop_rule, huge, INT64_MIN, 2);
    add(stop_rule, huge + 1, INT64_MIN, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_PRECISE);
    rc_stop_rule_close(stop_rule);
}

static void a_deterministic_source_may_differ_at_first(void **state)
{
    const struct rc_stop_rule_limits settles = {2, 30, 0.005, true};
    struct rc_stop_rule *stop_rule = open_rule(&settles, 1, 2);

    (void)state;
    add(stop_rule, 5, 9, 1);
    add(stop_rule, 4, 9, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_NONE);
    add(stop_rule, 4, 9, 1);
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_DETERMINISTIC);
    rc_stop_rule_close(stop_rule);
}

static void zero_means_that_differ_are_not_precise(void **state)
{
    struct rc_stop_rule *stop_rule = open_rule(&rule, 1, 1);

    (void)state;
    for (int i = -1; i <= 1; i++)
        rc_stop_rule_add(stop_rule, (int64_t[]){i}, NULL);
    assert_true(isinf(rc_stop_rule_width(stop_rule, 0)));
    assert_int_equal(rc_stop_rule_verdict(stop_rule), RC_STOP_NONE);
    rc_stop_rule_close(stop_rule);
}

static void the_end_is_seen_one_sweep_ahead(void **state)
{
    struct rc_stop_rule *stop_rule = open_rule(&rule, 1, 2);

    (void)state;
    add(stop_rule, 7, 7, 1);
    assert_false(rc_stop_rule_may_end(stop_rule)); /* two more at least */
    add(stop_rule, 7, 7, 1);
    assert_true(rc_stop_rule_may_end(stop_rule));
    add(stop_rule, 9, 5, 1);
    assert_false(rc_stop_rule_may_end(stop_rule)); /* far from precise */
    add(stop_rule, 8, 7, 1);
    assert_false(rc_stop_rule_may_end(stop_rule));
    add(stop_rule, 9, 5, 1);
    assert_true(rc_stop_rule_may_end(stop_rule)); /* the sixth is the last */
    rc_stop_rule_close(stop_rule);
}

static void students_t_is_that_of_the_tables(void **state)
{
    (void)state;
    assert_true(isinf(rc_stop_rule_student(0)));
    assert_true(fabs(rc_stop_rule_student(4) - 2.776) < 1e-9);
    assert_true(fabs(rc_stop_rule_student(60) - 2.000) < 3e-3);
    assert_true(fabs(rc_stop_rule_student(1000) - 1.962) < 3e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identical_sweeps_stop_at_the_minimum),
        cmocka_unit_test(one_sweep_is_never_called_identical),
        cmocka_unit_test(a_wide_spread_goes_on_to_the_maximum),
        cmocka_unit_test(a_narrow_spread_is_precise),
        cmocka_unit_test(the_noisiest_event_decides_unless_it_is_skipped),
        cmocka_unit_test(counts_above_2_to_53_and_missing_ones_are_compared),
        cmocka_unit_test(a_deterministic_source_may_differ_at_first),
        cmocka_unit_test(zero_means_that_differ_are_not_precise),
        cmocka_unit_test(the_end_is_seen_one_sweep_ahead),
        cmocka_unit_test(students_t_is_that_of_the_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
