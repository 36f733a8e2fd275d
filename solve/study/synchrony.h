/* synchrony.h - whether the detours of many cores strike together
 *
 * A step of a bulk-synchronous program waits for the slowest of its cores.  Detours
 * that strike all cores at once cost a step what they cost one core; those that have
 * nothing to do with each other cost it the largest of as many draws.  So the time that
 * all cores share is cut into windows of a grain, and a detour belongs whole to the
 * window in which it begins.  What was measured is the mean, over windows, of the
 * largest time stolen from any core.  If cores were independent it would be the mean of
 * the largest of one draw from each core's own windows.  The first over the second is
 * the synchrony factor: 1 by chance, less where cores are stopped together, more where
 * they are stopped one after the other, as by a daemon that goes round.
 */
#ifndef RC_SOLVE_STUDY_SYNCHRONY_H
#define RC_SOLVE_STUDY_SYNCHRONY_H

#include "campaign/base/error.h"
#include "solve/study/lines.h"

#include <stddef.h>

/* Of the time stolen from a window: none, then 32 bins for each octave of ns. */
enum { RC_SYNCHRONY_BINS = 1 + 32 * 48 };

/* The windows of cores that were measured at the same time.  Of two parts of the cores
 * the union has the larger of each 'largest', and the sums of 'cores' and of all
 * numbers in 'bin'.
 */
struct rc_synchrony {
    double grain_ns;
    size_t windows, cores;
    float *largest; /* [window] the most that was stolen from a core in it, ns */
    struct {
        double quiet[RC_SYNCHRONY_BINS];  /* over cores: the logarithm of the part of
                                           * windows that have no more than this bin */
        double count[RC_SYNCHRONY_BINS];  /* windows, of all cores */
        double stolen[RC_SYNCHRONY_BINS]; /* from them, ns */
    } bin;
};

/* Without cores.  rc_synchrony_fini() in any case. */
int rc_synchrony_init(struct rc_synchrony *s, double grain_ns, size_t windows,
                      struct rc_error *err);
void rc_synchrony_fini(struct rc_synchrony *s); /* accepts a zeroed one */

/* Adds a core.  Its detours are in order of their starts; a start of x is at
 * begin_ns + rate x of the time that all share, whose windows begin at 0.  Detours
 * outside of the windows are left out.
 */
void rc_synchrony_add(struct rc_synchrony *s, const struct rc_detour *detour,
                      size_t count, double begin_ns, double rate);

/* Means over windows, in ns; NAN where there are none. */
struct rc_synchrony_found {
    double measured, error; /* and its standard error, if windows are independent */
    double independent;
};
struct rc_synchrony_found rc_synchrony_find(const struct rc_synchrony *s);

#endif
