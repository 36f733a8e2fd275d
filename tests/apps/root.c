/* A bottleneck at the root: what all have computed together goes through rank 0
 *
 *     root [N [ROUNDS [WORK]]]                  96000 10 20; the ranks divide N
 *
 * The sums over all P ranks, R being ROUNDS:
 *
 *     root;parts   2 * R * WORK * N operations, which ranks share
 *     root;gather  MPI_Gather   R * P calls, 8 * R * N bytes
 *     root;sums    R * N operations, all of rank 0: no more ranks make it faster
 *     root;result  MPI_Bcast    R * P calls; rank 0 gives 8 * R bytes
 *
 * A number grows by WORK times its index in each round, and rank 0 adds all of them.
 */
#include "tests/apps/app.h"
#include "tests/apps/work.h"

int main(int argc, char **argv)
{
    const size_t n = app_number(argc, argv, 1, 96000),
                 rounds = app_number(argc, argv, 2, 10),
                 work = app_number(argc, argv, 3, 20);
    int rank, ranks, right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    app_expect(n % (size_t)ranks == 0, "a number of ranks that divides N");
    const size_t own = n / (size_t)ranks, first = own * (size_t)rank;
    double *index = app_memory(own, sizeof *index),
           *part = app_memory(own, sizeof *part),
           *all = app_memory(rank == 0 ? n : 0, sizeof *all);
    for (size_t i = 0; i < own; i++)
        index[i] = (double)(first + i);

    rc_region_begin("root");
    for (size_t round = 1; round <= rounds; round++) {
        rc_region_begin("parts");
        for (size_t w = 0; w < work; w++)
            work_add(own, 1, index, part);
        rc_region_end("parts");
        rc_region_begin("gather");
        MPI_Gather(part, (int)own, MPI_DOUBLE, all, (int)own, MPI_DOUBLE, 0,
                   MPI_COMM_WORLD);
        rc_region_end("gather");
        if (rank == 0) {
            rc_region_begin("sums");
            work_sums(n, all);
            rc_region_end("sums");
        }
        double result = rank == 0 ? all[n - 1] : 0;
        rc_region_begin("result");
        MPI_Bcast(&result, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        rc_region_end("result");
        right = right && result == (double)(round * work) * (double)(n * (n - 1) / 2);
    }
    rc_region_end("root");

    free(index);
    free(part);
    free(all);
    return app_end("root", right);
}
