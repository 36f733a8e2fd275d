#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/queue/exclusive_parts.h"
#include "tests/lib/shared.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void one_reads_at_a_time_and_nobody_else_of_its_unit_works(void **state)
{
    enum { READINGS = 20 };
    int *shared = NULL; /* [unit]: readers; [2 + unit]: busy workers */
    MPI_Win win;
    struct rc_exclusive *exclusive;
    struct rc_error err;
    int unit = rank % 2;
    MPI_Aint bytes;
    int each;

    (void)state;
    MPI_Win_allocate_shared(rank == 0 ? 4 * (MPI_Aint)sizeof(int) : 0, 1, MPI_INFO_NULL,
                            team_comm, &shared, &win);
    MPI_Win_shared_query(win, 0, &bytes, &each, (void *)&shared);
    if (rank == 0)
        memset(shared, 0, 4 * sizeof *shared);
    assert_int_equal(
        rc_exclusive_create(team_comm, (size_t)unit, NULL, &exclusive, &err), RC_OK);
    MPI_Barrier(team_comm);
    for (int i = 0; i < READINGS; i++) {
        __atomic_add_fetch(&shared[2 + unit], 1, __ATOMIC_SEQ_CST);
        usleep((useconds_t)(rank * 37 + i * 11) % 300);
        __atomic_sub_fetch(&shared[2 + unit], 1, __ATOMIC_SEQ_CST);
        rc_exclusive_acquire(exclusive);
        assert_int_equal(__atomic_add_fetch(&shared[unit], 1, __ATOMIC_SEQ_CST), 1);
        usleep(200);
        assert_int_equal(__atomic_load_n(&shared[2 + unit], __ATOMIC_SEQ_CST), 0);
        __atomic_sub_fetch(&shared[unit], 1, __ATOMIC_SEQ_CST);
        rc_exclusive_release(exclusive);
    }
    rc_exclusive_rest(exclusive);
    rc_exclusive_close(exclusive);
    MPI_Win_free(&win);
}

static void quiet_workers_use_no_processor_while_one_reads_for_a_second(void **state)
{
    struct rc_exclusive *exclusive;
    struct rc_error err;
    double used;

    (void)state;
    assert_int_equal(rc_exclusive_create(team_comm, 7, NULL, &exclusive, &err), RC_OK);
    barrier_asleep(team_comm);
    used = cpu_seconds();
    if (rank == 0) {
        rc_exclusive_acquire(exclusive);
        nap_us(1000000);
        rc_exclusive_release(exclusive);
    }
    rc_exclusive_rest(exclusive);
    used = cpu_seconds() - used;
    print_message("rank %d: %.2f ms of processor time in 1 s\n", rank, used * 1e3);
    assert_true(used < 0.02);
    rc_exclusive_close(exclusive);
}

static void rests_can_follow_one_another(void **state)
{
    struct rc_exclusive *exclusive;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_exclusive_create(team_comm, 0, NULL, &exclusive, &err), RC_OK);
    for (int i = 0; i < 50; i++) {
        if (i % size == rank) {
            rc_exclusive_acquire(exclusive);
            rc_exclusive_release(exclusive);
        }
        rc_exclusive_rest(exclusive);
    }
    rc_exclusive_close(exclusive);
}

static void count_call(void *arg)
{
    atomic_fetch_add((_Atomic int *)arg, 1);
}

static void who_waits_for_the_busy_answers_others(void **state)
{
    const uint64_t every_ns = 2000000;
    _Atomic int *calls = shared_create();
    const struct rc_exclusive_idle idle = {count_call, (void *)&calls[rank], every_ns};
    struct rc_exclusive *exclusive;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_exclusive_create(team_comm, 0, &idle, &exclusive, &err), RC_OK);
    barrier_asleep(team_comm);
    uint64_t took = rc_clock_ns();
    if (rank == 0)
        assert_true(shared_await(calls, size, rank, 5, 200000000));
    rc_exclusive_acquire(exclusive);
    rc_exclusive_release(exclusive);
    rc_exclusive_rest(exclusive);
    took = rc_clock_ns() - took;
    if (rank > 0)
        assert_in_range(calls[rank], 5, 20 + 2 * took / every_ns);
    shared_free(calls);
    rc_exclusive_close(exclusive);
}

static void one_process_without_mpi_is_a_team(void **state)
{
    struct rc_exclusive *exclusive;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_exclusive_create(MPI_COMM_NULL, 3, NULL, &exclusive, &err),
                     RC_OK);
    rc_exclusive_acquire(exclusive);
    rc_exclusive_release(exclusive);
    rc_exclusive_rest(exclusive);
    rc_exclusive_close(exclusive);
    rc_exclusive_close(NULL);
}

/* Work of a child before it is killed. */
enum way { DIES_BUSY, DIES_READING, DIES_WAITING, WAYS };

/* mpirun ends a job whose rank dies, so the members here are forked. */
static void a_killed_worker_does_not_hang_the_others(void **state)
{
    (void)state;
    for (enum way way = 0; way < WAYS; way++) {
        struct rc_exclusive_board *board =
            mmap(NULL, rc_exclusive_board_bytes(2), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        struct rc_exclusive *exclusive;
        struct rc_error err;
        uint64_t start;
        int joined[2];
        char byte = 0;

        assert_ptr_not_equal(board, MAP_FAILED);
        assert_int_equal(rc_exclusive_board_init(board, 2, &err), RC_OK);
        assert_int_equal(pipe(joined), 0);
        if (way != DIES_READING)
            assert_int_equal(rc_exclusive_join(board, 0, 5, NULL, &exclusive, &err), 0);
        pid_t child = fork();
        if (child == 0) {
            struct rc_exclusive *own;
            if (rc_exclusive_join(board, 1, 5, NULL, &own, &err) != RC_OK)
                _exit(1);
            if (way == DIES_READING) /* the parent has not joined */
                rc_exclusive_acquire(own);
            if (write(joined[1], &byte, 1) != 1)
                _exit(1);
            if (way == DIES_WAITING) /* the parent is busy: never its turn */
                rc_exclusive_acquire(own);
            pause();
        }
        assert_int_equal(read(joined[0], &byte, 1), 1);
        if (way == DIES_READING)
            assert_int_equal(rc_exclusive_join(board, 0, 5, NULL, &exclusive, &err), 0);
        nap_us(100000);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        start = rc_clock_ns();
        rc_exclusive_acquire(exclusive);
        rc_exclusive_release(exclusive);
        rc_exclusive_rest(exclusive);
        assert_true(rc_clock_ns() - start < UINT64_C(30000000000)); /* not for ever */
        rc_exclusive_close(exclusive);
        close(joined[0]);
        close(joined[1]);
        munmap(board, rc_exclusive_board_bytes(2));
    }
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_process_without_mpi_is_a_team),
        cmocka_unit_test(one_reads_at_a_time_and_nobody_else_of_its_unit_works),
        cmocka_unit_test(quiet_workers_use_no_processor_while_one_reads_for_a_second),
        cmocka_unit_test(rests_can_follow_one_another),
        cmocka_unit_test(who_waits_for_the_busy_answers_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest killing[] = {
        cmocka_unit_test(a_killed_worker_does_not_hang_the_others),
    };

    if (argc > 1 && strcmp(argv[1], "killed") == 0)
        return cmocka_run_group_tests(killing, NULL, NULL);
    return on_teams(argc, argv, run_on_team);
}
