/* on_teams.h - one launch of an MPI test, run on teams of several sizes
 *
 * main() is 'return on_teams(argc, argv, run);', where run() runs the cmocka group and
 * returns how many tests failed.  The arguments are the sizes, such as 1 2 3 5: for
 * each in turn, the first so many ranks of the job are the team, and the others sleep.
 * Without arguments the team is all ranks of the job.  A rank whose tests failed says
 * with how many ranks and ends the job, since the others may wait for it.
 */
#ifndef RC_TESTS_LIB_ON_TEAMS_H
#define RC_TESTS_LIB_ON_TEAMS_H

#include "tests/lib/idle.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The test's communicator in place of MPI_COMM_WORLD, and this process's rank in it. */
static MPI_Comm team_comm = MPI_COMM_NULL;
static int rank, size;

/* The barrier of a test that counts processor time must not spin either. */
static inline void barrier_asleep(MPI_Comm comm)
{
    MPI_Request all;
    int done = 0;

    for (MPI_Ibarrier(comm, &all); !done; nap_us(1000))
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
}

/* Prints on standard error, waits until other ranks may have done so, ends the job. */
static inline void end_job(const char *what, int number, int members)
{
    fflush(stdout);
    fprintf(stderr, "with %d ranks: %s %d\n", members, what, number);
    nap_us(2000000);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective over the job: run() by its first 'members' ranks. */
static inline void on_team(int members, int (*run)(void))
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < members ? 0 : MPI_UNDEFINED, rank,
                   &team_comm);
    if (team_comm != MPI_COMM_NULL) {
        MPI_Comm_size(team_comm, &size);
        if (rank == 0)
            fprintf(stderr, "with %d ranks:\n", members);
        int failed = run();
        if (failed != 0)
            end_job("tests failed on a rank:", failed, members);
        MPI_Comm_free(&team_comm);
    }
    barrier_asleep(MPI_COMM_WORLD);
}

static inline int on_teams(int argc, char **argv, int (*run)(void))
{
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    if (argc < 2)
        on_team(all, run);
    for (int i = 1; i < argc; i++) {
        int members = atoi(argv[i]);
        if (members < 1 || members > all)
            end_job("the job has only", all, members);
        on_team(members, run);
    }
    MPI_Finalize();
    return 0;
}

#endif
