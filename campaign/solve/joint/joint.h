/* joint.h - the events of a kind over the points of all suites at once
 *
 * The ideals that are known on the points of every exact suite are the coordinates of
 * one joint basis (docs/solve.md).  Events that are exact sums of them are a pool, the
 * same on every rank, out of which metrics are made.
 */
#ifndef RC_CAMPAIGN_SOLVE_JOINT_JOINT_H
#define RC_CAMPAIGN_SOLVE_JOINT_JOINT_H

#include "campaign/solve/fits.h"
#include "solve/algebra/combine.h"
#include "solve/definitions/identities.h"

/* An event of the pool. */
struct rc_joint_event {
    size_t event;
    double doubt; /* the standard deviation of its coordinates; 0: they are exact */
    bool ranged;  /* solved by ranged.c: readings of caches are never exactly known */
};

/* Tiers without the events that ranged.c solved, and then as many of all events. */
enum { RC_JOINT_HALF = 6, RC_JOINT_TIERS = 2 * RC_JOINT_HALF };

/* The numbers behind the coordinates of an event: the standard deviation that they were
 * found with, what is left of it after some became fractions, what each reading has
 * besides, the noise of the mean of readings, relative, and whether ranged.c solved it.
 * An event without coordinates has 1 + the ideal that these kernels do not tell whether
 * it has, or 0.
 */
enum {
    RC_JOINT_SPREAD,
    RC_JOINT_DOUBT,
    RC_JOINT_REST,
    RC_JOINT_NOISE,
    RC_JOINT_RANGED,
    RC_JOINT_UNTOLD,
    RC_JOINT_BEHIND
};

/* In what is the kind's joint basis, and its pool. */
struct rc_solve_joint {
    struct rc_arena arena;
    struct rc_identities identities;
    const char **ideal; /* independent ones */
    /* In all; the first ones, which are exact; and these with the loose ones that exact
     * suites know.
     */
    size_t ideals, exact, near;
    size_t width;       /* room for ideals, the others included */
    const char **other; /* that depend on them ... */
    double *relation;   /* ... [other][width] */
    bool *by_kernels;   /* [other]: on these kernels only, not by what they mean */
    size_t others;
    bool *joined;   /* [suite of the kind]: its points are among those */
    size_t *row;    /* [local event] in 'x', or SIZE_MAX */
    size_t *untold; /* [local event] without a row: an ideal that these kernels do not
                     * tell whether it has, or SIZE_MAX */
    double *
        x; /* [row][ideals + RC_JOINT_BEHIND + ideals]: the deviation of each is last */
    size_t rows, room;
    struct rc_joint_event *pool; /* the simplest first */
    double *pool_x;              /* [pool][ideal] */
    double *pool_doubt;          /* [pool][ideal] deviations of these */
    double *pool_rest;           /* [pool] what each reading has besides */
    double *pool_noise;          /* [pool] of the mean of readings, relative */
    size_t count;
    struct {
        double tolerance;
        bool noisy;     /* some events are */
        size_t *member; /* numbers in the pool */
        double *x, *doubt;
        double noise; /* of those with noise: the median */
        size_t count;
        struct rc_combiner *combiner;
    } tier[RC_JOINT_TIERS]; /* the exact events; those with noise, too; those in some
                               doubt, too */
};

/* pool.c: collective; k->joint stays NULL where there is no such basis. */
int rc_solve_joint_open(struct rc_solve_kind *k);
void rc_solve_joint_close(struct rc_solve_joint *joint); /* accepts NULL */

/* True if the ideal is the difference of others by an identity that holds on every
 * machine, and so is no coordinate.
 */
bool rc_joint_identity(const struct rc_solve_joint *joint, const char *ideal);

/* True if these kernels tell all parts of a vector from other ideals. */
bool rc_joint_told(const struct rc_solve_joint *joint, const double *x);

/* A metric in the joint coordinates, added to 'out' [ideal].  False where it has
 * an ideal that is none of them; '*told' is rc_joint_told() of it.
 */
bool rc_solve_joint_signature(const struct rc_solve_suite *s,
                              const struct rc_solve_joint *joint,
                              const struct rc_metric_definition *metric, double *out,
                              bool *told);

/* False of a local event whose joint coordinates are known, and are others. */
bool rc_solve_joint_same(const struct rc_solve_joint *joint, size_t local,
                         const double *x);

/* joint_metrics.c: collective.  The pool as fits of a suite, for as long as the step.
 */
struct rc_joint_fits {
    struct rc_fits pool;
    const struct rc_fits *chosen;
    double *chosen_x; /* [chosen][ideals + RC_JOINT_BEHIND]: SPREAD is NAN: not known
                       */
};
int rc_joint_fits_init(const struct rc_fits *f, struct rc_joint_fits *out);

/* Not collective: decides a metric, of which 'm' is what the suite alone gives. */
int rc_joint_decide(struct rc_joint_fits *j, size_t number, const double *signature,
                    struct rc_metric_result *m);

/* nearly.c: not collective.  What is not defined is approximate where one event is no
 * farther off on any point than is said.
 */
int rc_joint_nearly(struct rc_joint_fits *j, size_t number, const double *signature,
                    struct rc_metric_result *m);

/* Not collective, after all suites: the same metric asked for twice has one answer. */
int rc_solve_joint_unify(struct rc_solve_kind *k);

#endif
