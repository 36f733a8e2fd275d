/* worker.h - a rank at work: lane after lane, unit after unit, into the journal */
#ifndef RC_CAMPAIGN_RUN_WORKER_H
#define RC_CAMPAIGN_RUN_WORKER_H

#include "campaign/catalogue/ranks.h"
#include "campaign/measure/measure.h"
#include "campaign/plan/units.h"
#include "campaign/queue/queue.h"
#include "campaign/queue/rank_counters.h"
#include "io/journal/journal.h"

/* Sums over the ranks, by their indices in the counters. */
enum {
    RC_RANK_COUNTER_UNITS,
    RC_RANK_COUNTER_EVENTS,
    RC_RANK_COUNTER_INVALID,
    RC_RANK_COUNTER_FAILED,
    RC_RANK_COUNTER_COST_NS,   /* by the estimate */
    RC_RANK_COUNTER_UNIT_NS,   /* from taking a unit to having it in the journal */
    RC_RANK_COUNTER_KERNEL_NS, /* of that, in sources and kernels */
    RC_RANK_COUNTER_COUNT
};

struct rc_worker_setup {
    const struct rc_ranks *ranks;
    const struct rc_units_setup *units; /* from which 'plan' was made */
    struct rc_units *plan; /* of this rank's place, without the units that are done */
    struct rc_measurer *measurer;
    struct rc_journal *journal;             /* of this rank: gets the records */
    struct rc_rank_counters *rank_counters; /* with the indices above */
    void (*tick)(void *arg);                /* shows progress; cheap; may be NULL */
    bool (*stopped)(void *arg);             /* by a signal: no more units */
    bool (*pressed)(void *arg); /* again after a while: the present unit is given up */
    void (*detail)(void *arg,
                   const char *line); /* gets a line for units that are not ok */
    void *arg;                        /* for these four */
};

struct rc_worker; /* opaque */

/* Collective over the ranks' job (or alone).  'setup' is copied; the objects that it
 * points to must outlive the worker.
 */
int rc_worker_create(const struct rc_worker_setup *setup, struct rc_worker **out,
                     struct rc_error *err);

/* Returns when there is nothing left for this rank, or when it was stopped, or, with
 * its error, when it cannot continue (the journal cannot be written, ...).  Not
 * collective. rc_worker_pause() is for the measurer.
 */
int rc_worker_run(struct rc_worker *worker, struct rc_error *err);
bool rc_worker_pause(void *worker);

/* Makes progress for others while this rank waits; may be called at any time. */
void rc_worker_idle(void *worker);

/* Ends the waiting of others in this rank's units. */
void rc_worker_leave(struct rc_worker *worker);

void rc_worker_stats(const struct rc_worker *worker, struct rc_queue_stats *out);

/* Collective; accepts NULL if all ranks do. */
void rc_worker_close(struct rc_worker *worker);

#endif
