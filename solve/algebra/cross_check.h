/* cross_check.h - whether what fits in one suite is true in the others
 *
 * A combination of events, or one event, is claimed to count a sum of ideals.  On
 * the points of another suite the ideals are known, too, and the claim is tried
 * there.  A reading may hold a constant rest besides (a call, the loading of
 * registers): up to RC_CROSS_CHECK_REST of the least weight for each reading and event
 * are forgiven.  And it is a whole number: what is less than one count is forgiven,
 * too.
 */
#ifndef RC_SOLVE_ALGEBRA_CROSS_CHECK_H
#define RC_SOLVE_ALGEBRA_CROSS_CHECK_H

#include <stddef.h>
#include <stdint.h>

#define RC_CROSS_CHECK_REST 300.0  /* counts of a reading, in units of a weight */
#define RC_CROSS_CHECK_NOTHING 0.3 /* of the floor, where nothing is claimed */
#define RC_CROSS_CHECK_GRAIN 1e-4  /* of 'gross' */

/* The points of a suite: where 'ideal' is NAN nothing is known, and where
 * 'iterations' is 0 or a count is NAN nothing was counted; such points do not count.
 */
struct rc_cross_check {
    size_t points, ideals;
    const double *ideal; /* [point][ideal] per iteration, of those in the claim */
    const uint64_t *iterations;
};

/* A claim, and how far it may be off. */
struct rc_cross_check_claim {
    const double *weight; /* of the ideals */
    double grain;         /* ideals whose weight is at most that need not be known */
    double floor;         /* less than that in an iteration is as good as nothing */
    double rest_least, rest_most; /* of a reading, forgiven */
    double whole;                 /* counts of a reading that rounding may make */
    /* By point, what its parts count without regard to their signs, of which
     * RC_CROSS_CHECK_GRAIN may be rests; or NULL.
     */
    const double *gross;
};

/* The claim of one event.  Nothing is counted that was not done: its rest is negative
 * only where the claim is a difference.
 */
struct rc_cross_check_claim rc_cross_check_event(const double *weight, size_t ideals,
                                                 double grain, double floor);

struct rc_cross_check_result {
    size_t points; /* on which the claim could be tried */
    double error;  /* || counted - claimed ||, relative; 0 where there are no points */
    double worst;  /* the same of the point where it is most */
    double counted, claimed; /* norms, per iteration */
};

/* 'counted' is per iteration.  The error is relative to the largest of || counted ||,
 * || claimed || and the claim's floor for each point.  Where nothing at all is claimed
 * the floor is RC_CROSS_CHECK_NOTHING of that: cycles, 300 of which are a miss in the
 * caches, are not excused the 20 or so of an iteration without misses.
 */
struct rc_cross_check_result
rc_cross_check_try(const struct rc_cross_check *suite,
                   const struct rc_cross_check_claim *claim, const double *counted);

#endif
