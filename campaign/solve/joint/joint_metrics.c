/* Metrics from the pool of events: the simplest sum of events for each.
 *
 * A metric that the chosen events of its suite give is checked by the joint coordinates
 * of these events, so that a metric that is defined here holds for all ideals that any
 * exact suite knows.  See docs/solve.md, step 7.
 */
#include "campaign/solve/joint/joint.h"

#include "kernels/ideal.h"
#include "solve/algebra/coordinates.h"
#include "solve/algebra/snap.h"

#include <math.h>
#include <string.h>

/* Errors and doubts are relative to the metric. */
static const double off_exact = 1e-11;     /* error that rounding leaves */
static const double off_least = 1e-6;      /* error that does not count as one */
static const double doubts = 4;            /* deviations that do not count as one */
static const double bars = 4;              /* errors and doubt are at most 4 x noise */
static const double doubtful = 1e-2;       /* the most doubt of a usable metric */
static const double doubtful_loose = 4e-3; /* the same for caches and memory */
static const double useless = 5e-2;        /* noise up to which errors are accepted */
/* How far metrics of caches and memory may be off by the suite's own events, if no sum
 * from the pool has positive whole coefficients, and if one has.
 */
static const double loose_most = 2e-2, loose_better = 5e-3;
static const double within_least = 1e-3; /* smaller errors are not mentioned */

int rc_joint_fits_init(const struct rc_fits *f, struct rc_joint_fits *out)
{
    struct rc_solve_kind *k = f->k;
    const struct rc_solve_joint *j = k->joint;
    const size_t chosen = f->s->chosen, width = j->ideals + RC_JOINT_BEHIND;
    struct rc_fits *pool = &out->pool;
    int status;

    *out = (struct rc_joint_fits){.pool = {.k = k, .s = f->s}, .chosen = f};
    pool->event = rc_arena_array(&k->step, j->count, sizeof *pool->event);
    pool->name = rc_arena_array(&k->step, j->count, sizeof *pool->name);
    pool->source = rc_arena_array(&k->step, j->count, sizeof *pool->source);
    double *noise = rc_arena_array(&k->step, j->count, sizeof *noise);
    out->chosen_x = rc_arena_array(&k->step, chosen * width, sizeof *out->chosen_x);
    if ((status = rc_solve_agree_room(k, RC_OK, "the pool of events")) != RC_OK)
        return status;
    pool->x = j->pool_x;
    pool->rows = j->ideals;
    pool->rest = j->pool_rest;
    for (size_t i = 0; i < j->count; i++) {
        pool->event[i] = j->pool[i].event;
        noise[i] = j->pool_noise[i] +
                   j->pool[i].doubt / rc_norm(j->pool_x + i * j->ideals, j->ideals);
    }
    pool->noise = noise;
    /* The owner of an event without coordinates puts -1, which becomes NAN after the
     * sum over the ranks.
     */
    for (size_t c = 0; c < chosen; c++) {
        const size_t event = f->event[c];
        if (rc_columns_owner(&k->grid, &k->layout, event) != k->grid.rank)
            continue;
        const size_t local = rc_columns_local(&k->grid, &k->layout, event);
        const size_t row = j->row[local];
        double *to = out->chosen_x + c * width;
        if (row == SIZE_MAX) {
            to[j->ideals + RC_JOINT_SPREAD] = -1;
            to[j->ideals + RC_JOINT_UNTOLD] = (double)(j->untold[local] + 1);
        } else
            memcpy(to, j->x + row * (2 * j->ideals + RC_JOINT_BEHIND),
                   width * sizeof *to);
    }
    rc_team_reduce(k->how->comm, out->chosen_x, (int)(chosen * width), MPI_DOUBLE,
                   MPI_SUM);
    for (size_t c = 0; c < chosen; c++)
        if (out->chosen_x[c * width + j->ideals + RC_JOINT_SPREAD] < 0)
            out->chosen_x[c * width + j->ideals + RC_JOINT_SPREAD] =
                out->chosen_x[c * width + j->ideals + RC_JOINT_DOUBT] = NAN;
    if ((status = rc_solve_names(k, pool->event, j->count, pool->name, pool->source)) !=
        RC_OK)
        return status;
    return rc_solve_share_means(k, pool->event, j->count, &pool->means);
}

/* Adds an event's part to the difference 'off' from a signature, and to its doubt. */
static void add_part(double *off, size_t ideals, double coefficient, const double *x,
                     double doubt, double *all)
{
    for (size_t q = 0; q < ideals; q++)
        off[q] += coefficient * x[q];
    *all = hypot(*all, coefficient * doubt);
}

/* The largest error that the difference 'off' makes on any point where it is known,
 * relative to the metric there, or to its least weight times all instructions if that
 * is more.
 */
static double off_at_worst(const struct rc_joint_fits *j, const double *wanted,
                           double least, const double *off)
{
    const struct rc_solve_kind *k = j->pool.k;
    const struct rc_solve_joint *joint = k->joint;
    double worst = 0;

    for (size_t t = 0; t < k->count; t++)
        for (size_t p = 0; joint->joined[t] && p < k->suite[t].labels->point_count;
             p++) {
            const struct rc_solve_suite *s = &k->suite[t];
            const double all = rc_solve_ideal(s, rc_ideal_name(RC_IDEAL_INS), p);
            double claim = 0, beside = 0;
            for (size_t q = 0; q < joint->ideals; q++) {
                const double ideal = wanted[q] != 0 || off[q] != 0
                                         ? rc_solve_ideal(s, joint->ideal[q], p)
                                         : 0;
                claim += wanted[q] * ideal;
                beside += off[q] * ideal;
            }
            worst = fmax(worst, fabs(beside) / fmax(fabs(claim), least * all));
        }
    return worst;
}

/* How far the terms by the suite's events are from the metric in all ideals, relative
 * to it.  0 if that is within the deviation (SPREAD or DOUBT, by 'behind') of the
 * events' coordinates, or if these are not known.  '*known' becomes how precisely the
 * terms are known, relative to the metric's least weight; 0: as well as noise lets.
 */
static double off_chosen(const struct rc_joint_fits *j, const double *wanted,
                         double least_part, bool loose,
                         const struct rc_metric_result *m, size_t behind, double *room,
                         double *known)
{
    const size_t ideals = j->pool.k->joint->ideals;
    const double norm = rc_norm(wanted, ideals);
    double doubt = 0, noise = 0;

    *known = 0;
    for (size_t q = 0; q < ideals; q++)
        room[q] = -wanted[q];
    for (size_t t = 0; t < m->term_count; t++) {
        const double value = rc_term_value(m, &m->term[t]);
        const double *x = j->chosen_x + rc_fits_term_number(j->chosen, &m->term[t]) *
                                            (ideals + RC_JOINT_BEHIND);
        if (value == 0)
            continue;
        add_part(room, ideals, value, x, x[ideals + behind], &doubt);
        noise = fmax(noise, x[ideals + RC_JOINT_NOISE]);
    }
    if (isnan(doubt))
        return 0;
    if (loose)
        *known = 2 * doubt / least_part;
    else if (doubt > fmax(off_least, bars * noise) * least_part)
        *known = doubts * doubt / least_part;
    if (loose) {
        double worst = off_at_worst(j, wanted, least_part, room);
        for (size_t q = 0; q < ideals; q++)
            worst = fmax(worst, fabs(room[q]) / norm);
        return worst <= off_exact ? 0 : worst;
    }
    const double off = rc_norm(room, ideals), least = doubt > 0 ? off_least : off_exact;
    return off <= least * norm + doubts * doubt ? 0 : off / norm;
}

/* Whether a metric is the difference of two chosen events.  It stays as it was
 * published even if a single event counts the same, which is listed as an equivalent.
 */
static bool is_difference(const struct rc_metric_result *m)
{
    size_t terms = 0;
    double sum = 0;
    bool units = true;

    for (size_t t = 0; t < m->term_count; t++) {
        const double value = rc_term_value(m, &m->term[t]);
        terms += value != 0;
        sum += value;
        units = units && (value == 0 || fabs(value) == 1);
    }
    return terms == 2 && units && sum == 0;
}

/* How far from simple the coefficients are: 0 for 1 and -1. */
static double cost_of(const struct rc_metric_result *m)
{
    const double none = 64, within = 1e-9;
    double cost = 0;

    for (size_t t = 0; t < m->term_count; t++) {
        const double value = rc_term_value(m, &m->term[t]);
        struct rc_fraction f;
        if (value != 0)
            cost += rc_fraction_near(value, within * fabs(value), 1 << 16, &f)
                        ? log2(fabs((double)f.over)) + log2((double)f.under)
                        : none;
    }
    return cost;
}

size_t rc_joint_terms(const struct rc_metric_result *m)
{
    size_t terms = 0;

    for (size_t t = 0; t < m->term_count; t++)
        terms += rc_term_value(m, &m->term[t]) != 0;
    return terms;
}

/* How many coefficients are not positive whole numbers. */
static size_t count_odd_of(const struct rc_metric_result *m)
{
    size_t odd = 0;

    for (size_t t = 0; t < m->term_count; t++) {
        const double value = rc_term_value(m, &m->term[t]);
        odd += value != 0 && !(value >= 1 && fabs(value - rint(value)) <= 1e-9 * value);
    }
    return odd;
}

/* The same for sums; 0 for a single event. */
static size_t count_odd(const struct rc_metric_result *m)
{
    return rc_joint_terms(m) > 1 ? count_odd_of(m) : 0;
}

/* Whether 'a' is simpler than 'b': with fewer coefficients that are not positive whole
 * numbers, else with fewer events, else with simpler coefficients.
 */
static bool is_simpler(const struct rc_metric_result *a,
                       const struct rc_metric_result *b)
{
    const size_t one = rc_joint_terms(a), other = rc_joint_terms(b);

    if (one > 1 && count_odd(a) != count_odd(b))
        return count_odd(a) < count_odd(b);
    return one != other ? one < other : cost_of(a) < cost_of(b) - 0.5;
}

/* True if the metric has ideals of caches or memory, which readings alone do not tell
 * apart from others.
 */
static bool is_loose(const struct rc_joint_fits *j, const double *signature)
{
    const struct rc_solve_suite *s = j->pool.s;

    for (size_t i = 0; i < s->ideals && !s->definition->nuisance; i++) {
        const enum rc_ideal ideal = rc_ideal_find(s->coordinate[i]);
        if (signature[i] != 0 && ideal != RC_IDEAL_COUNT && !rc_ideal_exact(ideal))
            return true;
    }
    return false;
}

/* True if an event in doubt has a part of caches and the metric is exact: where that
 * ideal is not known, the part that does not cancel may be of any size.
 */
static bool cancels_in_doubt(const struct rc_solve_joint *joint, const double *wanted,
                             size_t event)
{
    for (size_t q = joint->near; q < joint->ideals; q++)
        if (wanted[q] != 0 && !rc_ideal_exact(rc_ideal_find(joint->ideal[q])))
            return false;
    for (size_t q = joint->near; q < joint->ideals; q++)
        if (joint->pool[event].doubt > 0 &&
            !rc_ideal_exact(rc_ideal_find(joint->ideal[q])) &&
            joint->pool_x[event * joint->ideals + q] != 0)
            return true;
    return false;
}

/* Puts a combination of pool events into 'm' as terms; false if it is known too badly.
 */
static bool put_terms(const struct rc_joint_fits *j, const double *wanted,
                      const double *signature, const size_t *event, const double *y,
                      size_t count, size_t tier, double *room,
                      struct rc_metric_result *m)
{
    const struct rc_solve_joint *joint = j->pool.k->joint;
    const size_t ideals = joint->ideals;
    const double norm = rc_norm(wanted, ideals);
    const bool loose = is_loose(j, signature);
    double doubt = 0;
    bool cancels = false, differs = false;

    for (size_t i = 0; i < count; i++)
        differs |= count > 1 && y[i] < 0;
    for (size_t i = 0; i < count; i++)
        for (size_t q = 0; q < ideals; q++)
            cancels |=
                wanted[q] == 0 &&
                joint->pool_x[joint->tier[tier].member[event[i]] * ideals + q] != 0;
    for (size_t q = 0; q < ideals; q++)
        room[q] = -wanted[q];
    for (size_t i = 0; i < count; i++) {
        const size_t e = joint->tier[tier].member[event[i]];
        const double *x = joint->pool_x + e * ideals;
        if (cancels_in_doubt(joint, wanted, e) || (loose && !rc_joint_told(joint, x)))
            return false;
        add_part(room, ideals, y[i], x, joint->pool[e].doubt, &doubt);
        m->term[i] = (struct rc_term){.event = joint->pool[e].event,
                                      .name = j->pool.name[e],
                                      .coefficient = y[i],
                                      .rounded = y[i],
                                      .low = joint->tier[tier].noisy ? NAN : y[i],
                                      .high = joint->tier[tier].noisy ? NAN : y[i]};
        const double deviation = joint->pool[e].doubt / rc_norm(x, ideals) * fabs(y[i]);
        double simple;
        /* Where parts cancel, and in differences, all coefficients belong together:
         * none is rounded by itself.
         */
        if (joint->tier[tier].tolerance > 0 && !cancels && !differs &&
            rc_snap_one(y[i], deviation, &simple) && simple != 0)
            m->term[i].rounded = simple;
    }
    const double off = rc_norm(room, ideals);
    m->term_count = count;
    m->error = off <= 1e-12 * norm ? 0 : off / norm;
    m->reason =
        cancels ? "with events that cancel what each of them counts besides" : "";
    return off <= (doubt > 0 ? off_least : off_exact) * norm + doubts * doubt &&
           doubt <= (loose ? doubtful_loose : doubtful) * norm;
}

/* True if on all points of a suite the error by noise, and that by doubt, are at most
 * 'bars' times the largest noise of a term, relative to the metric there, or to its
 * least weight times all instructions if that is more.
 */
static bool is_within_bars(const struct rc_joint_fits *j, size_t suite,
                           const double *wanted, double least,
                           const struct rc_metric_result *m)
{
    const struct rc_solve_kind *k = j->pool.k;
    const struct rc_solve_suite *s = &k->suite[suite];
    const struct rc_solve_joint *joint = k->joint;
    const double norm = rc_norm(wanted, joint->ideals);

    for (size_t p = 0; p < s->labels->point_count; p++) {
        double claim = 0, error = 0, noise = 0, doubt = 0;
        for (size_t q = 0; q < joint->ideals; q++)
            if (wanted[q] != 0)
                claim += wanted[q] * rc_solve_ideal(s, joint->ideal[q], p);
        const double all = rc_solve_ideal(s, rc_ideal_name(RC_IDEAL_INS), p);
        for (size_t t = 0; t < m->term_count; t++) {
            const size_t e = rc_fits_term_number(&j->pool, &m->term[t]);
            const double *mean = j->pool.means.mean[e * k->count + suite];
            noise = fmax(noise, joint->pool_noise[e]);
            double part = 0; /* at most the doubt times all instructions */
            for (size_t q = 0; q < joint->ideals; q++) {
                const double own = joint->pool_doubt[e * joint->ideals + q];
                const double ideal =
                    own > 0 ? rc_solve_ideal(s, joint->ideal[q], p) : 0;
                part = hypot(part, own * (isnan(ideal) ? all : ideal));
            }
            part = fmin(part, joint->pool[e].doubt * all);
            doubt = hypot(doubt, m->term[t].coefficient * part);
            if (mean && !isnan(mean[p]))
                error = hypot(error,
                              m->term[t].coefficient * joint->pool_noise[e] * mean[p]);
        }
        const double scale = noise * fmax(fabs(claim), least * all);
        if (!isnan(scale) &&
            (error > fmax(bars * scale, useless * fmax(fabs(claim), least * all)) ||
             m->error * norm * all + doubt > bars * scale))
            return false;
    }
    return true;
}

/* Sets '*out': whether the terms of 'm' hold on the readings of all measured suites. */
static int holds(struct rc_joint_fits *j, const double *signature,
                 struct rc_metric_result *m, bool *out)
{
    const int status = rc_fits_check(&j->pool, signature, m);
    const double most = rc_fits_tolerance(j->pool.s, signature, true);

    *out = status == RC_OK && m->check_count > 0 &&
           strcmp(m->check[0].suite, j->pool.s->labels->name) == 0;
    m->rounded_holds = *out;
    for (size_t i = 0; i < m->check_count; i++) {
        *out = *out && m->check[i].passed;
        m->rounded_holds = m->rounded_holds && m->check[i].rounded <= most;
    }
    for (size_t t = 0; t < m->term_count && !m->rounded_holds; t++)
        m->term[t].rounded = m->term[t].coefficient;
    return status;
}

static double least_weight(const struct rc_metric_definition *metric)
{
    double least = INFINITY;

    for (size_t i = 0; i < metric->weight_count; i++)
        if (metric->weight[i].weight != 0)
            least = fmin(least, fabs(metric->weight[i].weight));
    return least;
}

/* Finds the first tier that gives a combination which holds: with->verdict is DEFINED
 * then, else ABSENT.
 */
static int try_tiers(struct rc_joint_fits *j, const double *wanted, double least,
                     const double *signature, double *room, bool *spanned,
                     struct rc_metric_result *with)
{
    struct rc_solve_kind *k = j->pool.k;
    struct rc_solve_joint *joint = k->joint;
    size_t *event = rc_arena_array(&k->step, joint->ideals + 2, sizeof *event), count;
    double *y = rc_arena_array(&k->step, joint->ideals + 2, sizeof *y);

    const double norm = rc_norm(wanted, joint->ideals);
    with->verdict = RC_METRIC_ABSENT;
    with->term = rc_arena_array(&k->arena, joint->ideals + 2, sizeof *with->term);
    with->check = rc_arena_array(&k->arena, k->count, sizeof *with->check);
    int status = rc_arena_check(k->arena.failed ? &k->arena : &k->step, k->err,
                                "the terms of a metric");
    for (size_t t = is_loose(j, signature) ? RC_JOINT_HALF : 0;
         t < RC_JOINT_TIERS && status == RC_OK; t++) {
        bool is_in, true_of_readings;
        if (!joint->tier[t].combiner)
            continue;
        status = rc_combine(joint->tier[t].combiner, wanted,
                            bars * joint->tier[t].noise * least / norm, event, y,
                            &count, &is_in, k->err);
        *spanned |= is_in;
        bool known = status == RC_OK && count > 0 &&
                     put_terms(j, wanted, signature, event, y, count, t, room, with);
        for (size_t i = 0; i < k->count && known && joint->tier[t].noisy; i++)
            known = is_within_bars(j, i, wanted, least, with);
        if (!known ||
            (status = holds(j, signature, with, &true_of_readings)) != RC_OK ||
            !true_of_readings)
            continue;
        with->verdict = RC_METRIC_DEFINED;
        return RC_OK;
    }
    return status;
}

/* Finds a term whose event is not known as a sum over all suites, or returns NULL.
 * '*ideal' becomes an ideal that the event may have, or NULL.
 */
static const struct rc_term *find_untold(const struct rc_joint_fits *j,
                                         const struct rc_metric_result *m,
                                         const char **ideal)
{
    const size_t ideals = j->pool.k->joint->ideals;

    for (size_t t = 0; t < m->term_count; t++) {
        const double *x = j->chosen_x + rc_fits_term_number(j->chosen, &m->term[t]) *
                                            (ideals + RC_JOINT_BEHIND);
        const size_t untold = (size_t)x[ideals + RC_JOINT_UNTOLD];
        if (rc_term_value(m, &m->term[t]) == 0 || !isnan(x[ideals + RC_JOINT_SPREAD]))
            continue;
        *ideal = untold ? j->pool.k->joint->ideal[untold - 1] : NULL;
        return &m->term[t];
    }
    return NULL;
}

/* Makes a defined metric of loose ideals unknown unless the kernels tell its events and
 * its ideals apart from all others.
 */
static void doubt_untold(const struct rc_joint_fits *j, const double *signature,
                         bool in_joint, struct rc_metric_result *m)
{
    struct rc_solve_kind *k = j->pool.k;
    const char *ideal;

    if (m->verdict != RC_METRIC_DEFINED || !k->joint->joined[j->pool.s - k->suite] ||
        j->pool.s->definition->reference || !is_loose(j, signature))
        return;
    const struct rc_term *untold = find_untold(j, m, &ideal);
    if (in_joint && !untold)
        return;
    m->verdict = RC_METRIC_UNKNOWN;
    if (!untold)
        m->reason = "it fits here, but no kernel tells its ideals from others";
    else if (ideal)
        m->reason = rc_solve_words(
            k,
            "it fits here, but these kernels do not tell whether %s has a part of %s",
            untold->name, ideal);
    else
        m->reason = rc_solve_words(
            k, "it fits here, but over all suites %s is not one sum of ideals",
            untold->name);
}

/* Adds to the reason how far a metric may be off. */
static void say_within(struct rc_solve_kind *k, double within,
                       struct rc_metric_result *m)
{
    if (within > within_least)
        m->reason = rc_solve_words(k, "within %.2g %%%s%s", 100 * within,
                                   m->reason[0] ? "; " : "", m->reason);
}

int rc_joint_decide(struct rc_joint_fits *j, size_t number, const double *signature,
                    struct rc_metric_result *m)
{
    struct rc_solve_kind *k = j->pool.k;
    const struct rc_solve_joint *joint = k->joint;
    struct rc_metric_result with = *m;
    double *wanted = rc_arena_array(&k->step, joint->ideals, sizeof *wanted);
    double *room = rc_arena_array(&k->step, joint->ideals, sizeof *room);
    const double least = least_weight(j->chosen->metric[number]);
    double known = 0;
    bool spanned = false, told;
    int status = rc_arena_check(&k->step, k->err, "a metric in joint coordinates");

    if (status != RC_OK)
        return status;
    const bool in_joint = rc_solve_joint_signature(
        j->pool.s, joint, j->chosen->metric[number], wanted, &told);
    if (!in_joint || told)
        doubt_untold(j, signature, in_joint, m);
    if (!in_joint || (!told && m->verdict != RC_METRIC_DEFINED) ||
        !(rc_norm(wanted, joint->ideals) > 0) ||
        (status = try_tiers(j, wanted, least, signature, room, &spanned, &with)) !=
            RC_OK)
        return status;
    const bool before = m->verdict == RC_METRIC_DEFINED;
    const bool loose = is_loose(j, signature);
    /* The error of a metric of caches does not depend on the deviation that is taken:
     * the second call finds it.
     */
    const double off = before && !loose ? off_chosen(j, wanted, least, loose, m,
                                                     RC_JOINT_SPREAD, room, &known)
                                        : 0;
    const double sure_off =
        before ? off_chosen(j, wanted, least, loose, m, RC_JOINT_DOUBT, room, &known)
               : 0;
    if (before && loose &&
        fmax(off, sure_off) + known <=
            (with.verdict == RC_METRIC_DEFINED && count_odd_of(&with) == 0
                 ? loose_better
                 : loose_most)) {
        say_within(k, fmax(off, sure_off) + known, m);
    } else if (with.verdict == RC_METRIC_DEFINED &&
               (!before || off > 0 || sure_off > 0 || known > 0 ||
                (is_simpler(&with, m) && !is_difference(m)))) {
        *m = with;
        if (loose)
            say_within(k, with.error, m);
    } else if (fmax(off, sure_off) > 0 && told) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason =
            rc_solve_words(k, "over all suites, its events' ideals are off by %.3g",
                           fmax(off, sure_off));
    } else if (known > 0 && known <= rc_fits_looseness(j->pool.s, signature)) {
        say_within(k, known, m); /* as well as its ideals are known */
    } else if (known > 0 && told) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason = rc_solve_words(
            k, "what its events count is known only to %.1g of it on these points",
            known);
    } else if (spanned && m->verdict == RC_METRIC_ABSENT) {
        m->verdict = RC_METRIC_UNKNOWN;
        m->reason = "events that make it up cancel too much, or are known too badly";
    }
    return RC_OK;
}
