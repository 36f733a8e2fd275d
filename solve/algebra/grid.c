/* Grids of processes and distributed matrices for ScaLAPACK.  A process alone uses
 * LAPACK and BLAS instead.
 */
#include "solve/algebra/grid.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "solve/algebra/blas_memory.h"
#include "solve/algebra/scalapack.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const int one = 1;

int rc_grid_init(MPI_Comm comm, struct rc_grid *out, struct rc_error *err)
{
    struct rc_grid grid = {.comm = comm, .ranks = rc_team_size(comm)};
    int rows = 1, columns = grid.ranks, row = 0, status = rc_blas_memory(err);

    if (comm != MPI_COMM_NULL) {
        /* The handle is only for the call that makes the grid; a second grid of the
         * same 'comm' gets the same handle, which can be freed only once.
         */
        int handle = Csys2blacs_handle(comm);
        grid.context = handle;
        Cblacs_gridinit(&grid.context, "Row", 1, grid.ranks);
        Cfree_blacs_system_handle(handle);
        Cblacs_gridinfo(grid.context, &rows, &columns, &row, &grid.rank);
    }
    if (status == RC_OK &&
        (rows != 1 || columns != grid.ranks || grid.rank != rc_team_rank(comm)))
        status =
            rc_fail(err, RC_EUNSUPPORTED, "BLACS made a grid of %d x %d, not 1 x %d",
                    rows, columns, grid.ranks);
    status = rc_agree(comm, status, err);
    if (status != RC_OK)
        rc_grid_fini(&grid);
    *out = grid;
    return status;
}

void rc_grid_fini(struct rc_grid *grid)
{
    if (grid->ranks > 0 && grid->comm != MPI_COMM_NULL)
        Cblacs_gridexit(grid->context);
    *grid = (struct rc_grid){.comm = MPI_COMM_NULL};
}

int rc_columns_init(const struct rc_grid *grid, size_t rows, size_t columns,
                    size_t block, struct rc_columns *out, struct rc_error *err)
{
    assert(block > 0);
    *out = (struct rc_columns){0};
    /* The same as ScaLAPACK's NUMROC, without its 32 bits. */
    size_t ranks = (size_t)grid->ranks, rank = (size_t)grid->rank;
    size_t blocks = columns / block, local = blocks / ranks * block;
    if (rank < blocks % ranks)
        local += block;
    else if (rank == blocks % ranks)
        local += columns % block;
    if (rows > INT_MAX || columns > INT_MAX || block > INT_MAX ||
        (rows > 0 && local > INT_MAX / rows))
        return rc_fail(err, RC_EUNSUPPORTED,
                       "%zu rows x %zu columns are too many for ScaLAPACK on %d ranks",
                       rows, columns, grid->ranks);
    double *data = rc_calloc(rows * local, sizeof *data);
    if (!data)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu rows x %zu columns", rows,
                       local);
    *out = (struct rc_columns){
        .rows = rows, .columns = columns, .block = block, .local = local, .data = data};
    return RC_OK;
}

void rc_columns_fini(struct rc_columns *matrix)
{
    free(matrix->data);
    *matrix = (struct rc_columns){0};
}

size_t rc_columns_global(const struct rc_grid *grid, const struct rc_columns *matrix,
                         size_t local)
{
    size_t round = local / matrix->block;

    return (round * (size_t)grid->ranks + (size_t)grid->rank) * matrix->block +
           local % matrix->block;
}

int rc_columns_owner(const struct rc_grid *grid, const struct rc_columns *matrix,
                     size_t global)
{
    return (int)(global / matrix->block % (size_t)grid->ranks);
}

size_t rc_columns_local(const struct rc_grid *grid, const struct rc_columns *matrix,
                        size_t global)
{
    size_t round = global / matrix->block / (size_t)grid->ranks;

    return round * matrix->block + global % matrix->block;
}

size_t rc_columns_run(const struct rc_grid *grid, const struct rc_columns *matrix,
                      size_t local, size_t *first)
{
    if (local >= matrix->local)
        return 0;
    *first = rc_columns_global(grid, matrix, local);
    const size_t block = matrix->block - *first % matrix->block;
    const size_t left = matrix->columns - *first;
    return block < left ? block : left;
}

/* Rows of a product that are summed up side by side, in registers. */
enum { LANES = 8 };
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static void sum_lanes(const double *left, size_t stride, const double *x, size_t count,
                      double *out)
{
    pair a = {0}, b = {0}, c = {0}, d = {0};

    for (size_t p = 0; p < count; p++) {
        const pair *beside = (const pair *)(left + p * stride);
        a += beside[0] * x[p];
        b += beside[1] * x[p];
        c += beside[2] * x[p];
        d += beside[3] * x[p];
    }
    const pair all[] = {a, b, c, d};
    memcpy(out, all, sizeof all);
}

/* Columns are not split over ranks, and each sum has one order whatever is beside it,
 * so results are the same bytes on any number of ranks.
 */
void rc_columns_multiply(double factor, const struct rc_whole *left,
                         const struct rc_columns *in, double keep,
                         struct rc_columns *out)
{
    const size_t m = out->rows, inner = in->rows;

    assert(in->rows == left->columns && out->rows <= left->rows);
    assert(in->columns == out->columns && in->block == out->block);
    for (size_t e = 0; e < in->local; e++) {
        const double *x = in->data + e * inner;
        double *y = out->data + e * m;
        for (size_t i = 0; i < m; i += LANES) {
            const size_t count = m - i < LANES ? m - i : LANES;
            double sum[LANES] = {0};
            if (count == LANES)
                sum_lanes(left->data + i, left->rows, x, inner, sum);
            for (size_t c = 0; c < count && count < LANES; c++)
                for (size_t p = 0; p < inner; p++)
                    sum[c] += left->data[p * left->rows + i + c] * x[p];
            for (size_t c = 0; c < count; c++)
                y[i + c] = (keep == 0 ? 0 : keep * y[i + c]) + factor * sum[c];
        }
    }
}

void rc_columns_solve(const struct rc_grid *grid, const struct rc_whole *left,
                      struct rc_columns *inout)
{
    const size_t m = inout->rows;

    (void)grid;
    assert(left->columns == inout->rows && left->rows >= left->columns);
    for (size_t e = 0; e < inout->local; e++) {
        double *x = inout->data + e * m;
        for (size_t i = m; i-- > 0;) {
            x[i] /= left->data[i + i * left->rows];
            for (size_t j = 0; j < i; j++)
                x[j] -= x[i] * left->data[j + i * left->rows];
        }
    }
}

double rc_norm(const double *vector, size_t count)
{
    const int n = (int)count;

    return dnrm2_(&n, vector, &one);
}
