/* machine.h - a kind of machine with what 'solve' found there, for trees to be filled
 * on, and readings, for them to be tried on
 */
#ifndef RC_CAMPAIGN_SOLVE_MACHINE_H
#define RC_CAMPAIGN_SOLVE_MACHINE_H

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "io/metrics/metrics.h"
#include "solve/hierarchy/hierarchy.h"

/* The kind of that number in metrics.h5 into *machine, and its events, in the same
 * order, into *event, which may be NULL.  All is in 'arena' and '*pool', which the
 * caller closes in any case, or borrowed from 'metrics'.
 */
int rc_solve_read_machine(struct rc_store *metrics, size_t kind, struct rc_arena *arena,
                          struct rc_pool **pool, struct rc_hierarchy_machine *machine,
                          const struct rc_store_event **event, struct rc_error *err);

/* Means per iteration of an event over the points of all suites of campaign.h5, NAN
 * where it was not counted, and their standard errors, or a part of what its readings
 * count besides the kernels where that is more.  Not collective.
 */
int rc_solve_read_means(struct rc_store *store, size_t kind, size_t event,
                        const char *source, double *mean, double *error,
                        struct rc_error *err);

#endif
