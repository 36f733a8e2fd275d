/* model_exact.c - laws of exact counts: named ones, against other methods; planted ones;
 * and data without a law, of which none may be found
 *
 *     bench_model_exact [SECTION [LAWS]]
 *
 * Sections: named, planted, lawless; all of them without an argument.
 */
#include "campaign/base/mix.h"
#include "solve/model/law_text.h"
#include "solve/model/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 81 };

static uint64_t state = 1;
static const char *const names[] = {"n", "p", "m", "k"};

struct data {
    size_t parameters, points;
    double at[MOST * RC_LAW_PARAMETERS], value[MOST];
};

static double uniform(void)
{
    return (double)(rc_mix_next(&state) >> 11) * 0x1p-53;
}

static size_t below(size_t count)
{
    return (size_t)(uniform() * (double)count);
}

static struct rc_laws fit(const struct data *data, size_t method, double *seconds)
{
    size_t first[MOST + 1];
    const clock_t start = clock();
    struct rc_laws out;
    struct rc_error err;

    for (size_t i = 0; i <= data->points; i++)
        first[i] = i;
    const struct rc_observed observed = {
        RC_LAWS_COUNTED, data->parameters, data->points, data->at,
        first,           data->value,      NULL};
    if (rc_laws_methods[method].fit(&observed, &out, &err) != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return out;
}

static double shifted_cube(double n)
{
    return 7 * (n - 2) * (n - 2) * (n - 2);
}

static double elimination(double n)
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

static double bytes_lu(double p)
{
    return 6.52e7 * p + 5.92e9;
}

static double bytes_sp(double p)
{
    return 3.05e8 * p + 3.15e9;
}

static double steps(double n)
{
    return 100 * ceil(n / 3);
}

static void named(void)
{
    static const struct {
        const char *name;
        double (*f)(double);
        double at[6];
    } of[] = {
        {"7(n-2)^3", shifted_cube, {10, 18, 26, 34, 42, 50}},
        {"2n^3/3-n^2/2-n/6", elimination, {10, 18, 26, 34, 42, 50}},
        {"5n log2 n+12n", fourier, {16, 32, 64, 128, 256}},
        {"(3n-2)^3", nonzeros, {10, 18, 26, 34, 42, 50}},
        {"6.52e7 n+5.92e9", bytes_lu, {2, 4, 8}},
        {"3.05e8 n+3.15e9", bytes_sp, {4, 9, 16}},
        {"100 ceil(n/3)", steps, {10, 18, 26, 34, 42, 50}},
    };

    printf("counts                method    error_at_16_x_%%  exact  law\n");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (size_t m = 0; m < 3; m++) {
            struct data data = {.parameters = 1};
            char text[RC_LAW_TEXT] = "-";
            double seconds, far;

            for (; data.points < 6 && of[i].at[data.points] > 0; data.points++) {
                data.at[data.points] = of[i].at[data.points];
                data.value[data.points] = of[i].f(data.at[data.points]);
            }
            far = 16 * data.at[data.points - 1];
            const struct rc_laws out = fit(&data, m, &seconds);
            if (out.count)
                rc_law_text(text, sizeof text, &out.choice[0].law, names, 1, NULL,
                            out.exact ? 0 : 3);
            printf("%-20s  %-8s  %-15.2g  %-5s  %s\n", of[i].name,
                   rc_laws_methods[m].name,
                   100 * fabs(rc_laws_predict(&out, &far).value / of[i].f(far) - 1),
                   out.exact ? "yes" : "no", text);
        }
}

/* A law of so many terms and, for every second one, a constant: of Extra-P's 42 for one
 * parameter; of several, whole and half powers, a quarter of them falling, of half of the
 * parameters each.  Coefficients are 1 to 100 over 1 to 8.
 */
static struct rc_law planted_law(size_t parameters, size_t terms)
{
    struct rc_law law = {0};

    while (law.terms < terms + 1) {
        struct rc_law_term *term = &law.term[law.terms];
        bool known = false;

        for (size_t p = 0; p < RC_LAW_PARAMETERS; p++) {
            const bool falls = parameters > 1 && below(4) == 0;

            term->of[p] = rc_terms[0];
            if (p >= parameters || law.terms == terms || (parameters > 1 && below(2)))
                continue;
            do
                term->of[p] = rc_terms[1 + below(falls ? rc_terms_count - 1 : 42)];
            while (parameters > 1 &&
                   (term->of[p].under > 2 - falls || term->of[p].logs > 1 - falls ||
                    (term->of[p].over < 0) != falls));
        }
        term->coefficient = (double)(1 + below(100)) / (double)(1 + below(8));
        for (size_t t = 0; t < law.terms; t++)
            known = known || !memcmp(law.term[t].of, term->of, sizeof term->of);
        if (law.terms == terms && (known || below(2)))
            break;
        law.terms += !known;
    }
    return law;
}

static void plant(struct data *data, const struct rc_law *law)
{
    for (size_t i = 0; i < data->points; i++) {
        long double sum = 0;

        for (size_t t = 0; t < law->terms; t++) {
            long double value = rintl(law->term[t].coefficient * 840) / 840;

            for (size_t p = 0; p < data->parameters; p++) {
                const double x = data->at[i * data->parameters + p];
                const struct rc_law_factor f = law->term[t].of[p];

                value *=
                    powl(x, (long double)f.over / f.under) * powl(log2l(x), f.logs);
            }
            sum += value;
        }
        data->value[i] = (double)sum;
        if (fabsl(sum - rintl(sum)) < 1e-16L * sum)
            data->value[i] = (double)rintl(sum);
    }
}

/* 6 points of one parameter; 4 x 4 of two, or a cross of 9; 4 x 4 x 4, or 81 of 3^4. */
static struct data points_of(size_t parameters, bool other)
{
    static const double one[2][6] = {{10, 18, 26, 34, 42, 50},
                                     {8, 16, 32, 64, 128, 256}};
    static const double sides[][4] = {
        {2, 4, 8, 16}, {10, 20, 35, 50}, {3, 5, 9, 14}, {64, 96, 160, 200}};
    const size_t side = parameters == 4 ? 3 : 4;
    struct data data = {.parameters = parameters, .points = parameters == 1 ? 6 : 1};

    for (size_t p = 0; p < parameters && parameters > 1; p++)
        data.points *= side;
    for (size_t i = 0; i < data.points; i++)
        for (size_t p = 0, rest = i; p < parameters; p++, rest /= side)
            data.at[i * parameters + p] =
                parameters == 1 ? one[other][i] : sides[p][rest % side];
    if (parameters == 2 && other)
        for (size_t i = data.points = 0; i < 9; i++, data.points++) {
            data.at[2 * i] = i < 5 ? ldexp(2, (int)i) : 8;
            data.at[2 * i + 1] = i < 5 ? 30 : (double[]){10, 20, 40, 50}[i - 5];
        }
    return data;
}

/* The largest relative deviation of a coefficient; INFINITY: other terms. */
static double deviation(const struct rc_law *a, const struct rc_law *b)
{
    double most = a->terms == b->terms ? 0 : INFINITY;

    for (size_t t = 0; t < a->terms; t++) {
        double nearest = INFINITY;

        for (size_t u = 0; u < b->terms; u++)
            if (!memcmp(a->term[t].of, b->term[u].of, sizeof a->term[t].of))
                nearest = fabs(a->term[t].coefficient / b->term[u].coefficient - 1);
        most = fmax(most, nearest);
    }
    return most;
}

static void planted(size_t laws)
{
    printf("parameters  points  terms  right_%%  other_exact_%%  several_%%  "
           "largest_error  mean_ms  most_ms\n");
    for (size_t shape = 0; shape < 6; shape++)
        for (size_t terms = 1; terms <= 3; terms++) {
            const size_t parameters = shape < 4 ? 1 + shape / 2 : shape - 1;
            size_t right = 0, wrong = 0, several = 0;
            double error = 0, sum = 0, most = 0, seconds;
            struct data data = points_of(parameters, shape < 4 && shape % 2);

            for (size_t i = 0; i < laws; i++) {
                const struct rc_law law = planted_law(parameters, terms);

                plant(&data, &law);
                const struct rc_laws out = fit(&data, 0, &seconds);
                const double off = deviation(&law, &out.choice[0].law);
                sum += seconds;
                most = fmax(most, seconds);
                right += out.exact && off < 1e-12;
                wrong += out.exact && !(off < 1e-12);
                error = out.exact && off < 1e-12 ? fmax(error, off) : error;
                several += !out.exact && out.count > 1 && isinf(out.noise) == 0 &&
                           out.noise == 0; /* NOLINT: laws that hold have no noise */
            }
            printf("%-10zu  %-6zu  %-5zu  %-7.1f  %-13.1f  %-9.1f  %-13.1e  %-7.1f  "
                   "%.0f\n",
                   parameters, data.points, terms, 100 * (double)right / (double)laws,
                   100 * (double)wrong / (double)laws,
                   100 * (double)several / (double)laws, error,
                   1e3 * sum / (double)laws, 1e3 * most);
        }
}

static const char *const lawless_kinds[] = {
    "whole numbers, any", "a curve with 5 % noise, whole", "a curve with 0.05 % noise",
    "a constant and 0, 1 or 2", "a curve in whole blocks"};

/* Curves of no law of the dictionary, at 4 to 10 points. */
static struct data lawless_data(size_t kind)
{
    struct data data = {.parameters = 1 + below(2), .points = 4 + below(7)};
    const double most = exp2(3 + 30 * uniform()), power = 3 * uniform();
    const double block = rint(exp2(12 * uniform()));
    const size_t shape = below(3);

    for (size_t i = 0; i < data.points; i++) {
        double size = 1;

        for (size_t p = 0; p < data.parameters; p++) {
            const size_t k = p ? (i * 3 + i / 4) % 5 : i;
            double *x = &data.at[i * data.parameters + p];

            *x = shape == 0   ? 10 + 8. * (double)k
                 : shape == 1 ? exp2((double)k + 1)
                              : 3 + (double)(k * k);
            size *= pow(*x, power + 0.05 * (double)p) * (p ? 1 : 1 + 0.013 * *x);
        }
        data.value[i] = kind == 0 ? floor(most * uniform())
                        : kind == 1
                            ? rint(size * (1 + 0.1 * (uniform() - 0.5)) * 13 / 7 + 2)
                        : kind == 2 ? size * (1 + 0.001 * (uniform() - 0.5))
                        : kind == 3 ? floor(most) + floor(3 * uniform())
                                    : ceil(size / block * 3.3) * block;
    }
    return data;
}

static void lawless(size_t laws)
{
    printf("data                           number  exact  several  over_counts  "
           "mean_ms\n");
    for (size_t kind = 0; kind < 5; kind++) {
        size_t exact = 0, several = 0, over = 0;
        double sum = 0, seconds;

        for (size_t i = 0; i < laws;) {
            const struct data data = lawless_data(kind);
            bool constant = true;

            for (size_t j = 1; j < data.points; j++)
                constant = constant && data.value[j] == data.value[0];
            if (constant)
                continue;
            const struct rc_laws out = fit(&data, 0, &seconds);
            exact += out.exact;
            over += (out.words & RC_LAWS_OVERCOUNT) > 0;
            several += !out.exact && out.count > 1 && !(out.noise > 0);
            sum += seconds;
            i++;
        }
        printf("%-29s  %-6zu  %-5zu  %-7zu  %-11zu  %.1f\n", lawless_kinds[kind], laws,
               exact, several, over, 1e3 * sum / (double)laws);
    }
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : "";
    const size_t laws = argc > 2 ? strtoul(argv[2], NULL, 10) : 300;

    if (!*only || !strcmp(only, "named"))
        named();
    if (!*only || !strcmp(only, "planted"))
        planted(laws);
    if (!*only || !strcmp(only, "lawless"))
        lawless(laws);
    return 0;
}
