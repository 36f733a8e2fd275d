/* Subtracts from coordinates the constant that every reading adds.
 *
 * Starting and stopping a counter counts a little itself.  Where that has a coordinate
 * of its own ("each reading") it does no harm; where it has none, it shows up as a
 * little of all ideals, in proportions that the basis gives ('overhead').
 */
#include "campaign/solve/parts.h"

#include <math.h>

/* Estimates the counts that each reading adds.  The estimate that leaves the simplest
 * coordinates, with the least sum of sizes, is a weighted median.  It may come out
 * larger than an overhead can be, since an event that counts most of the ideals looks
 * like one: then the largest is taken that leaves no coordinate below 0.  An estimate
 * that is negative, or still too large, is not an overhead: nothing is subtracted.
 */
void rc_solve_subtract_overhead(double *x, const double *overhead, size_t count,
                                struct rc_solve_overhead *room)
{
    double most = 1, half = 0, sum = 0;
    size_t used = 0, j = 0;

    /* Each ideal says how large the overhead would be if it were all of that
     * coordinate; the answers are sorted by size.
     */
    for (size_t i = 0; i < count; i++) {
        if (fabs(overhead[i]) < 1e-12)
            continue;
        const struct rc_solve_overhead one = {x[i] / overhead[i], fabs(overhead[i])};
        size_t at = used++;
        for (; at > 0 && room[at - 1].size > one.size; at--)
            room[at] = room[at - 1];
        room[at] = one;
    }
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    most *= RC_CROSS_CHECK_REST;
    for (size_t i = 0; i < used; i++)
        half += room[i].weight / 2;
    while (j < used && (sum += room[j].weight) < half)
        j++;
    if (j < used && room[j].size > most)
        j = 0;
    if (j == used || !(room[j].size > 0 && room[j].size <= most))
        return;
    for (size_t i = 0; i < count; i++)
        x[i] -= room[j].size * overhead[i];
}
