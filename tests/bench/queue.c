/* queue - what a draw costs while the counter's rank makes no MPI calls
 *
 * mpirun -n 2 queue [UNITS].  Rank 0 holds the counter and runs units of 5 ms
 * without MPI; the others take units of 1, 5 and 20 ms from the same lane, with
 * and without drawing ahead.  Prints the mean and the worst microseconds per
 * unit that the ranks other than 0 spent in the queue.
 */
#include "campaign/queue/queue.h"
#include "campaign/base/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { HOLDER_NS = 5000000 };

struct cost {
    double request, take, worst; /* microseconds a unit */
};

static void busy(uint64_t ns)
{
    uint64_t until = rc_clock_ns() + ns;

    while (rc_clock_ns() < until)
        ;
}

static int measure(uint64_t units, uint64_t unit_ns, bool ahead, struct cost *out)
{
    const uint64_t tickets = units;
    struct rc_queue_stats stats;
    struct rc_queue *queue;
    struct rc_error err;
    uint64_t ticket, before = 0, worst = 0;

    if (rc_queue_create(MPI_COMM_WORLD, &tickets, 1, &queue, &err)) {
        fprintf(stderr, "queue: %s\n", err.text);
        return -1;
    }
    while (rc_queue_take(queue, 0, &ticket)) {
        rc_queue_stats(queue, &stats);
        if (stats.taken > 1 && stats.take_ns - before > worst)
            worst = stats.take_ns - before;
        if (ahead)
            rc_queue_request(queue, 0);
        busy(unit_ns);
        rc_queue_stats(queue, &stats);
        before = stats.take_ns;
    }
    rc_queue_stats(queue, &stats);
    rc_queue_close(queue);
    double taken = stats.taken ? (double)stats.taken : 1;
    *out = (struct cost){(double)stats.request_ns / taken / 1000,
                         (double)stats.take_ns / taken / 1000, (double)worst / 1000};
    return 0;
}

static void compare(uint64_t units, uint64_t unit_ns, bool ahead)
{
    int rank, size;
    struct cost own, all[64];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (measure(units, rank == 0 ? HOLDER_NS : unit_ns, ahead, &own))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++)
        printf("rank %d, units of %4.1f ms, %-12s request %8.2f us, take %8.2f us,"
               " worst take %8.2f us\n",
               i, (double)unit_ns / 1e6,
               ahead ? "drawn ahead:" : "on demand:", all[i].request, all[i].take,
               all[i].worst);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const uint64_t unit_ns[] = {1000000, 5000000, 20000000};
    uint64_t units = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2 || size > 64) {
        fprintf(stderr, "queue: expected 2 to 64 ranks, found %d\n", size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (size_t i = 0; i < sizeof unit_ns / sizeof unit_ns[0]; i++) {
        compare(units, unit_ns[i], false);
        compare(units, unit_ns[i], true);
    }
    MPI_Finalize();
    return 0;
}
