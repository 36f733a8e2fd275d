/* snap.h - the small fractions that coordinates with noise stand for
 *
 * Counters weigh with simple numbers.  A coordinate that is known well enough to be one
 * of them, and hardly by chance, becomes it; that makes all others better known, as
 * they are correlated, so that the surest comes first, and so on.  What one of them
 * alone leaves to chance several tell together: those that are left become multiples of
 * one small fraction, if all that are known well enough are near to such multiples.
 */
#ifndef RC_SOLVE_ALGEBRA_SNAP_H
#define RC_SOLVE_ALGEBRA_SNAP_H

#include <stdbool.h>
#include <stddef.h>

/* x[columns], of which the first 'ideals' are coordinates and those behind them any
 * numbers; 'covariance' [column][column] of it.  Coordinates become fractions, those
 * that stay and the numbers behind them what is most likely then, and 'covariance' that
 * of what is left in doubt: 0 in the rows of fractions.  False, and all as it was but
 * 'covariance', where the fractions are less likely than noise explains.
 */
bool rc_snap(size_t columns, size_t ideals, double *covariance, double *x);

/* The small fraction, or 0, that one number alone stands for; false where that is not
 * sure.
 */
bool rc_snap_one(double x, double deviation, double *out);

#endif
