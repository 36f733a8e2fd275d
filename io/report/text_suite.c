/* A suite's section of the report for a terminal: its metrics, its noise, and the
 * chosen events with the meaning of one count of each.
 */
#include "io/report/text_parts.h"

#include "campaign/base/text.h"
#include "io/report/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT_SHOWN = 16 };

/* "2 D128 + 8 DF128": one count of the event in ideals.  The caller frees the result;
 * NULL: no memory.
 */
static char *counts_of(const struct rc_chosen *c, const struct rc_suite_result *r)
{
    char *text = NULL;
    size_t bytes = 0, shown = 0;
    char factor[RC_TEXT_SHORT];
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    for (size_t i = 0; i < r->coordinate_count; i++) {
        const double x = c->coordinate[i];
        /* smaller ones were rounded to 0 for the choice */
        if (isnan(x) || fabs(x) < (isnan(r->alpha) ? 0 : r->alpha) || x == 0)
            continue;
        if (shown++)
            fputs(x < 0 ? " - " : " + ", out);
        else if (x < 0)
            fputs("-", out);
        snprintf(factor, sizeof factor, "%.4g ", fabs(x));
        fputs(strcmp(factor, "1 ") == 0 ? "" : factor, out);
        fputs(r->coordinate[i], out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Shows the chosen events as a table; those that only complete a metric are dim. */
static int show_chosen(struct rc_page *page, const struct rc_suite_result *r,
                       struct rc_error *err)
{
    static const struct rc_table_column columns[] = {
        {.name = "chosen event"}, {.name = "counts"}, {0}};
    if (r->chosen_count == 0)
        return RC_OK;
    struct rc_table *table = rc_table_create(columns);
    int status = RC_OK;
    for (size_t i = 0; i < r->chosen_count; i++) {
        const struct rc_chosen *c = &r->chosen[i];
        char *counts = counts_of(c, r);
        const char *cells[] = {c->name, counts};
        if (!counts)
            status = rc_fail(err, RC_ENOMEM, "no memory for the report");
        rc_table_put(table, c->completes ? RC_STYLE_DIM : RC_STYLE_PLAIN, cells);
        free(counts);
    }
    rc_page_begin(page, 2);
    fputc('\n', page->out);
    if (status == RC_OK)
        status = rc_table_write(table, page, err);
    rc_table_close(table);
    return status;
}

int rc_report_text_suite(const struct rc_report *report, struct rc_page *page,
                         size_t kind, size_t suite, struct rc_error *err)
{
    const struct rc_store_kind *k = rc_store_kind(report->metrics, kind);
    const struct rc_suite_result *r = rc_metrics_suite(report->metrics, kind, suite);
    int status;

    fputc('\n', page->out);
    rc_tables_head(page, r, k->name, k->event_count, k->simulated);
    if ((status = rc_report_text_noise(report, page, kind, suite, err)))
        return status;
    rc_tables_metrics(page, r);
    if ((status = show_chosen(page, r, err)) || r->left_out_count == 0)
        return status;
    rc_page_line(page, 2, "left out, since no point of this machine has them:");
    rc_tables_list(page, r->left_out, r->left_out_count, LEFT_OUT_SHOWN,
                   r->left_out_count);
    rc_page_end(page);
    return RC_OK;
}
