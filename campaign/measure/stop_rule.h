/* stop_rule.h - when a group has been measured often enough
 *
 * After a minimum of repetitions, as soon as all sweeps were identical, or the mean of
 * each event that differs is known well enough: the half-width of its 95 % confidence
 * interval is below a share of the mean, both taken over all points as Euclidean norms;
 * at the latest after a maximum.
 */
#ifndef RC_CAMPAIGN_MEASURE_STOP_RULE_H
#define RC_CAMPAIGN_MEASURE_STOP_RULE_H

#include "campaign/base/error.h"
#include "campaign/records/record.h"

#include <stdbool.h>

struct rc_stop_rule_limits {
    uint32_t min, max;
    double target; /* share of the mean */
    bool settles; /* the last 'min' sweeps must be identical; earlier ones may differ */
};

struct rc_stop_rule; /* opaque */

int rc_stop_rule_create(const struct rc_stop_rule_limits *rule, size_t events,
                        size_t points, struct rc_stop_rule **out, struct rc_error *err);
void rc_stop_rule_close(struct rc_stop_rule *stop_rule); /* accepts NULL */

/* Adds one repetition: values[event][point], INT64_MIN if there is none.  An event with
 * skip[event] (may be NULL) does not count for the verdict from now on.
 */
void rc_stop_rule_add(struct rc_stop_rule *stop_rule, const int64_t *values,
                      const bool *skip);

/* RC_STOP_NONE: continue. */
enum rc_stop rc_stop_rule_verdict(const struct rc_stop_rule *stop_rule);

/* Whether the next repetition may be the last. */
bool rc_stop_rule_may_end(const struct rc_stop_rule *stop_rule);

/* Relative half-width of an event; 0 if all sweeps were identical. */
double rc_stop_rule_width(const struct rc_stop_rule *stop_rule, size_t event);

/* Student's t for a two-sided 95 % interval. */
double rc_stop_rule_student(uint32_t degrees_of_freedom);

#endif
