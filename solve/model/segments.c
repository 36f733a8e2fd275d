/* segments.c - a law that is another one from some point on, as where a cache overflows */
#include "solve/model/parts.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_POINTS = 3, MOST_SPLITS = 24 };

/* The evidence of two laws that meet before point 'at'; 'upper' becomes the second one's. */
static double split_evidence(const struct rc_weighed *weighed, size_t parameter,
                             size_t at, struct rc_arena *arena,
                             struct rc_judged_list *lower, struct rc_judged_list *upper)
{
    struct rc_weighed below = rc_weigh_part(weighed, 0, at, arena);
    struct rc_weighed above = rc_weigh_part(weighed, at, weighed->points - at, arena);

    lower->count = upper->count = 0;
    if (arena->failed)
        return -INFINITY;
    rc_search_one(&below, parameter, arena, lower);
    rc_search_one(&above, parameter, arena, upper);
    return rc_judged_evidence(lower) + rc_judged_evidence(upper);
}

void rc_segments(struct rc_weighed *weighed, size_t parameter, struct rc_arena *arena,
                 struct rc_judged_list *list)
{
    size_t points = weighed->points, splits = points + 1 - 2 * (size_t)LEAST_POINTS,
           chosen = 0;
    double best = rc_judged_evidence(list);
    struct rc_judged_list *part;

    if (points < 2 * (size_t)LEAST_POINTS || !list->count ||
        sqrt(list->of[0].misfit2) < fmax(0.03, weighed->noise))
        return;
    part = rc_arena_array(arena, 2, sizeof *part);
    for (size_t i = LEAST_POINTS; i <= points - LEAST_POINTS && !arena->failed;
         i += 1 + splits / MOST_SPLITS) {
        struct rc_arena own = {0};
        double evidence =
            log(0.1 / (double)splits) +
            split_evidence(weighed, parameter, i, &own, &part[0], &part[1]);

        arena->failed = arena->failed || own.failed;
        rc_arena_free(&own);
        if (evidence > best) {
            best = evidence;
            chosen = i;
        }
    }
    if (!chosen || arena->failed)
        return;
    split_evidence(weighed, parameter, chosen, arena, &part[0], list);
    *weighed = rc_weigh_part(weighed, chosen, points - chosen, arena);
    weighed->words |= RC_LAWS_SEGMENTS;
}
