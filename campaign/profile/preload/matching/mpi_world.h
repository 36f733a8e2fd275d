/* mpi_world.h - messages of the library's own between the ranks of a program
 *
 * The ranks of MPI_COMM_WORLD compare the clocks of their nodes, and tell each other
 * when calls began, so that waiting can be told.  They do so on a communicator of the
 * library's own, and only if every rank is known to have the library: one that lacks it
 * (started without rollcall, linked statically, on a node whose memory is full) would
 * not answer, and the program would hang.
 *
 * How that is known: each rank marks itself in its node's shared file when it calls
 * MPI_Init.  Once MPI_Init has returned all ranks have called it.  A node on which all
 * ranks of MPI_COMM_WORLD have marked themselves needs to know no more.  Where there
 * are several nodes, each makes a file in DIR when its last rank has marked itself,
 * whose name says how many they are; if they are as many as MPI_COMM_WORLD has, ranks
 * are together.  The first rank that has come to a decision keeps it for all, by an
 * operation that only one can succeed in, so that no two ranks ever decide differently:
 * in the shared file by compare and exchange, in DIR by making a symbolic link.  Ranks
 * are apart where it cannot be decided.
 */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_WORLD_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_MATCHING_MPI_WORLD_H

#include "campaign/profile/preload/mpi/mpi_layer.h"

/* MPI's functions, by pointers to them, and its constants: see mpi_abi.h.  Nothing is
 * linked with MPI, as everywhere in this library.
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

/* A line from a node's ticks to the time that all ranks have in common: ticks
 * themselves where there is one node, else ns of the CLOCK_MONOTONIC_RAW of rank 0's.
 */
struct rc_mpi_line {
    uint64_t ticks;
    int64_t time; /* when it was 'ticks' */
    double rate;  /* time a tick */
};

struct rc_mpi_world {
    struct rc_mpi_functions mpi;
    rc_mpi_handle tool; /* of all ranks; the library's own, but on one node the world */
    rc_mpi_handle node, nodes; /* those of this node; of each node the first, or null */
    int rank, ranks, node_count;
    bool leads; /* is the first of its node */
    int level;  /* MPI_THREAD_SINGLE ... */
    struct rc_mpi_line line;
    int64_t bounds;      /* by how much common times may be wrong, half of it */
    uint64_t points;     /* comparisons of clocks so far */
    int64_t compared_ns; /* the last one, of the node's clock */
};

/* NULL: the ranks are not together.  From the end of MPI_Init to MPI_Finalize.  A child
 * of fork() has a copy, with which it must not exchange messages.
 */
struct rc_mpi_world *rc_mpi_world_get(void);
bool rc_mpi_world_is_copy(void);

/* Collective over the tool's communicator: fits the line again, to this comparison and
 * to those before.  The sampler is told, and writes it into the journal.  It does
 * nothing on one node.
 */
void rc_mpi_world_compare_clocks(struct rc_mpi_world *world);

/* After MPI_Init, in each rank that has marked itself: whether all are together (else
 * NULL), which then have compared their clocks; and the end of it.
 */
struct rc_mpi_world *rc_mpi_world_begin(void);
void rc_mpi_world_end(struct rc_mpi_world *world);

/* The common time of a moment of this node. */
static inline int64_t rc_mpi_time(const struct rc_mpi_line *line, uint64_t ticks)
{
    return line->time + (int64_t)((double)(int64_t)(ticks - line->ticks) * line->rate);
}

/* How many ns have passed by the node's CLOCK_MONOTONIC_RAW, since some moment. */
int64_t rc_mpi_raw_ns(void);

#endif
