/* The page of a report: a summary, the skeleton that the script fills, and the data.
 * The summary counts events, so their data, which come last, are made first, in
 * memory.
 */
#include "io/report/parts.h"

#include "campaign/base/memory.h"

#include <stdlib.h>

/* The data of all events and their curves, kind by kind, which are counted. */
static int make_events(const struct rc_report *r, struct rc_report_tally *tally,
                       FILE *out, struct rc_error *err)
{
    for (size_t k = 0; k < rc_store_kind_count(r->store); k++) {
        size_t *drawn = NULL, count = 0;
        int status;
        tally[k].pool = rc_pool_create();
        if (!tally[k].pool)
            return rc_report_fail_memory(err);
        if ((status = rc_report_events(r, k, out, &tally[k], err)) ||
            (status = rc_report_curves(r, k, out, &drawn, &count, err)))
            return status;
        free(drawn);
    }
    return RC_OK;
}

/* The page in its order: head, summary, skeleton, tables for browsers without scripts,
 * data, scripts.
 */
static int put_page(const struct rc_report *r, const struct rc_report_tally *tally,
                    const char *events, size_t bytes, FILE *out, struct rc_error *err)
{
    char *title = NULL;
    const bool named = asprintf(&title, "%s - rollcall report", r->name) > 0;
    const struct rc_html_page html = {.title = named ? title : r->name,
                                      .simulated =
                                          rc_store_campaign(r->store)->simulated,
                                      .scripts = {rc_html_figures_js, rc_html_events_js,
                                                  rc_html_noise_js, rc_html_report_js}};

    rc_html_begin(out, &html);
    rc_report_summary(r, tally, out);
    fputs(rc_html_report_html, out);
    rc_report_tables(r, out);
    int status = rc_report_data(r, out, err);
    if (status == RC_OK)
        status = rc_report_noise(r, out, err);
    fwrite(events, 1, bytes, out);
    rc_html_end(out, &html);
    free(named ? title : NULL);
    return status;
}

/* The caller writes to a file aside, and throws it away where this fails. */
int rc_report_html(const struct rc_report *r, FILE *out, struct rc_error *err)
{
    const size_t kinds = rc_store_kind_count(r->store);
    struct rc_report_tally *tally = rc_calloc(kinds, sizeof *tally);
    char *events = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&events, &bytes);
    int status = tally && stream ? RC_OK : rc_report_fail_memory(err);

    if (status == RC_OK)
        status = make_events(r, tally, stream, err);
    if (stream && fclose(stream) != 0 && status == RC_OK)
        status = rc_report_fail_memory(err);
    if (status == RC_OK)
        status = put_page(r, tally, events, bytes, out, err);
    for (size_t k = 0; tally && k < kinds; k++)
        rc_pool_close(tally[k].pool);
    free(tally);
    free(events);
    return status;
}
