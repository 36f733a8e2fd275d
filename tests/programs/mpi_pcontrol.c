/* A program that names phases by MPI_Pcontrol(), well and in all wrong ways. */
#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void phase(const char *name, useconds_t us)
{
    MPI_Pcontrol(1, name);
    usleep(us);
    MPI_Pcontrol(-1, name);
}

int main(int argc, char **argv)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char longer[400];

    MPI_Init(&argc, &argv);
    memset(longer, 'x', sizeof longer);
    for (int i = 0; i < 5; i++) {
        MPI_Pcontrol(1, "forward");
        phase("steps/s1cf", 1000);
        MPI_Barrier(MPI_COMM_WORLD);
        phase("steps/a2a-row", 1000);
        MPI_Pcontrol(-1, "forward");
    }
    /* A name that ends where the memory does, and one that does not end there. */
    char *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(memory + page, page);
    memcpy(memory + page - 5, "edge", 5);
    phase(memory + page - 5, 1000);
    memset(memory, 'y', page);
    phase(memory + page - 8, 0);
    /* No names: numbers, nowhere, the kernel's, nothing, no text, too long. */
    phase((const char *)1, 0);
    phase((const char *)4711, 0);
    phase((const char *)(memory + page), 0);
    phase((const char *)-8, 0);
    phase(NULL, 0);
    phase("", 0);
    phase("a\nb", 0);
    phase("\x01\x02", 0);
    longer[sizeof longer - 1] = 0;
    phase(longer, 0);
    MPI_Pcontrol(2, "level two");
    MPI_Pcontrol(0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1, "on again");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(-1, "never begun");
    MPI_Finalize();
    return 0;
}
