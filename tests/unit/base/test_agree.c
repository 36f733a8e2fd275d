#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/gather.h"
#include "tests/lib/on_teams.h"

#include <stdio.h>
#include <string.h>

static void all_well_is_all_well(void **state)
{
    struct rc_error err = {.rank = -1};

    (void)state;
    assert_int_equal(rc_agree(team_comm, RC_OK, &err), RC_OK);
    assert_int_equal(rc_agree(MPI_COMM_NULL, RC_OK, &err), RC_OK);
    assert_int_equal(rc_agree(MPI_COMM_NULL, RC_EIO, &err), RC_EIO);
}

static void everyone_hears_of_each_failing_rank(void **state)
{
    (void)state;
    for (int bad = 0; bad < size; bad++) {
        struct rc_error err = {0};
        char expected[64];
        int status = RC_OK;
        if (rank == bad)
            status = rc_fail(&err, RC_EMISSING, "no event on the bad one %d", bad);
        snprintf(expected, sizeof expected, "no event on the bad one %d", bad);
        for (int again = 0; again < 3; again++) { /* the outcome may be agreed again */
            status = rc_agree(team_comm, status, &err);
            assert_int_equal(status, RC_EMISSING);
            assert_int_equal(err.rank, bad);
            assert_int_equal(err.status, RC_EMISSING);
            assert_string_equal(err.text, expected);
        }
    }
}

/* Also of bytes that some ranks have none of. */
static void all_get_what_each_rank_gives(void **state)
{
    struct rc_gathered all;
    struct rc_error err = {0};
    unsigned char mine[8];

    (void)state;
    memset(mine, rank, sizeof mine);
    const size_t bytes = (size_t)rank % 3;
    assert_int_equal(rc_gather(team_comm, bytes ? mine : NULL, bytes, &all, &err),
                     RC_OK);
    for (size_t i = 0, at = 0; i < (size_t)size; i++) {
        assert_int_equal(all.from[i], at);
        for (size_t b = 0; b < i % 3; b++)
            assert_int_equal(all.byte[at++], i);
        assert_int_equal(all.from[i + 1], at);
    }
    rc_gathered_fini(&all);
    assert_int_equal(rc_gather(MPI_COMM_NULL, "ab", 2, &all, &err), RC_OK);
    assert_memory_equal(all.byte, "ab", 2);
    rc_gathered_fini(&all);
    rc_gathered_fini(&all);
}

/* A mistake of the caller's must not leave the others going on alone. */
static void a_failure_without_words_is_a_failure_everywhere(void **state)
{
    int last = rc_team_size(team_comm) - 1;
    struct rc_error err = {0};

    (void)state;
    int status = rc_team_rank(team_comm) == last ? RC_ECONFLICT : RC_OK;
    assert_int_equal(rc_agree(team_comm, status, &err), RC_ECONFLICT);
}

static void of_several_failures_the_lowest_rank_speaks(void **state)
{
    (void)state;
    for (int first = 0; first < size; first++) {
        struct rc_error err = {0};
        int status = RC_OK;
        if (rank >= first)
            status = rc_fail(&err, rank == first ? RC_EIO : RC_ENOMEM, "rank %d", rank);
        status = rc_agree(team_comm, status, &err);
        assert_int_equal(status, RC_EIO);
        assert_int_equal(err.rank, first);
    }
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_well_is_all_well),
        cmocka_unit_test(everyone_hears_of_each_failing_rank),
        cmocka_unit_test(all_get_what_each_rank_gives),
        cmocka_unit_test(a_failure_without_words_is_a_failure_everywhere),
        cmocka_unit_test(of_several_failures_the_lowest_rank_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
