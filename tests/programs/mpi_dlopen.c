/* A program without MPI that loads a library which has it, for itself alone, as Python
 * does: mpi_dlopen LIBRARY.  With -DPLUGIN this is the library.
 */
#ifdef PLUGIN
#include <mpi.h>
#include <stddef.h>

int plugin_run(void);

int plugin_run(void)
{
    int sum = 1;
    MPI_Init(NULL, NULL);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return MPI_Finalize();
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(void) = library ? (int (*)(void))dlsym(library, "plugin_run") : NULL;
    if (!run)
        fprintf(stderr, "mpi_dlopen: %s\n", dlerror());
    return run ? run() : 1;
}
#endif
