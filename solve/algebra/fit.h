/* fit.h - metrics as combinations of the chosen events (docs/solve.md, step 7)
 *
 * Problems are small and the same on every rank; LAPACK solves them.  Nothing here is
 * collective.
 */
#ifndef RC_SOLVE_ALGEBRA_FIT_H
#define RC_SOLVE_ALGEBRA_FIT_H

#include "campaign/base/error.h"
#include "solve/algebra/represent.h"

#include <stddef.h>
#include <stdint.h>

/* y = argmin || X y - s || for each of 'signatures' columns s; X is rows x columns,
 * everything stored by column.  error[j] = || X y - s || / (|| X || || y || + || s ||),
 * which is 1 where there are no columns.
 */
int rc_fit(const double *x, size_t rows, size_t columns, const double *signature,
           size_t signatures, double *y, double *error, struct rc_error *err);

/* A simple number near the coefficient: a fraction with a small denominator within
 * 'tolerance' (less for larger denominators); within less, a whole multiple of the 64
 * bytes of a line or a whole part of 1; 0 where the coefficient is at most 'tolerance'
 * of 'largest' and not such a fraction to 1e-9; else the coefficient itself.  With
 * 'largest' 0 nothing becomes 0.
 */
double rc_fit_round(double coefficient, double largest, double tolerance);

/* The matrix that turns a vector of readings into coordinates: coordinates x points,
 * stored by column.
 */
int rc_fit_inverse(const struct rc_basis *basis, double *inverse, struct rc_error *err);

/* Readings of a chosen event. */
struct rc_repetitions {
    const double *vector; /* [repetition][point] */
    size_t count, points;
    const double *inverse; /* of the basis on those points */
    const double *x;       /* its coordinates, from the mean of the vectors */
};

/* 95 % intervals of the coefficients, low and high: [signature][event].  Each event's
 * repetitions are drawn again 'samples' times, keyed by 'seed'.  Where no event's
 * repetitions differ, the intervals are the coefficients 'y'.
 */
int rc_fit_intervals(const struct rc_repetitions *event, size_t events, size_t rows,
                     const double *signature, size_t signatures, const double *y,
                     size_t samples, uint64_t seed, double *low, double *high,
                     struct rc_error *err);

#endif
