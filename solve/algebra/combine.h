/* combine.h - the simplest combination of events for a sum of ideals
 *
 * Events are vectors of coordinates, and so is a metric.  One event comes before any
 * sum.  Among sums, those with positive whole coefficients come first, then those of
 * the fewest events, then those with the simplest coefficients; differences of large
 * numbers are last.  All pairs are tried; for more, events of a basis are exchanged for
 * others as long as that improves the sum (a simplex without costs).
 */
#ifndef RC_SOLVE_ALGEBRA_COMBINE_H
#define RC_SOLVE_ALGEBRA_COMBINE_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The parts of a combination are its terms without regard to their signs.  A
 * combination whose parts are more than this times the metric is useless: rounding and
 * noise of the parts exceed the metric.
 */
#define RC_COMBINE_PARTS 1000.0
/* A sum whose parts are more than this times the metric is a difference of large
 * numbers: the last choice.
 */
#define RC_COMBINE_CANCELS 10.0

/* Events: [event][ideal], the simplest first. */
struct rc_combine_events {
    size_t events, ideals;
    const double *x;
    const double *doubt; /* [event] standard deviation, of its norm; NULL: exact */
};

struct rc_combiner;

/* Prepares for many metrics.  The arrays of 'events' must stay. */
int rc_combiner_create(const struct rc_combine_events *events, struct rc_combiner **out,
                       struct rc_error *err);
void rc_combiner_close(struct rc_combiner *combiner); /* accepts NULL */

/* Finds a combination that equals 'wanted', preferably one whose relative doubt is at
 * most 'doubt': numbers of events, ascending, and coefficients, both with room for one
 * item more than there are ideals; *count is 0 where there is none.  *spanned: some
 * combination equals 'wanted', however large its parts.
 */
int rc_combine(struct rc_combiner *combiner, const double *wanted, double doubt,
               size_t *event, double *coefficient, size_t *count, bool *spanned,
               struct rc_error *err);

#endif
