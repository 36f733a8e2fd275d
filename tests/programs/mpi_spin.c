/* Ranks that compute and meet: mpi_spin CPU_MS TIMES
 *
 * Each rank takes CPU_MS of processor time, then all meet at a barrier; TIMES times.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    const clock_t of_each = (argc > 1 ? atol(argv[1]) : 50) * (CLOCKS_PER_SEC / 1000);
    const int times = argc > 2 ? atoi(argv[2]) : 10;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < times; i++) {
        const clock_t until = clock() + of_each;
        while (clock() < until)
            ;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
