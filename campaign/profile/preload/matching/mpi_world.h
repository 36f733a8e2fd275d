/* mpi_world.h - messages of the library's own between the ranks of a program
 *
 * The ranks of MPI_COMM_WORLD compare the clocks of their nodes, and exchange the times
 * of calls to find waiting.  With several nodes they do so on a communicator of the
 * library's own.  It is done only if every rank is known to have the library: a rank
 * without it (started without rollcall, linked statically, on a node whose memory is
 * full) would not answer, and the program would hang.
 *
 * Each rank marks itself in its node's shared file when it calls MPI_Init.  When
 * MPI_Init returns all ranks have called it.  If all ranks of MPI_COMM_WORLD are marked
 * in one node's file then, the ranks are "together".  With several nodes the last rank
 * of each to be marked makes a file in DIR, whose name says how many ranks the node
 * has; ranks are together if the sum is the size of MPI_COMM_WORLD.  Otherwise, or if
 * that cannot be found out, they are "apart".  All ranks must decide alike, so the
 * first decision is kept for all, by an operation in which only one rank can succeed:
 * compare and exchange in the shared file, a symbolic link in DIR.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_WORLD_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_WORLD_H

#include "campaign/profile/preload/mpi/mpi_layer.h"

/* Pointers to MPI's functions, and its constants; see mpi_abi.h.  This library is not
 * linked with MPI.
 */
struct rc_mpi_functions {
    int (*Initialized)(int *);
    int (*Comm_size)(rc_mpi_handle, int *);
    int (*Comm_rank)(rc_mpi_handle, int *);
    int (*Comm_dup)(rc_mpi_handle, rc_mpi_handle *);
    int (*Comm_split)(rc_mpi_handle, int, int, rc_mpi_handle *);
    int (*Comm_free)(rc_mpi_handle *);
    int (*Comm_group)(rc_mpi_handle, rc_mpi_handle *);
    int (*Comm_test_inter)(rc_mpi_handle, int *);
    int (*Group_translate_ranks)(rc_mpi_handle, int, const int *, rc_mpi_handle, int *);
    int (*Group_free)(rc_mpi_handle *);
    int (*Group_size)(rc_mpi_handle, int *);
    int (*Query_thread)(int *);
    int (*Send)(const void *, int, rc_mpi_handle, int, int, rc_mpi_handle);
    int (*Recv)(void *, int, rc_mpi_handle, int, int, rc_mpi_handle, void *);
    int (*Bcast)(void *, int, rc_mpi_handle, int, rc_mpi_handle);
    int (*Allreduce)(const void *, void *, int, rc_mpi_handle, rc_mpi_handle,
                     rc_mpi_handle);
    int (*Exscan)(const void *, void *, int, rc_mpi_handle, rc_mpi_handle,
                  rc_mpi_handle);
    int (*Alltoall)(const void *, int, rc_mpi_handle, void *, int, rc_mpi_handle,
                    rc_mpi_handle);
    int (*Alltoallv)(const void *, const int *, const int *, rc_mpi_handle, void *,
                     const int *, const int *, rc_mpi_handle, rc_mpi_handle);
    int (*Test_cancelled)(const void *, int *);
    rc_mpi_handle world, null, request_null, int64, integer, most, sum;
};

/* A line that turns a node's ticks into common time, which all ranks share: in ns of
 * CLOCK_MONOTONIC_RAW on rank 0's node, or with one node in ticks.
 */
struct rc_mpi_line {
    uint64_t ticks;
    int64_t time; /* common time at 'ticks' */
    double rate;  /* common time for each tick */
};

struct rc_mpi_world {
    struct rc_mpi_functions mpi;
    rc_mpi_handle tool;        /* all ranks; on one node MPI_COMM_WORLD, else our own */
    rc_mpi_handle node, nodes; /* ranks of this node; first of each node, or null */
    int rank, ranks, node_count;
    bool leads; /* this is the first rank of its node */
    int level;  /* MPI_THREAD_SINGLE ... */
    struct rc_mpi_line line;
    int64_t bounds;      /* common times may be wrong by this, either way */
    uint64_t points;     /* comparisons of clocks so far */
    int64_t compared_ns; /* time of the last one, by the node's clock */
};

/* The world, from the end of MPI_Init to MPI_Finalize.  NULL: the ranks are not
 * together.  A child of fork() has a copy, with which it must not exchange messages.
 */
struct rc_mpi_world *rc_mpi_world_get(void);
bool rc_mpi_world_is_copy(void);

/* Compares the clocks of the nodes and sets the line by this comparison and the one
 * before; a collective of all ranks.  The sampler writes the comparison into the
 * journal.  With one node it does nothing.
 */
void rc_mpi_world_compare_clocks(struct rc_mpi_world *world);

/* To be called after MPI_Init, and to end it before MPI_Finalize.  If all ranks are
 * together they compare their clocks; else NULL.
 */
struct rc_mpi_world *rc_mpi_world_begin(void);
void rc_mpi_world_end(struct rc_mpi_world *world);

/* mpi_nodes.c: from now on, and until the end, nodes of ranks are known. */
void rc_mpi_nodes_begin(const struct rc_mpi_world *world);
void rc_mpi_nodes_end(void);

/* The common time at 'ticks' of this node. */
static inline int64_t rc_mpi_time(const struct rc_mpi_line *line, uint64_t ticks)
{
    return line->time + (int64_t)((double)(int64_t)(ticks - line->ticks) * line->rate);
}

/* The node's CLOCK_MONOTONIC_RAW in ns. */
int64_t rc_mpi_raw_ns(void);

#endif
