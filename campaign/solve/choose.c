/* Represents the events of a suite, tries them on the other suites, and chooses some.
 *
 * Each event gets a tier.  A pure one (RC_PIVOT_FIRST) is a combination of the suite's
 * ideals that holds on all other suites; an impure one (RC_PIVOT_LATER) fits here but
 * counts something else, too; all others are never chosen.  See docs/solve.md, step 6,
 * for the choice itself (solve/algebra/pivot.h).
 */
#include "campaign/base/gather.h"
#include "campaign/solve/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 8 }; /* of alpha for each power of ten */

/* The most that a pure event may count in an iteration of points without its ideals, as
 * a share of its largest weight.
 */
static const double stray_most = 1e-2;

static double largest_of(const double *x, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static const double *x_of(const struct rc_solve_suite *s, size_t local)
{
    return s->x.data + local * s->coordinates;
}

static void mark_use(struct rc_solve_suite *s, size_t local, enum rc_use use,
                     uint32_t why)
{
    s->use[local] = (uint8_t)use;
    s->reason[local] = why;
}

/* Copies the coordinates of one source's events, less the constant that each reading
 * adds.  The next check of the step's arena reports a lack of memory.
 */
static void keep_coordinates(struct rc_solve_kind *k, struct rc_solve_suite *s,
                             size_t number, const struct rc_columns *x,
                             const double *residual)
{
    const char *name = s->labels->sources[number];
    const double *overhead = s->source[number].overhead;
    struct rc_solve_overhead *room =
        rc_arena_array(&k->step, s->coordinates, sizeof *room);

    if (!room)
        return;
    for (size_t i = 0; i < k->layout.local; i++) {
        double *to = s->x.data + i * s->coordinates;
        if (s->row[i] == SIZE_MAX || strcmp(k->source_name[i], name) != 0)
            continue;
        memcpy(to, x->data + i * s->coordinates, s->coordinates * sizeof *to);
        s->residual[i] = residual[i];
        if (overhead)
            rc_solve_subtract_overhead(to, overhead, s->ideals, room);
    }
}

int rc_solve_represent(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    int status = rc_columns_init(&k->grid, s->coordinates, k->layout.columns,
                                 k->layout.block, &s->x, k->err);

    if ((status = rc_solve_agree(k, status)) != RC_OK)
        return status;
    for (size_t i = 0; i < k->layout.local * s->coordinates; i++)
        s->x.data[i] = NAN;
    for (size_t i = 0; i < s->labels->source_count; i++) {
        struct rc_solve_source *source = &s->source[i];
        struct rc_columns x = {0};
        double *residual = NULL;
        if (source->no_basis)
            continue;
        status = rc_represent(&k->grid, &source->basis, &source->mean, &x, &residual,
                              k->err);
        if (status == RC_OK) {
            keep_coordinates(k, s, i, &x, residual);
            status = rc_solve_agree_room(k, RC_OK, "the coordinates of events");
        }
        rc_columns_fini(&x);
        rc_columns_fini(&source->mean);
        free(residual);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Whether an event has a constant count in each iteration, besides the ideals, that is
 * more than alpha of its readings.
 */
static bool counts_besides(const struct rc_solve_kind *k,
                           const struct rc_solve_suite *s, size_t local, double alpha)
{
    const struct rc_solve_source *source =
        &s->source[rc_solve_source_number(s, k->source_name[local])];
    const double *x = x_of(s, local),
                 *mean = s->mean + s->row[local] * s->labels->point_count;
    double square = 0;

    for (size_t p = 0; p < source->points; p++)
        square += mean[source->point[p]] * mean[source->point[p]];
    for (size_t i = s->ideals; i < s->coordinates; i++)
        if (strcmp(s->coordinate[i], "each iteration") == 0 &&
            x[i] * x[i] * (double)source->points > alpha * alpha * square)
            return true;
    return false;
}

/* Tries one event.  Small coordinates may be real or come from noise: the event passes
 * if it does with them or without them.
 */
static struct rc_cross_check_result try_event(const struct rc_solve_suite *s,
                                              size_t local,
                                              const struct rc_cross_check *cross,
                                              double alpha, const double *counted)
{
    const double *x = x_of(s, local), most = largest_of(x, s->ideals);
    const double purity = rc_solve_event_purity(s, local);
    double floor = most * fmin(1, stray_most / purity / RC_CROSS_CHECK_NOTHING);

    for (size_t i = 0; i < s->ideals; i++)
        if (fabs(x[i]) > alpha * most)
            floor = fmin(floor, fabs(x[i]));
    struct rc_cross_check_claim claim =
        rc_cross_check_event(x, s->ideals, alpha * most, floor);
    struct rc_cross_check_result result = rc_cross_check_try(cross, &claim, counted),
                                 whole;

    if (result.points && result.error > purity) {
        claim.grain = 0;
        whole = rc_cross_check_try(cross, &claim, counted);
        if (whole.points == result.points)
            result.error = fmin(result.error, whole.error);
    }
    return result;
}

const double *rc_solve_counted(const struct rc_solve_suite *s, size_t local,
                               const double *zero)
{
    if (s->row[local] != SIZE_MAX)
        return s->mean + s->row[local] * s->labels->point_count;
    return s->event_class[local] == RC_CLASS_IRRELEVANT ? zero : NULL;
}

/* Tries all local events of 's' on one other suite; skips those that were not measured
 * there.
 */
static int try_elsewhere(struct rc_solve_kind *k, struct rc_solve_suite *s,
                         size_t number, double alpha)
{
    const struct rc_solve_suite *other = &k->suite[number];
    const size_t points = other->labels->point_count;
    double *ideal = rc_arena_array(&k->step, points * s->ideals, sizeof *ideal);
    const double *zero = rc_arena_array(&k->step, points, sizeof *zero);
    struct rc_cross_check cross = {
        .points = points, .ideals = s->ideals, .ideal = ideal};
    const int status = rc_arena_check(&k->step, k->err, "the points of a suite");

    if (status != RC_OK)
        return status;
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < s->ideals; i++)
            ideal[p * s->ideals + i] = rc_solve_ideal(other, s->coordinate[i], p);
    for (size_t i = 0; i < k->layout.local; i++) {
        const double *counted = rc_solve_counted(other, i, zero);
        if (s->tier[i] != RC_PIVOT_FIRST || !counted)
            continue;
        cross.iterations = other->labels->iterations +
                           rc_solve_source_number(other, k->source_name[i]) * points;
        struct rc_cross_check_result result = try_event(s, i, &cross, alpha, counted);
        if (result.points && number < 64)
            s->tried[i] |= UINT64_C(1) << number;
        if (result.points && result.error > rc_solve_event_purity(s, i)) {
            s->tier[i] = RC_PIVOT_LATER;
            mark_use(s, i, RC_USE_IMPURE, RC_WHY_SUITE + (uint32_t)number);
        }
    }
    return RC_OK;
}

bool rc_solve_is_loose(const struct rc_solve_suite *s, const char *ideal)
{
    const struct rc_suite_definition *d = s->definition;

    return rc_solve_find(d->loose, d->loose_count, ideal) < d->loose_count;
}

/* Tries whether an event that is not a combination of ideals is nearly a multiple of
 * one loose ideal: the single ideal nearest to it must be loose, and leave at most
 * 'within' of its readings.
 */
static void try_loose(const struct rc_solve_kind *k, struct rc_solve_suite *s,
                      size_t local)
{
    const struct rc_solve_source *source =
        &s->source[rc_solve_source_number(s, k->source_name[local])];
    const double *mean = s->mean + s->row[local] * s->labels->point_count;
    double *x = s->x.data + local * s->coordinates, factor = 0, best = INFINITY;
    size_t nearest = 0;

    for (size_t i = 0; i < s->ideals; i++) {
        const double *column = source->value + i * source->points;
        double product = 0, square = 0, all = 0;
        for (size_t p = 0; p < source->points; p++) {
            const double m = mean[source->point[p]];
            product += m * column[p];
            square += column[p] * column[p];
            all += m * m;
        }
        const double f = square > 0 ? product / square : 0;
        const double off = all > 0 ? sqrt(fmax(0, 1 - f * product / all)) : INFINITY;
        if (off < best) {
            best = off;
            factor = f;
            nearest = i;
        }
    }
    if (!(best <= s->definition->within) ||
        !rc_solve_is_loose(s, s->coordinate[nearest]))
        return;
    memset(x, 0, s->coordinates * sizeof *x);
    x[nearest] = factor;
    s->residual[local] = best;
    s->loose[local] = true;
}

double rc_solve_event_purity(const struct rc_solve_suite *s, size_t local)
{
    const struct rc_suite_definition *d = s->definition;

    return s->loose[local] ? fmax(d->purity, d->within) : d->purity;
}

int rc_solve_cross_check(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    const double alpha = k->how->alpha > 0 ? k->how->alpha : s->definition->alpha;
    int status;

    s->result.alpha = alpha;
    s->result.residual = s->definition->residual;
    if (s->x.rows == 0)
        return RC_OK;
    /* Tiers by this suite alone: combinations of its ideals, and of nothing else. */
    for (size_t i = 0; i < k->layout.local; i++) {
        const double *x = x_of(s, i);
        s->tier[i] = RC_PIVOT_NEVER;
        if (s->event_class[i] < RC_CLASS_STEADY)
            continue;
        if (s->residual[i] > s->definition->residual && !k->how->plain)
            try_loose(k, s, i);
        if (isnan(s->residual[i]))
            mark_use(s, i, RC_USE_OUTSIDE,
                     k->state[i] ? rc_why_state(k) : (uint32_t)RC_WHY_NO_BASIS);
        else if ((!(s->residual[i] <= s->definition->residual) && !s->loose[i]) ||
                 largest_of(x, s->ideals) <= alpha)
            mark_use(s, i, RC_USE_OUTSIDE, RC_WHY_OUTSIDE);
        else if (counts_besides(k, s, i, alpha)) {
            s->tier[i] = RC_PIVOT_LATER;
            mark_use(s, i, RC_USE_IMPURE, RC_WHY_BESIDES);
        } else
            s->tier[i] = RC_PIVOT_FIRST;
    }
    for (size_t i = 0; i < k->count && !k->how->plain; i++)
        if (&k->suite[i] != s && (status = try_elsewhere(k, s, i, alpha)) != RC_OK)
            return status;
    return RC_OK;
}

/* Sends the coordinates of the pivots from their owners to all ranks, and counts the
 * pure ones, which come first.
 */
static void share_pivots(const struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    for (size_t j = 0; j < s->chosen; j++) {
        const size_t event = s->pivot[j].event;
        const int owner = rc_columns_owner(&k->grid, &k->layout, event);
        double *column = s->pivot_all + j * s->coordinates;
        bool pure = false;
        if (owner == k->grid.rank) {
            const size_t local = rc_columns_local(&k->grid, &k->layout, event);
            memcpy(column, x_of(s, local), s->coordinates * sizeof *column);
            s->pivot_loose[j] = s->loose[local];
            pure = s->tier[local] == RC_PIVOT_FIRST;
        }
        rc_broadcast(k->how->comm, owner, column, s->coordinates * sizeof *column);
        rc_broadcast(k->how->comm, owner, &s->pivot_loose[j], sizeof *s->pivot_loose);
        rc_broadcast(k->how->comm, owner, &pure, sizeof pure);
        memcpy(s->pivot_x + j * s->ideals, column, s->ideals * sizeof *column);
        s->pure += pure;
    }
}

/* Marks each pure event as chosen, or as spanned by the chosen ones.  Checks the choice
 * by the norm that these leave of each event, with PBLAS over the whole matrix.
 */
static int mark_uses(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     const struct rc_columns *x)
{
    double *left = rc_arena_array(&k->step, k->layout.local, sizeof *left);
    int status;

    if ((status = rc_solve_agree_room(k, RC_OK, "norms")) != RC_OK ||
        (status = rc_pivot_remains(&k->grid, x, s->pivot, s->pure, left, k->err)) !=
            RC_OK)
        return status;
    for (size_t i = 0; i < k->layout.local; i++) {
        if (s->tier[i] != RC_PIVOT_FIRST)
            continue;
        mark_use(s, i, RC_USE_DEPENDENT, RC_WHY_SPANNED);
        if (left[i] > rc_pivot_limit(x->data + i * x->rows, x->rows, s->result.alpha)) {
            status = rc_fail(k->err, RC_EUNSUPPORTED,
                             "suite '%s': event '%s' was left out of the choice, with "
                             "%g left of it: a defect of rollcall",
                             s->labels->name, k->name[i], left[i]);
            break;
        }
    }
    for (size_t j = 0; j < s->pure; j++)
        if (rc_columns_owner(&k->grid, x, s->pivot[j].event) == k->grid.rank)
            mark_use(s, rc_columns_local(&k->grid, x, s->pivot[j].event), RC_USE_CHOSEN,
                     RC_WHY_NOTHING);
    return rc_solve_agree(k, status);
}

/* Finds the range of alpha in which the same pure events are chosen; with --alpha scan,
 * finds alpha, too.
 */
static int find_range(struct rc_solve_kind *k, struct rc_solve_suite *s,
                      const struct rc_columns *x)
{
    struct rc_suite_result *r = &s->result;
    uint8_t *tier = rc_arena_array(&k->step, k->layout.local, 1);
    const int status = rc_solve_agree_room(k, RC_OK, "tiers");

    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->layout.local; i++)
        tier[i] = s->tier[i] == RC_PIVOT_FIRST ? RC_PIVOT_FIRST : RC_PIVOT_NEVER;
    if (k->how->alpha_scan)
        return rc_pivot_scan(&k->grid, x, tier, STEPS, &r->alpha, &r->alpha_low,
                             &r->alpha_high, k->err);
    return rc_pivot_range(&k->grid, x, tier, r->alpha, STEPS, &r->alpha_low,
                          &r->alpha_high, k->err);
}

int rc_solve_choose(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    struct rc_columns x; /* the coordinates of the ideals alone */
    struct rc_arena *arena = &k->arena;

    if (s->ideals == 0 || s->x.rows == 0)
        return RC_OK;
    s->pivot = rc_arena_array(arena, s->ideals, sizeof *s->pivot);
    s->pivot_x = rc_arena_array(arena, s->ideals * s->ideals, sizeof *s->pivot_x);
    s->pivot_all =
        rc_arena_array(arena, s->ideals * s->coordinates, sizeof *s->pivot_all);
    s->pivot_loose = rc_arena_array(arena, s->ideals, sizeof *s->pivot_loose);
    int status = rc_columns_init(&k->grid, s->ideals, k->layout.columns,
                                 k->layout.block, &x, k->err);
    if ((status = rc_solve_agree_room(k, status, "the chosen events")) != RC_OK)
        goto out;
    for (size_t i = 0; i < k->layout.local; i++)
        if (s->tier[i] !=
            RC_PIVOT_NEVER) /* others have no coordinates: 0, which is never chosen */
            memcpy(x.data + i * s->ideals, x_of(s, i), s->ideals * sizeof *x.data);
    if ((status = find_range(k, s, &x)) != RC_OK ||
        (status = rc_pivot_select(&k->grid, &x, s->tier, s->result.alpha, s->pivot,
                                  &s->chosen, k->err)) != RC_OK)
        goto out;
    share_pivots(k, s);
    status = mark_uses(k, s, &x);
out:
    rc_columns_fini(&x);
    return status;
}
