/* The joint basis of a kind, and the pool of events that are exact sums of it.
 *
 * Every rank solves its own events, each by itself, and all get all that came out.
 */
#include "campaign/solve/joint/joint_parts.h"

#include "campaign/base/gather.h"
#include "kernels/ideal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POOL_MOST = 512,     /* events of the pool */
    NOISY_MOST = 1024,   /* events with noise that are solved, of all ranks */
    RANGED_MOST = 256,   /* the same by ranges, where no other suites tell more */
    ROUNDING_COUNTS = 1, /* that a reading may be off what its fractions give */
    REST_COUNTS = 8      /* that what readings have besides may differ in a suite */
};

/* The most noise of readings, relative, of sums of exact ideals and of others. */
static const double noise_most = 1e-2, noise_loose = 2e-2;
static const double left_most = 1.5;   /* of readings, in units of their noise */
static const double left_loose = 0.5;  /* so much is no reason for loose ideals */
static const double left_less = 1.25;  /* times what they leave is one, if it is more */
static const double doubt_least = 0.1; /* of what deviations say */

/* Suites whose readings depend on instructions alone, and that know them. */
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

/* Other suites whose metrics are looked for, and that know the exact ideals somewhere.
 */
static bool is_joined_suite(const struct rc_solve_suite *s)
{
    const struct rc_store_suite *l = s->labels;
    bool known = false;

    for (size_t p = 0; p < l->point_count; p++)
        known |= isfinite(rc_solve_ideal(s, rc_ideal_name(RC_IDEAL_INS), p));
    return known && s->ideals > 0 && s->definition->metric_count > 0;
}

/* On how many exact suites all points know the ideal; '*some': any has it. */
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

/* Appends what is wanted of a suite's ideals and was not appended yet. */
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

/* Points of the first 'suites' of the joined ones on which all of the ideals are known.
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

/* The ideals from 'from' on are kept that are independent of all before them;
 * the others become sums of them.
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
        /* The ideals that it depends on stand before it, and are kept. */
        for (size_t o = 0; o < i; o++)
            if (relation[i * ideals + o] != 0)
                j->relation[j->others * j->width +
                            rc_solve_find(j->ideal, j->ideals, ideal[o])] =
                    relation[i * ideals + o];
        /* Operations are sums of instructions by what they mean. */
        j->by_kernels[j->others] = strncmp(ideal[i], "OPS_", strlen("OPS_")) != 0;
        j->other[j->others++] = ideal[i];
    }
    return RC_OK;
}

/* Exact ideals that the kernels of exact suites alone make sums of others are no others
 * any more, and appended to the list.
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

/* True if the suite has an exact ideal that no exact suite has. */
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

/* The other loose ideals of all suites: of caches and memory.  Those that others make
 * up by an identity are none (solve/data/identities.yaml).
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

/* Exact ideals that all exact suites know, those of their bases first, then loose ones
 * that some of these know, and then those of the other suites.
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
    /* Exact ideals that only the other suites have, or tell from those before. */
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

/* The points of a source in some of the exact suites. */
static int fill_problem(struct maker *m, struct problem *p)
{
    const struct rc_solve_joint *j = m->j;
    const size_t ideals = p->loose ? j->near : j->exact;
    struct rc_arena *arena = &m->arena;
    const struct rc_solve_suite *unknown[64] = {NULL}, *apart[64] = {NULL};
    size_t all = 0, iterated = 0, suites = 0;

    for (size_t t = 0; t < m->suites; t++)
        all += p->suites >> t & 1 ? m->suite[t]->labels->point_count : 0;
    p->at = rc_arena_array(arena, all, sizeof *p->at);
    p->reading = rc_arena_array(arena, all, sizeof *p->reading);
    p->noise = rc_arena_array(arena, all, sizeof *p->noise);
    p->ideal = rc_arena_array(arena, all * (ideals + 2 * m->suites), sizeof *p->ideal);
    const int status = rc_arena_check(arena, m->k->err, "the joint basis");
    if (status != RC_OK)
        return status;
    for (size_t t = 0; t < m->suites; t++) {
        const struct rc_solve_suite *s = m->suite[t];
        const size_t points = s->labels->point_count;
        const size_t source = rc_solve_source_number(s, p->source);
        if (!(p->suites >> t & 1))
            continue;
        apart[suites++] = s;
        for (size_t i = 0; i < points; i++) {
            const double n = (double)s->labels->iterations[source * points + i];
            bool known = true;
            for (size_t q = 0; q < ideals; q++)
                known = known && isfinite(rc_solve_ideal(s, j->ideal[q], i));
            if (n > 0)
                p->at[p->points++] = (struct at){s, i, n};
            if (!known && (iterated == 0 || unknown[iterated - 1] != s))
                unknown[iterated++] = s;
        }
    }
    /* The last suite has the constant that all have, and no column of its own. */
    p->columns = ideals + iterated + (p->apart ? suites - 1 : 0);
    for (size_t q = 0; q < p->columns; q++)
        for (size_t i = 0; i < p->points; i++) {
            const struct at *at = &p->at[i];
            double value =
                rc_solve_ideal(at->suite, j->ideal[q < ideals ? q : 0], at->point) *
                at->iterations;
            if (q >= ideals + iterated)
                value = at->suite == apart[q - ideals - iterated];
            else if (q >= ideals)
                value = at->suite == unknown[q - ideals] ? at->iterations : 0;
            p->ideal[q * p->points + i] = isfinite(value) ? value : 0;
        }
    const struct rc_joint_points points = {.points = p->points,
                                           .ideals = ideals,
                                           .besides = p->columns - ideals,
                                           .ideal = p->ideal};
    return rc_joint_create(&points, &p->joint, m->k->err);
}

/* NULL without a failure: there is none that tells the ideals apart. */
static int find_problem(struct maker *m, const char *source, uint64_t suites,
                        bool loose, bool apart, struct problem **out)
{
    size_t i = 0;
    int status = RC_OK;

    *out = NULL;
    while (i < m->problems &&
           (m->problem[i].source != source || m->problem[i].suites != suites ||
            m->problem[i].loose != loose || m->problem[i].apart != apart))
        i++;
    if (i == JOINT_PROBLEMS)
        return RC_OK;
    struct problem *p = &m->problem[i];
    if (i == m->problems) {
        *p = (struct problem){
            .source = source, .suites = suites, .loose = loose, .apart = apart};
        status = fill_problem(m, p);
        m->problems++;
    }
    *out = p->joint ? p : NULL;
    return status;
}

/* In which suites a local event was measured, and its noise there. */
static struct view look_at(const struct maker *m, size_t local)
{
    const double least = 1e-12;
    struct view view = {.noise = INFINITY, .noise_all = INFINITY};
    bool same = true, same_all = true;

    for (size_t t = 0; t < m->joined; t++) {
        const struct rc_solve_suite *s = m->suite[t];
        const bool exact = t < m->suites;
        if (s->event_class[local] == RC_CLASS_INVALID)
            continue;
        view.all |= UINT64_C(1) << t;
        view.suites |= exact ? UINT64_C(1) << t : 0;
        if (s->row[local] == SIZE_MAX)
            continue;
        view.counts_at_all = true;
        view.counts |= exact;
        if (s->event_class[local] != RC_CLASS_EXACT) {
            same_all = false;
            same = same && !exact;
        }
        double own;
        if (!(rc_joint_noise(m, s, local, &own) > 0))
            continue;
        view.noise_all = fmin(view.noise_all, fmax(own, least));
        if (exact)
            view.noise = fmin(view.noise, fmax(own, least));
    }
    view.noise = same ? 0 : isinf(view.noise) ? least : view.noise;
    view.noise_all = same_all ? 0 : isinf(view.noise_all) ? least : view.noise_all;
    return view;
}

/* The limit of noise below which no more than 'most' events of all ranks are. */
static double find_limit(const struct maker *m, unsigned long most)
{
    double limit = noise_loose;

    for (;; limit /= 2) {
        unsigned long count = 0;
        for (size_t i = 0; i < m->k->layout.local; i++)
            count += m->view[i].noise_all > 0 && m->view[i].noise_all <= limit;
        rc_team_reduce(m->k->how->comm, &count, 1, MPI_UNSIGNED_LONG, MPI_SUM);
        if (count <= most)
            return limit;
    }
}

/* The counts that iterations add besides are loose ideals where these are not known. An
 * event that has none of them, and adds something all the same, counts what nobody
 * knows.
 */
static bool is_explained(const struct maker *m, const struct problem *p)
{
    bool has_loose = !p->loose;

    for (size_t i = m->j->exact; i < m->j->near; i++)
        has_loose |= m->x[i] != 0;
    return has_loose;
}

static void fill_readings(struct maker *m, struct problem *p, size_t local)
{
    rc_joint_fill(m, p->at, p->points, local, p->reading, p->noise);
    memset(m->x, 0, (m->j->ideals + 2 * m->suites + 1) * sizeof *m->x);
    m->noise = m->spread = 0;
}

/* '*exact': an event whose repetitions are all the same is an exact sum, which m->x
 * becomes: with the same constant in each reading, or one for each suite, since kernels
 * are called in different ways, or one that differs a little from point to point.
 */
static int solve_exactly(struct maker *m, size_t local, uint64_t suites, bool *exact)
{
    static const struct {
        bool apart;
        double counts;
    } way[] = {{false, ROUNDING_COUNTS}, {true, ROUNDING_COUNTS}, {true, REST_COUNTS}};
    const int kinds = m->j->exact < m->j->near ? 2 : 1;
    struct problem *p;

    *exact = false;
    for (size_t i = 0; i < sizeof way / sizeof *way; i++)
        for (int loose = 0; loose < kinds; loose++) {
            const int status = find_problem(m, m->k->source_name[local], suites, loose,
                                            way[i].apart, &p);
            if (status != RC_OK)
                return status;
            if (!p)
                continue;
            fill_readings(m, p, local);
            *exact =
                rc_joint_exact(p->joint, p->reading, way[i].counts, m->x, &m->rest) &&
                is_explained(m, p);
            if (*exact)
                return RC_OK;
        }
    return RC_OK;
}

/* The rest of an event's readings by one problem, whose coordinates m->x becomes.
 */
static struct rc_joint_fit fit_by(struct maker *m, struct problem *p, size_t local)
{
    fill_readings(m, p, local);
    return rc_joint_solve(
        p->joint, &(struct rc_joint_readings){.value = p->reading, .noise = p->noise},
        m->x);
}

/* Coordinates of a problem's fit become what is sure of them; what they are in doubt
 * of, NAN where the event is no sum of these ideals.
 */
static double judge_fit(struct maker *m, struct problem *p, double noise,
                        const struct rc_joint_fit *fit)
{
    const size_t ideals = p->loose ? m->j->near : m->j->exact;
    const double left = fmax(fit->left, doubt_least);
    double doubt = 0;

    m->noise = fit->noise > 0 ? fit->noise : noise * fmin(left, 1);
    if (!(fit->left <= left_most))
        return NAN;
    for (size_t i = 0; i < ideals; i++)
        m->spread = fmax(m->spread, fit->deviation[i] * left);
    const bool fractions = noise > JOINT_NOISE_LEAST &&
                           rc_joint_snap(p->joint, left, NULL, m->x, m->deviation);
    m->rest = m->x[p->columns];
    /* Behind the exact ideals that, or what iterations add: no loose ideals. */
    for (size_t i = ideals; i < m->j->ideals || i == ideals; i++)
        m->x[i] = m->deviation[i] = 0;
    for (size_t i = 0; i < ideals; i++) {
        const double own = fractions ? m->deviation[i] : fit->deviation[i] * left;
        if (fabs(m->x[i]) < 3 * own) /* as good as none */
            m->x[i] = 0;
        m->deviation[i] = own;
        doubt = fmax(doubt, own);
    }
    return is_explained(m, p) ? doubt : NAN;
}

/* Solves an event whose readings have noise: by exact ideals, or by loose ones, too,
 * where these leave much less.
 */
static int solve_noisy(struct maker *m, size_t local, double *doubt)
{
    const struct view *view = &m->view[local];
    const double noise = fmax(view->noise, JOINT_NOISE_LEAST);
    const char *source = m->k->source_name[local];
    struct rc_joint_fit fit = {.left = INFINITY}, other;
    struct problem *p, *loose = NULL;
    int status = find_problem(m, source, view->suites, false, false, &p);

    *doubt = NAN;
    if (status == RC_OK && m->j->exact < m->j->near)
        status = find_problem(m, source, view->suites, true, false, &loose);
    if (status != RC_OK)
        return status;
    if (p)
        fit = fit_by(m, p, local);
    if (loose && fit.left > left_loose) {
        other = fit_by(m, loose, local);
        if (fit.left > left_less * other.left)
            *doubt = judge_fit(m, loose, noise, &other);
    }
    if (p && isnan(*doubt)) {
        fit = fit_by(m, p, local);
        *doubt = judge_fit(m, p, noise, &fit);
    }
    return RC_OK;
}

/* By the exact suites; '*doubt' is NAN where the event is no sum of ideals there. */
static int solve_by_exact(struct maker *m, size_t local, double limit, double *doubt)
{
    const struct view *view = &m->view[local];
    bool exact;
    int status = RC_OK;

    *doubt = NAN;
    if (view->noise > limit)
        return RC_OK;
    if (!view->counts && view->suites == (UINT64_C(1) << m->suites) - 1) {
        memset(m->x, 0, m->j->ideals * sizeof *m->x);
        m->rest = m->noise = m->spread = *doubt = 0;
        return RC_OK;
    }
    if (view->noise == 0) {
        if ((status = solve_exactly(m, local, view->suites, &exact)) != RC_OK)
            return status;
        *doubt = exact ? 0 : NAN;
    }
    return isnan(*doubt) && view->counts ? solve_noisy(m, local, doubt) : RC_OK;
}

/* True if exact ideals are told from others by the suites that are not exact only. */
static bool has_more_exact(const struct rc_solve_joint *j)
{
    return j->near < j->ideals && is_exact(j->ideal[j->near]);
}

static bool is_nothing(const double *x, size_t count)
{
    for (size_t q = 0; q < count; q++)
        if (x[q] != 0)
            return false;
    return true;
}

/* The joint coordinates of a local event, if it has any.  Events with noise above
 * 'ranged' are solved by the exact suites alone.
 */
static int solve_event(struct maker *m, size_t local, double limit, double ranged)
{
    struct rc_solve_joint *j = m->j;
    const size_t width = 2 * j->ideals + RC_JOINT_BEHIND;
    const struct view *view = &m->view[local];
    double doubt;
    bool holds = false;

    m->untold = SIZE_MAX;
    if (!view->counts_at_all || view->noise_all > limit)
        return RC_OK;
    int status = solve_by_exact(m, local, fmin(limit, noise_most), &doubt);
    if (status == RC_OK && !isnan(doubt))
        status = rc_ranged_hold(m, local, doubt, &holds);
    const bool known = doubt == 0 && view->noise == 0 && !has_more_exact(j);
    const bool others = view->noise_all <= ranged;
    if (status == RC_OK && !holds && known && others)
        status = rc_ranged_solve(m, local, true, &doubt);
    if (status == RC_OK && !holds && (!known || isnan(doubt)) && others)
        status = rc_ranged_solve(m, local, false, &doubt);
    if (status != RC_OK || isnan(doubt) || is_nothing(m->x, j->ideals) ||
        (view->noise_all > noise_most &&
         is_nothing(m->x + j->exact, j->ideals - j->exact)))
        return status;
    if (rc_grow(&j->x, width * sizeof *j->x, j->rows, &j->room))
        return rc_fail(m->k->err, RC_ENOMEM, "no memory for the coordinates of events");
    memcpy(j->x + j->rows * width, m->x, j->ideals * sizeof *j->x);
    double *behind = j->x + j->rows * width + j->ideals;
    behind[RC_JOINT_SPREAD] = m->spread;
    behind[RC_JOINT_DOUBT] = doubt;
    behind[RC_JOINT_REST] = m->rest;
    behind[RC_JOINT_NOISE] = m->noise;
    behind[RC_JOINT_RANGED] = !holds;
    behind[RC_JOINT_UNTOLD] = 0;
    for (size_t q = 0; q < j->ideals; q++)
        behind[RC_JOINT_BEHIND + q] = doubt > 0 ? m->deviation[q] : 0;
    j->row[local] = j->rows++;
    return RC_OK;
}

/* The numbers that ranks tell each other of an event, before its coordinates. */
enum { OF_EVENT, OF_DOUBT, OF_REST, OF_NOISE, OF_RANGED, OF_SCORE, OF_CHOSEN, OF_ALL };

struct order {
    const double *row;
    size_t ideals;
};

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

/* Equal coordinates stand together, those of a chosen event first. */
static int by_coordinates(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    int way = 0;

    for (size_t i = 0; i < x->ideals && way == 0; i++)
        way = compare_reals(x->row[OF_ALL + i], y->row[OF_ALL + i]);
    if (way == 0)
        way = compare_reals(x->row[OF_DOUBT], y->row[OF_DOUBT]);
    if (way == 0)
        way = compare_reals(x->row[OF_NOISE], y->row[OF_NOISE]);
    if (way == 0)
        way = compare_reals(y->row[OF_CHOSEN], x->row[OF_CHOSEN]);
    return way ? way : compare_reals(x->row[OF_EVENT], y->row[OF_EVENT]);
}

static int by_simplicity(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    int way = compare_reals(x->row[OF_DOUBT] > 0, y->row[OF_DOUBT] > 0);

    if (way == 0)
        way = compare_reals(x->row[OF_NOISE] > 0, y->row[OF_NOISE] > 0);
    if (way == 0)
        way = compare_reals(x->row[OF_SCORE], y->row[OF_SCORE]);
    if (way == 0)
        way = compare_reals(y->row[OF_CHOSEN], x->row[OF_CHOSEN]);
    return way ? way : compare_reals(x->row[OF_EVENT], y->row[OF_EVENT]);
}

/* Leaves one of those that are the same, and the simplest ones of all. */
static size_t sort_rows(struct order *order, size_t count)
{
    size_t kept = 0;

    qsort(order, count, sizeof *order, by_coordinates);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || order[i].row[OF_DOUBT] > 0 ||
            memcmp(order[kept - 1].row + OF_ALL, order[i].row + OF_ALL,
                   order[i].ideals * sizeof *order[i].row) != 0)
            order[kept++] = order[i];
    qsort(order, kept, sizeof *order, by_simplicity);
    return kept < POOL_MOST ? kept : POOL_MOST;
}

static bool is_chosen(const struct rc_solve_kind *k, size_t local)
{
    for (size_t t = 0; t < k->count; t++)
        if (k->suite[t].use[local] == RC_USE_CHOSEN)
            return true;
    return false;
}

/* Collective.  The simplest events of all ranks. */
static int gather_pool(struct maker *m)
{
    struct rc_solve_joint *j = m->j;
    struct rc_solve_kind *k = m->k;
    const size_t width = OF_ALL + 2 * j->ideals;
    struct rc_gathered all = {0};
    struct order *order = rc_arena_array(&k->step, j->rows, sizeof *order);
    double *mine = rc_arena_array(&k->step, j->rows * width, sizeof *mine);
    double *sent = rc_arena_array(&k->step, POOL_MOST * width, sizeof *sent);
    size_t rows = 0;
    int status = rc_solve_agree_room(k, RC_OK, "the pool of events");

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->layout.local; i++) {
        if (j->row[i] == SIZE_MAX)
            continue;
        const double *x = j->x + j->row[i] * (2 * j->ideals + RC_JOINT_BEHIND);
        double *to = mine + rows * width;
        to[OF_EVENT] = (double)rc_columns_global(&k->grid, &k->layout, i);
        to[OF_DOUBT] = x[j->ideals + RC_JOINT_DOUBT];
        to[OF_REST] = x[j->ideals + RC_JOINT_REST];
        to[OF_NOISE] = x[j->ideals + RC_JOINT_NOISE];
        to[OF_RANGED] = x[j->ideals + RC_JOINT_RANGED];
        to[OF_SCORE] = rc_pivot_score(x, j->ideals, 1e-9);
        to[OF_CHOSEN] = is_chosen(k, i);
        memcpy(to + OF_ALL, x, j->ideals * sizeof *x);
        memcpy(to + OF_ALL + j->ideals, x + j->ideals + RC_JOINT_BEHIND,
               j->ideals * sizeof *x);
        order[rows++] = (struct order){to, j->ideals};
    }
    rows = sort_rows(order, rows);
    for (size_t i = 0; i < rows; i++)
        memcpy(sent + i * width, order[i].row, width * sizeof *sent);
    status = rc_gather(k->how->comm, sent, rows * width * sizeof *sent, &all, k->err);
    if (status != RC_OK)
        return status;
    rows = all.from[k->grid.ranks] / (width * sizeof *sent);
    order = rc_arena_array(&k->step, rows, sizeof *order);
    j->pool = rc_arena_array(&j->arena, POOL_MOST, sizeof *j->pool);
    j->pool_x = rc_arena_array(&j->arena, POOL_MOST * j->ideals, sizeof *j->pool_x);
    j->pool_doubt = rc_arena_array(&j->arena, POOL_MOST * j->ideals, sizeof(double));
    j->pool_rest = rc_arena_array(&j->arena, POOL_MOST, sizeof *j->pool_rest);
    j->pool_noise = rc_arena_array(&j->arena, POOL_MOST, sizeof *j->pool_noise);
    status = rc_arena_check(&j->arena, k->err, "the pool of events");
    if ((status = rc_solve_agree_room(k, status, "the pool of events")) == RC_OK) {
        for (size_t i = 0; i < rows; i++)
            order[i] =
                (struct order){(double *)(void *)all.byte + i * width, j->ideals};
        j->count = sort_rows(order, rows);
        for (size_t i = 0; i < j->count; i++) {
            const double *row = order[i].row;
            j->pool[i] = (struct rc_joint_event){.event = (size_t)row[OF_EVENT],
                                                 .doubt = row[OF_DOUBT],
                                                 .ranged = row[OF_RANGED] > 0};
            j->pool_rest[i] = row[OF_REST];
            j->pool_noise[i] = row[OF_NOISE];
            memcpy(j->pool_x + i * j->ideals, row + OF_ALL,
                   j->ideals * sizeof *j->pool_x);
            memcpy(j->pool_doubt + i * j->ideals, row + OF_ALL + j->ideals,
                   j->ideals * sizeof *j->pool_doubt);
        }
    }
    rc_gathered_fini(&all);
    return status;
}

/* The exact events alone, with those whose readings have noise, and with those of more
 * and more doubt.
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

static int solve_events(struct maker *m)
{
    struct rc_solve_joint *j = m->j;
    const size_t local = m->k->layout.local;
    int status;

    m->view = rc_arena_array(&m->arena, local, sizeof *m->view);
    j->row = rc_arena_array(&j->arena, local, sizeof *j->row);
    j->untold = rc_arena_array(&j->arena, local, sizeof *j->untold);
    m->x = rc_arena_array(&m->arena, j->ideals + 2 * m->suites + 1, sizeof *m->x);
    m->deviation =
        rc_arena_array(&m->arena, j->ideals + 2 * m->suites + 1, sizeof *m->x);
    status = rc_arena_check(m->arena.failed ? &m->arena : &j->arena, m->k->err,
                            "the joint basis");
    if ((status = rc_solve_agree(m->k, status)) != RC_OK)
        return status;
    for (size_t i = 0; i < local; i++)
        m->view[i] = look_at(m, i);
    const double limit = find_limit(m, NOISY_MOST);
    const double ranged = m->joined > m->suites ? limit : find_limit(m, RANGED_MOST);
    for (size_t i = 0; i < local && status == RC_OK; i++) {
        j->row[i] = SIZE_MAX;
        status = solve_event(m, i, limit, ranged);
        j->untold[i] = m->untold;
    }
    return rc_solve_agree(m->k, status);
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
    if ((status = solve_events(&m)) != RC_OK || (status = gather_pool(&m)) != RC_OK ||
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
