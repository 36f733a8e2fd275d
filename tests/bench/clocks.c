/* Measures the clocks of a job whose ranks pass for nodes, and holds them against what
 * they are: mpirun -n 1 bench_clocks LIMIT_NS TIMES 0 : -n 1 ... bench_clocks LIMIT_NS
 * TIMES S, where S is by how many seconds that rank's clock is ahead of the real one.
 *
 * Prints for each rank the median and the largest error of TIMES measurements and the
 * median of half of the bounds' width.  Ends with 1 where the truth was not within the
 * bounds, or where the median error of any rank is above LIMIT_NS.
 */
#include "campaign/clock/measure.h"

#include "campaign/base/agree.h"
#include "tests/bench/must.h"

#include <stdio.h>
#include <stdlib.h>

enum { TIMES_MOST = 1000 };

/* A rank's findings. */
struct found {
    double error[TIMES_MOST], unsure[TIMES_MOST]; /* ns */
    int outside;                                  /* measurements that miss the truth */
};

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One measurement from the start; 'truth_ns' is what this rank's offset is. */
static void measure_once(const struct rc_nodes *nodes, int64_t truth_ns, int number,
                         struct found *found)
{
    struct rc_clock clock = {0};
    struct rc_clock_quality quality;
    struct rc_error err;
    int64_t low = 0, high = 0;
    char line[400];

    must(rc_clock_measure(nodes, &clock, &quality, &err), &err);
    if (clock.count > 0) {
        low = clock.offset[0].low_ns - truth_ns;
        high = clock.offset[0].high_ns - truth_ns;
    }
    const double middle = (double)low / 2 + (double)high / 2;
    found->error[number] = middle < 0 ? -middle : middle;
    found->unsure[number] = (double)(high - low) / 2;
    found->outside += low > 0 || high < 0;
    if (rc_team_rank(nodes->comm) == 0 && number == 0)
        printf("%s\n", rc_clock_quality_put(line, sizeof line, nodes, &quality));
    rc_clock_fini(&clock);
}

/* Rank 0 prints a line for each of the others. */
static int print_all(struct found *found, int times, double limit_ns)
{
    int rank, size, bad = 0;
    double line[4];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    qsort(found->error, (size_t)times, sizeof *found->error, by_size);
    qsort(found->unsure, (size_t)times, sizeof *found->unsure, by_size);
    line[0] = found->error[times / 2];
    line[1] = found->error[times - 1];
    line[2] = found->unsure[times / 2];
    line[3] = found->outside;
    if (rank > 0)
        MPI_Send(line, 4, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    for (int r = 1; rank == 0 && r < size; r++) {
        MPI_Recv(line, 4, MPI_DOUBLE, r, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf(
            "rank %d: error %.0f ns (median), %.0f ns (largest of %d), known to %.0f "
            "ns, %.0f outside\n",
            r, line[0], line[1], times, line[2], line[3]);
        bad |= line[0] > limit_ns || line[3] > 0;
    }
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return bad;
}

int main(int argc, char **argv)
{
    static struct found found;
    struct rc_nodes nodes = {.leads = true};
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int times = argc == 4 ? atoi(argv[2]) : 0;
    if (times < 1 || times > TIMES_MOST) {
        fprintf(stderr, "expected LIMIT_NS, TIMES (1 to %d) and SECONDS\n", TIMES_MOST);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int64_t ahead_ns = strtoll(argv[3], NULL, 10) * 1000000000, first_ns = ahead_ns;
    MPI_Bcast(&first_ns, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);

    nodes.comm = MPI_COMM_WORLD;
    nodes.count = (size_t)size;
    nodes.mine = (size_t)rank;
    nodes.node = calloc(nodes.count, sizeof *nodes.node);
    if (!nodes.node)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int r = 0; r < size; r++) {
        nodes.node[r].leader = r;
        snprintf(nodes.node[r].name, sizeof nodes.node[r].name, "rank %d", r);
    }
    for (int i = 0; i < times; i++)
        measure_once(&nodes, first_ns - ahead_ns, i, &found);
    const int bad = print_all(&found, times, strtod(argv[1], NULL));
    free(nodes.node);
    MPI_Finalize();
    return bad;
}
