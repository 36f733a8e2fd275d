/* pivot.h - the specialised pivoted QR (method.md, section 4)
 *
 * Chooses events, one after the other: the one whose coordinates are simplest
 * (lowest score; then smallest norm; then lowest number) of those that are not
 * yet spanned by the chosen ones.  Coordinates are cut to RC_PIVOT_GRAIN before
 * anything is compared, so that the choice does not depend on how many ranks
 * computed them and in which order.
 */
#ifndef RC_SOLVE_PIVOT_H
#define RC_SOLVE_PIVOT_H

#include "solve/grid.h"

#include <stdint.h>

#define RC_PIVOT_GRAIN 0x1p-36

struct rc_pivot {
    size_t event;       /* the column's number */
    double score, norm; /* norm: what was left of it when it was chosen */
};

/* The score of a column of 'rows' coordinates. */
double rc_pivot_score(const double *column, size_t rows, double alpha);

/* Collective.  'tier' has a number for each local column: RC_PIVOT_NEVER is not
 * taken, and lower tiers are taken before higher ones whatever their scores.
 * 'pivot' has room for matrix->rows.  RC_EUSAGE for an alpha that is not above 0.
 */
enum { RC_PIVOT_FIRST = 0, RC_PIVOT_LATER = 1, RC_PIVOT_NEVER = 255 };
int rc_pivot_select(const struct rc_grid *grid, const struct rc_columns *matrix,
                    const uint8_t *tier, double alpha, struct rc_pivot *pivot,
                    size_t *count, struct rc_error *err);

/* Collective.  The norms that the chosen columns leave of all local columns (by
 * PBLAS), for telling that none is left out.
 */
int rc_pivot_remains(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const struct rc_pivot *pivot, size_t count, double *remains,
                     struct rc_error *err);

/* Collective.  The widest range around 'alpha' in which the same events are
 * chosen, tried in 'steps' equal factors for each power of ten from 1e-9 to 1.
 */
int rc_pivot_range(const struct rc_grid *grid, const struct rc_columns *matrix,
                   const uint8_t *tier, double alpha, int steps, double *low,
                   double *high, struct rc_error *err);

/* Collective.  The alpha in the middle (by its logarithm) of the widest range in
 * which one and the same selection comes out, and that range.
 */
int rc_pivot_scan(const struct rc_grid *grid, const struct rc_columns *matrix,
                  const uint8_t *tier, int steps, double *alpha, double *low,
                  double *high, struct rc_error *err);

#endif
