/* Runs that are suggested: those that narrow a prediction most for what they cost. */
#include "tests/lib/test.h"

#include "solve/model/advise.h"

#include <math.h>

/* a + b x with a diagonal covariance. */
static struct rc_laws line(double a, double b, double var_a, double var_b)
{
    struct rc_laws fit = {.parameters = 1, .count = 1, .noise = 0.01};

    fit.choice[0].weight = 1;
    fit.choice[0].law.terms = 2;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < RC_LAW_PARAMETERS; i++)
            fit.choice[0].law.term[t].of[i] = (struct rc_law_factor){0, 1, 0};
    fit.choice[0].law.term[0].coefficient = a;
    fit.choice[0].law.term[1].coefficient = b;
    fit.choice[0].law.term[1].of[0].over = 1;
    fit.choice[0].covariance[0][0] = var_a;
    fit.choice[0].covariance[1][1] = var_b;
    return fit;
}

static const struct rc_advice_run runs[] = {
    {{1}, 1, 1}, {{10}, 10, 1}, {{100}, 100, 1}};
static const double target[] = {1000};

static void the_variance_is_that_of_the_law_at_the_target(void **state)
{
    const struct rc_laws fit = line(1, 1, 0.5, 1e-4);
    struct rc_advice_step step[4];
    size_t steps;
    double before;

    (void)state;
    assert_int_equal(
        rc_laws_advise(&fit, 1, runs, 3, target, 1e9, step, 4, &steps, &before, NULL),
        RC_OK);
    assert_true(fabs(before - (0.5 + 1e-4 * 1e6)) < 1e-9);
    assert_true(steps > 0);
    for (size_t i = 0; i < steps; i++) {
        assert_true(step[i].variance < before);
        before = step[i].variance;
    }
}

static void a_slope_that_is_not_known_asks_for_a_large_run_that_fits(void **state)
{
    const struct rc_laws fit = line(1, 1, 1e-6, 1e-2);
    struct rc_advice_step step[4];
    size_t steps;
    double before;

    (void)state;
    rc_laws_advise(&fit, 1, runs, 3, target, 1e9, step, 1, &steps, &before, NULL);
    assert_int_equal(steps, 1);
    /* One reading at x leaves var/(1 + var x^2/noise^2) of it. */
    const double x = runs[step[0].run].at[0], noise = 0.01 * (1 + x);
    const double own = 1e-6 + 1e-2 * x * x;
    const double left = before - pow(1e-6 + 1e-2 * x * 1000, 2) / (own + noise * noise);
    assert_true(fabs(step[0].variance / left - 1) < 1e-6);
    rc_laws_advise(&fit, 1, runs, 3, target, 50, step, 4, &steps, &before, NULL);
    for (size_t i = 0; i < steps; i++)
        assert_true(step[i].run < 2); /* 100 s are too many */
    rc_laws_advise(&fit, 1, runs, 3, target, 0.5, step, 4, &steps, &before, NULL);
    assert_int_equal(steps, 0);
}

static void laws_that_differ_are_told_apart(void **state)
{
    struct rc_laws fit = line(1, 1, 0, 0);
    struct rc_advice_step step[4];
    size_t steps;
    double before;

    (void)state;
    fit.count = 2;
    fit.choice[1] = fit.choice[0];
    fit.choice[0].weight = fit.choice[1].weight = 0.5;
    fit.choice[1].law.term[1].coefficient = 0.01; /* x^2 / 100: the same at 100 */
    fit.choice[1].law.term[1].of[0].over = 2;
    rc_laws_advise(&fit, 1, runs, 3, target, 1e9, step, 1, &steps, &before, NULL);
    assert_true(fabs(before - pow((10000 - 1000) / 2.0, 2)) < 1);
    assert_int_equal(steps, 1);
    assert_true(step[0].run != 2); /* where the laws agree nothing is learnt */
    assert_true(step[0].variance < 0.01 * before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_variance_is_that_of_the_law_at_the_target),
        cmocka_unit_test(a_slope_that_is_not_known_asks_for_a_large_run_that_fits),
        cmocka_unit_test(laws_that_differ_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
