/* The noises of a suite's events: a figure and numbers. */
#include "campaign/base/memory.h"
#include "io/report/noise_parts.h"

#include <math.h>
#include <stdlib.h>

enum {
    PIECE = 1 << 14, /* events read at once */
    NEAR = 6,        /* events listed on each side of the threshold */
    NOISIEST = 8
};

static const char *const meanings[RC_CLASS_COUNT] = {
    [RC_CLASS_INVALID] = "no valid readings, or too few",
    [RC_CLASS_DEAD] = "0 in all suites",
    [RC_CLASS_IRRELEVANT] = "0 in this suite, not in another",
    [RC_CLASS_NOISY] = "above the threshold",
    [RC_CLASS_STEADY] = "differs, below the threshold",
    [RC_CLASS_EXACT] = "the same in all repetitions"};

static int by_noise(const void *a, const void *b)
{
    const struct rc_noisy *x = a, *y = b;

    if (x->noise != y->noise)
        return x->noise < y->noise ? -1 : 1;
    if (x->event_class != y->event_class)
        return x->event_class > y->event_class ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static int take(struct rc_noises *n, const struct rc_event_columns *c,
                struct rc_error *err)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!isfinite(c->noise[i]) || c->noise[i] < 0)
            continue;
        if (rc_grow(&n->of, sizeof *n->of, n->count, &n->room))
            return rc_fail(err, RC_ENOMEM, "no memory for the noises of %zu events",
                           n->count);
        n->of[n->count++] =
            (struct rc_noisy){c->noise[i], c->first + i, c->event_class[i]};
        n->zero += c->noise[i] <= 0;
        n->in_class[c->event_class[i]]++;
    }
    return RC_OK;
}

static int read_noises(const struct rc_report *r, size_t kind, size_t suite,
                       struct rc_noises *n, struct rc_error *err)
{
    double *noise = rc_calloc(PIECE, sizeof *noise);
    uint8_t *of_class = rc_calloc(PIECE, 1);
    int status = noise && of_class ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory");

    n->result = rc_metrics_suite(r->metrics, kind, suite);
    n->events = rc_metrics_kind(r->metrics, kind)->event_count;
    for (size_t first = 0; first < n->events && status == RC_OK; first += PIECE) {
        const size_t left = n->events - first;
        struct rc_event_columns c = {.first = first,
                                     .count = left < PIECE ? left : PIECE,
                                     .noise = noise,
                                     .event_class = of_class};
        status = rc_metrics_read_columns(r->metrics, kind, suite, &c, err);
        if (status == RC_OK)
            status = take(n, &c, err);
    }
    if (n->count > 0)
        qsort(n->of, n->count, sizeof *n->of, by_noise);
    free(noise);
    free(of_class);
    return status;
}

static void write_counts(FILE *out, const struct rc_noises *n)
{
    static const char *const heads[] = {"class", "what it means", ">events",
                                        ">with a noise", NULL};

    rc_html_table(out, "Events by how far their readings can be trusted", heads);
    for (size_t c = RC_CLASS_COUNT; c-- > 0;) {
        fputs("<tr><td>", out);
        rc_html_put(out, rc_class_names[c]);
        fputs("</td><td>", out);
        rc_html_put(out, meanings[c]);
        fputs("</td>", out);
        rc_html_cell(out, "%zu", n->result->class_count[c]);
        rc_html_cell(out, "%zu", n->in_class[c]);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
}

/* Of n values in rising order the one below which a part of them lies. */
static void write_quantiles(FILE *out, const struct rc_noises *n)
{
    static const char *const heads[] = {">part", ">noise at most", NULL};
    static const int percent[] = {0, 10, 25, 50, 75, 90, 99, 100};
    const size_t above = n->count - n->zero;

    if (above == 0)
        return;
    rc_html_table(out, "Quantiles of the noises above 0", heads);
    for (size_t q = 0; q < sizeof percent / sizeof *percent; q++) {
        const double at = ceil((double)above * percent[q] / 100);
        const size_t i = at > 1 ? (size_t)at - 1 : 0;
        fputs("<tr>", out);
        rc_html_cell(out, "%d %%", percent[q]);
        rc_html_cell(out, "%.4g", n->of[n->zero + (i < above ? i : above - 1)].noise);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
}

static int write_event(struct rc_report_page *page, size_t kind,
                       const struct rc_noisy *e, struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_store_event event;
    int status = pool ? rc_metrics_read_events(page->report->metrics, kind, e->event, 1,
                                               &event, pool, err)
                      : rc_fail(err, RC_ENOMEM, "no memory");

    if (status == RC_OK) {
        fprintf(page->out, "<tr><td><a href=\"#event-%zu-%zu\">",
                rc_report_store_kind(page->report, kind), e->event);
        rc_html_name(page->out, event.name);
        fputs("</a></td>", page->out);
        rc_html_cell(page->out, "%.4g", e->noise);
        fputs("<td>", page->out);
        rc_html_put(page->out, rc_class_names[e->event_class]);
        fputs("</td></tr>\n", page->out);
    }
    rc_pool_close(pool);
    return status;
}

static int write_events(struct rc_report_page *page, size_t kind,
                        const struct rc_noises *n, size_t first, size_t last,
                        const char *caption, struct rc_error *err)
{
    static const char *const heads[] = {"event", ">noise", "class", NULL};
    int status = RC_OK;

    if (first >= last)
        return RC_OK;
    rc_html_table(page->out, caption, heads);
    for (size_t i = last; i-- > first && status == RC_OK;)
        status = write_event(page, kind, &n->of[i], err);
    rc_html_table_end(page->out);
    return status;
}

/* The noisiest, and those on both sides of the threshold that are not 0. */
static int write_lists(struct rc_report_page *page, size_t kind,
                       const struct rc_noises *n, struct rc_error *err)
{
    size_t above = n->zero;

    while (above < n->count && n->of[above].noise <= n->result->tau)
        above++;
    const size_t low = above > n->zero + NEAR ? above - NEAR : n->zero;
    const size_t high = above + NEAR < n->count ? above + NEAR : n->count;
    const size_t top = n->count > high + NOISIEST ? n->count - NOISIEST : high;
    int status = write_events(page, kind, n, top, n->count, "The noisiest events", err);

    if (status == RC_OK)
        status = write_events(page, kind, n, above, high,
                              "Events just above the threshold", err);
    if (status == RC_OK)
        status = write_events(page, kind, n, low, above,
                              "Events just below the threshold", err);
    return status;
}

static int write_numbers(struct rc_report_page *page, size_t kind,
                         const struct rc_noises *n, struct rc_error *err)
{
    fputs("<details><summary>Noise as numbers</summary>\n", page->out);
    write_counts(page->out, n);
    write_quantiles(page->out, n);
    int status = write_lists(page, kind, n, err);
    fputs("</details>\n", page->out);
    return status;
}

int rc_report_noise(struct rc_report_page *page, size_t kind, size_t suite,
                    struct rc_error *err)
{
    struct rc_noises n = {0};
    int status = read_noises(page->report, kind, suite, &n, err);

    if (status == RC_OK) {
        fputs("<h4>Noise</h4>\n", page->out);
        if (n.count > 0)
            status = rc_noises_draw(page, &n, err);
        else
            rc_html_say(page->out, "None of %zu events has valid readings.", n.events);
    }
    if (status == RC_OK)
        status = write_numbers(page, kind, &n, err);
    free(n.of);
    return status;
}
