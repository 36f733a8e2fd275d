/* columns.h - spread matrices for tests, and ranks that run out of memory */
#ifndef RC_TESTS_LIB_COLUMNS_H
#define RC_TESTS_LIB_COLUMNS_H

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "solve/algebra/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix from a whole one, which all ranks have. */
static inline void redistribution(const struct rc_grid *grid, const double *whole,
                                  size_t rows, size_t columns, size_t block,
                                  struct rc_columns *out)
{
    struct rc_error err = {0};

    assert_int_equal(rc_columns_init(grid, rows, columns, block, out, &err), RC_OK);
    for (size_t j = 0; j < out->local; j++)
        memcpy(out->data + j * rows, whole + rc_columns_global(grid, out, j) * rows,
               rows * sizeof *whole);
}

/* Between 0 and 1. */
static inline double columns_random(uint64_t *state)
{
    return 0x1p-53 * (double)(rc_mix_next(state) >> 11);
}

/* With -Wl,--wrap=rc_calloc,--wrap=rc_arena_array: 'columns_calls' counts the calls of
 * both; the call that makes 'columns_fail_in' 0 fails.
 */
static size_t columns_calls;
static int columns_fail_in;
void *__real_rc_calloc(size_t count, size_t item_bytes);
void *__wrap_rc_calloc(size_t count, size_t item_bytes);
void *__wrap_rc_calloc(size_t count, size_t item_bytes)
{
    columns_calls++;
    if (columns_fail_in > 0 && --columns_fail_in == 0)
        return NULL;
    return __real_rc_calloc(count, item_bytes);
}

void *__real_rc_arena_array(struct rc_arena *arena, size_t count, size_t item_bytes);
void *__wrap_rc_arena_array(struct rc_arena *arena, size_t count, size_t item_bytes);
void *__wrap_rc_arena_array(struct rc_arena *arena, size_t count, size_t item_bytes)
{
    columns_calls++;
    if (columns_fail_in > 0 && --columns_fail_in == 0) {
        arena->failed = true;
        return NULL;
    }
    return __real_rc_arena_array(arena, count, item_bytes);
}

/* Runs 'work' with each rank failing in turn, at each of its allocations: all must
 * hear of it, as no memory, and who it was; and afterwards it must work.
 */
static inline void columns_fail_each_rank(const struct rc_grid *grid,
                                          int (*work)(const struct rc_grid *grid,
                                                      struct rc_error *err))
{
    struct rc_error err = {0};
    unsigned long allocations;

    columns_calls = 0;
    assert_int_equal(work(grid, &err), RC_OK);
    allocations = columns_calls;
    if (grid->comm != MPI_COMM_NULL)
        MPI_Allreduce(MPI_IN_PLACE, &allocations, 1, MPI_UNSIGNED_LONG, MPI_MIN,
                      grid->comm);
    assert_true(allocations > 0);
    for (int bad = 0; bad < grid->ranks; bad++)
        for (unsigned long a = 1; a <= allocations; a++) {
            columns_fail_in = grid->rank == bad ? (int)a : 0;
            assert_int_equal(work(grid, &err), RC_ENOMEM);
            columns_fail_in = 0;
            if (grid->comm != MPI_COMM_NULL)
                assert_int_equal(err.rank, bad);
        }
    assert_int_equal(work(grid, &err), RC_OK);
}

#endif
