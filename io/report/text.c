/* The report for a terminal: the answer first, then a section for each wanted suite,
 * then its provenance.
 */
#include "io/report/parts.h"
#include "io/report/text_parts.h"

/* On failure the text lacks its end. */
int rc_report_text(const struct rc_report *report, struct rc_page *page,
                   struct rc_error *err)
{
    int status = rc_report_text_answer(report, page, err);

    for (size_t k = 0; k < rc_store_kind_count(report->store) && !status; k++) {
        const char *name = rc_store_kind(report->store, k)->name;
        const size_t in = rc_report_metrics_kind(report, k);
        for (size_t s = 0; s < rc_store_suite_count(report->store, k) && !status; s++) {
            const char *suite = rc_store_suite(report->store, k, s)->name;
            if (!rc_report_text_wants(report, name, suite))
                continue;
            const size_t at = rc_report_metrics_suite(report, in, suite);
            if (at != SIZE_MAX) {
                const struct rc_suite_result *r =
                    rc_metrics_suite(report->metrics, in, at);
                status = rc_report_text_rates(report, page, in, suite, err);
                if (status == RC_OK && (r->metric_count || !r->rate_count))
                    status = rc_report_text_suite(report, page, in, at, err);
                continue;
            }
            rc_page_begin(page, 0);
            fputc('\n', page->out);
            rc_page_words(page, "%s, suite %s: not solved%s", name, suite,
                          report->difference ? "" : ", 'rollcall solve' does it");
            rc_page_end(page);
        }
    }
    rc_page_end(page);
    return status ? status : rc_report_text_provenance(report, page, err);
}
