/* The metrics' combinations of events on the points, beside their signatures. */
#include "io/report/axes.h"
#include "io/report/parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 250, DENSE = 60 /* slots: smaller points */ };

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the figures of metrics");
}

/* The curves of one metric, by point: those that are not there are NULL. */
struct curves {
    const struct rc_metric_result *metric;
    const double *expected, *derived, *rounded, *low, *high;
};

/* All figures of a suite. */
struct fits {
    struct rc_report_page *page;
    const struct rc_suite_result *suite;
    struct rc_report_points points;
    struct curves *curves;
    char **caption;
    size_t count;
    double *slot; /* room for what one figure draws */
};

static bool differ(const struct rc_metric_result *m)
{
    for (size_t t = 0; t < m->term_count; t++)
        if (m->term[t].coefficient != m->term[t].rounded)
            return true;
    return false;
}

static const struct rc_report_fit *find_fit(const struct rc_report *r, size_t kind,
                                            size_t suite, size_t metric)
{
    for (size_t i = 0; i < r->fit_count; i++)
        if (r->fit[i].kind == kind && r->fit[i].suite == suite &&
            r->fit[i].metric == metric)
            return &r->fit[i];
    return NULL;
}

static bool any_known(const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rc_report_can_draw(y[i]))
            return true;
    return false;
}

/* Whether the metric has anything to draw. */
static bool get_curves(const struct rc_report *r, const struct rc_suite_result *suite,
                       size_t kind, size_t number, size_t metric, struct curves *out)
{
    const struct rc_metric_result *m = &suite->metric[metric];
    const struct rc_report_fit *fit = find_fit(r, kind, number, metric);

    *out = (struct curves){.metric = m};
    if (m->formula[0] && m->value) {
        out->derived = m->value;
        out->low = m->value_low;
        out->high = m->value_high;
    } else if (m->term_count > 0 && fit) {
        out->expected = fit->expected;
        out->derived = fit->derived;
        out->rounded = differ(m) ? fit->rounded : NULL;
    }
    return out->derived && any_known(out->derived, suite->point_count);
}

/* The signature as steps, each as wide as its slot: corners at (x, y). */
static size_t put_steps(const struct rc_report_points *p, const double *y, double *x,
                        double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < p->slots; i++) {
        const bool gap = p->point[i] == SIZE_MAX;
        for (int side = 0; side < 2; side++) {
            x[n] = (double)i - .5 + side;
            out[n++] = gap ? NAN : y[i];
        }
    }
    return n;
}

static void see(struct rc_report_scale *scale, const double *y, size_t count)
{
    if (y)
        rc_report_scale_see(scale, y, count);
}

static int make_scale(const struct curves *c, size_t points,
                      struct rc_report_scale *scale, struct rc_error *err)
{
    const bool expected = c->expected && any_known(c->expected, points);

    *scale = (struct rc_report_scale){0};
    see(scale, c->expected, points);
    see(scale, c->derived, points);
    see(scale, c->rounded, points);
    see(scale, c->low, points);
    see(scale, c->high, points);
    return rc_report_scale_make(scale, expected ? c->expected : c->derived, points,
                                err);
}

/* By slot, as the scale has it. */
static double *put_slots(const struct fits *f, const struct rc_report_scale *scale,
                         const double *y, double *out)
{
    rc_report_to_slots(&f->points, y, out);
    rc_report_scale_put(scale, out, f->points.slots);
    return out;
}

static int add_figure(struct fits *f, const struct curves *c, struct rc_error *err)
{
    const size_t slots = f->points.slots;
    double *y[4], *x = f->slot + 4 * slots, *steps = x + 2 * slots;
    struct rc_figure_series series[4];
    struct rc_report_scale scale;
    size_t n = 0;
    int status = make_scale(c, f->suite->point_count, &scale, err);

    if (status != RC_OK)
        return status;
    for (int i = 0; i < 4; i++)
        y[i] = f->slot + (size_t)i * slots;
    if (c->low && c->high)
        series[n++] =
            (struct rc_figure_series){.title = "bounds",
                                      .style = RC_FIGURE_BAND,
                                      .colour = RC_COLOUR_1,
                                      .faint = true,
                                      .count = slots,
                                      .y = put_slots(f, &scale, c->low, y[2]),
                                      .y2 = put_slots(f, &scale, c->high, y[3])};
    if (c->expected) {
        const size_t corners =
            put_steps(&f->points, put_slots(f, &scale, c->expected, y[2]), x, steps);
        series[n++] = (struct rc_figure_series){.title = "signature",
                                                .style = RC_FIGURE_LINE,
                                                .colour = RC_COLOUR_MUTED,
                                                .count = corners,
                                                .x = x,
                                                .y = steps};
    }
    series[n++] = (struct rc_figure_series){
        .title = c->metric->formula[0] ? "formula" : "combination",
        .style = RC_FIGURE_POINTS,
        .colour = RC_COLOUR_1,
        .size = slots > DENSE ? .35 : .6,
        .count = slots,
        .y = put_slots(f, &scale, c->derived, y[0])};
    if (c->rounded)
        series[n++] =
            (struct rc_figure_series){.title = "rounded",
                                      .style = RC_FIGURE_POINTS,
                                      .colour = RC_COLOUR_1 + 1,
                                      .size = slots > DENSE ? .2 : .3,
                                      .count = slots,
                                      .y = put_slots(f, &scale, c->rounded, y[1])};
    struct rc_figure figure = {.title = c->metric->name,
                               .width = WIDTH,
                               .height = HEIGHT + f->points.tic_pixels,
                               .key_below = true,
                               .series = series,
                               .series_count = n};
    rc_report_axes(&figure, &f->points, &scale);
    return rc_figures_add(f->page->figures, &figure, err);
}

/* Markup: what the metric is, and how well it is known. */
static int make_caption(const struct rc_metric_result *m, char **out,
                        struct rc_error *err)
{
    static const char *const class[] = {"absent", "approximate", "defined", "rejected",
                                        "unknown"};
    size_t bytes;
    FILE *s = open_memstream(out, &bytes);

    if (!s)
        return no_memory(err);
    fputs("<strong>", s);
    rc_html_put(s, m->name);
    fprintf(s, "</strong>: <span class=\"v v-%s\">", class[m->verdict]);
    rc_html_put(s, rc_metric_verdict_names[m->verdict]);
    fputs("</span>", s);
    if (!isnan(m->error))
        fprintf(s, ", error %.2e", m->error);
    fputs(m->formula[0] ? ". Formula " : ". Signature ", s);
    rc_html_name(s, m->formula[0] ? m->formula : m->signature);
    return fclose(s) == 0 ? RC_OK : no_memory(err);
}

static void put_number(FILE *out, const double *y, size_t point)
{
    if (!y || isnan(y[point]))
        fputs("<td class=\"r\"></td>", out);
    else
        rc_html_cell(out, "%.6g", y[point]);
}

/* The numbers of a figure, within it. */
static void put_values(FILE *out, void *context, size_t figure)
{
    static const char *const of_formula[] = {"point", ">value", ">low", ">high", NULL};
    static const char *const of_terms[] = {"point", ">signature", ">combination",
                                           ">rounded", NULL};
    const struct fits *f = context;
    const struct curves *c = &f->curves[figure];
    const bool formula = c->metric->formula[0];

    fputs("<details><summary>Values</summary>", out);
    rc_html_table(out, "Per iteration of the kernel; nothing: not known",
                  formula ? of_formula : of_terms);
    for (size_t p = 0; p < f->suite->point_count; p++) {
        fputs("<tr>", out);
        rc_html_cell_name(out, f->suite->point[p]);
        put_number(out, formula ? c->derived : c->expected, p);
        put_number(out, formula ? c->low : c->derived, p);
        put_number(out, formula ? c->high : c->rounded, p);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    fputs("</details>", out);
}

static void put_note(const struct fits *f)
{
    const struct rc_suite_result *r = f->suite;
    FILE *out = f->page->out;

    fputs(
        "<h4>Metrics on the points</h4>\n"
        "<p class=\"note\">What the metrics' combinations of events count on the "
        "points of this suite, per iteration: the mean of the valid repetitions. "
        "Rounded coefficients are shown where any was rounded. Where there is no dot, "
        "it is not known.",
        out);
    if (r->coordinate_count > r->ideal_count)
        fputs(" What a loop or a reading counts besides the kernel's work was not "
              "taken off here, so that combinations may stand a little beside their "
              "signatures.",
              out);
    if (f->points.panel_count) {
        fputs(" Points are sorted by ", out);
        rc_html_put(out, f->points.title);
        fputs(", in panels by ", out);
        rc_html_put(out, f->points.words);
        fputs(".", out);
    }
    fputs("</p>\n", out);
}

static int init(struct fits *f, size_t kind, size_t number, struct rc_error *err)
{
    const struct rc_report *r = f->page->report;
    const size_t k = rc_report_store_kind(r, kind);
    const size_t s = rc_report_store_suite(r, kind, number);
    const struct rc_store_suite *labels = NULL;
    int status;

    f->suite = rc_metrics_suite(r->metrics, kind, number);
    if (k < rc_store_kind_count(r->store) && s < rc_store_suite_count(r->store, k))
        labels = rc_store_suite(r->store, k, s);
    if (labels &&
        !rc_report_same_points(labels, f->suite->point, f->suite->point_count))
        labels = NULL;
    status = rc_report_points_init(&f->points, f->suite->point, f->suite->point_count,
                                   labels, WIDTH, err);
    if (status != RC_OK)
        return status;
    f->curves = rc_calloc(f->suite->metric_count, sizeof *f->curves);
    f->caption = rc_calloc(f->suite->metric_count, sizeof *f->caption);
    f->slot = rc_calloc(f->points.slots * 8, sizeof *f->slot);
    return f->curves && f->caption && f->slot ? RC_OK : no_memory(err);
}

static void fini(struct fits *f)
{
    for (size_t i = 0; f->caption && i < f->count; i++)
        free(f->caption[i]);
    free(f->caption);
    free(f->curves);
    free(f->slot);
    rc_report_points_fini(&f->points);
}

int rc_report_fits(struct rc_report_page *page, size_t kind, size_t suite,
                   struct rc_error *err)
{
    struct fits f = {.page = page};
    int status = init(&f, kind, suite, err);

    for (size_t m = 0; status == RC_OK && m < f.suite->metric_count; m++) {
        struct curves *c = &f.curves[f.count];
        if (!get_curves(page->report, f.suite, kind, suite, m, c))
            continue;
        status = make_caption(c->metric, &f.caption[f.count++], err);
        if (status == RC_OK)
            status = add_figure(&f, c, err);
    }
    if (status == RC_OK && f.count) {
        put_note(&f);
        fputs("<div class=\"figures\">\n", page->out);
        status =
            rc_report_draw(page, (const char *const *)f.caption, put_values, &f, err);
        fputs("</div>\n", page->out);
    }
    fini(&f);
    return status;
}
