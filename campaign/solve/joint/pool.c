/* The joint basis of a kind, and the pool of events that are sums of it.
 *
 * Every rank solves its own events, one by one (problems.c); then all ranks get the
 * results of all (exchange.c).
 */
#include "campaign/solve/joint/joint_parts.h"

#include "kernels/ideal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a suite is exact: its readings depend on instructions alone, and their number
 * is known on all points.
 */
static bool is_exact_suite(const struct rc_solve_suite *s)
{
    const struct rc_store_suite *l = s->labels;

    if (!s->definition->nuisance || s->definition->places != RC_PLACES_POOL ||
        s->ideals == 0 || s->x.rows == 0)
        return false;
    for (size_t p = 0; p < l->point_count; p++)
        if (!isfinite(rc_solve_ideal(s, rc_ideal_name(RC_IDEAL_INS), p)))
            return false;
    return true;
}

/* Whether another suite is joined: it has metrics, and the number of instructions is
 * known on some of its points.
 */
static bool is_joined_suite(const struct rc_solve_suite *s)
{
    const struct rc_store_suite *l = s->labels;
    bool known = false;

    for (size_t p = 0; p < l->point_count; p++)
        known |= isfinite(rc_solve_ideal(s, rc_ideal_name(RC_IDEAL_INS), p));
    return known && s->ideals > 0 && s->definition->metric_count > 0;
}

/* The number of exact suites that know the ideal on all points; '*some': it is not 0 on
 * some point.
 */
static size_t count_knowing(const struct maker *m, const char *ideal, bool *some)
{
    size_t count = 0;

    *some = false;
    for (size_t t = 0; t < m->suites; t++) {
        size_t p = 0, points = m->suite[t]->labels->point_count;
        for (; p < points; p++) {
            const double value = rc_solve_ideal(m->suite[t], ideal, p);
            if (!isfinite(value))
                break;
            *some |= value != 0;
        }
        count += p == points;
    }
    return count;
}

static bool is_exact(const char *ideal)
{
    return rc_ideal_exact(rc_ideal_find(ideal));
}

/* Appends the exact or the loose ones of a suite's ideals, if the exact suites know
 * them and the list does not have them yet.
 */
static void take_ideals(const struct maker *m, const char *const *list, size_t count,
                        bool exact, const char **out, size_t *outs)
{
    bool some;

    for (size_t i = 0; i < count; i++) {
        const size_t knowing = count_knowing(m, list[i], &some);
        if (is_exact(list[i]) == exact && some &&
            (exact ? knowing == m->suites : knowing > 0) &&
            rc_solve_find(out, *outs, list[i]) == *outs)
            out[(*outs)++] = list[i];
    }
}

/* Collects the points of the first 'suites' suites on which all these ideals are known.
 */
static int stack(struct maker *m, size_t suites, const char *const *ideal,
                 size_t ideals, struct rc_joint_points *out)
{
    size_t all = 0, points = 0;

    for (size_t t = 0; t < suites; t++)
        all += m->suite[t]->labels->point_count;
    double *row = rc_arena_array(&m->k->step, all * ideals, sizeof *row);
    double *value = rc_arena_array(&m->k->step, all * ideals, sizeof *value);
    const int status = rc_arena_check(&m->k->step, m->k->err, "the joint basis");
    if (status != RC_OK)
        return status;
    for (size_t t = 0; t < suites; t++)
        for (size_t p = 0; p < m->suite[t]->labels->point_count; p++) {
            bool known = true;
            for (size_t i = 0; i < ideals; i++) {
                row[points * ideals + i] = rc_solve_ideal(m->suite[t], ideal[i], p);
                known = known && isfinite(row[points * ideals + i]);
            }
            points += known;
        }
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < ideals; i++)
            value[i * points + p] = row[p * ideals + i];
    *out = (struct rc_joint_points){.points = points, .ideals = ideals, .ideal = value};
    return RC_OK;
}

/* Keeps each ideal from 'from' on that is linearly independent of those kept before it,
 * and writes every other one as a combination of them.
 */
static int keep_independent(struct maker *m, size_t suites, const char **ideal,
                            size_t ideals, size_t from)
{
    struct rc_solve_joint *j = m->j;
    struct rc_joint_points points;
    bool *independent = rc_arena_array(&m->k->step, ideals, sizeof *independent);
    double *relation = rc_arena_array(&m->k->step, ideals * ideals, sizeof *relation);
    int status = rc_arena_check(&m->k->step, m->k->err, "the joint basis");

    if (status != RC_OK ||
        (status = stack(m, suites, ideal, ideals, &points)) != RC_OK ||
        (status = rc_joint_independent(&points, independent, relation, m->k->err)) !=
            RC_OK)
        return status;
    for (size_t i = from; i < ideals; i++) {
        if (independent[i]) {
            j->ideal[j->ideals++] = ideal[i];
            continue;
        }
        /* The ideals that it depends on come before it, and were kept. */
        for (size_t o = 0; o < i; o++)
            if (relation[i * ideals + o] != 0)
                j->relation[j->others * j->width +
                            rc_solve_find(j->ideal, j->ideals, ideal[o])] =
                    relation[i * ideals + o];
        /* Operations are sums of instructions by definition. */
        j->by_kernels[j->others] = strncmp(ideal[i], "OPS_", strlen("OPS_")) != 0;
        j->other[j->others++] = ideal[i];
    }
    return RC_OK;
}

/* Takes back the exact ideals that are sums of others only on the kernels of the exact
 * suites: appends them to the list, since other suites may tell them apart.
 */
static void take_back(struct rc_solve_joint *j, const char **list, size_t *count)
{
    size_t kept = 0;

    for (size_t o = 0; o < j->others; o++) {
        double *relation = j->relation + o * j->width;
        if (j->by_kernels[o] && is_exact(j->other[o]))
            list[(*count)++] = j->other[o];
        else {
            j->other[kept] = j->other[o];
            j->by_kernels[kept] = j->by_kernels[o];
            if (kept < o)
                memcpy(j->relation + kept * j->width, relation,
                       j->width * sizeof *relation);
            kept++;
        }
    }
    memset(j->relation + kept * j->width, 0,
           (j->others - kept) * j->width * sizeof *j->relation);
    j->others = kept;
}

/* True if an exact ideal that no exact suite has occurs in this suite. */
static bool has_exact(const struct maker *m, size_t suite, const char *ideal)
{
    const struct rc_solve_joint *j = m->j;
    bool some = false;

    if (!is_exact(ideal) || rc_solve_find(j->ideal, j->ideals, ideal) < j->ideals ||
        rc_solve_find(j->other, j->others, ideal) < j->others)
        return false;
    for (size_t p = 0; p < m->suite[suite]->labels->point_count; p++)
        some |= rc_solve_ideal(m->suite[suite], ideal, p) > 0;
    return some;
}

/* Adds the other loose ideals of all suites, those of caches and memory, without the
 * ones that an identity makes up from others (solve/data/identities.yaml).
 */
static void take_loose(struct maker *m)
{
    struct rc_solve_joint *j = m->j;

    for (size_t t = 0; t < m->joined; t++) {
        const struct rc_store_suite *l = m->suite[t]->labels;
        for (size_t i = 0; i < l->own_count && !m->suite[t]->definition->reference;
             i++) {
            const char *ideal = l->ideals[i];
            bool some = false;
            for (size_t p = 0; p < l->point_count; p++)
                some |= rc_solve_range(m->suite[t], ideal, p).low > 0;
            if (some && !is_exact(ideal) && !rc_joint_identity(j, ideal) &&
                rc_solve_find(j->ideal, j->ideals, ideal) == j->ideals &&
                rc_solve_find(j->other, j->others, ideal) == j->others)
                j->ideal[j->ideals++] = ideal;
        }
    }
}

static int open_identities(struct maker *m)
{
    const char *known[RC_IDEAL_COUNT + 1] = {NULL};

    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        known[i] = rc_ideal_name((enum rc_ideal)i);
    return rc_identities_open(known, &m->j->identities, m->k->err);
}

/* Finds the ideals of the joint basis: exact ones that all exact suites know, those of
 * their own bases first; then loose ones that an exact suite knows; then those of the
 * other suites.
 */
static int find_ideals(struct maker *m)
{
    struct rc_solve_joint *j = m->j;
    struct rc_arena *arena = &j->arena;
    const char **ideal;
    size_t ideals = 0;
    int status = open_identities(m);

    if (status != RC_OK)
        return status;
    for (size_t t = 0; t < m->joined; t++)
        j->width += m->suite[t]->ideals + m->suite[t]->labels->ideal_count;
    ideal = rc_arena_array(&m->k->step, j->width, sizeof *ideal);
    j->ideal = rc_arena_array(arena, j->width, sizeof *ideal);
    j->other = rc_arena_array(arena, j->width, sizeof *ideal);
    j->relation = rc_arena_array(arena, j->width * j->width, sizeof *j->relation);
    j->by_kernels = rc_arena_array(arena, j->width, sizeof *j->by_kernels);
    j->joined = rc_arena_array(arena, m->k->count, sizeof *j->joined);
    if (!ideal || arena->failed)
        return rc_fail(m->k->err, RC_ENOMEM, "no memory for the joint basis");
    for (size_t t = 0; t < m->suites; t++)
        take_ideals(m, m->suite[t]->coordinate, m->suite[t]->ideals, true, ideal,
                    &ideals);
    for (size_t t = 0; t < m->suites; t++)
        take_ideals(m, m->suite[t]->labels->ideals, m->suite[t]->labels->ideal_count,
                    true, ideal, &ideals);
    if ((status = keep_independent(m, m->suites, ideal, ideals, 0)) != RC_OK)
        return status;
    j->exact = ideals = j->ideals;
    memcpy(ideal, j->ideal, ideals * sizeof *ideal);
    for (size_t t = 0; t < m->suites; t++)
        take_ideals(m, m->suite[t]->coordinate, m->suite[t]->ideals, false, ideal,
                    &ideals);
    if ((status = keep_independent(m, m->suites, ideal, ideals, j->exact)) != RC_OK)
        return status;
    j->near = j->ideals;
    /* Exact ideals that only other suites have, or that are independent only there. */
    ideals = j->exact;
    take_back(j, ideal, &ideals);
    for (size_t t = m->suites; t < m->joined; t++)
        for (size_t i = 0; i < m->suite[t]->labels->ideal_count; i++)
            if (has_exact(m, t, m->suite[t]->labels->ideals[i]) &&
                rc_solve_find(ideal, ideals, m->suite[t]->labels->ideals[i]) == ideals)
                ideal[ideals++] = m->suite[t]->labels->ideals[i];
    if ((status = keep_independent(m, m->joined, ideal, ideals, j->exact)) != RC_OK)
        return status;
    take_loose(m);
    return RC_OK;
}

/* Makes the tiers: the exact events alone, then with noisy ones, then with more and
 * more doubtful ones.
 */
static int make_tiers(struct maker *m)
{
    static const double tolerance[RC_JOINT_HALF] = {0, 0, 1e-5, 1e-4, 1e-3, 1e-2};
    struct rc_solve_joint *j = m->j;
    const size_t d = j->ideals;

    for (size_t t = 0, before = 0; t < RC_JOINT_TIERS; t++) {
        const size_t step = t % RC_JOINT_HALF;
        size_t *member = rc_arena_array(&j->arena, j->count, sizeof *member), count = 0;
        double *x = rc_arena_array(&j->arena, j->count * d, sizeof *x);
        double *doubt = rc_arena_array(&j->arena, j->count, sizeof *doubt);
        double *noise = rc_arena_array(&j->arena, j->count, sizeof *noise);
        size_t noisy = 0;
        int status = rc_arena_check(&j->arena, m->k->err, "the pool of events");
        if (status != RC_OK)
            return status;
        for (size_t i = 0; i < j->count; i++) {
            const double *own = j->pool_x + i * d;
            if (4 * j->pool[i].doubt > tolerance[step] * rc_norm(own, d) ||
                (step == 0 && j->pool_noise[i] > 0) ||
                (t < RC_JOINT_HALF && j->pool[i].ranged))
                continue;
            memcpy(x + count * d, own, d * sizeof *x);
            doubt[count] = j->pool[i].doubt / rc_norm(own, d);
            member[count++] = i;
            if (j->pool_noise[i] > 0)
                noise[noisy++] = j->pool_noise[i];
        }
        before = step == 0 ? 0 : before;
        if (count == before) /* nothing new */
            continue;
        before = count;
        const struct rc_combine_events events = {count, d, x, doubt};
        qsort(noise, noisy, sizeof *noise, rc_order_reals);
        j->tier[t].noise = noisy ? noise[noisy / 2] : 0;
        j->tier[t].noisy = step > 0;
        j->tier[t].tolerance = tolerance[step];
        j->tier[t].member = member;
        j->tier[t].x = x;
        j->tier[t].count = count;
        status = rc_combiner_create(&events, &j->tier[t].combiner, m->k->err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_solve_joint_open(struct rc_solve_kind *k)
{
    struct rc_solve_joint *j = rc_calloc(1, sizeof *j);
    struct maker m = {.k = k, .j = j};
    int status = RC_OK;

    m.suite = rc_arena_array(&k->step, k->count, sizeof(void *));
    if (!j || !m.suite)
        status = rc_fail(k->err, RC_ENOMEM, "no memory for the joint basis");
    for (size_t t = 0; status == RC_OK && t < k->count && m.suites < 63; t++)
        if (is_exact_suite(&k->suite[t]))
            m.suite[m.suites++] = &k->suite[t];
    m.joined = m.suites;
    for (size_t t = 0; m.suites > 0 && t < k->count && m.joined < 63; t++)
        if (!is_exact_suite(&k->suite[t]) && is_joined_suite(&k->suite[t]))
            m.suite[m.joined++] = &k->suite[t];
    if (status == RC_OK && (status = find_ideals(&m)) == RC_OK)
        status = rc_ranged_open(&m);
    for (size_t t = 0; j && j->joined && t < m.joined; t++)
        j->joined[m.suite[t] - k->suite] = true;
    if ((status = rc_solve_agree(k, status)) != RC_OK || j->ideals == 0)
        goto out;
    if ((status = rc_joint_solve_events(&m)) != RC_OK ||
        (status = rc_joint_exchange(&m)) != RC_OK ||
        (status = rc_solve_agree(k, make_tiers(&m))) != RC_OK)
        goto out;
    k->joint = j;
    j = NULL;
out:
    for (size_t i = 0; i < m.problems; i++)
        rc_joint_close(m.problem[i].joint);
    rc_ranged_close(&m);
    rc_arena_free(&m.arena);
    rc_arena_free(&k->step);
    rc_solve_joint_close(j);
    return status;
}

void rc_solve_joint_close(struct rc_solve_joint *joint)
{
    if (!joint)
        return;
    for (size_t t = 0; t < RC_JOINT_TIERS; t++)
        rc_combiner_close(joint->tier[t].combiner);
    free(joint->x);
    rc_identities_fini(&joint->identities);
    rc_arena_free(&joint->arena);
    free(joint);
}
