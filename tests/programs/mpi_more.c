/* Calls MPI in ways of its own: mpi_more threads | many | late | jump | again N |
 * matched N | cold N | polls | muted | stretches | turns | freed | polling N | nodes
 *
 * threads  4 threads at once, each 1000 times by a communicator of its own
 * many     more places and sizes than a table has rows
 * late     rank 0 waits 200 ms for another
 * jump     an error handler that jumps out of a call
 * again N  N times MPI_Sendrecv to itself: what it takes, and the memory it added
 * matched N  the same of rank 0 in MPI_COMM_WORLD, with barriers of all between
 * cold N   N times a message to itself, in four calls, after as much work in memory as
 * leaves nothing else in the caches
 * polls      rank 0 asks for messages of rank 1 until they are there: says how often
 * muted      1000 times MPI_Test in vain, and as often after MPI_Pcontrol(0)
 * stretches  rank 0 asks for messages of its own between other calls, and works in
 * between: says how often
 * turns    rank 0 asks for two messages by turns, at one place, and receives after it
 * freed    rank 0 frees two receives under way, cancels one, and receives after them
 * polling N  N times MPI_Testany for what never comes
 * nodes    4 ranks, of which 0 and 1 are on one node if there are two: profile_world.sh
 *          knows how many calls are with ranks of the same node, of the other, of both
 */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char a[1 << 20], b[1 << 20];

static void exchange(MPI_Comm comm, int bytes)
{
    MPI_Sendrecv(a, bytes, MPI_CHAR, 0, 0, b, bytes, MPI_CHAR, 0, 0, comm,
                 MPI_STATUS_IGNORE);
}

static void *thread_run(void *comm)
{
    for (int i = 0; i < 1000; i++)
        MPI_Allreduce(MPI_IN_PLACE, (char[]){1, 2}, 2, MPI_CHAR, MPI_MAX,
                      *(MPI_Comm *)comm);
    return NULL;
}

static int threads_run(int level)
{
    pthread_t thread[4];
    MPI_Comm comm[4];
    if (level < MPI_THREAD_MULTIPLE)
        return 77;
    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, thread_run, &comm[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}

/* 64 places, each with 20 sizes. */
#define CALL MPI_Bcast(a, bytes, MPI_CHAR, 0, MPI_COMM_SELF);
#define CALL4 CALL CALL CALL CALL
#define CALL16 CALL4 CALL4 CALL4 CALL4
static int many_run(void)
{
    for (int bytes = 1; bytes <= 1 << 19; bytes *= 2) {
        CALL16 CALL16 CALL16 CALL16
    }
    return 0;
}

static int late_run(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        exchange(MPI_COMM_SELF, 1);
    if (rank)
        usleep(200000);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

static jmp_buf back;

static void error_jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(back, 1);
}

static int jump_run(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(error_jump, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    if (!setjmp(back))
        MPI_Send(a, 1, MPI_CHAR, 7, 0, comm);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(a, 100, MPI_CHAR, 0, 0, b, 100, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    return 0;
}

static long resident_kib(void)
{
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        sscanf(line, "VmRSS: %ld", &kib);
    if (f)
        fclose(f);
    return kib;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The fastest part: others take the processor now and then. */
static int again_run(long n, MPI_Comm comm)
{
    enum { PARTS = 500 };
    const long part_calls = n / PARTS;
    double best = 1e30;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < 1000 && rank == 0; i++)
        exchange(comm, 8);
    long before = resident_kib();
    for (int part = 0; part < PARTS; part++) {
        if (comm == MPI_COMM_WORLD)
            MPI_Barrier(comm);
        double t = now_ns();
        for (long i = 0; i < part_calls && rank == 0; i++)
            exchange(comm, 8);
        t = (now_ns() - t) / (double)part_calls;
        best = t < best ? t : best;
    }
    if (rank == 0)
        printf("%.1f ns a call, %ld KiB more\n", best, resident_kib() - before);
    return 0;
}

/* MPI_Testany of three requests, one of which takes any message; then MPI_Iprobe. */
static int polls_run(void)
{
    enum { MESSAGES = 30 };
    long tests = 0, probes = 0;
    int rank, index = 0, flag;
    char got[3];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Recv(a, 1, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < MESSAGES && rank == 1; i++) {
        usleep(3000);
        MPI_Send(a, 1, MPI_CHAR, 0, i % 3, MPI_COMM_WORLD);
    }
    for (int i = 0; i < MESSAGES && rank == 0; i += 3) {
        MPI_Request request[3];
        MPI_Status status;
        for (int k = 0; k < 3; k++)
            MPI_Irecv(&got[k], 1, MPI_CHAR, k ? 1 : MPI_ANY_SOURCE, k, MPI_COMM_WORLD,
                      &request[k]);
        for (flag = 0; tests < 10000 && !flag; tests++) /* nothing was sent yet */
            MPI_Testany(3, request, &index, &flag, MPI_STATUS_IGNORE);
        if (i == 0)
            MPI_Send(a, 1, MPI_CHAR, 1, 6, MPI_COMM_WORLD);
        for (int left = 3; left > 0; left -= flag) {
            MPI_Testany(3, request, &index, &flag,
                        left % 2 ? &status : MPI_STATUS_IGNORE);
            tests++;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Send(a, 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
    for (flag = 0; rank == 0 && !flag; probes++)
        MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Recv(a, 1, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("%ld %ld\n", tests, probes);
    }
    return 0;
}

/* Messages are received and polled for: its own, which it sends after 200 to 455 polls
 * in vain, by MPI_Test without a status; and those of rank 1, which come at any time,
 * by MPI_Testany from anybody.
 */
static int stretches_run(void)
{
    enum { MESSAGES = 4000 };
    static volatile unsigned work;
    static MPI_Request later; /* not on the stack */
    long tests[2] = {0};
    int rank, index, flag;
    unsigned dice = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        const int other = i % 2;
        const unsigned vain = 200 + (dice = dice * 1664525 + 1013904223) / 16777216;
        MPI_Request here, *request = i % 3 ? &here : &later;
        MPI_Status status;
        if (rank == 1 && other) {
            MPI_Send(a, 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
            usleep(20);
        }
        if (rank > 0)
            continue;
        MPI_Irecv(b, 1, MPI_CHAR, other ? MPI_ANY_SOURCE : 0, 3 + other, MPI_COMM_WORLD,
                  request);
        flag = 0;
        for (unsigned k = 0; !flag; k++, tests[other]++) {
            if (k == vain && !other)
                MPI_Send(a, 1, MPI_CHAR, 0, 3, MPI_COMM_WORLD);
            for (int w = 0; w < 100; w++)
                work++;
            if (other)
                MPI_Testany(1, request, &index, &flag, &status);
            else
                MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%ld %ld\n", tests[0], tests[1]);
    return 0;
}

/* Rank 0 receives 100 messages of rank 1, after as many barriers as ranks need to
 * agree that no other is under way.
 */
static void receive_behind(int rank)
{
    enum { BARRIERS = 64, RECEIVED = 100 };
    for (int i = 0; i < BARRIERS; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < RECEIVED && rank < 2; i++)
        if (rank)
            MPI_Send(a, 1, MPI_CHAR, 0, 5 + i % 2, MPI_COMM_WORLD);
        else
            MPI_Recv(b, 1, MPI_CHAR, 1, 5 + i % 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two messages of rank 1 are asked for by turns, both of which may come between two
 * other calls, and the last two are waited for; then others are received.
 */
static int turns_run(void)
{
    enum { PAIRS = 1000 };
    static volatile unsigned work;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i <= PAIRS; i++) {
        MPI_Request request[2];
        MPI_Status status;
        int done[2] = {0};
        for (int k = 0; k < 2 && rank == 0; k++)
            MPI_Irecv(b, 1, MPI_CHAR, 1, 5 + k, MPI_COMM_WORLD, &request[k]);
        for (int k = 0; k < 2 && rank == 1; k++) {
            usleep(50);
            MPI_Send(a, 1, MPI_CHAR, 0, 5 + k, MPI_COMM_WORLD);
        }
        if (rank == 0 && i == PAIRS)
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        for (int k = 0; rank == 0 && i < PAIRS && !(done[0] && done[1]); k = !k) {
            for (int w = 0; w < 100; w++)
                work++;
            if (!done[k])
                MPI_Test(&request[k], &done[k], &status);
        }
    }
    receive_behind(rank);
    return 0;
}

/* The messages come to receives whose requests are not there any more; one more receive
 * has none.
 */
static int freed_run(void)
{
    MPI_Request request[2];
    MPI_Status status;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Recv_init(b, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request[0]);
        MPI_Start(&request[0]);
        MPI_Irecv(b + 1, 1, MPI_CHAR, 1, 6, MPI_COMM_WORLD, &request[1]);
        for (int k = 0; k < 2; k++)
            MPI_Request_free(&request[k]);
        MPI_Irecv(b + 2, 1, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request[0]);
        MPI_Cancel(&request[0]);
        MPI_Wait(&request[0], &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 2 && rank == 1; k++)
        MPI_Send(a, 1, MPI_CHAR, 0, 5 + k, MPI_COMM_WORLD);
    receive_behind(rank);
    return 0;
}

static int muted_run(void)
{
    MPI_Request request;
    int flag;
    MPI_Irecv(a, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
    for (int i = 0; i < 2000; i++) {
        if (i == 1000)
            MPI_Pcontrol(0);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 0;
}

static int by_size(const void *x, const void *y)
{
    const double *a_ns = x, *b_ns = y;
    return (*a_ns > *b_ns) - (*a_ns < *b_ns);
}

static int cold_run(long n)
{
    enum { WORDS = 1 << 25, UPDATES = 3000, CALLS = 4 };
    static uint64_t memory[WORDS];
    uint64_t x = 88172645463325252;
    double *took = n > 0 ? malloc((size_t)n * sizeof *took) : NULL;
    int index, flag;
    if (!took)
        return 1;
    memset(memory, 1, sizeof memory);
    for (long i = 0; i < n; i++) {
        MPI_Request request[2];
        MPI_Status status;
        for (int k = 0; k < UPDATES; k++) {
            x = x * 6364136223846793005 + 1;
            memory[(x >> 33) % WORDS] ^= x;
        }
        double t = now_ns();
        MPI_Irecv(a, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(b, 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request[1]);
        MPI_Testany(2, request, &index, &flag, &status);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        took[i] = (now_ns() - t) / CALLS;
    }
    qsort(took, (size_t)n, sizeof *took, by_size);
    printf("%.1f ns a call, 0 KiB more\n", took[n / 2]);
    free(took);
    return 0;
}

static int polling_run(long n)
{
    enum { PARTS = 500 };
    MPI_Request request[2];
    double best = 1e30;
    int index, flag;
    for (int k = 0; k < 2; k++)
        MPI_Irecv(a, 1, MPI_CHAR, MPI_ANY_SOURCE, k, MPI_COMM_SELF, &request[k]);
    for (int part = 0; part < PARTS; part++) {
        MPI_Status status;
        double t = now_ns();
        for (long i = 0; i < n / PARTS; i++)
            MPI_Testany(2, request, &index, &flag, &status);
        t = (now_ns() - t) / (double)(n / PARTS);
        best = t < best ? t : best;
    }
    for (int k = 0; k < 2; k++) {
        MPI_Cancel(&request[k]);
        MPI_Wait(&request[k], MPI_STATUS_IGNORE);
    }
    printf("%.1f ns a call, 0 KiB more\n", best);
    return 0;
}

/* The node's two ranks, or those with this one's place on their nodes. */
static MPI_Comm half_make(int rank, int of_node)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, of_node ? rank / 2 : rank % 2, rank, &half);
    return half;
}

static void swap(int to, int from, MPI_Comm comm)
{
    MPI_Sendrecv(a, 8, MPI_CHAR, to, 0, b, 8, MPI_CHAR, from, 0, comm,
                 MPI_STATUS_IGNORE);
}

static int nodes_run(int rank)
{
    const int mate = rank ^ 1, far = (rank + 2) % 4;
    MPI_Request request[4];
    MPI_Comm half, inter;
    for (int i = 0; i < 3; i++)
        swap(mate, mate, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        swap(far, far, MPI_COMM_WORLD);
    swap((rank + 1) % 4, (rank + 3) % 4, MPI_COMM_WORLD);
    MPI_Isend(a, 8, MPI_CHAR, far, 1, MPI_COMM_WORLD, request);
    MPI_Recv(b, 8, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Send(a, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Irecv(b, 8, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, request);
    MPI_Send(a, 8, MPI_CHAR, mate, 2, MPI_COMM_WORLD);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++) { /* a freed handle may come again */
        int in_half;
        half = half_make(rank, i % 2);
        MPI_Comm_rank(half, &in_half);
        swap(1 - in_half, 1 - in_half, half);
        MPI_Allreduce(a, b, 8, MPI_CHAR, MPI_MAX, half);
        MPI_Comm_free(&half);
    }
    MPI_Send_init(a, 8, MPI_CHAR, mate, 3, MPI_COMM_WORLD, request);
    MPI_Recv_init(b, 8, MPI_CHAR, mate, 3, MPI_COMM_WORLD, request + 1);
    MPI_Send_init(a, 8, MPI_CHAR, far, 3, MPI_COMM_WORLD, request + 2);
    MPI_Recv_init(b, 8, MPI_CHAR, far, 3, MPI_COMM_WORLD, request + 3);
    for (int started = 2; started <= 4; started += 2) {
        MPI_Startall(started, request);
        MPI_Waitall(started, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 4; i++)
        MPI_Request_free(&request[i]);
    half = half_make(rank, 1);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 4, &inter);
    swap(0, MPI_ANY_SOURCE, MPI_COMM_SELF);
    MPI_Barrier(inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int level, status = 2;
    MPI_Init_thread(
        &argc, &argv,
        strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    if (strcmp(mode, "threads") == 0)
        status = threads_run(level);
    else if (strcmp(mode, "many") == 0)
        status = many_run();
    else if (strcmp(mode, "nodes") == 0) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        status = nodes_run(rank);
    } else if (strcmp(mode, "late") == 0)
        status = late_run();
    else if (strcmp(mode, "jump") == 0)
        status = jump_run();
    else if (strcmp(mode, "again") == 0 && argc > 2)
        status = again_run(strtol(argv[2], NULL, 10), MPI_COMM_SELF);
    else if (strcmp(mode, "matched") == 0 && argc > 2)
        status = again_run(strtol(argv[2], NULL, 10), MPI_COMM_WORLD);
    else if (strcmp(mode, "cold") == 0 && argc > 2)
        status = cold_run(strtol(argv[2], NULL, 10));
    else if (strcmp(mode, "muted") == 0)
        status = muted_run();
    else if (strcmp(mode, "polls") == 0)
        status = polls_run();
    else if (strcmp(mode, "stretches") == 0)
        status = stretches_run();
    else if (strcmp(mode, "turns") == 0)
        status = turns_run();
    else if (strcmp(mode, "freed") == 0)
        status = freed_run();
    else if (strcmp(mode, "polling") == 0 && argc > 2)
        status = polling_run(strtol(argv[2], NULL, 10));
    MPI_Finalize();
    return status;
}
