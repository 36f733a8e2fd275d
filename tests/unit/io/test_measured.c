/* Readings at points of parameters: bad ones first, then what becomes of them. */
#include "tests/lib/test.h"

#include "io/model/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_measured_metric seconds = {"time", "s", RC_MEASURED_TIME, false};
static const struct rc_measured_metric calls = {"calls", "1", RC_MEASURED_COUNT, false};

static struct rc_measured_draft *begin(const char *const *parameter, size_t parameters)
{
    struct rc_measured_draft *draft;
    struct rc_error err;

    assert_int_equal(rc_measured_begin(parameter, parameters, &draft, &err), RC_OK);
    return draft;
}

static void add(struct rc_measured_draft *draft, double p, double n, const char *kernel,
                const struct rc_measured_metric *metric, double value, double spread)
{
    struct rc_error err;

    assert_int_equal(
        rc_measured_add(draft, (double[]){p, n}, kernel, metric, value, spread, &err),
        RC_OK);
}

static struct rc_measured *end(struct rc_measured_draft *draft)
{
    struct rc_measured *m;
    struct rc_error err;

    assert_int_equal(rc_measured_end(draft, "a test", &m, &err), RC_OK);
    assert_string_equal(m->origin, "a test");
    return m;
}

static const char *const p_and_n[] = {"p", "n"};

static void bad_parameters_are_refused(void **state)
{
    static const char *const names[] = {
        "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b0",
        "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c0", "c1",
        "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "d0", "d1", "d2"};
    struct rc_measured_draft *draft = NULL;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_measured_begin(names, 0, &draft, &err), RC_EUSAGE);
    assert_string_equal(err.text, "0 parameters, expected 1 to 4");
    assert_int_equal(rc_measured_begin(names, 33, &draft, &err), RC_EUSAGE);
    assert_string_equal(err.text, "33 parameters, expected 1 to 4");
    assert_int_equal(rc_measured_begin((const char *[]){"p", "p"}, 2, &draft, &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "two parameters are called 'p'");
    assert_int_equal(rc_measured_begin((const char *[]){"p", ""}, 2, &draft, &err),
                     RC_EUSAGE);
    assert_string_equal(err.text, "parameter 2 has no name");
    assert_null(draft);
    rc_measured_drop(NULL);
    rc_measured_close(NULL);
}

static void bad_readings_are_refused_and_leave_the_draft_as_it_was(void **state)
{
    static const struct rc_measured_metric other = {"time", "ns", RC_MEASURED_TIME,
                                                    false};
    static const struct {
        double p, n, value, spread;
        const struct rc_measured_metric *metric;
        const char *expected;
    } bad[] = {
        {0, 1, 1, NAN, &seconds, "parameter 'p' is 0, expected a number above 0"},
        {-4, 1, 1, NAN, &seconds, "parameter 'p' is -4, expected a number above 0"},
        {1, NAN, 1, NAN, &seconds, "parameter 'n' is nan, expected a number above 0"},
        {1, INFINITY, 1, 0, &seconds,
         "parameter 'n' is inf, expected a number above "
         "0"},
        {1, 1, NAN, NAN, &seconds, "nan, expected a number from 0 on"},
        {1, 1, INFINITY, NAN, &seconds, "inf, expected a number from 0 on"},
        {1, 1, -0.5, NAN, &seconds, "-0.5, expected a number from 0 on"},
        {1, 1, -1, NAN, &calls, "-1, expected a number from 0 on"},
        {1, 1, 1, -1, &seconds, "standard error -1, expected one from 0 on"},
        {1, 1, 1, INFINITY, &seconds, "standard error inf, expected one from 0 on"},
        {1, 1, 1, NAN, &other,
         "metric 'time' has the unit 'ns', expected 's' as "
         "before"},
    };
    struct rc_measured_draft *draft = begin(p_and_n, 2);
    struct rc_error err;

    (void)state;
    add(draft, 1, 1, "main", &seconds, 3, NAN);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(rc_measured_add(draft, (double[]){bad[i].p, bad[i].n}, "main",
                                         bad[i].metric, bad[i].value, bad[i].spread,
                                         &err),
                         RC_EUSAGE);
        /* glibc writes the sign of a NAN, which depends on the processor */
        assert_string_equal(err.text[0] == '-' && err.text[1] == 'n' ? err.text + 1
                                                                     : err.text,
                            bad[i].expected);
    }
    struct rc_measured *m = end(draft);
    assert_int_equal(m->points, 1);
    assert_int_equal(m->series, 1);
    assert_true(m->of[0].first[1] == 1 && m->of[0].value[0] == 3);
    rc_measured_close(m);
}

static void a_draft_without_readings_is_refused(void **state)
{
    struct rc_measured *m;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_measured_end(begin(p_and_n, 2), "", &m, &err), RC_EUSAGE);
    assert_string_equal(err.text, "no reading of a kernel");
    assert_null(m);
    rc_measured_drop(begin(p_and_n, 2));
}

static void readings_are_sorted_and_equal_points_are_one(void **state)
{
    static const double at[] = {2, 64, 2, 128, 8, 64};
    struct rc_measured_draft *draft = begin(p_and_n, 2);

    (void)state;
    add(draft, 8, 64, "solve", &seconds, 0.5, NAN);
    add(draft, 2, 128, "main", &calls, 7, NAN);
    add(draft, 2, 64, "solve", &seconds, 4, NAN);
    add(draft, 8, 64, "solve", &seconds, 0.25, NAN);
    add(draft, 2, 64, "main", &seconds, 5, NAN);
    struct rc_measured *m = end(draft);
    assert_int_equal(m->parameters, 2);
    assert_string_equal(m->parameter[1], "n");
    assert_int_equal(m->points, 3);
    assert_memory_equal(m->at, at, sizeof at);
    assert_int_equal(m->kernels, 2);
    assert_string_equal(m->kernel[0], "main");
    assert_int_equal(m->metrics, 2);
    assert_string_equal(m->metric[0].name, "calls");
    assert_string_equal(m->metric[0].unit, "1");
    assert_int_equal(m->metric[0].kind, RC_MEASURED_COUNT);
    assert_int_equal(m->metric[1].kind, RC_MEASURED_TIME);
    assert_int_equal(m->series, 3);
    const struct rc_measured_series *last = &m->of[2];
    assert_true(last->kernel == 1 && last->metric == 1);
    assert_memory_equal(last->first, ((size_t[]){0, 1, 1, 3}), 4 * sizeof(size_t));
    assert_memory_equal(last->value, ((double[]){4, 0.5, 0.25}), 3 * sizeof(double));
    assert_null(last->spread);
    assert_memory_equal(m->of[0].first, ((size_t[]){0, 0, 1, 1}), 4 * sizeof(size_t));
    rc_measured_close(m);
}

static void standard_errors_are_those_of_the_means(void **state)
{
    struct rc_measured_draft *draft = begin(p_and_n, 2);

    (void)state;
    add(draft, 1, 1, "a", &seconds, 2, 0.3);
    add(draft, 1, 1, "a", &seconds, 2, 0.4);
    add(draft, 2, 1, "a", &seconds, 2, 0.125);
    add(draft, 3, 1, "b", &seconds, 2, 0.125);
    add(draft, 2, 1, "b", &seconds, 2, NAN);
    struct rc_measured *m = end(draft);
    assert_non_null(m->of[0].spread);
    assert_true(fabs(m->of[0].spread[0] - 0.25) < 1e-15);
    assert_true(m->of[0].spread[1] == 0.125);
    assert_true(isnan(m->of[0].spread[2]));
    assert_null(m->of[1].spread);
    rc_measured_close(m);
}

static void counts_are_whole_and_simulated_stays_said(void **state)
{
    const struct rc_measured_metric simulated = {"calls", "1", RC_MEASURED_COUNT, true};
    const struct rc_measured_metric bytes = {"bytes", NULL, RC_MEASURED_COUNT, false};
    struct rc_measured_draft *draft = begin(p_and_n, 2);

    (void)state;
    add(draft, 1, 1, "", &bytes, 2, NAN);
    add(draft, 1, 1, "", &calls, 2, NAN);
    add(draft, 1, 1, "", &simulated, 2, NAN);
    add(draft, 1, 1, "", &bytes, 2.5, NAN);
    struct rc_measured *m = end(draft);
    assert_string_equal(m->kernel[0], "program");
    assert_int_equal(m->metric[0].kind, RC_MEASURED_TIME);
    assert_string_equal(m->metric[0].unit, "");
    assert_false(m->metric[0].simulated);
    assert_int_equal(m->metric[1].kind, RC_MEASURED_COUNT);
    assert_true(m->metric[1].simulated);
    rc_measured_close(m);
}

static void parameters_that_never_vary_go_where_there_are_too_many(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    struct rc_measured_draft *draft = begin(names, 6);
    struct rc_measured *m;
    struct rc_error err;

    (void)state;
    for (int x = 1; x < 4; x++)
        assert_int_equal(rc_measured_add(draft, (double[]){1, x, 5, 4 - x, 2, 2 * x},
                                         "k", &seconds, x, NAN, &err),
                         RC_OK);
    m = end(draft);
    assert_int_equal(m->parameters, 3);
    assert_string_equal(m->parameter[0], "b");
    assert_string_equal(m->parameter[2], "f");
    assert_memory_equal(m->at, ((double[]){1, 3, 2, 2, 2, 4, 3, 1, 6}),
                        9 * sizeof(double));
    rc_measured_close(m);

    draft = begin(names, 5);
    for (int x = 1; x < 3; x++)
        assert_int_equal(rc_measured_add(draft, (double[]){x, x, x, x, x}, "k",
                                         &seconds, x, NAN, &err),
                         RC_OK);
    assert_int_equal(rc_measured_end(draft, "", &m, &err), RC_EUSAGE);
    assert_string_equal(err.text, "5 parameters vary, expected at most 4");

    draft = begin(names, 5);
    assert_int_equal(
        rc_measured_add(draft, (double[]){1, 1, 1, 1, 1}, "k", &seconds, 1, NAN, &err),
        RC_OK);
    assert_int_equal(rc_measured_end(draft, "", &m, &err), RC_EUSAGE);
    assert_string_equal(err.text, "none of 5 parameters varies");
}

static void names_of_any_bytes_stay_apart_and_can_be_shown(void **state)
{
    struct rc_measured_draft *draft = begin((const char *[]){"\033[2J", "n"}, 2);
    char *name = malloc(100001);

    (void)state;
    assert_non_null(name);
    memset(name, 'x', 100000);
    name[100000] = 0;
    add(draft, 1, 1, name, &seconds, 1, NAN);
    name[99999] = 'y';
    add(draft, 1, 1, name, &seconds, 1, NAN);
    memset(name, '\xe4', 100000);
    add(draft, 1, 1, name, &seconds, 1, NAN);
    add(draft, 1, 1, "caf\xe9", &seconds, 1, NAN);
    add(draft, 1, 1, "caf\xe8", &seconds, 1, NAN);
    add(draft, 1, 1, "caf\xc3\xa9", &seconds, 1, NAN);
    add(draft, 1, 1, "a\nb", &seconds, 1, NAN);
    struct rc_measured *m = end(draft);
    assert_string_equal(m->parameter[0], "\\x1b[2J");
    assert_int_equal(m->kernels, 7);
    assert_memory_equal(m->kernel[0], "\\xe4\\xe4", 8);
    assert_string_equal(m->kernel[1], "a\\x0ab");
    assert_string_equal(m->kernel[2], "caf\\xe8");
    assert_string_equal(m->kernel[3], "caf\\xe9");
    assert_string_equal(m->kernel[4], "caf\xc3\xa9");
    for (size_t i = 0; i < m->kernels; i++)
        assert_true(strlen(m->kernel[i]) < RC_MEASURED_NAME);
    assert_string_not_equal(m->kernel[5], m->kernel[6]);
    free(name);
    rc_measured_close(m);
}

/* Quadratic work would take hours here. */
static void a_million_readings_are_taken_in_seconds(void **state)
{
    enum { POINTS = 20000, KERNELS = 50 };
    struct rc_measured_draft *draft = begin(p_and_n, 2);
    char name[32];

    (void)state;
    for (int i = POINTS; i-- > 0;)
        for (int k = 0; k < KERNELS; k++) {
            snprintf(name, sizeof name, "main;solve;%d", k);
            const int column = i / 100;
            add(draft, 1 + i % 100, 1 + column, name, &calls, i, NAN);
        }
    struct rc_measured *m = end(draft);
    assert_int_equal(m->points, POINTS);
    assert_int_equal(m->series, KERNELS);
    for (size_t i = 0; i < m->points; i++)
        assert_true(m->of[7].value[m->of[7].first[i]] ==
                    (m->at[2 * i + 1] - 1) * 100 + m->at[2 * i] - 1);
    rc_measured_close(m);
}

static void more_series_and_points_than_memory_are_refused(void **state)
{
    struct rc_measured_draft *draft = begin(p_and_n, 2);
    struct rc_measured *m;
    struct rc_error err;
    char name[32];

    (void)state;
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "k%d", i);
        add(draft, 1 + i, 1, name, &seconds, 1, NAN);
    }
    assert_int_equal(rc_measured_end(draft, "", &m, &err), RC_EUSAGE);
    assert_string_equal(err.text,
                        "10000 kernels and metrics at 10000 points: too many");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_parameters_are_refused),
        cmocka_unit_test(bad_readings_are_refused_and_leave_the_draft_as_it_was),
        cmocka_unit_test(a_draft_without_readings_is_refused),
        cmocka_unit_test(readings_are_sorted_and_equal_points_are_one),
        cmocka_unit_test(standard_errors_are_those_of_the_means),
        cmocka_unit_test(counts_are_whole_and_simulated_stays_said),
        cmocka_unit_test(parameters_that_never_vary_go_where_there_are_too_many),
        cmocka_unit_test(names_of_any_bytes_stay_apart_and_can_be_shown),
        cmocka_unit_test(a_million_readings_are_taken_in_seconds),
        cmocka_unit_test(more_series_and_points_than_memory_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
