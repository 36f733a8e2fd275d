/* app.h - what the programs here have in common: numbers on their command lines, blocks
 * of indices, and the verdict on their results
 *
 * The verdict is found by functions that no profile sees (PMPI_...), so that a program's
 * recorded calls are those of its laws.
 */
#ifndef RC_TESTS_APPS_APP_H
#define RC_TESTS_APPS_APP_H

#include "campaign/profile/rollcall.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole number that is argument 'at', from 1 to a million; 'otherwise' where the
 * command line ends before.  Wrong ones end the program with 2.
 */
static inline size_t app_number(int argc, char **argv, int at, size_t otherwise)
{
    char *end;

    if (at >= argc)
        return otherwise;
    const unsigned long value = strtoul(argv[at], &end, 10);
    if (argv[at][0] < '0' || argv[at][0] > '9' || *end || value < 1 ||
        value > 1000000) {
        fprintf(stderr, "%s: found '%s', expected a whole number from 1 to 1000000\n",
                argv[0], argv[at]);
        exit(2);
    }
    return value;
}

/* Indices 0 to n - 1 in 'parts' blocks: the first index of one. */
static inline size_t app_first(size_t n, size_t parts, size_t part)
{
    return n * part / parts;
}

/* Zeros; a program without memory ends. */
static inline void *app_memory(size_t count, size_t bytes)
{
    void *memory = calloc(count ? count : 1, bytes);

    if (!memory) {
        fprintf(stderr, "no memory for %zu times %zu bytes\n", count, bytes);
        exit(3);
    }
    return memory;
}

/* Collective.  Ends the program with 2 where this number of ranks cannot run it. */
static inline void app_expect(int possible, const char *expected)
{
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (possible)
        return;
    if (rank == 0)
        fprintf(stderr, "expected %s\n", expected);
    MPI_Finalize();
    exit(2);
}

/* Collective: the exit status of the program, 0 where the result is right on all ranks.
 * Rank 0 says which it is.
 */
static inline int app_end(const char *program, int right)
{
    int rank, all;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: the result is %s\n", program, all ? "right" : "wrong");
    MPI_Finalize();
    return all ? 0 : 1;
}

#endif
