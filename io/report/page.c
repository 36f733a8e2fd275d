/* The page: its sections in their order. */
#include "io/report/parts.h"

#include <stdlib.h>
#include <string.h>

size_t rc_report_store_kind(const struct rc_report *r, size_t kind)
{
    return rc_store_find_kind(r->store, rc_metrics_kind(r->metrics, kind)->name);
}

size_t rc_report_store_suite(const struct rc_report *r, size_t kind, size_t suite)
{
    return rc_store_find_suite(r->store, rc_report_store_kind(r, kind),
                               rc_metrics_suite(r->metrics, kind, suite)->suite);
}

struct drawing {
    struct rc_report_page *page;
    const char *const *caption;
    void (*after)(FILE *out, void *context, size_t figure);
    void *context;
};

static int put_figure(void *context, size_t number, const char *svg, size_t bytes,
                      struct rc_error *err)
{
    const struct drawing *d = context;
    FILE *out = d->page->out;

    (void)err;
    fputs("<figure>", out);
    fwrite(svg, 1, bytes, out);
    if (d->caption && d->caption[number])
        fprintf(out, "<figcaption>%s</figcaption>", d->caption[number]);
    if (d->after)
        d->after(out, d->context, number);
    fputs("</figure>\n", out);
    return RC_OK;
}

int rc_report_draw(struct rc_report_page *page, const char *const *caption,
                   void (*after)(FILE *out, void *context, size_t figure),
                   void *context, struct rc_error *err)
{
    struct drawing d = {page, caption, after, context};

    return rc_figures_draw(page->figures, put_figure, &d, err);
}

static void put_link(FILE *out, const char *to, size_t number, const char *name)
{
    fprintf(out, "<a href=\"#%s", to);
    if (number != SIZE_MAX)
        fprintf(out, "%zu", number);
    fputs("\">", out);
    rc_html_put(out, name);
    fputs("</a>\n", out);
}

static void put_head(struct rc_report_page *page)
{
    const struct rc_store *store = page->report->store;
    FILE *out = page->out;

    fputs("<h1><small>Report of the campaign</small> ", out);
    rc_html_put(out, page->report->name);
    fputs("</h1>\n<nav class=\"top\" aria-label=\"sections\">\n", out);
    put_link(out, "overview", SIZE_MAX, "Overview");
    put_link(out, "timeline", SIZE_MAX, "Time line");
    for (size_t k = 0; k < rc_store_kind_count(store); k++)
        put_link(out, "kind-", k, rc_store_kind(store, k)->name);
    put_link(out, "events", SIZE_MAX, "All events");
    fputs(
        "<button type=\"button\" class=\"theme push\">light / dark</button>\n</nav>\n",
        out);
}

/* How many metrics of each verdict a suite has, and the way to it. */
static void put_contents(struct rc_report_page *page, size_t in, size_t kind)
{
    static const char *const heads[] = {"suite",
                                        ">defined",
                                        ">approximate",
                                        ">rejected",
                                        ">not on this machine",
                                        ">not known",
                                        ">chosen events",
                                        NULL};
    static const enum rc_metric_verdict order[] = {
        RC_METRIC_DEFINED, RC_METRIC_APPROXIMATE, RC_METRIC_REJECTED, RC_METRIC_ABSENT,
        RC_METRIC_UNKNOWN};
    struct rc_metrics_file *file = page->report->metrics;

    rc_html_table(page->out, "Suites, and how many of their metrics this kind has.",
                  heads);
    for (size_t s = 0; s < rc_metrics_suite_count(file, in); s++) {
        const struct rc_suite_result *r = rc_metrics_suite(file, in, s);
        size_t count[RC_METRIC_VERDICT_COUNT] = {0};
        for (size_t i = 0; i < r->metric_count; i++)
            count[r->metric[i].verdict]++;
        fprintf(page->out, "<tr><td><a href=\"#suite-%zu-%zu\">", kind, s);
        rc_html_put(page->out, r->suite);
        fputs("</a></td>", page->out);
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            rc_html_cell(page->out, "%zu", count[order[i]]);
        rc_html_cell(page->out, "%zu", r->chosen_count);
        fputs("</tr>\n", page->out);
    }
    rc_html_table_end(page->out);
}

static int put_suites(struct rc_report_page *page, size_t in, size_t kind,
                      struct rc_error *err)
{
    struct rc_metrics_file *file = page->report->metrics;
    int status = RC_OK;

    put_contents(page, in, kind);
    for (size_t s = 0; s < rc_metrics_suite_count(file, in) && status == RC_OK; s++) {
        rc_report_suite(page, in, s);
        status = rc_report_fits(page, in, s, err);
        if (status == RC_OK)
            status = rc_report_noise(page, in, s, err);
    }
    return status;
}

static void put_nodes(FILE *out, const struct rc_store_kind *kind)
{
    if (kind->node_count == 0)
        return; /* a simulated machine has none */
    fputs("<details><summary>", out);
    rc_html_say(out, "%zu node%s", kind->node_count, kind->node_count == 1 ? "" : "s");
    fputs("</summary><p>", out);
    for (size_t n = 0; n < kind->node_count; n++) {
        fputs(n ? ", " : "", out);
        rc_html_name(out, kind->nodes[n]);
    }
    fputs("</p></details>\n", out);
}

static int put_kind(struct rc_report_page *page, size_t kind, struct rc_error *err)
{
    const struct rc_report *r = page->report;
    const struct rc_store_kind *labels = rc_store_kind(r->store, kind);
    const size_t in = rc_report_metrics_kind(r, kind);
    FILE *out = page->out;

    fprintf(out, "<h2 id=\"kind-%zu\">Kind ", kind);
    rc_html_put(out, labels->name);
    fputs("</h2>\n", out);
    put_nodes(out, labels);
    int status = rc_report_topology(page, kind, err);
    if (status != RC_OK)
        return status;
    if (in == SIZE_MAX) {
        fputs("<p>There are no metrics of this kind.</p>\n", out);
        return RC_OK;
    }
    return put_suites(page, in, kind, err);
}

size_t rc_report_metrics_kind(const struct rc_report *r, size_t kind)
{
    const size_t count = r->metrics ? rc_metrics_kind_count(r->metrics) : 0;

    for (size_t k = 0; k < count; k++)
        if (rc_report_store_kind(r, k) == kind)
            return k;
    return SIZE_MAX;
}

int rc_report_html(const struct rc_report *report, FILE *out, struct rc_error *err)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(report->store);
    char *title = NULL;
    const bool named = asprintf(&title, "%s - rollcall report", report->name) > 0;
    const struct rc_html_page html = {.title = named ? title : report->name,
                                      .simulated = campaign->simulated,
                                      .scripts = {rc_html_browser_js}};
    struct rc_report_page page = {
        .report = report, .out = out, .figures = rc_figures_create()};
    int status =
        page.figures ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for figures");

    rc_html_begin(out, &html);
    put_head(&page);
    rc_report_overview(&page);
    if (status == RC_OK)
        status = rc_report_timeline(&page, err);
    for (size_t k = 0; k < rc_store_kind_count(report->store) && status == RC_OK; k++)
        status = put_kind(&page, k, err);
    if (status == RC_OK)
        status = rc_report_browser(&page, err);
    rc_html_end(out, &html);
    rc_figures_close(page.figures);
    free(named ? title : NULL);
    return status;
}
