/* coordinates.h - the coordinates of events over all suites (docs/solve.md)
 *
 * Exact ideals are known on the points of every suite, so that an event has one vector
 * of readings over all of them, and one sum of ideals that it is or is not.  Readings
 * are whole numbers, and what counters weigh with are small fractions: coordinates are
 * found by least squares, made the simplest fractions that the readings allow, and
 * then checked in whole numbers.  Nothing here is collective.
 */
#ifndef RC_SOLVE_ALGEBRA_COORDINATES_H
#define RC_SOLVE_ALGEBRA_COORDINATES_H

#include "campaign/base/error.h"
#include "solve/algebra/fraction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Points of all suites, in readings, not iterations: what run(n) counts. */
struct rc_joint_points {
    size_t points, ideals;
    size_t besides;      /* columns behind the ideals: may add any number */
    const double *ideal; /* [ideal, then what is besides][point]: counts of a reading */
};

/* Those points, ready for least squares.  Behind all columns stands 1 for each reading,
 * which is what starting and stopping count; it may add any number, too.
 */
struct rc_joint;

/* 'out' is NULL, and the status still RC_OK, where columns depend on each other on
 * these points, or the points are too few.  The caller owns *out; the arrays of
 * 'points' must stay.
 */
int rc_joint_create(const struct rc_joint_points *points, struct rc_joint **out,
                    struct rc_error *err);
void rc_joint_close(struct rc_joint *joint); /* accepts NULL */

/* Readings of an event on all points, in counts. */
struct rc_joint_readings {
    const double *value; /* means */
    const double *noise; /* standard deviations of these; NULL: rounding is all */
    /* By how much more they may be off, standard; INFINITY: a reading is not used.
     * NULL: by nothing.
     */
    const double *more;
};

/* What least squares leave in doubt.  'deviation': of x, standard, if 'left' is 1;
 * until the next solve.  'left' of the readings, root mean square, in what they are
 * off: about 1 at most for a sum of ideals; INFINITY: noise leaves nothing to solve.
 * 'noise': of readings, relative, by those where it is more than rounding: what was
 * given, and how much of it there is in a mean; 0: there are none.
 */
struct rc_joint_fit {
    const double *deviation; /* [column] */
    double left, noise;
};

/* Coordinates of the readings in x: [ideal], behind them what is besides, and the
 * constant.  All readings are off by their rounding, too.
 */
struct rc_joint_fit rc_joint_solve(struct rc_joint *joint,
                                   const struct rc_joint_readings *reading, double *x);

/* Of the last rc_joint_solve() with noise: its x becomes small fractions where they are
 * sure (solve/algebra/snap.h), and 'deviation' [column] what is left of doubt, in units
 * of 'left'.  'own' [column], or NULL: by how much more each is in doubt, standard.
 * False where nothing was changed.
 */
bool rc_joint_snap(struct rc_joint *joint, double left, const double *own, double *x,
                   double *deviation);

/* Of an event whose repetitions are all the same: x[ideal] becomes the simplest
 * fractions that rounding of readings to whole numbers allows.  True where their sum,
 * in whole numbers, and what the columns behind the ideals add are each reading up to
 * 'counts', and no others that are as simple could be; 'x' and '*constant', what each
 * reading has besides, are not changed otherwise.
 */
bool rc_joint_exact(struct rc_joint *joint, const double *reading, double counts,
                    double *x, double *constant);

/* Which ideals say something on these points that those before them do not, to 1e-9 of
 * their norm: independent[ideal] is set.  Of the others relation[ideal][other ideal]
 * tells what they are a sum of.  Each point weighs the same, whatever its counts.
 */
int rc_joint_independent(const struct rc_joint_points *points, bool *independent,
                         double *relation, struct rc_error *err);

#endif
