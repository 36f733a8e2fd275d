#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "io/hdf5/check.h"
#include "tests/lib/on_teams.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[64];

static size_t entries(void)
{
    DIR *stream = opendir(directory);
    size_t count = 0;

    assert_non_null(stream);
    while (readdir(stream))
        count++;
    closedir(stream);
    return count;
}

static void a_good_directory_passes_and_is_left_clean(void **state)
{
    struct rc_error err = {.rank = -1};

    (void)state;
    assert_int_equal(rc_hdf5_check(team_comm, directory, &err), RC_OK);
    assert_int_equal(entries(), 2); /* "." and ".." */
}

static void each_rank_in_another_directory_is_heard_by_all(void **state)
{
    (void)state;
    for (int bad = 0; bad < size; bad++) {
        struct rc_error err = {.rank = -1};
        int status =
            rc_hdf5_check(team_comm, rank == bad ? "/nowhere" : directory, &err);
        assert_true(status < 0);
        assert_int_equal(err.rank, bad);
        assert_non_null(strstr(err.text, "'/nowhere'"));
        MPI_Barrier(team_comm);
        assert_int_equal(entries(), 2);
        MPI_Barrier(team_comm);
    }
}

static void a_file_that_is_there_already_stays(void **state)
{
    struct rc_error err = {.rank = -1};
    char path[128];

    (void)state;
    snprintf(path, sizeof path, "%s/.rollcall-check-%d.h5", directory, (int)getpid());
    FILE *file = rank == 0 ? fopen(path, "w") : NULL;
    assert_true((file != NULL) == (rank == 0));
    MPI_Barrier(team_comm);
    assert_true(rc_hdf5_check(team_comm, directory, &err) < 0);
    assert_int_equal(err.rank, 0);
    assert_int_equal(entries(), 3);
    MPI_Barrier(team_comm);
    if (file) {
        assert_int_equal(fclose(file), 0);
        assert_int_equal(unlink(path), 0);
    }
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_directory_passes_and_is_left_clean),
        cmocka_unit_test(each_rank_in_another_directory_is_heard_by_all),
        cmocka_unit_test(a_file_that_is_there_already_stays),
    };
    strcpy(directory, "/tmp/rollcall-hdf5-XXXXXX");
    if (rank == 0 && !mkdtemp(directory))
        return 1;
    MPI_Bcast(directory, (int)sizeof directory, MPI_CHAR, 0, team_comm);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(team_comm);
    if (rank == 0)
        rmdir(directory);
    return failed;
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
