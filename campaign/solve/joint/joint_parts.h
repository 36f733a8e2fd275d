/* joint_parts.h - data that the files of the joint solve share while they solve events
 */
#ifndef RC_CAMPAIGN_SOLVE_JOINT_JOINT_PARTS_H
#define RC_CAMPAIGN_SOLVE_JOINT_JOINT_PARTS_H

#include "campaign/solve/joint/joint.h"
#include "solve/algebra/coordinates.h"

#include <stdbool.h>
#include <stdint.h>

#define JOINT_NOISE_LEAST 1e-13 /* relative, for readings that are always the same */

enum { JOINT_PROBLEMS = 64 }; /* sets of points that are kept factorized */

/* The points of one source in some suites, to fit events with or without loose ideals.
 */
struct problem {
    const char *source;
    uint64_t suites;
    bool loose;
    bool apart;             /* the constant in each reading may differ between suites */
    struct rc_joint *joint; /* NULL: its points do not tell the ideals apart */
    size_t columns;         /* ideals, then constants in each iteration of suites where
                             * ideals are not known, then constants in each reading */
    size_t points;
    struct at {
        const struct rc_solve_suite *suite;
        size_t point;
        double iterations;
    } * at;
    double *reading; /* [point] */
    double *noise;   /* [point]: of the reading, in counts */
    double *ideal;   /* [ideal][point] */
};

/* A local event in the exact suites, and in all that are joined. */
struct view {
    uint64_t suites, all; /* bits of exact and of all suites that measured it */
    bool counts;          /* it is not 0 in an exact suite */
    bool counts_at_all;   /* it is not 0 in any suite */
    double noise;         /* the least in an exact suite; 0: always the same */
    double noise_all;     /* the least in any suite; 0: always the same */
};

struct ranged;

struct maker {
    struct rc_solve_kind *k;
    struct rc_solve_joint *j;
    struct rc_solve_suite **suite; /* exact ones, then others that know the exact
                                    * ideals on some points */
    size_t suites, joined;         /* exact ones, and all of them */
    struct problem problem[JOINT_PROBLEMS];
    size_t problems;
    struct rc_arena arena;
    struct view *view;          /* [local event] */
    double *x, *deviation;      /* room for coordinates and constants */
    double rest, noise, spread; /* of the event at hand */
    size_t untold;              /* an ideal that it may or may not have, or SIZE_MAX */
    struct ranged *ranged;      /* ranged.c */
};

/* problems.c: collective.  The coordinates of all events, each on its own rank. */
int rc_joint_solve_events(struct maker *m);

/* exchange.c: collective.  The simplest of these events become the pool. */
int rc_joint_exchange(struct maker *m);

/* ranged.c: the relative noise of each reading, rounding to whole counts included; 0 if
 * the event counts nothing, or always the same.  '*own' becomes the noise without the
 * part that rounding can explain.
 */
double rc_joint_noise(const struct maker *m, const struct rc_solve_suite *s,
                      size_t local, double *own);

/* ranged.c: an event's readings on these points, in counts, and their noise, which is
 * never quite 0.
 */
void rc_joint_fill(const struct maker *m, const struct at *at, size_t points,
                   size_t local, double *value, double *noise);

/* ranged.c: the points of all joined suites, with what is known of all ideals. */
int rc_ranged_open(struct maker *m);
void rc_ranged_close(struct maker *m);

/* Sets '*holds': whether an event's coordinates m->x hold on the suites that are not
 * exact.
 */
int rc_ranged_hold(struct maker *m, size_t local, double doubt, bool *holds);

/* Solves an event over the points of all suites: fills m->x and m->deviation.  '*doubt'
 * becomes its doubt, or NAN where it is not a sum of ideals, or where several sums fit.
 * 'known': the exact ideals in m->x are right, and only the others are looked for.
 */
int rc_ranged_solve(struct maker *m, size_t local, bool known, double *doubt);

#endif
