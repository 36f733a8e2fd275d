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

struct rc_tally {
    bool alone;
    int rank;
    struct rc_onesided window;
    struct counter *counter;
    size_t counters;
};

static int counters_agree(MPI_Comm comm, size_t counters, struct rc_error *err)
{
    uint64_t ends[2] = {counters, ~(uint64_t)counters};

    if (comm == MPI_COMM_NULL)
        return RC_OK;
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, comm);
    if (ends[0] != ~ends[1])
        return rc_fail(err, RC_ECONFLICT,
                       "tally: the ranks asked for %llu to %llu counters",
                       (unsigned long long)ends[0], (unsigned long long)~ends[1]);
    return RC_OK;
}

static void tally_free(struct rc_tally *tally)
{
    if (tally)
        free(tally->counter);
    free(tally);
}

int rc_tally_create(MPI_Comm comm, size_t counters, struct rc_tally **out,
                    struct rc_error *err)
{
    size_t size = (size_t)rc_team_size(comm);
    struct rc_tally *tally = rc_calloc(1, sizeof *tally);
    bool *wanted = rc_calloc(size, sizeof *wanted);
    int status = RC_OK;

    *out = NULL;
    if (tally)
        tally->counter = rc_calloc(counters, sizeof *tally->counter);
    if (!tally || !tally->counter || !wanted)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu counters", counters);
    status = rc_agree(comm, status, err);
    if (status == RC_OK)
        status = counters_agree(comm, counters, err); /* the same on all ranks */
    if (status != RC_OK)
        goto out;
    tally->counters = counters;
    tally->alone = comm == MPI_COMM_NULL;
    tally->rank = rc_team_rank(comm);
    for (size_t i = 0; i < counters; i++)
        tally->counter[i].request = MPI_REQUEST_NULL;
    wanted[0] = counters > 0;
    if (!tally->alone)
        rc_onesided_open(comm, tally->rank == 0 ? counters : 0, wanted, &tally->window);
    *out = tally;
    tally = NULL;
out:
    tally_free(tally);
    free(wanted);
    return status;
}

static void send_gathered(struct rc_tally *tally, size_t index)
{
    struct counter *counter = &tally->counter[index];

    if (counter->gathered == 0)
        return;
    counter->sent = counter->gathered;
    counter->gathered = 0;
    rc_onesided_add(&tally->window, 0, index, &counter->sent, &counter->before,
                    &counter->request);
}

static void send_if_answered(struct rc_tally *tally, size_t index)
{
    int done;

    MPI_Test(&tally->counter[index].request, &done, MPI_STATUS_IGNORE);
    if (done)
        send_gathered(tally, index);
}

void rc_tally_add(struct rc_tally *tally, size_t counter, uint64_t amount)
{
    tally->counter[counter].added += amount;
    if (tally->alone)
        return;
    tally->counter[counter].gathered += (int64_t)amount;
    send_if_answered(tally, counter);
}

uint64_t rc_tally_value(struct rc_tally *tally, size_t counter)
{
    if (tally->alone || tally->rank != 0)
        return tally->counter[counter].added;
    return (uint64_t)rc_onesided_value(&tally->window, counter);
}

void rc_tally_progress(struct rc_tally *tally)
{
    if (tally->alone)
        return;
    rc_onesided_poll(&tally->window);
    for (size_t i = 0; i < tally->counters; i++)
        send_if_answered(tally, i);
}

static void send_all(struct rc_tally *tally, void (*idle)(void *arg), void *arg)
{
    for (size_t i = 0; i < tally->counters; i++) {
        rc_onesided_wait(&tally->counter[i].request, idle, arg);
        send_gathered(tally, i);
    }
    for (size_t i = 0; i < tally->counters; i++)
        rc_onesided_wait(&tally->counter[i].request, idle, arg);
}

void rc_tally_settle(struct rc_tally *tally, void (*idle)(void *arg), void *arg)
{
    if (tally->alone)
        return;
    send_all(tally, idle, arg);
    rc_onesided_meet(&tally->window, idle, arg);
}

void rc_tally_close(struct rc_tally *tally)
{
    if (tally && !tally->alone) {
        send_all(tally, NULL, NULL);
        rc_onesided_close(&tally->window);
    }
    tally_free(tally);
}
