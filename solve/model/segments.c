/* segments.c - a law that is another one from some point on, as where a cache overflows */
#include "solve/model/parts.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_POINTS = 3 };

void rc_segments(struct rc_weighed *weighed, size_t parameter, struct rc_arena *arena,
                 struct rc_judged_list *list)
{
    size_t points = weighed->points, splits = points + 1 - 2 * LEAST_POINTS;
    double best = rc_judged_evidence(list);
    struct rc_judged_list *part;
    struct rc_weighed chosen = {0};

    if (points < 2 * LEAST_POINTS || !list->count ||
        sqrt(list->of[0].misfit2) < fmax(0.03, weighed->noise))
        return;
    part = rc_arena_array(arena, 3, sizeof *part); /* lower, upper, the best upper */
    for (size_t i = LEAST_POINTS; i <= points - LEAST_POINTS && !arena->failed; i++) {
        struct rc_weighed lower = rc_weigh_part(weighed, 0, i, arena);
        struct rc_weighed upper = rc_weigh_part(weighed, i, points - i, arena);
        double evidence = log(0.1 / (double)splits);

        if (arena->failed)
            return;
        part[0].count = part[1].count = 0;
        rc_search_one(&lower, parameter, arena, &part[0]);
        rc_search_one(&upper, parameter, arena, &part[1]);
        evidence += rc_judged_evidence(&part[0]) + rc_judged_evidence(&part[1]);
        if (!(evidence > best))
            continue;
        best = evidence;
        part[2] = part[1];
        chosen = upper;
    }
    if (!chosen.points || arena->failed)
        return;
    *weighed = chosen;
    weighed->words |= RC_LAWS_SEGMENTS;
    *list = part[2];
}
