/* parts.h - the sections of the page: inside of io/report/ only
 *
 * Each writes one section, heading included; headings of a kind are <h2>, of a suite
 * <h3>.  Figures are followed by their numbers as text, in <details>.
 */
#ifndef RC_IO_REPORT_PARTS_H
#define RC_IO_REPORT_PARTS_H

#include "io/figure.h"
#include "io/html.h"
#include "io/report/report.h"

/* The page as it is written. */
struct rc_report_page {
    const struct rc_report *report;
    FILE *out;
    struct rc_figures *figures; /* a batch that is empty between sections */
};

/* overview.c: what was measured where, runs, how far it is. */
void rc_report_overview(struct rc_report_page *page);

/* timeline.c: who measured what when.  topology.c: a kind's machine and the places in
 * it that were used.
 */
int rc_report_timeline(struct rc_report_page *page, struct rc_error *err);
int rc_report_topology(struct rc_report_page *page, size_t kind, struct rc_error *err);

/* suite.c: the metrics of a suite and all that goes with them; 'kind' and 'suite' are
 * those of the metrics file.  noise.c: its noises.  fits.c: its metrics' combinations
 * on the points.
 */
void rc_report_suite(struct rc_report_page *page, size_t kind, size_t suite);
int rc_report_noise(struct rc_report_page *page, size_t kind, size_t suite,
                    struct rc_error *err);
int rc_report_fits(struct rc_report_page *page, size_t kind, size_t suite,
                   struct rc_error *err);

/* browser.c: all events.  curves.c: of some of them all repetitions on all points;
 * each is one rc_html_data() element with the id "curve-KIND-EVENT", whose text is
 * HTML: a <section> for each suite with its figure and table.  '*event' are those that
 * were drawn, in rising order, for the caller to free().
 */
int rc_report_browser(struct rc_report_page *page, struct rc_error *err);
int rc_report_curves(struct rc_report_page *page, size_t kind, size_t **event,
                     size_t *count, struct rc_error *err);

/* The number of the metrics file's kind or suite in the store, by name; the counts
 * where there is none.
 */
size_t rc_report_store_kind(const struct rc_report *report, size_t kind);
size_t rc_report_store_suite(const struct rc_report *report, size_t kind, size_t suite);

/* The metrics file's number of a kind of the store; SIZE_MAX: it has none of it. */
size_t rc_report_metrics_kind(const struct rc_report *report, size_t kind);

/* Draws the figures of the batch, each within <figure> with its caption, which is
 * markup of ours; what 'after' (may be NULL) writes stands within the figure, too.
 */
int rc_report_draw(struct rc_report_page *page, const char *const *caption,
                   void (*after)(FILE *out, void *context, size_t figure),
                   void *context, struct rc_error *err);

#endif
