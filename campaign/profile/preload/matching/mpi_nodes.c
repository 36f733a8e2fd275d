/* Finds whether the ranks that a call sends to, or receives from, are on this node.
 *
 * MPI is asked once for a rank of a communicator, and the answer is kept in a table of
 * fixed size; ranks exchange nothing for it.  An answer is one word with its key, so
 * that threads need no lock; one that has another's place is asked for again.
 */
#include "campaign/profile/preload/matching/mpi_world.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"
#include "campaign/profile/preload/preload.h"

#include <stdatomic.h>
#include <string.h>

enum {
    EVERYBODY = -1, /* instead of one rank: of a collective */
    SLOTS = 1024,
    SLOT_BITS = 10,
    RANKS = 64, /* that are asked for at a time */
    CLASS = 3,  /* bits of an answer, which the key leaves free */
    USED = 4,   /* a bit of all keys */
};

static RC_PRELOAD_OFTEN struct {
    const struct rc_mpi_world *world; /* NULL: nothing is known */
    rc_mpi_handle here;               /* the group of this node's ranks */
    rc_mpi_handle
        near; /* a communicator whose ranks all are here: MPI_COMM_WORLD, or 0 */
    _Atomic uint64_t changes; /* of communicators, so far */
} nodes;
static _Atomic uint64_t slots[SLOTS];

/* On one node a rank that is not of MPI_COMM_WORLD may be anywhere. */
static uint64_t class_find(rc_mpi_handle comm, int peer)
{
    const struct rc_mpi_functions *mpi = &nodes.world->mpi;
    const bool one_node = nodes.world->node_count == 1;
    int inter = 0, count = 1, rank[RANKS], here[RANKS];
    rc_mpi_handle group;
    uint64_t class = 0;
    bool known = true;

    mpi->Comm_test_inter(comm, &inter);
    if (inter)
        return RC_SHARED_NODES_UNKNOWN;
    if (peer == EVERYBODY)
        mpi->Comm_size(comm, &count);
    mpi->Comm_group(comm, &group);
    rc_mpi_handle_made(&group);
    for (int at = 0; at < count; at += RANKS) {
        const int some = count - at < RANKS ? count - at : RANKS;
        for (int i = 0; i < some; i++)
            rank[i] = peer == EVERYBODY ? at + i : peer;
        mpi->Group_translate_ranks(group, some, rank, nodes.here, here);
        for (int i = 0; i < some; i++) {
            const bool is_here = here[i] != RC_MPI_UNDEFINED;
            class |= is_here ? RC_SHARED_SAME_NODE : RC_SHARED_OTHER_NODE;
            known &= is_here || !one_node;
        }
    }
    mpi->Group_free(&group);
    return known ? class : RC_SHARED_NODES_UNKNOWN;
}

static RC_PRELOAD_HOT uint32_t nodes_of(rc_mpi_handle comm, int peer)
{
    const uint64_t changes = atomic_load_explicit(&nodes.changes, memory_order_relaxed);
    const uint64_t key = ((uint64_t)comm * UINT64_C(0x9e3779b97f4a7c15) ^
                          changes << 32 ^ (uint32_t)peer) *
                         UINT64_C(0xd6e8feb86659fd93);
    const uint64_t tag = (key & ~(uint64_t)CLASS) | USED;
    _Atomic uint64_t *slot = &slots[key >> (64 - SLOT_BITS)];
    if (comm == nodes.near)
        return RC_SHARED_SAME_NODE;
    uint64_t there = atomic_load_explicit(slot, memory_order_relaxed);
    if ((there & ~(uint64_t)CLASS) != tag) {
        there = tag | class_find(comm, peer);
        atomic_store_explicit(slot, there, memory_order_relaxed);
    }
    return (uint32_t)(there & CLASS);
}

/* The same of the peer that is argument 'n'; of a receive from any rank it is in the
 * status.  No rank has a negative number.
 */
static uint32_t peer_nodes(const struct rc_mpi_args *args, rc_mpi_handle comm,
                           unsigned n)
{
    int peer = rc_mpi_integer(args, n);
    if (peer == rc_mpi_abi.any_source && args->call->status)
        memcpy(&peer,
               (const char *)args->word[args->call->status - 1] + rc_mpi_abi.source_at,
               sizeof peer);
    if (peer < 0)
        return RC_SHARED_NODES_UNKNOWN;
    return nodes_of(comm, peer);
}

/* The same where that is not plain. */
static __attribute__((noinline)) uint32_t nodes_find(const struct rc_mpi_args *args)
{
    const struct rc_mpi_call *call = args->call;
    if (!nodes.world || !call->comm)
        return RC_SHARED_NODES_UNKNOWN;
    const rc_mpi_handle comm = rc_mpi_comm(args, call->comm);
    if (call->matched >= RC_MPI_TOGETHER_LATER)
        return nodes_of(comm, EVERYBODY);
    const uint32_t to = peer_nodes(args, comm, call->who[0]);
    return call->matched == RC_MPI_SENDS_AND_RECEIVES
               ? to | peer_nodes(args, comm, call->who[2])
               : to;
}

RC_PRELOAD_HOT uint32_t rc_mpi_nodes(const struct rc_mpi_args *args)
{
    const struct rc_mpi_call *call = args->call;
    const bool together =
        call->matched == RC_MPI_TOGETHER || call->matched == RC_MPI_TOGETHER_LATER;
    if (!together &&
        (call->matched < RC_MPI_SENDS || call->matched > RC_MPI_RECEIVES_OFTEN))
        return RC_SHARED_NODES_UNKNOWN;
    if (!args->fortran && (rc_mpi_handle)args->word[call->comm - 1] == nodes.near &&
        (together || rc_mpi_integer(args, call->who[0]) >= 0))
        return RC_SHARED_SAME_NODE;
    return nodes_find(args);
}

void rc_mpi_nodes_forget(void)
{
    atomic_fetch_add_explicit(&nodes.changes, 1, memory_order_relaxed);
}

void rc_mpi_nodes_begin(const struct rc_mpi_world *w)
{
    w->mpi.Comm_group(w->node_count > 1 ? w->node : w->mpi.world, &nodes.here);
    rc_mpi_handle_made(&nodes.here);
    nodes.near = w->node_count > 1 ? 0 : w->mpi.world;
    nodes.world = w;
}

void rc_mpi_nodes_end(void)
{
    if (nodes.world)
        nodes.world->mpi.Group_free(&nodes.here);
    nodes.world = NULL;
}
