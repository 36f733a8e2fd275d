/* Waiting of calls of 1,000 ranks for each other, found out in one process: the ranks
 * take turns, and MPI's functions are those below.  An argument is how many messages
 * each rank sends (200): the time of it all is printed.
 */
#include "tests/lib/test.h"

#include "campaign/profile/preload/matching/mpi_pairs.h"
#include "campaign/profile/preload/mpi/mpi_layer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

enum { RANKS = 1000, STACK = 1 << 18, TOGETHER_EACH = 10, RECV = 1, SEND, BARRIER };

static struct rank {
    struct rc_mpi_world world;
    struct rc_mpi_match match;
    struct rc_preload_block *block;
    ucontext_t context;
    int64_t expected[BARRIER + 1];
    bool ended;
    /* of the function of MPI that it is in */
    const void *send;
    void *receive;
    const int *counts, *places, *receive_counts, *receive_places;
    int count;
} rank[RANKS];
static ucontext_t scheduler;
static int now, arrived;
static size_t steps = 200;
enum { INT64_TYPE = 1, INT_TYPE, MOST_OP, SUM_OP, GROUP }; /* handles */

struct rc_mpi_abi rc_mpi_abi = {.any_source = -1};

struct rc_preload_block *rc_preload_claim(void)
{
    return NULL;
}
void rc_preload_timed(void)
{
}
rc_mpi_handle rc_mpi_window(const struct rc_mpi_args *args, unsigned n)
{
    return (intptr_t)args->word[n];
}
rc_mpi_handle rc_mpi_group(const struct rc_mpi_args *args, unsigned n)
{
    return (intptr_t)args->word[n];
}

/* The last of the ranks that comes does it for all; the others go on once it has. */
static void meet(void (*all)(rc_mpi_handle op), rc_mpi_handle op)
{
    if (++arrived == RANKS) {
        arrived = 0;
        all(op);
    }
    swapcontext(&rank[now].context, &scheduler);
}

static void all_reduce(rc_mpi_handle op)
{
    const size_t count = (size_t)rank[0].count;
    int64_t *result = calloc(count, sizeof *result);
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < RANKS; r++) {
            const int64_t said = ((const int64_t *)rank[r].send)[i];
            if (op == SUM_OP)
                result[i] += said;
            else
                result[i] = r == 0 || said > result[i] ? said : result[i];
        }
    for (int r = 0; r < RANKS; r++)
        memcpy(rank[r].receive, result, count * sizeof *result);
    free(result);
}

static void all_to_all(rc_mpi_handle op)
{
    (void)op;
    for (int r = 0; r < RANKS; r++)
        for (int s = 0; s < RANKS; s++)
            ((int *)rank[r].receive)[s] = ((const int *)rank[s].send)[r];
}

static void all_to_all_v(rc_mpi_handle op)
{
    (void)op;
    for (int r = 0; r < RANKS; r++)
        for (int s = 0; s < RANKS; s++) {
            assert_int_equal(rank[r].receive_counts[s], rank[s].counts[r]);
            memcpy((int64_t *)rank[r].receive + rank[r].receive_places[s],
                   (const int64_t *)rank[s].send + rank[s].places[r],
                   (size_t)rank[s].counts[r] * sizeof(int64_t));
        }
}

static int Allreduce(const void *in, void *out, int count, rc_mpi_handle type,
                     rc_mpi_handle op, rc_mpi_handle comm)
{
    (void)comm;
    assert_int_equal(type, INT64_TYPE);
    rank[now].send = in;
    rank[now].receive = out;
    rank[now].count = count;
    meet(all_reduce, op);
    return 0;
}

static int Alltoall(const void *in, int count, rc_mpi_handle type, void *out,
                    int out_count, rc_mpi_handle out_type, rc_mpi_handle comm)
{
    (void)comm, (void)out_count, (void)out_type;
    assert_true(count == 1 && type == INT_TYPE);
    rank[now].send = in;
    rank[now].receive = out;
    meet(all_to_all, 0);
    return 0;
}

static int Alltoallv(const void *in, const int *counts, const int *places,
                     rc_mpi_handle type, void *out, const int *out_counts,
                     const int *out_places, rc_mpi_handle out_type, rc_mpi_handle comm)
{
    struct rank *r = &rank[now];
    (void)comm, (void)type, (void)out_type;
    r->send = in;
    r->receive = out;
    r->counts = counts;
    r->places = places;
    r->receive_counts = out_counts;
    r->receive_places = out_places;
    meet(all_to_all_v, 0);
    return 0;
}

/* A number below 'most', the same whenever it is asked for. */
static int64_t drawn(uint64_t a, uint64_t b, uint64_t c, int64_t most)
{
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xd6e8feb86659fd93) ^
                 c * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return (int64_t)((h ^ h >> 32) % (uint64_t)most);
}

/* In each step a rank sends to one that is further on, and receives from one before. */
static int64_t distance(size_t step)
{
    return 1 + drawn(step, 1, 2, RANKS - 1);
}
static int64_t send_at(int64_t r, size_t step)
{
    return (int64_t)(step + 1) * 10000 + drawn((uint64_t)r, step, 3, 3000);
}
static int64_t receive_at(int64_t r, size_t step)
{
    return (int64_t)(step + 1) * 10000 + drawn((uint64_t)r, step, 4, 3000);
}
static int64_t barrier_at(int64_t r, size_t step)
{
    return (int64_t)(step + 1) * 10000 + 8000 + drawn((uint64_t)r, step, 5, 1000);
}

static int64_t positive(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static struct rc_mpi_event *add(struct rank *r, enum rc_mpi_event_kind kind, int row,
                                int64_t enter, int64_t exit)
{
    assert_true(r->match.events < RC_MATCH_EVENTS);
    struct rc_mpi_event *event = &r->match.t->event[r->match.events++];
    *event = (struct rc_mpi_event){.enter = (uint64_t)enter,
                                   .exit = (uint64_t)exit,
                                   .row = (uint16_t)row,
                                   .kind = (uint8_t)kind};
    return event;
}

/* The calls of rank 'me', and its true waiting. */
static void plant(int me, const int64_t *last_at_barrier)
{
    struct rank *r = &rank[me];
    for (size_t s = 0; s < steps; s++) {
        const int64_t d = distance(s), to = (me + d) % RANKS,
                      from = (me + RANKS - d) % RANKS;
        const int64_t sends = send_at(me, s), receives = receive_at(me, s),
                      came = send_at(from, s), taken = receive_at(to, s);
        const int64_t received = 100 + (came > receives ? came : receives);
        /* each second send waits for its receive */
        const int64_t sent = 50 + (s % 2 && taken > sends ? taken : sends);
        struct rc_mpi_event *event = add(r, RC_EVENT_SEND, SEND, sends, sent);
        event->message.peer = (int)to;
        event->message.tag = (int)s % 3;
        event = add(r, RC_EVENT_RECEIVE, RECV, receives, received);
        event->message.peer = (int)from;
        event->message.tag = (int)s % 3;
        r->expected[RECV] += positive(came - receives);
        r->expected[SEND] += sent > taken ? positive(taken - sends) : 0;
        if (s % TOGETHER_EACH)
            continue;
        const int64_t at = barrier_at(me, s), last = last_at_barrier[s];
        event = add(r, RC_EVENT_TOGETHER, BARRIER, at, last + 50);
        event->together.root = -1;
        event->together.number = r->match.t->comm[0].next++;
        event->waits_for = RC_WAITING_BARRIER;
        r->expected[BARRIER] += last - at;
    }
}

static void *map_zeros(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(at != MAP_FAILED);
    return at;
}

static void rank_run(void)
{
    rc_mpi_exchange(&rank[now].world, &rank[now].match);
    rank[now].ended = true;
    for (;;)
        swapcontext(&rank[now].context, &scheduler);
}

static void rank_open(int me)
{
    struct rank *r = &rank[me];
    const struct rc_mpi_comm world = {.handle = 1,
                                      .id = 1,
                                      .group = GROUP,
                                      .size = RANKS,
                                      .rank = me,
                                      .used = true,
                                      .wide = true};
    r->world = (struct rc_mpi_world){.rank = me,
                                     .ranks = RANKS,
                                     .node_count = 1,
                                     .line = {.rate = 1},
                                     .mpi = {.Allreduce = Allreduce,
                                             .Alltoall = Alltoall,
                                             .Alltoallv = Alltoallv,
                                             .int64 = INT64_TYPE,
                                             .integer = INT_TYPE,
                                             .most = MOST_OP,
                                             .sum = SUM_OP}};
    r->match = (struct rc_mpi_match){.t = map_zeros(sizeof *r->match.t),
                                     .count = calloc(RANKS * 6, sizeof(int)),
                                     .earliest = calloc(RANKS, sizeof(int64_t)),
                                     .comms = 1,
                                     .on = true};
    r->match.t->comm[0] = world;
    r->block = map_zeros(sizeof *r->block);
    getcontext(&r->context);
    r->context.uc_stack.ss_sp = map_zeros(STACK);
    r->context.uc_stack.ss_size = STACK;
    makecontext(&r->context, rank_run, 0);
}

static void rank_close(struct rank *r)
{
    munmap(r->match.t, sizeof *r->match.t);
    munmap(r->block, sizeof *r->block);
    munmap(r->context.uc_stack.ss_sp, STACK);
    free(r->match.count);
    free(r->match.earliest);
}

/* Ranks take turns, each until it waits for the others. */
static double exchange_all(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (size_t ended = 0; ended < RANKS;) {
        ended = 0;
        for (now = 0; now < RANKS; now++) {
            rc_preload_self.block = rank[now].block;
            if (!rank[now].ended)
                swapcontext(&scheduler, &rank[now].context);
            ended += rank[now].ended;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    rc_preload_self.block = NULL;
    return (double)(to.tv_sec - from.tv_sec) +
           (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static void all_that_1000_ranks_waited_is_found(void **state)
{
    static struct rc_shared head;
    int64_t *last = calloc(steps, sizeof *last);
    size_t events = 0;

    (void)state;
    rc_preload_head = &head;
    rc_preload_on = true;
    rc_preload_self.until_timed = UINT32_MAX;
    rc_match.home = &rc_preload_self;
    for (size_t s = 0; s < steps; s += TOGETHER_EACH)
        for (int r = 0; r < RANKS; r++)
            last[s] = barrier_at(r, s) > last[s] ? barrier_at(r, s) : last[s];
    for (int r = 0; r < RANKS; r++) {
        rank_open(r);
        plant(r, last);
        events += rank[r].match.events;
    }
    const double seconds = exchange_all();
    for (int r = 0; r < RANKS; r++) {
        const struct rc_shared_call *call = rank[r].block->shared.call;
        for (int row = RECV; row <= BARRIER; row++)
            assert_int_equal(call[row].waited, rank[r].expected[row]);
        assert_int_equal(call[RECV].known, steps);
        assert_int_equal(call[SEND].known, steps);
        assert_int_equal(rank[r].match.events, 0);
        rank_close(&rank[r]);
    }
    free(last);
    print_message("%d ranks, %zu events: %.2f s of one processor, %.0f ns an event\n",
                  RANKS, events, seconds, seconds * 1e9 / (double)events);
    assert_true(seconds < 10 || steps > 200);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_1000_ranks_waited_is_found),
    };

    if (argc > 1)
        steps = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
