/* The noises of a suite's events, sorted, as a figure and as numbers. */
#include "campaign/base/memory.h"
#include "io/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 14, /* events read at once */
    WIDTH = 760,
    HEIGHT = 380,
    CELL = 2,         /* pixels: of the points within that, one is drawn */
    DECADES_MOST = 9, /* that have a tic */
    DECADE_LEAST = -30,
    DECADE_MOST = 30, /* a noise beyond is drawn at the edge */
    NEAR = 6,         /* events listed on each side of the threshold */
    NOISIEST = 8
};

/* An event with a noise. */
struct noisy {
    double noise;
    size_t event;
    uint8_t event_class;
};

struct noises {
    const struct rc_suite_result *result;
    struct noisy *of; /* in rising order */
    size_t count, room, events;
    size_t zero;                     /* the first so many are 0 */
    size_t in_class[RC_CLASS_COUNT]; /* of those with a noise */
};

static const struct {
    int colour;
    const char *is;
} classes[RC_CLASS_COUNT] = {
    [RC_CLASS_INVALID] = {RC_COLOUR_1 + 5, "no valid readings, or too few"},
    [RC_CLASS_DEAD] = {RC_COLOUR_1 + 3, "0 in all suites"},
    [RC_CLASS_IRRELEVANT] = {RC_COLOUR_8, "0 in this suite, not in another"},
    [RC_CLASS_NOISY] = {RC_COLOUR_1 + 1, "above the threshold"},
    [RC_CLASS_STEADY] = {RC_COLOUR_1 + 2, "differs, below the threshold"},
    [RC_CLASS_EXACT] = {RC_COLOUR_1, "the same in all repetitions"}};

static int by_noise(const void *a, const void *b)
{
    const struct noisy *x = a, *y = b;

    if (x->noise != y->noise)
        return x->noise < y->noise ? -1 : 1;
    if (x->event_class != y->event_class)
        return x->event_class > y->event_class ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

static int take(struct noises *n, const struct rc_event_columns *c,
                struct rc_error *err)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!isfinite(c->noise[i]) || c->noise[i] < 0)
            continue;
        if (rc_grow(&n->of, sizeof *n->of, n->count, &n->room))
            return rc_fail(err, RC_ENOMEM, "no memory for the noises of %zu events",
                           n->count);
        n->of[n->count++] =
            (struct noisy){c->noise[i], c->first + i, c->event_class[i]};
        n->zero += c->noise[i] <= 0;
        n->in_class[c->event_class[i]]++;
    }
    return RC_OK;
}

static int read_noises(const struct rc_report *r, size_t kind, size_t suite,
                       struct noises *n, struct rc_error *err)
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

/* The axis of noises: powers of ten, and below them one more for 0. */
struct scale {
    int zero, low, high; /* decades: of the line of zeros, of the axis' numbers */
    double tic[DECADES_MOST + 3];
    char text[DECADES_MOST + 3][16];
    const char *tic_text[DECADES_MOST + 3];
    size_t tics;
};

static double decade(double value)
{
    return fmin(fmax(log10(value), DECADE_LEAST), DECADE_MOST);
}

static void stretch(double value, double *low, double *high)
{
    if (!isfinite(value) || value <= 0)
        return;
    *low = fmin(*low, decade(value));
    *high = fmax(*high, decade(value));
}

static void add_tic(struct scale *s, int power, const char *text)
{
    char *to = s->text[s->tics];

    if (text)
        snprintf(to, sizeof s->text[0], "%s", text);
    else if (power >= -3 && power <= 3)
        snprintf(to, sizeof s->text[0], "%g", pow(10, power));
    else
        snprintf(to, sizeof s->text[0], "1e%d", power);
    s->tic_text[s->tics] = to;
    s->tic[s->tics++] = pow(10, power);
}

static void find_scale(const struct noises *n, struct scale *s)
{
    double low = INFINITY, high = -INFINITY;

    if (n->count > n->zero) {
        stretch(n->of[n->zero].noise, &low, &high);
        stretch(n->of[n->count - 1].noise, &low, &high);
    }
    stretch(n->result->tau, &low, &high);
    stretch(n->result->tau_low, &low, &high);
    stretch(n->result->tau_high, &low, &high);
    if (!(low <= high))
        low = high = 0;
    s->low = (int)floor(low);
    s->high = (int)ceil(high);
    s->high += s->high == s->low;
    const int step = (s->high - s->low) / DECADES_MOST + 1;
    s->zero = s->low - step;
    add_tic(s, s->zero, "0");
    for (int d = s->low; d <= s->high; d += step)
        add_tic(s, d, NULL);
}

static double drawn(double noise)
{
    return pow(10, decade(noise));
}

/* What is drawn: rectangles and points for each class. */
struct drawing {
    double *x, *y; /* of points, class after class */
    size_t points;
    double box[RC_CLASS_COUNT + 1][4];
    double line[4];
    char title[RC_CLASS_COUNT + 2][80];
    struct rc_figure_series series[2 * RC_CLASS_COUNT + 3];
    size_t count;
};

static struct rc_figure_series *add_series(struct drawing *d, const char *title,
                                           enum rc_figure_style style, int colour)
{
    struct rc_figure_series *s = &d->series[d->count++];

    *s = (struct rc_figure_series){.title = title, .style = style, .colour = colour};
    return s;
}

static struct rc_figure_series *add_box(struct drawing *d, double *box,
                                        const char *title, int colour)
{
    struct rc_figure_series *s = add_series(d, title, RC_FIGURE_BOX, colour);

    s->count = 1;
    s->x = &box[0];
    s->x2 = &box[1];
    s->y = &box[2];
    s->y2 = &box[3];
    return s;
}

static void set_box(double *box, double x, double x2, double y, double y2)
{
    box[0] = x;
    box[1] = x2;
    box[2] = y;
    box[3] = y2;
}

static double edge(const struct scale *s, double value, bool top)
{
    if (value > 0 && isfinite(value))
        return drawn(value);
    return top ? pow(10, s->high + .1)
               : pow(10, s->zero + (double)(s->low - s->zero) / 2);
}

/* The threshold and the gap it lies in. */
static void add_threshold(const struct noises *n, const struct scale *s,
                          struct drawing *d)
{
    const struct rc_suite_result *r = n->result;
    const double last = n->count > 0 ? (double)n->count : 1;
    char *title = d->title[RC_CLASS_COUNT];

    if (!(r->tau >= 0))
        return;
    if (r->tau_low >= 0 && r->tau_low < r->tau_high) {
        set_box(d->box[RC_CLASS_COUNT], 0, last, edge(s, r->tau_low, false),
                edge(s, r->tau_high, true));
        add_box(d, d->box[RC_CLASS_COUNT], "no event's noise is in here",
                RC_COLOUR_1 + 4)
            ->opacity = .2;
    }
    if (!(r->tau > 0) || isinf(r->tau))
        return;
    set_box(d->line, 0, last, drawn(r->tau), drawn(r->tau));
    snprintf(title, sizeof d->title[0], "threshold %.2g", r->tau);
    struct rc_figure_series *line = add_series(d, title, RC_FIGURE_LINE, RC_COLOUR_INK);
    line->count = 2;
    line->x = &d->line[0];
    line->y = &d->line[2];
    line->dashed = true;
}

static const char *class_title(const struct noises *n, struct drawing *d, size_t c)
{
    if (d->title[c][0])
        return NULL; /* it is in the key already */
    snprintf(d->title[c], sizeof d->title[c], "%s: %zu", rc_class_names[c],
             n->in_class[c]);
    return d->title[c];
}

/* Events of noise 0 stand together by class. */
static void add_zeros(const struct noises *n, const struct scale *s, struct drawing *d)
{
    const double reach = .3 * (s->low - s->zero);

    for (size_t first = 0, last; first < n->zero; first = last) {
        const uint8_t c = n->of[first].event_class;
        for (last = first; last < n->zero && n->of[last].event_class == c;)
            last++;
        set_box(d->box[c], (double)first, (double)last, pow(10, s->zero - reach),
                pow(10, s->zero + reach));
        add_box(d, d->box[c], class_title(n, d, c), classes[c].colour);
    }
}

/* The points of a class that are seen: of those that would lie within a cell of the
 * screen one is enough, since the curve only rises; and the last one.
 */
static void thin_class(const struct noises *n, const struct scale *s, uint8_t c,
                       struct drawing *d)
{
    const double across = (double)WIDTH / CELL / (double)n->count;
    const double up = (double)HEIGHT / CELL / (s->high - s->zero);
    double cell_x = NAN, cell_y = NAN;
    size_t last = n->zero;

    for (size_t i = n->zero; i < n->count; i++)
        if (n->of[i].event_class == c)
            last = i;
    for (size_t i = n->zero; i <= last && i < n->count; i++) {
        if (n->of[i].event_class != c)
            continue;
        const double x = floor((double)i * across);
        const double y = floor(decade(n->of[i].noise) * up);
        if (i < last && x == cell_x && y == cell_y)
            continue;
        cell_x = x;
        cell_y = y;
        d->x[d->points] = (double)i + .5;
        d->y[d->points++] = drawn(n->of[i].noise);
    }
}

static int add_points(const struct noises *n, const struct scale *s, struct drawing *d,
                      struct rc_error *err)
{
    const size_t most = n->count - n->zero;

    d->x = rc_calloc(most, sizeof *d->x);
    d->y = rc_calloc(most, sizeof *d->y);
    if (!d->x || !d->y)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", most);
    for (uint8_t c = 0; c < RC_CLASS_COUNT; c++) {
        const size_t first = d->points;
        thin_class(n, s, c, d);
        if (d->points == first)
            continue;
        struct rc_figure_series *p =
            add_series(d, class_title(n, d, c), RC_FIGURE_POINTS, classes[c].colour);
        p->count = d->points - first;
        p->x = d->x + first;
        p->y = d->y + first;
        p->size = .35;
    }
    return RC_OK;
}

static void write_threshold(FILE *out, const struct rc_suite_result *r)
{
    if (!(r->tau >= 0)) {
        fputs(" There is no threshold.", out);
        return;
    }
    rc_html_say(out, " The threshold is %.3g, %s", r->tau,
                r->tau_auto ? "in the widest gap between noises"
                            : "as it was set for this suite");
    fputs(": events above it are too noisy to be used.", out);
    if (isinf(r->tau_high))
        rc_html_say(out, " No event is above it; the noisiest has %.3g.", r->tau_low);
    else if (r->tau_low >= 0 && r->tau_low < r->tau_high)
        rc_html_say(out,
                    " No noise is between %.3g and %.3g (shaded): every threshold in "
                    "there gives the same result.",
                    r->tau_low, r->tau_high);
}

static void write_caption(FILE *out, const struct noises *n, size_t points)
{
    const size_t above = n->count - n->zero;

    rc_html_say(out,
                "%zu of %zu events, those with valid readings, from the least noisy to "
                "the noisiest: how much their repetitions differ at most (maxRNMSE). ",
                n->count, n->events);
    rc_html_say(out, "%zu have noise 0: the bar at the bottom.", n->zero);
    write_threshold(out, n->result);
    if (points < above)
        rc_html_say(out,
                    " Drawn are %zu of the %zu points above 0; the others lie on "
                    "them.",
                    points, above);
}

static void write_counts(FILE *out, const struct noises *n)
{
    static const char *const heads[] = {"class", "what it means", ">events",
                                        ">with a noise", NULL};

    rc_html_table(out, "Events by how far their readings can be trusted", heads);
    for (size_t c = RC_CLASS_COUNT; c-- > 0;) {
        fputs("<tr><td>", out);
        rc_html_put(out, rc_class_names[c]);
        fputs("</td><td>", out);
        rc_html_put(out, classes[c].is);
        fputs("</td>", out);
        rc_html_cell(out, "%zu", n->result->class_count[c]);
        rc_html_cell(out, "%zu", n->in_class[c]);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
}

/* Of n values in rising order the one below which a part of them lies. */
static void write_quantiles(FILE *out, const struct noises *n)
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

static int write_event(struct rc_report_page *page, size_t kind, const struct noisy *e,
                       struct rc_error *err)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_store_event event;
    int status = pool ? rc_metrics_read_events(page->report->metrics, kind, e->event, 1,
                                               &event, pool, err)
                      : rc_fail(err, RC_ENOMEM, "no memory");

    if (status == RC_OK) {
        fputs("<tr>", page->out);
        rc_html_cell_name(page->out, event.name);
        rc_html_cell(page->out, "%.4g", e->noise);
        fputs("<td>", page->out);
        rc_html_put(page->out, rc_class_names[e->event_class]);
        fputs("</td></tr>\n", page->out);
    }
    rc_pool_close(pool);
    return status;
}

static int write_events(struct rc_report_page *page, size_t kind,
                        const struct noises *n, size_t first, size_t last,
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
static int write_lists(struct rc_report_page *page, size_t kind, const struct noises *n,
                       struct rc_error *err)
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
                         const struct noises *n, struct rc_error *err)
{
    fputs("<details><summary>Noise as numbers</summary>\n", page->out);
    write_counts(page->out, n);
    write_quantiles(page->out, n);
    int status = write_lists(page, kind, n, err);
    fputs("</details>\n", page->out);
    return status;
}

static int draw_noises(struct rc_report_page *page, const struct noises *n,
                       struct rc_error *err)
{
    struct scale s = {0};
    struct drawing d = {0};
    char *caption = NULL, title[160];
    size_t bytes;

    find_scale(n, &s);
    add_threshold(n, &s, &d);
    add_zeros(n, &s, &d);
    int status = add_points(n, &s, &d, err);
    FILE *words = status == RC_OK ? open_memstream(&caption, &bytes) : NULL;
    if (words)
        write_caption(words, n, d.points);
    if (status == RC_OK && (!words || fclose(words) != 0))
        status = rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(title, sizeof title,
             "Noise of %zu events in rising order: %zu are 0, %zu above the threshold",
             n->count, n->zero, n->in_class[RC_CLASS_NOISY]);
    const struct rc_figure figure = {
        .title = title,
        .width = WIDTH,
        .height = HEIGHT,
        .x = {.title = "events, the least noisy first",
              .low = 0,
              .high = (double)n->count},
        .y = {.title = "noise (maxRNMSE)",
              .log = true,
              .low = pow(10, s.zero - .4 * (s.low - s.zero)),
              .high = pow(10, s.high + .1),
              .tic = s.tic,
              .tic_text = s.tic_text,
              .tic_count = s.tics},
        .key_below = true,
        .series = d.series,
        .series_count = d.count};
    if (status == RC_OK)
        status = rc_figures_add(page->figures, &figure, err);
    if (status == RC_OK)
        status = rc_report_draw(page, (const char *const[]){caption}, NULL, NULL, err);
    free(caption);
    free(d.x);
    free(d.y);
    return status;
}

int rc_report_noise(struct rc_report_page *page, size_t kind, size_t suite,
                    struct rc_error *err)
{
    struct noises n = {0};
    int status = read_noises(page->report, kind, suite, &n, err);

    if (status == RC_OK) {
        fputs("<h4>Noise</h4>\n", page->out);
        if (n.count > 0)
            status = draw_noises(page, &n, err);
        else
            rc_html_say(page->out, "None of %zu events has valid readings.", n.events);
    }
    if (status == RC_OK)
        status = write_numbers(page, kind, &n, err);
    free(n.of);
    return status;
}
