/* advise.h - which runs to measure next: those that narrow a prediction most
 *
 * The laws that readings allow, with their weights and covariances, say how numbers at
 * two points vary together.  A reading at a point x takes from the variance of the number
 * at the target t
 *
 *     cov(x, t)^2 / (var(x) + noise^2)
 *
 * whatever it says: so the gain of runs is known before they are made.
 */
#ifndef RC_SOLVE_MODEL_ADVISE_H
#define RC_SOLVE_MODEL_ADVISE_H

#include "solve/model/laws.h"

/* A run that may be made. */
struct rc_advice_run {
    double at[RC_LAW_PARAMETERS];
    double seconds, cores; /* its expected cost, above 0 */
};

struct rc_advice_step {
    size_t run;      /* its number */
    double variance; /* of the sum of all numbers at the target, after it */
};

/* Chooses runs one after the other, by the variance that they take per core-second, as
 * long as they fit into 'budget' seconds and take a 1000th at least; each may be chosen
 * several times.  *before: the variance without them.  There is room for 'most' steps.
 */
int rc_laws_advise(const struct rc_laws *fit, size_t fits,
                   const struct rc_advice_run *run, size_t runs, const double *target,
                   double budget, struct rc_advice_step *step, size_t most,
                   size_t *steps, double *before, struct rc_error *err);

#endif
