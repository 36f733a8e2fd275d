/* joint_parts.h - what the files of the joint solve share while they solve events */
#ifndef RC_CAMPAIGN_SOLVE_JOINT_JOINT_PARTS_H
#define RC_CAMPAIGN_SOLVE_JOINT_JOINT_PARTS_H

#include "campaign/solve/joint/joint.h"
#include "solve/algebra/coordinates.h"

#include <stdbool.h>
#include <stdint.h>

#define JOINT_NOISE_LEAST 1e-13 /* relative, of what is always the same */

enum { JOINT_PROBLEMS = 64 }; /* sets of points that are kept factorized */

/* A set of points: of one source, in some suites, with or without loose ideals. */
struct problem {
    const char *source;
    uint64_t suites;
    bool loose;
    bool apart; /* what each reading has besides is another number for each suite */
    struct rc_joint *joint; /* NULL: its points do not tell the ideals apart */
    size_t columns;         /* ideals, then what each iteration of a suite adds where
                             * loose ideals are not known, or each reading */
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
    uint64_t suites, all; /* in which it was measured */
    bool counts;          /* anything in the exact ones */
    bool counts_at_all;
    double noise;     /* the least of the exact ones; 0: always the same */
    double noise_all; /* the same of all */
};

struct ranged;

struct maker {
    struct rc_solve_kind *k;
    struct rc_solve_joint *j;
    struct rc_solve_suite **suite; /* that are exact; behind them the others that know
                                    * the exact ideals */
    size_t suites, joined;         /* exact ones, and all of them */
    struct problem problem[JOINT_PROBLEMS];
    size_t problems;
    struct rc_arena arena;
    struct view *view;          /* [local event] */
    double *x, *deviation;      /* room for coordinates, and what is behind them */
    double rest, noise, spread; /* of the event at hand */
    size_t untold;         /* an ideal that it may have as well as not, or SIZE_MAX */
    struct ranged *ranged; /* ranged.c */
};

/* problems.c: collective.  The coordinates of all events, each on its own rank. */
int rc_joint_solve_events(struct maker *m);

/* exchange.c: collective.  The simplest of these events become the pool. */
int rc_joint_exchange(struct maker *m);

/* ranged.c: the noise of each reading, relative, that rounding to whole counts is a
 * part of; 0 where the event counts nothing, or always the same.  '*own' becomes the
 * same without what rounding can have made of it.
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

/* '*holds': the coordinates m->x of an event hold on the suites that are not exact. */
int rc_ranged_hold(struct maker *m, size_t local, double doubt, bool *holds);

/* Solves an event over the points of all suites: m->x, m->deviation, and what it is in
 * doubt of; NAN where it is no sum of ideals, or not told from another.  'known': the
 * exact ideals in m->x are right, and only the others are looked for.
 */
int rc_ranged_solve(struct maker *m, size_t local, bool known, double *doubt);

#endif
