/* combine.h - the fewest events that make up a sum of ideals
 *
 * Events are vectors of coordinates, and a metric is one.  Of all combinations that are
 * the metric the one with the fewest events is looked for, then with the simplest
 * coefficients: one event before any sum.  All pairs are tried; for more, events of a
 * basis are exchanged for others as long as that leaves fewer (a simplex without
 * costs).
 */
#ifndef RC_SOLVE_COMBINE_H
#define RC_SOLVE_COMBINE_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Of combinations whose parts, without regard to their signs, are more than that times
 * the metric nothing is left in use: rounding and noise of the parts are larger than
 * it.
 */
#define RC_COMBINE_PARTS 1000.0

/* Events: [event][ideal], the simplest first. */
struct rc_combine_events {
    size_t events, ideals;
    const double *x;
    const double *doubt; /* [event]: of its norm, standard deviations; NULL: exact */
};

struct rc_combiner;

/* Prepares for many metrics.  The arrays of 'events' must stay. */
int rc_combiner_create(const struct rc_combine_events *events, struct rc_combiner **out,
                       struct rc_error *err);
void rc_combiner_close(struct rc_combiner *combiner); /* accepts NULL */

/* A combination that is 'wanted', of which no more than 'doubt', relative, is doubted
 * where there is such a one: numbers of events, ascending, and coefficients, both with
 * room for an item more than there are ideals; *count is 0 where there is none.
 * '*spanned' tells whether there is one at all, however large its parts.
 */
int rc_combine(struct rc_combiner *combiner, const double *wanted, double doubt,
               size_t *event, double *coefficient, size_t *count, bool *spanned,
               struct rc_error *err);

#endif
