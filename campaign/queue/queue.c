/* Hands out the indices of units, lane after lane, from counters that all ranks draw
 * from.
 */
#include "campaign/queue/queue.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/queue/mpi_counter.h"

#include <stdlib.h>

struct lane {
    uint64_t tickets;
    int holder;
    size_t counter; /* its number among those of the holder */
    MPI_Request request;
    int64_t drawn; /* written by MPI until the request is complete */
    bool pending, empty;
};

struct rc_queue {
    MPI_Comm comm; /* the creator's; MPI_COMM_NULL: alone, without a window */
    struct rc_mpi_counter window;
    struct lane *lane;
    size_t lanes;
    struct rc_queue_stats stats;
};

static const int64_t one = 1;

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

/* Ranks that were given different lanes would deal out different units under
 * one number.
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

static size_t held_by(const struct rc_queue *queue, int rank)
{
    size_t held = 0;

    for (size_t i = 0; i < queue->lanes; i++)
        held += queue->lane[i].holder == rank;
    return held;
}

/* Marks the ranks of this rank's node. */
static void mark_near(MPI_Comm comm, bool *near)
{
    int size = rc_team_size(comm), rank = rc_team_rank(comm);
    MPI_Comm node;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Group all, here;
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(node, &here);
    for (int i = 0; i < size; i++) {
        int place;
        MPI_Group_translate_ranks(all, 1, &i, here, &place);
        near[i] = place != MPI_UNDEFINED && i != rank;
    }
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    MPI_Comm_free(&node);
}

/* Marks the holders that this rank may draw from: nobody draws from the places
 * of other nodes.
 */
static void mark_holders(const struct rc_queue *queue, const struct rc_queue_lane *lane,
                         bool *near, bool *wanted)
{
    mark_near(queue->comm, near);
    for (size_t i = 0; i < queue->lanes; i++) {
        int holder = queue->lane[i].holder;
        wanted[holder] |= near[holder] || lane[i].holder == RC_QUEUE_ANY;
    }
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
    size_t size = (size_t)rc_team_size(comm);
    bool *wanted = rc_calloc(size, sizeof *wanted),
         *near = rc_calloc(size, sizeof *near);
    int status;

    *out = NULL;
    if (!queue || !wanted || !near) {
        status = rc_fail(err, RC_ENOMEM, "no memory for a queue");
    } else {
        queue->comm = comm;
        queue->lanes = lanes;
        status = lanes_check(lane, lanes, rc_team_size(comm), err);
        if (status == RC_OK)
            status = lanes_place(queue, lane, err);
    }
    status = rc_agree(comm, status, err);
    if (status == RC_OK)
        status = lanes_agree(comm, lane, lanes, err); /* the same on all ranks */
    if (status != RC_OK)
        goto out;
    if (comm != MPI_COMM_NULL) {
        mark_holders(queue, lane, near, wanted);
        rc_mpi_counter_open(comm, held_by(queue, rc_team_rank(comm)), wanted,
                            &queue->window);
    }
    *out = queue;
    queue = NULL;
out:
    queue_free(queue);
    free(wanted);
    free(near);
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

/* One draw takes all that the lane ever had. */
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
