/* means.h - means of an event's readings in campaign.h5 */
#ifndef RC_CAMPAIGN_SOLVE_READINGS_MEANS_H
#define RC_CAMPAIGN_SOLVE_READINGS_MEANS_H

#include "io/store/store.h"

/* Reads the means per iteration of an event on the points of all suites of campaign.h5,
 * NAN where it was not counted, and their standard errors.  An error is at least a part
 * of what readings count besides the kernels.  Not collective.
 */
int rc_solve_read_means(struct rc_store *store, size_t kind, size_t event,
                        const char *source, double *mean, double *error,
                        struct rc_error *err);

#endif
