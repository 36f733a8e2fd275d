/* agree.h - all ranks learn whether one of them failed, and why */
#ifndef RC_CAMPAIGN_BASE_AGREE_H
#define RC_CAMPAIGN_BASE_AGREE_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A process that started no MPI is a team of its own: it passes
 * MPI_COMM_NULL wherever rollcall takes a communicator.
 */
int rc_team_rank(MPI_Comm comm);
int rc_team_size(MPI_Comm comm);

/* MPI_Allreduce() in place; nothing where the process is alone.  All collectives of
 * this header but rc_meet_asleep() wait yielding: where ranks share a CPU, one that
 * waits gives way.  MPI's own may spin, as those of MPICH do, until the scheduler takes
 * the CPU from them.
 */
void rc_team_reduce(MPI_Comm comm, void *data, int count, MPI_Datatype type, MPI_Op op);

/* The largest number that any rank gives; and sums over all ranks, in place. */
int rc_team_most(MPI_Comm comm, int number);
void rc_team_sum(MPI_Comm comm, uint64_t *number, int count);

/* Collective over 'comm': 'data' on every rank becomes what it is on 'root'.  'bytes'
 * is the same on all and may be more than a count of MPI can say.
 */
void rc_broadcast(MPI_Comm comm, int root, void *data, size_t bytes);

/* Gives way until the request is complete.  Where ranks share a CPU, the rank that is
 * waited for may run; where they do not, the kernel has nothing else to run and returns
 * at once.
 */
void rc_wait_yielding(MPI_Request *request);

/* Sleeps until the request is complete: an answer may take as long as a kernel runs,
 * and spinning in MPI_Wait() would disturb those that measure beside us.  Calls 'idle'
 * (may be NULL) between naps.  True: it had to wait.
 */
bool rc_wait_asleep(MPI_Request *request, void (*idle)(void *arg), void *arg);

/* Collective: sleeps until all ranks are here. */
void rc_meet_asleep(MPI_Comm comm, void (*idle)(void *arg), void *arg);

/* Collective over 'comm'.  Each rank passes its own status, and its own error
 * where that is not RC_OK.  If all are RC_OK, returns RC_OK on every rank.
 * Otherwise every rank returns the status of the lowest failing rank and has
 * that rank's error in 'err', with 'err->rank' set to it.  'err' must not be
 * NULL.  May be called again with what it returned: the error stays the same.
 */
int rc_agree(MPI_Comm comm, int status, struct rc_error *err);

#ifdef __clang_analyzer__ /* it does not know that a rank that failed hears of it */
static inline int rc_agree_told(MPI_Comm comm, int status, struct rc_error *err)
{
    return rc_agree(comm, status, err) != RC_OK ? RC_EIO : status;
}
#define rc_agree rc_agree_told
#endif

#endif
