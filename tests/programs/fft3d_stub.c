/* Stands for rollcall-fft3d where 'rollcall profile fft3d' is tested: two phases of
 * known work, and the same words and JSON.  STUB_LIE names what it tells wrong; "dies"
 * ends it.
 */
#include "kernels/resort/resort.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double lie(const char *what, double value)
{
    const char *wanted = getenv("STUB_LIE");
    return wanted && strcmp(wanted, what) == 0 ? value + 1000 : value;
}

static const char *value_of(int argc, char **argv, const char *option)
{
    const char *value = NULL;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            value = argv[i + 1];
    return value;
}

static void put_phase(FILE *out, const char *name, int ranks, double each, double lines,
                      double sent)
{
    fprintf(
        out,
        "{\"name\": \"%s\", \"runs\": 1, \"exact\": true, \"seconds\": {\"min\": 0, "
        "\"median\": 1, \"max\": 60}, \"ranks\": [",
        name);
    for (int r = 0; r < ranks; r++)
        fprintf(out,
                "%s{\"calls\": 1, \"flops_nominal\": 0, \"flops_planned\": %.0f, "
                "\"load_bytes\": %.0f, \"store_bytes\": %.0f, \"lines_read\": %.0f, "
                "\"lines_written\": %.0f, \"sent_bytes\": %.0f}",
                r ? ", " : "", lie("flops", 0), each, each, 2 * lines, lines,
                lie("sent", sent));
    fputs("]}", out);
}

int main(int argc, char **argv)
{
    const char *grid = value_of(argc, argv, "--grid"),
               *json = value_of(argc, argv, "--json"),
               *repeat = value_of(argc, argv, "--repeat");
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const size_t n = grid ? strtoul(grid, NULL, 10) : 0;
    const size_t extent[3] = {n, n, n}, bytes = n * n * n * 16;
    const int runs = repeat ? atoi(repeat) : 3;
    unsigned char *in = aligned_alloc(64, bytes), *out = aligned_alloc(64, bytes);
    if (!in || !out || !json || (getenv("STUB_LIE") && lie("dies", 0) > 0))
        MPI_Abort(MPI_COMM_WORLD, 9);
    memset(in, 1, bytes);
    memset(out, 0, bytes);
    for (int i = 0; i < runs; i++) {
        MPI_Pcontrol(1, "forward");
        MPI_Pcontrol(1, "steps/s1cf");
        rc_resort(RC_RESORT_COMBINED, out, in, NULL, extent, 1, 16);
        MPI_Pcontrol(-1, "steps/s1cf");
        MPI_Pcontrol(1, "steps/a2a-row");
        if (ranks > 1)
            MPI_Alltoall(out, (int)(bytes / (size_t)ranks), MPI_BYTE, in,
                         (int)(bytes / (size_t)ranks), MPI_BYTE, MPI_COMM_WORLD);
        MPI_Pcontrol(-1, "steps/a2a-row");
        MPI_Pcontrol(-1, "forward");
    }
    FILE *file = rank == 0 ? fopen(json, "w") : NULL;
    if (file) {
        fprintf(file,
                "{\"program\": \"stub\", \"ranks\": %d, \"repeat\": %d, \"passes\": [{"
                "\"name\": \"forward\", \"phases\": [",
                ranks, runs + (int)lie("runs", 0));
        put_phase(file, "steps/s1cf", ranks, (double)bytes, (double)bytes / 64, 0);
        fputs(", ", file);
        put_phase(file, "steps/a2a-row", ranks, 0, 0,
                  ranks > 1 ? (double)(bytes / (size_t)ranks * (size_t)ranks) : 0);
        fputs("]}]}\n", file);
        fclose(file);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
