/* The doctor's checks of a job: MPI, the binding of its ranks, and the libraries that
 * all ranks use together.  All are collective over 'comm', with the same findings on
 * all ranks.
 */
#include "campaign/commands/checks.h"

#include "campaign/base/agree.h"
#include "campaign/base/child.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/cli/mpi.h"
#include "campaign/machine/nodes.h"
#include "io/hdf5/check.h"
#include "solve/algebra/selftest.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A rank's binding by the launcher. */
struct seat {
    uint64_t node; /* hash of its name */
    uint64_t mask; /* hash of the affinity mask */
    int cpus;      /* in the mask */
};

static int by_mask(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->node, x->mask},
                              (uint64_t[]){y->node, y->mask}, 2);
}

/* Two ranks of a node that are bound to the same single processing unit clash: they
 * would share its time.  Wider bindings do no harm, since rollcall binds each rank to a
 * core itself.
 */
static void judge_seats(struct rc_findings *findings, struct seat *seats, size_t count)
{
    size_t bound = 0, clashes = 0;

    qsort(seats, count, sizeof *seats, by_mask);
    for (size_t i = 0; i < count; i++) {
        if (seats[i].cpus != 1)
            continue;
        bound++;
        clashes += (i > 0 && by_mask(&seats[i], &seats[i - 1]) == 0) ||
                   (i + 1 < count && by_mask(&seats[i], &seats[i + 1]) == 0);
    }
    if (clashes)
        rc_finding_add(
            findings, "rank_binding", RC_LEVEL_PROBLEM,
            "start one rank for each core: mpirun --map-by core --bind-to core",
            "%zu of %zu ranks are bound to a core that another rank has", clashes,
            count);
    else if (bound == count)
        rc_finding_add(findings, "rank_binding", RC_LEVEL_OK, NULL,
                       "each of the %zu ranks is bound to a processing unit of its own",
                       count);
    else
        rc_finding_add(findings, "rank_binding", RC_LEVEL_OK, NULL,
                       "%zu of %zu ranks may use several processing units; rollcall "
                       "binds them itself",
                       count - bound, count);
}

/* Gathers the bindings of all ranks. */
static void check_ranks(struct rc_findings *findings, MPI_Comm comm)
{
    size_t size = (size_t)rc_team_size(comm);
    struct seat mine = {.node = rc_text_hash(rc_machine_node_name())};
    cpu_set_t set;
    struct seat *seats = rc_calloc(size, sizeof *seats);
    struct rc_error err = {.rank = -1};
    int status =
        seats ? RC_OK : rc_fail(&err, RC_ENOMEM, "no memory for %zu ranks", size);

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        mine.cpus = CPU_COUNT(&set);
        mine.mask = rc_text_hash_more(rc_text_hash(""), &set, sizeof set);
    }
    if (rc_agree(comm, status, &err) == RC_OK) {
        MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, seats, (int)sizeof mine,
                      MPI_BYTE, comm);
        judge_seats(findings, seats, size);
    } else {
        rc_finding_add(findings, "rank_binding", RC_LEVEL_PROBLEM, NULL, "%s",
                       err.text);
    }
    free(seats);
}

/* Checks a sum over all ranks; reports the time of sum and barrier. */
static void check_mpi(struct rc_findings *findings, MPI_Comm comm, bool launched)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    struct rc_nodes nodes;
    struct rc_error err = {.rank = -1};
    int size = rc_team_size(comm), one = 1, sum = 0;
    double start = MPI_Wtime();

    rc_mpi_name(version, sizeof version);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Barrier(comm);
    double wall = MPI_Wtime() - start;
    MPI_Bcast(&wall, 1, MPI_DOUBLE, 0, comm); /* for the same text on all nodes */
    if (rc_nodes_find(comm, &nodes, &err) != RC_OK) {
        rc_finding_add(findings, "mpi", RC_LEVEL_PROBLEM, NULL, "%s", err.text);
        return;
    }
    char took[RC_TEXT_SHORT];
    rc_text_put_duration(took, (uint64_t)(wall * 1e9));
    if (sum != size)
        rc_finding_add(findings, "mpi", RC_LEVEL_PROBLEM, "check the MPI installation",
                       "%s: a sum over %d ranks gave %d", version, size, sum);
    else if (!launched)
        rc_finding_add(findings, "mpi", RC_LEVEL_OK,
                       "mpirun rollcall doctor looks at a whole job",
                       "%s, alone: no launcher started this process", version);
    else
        rc_finding_add(findings, "mpi", RC_LEVEL_OK, NULL,
                       "%s, %d rank%s on %zu node%s, a collective takes %s", version,
                       size, rc_text_s((uint64_t)size), nodes.count,
                       rc_text_s(nodes.count), took);
    rc_nodes_fini(&nodes);
}

#ifdef OPEN_MPI
/* Open MPI's mpirun starts nothing as root unless both variables are set; better to
 * hear it from here than from mpirun.
 */
static void check_root(struct rc_findings *findings)
{
    if (geteuid() != 0 ||
        (getenv("OMPI_ALLOW_RUN_AS_ROOT") && getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")))
        return;
    rc_finding_add(findings, "mpirun", RC_LEVEL_WARNING,
                   "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, "
                   "or be another user",
                   "Open MPI's mpirun starts nothing as root unless it is told to");
}
#else
static void check_root(struct rc_findings *findings)
{
    (void)findings;
}
#endif

/* Checks that the PATH's launchers belong to this build's MPI. */
static void check_launchers(struct rc_findings *findings)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];

    rc_mpi_name(name, sizeof name);
    for (int i = 0; i < 2; i++) {
        char *const words[] = {i == 0 ? "mpirun" : "mpiexec", "--version", NULL};
        struct rc_child child = {0};
        struct rc_error err = {.rank = -1};
        const char *owner;
        if (rc_child_run(words, NULL, NULL, 10, &child, &err) == RC_OK &&
            rc_mpi_launcher_is_foreign(child.output, &owner))
            rc_finding_add(findings, words[0], RC_LEVEL_WARNING, rc_mpi_start_words(),
                           "%s on the PATH is %s's, for whose ranks %s, which rollcall "
                           "was built with, is not made",
                           words[0], owner, name);
        rc_child_fini(&child);
    }
}

/* Solves a least-squares problem with a known solution on all ranks together. */
static void check_scalapack(struct rc_findings *findings, MPI_Comm comm)
{
    struct rc_error err = {.rank = -1};
    double deviation = 0;

    if (rc_solve_selftest(comm, &deviation, &err) != RC_OK)
        rc_finding_add(findings, "scalapack", RC_LEVEL_PROBLEM,
                       "check ScaLAPACK against the MPI it was built for", "%s",
                       err.text);
    else if (!(deviation < 1e-8))
        rc_finding_add(findings, "scalapack", RC_LEVEL_PROBLEM,
                       "check ScaLAPACK, BLAS and LAPACK",
                       "a least-squares problem is off by %.3g", deviation);
    else
        rc_finding_add(findings, "scalapack", RC_LEVEL_OK, NULL,
                       "a distributed least-squares problem is right to %.1g",
                       deviation);
}

void rc_checks_of_team(struct rc_findings *findings, MPI_Comm comm, bool launched,
                       const char *directory)
{
    check_mpi(findings, comm, launched);
    if (!launched) {
        check_root(findings);
        check_launchers(findings);
    }
    check_ranks(findings, comm);
    /* Writes a file with all ranks and reads it back. */
    struct rc_error err = {.rank = -1};
    char version[64];
    rc_hdf5_describe(version, sizeof version);
    if (rc_hdf5_check(comm, directory, &err) == RC_OK)
        rc_finding_add(findings, "hdf5", RC_LEVEL_OK, NULL,
                       "%s: all ranks wrote one file and read it back", version);
    else
        rc_finding_add(findings, "hdf5", RC_LEVEL_PROBLEM,
                       "name a directory with -o that all nodes share and can write",
                       "%s: %s", version, err.text);
    check_scalapack(findings, comm);
}
