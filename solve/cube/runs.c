/* Finds passes of a program that disagree on events that all passes count. */
#include "solve/cube/runs.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define SIGMAS 8
#define LITTLE_KNOWN 0.02
enum { FREEDOM_LEAST = 4 }; /* fewer repetitions say little of noise */

/* The value that a pass is compared with: the median of all, which one odd pass does
 * not move; with two passes the other one.
 */
static double median_for(const double *mean, size_t passes, size_t pass, double *room)
{
    size_t count = 0;

    for (size_t p = 0; p < passes; p++)
        if (passes > 2 || p != pass)
            room[count++] = mean[p];
    qsort(room, count, sizeof *room, rc_order_reals);
    return (room[(count - 1) / 2] + room[count / 2]) / 2;
}

size_t rc_runs_judge(const struct rc_run *run, size_t runs, size_t passes,
                     struct rc_run_differs *out)
{
    double *mean = rc_calloc(3 * passes, sizeof *mean), squares = 0;
    size_t differ = 0;

    if (!mean)
        return SIZE_MAX;
    double *count = mean + passes, *room = count + passes;
    for (size_t r = 0; r < runs; r++) {
        mean[run[r].pass] += run[r].value;
        count[run[r].pass]++;
    }
    for (size_t p = 0; p < passes; p++)
        mean[p] /= count[p];
    for (size_t r = 0; r < runs; r++)
        squares +=
            (run[r].value - mean[run[r].pass]) * (run[r].value - mean[run[r].pass]);
    const size_t freedom = runs - passes;
    const double variance = freedom > 0 ? squares / (double)freedom : 0;
    for (size_t p = 0; p < passes && passes > 1; p++) {
        const double others = median_for(mean, passes, p, room), n = count[p],
                     m = (double)runs - n;
        double bound = SIGMAS * sqrt(variance * (1 / n + 1 / m));
        if (freedom < FREEDOM_LEAST)
            bound = fmax(bound, LITTLE_KNOWN * fabs(others));
        if (fabs(mean[p] - others) > bound)
            out[differ++] = (struct rc_run_differs){p, mean[p], others, bound};
    }
    free(mean);
    return differ;
}
