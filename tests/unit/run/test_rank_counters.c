/* Counts that all ranks add to, also where one-sided operations need the target. */
#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/queue/rank_counters.h"
#include "tests/lib/shared.h"

#include <string.h>

static struct rc_rank_counters *created(MPI_Comm comm, size_t counters)
{
    struct rc_rank_counters *rank_counters;
    struct rc_error err = {0};

    assert_int_equal(rc_rank_counters_create(comm, counters, &rank_counters, &err),
                     RC_OK);
    return rank_counters;
}

static void settled_counts_are_exact_on_rank_0(void **state)
{
    enum { TIMES = 500 };
    struct rc_rank_counters *rank_counters = created(team_comm, 3);
    uint64_t all = (uint64_t)size, ranks = all * (all + 1) / 2;

    (void)state;
    for (int round = 1; round <= 3; round++) {
        for (uint64_t i = 0; i < TIMES; i++) {
            rc_rank_counters_add(rank_counters, 0, 1);
            rc_rank_counters_add(rank_counters, 2, UINT64_C(1) << 40);
            rc_rank_counters_add(rank_counters, 1, (uint64_t)rank + 1);
        }
        rc_rank_counters_settle(rank_counters, NULL, NULL);
        uint64_t times = TIMES * (uint64_t)round;
        uint64_t adders = rank == 0 ? all : 1;
        assert_int_equal(rc_rank_counters_value(rank_counters, 0), times * adders);
        assert_int_equal(rc_rank_counters_value(rank_counters, 1),
                         times * (rank == 0 ? ranks : (uint64_t)rank + 1));
        assert_int_equal(rc_rank_counters_value(rank_counters, 2), (times * adders)
                                                                       << 40);
        MPI_Barrier(team_comm); /* nobody adds before all have looked */
    }
    rc_rank_counters_close(rank_counters);
}

static void counts_arrive_while_rank_0_looks_now_and_then(void **state)
{
    struct rc_rank_counters *rank_counters = created(team_comm, 1);
    uint64_t last = 0, start = rc_clock_ns();

    (void)state;
    for (int i = 0; i < 20; i++)
        rc_rank_counters_add(rank_counters, 0, 5);
    while (rank == 0 && last < 100 * (uint64_t)size) {
        rc_rank_counters_progress(rank_counters);
        uint64_t value = rc_rank_counters_value(rank_counters, 0);
        assert_true(value >= last);
        last = value;
        assert_true(rc_clock_ns() - start < UINT64_C(120000000000));
        nap_us(200);
    }
    rc_rank_counters_settle(rank_counters, NULL, NULL);
    assert_int_equal(rc_rank_counters_value(rank_counters, 0),
                     rank == 0 ? 100 * size : 100);
    rc_rank_counters_close(rank_counters);
}

/* Rank 0 sleeps, since where ranks share cores one that computes would stop the
 * others by that alone, and not for a fixed time, which on a slow machine is too short:
 * what others add must be done before it calls anything of MPI again.
 */
static void adding_does_not_wait_for_a_busy_rank_0(void **state)
{
    enum { TIMES = 1000 };
    struct rc_rank_counters *rank_counters = created(team_comm, 2);
    _Atomic int *done = shared_create();

    (void)state;
    MPI_Barrier(team_comm);
    uint64_t start = rc_clock_ns();
    if (rank == 0)
        assert_true(shared_await(done, size, rank, 1, 0));
    else
        for (int i = 0; i < TIMES; i++)
            rc_rank_counters_add(rank_counters, (size_t)i % 2, 1);
    uint64_t took = rc_clock_ns() - start;
    atomic_store(&done[rank], 1);
    if (rank != 0)
        print_message("rank %d: %.2f microseconds for an addition\n", rank,
                      (double)took * 1e-3 / TIMES);
    rc_rank_counters_settle(rank_counters, NULL, NULL);
    if (rank == 0)
        assert_int_equal(rc_rank_counters_value(rank_counters, 0) +
                             rc_rank_counters_value(rank_counters, 1),
                         TIMES * (size - 1));
    shared_free(done);
    rc_rank_counters_close(rank_counters);
}

static void count_calls(void *arg)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
}

static void ranks_that_wait_for_the_others_sleep_and_call_back(void **state)
{
    struct rc_rank_counters *rank_counters = created(team_comm, 1);
    _Atomic int *calls = shared_create();

    (void)state;
    rc_rank_counters_add(rank_counters, 0, 1);
    double used = cpu_seconds();
    uint64_t took = rc_clock_ns();
    if (rank == size - 1)
        assert_true(shared_await(calls, size, rank, 101, 1000000000));
    rc_rank_counters_settle(rank_counters, count_calls, (void *)&calls[rank]);
    took = rc_clock_ns() - took;
    assert_true(cpu_seconds() - used < 0.3 * (double)took * 1e-9); /* not spinning */
    if (rank != size - 1)
        assert_true(calls[rank] > 100);
    shared_free(calls);
    rc_rank_counters_close(rank_counters);
}

static void a_process_alone_needs_no_mpi(void **state)
{
    struct rc_rank_counters *rank_counters = created(MPI_COMM_NULL, 2);

    (void)state;
    rc_rank_counters_add(rank_counters, 1, 3);
    rc_rank_counters_add(rank_counters, 1, 4);
    rc_rank_counters_progress(rank_counters);
    rc_rank_counters_settle(rank_counters, NULL, NULL);
    assert_int_equal(rc_rank_counters_value(rank_counters, 0), 0);
    assert_int_equal(rc_rank_counters_value(rank_counters, 1), 7);
    rc_rank_counters_close(rank_counters);
    rc_rank_counters_close(NULL);
}

static void no_counters_and_no_additions_are_fine(void **state)
{
    struct rc_rank_counters *none = created(team_comm, 0);
    struct rc_rank_counters *unused = created(team_comm, 2);

    (void)state;
    rc_rank_counters_progress(none);
    rc_rank_counters_settle(none, NULL, NULL);
    assert_int_equal(rc_rank_counters_value(unused, 1), 0);
    if (rank == size - 1)
        rc_rank_counters_add(unused, 0, 9); /* not settled */
    rc_rank_counters_close(unused);
    rc_rank_counters_close(none);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settled_counts_are_exact_on_rank_0),
        cmocka_unit_test(counts_arrive_while_rank_0_looks_now_and_then),
        cmocka_unit_test(adding_does_not_wait_for_a_busy_rank_0),
        cmocka_unit_test(ranks_that_wait_for_the_others_sleep_and_call_back),
        cmocka_unit_test(a_process_alone_needs_no_mpi),
        cmocka_unit_test(no_counters_and_no_additions_are_fine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
