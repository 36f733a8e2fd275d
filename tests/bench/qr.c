/* qr - what choosing and representing events takes, against the general pivoted QR
 *
 * mpirun -n RANKS bench_qr EVENTS BLOCK RUNS.  Two made-up matrices of 16 coordinates:
 * "dense", all numbers random, of which 16 events are chosen; "events", each a sum of
 * one to four of eight vectors (one and two, as events that count an FMA twice), of
 * which 8 are chosen and every other event must be found dependent.  On each the
 * specialised QR with its scores, ScaLAPACK's PDGEQPF with the same blocks and, on one
 * rank, LAPACK's DGEQP3 take turns, RUNS times.  The general ones overwrite the
 * matrix: giving it back to them is not in their time.  Then EVENTS of 48 points are
 * represented in 17 coordinates, and alpha is scanned in 9 x 8 steps.
 *
 * Prints medians, in milliseconds, of the time until the last rank is done, and
 * between parentheses the fastest and slowest; qr.sh prints the table.
 */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "solve/algebra/pivot.h"
#include "solve/algebra/represent.h"
#include "solve/algebra/scalapack.h"
#include "tests/bench/must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, HALF = ROWS / 2, POINTS = 48, COORDINATES = 17, MOST_RUNS = 99 };

struct bench {
    struct rc_grid grid;
    struct rc_columns matrix, copy;
    uint8_t *tier; /* all RC_PIVOT_FIRST */
    int *order;    /* of the general ones: [columns] */
    double *tau;   /* [columns] */
    double *work;
    int room;
};

static const int one = 1, zero = 0;

/* Between -1 and 1. */
static double random_of(uint64_t a, uint64_t b)
{
    return (double)rc_mix((a * 64 + b + 1) * RC_GOLDEN) / 0x1p63 - 1;
}

static void fill_dense(double *column, size_t event)
{
    for (size_t i = 0; i < ROWS; i++)
        column[i] = random_of(event, i);
}

static void fill_event(double *column, size_t event)
{
    size_t terms = 1 + rc_mix(event + 1) % 4;

    memset(column, 0, ROWS * sizeof *column);
    for (size_t t = 0; t < terms; t++) {
        size_t width = rc_mix(event * 8 + t + 77) % HALF;
        column[width] += 1;
        column[HALF + width] += 2;
    }
}

static void fill(struct bench *b, void (*column)(double *column, size_t event))
{
    for (size_t j = 0; j < b->matrix.local; j++)
        column(b->matrix.data + j * ROWS, rc_columns_global(&b->grid, &b->matrix, j));
}

static size_t chosen; /* by the last selection */

static void do_select(struct bench *b)
{
    struct rc_pivot pivot[ROWS];
    struct rc_error err = {0};

    must(rc_pivot_select(&b->grid, &b->matrix, b->tier, 5e-4, pivot, &chosen, &err),
         &err);
}

static void do_scan(struct bench *b)
{
    double alpha, low, high;
    struct rc_error err = {0};

    must(rc_pivot_scan(&b->grid, &b->matrix, b->tier, 8, &alpha, &low, &high, &err),
         &err);
}

/* With room -1 only the room that is needed. */
static int call_pdgeqpf(struct bench *b, double *work, int room)
{
    const int m = ROWS, n = (int)b->matrix.columns, block = (int)b->matrix.block;
    int descriptor[9], info = 0;

    descinit_(descriptor, &m, &n, &m, &block, &zero, &zero, &b->grid.context, &m,
              &info);
    pdgeqpf_(&m, &n, b->copy.data, &one, &one, descriptor, b->order, b->tau, work,
             &room, &info);
    return info;
}

static int call_dgeqp3(struct bench *b, double *work, int room)
{
    const int m = ROWS, n = (int)b->matrix.columns;
    int info = 0;

    memset(b->order, 0, b->matrix.columns * sizeof *b->order);
    dgeqp3_(&m, &n, b->copy.data, &m, b->order, b->tau, work, &room, &info);
    return info;
}

static void do_pdgeqpf(struct bench *b)
{
    if (call_pdgeqpf(b, b->work, b->room))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void do_dgeqp3(struct bench *b)
{
    if (call_dgeqp3(b, b->work, b->room))
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Until the last rank is done. */
static double seconds(struct bench *b, void (*work)(struct bench *b))
{
    memcpy(b->copy.data, b->matrix.data, ROWS * b->matrix.local * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
    uint64_t start = rc_clock_ns();
    work(b);
    MPI_Barrier(MPI_COMM_WORLD);
    return 1e-9 * (double)(rc_clock_ns() - start);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts; the median of an odd number. */
static double median(double *time, int runs)
{
    qsort(time, (size_t)runs, sizeof *time, ascending);
    return time[runs / 2];
}

static void put(const struct bench *b, const char *matrix, const char *what,
                double *time, int runs, double against)
{
    double middle = median(time, runs);

    if (b->grid.rank == 0)
        printf("%zu\t%d\t%s\t%s\t%.1f (%.1f-%.1f)\t%.2f\n", b->matrix.columns,
               b->grid.ranks, matrix, what, 1e3 * middle, 1e3 * time[0],
               1e3 * time[runs - 1], against > 0 ? middle / against : 1.0);
}

static void compare(struct bench *b, const char *matrix, int runs)
{
    double ours[MOST_RUNS] = {0}, pdgeqpf[MOST_RUNS] = {0}, dgeqp3[MOST_RUNS] = {0};
    char name[64];

    for (int r = -1; r < runs; r++) { /* once to warm up */
        double s = seconds(b, do_select), p = seconds(b, do_pdgeqpf);
        double d = b->grid.ranks == 1 ? seconds(b, do_dgeqp3) : 0;
        if (r >= 0) {
            ours[r] = s;
            pdgeqpf[r] = p;
            dgeqp3[r] = d;
        }
    }
    double base = median(ours, runs);
    snprintf(name, sizeof name, "specialised, %zu chosen", chosen);
    put(b, matrix, name, ours, runs, base);
    put(b, matrix, "PDGEQPF", pdgeqpf, runs, base);
    if (b->grid.ranks == 1)
        put(b, matrix, "DGEQP3", dgeqp3, runs, base);
    double scan = seconds(b, do_scan);
    put(b, matrix, "scan of 73 alphas", &scan, 1, base);
}

static void represent(struct bench *b, int runs)
{
    static double value[POINTS * COORDINATES];
    double time[MOST_RUNS];
    struct rc_columns readings, x;
    struct rc_error err = {0};
    double *residual, worst = 0;

    for (size_t p = 0; p < POINTS; p++) { /* as the basis of flops, and a loop */
        value[p + p / 3 * POINTS] = (double)(24 << p % 3);
        value[p + (size_t)ROWS * POINTS] = 1;
    }
    const struct rc_basis basis = {POINTS, COORDINATES, value, NULL};
    for (int r = 0; r < runs; r++) {
        must(rc_columns_init(&b->grid, POINTS, b->matrix.columns, b->matrix.block,
                             &readings, &err),
             &err);
        for (size_t j = 0; j < readings.local; j++)
            for (size_t p = 0; p < POINTS; p++)
                readings.data[p + j * POINTS] =
                    3 + (double)(j % 7) * value[p + j % ROWS * POINTS];
        MPI_Barrier(MPI_COMM_WORLD);
        uint64_t start = rc_clock_ns();
        must(rc_represent(&b->grid, &basis, &readings, &x, &residual, &err), &err);
        MPI_Barrier(MPI_COMM_WORLD);
        time[r] = 1e-9 * (double)(rc_clock_ns() - start);
        for (size_t j = 0; j < x.local; j++)
            worst = residual[j] > worst ? residual[j] : worst;
        free(residual);
        rc_columns_fini(&x);
        rc_columns_fini(&readings);
    }
    if (worst > 1e-14)
        MPI_Abort(MPI_COMM_WORLD, 1); /* it must have been done right */
    put(b, "48 x 17", "represent", time, runs, 0);
}

static void prepare(struct bench *b, size_t events, size_t block)
{
    struct rc_error err = {0};
    double room = 0, more = 0;

    must(rc_grid_init(MPI_COMM_WORLD, &b->grid, &err), &err);
    must(rc_columns_init(&b->grid, ROWS, events, block, &b->matrix, &err), &err);
    must(rc_columns_init(&b->grid, ROWS, events, block, &b->copy, &err), &err);
    b->tier = rc_calloc(events, 1);
    b->order = rc_calloc(events, sizeof *b->order);
    b->tau = rc_calloc(events, sizeof *b->tau);
    call_pdgeqpf(b, &room, -1);
    if (b->grid.ranks == 1)
        call_dgeqp3(b, &more, -1);
    b->room = (int)(room > more ? room : more);
    b->work = rc_calloc((size_t)b->room, sizeof *b->work);
    if (!b->tier || !b->order || !b->tau || !b->work)
        must(rc_fail(&err, RC_ENOMEM, "no memory"), &err);
}

static void finish(struct bench *b)
{
    free(b->work);
    free(b->tau);
    free(b->order);
    free(b->tier);
    rc_columns_fini(&b->copy);
    rc_columns_fini(&b->matrix);
    rc_grid_fini(&b->grid);
}

int main(int argc, char **argv)
{
    struct bench b = {0};
    uint64_t events, block, runs;

    if (argc != 4 || rc_text_count(argv[1], &events) ||
        rc_text_count(argv[2], &block) || rc_text_count(argv[3], &runs) || events < 1 ||
        block < 1 || runs < 1 || runs > MOST_RUNS) {
        fprintf(stderr, "usage: bench_qr EVENTS BLOCK RUNS\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    prepare(&b, events, block);
    fill(&b, fill_dense);
    compare(&b, "dense", (int)runs);
    fill(&b, fill_event);
    compare(&b, "events", (int)runs);
    represent(&b, (int)runs);
    finish(&b);
    MPI_Finalize();
    return 0;
}
