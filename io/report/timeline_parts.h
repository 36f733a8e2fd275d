/* timeline_parts.h - who measured what when: inside of timeline*.c only */
#ifndef RC_IO_REPORT_TIMELINE_PARTS_H
#define RC_IO_REPORT_TIMELINE_PARTS_H

#include "io/report/parts.h"

#define RC_SECOND_NS UINT64_C(1000000000)

enum { RC_TIMELINE_ROWS = 60 }; /* workers that are drawn and listed, and two more */

/* A time in which somebody measured, between two runs or long pauses. */
struct rc_span {
    uint64_t begin_ns, end_ns;
    size_t run; /* of the report; run_count: not known */
    size_t units, workers;
    double busy_s;
};

/* A worker over all spans. */
struct rc_busy {
    size_t units, timed;
    uint64_t first_ns, last_ns;
    double busy_s, untimed_s; /* in units of which the begin is known, and not */
    double present_s;         /* the length of spans in which it measured */
    size_t span;              /* the last one that was counted, and one more */
};

struct rc_timeline {
    const struct rc_report *report;
    struct rc_span *span;
    size_t spans, room;
    struct rc_busy *sum; /* of each worker */
    size_t *row;         /* workers that are shown, in rising order */
    size_t rows, busy;
    size_t *colour; /* by suite of a kind, first[kind] + suite: its name's number */
    size_t *first;
    const char **name; /* of suites, each once */
    size_t names;
    size_t untimed, bad; /* units without a begin; not good ones */
};

static inline uint64_t rc_unit_end(const struct rc_report_unit *u)
{
    return u->begin_ns > UINT64_MAX - u->wall_ns ? UINT64_MAX
                                                 : u->begin_ns + u->wall_ns;
}

static inline double rc_seconds(uint64_t from, uint64_t to)
{
    return to > from ? (double)(to - from) * 1e-9 : 0;
}

/* Units of which something is known: 'u' is of a worker that there is. */
static inline bool rc_unit_timed(const struct rc_report *r,
                                 const struct rc_report_unit *u)
{
    return u->begin_ns > 0 && u->worker < r->worker_count;
}

/* timeline_spans.c: what there is to show; the caller fini()s it, on failure too. */
int rc_timeline_init(const struct rc_report *report, struct rc_timeline *out,
                     struct rc_error *err);
void rc_timeline_fini(struct rc_timeline *timeline);

/* The span that a time is in: there is one.  The name of a unit's suite, by number. */
size_t rc_timeline_span(const struct rc_timeline *timeline, uint64_t begin_ns);
size_t rc_timeline_suite(const struct rc_timeline *timeline,
                         const struct rc_report_unit *unit);

/* How many percent of its workers' time a span was used. */
double rc_span_utilisation(const struct rc_span *span);

/* timeline_draw.c: the figure of a span. */
int rc_timeline_draw(struct rc_report_page *page, const struct rc_timeline *timeline,
                     size_t span, struct rc_error *err);

#endif
