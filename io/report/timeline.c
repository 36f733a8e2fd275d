/* Who measured what when: a row for each worker, a figure for each run. */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ROWS_MOST = 60,    /* workers that are drawn and listed */
    BOXES_MOST = 4000, /* in one figure */
    MARKS_MOST = 600,
    SPANS_DRAWN = 4, /* runs that have a figure */
    SPANS_LISTED = 50,
    COLOURS = 8,
    WIDTH = 760,
    ROW = 15,   /* pixels */
    PLOT = 600, /* pixels that the axis of time has, about */
    NAME_MOST = 18
};

static const double LONG_PAUSE_S = 600;
static const uint64_t SECOND_NS = 1000000000;

/* A time in which somebody measured, between two runs or long pauses. */
struct span {
    uint64_t begin_ns, end_ns;
    size_t run; /* of the report; run_count: not known */
    size_t units, workers;
    double busy_s;
};

/* A worker over all spans. */
struct sum {
    size_t units, timed;
    uint64_t first_ns, last_ns;
    double busy_s, untimed_s; /* in units of which the begin is known, and not */
    double present_s;         /* the length of spans in which it measured */
    size_t span;              /* the last one that was counted, and one more */
};

struct timeline {
    const struct rc_report *report;
    struct span *span;
    size_t spans, room;
    struct sum *sum; /* of each worker */
    size_t *row;     /* workers that are shown, in rising order */
    size_t rows, busy;
    size_t *colour; /* by suite of a kind, first[kind] + suite: its name's number */
    size_t *first;
    const char **name; /* of suites, each once */
    size_t names;
    size_t untimed, bad; /* units without a begin; not good ones */
};

static uint64_t end_of(const struct rc_report_unit *u)
{
    return u->begin_ns > UINT64_MAX - u->wall_ns ? UINT64_MAX
                                                 : u->begin_ns + u->wall_ns;
}

static double seconds(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) * 1e-9 : 0;
}

/* Units of which something is known: 'u' is of a worker that there is. */
static bool is_timed(const struct rc_report *r, const struct rc_report_unit *u)
{
    return u->begin_ns > 0 && u->worker < r->worker_count;
}

struct interval {
    uint64_t begin_ns, end_ns;
};

static int by_begin(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;

    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* "2026-11-21T06:12:03Z" since 1970; 0: it is something else. */
static uint64_t time_of(const char *text)
{
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    const time_t t = end ? timegm(&tm) : -1;

    return t <= 0 ? 0 : (uint64_t)t * SECOND_NS;
}

/* The times in which somebody measured, in order, apart from each other: intervals
 * that touch become one.  How many there are.
 */
static size_t unite(struct interval *in, size_t count)
{
    size_t kept = 0;

    if (count > 0)
        qsort(in, count, sizeof *in, by_begin);
    for (size_t i = 0; i < count; i++) {
        struct interval *last = kept > 0 ? &in[kept - 1] : NULL;
        if (last && in[i].begin_ns <= last->end_ns)
            last->end_ns = in[i].end_ns > last->end_ns ? in[i].end_ns : last->end_ns;
        else
            in[kept++] = in[i];
    }
    return kept;
}

/* The pause that a run began in, by the interval behind it; 'count': there is none.
 * The begin is known to a second, in which there may be many pauses: the longest one
 * that no other run began in at that time.
 */
static size_t pause_of(const struct rc_report *r, uint64_t begin_ns,
                       const struct interval *in, const size_t *run, size_t count)
{
    const uint64_t until = begin_ns + SECOND_NS;
    size_t found = count;
    double longest = -1;

    for (size_t i = 0; i < count; i++) {
        const uint64_t from = i > 0 ? in[i - 1].end_ns : 0;
        if (from >= until)
            break;
        const bool taken = run[i] < r->run_count &&
                           time_of(r->run[run[i]].begin) + SECOND_NS > begin_ns;
        if (in[i].begin_ns < begin_ns || taken)
            continue;
        if (seconds(from, in[i].begin_ns) > longest) {
            longest = seconds(from, in[i].begin_ns);
            found = i;
        }
    }
    return found;
}

/* The run that began before each interval; run_count: none did. */
static size_t *place_runs(const struct rc_report *r, const struct interval *in,
                          size_t count)
{
    size_t *run = rc_calloc(count, sizeof *run);

    for (size_t i = 0; run && i < count; i++)
        run[i] = r->run_count;
    for (size_t i = 0; run && i < r->run_count; i++) {
        const uint64_t begin_ns = time_of(r->run[i].begin);
        const size_t at = begin_ns ? pause_of(r, begin_ns, in, run, count) : count;
        if (at < count)
            run[at] = i;
    }
    return run;
}

static int add_span(struct timeline *t, const struct interval *of, size_t run,
                    struct rc_error *err)
{
    if (rc_grow(&t->span, sizeof *t->span, t->spans, &t->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu runs", t->spans);
    t->span[t->spans++] =
        (struct span){.begin_ns = of->begin_ns, .end_ns = of->end_ns, .run = run};
    return RC_OK;
}

/* A pause ends a span where a run began in it, or where it is long. */
static int cut_spans(struct timeline *t, const struct interval *in, size_t count,
                     struct rc_error *err)
{
    size_t *run = place_runs(t->report, in, count);
    double busy_s = 0;
    int status =
        run ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);

    for (size_t i = 0; i < count; i++)
        busy_s += seconds(in[i].begin_ns, in[i].end_ns);
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const double pause =
            i > 0 ? seconds(in[i - 1].end_ns, in[i].begin_ns) : INFINITY;
        if (run[i] < t->report->run_count || pause > fmax(LONG_PAUSE_S, busy_s))
            status = add_span(t, &in[i], run[i], err);
        else
            t->span[t->spans - 1].end_ns = in[i].end_ns;
    }
    free(run);
    return status;
}

static int find_spans(struct timeline *t, struct rc_error *err)
{
    const struct rc_report *r = t->report;
    struct interval *in = rc_calloc(r->unit_count, sizeof *in);
    size_t count = 0;

    if (!in)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu units", r->unit_count);
    for (size_t i = 0; i < r->unit_count; i++)
        if (is_timed(r, &r->unit[i]))
            in[count++] = (struct interval){r->unit[i].begin_ns, end_of(&r->unit[i])};
    int status = cut_spans(t, in, unite(in, count), err);
    free(in);
    return status;
}

/* The span that a time is in: there is one. */
static size_t span_of(const struct timeline *t, uint64_t begin_ns)
{
    size_t low = 0, high = t->spans;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->span[middle].begin_ns <= begin_ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Units of a worker come by their begin: time that two of them claim counts once. */
static void sum_units(struct timeline *t)
{
    const struct rc_report *r = t->report;

    for (size_t i = 0; i < r->unit_count; i++) {
        const struct rc_report_unit *u = &r->unit[i];
        t->bad += u->status > 1;
        if (u->worker >= r->worker_count)
            continue;
        struct sum *s = &t->sum[u->worker];
        s->units++;
        if (u->begin_ns == 0) {
            s->untimed_s += (double)u->wall_ns * 1e-9;
            t->untimed++;
            continue;
        }
        const size_t in = span_of(t, u->begin_ns);
        struct span *span = &t->span[in];
        const double busy =
            seconds(u->begin_ns > s->last_ns ? u->begin_ns : s->last_ns, end_of(u));
        if (s->span != in + 1) {
            s->present_s += seconds(span->begin_ns, span->end_ns);
            span->workers++;
            s->span = in + 1;
        }
        if (s->timed++ == 0)
            s->first_ns = u->begin_ns;
        s->last_ns = end_of(u) > s->last_ns ? end_of(u) : s->last_ns;
        s->busy_s += busy;
        span->busy_s += busy;
        span->units++;
    }
}

/* Which workers are shown: all, or evenly many of them with the least and the most
 * busy one.
 */
static void choose_rows(struct timeline *t)
{
    const size_t count = t->report->worker_count;
    size_t least = SIZE_MAX, most = SIZE_MAX;
    double chosen = 0;

    for (size_t w = 0; w < count; w++) {
        if (t->sum[w].units == 0)
            continue;
        t->busy++;
        if (least == SIZE_MAX ||
            t->sum[w].busy_s + t->sum[w].untimed_s < t->sum[least].busy_s)
            least = w;
        if (most == SIZE_MAX || t->sum[w].busy_s > t->sum[most].busy_s)
            most = w;
    }
    const double share =
        count <= ROWS_MOST ? 1 : (double)(ROWS_MOST - 2) / (double)count;
    for (size_t w = 0; w < count; w++) {
        const bool due = floor(chosen + share) > floor(chosen);
        chosen += share;
        if (count <= ROWS_MOST || due || w == least || w == most)
            t->row[t->rows++] = w;
    }
}

/* Suites of the same name are of one colour in all kinds. */
static int name_suites(struct timeline *t, struct rc_error *err)
{
    struct rc_store *store = t->report->store;
    const size_t kinds = rc_store_kind_count(store);
    size_t all = 0;

    t->first = rc_calloc(kinds + 1, sizeof *t->first);
    for (size_t k = 0; t->first && k < kinds; k++) {
        t->first[k] = all;
        all += rc_store_suite_count(store, k);
        t->first[k + 1] = all;
    }
    t->colour = rc_calloc(all, sizeof *t->colour);
    t->name = rc_calloc(all + 1, sizeof *t->name);
    if (!t->first || !t->colour || !t->name)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu suites", all);
    for (size_t k = 0; k < kinds; k++)
        for (size_t s = 0; s < rc_store_suite_count(store, k); s++) {
            const char *name = rc_store_suite(store, k, s)->name;
            size_t n = 0;
            while (n < t->names && strcmp(t->name[n], name) != 0)
                n++;
            t->name[n] = name;
            t->names += n == t->names;
            t->colour[t->first[k] + s] = n;
        }
    t->name[t->names] = "another suite"; /* which the store does not know */
    return RC_OK;
}

static size_t suite_of(const struct timeline *t, const struct rc_report_unit *u)
{
    if (u->kind >= rc_store_kind_count(t->report->store) ||
        u->suite >= rc_store_suite_count(t->report->store, u->kind))
        return t->names;
    return t->colour[t->first[u->kind] + u->suite];
}

static int timeline_init(const struct rc_report *r, struct timeline *t,
                         struct rc_error *err)
{
    *t = (struct timeline){.report = r};
    t->sum = rc_calloc(r->worker_count, sizeof *t->sum);
    t->row = rc_calloc(ROWS_MOST + 2, sizeof *t->row);
    if (!t->sum || !t->row)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu workers", r->worker_count);
    int status = name_suites(t, err);
    if (status == RC_OK)
        status = find_spans(t, err);
    if (status != RC_OK)
        return status;
    sum_units(t);
    choose_rows(t);
    return RC_OK;
}

static void timeline_fini(struct timeline *t)
{
    free(t->span);
    free(t->sum);
    free(t->row);
    free(t->colour);
    free(t->first);
    free(t->name);
}

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
static const struct rc_report_unit *next_unit(const struct timeline *t, size_t span,
                                              size_t worker, size_t *at)
{
    const struct rc_report *r = t->report;

    for (; *at < r->unit_count && r->unit[*at].worker == worker; ++*at)
        if (is_timed(r, &r->unit[*at]) && span_of(t, r->unit[*at].begin_ns) == span)
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

static int add_row(const struct timeline *t, size_t span, size_t row, struct drawing *d,
                   struct rc_error *err)
{
    const uint64_t zero = t->span[span].begin_ns;
    size_t at = first_unit(t->report, d->worker[row]);
    const struct rc_report_unit *u;
    int status = RC_OK;

    while (status == RC_OK && (u = next_unit(t, span, d->worker[row], &at))) {
        const double x = seconds(zero, u->begin_ns), x2 = seconds(zero, end_of(u));
        const struct box b = {x, x2, x2 - x, row, suite_of(t, u)};
        const struct mark m = {(x + x2) / 2, (double)(d->rows - row) - .9, u->status};
        status = add_box(d, &b, err);
        if (status == RC_OK && u->status > 1)
            status = add_mark(d, &m, err);
    }
    return status;
}

/* The workers among those shown that measured in the span. */
static int find_rows(const struct timeline *t, size_t span, struct drawing *d,
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
static int find_boxes(const struct timeline *t, size_t span, struct drawing *d,
                      struct rc_error *err)
{
    int status = find_rows(t, span, d, err);

    d->length_s = fmax(seconds(t->span[span].begin_ns, t->span[span].end_ns), 1e-6);
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
static void title_colour(const struct timeline *t, const struct drawing *d,
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

static void add_suites(const struct timeline *t, const struct drawing *d,
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

static void name_rows(const struct timeline *t, const struct drawing *d,
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

static int add_figure(struct rc_report_page *page, const struct timeline *t,
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

static double utilisation(const struct span *s)
{
    const double all = seconds(s->begin_ns, s->end_ns) * (double)s->workers;

    return all > 0 ? fmin(100 * s->busy_s / all, 100) : 100;
}

static void say_duration(FILE *out, double s)
{
    const struct time_unit unit = time_unit(s);

    rc_html_say(out, "%.3g %s", s / unit.seconds, unit.name);
}

static void write_caption(FILE *out, const struct timeline *t, const struct span *s,
                          const struct drawing *d)
{
    const struct rc_report *r = t->report;

    if (s->run < r->run_count)
        rc_html_say(out, "The run of %.40s: ", r->run[s->run].begin);
    rc_html_say(out, "%zu units of %zu workers", s->units, s->workers);
    if (s->run < r->run_count && r->run[s->run].ranks > s->workers)
        rc_html_say(out, " (it had %lu)", (unsigned long)r->run[s->run].ranks);
    fputs(", in ", out);
    say_duration(out, seconds(s->begin_ns, s->end_ns));
    rc_html_say(out, ", of which they were busy for %.3g %%.", utilisation(s));
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

static int draw_span(struct rc_report_page *page, const struct timeline *t, size_t span,
                     struct rc_error *err)
{
    const struct span *s = &t->span[span];
    struct drawing d = {.rows = 0};
    char *caption = NULL, title[160];
    size_t bytes;
    int status = find_boxes(t, span, &d, err);
    FILE *words = status == RC_OK ? open_memstream(&caption, &bytes) : NULL;

    if (words)
        write_caption(words, t, s, &d);
    if (status == RC_OK && (!words || fclose(words) != 0))
        status = rc_fail(err, RC_ENOMEM, "no memory for a figure");
    snprintf(title, sizeof title,
             "What %zu workers measured when: %zu units, busy for %.3g %% of the time",
             s->workers, s->units, utilisation(s));
    if (status == RC_OK)
        status = add_figure(page, t, &d, title, err);
    if (status == RC_OK)
        status = rc_report_draw(page, (const char *const[]){caption}, NULL, NULL, err);
    free(caption);
    drawing_fini(&d);
    return status;
}

/* Of many runs those with the most units are drawn, in the order of time. */
static int draw_spans(struct rc_report_page *page, const struct timeline *t,
                      struct rc_error *err)
{
    size_t drawn = 0;
    int status = RC_OK;

    for (size_t i = 0; i < t->spans && status == RC_OK; i++) {
        size_t larger = 0;
        for (size_t j = 0; j < t->spans && larger < SPANS_DRAWN; j++)
            larger += t->span[j].units > t->span[i].units ||
                      (t->span[j].units == t->span[i].units && j < i);
        if (larger >= SPANS_DRAWN)
            continue;
        status = draw_span(page, t, i, err);
        drawn++;
    }
    if (drawn < t->spans)
        rc_html_say(page->out,
                    "The %zu runs with the most units are drawn, of %zu that measured.",
                    drawn, t->spans);
    return status;
}

static void put_time(FILE *out, uint64_t ns)
{
    const time_t t = (time_t)(ns / SECOND_NS);
    char text[40] = "";
    struct tm tm;

    if (ns > 0 && gmtime_r(&t, &tm))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
    fprintf(out, "<td>%s</td>", text);
}

static void write_spans(FILE *out, const struct timeline *t)
{
    static const char *const heads[] = {"first unit (UTC)",
                                        "last unit's end (UTC)",
                                        ">units",
                                        ">workers",
                                        ">seconds",
                                        ">busy",
                                        NULL};

    if (t->spans == 0)
        return;
    rc_html_table(out, "Runs that measured", heads);
    for (size_t i = 0; i < t->spans && i < SPANS_LISTED; i++) {
        const struct span *s = &t->span[i];
        fputs("<tr>", out);
        put_time(out, s->begin_ns);
        put_time(out, s->end_ns);
        rc_html_cell(out, "%zu", s->units);
        rc_html_cell(out, "%zu", s->workers);
        rc_html_cell(out, "%.3f", seconds(s->begin_ns, s->end_ns));
        rc_html_cell(out, "%.1f %%", utilisation(s));
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    if (t->spans > SPANS_LISTED)
        rc_html_say(out, "These are the first %d of %zu.", SPANS_LISTED, t->spans);
}

static void write_workers(FILE *out, const struct timeline *t)
{
    static const char *const heads[] = {
        "node",  ">rank",       ">units",          ">seconds busy",
        ">idle", "first (UTC)", "last ends (UTC)", NULL};

    rc_html_table(out, "Workers", heads);
    for (size_t i = 0; i < t->rows; i++) {
        const struct rc_report_worker *w = &t->report->worker[t->row[i]];
        const struct sum *s = &t->sum[t->row[i]];
        fputs("<tr>", out);
        rc_html_cell_name(out, w->node);
        rc_html_cell(out, "%lu", (unsigned long)w->rank);
        rc_html_cell(out, "%zu", s->units);
        rc_html_cell(out, "%.3f", s->busy_s + s->untimed_s);
        if (s->present_s > 0)
            rc_html_cell(out, "%.1f %%", fmax(0, 100 * (1 - s->busy_s / s->present_s)));
        else
            fputs("<td class=\"r\"></td>", out);
        put_time(out, s->first_ns);
        put_time(out, s->last_ns);
        fputs("</tr>\n", out);
    }
    rc_html_table_end(out);
    if (t->rows < t->report->worker_count)
        rc_html_say(out,
                    "These are %zu of %zu workers, spread evenly, with the least and "
                    "the most busy one.",
                    t->rows, t->report->worker_count);
}

static void write_summary(FILE *out, const struct timeline *t)
{
    const struct rc_report *r = t->report;
    double busy = 0, all = 0;

    for (size_t i = 0; i < t->spans; i++) {
        busy += t->span[i].busy_s;
        all += seconds(t->span[i].begin_ns, t->span[i].end_ns) *
               (double)t->span[i].workers;
    }
    fputs("<p>", out);
    if (all > 0)
        rc_html_say(out,
                    "From the first to the last unit of each run, those of its workers "
                    "that measured at all were busy for %.3g %% of the time. ",
                    fmin(100, 100 * busy / all));
    rc_html_say(out, "%zu of %zu workers (a rank on a node: a row) measured %zu units.",
                t->busy, r->worker_count, r->unit_count);
    if (t->bad > 0)
        rc_html_say(out, " %zu units are invalid or failed.", t->bad);
    if (t->untimed > 0)
        rc_html_say(out,
                    " Of %zu units it is not known when they began: older versions did "
                    "not record it. They are counted, not drawn.",
                    t->untimed);
    fputs("</p>\n", out);
}

int rc_report_timeline(struct rc_report_page *page, struct rc_error *err)
{
    FILE *out = page->out;
    struct timeline t;
    int status = timeline_init(page->report, &t, err);

    if (status == RC_OK) {
        fputs("<h2 id=\"timeline\">Who measured what when</h2>\n", out);
        if (page->report->unit_count == 0)
            fputs("<p>No unit was measured yet.</p>\n", out);
        else {
            write_summary(out, &t);
            status = draw_spans(page, &t, err);
        }
    }
    if (status == RC_OK && t.busy > 0) {
        fputs("<details><summary>Runs and workers as numbers</summary>\n", out);
        write_spans(out, &t);
        write_workers(out, &t);
        fputs("</details>\n", out);
    }
    timeline_fini(&t);
    return status;
}
