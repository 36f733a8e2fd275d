/* ping.c - messages and collectives among the ranks of this machine, measured and
 * fitted: mpirun -n 2 bench_model_ping [rows]; 'rows' prints the times, too
 */
#include "solve/model/comm.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 100, ROWS = 400, LARGEST = 1 << 20 };

static char *to, *from;

static void call_once(enum rc_comm_operation operation, int bytes, int ranks, int rank)
{
    int half = bytes / 2, all = bytes / ranks;

    switch (operation) {
    case RC_COMM_NEAR: /* there and back: two messages */
        if (rank == 0) {
            MPI_Send(to, half, MPI_SHORT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(from, half, MPI_SHORT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(from, half, MPI_SHORT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(to, half, MPI_SHORT, 0, 0, MPI_COMM_WORLD);
        }
        break;
    case RC_COMM_BCAST:
        MPI_Bcast(to, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case RC_COMM_ALLREDUCE:
        MPI_Allreduce(to, from, half, MPI_SHORT, MPI_MAX, MPI_COMM_WORLD);
        break;
    case RC_COMM_ALLTOALL:
        MPI_Alltoall(to, all, MPI_CHAR, from, all, MPI_CHAR, MPI_COMM_WORLD);
        break;
    default:
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static int number_order(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The 10th percentile of batches, most of which others disturb where the machine is busy;
 * those around it say how well it is known.
 */
static struct rc_comm_row measure(enum rc_comm_operation operation, int bytes)
{
    int ranks, rank, calls = bytes < 1 << 16 ? 50 : 4;
    double seconds[BATCHES];

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int batch = 0; batch < BATCHES; batch++) {
        double start;

        call_once(operation, bytes, ranks, rank);
        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        for (int call = 0; call < calls; call++)
            call_once(operation, bytes, ranks, rank);
        seconds[batch] = (MPI_Wtime() - start) / calls;
        if (operation == RC_COMM_NEAR)
            seconds[batch] /= 2;
    }
    qsort(seconds, BATCHES, sizeof *seconds, number_order);
    return (struct rc_comm_row){
        .operation = operation,
        .ranks = operation == RC_COMM_NEAR ? 2 : ranks,
        .bytes = bytes,
        .seconds = seconds[BATCHES / 10],
        .spread = (seconds[BATCHES / 5] - seconds[0]) / 4,
    };
}

static void print_law(const struct rc_comm_row *rows, size_t count,
                      const struct rc_comm *fit, enum rc_comm_operation operation)
{
    const struct rc_comm_law *law = &fit->of[operation];
    double worst = 0;

    for (size_t s = 0; s < law->segments; s++) {
        const struct rc_comm_choice *best = &law->segment[s].choice[0];

        printf("%-18s from %7.0f B: %s, alpha %.3g us, beta %.3g ns (%.2f GB/s)\n",
               rc_comm_operation_name(operation), law->segment[s].from,
               best->powers->name, best->coefficient[RC_COMM_ALPHA] * 1e6,
               best->coefficient[RC_COMM_BETA] * 1e9,
               1e-9 / best->coefficient[RC_COMM_BETA]);
    }
    for (size_t r = 0; r < count; r++)
        if (rows[r].operation == operation) {
            struct rc_predicted p =
                rc_comm_predict(fit, operation, rows[r].ranks, rows[r].bytes);

            worst = fmax(worst, fabs(p.value / rows[r].seconds - 1));
        }
    printf("%-18s misfit %.1f %%, the worst point is %.0f %% off\n",
           rc_comm_operation_name(operation), 100 * law->misfit, 100 * worst);
}

int main(int argc, char **argv)
{
    static const enum rc_comm_operation operations[] = {
        RC_COMM_NEAR, RC_COMM_BCAST, RC_COMM_ALLREDUCE, RC_COMM_ALLTOALL};
    static struct rc_comm_row rows[ROWS];
    struct rc_comm *fit;
    struct rc_error err;
    size_t count = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    to = calloc(LARGEST, 1);
    from = calloc(LARGEST, 1);
    if (!to || !from)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
        for (int bytes = 16; bytes <= LARGEST && count < ROWS; bytes *= 2)
            rows[count++] = measure(operations[o], bytes);
    if (rank == 0) {
        for (size_t r = 0; argc > 1 && r < count; r++)
            printf("%s %g %g %g %g\n", rc_comm_operation_name(rows[r].operation),
                   rows[r].ranks, rows[r].bytes, rows[r].seconds, rows[r].spread);
        if (rc_comm_fit(rows, count, RC_COMM_FITTED, &fit, &err) != RC_OK) {
            fprintf(stderr, "%s\n", err.text);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
            print_law(rows, count, fit, operations[o]);
        free(fit);
    }
    free(to);
    free(from);
    MPI_Finalize();
    return 0;
}
