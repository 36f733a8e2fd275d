/* model_planted.c - laws that were planted, with noise, against those that are found
 *
 *     bench_model_planted [SECTION [LAWS [METHOD]]]
 *
 * Sections: one, parts, two, right, shapes, speed; all of them without an argument or with
 * "".  The method is 'rollcall' where none is named.  Noise
 * of 10 % is uniform: each reading is off by up to 10 %.
 */
#include "campaign/base/mix.h"
#include "solve/model/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_POINTS = 125, MOST_READINGS = 5, POSITIVE = 42, LAWS = 100000 };

struct data {
    size_t parameters, points, readings;
    double at[MOST_POINTS * RC_LAW_PARAMETERS];
    double truth[MOST_POINTS];
    double value[MOST_POINTS * MOST_READINGS];
    size_t first[MOST_POINTS + 1];
};

static uint64_t state;
static const struct rc_laws_method *method = rc_laws_methods;

static double uniform(double low, double high)
{
    return low + (high - low) * (double)(rc_mix_next(&state) >> 11) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform(1e-300, 1))) * cos(2 * M_PI * uniform(0, 1));
}

static size_t below(size_t count)
{
    return (size_t)uniform(0, (double)count);
}

static struct rc_laws fit(const struct data *data)
{
    struct rc_observed observed = {
        RC_LAWS_MEASURED, data->parameters, data->points, data->at,
        data->first,      data->value,      NULL};
    struct rc_error err;
    struct rc_laws out;

    if (method->fit(&observed, &out, &err) != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return out;
}

/* Readings around the truth, each off by up to 'noise', relative. */
static void read_points(struct data *data, double noise)
{
    size_t n = 0;

    for (size_t i = 0; i < data->points; i++) {
        data->first[i] = n;
        for (size_t r = 0; r < data->readings; r++)
            data->value[n++] = data->truth[i] * (1 + uniform(-noise, noise));
    }
    data->first[data->points] = n;
}

static void plant(struct data *data, const struct rc_law *law, double noise)
{
    for (size_t i = 0; i < data->points; i++)
        data->truth[i] =
            rc_law_at(law, data->at + i * data->parameters, data->parameters);
    read_points(data, noise);
}

static struct data line(double from, size_t points, size_t readings)
{
    struct data data = {.parameters = 1, .points = points, .readings = readings};

    for (size_t i = 0; i < points; i++)
        data.at[i] = ldexp(from, (int)i);
    return data;
}

static bool same_factor(struct rc_law_factor a, struct rc_law_factor b)
{
    return a.over * b.under == b.over * a.under && a.logs == b.logs;
}

/* Whether the law has the terms of the other and no more; constants are not asked for. */
static bool same_law(const struct rc_law *a, const struct rc_law *b)
{
    size_t same = 0, terms[2] = {0, 0};
    const struct rc_law *laws[2] = {a, b};

    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < laws[k]->terms; i++) {
            bool constant = true;

            for (size_t l = 0; l < RC_LAW_PARAMETERS; l++)
                constant = constant && laws[k]->term[i].of[l].over == 0 &&
                           laws[k]->term[i].of[l].logs == 0;
            terms[k] += !constant;
            for (size_t j = 0; j < b->terms && k == 0 && !constant; j++) {
                bool all = true;

                for (size_t l = 0; l < RC_LAW_PARAMETERS; l++)
                    all = all && same_factor(a->term[i].of[l], b->term[j].of[l]);
                same += all;
            }
        }
    return terms[0] == terms[1] && same == terms[0];
}

static double leading_exponent(const struct rc_law *law)
{
    double most = -INFINITY;

    for (size_t i = 0; i < law->terms; i++)
        most = fmax(most, (double)law->term[i].of[0].over / law->term[i].of[0].under);
    return most;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double share_of(double *of, size_t count, double share)
{
    qsort(of, count, sizeof *of, order);
    return of[(size_t)(share * (double)(count - 1) + 0.5)];
}

static const struct rc_law_factor one = {0, 1, 0};

static struct rc_law_term term(double coefficient, struct rc_law_factor a,
                               struct rc_law_factor b, struct rc_law_factor c)
{
    return (struct rc_law_term){coefficient, {a, b, c, one}};
}

static double error_of[LAWS];

/* Holds with rounding: laws without noise have intervals of no width. */
static bool holds(struct rc_predicted predicted, double truth)
{
    return predicted.low <= truth * (1 + 1e-6) && predicted.high >= truth * (1 - 1e-6);
}

/* Section 5's table. 'falling': all exponents of the dictionary, else those above 0. */
static void one_parameter(size_t laws, bool falling, size_t readings)
{
    static const double noises[] = {0, 0.02, 0.05, 0.1};

    printf("one parameter, 4..64, %zu readings, at 1024, %zu laws c0 + c1 f, %s\n",
           readings, laws, falling ? "falling ones too" : "Extra-P's 42");
    printf("noise_%%  exact  leading_1/4  median_error_%%  90th_%%  held_%%\n");
    for (size_t n = 0; n < 4; n++) {
        size_t exact = 0, leading = 0, held = 0;

        state = 1 + n;
        for (size_t k = 0; k < laws; k++) {
            struct data data = line(4, 5, readings);
            size_t f = 1 + below(falling ? rc_terms_count - 1 : POSITIVE);
            struct rc_law law = {2,
                                 {term(uniform(0.001, 1000), one, one, one),
                                  term(uniform(0.001, 1000), rc_terms[f], one, one)}};
            double at = 1024, truth = rc_law_at(&law, &at, 1);
            struct rc_predicted predicted;
            struct rc_laws found;

            plant(&data, &law, noises[n]);
            found = fit(&data);
            predicted = rc_laws_predict(&found, &at);
            exact += same_law(&found.choice[0].law, &law);
            leading += fabs(leading_exponent(&found.choice[0].law) -
                            leading_exponent(&law)) <= 0.2501;
            held += holds(predicted, truth);
            error_of[k] = fabs(predicted.value / truth - 1);
        }
        printf("%-7.0f  %-5.2f  %-11.2f  %-14.2f  %-6.1f  %.1f\n", 100 * noises[n],
               (double)exact / (double)laws, (double)leading / (double)laws,
               100 * share_of(error_of, laws, 0.5), 100 * share_of(error_of, laws, 0.9),
               100 * (double)held / (double)laws);
    }
}

/* Strong scaling: three kernels, fitted apart and added, and the time of all. */
static void parts_apart(size_t laws)
{
    static const double noises[] = {0.02, 0.05}, linear[] = {0, 0.02};

    printf("100/p + 0.5 log2 p (+ 0.02 p) + 1, p 2..32, at 512, %zu times\n", laws);
    printf("noise_%%  linear  parts_median_%%  90th_%%  held_%%  whole_median_%%  "
           "90th_%%  "
           "held_%%\n");
    for (size_t k = 0; k < 4; k++) {
        double noise = noises[k % 2], at = 512;
        static double whole_error[LAWS];
        size_t held = 0, whole_held = 0;
        struct rc_law part[3] = {
            {1, {term(100, (struct rc_law_factor){-1, 1, 0}, one, one)}},
            {2,
             {term(0.5, (struct rc_law_factor){0, 1, 1}, one, one),
              term(linear[k / 2], (struct rc_law_factor){1, 1, 0}, one, one)}},
            {1, {term(1, one, one, one)}}};

        state = 7;
        for (size_t i = 0; i < laws; i++) {
            struct data all = line(2, 5, 5);
            double truth = 0, value = 0, low = 0, high = 0;
            struct rc_predicted predicted;
            struct rc_laws found;

            memset(all.value, 0, sizeof all.value);
            for (size_t p = 0; p < 3; p++) {
                struct data data = line(2, 5, 5);

                plant(&data, &part[p], noise);
                found = fit(&data);
                predicted = rc_laws_predict(&found, &at);
                truth += rc_law_at(&part[p], &at, 1);
                value += predicted.value;
                low += pow(predicted.value - predicted.low, 2);
                high += pow(predicted.high - predicted.value, 2);
                for (size_t r = 0; r < 25; r++)
                    all.value[r] += data.value[r];
                memcpy(all.first, data.first, sizeof all.first);
            }
            error_of[i] = fabs(value / truth - 1);
            held += truth >= value - sqrt(low) && truth <= value + sqrt(high);
            found = fit(&all);
            predicted = rc_laws_predict(&found, &at);
            whole_error[i] = fabs(predicted.value / truth - 1);
            whole_held += holds(predicted, truth);
        }
        printf("%-7.0f  %-6.2f  %-14.1f  %-6.1f  %-6.1f  %-14.1f  %-6.1f  %.1f\n",
               100 * noise, linear[k / 2], 100 * share_of(error_of, laws, 0.5),
               100 * share_of(error_of, laws, 0.9), 100 * (double)held / (double)laws,
               100 * share_of(whole_error, laws, 0.5),
               100 * share_of(whole_error, laws, 0.9),
               100 * (double)whole_held / (double)laws);
    }
}

static struct data square(size_t readings)
{
    struct data data = {.parameters = 2, .points = 25, .readings = readings};

    for (size_t i = 0; i < 25; i++) {
        data.at[2 * i] = ldexp(4, (int)(i / 5));
        data.at[2 * i + 1] = 10 * (double)(i % 5 + 1);
    }
    return data;
}

static void two_parameters(size_t laws)
{
    static const double noises[] = {0, 0.02, 0.05, 0.1};

    printf("two parameters, a 4..64, b 10..50, 4 readings, at (128, 60), %zu laws\n",
           laws);
    printf("noise_%%  within_5_%%  10    15    20    exact  median_%%  held_%%\n");
    for (size_t n = 0; n < 4; n++) {
        size_t within[4] = {0}, exact = 0, held = 0;

        state = 3 + n;
        for (size_t k = 0; k < laws; k++) {
            struct data data = square(4);
            struct rc_law_factor a = rc_terms[1 + below(POSITIVE)];
            struct rc_law_factor b = rc_terms[1 + below(POSITIVE)];
            struct rc_law law = {3, {term(uniform(0.001, 1000), one, one, one)}};
            double at[2] = {128, 60}, truth;
            struct rc_predicted predicted;
            struct rc_laws found;

            if (below(2)) {
                law.term[1] = term(uniform(0.001, 1000), a, one, one);
                law.term[2] = term(uniform(0.001, 1000), one, b, one);
            } else {
                law.terms = 2;
                law.term[1] = term(uniform(0.001, 1000), a, b, one);
            }
            truth = rc_law_at(&law, at, 2);
            plant(&data, &law, noises[n]);
            found = fit(&data);
            predicted = rc_laws_predict(&found, at);
            error_of[k] = fabs(predicted.value / truth - 1);
            for (size_t w = 0; w < 4; w++)
                within[w] += error_of[k] <= 0.05 * (double)(w + 1);
            exact += same_law(&found.choice[0].law, &law);
            held += holds(predicted, truth);
        }
        printf("%-7.0f  %-10.1f  %-4.1f  %-4.1f  %-4.1f  %-5.2f  %-8.2f  %.1f\n",
               100 * noises[n], 100 * (double)within[0] / (double)laws,
               100 * (double)within[1] / (double)laws,
               100 * (double)within[2] / (double)laws,
               100 * (double)within[3] / (double)laws, (double)exact / (double)laws,
               100 * share_of(error_of, laws, 0.5), 100 * (double)held / (double)laws);
    }
}

/* 1 + 0.2 x^2 log2 y (+ 0.1 x y^2 z) on 25 (125) points, at 16 times each. */
static void right_laws(size_t laws)
{
    const struct rc_law_factor square_of = {2, 1, 0}, log_of = {0, 1, 1},
                               line_of = {1, 1, 0};

    printf("1 + 0.2 x^2 log2 y (+ 0.1 x y^2 z), 2 %% noise, 5 readings, at 16 x of "
           "each\n");
    printf("parameters  right_%%  median_error_%%  90th_%%  held_%%  ms_a_law\n");
    for (size_t parameters = 2; parameters <= 3; parameters++) {
        struct rc_law law = {parameters,
                             {term(1, one, one, one), term(0.2, square_of, log_of, one),
                              term(0.1, line_of, square_of, line_of)}};
        double at[3] = {1024, 1024, 1024}, truth = rc_law_at(&law, at, parameters);
        size_t right = 0, held = 0;
        clock_t start = clock();

        state = 5;
        for (size_t k = 0; k < laws; k++) {
            struct data data = {
                parameters, parameters == 2 ? 25 : 125, 5, {0}, {0}, {0}, {0}};
            struct rc_predicted predicted;
            struct rc_laws found;

            for (size_t i = 0; i < data.points; i++)
                for (size_t l = 0, rest = i; l < parameters; l++, rest /= 5)
                    data.at[i * parameters + l] = ldexp(4, (int)(rest % 5));
            plant(&data, &law, 0.02);
            found = fit(&data);
            predicted = rc_laws_predict(&found, at);
            error_of[k] = fabs(predicted.value / truth - 1);
            right += same_law(&found.choice[0].law, &law);
            held += holds(predicted, truth);
        }
        printf("%-10zu  %-7.1f  %-14.2f  %-6.2f  %-6.1f  %.1f\n", parameters,
               100 * (double)right / (double)laws, 100 * share_of(error_of, laws, 0.5),
               100 * share_of(error_of, laws, 0.9), 100 * (double)held / (double)laws,
               1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)laws);
    }
}

/* Programs as they are rather than laws of the dictionary: sums of up to four powers
 * with any exponent, and points that miss them.
 */
static void any_shapes(size_t laws)
{
    static const struct {
        size_t points, readings, times;
        double noise, misfit;
    } cases[] = {{4, 1, 2, 0.01, 0.05}, {4, 3, 2, 0.02, 0.03},  {5, 1, 2, 0.02, 0},
                 {5, 2, 2, 0.02, 0.03}, {5, 2, 16, 0.02, 0.03}, {5, 5, 16, 0.05, 0},
                 {5, 5, 4, 0.05, 0.1},  {6, 5, 16, 0.05, 0.02}, {8, 3, 4, 0.02, 0.05},
                 {3, 3, 2, 0.02, 0.02}, {5, 1, 16, 0.0, 0}};

    printf("sums of 1 to 4 powers with any exponent of -1.5 to 2.5, %zu each\n", laws);
    printf("points  readings  noise_%%  misfit_%%  times  median_%%  90th_%%  held_%%  "
           "width\n");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t held = 0;
        static double width[LAWS];

        state = 11 + c;
        for (size_t k = 0; k < laws; k++) {
            struct data data = line(8, cases[c].points, cases[c].readings);
            size_t terms = 1 + below(4);
            double power[4], share[4], truth = 0, at;
            struct rc_predicted predicted;
            struct rc_laws found;

            at = data.at[data.points - 1] * (double)cases[c].times;
            for (size_t t = 0; t < terms; t++) {
                power[t] = below(3) ? uniform(-1.5, 2.5) : below(2) ? 0 : 1;
                share[t] =
                    exp(normal()) / pow(8 * sqrt((double)(1 << data.points)), power[t]);
                truth += share[t] * pow(at, power[t]);
            }
            for (size_t i = 0; i < data.points; i++) {
                data.truth[i] = 0;
                for (size_t t = 0; t < terms; t++)
                    data.truth[i] += share[t] * pow(data.at[i], power[t]);
                data.truth[i] *= exp(cases[c].misfit * normal());
            }
            truth *= exp(cases[c].misfit * normal());
            read_points(&data, cases[c].noise);
            found = fit(&data);
            predicted = rc_laws_predict(&found, &at);
            error_of[k] = fabs(predicted.value / truth - 1);
            held += holds(predicted, truth);
            width[k] = predicted.high / predicted.low;
        }
        printf("%-6zu  %-8zu  %-7.0f  %-8.0f  %-5zu  %-8.1f  %-6.1f  %-6.1f  %.2f\n",
               cases[c].points, cases[c].readings, 100 * cases[c].noise,
               100 * cases[c].misfit, cases[c].times,
               100 * share_of(error_of, laws, 0.5), 100 * share_of(error_of, laws, 0.9),
               100 * (double)held / (double)laws, share_of(width, laws, 0.5));
    }
}

static void speed(size_t laws)
{
    printf("points  readings  noise_%%  laws_a_second\n");
    for (size_t k = 0; k < 6; k++) {
        double noise = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.02 : 0.1;
        struct data *all = calloc(64, sizeof *all);
        clock_t start;

        if (!all)
            exit(1);
        state = 1;
        for (size_t i = 0; i < 64; i++) {
            struct rc_law law = {
                2,
                {term(uniform(0.001, 1000), one, one, one),
                 term(uniform(0.001, 1000), rc_terms[1 + below(POSITIVE)], one, one)}};

            all[i] = line(4, 5 + k / 3, 5);
            plant(&all[i], &law, noise);
        }
        start = clock();
        for (size_t i = 0; i < laws; i++)
            fit(&all[i % 64]);
        printf("%-6zu  %-8d  %-7.0f  %.0f\n", 5 + k / 3, 5, 100 * noise,
               (double)laws * CLOCKS_PER_SEC / (double)(clock() - start));
        free(all);
    }
}

static void all_of_one(size_t laws)
{
    one_parameter(laws, false, 5);
    one_parameter(laws, true, 5);
    one_parameter(laws, false, 1);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*show)(size_t laws);
        size_t laws;
    } sections[] = {{"one", all_of_one, 2000},     {"parts", parts_apart, 500},
                    {"two", two_parameters, 1000}, {"right", right_laws, 50},
                    {"shapes", any_shapes, 1000},  {"speed", speed, 5000}};
    size_t laws = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, shown = 0;

    while (argc > 3 && method->name && strcmp(method->name, argv[3]) != 0)
        method++;
    if (!method->name) {
        fprintf(stderr, "%s: expected the name of a method\n", argv[3]);
        return 2;
    }
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (argc < 2 || !*argv[1] || !strcmp(argv[1], sections[i].name)) {
            sections[i].show(laws && laws <= LAWS ? laws : sections[i].laws);
            shown++;
        }
    if (!shown)
        fprintf(stderr, "%s: expected one, parts, two, right, shapes or speed\n",
                argv[1]);
    return shown ? 0 : 2;
}
