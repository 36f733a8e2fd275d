/* Which nodes are off: of all events on all nodes that are far from the others, as many
 * as can be reported with few false ones among them, and whether those of a node are
 * more than chance gives it.
 */
#include "campaign/noise/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "campaign/base/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHUFFLES = 999 };
static const double false_rate = 0.05;
static const double least_delta = 0.005; /* less is of no interest to anybody */
static const double least_z = 3;

static int compare_p(const void *a, const void *b)
{
    const struct rc_noise_off *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return rc_compare_numbers((uint64_t[]){x->suite, x->event, x->node},
                              (uint64_t[]){y->suite, y->event, y->node}, 3);
}

/* Those that a bounded rate of false ones allows, and that are large enough. */
static int choose(struct rc_noise_kind *k, struct rc_error *err)
{
    double *p = rc_calloc(k->off_count, sizeof *p);
    size_t kept = 0;

    if (!p)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", k->off_count);
    for (size_t i = 0; i < k->off_count; i++)
        p[i] = k->off[i].p;
    const double most = rc_false_discovery(p, k->off_count, k->tests, false_rate);
    free(p);
    for (size_t i = 0; i < k->off_count; i++)
        if (k->off[i].p <= most && fabs(k->off[i].delta) > least_delta &&
            fabs(k->off[i].z) > least_z)
            k->off[kept++] = k->off[i];
    k->off_count = kept;
    return RC_OK;
}

static int compare_event(const void *a, const void *b)
{
    const struct rc_noise_off *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->event, x->node, x->suite},
                              (uint64_t[]){y->event, y->node, y->suite}, 3);
}

/* How often as many events as a node has fall on it where each event's nodes are any:
 * an event keeps its number of nodes, in all suites together, since its suites are off
 * alike.
 */
static int shuffle(struct rc_noise_kind *k, struct rc_error *err)
{
    struct rc_arena arena = {0};
    uint64_t *own = rc_arena_array(&arena, k->nodes, sizeof *own);
    uint64_t *hits = rc_arena_array(&arena, k->nodes, sizeof *hits);
    uint64_t *reached = rc_arena_array(&arena, k->nodes, sizeof *reached);
    size_t *order = rc_arena_array(&arena, k->nodes, sizeof *order);
    struct rc_noise_off *off = rc_arena_array(&arena, k->off_count, sizeof *off);
    uint64_t state = 1;
    const int status = rc_arena_check(&arena, err, "nodes that are off");

    if (status != RC_OK)
        goto out;
    memcpy(off, k->off, k->off_count * sizeof *off);
    qsort(off, k->off_count, sizeof *off, compare_event);
    for (size_t n = 0; n < k->nodes; n++)
        order[n] = n;
    for (int turn = 0; turn <= SHUFFLES; turn++) {
        size_t taken = 0; /* nodes of an event: the first in 'order' */
        memset(hits, 0, k->nodes * sizeof *hits);
        for (size_t i = 0; i < k->off_count; i++) {
            const bool same_event = i > 0 && off[i].event == off[i - 1].event;
            if (same_event && off[i].node == off[i - 1].node)
                continue; /* in another suite */
            taken = same_event ? taken : 0;
            const size_t left = k->nodes - taken;
            if (turn == 0 || left == 0) { /* the first turn is what was found */
                hits[off[i].node]++;
                continue;
            }
            const size_t at = taken + (size_t)(rc_mix_next(&state) % left);
            const size_t node = order[at];
            order[at] = order[taken];
            order[taken++] = node;
            hits[node]++;
        }
        for (size_t n = 0; n < k->nodes; n++) {
            own[n] = turn == 0 ? hits[n] : own[n];
            reached[n] += hits[n] >= own[n];
        }
    }
    for (size_t n = 0; n < k->nodes; n++)
        k->node[n].p = (double)reached[n] / (SHUFFLES + 1);
out:
    rc_arena_free(&arena);
    return status;
}

int rc_noise_judge_nodes(struct rc_noise_kind *k, struct rc_error *err)
{
    struct rc_gathered all = {0};
    int status = rc_gather(k->comm, k->off, k->off_count * sizeof *k->off, &all, err);

    if (status != RC_OK)
        return status;
    /* All ranks' candidates, on every rank, by rising p. */
    free(k->off);
    k->off = (struct rc_noise_off *)(void *)all.byte;
    k->off_count = k->off_room = all.from[rc_team_size(k->comm)] / sizeof *k->off;
    all.byte = NULL;
    rc_gathered_fini(&all);
    qsort(k->off, k->off_count, sizeof *k->off, compare_p);
    /* From here on nothing is collective but the last line. */
    if ((status = choose(k, err)) != RC_OK || (status = shuffle(k, err)) != RC_OK)
        return rc_agree(k->comm, status, err);
    for (size_t i = 0; i < k->off_count; i++) {
        struct rc_noise_node *node = &k->node[k->off[i].node];
        if (node->off++ == 0 || fabs(k->off[i].z) > fabs(node->worst.z))
            node->worst = k->off[i];
    }
    for (size_t n = 0; n < k->nodes; n++) {
        struct rc_noise_node *node = &k->node[n];
        struct rc_store_event event = {.name = ""};
        if (node->off == 0)
            continue;
        status = rc_store_read_names(k->store, k->number, node->worst.event, 1, &event,
                                     k->pool, err);
        node->worst_event = status == RC_OK ? event.name : "";
        if (status != RC_OK)
            break;
    }
    return rc_agree(k->comm, status, err);
}
