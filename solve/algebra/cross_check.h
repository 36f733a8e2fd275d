/* cross_check.h - whether a combination that fits in one suite is true in the others
 *
 * A combination of events, or one event, is claimed to count a sum of ideals.  On the
 * points of another suite the ideals are known, too, and the claim is tried there.  A
 * reading may hold a constant rest (a call, the loading of registers): up to
 * RC_CROSS_CHECK_REST of the least weight for each reading and event are forgiven.
 * Readings are whole numbers, so less than one count is forgiven, too.
 */
#ifndef RC_SOLVE_ALGEBRA_CROSS_CHECK_H
#define RC_SOLVE_ALGEBRA_CROSS_CHECK_H

#include <stddef.h>
#include <stdint.h>

#define RC_CROSS_CHECK_REST 300.0  /* counts of a reading, in units of a weight */
#define RC_CROSS_CHECK_NOTHING 0.3 /* of the floor, where nothing is claimed */
#define RC_CROSS_CHECK_GRAIN 1e-4  /* of 'gross' */

/* The points of a suite.  An 'ideal' that is NAN is not known; 'iterations' of 0 or a
 * count of NAN means that nothing was counted.  Such points do not count.
 */
struct rc_cross_check {
    size_t points, ideals;
    const double *ideal; /* [point][ideal] per iteration, of those in the claim */
    const uint64_t *iterations;
};

/* A claim, and how far it may be off. */
struct rc_cross_check_claim {
    const double *weight; /* of the ideals */
    double grain;         /* ideals with weights up to it need not be known */
    double floor;         /* fewer counts in an iteration are equivalent to none */
    double rest_least, rest_most; /* of a reading, forgiven */
    double whole;                 /* counts of a reading that rounding may make */
    /* By point: the counts of its parts without regard to their signs, of which
     * RC_CROSS_CHECK_GRAIN may be rests; or NULL.
     */
    const double *gross;
};

/* The claim of one event.  Events do not count work that was not done, so the rest is
 * negative only where the claim is a difference.
 */
struct rc_cross_check_claim rc_cross_check_event(const double *weight, size_t ideals,
                                                 double grain, double floor);

struct rc_cross_check_result {
    size_t points; /* on which the claim could be tried */
    double error;  /* || counted - claimed ||, relative; 0 where there are no points */
    double worst;  /* the same for the point where it is largest */
    double counted, claimed; /* norms, per iteration */
};

/* Tries a claim on counts per iteration.  The error is relative to the largest of ||
 * counted ||, || claimed || and the claim's floor for each point.  Where nothing at all
 * is claimed, the floor is RC_CROSS_CHECK_NOTHING of that: cycles, 300 of which are a
 * miss in the caches, are not excused the 20 or so of an iteration without misses.
 */
struct rc_cross_check_result
rc_cross_check_try(const struct rc_cross_check *suite,
                   const struct rc_cross_check_claim *claim, const double *counted);

#endif
