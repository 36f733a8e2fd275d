#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "solve/algebra/selftest.h"
#include "tests/lib/on_teams.h"

static void a_known_problem_is_solved_on_any_number_of_ranks(void **state)
{
    struct rc_error err = {.rank = -1};
    double deviation = 1;

    (void)state;
    assert_int_equal(rc_solve_selftest(team_comm, &deviation, &err), RC_OK);
    assert_true(deviation >= 0 && deviation < 1e-10);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_problem_is_solved_on_any_number_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
