/* Sums over all ranks that reach rank 0 some time later.
 *
 * For each counter at most one addition is under way.  What is added meanwhile is
 * gathered, and sent when a later call finds that the one before was answered; so a
 * rank that adds often sends no more than the network takes.
 */
#include "campaign/queue/rank_counters.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/queue/mpi_counter.h"

#include <stdlib.h>

struct counter {
    uint64_t added;   /* by this rank */
    int64_t gathered; /* of that, not yet sent */
    int64_t sent;     /* of that, under way; belongs to MPI until it is answered */
    int64_t before;   /* likewise */
    MPI_Request request;
};

struct rc_rank_counters {
    bool alone; /* one process, without MPI */
    int rank;
    struct rc_mpi_counter window;
    struct counter *counter;
    size_t counters;
};

static void rank_counters_free(struct rc_rank_counters *rank_counters)
{
    if (rank_counters)
        free(rank_counters->counter);
    free(rank_counters);
}

int rc_rank_counters_create(MPI_Comm comm, size_t counters,
                            struct rc_rank_counters **out, struct rc_error *err)
{
    struct rc_rank_counters *rank_counters = rc_calloc(1, sizeof *rank_counters);
    int status = RC_OK;

    *out = NULL;
    if (rank_counters)
        rank_counters->counter = rc_calloc(counters, sizeof *rank_counters->counter);
    if (!rank_counters || !rank_counters->counter)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu counters", counters);
    status = rc_agree(comm, status, err);
    if (status != RC_OK) {
        rank_counters_free(rank_counters);
        return status;
    }
    rank_counters->counters = counters;
    rank_counters->alone = comm == MPI_COMM_NULL;
    rank_counters->rank = rc_team_rank(comm);
    for (size_t i = 0; i < counters; i++)
        rank_counters->counter[i].request = MPI_REQUEST_NULL;
    if (!rank_counters->alone)
        rc_mpi_counter_open(comm, counters, &rank_counters->window);
    *out = rank_counters;
    return RC_OK;
}

static void send_gathered(struct rc_rank_counters *rank_counters, size_t index)
{
    struct counter *counter = &rank_counters->counter[index];

    if (counter->gathered == 0)
        return;
    counter->sent = counter->gathered;
    counter->gathered = 0;
    rc_mpi_counter_add(&rank_counters->window, index, &counter->sent, &counter->before,
                       &counter->request);
}

static void send_if_answered(struct rc_rank_counters *rank_counters, size_t index)
{
    int done;

    MPI_Test(&rank_counters->counter[index].request, &done, MPI_STATUS_IGNORE);
    if (done)
        send_gathered(rank_counters, index);
}

void rc_rank_counters_add(struct rc_rank_counters *rank_counters, size_t counter,
                          uint64_t amount)
{
    rank_counters->counter[counter].added += amount;
    if (rank_counters->alone)
        return;
    rank_counters->counter[counter].gathered += (int64_t)amount;
    send_if_answered(rank_counters, counter);
}

uint64_t rc_rank_counters_value(struct rc_rank_counters *rank_counters, size_t counter)
{
    if (rank_counters->alone || rank_counters->rank != 0)
        return rank_counters->counter[counter].added;
    return (uint64_t)rc_mpi_counter_value(&rank_counters->window, counter);
}

void rc_rank_counters_progress(struct rc_rank_counters *rank_counters)
{
    if (rank_counters->alone)
        return;
    rc_mpi_counter_poll(&rank_counters->window);
    for (size_t i = 0; i < rank_counters->counters; i++)
        send_if_answered(rank_counters, i);
}

/* Waits until everything that was gathered has arrived. */
static void send_all(struct rc_rank_counters *rank_counters, void (*idle)(void *arg),
                     void *arg)
{
    for (size_t i = 0; i < rank_counters->counters; i++) {
        rc_mpi_counter_wait(&rank_counters->counter[i].request, idle, arg);
        send_gathered(rank_counters, i);
    }
    for (size_t i = 0; i < rank_counters->counters; i++)
        rc_mpi_counter_wait(&rank_counters->counter[i].request, idle, arg);
}

void rc_rank_counters_settle(struct rc_rank_counters *rank_counters,
                             void (*idle)(void *arg), void *arg)
{
    if (rank_counters->alone)
        return;
    send_all(rank_counters, idle, arg);
    rc_mpi_counter_meet(&rank_counters->window, idle, arg);
}

void rc_rank_counters_close(struct rc_rank_counters *rank_counters)
{
    if (rank_counters && !rank_counters->alone) {
        send_all(rank_counters, NULL, NULL);
        rc_mpi_counter_close(&rank_counters->window);
    }
    rank_counters_free(rank_counters);
}
