/* Laws as other tools fit them: on data whose results from these tools are known. */
#include "tests/lib/test.h"

#include "solve/model/peers.h"

#include <math.h>
#include <string.h>

typedef int fit_function(const struct rc_observed *observed, struct rc_laws *out,
                         struct rc_error *err);

static struct rc_laws fitted(fit_function *fit, size_t parameters, size_t points,
                             const double *at, const double *value)
{
    size_t first[65];
    struct rc_laws out;
    struct rc_error err = {0};

    for (size_t i = 0; i <= points; i++)
        first[i] = i;
    const struct rc_observed observed = {
        RC_LAWS_MEASURED, parameters, points, at, first, value, NULL};
    assert_int_equal(fit(&observed, &out, &err), RC_OK);
    return out;
}

static bool is_factor(struct rc_law_factor f, int over, int under, int logs)
{
    return f.over == over && f.under == under && f.logs == logs;
}

/* Relative error of the law at a point, in percent. */
static double percent(const struct rc_laws *out, double x, double truth)
{
    return 100 * fabs(rc_law_at(&out->choice[0].law, &x, 1) / truth - 1);
}

static const double sizes[] = {10, 18, 26, 34, 42, 50};

static double shifted_cube(double n)
{
    return 7 * (n - 2) * (n - 2) * (n - 2);
}

static double elimination(double n)
{
    return 2 * n * n * n / 3 - n * n / 2 - n / 6;
}

static double fourier(double n)
{
    return 5 * n * log2(n) + 12 * n;
}

static void no_points_and_too_few_have_no_law_or_a_constant(void **state)
{
    static fit_function *const all[] = {rc_laws_extrap, rc_laws_apmt, rc_laws_amdahl,
                                        rc_laws_analytic};
    const double at[] = {2, 2}, value[] = {5, 5};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t points = 0; points < 3; points++) {
            const struct rc_laws out = fitted(all[i], 1, points, at, value);

            assert_false(out.exact);
            assert_int_equal(out.count, i == 0 && points > 0);
        }
}

static void extrap_finds_what_it_is_known_to_find_in_counts(void **state)
{
    static const struct {
        double (*f)(double);
        int over, under, logs;
        double far, percent; /* error at 'far', within 1 */
    } known[] = {
        {shifted_cube, 3, 1, 1, 800, 52},
        {elimination, 5, 2, 2, 800, 28},
    };
    double value[6];

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 6; i++)
            value[i] = known[k].f(sizes[i]);
        const struct rc_laws out = fitted(rc_laws_extrap, 1, 6, sizes, value);
        assert_int_equal(out.count, 1);
        assert_int_equal(out.choice[0].law.terms, 2);
        assert_true(is_factor(out.choice[0].law.term[1].of[0], known[k].over,
                              known[k].under, known[k].logs));
        assert_true(fabs(percent(&out, known[k].far, known[k].f(known[k].far)) -
                         known[k].percent) <= 1);
        assert_true(isnan(out.noise) && isnan(out.choice[0].covariance[0][0]));
    }
}

static void extrap_finds_a_logarithm_where_there_are_two_terms(void **state)
{
    const double powers[] = {16, 32, 64, 128, 256};
    double value[5];

    (void)state;
    for (size_t i = 0; i < 5; i++)
        value[i] = fourier(powers[i]);
    const struct rc_laws out = fitted(rc_laws_extrap, 1, 5, powers, value);
    assert_true(is_factor(out.choice[0].law.term[1].of[0], 3, 4, 2));
    assert_true(fabs(percent(&out, 4096, fourier(4096)) - 19) <= 1);
}

static void extrap_multiplies_and_adds_the_terms_of_parameters(void **state)
{
    double at[50], product[25], sum[25];
    struct rc_laws out;

    (void)state;
    for (size_t i = 0; i < 25; i++) {
        const double x = at[2 * i] = 4 << (i % 5);
        const double y = at[2 * i + 1] = 10 + 10. * (double)(i / 5);

        product[i] = 3 + 2 * x * log2(x) * y * y;
        sum[i] = 3 + 50 * sqrt(x) + 2 * y;
    }
    out = fitted(rc_laws_extrap, 2, 25, at, product);
    assert_int_equal(out.choice[0].law.terms, 2);
    assert_true(is_factor(out.choice[0].law.term[1].of[0], 1, 1, 1) &&
                is_factor(out.choice[0].law.term[1].of[1], 2, 1, 0));
    assert_true(fabs(out.choice[0].law.term[1].coefficient - 2) < 1e-9);
    out = fitted(rc_laws_extrap, 2, 25, at, sum);
    assert_int_equal(out.choice[0].law.terms, 3);
    assert_true(is_factor(out.choice[0].law.term[1].of[0], 1, 2, 0) &&
                is_factor(out.choice[0].law.term[1].of[1], 0, 1, 0));
    assert_true(is_factor(out.choice[0].law.term[2].of[1], 1, 1, 0));
}

static void extrap_takes_its_law_from_a_cross_of_lines(void **state)
{
    double at[18], value[9];

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        at[2 * i] = i < 5 ? 2 << i : 2;
        at[2 * i + 1] = i < 5 ? 8 : 8. * (double)(i - 3);
        value[i] = 7 + at[2 * i] * at[2 * i + 1];
    }
    const struct rc_laws out = fitted(rc_laws_extrap, 2, 9, at, value);
    assert_int_equal(out.choice[0].law.terms, 2);
    assert_true(is_factor(out.choice[0].law.term[1].of[0], 1, 1, 0) &&
                is_factor(out.choice[0].law.term[1].of[1], 1, 1, 0));
}

static void extrap_leaves_out_logarithms_of_values_below_one(void **state)
{
    const double at[] = {0.5, 1, 2, 4, 8}, value[] = {1, 2, 3, 4, 5};
    const struct rc_laws out = fitted(rc_laws_extrap, 1, 5, at, value);

    (void)state;
    for (size_t t = 0; t < out.choice[0].law.terms; t++)
        assert_int_equal(out.choice[0].law.term[t].of[0].logs, 0);
}

static void apmt_takes_the_power_with_the_highest_r2(void **state)
{
    double value[6];
    struct rc_laws out;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        value[i] = 3 * sizes[i] * log2(sizes[i]) + 5;
    out = fitted(rc_laws_apmt, 1, 6, sizes, value);
    assert_true(is_factor(out.choice[0].law.term[1].of[0], 1, 1, 1));
    assert_true(fabs(out.choice[0].law.term[0].coefficient - 5) < 1e-6);
    for (size_t i = 0; i < 6; i++)
        value[i] = shifted_cube(sizes[i]);
    out = fitted(rc_laws_apmt, 1, 6, sizes, value);
    assert_true(percent(&out, 800, shifted_cube(800)) > 50);
}

static void amdahl_finds_its_three_terms(void **state)
{
    const double at[] = {1, 2, 4, 8, 16, 32};
    double value[6];

    (void)state;
    for (size_t i = 0; i < 6; i++)
        value[i] = 100 / at[i] + 0.25 * pow(at[i], 0.5) + 3;
    const struct rc_laws out = fitted(rc_laws_amdahl, 1, 6, at, value);
    assert_int_equal(out.choice[0].law.terms, 3);
    assert_true(is_factor(out.choice[0].law.term[2].of[0], 1, 2, 0));
    assert_true(percent(&out, 512, 100. / 512 + 0.25 * sqrt(512) + 3) < 1e-6);
}

static void analytic_divides_the_size_by_the_processes(void **state)
{
    const double at[] = {2, 64, 4, 64, 8, 64, 8, 128};
    double value[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        value[i] = 3 * at[2 * i + 1] / at[2 * i] + 0.5;
    const struct rc_laws out = fitted(rc_laws_analytic, 2, 4, at, value);
    assert_true(fabs(out.choice[0].law.term[1].coefficient - 3) < 1e-9);
    assert_true(fabs(out.choice[0].law.term[0].coefficient - 0.5) < 1e-9);
}

static void the_default_knows_exact_laws_and_over_counts(void **state)
{
    static const double share[] = {0.009, 0.0101, 0.0095, 0.011, 0.0099, 0.0105};
    const size_t first[] = {0, 1, 2, 3, 4, 5, 6};
    const double far = 800, wanted = shifted_cube(far);
    double value[6];
    struct rc_observed observed = {RC_LAWS_COUNTED, 1, 6, sizes, first, value, NULL};
    struct rc_predicted predicted;
    struct rc_laws out;

    (void)state;
    assert_string_equal(rc_laws_methods[0].name, "rollcall");
    for (size_t i = 0; i < 6; i++)
        value[i] = shifted_cube(sizes[i]);
    assert_int_equal(rc_laws_methods[0].fit(&observed, &out, NULL), RC_OK);
    predicted = rc_laws_predict(&out, &far);
    assert_true(out.exact && predicted.low == predicted.high);
    assert_true(fabs(predicted.value / wanted - 1) < 1e-15);
    for (size_t i = 0; i < 6; i++)
        value[i] = rint(2 * pow(sizes[i], 3) * (1 + share[i]));
    assert_int_equal(rc_laws_methods[0].fit(&observed, &out, NULL), RC_OK);
    predicted = rc_laws_predict(&out, &far);
    assert_int_equal(predicted.words & RC_LAWS_OVERCOUNT, RC_LAWS_OVERCOUNT);
    assert_true(predicted.low < 2.02 * 800 * 800 * 800 &&
                predicted.high > 2.02 * 800 * 800 * 800);
    assert_true(predicted.high / predicted.low < 1.02);
}

static void other_methods_predict_without_an_interval(void **state)
{
    const size_t first[] = {0, 1, 2, 3, 4, 5, 6};
    const double value[] = {12, 20, 28, 36, 44, 52.5}, far = 800;
    const struct rc_observed observed = {
        RC_LAWS_MEASURED, 1, 6, sizes, first, value, NULL};

    (void)state;
    for (size_t i = 1; rc_laws_methods[i].name; i++) {
        struct rc_laws out;

        assert_int_equal(rc_laws_methods[i].fit(&observed, &out, NULL), RC_OK);
        const struct rc_predicted predicted = rc_laws_predict(&out, &far);
        assert_true(isfinite(predicted.value));
        assert_true(isnan(predicted.low) && isnan(predicted.high));
        assert_false(predicted.words & RC_LAWS_UNKNOWN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_points_and_too_few_have_no_law_or_a_constant),
        cmocka_unit_test(extrap_finds_what_it_is_known_to_find_in_counts),
        cmocka_unit_test(extrap_finds_a_logarithm_where_there_are_two_terms),
        cmocka_unit_test(extrap_multiplies_and_adds_the_terms_of_parameters),
        cmocka_unit_test(extrap_takes_its_law_from_a_cross_of_lines),
        cmocka_unit_test(extrap_leaves_out_logarithms_of_values_below_one),
        cmocka_unit_test(apmt_takes_the_power_with_the_highest_r2),
        cmocka_unit_test(amdahl_finds_its_three_terms),
        cmocka_unit_test(analytic_divides_the_size_by_the_processes),
        cmocka_unit_test(the_default_knows_exact_laws_and_over_counts),
        cmocka_unit_test(other_methods_predict_without_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
