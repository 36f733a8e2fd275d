/* test_on_teams.c - fails on the last of 3 ranks: on_teams.sh looks at how that is told
 */
#include "tests/lib/test.h"

#include "tests/lib/on_teams.h"

static void the_last_of_three_ranks_fails(void **state)
{
    (void)state;
    if (size == 3)
        MPI_Barrier(team_comm); /* the others do not end before it */
    assert_false(size == 3 && rank == 2);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_of_three_ranks_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
