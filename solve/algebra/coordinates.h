/* coordinates.h - the coordinates of events over all suites (docs/solve.md)
 *
 * Exact ideals are known on the points of every suite, so an event has one vector of
 * readings over all of them, and either is a sum of ideals or is not.  Readings are
 * whole numbers, and the weights of counters are small fractions: coordinates are found
 * by least squares, replaced by the simplest fractions that the readings allow, and
 * then checked in whole numbers.  Nothing here is collective.
 */
#ifndef RC_SOLVE_ALGEBRA_COORDINATES_H
#define RC_SOLVE_ALGEBRA_COORDINATES_H

#include "campaign/base/error.h"
#include "solve/algebra/fraction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The scalar product of two vectors. */
double rc_dot(const double *a, const double *b, size_t count);

/* Points of all suites, for readings and not iterations: counts of run(n). */
struct rc_joint_points {
    size_t points, ideals;
    size_t besides;      /* columns after the ideals: may add any number */
    const double *ideal; /* [ideal, then 'besides'][point]: counts of a reading */
};

/* Those points, ready for least squares.  A last column is 1 for each reading: counts
 * of starting and stopping, which may add any number, too.
 */
struct rc_joint;

/* 'out' is NULL, and the status still RC_OK, where columns depend on each other on
 * these points, or there are too few points.  The caller owns *out; the arrays of
 * 'points' must stay.
 */
int rc_joint_create(const struct rc_joint_points *points, struct rc_joint **out,
                    struct rc_error *err);
void rc_joint_close(struct rc_joint *joint); /* accepts NULL */

/* Readings of an event on all points, in counts. */
struct rc_joint_readings {
    const double *value; /* means */
    const double *noise; /* standard deviations of the means; NULL: only rounding */
    /* Further standard deviations; INFINITY: the reading is not used.  NULL: none. */
    const double *more;
};

/* The doubt that least squares leave.  'deviation': standard deviations of x for 'left'
 * = 1, valid until the next solve.  'left': root mean square of the residuals, in
 * deviations of the readings: at most about 1 for a sum of ideals; INFINITY: noise
 * leaves nothing to solve.  'noise': relative noise of the readings whose noise exceeds
 * rounding, as given and scaled by their residuals; 0: there are no such readings.
 */
struct rc_joint_fit {
    const double *deviation; /* [column] */
    double left, noise;
};

/* Puts the coordinates of the readings into x: [ideal], then 'besides', then the
 * constant.  Rounding of the readings is taken into account.
 */
struct rc_joint_fit rc_joint_solve(struct rc_joint *joint,
                                   const struct rc_joint_readings *reading, double *x);

/* After rc_joint_solve() with noise: its x becomes small fractions where they are
 * certain (solve/algebra/snap.h), and 'deviation' [column] gets the standard deviations
 * that are left, scaled by 'left'.  'own' [column]: further standard deviations of x,
 * or NULL. False where nothing was changed.
 */
bool rc_joint_snap(struct rc_joint *joint, double left, const double *own, double *x,
                   double *deviation);

/* For an event whose repetitions are all the same: x[ideal] becomes the simplest
 * fractions that rounding of readings to whole numbers allows.  True where their sum,
 * in whole numbers, and the columns after the ideals equal each reading to within
 * 'counts', and no others so simple could; '*constant' is then the constant part of
 * each reading.  Else 'x' and '*constant' stay as they are.
 */
bool rc_joint_exact(struct rc_joint *joint, const double *reading, double counts,
                    double *x, double *constant);

/* Sets independent[ideal] where an ideal is linearly independent of those before it on
 * these points, to 1e-9 of its norm.  relation[ideal][other ideal] writes each other
 * ideal as a sum of these.  Each point weighs the same, whatever its counts.
 */
int rc_joint_independent(const struct rc_joint_points *points, bool *independent,
                         double *relation, struct rc_error *err);

#endif
