/* components.h - how far readings scatter, by level
 *
 * A reading is mu + node + core + rest: a random effect of the node that it was taken
 * on, one of the core (any place of a node), and what differs from reading to reading.
 * Here are the variances of the three, with intervals, and mean squared distances of
 * vectors by what two readings have in common.  docs/noise.md says what
 * is made of them.
 */
#ifndef RC_SOLVE_STUDY_COMPONENTS_H
#define RC_SOLVE_STUDY_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>

enum rc_level { RC_LEVEL_REPETITION, RC_LEVEL_CORE, RC_LEVEL_NODE, RC_LEVEL_COUNT };

/* Which readings there are.  Places stand in order of their nodes, readings in order of
 * their places, and each node and place has one at least.
 */
struct rc_nesting {
    size_t nodes, places;
    const size_t *node;  /* [place] its node's number, from 0, without gaps */
    const size_t *count; /* [place] its readings */
};

/* A level can be told from those below it: two nodes, a node with two places, a place
 * with two readings.
 */
bool rc_nesting_has(const struct rc_nesting *nesting, enum rc_level level);

/* Variance of one level, in squares of the readings' unit; NAN where the level cannot
 * be told.  Estimates are not cut off at 0: they are unbiased, and may be negative.
 * [low, high] covers the true one with probability 0.95, and is cut off at 0.
 */
struct rc_component {
    double variance, low, high;
};

/* What intervals are made of, by degrees of freedom: made of quantiles, which take
 * longer than all else, and the same for all events whose readings are nested alike.
 */
struct rc_intervals {
    struct rc_interval {
        double degrees[2];     /* of the level and of the one below; 0: none yet */
        double g[2], h[2];     /* Burdick and Graybill's names: of each of the two */
        double g_both, h_both; /* and of both */
    } level[RC_LEVEL_COUNT];
};

/* By the analysis of variance, with intervals by modified large samples.  'known' is
 * zeroed before the first call and kept for the next ones; NULL: variances alone.
 */
void rc_components_anova(const struct rc_nesting *nesting, const double *reading,
                         struct rc_intervals *known,
                         struct rc_component out[RC_LEVEL_COUNT]);

/* By restricted maximum likelihood, none of them negative: as above where the nesting
 * is balanced and no estimate negative, less scattered where it is not balanced. 'room'
 * holds twice as many numbers as there are places.
 */
void rc_components_reml(const struct rc_nesting *nesting, const double *reading,
                        double *room, double out[RC_LEVEL_COUNT]);

/* The mean squared distance of two vectors, one behind the other in 'vector', that were
 * taken in the same place, in two places of a node, in two nodes; NAN where there are
 * no such two.  'room' holds four vectors.
 */
void rc_distances(const struct rc_nesting *nesting, const double *vector, size_t points,
                  double *room, double out[RC_LEVEL_COUNT]);

#endif
