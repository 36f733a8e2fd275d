/* Takes the constant rest of a reading off coordinates that it looks like. */
#include "campaign/solve/parts.h"

#include <math.h>

/* Each ideal says how large the rest would be if it were all of that coordinate. */
static size_t sort_sizes(const double *x, const double *rest, size_t count,
                         struct rc_solve_overhead *room)
{
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (fabs(rest[i]) < 1e-12)
            continue;
        const struct rc_solve_overhead one = {x[i] / rest[i], fabs(rest[i])};
        size_t at = used++;
        for (; at > 0 && room[at - 1].size > one.size; at--)
            room[at] = room[at - 1];
        room[at] = one;
    }
    return used;
}

/* The rest that leaves the simplest coordinates: the least sum of their sizes, which is
 * a weighted median.  Where an event counts most of the ideals that is no rest of a
 * reading, which goes with what one count of the event is; then it is the largest that
 * leaves no coordinate below 0.  0 where that is none, either.
 */
static double rest_in(const double *x, const double *rest, size_t count,
                      struct rc_solve_overhead *room)
{
    const size_t used = sort_sizes(x, rest, count, room);
    double most = 1, half = 0, sum = 0;
    size_t j = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    most *= RC_CROSS_CHECK_REST;
    for (size_t i = 0; i < used; i++)
        half += room[i].weight / 2;
    while (j < used && (sum += room[j].weight) < half)
        j++;
    if (j < used && room[j].size > most)
        j = 0;
    return j < used && room[j].size > 0 && room[j].size <= most ? room[j].size : 0;
}

void rc_solve_subtract_overhead(double *x, const double *rest, size_t count,
                                struct rc_solve_overhead *room)
{
    const double readings = rest_in(x, rest, count, room);

    for (size_t i = 0; i < count && readings > 0; i++)
        x[i] -= readings * rest[i];
}
