/* Laws of noisy numbers: bad inputs first, then planted laws. */
#include "tests/lib/test.h"

#include "campaign/base/mix.h"
#include "solve/model/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 125, READINGS = 5 };

struct data {
    size_t parameters, points;
    double at[MOST * 3], value[MOST * READINGS], spread[MOST];
    size_t first[MOST + 1];
};

#define assert_near(found, expected, off)                                              \
    assert_true(fabs((found) - (expected)) <= (off))

static struct rc_laws fit_with(const struct data *data, const double *spread)
{
    struct rc_observed observed = {
        RC_LAWS_MEASURED, data->parameters, data->points, data->at,
        data->first,      data->value,      spread};
    struct rc_laws out;
    struct rc_error err;

    assert_int_equal(rc_laws_rollcall(&observed, &out, &err), RC_OK);
    return out;
}

static struct rc_laws fit(const struct data *data)
{
    return fit_with(data, NULL);
}

/* One reading at each of some points of one parameter. */
static struct data readings(const double *x, const double *y, size_t points)
{
    struct data data = {.parameters = 1, .points = points};

    for (size_t i = 0; i < points; i++) {
        data.at[i] = x[i];
        data.value[i] = y[i];
        data.first[i + 1] = i + 1;
    }
    return data;
}

static void read_law(struct data *data, double (*law)(const double *), double noise,
                     uint64_t seed)
{
    size_t n = 0;

    for (size_t i = 0; i < data->points; i++) {
        for (size_t r = 0; r < READINGS; r++) {
            double part = (double)(rc_mix_next(&seed) >> 11) * 0x1p-52 - 1;

            data->value[n++] =
                law(data->at + i * data->parameters) * (1 + noise * part);
        }
        data->first[i + 1] = n;
    }
}

static double predict(const struct rc_laws *fit, double x)
{
    return rc_laws_predict(fit, &x).value;
}

static void nothing_is_told_of_no_points(void **state)
{
    struct data data = {.parameters = 1};
    struct rc_laws laws = fit(&data);
    struct rc_predicted out;
    double x = 3;

    (void)state;
    assert_int_equal(laws.count, 0);
    out = rc_laws_predict(&laws, &x);
    assert_true(isnan(out.value) && isnan(out.low) && isnan(out.high));
    assert_true(out.words & RC_LAWS_UNKNOWN);
}

static void one_point_is_a_constant_that_says_nothing_elsewhere(void **state)
{
    struct data data = readings((double[]){8}, (double[]){5}, 1);
    struct rc_laws laws = fit(&data);
    struct rc_predicted out;
    double x = 64;

    (void)state;
    assert_int_equal(laws.count, 1);
    assert_true(laws.words & RC_LAWS_FEW_POINTS && laws.words & RC_LAWS_ONE_READING);
    out = rc_laws_predict(&laws, &x);
    assert_near(out.value, 5, 1e-9);
    assert_true(isnan(out.low) && isnan(out.high));
    assert_true(out.words & RC_LAWS_FIXED_PARAMETER && out.words & RC_LAWS_UNKNOWN);
    x = 8;
    out = rc_laws_predict(&laws, &x);
    assert_true(out.low <= 5 && out.high >= 5);
    assert_false(out.words & RC_LAWS_FIXED_PARAMETER);
}

static void two_points_are_uncertain(void **state)
{
    struct data data = readings((double[]){2, 4}, (double[]){10, 20}, 2);
    struct rc_laws laws = fit(&data);
    double x = 64;
    struct rc_predicted out = rc_laws_predict(&laws, &x);

    (void)state;
    assert_true(laws.count >= 1 && out.value > 0);
    assert_true(out.high > 1.5 * out.low);
}

static void zeros_everywhere_are_zero_and_zeros_somewhere_are_left_out(void **state)
{
    double x[] = {2, 4, 8, 16, 32, 64}, none[6] = {0};
    struct data data = readings(x, none, 6);
    struct rc_laws laws = fit(&data);
    struct rc_predicted out;

    (void)state;
    assert_true(laws.exact && laws.count == 1);
    assert_true(predict(&laws, 1024) == 0);
    data = readings(x, (double[]){0, 8, 16, 32, 0, 128}, 6);
    laws = fit(&data);
    assert_true(laws.words & RC_LAWS_ZEROS);
    assert_near(predict(&laws, 128), 256, 1);
    data = readings(x, (double[]){-1, -2, -3, -4, -5, -6}, 6);
    laws = fit(&data);
    assert_int_equal(laws.count, 0);
    assert_true(laws.words & RC_LAWS_ZEROS);
    out = rc_laws_predict(&laws, x);
    assert_true(isnan(out.value));
}

static void large_and_small_numbers_are_as_good_as_others(void **state)
{
    double scales[] = {1e-120, 1e-9, 1, 1e15, 1e120};

    (void)state;
    for (size_t s = 0; s < 5; s++)
        for (size_t t = 0; t < 3; t++) {
            double wide[] = {1e-6, 1, 1e15}, x[6], y[6];
            struct data data;
            struct rc_laws laws;

            for (size_t i = 0; i < 6; i++) {
                x[i] = wide[t] * ldexp(1, (int)i);
                y[i] = scales[s] * (3 + ldexp(2, (int)i));
            }
            data = readings(x, y, 6);
            laws = fit(&data);
            assert_true(laws.count > 0);
            assert_near(predict(&laws, 64 * wide[t]) / scales[s], 131, 1e-3);
        }
}

static void the_same_at_all_points_is_a_constant(void **state)
{
    double x[] = {2, 4, 8, 16, 32}, y[] = {7, 7, 7, 7, 7};
    struct data data = readings(x, y, 5);
    struct rc_laws laws = fit(&data);

    (void)state;
    assert_int_equal(laws.choice[0].law.terms, 1);
    assert_near(predict(&laws, 1e6), 7, 1e-9);
}

static double two_and_three_x(const double *at)
{
    return 2 + 3 * at[0];
}

static void points_without_readings_and_in_any_order_do_not_matter(void **state)
{
    struct data data = {.parameters = 1, .points = 6, .at = {64, 4, 128, 16, 32, 8}};
    struct data gap = data;
    struct rc_laws laws, other;

    (void)state;
    read_law(&data, two_and_three_x, 0.01, 1);
    laws = fit(&data);
    assert_near(predict(&laws, 1024) / 3074, 1, 0.05);
    read_law(&gap, two_and_three_x, 0.01, 1);
    for (size_t i = 3; i <= 6; i++)
        gap.first[i] = gap.first[2]; /* only 64 and 4 are left */
    other = fit(&gap);
    assert_true(other.words & RC_LAWS_FEW_POINTS);
    assert_true(other.most[0] == 64);
}

static void noise_of_five_percent_leaves_the_law(void **state)
{
    size_t right = 0, held = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct data data = {.parameters = 1, .points = 5, .at = {4, 8, 16, 32, 64}};
        struct rc_laws laws;
        struct rc_predicted out;
        double x = 1024;

        read_law(&data, two_and_three_x, 0.05, 100 * seed);
        laws = fit(&data);
        out = rc_laws_predict(&laws, &x);
        right += fabs(out.value / 3074 - 1) < 0.05;
        held += out.low <= 3074 && out.high >= 3074;
        assert_false(out.words &
                     (RC_LAWS_FEW_POINTS | RC_LAWS_ONE_READING | RC_LAWS_FAR));
    }
    assert_true(right >= 80);
    assert_true(held >= 80);
}

static void a_reading_that_is_far_off_weighs_little(void **state)
{
    (void)state;
    for (size_t point = 0; point < 5; point++) {
        struct data data = {.parameters = 1, .points = 5, .at = {4, 8, 16, 32, 64}};
        struct rc_laws laws;

        read_law(&data, two_and_three_x, 0.01, 9);
        data.value[data.first[point] + 2] *= 10;
        laws = fit(&data);
        assert_near(predict(&laws, 128) / 386, 1, 0.1);
    }
}

static double falls_and_grows(const double *at)
{
    return 100 / at[0] + 0.5 * log2(at[0]) + 1;
}

static void a_time_that_falls_and_grows_has_both_terms(void **state)
{
    struct data data = {.parameters = 1, .points = 7, .at = {2, 4, 8, 16, 32, 64, 128}};
    struct rc_laws laws;

    (void)state;
    read_law(&data, falls_and_grows, 0.001, 5);
    laws = fit(&data);
    assert_int_equal(laws.choice[0].law.terms, 3);
    assert_near(predict(&laws, 1024), 6.1, 0.2);
}

static double falls_steeply(const double *at)
{
    return 40 * pow(at[0], -2.75);
}

static void a_parameter_below_1_has_no_logarithms_and_may_fall(void **state)
{
    struct data data = {.parameters = 1, .points = 5, .at = {0.2, 0.3, 0.4, 0.6, 0.8}};
    struct rc_laws laws;

    (void)state;
    read_law(&data, falls_steeply, 0.01, 5);
    laws = fit(&data);
    assert_true(laws.words & RC_LAWS_SMALL_LOGS);
    assert_near(predict(&laws, 0.1) / falls_steeply((double[]){0.1}), 1, 0.1);
    for (size_t k = 0; k < laws.count; k++)
        for (size_t t = 0; t < laws.choice[k].law.terms; t++)
            assert_int_equal(laws.choice[k].law.term[t].of[0].logs, 0);
}

static double product(const double *at)
{
    return 1 + 0.2 * at[0] * at[0] * log2(at[1]);
}

static void two_parameters_have_the_product(void **state)
{
    struct data data = {.parameters = 2, .points = 25};
    struct rc_laws laws;
    double far[] = {1024, 1024};

    (void)state;
    for (size_t i = 0; i < 25; i++) {
        data.at[2 * i] = ldexp(4, (int)(i / 5));
        data.at[2 * i + 1] = ldexp(4, (int)(i % 5));
    }
    read_law(&data, product, 0.02, 3);
    laws = fit(&data);
    assert_near(rc_laws_predict(&laws, far).value / product(far), 1, 0.05);
    /* Points on no line. */
    data.points = 12;
    for (size_t i = 0; i < 12; i++) {
        data.at[2 * i] = 4 + (double)(i * i);
        data.at[2 * i + 1] = 70 - 5 * (double)i + (i % 3 ? 0.5 : 17);
    }
    read_law(&data, product, 0.01, 3);
    laws = fit(&data);
    far[0] = far[1] = 200;
    assert_near(rc_laws_predict(&laws, far).value / product(far), 1, 0.3);
}

static double of_one(const double *at)
{
    return 5 * at[0];
}

static void parameters_that_vary_together_or_never_are_said(void **state)
{
    struct data data = {.parameters = 2, .points = 5};
    double other[] = {64, 64};
    struct rc_laws laws;
    struct rc_predicted out;

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        data.at[2 * i] = ldexp(2, (int)i);
        data.at[2 * i + 1] = 1024 / data.at[2 * i];
    }
    read_law(&data, of_one, 0.01, 3);
    laws = fit(&data);
    assert_true(laws.words & RC_LAWS_TOGETHER);
    out = rc_laws_predict(&laws, other);
    assert_true(out.high > 2 * out.low);
    for (size_t i = 0; i < 5; i++)
        data.at[2 * i + 1] = 16;
    laws = fit(&data);
    assert_false(laws.words & RC_LAWS_TOGETHER);
    out = rc_laws_predict(&laws, other);
    assert_true(out.words & RC_LAWS_FIXED_PARAMETER && isnan(out.high));
    other[1] = 16;
    out = rc_laws_predict(&laws, other);
    assert_near(out.value, 320, 10);
    assert_false(out.words & RC_LAWS_FIXED_PARAMETER);
}

static double with_edge(const double *at)
{
    return at[0] < 20 ? at[0] : 6 * at[0];
}

static void a_law_with_an_edge_is_that_above_it(void **state)
{
    struct data data = {
        .parameters = 1, .points = 8, .at = {2, 4, 8, 16, 32, 64, 128, 256}};
    struct rc_laws laws;

    (void)state;
    read_law(&data, with_edge, 0.01, 3);
    laws = fit(&data);
    assert_true(laws.words & RC_LAWS_SEGMENTS);
    assert_true(laws.least[0] == 32);
    assert_near(predict(&laws, 1024) / 6144, 1, 0.1);
}

static void given_errors_are_weights(void **state)
{
    double x[] = {2, 4, 8, 16, 32, 64};
    struct data data = readings(x, (double[]){4, 8, 16, 32, 64, 400}, 6);
    double spread[] = {0.01, 0.02, 0.05, 0.1, 0.2, 300}, none[6];
    struct rc_laws laws = fit_with(&data, spread);

    (void)state;
    assert_near(predict(&laws, 128) / 256, 1, 0.1);
    for (size_t i = 0; i < 6; i++)
        none[i] = NAN;
    laws = fit_with(&data, none);
    assert_true(laws.count > 0 && laws.words & RC_LAWS_ONE_READING);
}

static double slow(const double *at)
{
    return 20 + 5 * log2(at[0]);
}

static void a_jump_at_the_last_point_is_a_step_and_no_steep_law(void **state)
{
    struct data data = {.parameters = 1, .points = 5, .at = {16, 32, 64, 128, 256}};
    struct rc_laws laws;

    (void)state;
    read_law(&data, slow, 0.01, 3);
    for (size_t i = data.first[4]; i < data.first[5]; i++)
        data.value[i] *= 8;
    laws = fit(&data);
    assert_true(laws.words & RC_LAWS_SEGMENTS);
    assert_near(predict(&laws, 512) / 520, 1, 0.2);
    assert_near(predict(&laws, 64) / 50, 1, 0.2);
    assert_near(predict(&laws, 24) / 43, 1, 0.35);
}

static double waves(const double *at)
{
    return 10 * at[0] * (1 + 0.5 * sin(at[0] * at[1] / 40));
}

static void what_points_are_off_moves_predictions_near_them(void **state)
{
    struct data data = {.parameters = 2, .points = 25};
    double near[] = {16, 23}, off;
    struct rc_laws laws;

    (void)state;
    for (size_t i = 0; i < 25; i++) {
        data.at[2 * i] = 12 + (double)(i / 5);
        data.at[2 * i + 1] = 10 + 5 * (double)(i % 5);
    }
    read_law(&data, waves, 0.001, 3);
    laws = fit(&data);
    assert_true(laws.misfit > 0.01 && laws.anchors == RC_LAWS_ANCHORS);
    off = fabs(rc_laws_predict(&laws, near).value / waves(near) - 1);
    laws.anchors = 0;
    assert_true(off < 0.7 * fabs(rc_laws_predict(&laws, near).value / waves(near) - 1));
}

static void predictions_are_never_below_0(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct data data = {.parameters = 1, .points = 5, .at = {1, 2, 4, 8, 16}};
        uint64_t now = seed;
        struct rc_laws laws;

        for (size_t i = 0; i < 5; i++) {
            data.value[i] = (double)(rc_mix_next(&now) >> 40);
            data.first[i + 1] = i + 1;
        }
        laws = fit(&data);
        for (double x = 0.01; x < 1e9; x *= 7) {
            struct rc_predicted out = rc_laws_predict(&laws, &x);

            if (isnan(out.value)) /* logarithms below 1 */
                assert_true(x < 1 && out.words & RC_LAWS_UNKNOWN &&
                            out.words & RC_LAWS_SMALL_LOGS);
            else
                assert_true(out.value >= 0 && out.low >= 0 && out.low <= out.value &&
                            out.value <= out.high);
        }
    }
}

static void each_word_has_a_text(void **state)
{
    (void)state;
    for (uint32_t bit = 1; bit <= RC_LAWS_ONE_READING; bit <<= 1)
        assert_true(strlen(rc_laws_word_text((enum rc_laws_word)bit)) > 10);
    assert_string_equal(rc_laws_word_text((enum rc_laws_word)(1 << 20)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_told_of_no_points),
        cmocka_unit_test(one_point_is_a_constant_that_says_nothing_elsewhere),
        cmocka_unit_test(two_points_are_uncertain),
        cmocka_unit_test(zeros_everywhere_are_zero_and_zeros_somewhere_are_left_out),
        cmocka_unit_test(large_and_small_numbers_are_as_good_as_others),
        cmocka_unit_test(the_same_at_all_points_is_a_constant),
        cmocka_unit_test(points_without_readings_and_in_any_order_do_not_matter),
        cmocka_unit_test(noise_of_five_percent_leaves_the_law),
        cmocka_unit_test(a_reading_that_is_far_off_weighs_little),
        cmocka_unit_test(a_time_that_falls_and_grows_has_both_terms),
        cmocka_unit_test(a_parameter_below_1_has_no_logarithms_and_may_fall),
        cmocka_unit_test(two_parameters_have_the_product),
        cmocka_unit_test(parameters_that_vary_together_or_never_are_said),
        cmocka_unit_test(a_law_with_an_edge_is_that_above_it),
        cmocka_unit_test(given_errors_are_weights),
        cmocka_unit_test(a_jump_at_the_last_point_is_a_step_and_no_steep_law),
        cmocka_unit_test(what_points_are_off_moves_predictions_near_them),
        cmocka_unit_test(predictions_are_never_below_0),
        cmocka_unit_test(each_word_has_a_text),
    };

    return cmocka_run_group_tests_name("noisy_laws", tests, NULL, NULL);
}
