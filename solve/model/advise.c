/* Chooses the next runs, by the covariance of what laws say at points.
 *
 * For each series there is a matrix of the covariances of its numbers at the runs and, as
 * the last row and column, at the target: of the coefficients of a law, and of the laws
 * among each other.  A run that is chosen conditions all of them.
 */
#include "solve/model/advise.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double GAIN_LEAST = 1e-3;

/* The covariance of what a law says at two points, by that of its coefficients. */
static double of_coefficients(const struct rc_laws_choice *choice, const double *one,
                              const double *other, size_t parameters)
{
    double sum = 0;

    for (size_t i = 0; i < choice->law.terms; i++)
        for (size_t j = 0; j < choice->law.terms; j++)
            sum += rc_law_term_at(&choice->law.term[i], one, parameters) *
                   choice->covariance[i][j] *
                   rc_law_term_at(&choice->law.term[j], other, parameters);
    return sum;
}

static double mean_at(const struct rc_laws *fit, const double *at)
{
    double mean = 0;

    for (size_t i = 0; i < fit->count; i++)
        mean +=
            fit->choice[i].weight * rc_law_at(&fit->choice[i].law, at, fit->parameters);
    return mean;
}

static double covariance(const struct rc_laws *fit, const double *one,
                         const double *other)
{
    const double mean_one = mean_at(fit, one), mean_other = mean_at(fit, other);
    double sum = 0;

    for (size_t i = 0; i < fit->count; i++) {
        const struct rc_laws_choice *c = &fit->choice[i];
        sum +=
            c->weight * (of_coefficients(c, one, other, fit->parameters) +
                         (rc_law_at(&c->law, one, fit->parameters) - mean_one) *
                             (rc_law_at(&c->law, other, fit->parameters) - mean_other));
    }
    return sum;
}

/* The matrix of a series, and the variance of a reading at each run. */
static void fill(const struct rc_laws *fit, const struct rc_advice_run *run,
                 size_t runs, const double *target, double *matrix, double *noise)
{
    const size_t size = runs + 1;

    for (size_t i = 0; i < size; i++) {
        const double *one = i < runs ? run[i].at : target;
        for (size_t j = 0; j <= i; j++)
            matrix[i * size + j] = matrix[j * size + i] =
                covariance(fit, one, j < runs ? run[j].at : target);
        if (i < runs)
            noise[i] = pow(fit->noise * mean_at(fit, one), 2);
    }
}

/* The variance at the target that a reading at a run takes away. */
static double gain_of(const double *matrix, const double *noise, size_t runs,
                      size_t run)
{
    const size_t size = runs + 1;
    const double both = matrix[run * size + runs],
                 own = matrix[run * size + run] + noise[run];

    return own > 0 ? both * both / own : 0;
}

static void condition(double *matrix, const double *noise, size_t runs, size_t run,
                      double *column)
{
    const size_t size = runs + 1;
    const double own = matrix[run * size + run] + noise[run];

    if (!(own > 0))
        return;
    for (size_t i = 0; i < size; i++)
        column[i] = matrix[i * size + run];
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++)
            matrix[i * size + j] -= column[i] * column[j] / own;
}

int rc_laws_advise(const struct rc_laws *fit, size_t fits,
                   const struct rc_advice_run *run, size_t runs, const double *target,
                   double budget, struct rc_advice_step *step, size_t most,
                   size_t *steps, double *before, struct rc_error *err)
{
    const size_t size = runs + 1, cells = size * size;
    double *matrix = rc_calloc(fits * cells, sizeof *matrix),
           *noise = rc_calloc(fits * size, sizeof *noise),
           *column = rc_calloc(size, sizeof *column);
    double left = budget, variance = 0;
    int status = RC_OK;

    *steps = 0;
    if (!matrix || !noise || !column) {
        status = rc_fail(err, RC_ENOMEM, "no memory to compare %zu runs", runs);
        goto out;
    }
    for (size_t f = 0; f < fits; f++) {
        fill(&fit[f], run, runs, target, &matrix[f * cells], &noise[f * size]);
        variance += matrix[f * cells + cells - 1];
    }
    *before = variance;
    while (*steps < most) {
        size_t best = runs;
        double best_rate = 0, best_gain = 0;
        for (size_t i = 0; i < runs; i++) {
            double gain = 0;
            for (size_t f = 0; f < fits; f++)
                gain += gain_of(&matrix[f * cells], &noise[f * size], runs, i);
            const double rate = gain / (run[i].seconds * run[i].cores);
            if (run[i].seconds <= left && gain > GAIN_LEAST * *before &&
                rate > best_rate) {
                best = i;
                best_rate = rate;
                best_gain = gain;
            }
        }
        if (best == runs)
            break;
        for (size_t f = 0; f < fits; f++)
            condition(&matrix[f * cells], &noise[f * size], runs, best, column);
        variance = fmax(variance - best_gain, 0);
        left -= run[best].seconds;
        step[(*steps)++] = (struct rc_advice_step){best, variance};
    }
out:
    free(matrix);
    free(noise);
    free(column);
    return status;
}
