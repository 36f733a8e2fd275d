/* The page of a report in its order: head, skeleton for the scripts, text for browsers
 * without scripts, data, scripts.
 */
#include "io/report/parts.h"

#include <stdlib.h>

enum { TEXT_WIDE = 100 /* columns of a line of the text */ };

static int write_text(FILE *out, void *context, struct rc_error *err)
{
    struct rc_page page;
    int status;

    rc_page_init(&page, out);
    page.width = TEXT_WIDE;
    status = rc_report_text(*(const struct rc_report *const *)context, &page, err);
    rc_page_fini(&page);
    return status;
}

/* A panel needs a row here and one in io/report/report.js. */
static const struct rc_html_panel panels[] = {
    {.id = "metrics", .title = "Metrics", .markup = rc_html_metrics_html},
    {.id = "events", .title = "Events", .markup = ""}, /* in that of metrics */
    {.id = "curves",
     .title = "Rates over the size of data",
     .link = "Rates",
     .wanted = rc_report_has_rates,
     .put = rc_report_rates},
    {.id = "suites", .title = "Suites"},
    {.id = "noise", .title = "Noise", .put = rc_report_detours},
    {.id = "machine", .title = "The machine", .link = "Machine"},
    {.id = "timeline",
     .title = "Who measured what when",
     .link = "Time line",
     .put = rc_report_units},
    {.id = "provenance", .title = "Provenance"},
    {.id = "words",
     .title = "What the words mean",
     .link = "Words",
     .markup = rc_html_words_html},
    {0}};

/* The caller writes to a new file, and discards it if this fails. */
int rc_report_html(const struct rc_report *r, FILE *out, struct rc_error *err)
{
    char *title = NULL;
    const bool named = asprintf(&title, "%s - rollcall report", r->name) > 0;
    const struct rc_html_page html = {
        .title = named ? title : r->name,
        .simulated = rc_store_campaign(r->store)->simulated,
        .scripts = {rc_html_figures_js, rc_html_events_js, rc_html_noise_js,
                    rc_html_rates_js, rc_html_report_js}};
    const struct rc_file_writer text = {write_text, &r};

    rc_html_begin(out, &html);
    fputs("<h1><small>Report of the campaign</small> ", out);
    rc_html_put(out, r->name);
    fputs("</h1>\n", out);
    rc_html_panels(out, "report", panels, r);
    int status;
    if ((status = rc_html_without_script(out, &text, err)) == RC_OK &&
        (status = rc_report_data(r, out, err)) == RC_OK &&
        (status = rc_html_panels_data(out, panels, r, err)) == RC_OK)
        status = rc_report_noise(r, out, err);
    for (size_t k = 0; k < rc_store_kind_count(r->store) && status == RC_OK; k++) {
        size_t *drawn = NULL, count = 0;
        if ((status = rc_report_events(r, k, out, err)) == RC_OK)
            status = rc_report_curves(r, k, out, &drawn, &count, err);
        free(drawn);
    }
    rc_html_end(out, &html);
    free(named ? title : NULL);
    return status;
}
