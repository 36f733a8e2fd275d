/* combine.h - the simplest sum of events that is a sum of ideals
 *
 * Events are vectors of coordinates, and a metric is one.  One event comes before any
 * sum.  Of sums, positive whole coefficients come before fewest events, these before
 * the simplest coefficients, and differences of large numbers are last.  All pairs are
 * tried; for more, events of a basis are exchanged for others as long as that is better
 * (a simplex without costs).
 */
#ifndef RC_SOLVE_ALGEBRA_COMBINE_H
#define RC_SOLVE_ALGEBRA_COMBINE_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Of combinations whose parts, without regard to their signs, are more than that times
 * the metric nothing is left in use: rounding and noise of the parts are larger than
 * it.
 */
#define RC_COMBINE_PARTS 1000.0
/* Sums whose parts are larger than that are differences of large numbers: the last
 * choice.
 */
#define RC_COMBINE_CANCELS 10.0

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
