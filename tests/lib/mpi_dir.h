/* mpi_dir.h - a temporary directory that the ranks of a test share: cmocka's setup
 * and teardown.
 */
#ifndef RC_TESTS_LIB_MPI_DIR_H
#define RC_TESTS_LIB_MPI_DIR_H

#include "tests/lib/on_teams.h"

#include <stdio.h>
#include <stdlib.h>

static char work[64];

static int make_directory(void **state)
{
    (void)state;
    if (rank == 0) {
        snprintf(work, sizeof work, "/tmp/rc_test_XXXXXX");
        if (!mkdtemp(work))
            return -1;
    }
    MPI_Bcast(work, sizeof work, MPI_CHAR, 0, team_comm);
    return 0;
}

static int remove_directory(void **state)
{
    char command[128];

    (void)state;
    MPI_Barrier(team_comm);
    snprintf(command, sizeof command, "rm -r %s", work);
    return rank == 0 ? system(command) : 0;
}

#endif
