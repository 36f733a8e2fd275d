/* Races the 3D-FFT with FFTW: fft3d N ROUNDS, under mpirun.  All variants take turns in
 * each round, and what is told are medians of the ratios of one round.  FFTW plans by
 * FFTW_MEASURE, as ours do.  On one rank re-sorts race, too, and on four nodes that are
 * made up.
 */
#include "kernels/fft3d/fft3d.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "kernels/fft3d/split.h"
#include "kernels/resort/resort.h"
#include "tests/lib/idle.h"

#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OURS,
    PLAIN,
    NORMAL,
    TRANSPOSED,
    SERIAL,
    SLAB,
    FLAT,
    ALLTOALLV,
    TILED,
    NEST2,
    VARIANTS,
    ROUNDS_MOST = 400
};

static const char *const names[] = {"ours",
                                    "ours, plain pitch",
                                    "FFTW-MPI",
                                    "FFTW-MPI transposed",
                                    "FFTW on one rank",
                                    "slab, nodes of 2",
                                    "slab, nodes of 1",
                                    "flat Alltoallv",
                                    "S1CF tiled",
                                    "S1CF nest 2"};

static const struct goal {
    size_t n;
    int ranks, than, ours;
    double must, aim;
} goals[] = {
    {256, 2, NORMAL, OURS, 2.5, 3.5},     {256, 2, TRANSPOSED, OURS, 2.0, 2.5},
    {256, 2, SERIAL, OURS, 1.8, 2.2},     {256, 2, PLAIN, OURS, 0, 0},
    {256, 1, SERIAL, OURS, 1.2, 1.4},     {256, 1, NEST2, TILED, 4, 5.5},
    {256, 1, PLAIN, OURS, 0, 0},          {128, 2, NORMAL, OURS, 1.8, 2.2},
    {128, 2, TRANSPOSED, OURS, 1.5, 1.9}, {240, 2, NORMAL, OURS, 2.2, 3},
    {320, 2, NORMAL, OURS, 2.2, 3},       {256, 4, NORMAL, OURS, 2.2, 2.8},
    {256, 4, ALLTOALLV, SLAB, 1.05, 1.2}, {256, 4, FLAT, SLAB, 0, 0},
};

static int rank, ranks;
static size_t n;
static struct rc_fft *ours[VARIANTS];
static fftw_complex *array[VARIANTS];
static ptrdiff_t numbers[VARIANTS];
static fftw_plan plan[VARIANTS];
static double seconds[VARIANTS][ROUNDS_MOST];

/* Whether a goal of this size and number of ranks names it. */
static bool races(int variant)
{
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++)
        if (goals[i].n == n && goals[i].ranks == ranks &&
            (goals[i].than == variant || goals[i].ours == variant))
            return true;
    return false;
}

static void asleep(void)
{
    MPI_Request all;
    int done = 0;
    for (MPI_Ibarrier(MPI_COMM_WORLD, &all); !done; nap_us(500))
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
}

static void make_ours(int variant)
{
    struct rc_fft_options o = {.n = {n, n, n}, .effort = RC_FFT_MEASURE};
    struct rc_error err = {.text = ""};
    o.plain = variant == PLAIN;
    if (variant == SLAB || variant == FLAT) {
        o.path = &rc_fft_slab;
        o.node_size = variant == SLAB ? 2 : 1;
        o.transposed = true;
    } else if (variant == ALLTOALLV) { /* slabs, packed for all ranks */
        o.path = &rc_fft_pencil;
        o.procs[0] = (size_t)ranks;
        o.procs[1] = 1;
        o.transposed = true;
    }
    if (rc_fft_create(MPI_COMM_WORLD, &o, &ours[variant], &err) != RC_OK) {
        fprintf(stderr, "fft3d: %s\n", err.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void make_fftw(int variant)
{
    ptrdiff_t lo, count, lo_1, count_1, side = (ptrdiff_t)n;
    unsigned flags =
        FFTW_MEASURE | (variant == TRANSPOSED ? FFTW_MPI_TRANSPOSED_OUT : 0);
    if (variant == SERIAL) {
        numbers[variant] = rank == 0 ? side * side * side : 0;
        if (rank == 0) {
            array[variant] = fftw_alloc_complex((size_t)numbers[variant]);
            plan[variant] =
                fftw_plan_dft_3d((int)n, (int)n, (int)n, array[variant], array[variant],
                                 FFTW_FORWARD, FFTW_MEASURE);
        }
        asleep();
    } else {
        numbers[variant] = fftw_mpi_local_size_3d_transposed(
            side, side, side, MPI_COMM_WORLD, &count, &lo, &count_1, &lo_1);
        array[variant] = fftw_alloc_complex((size_t)numbers[variant]);
        plan[variant] =
            fftw_mpi_plan_dft_3d(side, side, side, array[variant], array[variant],
                                 MPI_COMM_WORLD, FFTW_FORWARD, flags);
    }
    for (ptrdiff_t i = 0; i < 2 * numbers[variant]; i++)
        ((double *)array[variant])[i] = (double)(i % 101) / 101 - 0.5;
}

static void make_resort(int variant)
{
    array[variant] = rc_fft_memory(2 * n * n * n / 2 * 16);
    memset(array[variant], 1, 2 * n * n * n / 2 * 16);
}

static void run_resort(int variant)
{
    const size_t extent[3] = {n, n / 2, n};
    char *in = (char *)array[variant], *out = in + n * n * n / 2 * 16;
    rc_resort(variant == TILED ? RC_RESORT_TILED : RC_RESORT_S1CF_NEST2, out, in, in,
              extent, 1, 16);
}

/* Numbers stay near 1: each transform makes them n^(3/2) times as large.  This is done
 * before what is timed, so that each finds its own array where it has left it, in
 * caches as far as they reach, and not what another one has left of them.
 */
static void shrink(int variant)
{
    double all = (double)n * (double)n * (double)n, by = 1 / all;
    if (ours[variant])
        rc_fft_backward(ours[variant], by);
    else if (variant != TILED && variant != NEST2)
        rc_fft_scale(array[variant], 2 * (size_t)numbers[variant], false, by);
}

static double race(int variant)
{
    shrink(variant);
    if (variant == SERIAL)
        asleep();
    else
        MPI_Barrier(MPI_COMM_WORLD);
    uint64_t begin = rc_clock_ns();
    if (ours[variant])
        rc_fft_forward(ours[variant]);
    else if (variant == TILED || variant == NEST2)
        run_resort(variant);
    else if (plan[variant])
        fftw_execute(plan[variant]);
    double took = (double)(rc_clock_ns() - begin) / 1e9;
    if (variant == SERIAL)
        asleep();
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

static double quantile(const double *values, size_t count, double part)
{
    double sorted[ROUNDS_MOST];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, rc_order_reals);
    double at = part * (double)(count - 1);
    size_t i = (size_t)at;
    return i + 1 < count ? sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i])
                         : sorted[i];
}

static void tell(size_t rounds)
{
    double load = 0, ratio[ROUNDS_MOST];
    getloadavg(&load, 1);
    printf("N=%zu, %d rank%s, %zu rounds, load %.1f\n", n, ranks, ranks > 1 ? "s" : "",
           rounds, load);
    for (int v = 0; v < VARIANTS; v++)
        if (races(v))
            printf("  %-22s min %8.2f ms  median %8.2f ms\n", names[v],
                   1e3 * quantile(seconds[v], rounds, 0),
                   1e3 * quantile(seconds[v], rounds, 0.5));
    for (size_t i = 0; i < sizeof goals / sizeof goals[0]; i++) {
        const struct goal *g = &goals[i];
        if (g->n != n || g->ranks != ranks)
            continue;
        for (size_t r = 0; r < rounds; r++)
            ratio[r] = seconds[g->than][r] / seconds[g->ours][r];
        double median = quantile(ratio, rounds, 0.5);
        printf("  %s against %s: %.2fx (quartiles %.2f to %.2f; of the minima %.2fx)",
               names[g->ours], names[g->than], median, quantile(ratio, rounds, 0.25),
               quantile(ratio, rounds, 0.75),
               quantile(seconds[g->than], rounds, 0) /
                   quantile(seconds[g->ours], rounds, 0));
        if (g->must > 0)
            printf("; must %.2f, aim %.2f: %s", g->must, g->aim,
                   median >= g->aim    ? "aim met"
                   : median >= g->must ? "met"
                                       : "MISSED");
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? strtoul(argv[1], NULL, 10) : 256;
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
    if (n < 2 || n > 1024 || rounds < 1 || rounds > ROUNDS_MOST) {
        fprintf(stderr, "usage: fft3d N ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int v = 0; v < VARIANTS; v++) {
        if (!races(v))
            continue;
        if (v == TILED || v == NEST2)
            make_resort(v);
        else if (v == NORMAL || v == TRANSPOSED || v == SERIAL)
            make_fftw(v);
        else
            make_ours(v);
        race(v);
    }
    for (size_t r = 0; r < rounds; r++)
        for (int v = 0; v < VARIANTS; v++)
            if (races(v))
                seconds[v][r] = race(v);
    if (rank == 0)
        tell(rounds);
    for (int v = 0; v < VARIANTS; v++)
        rc_fft_close(ours[v]);
    MPI_Finalize();
    return 0;
}
