/* Metrics that one event counts nearly: with something else, or not all of it.
 *
 * The scaled vector of an event in the joint pool differs from the metric's by parts of
 * one sign.  The largest share that these parts have in the metric on any point of any
 * suite is the bound that is stated.
 */
#include "campaign/solve/joint/joint.h"

#include "kernels/ideal.h"

#include <math.h>
#include <string.h>

static const double nearly_most = 0.2;  /* of an approximate metric, as verdicts.c */
static const double said_most = 1;      /* a larger bound is not mentioned */
static const double least_share = 1e-3; /* of all instructions: less does not matter */
static const double doubts = 3;         /* deviations that do not count as a part */
static const double none = 1e-9;

/* The most that an event is off a metric, and where. */
struct bound {
    size_t event; /* in the pool */
    double coefficient, most;
    bool less; /* it counts too few */
    const struct rc_solve_suite *suite;
    size_t point;
};

/* Puts the difference of a scaled event and the metric into 'extra'; false if its parts
 * are not of one sign.
 */
static bool find_extra(const struct rc_solve_joint *j, size_t e, double coefficient,
                       const double *wanted, double *extra, bool *less)
{
    const double *x = j->pool_x + e * j->ideals;
    bool more = false;

    *less = false;
    for (size_t q = 0; q < j->ideals; q++) {
        const double doubt =
            doubts * fabs(coefficient) * j->pool_doubt[e * j->ideals + q];
        extra[q] = coefficient * x[q] - wanted[q];
        if (fabs(extra[q]) <= none + doubt)
            extra[q] = 0;
        more |= extra[q] > 0;
        *less |= extra[q] < 0;
    }
    return more != *less;
}

/* The lowest or the highest value that a sum of ideals may have on a point. */
static double end_of(const struct rc_solve_suite *s, const struct rc_solve_joint *j,
                     const double *x, size_t point, bool high)
{
    double sum = 0;

    for (size_t q = 0; q < j->ideals; q++)
        if (x[q] != 0) {
            const struct rc_range r = rc_solve_range(s, j->ideal[q], point);
            sum += x[q] * ((x[q] > 0) == high ? r.high : r.low);
        }
    return sum;
}

/* Finds the largest share that 'extra' has in the metric, over all points where both
 * are known.
 */
static void put_bound(const struct rc_solve_kind *k, const double *wanted,
                      const double *extra, struct bound *b)
{
    const struct rc_solve_joint *j = k->joint;

    b->most = 0;
    b->suite = NULL;
    for (size_t i = 0; i < k->count; i++) {
        const struct rc_solve_suite *s = &k->suite[i];
        for (size_t p = 0; p < s->labels->point_count; p++) {
            const double low = end_of(s, j, wanted, p, false);
            const double off = fabs(end_of(s, j, extra, p, !b->less));
            const double all = rc_solve_ideal(s, rc_ideal_name(RC_IDEAL_INS), p);
            const double share = off / fmax(low, least_share * all);
            if (!isfinite(low) || !isfinite(share) || share <= b->most)
                continue;
            b->most = share;
            b->suite = s;
            b->point = p;
        }
    }
}

/* The event that is nearest to the metric; b.suite is NULL where none is near. */
static struct bound find_nearest(const struct rc_solve_kind *k, const double *wanted,
                                 double *extra)
{
    const struct rc_solve_joint *j = k->joint;
    struct bound best = {.most = said_most};

    for (size_t e = 0; e < j->count; e++)
        for (size_t q = 0; q < j->ideals; q++) {
            const double x = j->pool_x[e * j->ideals + q];
            if (wanted[q] == 0 || x == 0)
                continue;
            struct bound b = {.event = e, .coefficient = wanted[q] / x};
            if (b.coefficient < 0 ||
                !find_extra(j, e, b.coefficient, wanted, extra, &b.less))
                continue;
            put_bound(k, wanted, extra, &b);
            if (b.suite && b.most < best.most)
                best = b;
        }
    return best;
}

/* True if a single event may replace a metric's result: it is not defined, and is not
 * an approximate sum of several events.
 */
static bool is_open(const struct rc_metric_result *m)
{
    return m->verdict == RC_METRIC_ABSENT || m->verdict == RC_METRIC_REJECTED ||
           m->verdict == RC_METRIC_UNKNOWN ||
           (m->verdict == RC_METRIC_APPROXIMATE && m->term_count == 1);
}

/* Sets '*out': whether readings are off by no more than the bound, on all suites. */
static int holds(struct rc_joint_fits *j, const struct bound *b,
                 const double *signature, struct rc_metric_result *m, bool *out)
{
    const int status = rc_fits_check(&j->pool, signature, m);
    const double noise = rc_fits_tolerance(j->pool.s, signature, true);

    *out = status == RC_OK && m->check_count > 0;
    for (size_t i = 0; i < m->check_count; i++)
        *out = *out && m->check[i].error <= b->most + noise;
    m->rounded_holds = false;
    return status;
}

int rc_joint_nearly(struct rc_joint_fits *j, size_t number, const double *signature,
                    struct rc_metric_result *m)
{
    struct rc_solve_kind *k = j->pool.k;
    const struct rc_solve_joint *joint = k->joint;
    double *wanted = rc_arena_array(&k->step, joint->ideals, sizeof *wanted);
    double *extra = rc_arena_array(&k->step, joint->ideals, sizeof *extra);
    struct rc_metric_result with = *m;
    bool told, is_held;
    int status = rc_arena_check(&k->step, k->err, "a metric in joint coordinates");

    if (status != RC_OK || !is_open(m) ||
        !rc_solve_joint_signature(j->pool.s, joint, j->chosen->metric[number], wanted,
                                  &told) ||
        !told)
        return status;
    const struct bound b = find_nearest(k, wanted, extra);
    if (!b.suite)
        return RC_OK;
    with.term = rc_arena_array(&k->arena, 1, sizeof *with.term);
    with.check = rc_arena_array(&k->arena, k->count, sizeof *with.check);
    if ((status = rc_arena_check(&k->arena, k->err, "the terms of a metric")) != RC_OK)
        return status;
    with.term[0] = (struct rc_term){.event = joint->pool[b.event].event,
                                    .name = j->pool.name[b.event],
                                    .coefficient = b.coefficient,
                                    .rounded = b.coefficient,
                                    .low = b.coefficient,
                                    .high = b.coefficient};
    with.term_count = 1;
    if ((status = holds(j, &b, signature, &with, &is_held)) != RC_OK || !is_held)
        return status;
    const char *off =
        rc_solve_words(k, "too %s by up to %.0f %%, most on %s of %s",
                       b.less ? "few" : "many", ceil(100 * b.most - 1e-6),
                       b.suite->labels->points[b.point], b.suite->labels->name);
    if (b.most > nearly_most && m->verdict == RC_METRIC_ABSENT)
        m->reason = rc_solve_words(k, "%s; the nearest event, %s, counts %s", m->reason,
                                   with.term[0].name, off);
    if (b.most > nearly_most)
        return RC_OK;
    with.verdict = RC_METRIC_APPROXIMATE;
    with.error = b.most;
    with.reason = off;
    *m = with;
    return RC_OK;
}
