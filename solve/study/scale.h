/* scale.h - the effect of a core's detours on a program on many cores
 *
 * A bulk-synchronous program works for a grain of time on every core and then waits for
 * the slowest.  Detours of a core are put into windows of so much work, as a fixed work
 * quantum has it: a detour belongs whole to the window that it stops.  A step takes
 * longer by the mean of the largest of P such windows, drawn independently.  Cores
 * whose noise strikes at the same time lose less than that.
 */
#ifndef RC_SOLVE_STUDY_SCALE_H
#define RC_SOLVE_STUDY_SCALE_H

#include "campaign/base/error.h"
#include "solve/study/lines.h"

#include <stddef.h>
#include <stdint.h>

/* The grains and numbers of cores in tables. */
enum { RC_SCALE_GRAINS = 3, RC_SCALE_CORES = 6 };
extern const double rc_scale_grain_ns[RC_SCALE_GRAINS]; /* 0.1, 1, 10 ms */
extern const double rc_scale_cores[RC_SCALE_CORES];     /* 10 .. 1e6 */

/* For each number of cores the mean of the largest time stolen in a window, in ns; the
 * slowdown of a step is 1 + that / grain.  Where there are more cores than a fifth of
 * the measured windows, it comes from the Pareto distribution of the largest (tail.h);
 * NAN where there are too few windows for that, or the measurement is shorter than a
 * window.
 */
int rc_scale_largest(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                     double grain_ns, const double *cores, size_t numbers,
                     double *largest_ns, struct rc_error *err);

#endif
