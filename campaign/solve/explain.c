/* Events that look like a suite's ideals there, and are known to be something else.
 *
 * What an instruction cache does is known on no other suite, so that a claim about
 * it can be tried nowhere else; and in straight-line code branches come as regularly
 * as lines of code.  An event that is true to other ideals, on this suite and on
 * others, is those, and says nothing of this suite's.
 */
#include "campaign/solve/parts.h"

#include <math.h>

/* A suite's points and one ideal on them. */
struct single {
    struct rc_cross_check cross;
    double *ideal;
};

/* How many of the ideal one count is, by the points of a suite; 0: nobody knows. */
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

/* The same multiple of one ideal on this suite and on all others that know it. */
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

/* Pure so far, though no other suite could tell. */
static bool is_open(const struct rc_solve_suite *s, size_t local)
{
    return s->tier[local] == RC_PIVOT_FIRST && s->tried[local] == 0;
}

/* Demotes the open events that are a multiple of one ideal which is not in the suite's
 * basis, here and on other suites.
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
            false; /* without that, no event can be seen to be true to it */
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
        bool other = false; /* true to another suite's ideals, and tried on this one */
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
