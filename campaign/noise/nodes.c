/* Finds the nodes that are off, by the evidence of all events, and the events that are
 * off on each node, compared with the nodes that are not off.  As many of these events
 * are reported as the bounded rate of false ones allows.
 */
#include "campaign/noise/parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double false_rate = 0.05;
static const double least_z = 3;

static int compare_event(const void *a, const void *b)
{
    const struct rc_noise_off *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->suite, x->event, x->node},
                              (uint64_t[]){y->suite, y->event, y->node}, 3);
}

static int compare_p(const void *a, const void *b)
{
    const struct rc_noise_off *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return compare_event(a, b);
}

/* Keeps the events that are off by enough, as many as the bounded rate of false ones
 * allows.
 */
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
        if (k->off[i].p <= most && fabs(k->off[i].delta) > RC_NOISE_LEAST_DELTA &&
            fabs(k->off[i].z) > least_z)
            k->off[kept++] = k->off[i];
    k->off_count = kept;
    return RC_OK;
}

static void sum_of_team(void *arg, int64_t *number, size_t count)
{
    MPI_Comm comm = *(MPI_Comm *)arg;

    rc_team_reduce(comm, number, (int)count, MPI_INT64_T, MPI_SUM);
}

static void most_of_team(void *arg, int64_t *number, size_t count)
{
    MPI_Comm comm = *(MPI_Comm *)arg;

    rc_team_reduce(comm, number, (int)count, MPI_INT64_T, MPI_MAX);
}

/* Collective.  Finds each node's p over all events, and which nodes are 'apart'. */
static int judge_by_all(struct rc_noise_kind *k, bool *apart, struct rc_arena *arena,
                        struct rc_error *err)
{
    const struct rc_evidence_team team = {sum_of_team, most_of_team, &k->comm};
    double *p = rc_arena_array(arena, k->nodes, sizeof *p);
    void *room = rc_arena_array(arena, rc_evidence_room(&k->evidence), 1);
    const int status = rc_agree(k->comm, rc_arena_check(arena, err, "nodes"), err);

    if (status == RC_OK) {
        rc_evidence_judge(&k->evidence, RC_NOISE_LEAST_DELTA, &team, room, p, apart);
        for (size_t n = 0; n < k->nodes; n++)
            k->node[n].p = p[n];
    }
    return status;
}

/* Room for one event: its nodes that are not apart, and one more at a time. */
struct judged {
    double *value, *error, *room;
    struct rc_off *off;
};

/* How far off an event is: by z, or by less if the difference is small. */
static double distance_of(const struct rc_noise_off *off)
{
    return fmin(fabs(off->z), fabs(off->delta) / RC_NOISE_LEAST_DELTA * least_z);
}

static int note_off(struct rc_noise_kind *k, size_t event, uint32_t number,
                    const struct rc_off *of)
{
    const struct rc_noise_off off = {.event = k->compared[event].event,
                                     .suite = k->compared[event].suite,
                                     .node = number,
                                     .delta = of->delta,
                                     .z = of->z,
                                     .p = of->p};
    struct rc_noise_node *node = &k->node[number];

    if (!node->worst_event || distance_of(&off) > distance_of(&node->worst)) {
        node->worst = off;
        node->worst_event = "";
    }
    if (off.p > false_rate) /* is never reported */
        return 0;
    if (rc_grow(&k->off, sizeof *k->off, k->off_count, &k->off_room))
        return -1;
    k->off[k->off_count++] = off;
    return 0;
}

/* Compares an event's nodes with those that are not apart; notes all as candidates. */
static int judge_event(struct rc_noise_kind *k, size_t event, const bool *apart,
                       const struct judged *j)
{
    const struct rc_evidence *e = &k->evidence;
    const size_t first = event ? e->end[event - 1] : 0, end = e->end[event];
    size_t count = 0;

    for (size_t c = first; c < end; c++)
        if (!apart[e->cell[c].node]) {
            j->value[count] = e->cell[c].value;
            j->error[count++] = e->cell[c].error;
        }
    rc_outliers(j->value, j->error, count, j->room, j->off);
    for (size_t c = first, at = 0; c < end; c++) {
        size_t which = count;
        if (!apart[e->cell[c].node]) {
            which = at++;
        } else {
            j->value[count] = e->cell[c].value;
            j->error[count] = e->cell[c].error;
            rc_outliers(j->value, j->error, count + 1, j->room, j->off + count);
            j->off[count] = j->off[2 * count];
        }
        if (note_off(k, event, e->cell[c].node, &j->off[which]))
            return -1;
    }
    return 0;
}

static int judge_events(struct rc_noise_kind *k, const bool *apart,
                        struct rc_error *err)
{
    struct rc_arena arena = {0};
    const struct judged j = {
        .value = rc_arena_array(&arena, k->nodes + 1, sizeof(double)),
        .error = rc_arena_array(&arena, k->nodes + 1, sizeof(double)),
        .room = rc_arena_array(&arena, 3 * k->nodes + 5, sizeof(double)),
        .off = rc_arena_array(&arena, 2 * k->nodes + 1, sizeof *j.off)};
    int status = rc_arena_check(&arena, err, "nodes that are off");

    for (size_t e = 0; e < k->evidence.events && status == RC_OK; e++)
        if (judge_event(k, e, apart, &j))
            status = rc_fail(err, RC_ENOMEM, "no memory for %zu events", k->off_count);
    rc_arena_free(&arena);
    return status;
}

/* Collective.  Gathers the candidates of all ranks on every rank, sorted by p, and for
 * each node the event that is farthest off.
 */
static int gather_off(struct rc_noise_kind *k, struct rc_error *err)
{
    struct rc_gathered all = {0}, nodes = {0};
    int status = rc_gather(k->comm, k->off, k->off_count * sizeof *k->off, &all, err);

    if (status != RC_OK)
        return status;
    free(k->off);
    k->off = (struct rc_noise_off *)(void *)all.byte;
    k->off_count = k->off_room = all.from[rc_team_size(k->comm)] / sizeof *k->off;
    all.byte = NULL;
    rc_gathered_fini(&all);
    qsort(k->off, k->off_count, sizeof *k->off, compare_p);
    status = rc_gather(k->comm, k->node, k->nodes * sizeof *k->node, &nodes, err);
    if (status != RC_OK)
        return status;
    const struct rc_noise_node *other = (const void *)nodes.byte;
    for (size_t i = 0; i < k->nodes * (size_t)rc_team_size(k->comm); i++) {
        struct rc_noise_node *node = &k->node[i % k->nodes];
        if (!other[i].worst_event)
            continue;
        const double more = distance_of(&other[i].worst) - distance_of(&node->worst);
        if (!node->worst_event || more > 0 ||
            (more == 0 && compare_event(&other[i].worst, &node->worst) < 0))
            node->worst = other[i].worst;
        node->worst_event = "";
    }
    rc_gathered_fini(&nodes);
    return RC_OK;
}

int rc_noise_judge_nodes(struct rc_noise_kind *k, struct rc_error *err)
{
    struct rc_arena arena = {0};
    bool *apart = rc_arena_array(&arena, k->nodes, sizeof *apart);
    int status = judge_by_all(k, apart, &arena, err);

    if (status != RC_OK)
        goto out;
    status = rc_agree(k->comm, judge_events(k, apart, err), err);
    if (status != RC_OK || (status = gather_off(k, err)) != RC_OK)
        goto out;
    /* From here on nothing is collective but the agreement at the end. */
    if ((status = choose(k, err)) != RC_OK)
        goto agree;
    for (size_t i = 0; i < k->off_count; i++)
        k->node[k->off[i].node].off++;
    for (size_t n = 0; n < k->nodes; n++) {
        struct rc_noise_node *node = &k->node[n];
        struct rc_store_event event = {.name = ""};
        if (!node->worst_event)
            continue;
        status = rc_store_read_names(k->store, k->number, node->worst.event, 1, &event,
                                     k->pool, err);
        node->worst_event = status == RC_OK ? event.name : "";
        if (status != RC_OK)
            break;
    }
agree:
    status = rc_agree(k->comm, status, err);
out:
    rc_arena_free(&arena);
    return status;
}
