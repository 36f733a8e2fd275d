#include "tests/lib/test.h"

#include "tests/lib/journal_lib.h"
#include "tests/lib/mpi_dir.h"

#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#define PER_RANK 2000

static char file[128];
static struct rc_error err;

static int make_place(void **state)
{
    int failed = make_directory(state);

    snprintf(file, sizeof file, "%s/journal/n.rcj", work);
    return failed;
}

static struct rc_journal *open_here(const char *node, uint32_t writer, uint64_t first)
{
    const struct rc_journal_setting setting = {.dir = work,
                                               .node = node,
                                               .campaign = journal_ours,
                                               .writer = writer,
                                               .first_sequence = first,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_journal *journal;

    if (rc_journal_open(&setting, &journal, &err) != RC_OK)
        fail_msg("rank %d: %s", rank, err.text);
    return journal;
}

/* All ranks read, and all find the same. */
static void assert_there(uint64_t records, uint64_t next)
{
    static struct journal_met met;
    struct rc_journal_report report;

    MPI_Barrier(team_comm);
    assert_int_equal(journal_read(file, &journal_ours, &met, &report, &err), RC_OK);
    assert_int_equal(report.records, records);
    assert_int_equal(report.next_sequence, next);
    assert_int_equal(report.damaged_places + report.repeated + report.foreign, 0);
    assert_int_equal(met.wrong + met.disordered, 0);
}

static void records_of_all_writers_are_there_and_each_writers_in_order(void **state)
{
    (void)state;
    MPI_Barrier(team_comm);
    struct rc_journal *journal = open_here("n", (uint32_t)rank, 0);
    for (uint64_t i = 0; i < PER_RANK; i++)
        assert_int_equal(journal_put(journal, (uint32_t)rank, i, &err), RC_OK);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    assert_there((uint64_t)size * PER_RANK, PER_RANK);

    /* The next session has other writers in the same file. */
    uint32_t writer = (uint32_t)(size - 1 - rank);
    MPI_Barrier(team_comm);
    journal = open_here("n", writer, PER_RANK);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(journal_put(journal, writer, PER_RANK + i, &err), RC_OK);
    assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    assert_there((uint64_t)size * (PER_RANK + 100), PER_RANK + 100);
}

/* Each round is a file of its own, which all ranks create at the same time. */
static void of_many_that_create_the_file_one_does_and_all_go_on(void **state)
{
    char node[16];

    (void)state;
    for (int round = 0; round < 50; round++) {
        snprintf(node, sizeof node, "n%d", round);
        snprintf(file, sizeof file, "%s/journal/%s.rcj", work, node);
        MPI_Barrier(team_comm);
        struct rc_journal *journal = open_here(node, (uint32_t)rank, 0);
        assert_int_equal(journal_put(journal, (uint32_t)rank, 0, &err), RC_OK);
        assert_int_equal(rc_journal_close(journal, &err), RC_OK);
        assert_there((uint64_t)size, 1);
    }
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            records_of_all_writers_are_there_and_each_writers_in_order, make_place,
            remove_directory),
        cmocka_unit_test_setup_teardown(
            of_many_that_create_the_file_one_does_and_all_go_on, make_place,
            remove_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
