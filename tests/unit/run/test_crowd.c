/* Nodes with more ranks than CPUs: which ranks work, and that the others sleep. */
#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/machine/crowd.h"
#include "tests/lib/on_teams.h"

#include <sched.h>
#include <stdlib.h>

static cpu_set_t allowed;

/* Binds this rank to the first or second of its CPUs. */
static void bind_to(int which)
{
    cpu_set_t one;

    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && which-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
            return;
        }
}

static int set_up(void **state)
{
    (void)state;
    unsetenv("ROLLCALL_ALL_RANKS");
    return sched_getaffinity(0, sizeof allowed, &allowed);
}

static int tear_down(void **state)
{
    (void)state;
    return sched_setaffinity(0, sizeof allowed, &allowed);
}

static void a_process_alone_works(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_crowd crowd;

    (void)state;
    rc_crowd_begin(MPI_COMM_NULL, &crowd);
    assert_true(crowd.works && crowd.working == MPI_COMM_NULL);
    assert_int_equal(rc_crowd_end(&crowd, RC_EIO, &err), RC_EIO);
}

/* Where each rank may use any CPU, as many work as there are. */
static void as_many_work_as_there_are_cpus(void **state)
{
    const int cpus = CPU_COUNT(&allowed), working = size < cpus ? size : cpus;
    struct rc_error err = {.rank = -1};
    struct rc_crowd crowd;

    (void)state;
    rc_crowd_begin(team_comm, &crowd);
    assert_int_equal(crowd.works, rank < cpus);
    if (crowd.works) {
        assert_int_equal(rc_team_size(crowd.working), working);
        assert_int_equal(rc_team_rank(crowd.working), rank);
    }
    if (size <= cpus) /* no communicator more */
        assert_true(crowd.working == team_comm);
    assert_int_equal(rc_crowd_end(&crowd, RC_OK, &err), RC_OK);
}

static void all_work_where_the_user_says_so(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_crowd crowd;

    (void)state;
    bind_to(0);
    if (rank == size - 1) /* one of them is enough: launchers pass on what they want */
        setenv("ROLLCALL_ALL_RANKS", "1", 1);
    rc_crowd_begin(team_comm, &crowd);
    assert_true(crowd.works && crowd.working == team_comm);
    assert_int_equal(rc_crowd_end(&crowd, RC_OK, &err), RC_OK);
    setenv("ROLLCALL_ALL_RANKS", "", 1); /* is not set */
    rc_crowd_begin(team_comm, &crowd);
    assert_int_equal(crowd.works, rank == 0);
    assert_int_equal(rc_crowd_end(&crowd, RC_OK, &err), RC_OK);
}

/* Two ranks on the first CPU, all others on the second: 0 and 2 work, and a failure is
 * told with the number that its rank has among all.
 */
static void who_is_bound_works_where_it_is_bound(void **state)
{
    (void)state;
    if (CPU_COUNT(&allowed) < 2)
        return;
    bind_to(rank >= 2);
    for (int bad = 0; bad <= 2 && bad < size; bad += 2) {
        struct rc_error err = {.rank = -1};
        struct rc_crowd crowd;
        int status = RC_OK;
        rc_crowd_begin(team_comm, &crowd);
        assert_int_equal(crowd.works, rank == 0 || rank == 2);
        if (rank == bad)
            status = rc_fail(&err, RC_EMISSING, "no event on the bad one %d", bad);
        if (crowd.works)
            status = rc_agree(crowd.working, status, &err);
        status = rc_crowd_end(&crowd, status, &err);
        assert_int_equal(status, RC_EMISSING);
        assert_int_equal(err.rank, bad);
    }
}

/* A failure that all who work know by themselves. */
static void a_failure_of_no_rank_is_told(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_crowd crowd;
    int status = RC_OK;

    (void)state;
    bind_to(0);
    rc_crowd_begin(team_comm, &crowd);
    if (crowd.works)
        status = rc_fail(&err, RC_EUSAGE, "no suite of that name");
    assert_int_equal(rc_crowd_end(&crowd, status, &err), RC_EUSAGE);
    assert_string_equal(err.text, "no suite of that name");
}

static void who_does_not_work_sleeps(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_crowd crowd;

    (void)state;
    bind_to(0);
    rc_crowd_begin(team_comm, &crowd);
    const double before = cpu_seconds();
    for (const uint64_t until = rc_clock_ns() + 1000000000;
         crowd.works && rc_clock_ns() < until;)
        continue;
    rc_meet_asleep(team_comm, NULL, NULL); /* as rc_crowd_end() begins */
    const double used = cpu_seconds() - before;
    if (!crowd.works && used > 0.1)
        fail_msg("used %.3f s of a second", used);
    assert_int_equal(rc_crowd_end(&crowd, RC_OK, &err), RC_OK);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_process_alone_works, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_many_work_as_there_are_cpus, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(all_work_where_the_user_says_so, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_is_bound_works_where_it_is_bound, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_failure_of_no_rank_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_does_not_work_sleeps, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
