#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/run/all_cores.h"
#include "tests/lib/fake_campaign.h"
#include "tests/lib/shared.h"

static int idled;

static void idle(void *arg)
{
    _Atomic int *mine = arg;

    idled++;
    if (mine)
        atomic_fetch_add(mine, 1);
}

/* The leader measures one unit, the others follow.  Collective. */
static void measure_together(uint32_t source, uint32_t suite)
{
    struct rc_all_cores all_cores;

    if (!t.measurer)
        open_measurer(0);
    all_cores = (struct rc_all_cores){
        .node = team_comm, .measurer = t.measurer, .idle = idle, .suite = suite};
    const struct rc_reading_team team = rc_all_cores_team(&all_cores);
    if (rank != 0) {
        rc_all_cores_follow(&all_cores);
        return;
    }
    t.task.team = &team;
    measure(source, suite);
    rc_all_cores_dismiss(&all_cores);
}

static int total(int mine)
{
    int all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, team_comm);
    return all;
}

static void all_run_each_kernel_that_the_leader_counts(void **state)
{
    enum { READINGS = 5 * FAKE_POINTS };

    (void)state;
    measure_together(RUNS, 0);
    if (rank == 0) {
        assert_int_equal(t.unit.status, RC_UNIT_OK);
        assert_int_equal(t.unit.repetitions, 5);
        assert_true(fake.runs >= READINGS); /* some to warm up */
    } else {
        assert_int_equal(fake.runs, READINGS);
        assert_int_equal(fake.setups, READINGS);
        assert_int_equal(fake.teardowns, READINGS);
    }
}

static void a_follower_that_cannot_run_a_point_once_costs_a_try(void **state)
{
    (void)state;
    if (rank == size - 1 && rank != 0)
        fake.fault[0] = (struct fake_fault){FAKE_SETUP, FAKE_ANY, 1, 1};
    measure_together(RUNS, 0);
    if (rank != 0)
        return;
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    assert_int_equal(t.unit.tries, size > 1);
}

static void a_follower_that_never_runs_a_point_costs_that_point(void **state)
{
    (void)state;
    if (rank == size - 1 && rank != 0)
        fake.fault[0] = (struct fake_fault){FAKE_SETUP, FAKE_ANY, 1, FAKE_ALWAYS};
    measure_together(RUNS, 0);
    if (rank != 0 || size == 1)
        return;
    assert_int_equal(t.unit.status, RC_UNIT_INVALID);
    assert_string_equal(t.unit.reason, "p1: the kernel did not run on all cores");
    for (size_t p = 0; p < FAKE_POINTS; p++)
        assert_int_equal(value_at(0, 4, p), p == 1 ? INT64_MIN : 1000 + (int64_t)p);
}

/* Nothing is asserted before all are done: a rank that left would be waited for. */
static void followers_stay_in_step_whatever_fails_on_the_leader(void **state)
{
    static const struct fake_fault faults[] = {
        {FAKE_SETUP, FAKE_ANY, 2, FAKE_ALWAYS},
        {FAKE_VERIFY, FAKE_ANY, 2, FAKE_ALWAYS},
        {FAKE_START, 1, 2, FAKE_ALWAYS},
        {FAKE_STOP, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS},
        {FAKE_ARM, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS},
    };
    enum { FAULTS = sizeof faults / sizeof faults[0] };
    enum rc_unit_status failing[FAULTS], after[FAULTS];
    bool left = false;

    for (size_t i = 0; i < FAULTS; i++) {
        left |= (close_all(state) | open_all(state)) != 0;
        if (rank == 0)
            fake.fault[0] = faults[i];
        measure_together(RUNS, 0);
        failing[i] = t.unit.status;
        left |= rank != 0 && fake.setups != fake.teardowns;
        fake.fault[0].act = FAKE_NOTHING;
        measure_together(RUNS, 0);
        after[i] = t.unit.status;
    }
    assert_false(left);
    for (size_t i = 0; i < FAULTS && rank == 0; i++) {
        assert_int_equal(failing[i], i < 3 ? RC_UNIT_INVALID : RC_UNIT_FAILED);
        assert_int_equal(after[i], RC_UNIT_OK);
    }
}

static void all_cores_that_are_dismissed_at_once_have_run_nothing(void **state)
{
    struct rc_all_cores all_cores = {.node = team_comm};

    (void)state;
    if (rank == 0)
        rc_all_cores_dismiss(&all_cores);
    else
        rc_all_cores_follow(&all_cores);
    assert_int_equal(total(fake.runs), 0);
}

static void real_kernels_run_together_and_do_their_work(void **state)
{
    (void)state;
    measure_together(EXACT, 2);
    if (rank == 0)
        assert_int_equal(t.unit.status, RC_UNIT_OK);
}

static void followers_sleep_while_they_wait(void **state)
{
    _Atomic int *turns = shared_create();
    struct rc_all_cores all_cores = {
        .node = team_comm, .idle = idle, .arg = (void *)&turns[rank]};

    (void)state;
    double used = cpu_seconds();
    uint64_t took = rc_clock_ns();
    if (rank == 0) {
        assert_true(shared_await(turns, size, rank, 11, 500000000));
        rc_all_cores_dismiss(&all_cores);
    } else {
        rc_all_cores_follow(&all_cores);
        used = cpu_seconds() - used;
        took = rc_clock_ns() - took;
        print_message("rank %d: %.2f ms of processor time in %.2f s, idled %d times\n",
                      rank, used * 1e3, (double)took * 1e-9, turns[rank]);
        assert_true(used < 0.1 * (double)took * 1e-9); /* one that spins uses it all */
        assert_true(turns[rank] > 10);
    }
    shared_free(turns);
}

static void one_process_without_mpi_is_all_cores(void **state)
{
    struct rc_all_cores all_cores = {.node = MPI_COMM_NULL};

    (void)state;
    open_measurer(0);
    all_cores.measurer = t.measurer;
    const struct rc_reading_team team = rc_all_cores_team(&all_cores);
    t.task.team = &team;
    measure(RUNS, 0);
    rc_all_cores_dismiss(&all_cores);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
}

static int run_on_team(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, open_all, close_all)
    const struct CMUnitTest tests[] = {
        FRESH(one_process_without_mpi_is_all_cores),
        FRESH(all_cores_that_are_dismissed_at_once_have_run_nothing),
        FRESH(all_run_each_kernel_that_the_leader_counts),
        FRESH(a_follower_that_cannot_run_a_point_once_costs_a_try),
        FRESH(a_follower_that_never_runs_a_point_costs_that_point),
        FRESH(followers_stay_in_step_whatever_fails_on_the_leader),
        FRESH(real_kernels_run_together_and_do_their_work),
        FRESH(followers_sleep_while_they_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
