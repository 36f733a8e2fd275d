/* The page: its sections in their order. */
#include "io/report/parts.h"

#include <stdlib.h>
#include <string.h>

size_t rc_report_store_kind(const struct rc_report *r, size_t kind)
{
    const char *name = rc_metrics_kind(r->metrics, kind)->name;
    const size_t count = rc_store_kind_count(r->store);
    size_t k = 0;

    while (k < count && strcmp(rc_store_kind(r->store, k)->name, name) != 0)
        k++;
    return k;
}

size_t rc_report_store_suite(const struct rc_report *r, size_t kind, size_t suite)
{
    const char *name = rc_metrics_suite(r->metrics, kind, suite)->suite;
    const size_t in = rc_report_store_kind(r, kind);
    const size_t count =
        in < rc_store_kind_count(r->store) ? rc_store_suite_count(r->store, in) : 0;
    size_t s = 0;

    while (s < count && strcmp(rc_store_suite(r->store, in, s)->name, name) != 0)
        s++;
    return s;
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
