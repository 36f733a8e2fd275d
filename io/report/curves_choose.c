/* The events whose curves tell most. */
#include "io/report/parts.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 16384, LEAST = 20 /* events, though not all readings have room */ };

/* What makes an event worth a look, least first. */
enum worth {
    WORTH_LAST, /* it counts nothing, or has no valid readings */
    WORTH_REST,
    WORTH_REPRESENTED,
    WORTH_EQUAL,
    WORTH_TERM,
    WORTH_CHOSEN,
    WORTH_WANTED,
    WORTH_COUNT
};

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory to choose events");
}

struct choice {
    const struct rc_report *report;
    size_t kind, in, events;
    uint8_t *worth; /* [event] */
};

static void raise(struct choice *c, size_t event, enum worth to)
{
    if (event < c->events && c->worth[event] < to)
        c->worth[event] = (uint8_t)to;
}

static void raise_all(struct choice *c, const size_t *event, size_t count,
                      enum worth to)
{
    for (size_t i = 0; i < count; i++)
        raise(c, event[i], to);
}

static void raise_named(struct choice *c, const struct rc_suite_result *r)
{
    for (size_t i = 0; i < r->chosen_count; i++) {
        raise(c, r->chosen[i].event, WORTH_CHOSEN);
        raise_all(c, r->chosen[i].other, r->chosen[i].other_count, WORTH_EQUAL);
    }
    for (size_t i = 0; i < r->metric_count; i++) {
        const struct rc_metric_result *m = &r->metric[i];
        for (size_t t = 0; t < m->term_count; t++)
            raise(c, m->term[t].event, WORTH_TERM);
        raise_all(c, m->alone, m->alone_count, WORTH_EQUAL);
    }
}

static int raise_columns(struct choice *c, size_t suite, struct rc_error *err)
{
    struct rc_metrics_file *file = c->report->metrics;
    const size_t events = rc_metrics_kind(file, c->in)->event_count;
    uint8_t class[PIECE] = {0}, use[PIECE] = {0};
    int status = RC_OK;

    for (size_t first = 0; first < events && status == RC_OK; first += PIECE) {
        const size_t left = events - first;
        struct rc_event_columns columns = {.first = first,
                                           .count = left < PIECE ? left : PIECE,
                                           .event_class = class,
                                           .use = use};
        status = rc_metrics_read_columns(file, c->in, suite, &columns, err);
        for (size_t i = 0; i < columns.count && status == RC_OK; i++) {
            if (use[i] != RC_USE_NONE && use[i] != RC_USE_OUTSIDE)
                raise(c, first + i, WORTH_REPRESENTED);
            if (class[i] >= RC_CLASS_NOISY)
                raise(c, first + i, WORTH_REST);
        }
    }
    return status;
}

static int raise_solved(struct choice *c, struct rc_error *err)
{
    struct rc_metrics_file *file = c->report->metrics;
    int status = RC_OK;

    for (size_t s = 0; s < rc_metrics_suite_count(file, c->in) && status == RC_OK;
         s++) {
        raise_named(c, rc_metrics_suite(file, c->in, s));
        status = raise_columns(c, s, err);
    }
    return status;
}

static int raise_wanted(struct choice *c, struct rc_error *err)
{
    const struct rc_report *r = c->report;
    struct rc_store_event *event = rc_calloc(PIECE, sizeof *event);
    int status = event ? RC_OK : no_memory(err);

    for (size_t first = 0; first < c->events && status == RC_OK; first += PIECE) {
        const size_t left = c->events - first, count = left < PIECE ? left : PIECE;
        struct rc_pool *pool = rc_pool_create();
        status = pool ? rc_store_read_names(r->store, c->kind, first, count, event,
                                            pool, err)
                      : no_memory(err);
        for (size_t i = 0; i < count && status == RC_OK; i++)
            if (r->wanted(r->context, event[i].name))
                raise(c, first + i, WORTH_WANTED);
        rc_pool_close(pool);
    }
    free(event);
    return status;
}

size_t rc_curves_readings(const struct rc_report *report, size_t kind)
{
    size_t all = 1;

    for (size_t s = 0; s < rc_store_suite_count(report->store, kind); s++) {
        const struct rc_store_suite *suite = rc_store_suite(report->store, kind, s);
        all += suite->place_count * suite->repetitions * suite->point_count;
    }
    return all;
}

/* How many of each worth are taken: the best ones up to the limit, and all wanted. */
static size_t share_out(const struct choice *c, size_t *take)
{
    const size_t room = RC_CURVES_ROOM / rc_curves_readings(c->report, c->kind);
    const size_t fit = room > LEAST ? room : LEAST;
    size_t count[WORTH_COUNT] = {0}, left = c->report->curves, all;

    if (c->report->curves_fit && left > fit)
        left = fit;
    for (size_t e = 0; e < c->events; e++)
        count[c->worth[e]]++;
    all = take[WORTH_WANTED] = count[WORTH_WANTED];
    for (int w = WORTH_WANTED; w-- > 0;) {
        take[w] = count[w] < left ? count[w] : left;
        left -= take[w];
        all += take[w];
    }
    return all;
}

int rc_curves_choose(const struct rc_report *report, size_t kind, size_t **event,
                     size_t *count, struct rc_error *err)
{
    struct choice c = {.report = report,
                       .kind = kind,
                       .in = rc_report_metrics_kind(report, kind),
                       .events = rc_store_kind(report->store, kind)->event_count};
    size_t take[WORTH_COUNT];
    int status = RC_OK;

    *event = NULL;
    *count = 0;
    c.worth = rc_calloc(c.events, sizeof *c.worth);
    if (!c.worth)
        return no_memory(err);
    if (c.in != SIZE_MAX)
        status = raise_solved(&c, err);
    if (status == RC_OK && report->wanted)
        status = raise_wanted(&c, err);
    if (status == RC_OK && !(*event = rc_calloc(share_out(&c, take), sizeof **event)))
        status = no_memory(err);
    for (size_t e = 0; e < c.events && status == RC_OK; e++)
        if (take[c.worth[e]] > 0) {
            take[c.worth[e]]--;
            (*event)[(*count)++] = e;
        }
    free(c.worth);
    return status;
}
