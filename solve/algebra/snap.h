/* snap.h - the small fractions that coordinates with noise stand for
 *
 * Counters weigh with simple numbers.  A coordinate that is known well enough to be one
 * of them, and hardly by chance, becomes it.  As coordinates are correlated, that makes
 * all others better known, so the most certain comes first, and so on.  Several
 * coordinates together prove more than each by itself: the remaining ones become
 * multiples of one small fraction, if all that are known well enough are near such
 * multiples.
 */
#ifndef RC_SOLVE_ALGEBRA_SNAP_H
#define RC_SOLVE_ALGEBRA_SNAP_H

#include <stdbool.h>
#include <stddef.h>

/* x[columns] begins with 'ideals' coordinates, followed by any other numbers;
 * 'covariance' [column][column] is theirs.  Coordinates become fractions, the remaining
 * ones and the other numbers their most likely values given these, and 'covariance'
 * what is still in doubt: 0 in the rows of fractions.  False where the fractions are
 * less likely than noise explains: then only 'covariance' has changed.
 */
bool rc_snap(size_t columns, size_t ideals, double *covariance, double *x);

/* The small fraction, or 0, that a single number stands for; false where that is not
 * certain.
 */
bool rc_snap_one(double x, double deviation, double *out);

#endif
