/* Teams of workers: in step, with readings of their own, and of one mind where one fails. */
#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "tests/lib/fake_campaign.h"
#include "tests/lib/shared.h"

static int idled;
static struct rc_measure_team team;

static void idle(void *arg)
{
    _Atomic int *mine = arg;

    idled++;
    if (mine)
        atomic_fetch_add(mine, 1);
}

/* Collective. */
static int open_team(void **state)
{
    rc_measure_team_open(team_comm, (size_t)rank, &team);
    team.idle = idle;
    return open_all(state);
}

static int close_team(void **state)
{
    rc_measure_team_close(&team);
    return close_all(state);
}

/* All measure one unit: each reads, or the first one alone.  Collective. */
static void measure_together(uint32_t source, uint32_t suite, bool alone)
{
    t.task.team = &team;
    t.task.unread = alone && rank != 0;
    measure(source, suite);
}

/* The suite "fake" becomes one with teams: as many workers as ranks, and one fewer. */
static void make_teams(void)
{
    t.suite[0].name = "fake-team";
    for (uint32_t p = 0; p < FAKE_POINTS; p++)
        fake.workers[p] = p % 2 ? (uint32_t)size : (uint32_t)(size > 1 ? size - 1 : 1);
}

static int most(int mine)
{
    int all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, team_comm);
    return all;
}

static int total(int mine)
{
    int all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, team_comm);
    return all;
}

static void all_run_each_kernel_that_the_first_one_counts(void **state)
{
    enum { READINGS = 5 * FAKE_POINTS };

    (void)state;
    measure_together(RUNS, 0, true);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    assert_int_equal(t.unit.repetitions, 5);
    assert_true(fake.runs >= READINGS); /* some to warm up */
    assert_int_equal(fake.arms, rank == 0);
    for (size_t p = 0; p < FAKE_POINTS; p++)
        assert_int_equal(value_at(0, 4, p), rank == 0 ? 1000 + (int64_t)p : 0);
}

static void each_worker_keeps_readings_of_its_own(void **state)
{
    (void)state;
    make_teams();
    fake.value[1] = 5000 * (rank + 1);
    measure_together(RUNS, 0, false);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    for (size_t row = 0; row < FAKE_EVENTS * (size_t)t.unit.repetitions; row++)
        assert_int_equal(t.readings.status[row], RC_READING_OK);
    for (size_t p = 0; p < FAKE_POINTS; p++)
        assert_true(value_at(1, 4, p) == ((uint32_t)rank < fake.workers[p]
                                              ? 5000 * (rank + 1) + (int64_t)p
                                              : INT64_MIN));
}

/* The others would be done after 5 repetitions. */
static void all_measure_until_the_last_one_knows_enough(void **state)
{
    (void)state;
    make_teams();
    t.spec.repeat_max = 9;
    if (rank == size - 1)
        fake.noise[2] = 1000;
    measure_together(RUNS, 0, false);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    assert_int_equal(t.unit.repetitions, 9);
    assert_int_equal(t.unit.stop, RC_STOP_MOST);
}

static void a_worker_that_cannot_run_a_point_once_costs_a_try(void **state)
{
    (void)state;
    if (rank == size - 1)
        fake.fault[0] = (struct fake_fault){FAKE_SETUP, FAKE_ANY, 1, 1};
    measure_together(RUNS, 0, true);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
    assert_int_equal(t.unit.tries, 1);
}

/* The reason is the same on all, and says whose it is. */
static void a_worker_that_never_runs_a_point_costs_that_point(void **state)
{
    char reason[128] = "p1: no pages for its buffer";

    for (int teams = 0; teams < 2; teams++) {
        assert_int_equal(close_all(state) | open_all(state), 0);
        if (teams)
            make_teams();
        if (rank == size - 1)
            fake.fault[0] = (struct fake_fault){FAKE_SETUP, FAKE_ANY, 1, FAKE_ALWAYS};
        measure_together(RUNS, 0, !teams);
        if (size > 1)
            snprintf(reason, sizeof reason, "worker %d: p1: no pages for its buffer",
                     size - 1);
        assert_int_equal(t.unit.status, RC_UNIT_INVALID);
        assert_string_equal(t.unit.reason, reason);
        for (size_t p = 0; p < FAKE_POINTS && rank == 0; p++)
            assert_true(value_at(0, 4, p) == (p == 1 || !(teams ? fake.workers[p] : 1)
                                                  ? INT64_MIN
                                                  : 1000 + (int64_t)p));
    }
}

/* An event that one worker cannot count is counted by none of them. */
static void an_event_that_one_worker_loses_is_lost_for_all(void **state)
{
    static const enum fake_act acts[] = {FAKE_ARM, FAKE_START, FAKE_STOP,
                                         FAKE_MULTIPLEX};

    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        assert_int_equal(close_all(state) | open_all(state), 0);
        make_teams();
        if (rank == size - 1)
            fake.fault[0] = (struct fake_fault){acts[i], 1, FAKE_ANY, FAKE_ALWAYS};
        measure_together(RUNS, 0, false);
        assert_int_equal(t.unit.status, RC_UNIT_INVALID);
        assert_int_equal(t.unit.repetitions, 5);
        for (size_t e = 0; e < FAKE_EVENTS; e++)
            assert_true((t.readings.status[e] == RC_READING_OK) == (e != 1));
    }
}

/* Nothing is asserted before all are done: a rank that left would be waited for. */
static void workers_stay_in_step_whatever_fails_on_one(void **state)
{
    static const struct fake_fault faults[] = {
        {FAKE_SETUP, FAKE_ANY, 1, FAKE_ALWAYS},
        {FAKE_VERIFY, FAKE_ANY, 1, FAKE_ALWAYS},
        {FAKE_START, 1, 1, FAKE_ALWAYS},
        {FAKE_STOP, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS},
        {FAKE_ARM, FAKE_ANY, FAKE_ANY, FAKE_ALWAYS},
    };
    enum { FAULTS = sizeof faults / sizeof faults[0] };
    bool left = false;

    for (int who = 0; who < size; who++)
        for (size_t i = 0; i < FAULTS; i++) {
            left |= (close_all(state) | open_all(state)) != 0;
            make_teams();
            if (rank == who)
                fake.fault[0] = faults[i];
            measure_together(RUNS, 0, false);
            left |= t.unit.status != (i < 3 ? RC_UNIT_INVALID : RC_UNIT_FAILED);
            fake.fault[0].act = FAKE_NOTHING;
            measure_together(RUNS, 0, false);
            left |= t.unit.status != RC_UNIT_OK;
        }
    assert_false(most(left));
}

static int asked;

static bool give_up(void *arg)
{
    const int *at = arg;

    return ++asked == *at;
}

/* One is asked to give up, anywhere in a repetition: all keep the same repetitions. */
static void a_unit_that_one_gives_up_has_whole_repetitions_of_all(void **state)
{
    static const int at[] = {1, FAKE_POINTS, FAKE_POINTS + 1, 3 * FAKE_POINTS - 1};

    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        int moment = at[i];
        assert_int_equal(close_all(state) | open_all(state), 0);
        make_teams();
        open_measurer(0);
        asked = 0;
        if (rank == size - 1)
            rc_measurer_pause(t.measurer, give_up, &moment);
        measure_together(RUNS, 0, false);
        const int whole = (moment - 1) / FAKE_POINTS;
        assert_int_equal(t.unit.status, whole ? RC_UNIT_OK : 0);
        if (whole)
            assert_int_equal(t.unit.stop, RC_STOP_INTERRUPTED);
        if (whole)
            assert_int_equal(t.unit.repetitions, whole);
    }
}

/* For each size of a team: nobody goes on before the last one came. */
static void workers_line_up(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= team.size; workers++)
        for (uint32_t late = 0; late < workers; late++) {
            uint64_t came, went = UINT64_MAX, last, first;
            if (team.number == late)
                nap_us(3000);
            came = team.number < workers ? rc_clock_ns() : 0;
            if (team.number < workers) {
                rc_measure_team_line_up(&team, workers);
                went = rc_clock_ns();
            }
            MPI_Allreduce(&came, &last, 1, MPI_UINT64_T, MPI_MAX, team_comm);
            MPI_Allreduce(&went, &first, 1, MPI_UINT64_T, MPI_MIN, team_comm);
            assert_true(first >= last);
        }
}

/* Cores in the reverse order of the ranks. */
static void workers_are_numbered_by_their_cores(void **state)
{
    struct rc_measure_team reversed;

    (void)state;
    rc_measure_team_open(team_comm, (size_t)(size - rank), &reversed);
    assert_int_equal(reversed.number, size - 1 - rank);
    assert_int_equal(reversed.size, size);
    rc_measure_team_close(&reversed);
}

static void all_hear_the_order_of_the_first(void **state)
{
    struct rc_measure_order order = {.unit = 99};

    (void)state;
    if (team.number == 0)
        order = (struct rc_measure_order){7, 1763726400000000000};
    rc_measure_team_tell(&team, &order);
    assert_int_equal(order.unit, 7);
    assert_true(order.begin_ns == 1763726400000000000);
    assert_int_equal(total(fake.runs), 0);
}

static void real_kernels_run_together_and_do_their_work(void **state)
{
    (void)state;
    measure_together(EXACT, 2, true);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
}

static void workers_sleep_while_they_wait_for_an_order(void **state)
{
    _Atomic int *turns = shared_create();
    struct rc_measure_order order = {.begin_ns = 1};

    (void)state;
    team.arg = (void *)&turns[rank];
    double used = cpu_seconds();
    uint64_t took = rc_clock_ns();
    if (rank == 0)
        assert_true(shared_await(turns, size, rank, 11, 500000000));
    rc_measure_team_tell(&team, &order);
    if (rank != 0) {
        used = cpu_seconds() - used;
        took = rc_clock_ns() - took;
        print_message("rank %d: %.2f ms of processor time in %.2f s, idled %d times\n",
                      rank, used * 1e3, (double)took * 1e-9, turns[rank]);
        assert_true(used < 0.1 * (double)took * 1e-9); /* one that spins uses it all */
        assert_true(turns[rank] > 10);
    }
    shared_free(turns);
}

static void one_process_without_mpi_is_a_team(void **state)
{
    struct rc_measure_order order = {3, 4};

    (void)state;
    rc_measure_team_close(&team);
    rc_measure_team_open(MPI_COMM_NULL, 5, &team);
    rc_measure_team_tell(&team, &order);
    assert_int_equal(order.unit, 3);
    measure_together(RUNS, 0, false);
    assert_int_equal(t.unit.status, RC_UNIT_OK);
}

static int run_on_team(void)
{
#define FRESH(test) cmocka_unit_test_setup_teardown(test, open_team, close_team)
    const struct CMUnitTest tests[] = {
        FRESH(one_process_without_mpi_is_a_team),
        FRESH(all_hear_the_order_of_the_first),
        FRESH(workers_are_numbered_by_their_cores),
        FRESH(workers_line_up),
        FRESH(all_run_each_kernel_that_the_first_one_counts),
        FRESH(each_worker_keeps_readings_of_its_own),
        FRESH(all_measure_until_the_last_one_knows_enough),
        FRESH(a_worker_that_cannot_run_a_point_once_costs_a_try),
        FRESH(a_worker_that_never_runs_a_point_costs_that_point),
        FRESH(an_event_that_one_worker_loses_is_lost_for_all),
        FRESH(workers_stay_in_step_whatever_fails_on_one),
        FRESH(a_unit_that_one_gives_up_has_whole_repetitions_of_all),
        FRESH(real_kernels_run_together_and_do_their_work),
        FRESH(workers_sleep_while_they_wait_for_an_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
