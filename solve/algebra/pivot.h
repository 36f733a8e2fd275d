/* pivot.h - the specialised pivoted QR (docs/solve.md, step 6)
 *
 * Chooses events one after the other: among those that the chosen ones do not yet span,
 * the one whose coordinates are simplest (lowest score, then smallest norm, then lowest
 * number).  Coordinates are cut to RC_PIVOT_GRAIN before they are compared, so that the
 * choice does not depend on how many ranks computed them and in which order.  The grain
 * is for numbers below 2; for a column of larger numbers it grows with the power of two
 * below them.
 */
#ifndef RC_SOLVE_ALGEBRA_PIVOT_H
#define RC_SOLVE_ALGEBRA_PIVOT_H

#include "solve/algebra/grid.h"

#include <stdint.h>

#define RC_PIVOT_GRAIN 0x1p-36 /* absolute */

struct rc_pivot {
    size_t event;       /* the column's number */
    double score, norm; /* norm: of its remainder when it was chosen */
};

/* The score of a column of 'rows' coordinates. */
double rc_pivot_score(const double *column, size_t rows, double alpha);

/* The largest remainder of this column with which it is not chosen: beta, which is
 * alpha times the root of 'rows', and for columns of large numbers alpha times
 * RC_PIVOT_SHARE of their norm, a 64th at most: noise and rests of an event in other
 * units are larger in the same units.
 */
#define RC_PIVOT_SHARE 0.2
double rc_pivot_limit(const double *column, size_t rows, double alpha);

/* Collective.  'tier' has a number for each local column: RC_PIVOT_NEVER is never
 * chosen, and lower tiers are chosen before higher ones whatever their scores.  Columns
 * with a NAN or an infinite number are not chosen either.  'pivot' has room for
 * matrix->rows; on failure *count is 0.  RC_EUSAGE: alpha is not above 0.
 */
enum { RC_PIVOT_FIRST = 0, RC_PIVOT_LATER = 1, RC_PIVOT_NEVER = 255 };
int rc_pivot_select(const struct rc_grid *grid, const struct rc_columns *matrix,
                    const uint8_t *tier, double alpha, struct rc_pivot *pivot,
                    size_t *count, struct rc_error *err);

/* Collective.  The norms of the remainders of all local columns outside the space of
 * the chosen ones, at most matrix->rows (by PBLAS).  A remainder above rc_pivot_limit()
 * shows that an event was left out.  NAN for a column with a NAN or an infinite number.
 */
int rc_pivot_remains(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const struct rc_pivot *pivot, size_t count, double *remains,
                     struct rc_error *err);

/* Collective.  The widest range around 'alpha' in which the same events are chosen, or
 * events whose coordinates differ from theirs by at most 'alpha', in any order; tried
 * in 'steps' equal factors for each power of ten from 1e-9 to 1.
 */
int rc_pivot_range(const struct rc_grid *grid, const struct rc_columns *matrix,
                   const uint8_t *tier, double alpha, int steps, double *low,
                   double *high, struct rc_error *err);

/* Collective.  The alpha in the middle (by its logarithm, of those tried) of the widest
 * range in which the same simple events are chosen, and that range.  Events are simple
 * if their mean score is at most twice the lowest of any alpha: an alpha below the
 * noise of the columns may choose the same others over powers of ten.  Ranges in which
 * less than half as many events are chosen as in others do not count.
 */
int rc_pivot_scan(const struct rc_grid *grid, const struct rc_columns *matrix,
                  const uint8_t *tier, int steps, double *alpha, double *low,
                  double *high, struct rc_error *err);

#endif
