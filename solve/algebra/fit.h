/* fit.h - metrics as combinations of the chosen events (docs/solve.md, step 7)
 *
 * Small problems, the same on every rank; by LAPACK.  Nothing here is collective.
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

/* A simple number that the coefficient is near to: a fraction with a small denominator
 * where it is within 'tolerance' (less for larger denominators), a whole multiple of
 * the 64 bytes of a line or a whole part of 1, within less, 0 where it is no more than
 * 'tolerance' of 'largest' and not such a fraction to 1e-9; itself where there is none.
 * With 'largest' 0 nothing becomes 0.
 */
double rc_fit_round(double coefficient, double largest, double tolerance);

/* What a vector of readings is multiplied with to give coordinates: coordinates x
 * points, stored by column.
 */
int rc_fit_inverse(const struct rc_basis *basis, double *inverse, struct rc_error *err);

/* Readings of a chosen event. */
struct rc_repetitions {
    const double *vector; /* [repetition][point] */
    size_t count, points;
    const double *inverse; /* of the basis on those points */
    const double *x;       /* its coordinates, which the mean of the vectors gives */
};

/* 95 % intervals of the coefficients, low and high: [signature][event], from
 * 'samples' times drawing each event's repetitions anew, keyed by 'seed'.  Where no
 * event's repetitions differ they are the coefficients 'y' themselves.
 */
int rc_fit_intervals(const struct rc_repetitions *event, size_t events, size_t rows,
                     const double *signature, size_t signatures, const double *y,
                     size_t samples, uint64_t seed, double *low, double *high,
                     struct rc_error *err);

#endif
