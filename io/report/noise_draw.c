/* The noises of a suite's events, sorted: those of 0 on a line of their own. */
#include "campaign/base/memory.h"
#include "io/report/noise_parts.h"

#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 760,
    HEIGHT = 380,
    CELL = 2,         /* pixels: of the points within that, one is drawn */
    DECADES_MOST = 9, /* that have a tic */
    DECADE_LEAST = -30,
    DECADE_MOST = 30 /* a noise beyond is drawn at the edge */
};

static const int colours[RC_CLASS_COUNT] = {
    [RC_CLASS_INVALID] = RC_COLOUR_1 + 5, [RC_CLASS_DEAD] = RC_COLOUR_1 + 3,
    [RC_CLASS_IRRELEVANT] = RC_COLOUR_8,  [RC_CLASS_NOISY] = RC_COLOUR_1 + 1,
    [RC_CLASS_STEADY] = RC_COLOUR_1 + 2,  [RC_CLASS_EXACT] = RC_COLOUR_1,
};

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

static void find_scale(const struct rc_noises *n, struct scale *s)
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
static void add_threshold(const struct rc_noises *n, const struct scale *s,
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

static const char *class_title(const struct rc_noises *n, struct drawing *d, size_t c)
{
    if (d->title[c][0])
        return NULL; /* it is in the key already */
    snprintf(d->title[c], sizeof d->title[c], "%s: %zu", rc_class_names[c],
             n->in_class[c]);
    return d->title[c];
}

/* Events of noise 0 stand together by class. */
static void add_zeros(const struct rc_noises *n, const struct scale *s,
                      struct drawing *d)
{
    const double reach = .3 * (s->low - s->zero);

    for (size_t first = 0, last; first < n->zero; first = last) {
        const uint8_t c = n->of[first].event_class;
        for (last = first; last < n->zero && n->of[last].event_class == c;)
            last++;
        set_box(d->box[c], (double)first, (double)last, pow(10, s->zero - reach),
                pow(10, s->zero + reach));
        add_box(d, d->box[c], class_title(n, d, c), colours[c]);
    }
}

/* The points of a class that are seen: of those that would lie within a cell of the
 * screen one is enough, since the curve only rises; and the last one.
 */
static void thin_class(const struct rc_noises *n, const struct scale *s, uint8_t c,
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

static int add_points(const struct rc_noises *n, const struct scale *s,
                      struct drawing *d, struct rc_error *err)
{
    const size_t most = n->count - n->zero;

    d->x = rc_calloc(most, sizeof *d->x);
    d->y = rc_calloc(most, sizeof *d->y);
    if (!d->x || !d->y)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu points", most);
    for (size_t c = 0; c < RC_CLASS_COUNT; c++) {
        const size_t first = d->points;
        thin_class(n, s, (uint8_t)c, d);
        if (d->points == first)
            continue;
        struct rc_figure_series *p =
            add_series(d, class_title(n, d, c), RC_FIGURE_POINTS, colours[c]);
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

static void write_caption(FILE *out, const struct rc_noises *n, size_t points)
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

int rc_noises_draw(struct rc_report_page *page, const struct rc_noises *n,
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
