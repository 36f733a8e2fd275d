/* Grids of processes and distributed matrices for ScaLAPACK.  A process alone uses
 * LAPACK and BLAS instead.
 */
#include "solve/grid.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "solve/blas_memory.h"
#include "solve/scalapack.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

static const int zero = 0, one = 1;

int rc_grid_init(MPI_Comm comm, struct rc_grid *out, struct rc_error *err)
{
    struct rc_grid grid = {.comm = comm, .ranks = rc_team_size(comm)};
    int rows = 1, columns = grid.ranks, row = 0, status = rc_blas_memory(err);

    if (comm != MPI_COMM_NULL) {
        /* The handle is only for the call that makes the grid; of a 'comm' that
         * has two grids it is the same one, which can be freed but once.
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
    /* As ScaLAPACK's NUMROC, without its 32 bits. */
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

static int at_least_1(size_t count)
{
    return count > 0 ? (int)count : 1;
}

/* Whole columns are dealt out, so that a block has all rows. */
static void describe_matrix(const struct rc_grid *grid, size_t rows, size_t columns,
                            size_t block, int *descriptor)
{
    const int m = (int)rows, n = (int)columns, leading = at_least_1(rows);
    const int column_block = at_least_1(block);
    int info = 0;

    descinit_(descriptor, &m, &n, &leading, &column_block, &zero, &zero, &grid->context,
              &leading, &info);
    assert(info == 0);
}

void rc_columns_multiply(const struct rc_grid *grid, double factor,
                         const struct rc_whole *left, bool transposed,
                         const struct rc_columns *in, double keep,
                         struct rc_columns *out)
{
    const int m = (int)out->rows, k = (int)in->rows, all = (int)in->columns;
    const int local = (int)in->local, rows = at_least_1(left->rows);
    const int in_rows = at_least_1(in->rows), out_rows = at_least_1(out->rows);
    const char *turn = transposed ? "T" : "N";
    int desc_left[9], desc_in[9], desc_out[9];

    assert(in->rows == (transposed ? left->rows : left->columns));
    assert(out->rows == (transposed ? left->columns : left->rows));
    assert(in->columns == out->columns && in->block == out->block);
    if (m == 0 || all == 0)
        return;
    if (grid->comm == MPI_COMM_NULL) {
        dgemm_(turn, "N", &m, &local, &k, &factor, left->data, &rows, in->data,
               &in_rows, &keep, out->data, &out_rows);
        return;
    }
    describe_matrix(grid, left->rows, left->columns, left->columns, desc_left);
    describe_matrix(grid, in->rows, in->columns, in->block, desc_in);
    describe_matrix(grid, out->rows, out->columns, out->block, desc_out);
    pdgemm_(turn, "N", &m, &all, &k, &factor, left->data, &one, &one, desc_left,
            in->data, &one, &one, desc_in, &keep, out->data, &one, &one, desc_out);
}

void rc_columns_solve(const struct rc_grid *grid, const struct rc_whole *left,
                      struct rc_columns *inout)
{
    const int m = (int)inout->rows, all = (int)inout->columns;
    const int local = (int)inout->local, rows = at_least_1(left->rows);
    const double whole = 1;
    int desc_left[9], desc_inout[9];

    assert(left->columns == inout->rows && left->rows >= left->columns);
    if (m == 0 || all == 0)
        return;
    if (grid->comm == MPI_COMM_NULL) {
        dtrsm_("L", "U", "N", "N", &m, &local, &whole, left->data, &rows, inout->data,
               &m);
        return;
    }
    describe_matrix(grid, left->rows, left->columns, left->columns, desc_left);
    describe_matrix(grid, inout->rows, inout->columns, inout->block, desc_inout);
    pdtrsm_("L", "U", "N", "N", &m, &all, &whole, left->data, &one, &one, desc_left,
            inout->data, &one, &one, desc_inout);
}

double rc_norm(const double *vector, size_t count)
{
    const int n = (int)count;

    return dnrm2_(&n, vector, &one);
}
