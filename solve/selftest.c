#include "solve/selftest.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "solve/scalapack.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 4, BLOCK = 4 };

/* Local rows of a one-column grid: global row of local row i. */
static int global_row(int i, int row, int rows)
{
    return ((i / BLOCK) * rows + row) * BLOCK + i % BLOCK;
}

static double entry(int i, int j)
{
    return pow(1.0 + i / (double)ROWS, j); /* a Vandermonde matrix: full rank */
}

static void fill(double *a, double *b, int local, int leading, int row, int rows)
{
    for (int i = 0; i < local; i++) {
        int g = global_row(i, row, rows);
        b[i] = 0;
        for (int j = 0; j < COLUMNS; j++) {
            a[i + j * leading] = entry(g, j);
            b[i] += entry(g, j) * (j + 1); /* the answer is 1, 2, 3, 4 */
        }
    }
}

static int solve(MPI_Comm comm, int context, int rows, int row, double *deviation,
                 struct rc_error *err)
{
    const int m = ROWS, n = COLUMNS, block = BLOCK, zero = 0, one = 1;
    const int room = 4096 + 64 * ROWS;
    int local = numroc_(&m, &block, &row, &zero, &rows);
    int leading = local > 0 ? local : 1;
    int desc_a[9], desc_b[9], info = 0;
    double *a = rc_calloc((size_t)leading * COLUMNS, sizeof *a);
    double *b = rc_calloc((size_t)leading, sizeof *b);
    double *work = rc_calloc((size_t)room, sizeof *work);

    int status = RC_OK;

    if (!a || !b || !work)
        status = rc_fail(err, RC_ENOMEM, "no memory for ScaLAPACK");
    status = rc_agree(comm, status, err);
    if (status == RC_OK) {
        fill(a, b, local, leading, row, rows);
        descinit_(desc_a, &m, &n, &block, &block, &zero, &zero, &context, &leading,
                  &info);
        descinit_(desc_b, &m, &one, &block, &one, &zero, &zero, &context, &leading,
                  &info);
        pdgels_("N", &m, &n, &one, a, &one, &one, desc_a, b, &one, &one, desc_b, work,
                &room, &info);
        *deviation = 0;
        for (int i = 0; i < local; i++) {
            int g = global_row(i, row, rows);
            if (g < COLUMNS)
                *deviation = fmax(*deviation, fabs(b[i] - (g + 1)));
        }
    }
    if (status == RC_OK && info)
        status = rc_fail(err, RC_EUNSUPPORTED, "ScaLAPACK's PDGELS returned %d", info);
    free(work);
    free(b);
    free(a);
    return status;
}

int rc_solve_selftest(MPI_Comm comm, double *deviation, struct rc_error *err)
{
    int size = rc_team_size(comm), rows, columns, row, column;
    int handle = Csys2blacs_handle(comm), context = handle;
    double mine = 0;

    Cblacs_gridinit(&context, "Row", size, 1);
    Cblacs_gridinfo(context, &rows, &columns, &row, &column);
    int status = solve(comm, context, rows, row, &mine, err);
    Cblacs_gridexit(context);
    Cfree_blacs_system_handle(handle);
    status = rc_agree(comm, status, err);
    if (status == RC_OK)
        MPI_Allreduce(&mine, deviation, 1, MPI_DOUBLE, MPI_MAX, comm);
    return status;
}
