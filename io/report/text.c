/* The report for a terminal: the overview, then a section for each suite that is asked
 * for.
 */
#include "io/report/parts.h"
#include "io/report/text_parts.h"

static int show_suites(const struct rc_report *r, struct rc_page *page, size_t kind,
                       struct rc_error *err)
{
    const char *name = rc_store_kind(r->store, kind)->name;
    const size_t in = rc_report_metrics_kind(r, kind);

    for (size_t s = 0; s < rc_store_suite_count(r->store, kind); s++) {
        const char *suite = rc_store_suite(r->store, kind, s)->name;
        if (!rc_report_text_wants(r, name, suite))
            continue;
        const size_t at = rc_report_metrics_suite(r, in, suite);
        if (at != SIZE_MAX) {
            int status = rc_report_text_suite(r, page, in, at, err);
            if (status != RC_OK)
                return status;
            continue;
        }
        rc_page_begin(page, 0);
        fputc('\n', page->out);
        rc_page_words(page, "%s, suite %s: not solved%s", name, suite,
                      r->difference ? "" : ", 'rollcall solve' does it");
        rc_page_end(page);
    }
    return RC_OK;
}

/* What failed leaves the text without its end. */
int rc_report_text(const struct rc_report *report, struct rc_page *page,
                   struct rc_error *err)
{
    int status = rc_report_text_overview(report, page, err);

    for (size_t k = 0; k < rc_store_kind_count(report->store) && !status; k++)
        status = show_suites(report, page, k, err);
    rc_page_end(page);
    return status;
}
