/* search.c - the most likely sums of one, two or three terms and a constant
 *
 * Each law is judged by its evidence: the probability of the means under it, over all
 * coefficients above 0 and all variances that the prior has.  A term's contribution is as
 * likely to be any share of the number, up to all of it.  For most sums the evidence is
 * only estimated, from sums of products of their terms; the best are judged by their
 * residuals.
 */
#include "solve/model/parts.h"

#include <math.h>
#include <string.h>

enum { KEPT = RC_FORM_KEPT, FEW = 8 };

/* Solves for the coefficients by Cholesky's factors, which replace the lower half of
 * 'matrix'.  false: the terms are not independent.
 */
static bool factorize(double matrix[RC_FORM_TERMS][RC_FORM_TERMS], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = matrix[i][j];

            for (size_t k = 0; k < j; k++)
                sum -= matrix[i][k] * matrix[j][k];
            if (i == j && !(sum > 1e-12 * matrix[i][i]))
                return false;
            matrix[i][j] = i == j ? sqrt(sum) : sum / matrix[j][j];
        }
    }
    return true;
}

static void solve(double factor[RC_FORM_TERMS][RC_FORM_TERMS], size_t n, double *right)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            right[i] -= factor[i][k] * right[k];
        right[i] /= factor[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            right[i] -= factor[k][i] * right[k];
        right[i] /= factor[i][i];
    }
}

/* Logarithm of the prior of a number of terms beside the constant, and of a term. */
static double count_prior(size_t terms, bool constant)
{
    static const double prior[] = {0.25, 0.5, 0.2, 0.05};
    static const double orders[] = {1, 1, 2, 6};

    return log(prior[terms] * orders[terms] * (constant ? 0.75 : 0.25));
}

static double term_prior(const struct rc_weighed *weighed, const unsigned char *of,
                         bool twice)
{
    static const double prior[] = {1, 0.4, 0.3, 0.2, 0.1};
    static const double sums[] = {1, 0.4, 0.7, 0.9, 1};
    static const double choices[5][5] = {{1, 1, 1, 1, 1},
                                         {1, 1, 1, 1, 1},
                                         {1, 2, 1, 1, 1},
                                         {1, 3, 3, 1, 1},
                                         {1, 4, 6, 4, 1}};
    size_t varying = 0, used = 0;
    double sum = 0;

    for (size_t l = 0; l < weighed->parameters; l++) {
        varying += weighed->table[l] != NULL;
        used += of[l] > 0;
        sum += weighed->factor_prior[twice][of[l]];
    }
    return sum + log(prior[used] / sums[varying] / choices[varying][used]);
}

/* Values of a term over the points' means, largest 1.  Returns what a coefficient is
 * divided by for it; 0: the term has no such values.
 */
static double term_column(const struct rc_weighed *weighed, const unsigned char *of,
                          double *out)
{
    double most = 0;

    for (size_t i = 0; i < weighed->points; i++)
        out[i] = weighed->mean[0] / weighed->mean[i];
    for (size_t l = 0; l < weighed->parameters; l++) {
        const double *value;

        if (!of[l])
            continue;
        if (!weighed->table[l])
            return 0;
        value = weighed->table[l] + of[l] * weighed->points;
        if (isnan(value[0]))
            return 0;
        for (size_t i = 0; i < weighed->points; i++)
            out[i] *= value[i];
    }
    for (size_t i = 0; i < weighed->points; i++)
        most = fmax(most, out[i]);
    if (!(most > 0) || !isfinite(most) || !isfinite(1 / most))
        return 0;
    for (size_t i = 0; i < weighed->points; i++)
        out[i] /= most;
    return most / weighed->mean[0];
}

static bool is_constant(const unsigned char *of)
{
    static const unsigned char none[RC_LAW_PARAMETERS];

    return memcmp(of, none, sizeof none) == 0;
}

/* Points that a law of so many terms needs. */
static bool enough_points(const struct rc_weighed *weighed, size_t terms)
{
    size_t spare = weighed->variance > 0 ? weighed->points > 2 : 2;

    return terms == 1 || terms + spare <= weighed->points;
}

/* The evidence of what a law leaves, over the variances of the prior; 'variance' and
 * 'misfit2' are their means then.  A misfit that is no likelier than before is none.
 */
static double left_evidence(const struct rc_weighed *weighed, size_t terms, double left,
                            double log_determinant, double *variance, double *misfit2)
{
    double each[RC_WEIGHED_VARIANCES], most = -INFINITY, beyond = 0;
    double sum[2] = {0, 0}, mean[2] = {0, 0}, before = exp(weighed->log_misfit), seen;

    for (size_t g = 0; g < weighed->variances; g++) {
        double volume = 0.5 * ((double)terms * (weighed->log_left[g] + log(2 * M_PI)) -
                               log_determinant);

        each[g] = weighed->log_prior[g] -
                  0.5 * (double)weighed->points * weighed->log_left[g] -
                  left / (2 * weighed->left[g]) + fmin(volume, 0);
        most = fmax(most, each[g]);
    }
    for (size_t g = 0; g < weighed->variances; g++) {
        bool misfit = g >= weighed->misfits;

        each[g] = exp(each[g] - most);
        sum[misfit] += each[g];
        mean[misfit] += each[g] * weighed->left[g];
        if (misfit)
            beyond += each[g] * (weighed->left[g] - weighed->variance);
    }
    if (weighed->variance == 0) {
        *variance = (mean[0] + mean[1]) / (sum[0] + sum[1]);
        *misfit2 = *variance / 16;
    } else {
        seen = fmax(sum[1] / (sum[0] + sum[1]) - before, 0) / (1 - before);
        seen *= seen;
        *variance =
            (1 - seen) * mean[0] / fmax(sum[0], 1e-300) + seen * mean[1] / sum[1];
        *misfit2 = seen * beyond / sum[1];
    }
    return most + log(sum[0] + sum[1]);
}

static void keep_judged(struct rc_judged_list *list, const struct rc_judged *judged)
{
    size_t at = list->count < RC_FORM_KEPT ? list->count++ : RC_FORM_KEPT - 1;

    for (; at && list->of[at - 1].evidence < judged->evidence; at--)
        list->of[at] = list->of[at - 1];
    list->of[at] = *judged;
}

/* Terms in order, so that equal forms are equal bytes. */
static void sort_form(struct rc_form *form)
{
    for (size_t i = 1; i < form->terms; i++)
        for (size_t j = i;
             j && memcmp(form->of[j], form->of[j - 1], sizeof form->of[j]) < 0; j--) {
            unsigned char swap[RC_LAW_PARAMETERS];

            memcpy(swap, form->of[j], sizeof swap);
            memcpy(form->of[j], form->of[j - 1], sizeof swap);
            memcpy(form->of[j - 1], swap, sizeof swap);
        }
}

/* Coefficients by weighted least squares.  Residuals are fitted again, twice, so that
 * they are right to the last digits; returns the sum of their squares.
 */
static double fit_columns(const struct rc_weighed *weighed, size_t terms,
                          double factor[RC_FORM_TERMS][RC_FORM_TERMS], double *out)
{
    const double *column = weighed->scratch;
    size_t points = weighed->points;
    double left = 0;

    memset(out, 0, RC_FORM_TERMS * sizeof *out);
    for (int round = 0; round < 3; round++) {
        double right[RC_FORM_TERMS] = {0};

        left = 0;
        for (size_t i = 0; i < points; i++) {
            double residual = 1;

            for (size_t t = 0; t < terms; t++)
                residual -= out[t] * column[t * points + i];
            for (size_t t = 0; t < terms; t++)
                right[t] += weighed->weight[i] * residual * column[t * points + i];
            left += weighed->weight[i] * residual * residual;
        }
        if (round == 2)
            break;
        solve(factor, terms, right);
        for (size_t t = 0; t < terms; t++)
            out[t] += right[t];
    }
    return left;
}

void rc_judge(const struct rc_weighed *weighed, struct rc_form form,
              struct rc_judged_list *list)
{
    double factor[RC_FORM_TERMS][RC_FORM_TERMS], most[RC_FORM_TERMS], left, variance;
    double log_determinant = 0, prior = 0;
    struct rc_judged judged = {.form = form};
    size_t points = weighed->points, terms = form.terms;
    bool constant = false;

    sort_form(&judged.form);
    if (!terms || !enough_points(weighed, terms))
        return;
    for (size_t i = 0; i < list->count; i++)
        if (list->of[i].form.terms == terms &&
            memcmp(list->of[i].form.of, judged.form.of, terms * sizeof form.of[0]) == 0)
            return;
    for (size_t t = 0; t < terms; t++) {
        bool none = is_constant(judged.form.of[t]);

        most[t] =
            term_column(weighed, judged.form.of[t], weighed->scratch + t * points);
        if (most[t] == 0)
            return;
        if (!none)
            prior += term_prior(weighed, judged.form.of[t], terms - constant > 1);
        constant = constant || none;
    }
    prior += count_prior(terms - constant, constant);
    for (size_t s = 0; s < terms; s++)
        for (size_t t = 0; t <= s; t++) {
            const double *a = weighed->scratch + s * points;
            const double *b = weighed->scratch + t * points;

            factor[s][t] = 0;
            for (size_t i = 0; i < points; i++)
                factor[s][t] += weighed->weight[i] * a[i] * b[i];
        }
    if (!factorize(factor, terms))
        return;
    left = fit_columns(weighed, terms, factor, judged.coefficient);
    for (size_t t = 0; t < terms; t++) {
        if (!(judged.coefficient[t] > 0))
            return;
        log_determinant += 2 * log(factor[t][t]);
    }
    judged.evidence = prior + left_evidence(weighed, terms, left, log_determinant,
                                            &variance, &judged.misfit2);
    if (list->count == RC_FORM_KEPT &&
        judged.evidence <= list->of[RC_FORM_KEPT - 1].evidence)
        return;
    for (size_t t = 0; t < terms; t++) {
        double column[RC_FORM_TERMS] = {0};

        column[t] = variance;
        solve(factor, terms, column);
        for (size_t s = 0; s < terms; s++)
            judged.covariance[s][t] = column[s] / most[s] / most[t];
    }
    for (size_t t = 0; t < terms; t++)
        judged.coefficient[t] /= most[t];
    keep_judged(list, &judged);
}

double rc_judged_evidence(const struct rc_judged_list *list)
{
    double sum = 0;

    for (size_t i = 0; i < list->count; i++)
        sum += exp(list->of[i].evidence - list->of[0].evidence);
    return list->count ? list->of[0].evidence + log(sum) : -INFINITY;
}

/* A sum that may be good: terms of the set, by number; term 0 is the constant. */
struct sum {
    double score;
    unsigned short term[RC_FORM_TERMS], terms;
};

/* Sums of products of the terms, which are numbered as in the set, but from 1. */
struct products {
    const struct rc_weighed *weighed;
    size_t count;
    const double *of;    /* [term][term] */
    const double *right; /* [term] */
    double *prior[2];    /* of a term: alone, and beside others */
    unsigned char (*term)[RC_LAW_PARAMETERS];
    double best; /* the least that was left by one term less */
    size_t sums, worst;
    double least; /* the worst score, where there are KEPT */
    struct sum sum[KEPT];
};

static void keep_sum(struct products *all, struct sum sum)
{
    if (all->sums == KEPT && sum.score <= all->least)
        return;
    all->sum[all->sums < KEPT ? all->sums++ : all->worst] = sum;
    if (all->sums < KEPT)
        return;
    all->worst = 0;
    for (size_t i = 1; i < KEPT; i++)
        if (all->sum[i].score < all->sum[all->worst].score)
            all->worst = i;
    all->least = all->sum[all->worst].score;
}

/* The evidence, estimated: with the variance that suits best. */
static double estimate(const struct products *all, size_t terms, double left,
                       double determinant)
{
    const struct rc_weighed *weighed = all->weighed;
    double points = (double)weighed->points;
    double variance = fmax(fmax(left / points, weighed->variance), 1e-16);
    double volume = 0.5 * ((double)terms * log(2 * M_PI * variance) - log(determinant));

    return -0.5 * points * log(variance) - 0.5 * left / variance + fmin(volume, 0);
}

static void try_ones(struct products *all)
{
    size_t n = all->count;
    double total = (double)all->weighed->points, least = INFINITY;
    double own = all->of[0], right = all->right[0];
    double with = count_prior(1, true), without = count_prior(1, false);

    keep_sum(all, (struct sum){count_prior(0, true) +
                                   estimate(all, 1, total - right * right / own, own),
                               {0},
                               1});
    for (size_t i = 1; i < n; i++) {
        double self = all->of[i * n + i], cross = all->of[i];
        double rest = self - cross * cross / own;
        double part = all->right[i] - right * cross / own;
        double left = fmax(total - all->right[i] * all->right[i] / self, 0);

        least = fmin(least, left);
        keep_sum(all,
                 (struct sum){without + all->prior[0][i] + estimate(all, 1, left, self),
                              {(unsigned short)i},
                              1});
        if (!(rest > 1e-12 * self) || part <= 0 || right <= part / rest * cross ||
            !enough_points(all->weighed, 2))
            continue;
        left = fmax(total - right * right / own - part * part / rest, 0);
        least = fmin(least, left);
        keep_sum(all, (struct sum){with + all->prior[0][i] +
                                       estimate(all, 2, left, own * rest),
                                   {0, (unsigned short)i},
                                   2});
    }
    all->best = least;
}

/* Pairs of terms: 'of' and 'right' are those of the terms, or, with a constant, of what
 * of them is not constant.
 */
static void try_twos(struct products *all, bool constant, double *unit, double *part,
                     double *low)
{
    size_t n = all->count;
    double own = all->of[0], right = all->right[0];
    double total = (double)all->weighed->points - (constant ? right * right / own : 0);
    double prior = count_prior(2, constant), gate = all->best;

    if (!enough_points(all->weighed, 2 + constant))
        return;
    for (size_t i = 1; i < n; i++) {
        double cross = constant ? all->of[i] : 0, self = all->of[i * n + i];
        double rest = self - cross * cross / own;

        unit[i] = rest > 1e-12 * self ? 1 / sqrt(rest) : 0;
        part[i] = (all->right[i] - right * cross / own) * unit[i];
    }
    for (size_t i = 1; i < n; i++) {
        const double *row = all->of + i * n;

        for (size_t j = i + 1; j < n; j++) {
            double cross = constant ? all->of[i] * all->of[j] / own : 0;
            double same = (row[j] - cross) * unit[i] * unit[j];
            double one = part[i] - same * part[j], two = part[j] - same * part[i];
            double rest = 1 - same * same, score;
            double left = total - (part[i] * one + part[j] * two) / rest;

            if (!(one > 0) || !(two > 0) || !(rest > 1e-11) || !(left < gate))
                continue;
            if (constant &&
                right <=
                    (one * unit[i] * all->of[i] + two * unit[j] * all->of[j]) / rest)
                continue;
            left = left > 0 ? left : 0;
            if (left < *low)
                *low = left;
            score = prior + all->prior[1][i] + all->prior[1][j] +
                    estimate(all, 2 + constant, left,
                             rest / (unit[i] * unit[i] * unit[j] * unit[j]) *
                                 (constant ? own : 1));
            keep_sum(
                all,
                constant
                    ? (struct sum){score, {0, (unsigned short)i, (unsigned short)j}, 3}
                    : (struct sum){score, {(unsigned short)i, (unsigned short)j}, 2});
        }
    }
}

/* A third term beside the best pairs. */
static void try_threes(struct products *all)
{
    size_t n = all->count, pairs = 0;
    struct sum pair[KEPT];

    for (size_t i = 0; i < all->sums; i++)
        if (all->sum[i].terms - (all->sum[i].term[0] == 0) == 2)
            pair[pairs++] = all->sum[i];
    for (size_t p = 0; p < pairs && p < FEW; p++) {
        for (size_t i = p + 1; i < pairs; i++)
            if (pair[i].score > pair[p].score) {
                struct sum swap = pair[i];

                pair[i] = pair[p];
                pair[p] = swap;
            }
        if (!enough_points(all->weighed, pair[p].terms + 1))
            continue;
        for (size_t i = 1; i < n; i++) {
            double factor[RC_FORM_TERMS][RC_FORM_TERMS], determinant = 1;
            double solved[RC_FORM_TERMS], left = (double)all->weighed->points;
            struct sum sum = pair[p];
            bool above = true;

            sum.term[sum.terms++] = (unsigned short)i;
            for (size_t s = 0; s < sum.terms; s++) {
                solved[s] = all->right[sum.term[s]];
                for (size_t t = 0; t <= s; t++)
                    factor[s][t] = all->of[sum.term[s] * n + sum.term[t]];
            }
            if (!factorize(factor, sum.terms))
                continue;
            solve(factor, sum.terms, solved);
            for (size_t s = 0; s < sum.terms; s++) {
                above = above && solved[s] > 0;
                left -= solved[s] * all->right[sum.term[s]];
                determinant *= factor[s][s] * factor[s][s];
            }
            if (!above || !(left < all->best))
                continue;
            sum.score = count_prior(3, sum.term[0] == 0) +
                        estimate(all, sum.terms, fmax(left, 0), determinant);
            for (size_t s = 0; s < sum.terms; s++)
                sum.score += all->prior[1][sum.term[s]];
            keep_sum(all, sum);
        }
    }
}

static void judge_sums(struct products *all, struct rc_judged_list *list)
{
    double best = -INFINITY;

    for (size_t i = 0; i < all->sums; i++)
        best = fmax(best, all->sum[i].score);
    for (size_t i = 0; i < all->sums; i++) {
        const struct sum *sum = &all->sum[i];
        struct rc_form form = {.terms = sum->terms};

        /* The estimate may be off by a few. */
        if (sum->score < best - 9)
            continue;
        for (size_t t = 0; t < sum->terms; t++)
            memcpy(form.of[t], all->term[sum->term[t]], sizeof form.of[t]);
        rc_judge(all->weighed, form, list);
    }
}

/* The products of all terms that have values. */
static bool take_products(struct products *all, const struct rc_term_set *set,
                          struct rc_arena *arena)
{
    static const unsigned char constant[RC_LAW_PARAMETERS];
    const struct rc_weighed *weighed = all->weighed;
    size_t most = set->count + 1, n = 0, points = weighed->points;
    double *column = rc_arena_array(arena, most * points, sizeof *column);
    double *row = rc_arena_array(arena, most, sizeof *row);
    double *of, *right = rc_arena_array(arena, most, sizeof *right);

    all->term = rc_arena_array(arena, most, sizeof *all->term);
    all->prior[0] = rc_arena_array(arena, most, sizeof(double));
    all->prior[1] = rc_arena_array(arena, most, sizeof(double));
    if (arena->failed)
        return false;
    for (size_t i = 0; i < most; i++) {
        const unsigned char *term = i ? set->of[i - 1] : constant;

        if (term_column(weighed, term, column + n * points) == 0)
            continue;
        memcpy(all->term[n], term, sizeof all->term[n]);
        all->prior[0][n] = i ? term_prior(weighed, term, false) : 0;
        all->prior[1][n++] = i ? term_prior(weighed, term, true) : 0;
    }
    all->count = n;
    all->of = of = rc_arena_array(arena, n * n, sizeof *of);
    all->right = right;
    if (arena->failed)
        return false;
    for (size_t p = 0; p < points; p++) {
        for (size_t i = 0; i < n; i++)
            row[i] = column[i * points + p];
        for (size_t i = 0; i < n; i++) {
            double value = weighed->weight[p] * row[i];

            right[i] += value;
            for (size_t j = i; j < n; j++)
                of[i * n + j] += value * row[j];
        }
    }
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            of[i * n + j] = of[j * n + i];
    return true;
}

void rc_search(const struct rc_weighed *weighed, const struct rc_term_set *set,
               struct rc_arena *arena, struct rc_judged_list *list)
{
    struct products all = {.weighed = weighed, .least = -INFINITY};
    double *scratch = rc_arena_array(arena, 2 * (set->count + 1), sizeof *scratch);
    double known, low;

    if (!take_products(&all, set, arena))
        return;
    try_ones(&all);
    low = all.best;
    try_twos(&all, true, scratch, scratch + set->count + 1, &low);
    try_twos(&all, false, scratch, scratch + set->count + 1, &low);
    all.best = low;
    /* Three terms only where two leave more than noise. */
    known = 1.5 * weighed->variance * (double)weighed->points;
    if (weighed->variance > 0 ? low > known && weighed->points > 5
                              : low > 1e-12 && weighed->points > 6)
        try_threes(&all);
    judge_sums(&all, list);
}

void rc_search_one(const struct rc_weighed *weighed, size_t parameter,
                   struct rc_arena *arena, struct rc_judged_list *list)
{
    unsigned char of[RC_TERMS_MOST][RC_LAW_PARAMETERS] = {{0}};
    struct rc_term_set set = {rc_terms_all - 1,
                              (const unsigned char(*)[RC_LAW_PARAMETERS])of};

    for (size_t i = 0; i < set.count; i++)
        of[i][parameter] = (unsigned char)(i + 1);
    rc_search(weighed, &set, arena, list);
}
