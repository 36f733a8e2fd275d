/* Chooses events by the specialised pivoted QR (docs/solve.md, step 6).
 *
 * Each rank has its own columns in a heap, the best in front.  In each round it offers
 * the first one that the chosen ones do not span; the best of all offers is chosen, and
 * its owner sends the remainder, which becomes the next vector of the basis
 * (pivot_space.c).
 */
#include "solve/algebra/pivot.h"
#include "solve/algebra/pivot_parts.h"

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>

/* The order in which columns are chosen, compared from the first member to the last.
 * All are doubles so that ranks can send them as they are; numbers are exact.  In a
 * rank's pool 'number' is that of the local column, which gives the same order.
 */
struct key {
    double tier, score, norm, number;
};

static bool is_before(const struct key *a, const struct key *b)
{
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->score != b->score)
        return a->score < b->score;
    if (a->norm != b->norm)
        return a->norm < b->norm;
    return a->number < b->number;
}

/* The columns of this rank that may be chosen. */
struct pool {
    const struct rc_grid *grid;
    const struct rc_columns *matrix;
    struct rc_arena arena; /* of both arrays */
    size_t count;
    struct key *key;  /* in the order of their numbers; scores are not set */
    struct key *heap; /* room for as many; 'key' itself if there is only one alpha */
    size_t heap_count;
};

static const double *column_of(const struct pool *pool, const struct key *key)
{
    return pool->matrix->data + (size_t)key->number * pool->matrix->rows;
}

static int pool_init(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const uint8_t *tier, bool many, struct pool *out,
                     struct rc_error *err)
{
    out->grid = grid;
    out->matrix = matrix;
    out->key = rc_arena_array(&out->arena, matrix->local, sizeof *out->key);
    out->heap =
        many ? rc_arena_array(&out->arena, matrix->local, sizeof *out->heap) : out->key;
    const int status = rc_arena_check(&out->arena, err, "the choice of events");
    if (status != RC_OK)
        return status;
    for (size_t j = 0; j < matrix->local; j++) {
        if (tier[j] == RC_PIVOT_NEVER)
            continue;
        double norm = rc_pivot_norm(matrix->data + j * matrix->rows, matrix->rows);
        if (norm > 0 && isfinite(norm)) /* a NAN in it makes it NAN */
            out->key[out->count++] = (struct key){
                .tier = tier[j],
                .norm = norm,
                .number = (double)j,
            };
    }
    return RC_OK;
}

/* Whether a kept key equals another in all that decides, except for its number. */
static bool is_same_column(const void *context, size_t item, const void *wanted)
{
    const struct pool *pool = context;
    const struct key *kept = &pool->key[item], *key = wanted;
    const double *a = column_of(pool, kept), *b = column_of(pool, key);
    size_t rows = pool->matrix->rows;

    if (kept->tier != key->tier || kept->norm != key->norm)
        return false;
    double cut_a = rc_pivot_cutter(a, rows), cut_b = rc_pivot_cutter(b, rows);
    for (size_t i = 0; i < rows; i++)
        if (rc_pivot_cut(a[i], cut_a) != rc_pivot_cut(b[i], cut_b))
            return false;
    return true;
}

/* Only the first of equal columns can ever be chosen, whatever alpha is: with many
 * alphas to try, the others are dropped.
 */
static int pool_unique(struct pool *pool, struct rc_error *err)
{
    struct rc_map map = {.same = is_same_column};
    const size_t rows = pool->matrix->rows;
    size_t kept = 0;

    if (rc_map_reserve(&map, pool->count)) {
        rc_map_fini(&map);
        return rc_fail(err, RC_ENOMEM, "no memory to compare %zu events", pool->count);
    }
    for (size_t k = 0; k < pool->count; k++) {
        const struct key key = pool->key[k];
        const double *column = column_of(pool, &key);
        const double c = rc_pivot_cutter(column, rows);
        uint64_t hash = 0;
        for (size_t i = 0; i < rows; i++) {
            double u = rc_pivot_cut(column[i], c) + 0.0; /* -0 is 0 */
            hash = rc_text_hash_more(hash, &u, sizeof u);
        }
        if (rc_map_find(&map, pool, hash, &key) != RC_MAP_NONE)
            continue;
        pool->key[kept] = key;
        rc_map_put(&map, pool, hash, &key, kept++);
    }
    pool->count = kept;
    rc_map_fini(&map);
    return RC_OK;
}

static void sift_down(struct key *heap, size_t count, size_t at)
{
    struct key key = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &key))
            break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

static void pop_heap(struct pool *pool)
{
    pool->heap[0] = pool->heap[--pool->heap_count];
    if (pool->heap_count > 0)
        sift_down(pool->heap, pool->heap_count, 0);
}

static void make_heap(struct pool *pool)
{
    for (size_t at = pool->heap_count / 2; at-- > 0;)
        sift_down(pool->heap, pool->heap_count, at);
}

struct rc_chooser {
    struct pool pool;
    struct rc_space space;
    MPI_Datatype key_type; /* of struct key */
    MPI_Op least;          /* least_key() */
};

static void least_key(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct key *a = in;
    struct key *b = inout;

    (void)type;
    for (int i = 0; i < *count; i++)
        if (is_before(&a[i], &b[i]))
            b[i] = a[i];
}

void rc_chooser_close(struct rc_chooser *chooser)
{
    if (!chooser)
        return;
    rc_arena_free(&chooser->pool.arena);
    rc_space_fini(&chooser->space);
    if (chooser->key_type != MPI_DATATYPE_NULL)
        MPI_Type_free(&chooser->key_type);
    if (chooser->least != MPI_OP_NULL)
        MPI_Op_free(&chooser->least);
    free(chooser);
}

int rc_chooser_create(const struct rc_grid *grid, const struct rc_columns *matrix,
                      const uint8_t *tier, bool many, struct rc_chooser **out,
                      struct rc_error *err)
{
    struct rc_chooser *chooser = rc_calloc(1, sizeof *chooser);
    int status;

    *out = NULL;
    if (!chooser) {
        status = rc_fail(err, RC_ENOMEM, "no memory for the choice of events");
        goto agree;
    }
    chooser->key_type = MPI_DATATYPE_NULL;
    chooser->least = MPI_OP_NULL;
    if ((status = pool_init(grid, matrix, tier, many, &chooser->pool, err)) ||
        (many && (status = pool_unique(&chooser->pool, err))))
        goto agree;
    status = rc_space_init(matrix->rows, &chooser->space, err);
agree:
    if ((status = rc_agree(grid->comm, status, err)) != RC_OK) {
        rc_chooser_close(chooser);
        return status;
    }
    if (grid->comm != MPI_COMM_NULL) {
        MPI_Type_contiguous(sizeof(struct key) / sizeof(double), MPI_DOUBLE,
                            &chooser->key_type);
        MPI_Type_commit(&chooser->key_type);
        MPI_Op_create(least_key, 1, &chooser->least);
    }
    *out = chooser;
    return RC_OK;
}

static bool is_independent(const struct pool *pool, const struct key *key, double alpha,
                           struct rc_space *space)
{
    double least = rc_pivot_least(space->rows, alpha, key->norm);

    return rc_space_leaves(space, column_of(pool, key), key->norm, least);
}

enum { AHEAD = 16 }; /* columns to prefetch, as they are far from each other */

/* Removes all dependent columns from the heap. */
static void filter_heap(struct pool *pool, double alpha, struct rc_space *space)
{
    size_t kept = 0;

    for (size_t k = 0; k < pool->heap_count; k++) {
        if (k + AHEAD < pool->heap_count)
            __builtin_prefetch(column_of(pool, &pool->heap[k + AHEAD]));
        if (is_independent(pool, &pool->heap[k], alpha, space))
            pool->heap[kept++] = pool->heap[k];
    }
    pool->heap_count = kept;
    make_heap(pool);
}

/* The first of this rank's columns that is independent of the chosen ones.  Rejected
 * columns stay so, as more columns are chosen.  Rejecting one by one reaches the first
 * good one sooner, and the end later.
 */
static struct key offer_key(struct rc_chooser *chooser, double alpha)
{
    struct pool *pool = &chooser->pool;
    size_t rejected = 0;

    while (pool->heap_count > 0) {
        struct key head = pool->heap[0];
        if (is_independent(pool, &head, alpha, &chooser->space)) {
            head.number = (double)rc_columns_global(pool->grid, pool->matrix,
                                                    (size_t)head.number);
            return head;
        }
        pop_heap(pool);
        if (++rejected > 64 + pool->heap_count / 64) {
            filter_heap(pool, alpha, &chooser->space);
            rejected = 0;
        }
    }
    return (struct key){.tier = INFINITY};
}

/* Ranks whose columns are used up keep listening. */
size_t rc_chooser_choose(struct rc_chooser *chooser, double alpha,
                         struct rc_pivot *pivot)
{
    struct pool *pool = &chooser->pool;
    const struct rc_grid *grid = pool->grid;
    struct rc_space *space = &chooser->space;
    const double beta = alpha * sqrt((double)space->rows);

    space->count = pool->heap_count = 0;
    /* Columns that can have a remainder go into the heap. */
    for (size_t k = 0; k < pool->count; k++) {
        struct key key = pool->key[k];
        if (k + AHEAD < pool->count)
            __builtin_prefetch(column_of(pool, &pool->key[k + AHEAD]));
        if (key.norm < beta)
            continue;
        key.score = rc_pivot_score(column_of(pool, &key), space->rows, alpha);
        pool->heap[pool->heap_count++] = key;
    }
    make_heap(pool);
    while (space->count < space->rows) {
        struct key best = offer_key(chooser, alpha);
        rc_team_reduce(grid->comm, &best, 1, chooser->key_type, chooser->least);
        if (isinf(best.tier))
            break;
        int owner = rc_columns_owner(grid, pool->matrix, (size_t)best.number);
        if (grid->rank == owner)
            pop_heap(pool); /* offer_key() has left its remainder in space->rest */
        rc_space_send(grid, owner, space);
        pivot[space->count] = (struct rc_pivot){.event = (size_t)best.number,
                                                .score = best.score,
                                                .norm = space->rest[space->rows]};
        rc_space_append(space);
    }
    return space->count;
}

int rc_pivot_check_alpha(double alpha, struct rc_error *err)
{
    if (alpha > 0 && isfinite(alpha))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "alpha is %g, expected a number above 0", alpha);
}

int rc_pivot_select(const struct rc_grid *grid, const struct rc_columns *matrix,
                    const uint8_t *tier, double alpha, struct rc_pivot *pivot,
                    size_t *count, struct rc_error *err)
{
    struct rc_chooser *chooser = NULL;
    int status;

    *count = 0;
    if ((status = rc_agree(grid->comm, rc_pivot_check_alpha(alpha, err), err)) ||
        (status = rc_chooser_create(grid, matrix, tier, false, &chooser, err)))
        return status;
    *count = rc_chooser_choose(chooser, alpha, pivot);
    rc_chooser_close(chooser);
    return RC_OK;
}
