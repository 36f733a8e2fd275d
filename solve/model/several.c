/* several.c - laws of two to four parameters
 *
 * Factors of each parameter are chosen by the lines of points along it, where all others
 * stay the same: on a line each law of sums and products is a sum of these factors.
 * Products of the chosen factors are the terms that are searched.  Then factors of the
 * best laws are exchanged one by one for all others, which needs no lines.
 */
#include "solve/model/parts.h"

#include <math.h>
#include <string.h>

/* The squared residuals that each factor, and each pair, leaves on all lines. */
struct lines {
    const struct rc_weighed *weighed;
    const double *table; /* of the parameter */
    double *left;        /* [factor][factor]: of pairs; on the diagonal, of one */
    double *products;    /* scratch: [factor][factor] */
    double *row;         /* scratch: [factor] */
    size_t count, points;
};

/* The products of what of the factors is not constant on a line, scaled to 1 on the
 * diagonal; 'right' with the means.  A factor that has no value has only 0.
 */
static void line_products(struct lines *lines, const size_t *point, size_t points,
                          double *right)
{
    const struct rc_weighed *weighed = lines->weighed;
    size_t n = rc_terms_all, all = weighed->points;
    double *of = lines->products, *row = lines->row, own = 0, total = 0;

    memset(of, 0, n * n * sizeof *of);
    memset(right, 0, n * sizeof *right);
    for (size_t p = 0; p < points; p++) {
        double inverse = weighed->mean[point[0]] / weighed->mean[point[p]];
        double weight = weighed->weight[point[p]];

        for (size_t f = 0; f < n; f++)
            row[f] = isnan(lines->table[f * all])
                         ? 0
                         : inverse * lines->table[f * all + point[p]];
        for (size_t i = 0; i < n; i++) {
            right[i] += weight * row[i];
            for (size_t j = i; j < n; j++)
                of[i * n + j] += weight * row[i] * row[j];
        }
    }
    own = of[0];
    total = right[0];
    for (size_t i = 1; i < n; i++) {
        double self = of[i * n + i], rest = self - of[i] * of[i] / own;

        row[i] = rest > 1e-12 * self ? 1 / sqrt(rest) : 0;
        right[i] = (right[i] - total * of[i] / own) * row[i];
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j < n; j++)
            of[i * n + j] = (of[i * n + j] - of[i] * of[j] / own) * row[i] * row[j];
    right[0] = -total * total / own; /* with the weights: what the constant leaves */
    for (size_t p = 0; p < points; p++)
        right[0] += weighed->weight[point[p]];
}

static void add_line(struct lines *lines, const size_t *point, size_t points,
                     double *right)
{
    size_t n = rc_terms_all;
    const double *of = lines->products;

    line_products(lines, point, points, right);
    lines->count++;
    lines->points += points;
    for (size_t i = 1; i < n; i++) {
        double one = right[i] > 0 ? right[i] * right[i] : 0;

        lines->left[i * n + i] += fmax(right[0] - one, 0);
        for (size_t j = i + 1; j < n; j++) {
            double two = right[j] > 0 ? right[j] * right[j] : 0, same = of[i * n + j];
            double a = right[i] - same * right[j], b = right[j] - same * right[i];
            double rest = 1 - same * same, both = fmax(one, two);

            if (a > 0 && b > 0 && rest > 1e-9)
                both = (right[i] * a + right[j] * b) / rest;
            lines->left[i * n + j] += fmax(right[0] - both, 0);
        }
    }
}

static void all_lines(struct lines *lines, size_t parameter, size_t *point, bool *done,
                      double *right)
{
    const struct rc_weighed *weighed = lines->weighed;

    for (size_t i = 0; i < weighed->points; i++) {
        size_t count = 0;

        for (size_t j = i; j < weighed->points && !done[i]; j++)
            if (!done[j] && rc_law_same_line(weighed->at + i * weighed->parameters,
                                             weighed->at + j * weighed->parameters,
                                             weighed->parameters, parameter))
                point[count++] = j;
        for (size_t j = 0; j < count; j++)
            done[point[j]] = true;
        if (count > 2)
            add_line(lines, point, count, right);
    }
}

/* Scores of factors, the less the better: twice the logarithm of the likelihood. */
static void score_factors(const struct lines *lines, double *score)
{
    size_t n = rc_terms_all;
    double least = INFINITY, variance, points = (double)lines->points;

    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j < n; j++)
            least = fmin(least, lines->left[i * n + j]);
    variance = fmax(fmax(lines->weighed->variance, least / points), 1e-14);
    for (size_t i = 1; i < n; i++)
        score[i] = isnan(lines->table[i * lines->weighed->points]) ? INFINITY : 1e300;
    for (size_t i = 1; i < n; i++)
        for (size_t j = i; j < n; j++) {
            double here = lines->left[i * n + j] / variance;

            if (i != j)
                here += 2 * (double)lines->count + 4;
            if (score[i] < INFINITY && score[j] < INFINITY) {
                score[i] = fmin(score[i], here);
                score[j] = fmin(score[j], here);
            }
        }
    for (size_t i = 1; i < n; i++)
        score[i] -= 2 * lines->weighed->factor_prior[0][i];
}

static size_t best_factors(double *score, unsigned char *out, size_t room)
{
    size_t count = 0;

    while (count < room) {
        size_t best = 1;

        for (size_t i = 2; i < rc_terms_all; i++)
            if (score[i] < score[best])
                best = i;
        if (score[best] == INFINITY)
            break;
        out[count++] = (unsigned char)best;
        score[best] = INFINITY;
    }
    return count;
}

/* The factors of a parameter that lines speak for, the best first; without lines of
 * three points, the plainest.
 */
static size_t choose_factors(const struct rc_weighed *weighed, size_t parameter,
                             struct rc_arena *arena, unsigned char *out, size_t room)
{
    size_t n = rc_terms_all;
    struct lines lines = {.weighed = weighed, .table = weighed->table[parameter]};
    double *score = rc_arena_array(arena, n, sizeof *score);
    double *right = rc_arena_array(arena, n, sizeof *right);
    size_t *point = rc_arena_array(arena, weighed->points, sizeof *point);
    bool *done = rc_arena_array(arena, weighed->points, sizeof *done);

    lines.left = rc_arena_array(arena, n * n, sizeof(double));
    lines.products = rc_arena_array(arena, n * n, sizeof(double));
    lines.row = rc_arena_array(arena, n, sizeof(double));
    if (arena->failed)
        return 0;
    all_lines(&lines, parameter, point, done, right);
    for (size_t i = 1; i < n; i++)
        score[i] = isnan(lines.table[i * weighed->points])
                       ? INFINITY
                       : -weighed->factor_prior[1][i];
    if (lines.count)
        score_factors(&lines, score);
    return best_factors(score, out, room);
}

/* All products of the chosen factors, each parameter's or none. */
static struct rc_term_set make_products(const unsigned char (*factor)[RC_TERMS_MOST],
                                        const size_t *count, size_t parameters,
                                        struct rc_arena *arena)
{
    size_t all = 1, index[RC_LAW_PARAMETERS] = {0};
    unsigned char(*of)[RC_LAW_PARAMETERS];

    for (size_t l = 0; l < parameters; l++)
        all *= count[l] + 1;
    of = rc_arena_array(arena, all, sizeof *of);
    for (size_t i = 1; i < all && !arena->failed; i++) {
        for (size_t l = 0; l < parameters; l++) {
            index[l] = index[l] == count[l] ? 0 : index[l] + 1;
            if (index[l])
                break;
        }
        for (size_t l = 0; l < parameters; l++)
            of[i - 1][l] = index[l] ? factor[l][index[l] - 1] : 0;
    }
    return (struct rc_term_set){all - 1, (const unsigned char(*)[RC_LAW_PARAMETERS])of};
}

/* Exchanges each factor of the best laws for each other one. */
static void exchange_factors(const struct rc_weighed *weighed,
                             struct rc_judged_list *list)
{
    struct rc_form best[3];
    size_t count = 0;

    for (; count < 3 && count < list->count; count++)
        best[count] = list->of[count].form;
    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < best[i].terms; t++)
            for (size_t l = 0; l < weighed->parameters; l++)
                for (size_t f = 0; f < rc_terms_all; f++) {
                    struct rc_form form = best[i];

                    if (!weighed->table[l] || (f && !form.of[t][l]))
                        continue;
                    form.of[t][l] = (unsigned char)f;
                    rc_judge(weighed, form, list);
                }
}

void rc_search_several(const struct rc_weighed *weighed, struct rc_arena *arena,
                       struct rc_judged_list *list)
{
    static const size_t rooms[] = {0, 0, 9, 5, 3};
    unsigned char factor[RC_LAW_PARAMETERS][RC_TERMS_MOST];
    size_t count[RC_LAW_PARAMETERS] = {0}, varying = 0;
    struct rc_term_set set;

    for (size_t l = 0; l < weighed->parameters; l++)
        varying += weighed->table[l] != NULL;
    for (size_t l = 0; l < weighed->parameters; l++)
        if (weighed->table[l])
            count[l] = choose_factors(weighed, l, arena, factor[l], rooms[varying]);
    set = make_products((const unsigned char(*)[RC_TERMS_MOST])factor, count,
                        weighed->parameters, arena);
    if (arena->failed)
        return;
    rc_search(weighed, &set, arena, list);
    for (int round = 0; round < 2; round++)
        exchange_factors(weighed, list);
}
