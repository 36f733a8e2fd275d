/* Reads a kind's suites in a stream and studies each event. */
#include "campaign/noise/parts.h"

#include "campaign/base/agree.h"

#include <stdlib.h>
#include <string.h>

static int keep_compared(struct rc_noise_kind *k, const struct rc_noise_suite *s,
                         const struct rc_noise_study *study, uint64_t event)
{
    const size_t count = k->evidence.events;

    if (rc_grow(&k->compared, sizeof *k->compared, count, &k->compared_room))
        return -1;
    k->compared[count] = (struct rc_noise_compared){event, (uint32_t)s->number};
    return rc_evidence_add(&k->evidence, study->node_median, study->node_error,
                           study->node_number, study->nodes);
}

/* Keeps the medians of the next event. */
static int keep_medians(struct rc_noise_suite *s, const struct rc_noise_study *study)
{
    const size_t places = s->places.count;

    if (places == 0)
        return 0;
    if (rc_grow(&s->median, places * sizeof *s->median, s->count, &s->median_room))
        return -1;
    memcpy(s->median + s->count * places, study->place_median,
           places * sizeof *s->median);
    return 0;
}

/* The events that a rank reads at a time, and their names. */
struct piece {
    struct rc_store_block block;
    struct rc_store_event *event;
    struct rc_pool *pool;
    struct rc_noise_study study;
};

static int study_piece(struct rc_noise_kind *k, struct rc_noise_suite *s,
                       struct piece *p, struct rc_error *err)
{
    const struct rc_store_suite *l = s->labels;
    const size_t rows = l->place_count * l->repetitions;
    int status = rc_store_read_alone(k->store, k->number, s->number, &p->block, err);

    rc_pool_close(p->pool);
    p->pool = rc_pool_create();
    if (status != RC_OK)
        return status;
    status = rc_store_read_names(k->store, k->number, p->block.first, p->block.count,
                                 p->event, p->pool, err);
    if (status != RC_OK)
        return status;
    for (size_t e = 0; e < p->block.count; e++) {
        struct rc_noise_event found = {.number = p->block.first + e};
        size_t source = 0;
        if (!rc_patterns_may_take(k->patterns, p->event[e].name) ||
            (p->event[e].state && k->patterns->count == 0))
            continue; /* states may be times of a node's own clock, ... */
        while (source < l->source_count &&
               strcmp(l->sources[source], p->event[e].source) != 0)
            source++;
        if (source < l->source_count)
            rc_noise_study_event(&p->study, p->block.values + e * rows * l->point_count,
                                 p->block.status + e * rows, source, &found);
        s->tally[found.verdict]++;
        s->classes += found.classes;
        k->tests += found.judged ? p->study.nodes : 0;
        for (size_t i = 0; i < p->study.nodes && found.judged; i++)
            k->node[p->study.node_number[i]].of++;
        if ((found.judged && keep_compared(k, s, &p->study, found.number)) ||
            rc_grow(&s->event, sizeof *s->event, s->count, &s->room) ||
            (k->medians && keep_medians(s, &p->study)))
            return rc_fail(err, RC_ENOMEM, "no memory for the readings of suite '%s'",
                           l->name);
        s->event[s->count++] = found;
    }
    return RC_OK;
}

static int study_pieces(struct rc_noise_kind *k, struct rc_noise_suite *s,
                        struct rc_error *err)
{
    const struct rc_store_suite *l = s->labels;
    const size_t rows = s->piece * l->place_count * l->repetitions;
    const size_t ranks = (size_t)rc_team_size(k->comm);
    struct rc_arena arena = {0};
    struct piece p = {.block = {.values = rc_arena_array(
                                    &arena, rows, l->point_count * sizeof(int64_t)),
                                .status = rc_arena_array(&arena, rows, 1)},
                      .event = rc_arena_array(&arena, s->piece, sizeof *p.event)};
    int status = rc_arena_check(&arena, err, "the readings of a suite");

    if (status == RC_OK)
        status = rc_noise_study_init(s, k->cores, &p.study, err);
    for (size_t i = (size_t)rc_team_rank(k->comm); i < s->pieces && status == RC_OK;
         i += ranks) {
        p.block.first = i * s->piece;
        p.block.count = k->labels->event_count - p.block.first;
        if (p.block.count > s->piece)
            p.block.count = s->piece;
        status = study_piece(k, s, &p, err);
    }
    rc_noise_study_fini(&p.study);
    rc_pool_close(p.pool);
    rc_arena_free(&arena);
    return rc_agree(k->comm, status, err);
}

/* Numbers a suite's nodes, or cores, in the kind's list.  There may be more of them
 * than nodes that the kind names, since a label need not begin with a node's name.
 */
static void number_nodes(struct rc_noise_kind *k, struct rc_noise_suite *s)
{
    const size_t count = k->cores ? s->places.count : s->places.nodes;
    const size_t before = k->nodes; /* those of a suite differ */

    for (size_t i = 0; i < count; i++) {
        const char *name =
            k->cores ? s->labels->places[s->places.place[i]] : s->places.node_name[i];
        size_t n = 0;
        while (n < before && strcmp(k->node[n].name, name) != 0)
            n++;
        if (n == before)
            k->node[n = k->nodes++] = (struct rc_noise_node){.name = name, .p = 1};
        s->node[i] = (uint32_t)n;
    }
}

/* Finds the wanted suites, their places and all nodes. */
static int lay_out(struct rc_noise_kind *k, struct rc_error *err)
{
    const size_t all = rc_store_suite_count(k->store, k->number);
    size_t nodes = 0;
    int status;

    k->suite = rc_arena_array(&k->arena, all, sizeof *k->suite);
    for (size_t i = 0; i < all && k->suite; i++) {
        const struct rc_store_suite *l = rc_store_suite(k->store, k->number, i);
        if (k->suites && rc_word_find(l->name, k->suites) < 0)
            continue;
        struct rc_noise_suite *s = &k->suite[k->suite_count++];
        *s = (struct rc_noise_suite){.number = i, .labels = l};
        status = rc_noise_places_find(k->labels, l, &k->arena, &s->places, err);
        if (status != RC_OK)
            return status;
        s->piece = rc_store_piece(k->store, k->number, i);
        s->pieces = (k->labels->event_count + s->piece - 1) / s->piece;
        s->node = rc_arena_array(&k->arena, s->places.count, sizeof *s->node);
        nodes += k->cores ? s->places.count : s->places.nodes;
    }
    k->node = rc_arena_array(&k->arena, nodes, sizeof *k->node);
    if ((status = rc_arena_check(&k->arena, err, "nodes")) != RC_OK)
        return status;
    for (size_t i = 0; i < k->suite_count; i++)
        number_nodes(k, &k->suite[i]);
    k->evidence.nodes = k->nodes;
    return RC_OK;
}

int rc_noise_kind_study(struct rc_noise_kind *k, struct rc_store *store, size_t number,
                        struct rc_error *err)
{
    k->store = store;
    k->number = number;
    k->labels = rc_store_kind(store, number);
    k->pool = rc_pool_create();
    int status = rc_agree(k->comm, lay_out(k, err), err);
    for (size_t i = 0; i < k->suite_count && status == RC_OK; i++) {
        status = study_pieces(k, &k->suite[i], err);
        if (status != RC_OK)
            break;
        rc_team_sum(k->comm, k->suite[i].tally, RC_NOISE_VERDICTS);
        rc_team_sum(k->comm, &k->suite[i].classes, 1);
    }
    if (status != RC_OK)
        return status;
    rc_team_sum(k->comm, &k->tests, 1);
    /* The number of events on which each node was compared: all nodes in one message.
     */
    uint64_t *of = rc_arena_array(&k->arena, k->nodes, sizeof *of);
    status = rc_agree(k->comm, rc_arena_check(&k->arena, err, "nodes"), err);
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->nodes; i++)
        of[i] = k->node[i].of;
    rc_team_sum(k->comm, of, (int)k->nodes);
    for (size_t i = 0; i < k->nodes; i++)
        k->node[i].of = of[i];
    return status == RC_OK ? rc_noise_judge_nodes(k, err) : status;
}

void rc_noise_kind_fini(struct rc_noise_kind *k)
{
    for (size_t i = 0; i < k->suite_count; i++) {
        free(k->suite[i].event);
        free(k->suite[i].median);
    }
    free(k->off);
    free(k->compared);
    rc_evidence_fini(&k->evidence);
    rc_arena_free(&k->arena);
    rc_pool_close(k->pool);
}
