/* pivot_parts.h - what the specialised pivoted QR is made of; for its own files */
#ifndef RC_SOLVE_ALGEBRA_PIVOT_PARTS_H
#define RC_SOLVE_ALGEBRA_PIVOT_PARTS_H

#include "campaign/base/arena.h"
#include "solve/algebra/pivot.h"

#include <stdbool.h>

/* What u + c - c needs to cut u, of this column, to a multiple of the grain; NAN or
 * infinite where the column has such a number.
 */
double rc_pivot_cutter(const double *column, size_t rows);

static inline double rc_pivot_cut(double u, double cutter)
{
    return (u + cutter) - cutter;
}

/* Of the column as it is cut, with what its rounding makes of it cut off, too. */
double rc_pivot_norm(const double *column, size_t rows);

/* What must be left of a column of that norm: beta, and more than cutting may leave. */
double rc_pivot_least(size_t rows, double alpha, double norm);

int rc_pivot_check_alpha(double alpha, struct rc_error *err);

/* What the chosen columns span, as an orthonormal basis, and a column that is looked
 * at.  The basis is there twice, so that both of the loops over it run along memory.
 */
struct rc_space {
    struct rc_arena arena; /* of all arrays */
    size_t rows, count;    /* numbers of a vector; vectors */
    double *q;             /* [vector][row] */
    double *turn;          /* [row][vector], 'rows' apart */
    double *along;         /* [vector] */
    double *rest;          /* [row], and its norm behind them */
};

/* rc_space_fini() accepts a zeroed one, and what rc_space_init() failed with. */
int rc_space_init(size_t rows, struct rc_space *out, struct rc_error *err);
void rc_space_fini(struct rc_space *space);

/* Whether at least 'least' of the column, cut and of that norm, is orthogonal to the
 * basis: if so, it is in space->rest.
 */
bool rc_space_leaves(struct rc_space *space, const double *column, double norm,
                     double least);

/* Collective.  Gives what is in space->rest on 'owner' to all. */
void rc_space_send(const struct rc_grid *grid, int owner, struct rc_space *space);

/* Makes space->rest, which is orthogonal to the basis, its next vector; nothing, if
 * its norm is 0.
 */
void rc_space_append(struct rc_space *space);

/* Chooses for one alpha after the other. */
struct rc_chooser;

/* Collective.  'many': more than one alpha will be tried.  'matrix' must stay. */
int rc_chooser_create(const struct rc_grid *grid, const struct rc_columns *matrix,
                      const uint8_t *tier, bool many, struct rc_chooser **out,
                      struct rc_error *err);
void rc_chooser_close(struct rc_chooser *chooser); /* accepts NULL */

/* Collective, cannot fail.  Returns how many columns were chosen. */
size_t rc_chooser_choose(struct rc_chooser *chooser, double alpha,
                         struct rc_pivot *pivot);

#endif
