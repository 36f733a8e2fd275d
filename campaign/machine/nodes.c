/* The nodes of a job by their names, sorted by kinds.
 *
 * MPI knows which ranks share memory, but not the name of a node, which journals and
 * messages need; so nodes are found by their names alone.
 */
#include "campaign/machine/nodes.h"

#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A rank and the name of its node. */
struct seat {
    char name[RC_NODE_NAME];
    int rank;
};

static int by_name(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_leader(const void *a, const void *b)
{
    const struct rc_node *x = a, *y = b;

    return (x->leader > y->leader) - (x->leader < y->leader);
}

/* Lists the nodes of all ranks from 'seats', which are in the order of ranks; sorts
 * 'seats'.
 */
static void nodes_of_seats(struct rc_nodes *out, struct seat *seats, size_t count)
{
    int rank = rc_team_rank(out->comm);
    char mine[RC_NODE_NAME];

    memcpy(mine, seats[rank].name, sizeof mine);
    qsort(seats, count, sizeof *seats, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(seats[i].name, seats[i - 1].name) != 0) {
            struct rc_node *node = &out->node[out->count++];
            memcpy(node->name, seats[i].name, sizeof node->name);
            node->leader = seats[i].rank;
        }
        out->node[out->count - 1].ranks++;
    }
    qsort(out->node, out->count, sizeof *out->node, by_leader);
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->node[i].name, mine) == 0)
            out->mine = i;
    out->leads = out->node[out->mine].leader == rank;
}

int rc_nodes_find(MPI_Comm comm, struct rc_nodes *out, struct rc_error *err)
{
    size_t size = (size_t)rc_team_size(comm);
    struct seat *seats = rc_calloc(size, sizeof *seats);
    struct seat mine = {.rank = rc_team_rank(comm)};
    int status = RC_OK;

    *out = (struct rc_nodes){.comm = comm, .node = rc_calloc(size, sizeof *out->node)};
    if (!seats || !out->node)
        status = rc_fail(err, RC_ENOMEM, "no memory for the names of %zu ranks", size);
    status = rc_agree(comm, status, err);
    if (status != RC_OK) {
        rc_nodes_fini(out);
        goto out;
    }
    snprintf(mine.name, sizeof mine.name, "%s", rc_machine_node_name());
    if (comm == MPI_COMM_NULL)
        seats[0] = mine;
    else
        MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, seats, (int)sizeof mine,
                      MPI_BYTE, comm);
    nodes_of_seats(out, seats, size);
out:
    free(seats);
    return status;
}

void rc_nodes_fini(struct rc_nodes *nodes)
{
    free(nodes->node);
    *nodes = (struct rc_nodes){.comm = MPI_COMM_NULL};
}

/* Lists the kinds in the order of their first nodes.  'places' has an element for each
 * node; the kinds divide it among themselves.
 */
static void sort_nodes(const struct rc_nodes *nodes, const struct rc_kind *of_node,
                       struct rc_kinds *out, size_t *places)
{
    for (size_t i = 0; i < nodes->count; i++) {
        size_t k = 0;
        while (k < out->count && strcmp(out->kind[k].kind.key, of_node[i].key) != 0)
            k++;
        if (k == out->count)
            out->kind[out->count++].kind = of_node[i];
        out->kind[k].node_count++;
        if (i == nodes->mine)
            out->mine = k;
    }
    for (size_t k = 0; k < out->count; k++) {
        out->kind[k].nodes = places;
        for (size_t i = 0; i < nodes->count; i++)
            if (strcmp(out->kind[k].kind.key, of_node[i].key) == 0)
                *places++ = i;
    }
}

int rc_kinds_sort(const struct rc_nodes *nodes, const struct rc_kind *kind,
                  struct rc_kinds *out, struct rc_error *err)
{
    size_t *places = rc_calloc(nodes->count, sizeof *places);
    struct rc_gathered all = {0};
    int status = RC_OK;

    *out = (struct rc_kinds){.kind = rc_calloc(nodes->count, sizeof *out->kind),
                             .leaders = MPI_COMM_NULL};
    if (!places || !out->kind)
        status = rc_fail(err, RC_ENOMEM, "no memory for the kinds of %zu nodes",
                         nodes->count);
    status = rc_agree(nodes->comm, status, err);
    if (status != RC_OK)
        goto out;
    /* Nodes are in the order of their leaders, and only leaders give their kind. */
    status = rc_gather(nodes->comm, kind, nodes->leads ? sizeof *kind : 0, &all, err);
    if (status != RC_OK)
        goto out;
    sort_nodes(nodes, (const void *)all.byte, out, places);
    places = NULL; /* the kinds own them now */
    out->speaks = nodes->leads && out->kind[out->mine].nodes[0] == nodes->mine;
    if (nodes->comm != MPI_COMM_NULL)
        MPI_Comm_split(nodes->comm, nodes->leads ? (int)out->mine : MPI_UNDEFINED, 0,
                       &out->leaders);
out:
    if (status != RC_OK)
        rc_kinds_fini(out);
    free(places);
    rc_gathered_fini(&all);
    return status;
}

void rc_kinds_fini(struct rc_kinds *kinds)
{
    if (kinds->count)
        free(kinds->kind[0].nodes);
    free(kinds->kind);
    if (kinds->count && kinds->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&kinds->leaders);
    *kinds = (struct rc_kinds){.leaders = MPI_COMM_NULL};
}

enum { TAG_BYTES = 1, TAG_TEXT = 2, PIECE = 1 << 16 /* of one message */ };

/* Rank 0 writes what it receives through a buffer of its own: no allocation that could
 * fail may leave a sender waiting.
 */
void rc_kinds_print(const struct rc_nodes *nodes, const struct rc_kinds *kinds,
                    const char *text, size_t bytes, const char *between, FILE *out)
{
    static char piece[PIECE];
    const int rank = rc_team_rank(nodes->comm);
    uint64_t length = bytes;

    if (rank != 0 && kinds->speaks) {
        MPI_Send(&length, 1, MPI_UINT64_T, 0, TAG_BYTES, nodes->comm);
        for (size_t at = 0; at < bytes; at += PIECE)
            MPI_Send(text + at, (int)(bytes - at < PIECE ? bytes - at : PIECE),
                     MPI_CHAR, 0, TAG_TEXT, nodes->comm);
    }
    for (size_t k = 0; rank == 0 && k < kinds->count; k++) {
        const int speaker = nodes->node[kinds->kind[k].nodes[0]].leader;
        if (k)
            fputs(between, out);
        if (speaker == 0) {
            fwrite(text, 1, bytes, out);
            continue;
        }
        MPI_Recv(&length, 1, MPI_UINT64_T, speaker, TAG_BYTES, nodes->comm,
                 MPI_STATUS_IGNORE);
        for (uint64_t at = 0; at < length; at += PIECE) {
            const int got = (int)(length - at < PIECE ? length - at : PIECE);
            MPI_Recv(piece, got, MPI_CHAR, speaker, TAG_TEXT, nodes->comm,
                     MPI_STATUS_IGNORE);
            fwrite(piece, 1, (size_t)got, out);
        }
    }
}
