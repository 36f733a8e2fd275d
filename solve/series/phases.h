/* phases.h - where several series change their level: phases of a program
 *
 * Readings over time of several events are cut where their levels change, by PELT
 * (pruned exact linear time; Killick, Fearnhead and Eckley, 2012).  The cost of a phase
 * is the sum of squared distances from its means, in units of each series' own scatter
 * from one bin of time to the next; a boundary costs 3 k ln n, for k series of n bins.
 *
 * A boundary is where a series jumps: the means of two bins before it and of two after
 * it differ by six times the scatter.  A series that drifts, wanders or scatters has no
 * boundary, nor has one that goes up for a single bin: the middle of three neighbours
 * replaces them.  So a phase that is shorter than two bins is not found.
 */
#ifndef RC_SOLVE_SERIES_PHASES_H
#define RC_SOLVE_SERIES_PHASES_H

#include "campaign/base/error.h"

#include <stddef.h>

enum { RC_PHASES_BINS = 16 }; /* with fewer bins no boundary is looked for */
#define RC_PHASES_JUMP 6.0    /* the least of a boundary, in units of the scatter */

/* value[series][bin] are means over bins of equal length, NAN where there is none: a
 * series that has less than half of them is left out.  boundary[] gets the first bin of
 * each phase but the first one, ascending; there is room for 'bins'.  scatter[series]
 * holds the least scatter of a series from bin to bin (one count in a bin; 0: not
 * known), and gets the one found; 0: the series has no jump, and was not used.  The
 * time grows with the square of 'bins' at worst.
 */
int rc_phases_find(const double *value, size_t series, size_t bins, size_t *boundary,
                   size_t *boundaries, double *scatter, struct rc_error *err);

#endif
