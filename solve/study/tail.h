/* tail.h - how long the longest detours are: a Pareto distribution of the excess over a
 * threshold
 */
#ifndef RC_SOLVE_STUDY_TAIL_H
#define RC_SOLVE_STUDY_TAIL_H

#include "campaign/base/error.h"
#include "solve/study/lines.h"

#include <stddef.h>
#include <stdint.h>

/* The generalised Pareto distribution: an excess over the threshold is more than x with
 * probability (1 + shape x / scale) ^ (-1 / shape).
 */
struct rc_pareto {
    double scale; /* in the unit of the values; NAN where it cannot be fitted */
    double shape; /* above 0: heavy; below: it ends somewhere */
};

/* The fewest values above the threshold for a fit. */
enum { RC_TAIL_LEAST = 20 };
/* The share of the values that do not exceed the threshold. */
#define RC_TAIL_BELOW 0.97

/* Fits by probability weighted moments (Hosking and Wallis, 1987), to ascending
 * excesses over the threshold.
 */
struct rc_pareto rc_pareto_fit(const double *excess, size_t count);

/* The same for ascending values: returns the threshold, too, how many do not exceed it,
 * and the excesses of the others.
 */
struct rc_pareto rc_pareto_above(const double *value, size_t count, double *threshold,
                                 size_t *below, double *excess);

/* The excess that one in 'rarity' exceeds; 0 for a rarity of at most 1. */
double rc_pareto_exceeded(const struct rc_pareto *pareto, double rarity);

/* Times in ns; all but threshold and rate are NAN where too few detours are above the
 * threshold.
 */
struct rc_tail {
    double threshold_ns;
    double rate_hz; /* detours above it, in a second of a core */
    struct rc_pareto pareto;
    double worst_ns;                    /* exceeded once in the core time asked for */
    double worst_low_ns, worst_high_ns; /* its bounds, 19 times of 20 */
};

/* Fits the tail of a core's detours.  'core_s' is the time for the worst, times the
 * cores: a day on 1000 cores is 86.4e6.  The interval is by 400 repetitions of the fit
 * with values drawn from those at hand, the same draws in every run.
 */
int rc_tail_fit(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                double core_s, struct rc_tail *tail, struct rc_error *err);

#endif
