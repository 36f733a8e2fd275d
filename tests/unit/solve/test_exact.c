/* Laws of exact counts: those that are found, and data that no exact law is found in. */
#include "tests/lib/test.h"

#include "campaign/base/mix.h"
#include "solve/model/exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 81 };

/* Points and one reading at each. */
struct data {
    size_t parameters, points;
    double at[POINTS * RC_LAW_PARAMETERS], value[POINTS];
};

static struct rc_laws exact(const struct data *data)
{
    size_t first[POINTS + 1];
    struct rc_laws out;
    struct rc_error err = {0};

    for (size_t i = 0; i <= data->points; i++)
        first[i] = i;
    const struct rc_observed observed = {.kind = RC_LAWS_COUNTED,
                                         .parameters = data->parameters,
                                         .points = data->points,
                                         .at = data->at,
                                         .first = first,
                                         .value = data->value};
    assert_int_equal(rc_laws_exact(&observed, &out, &err), RC_OK);
    return out;
}

static struct data series(const double *x, size_t points, double (*f)(double))
{
    struct data data = {.parameters = 1, .points = points};

    for (size_t i = 0; i < points; i++) {
        data.at[i] = x[i];
        data.value[i] = f(x[i]);
    }
    return data;
}

static const double equal[] = {10, 18, 26, 34, 42, 50};
static const double powers[] = {8, 16, 32, 64, 128, 256};
static const double wild[] = {7, 10, 15, 22, 35, 50};

/* A law is found that has these coefficients, in any order, and no others. */
static void assert_found(const struct rc_laws *out, size_t count, const double *wanted)
{
    assert_true(out->exact);
    assert_int_equal(out->count, 1);
    assert_int_equal(out->choice[0].law.terms, count);
    for (size_t w = 0; w < count; w++) {
        bool found = false;

        for (size_t t = 0; t < count; t++)
            found = found || fabs(out->choice[0].law.term[t].coefficient - wanted[w]) <=
                                 1e-14 * fabs(wanted[w]);
        assert_true(found);
    }
}

#define FOUND(out, ...)                                                                \
    assert_found(&(out), sizeof((double[]){__VA_ARGS__}) / sizeof(double),             \
                 (double[]){__VA_ARGS__})

static void too_few_points_have_no_exact_law(void **state)
{
    struct data data = {.parameters = 1, .points = 0, .at = {2, 4}, .value = {6, 12}};

    (void)state;
    for (; data.points <= 2; data.points++) {
        const struct rc_laws out = exact(&data);
        assert_false(out.exact);
        assert_int_equal(out.count, 0);
    }
}

static void three_terms_at_four_points_are_no_exact_law(void **state)
{
    const struct data blocks = {1, 4, {2, 4, 8, 16}, {28, 196, 1344, 10332}};

    (void)state; /* 2.5 n^3 + 28 log2(n) - 20 */
    assert_false(exact(&blocks).exact);
}

static void readings_that_differ_have_no_exact_law(void **state)
{
    const double at[] = {2, 4, 8, 16}, value[] = {20, 21, 40, 40, 80, 80, 160, 160};
    const size_t first[] = {0, 2, 4, 6, 8};
    const struct rc_observed observed = {RC_LAWS_COUNTED, 1, 4, at, first, value, NULL};
    struct rc_laws out;

    (void)state;
    assert_int_equal(rc_laws_exact(&observed, &out, NULL), RC_OK);
    assert_false(out.exact);
    assert_int_equal(out.count, 0);
}

static void a_reading_that_differs_from_most_of_its_point_is_left_out(void **state)
{
    const double at[] = {2, 4, 8, 16};
    const double value[] = {20, 20, 21, 40, 40, 40, 80, 82, 80, 160, 160, 160};
    const size_t first[] = {0, 3, 6, 9, 12};
    const struct rc_observed observed = {RC_LAWS_COUNTED, 1, 4, at, first, value, NULL};
    struct rc_laws out;

    (void)state;
    assert_int_equal(rc_laws_exact(&observed, &out, NULL), RC_OK);
    FOUND(out, 10);
}

static void points_that_were_not_measured_are_left_out(void **state)
{
    const double at[] = {2, 3, 4, 8, 16}, value[] = {20, 40, 80, 160};
    const size_t first[] = {0, 1, 1, 2, 3, 4};
    const struct rc_observed observed = {RC_LAWS_COUNTED, 1, 5, at, first, value, NULL};
    struct rc_laws out;

    (void)state;
    assert_int_equal(rc_laws_exact(&observed, &out, NULL), RC_OK);
    FOUND(out, 10);
    assert_true(out.least[0] == 2 && out.most[0] == 16);
}

static double shifted_cube(double n)
{
    return 7 * (n - 2) * (n - 2) * (n - 2);
}

static double sum_of_squares(double n) /* 2n^3/3 - n^2/2 - n/6, whole */
{
    return (4 * n * n * n - 3 * n * n - n) / 6;
}

static double fourier(double n)
{
    return 5 * n * log2(n) + 12 * n;
}

static double nonzeros(double n)
{
    return (3 * n - 2) * (3 * n - 2) * (3 * n - 2);
}

static double roots(double n)
{
    return 3 * pow(n, 1.25) + 2 * sqrt(n) + 7;
}

static double lines(double p)
{
    return 6.52e7 * p + 5.92e9;
}

static double other_lines(double p)
{
    return 3.05e8 * p + 3.15e9;
}

static double constant(double p)
{
    (void)p;
    return 24576;
}

static double zero(double p)
{
    (void)p;
    return 0;
}

static double others(double p)
{
    return p - 1;
}

static void laws_of_programs_are_found_to_the_last_digit(void **state)
{
    const double sp[] = {4, 9, 16};
    struct rc_laws out;
    struct data data;

    (void)state;
    data = series(equal, 6, shifted_cube);
    out = exact(&data);
    FOUND(out, 7, -42, 84, -56);
    data = series(equal, 6, sum_of_squares);
    out = exact(&data);
    FOUND(out, 2. / 3, -0.5, -1. / 6);
    data = series(powers + 1, 5, fourier);
    out = exact(&data);
    FOUND(out, 5, 12);
    data = series(wild, 6, fourier);
    out = exact(&data);
    FOUND(out, 5, 12);
    data = series((double[]){4, 6, 8, 11, 14, 20}, 6, nonzeros);
    out = exact(&data);
    FOUND(out, 27, -54, 36, -8);
    data = series(equal, 6, roots);
    out = exact(&data);
    FOUND(out, 3, 2, 7);
    data = series((double[]){2, 4, 8}, 3, lines);
    out = exact(&data);
    FOUND(out, 6.52e7, 5.92e9);
    data = series(sp, 3, other_lines);
    out = exact(&data);
    FOUND(out, 3.05e8, 3.15e9);
    data = series(powers, 3, constant);
    out = exact(&data);
    FOUND(out, 24576);
    data = series(powers, 3, zero);
    out = exact(&data);
    FOUND(out, 0);
    data = series((double[]){1, 2, 4, 8, 16}, 5, others);
    out = exact(&data);
    FOUND(out, 1, -1);
}

/* A grid of three values of each parameter. */
static struct data grid(size_t parameters, const double (*values)[3],
                        double (*f)(const double *))
{
    struct data data = {.parameters = parameters, .points = 1};

    for (size_t p = 0; p < parameters; p++)
        data.points *= 3;
    for (size_t i = 0; i < data.points; i++) {
        size_t rest = i;

        for (size_t p = 0; p < parameters; p++) {
            data.at[i * parameters + p] = values[p][rest % 3];
            rest /= 3;
        }
        data.value[i] = f(data.at + i * parameters);
    }
    return data;
}

static double halo(const double *x) /* sent by all ranks, of a grid of 48^3 */
{
    return 8. * 2 * 48 * 48 * (x[0] + x[1] + x[2] - 3);
}

static double halo_of_a_rank(const double *x)
{
    return 8. * 2 * 48 * 48 *
           (1 / (x[0] * x[1]) + 1 / (x[1] * x[2]) + 1 / (x[0] * x[2]));
}

static double halo_of_any_grid(const double *x) /* and its sides */
{
    return 16 * x[3] * x[3] / (x[0] * x[1]) + 4 * x[3];
}

static double summa(const double *x)
{
    return 2 * x[1] * x[1] * x[1] / x[0];
}

static double broadcast(const double *x)
{
    return 8 * x[1] * x[1] / sqrt(x[0]);
}

static void laws_of_several_parameters_are_found(void **state)
{
    const double sides[][3] = {{1, 2, 4}, {1, 2, 4}, {1, 2, 4}, {16, 24, 40}};
    const double squares[][3] = {{4, 16, 64}, {64, 96, 160}};
    struct data data = grid(3, sides, halo);
    struct rc_laws out = exact(&data);

    (void)state;
    FOUND(out, 36864, 36864, 36864, -110592);
    data = grid(3, sides, halo_of_a_rank);
    out = exact(&data);
    FOUND(out, 36864, 36864, 36864);
    data = grid(4, sides, halo_of_any_grid);
    out = exact(&data);
    FOUND(out, 16, 4);
    data = grid(2, squares, summa);
    out = exact(&data);
    FOUND(out, 2);
    data = grid(2, squares, broadcast);
    out = exact(&data);
    FOUND(out, 8);
}

static void a_product_is_found_on_two_lines_that_cross(void **state)
{
    struct data data = {2, 5, {1, 64, 4, 64, 16, 64, 4, 128, 4, 256}, {0}};

    (void)state;
    for (size_t i = 0; i < 5; i++)
        data.value[i] = summa(data.at + 2 * i);
    const struct rc_laws out = exact(&data);
    FOUND(out, 2);
}

static void laws_that_hold_alike_are_all_told_and_none_is_exact(void **state)
{
    struct data data = {2, 6, {0}, {0}}; /* n = 2 p: parameters vary together */

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        data.at[2 * i] = wild[i];
        data.at[2 * i + 1] = 2 * wild[i];
        data.value[i] = 24 * wild[i];
    }
    const struct rc_laws out = exact(&data);
    assert_false(out.exact);
    assert_true(out.count >= 2);
    assert_true(out.choice[0].weight < 1);
}

static void two_values_of_a_parameter_do_not_tell_its_law(void **state)
{
    struct data data = {2, 6, {0}, {0}};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        data.at[2 * i] = i < 3 ? 1 : 2;
        data.at[2 * i + 1] = wild[i % 3];
        data.value[i] = 36864 * data.at[2 * i] * wild[i % 3];
    }
    assert_false(exact(&data).exact);
}

static double up_quarter(double n)
{
    return ceil(n / 4);
}

static double up_third(double n)
{
    return 100 * ceil(n / 3);
}

static double falling(double n) /* below 0 from n = 100 on */
{
    return 500 - 5 * n;
}

static double up_log(double n)
{
    return 8 * n * ceil(log2(n));
}

static double blocks(double n)
{
    return n * n * ceil(n / 7);
}

static double rounded_root(double n)
{
    return rint(1000 * sqrt(n));
}

static double rounded_power(double n)
{
    return rint(31 * pow(n, 1.37));
}

static double edge(double n)
{
    return n < 30 ? 5 * n : 150;
}

static double remainder_of(double n)
{
    return 16 * fmod(n, 7) + 100 * n;
}

static void laws_with_steps_and_roundings_are_not_bent_to_exact_ones(void **state)
{
    static double (*const f[])(double) = {up_quarter, up_third,     up_log,
                                          blocks,     rounded_root, rounded_power,
                                          edge,       remainder_of};

    (void)state;
    for (size_t i = 0; i < sizeof f / sizeof *f; i++)
        for (int k = 0; k < 2; k++) {
            struct data data = series(k ? wild : equal, 6, f[i]);
            const struct rc_laws out = exact(&data);

            if (out.exact)
                fail_msg("function %zu at points %d: exact, %zu terms", i, k,
                         out.choice[0].law.terms);
        }
}

static void a_count_that_would_fall_below_0_is_not_exact(void **state)
{
    const struct data data = series(equal, 6, falling);

    (void)state;
    assert_false(exact(&data).exact);
}

static double uniform(uint64_t *state)
{
    return (double)(rc_mix_next(state) >> 11) * 0x1p-53;
}

/* Data without a law: of whole numbers and others, small and large, smooth and wild. */
static struct data lawless(uint64_t *state, int kind)
{
    struct data data = {.parameters = 1 + (size_t)(uniform(state) * 2),
                        .points = 4 + (size_t)(uniform(state) * 7)};
    const double most = exp2(3 + 30 * uniform(state)), power = 3 * uniform(state);
    const double step = exp2(12 * uniform(state)) + 0.1;
    const int shape = (int)(3 * uniform(state));

    for (size_t i = 0; i < data.points; i++) {
        double size = 1;

        for (size_t p = 0; p < data.parameters; p++) {
            double *x = &data.at[i * data.parameters + p];
            const size_t k = p ? (i * 3 + i / 4) % 5 : i;

            *x = shape == 0   ? 10 + 8. * (double)k
                 : shape == 1 ? exp2((double)k + 1)
                              : 3 + (double)(k * k);
            size *= pow(*x, power + 0.05 * (double)p) * (p ? 1 : 1 + 0.013 * *x);
        }
        switch (kind) {
        case 0: /* any whole numbers */
            data.value[i] = floor(most * uniform(state));
            break;
        case 1: /* a curve with noise, whole */
            data.value[i] =
                rint(size * (1 + 0.1 * (uniform(state) - 0.5)) * 13 / 7 + 2);
            break;
        case 2: /* the same, not whole */
            data.value[i] = size * (1 + 0.001 * (uniform(state) - 0.5));
            break;
        case 3: /* a constant with little noise */
            data.value[i] = floor(most) + floor(3 * uniform(state));
            break;
        default: /* a curve, rounded up to whole blocks */
            data.value[i] = ceil(size / step * 3.3) * rint(step);
        }
    }
    return data;
}

/* Messages of a box: 2 ((px - 1) py pz + ...), where p = px py pz varies with its sides. */
static void a_parameter_that_follows_from_others_keeps_to_them(void **state)
{
    static const double side[][3] = {{2, 1, 1}, {1, 2, 1}, {1, 1, 2}, {4, 1, 1},
                                     {1, 4, 1}, {1, 1, 4}, {2, 2, 1}, {2, 1, 2},
                                     {1, 2, 2}, {2, 2, 2}, {4, 2, 1}, {2, 4, 2},
                                     {3, 2, 2}, {4, 4, 1}, {4, 1, 4}, {1, 4, 4}};
    struct data data = {.parameters = 4, .points = sizeof side / sizeof side[0]};

    (void)state;
    for (size_t i = 0; i < data.points; i++) {
        const double x = side[i][0], y = side[i][1], z = side[i][2];
        memcpy(&data.at[4 * i], (double[]){x * y * z, x, y, z}, 4 * sizeof(double));
        data.value[i] = 2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1));
    }
    const struct rc_laws out = exact(&data);
    const struct rc_predicted there = rc_laws_predict(&out, (double[]){64, 4, 4, 4});
    assert_true(out.count > 0);
    assert_true(fabs(there.value - 288) < 1e-9);
}

static void lawless_data_have_no_exact_law(void **state)
{
    uint64_t random = 7;
    size_t told = 0;

    (void)state;
    for (int kind = 0; kind < 5; kind++)
        for (int i = 0; i < 60; i++) {
            const struct data data = lawless(&random, kind);
            const struct rc_laws out = exact(&data);
            bool constant_values = true;

            for (size_t j = 1; j < data.points; j++)
                constant_values = constant_values && data.value[j] == data.value[0];
            if (!out.exact || constant_values)
                continue;
            told++;
            printf("kind %d, %zu parameters:", kind, data.parameters);
            for (size_t j = 0; j < data.points; j++)
                printf(" (%g) %.17g", data.at[j * data.parameters], data.value[j]);
            for (size_t t = 0; t < out.choice[0].law.terms; t++)
                printf("; %g x^(%d/%d) log^%d", out.choice[0].law.term[t].coefficient,
                       out.choice[0].law.term[t].of[0].over,
                       out.choice[0].law.term[t].of[0].under,
                       out.choice[0].law.term[t].of[0].logs);
            printf("\n");
        }
    assert_int_equal(told, 0);
}

static void a_law_that_is_over_counted_is_found_with_the_share(void **state)
{
    static const double share[] = {0.0082, 0.0101, 0.0095, 0.0113, 0.0099, 0.0105};
    const double sides[][3] = {{10, 20, 40}, {10, 30, 50}, {8, 16, 24}};
    struct data data = {1, 6, {0}, {0}};

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        data.at[i] = wild[i];
        data.value[i] = rint(2e6 * wild[i] * wild[i] * wild[i] * (1 + share[i])) / 1e6;
    }
    struct rc_laws out = exact(&data);
    assert_false(out.exact);
    assert_int_equal(out.words & RC_LAWS_OVERCOUNT, RC_LAWS_OVERCOUNT);
    assert_true(out.choice[0].law.terms == 1 &&
                out.choice[0].law.term[0].coefficient == 2);
    assert_true(out.over_count > 0.008 && out.over_count < 0.0113);

    data = (struct data){.parameters = 3, .points = 27};
    for (size_t i = 0; i < 27; i++) {
        double *x = data.at + 3 * i;

        x[0] = sides[0][i % 3];
        x[1] = sides[1][i / 3 % 3];
        x[2] = sides[2][i / 9];
        data.value[i] = rint(2 * x[0] * x[1] * x[2] * (1 + share[i % 6]));
    }
    out = exact(&data);
    assert_int_equal(out.words & RC_LAWS_OVERCOUNT, RC_LAWS_OVERCOUNT);
    assert_true(out.choice[0].law.term[0].coefficient == 2);
}

static void rounding_up_is_not_an_over_count(void **state)
{
    static const double far[] = {50, 61, 80, 101, 161, 400};
    struct data data = series(far, 6, up_third);

    (void)state;
    assert_int_equal(exact(&data).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_points_have_no_exact_law),
        cmocka_unit_test(three_terms_at_four_points_are_no_exact_law),
        cmocka_unit_test(readings_that_differ_have_no_exact_law),
        cmocka_unit_test(a_reading_that_differs_from_most_of_its_point_is_left_out),
        cmocka_unit_test(points_that_were_not_measured_are_left_out),
        cmocka_unit_test(laws_of_programs_are_found_to_the_last_digit),
        cmocka_unit_test(laws_of_several_parameters_are_found),
        cmocka_unit_test(a_product_is_found_on_two_lines_that_cross),
        cmocka_unit_test(laws_that_hold_alike_are_all_told_and_none_is_exact),
        cmocka_unit_test(two_values_of_a_parameter_do_not_tell_its_law),
        cmocka_unit_test(laws_with_steps_and_roundings_are_not_bent_to_exact_ones),
        cmocka_unit_test(a_count_that_would_fall_below_0_is_not_exact),
        cmocka_unit_test(a_parameter_that_follows_from_others_keeps_to_them),
        cmocka_unit_test(lawless_data_have_no_exact_law),
        cmocka_unit_test(a_law_that_is_over_counted_is_found_with_the_share),
        cmocka_unit_test(rounding_up_is_not_an_over_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
