/* The figure of a run: a row for each worker, a box for what it measured. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/report/timeline_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOXES_MOST = 4000, /* in one figure */
    MARKS_MOST = 600,
    COLOURS = 8,
    WIDTH = 760,
    ROW = 15,   /* pixels */
    PLOT = 600, /* pixels that the axis of time has, about */
    NAME_MOST = 18
};

/* Units that are drawn as one. */
struct box {
    double x, x2; /* seconds */
    double longest_s;
    size_t row, suite;
};

struct mark {
    double x, y;
    uint8_t status;
};

/* The figure of a span. */
struct drawing {
    struct box *box;
    size_t boxes, box_room;
    struct mark *mark;
    size_t marks, mark_room, marks_left_out;
    size_t *worker; /* of each row */
    size_t rows;
    double length_s, cell_s; /* what is shorter than a cell melts */
};

/* The first unit of a worker, or behind it. */
static size_t first_unit(const struct rc_report *r, size_t worker)
{
    size_t low = 0, high = r->unit_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (r->unit[middle].worker < worker)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The next unit from *at on of a worker that began in a span; NULL: none is left. */
static const struct rc_report_unit *next_unit(const struct rc_timeline *t, size_t span,
                                              size_t worker, size_t *at)
{
    const struct rc_report *r = t->report;

    for (; *at < r->unit_count && r->unit[*at].worker == worker; ++*at)
        if (rc_unit_timed(r, &r->unit[*at]) &&
            rc_timeline_span(t, r->unit[*at].begin_ns) == span)
            return &r->unit[(*at)++];
    return NULL;
}

static int add_box(struct drawing *d, const struct box *b, struct rc_error *err)
{
    struct box *last = d->boxes > 0 ? &d->box[d->boxes - 1] : NULL;

    if (last && last->row == b->row &&
        (b->x2 - last->x <= d->cell_s ||
         (last->suite == b->suite && b->x - last->x2 <= d->cell_s))) {
        last->x2 = fmax(last->x2, b->x2);
        if (b->longest_s > last->longest_s) {
            last->longest_s = b->longest_s;
            last->suite = b->suite;
        }
        return RC_OK;
    }
    if (rc_grow(&d->box, sizeof *d->box, d->boxes, &d->box_room))
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    d->box[d->boxes++] = *b;
    return RC_OK;
}

static int add_mark(struct drawing *d, const struct mark *m, struct rc_error *err)
{
    const struct mark *last = d->marks > 0 ? &d->mark[d->marks - 1] : NULL;

    if (last && last->y == m->y && last->status == m->status &&
        m->x - last->x < 4 * d->length_s / PLOT)
        return RC_OK;
    if (d->marks == MARKS_MOST) {
        d->marks_left_out++;
        return RC_OK;
    }
    if (rc_grow(&d->mark, sizeof *d->mark, d->marks, &d->mark_room))
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    d->mark[d->marks++] = *m;
    return RC_OK;
}

static int add_row(const struct rc_timeline *t, size_t span, size_t row,
                   struct drawing *d, struct rc_error *err)
{
    const uint64_t zero = t->span[span].begin_ns;
    size_t at = first_unit(t->report, d->worker[row]);
    const struct rc_report_unit *u;
    int status = RC_OK;

    while (status == RC_OK && (u = next_unit(t, span, d->worker[row], &at))) {
        const double x = rc_seconds(zero, u->begin_ns),
                     x2 = rc_seconds(zero, rc_unit_end(u));
        const struct box b = {x, x2, x2 - x, row, rc_timeline_suite(t, u)};
        const struct mark m = {(x + x2) / 2, (double)(d->rows - row) - .9, u->status};
        status = add_box(d, &b, err);
        if (status == RC_OK && u->status > 1)
            status = add_mark(d, &m, err);
    }
    return status;
}

/* The workers among those shown that measured in the span. */
static int find_rows(const struct rc_timeline *t, size_t span, struct drawing *d,
                     struct rc_error *err)
{
    d->worker = rc_calloc(t->rows, sizeof *d->worker);
    if (!d->worker)
        return rc_fail(err, RC_ENOMEM, "no memory for a figure");
    for (size_t i = 0; i < t->rows; i++) {
        size_t at = first_unit(t->report, t->row[i]);
        if (next_unit(t, span, t->row[i], &at))
            d->worker[d->rows++] = t->row[i];
    }
    return RC_OK;
}

/* Cells grow until the boxes are few enough. */
static int find_boxes(const struct rc_timeline *t, size_t span, struct drawing *d,
                      struct rc_error *err)
{
    int status = find_rows(t, span, d, err);

    d->length_s = fmax(rc_seconds(t->span[span].begin_ns, t->span[span].end_ns), 1e-6);
    d->cell_s = d->length_s / PLOT / 2;
    do {
        d->boxes = d->marks = d->marks_left_out = 0;
        d->cell_s *= 2;
        for (size_t row = 0; row < d->rows && status == RC_OK; row++)
            status = add_row(t, span, row, d, err);
    } while (status == RC_OK && d->boxes > BOXES_MOST);
    return status;
}

static void drawing_fini(struct drawing *d)
{
    free(d->box);
    free(d->mark);
    free(d->worker);
}

/* In which a time is best said. */
struct time_unit {
    const char *name;
    double seconds;
};

static struct time_unit time_unit(double length_s)
{
    if (length_s < .3)
        return (struct time_unit){"milliseconds", 1e-3};
    if (length_s < 300)
        return (struct time_unit){"seconds", 1};
    if (length_s < 4 * 3600)
        return (struct time_unit){"minutes", 60};
    if (length_s < 10 * 86400)
        return (struct time_unit){"hours", 3600};
    return (struct time_unit){"days", 86400};
}

/* A name of few characters, its begin and its end: nodes differ in their numbers. */
static void short_name(char *out, size_t room, const char *name)
{
    size_t at[2] = {0, 0}, characters = 0, bytes = 0;

    for (; name[bytes]; characters++) {
        const size_t length = rc_text_utf8(name + bytes);
        bytes += length ? length : 1;
    }
    if (characters > NAME_MOST)
        for (size_t i = 0, n = 0; n < characters; n++) {
            const size_t length = rc_text_utf8(name + i);
            at[0] = n == NAME_MOST / 2 ? i : at[0];
            at[1] = n == characters - NAME_MOST / 2 + 1 ? i : at[1];
            i += length ? length : 1;
        }
    snprintf(out, room, "%.*s%s%s", (int)at[0], name,
             characters > NAME_MOST ? "\xe2\x80\xa6" : "", name + at[1]);
}

static bool one_node(const struct rc_report *r)
{
    for (size_t w = 1; w < r->worker_count; w++)
        if (strcmp(r->worker[w].node, r->worker[0].node) != 0)
            return false;
    return true;
}

/* Everything that gnuplot gets of a figure. */
struct figure {
    double *number; /* all of them */
    size_t numbers;
    char (*row)[8 * NAME_MOST];
    const char **row_text;
    double *tic;
    char title[COLOURS][64];
    struct rc_figure_series series[COLOURS + 2];
    size_t count;
};

static void figure_fini(struct figure *f)
{
    free(f->number);
    free(f->row);
    free(f->row_text);
    free(f->tic);
}

static int figure_init(const struct drawing *d, struct figure *f, struct rc_error *err)
{
    f->number = rc_calloc(4 * d->boxes + 2 * d->marks, sizeof *f->number);
    f->row = rc_calloc(d->rows, sizeof *f->row);
    f->row_text = rc_calloc(d->rows, sizeof *f->row_text);
    f->tic = rc_calloc(d->rows, sizeof *f->tic);
    return f->number && f->row && f->row_text && f->tic
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for a figure");
}

static double *take_numbers(struct figure *f, size_t count)
{
    double *out = f->number + f->numbers;

    f->numbers += count;
    return out;
}

/* The suites of a colour that are in the figure, for its key. */
static void title_colour(const struct rc_timeline *t, const struct drawing *d,
                         size_t colour, char *out, size_t room)
{
    for (size_t n = colour; n <= t->names; n += COLOURS) {
        char name[24 * 4];
        bool in = false;
        for (size_t i = 0; i < d->boxes && !in; i++)
            in = d->box[i].suite == n;
        if (!in)
            continue;
        short_name(name, sizeof name, t->name[n]);
        rc_text_append(out, room, "%s%s", out[0] ? ", " : "", name);
    }
}

static void add_suites(const struct rc_timeline *t, const struct drawing *d,
                       const struct time_unit *unit, size_t colour, struct figure *f)
{
    const double least = d->length_s / PLOT;
    size_t count = 0, n = 0;

    for (size_t i = 0; i < d->boxes; i++)
        count += d->box[i].suite % COLOURS == colour;
    if (count == 0)
        return;
    double *x = take_numbers(f, count), *x2 = take_numbers(f, count),
           *y = take_numbers(f, count), *y2 = take_numbers(f, count);
    for (size_t i = 0; i < d->boxes; i++) {
        const struct box *b = &d->box[i];
        if (b->suite % COLOURS != colour)
            continue;
        x[n] = b->x / unit->seconds;
        x2[n] = fmax(b->x2, b->x + least) / unit->seconds;
        y[n] = (double)(d->rows - b->row) - .75;
        y2[n++] = (double)(d->rows - b->row) - .15;
    }
    title_colour(t, d, colour, f->title[colour], sizeof f->title[colour]);
    f->series[f->count++] =
        (struct rc_figure_series){.title = f->title[colour],
                                  .style = RC_FIGURE_BOX,
                                  .colour = RC_COLOUR_1 + (int)colour,
                                  .count = count,
                                  .x = x,
                                  .x2 = x2,
                                  .y = y,
                                  .y2 = y2};
}

static void add_marks(const struct drawing *d, const struct time_unit *unit,
                      bool failed, struct figure *f)
{
    size_t count = 0, n = 0;

    for (size_t i = 0; i < d->marks; i++)
        count += (d->mark[i].status != 2) == failed;
    if (count == 0)
        return;
    double *x = take_numbers(f, count), *y = take_numbers(f, count);
    for (size_t i = 0; i < d->marks; i++) {
        if ((d->mark[i].status != 2) != failed)
            continue;
        x[n] = d->mark[i].x / unit->seconds;
        y[n++] = d->mark[i].y;
    }
    f->series[f->count++] =
        (struct rc_figure_series){.title = failed ? "failed" : "invalid",
                                  .style = RC_FIGURE_POINTS,
                                  .colour = failed ? RC_COLOUR_INK : RC_COLOUR_MUTED,
                                  .size = failed ? .45 : .35,
                                  .count = count,
                                  .x = x,
                                  .y = y};
}

static void name_rows(const struct rc_timeline *t, const struct drawing *d,
                      struct figure *f)
{
    const struct rc_report *r = t->report;
    const bool alone = one_node(r);

    for (size_t i = 0; i < d->rows; i++) {
        const struct rc_report_worker *w = &r->worker[d->worker[i]];
        char node[8 * NAME_MOST];
        short_name(node, sizeof node, alone ? "rank" : w->node);
        snprintf(f->row[i], sizeof f->row[i], "%.100s %lu", node,
                 (unsigned long)w->rank);
        f->row_text[i] = f->row[i];
        f->tic[i] = (double)(d->rows - i) - .45;
    }
}

/* Rows, the axis below them, and a key of four words in a line. */
static unsigned height_of(size_t rows, size_t keys)
{
    return (unsigned)(ROW * (rows > 3 ? rows : 3) + 70 + 19 * ((keys + 3) / 4));
}

static int add_figure(struct rc_report_page *page, const struct rc_timeline *t,
                      const struct drawing *d, const char *title, struct rc_error *err)
{
    const struct time_unit unit = time_unit(d->length_s);
    struct figure f = {.numbers = 0};
    char axis[64];
    int status = figure_init(d, &f, err);

    if (status == RC_OK) {
        for (size_t colour = 0; colour < COLOURS; colour++)
            add_suites(t, d, &unit, colour, &f);
        add_marks(d, &unit, false, &f);
        add_marks(d, &unit, true, &f);
        name_rows(t, d, &f);
        snprintf(axis, sizeof axis, "%s since the first unit of the run", unit.name);
        const struct rc_figure figure = {
            .title = title,
            .width = WIDTH,
            .height = height_of(d->rows, f.count),
            .x = {.title = axis, .low = 0, .high = d->length_s / unit.seconds},
            .y = {.low = 0,
                  .high = (double)d->rows,
                  .tic = f.tic,
                  .tic_text = f.row_text,
                  .tic_count = d->rows},
            .key_below = true,
            .series = f.series,
            .series_count = f.count};
        status = rc_figures_add(page->figures, &figure, err);
    }
    figure_fini(&f);
    return status;
}

static void say_duration(FILE *out, double s)
{
    const struct time_unit unit = time_unit(s);

    rc_html_say(out, "%.3g %s", s / unit.seconds, unit.name);
}

static void write_caption(FILE *out, const struct rc_timeline *t,
                          const struct rc_span *s, const struct drawing *d)
{
    const struct rc_report *r = t->report;

    if (s->run < r->run_count)
        rc_html_say(out, "The run of %.40s: ", r->run[s->run].begin);
    rc_html_say(out, "%zu unit%s of %zu worker%s", s->units, s->units == 1 ? "" : "s",
                s->workers, s->workers == 1 ? "" : "s");
    if (s->run < r->run_count && r->run[s->run].ranks > s->workers)
        rc_html_say(out, " (it had %lu)", (unsigned long)r->run[s->run].ranks);
    fputs(", in ", out);
    say_duration(out, rc_seconds(s->begin_ns, s->end_ns));
    rc_html_say(out, ", of which they were busy for %.3g %%.", rc_span_utilisation(s));
    if (d->rows < s->workers)
        rc_html_say(out,
                    " Shown are %zu of the workers, spread evenly, with the least and "
                    "the most busy of all.",
                    d->rows);
    if (d->boxes < s->units || d->cell_s > d->length_s / PLOT) {
        fputs(" Neighbouring units of a suite are one box; pauses and units shorter "
              "than ",
              out);
        say_duration(out, d->cell_s);
        fputs(" are not told apart, the longest unit gives the colour.", out);
    }
    if (d->marks_left_out > 0)
        rc_html_say(out, " %zu more invalid or failed units are not marked.",
                    d->marks_left_out);
}

int rc_timeline_draw(struct rc_report_page *page, const struct rc_timeline *t,
                     size_t span, struct rc_error *err)
{
    const struct rc_span *s = &t->span[span];
    struct drawing d = {.rows = 0};
    char *caption = NULL, title[160];
    size_t bytes;
    int status = find_boxes(t, span, &d, err);
    FILE *words = status == RC_OK ? open_memstream(&caption, &bytes) : NULL;

    if (words)
        write_caption(words, t, s, &d);
    if (status == RC_OK && (!words || fclose(words) != 0))
        status = rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(
        title, sizeof title,
        "What %zu worker%s measured when: %zu unit%s, busy for %.3g %% of the time",
        s->workers, s->workers == 1 ? "" : "s", s->units, s->units == 1 ? "" : "s",
        rc_span_utilisation(s));
    if (status == RC_OK)
        status = add_figure(page, t, &d, title, err);
    if (status == RC_OK)
        status = rc_report_draw(page, (const char *const[]){caption}, NULL, NULL, err);
    free(caption);
    drawing_fini(&d);
    return status;
}
