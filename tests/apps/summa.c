/* The product of two dense matrices by SUMMA, on Q * Q ranks:
 *
 *     summa [N]                                 48
 *
 * In step k of Q the ranks of column k give their blocks of A to their rows, those of row
 * k their blocks of B to their columns.  The sums over all P = Q * Q ranks:
 *
 *     summa;rows      MPI_Bcast   P * Q calls; roots give 8 * N^2 bytes
 *     summa;columns   MPI_Bcast   likewise
 *     summa;multiply  2 * N^3 operations, 2 * N^3 / P of a rank (if Q divides N)
 *
 * A rank is given 8 * N^2 / Q bytes of each matrix, its own part among them.  The
 * elements are whole numbers, and so is the product: a_ij = i + j, b_ij = i - j.
 */
#include "tests/apps/app.h"
#include "tests/apps/work.h"

struct grid {
    size_t n, q, row, column;
    MPI_Comm rows, columns; /* ranks of the same row, of the same column */
};

static size_t size_of(const struct grid *grid, size_t part)
{
    return app_first(grid->n, grid->q, part + 1) - app_first(grid->n, grid->q, part);
}

/* A block of a matrix whose elements are i + sign * j. */
static double *block(const struct grid *grid, double sign)
{
    const size_t rows = size_of(grid, grid->row), columns = size_of(grid, grid->column),
                 top = app_first(grid->n, grid->q, grid->row),
                 left = app_first(grid->n, grid->q, grid->column);
    double *of = app_memory(rows * columns, sizeof *of);

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            of[i * columns + j] = (double)(top + i) + sign * (double)(left + j);
    return of;
}

/* Gives a block of 'count' numbers to all of 'comm', from its rank 'root'. */
static double *spread(const char *region, MPI_Comm comm, size_t root, int is_root,
                      double *own, double *room, size_t count)
{
    double *of = is_root ? own : room;

    rc_region_begin(region);
    MPI_Bcast(of, (int)count, MPI_DOUBLE, (int)root, comm);
    rc_region_end(region);
    return of;
}

/* C = A B: sum over k of (i + k)(k - j). */
static int is_product(const struct grid *grid, const double *c)
{
    const size_t rows = size_of(grid, grid->row), columns = size_of(grid, grid->column);
    const double n = (double)grid->n, sum = n * (n - 1) / 2,
                 squares = (n - 1) * n * (2 * n - 1) / 6;

    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            const double x = (double)(app_first(grid->n, grid->q, grid->row) + i),
                         y = (double)(app_first(grid->n, grid->q, grid->column) + j);
            if (c[i * columns + j] != squares + (x - y) * sum - n * x * y)
                return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    struct grid grid = {.n = app_number(argc, argv, 1, 48), .q = 1};
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (grid.q * grid.q < (size_t)ranks)
        grid.q++;
    app_expect(grid.q * grid.q == (size_t)ranks,
               "a square number of ranks: 1, 4, 9, ...");
    app_expect(grid.q <= grid.n && grid.n <= 20000, "N from Q to 20000");
    grid.row = (size_t)rank / grid.q;
    grid.column = (size_t)rank % grid.q;
    MPI_Comm_split(MPI_COMM_WORLD, (int)grid.row, rank, &grid.rows);
    MPI_Comm_split(MPI_COMM_WORLD, (int)grid.column, rank, &grid.columns);
    const size_t rows = size_of(&grid, grid.row), columns = size_of(&grid, grid.column),
                 most = grid.n / grid.q + 1;
    double *a = block(&grid, 1), *b = block(&grid, -1),
           *c = app_memory(rows * columns, sizeof *c),
           *room_a = app_memory(rows * most, sizeof *room_a),
           *room_b = app_memory(most * columns, sizeof *room_b);

    rc_region_begin("summa");
    for (size_t k = 0; k < grid.q; k++) {
        const size_t inner = size_of(&grid, k);
        const double *left =
            spread("rows", grid.rows, k, grid.column == k, a, room_a, rows * inner);
        const double *right = spread("columns", grid.columns, k, grid.row == k, b,
                                     room_b, inner * columns);
        rc_region_begin("multiply");
        work_dense(rows, inner, columns, left, right, c);
        rc_region_end("multiply");
    }
    rc_region_end("summa");

    const int right = is_product(&grid, c);
    MPI_Comm_free(&grid.rows);
    MPI_Comm_free(&grid.columns);
    free(a);
    free(b);
    free(c);
    free(room_a);
    free(room_b);
    return app_end("summa", right);
}
