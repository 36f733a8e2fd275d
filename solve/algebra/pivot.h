/* pivot.h - the specialised pivoted QR (docs/solve.md, step 6)
 *
 * Chooses events, one after the other: the one whose coordinates are simplest
 * (lowest score; then smallest norm; then lowest number) of those that are not
 * yet spanned by the chosen ones.  Coordinates are cut to RC_PIVOT_GRAIN before
 * anything is compared, so that the choice does not depend on how many ranks
 * computed them and in which order.  The grain is for numbers below 2; for a column
 * of larger ones it is larger by the power of two below them.
 */
#ifndef RC_SOLVE_ALGEBRA_PIVOT_H
#define RC_SOLVE_ALGEBRA_PIVOT_H

#include "solve/algebra/grid.h"

#include <stdint.h>

#define RC_PIVOT_GRAIN 0x1p-36 /* absolute */

struct rc_pivot {
    size_t event;       /* the column's number */
    double score, norm; /* norm: what was left of it when it was chosen */
};

/* The score of a column of 'rows' coordinates. */
double rc_pivot_score(const double *column, size_t rows, double alpha);

/* The largest norm that may be left of this column where it is not chosen: beta,
 * which is alpha times the root of 'rows', and for columns of large numbers alpha times
 * RC_PIVOT_SHARE of their norm, a 64th at most: what an event in other units has of
 * noise and rests is larger in the same units.
 */
#define RC_PIVOT_SHARE 0.2
double rc_pivot_limit(const double *column, size_t rows, double alpha);

/* Collective.  'tier' has a number for each local column: RC_PIVOT_NEVER is not
 * taken, and lower tiers are taken before higher ones whatever their scores.  Columns
 * with a NAN or an infinite number are not taken either.  'pivot' has room for
 * matrix->rows; on failure *count is 0.  RC_EUSAGE for an alpha that is not above 0.
 */
enum { RC_PIVOT_FIRST = 0, RC_PIVOT_LATER = 1, RC_PIVOT_NEVER = 255 };
int rc_pivot_select(const struct rc_grid *grid, const struct rc_columns *matrix,
                    const uint8_t *tier, double alpha, struct rc_pivot *pivot,
                    size_t *count, struct rc_error *err);

/* Collective.  The norms that the chosen columns, matrix->rows at most, leave of all
 * local columns (by PBLAS), for telling that none is left out: that would be one with
 * more than rc_pivot_limit().  NAN of a column with a NAN or an infinite number.
 */
int rc_pivot_remains(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const struct rc_pivot *pivot, size_t count, double *remains,
                     struct rc_error *err);

/* Collective.  The widest range around 'alpha' in which the same events are chosen,
 * or ones whose coordinates differ from theirs by no more than 'alpha', in any order;
 * tried in 'steps' equal factors for each power of ten from 1e-9 to 1.
 */
int rc_pivot_range(const struct rc_grid *grid, const struct rc_columns *matrix,
                   const uint8_t *tier, double alpha, int steps, double *low,
                   double *high, struct rc_error *err);

/* Collective.  The alpha in the middle (by its logarithm, of those tried) of the
 * widest range in which the same simple events are chosen, and that range.  Simple:
 * with a mean score of at most twice the lowest that comes out for any alpha.  Below
 * the noise of the columns others may be chosen, and that over powers of ten, too.
 * Ranges in which less than half as many events are chosen as in others do not count.
 */
int rc_pivot_scan(const struct rc_grid *grid, const struct rc_columns *matrix,
                  const uint8_t *tier, int steps, double *alpha, double *low,
                  double *high, struct rc_error *err);

#endif
