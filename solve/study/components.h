/* components.h - how far readings scatter, by level
 *
 * A reading is mu + node + core + rest: a random effect of its node, one of its core
 * (any place of a node), and a rest that differs from reading to reading.  This
 * estimates the variances of the three, with intervals, and the mean squared distances
 * of vectors by the level that two readings have in common.  docs/noise.md describes
 * their use.
 */
#ifndef RC_SOLVE_STUDY_COMPONENTS_H
#define RC_SOLVE_STUDY_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>

enum rc_level { RC_LEVEL_REPETITION, RC_LEVEL_CORE, RC_LEVEL_NODE, RC_LEVEL_COUNT };

/* The readings that there are.  Places are in the order of their nodes, readings in the
 * order of their places, and each node and place has at least one.
 */
struct rc_nesting {
    size_t nodes, places;
    const size_t *node;  /* [place] its node's number, from 0, without gaps */
    const size_t *count; /* [place] its readings */
};

/* Whether a level can be told from those below it: there are two nodes, a node with two
 * places, a place with two readings.
 */
bool rc_nesting_has(const struct rc_nesting *nesting, enum rc_level level);

/* Variance of one level, in squares of the readings' unit; NAN where the level cannot
 * be told.  Estimates are not cut off at 0: they are unbiased, and may be negative.
 * [low, high] covers the true one with probability 0.95, and is cut off at 0.
 */
struct rc_component {
    double variance, low, high;
};

/* Constants of intervals, by degrees of freedom.  They come from quantiles, which take
 * longer than all else, and are the same for all events whose readings are nested
 * alike.
 */
struct rc_intervals {
    struct rc_interval {
        double degrees[2];     /* of the level and of the one below; 0: none yet */
        double g[2], h[2];     /* Burdick and Graybill's names: for each of the two */
        double g_both, h_both; /* and for both together */
    } level[RC_LEVEL_COUNT];
};

/* By the analysis of variance, with intervals by modified large samples.  'known' is
 * zeroed before the first call and kept for the next ones; NULL: only variances.
 */
void rc_components_anova(const struct rc_nesting *nesting, const double *reading,
                         struct rc_intervals *known,
                         struct rc_component out[RC_LEVEL_COUNT]);

/* By restricted maximum likelihood, none of them negative: the same as above where the
 * nesting is balanced and no estimate negative, less scattered where it is not
 * balanced.  'room' holds twice as many numbers as there are places.
 */
void rc_components_reml(const struct rc_nesting *nesting, const double *reading,
                        double *room, double out[RC_LEVEL_COUNT]);

/* The mean squared distance of two vectors, one after the other in 'vector', from the
 * same place, from two places of a node, from two nodes; NAN where there is no such
 * pair.  'room' holds four vectors.
 */
void rc_distances(const struct rc_nesting *nesting, const double *vector, size_t points,
                  double *room, double out[RC_LEVEL_COUNT]);

#endif
