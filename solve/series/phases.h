/* phases.h - where several series change their level: phases of a program
 *
 * Readings over time of several events are cut where their levels change, by PELT
 * (pruned exact linear time; Killick, Fearnhead and Eckley, 2012).  The cost of a phase
 * is the sum of squared distances from its means, in units of each series' own scatter
 * from one bin of time to the next; a boundary costs 3 k ln n, for k series of n bins.
 *
 * A boundary is where a series jumps: at it the means of two bins before and behind
 * differ by six times the scatter.  What drifts, wanders or scatters has none, and
 * neither has what goes up for a single bin: three neighbours are replaced by the
 * middle one of them.  So a phase that is shorter than two bins is not found.
 */
#ifndef RC_SOLVE_SERIES_PHASES_H
#define RC_SOLVE_SERIES_PHASES_H

#include "campaign/base/error.h"

#include <stddef.h>

enum { RC_PHASES_BINS = 16 }; /* with fewer bins no boundary is looked for */
#define RC_PHASES_JUMP 6.0 /* that a boundary has at least, in units of the scatter */

/* value[series][bin] are means over bins of equal length, NAN where there is none: a
 * series that has less than half of them is left out.  boundary[] gets the first bin of
 * each phase but the first one, ascending; there is room for 'bins'.  scatter[series]
 * holds what a series scatters from bin to bin at least (one count in a bin; 0: not
 * known), and gets what it does; 0: it has no jump, and was not used.
 * The time it takes grows with the square of 'bins' at worst.
 */
int rc_phases_find(const double *value, size_t series, size_t bins, size_t *boundary,
                   size_t *boundaries, double *scatter, struct rc_error *err);

#endif
