/* Of some events all repetitions on all points, event by event. */
#include "io/report/curves_parts.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    TICS_WIDTH = 370, /* fewer names than a figure has room for: the table has all */
    FIGURES = 256,    /* at most, for one start of gnuplot */
    NUMBERS = 300000  /* of single readings, where not all have room */
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the curves of events");
}

/* All curves of a kind, and the batch that is being drawn. */
struct curves {
    struct rc_report_page *page;
    size_t kind, in; /* in the store, in the metrics file */
    struct rc_curve_suite *suite;
    size_t suites;
    const size_t *event; /* of the batch */
    size_t events, most;
    struct rc_store_event *label;     /* [event] */
    struct rc_curve_section *section; /* [event][suite] */
    struct rc_curve_section **drawn;  /* in the order of the figures */
    size_t figures;
    size_t numbers, sections; /* that the page has room for, and that are to come */
};

static size_t word_number(const char *const *list, size_t count, const char *word)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], word) != 0)
        i++;
    return i;
}

/* Where the store holds a coordinate of a representation. */
static size_t find_ideal(const struct rc_curve_suite *s, size_t coordinate)
{
    const char *name = s->result->coordinate[coordinate];
    const size_t at = word_number(s->labels->ideals, s->labels->ideal_count, name);

    if (coordinate < s->result->ideal_count)
        return at < s->labels->ideal_count ? at : RC_CURVE_UNKNOWN;
    if (strcmp(name, "each iteration") == 0)
        return RC_CURVE_ITERATION;
    return strcmp(name, "each reading") == 0 ? RC_CURVE_READING : RC_CURVE_UNKNOWN;
}

/* The result of a suite of the store, if it is of the same readings. */
static int find_result(const struct curves *c, struct rc_curve_suite *s,
                       struct rc_error *err)
{
    const struct rc_report *r = c->page->report;

    for (size_t i = 0;
         c->in != SIZE_MAX && i < rc_metrics_suite_count(r->metrics, c->in); i++)
        if (rc_report_store_suite(r, c->in, i) == s->number) {
            s->result = rc_metrics_suite(r->metrics, c->in, i);
            s->in = i;
        }
    if (s->result &&
        !rc_report_same_points(s->labels, s->result->point, s->result->point_count))
        s->result = NULL;
    if (!s->result)
        return RC_OK;
    s->ideal = rc_calloc(s->result->coordinate_count, sizeof *s->ideal);
    if (!s->ideal)
        return no_memory(err);
    for (size_t i = 0; i < s->result->coordinate_count; i++)
        s->ideal[i] = find_ideal(s, i);
    return RC_OK;
}

static int init_suite(struct curves *c, size_t number, struct rc_error *err)
{
    struct rc_curve_suite *s = &c->suite[number];
    const struct rc_store_suite *l =
        rc_store_suite(c->page->report->store, c->kind, number);

    s->number = number;
    s->labels = l;
    s->ok = word_number(l->statuses, l->status_count, "ok");
    int status = rc_report_points_init(&s->points, l->points, l->point_count, l,
                                       TICS_WIDTH, err);
    return status == RC_OK ? find_result(c, s, err) : status;
}

/* A metrics.h5 of other readings numbers events in another way. */
static bool goes_with(const struct rc_report *r, size_t kind, size_t in)
{
    const struct rc_store_kind *a = rc_store_kind(r->store, kind);
    const struct rc_store_kind *b = rc_metrics_kind(r->metrics, in);

    return a->event_count == b->event_count &&
           strcmp(rc_store_campaign(r->store)->id,
                  rc_metrics_campaign(r->metrics)->id) == 0;
}

static int init(struct curves *c, struct rc_error *err)
{
    const struct rc_report *r = c->page->report;
    int status = RC_OK;

    c->in = rc_report_metrics_kind(r, c->kind);
    if (c->in != SIZE_MAX && !goes_with(r, c->kind, c->in))
        c->in = SIZE_MAX;
    const size_t suites = rc_store_suite_count(r->store, c->kind);
    c->most = suites && suites < FIGURES ? FIGURES / suites : 1;
    c->suite = rc_calloc(suites, sizeof *c->suite);
    c->label = rc_calloc(c->most, sizeof *c->label);
    c->section = rc_calloc(c->most * suites, sizeof *c->section);
    c->drawn = rc_calloc(c->most * suites, sizeof(struct rc_curve_section *));
    if (!c->suite || !c->label || !c->section || !c->drawn)
        return no_memory(err);
    for (; c->suites < suites && status == RC_OK; c->suites++)
        status = init_suite(c, c->suites, err);
    return status;
}

static void forget(struct curves *c)
{
    for (size_t i = 0; i < c->events * c->suites; i++) {
        free(c->section[i].svg);
        free(c->section[i].text);
        c->section[i] = (struct rc_curve_section){0};
    }
    c->figures = 0;
}

static void fini(struct curves *c)
{
    if (c->section)
        forget(c);
    for (size_t i = 0; i < c->suites; i++) {
        free(c->suite[i].ideal);
        rc_report_points_fini(&c->suite[i].points);
    }
    free(c->suite);
    free(c->label);
    free(c->section);
    free((void *)c->drawn);
}

/* Events of one chunk of a suite, as they are in the files. */
struct piece {
    struct rc_store_block block;
    double *representation, *residual;
    size_t first, count;
};

static int read_piece(struct curves *c, const struct rc_curve_suite *s, struct piece *p,
                      struct rc_error *err)
{
    const struct rc_report *r = c->page->report;
    const size_t vectors = s->labels->place_count * s->labels->repetitions;
    const size_t width = s->result ? s->result->coordinate_count : 0;
    int status;

    p->block.first = p->first;
    p->block.count = p->count;
    p->block.values =
        rc_calloc(p->count * vectors, s->labels->point_count * sizeof *p->block.values);
    p->block.status = rc_calloc(p->count, vectors);
    p->representation = rc_calloc(p->count, width * sizeof *p->representation);
    p->residual = rc_calloc(p->count, sizeof *p->residual);
    if (!p->block.values || !p->block.status || !p->representation || !p->residual)
        return no_memory(err);
    status = rc_store_read_alone(r->store, c->kind, s->number, &p->block, err);
    if (status != RC_OK || !s->result)
        return status;
    struct rc_event_columns columns = {.first = p->first,
                                       .count = p->count,
                                       .residual = p->residual,
                                       .representation = p->representation};
    return rc_metrics_read_columns(r->metrics, c->in, s->in, &columns, err);
}

static void piece_fini(struct piece *p)
{
    free(p->block.values);
    free(p->block.status);
    free(p->representation);
    free(p->residual);
}

static const uint64_t *iterations_of(const struct rc_curve_suite *s, const char *source)
{
    const size_t number =
        word_number(s->labels->sources, s->labels->source_count, source);

    return number < s->labels->source_count
               ? s->labels->iterations + number * s->labels->point_count
               : NULL;
}

/* Event 'e' of the batch in suite 's'. */
static int draw_event(struct curves *c, size_t e, size_t s, const struct piece *p,
                      struct rc_error *err)
{
    const struct rc_curve_suite *suite = &c->suite[s];
    const size_t at = c->event[e] - p->first;
    const size_t vectors = suite->labels->place_count * suite->labels->repetitions;
    const size_t width = suite->result ? suite->result->coordinate_count : 0;
    struct rc_curve_section *section = &c->section[e * c->suites + s];
    const struct rc_curve curve = {
        .suite = suite,
        .event = c->label[e].name,
        .iterations = iterations_of(suite, c->label[e].source),
        .values = p->block.values + at * vectors * suite->labels->point_count,
        .status = p->block.status + at * vectors,
        .representation = width ? p->representation + at * width : NULL,
        .residual = p->residual[at],
        .room = c->numbers / c->sections / 2}; /* for lines, and for the table */
    int status = rc_curve_section(&curve, c->page->figures, section, err);

    c->sections--;
    c->numbers -= section->used < c->numbers ? section->used : c->numbers;
    if (status == RC_OK && section->drawn)
        c->drawn[c->figures++] = section;
    return status;
}

/* A suite's chunks are read once, if any event of the batch is in them. */
static int draw_suite(struct curves *c, size_t s, struct rc_error *err)
{
    const size_t chunk = rc_store_chunk(c->page->report->store, c->kind, s);
    int status = RC_OK;

    for (size_t e = 0, next; e < c->events && status == RC_OK; e = next) {
        struct piece piece = {.first = c->event[e]};
        for (next = e;
             next < c->events && c->event[next] / chunk == c->event[e] / chunk; next++)
            piece.count = c->event[next] + 1 - piece.first;
        status = read_piece(c, &c->suite[s], &piece, err);
        for (size_t i = e; i < next && status == RC_OK; i++)
            status = draw_event(c, i, s, &piece, err);
        piece_fini(&piece);
    }
    return status;
}

static int keep_figure(void *context, size_t number, const char *svg, size_t bytes,
                       struct rc_error *err)
{
    struct curves *c = context;

    (void)bytes;
    c->drawn[number]->svg = strdup(svg);
    return c->drawn[number]->svg ? RC_OK : no_memory(err);
}

/* All suites of one event, as one text within the page. */
static int put_event(struct curves *c, size_t e, struct rc_error *err)
{
    char *text = NULL, id[64];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    int status;

    if (!out)
        return no_memory(err);
    for (size_t s = 0; s < c->suites; s++) {
        const struct rc_curve_section *section = &c->section[e * c->suites + s];
        fputs("<section><h4>", out);
        rc_html_put(out, c->suite[s].labels->name);
        fputs("</h4>", out);
        if (section->drawn)
            fprintf(out, "<figure>%s%s", section->svg, section->text);
        else
            fputs(section->text, out);
        fputs("</section>\n", out);
    }
    status = fclose(out) == 0 ? RC_OK : no_memory(err);
    snprintf(id, sizeof id, "curve-%zu-%zu", c->kind, c->event[e]);
    if (status == RC_OK)
        status = rc_html_data(c->page->out, id, text, bytes, err);
    free(text);
    return status;
}

static int put_batch(struct curves *c, struct rc_error *err)
{
    struct rc_store *store = c->page->report->store;
    struct rc_pool *pool = rc_pool_create();
    int status = pool ? RC_OK : no_memory(err);

    for (size_t e = 0; e < c->events && status == RC_OK; e++)
        status = rc_store_read_names(store, c->kind, c->event[e], 1, &c->label[e], pool,
                                     err);
    for (size_t s = 0; s < c->suites && status == RC_OK; s++)
        status = draw_suite(c, s, err);
    if (status == RC_OK)
        status = rc_figures_draw(c->page->figures, keep_figure, c, err);
    for (size_t e = 0; e < c->events && status == RC_OK; e++)
        status = put_event(c, e, err);
    forget(c);
    rc_pool_close(pool);
    return status;
}

int rc_report_curves(struct rc_report_page *page, size_t kind, size_t **event,
                     size_t *count, struct rc_error *err)
{
    struct curves c = {.page = page, .kind = kind};
    int status = rc_curves_choose(page->report, kind, event, count, err);

    if (status == RC_OK)
        status = init(&c, err);
    c.numbers = *count <= RC_CURVES_ROOM / rc_curves_readings(page->report, kind)
                    ? SIZE_MAX
                    : NUMBERS;
    c.sections = *count * c.suites;
    for (size_t at = 0; at < *count && status == RC_OK; at += c.most) {
        c.event = *event + at;
        c.events = *count - at < c.most ? *count - at : c.most;
        status = put_batch(&c, err);
    }
    fini(&c);
    if (status != RC_OK) {
        free(*event);
        *event = NULL;
        *count = 0;
    }
    return status;
}
