/* results.h - the metrics of a campaign, for use
 *
 * Its metrics.h5 says which combinations of events are which metric on each kind of
 * machine, and how far that can be trusted.  rc_metrics_next() goes over all of a kind.
 */
#ifndef RC_CAMPAIGN_RESULTS_RESULTS_H
#define RC_CAMPAIGN_RESULTS_RESULTS_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "io/metrics/metrics.h"
#include "solve/hierarchy/hierarchy.h"

/* The results of a campaign for the machines of a node; zeroed: none. */
struct rc_results {
    struct rc_store *file;
    size_t kind;    /* of the node, in the file */
    bool simulated; /* the campaign's readings were, of some events */
};

/* Opens CAMPAIGN/metrics.h5, and finds the kind of the node: the only one, or that
 * which was measured on a node of this name.  RC_EUSAGE: there are several, and none
 * was.  'why' gets the reason why results are doubtful, or "".  On success
 * rc_results_close().
 */
int rc_results_open(const char *campaign, const char *node, struct rc_results *out,
                    char *why, size_t room, struct rc_error *err);
void rc_results_close(struct rc_results *results); /* accepts zeros */

/* Whether the metric is a combination of events that may be used. */
static inline bool rc_results_trusts(const struct rc_metric_result *metric)
{
    return rc_metric_is_usable(metric) && metric->term_count > 0;
}

/* The metric of that name, or with that name of PAPI's, that is trusted most; of equals
 * the first.  false: there is none, and *out stays.
 */
bool rc_results_find(const struct rc_results *results, const char *name,
                     struct rc_metrics_walk *out);

/* The kind of that number in metrics.h5 into *machine, and its events, in the same
 * order, into *event, which may be NULL.  All is in 'arena' and '*pool', which the
 * caller closes in any case, or borrowed from 'metrics'.
 */
int rc_results_read_machine(struct rc_store *metrics, size_t kind,
                            struct rc_arena *arena, struct rc_pool **pool,
                            struct rc_hierarchy_machine *machine,
                            const struct rc_store_event **event, struct rc_error *err);

#endif
