/* stop_rule.h - when a group has been measured often enough
 *
 * At least a minimum of repetitions; then as soon as all sweeps were identical,
 * or as the mean of each event that differs is known well enough: the half-width
 * of its 95 % confidence interval is below a share of the mean, both taken over
 * all points as Euclidean norms; at the latest after a maximum.
 */
#ifndef RC_CAMPAIGN_MEASURE_STOP_RULE_H
#define RC_CAMPAIGN_MEASURE_STOP_RULE_H

#include "campaign/base/error.h"
#include "campaign/records/record.h"

#include <stdbool.h>

struct rc_stop_rule_limits {
    uint32_t min, max;
    double target; /* share of the mean */
    bool settles;  /* the source is deterministic: identical are the last 'min' sweeps;
                    * the first ones may differ by what the process has not yet set up */
};

struct rc_stop_rule; /* opaque */

int rc_stop_rule_create(const struct rc_stop_rule_limits *rule, size_t events,
                        size_t points, struct rc_stop_rule **out, struct rc_error *err);
void rc_stop_rule_close(struct rc_stop_rule *stop_rule); /* accepts NULL */

/* Takes in one repetition: values[event][point], INT64_MIN where there is none.
 * An event with skip[event] (may be NULL) has no say in this and the following.
 */
void rc_stop_rule_add(struct rc_stop_rule *stop_rule, const int64_t *values,
                      const bool *skip);

/* RC_STOP_NONE: go on. */
enum rc_stop rc_stop_rule_verdict(const struct rc_stop_rule *stop_rule);

/* Whether the next repetition may well be the last. */
bool rc_stop_rule_may_end(const struct rc_stop_rule *stop_rule);

/* Relative half-width of an event; 0 where all sweeps were identical. */
double rc_stop_rule_width(const struct rc_stop_rule *stop_rule, size_t event);

/* Student's t for a two-sided 95 % interval. */
double rc_stop_rule_student(uint32_t degrees_of_freedom);

#endif
