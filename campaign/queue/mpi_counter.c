/* Counters in an MPI window in rank 0's memory; one-sided additions that are not waited
 * for.
 *
 * The window is locked for all ranks from its opening to its end (passive target), so
 * no rank has to take part in an addition.  Additions are atomic for each counter and
 * have no order, which the info keys tell MPI, so that a network can do them by itself.
 */
#include "campaign/queue/mpi_counter.h"

#include "campaign/base/agree.h"

enum {
    COUNTER_BYTES = 64, /* a cache line of its own for each counter */
    POLLS = 4           /* enough to receive an addition and to send the answer */
};

static MPI_Aint place_of(size_t counter)
{
    return (MPI_Aint)(counter * COUNTER_BYTES);
}

void rc_mpi_counter_open(MPI_Comm comm, size_t counters, struct rc_mpi_counter *out)
{
    MPI_Aint bytes = rc_team_rank(comm) == 0 ? place_of(counters) : 0;
    MPI_Info info;
    char *memory;
    int64_t none;

    MPI_Comm_dup(comm, &out->comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "acc_single_intrinsic", "true"); /* Open MPI: the network adds */
    MPI_Win_allocate(bytes, 1, info, out->comm, &memory, &out->win);
    MPI_Info_free(&info);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, out->win);
    for (MPI_Aint i = 0; i < bytes; i++)
        memory[i] = 0;
    out->memory = memory;
    MPI_Win_sync(out->win);
    MPI_Barrier(out->comm);
    if (counters > 0) { /* a first operation without an effect */
        MPI_Fetch_and_op(NULL, &none, MPI_INT64_T, 0, 0, MPI_NO_OP, out->win);
        MPI_Win_flush(0, out->win);
    }
    MPI_Barrier(out->comm);
}

void rc_mpi_counter_add(struct rc_mpi_counter *window, size_t counter,
                        const int64_t *amount, int64_t *before, MPI_Request *request)
{
    MPI_Rget_accumulate(amount, 1, MPI_INT64_T, before, 1, MPI_INT64_T, 0,
                        place_of(counter), 1, MPI_INT64_T, MPI_SUM, window->win,
                        request);
}

int64_t rc_mpi_counter_value(const struct rc_mpi_counter *window, size_t counter)
{
    const int64_t *at = (const void *)(window->memory + place_of(counter));

    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

void rc_mpi_counter_poll(struct rc_mpi_counter *window)
{
    int flag;

    for (int i = 0; i < POLLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, window->comm, &flag, MPI_STATUS_IGNORE);
}

void rc_mpi_counter_close(struct rc_mpi_counter *window)
{
    rc_meet_asleep(window->comm, NULL, NULL);
    MPI_Win_unlock_all(window->win);
    MPI_Win_free(&window->win);
    MPI_Comm_free(&window->comm);
}
