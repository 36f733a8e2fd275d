/* joint.h - the events of a kind over the points of all suites at once
 *
 * The ideals that are known on the points of every exact suite, and others of other
 * suites, are the coordinates of one joint basis (docs/solve.md).  Events that are sums
 * of them form a pool, the same on every rank, from which metrics are made.
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
    bool ranged;  /* solved by ranged.c, by caches that are never known exactly */
};

/* Half of the tiers leave out the events that ranged.c solved; the others have all. */
enum { RC_JOINT_HALF = 6, RC_JOINT_TIERS = 2 * RC_JOINT_HALF };

/* The numbers that follow the coordinates of an event. */
enum {
    RC_JOINT_SPREAD, /* the greatest standard deviation of a coordinate as found */
    RC_JOINT_DOUBT,  /* likewise after some coordinates became fractions */
    RC_JOINT_REST,   /* the constant in each reading */
    RC_JOINT_NOISE,  /* of the mean of readings, relative */
    RC_JOINT_RANGED, /* 1: ranged.c solved it */
    RC_JOINT_UNTOLD, /* without coordinates: 1 + an ideal that it may have, or 0 */
    RC_JOINT_BEHIND  /* how many numbers there are */
};

/* The joint basis of a kind, and its pool of events. */
struct rc_solve_joint {
    struct rc_arena arena;
    struct rc_identities identities;
    const char **ideal; /* names of the independent ones: the basis */
    /* The number of all ideals; of the exact ones, which come first; of these together
     * with the next ones, loose ideals that exact suites know.
     */
    size_t ideals, exact, near;
    size_t width;       /* room for ideals, the others included */
    const char **other; /* names of ideals that are sums of those ... */
    double *relation;   /* ... by [other][width] */
    bool *by_kernels;   /* [other]: a sum on these kernels only, not by definition */
    size_t others;
    bool *joined; /* [suite of the kind]: its points are used */
    size_t *row;  /* [local event] in 'x', or SIZE_MAX */
    /* [local event] without a row: an ideal that it may or may not have, as far as
     * these kernels show, or SIZE_MAX.
     */
    size_t *untold;
    double
        *x; /* [row]: coordinates, the numbers above, deviations of the coordinates */
    size_t rows, room;
    struct rc_joint_event *pool; /* the simplest first */
    double *pool_x;              /* [pool][ideal] */
    double *pool_doubt;          /* [pool][ideal] deviations of these */
    double *pool_rest;           /* [pool] the constant in each reading */
    double *pool_noise;          /* [pool] of the mean of readings, relative */
    size_t count;
    struct {
        double tolerance;
        bool noisy;     /* it may have events with noise */
        size_t *member; /* numbers in the pool */
        double *x, *doubt;
        double noise; /* the median of those that are not 0 */
        size_t count;
        struct rc_combiner *combiner;
    } tier[RC_JOINT_TIERS]; /* exact events; with noisy ones; with doubtful ones */
};

/* pool.c: collective; k->joint stays NULL where there is no such basis. */
int rc_solve_joint_open(struct rc_solve_kind *k);
void rc_solve_joint_close(struct rc_solve_joint *joint); /* accepts NULL */

/* True if the ideal is the difference of others by an identity that holds on every
 * machine, and so is not a coordinate.
 */
bool rc_joint_identity(const struct rc_solve_joint *joint, const char *ideal);

/* True if these kernels tell all parts of a vector apart from other ideals. */
bool rc_joint_told(const struct rc_solve_joint *joint, const double *x);

/* Adds a metric in the joint coordinates to 'out' [ideal].  False if it has an ideal
 * that the basis does not have; '*told' becomes rc_joint_told() of 'out'.
 */
bool rc_solve_joint_signature(const struct rc_solve_suite *s,
                              const struct rc_solve_joint *joint,
                              const struct rc_metric_definition *metric, double *out,
                              bool *told);

/* False if the joint coordinates of a local event are known and differ from 'x'. */
bool rc_solve_joint_same(const struct rc_solve_joint *joint, size_t local,
                         const double *x);

/* joint_metrics.c: collective.  The pool as fits of a suite, until the step ends. */
struct rc_joint_fits {
    struct rc_fits pool;
    const struct rc_fits *chosen;
    double *chosen_x; /* [chosen][ideals + RC_JOINT_BEHIND]: SPREAD is NAN: not known
                       */
};
int rc_joint_fits_init(const struct rc_fits *f, struct rc_joint_fits *out);

/* Not collective.  Decides on a metric: 'm' is what the suite alone gives, and becomes
 * the joint result.
 */
int rc_joint_decide(struct rc_joint_fits *j, size_t number, const double *signature,
                    struct rc_metric_result *m);

/* How many coefficients of a metric are not 0. */
size_t rc_joint_terms(const struct rc_metric_result *m);

/* nearly.c: not collective.  A metric that is not defined becomes approximate if one
 * event counts it within a bound on all points, which the reason states.
 */
int rc_joint_nearly(struct rc_joint_fits *j, size_t number, const double *signature,
                    struct rc_metric_result *m);

/* Not collective, after all suites: a metric that several suites have gets one result.
 */
int rc_solve_joint_unify(struct rc_solve_kind *k);

#endif
