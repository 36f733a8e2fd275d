#include "campaign/queue.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"

#include <stdlib.h>
#include <time.h>

enum {
    COUNTER_BYTES = 64,   /* a cache line of its own for each counter */
    POLLS = 4,            /* to receive a draw, and to send what it needs */
    NAP_LEAST_NS = 20000, /* of one who waits for an answer, doubled each time */
    NAP_MOST_NS = 500000
};

struct lane {
    uint64_t tickets;
    int holder;
    MPI_Aint place; /* its counter in the holder's part of the window */
    MPI_Request request;
    int64_t drawn; /* written by MPI until the request is complete */
    bool pending, empty;
};

struct rc_queue {
    MPI_Comm comm;
    MPI_Win win;
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
        to->place = (MPI_Aint)(held[to->holder]++ * COUNTER_BYTES);
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

static MPI_Aint bytes_held(const struct rc_queue *queue, int rank)
{
    MPI_Aint bytes = 0;

    for (size_t i = 0; i < queue->lanes; i++)
        bytes += queue->lane[i].holder == rank ? COUNTER_BYTES : 0;
    return bytes;
}

static void window_open(struct rc_queue *queue)
{
    MPI_Aint bytes = bytes_held(queue, rc_team_rank(queue->comm));
    MPI_Info info;
    char *memory;

    MPI_Info_create(&info);
    MPI_Info_set(info, "accumulate_ordering", "none");
    MPI_Info_set(info, "acc_single_intrinsic", "true"); /* Open MPI: by the network */
    MPI_Win_allocate(bytes, 1, info, queue->comm, &memory, &queue->win);
    MPI_Info_free(&info);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, queue->win);
    for (MPI_Aint i = 0; i < bytes; i++)
        memory[i] = 0;
    MPI_Win_sync(queue->win);
    MPI_Barrier(queue->comm);
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

/* The first operation on a holder opens a connection and, in osc/pt2pt, takes a
 * lock there and does not return before it has it: done here, while all ranks
 * are in MPI.  Nobody draws from the places of other nodes.
 */
static void holders_greet(struct rc_queue *queue, const struct rc_queue_lane *lane,
                          bool *wanted)
{
    int64_t none;

    mark_near(queue->comm, wanted);
    for (size_t i = 0; i < queue->lanes; i++)
        if (lane[i].holder == RC_QUEUE_ANY)
            wanted[queue->lane[i].holder] = true;
    for (size_t i = 0; i < queue->lanes; i++) {
        int holder = queue->lane[i].holder;
        if (!wanted[holder])
            continue;
        MPI_Fetch_and_op(NULL, &none, MPI_INT64_T, holder, queue->lane[i].place,
                         MPI_NO_OP, queue->win);
        MPI_Win_flush(holder, queue->win);
        wanted[holder] = false;
    }
    MPI_Barrier(queue->comm);
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
    bool *wanted = rc_calloc((size_t)rc_team_size(comm), sizeof *wanted);
    int status;

    *out = NULL;
    if (!queue || !wanted) {
        status = rc_fail(err, RC_ENOMEM, "no memory for a queue");
    } else {
        queue->comm = comm;
        queue->win = MPI_WIN_NULL;
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
        MPI_Comm_dup(comm, &queue->comm);
        window_open(queue);
        holders_greet(queue, lane, wanted);
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
    if (queue->win == MPI_WIN_NULL) {
        from->drawn++;
    } else {
        MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &from->drawn, 1, MPI_INT64_T,
                            from->holder, from->place, 1, MPI_INT64_T, MPI_SUM,
                            queue->win, &from->request);
    }
    queue->stats.draws++;
    queue->stats.request_ns += rc_clock_ns() - start;
}

/* Sleeps between tests: an answer may take as long as a kernel runs, and
 * spinning in MPI_Wait() would disturb whoever measures beside us.
 */
static bool wait_asleep(MPI_Request *request)
{
    struct timespec nap = {0, NAP_LEAST_NS};
    bool waited = false;
    int done;

    for (int i = 0; i < POLLS; i++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done)
            return false;
    }
    while (!done) {
        waited = true;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec * 2 > NAP_MOST_NS ? NAP_MOST_NS : nap.tv_nsec * 2;
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return waited;
}

void rc_queue_progress(struct rc_queue *queue)
{
    int flag;

    if (queue->win == MPI_WIN_NULL)
        return;
    for (int i = 0; i < POLLS; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, queue->comm, &flag, MPI_STATUS_IGNORE);
}

bool rc_queue_take(struct rc_queue *queue, size_t lane, uint64_t *ticket)
{
    struct lane *from = &queue->lane[lane];
    uint64_t start, drawn;

    rc_queue_request(queue, lane);
    if (from->empty)
        return false;
    start = rc_clock_ns();
    if (queue->win == MPI_WIN_NULL)
        drawn = (uint64_t)from->drawn - 1; /* the counter itself, already moved on */
    else {
        rc_queue_progress(queue); /* a test of what is here already does not */
        queue->stats.waits += wait_asleep(&from->request);
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

void rc_queue_stats(const struct rc_queue *queue, struct rc_queue_stats *out)
{
    *out = queue->stats;
}

void rc_queue_close(struct rc_queue *queue)
{
    MPI_Request all;

    if (queue && queue->win != MPI_WIN_NULL) {
        for (size_t i = 0; i < queue->lanes; i++)
            if (queue->lane[i].pending)
                wait_asleep(&queue->lane[i].request);
        MPI_Ibarrier(queue->comm, &all);
        wait_asleep(&all);
        MPI_Win_unlock_all(queue->win);
        MPI_Win_free(&queue->win);
        MPI_Comm_free(&queue->comm);
    }
    queue_free(queue);
}
