/* The space that the chosen events span, and the remainder of a column outside it.
 *
 * Most columns under test are spanned already.  So the lengths along the basis are
 * computed first: by Pythagoras they most often show that little is left.  Only
 * otherwise the remainder itself is computed, by Gram and Schmidt's method, twice.
 */
#include "solve/algebra/pivot_parts.h"

#include "campaign/base/agree.h"

#include <math.h>
#include <string.h>

void rc_space_fini(struct rc_space *space)
{
    rc_arena_free(&space->arena);
}

int rc_space_init(size_t rows, struct rc_space *out, struct rc_error *err)
{
    out->rows = rows;
    out->q = rc_arena_array(&out->arena, rows * rows, sizeof *out->q);
    out->turn = rc_arena_array(&out->arena, rows * rows, sizeof *out->turn);
    out->along = rc_arena_array(&out->arena, rows, sizeof *out->along);
    out->rest = rc_arena_array(&out->arena, rows + 1, sizeof *out->rest);
    return rc_arena_check(&out->arena, err, "the space that events span");
}

/* Copies a column in the form in which it is compared: cut to its grain. */
static void copy_cut(double *to, const double *column, size_t rows)
{
    double c = rc_pivot_cutter(column, rows);

    for (size_t i = 0; i < rows; i++)
        to[i] = rc_pivot_cut(column[i], c);
}

/* Sets space->along to the lengths of space->rest along the vectors of the basis. */
static void project_rest(struct rc_space *space)
{
    size_t rows = space->rows, count = space->count;
    double *restrict along = space->along;

    memset(along, 0, count * sizeof *along);
    for (size_t i = 0; i < rows; i++) {
        const double *restrict turn = space->turn + i * rows;
        double u = space->rest[i];
        if (u != 0) /* most often it is 0 */
            for (size_t k = 0; k < count; k++)
                along[k] += turn[k] * u;
    }
}

/* Leaves the part of space->rest that is orthogonal to the basis; returns its norm.
 * Once is not enough where little is left; twice is (Kahan, Parlett).
 */
static double orthogonalize(struct rc_space *space)
{
    const size_t rows = space->rows;
    double sum = 0;

    for (int twice = 0; twice < 2; twice++) {
        project_rest(space); /* into space->along */
        for (size_t k = 0; k < space->count; k++) {
            const double *restrict q = space->q + k * rows;
            const double along = space->along[k];
            double *restrict rest = space->rest;
            for (size_t i = 0; i < rows; i++)
                rest[i] -= along * q[i];
        }
    }
    for (size_t i = 0; i < rows; i++)
        sum += space->rest[i] * space->rest[i];
    space->rest[rows] = sqrt(sum);
    return space->rest[rows];
}

bool rc_space_leaves(struct rc_space *space, const double *column, double norm,
                     double least)
{
    double left = norm * norm, unsure = 0x1p-30 * left;

    copy_cut(space->rest, column, space->rows);
    project_rest(space);
    for (size_t k = 0; k < space->count; k++)
        left -= space->along[k] * space->along[k];
    /* Most often Pythagoras decides, even with the rounding of such a difference. */
    if (left + unsure < least * least / 4)
        return false;
    return orthogonalize(space) >= least;
}

void rc_space_append(struct rc_space *space)
{
    size_t rows = space->rows, k = space->count;
    double norm = space->rest[rows];

    if (norm <= 0 || k == rows)
        return;
    for (size_t i = 0; i < rows; i++) {
        space->q[k * rows + i] = space->rest[i] / norm;
        space->turn[i * rows + k] = space->q[k * rows + i];
    }
    space->count++;
}

void rc_space_send(const struct rc_grid *grid, int owner, struct rc_space *space)
{
    rc_broadcast(grid->comm, owner, space->rest,
                 (space->rows + 1) * sizeof *space->rest);
}

int rc_pivot_remains(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const struct rc_pivot *pivot, size_t count, double *remains,
                     struct rc_error *err)
{
    struct rc_columns rest = {0}, along = {0};
    struct rc_space space = {.count = 0};
    size_t rows = matrix->rows, all = matrix->columns, block = matrix->block;
    int status;

    if ((status = rc_space_init(rows, &space, err)) == RC_OK &&
        (status = rc_columns_init(grid, rows, all, block, &rest, err)) == RC_OK)
        status = rc_columns_init(grid, count, all, block, &along, err);
    if ((status = rc_agree(grid->comm, status, err)) != RC_OK)
        goto out;
    for (size_t k = 0; k < count; k++) { /* builds the basis of the chosen columns */
        int owner = rc_columns_owner(grid, matrix, pivot[k].event);
        if (grid->rank == owner) {
            size_t local = rc_columns_local(grid, matrix, pivot[k].event);
            copy_cut(space.rest, matrix->data + local * rows, rows);
            orthogonalize(&space);
        }
        rc_space_send(grid, owner, &space);
        rc_space_append(&space);
    }
    const struct rc_whole q = {rows, count, space.q}, turn = {rows, rows, space.turn};
    for (size_t j = 0; j < matrix->local; j++)
        copy_cut(rest.data + j * rows, matrix->data + j * rows, rows);
    for (int twice = 0; twice < 2 && count > 0; twice++) {
        rc_columns_multiply(1, &turn, &rest, 0, &along);
        rc_columns_multiply(-1, &q, &along, 1, &rest);
    }
    for (size_t j = 0; j < rest.local; j++)
        remains[j] = rc_norm(rest.data + j * rows, rows);
out:
    rc_columns_fini(&along);
    rc_columns_fini(&rest);
    rc_space_fini(&space);
    return status;
}
