/* Chooses the ranks that work where a node has more of them than CPUs. */
#include "campaign/machine/crowd.h"

#include "campaign/base/agree.h"

#include <sched.h>
#include <stdlib.h>

enum { CPU_BYTES = 1024 /* of a mask: the kernel has at most 8192 CPUs */ };

/* Collective over the node.  A mask of the CPUs that are taken is passed from rank to
 * rank.
 */
static bool take_cpu(MPI_Comm node)
{
    const int rank = rc_team_rank(node);
    unsigned char taken[CPU_BYTES] = {0}, mine[CPU_BYTES] = {0};
    bool found = sched_getaffinity(0, sizeof mine, (cpu_set_t *)mine) != 0;

    if (rank > 0)
        MPI_Recv(taken, CPU_BYTES, MPI_BYTE, rank - 1, 0, node, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < CPU_BYTES && !found; i++) {
        const int free_here = mine[i] & ~taken[i];
        found = free_here != 0;
        taken[i] |= (unsigned char)(free_here & -free_here); /* the lowest free one */
    }
    if (rank + 1 < rc_team_size(node))
        MPI_Send(taken, CPU_BYTES, MPI_BYTE, rank + 1, 0, node);
    return found;
}

void rc_crowd_begin(MPI_Comm comm, struct rc_crowd *out)
{
    const char *every = getenv("ROLLCALL_ALL_RANKS");
    const int rank = rc_team_rank(comm);
    MPI_Comm node;

    *out = (struct rc_crowd){.all = comm, .working = comm, .works = true};
    if (comm == MPI_COMM_NULL || rc_team_most(comm, every && *every))
        return;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    out->works = take_cpu(node);
    MPI_Comm_free(&node);
    if (rc_team_most(comm, !out->works))
        MPI_Comm_split(comm, out->works ? 0 : MPI_UNDEFINED, rank, &out->working);
}

int rc_crowd_end(struct rc_crowd *crowd, int status, struct rc_error *err)
{
    if (crowd->working == crowd->all)
        return status;
    /* The failed rank has another number in 'all'. */
    if (status != RC_OK && err->rank >= 0) {
        if (err->rank != rc_team_rank(crowd->working))
            status = RC_OK;
        err->rank = -1;
    }
    if (crowd->works)
        MPI_Comm_free(&crowd->working);
    rc_meet_asleep(crowd->all, NULL, NULL);
    return rc_agree(crowd->all, status, err);
}
