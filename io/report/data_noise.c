/* The noise of a kind, from noise.h5: "noise-K", the figures of nodes and levels, and
 * the measured detours.  Large data are cut here: the page says how much was left out.
 */
#include "io/report/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES_MOST = 128,   /* rows of the heat map: nodes that are off first */
    EVENTS_MOST = 60,   /* its columns: by rising p */
    LEVELS_MOST = 150,  /* events of a suite whose levels are drawn */
    DETOURS_MOST = 400, /* points of a core: the longest */
    CORES_MOST = 64,    /* lanes */
    FOLDS = 48,         /* bins of a period */
    DIGITS = 6
};

static const char memory_what[] = "the noise in the report";

/* The nodes that are drawn: by number, the row (SIZE_MAX: none). */
struct shown {
    size_t *at, count;
};

/* Chooses and writes the nodes: those that are off, then others, up to the limit. */
static void put_nodes(const struct rc_noise_file_kind *found, struct shown *s,
                      struct rc_json *json)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_noise_file_node, node, off, of, event, suite),
        RC_JSON_DIGITS("p", rc_noise_file_node, p, 3),
        RC_JSON_DIGITS("delta", rc_noise_file_node, delta, DIGITS),
        RC_JSON_DIGITS("z", rc_noise_file_node, z, DIGITS),
        {0}};

    for (size_t n = 0; n < found->node_count; n++)
        s->at[n] = SIZE_MAX;
    rc_json_integer(json, "nodes_all", (int64_t)found->node_count);
    rc_json_real(json, "off_p", RC_NOISE_OFF_P);
    rc_json_real(json, "perhaps_p", RC_NOISE_PERHAPS_P);
    rc_json_array(json, "nodes");
    for (int pass = 0; pass < 3; pass++)
        for (size_t n = 0; n < found->node_count && s->count < NODES_MOST; n++) {
            const bool off = found->node[n].p <= RC_NOISE_OFF_P;
            const bool perhaps = found->node[n].p <= RC_NOISE_PERHAPS_P;
            if ((off ? 0 : perhaps || found->node[n].off > 0 ? 1 : 2) != pass)
                continue;
            s->at[n] = s->count++;
            rc_json_object(json, NULL);
            rc_json_members(json, members, &found->node[n]);
            rc_json_end(json);
        }
    rc_json_end(json);
}

/* Writes a column of the heat map: the medians of places on shown nodes. */
static int put_event(const struct rc_report *r, size_t in, const struct shown *shown,
                     const struct rc_noise_file_off *first, struct rc_json *json,
                     struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_noise_file_off, event, number, suite),
        RC_JSON_DIGITS("p", rc_noise_file_off, p, 3),
        {0}};
    const struct rc_noise_file_kind *found = rc_noise_file_kind(r->noise, in);
    const size_t suites = rc_store_suite_count(r->noise, in);
    size_t number = 0;

    while (number < suites &&
           strcmp(rc_noise_file_suite(r->noise, in, number)->name, first->suite) != 0)
        number++;
    if (number == suites)
        return RC_OK;
    const struct rc_noise_file_suite *suite = rc_noise_file_suite(r->noise, in, number);
    float *median = rc_calloc(suite->place_count, sizeof *median);
    struct rc_noise_file_columns c = {
        .first = first->number, .count = 1, .place_median = median};
    int status = median ? rc_noise_file_read_columns(r->noise, in, number, &c, err)
                        : rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);

    if (status != RC_OK)
        goto out;
    rc_json_object(json, NULL);
    rc_json_members(json, members, first);
    rc_json_array(json, "off");
    for (size_t i = 0; i < found->off_count; i++)
        if (found->off[i].number == first->number &&
            strcmp(found->off[i].suite, first->suite) == 0 &&
            shown->at[found->off[i].node] != SIZE_MAX)
            rc_json_integer(json, NULL, (int64_t)shown->at[found->off[i].node]);
    rc_json_end(json);
    rc_json_array(json, "node"); /* of each median: the node's row */
    for (size_t p = 0; p < suite->place_count; p++)
        if (shown->at[suite->node[p]] != SIZE_MAX)
            rc_json_integer(json, NULL, (int64_t)shown->at[suite->node[p]]);
    rc_json_end(json);
    rc_json_array(json, "median");
    for (size_t p = 0; p < suite->place_count; p++)
        if (shown->at[suite->node[p]] != SIZE_MAX)
            rc_json_short(json, NULL, median[p], DIGITS);
    rc_json_end(json);
    rc_json_end(json);
out:
    free(median);
    return status;
}

/* Writes events with something off, each once in each suite, by their least p. */
static int put_heat(const struct rc_report *r, size_t in, const struct shown *shown,
                    struct rc_json *json, struct rc_error *err)
{
    const struct rc_noise_file_kind *found = rc_noise_file_kind(r->noise, in);
    const struct rc_noise_file_off *column[EVENTS_MOST];
    size_t columns = 0, left = 0;
    int status;

    rc_json_array(json, "heat");
    for (size_t i = 0; i < found->off_count; i++) {
        const struct rc_noise_file_off *off = &found->off[i];
        size_t seen = 0;
        while (seen < columns && (column[seen]->number != off->number ||
                                  strcmp(column[seen]->suite, off->suite) != 0))
            seen++;
        if (seen < columns)
            continue;
        if (columns == EVENTS_MOST) {
            left++;
            continue;
        }
        column[columns++] = off;
        if ((status = put_event(r, in, shown, off, json, err)) != RC_OK)
            return status;
    }
    rc_json_end(json);
    rc_json_integer(json, "heat_left", (int64_t)left); /* readings of nodes */
    return RC_OK;
}

/* An event whose levels are drawn. */
struct leveled {
    size_t event;
    double all; /* variance of all levels */
};

static int compare_size(const void *a, const void *b)
{
    const struct leveled *x = a, *y = b;

    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Writes the suite's events that scatter most, in falling order. */
static int put_levels(const struct rc_report *r, size_t in, size_t number,
                      const struct rc_noise_file_columns *c, struct rc_json *json,
                      struct rc_error *err)
{
    const size_t wide = rc_noise_file_suite(r->noise, in, number)->level_count;
    struct leveled *event = rc_calloc(c->count, sizeof *event);
    struct rc_pool *pool = rc_pool_create();
    size_t count = 0;
    int status =
        event ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);

    if (status != RC_OK)
        goto out;
    for (size_t e = 0; e < c->count; e++) {
        struct leveled is = {.event = e};
        for (size_t l = 0; l < wide; l++)
            is.all += fmax(c->variance[e * wide + l], 0);
        if (is.all > 0 && isfinite(is.all))
            event[count++] = is;
    }
    qsort(event, count, sizeof *event, compare_size);
    const size_t shown = count < LEVELS_MOST ? count : LEVELS_MOST;
    rc_json_integer(json, "scattered", (int64_t)count);
    rc_json_array(json, "events");
    for (size_t i = 0; i < shown; i++)
        rc_json_integer(json, NULL, (int64_t)event[i].event);
    rc_json_end(json);
    rc_json_array(json, "names");
    for (size_t i = 0; i < shown; i++) {
        struct rc_store_event is;
        status = rc_store_read_names(r->noise, in, event[i].event, 1, &is, pool, err);
        if (status != RC_OK)
            goto out;
        rc_json_text(json, NULL, is.name);
    }
    rc_json_end(json);
    rc_json_array(json, "verdict");
    for (size_t i = 0; i < shown; i++)
        rc_json_integer(json, NULL, c->verdict[event[i].event]);
    rc_json_end(json);
    rc_json_array(json, "variance"); /* event by event */
    for (size_t i = 0; i < shown; i++)
        for (size_t l = 0; l < wide; l++)
            rc_json_short(json, NULL, c->variance[event[i].event * wide + l], DIGITS);
    rc_json_end(json);
out:
    rc_pool_close(pool);
    free(event);
    return status;
}

static int put_suite(const struct rc_report *r, size_t in, size_t number,
                     struct rc_json *json, struct rc_error *err)
{
    const struct rc_noise_file_suite *s = rc_noise_file_suite(r->noise, in, number);
    const size_t events = rc_store_kind(r->noise, in)->event_count;
    struct rc_arena arena = {0};
    struct rc_noise_file_columns c = {
        .count = events,
        .variance = rc_arena_array(&arena, events * s->level_count, sizeof(double)),
        .verdict = rc_arena_array(&arena, events, 1),
        .classes = rc_arena_array(&arena, events, 1)};
    size_t tally[256] = {0}, classes = 0;
    int status = rc_arena_check(&arena, err, memory_what);

    if (status != RC_OK ||
        (status = rc_noise_file_read_columns(r->noise, in, number, &c, err)) != RC_OK)
        goto out;
    for (size_t e = 0; e < events; e++) {
        tally[c.verdict[e]]++;
        classes += c.classes[e];
    }
    rc_json_object(json, NULL);
    rc_json_text(json, "suite", s->name);
    rc_json_integer(json, "places", (int64_t)s->place_count);
    rc_json_integer(json, "classes", (int64_t)classes);
    rc_json_texts(json, "levels", s->level, s->level_count);
    rc_json_texts(json, "verdicts", s->verdict, s->verdict_count);
    rc_json_sizes(json, "counts", tally, s->verdict_count);
    status = put_levels(r, in, number, &c, json, err);
    rc_json_end(json);
out:
    rc_arena_free(&arena);
    return status;
}

/* Writes "noise-K". */
static int put_kind(const struct rc_report *r, size_t kind, size_t in, FILE *out,
                    struct rc_error *err)
{
    const struct rc_noise_file_kind *found = rc_noise_file_kind(r->noise, in);
    struct rc_arena arena = {0};
    struct shown shown = {
        .at = rc_arena_array(&arena, found->node_count, sizeof(size_t))};
    struct rc_report_json j = {.stream = NULL};
    int status = rc_arena_check(&arena, err, memory_what);

    if (status != RC_OK || (status = rc_report_json_open(&j, err)) != RC_OK)
        goto out;
    rc_json_object(&j.json, NULL);
    rc_json_integer(&j.json, "tests", (int64_t)found->tests);
    put_nodes(found, &shown, &j.json);
    if ((status = put_heat(r, in, &shown, &j.json, err)) != RC_OK)
        goto out;
    rc_json_array(&j.json, "suites");
    for (size_t s = 0; s < rc_store_suite_count(r->noise, in); s++)
        if ((status = put_suite(r, in, s, &j.json, err)) != RC_OK)
            goto out;
    status = rc_report_json_put(&j, out, err, "noise-%zu", kind);
out:
    rc_report_json_fini(&j);
    rc_arena_free(&arena);
    return status;
}

static int compare_length(const void *a, const void *b)
{
    const struct rc_noise_file_detour *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){y->length_ns, x->start_ns},
                              (uint64_t[]){x->length_ns, y->start_ns}, 2);
}

/* Counts detours by their place in a period, whatever their length. */
static void put_fold(const struct rc_noise_file_period *p,
                     const struct rc_noise_file_detour *detour, size_t count,
                     struct rc_json *json)
{
    size_t fold[FOLDS] = {0};
    double stolen[FOLDS] = {0};

    for (size_t i = 0; i < count && p->hz > 0; i++) {
        const double turn = ((double)detour[i].start_ns - p->phase_ns) * p->hz / 1e9;
        const double part = turn - floor(turn + 0.5) + 0.5; /* its pulse is at 0.5 */
        const size_t at = (size_t)(part * FOLDS) % FOLDS;
        fold[at]++;
        stolen[at] += (double)detour[i].length_ns;
    }
    rc_json_sizes(json, "fold", fold, FOLDS);
    rc_json_reals(json, "fold_ns", stolen, FOLDS, 4);
}

static void put_periods(const struct rc_noise_file_detours *d, size_t record,
                        const struct rc_noise_file_detour *detour, struct rc_json *json)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_noise_file_period, hz, pulses, hits, who),
        RC_JSON_DIGITS("hz_error", rc_noise_file_period, hz_error, 2),
        RC_JSON_DIGITS("stolen_ns", rc_noise_file_period, stolen_ns, DIGITS),
        RC_JSON_DIGITS("share", rc_noise_file_period, share, DIGITS),
        {0}};

    rc_json_array(json, "periods");
    for (size_t i = 0; i < d->period_count; i++) {
        const struct rc_noise_file_period *p = &d->period[i];
        if (p->record != record)
            continue;
        rc_json_object(json, NULL);
        rc_json_members(json, members, p);
        put_fold(p, detour, d->record[record].count, json);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_array(json, "tail");
    for (size_t i = 0; i < d->tail_count; i++) {
        const struct rc_noise_file_tail *t = &d->tail[i];
        const double number[] = {t->threshold_ns, t->scale_ns, t->shape, t->rate_hz,
                                 t->worst_ns};
        for (size_t n = 0; t->record == record && n < 5; n++)
            rc_json_short(json, NULL, number[n], DIGITS);
    }
    rc_json_end(json);
}

/* Writes how many gaps have each length or more, by steps of a factor of 1.4: the
 * histogram counts all gaps, however short.
 */
static int put_survival(const struct rc_report *r,
                        const struct rc_noise_file_record *record, struct rc_json *json,
                        struct rc_error *err)
{
    struct rc_noise_file_bin *bin = rc_calloc(record->bins, sizeof *bin);
    int status = bin ? rc_noise_file_read_bins(r->noise, record->first_bin,
                                               record->bins, bin, err)
                     : rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);
    uint64_t above = 0;
    double last = INFINITY;

    rc_json_array(json, "survival"); /* length in ns and number, longest first */
    for (size_t i = record->bins; i-- > 0 && status == RC_OK;) {
        const double begin_ns = (double)bin[i].begin_ps / 1e3;
        above += bin[i].gaps;
        if (begin_ns > last / 1.4 && i > 0)
            continue;
        last = begin_ns;
        rc_json_short(json, NULL, begin_ns, DIGITS);
        rc_json_integer(json, NULL, (int64_t)above);
    }
    rc_json_end(json);
    free(bin);
    return status;
}

/* Writes one measurement of a core. */
static int put_record(const struct rc_report *r, size_t number, struct rc_json *json,
                      struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_noise_file_record, node, core, round, work, quota, alone, count,
                     dropped),
        {0}};
    const struct rc_noise_file_detours *d = rc_noise_file_detours(r->noise);
    const struct rc_noise_file_record *record = &d->record[number];
    struct rc_noise_file_detour *detour = rc_calloc(record->count, sizeof *detour);
    double stolen = 0;
    int status = detour ? rc_noise_file_read_detours(r->noise, record->first,
                                                     record->count, detour, err)
                        : rc_fail(err, RC_ENOMEM, "no memory for %s", memory_what);

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < record->count; i++)
        stolen += (double)detour[i].length_ns;
    rc_json_object(json, NULL);
    rc_json_members(json, members, record);
    rc_json_short(json, "seconds", (double)record->duration_ns / 1e9, 9);
    rc_json_short(json, "stolen_ns", stolen, DIGITS);
    put_periods(d, number, detour, json);
    status = put_survival(r, record, json, err);
    if (record->count > 0)
        qsort(detour, record->count, sizeof *detour, compare_length);
    const size_t shown = record->count < DETOURS_MOST ? record->count : DETOURS_MOST;
    rc_json_array(json, "detours"); /* start and length in us, and the cause */
    for (size_t i = 0; i < shown; i++) {
        rc_json_short(json, NULL, (double)detour[i].start_ns / 1e3, 9);
        rc_json_short(json, NULL, (double)detour[i].length_ns / 1e3, 5);
        rc_json_integer(json, NULL, (int64_t)detour[i].who);
    }
    rc_json_end(json);
    rc_json_end(json);
out:
    free(detour);
    return status;
}

int rc_report_detours(struct rc_json *json, const void *report, struct rc_error *err)
{
    const struct rc_report *r = report;
    const struct rc_noise_file_detours *d =
        r->noise ? rc_noise_file_detours(r->noise) : NULL;
    int status;

    if (!d || d->record_count == 0)
        return RC_OK;
    const size_t shown =
        d->record_count < CORES_MOST ? d->record_count : (size_t)CORES_MOST;
    rc_json_object(json, NULL);
    rc_json_texts(json, "causes", d->who, d->who_count);
    rc_json_integer(json, "records_all", (int64_t)d->record_count);
    rc_json_array(json, "records");
    for (size_t i = 0; i < shown; i++)
        if ((status = put_record(r, i, json, err)) != RC_OK)
            return status;
    rc_json_end(json);
    rc_json_array(json, "scale"); /* grain in ms, ranks, slowdown, measured */
    for (size_t i = 0; i < d->scale_count; i++) {
        const struct rc_noise_file_scale *s = &d->scale[i];
        const double number[] = {s->grain_ns / 1e6, s->ranks, s->slowdown, s->measured};
        for (size_t n = 0; n < 4; n++)
            rc_json_short(json, NULL, number[n], DIGITS);
    }
    rc_json_end(json);
    return RC_OK;
}

int rc_report_noise(const struct rc_report *r, FILE *out, struct rc_error *err)
{
    const size_t count = r->noise ? rc_store_kind_count(r->noise) : 0;
    const size_t kinds = rc_store_kind_count(r->store);
    int status;

    for (size_t n = 0; n < count; n++) {
        const size_t kind =
            rc_store_find_kind(r->store, rc_store_kind(r->noise, n)->name);
        if (kind < kinds && (status = put_kind(r, kind, n, out, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}
