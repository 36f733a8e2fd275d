/* Writes the study of a kind into noise.h5: each rank writes the events that it
 * studied, rank 0 the rest.
 */
#include "campaign/noise/parts.h"

#include "campaign/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 4096 /* events whose names are read at once */ };

struct numbered {
    size_t event, at; /* its number in the kind; its index in off[] */
};

static int compare_events(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    return (x->event > y->event) - (x->event < y->event);
}

/* Names the events that are off, in the order of the kind's events: names are read
 * block by block.
 */
static int name_off(const struct rc_noise_kind *k, struct rc_noise_file_off *off,
                    struct rc_arena *arena, struct rc_error *err)
{
    struct numbered *order = rc_arena_array(arena, k->off_count, sizeof *order);
    struct rc_store_event *name = rc_arena_array(arena, NAMES, sizeof *name);
    size_t first = 0, count = 0; /* of the names that are read */
    struct rc_pool *pool = NULL;
    int status = rc_arena_check(arena, err, "what is off");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < k->off_count; i++)
        order[i] = (struct numbered){(size_t)k->off[i].event, i};
    qsort(order, k->off_count, sizeof *order, compare_events);
    for (size_t i = 0; i < k->off_count; i++) {
        const size_t event = order[i].event;
        if (event >= first + count) {
            first = event / NAMES * NAMES;
            count = k->labels->event_count - first;
            count = count < NAMES ? count : NAMES;
            rc_pool_close(pool);
            pool = rc_pool_create();
            status =
                rc_store_read_names(k->store, k->number, first, count, name, pool, err);
        }
        if (status != RC_OK)
            goto out;
        off[order[i].at].event = rc_arena_text(arena, name[event - first].name);
    }
out:
    rc_pool_close(pool);
    return status != RC_OK ? status : rc_arena_check(arena, err, "what is off");
}

static const char *suite_name(const struct rc_noise_kind *k, uint32_t number)
{
    return rc_store_suite(k->store, k->number, number)->name;
}

/* On rank 0: lists the nodes, and the events that are off on them. */
static int find_found(const struct rc_noise_kind *k, struct rc_arena *arena,
                      struct rc_noise_file_kind *out, struct rc_error *err)
{
    out->node = rc_arena_array(arena, k->nodes, sizeof *out->node);
    out->off = rc_arena_array(arena, k->off_count, sizeof *out->off);
    const int status = rc_arena_check(arena, err, "the nodes");
    if (status != RC_OK)
        return status;
    for (size_t n = 0; n < k->nodes; n++) {
        const struct rc_noise_node *from = &k->node[n];
        out->node[n] = (struct rc_noise_file_node){
            .node = from->name,
            .off = from->off,
            .of = from->of,
            .p = from->p,
            .event = from->worst_event ? from->worst_event : "",
            .suite = from->worst_event ? suite_name(k, from->worst.suite) : "",
            .delta = from->worst_event ? from->worst.delta : NAN,
            .z = from->worst_event ? from->worst.z : NAN};
    }
    for (size_t i = 0; i < k->off_count; i++)
        out->off[i] =
            (struct rc_noise_file_off){.number = (size_t)k->off[i].event,
                                       .suite = suite_name(k, k->off[i].suite),
                                       .node = k->off[i].node,
                                       .delta = k->off[i].delta,
                                       .z = k->off[i].z,
                                       .p = k->off[i].p};
    out->node_count = k->nodes;
    out->off_count = k->off_count;
    out->tests = k->tests;
    return name_off(k, out->off, arena, err);
}

static int put_suite(const struct rc_noise_kind *k, const struct rc_noise_suite *s,
                     struct rc_store *file, struct rc_error *err)
{
    struct rc_arena arena = {0};
    const char **place = rc_arena_array(&arena, s->places.count, sizeof *place);
    uint64_t *node = rc_arena_array(&arena, s->places.count, sizeof *node);
    int status = rc_agree(k->comm, rc_arena_check(&arena, err, "places"), err);

    if (status != RC_OK)
        goto out;
    for (size_t p = 0; p < s->places.count; p++) {
        place[p] = s->labels->places[s->places.place[p]];
        node[p] = s->node[s->places.node[p]];
    }
    const struct rc_noise_file_suite labels = {.name = s->labels->name,
                                               .level = rc_noise_level_names,
                                               .level_count = RC_LEVEL_COUNT,
                                               .verdict = rc_noise_verdict_names,
                                               .verdict_count = RC_NOISE_VERDICTS,
                                               .place = place,
                                               .node = node,
                                               .place_count = s->places.count};
    status = rc_noise_file_put_suite(file, &labels, s->piece, err);
out:
    rc_arena_free(&arena);
    return status;
}

static void fill_columns(const struct rc_noise_suite *s,
                         struct rc_noise_file_columns *c)
{
    for (size_t e = 0; e < s->count; e++) {
        const struct rc_noise_event *event = &s->event[e];
        const bool read = event->verdict != RC_NOISE_NOT_READ;
        c->median[e] = read ? event->median : NAN;
        c->mad[e] = read ? event->mad : NAN;
        c->verdict[e] = event->verdict;
        c->heavy[e] = event->heavy;
        c->classes[e] = event->classes;
        c->judged[e] = event->judged;
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const struct rc_component *of = &event->component[l];
            const size_t at = e * RC_LEVEL_COUNT + l;
            const bool has = event->has[l];
            c->variance[at] = has ? of->variance : NAN;
            c->low[at] = has ? of->low : NAN;
            c->high[at] = has ? of->high : NAN;
            c->distance[at] = has ? event->distance[l] : NAN;
        }
    }
}

/* Writes this rank's events; ranks take pieces of the events in turn. */
static int put_columns(const struct rc_noise_kind *k, const struct rc_noise_suite *s,
                       struct rc_store *file, struct rc_error *err)
{
    const size_t count = s->count, levels = count * RC_LEVEL_COUNT;
    struct rc_arena a = {0};
    struct rc_noise_file_columns c = {
        .first = s->count ? (size_t)s->event[0].number : 0,
        .count = s->count,
        .stride = s->piece * (size_t)rc_team_size(k->comm),
        .place_median = s->median,
        .median = rc_arena_array(&a, count, sizeof *c.median),
        .mad = rc_arena_array(&a, count, sizeof *c.mad),
        .variance = rc_arena_array(&a, levels, sizeof *c.variance),
        .low = rc_arena_array(&a, levels, sizeof *c.low),
        .high = rc_arena_array(&a, levels, sizeof *c.high),
        .distance = rc_arena_array(&a, levels, sizeof *c.distance),
        .verdict = rc_arena_array(&a, count, 1),
        .heavy = rc_arena_array(&a, count, 1),
        .classes = rc_arena_array(&a, count, 1),
        .judged = rc_arena_array(&a, count, 1)};
    int status = rc_agree(k->comm, rc_arena_check(&a, err, "the noise of events"), err);

    if (status == RC_OK) {
        fill_columns(s, &c);
        status = rc_noise_file_put_columns(file, &c, err);
    }
    rc_arena_free(&a);
    return status;
}

int rc_noise_write(const struct rc_noise_kind *k, struct rc_store *file,
                   struct rc_error *err)
{
    struct rc_noise_file_kind found = {.node = NULL};
    struct rc_arena arena = {0};
    int status = RC_OK;

    if (rc_team_rank(k->comm) == 0)
        status = find_found(k, &arena, &found, err);
    if ((status = rc_agree(k->comm, status, err)) == RC_OK)
        status = rc_noise_file_put_kind(file, k->store, k->number, &found, err);
    rc_arena_free(&arena);
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->suite_count; i++)
        if ((status = put_suite(k, &k->suite[i], file, err)) != RC_OK ||
            (status = put_columns(k, &k->suite[i], file, err)) != RC_OK)
            return status;
    return status;
}
