/* Finds events that look like a suite's ideals there, but count something else.
 *
 * Counts of the instruction cache, for example, are known on no other suite, so that a
 * claim about them cannot be tried elsewhere; and in straight-line code branches come
 * as regularly as lines of code.  An event that fits other ideals, on this suite and on
 * others, counts those, and says nothing about this suite's.
 */
#include "campaign/solve/parts.h"

#include <math.h>

/* A suite's points and one ideal on them. */
struct single {
    struct rc_cross_check cross;
    double *ideal;
};

/* Counts for each of an ideal, by least squares over a suite's points; 0: not known. */
static double factor_of(const struct rc_cross_check *c, const double *counted)
{
    double product = 0, square = 0;

    for (size_t p = 0; p < c->points; p++)
        if (c->iterations[p] && !isnan(counted[p]) && !isnan(c->ideal[p])) {
            product += counted[p] * c->ideal[p];
            square += c->ideal[p] * c->ideal[p];
        }
    return square > 0 ? product / square : 0;
}

/* Whether an event is the same multiple of one ideal on this suite and on all others
 * that know the ideal, at least one of which has it.
 */
static bool is_multiple(const struct rc_solve_kind *k, size_t suite, size_t local,
                        struct single *single, const double *zero)
{
    const struct rc_solve_suite *s = &k->suite[suite];
    double factor = 0;
    bool elsewhere = false;

    for (size_t i = 0; i < k->count; i++) { /* this suite first */
        const size_t t = i == 0 ? suite : i <= suite ? i - 1 : i;
        const struct rc_solve_suite *other = &k->suite[t];
        const double *counted = rc_solve_counted(other, local, zero);
        if (!counted)
            continue;
        single[t].cross.iterations =
            other->labels->iterations +
            rc_solve_source_number(other, k->source_name[local]) *
                other->labels->point_count;
        if (t == suite)
            factor = factor_of(&single[t].cross, counted);
        if (factor == 0)
            return false;
        const struct rc_cross_check_claim claim =
            rc_cross_check_event(&factor, 1, 0, fabs(factor));
        struct rc_cross_check_result r =
            rc_cross_check_try(&single[t].cross, &claim, counted);
        if ((t == suite && r.points == 0) || r.error > s->definition->purity)
            return false;
        elsewhere |= t != suite && r.points > 0 && r.claimed > 0;
    }
    return elsewhere;
}

static void demote(struct rc_solve_suite *s, size_t local)
{
    s->tier[local] = RC_PIVOT_LATER;
    s->use[local] = RC_USE_IMPURE;
    s->reason[local] = RC_WHY_EXPLAINED;
}

/* Whether an event is pure so far, but could not be tried on any other suite. */
static bool is_open(const struct rc_solve_suite *s, size_t local)
{
    return s->tier[local] == RC_PIVOT_FIRST && s->tried[local] == 0;
}

/* Demotes each open event that is a multiple of one ideal outside the suite's basis,
 * here and on other suites.
 */
static void try_singles(struct rc_solve_kind *k, size_t suite, struct single *single,
                        const double *zero)
{
    struct rc_solve_suite *s = &k->suite[suite];
    const struct rc_store_suite *l = s->labels;

    for (size_t q = 0; q < l->ideal_count; q++) {
        if (rc_solve_find(s->coordinate, s->ideals, l->ideals[q]) < s->ideals)
            continue;
        bool elsewhere =
            false; /* the ideal occurs on another suite, where it can be tried */
        for (size_t t = 0; t < k->count; t++)
            for (size_t p = 0; p < single[t].cross.points; p++) {
                const double ideal = rc_solve_ideal(&k->suite[t], l->ideals[q], p);
                single[t].ideal[p] = ideal;
                elsewhere |= t != suite && !isnan(ideal) && ideal != 0;
            }
        if (!elsewhere)
            continue;
        for (size_t i = 0; i < k->layout.local; i++)
            if (is_open(s, i) && is_multiple(k, suite, i, single, zero))
                demote(s, i);
    }
}

int rc_solve_explain(struct rc_solve_kind *k, size_t suite)
{
    struct rc_solve_suite *s = &k->suite[suite];
    struct rc_arena *arena = &k->step;
    size_t most = 0, open = 0;

    for (size_t i = 0; i < k->layout.local; i++) {
        bool other = false; /* pure in another suite's ideals, and tried on this one */
        for (size_t t = 0; t < k->count && is_open(s, i); t++)
            other |= t != suite && k->suite[t].tier[i] == RC_PIVOT_FIRST &&
                     k->suite[t].tried[i] & UINT64_C(1) << suite;
        if (other)
            demote(s, i);
        open += is_open(s, i);
    }
    if (open == 0)
        return RC_OK;
    struct single *single = rc_arena_array(arena, k->count, sizeof *single);
    if (!single)
        return rc_arena_check(arena, k->err, "the points of all suites");
    for (size_t t = 0; t < k->count; t++) {
        const size_t points = k->suite[t].labels->point_count;
        single[t].ideal = rc_arena_array(arena, points, sizeof *single[t].ideal);
        single[t].cross = (struct rc_cross_check){
            .points = points, .ideals = 1, .ideal = single[t].ideal};
        most = points > most ? points : most;
    }
    const double *zero = rc_arena_array(arena, most, sizeof *zero);
    const int status = rc_arena_check(arena, k->err, "the points of all suites");
    if (status != RC_OK)
        return status;
    try_singles(k, suite, single, zero);
    return RC_OK;
}
