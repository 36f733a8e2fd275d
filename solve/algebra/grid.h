/* grid.h - matrices with a column for each event, spread over the ranks
 *
 * Columns are dealt out in blocks, one after the other, to a BLACS grid of one
 * row: block b belongs to rank b modulo ranks.  That is how the store is read,
 * too, so that a column never moves.
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

/* Collective.  'comm' is borrowed; MPI_COMM_NULL gives a grid of one, for which
 * LAPACK and BLAS are used.  Several grids may live at once, also over one 'comm'.
 * rc_grid_fini() is collective and accepts a zeroed one.
 */
int rc_grid_init(MPI_Comm comm, struct rc_grid *out, struct rc_error *err);
void rc_grid_fini(struct rc_grid *grid);

/* Of 'columns' columns in all.  Stored by column: entry (i, local j) is
 * data[i + j * rows].
 */
struct rc_columns {
    size_t rows, columns; /* of all ranks together */
    size_t block;         /* columns that are dealt out at once */
    size_t local;         /* columns of this rank */
    double *data;         /* owned */
};

/* Zeroed; 'block' is at least 1.  RC_EUNSUPPORTED where ScaLAPACK's 32-bit numbers
 * are too small.  Only this rank: agree afterwards.  On failure *out is zeroed, which
 * rc_columns_fini() accepts, too.
 */
int rc_columns_init(const struct rc_grid *grid, size_t rows, size_t columns,
                    size_t block, struct rc_columns *out, struct rc_error *err);
void rc_columns_fini(struct rc_columns *matrix);

/* Where a column is: its number in all, of a rank's local one; its owner. */
size_t rc_columns_global(const struct rc_grid *grid, const struct rc_columns *matrix,
                         size_t local);
int rc_columns_owner(const struct rc_grid *grid, const struct rc_columns *matrix,
                     size_t global);
size_t rc_columns_local(const struct rc_grid *grid, const struct rc_columns *matrix,
                        size_t global); /* on the owner */

/* How many local columns from 'local' on, which may be behind the last, lie one behind
 * the other in all; *first is the number of the first one.
 */
size_t rc_columns_run(const struct rc_grid *grid, const struct rc_columns *matrix,
                      size_t local, size_t *first);

/* A matrix that each rank has a copy of, to the last bit the same; stored by column. */
struct rc_whole {
    size_t rows, columns;
    const double *data;
};

/* Cannot fail.  out = keep * out + factor * left * in, of local columns, each by
 * itself; of 'left' the first rows, as many as 'out' has.  'in' and 'out' are different
 * and of the same layout.
 */
void rc_columns_multiply(double factor, const struct rc_whole *left,
                         const struct rc_columns *in, double keep,
                         struct rc_columns *out);

/* Cannot fail.  Solves left * x = b for each local column b, which x replaces;
 * of 'left' only what is on and above the diagonal is read.
 */
void rc_columns_solve(const struct rc_grid *grid, const struct rc_whole *left,
                      struct rc_columns *inout);

/* Of vectors: the root of the sum of squares, without overflow. */
double rc_norm(const double *vector, size_t count);

#endif
