/* Hands out the indices of units, lane after lane, from counters that all ranks draw
 * from.
 *
 * A draw is a fetch-and-add of 1: the counter's value before is the ticket, and a
 * ticket beyond the lane's number means that none is left.  One process alone has the
 * counter in 'drawn' itself, without MPI.
 */
#include "campaign/queue/queue.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/queue/mpi_counter.h"

#include <stdlib.h>

struct lane {
    uint64_t tickets;
    MPI_Request request; /* of the draw under way */
    int64_t drawn;       /* written by MPI until the request is complete */
    bool pending;        /* drawn but not taken */
    bool empty;          /* no ticket is left for this rank */
};

struct rc_queue {
    MPI_Comm comm; /* the creator's; MPI_COMM_NULL: alone, without a window */
    struct rc_mpi_counter window; /* a counter for each lane */
    struct rc_queue_stats stats;
    size_t lanes;
    struct lane lane[];
};

static const int64_t one = 1; /* added by a draw; must live as long as the request */

int rc_queue_create(MPI_Comm comm, const uint64_t *tickets, size_t lanes,
                    struct rc_queue **out, struct rc_error *err)
{
    struct rc_queue *q = rc_calloc(1, sizeof *q + lanes * sizeof q->lane[0]);
    const uint64_t hash = rc_text_hash_more(lanes, tickets, lanes * sizeof *tickets);
    uint64_t ends[2] = {hash, ~hash};
    int status = RC_OK;

    *out = NULL;
    if (!q)
        status = rc_fail(err, RC_ENOMEM, "no memory for a queue of %zu lanes", lanes);
    status = rc_agree(comm, status, err);
    /* Ranks that were given different lanes would deal out different units under one
     * number.  The smallest and the largest of all ranks' hashes must be equal; the
     * largest is the complement of the smallest complement, so one reduction suffices.
     */
    if (status == RC_OK)
        rc_team_reduce(comm, ends, 2, MPI_UINT64_T, MPI_MIN);
    if (status == RC_OK && ends[0] != ~ends[1]) /* the same on all ranks */
        status =
            rc_fail(err, RC_ECONFLICT, "queue: the ranks were given different lanes");
    if (status != RC_OK) {
        free(q);
        return status;
    }
    q->comm = comm;
    q->lanes = lanes;
    for (size_t i = 0; i < lanes; i++)
        q->lane[i] = (struct lane){.tickets = tickets[i], .request = MPI_REQUEST_NULL};
    if (comm != MPI_COMM_NULL)
        rc_mpi_counter_open(comm, lanes, &q->window);
    *out = q;
    return RC_OK;
}

void rc_queue_request(struct rc_queue *q, size_t lane)
{
    struct lane *from = &q->lane[lane];
    uint64_t start;

    if (from->pending || from->empty)
        return;
    start = rc_clock_ns();
    from->pending = true;
    if (q->comm == MPI_COMM_NULL)
        from->drawn++;
    else
        rc_mpi_counter_add(&q->window, lane, &one, &from->drawn, &from->request);
    q->stats.draws++;
    q->stats.request_ns += rc_clock_ns() - start;
}

void rc_queue_progress(struct rc_queue *q)
{
    if (q->comm != MPI_COMM_NULL)
        rc_mpi_counter_poll(&q->window);
}

bool rc_queue_take(struct rc_queue *q, size_t lane, uint64_t *ticket)
{
    struct lane *from = &q->lane[lane];
    uint64_t start, drawn;

    rc_queue_request(q, lane);
    if (from->empty)
        return false;
    start = rc_clock_ns();
    if (q->comm == MPI_COMM_NULL)
        drawn = (uint64_t)from->drawn - 1; /* the counter itself, already increased */
    else {
        rc_queue_progress(q); /* a test of a request need not make progress */
        q->stats.waits += rc_wait_asleep(&from->request, NULL, NULL);
        drawn = (uint64_t)from->drawn;
    }
    from->pending = false;
    from->empty = drawn >= from->tickets;
    q->stats.take_ns += rc_clock_ns() - start;
    if (from->empty)
        return false;
    q->stats.taken++;
    *ticket = drawn;
    return true;
}

/* One draw of as many tickets as the lane has leaves none for anybody. */
void rc_queue_stop(struct rc_queue *q)
{
    const bool alone = q->comm == MPI_COMM_NULL;

    for (size_t i = 0; i < q->lanes; i++) {
        struct lane *lane = &q->lane[i];
        const int64_t all = (int64_t)lane->tickets;
        int64_t before;
        if (lane->pending && !alone)
            rc_wait_asleep(&lane->request, NULL, NULL);
        if (all > 0 && !lane->empty && !alone) {
            rc_mpi_counter_add(&q->window, i, &all, &before, &lane->request);
            rc_wait_asleep(&lane->request, NULL, NULL);
        }
        lane->pending = false;
        lane->empty = true;
    }
}

void rc_queue_stats(const struct rc_queue *q, struct rc_queue_stats *out)
{
    *out = q->stats;
}

void rc_queue_close(struct rc_queue *q)
{
    if (q && q->comm != MPI_COMM_NULL) {
        for (size_t i = 0; i < q->lanes; i++)
            if (q->lane[i].pending)
                rc_wait_asleep(&q->lane[i].request, NULL, NULL);
        rc_mpi_counter_close(&q->window);
    }
    free(q);
}
