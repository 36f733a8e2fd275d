/* pivot_parts.h - parts of the specialised pivoted QR; for its own files */
#ifndef RC_SOLVE_ALGEBRA_PIVOT_PARTS_H
#define RC_SOLVE_ALGEBRA_PIVOT_PARTS_H

#include "campaign/base/arena.h"
#include "solve/algebra/pivot.h"

#include <stdbool.h>

/* The constant c for which u + c - c cuts u, a number of this column, to a multiple of
 * the grain; NAN or infinite where the column has such a number.
 */
double rc_pivot_cutter(const double *column, size_t rows);

static inline double rc_pivot_cut(double u, double cutter)
{
    return (u + cutter) - cutter;
}

/* The norm of the column after cutting, itself rounded. */
double rc_pivot_norm(const double *column, size_t rows);

/* The least remainder of a column that is chosen, by its norm: see rc_pivot_limit(). */
double rc_pivot_least(size_t rows, double alpha, double norm);

int rc_pivot_check_alpha(double alpha, struct rc_error *err);

/* An orthonormal basis of the space of the chosen columns, and a column under test.
 * The basis is stored twice, so that both loops over it run along memory.
 */
struct rc_space {
    struct rc_arena arena; /* of all arrays */
    size_t rows, count;    /* numbers of a vector; vectors */
    double *q;             /* [vector][row] */
    double *turn;          /* [row][vector], 'rows' apart */
    double *along;         /* [vector] */
    double *rest;          /* [row], then its norm */
};

/* rc_space_fini() accepts a zeroed one, and one whose rc_space_init() failed. */
int rc_space_init(size_t rows, struct rc_space *out, struct rc_error *err);
void rc_space_fini(struct rc_space *space);

/* Whether the part of the column, which has that norm after cutting, that is orthogonal
 * to the basis has at least the norm 'least'; that part is then in space->rest.
 */
bool rc_space_leaves(struct rc_space *space, const double *column, double norm,
                     double least);

/* Collective.  Sends space->rest from 'owner' to all ranks. */
void rc_space_send(const struct rc_grid *grid, int owner, struct rc_space *space);

/* Appends space->rest, which is orthogonal to the basis, to it; does nothing where its
 * norm is 0.
 */
void rc_space_append(struct rc_space *space);

/* Chooses columns, for one alpha after the other. */
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
