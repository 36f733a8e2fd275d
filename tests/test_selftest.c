#include "tests/test.h"

#include "campaign/base/agree.h"
#include "solve/selftest.h"

static void a_known_problem_is_solved_on_any_number_of_ranks(void **state)
{
    struct rc_error err = {.rank = -1};
    double deviation = 1;

    (void)state;
    assert_int_equal(rc_solve_selftest(MPI_COMM_WORLD, &deviation, &err), RC_OK);
    assert_true(deviation >= 0 && deviation < 1e-10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_problem_is_solved_on_any_number_of_ranks),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
