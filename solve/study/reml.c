/* Restricted maximum likelihood of variances of nested readings, minimized over their
 * logarithms by the method of Nelder and Mead.
 */
#include "solve/study/components.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 1000 };

/* Input of the likelihood, computed once for all of its evaluations. */
struct likelihood {
    const struct rc_nesting *n;
    double *mean;   /* [place] of its readings, less the very first, over sqrt(scale) */
    double rest;    /* sum of squares of deviations from these */
    double degrees; /* readings less places */
    double scale;   /* unit of the variances: that of repetitions, where it is known */
    bool has[RC_LEVEL_COUNT];
};

static void sum_up(const struct rc_nesting *n, const double *reading, double *mean,
                   struct likelihood *l)
{
    double readings = 0, square = 0;
    const double *at = reading;

    *l = (struct likelihood){.n = n, .mean = mean};
    for (size_t p = 0; p < n->places; p++) {
        double sum = 0;
        for (size_t r = 0; r < n->count[p]; r++) {
            sum += at[r] - reading[0];
            square += pow(at[r] - reading[0], 2);
        }
        mean[p] = sum / (double)n->count[p];
        for (size_t r = 0; r < n->count[p]; r++)
            l->rest += pow(at[r] - reading[0] - mean[p], 2);
        readings += (double)n->count[p];
        at += n->count[p];
    }
    l->degrees = readings - (double)n->places;
    l->scale = l->rest > 0 ? l->rest / l->degrees : square / readings;
    for (size_t p = 0; p < n->places && l->scale > 0; p++)
        mean[p] /= sqrt(l->scale);
    for (size_t k = 0; k < RC_LEVEL_COUNT; k++)
        l->has[k] = rc_nesting_has(n, (enum rc_level)k);
}

/* -2 times the logarithm of the restricted likelihood, up to a constant.  All is in
 * units of 'scale', and relative to the value for repetitions alone: sums of logarithms
 * of many readings are large, and their last digits decide on nodes.
 */
static double evaluate(const struct likelihood *l, const double log_of[RC_LEVEL_COUNT])
{
    const struct rc_nesting *n = l->n;
    double variance[RC_LEVEL_COUNT], result = 0;
    double weight = 0, sum = 0, square = 0; /* over nodes, by 1 / their variance */

    for (size_t k = 0; k < RC_LEVEL_COUNT; k++)
        variance[k] = l->has[k] ? exp(log_of[k]) : 0;
    if (l->degrees > 0)
        result = l->degrees * log_of[0] + l->rest / l->scale * expm1(-log_of[0]);
    /* There is at least one node, and each has a place. */
    size_t p = 0;
    size_t count = 0; /* readings of the place that v is for */
    double v = 0, log_v = 0;
    do {
        double own = 0, mean = 0, within = 0;
        const size_t node = n->node[p];
        do {
            if (n->count[p] != count) { /* most places have as many as the one before */
                count = n->count[p];
                v = variance[RC_LEVEL_CORE] + variance[0] / (double)count;
                log_v = log(v);
            }
            own += 1 / v;
            mean += l->mean[p] / v;
            within += l->mean[p] * l->mean[p] / v;
            result += log_v;
        } while (++p < n->places && n->node[p] == node);
        mean /= own;
        const double u = variance[RC_LEVEL_NODE] + 1 / own;
        result += fmax(within - own * mean * mean, 0) + log(own) + log(u);
        weight += 1 / u;
        sum += mean / u;
        square += mean * mean / u;
    } while (p < n->places);
    return result + fmax(square - sum * sum / weight, 0) + log(weight);
}

struct corner {
    double value; /* first member: they are sorted by it */
    double at[RC_LEVEL_COUNT];
};

/* A corner on the line from the worst corner through the middle of the others: with -1
 * it is as far beyond the middle, with 0.5 halfway to it.
 */
static struct corner try_beyond(const struct likelihood *l, const struct corner *middle,
                                const struct corner *worst, double part)
{
    struct corner c;

    for (size_t k = 0; k < RC_LEVEL_COUNT; k++)
        c.at[k] = fmax(middle->at[k] + part * (worst->at[k] - middle->at[k]), -60);
    c.value = evaluate(l, c.at);
    return c;
}

static void minimize(const struct likelihood *l,
                     struct corner corner[RC_LEVEL_COUNT + 1])
{
    enum { LAST = RC_LEVEL_COUNT };

    for (int step = 0; step < STEPS_MOST; step++) {
        struct corner middle = {.at = {0}}, next;
        double width = 0;

        qsort(corner, LAST + 1, sizeof *corner, rc_order_reals);
        for (size_t k = 0; k < RC_LEVEL_COUNT; k++) {
            for (size_t c = 0; c < LAST; c++)
                middle.at[k] += corner[c].at[k] / LAST;
            width = fmax(width, fabs(corner[LAST].at[k] - corner[0].at[k]));
        }
        if (width < 1e-9)
            return;
        next = try_beyond(l, &middle, &corner[LAST], -1);
        if (next.value < corner[0].value) {
            const struct corner further = try_beyond(l, &middle, &corner[LAST], -2);
            corner[LAST] = further.value < next.value ? further : next;
            continue;
        }
        if (next.value < corner[LAST - 1].value) {
            corner[LAST] = next;
            continue;
        }
        if (next.value < corner[LAST].value)
            corner[LAST] = next;
        next = try_beyond(l, &middle, &corner[LAST], 0.5);
        if (next.value < corner[LAST].value) {
            corner[LAST] = next;
            continue;
        }
        for (size_t c = 1; c <= LAST; c++)
            corner[c] = try_beyond(l, &corner[0], &corner[c], 0.5);
    }
}

void rc_components_reml(const struct rc_nesting *nesting, const double *reading,
                        double *room, double out[RC_LEVEL_COUNT])
{
    struct rc_component first[RC_LEVEL_COUNT];
    struct likelihood l;
    struct corner corner[RC_LEVEL_COUNT + 1];

    sum_up(nesting, reading, room, &l);
    rc_components_anova(nesting, reading, NULL, first);
    for (size_t k = 0; k < RC_LEVEL_COUNT; k++)
        out[k] = l.has[k] ? 0 : NAN;
    if (l.scale <= 0 || (!l.has[RC_LEVEL_REPETITION] && !l.has[RC_LEVEL_CORE]))
        return;
    for (size_t c = 0; c <= RC_LEVEL_COUNT; c++) {
        for (size_t k = 0; k < RC_LEVEL_COUNT; k++) {
            const double variance = isnan(first[k].variance) ? 0 : first[k].variance;
            corner[c].at[k] = log(fmax(variance / l.scale, 1e-6)) + (c == k + 1);
        }
        corner[c].value = evaluate(&l, corner[c].at);
    }
    minimize(&l, corner);
    for (size_t k = 0; k < RC_LEVEL_COUNT; k++)
        if (l.has[k])
            out[k] = l.scale * exp(corner[0].at[k]);
}
