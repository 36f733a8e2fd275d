/* Conjugate gradients with a matrix of 27 points, on P slabs of an N * N * N grid:
 *
 *     cg [N [ITERATIONS]]                       16 25
 *
 * The matrix is 27 I - T x T x T, where T has ones on three diagonals: 26 on the diagonal
 * and -1 for each neighbour.  It has (3 N - 2)^3 elements.  The sums over all ranks, I
 * being ITERATIONS:
 *
 *     cg;multiply  2 * I * (3 N - 2)^3 operations
 *     cg;halo      MPI_Sendrecv     2 * I * P calls, I * 16 * N^2 * (P - 1) bytes
 *     cg;dot       MPI_Allreduce    (2 I + 1) * P calls, of 8 bytes each
 *     cg;dot       2 * (2 I + 1) * N^3 operations
 *     cg;update    6 * I * N^3 operations
 *
 * The right side is that of a solution of ones.  The error after I iterations is known to
 * lie below a bound that follows from the matrix's eigenvalues, 27 - t t t with
 * t = 1 + 2 cos(k pi / (N + 1)).
 */
#include "tests/apps/app.h"
#include "tests/apps/work.h"

#include <math.h>

struct slab {
    size_t n, first, planes; /* of the grid, before this rank, of this rank */
    size_t rows, elements;
    int below, above; /* ranks, or MPI_PROC_NULL */
    size_t *row;
    int *column; /* in a vector that has a plane more on both sides */
    double *value;
};

/* The elements of a row: those whose neighbour is in the grid. */
static void make_row(struct slab *slab, size_t x, size_t y, size_t z)
{
    const long n = (long)slab->n;

    for (long dz = -1; dz <= 1; dz++) {
        for (long dy = -1; dy <= 1; dy++) {
            for (long dx = -1; dx <= 1; dx++) {
                const long i = (long)x + dx, j = (long)y + dy,
                           k = (long)(slab->first + z) + dz;
                if (i < 0 || i >= n || j < 0 || j >= n || k < 0 || k >= n)
                    continue;
                slab->column[slab->elements] =
                    (int)((((long)z + 1 + dz) * n + j) * n + i);
                slab->value[slab->elements++] = dx || dy || dz ? -1 : 26;
            }
        }
    }
}

static void make_slab(struct slab *slab, int rank, int ranks)
{
    const size_t n = slab->n;

    slab->first = app_first(n, (size_t)ranks, (size_t)rank);
    slab->planes = app_first(n, (size_t)ranks, (size_t)rank + 1) - slab->first;
    slab->rows = slab->planes * n * n;
    slab->below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    slab->above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    slab->row = app_memory(slab->rows + 1, sizeof *slab->row);
    slab->column = app_memory(27 * slab->rows, sizeof *slab->column);
    slab->value = app_memory(27 * slab->rows, sizeof *slab->value);
    for (size_t i = 0; i < slab->rows; i++) {
        make_row(slab, i % n, i / n % n, i / n / n);
        slab->row[i + 1] = slab->elements;
    }
}

/* Gives both neighbours the plane next to them; 'x' begins with the one below. */
static void exchange(const struct slab *slab, double *x)
{
    const int plane = (int)(slab->n * slab->n);
    double *const own = x + plane, *const top = x + slab->rows;
    const int to[2] = {slab->below, slab->above}, from[2] = {slab->above, slab->below};
    double *const send[2] = {own, top}, *const receive[2] = {top + plane, x};

    rc_region_begin("halo");
    for (int i = 0; i < 2; i++)
        MPI_Sendrecv(send[i], plane, MPI_DOUBLE, to[i], 0, receive[i], plane,
                     MPI_DOUBLE, from[i], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    rc_region_end("halo");
}

static double dot(const struct slab *slab, const double *x, const double *y)
{
    double sum;

    rc_region_begin("dot");
    const double own = work_dot(slab->rows, x, y);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    rc_region_end("dot");
    return sum;
}

/* Solves A x = 'r', which becomes what is left; 'room' is for two vectors, the first
 * with a plane more on both sides.
 */
static void solve(const struct slab *slab, size_t iterations, double *x, double *r,
                  double *room)
{
    const struct work_matrix matrix = {slab->rows, slab->row, slab->column,
                                       slab->value};
    double *const around = room, *const p = room + slab->n * slab->n,
                  *const q = p + slab->rows + slab->n * slab->n;

    work_add(slab->rows, 1, r, p);
    rc_region_begin("cg");
    double rest = dot(slab, r, r);
    for (size_t i = 0; i < iterations; i++) {
        exchange(slab, around);
        rc_region_begin("multiply");
        work_sparse(&matrix, around, q);
        rc_region_end("multiply");
        const double along = dot(slab, p, q), far = along > 0 ? rest / along : 0;
        rc_region_begin("update");
        work_add(slab->rows, far, p, x);
        work_add(slab->rows, -far, q, r);
        rc_region_end("update");
        const double left = dot(slab, r, r);
        rc_region_begin("update");
        work_turn(slab->rows, rest > 0 ? left / rest : 0, r, p);
        rc_region_end("update");
        rest = left;
    }
    rc_region_end("cg");
}

/* The most that is left of the first error, as a share of its norm. */
static double bound(size_t n, size_t iterations)
{
    const double pi = 3.14159265358979323846, most = 1 + 2 * cos(pi / (double)(n + 1)),
                 least = 1 - 2 * cos(pi / (double)(n + 1)),
                 of = (27 - most * most * fmin(least, 0)) / (27 - most * most * most),
                 rate = (sqrt(of) - 1) / (sqrt(of) + 1);

    return fmin(1, 2 * sqrt(of) * pow(rate, (double)iterations)) + 1e-12;
}

int main(int argc, char **argv)
{
    struct slab slab = {.n = app_number(argc, argv, 1, 16)};
    const size_t iterations = app_number(argc, argv, 2, 25);
    double own[2] = {0}, all[2];
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    app_expect((size_t)ranks <= slab.n && slab.n <= 500,
               "a plane for each rank, and N up to 500");
    make_slab(&slab, rank, ranks);
    double *x = app_memory(slab.rows, sizeof *x), *r = app_memory(slab.rows, sizeof *r);
    double *room = app_memory(2 * slab.rows + 2 * slab.n * slab.n, sizeof *room);
    for (size_t i = 0; i < slab.rows; i++)
        for (size_t e = slab.row[i]; e < slab.row[i + 1]; e++)
            r[i] += slab.value[e];

    solve(&slab, iterations, x, r, room);

    for (size_t i = 0; i < slab.rows; i++)
        own[0] += (x[i] - 1) * (x[i] - 1);
    own[1] = (double)slab.elements;
    PMPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const double n = (double)slab.n, error = sqrt(all[0] / (n * n * n));
    const int right = error <= bound(slab.n, iterations) &&
                      all[1] == (3 * n - 2) * (3 * n - 2) * (3 * n - 2);
    free(slab.row);
    free(slab.column);
    free(slab.value);
    free(x);
    free(r);
    free(room);
    return app_end("cg", right);
}
