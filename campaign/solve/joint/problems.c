/* Sets of points by which events are solved, and the coordinates of each local event.
 */
#include "campaign/solve/joint/joint_parts.h"

#include "kernels/ideal.h"

#include <math.h>
#include <string.h>

enum {
    NOISY_MOST = 1024,   /* noisy events that are solved, of all ranks */
    RANGED_MOST = 256,   /* the same by ranged.c, if there are only exact suites */
    ROUNDING_COUNTS = 1, /* error of a reading whose coordinates are fractions */
    REST_COUNTS = 8      /* difference of the constants in readings within a suite */
};

/* The most relative noise of readings: for sums of exact ideals, and for others. */
static const double noise_most = 1e-2, noise_loose = 2e-2;
/* The part of readings that a fit leaves, in units of their noise. */
static const double left_most = 1.5;   /* the most */
static const double left_loose = 0.5;  /* loose ideals are tried if it is more */
static const double left_less = 1.25;  /* and taken if it is that many times theirs */
static const double doubt_least = 0.1; /* deviations are scaled by it, or by this */

/* Fills in the points of a source in some of the exact suites. */
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
    /* The last suite has the common constant, and no column of its own. */
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

/* Finds or makes a problem; '*out' is NULL if its points do not tell the ideals apart,
 * or if there are too many problems.
 */
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

/* Finds in which suites a local event was measured, and its noise there. */
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

/* The limit of noise up to which there are at most 'most' noisy events on all ranks. */
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

/* Whether a solution explains the event.  Constants in iterations stand for loose
 * ideals where these are not known; without a part of any loose ideal elsewhere they
 * would stand for something that no ideal is.
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

/* Tries whether an event whose repetitions are all the same is an exact sum: sets
 * '*exact', and m->x to the sum.  The constant in each reading may be the same
 * everywhere, may be one for each suite, since kernels are called in different ways, or
 * may differ a little from point to point.
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

/* Fits an event's readings by one problem; m->x becomes the coordinates. */
static struct rc_joint_fit fit_by(struct maker *m, struct problem *p, size_t local)
{
    fill_readings(m, p, local);
    return rc_joint_solve(
        p->joint, &(struct rc_joint_readings){.value = p->reading, .noise = p->noise},
        m->x);
}

/* Rounds the coordinates of a fit to fractions, or to 0, as far as their deviations
 * allow.  Returns the doubt that is left, NAN if the event is not a sum of these
 * ideals.
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
    /* After the ideals come constants, not coordinates of other ideals: these are 0. */
    for (size_t i = ideals; i < m->j->ideals || i == ideals; i++)
        m->x[i] = m->deviation[i] = 0;
    for (size_t i = 0; i < ideals; i++) {
        const double own = fractions ? m->deviation[i] : fit->deviation[i] * left;
        if (fabs(m->x[i]) < 3 * own) /* not significant */
            m->x[i] = 0;
        m->deviation[i] = own;
        doubt = fmax(doubt, own);
    }
    return is_explained(m, p) ? doubt : NAN;
}

/* Solves an event whose readings have noise: by exact ideals, or with loose ones, too,
 * if that leaves much less.
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

/* Solves an event by the exact suites; '*doubt' is NAN if it is not a sum of ideals
 * there.
 */
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

/* True if some exact ideals are in the basis only by the suites that are not exact. */
static bool has_more_exact(const struct rc_solve_joint *j)
{
    return j->near < j->ideals && rc_ideal_exact(rc_ideal_find(j->ideal[j->near]));
}

static bool is_nothing(const double *x, size_t count)
{
    for (size_t q = 0; q < count; q++)
        if (x[q] != 0)
            return false;
    return true;
}

/* Solves a local event, and keeps its joint coordinates if it has any.  Events with
 * noise above 'ranged' are solved by the exact suites alone.
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

int rc_joint_solve_events(struct maker *m)
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
