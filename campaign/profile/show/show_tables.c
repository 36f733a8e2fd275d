/* The tables of a profile, for a terminal and as JSON: regions, what threads counted in
 * them, MPI functions, series.
 */
#include "campaign/base/words.h"
#include "campaign/profile/read/phases.h"
#include "campaign/profile/show/show_parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    CELL = 48,
    NODES_MOST = 4 /* each has its rows on a terminal; more are put together */
};

/* Numbers as cells: to so many decimals, to 6 digits, whole.  NULL: not known. */
static const char *put_fixed(char out[CELL], double value, int decimals)
{
    snprintf(out, CELL, "%.*f", decimals, value);
    return isfinite(value) ? out : NULL;
}

static const char *put_short(char out[CELL], double value)
{
    snprintf(out, CELL, "%.6g", value);
    return isfinite(value) ? out : NULL;
}

/* Seconds: for people as many digits as they read. */
static const char *put_seconds(char out[CELL], double value, bool people)
{
    if (!people)
        return put_fixed(out, value, 6);
    snprintf(out, CELL, value >= 10 ? "%.1f" : value >= 0.001 ? "%.4f" : "%.1e", value);
    return value == 0 ? "0" : isfinite(value) ? out : NULL;
}

/* 13.5 GB, 370 MB/s; what is next to nothing is 0. */
static const char *put_amount(char out[CELL], double value, const char *unit)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t at = 0;

    if (!isfinite(value))
        return NULL;
    for (; fabs(value) >= 999.5 && *unit != '%' &&
           at + 1 < sizeof prefix / sizeof *prefix;
         at++)
        value /= 1000;
    snprintf(out, CELL, *unit == '%' ? "%.4g%s%s%s" : "%.3g%s%s%s",
             fabs(value) < 1e-12 ? 0 : value, *prefix[at] || *unit ? " " : "",
             prefix[at], unit);
    return out;
}

/* The unit in which people read an event's values, and how many of it one value is. */
static const char *unit_of(const struct rc_profile_event *event, double *factor)
{
    const bool kib = event->state && strstr(event->description, "(KiB") &&
                     !strstr(event->name, "HugePages_");

    *factor = kib ? 1024 : 1;
    return event->tick_ns ? "%" : kib || strstr(event->name, "bytes") ? "B" : "";
}

/* A value of an event: for people with its unit, a rate with "/s" after it. */
static const char *put_value(char out[CELL], const struct rc_profile_event *event,
                             double value, bool people)
{
    double factor;
    char unit[8];

    if (!people)
        return put_short(out, value);
    snprintf(unit, sizeof unit, "%s%s", unit_of(event, &factor),
             event->state || event->tick_ns ? "" : "/s");
    return put_amount(out, value * factor, unit);
}

static const char *put_whole(char out[CELL], uint64_t value)
{
    snprintf(out, CELL, "%" PRIu64, value);
    return out;
}

/* NAN, which is an empty cell, where there is no whole. */
static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : NAN;
}

const char *rc_profile_rank_text(const struct rc_profile_sums *sums, size_t rank,
                                 char out[RC_PROFILE_RANK_TEXT])
{
    out[0] = 0;
    if (rank >= sums->rank_count)
        return out;
    if (sums->rank[rank].rank >= 0)
        snprintf(out, RC_PROFILE_RANK_TEXT, "rank %" PRId64, sums->rank[rank].rank);
    else
        snprintf(out, RC_PROFILE_RANK_TEXT, "pid %" PRIu64 " on %.32s",
                 sums->rank[rank].pid, sums->rank[rank].node);
    return out;
}

/* A table for people, or the array 'key' of 'json'. */
static struct rc_rows *begin_rows(const struct rc_column *columns, const char *key,
                                  struct rc_json *json)
{
    if (json)
        rc_json_array(json, key);
    struct rc_rows *rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, columns, json);

    rc_rows_fit(rows);
    return rows;
}

/* 'left': rows that people do not see. */
static int end_rows(struct rc_rows *rows, struct rc_json *json, size_t left,
                    struct rc_error *err)
{
    const int status = rc_rows_end(rows, RC_OK, err);

    if (json)
        rc_json_end(json);
    else if (left > 0 && status == RC_OK)
        printf("(and %zu more: --format json has all)\n", left);
    return status;
}

/* The cells that regions and functions have alike: share, mean, least and most over
 * ranks, their imbalance, and where the most was.
 */
enum { SHARE, MEAN, LEAST, MOST, IMBALANCE, SPREADS };
static void put_spread(const struct rc_profile_sums *s,
                       const struct rc_profile_spread *spread, bool people,
                       char text[SPREADS][CELL], char rank[RC_PROFILE_RANK_TEXT],
                       const char *cell[SPREADS + 1])
{
    cell[SHARE] = put_fixed(text[SHARE], percent(spread->total, s->ns), 1);
    cell[MEAN] = put_seconds(text[MEAN], spread->mean / 1e9, people);
    cell[LEAST] = put_seconds(text[LEAST], spread->least / 1e9, people);
    cell[MOST] = put_seconds(text[MOST], spread->most / 1e9, people);
    cell[IMBALANCE] = put_fixed(
        text[IMBALANCE], spread->mean > 0 ? spread->most / spread->mean : NAN, 2);
    cell[SPREADS] = rc_profile_rank_text(s, spread->most_at, rank);
}

static const struct rc_column region_columns[] = {
    {.name = "region"},
    {.name = "visits", .type = RC_CELL_NUMBER},
    {.name = "share_%", .type = RC_CELL_NUMBER},
    {.name = "mean_s", .type = RC_CELL_NUMBER},
    {.name = "min_s", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "max_s", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "max/mean", .type = RC_CELL_NUMBER},
    {.name = "most_on"},
    {.name = "mpi_%", .type = RC_CELL_NUMBER},
    {.name = "inclusive_s", .type = RC_CELL_NUMBER},
    {.name = "measured", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "not_counted", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = NULL}};

/* One region. The row of time outside of all has no visits. */
static void put_region(const struct rc_profile_sums *s,
                       const struct rc_profile_region *region, bool people,
                       struct rc_rows *rows)
{
    char spread[SPREADS][CELL], rank[RC_PROFILE_RANK_TEXT], visits[CELL], mpi[CELL],
        inclusive[CELL], measured[CELL], lost[CELL];
    const char *cell[] = {
        region->name,
        region->outside ? NULL : put_whole(visits, region->visits),
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        NULL,
        put_fixed(mpi, percent(region->mpi_ns, region->own.total), 1),
        put_seconds(inclusive, region->inclusive_ns / 1e9 / (double)s->rank_count,
                    people),
        region->outside ? NULL : put_whole(measured, region->measured),
        put_whole(lost, region->lost)};

    put_spread(s, &region->own, people, spread, rank, cell + 2);
    rc_rows_add(rows, cell);
}

/* Rows are in the order of their time, so that the first ones are the answer. */
int rc_profile_show_regions(const struct rc_profile_sums *sums, size_t most,
                            struct rc_json *json, struct rc_error *err)
{
    const size_t count = json || sums->region_count < most ? sums->region_count : most;
    struct rc_rows *rows = begin_rows(region_columns, "regions", json);

    for (size_t i = 0; i < count; i++)
        put_region(sums, &sums->region[i], !json, rows);
    return end_rows(rows, json, sums->region_count - count, err);
}

static const struct rc_column count_columns[] = {
    {.name = "region"},
    {.name = "event"},
    {.name = "count", .type = RC_CELL_NUMBER},
    {.name = "share_%", .type = RC_CELL_NUMBER},
    {.name = "per_s", .type = RC_CELL_NUMBER},
    {.name = "per_visit", .type = RC_CELL_NUMBER},
    {.name = NULL}};

/* A row for each region and event; shares are of the whole program's count. */
int rc_profile_show_counts(const struct rc_profile_sums *sums, size_t most,
                           struct rc_json *json, struct rc_error *err)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    const size_t count = json || sums->region_count < most ? sums->region_count : most;
    double all[RC_SHARED_COUNTERS] = {0};
    struct rc_rows *rows = begin_rows(count_columns, "counts", json);

    for (size_t i = 0; i < sums->region_count; i++)
        for (size_t c = 0; c < launch->counter_count; c++)
            all[c] += sums->region[i].count[c];
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < launch->counter_count; c++) {
            const struct rc_profile_region *r = &sums->region[i];
            char value[CELL], share[CELL], rate[CELL], visit[CELL];
            const char *const cell[] = {
                r->name,
                launch->counter[c],
                put_fixed(value, r->count[c], 0),
                put_fixed(share, percent(r->count[c], all[c]), 1),
                put_short(rate,
                          r->own.total > 0 ? r->count[c] * 1e9 / r->own.total : NAN),
                put_short(visit,
                          r->measured > 0 ? r->count[c] / (double)r->measured : NAN)};
            rc_rows_add(rows, cell);
        }
    return end_rows(rows, json, sums->region_count - count, err);
}

enum { RATE = 9, WAITING = 11, STARVED = 13, WAITS_FOR = 14 };
static const struct rc_column call_columns[] = {
    {.name = "call"},
    {.name = "calls", .type = RC_CELL_NUMBER},
    {.name = "share_%", .type = RC_CELL_NUMBER},
    {.name = "mean_s", .type = RC_CELL_NUMBER},
    {.name = "min_s", .text_hidden = true, .type = RC_CELL_NUMBER},
    {.name = "max_s", .text_hidden = true, .type = RC_CELL_NUMBER},
    {.name = "max/mean", .text_hidden = true, .type = RC_CELL_NUMBER},
    {.name = "most_on", .text_hidden = true},
    {.name = "bytes", .type = RC_CELL_NUMBER},
    [RATE] = {.name = "rate", .text_only = true, .type = RC_CELL_NUMBER},
    {.name = "longest_s", .text_hidden = true, .type = RC_CELL_NUMBER},
    [WAITING] = {.name = "waiting_s", .type = RC_CELL_NUMBER},
    {.name = "known_%", .text_hidden = true, .type = RC_CELL_NUMBER},
    [STARVED] = {.name = "starved_s", .type = RC_CELL_NUMBER},
    [WAITS_FOR] = {.name = "waits_for"},
    {.name = "completing_s", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = "wrong_order_s", .type = RC_CELL_NUMBER, .text_hidden = true},
    {.name = NULL}};

/* All MPI functions: there are not many. */
int rc_profile_show_calls(const struct rc_profile_sums *sums, struct rc_json *json,
                          struct rc_error *err)
{
    struct rc_column columns[sizeof call_columns / sizeof *call_columns];
    const bool starving = sums->starved_ns > 0.01 * sums->mpi_ns;
    const double ranks = 1e9 * (double)sums->rank_count;

    bool waits = false;

    for (size_t i = 0; i < sums->function_count; i++)
        waits |= sums->function[i].known > 0;
    memcpy(columns, call_columns, sizeof columns); /* without those that are empty */
    columns[WAITING].text_hidden = columns[WAITS_FOR].text_hidden = !waits;
    columns[STARVED].text_hidden = !starving;
    columns[RATE].text_hidden = starving; /* there is no room for both */
    struct rc_rows *rows = begin_rows(columns, "calls", json);
    for (size_t i = 0; i < sums->function_count; i++) {
        const struct rc_profile_function *f = &sums->function[i];
        char spread[SPREADS][CELL], rank[RC_PROFILE_RANK_TEXT], calls[CELL],
            bytes[CELL], rate[CELL], longest[CELL], waiting[CELL], known[CELL],
            completing[CELL], wrong[CELL], starved[CELL];
        char waits_for[2 * CELL];
        snprintf(waits_for, sizeof waits_for, "%s", f->waits_for);
        if (!json && f->known > 0 && f->known < f->calls)
            rc_text_append(waits_for, sizeof waits_for, " (%.0f %% known)",
                           percent((double)f->known, (double)f->calls));
        const double a_rank = f->known > 0 ? 1e9 * (double)sums->rank_count : NAN;
        const char *cell[] = {
            f->name,
            put_whole(calls, f->calls),
            NULL,
            NULL,
            NULL,
            NULL,
            NULL,
            NULL,
            json            ? put_whole(bytes, f->bytes)
            : f->bytes == 0 ? NULL
                            : put_amount(bytes, (double)f->bytes, "B"),
            f->bytes == 0 || sums->wall_ns == 0
                ? NULL
                : put_amount(rate, 1e9 * (double)f->bytes / (double)sums->wall_ns,
                             "B/s"),
            put_seconds(longest, (double)f->longest_ns / 1e9, !json),
            put_seconds(waiting, f->waited_ns / a_rank, !json),
            put_fixed(known,
                      f->known > 0 ? percent((double)f->known, (double)f->calls) : NAN,
                      1),
            put_seconds(starved, starving ? f->starved_ns / ranks : NAN, !json),
            waits_for,
            put_fixed(completing, f->completing_ns / a_rank, 6),
            put_fixed(wrong, f->wrong_order_ns / a_rank, 6)};
        put_spread(sums, &f->ns, !json, spread, rank, cell + 2);
        rc_rows_add(rows, cell);
    }
    const int status = end_rows(rows, json, 0, err);
    if (starving && !json && status == RC_OK)
        puts("(starved_s: of the time in calls, while another rank waited for a "
             "processor)");
    return status;
}

static const struct rc_column nodes_columns[] = {
    RC_TEXT("call"),     RC_TEXT("nodes"),   RC_NUMBER("calls"),
    RC_NUMBER("mean_s"), RC_NUMBER("bytes"), {.name = NULL}};

int rc_profile_show_nodes(const struct rc_profile_sums *sums, struct rc_json *json,
                          struct rc_error *err)
{
    struct rc_rows *rows = begin_rows(nodes_columns, "calls_by_nodes", json);

    for (size_t i = 0; i < sums->function_count; i++)
        for (uint64_t n = 1; n <= RC_SHARED_SEVERAL_NODES; n++) {
            const struct rc_profile_of_nodes *of = &sums->function[i].of_nodes[n];
            char calls[CELL], mean[CELL], bytes[CELL];
            if (of->calls > 0)
                rc_rows_add(
                    rows, (const char *const[]){
                              sums->function[i].name, rc_profile_nodes_name(n),
                              put_whole(calls, of->calls),
                              put_seconds(mean, of->ns / 1e9 / (double)sums->rank_count,
                                          !json),
                              json ? put_whole(bytes, of->bytes)
                                   : put_amount(bytes, (double)of->bytes, "B")});
        }
    return end_rows(rows, json, 0, err);
}

static const struct rc_column series_columns[] = {
    {.name = "event"},
    {.name = "on"},
    {.name = "scope"},
    {.name = "readings", .text_hidden = true, .type = RC_CELL_NUMBER},
    {.name = "unit", .text_hidden = true},
    {.name = "mean", .type = RC_CELL_NUMBER},
    {.name = "min", .type = RC_CELL_NUMBER},
    {.name = "max", .type = RC_CELL_NUMBER},
    {.name = "last", .text_hidden = true, .type = RC_CELL_NUMBER},
    {.name = "total", .type = RC_CELL_NUMBER},
    {.name = "source", .text_hidden = true},
    {.name = "simulated", .text_hidden = true},
    {.name = "not_read", .text_hidden = true},
    {.name = "not_valid", .text_hidden = true},
    {.name = NULL}};

/* People see after its name that it is simulated. */
static void put_series(const struct rc_profile_series *series,
                       const struct rc_profile_series_sum *sum, const char *on,
                       bool mark, struct rc_rows *rows)
{
    const struct rc_profile_event *e = &series->event;
    char name[RC_SHARED_EVENT_NAME + 16] = "", text[6][CELL];
    double factor;
    const char *unit = unit_of(e, &factor);

    rc_text_append(name, sizeof name, "%s%s", e->name,
                   mark && e->simulated ? " (simulated)" : "");
    const char *const cell[] = {
        mark ? name : e->name,
        on,
        rc_scope_name(e->scope),
        put_whole(text[0], sum->valid),
        rc_profile_unit(e),
        put_value(text[1], e, sum->mean, mark),
        put_value(text[2], e, sum->least, mark),
        put_value(text[3], e, sum->most, mark),
        put_value(text[4], e, sum->last, mark),
        e->state ? NULL
        : mark   ? put_amount(text[5], sum->total, e->tick_ns ? "s" : unit)
                 : put_short(text[5], sum->total),
        e->source,
        e->simulated ? "true" : "false",
        e->reason,
        series->why};
    rc_rows_add(rows, cell);
}

/* The series of that name and source on another node, or NULL. */
static const struct rc_profile_series *same_series(const struct rc_profile_node *node,
                                                   size_t near,
                                                   const struct rc_profile_event *event)
{
    for (size_t i = 0; i < node->series_count; i++) { /* most often at the same place */
        const struct rc_profile_series *s =
            &node->series[(near + i) % node->series_count];
        if (strcmp(s->event.name, event->name) == 0 &&
            strcmp(s->event.source, event->source) == 0)
            return s;
    }
    return NULL;
}

/* One row for an event of many nodes: the mean of their means, and the extremes. */
static void put_together(const struct rc_profile_sums *s, size_t number,
                         struct rc_rows *rows)
{
    const struct rc_profile_series *first = &s->node->series[number];
    struct rc_profile_series_sum all = {.least = NAN, .most = NAN, .last = NAN};
    char on[CELL];
    size_t nodes = 0;

    for (size_t n = 0; n < s->node_count; n++) {
        const struct rc_profile_series *series =
            same_series(&s->node[n], number, &first->event);
        if (!series)
            continue;
        const struct rc_profile_series_sum sum = rc_profile_series_sum(series);
        if (sum.valid == 0)
            continue;
        nodes++;
        all.valid += sum.valid;
        all.total += sum.total;
        all.mean += sum.mean;
        all.least = fmin(all.least, sum.least);
        all.most = fmax(all.most, sum.most);
    }
    if (nodes == 0)
        return;
    all.mean /= (double)nodes;
    snprintf(on, sizeof on, "each of %zu nodes", nodes);
    put_series(first, &all, on, true, rows);
}

/* Series without a valid reading are among what is lost, not in the table for people;
 * neither are those that stayed 0, which are only counted there.
 */
int rc_profile_show_series(const struct rc_profile_sums *sums, struct rc_json *json,
                           struct rc_error *err)
{
    struct rc_rows *rows = begin_rows(series_columns, "series", json);
    size_t zeros = 0;

    if (!json && sums->node_count > NODES_MOST) {
        for (size_t i = 0; i < sums->node->series_count; i++)
            put_together(sums, i, rows);
        return end_rows(rows, json, 0, err);
    }
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t i = 0; i < sums->node[n].series_count; i++) {
            const struct rc_profile_series *series = &sums->node[n].series[i];
            const struct rc_profile_series_sum sum = rc_profile_series_sum(series);
            const bool still = sum.least == 0 && sum.most == 0;
            zeros += !json && still;
            if (json || (sum.valid > 0 && !still))
                put_series(series, &sum, sums->node[n].launch.node, !json, rows);
        }
    const int status = end_rows(rows, json, 0, err);
    if (zeros > 0 && status == RC_OK)
        printf("(and %zu that stayed 0: --format json has all)\n", zeros);
    return status;
}

static const struct rc_column phase_columns[] = {
    {.name = "from_s", .type = RC_CELL_NUMBER},
    {.name = "to_s", .type = RC_CELL_NUMBER},
    {.name = "mostly"},
    {.name = "share_%", .text_hidden = true, .type = RC_CELL_NUMBER},
    {.name = "event"},
    {.name = "unit", .text_hidden = true},
    {.name = "mean", .type = RC_CELL_NUMBER},
    {.name = "mean_of_all", .type = RC_CELL_NUMBER},
    {.name = "simulated", .text_hidden = true},
    {.name = NULL}};

/* Times are since the launch began.  Where no boundary is found the launch has no
 * phases: an array without items, and for people a line.
 */
int rc_profile_show_phases(const struct rc_profile_sums *sums, size_t most,
                           struct rc_json *json, struct rc_error *err)
{
    struct rc_profile_phases phases;
    char bin[RC_TEXT_SHORT];
    int status = rc_profile_phases_find(sums, &phases, err);
    const size_t count = json || phases.count < most ? phases.count : most;

    if (status != RC_OK)
        goto out;
    if (!json && phases.count == 0) {
        if (phases.series == 0)
            printf("Not known: no event was read.\n");
        else
            printf("None: of %zu event%s that %s read none jumps to another level.\n",
                   phases.series, rc_text_s(phases.series),
                   rc_text_plural(phases.series, "was", "were"));
        goto out;
    }
    struct rc_rows *rows = begin_rows(phase_columns, "phases", json);
    for (size_t i = 0; i < count; i++) {
        const struct rc_profile_phase *p = &phases.phase[i];
        const int64_t zero = phases.phase->begin_ns;
        char name[RC_SHARED_EVENT_NAME + 16] = "", text[5][CELL];
        rc_text_append(name, sizeof name, "%s%s", p->event ? p->event->name : "",
                       p->event && p->event->simulated && !json ? " (simulated)" : "");
        const char *const cell[] = {
            put_fixed(text[0], (double)(p->begin_ns - zero) / 1e9, 3),
            put_fixed(text[1], (double)(p->end_ns - zero) / 1e9, 3),
            p->mostly,
            put_fixed(text[2], 100 * p->share, 1),
            name,
            p->event ? rc_profile_unit(p->event) : NULL,
            p->event ? put_value(text[3], p->event, p->mean, !json) : NULL,
            p->event ? put_value(text[4], p->event, p->all, !json) : NULL,
            p->event && p->event->simulated ? "true" : "false"};
        rc_rows_add(rows, cell);
    }
    status = end_rows(rows, json, phases.count - count, err);
    if (!json && status == RC_OK)
        printf("(found in %zu of %zu events that were read, to within %s)\n",
               phases.used, phases.series, rc_text_put_duration(bin, phases.bin_ns));
out:
    rc_profile_phases_fini(&phases);
    return status;
}
