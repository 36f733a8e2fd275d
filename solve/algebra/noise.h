/* noise.h - how much an event's readings differ (docs/solve.md, step 1) */
#ifndef RC_SOLVE_ALGEBRA_NOISE_H
#define RC_SOLVE_ALGEBRA_NOISE_H

#include <stddef.h>

/* The largest root normalised mean square error of all pairs of 'count' vectors, stored
 * one after the other.  0 where they are the same or there is only one; 1 for a pair in
 * which one vector has mean 0 and they are not both 0 throughout.  'room' holds 'count'
 * numbers.
 */
double rc_noise_between(const double *vector, size_t count, size_t points,
                        double *room);

/* The mean of the vectors, and, point by point, the median of 'count' of them ('room'
 * as above).
 */
void rc_noise_mean(const double *vector, size_t count, size_t points, double *out);
void rc_noise_median(const double *const *vector, size_t count, size_t points,
                     double *room, double *out);

/* The middle (by its logarithm) of the widest gap between noises, which are sorted
 * here; *low and *high are its ends.  Noises of 0 count as RC_NOISE_FLOOR, and above
 * RC_NOISE_CEILING nothing is steady.  Where no noise is a number, the gap is the whole
 * range.
 */
#define RC_NOISE_FLOOR 1e-16
#define RC_NOISE_CEILING 0.5
double rc_noise_threshold(double *noise, size_t count, double *low, double *high);

#endif
