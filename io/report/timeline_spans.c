/* When somebody measured, run by run, and how busy who was. */
#include "campaign/base/memory.h"
#include "io/report/timeline_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double LONG_PAUSE_S = 600;

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

    return t <= 0 ? 0 : (uint64_t)t * RC_SECOND_NS;
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
    const uint64_t until = begin_ns + RC_SECOND_NS;
    size_t found = count;
    double longest = -1;

    for (size_t i = 0; i < count; i++) {
        const uint64_t from = i > 0 ? in[i - 1].end_ns : 0;
        if (from >= until)
            break;
        const bool taken = run[i] < r->run_count &&
                           time_of(r->run[run[i]].begin) + RC_SECOND_NS > begin_ns;
        if (in[i].begin_ns < begin_ns || taken)
            continue;
        if (rc_seconds(from, in[i].begin_ns) > longest) {
            longest = rc_seconds(from, in[i].begin_ns);
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

static int add_span(struct rc_timeline *t, const struct interval *of, size_t run,
                    struct rc_error *err)
{
    if (rc_grow(&t->span, sizeof *t->span, t->spans, &t->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu runs", t->spans);
    t->span[t->spans++] =
        (struct rc_span){.begin_ns = of->begin_ns, .end_ns = of->end_ns, .run = run};
    return RC_OK;
}

/* A pause ends a span where a run began in it, or where it is long. */
static int cut_spans(struct rc_timeline *t, const struct interval *in, size_t count,
                     struct rc_error *err)
{
    size_t *run = place_runs(t->report, in, count);
    double busy_s = 0;
    int status =
        run ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %zu units", count);

    for (size_t i = 0; i < count; i++)
        busy_s += rc_seconds(in[i].begin_ns, in[i].end_ns);
    for (size_t i = 0; i < count && status == RC_OK; i++) {
        const double pause =
            i > 0 ? rc_seconds(in[i - 1].end_ns, in[i].begin_ns) : INFINITY;
        if (run[i] < t->report->run_count || pause > fmax(LONG_PAUSE_S, busy_s))
            status = add_span(t, &in[i], run[i], err);
        else
            t->span[t->spans - 1].end_ns = in[i].end_ns;
    }
    free(run);
    return status;
}

static int find_spans(struct rc_timeline *t, struct rc_error *err)
{
    const struct rc_report *r = t->report;
    struct interval *in = rc_calloc(r->unit_count, sizeof *in);
    size_t count = 0;

    if (!in)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu units", r->unit_count);
    for (size_t i = 0; i < r->unit_count; i++)
        if (rc_unit_timed(r, &r->unit[i]))
            in[count++] =
                (struct interval){r->unit[i].begin_ns, rc_unit_end(&r->unit[i])};
    int status = cut_spans(t, in, unite(in, count), err);
    free(in);
    return status;
}

/* The span that a time is in: there is one. */
size_t rc_timeline_span(const struct rc_timeline *t, uint64_t begin_ns)
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
static void sum_units(struct rc_timeline *t)
{
    const struct rc_report *r = t->report;

    for (size_t i = 0; i < r->unit_count; i++) {
        const struct rc_report_unit *u = &r->unit[i];
        t->bad += u->status > 1;
        if (u->worker >= r->worker_count)
            continue;
        struct rc_busy *s = &t->sum[u->worker];
        s->units++;
        if (u->begin_ns == 0) {
            s->untimed_s += (double)u->wall_ns * 1e-9;
            t->untimed++;
            continue;
        }
        const size_t in = rc_timeline_span(t, u->begin_ns);
        struct rc_span *span = &t->span[in];
        const double busy = rc_seconds(
            u->begin_ns > s->last_ns ? u->begin_ns : s->last_ns, rc_unit_end(u));
        if (s->span != in + 1) {
            s->present_s += rc_seconds(span->begin_ns, span->end_ns);
            span->workers++;
            s->span = in + 1;
        }
        if (s->timed++ == 0)
            s->first_ns = u->begin_ns;
        s->last_ns = rc_unit_end(u) > s->last_ns ? rc_unit_end(u) : s->last_ns;
        s->busy_s += busy;
        span->busy_s += busy;
        span->units++;
    }
}

/* Which workers are shown: all, or evenly many of them with the least and the most
 * busy one.
 */
static void choose_rows(struct rc_timeline *t)
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
        count <= RC_TIMELINE_ROWS ? 1 : (double)(RC_TIMELINE_ROWS - 2) / (double)count;
    for (size_t w = 0; w < count; w++) {
        const bool due = floor(chosen + share) > floor(chosen);
        chosen += share;
        if (count <= RC_TIMELINE_ROWS || due || w == least || w == most)
            t->row[t->rows++] = w;
    }
}

/* Suites of the same name are of one colour in all kinds. */
static int name_suites(struct rc_timeline *t, struct rc_error *err)
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

size_t rc_timeline_suite(const struct rc_timeline *t, const struct rc_report_unit *u)
{
    if (u->kind >= rc_store_kind_count(t->report->store) ||
        u->suite >= rc_store_suite_count(t->report->store, u->kind))
        return t->names;
    return t->colour[t->first[u->kind] + u->suite];
}

int rc_timeline_init(const struct rc_report *r, struct rc_timeline *t,
                     struct rc_error *err)
{
    *t = (struct rc_timeline){.report = r};
    t->sum = rc_calloc(r->worker_count, sizeof *t->sum);
    t->row = rc_calloc(RC_TIMELINE_ROWS + 2, sizeof *t->row);
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

void rc_timeline_fini(struct rc_timeline *t)
{
    free(t->span);
    free(t->sum);
    free(t->row);
    free(t->colour);
    free(t->first);
    free(t->name);
}

double rc_span_utilisation(const struct rc_span *s)
{
    const double all = rc_seconds(s->begin_ns, s->end_ns) * (double)s->workers;

    return all > 0 ? fmin(100 * s->busy_s / all, 100) : 100;
}
