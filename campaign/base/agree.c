/* Agreement of all ranks on the first failure among them.
 *
 * It takes two collectives: the lowest rank that failed, then its error.  Where all is
 * well only the first one is called, on every rank alike.
 */
#include "campaign/base/agree.h"

#include <sched.h>
#include <time.h>

#undef rc_agree

int rc_team_rank(MPI_Comm comm)
{
    int rank = 0;

    if (comm != MPI_COMM_NULL)
        MPI_Comm_rank(comm, &rank);
    return rank;
}

int rc_team_size(MPI_Comm comm)
{
    int size = 1;

    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &size);
    return size;
}

void rc_wait_yielding(MPI_Request *request)
{
    int done = 0;

    for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(request, &done, MPI_STATUS_IGNORE))
        sched_yield();
}

void rc_team_reduce(MPI_Comm comm, void *data, int count, MPI_Datatype type, MPI_Op op)
{
    MPI_Request request;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Iallreduce(MPI_IN_PLACE, data, count, type, op, comm, &request);
    rc_wait_yielding(&request);
} /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): it was waited for */

int rc_team_most(MPI_Comm comm, int number)
{
    rc_team_reduce(comm, &number, 1, MPI_INT, MPI_MAX);
    return number;
}

void rc_team_sum(MPI_Comm comm, uint64_t *number, int count)
{
    rc_team_reduce(comm, number, count, MPI_UINT64_T, MPI_SUM);
}

/* MPI-3 counts are ints: more than 2 GiB of bytes have to go in several messages. */
#define PIECE_BYTES ((size_t)1 << 30)

void rc_broadcast(MPI_Comm comm, int root, void *data, size_t bytes)
{
    MPI_Request request;

    for (size_t at = 0; comm != MPI_COMM_NULL && at < bytes; at += PIECE_BYTES) {
        const size_t left = bytes - at;
        MPI_Ibcast((char *)data + at, (int)(left < PIECE_BYTES ? left : PIECE_BYTES),
                   MPI_BYTE, root, comm, &request);
        rc_wait_yielding(&request);
    }
} /* NOLINT(clang-analyzer-optin.mpi.MPI-Checker): they were waited for */

enum {
    TESTS = 4,            /* before the first nap */
    NAP_LEAST_NS = 20000, /* doubled each time */
    NAP_MOST_NS = 500000,
    NAP_MEET_NS = 2000000 /* the most where nobody is kept busy */
};

static bool sleep_until(MPI_Request *request, long most_ns, void (*idle)(void *arg),
                        void *arg)
{
    struct timespec nap = {0, NAP_LEAST_NS};
    bool waited = false;
    int done;

    for (int i = 0; i < TESTS; i++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return false;
    }
    while (!done) {
        waited = true;
        if (idle)
            idle(arg);
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec * 2 > most_ns ? most_ns : nap.tv_nsec * 2;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return waited;
}

bool rc_wait_asleep(MPI_Request *request, void (*idle)(void *arg), void *arg)
{
    return sleep_until(request, NAP_MOST_NS, idle, arg);
}

void rc_meet_asleep(MPI_Comm comm, void (*idle)(void *arg), void *arg)
{
    MPI_Request all;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Ibarrier(comm, &all);
    sleep_until(&all, idle ? NAP_MOST_NS : NAP_MEET_NS, idle, arg);
}

int rc_agree(MPI_Comm comm, int status, struct rc_error *err)
{
    if (comm == MPI_COMM_NULL)
        return status;

    int size = rc_team_size(comm);
    int mine = status == RC_OK ? size : rc_team_rank(comm);
    int first = mine;

    rc_team_reduce(comm, &first, 1, MPI_INT, MPI_MIN);
    if (first == size)
        return RC_OK;
    if (first == mine) {
        err->status = (enum rc_status)status;
        err->rank = err->rank < 0 ? first : err->rank;
    }
    rc_broadcast(comm, first, err, sizeof *err);
    return err->status;
}
