/* means.h - means of an event's readings in campaign.h5 */
#ifndef RC_CAMPAIGN_SOLVE_READINGS_MEANS_H
#define RC_CAMPAIGN_SOLVE_READINGS_MEANS_H

#include "io/store/store.h"

/* Means per iteration of an event over the points of all suites of campaign.h5, NAN
 * where it was not counted, and their standard errors, or a part of what its readings
 * count besides the kernels where that is more.  Not collective.
 */
int rc_solve_read_means(struct rc_store *store, size_t kind, size_t event,
                        const char *source, double *mean, double *error,
                        struct rc_error *err);

#endif
