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
