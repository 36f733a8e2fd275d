/* Calls MPI in ways that are known: mpi_calls DIR, for tests/cli/profile_mpi.sh
 *
 * Each rank writes DIR/RANK: for each function how often it was called and the bytes
 * that mpi_layer.h says of it.  mpi_calls.F90 does the same in Fortran.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    const char *name;
    long calls, bytes;
} row[200];
static size_t rows;

static void did(const char *name, long bytes)
{
    size_t i = 0;
    while (i < rows && strcmp(row[i].name, name) != 0)
        i++;
    rows += i == rows;
    row[i].name = name;
    row[i].calls++;
    row[i].bytes += bytes;
}

/* A call and its bytes. */
#define DO(bytes, name, ...) (MPI_##name(__VA_ARGS__), did("MPI_" #name, (bytes)))

static int n, me, left, right;
static MPI_Comm world;
static int a[4096], b[4096], counts[64], places[64], sizes[64];
static MPI_Datatype types[64];
static MPI_Request request[4];

static void one_waits(void)
{
    DO(0, Wait, &request[0], MPI_STATUS_IGNORE);
}

static void messages(void)
{
    MPI_Status status, statuses[4];
    int flag = 0, index;
    char attached[4096 + MPI_BSEND_OVERHEAD];
    void *detached;
    MPI_Datatype grid;

    DO(40, Irecv, b, 10, MPI_INT, left, 1, world, &request[0]);
    DO(40, Send, a, 10, MPI_INT, right, 1, world);
    one_waits();
    DO(40, Irecv, b, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request[0]);
    DO(12, Ssend, a, 3, MPI_INT, right, 2, world);
    DO(0, Waitall, 1, request, MPI_STATUSES_IGNORE);
    /* There is more room than comes, with a status and without one. */
    DO(28, Isend, a, 7, MPI_INT, right, 3, world, &request[0]);
    DO(28, Recv, b, 100, MPI_INT, left, 3, world, MPI_STATUS_IGNORE);
    one_waits();
    DO(0, Issend, a, 0, MPI_INT, right, 4, world, &request[0]);
    DO(0, Recv, b, 100, MPI_INT, left, 4, world, &status);
    DO(0, Waitany, 1, request, &index, &status);
    MPI_Buffer_attach(attached, sizeof attached);
    DO(8, Bsend, a, 8, MPI_CHAR, right, 5, world);
    DO(16, Ibsend, a, 2, MPI_DOUBLE, right, 6, world, &request[0]);
    one_waits();
    DO(8, Recv, b, 8, MPI_CHAR, left, 5, world, &status);
    DO(16, Recv, b, 2, MPI_DOUBLE, left, 6, world, &status);
    DO(0, Buffer_detach, &detached, &flag);
    DO(400, Sendrecv, a, 100, MPI_INT, right, 7, b, 4096, MPI_INT, left, 7, world,
       MPI_STATUS_IGNORE);
    DO(20, Sendrecv_replace, a, 5, MPI_INT, right, 8, left, 8, world, &status);
    /* Nobody. */
    DO(0, Send, a, 10, MPI_INT, MPI_PROC_NULL, 1, world);
    DO(0, Recv, b, 10, MPI_INT, MPI_PROC_NULL, 1, world, &status);
    DO(0, Sendrecv, a, 100, MPI_INT, MPI_PROC_NULL, 7, b, 4096, MPI_INT, MPI_PROC_NULL,
       7, world, MPI_STATUS_IGNORE);
    /* A type with holes: 2 x 3 x 2 doubles of 4 x 3 x 2. */
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &grid);
    MPI_Type_commit(&grid);
    DO(96, Isend, a, 2, grid, right, 9, world, &request[0]);
    DO(96, Recv, b, 2, grid, left, 9, world, MPI_STATUS_IGNORE);
    one_waits();
    MPI_Type_free(&grid);
    /* Looked for first. */
    MPI_Message message;
    DO(4, Isend, a, 1, MPI_INT, right, 10, world, &request[0]);
    DO(0, Probe, left, 10, world, &status);
    DO(0, Iprobe, left, 10, world, &flag, &status);
    DO(0, Mprobe, left, 10, world, &message, &status);
    DO(4, Mrecv, b, 5, MPI_INT, &message, MPI_STATUS_IGNORE);
    one_waits();
    DO(8, Isend, a, 2, MPI_INT, right, 11, world, &request[0]);
    DO(0, Probe, left, 11, world, &status);
    DO(0, Improbe, left, 11, world, &flag, &message, &status);
    DO(20, Imrecv, b, 5, MPI_INT, &message, &request[1]);
    DO(0, Waitsome, 2, request, &index, sizes, statuses);
    DO(0, Waitall, 2, request, statuses);
    /* Again and again. */
    DO(0, Send_init, a, 5, MPI_DOUBLE, right, 12, world, &request[0]);
    DO(0, Recv_init, b, 6, MPI_DOUBLE, left, 12, world, &request[1]);
    for (int i = 0; i < 3; i++) {
        DO(88, Startall, 2, request);
        DO(0, Waitall, 2, request, MPI_STATUSES_IGNORE);
    }
    DO(48, Start, &request[1]);
    DO(40, Start, &request[0]);
    for (flag = 0; !flag;)
        DO(0, Testall, 2, request, &flag, statuses);
    DO(0, Request_free, &request[0]);
    DO(0, Request_free, &request[1]);
    DO(4, Irecv, b, 1, MPI_INT, left, 13, world, &request[0]);
    DO(0, Barrier, world);
    DO(4, Rsend, a, 1, MPI_INT, right, 13, world);
    for (flag = 0; !flag;)
        DO(0, Test, &request[0], &flag, &status);
}

static void fill_counts(void)
{
    for (int i = 0, at = 0; i < n; i++, at += counts[i - 1]) {
        counts[i] = i + 1;
        places[i] = at;
        sizes[i] = 4 * at;
        types[i] = MPI_INT;
    }
}

static void collectives(void)
{
    const long sum = (long)n * (n + 1) / 2, last = n - 1;
    void *same = MPI_IN_PLACE;

    DO(me == last ? 12 : 0, Bcast, a, 3, MPI_INT, (int)last, world);
    DO(8, Gather, a, 2, MPI_INT, b, 2, MPI_INT, 0, world);
    DO(8, Gather, me ? a : same, 2, MPI_INT, b, 2, MPI_INT, 0, world);
    fill_counts();
    DO(4 * (me + 1), Gatherv, a, me + 1, MPI_INT, b, counts, places, MPI_INT, 0, world);
    DO(4 * (me + 1), Gatherv, me ? a : same, me + 1, MPI_INT, b, counts, places,
       MPI_INT, 0, world);
    DO(me ? 0 : 20 * n, Scatter, a, 5, MPI_INT, b, 5, MPI_INT, 0, world);
    DO(me ? 0 : 4 * sum, Scatterv, a, counts, places, MPI_INT, b, me + 1, MPI_INT, 0,
       world);
    DO(24, Allgather, a, 6, MPI_INT, b, 6, MPI_INT, world);
    DO(24, Allgather, same, 0, MPI_INT, b, 6, MPI_INT, world);
    DO(4 * (me + 1), Allgatherv, a, me + 1, MPI_INT, b, counts, places, MPI_INT, world);
    DO(4 * (me + 1), Allgatherv, same, 0, MPI_INT, b, counts, places, MPI_INT, world);
    DO(12 * n, Alltoall, a, 3, MPI_INT, b, 3, MPI_INT, world);
    DO(12 * n, Alltoall, same, 0, MPI_INT, b, 3, MPI_INT, world);
    for (int i = 0; i < n; i++)
        counts[i] = 2, places[i] = 2 * i, sizes[i] = 8 * i;
    DO(8 * n, Alltoallv, a, counts, places, MPI_INT, b, counts, places, MPI_INT, world);
    DO(8 * n, Alltoallw, a, counts, sizes, types, b, counts, sizes, types, world);
    DO(32, Reduce, a, b, 4, MPI_DOUBLE, MPI_SUM, 0, world);
    DO(32, Allreduce, a, b, 4, MPI_DOUBLE, MPI_SUM, world);
    DO(32, Allreduce, same, b, 4, MPI_DOUBLE, MPI_SUM, world);
    DO(8 * n, Reduce_scatter, a, b, counts, MPI_INT, MPI_SUM, world);
    DO(12 * n, Reduce_scatter_block, a, b, 3, MPI_INT, MPI_SUM, world);
    DO(4, Scan, a, b, 1, MPI_INT, MPI_SUM, world);
    DO(4, Exscan, a, b, 1, MPI_INT, MPI_SUM, world);
}

/* The same without blocking. */
#define IDO(bytes, name, ...) (DO(bytes, name, __VA_ARGS__, &request[0]), one_waits())

static void collectives_begun(void)
{
    const long sum = (long)n * (n + 1) / 2, last = n - 1;
    void *same = MPI_IN_PLACE;

    IDO(0, Ibarrier, world);
    IDO(me == last ? 12 : 0, Ibcast, a, 3, MPI_INT, (int)last, world);
    IDO(8, Igather, a, 2, MPI_INT, b, 2, MPI_INT, 0, world);
    fill_counts();
    IDO(4 * (me + 1), Igatherv, a, me + 1, MPI_INT, b, counts, places, MPI_INT, 0,
        world);
    IDO(me ? 0 : 20 * n, Iscatter, a, 5, MPI_INT, b, 5, MPI_INT, 0, world);
    IDO(me ? 0 : 4 * sum, Iscatterv, a, counts, places, MPI_INT, b, me + 1, MPI_INT, 0,
        world);
    IDO(24, Iallgather, a, 6, MPI_INT, b, 6, MPI_INT, world);
    IDO(4 * (me + 1), Iallgatherv, same, 0, MPI_INT, b, counts, places, MPI_INT, world);
    IDO(12 * n, Ialltoall, a, 3, MPI_INT, b, 3, MPI_INT, world);
    for (int i = 0; i < n; i++)
        counts[i] = 2, places[i] = 2 * i, sizes[i] = 8 * i;
    IDO(8 * n, Ialltoallv, a, counts, places, MPI_INT, b, counts, places, MPI_INT,
        world);
    IDO(8 * n, Ialltoallw, a, counts, sizes, types, b, counts, sizes, types, world);
    IDO(32, Ireduce, a, b, 4, MPI_DOUBLE, MPI_SUM, 0, world);
    IDO(32, Iallreduce, a, b, 4, MPI_DOUBLE, MPI_SUM, world);
    IDO(8 * n, Ireduce_scatter, a, b, counts, MPI_INT, MPI_SUM, world);
    IDO(12 * n, Ireduce_scatter_block, a, b, 3, MPI_INT, MPI_SUM, world);
    IDO(4, Iscan, a, b, 1, MPI_INT, MPI_SUM, world);
    IDO(4, Iexscan, a, b, 1, MPI_INT, MPI_SUM, world);
}

/* On a ring of ranks, with a left and a right neighbour. */
static void neighbours(void)
{
    const int around = 1, in = left, out = right, weight = 1;
    const MPI_Aint far[2] = {0, 64};
    MPI_Comm ring, graph;

    DO(0, Cart_create, world, 1, &n, &around, 0, &ring);
    counts[0] = counts[1] = 3;
    places[0] = 0, places[1] = 3;
    types[0] = types[1] = MPI_INT;
    DO(8, Neighbor_allgather, a, 2, MPI_INT, b, 2, MPI_INT, ring);
    DO(12, Neighbor_allgatherv, a, 3, MPI_INT, b, counts, places, MPI_INT, ring);
    DO(16, Neighbor_alltoall, a, 2, MPI_INT, b, 2, MPI_INT, ring);
    DO(24, Neighbor_alltoallv, a, counts, places, MPI_INT, b, counts, places, MPI_INT,
       ring);
    DO(24, Neighbor_alltoallw, a, counts, far, types, b, counts, far, types, ring);
    IDO(16, Ineighbor_alltoall, a, 2, MPI_INT, b, 2, MPI_INT, ring);
    DO(0, Comm_free, &ring);
    /* Data goes to the right only. */
    DO(0, Dist_graph_create_adjacent, world, 1, &in, &weight, 1, &out, &weight,
       MPI_INFO_NULL, 0, &graph);
    DO(8, Neighbor_alltoall, a, 2, MPI_INT, b, 2, MPI_INT, graph);
    DO(0, Comm_free, &graph);
}

/* The even and the odd ranks, which have different numbers of them where n is odd. */
static void two_groups(void)
{
    const int odd = me % 2, evens = (n + 1) / 2, others = odd ? evens : n / 2;
    const int root = odd ? 0 : me ? MPI_PROC_NULL : MPI_ROOT;
    MPI_Comm group, both, all;

    if (n < 2)
        return;
    DO(0, Comm_split, world, odd, me, &group);
    DO(0, Intercomm_create, group, 0, world, odd ? 0 : 1, 14, &both);
    DO(root == MPI_ROOT ? 12 : 0, Bcast, a, 3, MPI_INT, root, both);
    DO(root == MPI_ROOT ? 20 * others : 0, Scatter, a, 5, MPI_INT, b, 5, MPI_INT, root,
       both);
    DO(odd ? 8 : 0, Gather, a, 2, MPI_INT, b, 2, MPI_INT, root, both);
    DO(24, Allgather, a, 6, MPI_INT, b, 6, MPI_INT, both);
    DO(12 * others, Alltoall, a, 3, MPI_INT, b, 3, MPI_INT, both);
    for (int i = 0; i < others; i++)
        counts[i] = 2, places[i] = 2 * i;
    DO(8 * others, Alltoallv, a, counts, places, MPI_INT, b, counts, places, MPI_INT,
       both);
    DO(0, Barrier, both);
    DO(0, Intercomm_merge, both, odd, &all);
    DO(0, Comm_free, &all);
    DO(0, Comm_free, &both);
    DO(0, Comm_free, &group);
}

static void one_sided(void)
{
    int *memory;
    MPI_Win win;

    DO(0, Win_allocate, 4096, 4, MPI_INFO_NULL, world, &memory, &win);
    DO(0, Win_fence, 0, win);
    DO(12, Put, a, 3, MPI_INT, right, 0, 3, MPI_INT, win);
    DO(0, Put, a, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
    DO(8, Get, b, 2, MPI_INT, right, 16, 2, MPI_INT, win);
    DO(4, Accumulate, a, 1, MPI_INT, left, 32, 1, MPI_INT, MPI_SUM, win);
    DO(0, Win_fence, MPI_MODE_NOSUCCEED, win);
    DO(0, Win_lock, MPI_LOCK_SHARED, right, 0, win);
    DO(8, Get_accumulate, NULL, 0, MPI_INT, b, 2, MPI_INT, right, 40, 2, MPI_INT,
       MPI_NO_OP, win);
    DO(4, Fetch_and_op, a, b, MPI_INT, right, 50, MPI_SUM, win);
    DO(4, Compare_and_swap, a, b, b + 1, MPI_INT, right, 51, win);
    DO(0, Win_flush, right, win);
    DO(20, Rput, a, 5, MPI_INT, right, 60, 5, MPI_INT, win, &request[0]);
    one_waits();
    DO(0, Win_unlock, right, win);
    DO(0, Win_free, &win);
}

static void files(const char *dir)
{
    char path[4096];
    MPI_File file;
    snprintf(path, sizeof path, "%s/file", dir);

    DO(0, File_open, world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
       &file);
    DO(0, File_set_view, file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    DO(40, File_write_at_all, file, (MPI_Offset)10 * me, a, 10, MPI_INT,
       MPI_STATUS_IGNORE);
    DO(8, File_read_at, file, (MPI_Offset)10 * me, b, 2, MPI_INT, MPI_STATUS_IGNORE);
    DO(4, File_iwrite_at, file, (MPI_Offset)10 * me, a, 1, MPI_INT, &request[0]);
    one_waits();
    DO(0, File_sync, file);
    DO(0, File_close, &file);
    if (me == 0)
        unlink(path);
}

/* Calls that fail, and those that a program does not want to be recorded. */
static void others(void)
{
    MPI_Comm twin;

    DO(0, Comm_dup, world, &twin);
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
    DO(0, Send, a, 1, MPI_INT, n + 5, 1, twin);
    DO(0, Comm_free, &twin);
    MPI_Pcontrol(0);
    MPI_Barrier(world);
    MPI_Pcontrol(1);
    DO(0, Barrier, world);
}

static int rows_write(const char *dir, int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", dir, rank);
    FILE *f = fopen(path, "w");
    if (!f)
        return 1;
    for (size_t i = 0; i < rows; i++)
        fprintf(f, "%d %s %ld %ld\n", rank, row[i].name, row[i].calls, row[i].bytes);
    return fclose(f) ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".";
    DO(0, Init, &argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_size(world, &n);
    MPI_Comm_rank(world, &me);
    right = (me + 1) % n;
    left = (me + n - 1) % n;
    if (n > 60)
        MPI_Abort(world, 2);
    messages();
    collectives();
    collectives_begun();
    neighbours();
    two_groups();
    one_sided();
    files(dir);
    others();
    MPI_Finalize();
    did("MPI_Finalize", 0);
    return rows_write(dir, me);
}
