/* metrics.h - metrics that a campaign has found, computed from what threads counted
 *
 * metrics.h5 of a campaign says which combinations of events are which metric, and how
 * far that can be trusted.  A launch counts the events of its trusted metrics; when the
 * profile is shown, metrics are computed from the counts.
 */
#ifndef RC_CAMPAIGN_PROFILE_TABLES_METRICS_H
#define RC_CAMPAIGN_PROFILE_TABLES_METRICS_H

#include "campaign/profile/passes/passes.h"
#include "campaign/profile/read/sums.h"
#include "campaign/results/results.h"
#include "io/text/json.h"

/* The event as threads are to count it.  Campaigns count what the program itself does,
 * as PAPI does unless a name says otherwise; threads count the kernel's work for it,
 * too, where they may.
 */
const char *rc_profile_thread_event(const char *name, char out[RC_SHARED_EVENT_NAME]);

/* Adds an event to plan->patterns for an option, unless it is there: patterns of a user
 * may name it, too.
 */
int rc_profile_plan_event(struct rc_profile_plan *plan, const char *option,
                          const char *name, struct rc_error *err);

/* Adds the events of all metrics that are defined and whose events threads can count to
 * plan->patterns; *count is how many metrics these are, *others how many are defined
 * and cannot be counted so.  RC_EMISSING: there is none.
 */
int rc_profile_metrics_add(const struct rc_results *metrics,
                           struct rc_profile_plan *plan, size_t *count, size_t *others,
                           struct rc_error *err);

/* The same with the campaign of plan->metrics, of a launch; the first rank says how
 * many metrics it is.
 */
int rc_profile_metrics_plan(struct rc_profile_plan *plan, struct rc_error *err);

/* A table, or the array "metrics" of 'json', of each metric in each region of which all
 * events were counted, in this launch or in one that is a pass; for people at most
 * 'most' regions.  Approximate metrics are shown as such, others that are not defined
 * are not.  'within' as for rc_profile_sum().
 */
int rc_profile_show_metrics(const struct rc_results *metrics,
                            const struct rc_profile_sums *sums,
                            const struct rc_profile_passes *passes, const char *within,
                            size_t most, struct rc_json *json, struct rc_error *err);

#endif
