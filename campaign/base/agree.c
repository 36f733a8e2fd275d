/* Agreement of all ranks on the first failure among them.
 *
 * Two collectives: the lowest rank that failed, then its error.  Where all is well only
 * the first one is called, on every rank alike.
 */
#include "campaign/base/agree.h"

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

int rc_team_most(MPI_Comm comm, int number)
{
    if (comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, comm);
    return number;
}

void rc_team_sum(MPI_Comm comm, uint64_t *number, int count)
{
    if (comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, number, count, MPI_UINT64_T, MPI_SUM, comm);
}

/* MPI-3 counts are ints: more than 2 GiB of bytes have to go in several messages. */
#define PIECE_BYTES ((size_t)1 << 30)

void rc_broadcast(MPI_Comm comm, int root, void *data, size_t bytes)
{
    for (size_t at = 0; comm != MPI_COMM_NULL && at < bytes; at += PIECE_BYTES) {
        const size_t left = bytes - at;
        MPI_Bcast((char *)data + at, (int)(left < PIECE_BYTES ? left : PIECE_BYTES),
                  MPI_BYTE, root, comm);
    }
}

int rc_agree(MPI_Comm comm, int status, struct rc_error *err)
{
    if (comm == MPI_COMM_NULL)
        return status;

    int size = rc_team_size(comm);
    int mine = status == RC_OK ? size : rc_team_rank(comm);
    int first;

    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size)
        return RC_OK;
    if (first == mine) {
        err->status = (enum rc_status)status;
        err->rank = err->rank < 0 ? first : err->rank;
    }
    MPI_Bcast(err, (int)sizeof *err, MPI_BYTE, first, comm);
    return err->status;
}
