/* calibrate.h - quick trials of how long units will take
 *
 * The ranks of a kind share the work: each times some suites at a few points under each
 * source, and some groups at one point.
 */
#ifndef RC_CAMPAIGN_PLAN_CALIBRATE_H
#define RC_CAMPAIGN_PLAN_CALIBRATE_H

#include "campaign/measure/measure.h"
#include "campaign/plan/units.h"

#include <mpi.h>

/* Collective over the ranks of a kind (or alone): gives the same costs to all of them.
 * rc_costs_fini() after success.
 */
int rc_calibrate(MPI_Comm comm, struct rc_measurer *measurer,
                 const struct rc_campaign_kind *kind, struct rc_costs *out,
                 struct rc_error *err);
void rc_costs_fini(struct rc_costs *costs); /* accepts zeroed ones */

#endif
