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

/* Of each metric that has terms: what its combination of events counts on the points
 * of its suite, and what its signature says there.  Readings are the mean over valid
 * repetitions, per iteration, and for suites that the definitions say it of first the
 * median over places, as 'solve' takes them; but what a loop and a reading count
 * besides is still in them.  'metrics' may be NULL, which gives none; a metrics.h5 of
 * another campaign.h5 gives NAN where they do not go together.  Not collective; both
 * files are opened alone.  rc_report_fits_fini() in any case.
 */
int rc_report_fits_make(struct rc_store *store, struct rc_store *metrics,
                        struct rc_report_fits *out, struct rc_error *err);
void rc_report_fits_fini(struct rc_report_fits *fits); /* accepts a zeroed one */

#endif
