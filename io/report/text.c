/* The report on a terminal: its sections in their order. */
#include "io/report/text_parts.h"

#include "campaign/base/words.h"

#include <string.h>

void rc_report_text_begin(struct rc_page *page, size_t indent)
{
    rc_page_end(page);
    page->indent = indent;
    page->hang = indent + 2;
}

void rc_report_text_title(struct rc_page *page, const char *text)
{
    rc_report_text_begin(page, 0);
    fputc('\n', page->out);
    rc_page_style(page, RC_STYLE_BOLD);
    rc_page_words(page, "%s", text);
    rc_page_style(page, RC_STYLE_PLAIN);
    rc_page_end(page);
}

bool rc_report_text_wants(const struct rc_report *report, const char *kind,
                          const char *suite)
{
    if (report->only_kind && strcmp(report->only_kind, kind) != 0)
        return false;
    return !report->only_suites || !suite ||
           rc_word_find(suite, report->only_suites) >= 0;
}

static int show_kind(const struct rc_report *r, struct rc_page *page, size_t kind,
                     size_t *shown, struct rc_error *err)
{
    const char *name = rc_metrics_kind(r->metrics, kind)->name;
    int status = RC_OK;

    for (size_t s = 0; s < rc_metrics_suite_count(r->metrics, kind) && status == RC_OK;
         s++) {
        if (!rc_report_text_wants(r, name,
                                  rc_metrics_suite(r->metrics, kind, s)->suite))
            continue;
        status = rc_report_text_suite(r, page, kind, s, err);
        ++*shown;
    }
    return status;
}

static int show_suites(const struct rc_report *r, struct rc_page *page,
                       struct rc_error *err)
{
    const size_t kinds = r->metrics ? rc_metrics_kind_count(r->metrics) : 0;
    int status = RC_OK;
    size_t shown = 0;

    for (size_t k = 0; k < kinds && status == RC_OK; k++)
        status = show_kind(r, page, k, &shown, err);
    if (status != RC_OK || shown)
        return status;
    rc_report_text_begin(page, 0);
    fputc('\n', page->out);
    if (r->metrics)
        rc_page_words(page, "There are no metrics of what was asked for.");
    else
        rc_page_words(page, "It was not solved yet, 'rollcall solve' makes the tables "
                            "of metrics.");
    rc_page_end(page);
    return RC_OK;
}

int rc_report_text(const struct rc_report *report, struct rc_page *page,
                   struct rc_error *err)
{
    int status = rc_report_text_overview(report, page, err);

    if (status == RC_OK)
        status = show_suites(report, page, err);
    rc_page_end(page);
    return status;
}
