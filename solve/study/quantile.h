/* quantile.h - quantiles of chi-square and F, and tails of F and Student's t
 *
 * All are right to 1e-9 (relative) for 1 to 1e7 degrees of freedom, which need not be
 * whole.  Nothing here allocates.
 */
#ifndef RC_SOLVE_STUDY_QUANTILE_H
#define RC_SOLVE_STUDY_QUANTILE_H

#include <stddef.h>

/* The value that is not exceeded with probability 'p', 0 < p < 1. */
double rc_quantile_chi2(double p, double degrees);
double rc_quantile_f(double p, double degrees, double of_divisor);

/* The probability that an F-distributed number with these degrees of freedom (of the
 * numerator, of the denominator) is above 'f'; 1 where 'f' is not a positive number.
 */
double rc_tail_f(double f, double degrees, double of_divisor);

/* The probability that |T| is 't' or more, for t >= 0. */
double rc_both_tails_t(double t, double degrees);

/* The order of the ends of the median's 95 % interval among 'count' sorted numbers: the
 * n-th from below and from above, 1 or more; 0: there are too few for one.
 */
size_t rc_median_order(size_t count);

#endif
