/* Chooses the events whose curves are most worth showing: a page has room for some
 * hundred thousand readings, not for all.
 *
 * Every event gets a rank: first those that the user asked for, then chosen events,
 * then terms of metrics, then events that may replace these, and so on.  The limit is
 * filled from the best rank down, within a rank by the events' numbers, so that the
 * same files give the same page.
 */
#include "io/report/parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 16384, /* events that are read at once */
    LEAST = 20 /* events that are shown even without room for all of their readings */
};

/* Reasons to show an event, least first. */
enum worth {
    WORTH_LAST,        /* it counts nothing, or has no valid readings */
    WORTH_REST,        /* it has readings */
    WORTH_REPRESENTED, /* it is represented in ideals */
    WORTH_EQUAL,       /* it may replace a chosen one, or is a metric alone */
    WORTH_TERM,        /* it is in the combination of a metric */
    WORTH_CHOSEN,      /* the solver took it as a pivot */
    WORTH_WANTED,      /* the user named it */
    WORTH_COUNT
};

struct choice {
    const struct rc_report *report;
    size_t kind, in; /* in the store, in the metrics file (SIZE_MAX: not there) */
    size_t events;   /* of the kind */
    uint8_t *worth;  /* [event] enum worth */
};

static void raise_worth(struct choice *c, size_t event, enum worth to)
{
    if (event < c->events && c->worth[event] < to)
        c->worth[event] = (uint8_t)to;
}

/* Raises the events that a suite's results name. */
static void raise_named(struct choice *c, const struct rc_suite_result *r)
{
    for (size_t i = 0; i < r->chosen_count; i++) {
        const struct rc_chosen *chosen = &r->chosen[i];
        raise_worth(c, chosen->event, WORTH_CHOSEN);
        for (size_t k = 0; k < chosen->other_count; k++)
            raise_worth(c, chosen->other[k], WORTH_EQUAL);
    }
    for (size_t i = 0; i < r->metric_count; i++) {
        const struct rc_metric_result *m = &r->metric[i];
        for (size_t t = 0; t < m->term_count; t++)
            raise_worth(c, m->term[t].event, WORTH_TERM);
        for (size_t a = 0; a < m->alone_count; a++)
            raise_worth(c, m->alone[a], WORTH_EQUAL);
    }
}

/* Raises all events by their class and use in a suite. */
static int raise_columns(struct choice *c, size_t suite, struct rc_error *err)
{
    struct rc_store *file = c->report->metrics;
    const size_t events = rc_store_kind(file, c->in)->event_count;
    uint8_t class[PIECE] = {0}, use[PIECE] = {0};

    for (size_t first = 0; first < events; first += PIECE) {
        const size_t left = events - first;
        struct rc_event_columns columns = {.first = first,
                                           .count = left < PIECE ? left : PIECE,
                                           .event_class = class,
                                           .use = use};
        int status = rc_metrics_read_columns(file, c->in, suite, &columns, err);
        if (status != RC_OK)
            return status;
        for (size_t i = 0; i < columns.count; i++) {
            if (use[i] != RC_USE_NONE && use[i] != RC_USE_OUTSIDE)
                raise_worth(c, first + i, WORTH_REPRESENTED);
            if (class[i] >= RC_CLASS_NOISY)
                raise_worth(c, first + i, WORTH_REST);
        }
    }
    return RC_OK;
}

/* Raises an event that the user named, by pattern or list. */
static bool raise_wanted(void *context, size_t number,
                         const struct rc_store_event *event)
{
    struct choice *c = context;

    if (c->report->wanted(c->report->context, event->name))
        raise_worth(c, number, WORTH_WANTED);
    return true;
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

/* Sets how many events of each worth are taken, and returns their sum: the best ones up
 * to the user's limit and the page's room, and all wanted ones.
 */
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
    struct rc_store *file = report->metrics;
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
        return rc_report_fail_memory(err);
    for (size_t s = 0; c.in != SIZE_MAX && s < rc_store_suite_count(file, c.in); s++) {
        raise_named(&c, rc_metrics_suite(file, c.in, s));
        if ((status = raise_columns(&c, s, err)))
            goto out;
    }
    if (report->wanted &&
        (status = rc_store_each_name(report->store, kind, raise_wanted, &c, err)))
        goto out;
    *event = rc_calloc(share_out(&c, take), sizeof **event);
    if (!*event) {
        status = rc_report_fail_memory(err);
        goto out;
    }
    for (size_t e = 0; e < c.events; e++)
        if (take[c.worth[e]] > 0) {
            take[c.worth[e]]--;
            (*event)[(*count)++] = e;
        }
out:
    free(c.worth);
    return status;
}
