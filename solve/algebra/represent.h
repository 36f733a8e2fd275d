/* represent.h - events in the coordinates of a basis (docs/solve.md, step 3) */
#ifndef RC_SOLVE_ALGEBRA_REPRESENT_H
#define RC_SOLVE_ALGEBRA_REPRESENT_H

#include "solve/algebra/grid.h"

/* A basis: points x coordinates, stored by column: entry (p, i) is
 * value[p + i * points].  All finite.
 */
struct rc_basis {
    size_t points, coordinates;
    const double *value;     /* counts per iteration */
    const char *const *name; /* of the coordinates */
};

/* RC_OK where the columns are independent; otherwise RC_EUSAGE with the names of the
 * columns that depend on each other (to 1 in 10^10), are 0 or hold numbers that are not
 * finite, or of all columns where there are fewer points than columns.  'condition'
 * (may be NULL) gets the ratio of the largest singular value to the smallest, of the
 * columns scaled to a norm of 1.  Not collective.
 */
int rc_basis_check(const struct rc_basis *basis, double *condition,
                   struct rc_error *err);

/* The distance of 'column' (one number for each point) from the span of the basis, as a
 * share of its norm: 0 is inside.  Not collective; -1: no memory.
 */
double rc_basis_distance(const struct rc_basis *basis, const double *column);

/* Collective over the grid.  x = argmin || E x - m || for each column m of 'readings'
 * (points x events), by QR; 'readings' becomes m - E x.  'out' (coordinates x events,
 * with the same layout) and residual[local] = || E x - m || / || m || (0 for m = 0) are
 * made here; the caller frees both.  No column may have a NAN or an infinite entry.
 * Fails as rc_basis_check() does; on failure there is nothing to free.
 */
int rc_represent(const struct rc_grid *grid, const struct rc_basis *basis,
                 struct rc_columns *readings, struct rc_columns *out, double **residual,
                 struct rc_error *err);

#endif
