/* Calls that wait for others, and how long: mpi_wait KIND DELAY_US [TIMES [MESSAGES]]
 *
 * Rank 0 is late by DELAY_US, unless said otherwise, TIMES times (10).  Each rank notes
 * when its calls began and ended, tells the others (by functions that nobody records),
 * and prints how long its calls have waited by that: CALL CALLS US, and for
 * MPI_Win_wait the part after the end of the last access: CALL CALLS US US.
 *
 * receive, any, irecv, waitall, sendrecv   receivers wait for rank 0, which sends
 * order     rank 1 receives first what rank 0 sends second, late
 * sources   likewise, rank 2 having sent what it receives second
 * isends    rank 1 receives late what rank 0 has begun to send: such sends may have one
 *           handle in common
 * send      rank 0 receives late: a synchronous send of rank 1 waits
 * barrier, allreduce, alltoall, allgather, reduce_scatter   all wait for rank 0
 * bcast, scatter, scatterv                 all wait for the root, rank 0
 * reduce, gather, gatherv   the root waits for the others, which are late
 * scan, exscan   ranks wait for those below
 * ibarrier, iallreduce, ibcast, ireduce, iscan, isplit   as these, where requests are
 *           waited for
 * overlap   of such a one all is known before it is waited for
 * apart     when ranks exchange not all have begun it
 * fence     all wait for rank 0 at MPI_Win_fence; fence2: of MPI_Win_create
 * post, access, complete   rank 0 lets others into its window late; they access it
 *           late; they say late that they have; post2, access2, complete2: likewise
 * overfull  tables are full meanwhile
 * persistent   as waitall, requests are started again
 * split     as allreduce, in communicators of some ranks, which are freed
 * many      MESSAGES messages to rank 1 without a barrier between them, then some more
 * cancel    receives that are cancelled; they do not disturb the following ones
 * quiet     rank 1 switches recording off and on again
 * inter     a barrier between two groups, and nothing of MPI_COMM_WORLD
 * abort     rank 1 aborts while rank 0 waits
 * exit      likewise, and ends without MPI_Finalize
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, times = 10;
static long delay_us;
static char data[64], result[64 * 64];

enum { TIMES_MOST = 1000, RANKS_MOST = 64 };
static double enter[TIMES_MOST], leave[TIMES_MOST], started[TIMES_MOST];
static const double *said = enter; /* what a call of others is to be compared with */
static double all_enter[RANKS_MOST][TIMES_MOST];

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Spins: who sleeps wakes late. */
static void be_late(void)
{
    const double until = now_us() + (double)delay_us;
    while (now_us() < until)
        ;
}

/* The i-th call, and what it is to be compared with. */
#define NOTED(i, call) (enter[i] = now_us(), (call), leave[i] = now_us())

/* All begin at about the same time: the barrier belongs to another place in the
 * program.
 */
static void begin(int late)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (late)
        be_late();
}

/* So many calls that tables are more than half full, and some in which ranks exchange
 * them.
 */
static void exchange_run(void)
{
    for (int i = 0; i < 9000; i++)
        MPI_Sendrecv(data, 8, MPI_CHAR, rank, 3, result, 8, MPI_CHAR, rank, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 40; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

static double within(double from, double moment, double until)
{
    if (moment > until)
        moment = until;
    return moment > from ? moment - from : 0;
}

/* The event that calls have waited for: the latest or the earliest to begin of some
 * ranks.
 */
enum whom { NOBODY, RANK_0, BEFORE, ALL, OTHERS_EARLIEST, LOWER, SAME_PARITY };
static void expect(const char *call, enum whom whom)
{
    double sum = 0;
    PMPI_Allgather(said, TIMES_MOST, MPI_DOUBLE, all_enter, TIMES_MOST, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    for (int i = 0; i < times; i++) {
        double moment = whom == OTHERS_EARLIEST ? 1e300 : 0;
        for (int r = 0; r < ranks; r++) {
            const double e = all_enter[r][i];
            if (whom == OTHERS_EARLIEST
                    ? r != rank && e < moment
                    : e > moment &&
                          ((whom == RANK_0 && r == 0) ||
                           (whom == BEFORE && r == (rank + ranks - 1) % ranks) ||
                           whom == ALL || (whom == LOWER && r < rank) ||
                           (whom == SAME_PARITY && (r - rank) % 2 == 0)))
                moment = e;
        }
        sum += whom == NOBODY ? 0 : within(enter[i], moment, leave[i]);
    }
    printf("%d %s %d %.1f\n", rank, call, times, sum);
}

static void messages_run(const char *kind)
{
    const int two = strcmp(kind, "waitall") == 0;
    MPI_Request request[2];
    MPI_Status status[2];
    for (int i = 0; i < times; i++) {
        begin(rank == 0);
        if (rank == 0) {
            for (int r = 1; two && r < ranks; r++)
                MPI_Send(data, 8, MPI_CHAR, r, 7, MPI_COMM_WORLD);
            for (int r = 1; r < ranks; r++)
                NOTED(i, MPI_Send(data, 8, MPI_CHAR, r, 8, MPI_COMM_WORLD));
        } else if (strcmp(kind, "receive") == 0) {
            NOTED(i,
                  MPI_Recv(data, 8, MPI_CHAR, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else if (strcmp(kind, "any") == 0) {
            NOTED(i, MPI_Recv(data, 8, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        } else if (strcmp(kind, "irecv") == 0) {
            MPI_Irecv(data, 8, MPI_CHAR, 0, 8, MPI_COMM_WORLD, request);
            NOTED(i, MPI_Wait(request, MPI_STATUS_IGNORE));
        } else {
            MPI_Irecv(data, 8, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, request);
            MPI_Irecv(data + 8, 8, MPI_CHAR, 0, 8, MPI_COMM_WORLD, request + 1);
            NOTED(i, MPI_Waitall(2, request, i % 2 ? status : MPI_STATUSES_IGNORE));
        }
    }
    if (rank == 0)
        expect(two ? "-" : "MPI_Send", NOBODY);
    else
        expect(strcmp(kind, "irecv") == 0 ? "MPI_Wait"
               : two                      ? "MPI_Waitall"
                                          : "MPI_Recv",
               RANK_0);
}

static void sendrecv_run(void)
{
    const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
    for (int i = 0; i < times; i++) {
        begin(rank == 0);
        NOTED(i, MPI_Sendrecv(data, 8, MPI_CHAR, to, 1, result, 8, MPI_CHAR, from, 1,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    expect("MPI_Sendrecv", BEFORE);
}

/* The second receive finds its message there: it waits for nothing. */
static void order_run(int early)
{
    for (int i = 0; i < times; i++) {
        begin(0);
        if (rank == early)
            MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        if (rank == 0) {
            be_late();
            NOTED(i, MPI_Send(data, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD));
        } else if (rank == 1) {
            NOTED(i,
                  MPI_Recv(data, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            MPI_Recv(result, 8, MPI_CHAR, early, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    expect(rank == 1 ? "MPI_Recv" : "-", RANK_0);
}

static void send_run(void)
{
    for (int i = 0; i < times; i++) {
        begin(rank == 0);
        if (rank == 0)
            NOTED(i,
                  MPI_Recv(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        if (rank == 1)
            NOTED(i, MPI_Ssend(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD));
    }
    expect(rank == 1 ? "MPI_Ssend" : "-", RANK_0);
}

static void isends_run(void)
{
    enum { SENDS = 3 };
    MPI_Request request[SENDS];
    for (int i = 0; i < times; i++) {
        begin(rank == 0);
        for (int k = 0; k < SENDS && rank == 0; k++)
            MPI_Isend(data, 8, MPI_CHAR, 1, k, MPI_COMM_WORLD, &request[k]);
        if (rank == 0)
            NOTED(i, MPI_Waitall(SENDS, request, MPI_STATUSES_IGNORE));
        if (rank == 1)
            NOTED(i,
                  MPI_Recv(data, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int k = 1; k < SENDS && rank == 1; k++)
            MPI_Recv(data, 8, MPI_CHAR, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    expect(rank == 0 ? "MPI_Waitall" : "MPI_Recv", rank == 0 ? NOBODY : RANK_0);
}

static void together_run(const char *kind)
{
    static const struct {
        const char *kind, *call;
        enum whom whom;
        int others; /* they are late, not rank 0 */
    } all[] = {{"allreduce", "MPI_Allreduce", ALL, 0},
               {"alltoall", "MPI_Alltoall", ALL, 0},
               {"bcast", "MPI_Bcast", RANK_0, 0},
               {"scatter", "MPI_Scatter", RANK_0, 0},
               {"reduce", "MPI_Reduce", OTHERS_EARLIEST, 1},
               {"gather", "MPI_Gather", OTHERS_EARLIEST, 1},
               {"scan", "MPI_Scan", LOWER, 0},
               {"split", "MPI_Allreduce", SAME_PARITY, 0},
               {"allgather", "MPI_Allgather", ALL, 0},
               {"reduce_scatter", "MPI_Reduce_scatter_block", ALL, 0},
               {"scatterv", "MPI_Scatterv", RANK_0, 0},
               {"gatherv", "MPI_Gatherv", OTHERS_EARLIEST, 1},
               {"exscan", "MPI_Exscan", LOWER, 0}};
    int counts[RANKS_MOST], places[RANKS_MOST];
    MPI_Comm comm = MPI_COMM_WORLD, other = MPI_COMM_NULL;
    size_t k = 0, count = sizeof all / sizeof all[0];
    while (k < count && strcmp(all[k].kind, kind) != 0)
        k++;
    if (k == count)
        exit(2);
    for (int r = 0; r < ranks; r++) {
        counts[r] = 8;
        places[r] = 8 * r;
    }
    if (k == 7) {
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &other);
        MPI_Comm_dup(other, &comm);
    }
    for (int i = 0; i < times; i++) {
        begin(all[k].others ? rank != 0 : rank == 0 || (k == 7 && rank == 1));
        switch (k) {
        case 1:
            NOTED(i, MPI_Alltoall(data, 1, MPI_CHAR, result, 1, MPI_CHAR, comm));
            break;
        case 2:
            NOTED(i, MPI_Bcast(data, 8, MPI_CHAR, 0, comm));
            break;
        case 3:
            NOTED(i, MPI_Scatter(result, 8, MPI_CHAR, data, 8, MPI_CHAR, 0, comm));
            break;
        case 4:
            NOTED(i, MPI_Reduce(data, result, 8, MPI_CHAR, MPI_MAX, 0, comm));
            break;
        case 5:
            NOTED(i, MPI_Gather(data, 8, MPI_CHAR, result, 8, MPI_CHAR, 0, comm));
            break;
        case 6:
            NOTED(i, MPI_Scan(data, result, 8, MPI_CHAR, MPI_MAX, comm));
            break;
        case 8:
            NOTED(i, MPI_Allgather(data, 8, MPI_CHAR, result, 8, MPI_CHAR, comm));
            break;
        case 9:
            NOTED(i,
                  MPI_Reduce_scatter_block(result, data, 8, MPI_CHAR, MPI_MAX, comm));
            break;
        case 10:
            NOTED(i, MPI_Scatterv(result, counts, places, MPI_CHAR, data, 8, MPI_CHAR,
                                  0, comm));
            break;
        case 11:
            NOTED(i, MPI_Gatherv(data, 8, MPI_CHAR, result, counts, places, MPI_CHAR, 0,
                                 comm));
            break;
        case 12:
            NOTED(i, MPI_Exscan(data, result, 8, MPI_CHAR, MPI_MAX, comm));
            break;
        default:
            NOTED(i, MPI_Allreduce(data, result, 8, MPI_CHAR, MPI_MAX, comm));
            break;
        }
    }
    if (k == 7) {
        MPI_Comm_free(&comm);
        MPI_Comm_free(&other);
    }
    expect(all[k].call, all[k].others && rank > 0 ? NOBODY : all[k].whom);
}

/* Collectives that do not block: a rank waits for the others once it waits for its
 * request.
 */
static void later_run(const char *kind)
{
    static const struct {
        const char *kind;
        enum whom whom;
        int others;
    } all[] = {{"ibarrier", ALL, 0},   {"iallreduce", ALL, 0},
               {"ibcast", RANK_0, 0},  {"ireduce", OTHERS_EARLIEST, 1},
               {"iscan", LOWER, 0},    {"isplit", SAME_PARITY, 0},
               {"overlap", NOBODY, 0}, {"apart", NOBODY, 0}};
    MPI_Comm comm = MPI_COMM_WORLD;
    size_t k = 0, count = sizeof all / sizeof all[0];
    while (k < count && strcmp(all[k].kind, kind) != 0)
        k++;
    if (k == count)
        exit(2);
    if (k == 5)
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
    else if (k > 5)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    said = started;
    for (int i = 0; i < times; i++) {
        MPI_Request request;
        begin(k < 6 &&
              (all[k].others ? rank != 0 : rank == 0 || (k == 5 && rank == 1)));
        if (k == 7 && rank == 0) /* others have begun it when ranks exchange */
            exchange_run();
        started[i] = now_us();
        switch (k) {
        case 1:
            MPI_Iallreduce(data, result, 8, MPI_CHAR, MPI_MAX, comm, &request);
            break;
        case 2:
            MPI_Ibcast(data, 8, MPI_CHAR, 0, comm, &request);
            break;
        case 3:
            MPI_Ireduce(data, result, 8, MPI_CHAR, MPI_MAX, 0, comm, &request);
            break;
        case 4:
            MPI_Iscan(data, result, 8, MPI_CHAR, MPI_MAX, comm, &request);
            break;
        default:
            MPI_Ibarrier(comm, &request);
            break;
        }
        if (k == 6 || (k == 7 && rank > 0))
            exchange_run();
        NOTED(i, MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    if (k > 4)
        MPI_Comm_free(&comm);
    expect("MPI_Wait", all[k].others && rank > 0 ? NOBODY : all[k].whom);
}

/* Each request is made once, and started again and again. */
static void persistent_run(void)
{
    MPI_Request request[RANKS_MOST];
    const int count = rank ? 2 : 2 * (ranks - 1);
    for (int r = 1; r < ranks && !rank; r++) {
        MPI_Send_init(data, 8, MPI_CHAR, r, 7, MPI_COMM_WORLD, &request[2 * r - 2]);
        MPI_Ssend_init(data, 8, MPI_CHAR, r, 8, MPI_COMM_WORLD, &request[2 * r - 1]);
    }
    if (rank) {
        MPI_Recv_init(data, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD, &request[0]);
        MPI_Recv_init(result, 8, MPI_CHAR, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD,
                      &request[1]);
    }
    said = started;
    for (int i = 0; i < times; i++) {
        int index, flag = 0;
        begin(rank == 0);
        started[i] = now_us();
        MPI_Startall(count - 1, request);
        MPI_Start(&request[count - 1]);
        if (i % 3 == 1) { /* the first to end is no matter for the last */
            MPI_Waitany(count, request, &index, MPI_STATUS_IGNORE);
            enter[i] = leave[i] = 0;
            while (!flag)
                MPI_Testall(count, request, &flag, MPI_STATUSES_IGNORE);
            continue;
        }
        NOTED(i, MPI_Waitall(count, request, MPI_STATUSES_IGNORE));
    }
    for (int i = 0; i < count; i++)
        MPI_Request_free(&request[i]);
    for (int i = 0; i < times; i++) /* of those that were noted */
        if (leave[i] == 0)
            enter[i] = leave[i] = 1e300;
    times -= (times + 1) / 3;
    for (int i = 0, from = 0; i < times; i++, from++) {
        from += from % 3 == 1;
        enter[i] = enter[from];
        leave[i] = leave[from];
        started[i] = started[from];
    }
    expect("MPI_Waitall", rank ? RANK_0 : NOBODY);
}

static void barrier_run(void)
{
    for (int i = 0; i < times; i++) {
        MPI_Allreduce(data, result, 8, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
        if (rank == 0)
            be_late();
        NOTED(i, MPI_Barrier(MPI_COMM_WORLD));
    }
    expect("MPI_Barrier", ALL);
}

/* One window of all ranks; 'kind' ends with 2: in memory that is there. */
static MPI_Win window_make(const char *kind)
{
    static char memory[64];
    void *base;
    MPI_Win window;
    if (kind[strlen(kind) - 1] == '2')
        MPI_Win_create(memory, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    return window;
}

static void fence_run(const char *kind)
{
    MPI_Win window = window_make(kind);
    PMPI_Win_fence(0, window);
    for (int i = 0; i < times; i++) {
        begin(rank == 0);
        NOTED(i, MPI_Win_fence(0, window));
    }
    MPI_Win_free(&window);
    expect("MPI_Win_fence", ALL);
}

/* The last moment of rank 0, or of all others, for each i. */
static void latest(const double *moment, int of_rank_0, double *last)
{
    PMPI_Allgather(moment, TIMES_MOST, MPI_DOUBLE, all_enter, TIMES_MOST, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    for (int i = 0; i < times; i++) {
        last[i] = 0;
        for (int r = of_rank_0 ? 0 : 1; r < (of_rank_0 ? 1 : ranks); r++)
            last[i] = all_enter[r][i] > last[i] ? all_enter[r][i] : last[i];
    }
}

/* The time that calls have waited until the last of some ranks began, by 'began'; with
 * 'accessed' also the part after that.
 */
static void expect_of(const char *call, const double *from, const double *to,
                      const double *began, const double *accessed, int of_rank_0)
{
    static double last[TIMES_MOST], last_access[TIMES_MOST];
    double sum = 0, behind = 0;
    latest(began, of_rank_0, last);
    if (accessed)
        latest(accessed, of_rank_0, last_access);
    if (of_rank_0 == (rank == 0))
        return;
    for (int i = 0; i < times; i++) {
        const double waited = within(from[i], last[i], to[i]);
        sum += waited;
        behind += waited - within(from[i], last_access[i], to[i]);
    }
    printf("%d %s %d %.1f", rank, call, times, sum);
    if (accessed)
        printf(" %.1f", behind);
    printf("\n");
}

/* More calls than the table has room for. */
static void fill(int does)
{
    for (int i = 0; does && i < 20000; i++)
        MPI_Sendrecv(data, 8, MPI_CHAR, rank, 3, result, 8, MPI_CHAR, rank, 3,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 lets all others into its window. */
static void epoch_run(const char *kind)
{
    static double accessed[TIMES_MOST], completes[TIMES_MOST], completed[TIMES_MOST];
    const int zero = 0;
    MPI_Win window = window_make(kind);
    MPI_Group all, first, others;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &first);
    MPI_Group_excl(all, 1, &zero, &others);
    for (int i = 0; i < times; i++) {
        begin(rank == 0 && kind[0] == 'p');
        if (kind[0] == 'o' && i == 1) /* rank 0 is half full in the midst of an epoch */
            fill(rank == 1);
        if (rank == 0) {
            started[i] = now_us();
            MPI_Win_post(others, 0, window);
            if (kind[0] == 'o' && i == 2)
                fill(1);
            NOTED(i, MPI_Win_wait(window));
            continue;
        }
        NOTED(i, MPI_Win_start(first, 0, window));
        if (kind[0] == 'o' && i == 3)
            fill(1);
        if (kind[0] == 'a')
            be_late();
        MPI_Put(data, 8, MPI_CHAR, 0, 0, 8, MPI_CHAR, window);
        accessed[i] = now_us();
        if (kind[0] == 'c')
            be_late();
        completes[i] = now_us();
        MPI_Win_complete(window);
        completed[i] = now_us();
    }
    for (int i = 0; kind[0] == 'o' && i < 40; i++) /* enough for one to ask */
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Group_free(&first);
    MPI_Group_free(&others);
    MPI_Group_free(&all);
    MPI_Win_free(&window);
    expect_of("MPI_Win_start", enter, leave, started, NULL, 1);
    expect_of("MPI_Win_complete", completes, completed, started, NULL, 1);
    expect_of("MPI_Win_wait", enter, leave, completes, accessed, 0);
}

static void many_run(int messages)
{
    for (int i = 0; i < messages; i++) {
        if (rank == 0)
            MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(data, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 40; i++) /* enough for one to ask */
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < times; i++) {
        begin(rank == 0);
        if (rank == 0)
            NOTED(i, MPI_Ssend(data, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD));
        else if (rank == 1)
            NOTED(i, MPI_Recv(data, 8, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
    }
    expect(rank == 1 ? "MPI_Recv" : "-", RANK_0);
}

/* Requests that end in other ways than most do. */
static void cancel_run(void)
{
    MPI_Request request[3];
    MPI_Status status;
    int flag = 0, index;
    for (int i = 0; i < 100; i++) {
        const int other = rank ^ 1;
        if (other >= ranks)
            continue;
        MPI_Irecv(data, 8, MPI_CHAR, other, 99, MPI_COMM_WORLD, request);
        MPI_Cancel(request);
        MPI_Wait(request, &status);
        MPI_Irecv(data, 8, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, request);
        MPI_Irecv(data, 8, MPI_CHAR, other, MPI_ANY_TAG, MPI_COMM_WORLD, request + 1);
        MPI_Isend(data, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD, request + 2);
        MPI_Send(data, 8, MPI_CHAR, other, 1, MPI_COMM_WORLD);
        MPI_Waitany(3, request, &index, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Testall(3, request, &flag, MPI_STATUSES_IGNORE);
        flag = 0;
        MPI_Recv_init(data, 8, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, request);
        MPI_Start(request);
        MPI_Wait(request, &status);
        MPI_Request_free(request);
    }
}

static void quiet_run(void)
{
    for (int i = 0; i < 100; i++) {
        if (rank == 1 && i % 10 == 5)
            MPI_Pcontrol(i % 20 == 5 ? 0 : 1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void inter_run(void)
{
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
    for (int i = 0; i < 100; i++) {
        MPI_Barrier(inter);
        MPI_Barrier(half);
        MPI_Allreduce(data, result, 8, MPI_CHAR, MPI_MAX, inter);
    }
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    delay_us = argc > 2 ? atol(argv[2]) : 0;
    times = argc > 3 ? atoi(argv[3]) : 10;
    if (times > TIMES_MOST)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(kind, "sendrecv") == 0)
        sendrecv_run();
    else if (strcmp(kind, "order") == 0)
        order_run(0);
    else if (strcmp(kind, "sources") == 0)
        order_run(2);
    else if (strcmp(kind, "send") == 0)
        send_run();
    else if (strcmp(kind, "isends") == 0)
        isends_run();
    else if (strcmp(kind, "barrier") == 0)
        barrier_run();
    else if (strcmp(kind, "many") == 0)
        many_run(argc > 4 ? atoi(argv[4]) : 100000);
    else if (strcmp(kind, "cancel") == 0)
        cancel_run();
    else if (strcmp(kind, "quiet") == 0)
        quiet_run();
    else if (strcmp(kind, "inter") == 0)
        inter_run();
    else if (strcmp(kind, "abort") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    else if (strcmp(kind, "exit") == 0 && rank == 1)
        _exit(3);
    else if (strcmp(kind, "abort") == 0 || strcmp(kind, "exit") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (strcmp(kind, "receive") == 0 || strcmp(kind, "irecv") == 0 ||
             strcmp(kind, "waitall") == 0 || strcmp(kind, "any") == 0)
        messages_run(kind);
    else if (strcmp(kind, "persistent") == 0)
        persistent_run();
    else if (strncmp(kind, "fence", 5) == 0)
        fence_run(kind);
    else if (strncmp(kind, "post", 4) == 0 || strncmp(kind, "access", 6) == 0 ||
             strncmp(kind, "complete", 8) == 0 || strcmp(kind, "overfull") == 0)
        epoch_run(kind);
    else if (kind[0] == 'i' || strcmp(kind, "overlap") == 0 ||
             strcmp(kind, "apart") == 0)
        later_run(kind);
    else
        together_run(kind);
    MPI_Finalize();
    return 0;
}
