/* weigh.c - means of points, and what repetitions say of their noise */
#include "solve/model/parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The readings of a point. */
struct readings {
    double mean, squares; /* sum of squared relative deviations from the mean */
    double count;
};

static struct readings readings_of(const struct rc_observed *observed, size_t point)
{
    const double *value = observed->value + observed->first[point];
    size_t count = observed->first[point + 1] - observed->first[point];
    struct readings out = {0, 0, (double)count};

    for (size_t i = 0; i < count; i++)
        out.mean += value[i] / out.count;
    for (size_t i = 0; i < count && out.mean > 0; i++) {
        double off = value[i] / out.mean - 1;

        out.squares += off * off;
    }
    return out;
}

/* Variance of a reading, relative, pooled over points.  Where a few points are much
 * noisier than most, it is that of most.  A point whose readings are all equal has in
 * truth one reading, where others differ.
 */
static double pooled_variance(struct readings *of, size_t points, double *scratch,
                              double *degrees)
{
    double squares = 0, middle = 0;
    size_t several = 0;

    *degrees = 0;
    for (size_t i = 0; i < points; i++)
        squares += of[i].squares;
    for (size_t i = 0; i < points; i++) {
        if (of[i].squares < 1e-26 && squares > 0)
            of[i].count = 1;
        if (of[i].count < 2)
            continue;
        *degrees += of[i].count - 1;
        /* The median of chi-square is about degrees - 2/3 and a little. */
        scratch[several++] =
            of[i].squares / pow(1 - 2 / (9 * (of[i].count - 1)), 3) / (of[i].count - 1);
    }
    if (*degrees == 0 || squares < 1e-26) {
        *degrees = 0;
        return 0;
    }
    if (several <= 64) /* else the mean is good enough, and sorting is slow */
        qsort(scratch, several, sizeof *scratch, rc_order_reals);
    middle = several <= 64 && several >= 5 ? scratch[several / 2] : INFINITY;
    return fmin(squares / *degrees, 2 * middle);
}

/* Standard errors that were given are known well.  Else a point's variance is pooled
 * with that of all, which counts as 'common' repetitions.
 */
static void weigh_points(const struct rc_observed *observed, const size_t *point,
                         const struct readings *of, struct rc_weighed *out)
{
    const double common = 10;
    double pooled = out->noise * out->noise, sum = 0;

    for (size_t i = 0; i < out->points; i++) {
        double given = observed->spread ? observed->spread[point[i]] / of[i].mean : NAN;
        double single = fmax(of[i].count - 1, 0);
        double variance = pooled > 0 ? (common * pooled + of[i].squares) /
                                           (common + single) / of[i].count
                                     : 1 / of[i].count;

        if (out->variance > 0)
            variance = given > 0 ? fmax(given * given, 1e-12) : out->variance;
        out->weight[i] = 1 / variance;
        sum += out->weight[i];
    }
    for (size_t i = 0; i < out->points; i++)
        out->weight[i] *= (double)out->points / sum;
    if (pooled > 0)
        out->variance = (double)out->points / sum;
}

/* Mean of the given standard errors, squared, for points that have none. */
static double given_variance(const struct rc_observed *observed, const size_t *point,
                             const struct readings *of, size_t points)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < points; i++) {
        double given = observed->spread[point[i]] / of[i].mean;

        if (given > 0) {
            sum += given * given;
            count++;
        }
    }
    return count > 0 ? sum / count : 0;
}

static void add_variance(struct rc_weighed *out, double left, double prior)
{
    out->left[out->variances] = left;
    out->log_left[out->variances] = log(left);
    out->log_prior[out->variances++] = log(prior);
}

/* Half of the prior is noise alone, as repetitions tell it; the other half is a law that
 * deviates from the points by up to 30 % more.  Without repetitions the noise is unknown;
 * numbers of a simulation may have none.
 */
static void make_prior(struct rc_weighed *out)
{
    static const double normal[] = {-1.47, -0.79, -0.37, 0, 0.37, 0.79, 1.47};
    static const double misfit[] = {0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.3};
    double share = 1;
    size_t first = 0;

    out->variances = 0;
    if (out->variance > 0) {
        double part = 2 / (9 * out->degrees);

        share = 0.4;
        for (size_t i = 0; i < 7; i++)
            add_variance(out,
                         out->variance /
                             pow(fmax(1 - part + normal[i] * sqrt(part), 0.3), 3),
                         (1 - share) / 7);
    } else {
        add_variance(out, 1e-22, 0.05);
        add_variance(out, 1e-14, 0.05);
        share = 0.9;
    }
    out->misfits = out->variances;
    out->log_misfit = log(share);
    while (first < 7 && misfit[first] * misfit[first] < 0.3 * out->variance)
        first++;
    for (size_t i = first; i < 8; i++)
        add_variance(out, out->variance + misfit[i] * misfit[i],
                     share / (double)(8 - first));
}

static bool varies(const struct rc_weighed *weighed, size_t parameter)
{
    for (size_t i = 1; i < weighed->points; i++)
        if (weighed->at[i * weighed->parameters + parameter] != weighed->at[parameter])
            return true;
    return false;
}

static void make_tables(struct rc_weighed *out, struct rc_arena *arena)
{
    double *x = rc_arena_array(arena, out->points, sizeof *x);

    for (size_t l = 0; l < out->parameters && !arena->failed; l++) {
        out->table[l] = NULL;
        if (!varies(out, l))
            continue;
        out->table[l] = rc_arena_array(arena, rc_terms_all * out->points, sizeof *x);
        for (size_t i = 0; i < out->points && !arena->failed; i++)
            x[i] = out->at[i * out->parameters + l];
        if (!arena->failed)
            rc_terms_table(x, out->points, out->table[l]);
    }
}

/* Whether point a comes before b: by the first parameter, then the next. */
static bool before(const struct rc_observed *observed, size_t a, size_t b)
{
    for (size_t l = 0; l < observed->parameters; l++) {
        double x = observed->at[a * observed->parameters + l];
        double y = observed->at[b * observed->parameters + l];

        if (x != y)
            return x < y;
    }
    return false;
}

void rc_laws_extent(const struct rc_observed *observed, struct rc_laws *out)
{
    for (size_t l = 0; l < observed->parameters; l++) {
        out->least[l] = INFINITY;
        out->most[l] = -INFINITY;
        for (size_t i = 0; i < observed->points; i++) {
            double x = observed->at[i * observed->parameters + l];

            if (observed->first[i] == observed->first[i + 1])
                continue;
            out->least[l] = fmin(out->least[l], x);
            out->most[l] = fmax(out->most[l], x);
        }
    }
}

void rc_weigh(const struct rc_observed *observed, struct rc_arena *arena,
              struct rc_weighed *out)
{
    size_t points = observed->points, zeros = 0;
    struct readings *of = rc_arena_array(arena, points, sizeof *of);
    size_t *point = rc_arena_array(arena, points, sizeof *point);
    size_t *order = rc_arena_array(arena, points, sizeof *order);

    memset(out, 0, sizeof *out);
    out->parameters = observed->parameters;
    out->at = rc_arena_array(arena, points * observed->parameters, sizeof *out->at);
    out->mean = rc_arena_array(arena, points, sizeof *out->mean);
    out->weight = rc_arena_array(arena, points, sizeof *out->weight);
    out->scratch = rc_arena_array(arena, RC_FORM_TERMS * (points + 1), sizeof(double));
    if (arena->failed)
        return;
    for (size_t i = 0; i < points; i++)
        for (size_t j = order[i] = i; j && before(observed, order[j], order[j - 1]);
             j--) {
            size_t swap = order[j];

            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    for (size_t k = 0; k < points; k++) {
        size_t i = order[k];
        struct readings here = readings_of(observed, i);

        zeros += here.count > 0 && !(here.mean > 0);
        if (!(here.mean > 0) || !isfinite(here.squares))
            continue;
        memcpy(out->at + out->points * out->parameters,
               observed->at + i * out->parameters, out->parameters * sizeof *out->at);
        out->mean[out->points] = here.mean;
        of[out->points] = here;
        point[out->points++] = i;
    }
    if (zeros && out->points)
        out->words |= RC_LAWS_ZEROS;
    if (!out->points)
        return;
    out->noise = sqrt(pooled_variance(of, out->points, out->scratch, &out->degrees));
    if (observed->spread)
        out->variance = given_variance(observed, point, of, out->points);
    if (out->variance > 0) {
        out->degrees = 100;
        out->noise = sqrt(out->variance);
    }
    if (out->degrees == 0)
        out->words |= RC_LAWS_ONE_READING;
    weigh_points(observed, point, of, out);
    make_prior(out);
    make_tables(out, arena);
    rc_terms_log_priors(false, out->factor_prior[0]);
    rc_terms_log_priors(true, out->factor_prior[1]);
}

void rc_weigh_misfit(struct rc_weighed *weighed, double misfit)
{
    double sum = 0;

    for (size_t i = 0; i < weighed->points; i++) {
        weighed->weight[i] =
            1 / (weighed->variance / weighed->weight[i] + misfit * misfit);
        sum += weighed->weight[i];
    }
    for (size_t i = 0; i < weighed->points; i++)
        weighed->weight[i] *= (double)weighed->points / sum;
}

struct rc_weighed rc_weigh_part(const struct rc_weighed *all, size_t from,
                                size_t points, struct rc_arena *arena)
{
    struct rc_weighed out = *all;

    out.points = points;
    out.at += from * all->parameters;
    out.mean += from;
    out.weight += from;
    make_tables(&out, arena);
    return out;
}
