/* grid.h - matrices with a column for each event, spread over the ranks
 *
 * Columns are dealt out in blocks, one after the other, to a BLACS grid of one row:
 * block b belongs to rank b modulo ranks.  The store is read in the same way, so that a
 * column never moves.
 */
#ifndef RC_SOLVE_ALGEBRA_GRID_H
#define RC_SOLVE_ALGEBRA_GRID_H

#include "campaign/base/error.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct rc_grid {
    MPI_Comm comm;   /* of all ranks; MPI_COMM_NULL: a process alone, without BLACS */
    int context;     /* of BLACS */
    int ranks, rank; /* the same numbers as in 'comm' */
};

/* Collective.  'comm' is borrowed; MPI_COMM_NULL gives a grid of one, which uses LAPACK
 * and BLAS.  Several grids may live at once, also over one 'comm'.  rc_grid_fini() is
 * collective and accepts a zeroed one.
 */
int rc_grid_init(MPI_Comm comm, struct rc_grid *out, struct rc_error *err);
void rc_grid_fini(struct rc_grid *grid);

/* A matrix of 'columns' columns in all, stored by column: entry (i, local j) is data[i
 * + j * rows].
 */
struct rc_columns {
    size_t rows, columns; /* of all ranks together */
    size_t block;         /* columns dealt out at once */
    size_t local;         /* columns of this rank */
    double *data;         /* owned */
};

/* Makes a zeroed matrix; 'block' is at least 1.  RC_EUNSUPPORTED where ScaLAPACK's
 * 32-bit numbers are too small.  Only this rank: agree afterwards.  On failure *out is
 * zeroed, which rc_columns_fini() accepts, too.
 */
int rc_columns_init(const struct rc_grid *grid, size_t rows, size_t columns,
                    size_t block, struct rc_columns *out, struct rc_error *err);
void rc_columns_fini(struct rc_columns *matrix);

/* The place of a column: the global number of a rank's local one; its owner. */
size_t rc_columns_global(const struct rc_grid *grid, const struct rc_columns *matrix,
                         size_t local);
int rc_columns_owner(const struct rc_grid *grid, const struct rc_columns *matrix,
                     size_t global);
size_t rc_columns_local(const struct rc_grid *grid, const struct rc_columns *matrix,
                        size_t global); /* on the owner */

/* How many local columns from 'local' on are adjacent in the whole matrix; *first is
 * the global number of the first one.  0 where 'local' is past the last.
 */
size_t rc_columns_run(const struct rc_grid *grid, const struct rc_columns *matrix,
                      size_t local, size_t *first);

/* A matrix of which each rank has the same copy to the last bit; stored by column. */
struct rc_whole {
    size_t rows, columns;
    const double *data;
};

/* Cannot fail.  out = keep * out + factor * left * in, for local columns, each by
 * itself, with the first rows of 'left', as many as 'out' has.  'in' and 'out' are
 * different and have the same layout.
 */
void rc_columns_multiply(double factor, const struct rc_whole *left,
                         const struct rc_columns *in, double keep,
                         struct rc_columns *out);

/* Cannot fail.  Solves left * x = b for each local column b, which x replaces; only
 * entries on and above the diagonal of 'left' are read.
 */
void rc_columns_solve(const struct rc_grid *grid, const struct rc_whole *left,
                      struct rc_columns *inout);

/* The root of the sum of squares of a vector, without overflow. */
double rc_norm(const double *vector, size_t count);

#endif
