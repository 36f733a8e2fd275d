/* A library that is preloaded: what the programs here are given by others is wrong on the
 * last rank, so that each of them ends with 1.
 */
#include <mpi.h>

/* Turns the highest bits of the first number, of 8 bytes, on the last rank. */
static void spoil(void *numbers)
{
    int rank, ranks;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == ranks - 1)
        ((unsigned char *)numbers)[6] ^= 0x5a;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm)
{
    const int status = PMPI_Allreduce(send, receive, count, type, op, comm);

    spoil(receive);
    return status;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const int status = PMPI_Bcast(buffer, count, type, root, comm);

    spoil(buffer);
    return status;
}

int MPI_Sendrecv(const void *send, int send_count, MPI_Datatype send_type, int to,
                 int send_tag, void *receive, int receive_count,
                 MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    const int done =
        PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count,
                      receive_type, from, receive_tag, comm, status);

    if (from != MPI_PROC_NULL)
        spoil(receive);
    return done;
}

int MPI_Alltoallv(const void *send, const int *send_counts, const int *send_at,
                  MPI_Datatype send_type, void *receive, const int *receive_counts,
                  const int *receive_at, MPI_Datatype receive_type, MPI_Comm comm)
{
    const int status = PMPI_Alltoallv(send, send_counts, send_at, send_type, receive,
                                      receive_counts, receive_at, receive_type, comm);

    spoil(receive);
    return status;
}
