/* Sums over all ranks that reach rank 0 with some delay.
 *
 * Each counter has at most one addition under way.  Later amounts are collected, and
 * sent when a call finds that the one before was answered; so a rank that adds often
 * sends no more than the network takes.
 */
#include "campaign/queue/rank_counters.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/queue/mpi_counter.h"

#include <stdlib.h>

struct counter {
    uint64_t added;   /* by this rank */
    int64_t gathered; /* part of 'added' that is not yet sent */
    int64_t sent;     /* part that is under way; belongs to MPI until it is answered */
    int64_t before;   /* likewise */
    MPI_Request request;
};

struct rc_rank_counters {
    bool alone; /* one process, without MPI */
    int rank;
    struct rc_mpi_counter window;
    size_t counters;
    struct counter counter[];
};

int rc_rank_counters_create(MPI_Comm comm, size_t counters,
                            struct rc_rank_counters **out, struct rc_error *err)
{
    struct rc_rank_counters *c =
        rc_calloc(1, sizeof *c + counters * sizeof c->counter[0]);
    int status = RC_OK;

    *out = NULL;
    if (!c)
        status = rc_fail(err, RC_ENOMEM, "no memory for %zu counters", counters);
    status = rc_agree(comm, status, err);
    if (status != RC_OK) {
        free(c);
        return status;
    }
    c->counters = counters;
    c->alone = comm == MPI_COMM_NULL;
    c->rank = rc_team_rank(comm);
    for (size_t i = 0; i < counters; i++)
        c->counter[i].request = MPI_REQUEST_NULL;
    if (!c->alone)
        rc_mpi_counter_open(comm, counters, &c->window);
    *out = c;
    return RC_OK;
}

static void send_gathered(struct rc_rank_counters *c, size_t index)
{
    struct counter *counter = &c->counter[index];

    if (counter->gathered == 0)
        return;
    counter->sent = counter->gathered;
    counter->gathered = 0;
    rc_mpi_counter_add(&c->window, index, &counter->sent, &counter->before,
                       &counter->request);
}

static void send_if_answered(struct rc_rank_counters *c, size_t index)
{
    int done;

    MPI_Test(&c->counter[index].request, &done, MPI_STATUS_IGNORE);
    if (done)
        send_gathered(c, index);
}

void rc_rank_counters_add(struct rc_rank_counters *c, size_t counter, uint64_t amount)
{
    c->counter[counter].added += amount;
    if (c->alone)
        return;
    c->counter[counter].gathered += (int64_t)amount;
    send_if_answered(c, counter);
}

uint64_t rc_rank_counters_value(struct rc_rank_counters *c, size_t counter)
{
    if (c->alone || c->rank != 0)
        return c->counter[counter].added;
    return (uint64_t)rc_mpi_counter_value(&c->window, counter);
}

void rc_rank_counters_progress(struct rc_rank_counters *c)
{
    if (c->alone)
        return;
    rc_mpi_counter_poll(&c->window);
    for (size_t i = 0; i < c->counters; i++)
        send_if_answered(c, i);
}

/* Waits until all additions have arrived. */
static void send_all(struct rc_rank_counters *c, void (*idle)(void *arg), void *arg)
{
    for (size_t i = 0; i < c->counters; i++) {
        rc_wait_asleep(&c->counter[i].request, idle, arg);
        send_gathered(c, i);
    }
    for (size_t i = 0; i < c->counters; i++)
        rc_wait_asleep(&c->counter[i].request, idle, arg);
}

void rc_rank_counters_settle(struct rc_rank_counters *c, void (*idle)(void *arg),
                             void *arg)
{
    if (c->alone)
        return;
    send_all(c, idle, arg);
    rc_meet_asleep(c->window.comm, idle, arg);
}

void rc_rank_counters_close(struct rc_rank_counters *c)
{
    if (c && !c->alone) {
        send_all(c, NULL, NULL);
        rc_mpi_counter_close(&c->window);
    }
    free(c);
}
