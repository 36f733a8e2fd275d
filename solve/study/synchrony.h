/* synchrony.h - whether the detours of many cores strike together
 *
 * A step of a bulk-synchronous program waits for the slowest of its cores.  Detours
 * that strike all cores at once cost a step as much as they cost one core; independent
 * detours cost it the largest of as many draws.  So the time that all cores share is
 * cut into windows of a grain; a detour belongs whole to the window in which it begins.
 * 'measured' is the mean, over windows, of the largest time stolen from any core;
 * 'independent' is the mean of the largest of one draw from each core's own windows.
 * The first over the second is the synchrony factor: 1 by chance, less where cores are
 * stopped together, more where they are stopped one after the other, as by a daemon
 * that goes round.
 */
#ifndef RC_SOLVE_STUDY_SYNCHRONY_H
#define RC_SOLVE_STUDY_SYNCHRONY_H

#include "campaign/base/error.h"
#include "solve/study/lines.h"

#include <stddef.h>

/* Bins of the time stolen from a window: none, then 32 bins for each octave of ns. */
enum { RC_SYNCHRONY_BINS = 1 + 32 * 48 };

/* The windows of cores that were measured at the same time.  The union of two parts of
 * the cores has the larger of each 'largest', and the sums of 'cores' and of all
 * numbers in 'bin'.
 */
struct rc_synchrony {
    double grain_ns;
    size_t windows, cores;
    float *largest; /* [window] the longest time stolen from a core in it, ns */
    struct {
        double quiet[RC_SYNCHRONY_BINS];  /* sum over cores: logarithm of the share of
                                           * windows with no more than this bin */
        double count[RC_SYNCHRONY_BINS];  /* windows, over all cores */
        double stolen[RC_SYNCHRONY_BINS]; /* from them, ns */
    } bin;
};

/* Begins without cores.  Call rc_synchrony_fini() in any case. */
int rc_synchrony_init(struct rc_synchrony *s, double grain_ns, size_t windows,
                      struct rc_error *err);
void rc_synchrony_fini(struct rc_synchrony *s); /* accepts a zeroed one */

/* Adds a core.  Its detours are in order of their starts; a start of x is at begin_ns +
 * rate x of the time that all share, whose windows begin at 0.  Detours outside the
 * windows are left out.
 */
void rc_synchrony_add(struct rc_synchrony *s, const struct rc_detour *detour,
                      size_t count, double begin_ns, double rate);

/* Means over windows, in ns; NAN where there are none. */
struct rc_synchrony_found {
    double measured, error; /* with its standard error, if windows are independent */
    double independent;
};
struct rc_synchrony_found rc_synchrony_find(const struct rc_synchrony *s);

#endif
