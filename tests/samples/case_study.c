/* Two profiles that were made up: sPPM 1.1, 32 ranks of 2 threads, on two machines,
 * with the numbers that were published of it (KOJAK, 2005).
 *
 *     case_study XD1.cubex REGATTA.cubex
 *     case_study NAME VALUE FILE.cubex      (a run that counted one event)
 *
 * Call tree, places and inner metrics are the same; what the machines count, the
 * leaves, is not.  Numbers are spread evenly over places, but for MPI, of which each
 * fourth rank has twice as much.
 */
#include "io/cubex/cubex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 32, THREADS = 2 };

/* Call paths: each below the one whose number stands in front. */
static const struct {
    int parent;
    const char *name, *paradigm;
} paths[] = {{0, "main", "user"},
             {1, "init", "user"},
             {1, "gblmax", "user"},
             {3, "MPI_Allreduce", "mpi"},
             {1, "bdrys", "user"},
             {5, "MPI_Wait", "mpi"},
             {1, "runhyd", "user"},
             {7, "sppm1", "user"},
             {7, "sppm2", "user"},
             {7, "sppm3", "user"},
             {7, "sppm4", "user"},
             {7, "sppm5", "user"},
             {7, "sppm6", "user"},
             {7, "omp barrier", "openmp"},
             {7, "omp barrier last", "openmp"}};
enum { INIT = 2, REDUCE = 4, WAIT = 6, RUNHYD = 7, SPPM = 8, BARRIER = 14, LAST = 15 };

/* Metrics of both, each below the one that is named; counts are of all places. */
static const struct {
    const char *name, *parent;
} metrics[] = {{"time", ""},
               {"execution", "time"},
               {"mpi", "execution"},
               {"mpi_point_to_point", "mpi"},
               {"mpi_collective", "mpi"},
               {"wait_at_nxn", "mpi_collective"},
               {"openmp", "execution"},
               {"openmp_barrier", "openmp"},
               {"INSTRUCTION", ""},
               {"BRANCH", "INSTRUCTION"},
               {"BRANCH_MISP", "BRANCH"},
               {"DATA_ACCESS", ""},
               {"DATA_HIT_L1", "DATA_ACCESS"},
               {"DATA_HIT_MEM", "DATA_ACCESS"}};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* Seconds and shares as published. */
static const struct machine {
    const char *name, *inst_leaf, *misp_leaf, *memory_leaf, *node;
    double wall_s, runhyd_s, init, mpi, nxn_s, nxn, openmp, last, branch, misp, l1,
        memory;
} machines[] = {{"XD1", "FR_X86_INS", "FR_BR_MIS", "DC_SYS_REFILL_O", "xd", 180, 163,
                 .005, .017, 15, .0015, .033, .04, .053, .0008, .97, .0027},
                {"Regatta", "PM_INST_CMPL", "PM_BR_MPRED_CR", "PM_DATA_FROM_MEM",
                 "p690", 280, 241, .019, .022, 127, .0077, .009, .82, .083, .0058, .97,
                 .0014}};

static struct rc_error err;
static struct rc_cube *cube;

static void must(int status)
{
    if (status == RC_OK)
        return;
    fprintf(stderr, "case_study: %s\n", err.text);
    exit(1);
}

/* A number to a path and a place, and to the metrics around it as well. */
static void put(const char *metric, size_t path, size_t place, double value)
{
    for (int64_t m = (int64_t)rc_cube_find_metric(cube, metric); m >= 0;
         m = cube->metric[m].parent)
        rc_cube_put(cube, (size_t)m, cube->path_at[path], place, value);
}

static void add_trees(const struct machine *machine)
{
    size_t unused, number[METRICS];
    char name[64], node[64];

    for (size_t i = 0; i < METRICS; i++) {
        int64_t parent = RC_CUBE_TOP;
        for (size_t k = 0; k < i; k++)
            if (strcmp(metrics[k].name, metrics[i].parent) == 0)
                parent = (int64_t)number[k];
        must(rc_cube_add_metric(cube, parent, metrics[i].name, i < 8 ? "ns" : "1", "",
                                &number[i], &err));
    }
    must(rc_cube_add_metric(cube, (int64_t)number[8], machine->inst_leaf, "1", "",
                            &unused, &err));
    must(rc_cube_add_metric(cube, (int64_t)number[10], machine->misp_leaf, "1", "",
                            &unused, &err));
    must(rc_cube_add_metric(cube, (int64_t)number[13], machine->memory_leaf, "1", "",
                            &unused, &err));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        must(rc_cube_add_path(cube, paths[i].parent, paths[i].name, paths[i].paradigm,
                              &unused, &err));
    for (int64_t r = 0; r < RANKS; r++)
        for (size_t t = 0; t < THREADS; t++) {
            snprintf(name, sizeof name, "rank %lld thread %zu", (long long)r, t);
            snprintf(node, sizeof node, "%s%lld", machine->node, (long long)r / 16);
            const struct rc_cube_place place = {name, node, r, t};
            must(rc_cube_add_place(cube, &place, &unused, &err));
        }
}

/* All time is less than 64 times the wall's: the second thread of a rank is not counted
 * where it has nothing to do, which is outside of runhyd and in a part of it.
 */
static void put_times(const struct machine *k, size_t place)
{
    const double all = k->nxn_s / k->nxn * 1e9, wall = k->wall_s * 1e9;
    const bool first = cube->place[place].thread == 0;
    const double runhyd = first ? k->runhyd_s * 1e9 : all / RANKS - wall;
    const double openmp = k->openmp * all / (RANKS * THREADS);
    /* each fourth rank twice the others: 1.25 of them on the average */
    const double weight = (cube->place[place].rank % 4 == 0 ? 2 : 1) / 1.25 / RANKS;
    const double mpi = k->mpi * all * weight, waited = k->nxn_s * 1e9 * weight;

    for (size_t i = 0; i < 6; i++)
        put("execution", SPPM + i, place, (runhyd - openmp) / 6);
    put("openmp_barrier", BARRIER, place, openmp * (1 - k->last));
    put("openmp_barrier", LAST, place, openmp * k->last);
    if (!first)
        return;
    put("execution", INIT, place, k->init * wall);
    put("wait_at_nxn", REDUCE, place, waited);
    put("mpi_point_to_point", WAIT, place, mpi - waited);
    put("execution", 1, place, wall - k->init * wall - runhyd - mpi);
}

static void put_counts(const struct machine *k, size_t place)
{
    const double instructions = 1e12 / (RANKS * THREADS), accesses = 0.4 * instructions;

    put(k->misp_leaf, RUNHYD, place, k->misp * instructions);
    put("BRANCH", RUNHYD, place, (k->branch - k->misp) * instructions);
    put(k->inst_leaf, RUNHYD, place, (1 - k->branch) * instructions);
    put("DATA_HIT_L1", RUNHYD, place, k->l1 * accesses);
    put(k->memory_leaf, RUNHYD, place, k->memory * accesses);
    put("DATA_ACCESS", RUNHYD, place, (1 - k->l1 - k->memory) * accesses);
}

/* Numbers that were not set are 0. */
static void make(const struct machine *machine, const char *path)
{
    FILE *out = fopen(path, "w");

    if (!out || !(cube = rc_cube_create(&err)))
        exit(1);
    add_trees(machine);
    must(rc_cube_add_source(cube, machine->name, &err));
    must(rc_cube_seal(cube, &err));
    for (size_t m = 0; m < cube->metrics; m++)
        for (size_t p = 0; p < cube->paths; p++)
            for (size_t l = 0; l < cube->places; l++)
                rc_cube_put(cube, m, p, l, 0);
    for (size_t l = 0; l < cube->places; l++) {
        put_times(machine, l);
        put_counts(machine, l);
    }
    cube->title = "sppm";
    must(rc_cubex_write(cube, out, &err));
    if (fclose(out) != 0)
        exit(1);
    rc_cube_close(cube);
}

static void make_pass(const char *event, double value, const char *path)
{
    const struct rc_cube_place place = {"rank 0 thread 0", "n0", 0, 0};
    FILE *out = fopen(path, "w");
    size_t unused;

    if (!out || !(cube = rc_cube_create(&err)))
        exit(1);
    must(rc_cube_add_metric(cube, RC_CUBE_TOP, event, "1", "", &unused, &err));
    must(rc_cube_add_place(cube, &place, &unused, &err));
    must(rc_cube_add_source(cube, path, &err));
    must(rc_cube_seal(cube, &err));
    rc_cube_put(cube, 0, 0, 0, value);
    must(rc_cubex_write(cube, out, &err));
    if (fclose(out) != 0)
        exit(1);
    rc_cube_close(cube);
}

int main(int argc, char **argv)
{
    if (argc == 4)
        make_pass(argv[1], atof(argv[2]), argv[3]);
    if (argc == 4)
        return 0;
    if (argc != 3)
        return 2;
    make(&machines[0], argv[1]);
    make(&machines[1], argv[2]);
    return 0;
}
