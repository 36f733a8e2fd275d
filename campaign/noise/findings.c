/* Collects a campaign's noise on rank 0: from its study, whose events are spread over
 * the ranks, or from a noise.h5.
 */
#include "campaign/noise/findings.h"

#include "campaign/base/agree.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the noise of events";

static int add_kind(struct rc_noise_findings *f, struct rc_error *err)
{
    if (rc_grow(&f->kind, sizeof *f->kind, f->count, &f->room))
        return rc_fail(err, RC_ENOMEM, "no memory for %s", what);
    f->kind[f->count++] = (struct rc_noise_findings_kind){.name = ""};
    return RC_OK;
}

struct naming {
    struct rc_arena *arena;
    const char **name;
};

static bool keep_name(void *context, size_t number, const struct rc_store_event *event)
{
    struct naming *n = context;

    n->name[number] = rc_arena_text(n->arena, event->name);
    return true;
}

/* Names of all events of a kind, by its number in the store. */
static int read_names(struct rc_noise_findings *f, struct rc_store *store,
                      size_t number, struct rc_noise_findings_kind *kind,
                      struct rc_error *err)
{
    struct naming n = {&f->arena,
                       rc_arena_array(&f->arena, kind->event_count, sizeof *n.name)};
    int status = rc_arena_check(&f->arena, err, what);

    kind->event = n.name;
    if (status == RC_OK)
        status = rc_store_each_name(store, number, keep_name, &n, err);
    return status != RC_OK ? status : rc_arena_check(&f->arena, err, what);
}

static int make_levels(struct rc_arena *arena, size_t events,
                       struct rc_noise_levels *out, struct rc_error *err)
{
    const size_t numbers = events * RC_LEVEL_COUNT;

    out->verdict = rc_arena_array(arena, events, 1);
    out->variance = rc_arena_array(arena, numbers, sizeof(float));
    out->low = rc_arena_array(arena, numbers, sizeof(float));
    out->high = rc_arena_array(arena, numbers, sizeof(float));
    return rc_arena_check(arena, err, what);
}

/* Sums the ranks' numbers on rank 0: each rank has its own events, and 0 for others. */
static void sum_on_first(MPI_Comm comm, void *numbers, size_t count, MPI_Datatype type)
{
    const int most = INT_MAX / 2;
    int bytes;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Type_size(type, &bytes);
    for (size_t at = 0; at < count; at += (size_t)most) {
        char *piece = (char *)numbers + at * (size_t)bytes;
        const int now = count - at < (size_t)most ? (int)(count - at) : most;
        if (rc_team_rank(comm) == 0)
            MPI_Reduce(MPI_IN_PLACE, piece, now, type, MPI_SUM, 0, comm);
        else
            MPI_Reduce(piece, NULL, now, type, MPI_SUM, 0, comm);
    }
}

/* Collective.  Gathers a suite's levels on rank 0; each rank has room for all events.
 */
static void gather_levels(const struct rc_noise_kind *k, const struct rc_noise_suite *s,
                          struct rc_noise_levels *out)
{
    const size_t events = k->labels->event_count, numbers = events * RC_LEVEL_COUNT;

    out->suite = s->labels->name;
    for (size_t i = 0; i < s->count; i++) {
        const struct rc_noise_event *e = &s->event[i];
        out->verdict[e->number] = e->verdict;
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const size_t at = (size_t)e->number * RC_LEVEL_COUNT + l;
            out->variance[at] = e->has[l] ? (float)e->component[l].variance : NAN;
            out->low[at] = e->has[l] ? (float)e->component[l].low : NAN;
            out->high[at] = e->has[l] ? (float)e->component[l].high : NAN;
        }
    }
    sum_on_first(k->comm, out->verdict, events, MPI_UINT8_T);
    sum_on_first(k->comm, out->variance, numbers, MPI_FLOAT);
    sum_on_first(k->comm, out->low, numbers, MPI_FLOAT);
    sum_on_first(k->comm, out->high, numbers, MPI_FLOAT);
}

/* Not collective.  Fills in what every rank knows, and makes room for the rest. */
static int begin_kind(struct rc_noise_findings *f, const struct rc_noise_kind *k,
                      struct rc_noise_findings_kind *kind, struct rc_error *err)
{
    struct rc_arena *arena = &f->arena;
    int status = RC_OK;

    kind->name = rc_arena_text(arena, k->labels->name);
    kind->key = rc_arena_text(arena, k->labels->key);
    kind->event_count = k->labels->event_count;
    kind->node_count = k->nodes;
    kind->node = rc_arena_array(arena, k->nodes, sizeof *kind->node);
    kind->suite_count = k->suite_count;
    kind->suite = rc_arena_array(arena, k->suite_count, sizeof *kind->suite);
    if ((status = rc_arena_check(arena, err, what)) != RC_OK)
        return status;
    for (size_t n = 0; n < k->nodes; n++)
        kind->node[n] =
            (struct rc_noise_file_node){.node = rc_arena_text(arena, k->node[n].name),
                                        .off = k->node[n].off,
                                        .of = k->node[n].of,
                                        .p = k->node[n].p};
    for (size_t i = 0; i < k->suite_count; i++)
        if ((status = make_levels(arena, kind->event_count, &kind->suite[i], err)) !=
            RC_OK)
            return status;
    if (rc_team_rank(k->comm) != 0)
        return status;
    return read_names(f, k->store, k->number, kind, err);
}

int rc_noise_findings_add(struct rc_noise_findings *f, const struct rc_noise_kind *k,
                          struct rc_error *err)
{
    int status = add_kind(f, err);

    if (status == RC_OK)
        status = begin_kind(f, k, &f->kind[f->count - 1], err);
    if ((status = rc_agree(k->comm, status, err)) != RC_OK)
        return status;
    struct rc_noise_findings_kind *kind = &f->kind[f->count - 1];
    for (size_t i = 0; i < k->suite_count; i++) {
        gather_levels(k, &k->suite[i], &kind->suite[i]);
        kind->suite[i].suite = rc_arena_text(&f->arena, kind->suite[i].suite);
    }
    return rc_agree(k->comm, rc_arena_check(&f->arena, err, what), err);
}

/* Reads a suite's levels and verdicts from the file.  They are matched by name, since a
 * file of another version may have others.
 */
static int take_levels(struct rc_noise_findings *f, size_t number, size_t suite,
                       struct rc_noise_levels *out, struct rc_error *err)
{
    const struct rc_noise_file_suite *from =
        rc_noise_file_suite(f->file, number, suite);
    const size_t events = f->kind[number].event_count;
    const size_t numbers = events * from->level_count;
    struct rc_arena room = {0};
    struct rc_noise_file_columns c = {
        .count = events,
        .variance = rc_arena_array(&room, numbers, sizeof(double)),
        .low = rc_arena_array(&room, numbers, sizeof(double)),
        .high = rc_arena_array(&room, numbers, sizeof(double)),
        .verdict = rc_arena_array(&room, events, 1)};
    size_t level[RC_LEVEL_COUNT];
    int status = rc_arena_check(&room, err, what);

    if (status != RC_OK ||
        (status = make_levels(&f->arena, events, out, err)) != RC_OK ||
        (status = rc_noise_file_read_columns(f->file, number, suite, &c, err)) != RC_OK)
        goto out;
    /* Where each of our levels is among those of a file, or SIZE_MAX. */
    for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
        level[l] = SIZE_MAX;
        for (size_t i = 0; i < from->level_count; i++)
            if (strcmp(from->level[i], rc_noise_level_names[l]) == 0)
                level[l] = i;
    }
    out->suite = from->name;
    for (size_t e = 0; e < events; e++) {
        const int verdict =
            rc_word_find(from->verdict[c.verdict[e]], rc_noise_verdict_names);
        out->verdict[e] = verdict < 0 ? RC_NOISE_NOT_READ : (uint8_t)verdict;
        for (size_t l = 0; l < RC_LEVEL_COUNT; l++) {
            const size_t to = e * RC_LEVEL_COUNT + l;
            const size_t at = e * from->level_count + level[l];
            const bool has = level[l] != SIZE_MAX;
            out->variance[to] = has ? (float)c.variance[at] : NAN;
            out->low[to] = has ? (float)c.low[at] : NAN;
            out->high[to] = has ? (float)c.high[at] : NAN;
        }
    }
out:
    rc_arena_free(&room);
    return status;
}

int rc_noise_findings_take(struct rc_noise_findings *f, struct rc_store *file,
                           struct rc_error *err)
{
    int status = RC_OK;

    f->file = file;
    for (size_t k = 0; k < rc_store_kind_count(file); k++) {
        const struct rc_store_kind *labels = rc_store_kind(file, k);
        if ((status = add_kind(f, err)) != RC_OK)
            return status;
        struct rc_noise_findings_kind *kind = &f->kind[k];
        kind->name = labels->name;
        kind->key = labels->key;
        kind->event_count = labels->event_count;
        kind->node = rc_noise_file_kind(file, k)->node;
        kind->node_count = rc_noise_file_kind(file, k)->node_count;
        kind->suite_count = rc_store_suite_count(file, k);
        kind->suite = rc_arena_array(&f->arena, kind->suite_count, sizeof *kind->suite);
        if ((status = rc_arena_check(&f->arena, err, what)) != RC_OK ||
            (status = read_names(f, f->file, k, kind, err)) != RC_OK)
            return status;
        for (size_t s = 0; s < kind->suite_count; s++)
            if ((status = take_levels(f, k, s, &kind->suite[s], err)) != RC_OK)
                return status;
    }
    return RC_OK;
}

void rc_noise_findings_fini(struct rc_noise_findings *f)
{
    struct rc_error closing = {.rank = -1}; /* it was only read */

    (void)rc_store_close(f->file, &closing);
    free(f->kind);
    rc_arena_free(&f->arena);
    *f = (struct rc_noise_findings){.file = NULL};
}
