/* fits.h - metrics' combinations of events on the points, for the report */
#ifndef RC_CAMPAIGN_REPORT_FITS_H
#define RC_CAMPAIGN_REPORT_FITS_H

#include "campaign/base/arena.h"
#include "io/report/report.h"
#include "io/store/store.h"

/* The fits of all metrics, and the memory of their numbers. */
struct rc_report_fits {
    struct rc_report_fit *fit; /* by kind, suite and metric */
    size_t count;
    struct rc_arena memory; /* of all of this */
};

/* For each metric with terms: what its combination of events counts on the points of
 * its suite, and the value of its signature there.  Readings are the mean over valid
 * repetitions, per iteration; for suites whose definition says so, first the median
 * over places, as 'solve' does.  The counts of loop and reading themselves are still in
 * them.  'metrics' may be NULL, which gives none; with a metrics.h5 of another
 * campaign.h5 the parts that do not match are NAN.  Not collective; both files are
 * opened alone. rc_report_fits_fini() in any case.
 */
int rc_report_fits_make(struct rc_store *store, struct rc_store *metrics,
                        struct rc_report_fits *out, struct rc_error *err);
void rc_report_fits_fini(struct rc_report_fits *fits); /* accepts a zeroed one */

#endif
