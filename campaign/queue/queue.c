/* Hands out the indices of units, lane after lane, from counters that all ranks draw
 * from.
 *
 * A draw is a fetch-and-add of 1: what the counter was before is the ticket, and a
 * ticket beyond the lane's number means that none is left.  One process alone has the
 * counter in 'drawn' itself, without MPI.
 */
#include "campaign/queue/queue.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/queue/mpi_counter.h"

#include <stdlib.h>

struct lane {
    uint64_t tickets;
    int holder;          /* rank that has the counter in its memory */
    size_t counter;      /* its number among those of the holder */
    MPI_Request request; /* of the draw under way */
    int64_t drawn;       /* written by MPI until the request is complete */
    bool pending;        /* drawn, and not taken */
    bool empty;          /* no ticket is left for this rank */
};

struct rc_queue {
    MPI_Comm comm; /* the creator's; MPI_COMM_NULL: alone, without a window */
    struct rc_mpi_counter window;
    struct lane *lane;
    size_t lanes;
    struct rc_queue_stats stats;
};

static const int64_t one = 1; /* what a draw adds; must live as long as the request */

/* What this rank was given, by itself. */
static int lanes_check(const struct rc_queue_lane *lane, size_t lanes, int size,
                       struct rc_error *err)
{
    for (size_t i = 0; i < lanes; i++) {
        if (lane[i].tickets > RC_QUEUE_MOST)
            return rc_fail(err, RC_EUSAGE,
                           "queue: lane %zu: expected at most %llu tickets, found %llu",
                           i, (unsigned long long)RC_QUEUE_MOST,
                           (unsigned long long)lane[i].tickets);
        if (lane[i].holder < RC_QUEUE_ANY || lane[i].holder >= size)
            return rc_fail(err, RC_EUSAGE,
                           "queue: lane %zu: expected a holder below %d, found %d", i,
                           size, lane[i].holder);
    }
    return RC_OK;
}

/* Lanes of RC_QUEUE_ANY go to the ranks in turn. */
static int lanes_place(struct rc_queue *queue, const struct rc_queue_lane *lane,
                       struct rc_error *err)
{
    int size = rc_team_size(queue->comm), next = 0, status = RC_OK;
    size_t *held = rc_calloc((size_t)size, sizeof *held);

    queue->lane = rc_calloc(queue->lanes, sizeof *queue->lane);
    if (!held || !queue->lane) {
        status =
            rc_fail(err, RC_ENOMEM, "no memory for a queue of %zu lanes", queue->lanes);
        goto out;
    }
    for (size_t i = 0; i < queue->lanes; i++) {
        struct lane *to = &queue->lane[i];
        to->tickets = lane[i].tickets;
        to->holder = lane[i].holder == RC_QUEUE_ANY ? next++ % size : lane[i].holder;
        to->counter = held[to->holder]++;
        to->request = MPI_REQUEST_NULL;
    }
out:
    free(held);
    return status;
}

/* Collective: ranks that were given different lanes would deal out different units
 * under one number.  The smallest and the largest of all ranks' hashes must be equal;
 * the largest is found as the complement of the smallest complement, so that one
 * reduction does.
 */
static int lanes_agree(MPI_Comm comm, const struct rc_queue_lane *lane, size_t lanes,
                       struct rc_error *err)
{
    uint64_t sum = UINT64_C(1469598103934665603), ends[2];

    if (comm == MPI_COMM_NULL)
        return RC_OK;
    for (size_t i = 0; i < lanes; i++) {
        sum = (sum ^ lane[i].tickets) * UINT64_C(1099511628211);
        sum = (sum ^ (uint64_t)lane[i].holder) * UINT64_C(1099511628211);
    }
    sum = (sum ^ lanes) * UINT64_C(1099511628211);
    ends[0] = sum;
    ends[1] = ~sum;
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, comm);
    if (ends[0] != ~ends[1])
        return rc_fail(err, RC_ECONFLICT,
                       "queue: the ranks were given different lanes");
    return RC_OK;
}

/* Collective.  Marks the holders that this rank may draw from: those on its node, and
 * those of lanes that all may measure; nobody draws from the places of other nodes.
 */
static void mark_holders(const struct rc_queue *queue, const struct rc_queue_lane *lane,
                         bool *wanted)
{
    MPI_Comm node;
    MPI_Group all, here;

    MPI_Comm_split_type(queue->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_group(queue->comm, &all);
    MPI_Comm_group(node, &here);
    for (size_t i = 0; i < queue->lanes; i++) {
        const int holder = queue->lane[i].holder;
        int place;
        MPI_Group_translate_ranks(all, 1, &holder, here, &place);
        wanted[holder] |=
            lane[i].holder == RC_QUEUE_ANY ||
            (place != MPI_UNDEFINED && holder != rc_team_rank(queue->comm));
    }
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    MPI_Comm_free(&node);
}

static void queue_free(struct rc_queue *queue)
{
    if (queue)
        free(queue->lane);
    free(queue);
}

int rc_queue_create(MPI_Comm comm, const struct rc_queue_lane *lane, size_t lanes,
                    struct rc_queue **out, struct rc_error *err)
{
    struct rc_queue *queue = rc_calloc(1, sizeof *queue);
    size_t held = 0;
    bool *wanted = rc_calloc((size_t)rc_team_size(comm), sizeof *wanted);
    int status;

    *out = NULL;
    if (!queue || !wanted) {
        status = rc_fail(err, RC_ENOMEM, "no memory for a queue");
    } else {
        queue->comm = comm;
        queue->lanes = lanes;
        status = lanes_check(lane, lanes, rc_team_size(comm), err);
        if (status == RC_OK)
            status = lanes_place(queue, lane, err);
    }
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        goto out;
    status = lanes_agree(comm, lane, lanes, err); /* the same on all ranks */
    if (status != RC_OK)
        goto out;
    if (comm != MPI_COMM_NULL) {
        mark_holders(queue, lane, wanted);
        for (size_t i = 0; i < lanes; i++)
            held += queue->lane[i].holder == rc_team_rank(comm);
        rc_mpi_counter_open(comm, held, wanted, &queue->window);
    }
    *out = queue;
    queue = NULL;
out:
    queue_free(queue);
    free(wanted);
    return status;
}

void rc_queue_request(struct rc_queue *queue, size_t lane)
{
    struct lane *from = &queue->lane[lane];
    uint64_t start;

    if (from->pending || from->empty)
        return;
    start = rc_clock_ns();
    from->pending = true;
    if (queue->comm == MPI_COMM_NULL)
        from->drawn++;
    else
        rc_mpi_counter_add(&queue->window, from->holder, from->counter, &one,
                           &from->drawn, &from->request);
    queue->stats.draws++;
    queue->stats.request_ns += rc_clock_ns() - start;
}

void rc_queue_progress(struct rc_queue *queue)
{
    if (queue->comm != MPI_COMM_NULL)
        rc_mpi_counter_poll(&queue->window);
}

bool rc_queue_take(struct rc_queue *queue, size_t lane, uint64_t *ticket)
{
    struct lane *from = &queue->lane[lane];
    uint64_t start, drawn;

    rc_queue_request(queue, lane);
    if (from->empty)
        return false;
    start = rc_clock_ns();
    if (queue->comm == MPI_COMM_NULL)
        drawn = (uint64_t)from->drawn - 1; /* the counter itself, already moved on */
    else {
        rc_queue_progress(queue); /* a test of what is here already does not */
        queue->stats.waits += rc_mpi_counter_wait(&from->request, NULL, NULL);
        drawn = (uint64_t)from->drawn;
    }
    from->pending = false;
    from->empty = drawn >= from->tickets;
    queue->stats.take_ns += rc_clock_ns() - start;
    if (from->empty)
        return false;
    queue->stats.taken++;
    *ticket = drawn;
    return true;
}

/* One draw of as many tickets as the lane ever had leaves none for anybody. */
static void lane_stop(struct rc_queue *queue, struct lane *lane)
{
    const int64_t all = (int64_t)lane->tickets;
    int64_t before;

    if (lane->pending && queue->comm != MPI_COMM_NULL)
        rc_mpi_counter_wait(&lane->request, NULL, NULL);
    lane->pending = false;
    if (!lane->empty && queue->comm != MPI_COMM_NULL) {
        rc_mpi_counter_add(&queue->window, lane->holder, lane->counter, &all, &before,
                           &lane->request);
        rc_mpi_counter_wait(&lane->request, NULL, NULL);
    }
    lane->empty = true;
}

void rc_queue_stop(struct rc_queue *queue)
{
    for (size_t i = 0; i < queue->lanes; i++)
        if (queue->lane[i].tickets)
            lane_stop(queue, &queue->lane[i]);
}

void rc_queue_stats(const struct rc_queue *queue, struct rc_queue_stats *out)
{
    *out = queue->stats;
}

void rc_queue_close(struct rc_queue *queue)
{
    if (queue && queue->comm != MPI_COMM_NULL) {
        for (size_t i = 0; i < queue->lanes; i++)
            if (queue->lane[i].pending)
                rc_mpi_counter_wait(&queue->lane[i].request, NULL, NULL);
        rc_mpi_counter_close(&queue->window);
    }
    queue_free(queue);
}
