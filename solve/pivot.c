#include "solve/pivot.h"

#include "campaign/base/agree.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "solve/scalapack.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The order in which columns are taken, compared from the first to the last.  All
 * are doubles so that ranks can send them as they are; numbers are exact.  In a
 * rank's pool they are those of its local columns, which have the same order.
 */
struct key {
    double tier, score, norm, number;
};

static bool before(const struct key *a, const struct key *b)
{
    if (a->tier != b->tier)
        return a->tier < b->tier;
    if (a->score != b->score)
        return a->score < b->score;
    if (a->norm != b->norm)
        return a->norm < b->norm;
    return a->number < b->number;
}

/* The largest of 1 and the numbers of a column without their signs, which are in the
 * order of their bits, if taken for whole numbers: those are compared faster.  A NAN
 * is above all.
 */
static double most_of(const double *column, size_t rows)
{
    uint64_t most = UINT64_C(0x3ff) << 52, bits; /* 1 */
    double value;

    for (size_t i = 0; i < rows; i++) {
        memcpy(&bits, &column[i], sizeof bits);
        bits &= UINT64_MAX >> 1;
        most = bits > most ? bits : most;
    }
    memcpy(&value, &most, sizeof value);
    return value;
}

/* What u + c - c needs to cut u to a multiple of the grain.  A column of large
 * numbers has large rounding errors in all of them, so its grain grows with the
 * power of two below its largest number.  Powers of two are what columns often hold,
 * and must not fall to either side by their rounding: hence the factor.
 */
static double cutter(const double *column, size_t rows)
{
    double most = most_of(column, rows) * 1.001, power;
    uint64_t bits;

    memcpy(&bits, &most, sizeof bits);
    bits &= UINT64_C(0x7ff) << 52; /* the exponent alone */
    memcpy(&power, &bits, sizeof power);
    return power * (0x1.8p52 * RC_PIVOT_GRAIN);
}

static double cut(double u, double cutter)
{
    return (u + cutter) - cutter;
}

/* To 36 bits (Veltkamp's splitting): sums of the same numbers in another order
 * are equal.
 */
static double tidy(double sum)
{
    double large = sum * (0x1p17 + 1);

    return large - (large - sum);
}

static double norm_of(const double *column, size_t rows)
{
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += column[i] * column[i];
    return sqrt(sum);
}

static double cut_norm(const double *column, size_t rows)
{
    double c = cutter(column, rows), sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += cut(column[i], c) * cut(column[i], c);
    return tidy(sqrt(sum));
}

/* Sc(|R(u)|) of method.md. */
static double weight(double u, double alpha)
{
    double quotient = u / alpha;

    /* Above 2^52 all doubles are whole. */
    double v = fabs(quotient) < 0x1p52 ? fabs(alpha * floor(quotient + 0.5)) : fabs(u);
    return v > 0 && v < 1 ? 1 / v : v;
}

double rc_pivot_score(const double *column, size_t rows, double alpha)
{
    double c = cutter(column, rows), sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double u = cut(column[i], c);
        if (u != 0)
            sum += weight(u, alpha);
    }
    return tidy(sum);
}

/* The columns that may be chosen, of this rank. */
struct pool {
    const struct rc_grid *grid;
    const struct rc_columns *matrix;
    size_t count;
    struct key *key;  /* in the order of their numbers; scores are not set */
    struct key *heap; /* room for as many; 'key' itself where there is one alpha */
    size_t heap_count;
};

static const double *column_of(const struct pool *pool, const struct key *key)
{
    return pool->matrix->data + (size_t)key->number * pool->matrix->rows;
}

static void pool_fini(struct pool *pool)
{
    if (pool->heap != pool->key)
        free(pool->heap);
    free(pool->key);
}

static int pool_init(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const uint8_t *tier, bool many, struct pool *out,
                     struct rc_error *err)
{
    out->grid = grid;
    out->matrix = matrix;
    out->key = rc_calloc(matrix->local, sizeof *out->key);
    out->heap = many ? rc_calloc(matrix->local, sizeof *out->heap) : out->key;
    if (!out->key || !out->heap)
        return rc_fail(err, RC_ENOMEM, "no memory to choose among %zu events",
                       matrix->local);
    for (size_t j = 0; j < matrix->local; j++) {
        if (tier[j] == RC_PIVOT_NEVER)
            continue;
        double norm = cut_norm(matrix->data + j * matrix->rows, matrix->rows);
        if (norm > 0 && isfinite(norm)) /* a NAN makes it one */
            out->key[out->count++] = (struct key){
                .tier = tier[j],
                .norm = norm,
                .number = (double)j,
            };
    }
    return RC_OK;
}

/* The same as 'kept' in all that decides, but for its number. */
static bool same(const struct pool *pool, const struct key *kept, const struct key *key)
{
    const double *a = column_of(pool, kept), *b = column_of(pool, key);
    size_t rows = pool->matrix->rows;
    double cut_a = cutter(a, rows), cut_b = cutter(b, rows);

    if (kept->tier != key->tier || kept->norm != key->norm)
        return false;
    for (size_t i = 0; i < rows; i++)
        if (cut(a[i], cut_a) != cut(b[i], cut_b))
            return false;
    return true;
}

static uint64_t hash(const struct pool *pool, const struct key *key)
{
    const double *column = column_of(pool, key);
    size_t rows = pool->matrix->rows;
    double c = cutter(column, rows);
    uint64_t value = 0;

    for (size_t i = 0; i < rows; i++) {
        double u = cut(column[i], c) + 0.0; /* -0 is 0 */
        value = rc_text_hash_more(value, &u, sizeof u);
    }
    return value;
}

/* Of columns that are the same only the first can ever be chosen, whatever alpha
 * is: with many alphas to try, forget the others.
 */
static int pool_unique(struct pool *pool, struct rc_error *err)
{
    size_t slots = 16, kept = 0;

    while (slots < 2 * pool->count)
        slots *= 2;
    size_t *slot = rc_calloc(slots, sizeof *slot); /* number in 'key', from 1 */
    if (!slot)
        return rc_fail(err, RC_ENOMEM, "no memory to compare %zu events", pool->count);
    for (size_t k = 0; k < pool->count; k++) {
        struct key key = pool->key[k];
        size_t at = (size_t)hash(pool, &key) & (slots - 1);
        while (slot[at] > 0 && !same(pool, &pool->key[slot[at] - 1], &key))
            at = (at + 1) & (slots - 1);
        if (slot[at] > 0)
            continue;
        pool->key[kept++] = key;
        slot[at] = kept;
    }
    pool->count = kept;
    free(slot);
    return RC_OK;
}

static void sift(struct key *heap, size_t count, size_t at)
{
    struct key key = heap[at];

    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &key))
            break;
        heap[at] = heap[child];
    }
    heap[at] = key;
}

static void pop(struct pool *pool)
{
    pool->heap[0] = pool->heap[--pool->heap_count];
    if (pool->heap_count > 0)
        sift(pool->heap, pool->heap_count, 0);
}

static void make_heap(struct pool *pool)
{
    for (size_t at = pool->heap_count / 2; at-- > 0;)
        sift(pool->heap, pool->heap_count, at);
}

/* Those of which something can be left. */
static void fill_heap(struct pool *pool, double alpha)
{
    size_t rows = pool->matrix->rows, count = 0;
    double beta = alpha * sqrt((double)rows);

    for (size_t k = 0; k < pool->count; k++) {
        struct key key = pool->key[k];
        if (key.norm < beta)
            continue;
        key.score = rc_pivot_score(column_of(pool, &key), rows, alpha);
        pool->heap[count++] = key;
    }
    pool->heap_count = count;
    make_heap(pool);
}

/* What the chosen columns span, as an orthonormal basis, and a column that is looked
 * at.  It is there twice, so that both of the loops over it run along memory.
 */
struct space {
    size_t rows, count;
    double *q;     /* [vector][row] */
    double *turn;  /* [row][vector], 'rows' apart */
    double *along; /* [vector] */
    double *rest;  /* [row], and its norm behind them */
};

static void space_fini(struct space *space)
{
    free(space->q);
    free(space->turn);
    free(space->along);
    free(space->rest);
}

static int space_init(size_t rows, struct space *out, struct rc_error *err)
{
    out->rows = rows;
    out->q = rc_calloc(rows * rows, sizeof *out->q);
    out->turn = rc_calloc(rows * rows, sizeof *out->turn);
    out->along = rc_calloc(rows, sizeof *out->along);
    out->rest = rc_calloc(rows + 1, sizeof *out->rest);
    if (!out->q || !out->turn || !out->along || !out->rest)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu coordinates", rows);
    return RC_OK;
}

/* Sets space->along; what is there of the basis in space->rest. */
static void project(struct space *space)
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

/* Takes space->along away. */
static void deflate(struct space *space)
{
    size_t rows = space->rows;
    double *restrict rest = space->rest;

    for (size_t k = 0; k < space->count; k++) {
        const double *restrict q = space->q + k * rows;
        double along = space->along[k];
        for (size_t i = 0; i < rows; i++)
            rest[i] -= along * q[i];
    }
}

/* Leaves of space->rest what is orthogonal to the basis, and its norm.  Once is not
 * enough where little is left, twice is (Kahan, Parlett).
 */
static double orthogonalize(struct space *space)
{
    for (int twice = 0; twice < 2; twice++) {
        project(space);
        deflate(space);
    }
    space->rest[space->rows] = norm_of(space->rest, space->rows);
    return space->rest[space->rows];
}

/* Makes space->rest, which is orthogonal to the others, the next vector. */
static void append(struct space *space)
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

/* What must be left: beta, and more than cutting may leave. */
static double least_of(size_t rows, double alpha, double norm)
{
    return fmax(alpha * sqrt((double)rows), 0x1p-30 * norm);
}

double rc_pivot_limit(const double *column, size_t rows, double alpha)
{
    double norm = cut_norm(column, rows);

    /* Slack for the rounding of those who compute it in another order. */
    return least_of(rows, alpha, norm) * (1 + 0x1p-20) + 0x1p-40 * norm;
}

static void load(struct space *space, const double *column)
{
    double c = cutter(column, space->rows);

    for (size_t i = 0; i < space->rows; i++)
        space->rest[i] = cut(column[i], c);
}

/* Whether the chosen columns leave enough of this one, which is then in space->rest. */
static bool independent(const struct pool *pool, const struct key *key, double alpha,
                        struct space *space)
{
    double left = key->norm * key->norm, unsure = 0x1p-30 * left;
    double least = least_of(space->rows, alpha, key->norm);

    load(space, column_of(pool, key));
    project(space);
    for (size_t k = 0; k < space->count; k++)
        left -= space->along[k] * space->along[k];
    /* Most often Pythagoras tells, even with the rounding of such a difference. */
    if (left + unsure < least * least / 4)
        return false;
    return orthogonalize(space) >= least;
}

/* All that a choice needs, for one alpha after the other. */
struct chooser {
    struct pool pool;
    struct space space;
    MPI_Datatype key_type;
    MPI_Op least;
};

static void least_key(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct key *a = in;
    struct key *b = inout;

    (void)type;
    for (int i = 0; i < *count; i++)
        if (before(&a[i], &b[i]))
            b[i] = a[i];
}

/* Not collective, but all ranks take it or none. */
static void chooser_fini(struct chooser *chooser)
{
    pool_fini(&chooser->pool);
    space_fini(&chooser->space);
    if (chooser->key_type != MPI_DATATYPE_NULL)
        MPI_Type_free(&chooser->key_type);
    if (chooser->least != MPI_OP_NULL)
        MPI_Op_free(&chooser->least);
}

/* Collective.  On failure there is nothing to fini. */
static int chooser_init(const struct rc_grid *grid, const struct rc_columns *matrix,
                        const uint8_t *tier, bool many, struct chooser *out,
                        struct rc_error *err)
{
    *out = (struct chooser){.key_type = MPI_DATATYPE_NULL, .least = MPI_OP_NULL};
    int status = pool_init(grid, matrix, tier, many, &out->pool, err);
    if (status == RC_OK && many)
        status = pool_unique(&out->pool, err);
    if (status == RC_OK)
        status = space_init(matrix->rows, &out->space, err);
    status = rc_agree(grid->comm, status, err);
    if (status != RC_OK) {
        chooser_fini(out);
        return status;
    }
    if (grid->comm != MPI_COMM_NULL) {
        MPI_Type_contiguous(sizeof(struct key) / sizeof(double), MPI_DOUBLE,
                            &out->key_type);
        MPI_Type_commit(&out->key_type);
        MPI_Op_create(least_key, 1, &out->least);
    }
    return RC_OK;
}

enum { AHEAD = 16 }; /* columns are far from each other: fetched so many before */

/* Takes all that are dependent out of the heap. */
static void filter(struct pool *pool, double alpha, struct space *space)
{
    size_t kept = 0;

    for (size_t k = 0; k < pool->heap_count; k++) {
        if (k + AHEAD < pool->heap_count)
            __builtin_prefetch(column_of(pool, &pool->heap[k + AHEAD]));
        if (independent(pool, &pool->heap[k], alpha, space))
            pool->heap[kept++] = pool->heap[k];
    }
    pool->heap_count = kept;
    make_heap(pool);
}

/* The first of this rank's columns that is independent of the chosen ones.  What is
 * rejected now would be later, too: the chosen ones only become more.  Rejecting one
 * by one is the faster way to the first good one, and the slower one to the end.
 */
static struct key offer(struct chooser *chooser, double alpha)
{
    struct pool *pool = &chooser->pool;
    size_t rejected = 0;

    while (pool->heap_count > 0) {
        struct key head = pool->heap[0];
        if (independent(pool, &head, alpha, &chooser->space)) {
            head.number = (double)rc_columns_global(pool->grid, pool->matrix,
                                                    (size_t)head.number);
            return head;
        }
        pop(pool);
        if (++rejected > 64 + pool->heap_count / 64) {
            filter(pool, alpha, &chooser->space);
            rejected = 0;
        }
    }
    return (struct key){.tier = INFINITY};
}

/* Collective.  What is in space->rest on 'owner', on all. */
static void broadcast(const struct rc_grid *grid, int owner, struct space *space)
{
    int count = (int)space->rows + 1;

    if (grid->comm == MPI_COMM_NULL)
        return;
    if (grid->rank == owner)
        Cdgebs2d(grid->context, "All", " ", count, 1, space->rest, count);
    else
        Cdgebr2d(grid->context, "All", " ", count, 1, space->rest, count, 0, owner);
}

/* Collective, cannot fail: ranks whose columns are used up go on listening. */
static size_t choose(struct chooser *chooser, double alpha, struct rc_pivot *pivot)
{
    const struct rc_grid *grid = chooser->pool.grid;
    struct space *space = &chooser->space;

    space->count = 0;
    fill_heap(&chooser->pool, alpha);
    while (space->count < space->rows) {
        struct key mine = offer(chooser, alpha), best = mine;
        if (grid->comm != MPI_COMM_NULL)
            MPI_Allreduce(&mine, &best, 1, chooser->key_type, chooser->least,
                          grid->comm);
        if (isinf(best.tier))
            break;
        int owner = rc_columns_owner(grid, chooser->pool.matrix, (size_t)best.number);
        if (grid->rank == owner)
            pop(&chooser->pool); /* its rest is what offer() looked at last */
        broadcast(grid, owner, space);
        pivot[space->count] = (struct rc_pivot){.event = (size_t)best.number,
                                                .score = best.score,
                                                .norm = space->rest[space->rows]};
        append(space);
    }
    return space->count;
}

static int check_alpha(double alpha, struct rc_error *err)
{
    if (alpha > 0 && isfinite(alpha))
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "alpha is %g, expected a number above 0", alpha);
}

int rc_pivot_select(const struct rc_grid *grid, const struct rc_columns *matrix,
                    const uint8_t *tier, double alpha, struct rc_pivot *pivot,
                    size_t *count, struct rc_error *err)
{
    struct chooser chooser;

    *count = 0;
    int status = rc_agree(grid->comm, check_alpha(alpha, err), err);
    if (status == RC_OK)
        status = chooser_init(grid, matrix, tier, false, &chooser, err);
    if (status != RC_OK)
        return status;
    *count = choose(&chooser, alpha, pivot);
    chooser_fini(&chooser);
    return RC_OK;
}

/* Collective.  The basis of what the chosen columns span. */
static void span(const struct rc_grid *grid, const struct rc_columns *matrix,
                 const struct rc_pivot *pivot, size_t count, struct space *space)
{
    for (size_t k = 0; k < count; k++) {
        int owner = rc_columns_owner(grid, matrix, pivot[k].event);
        if (grid->rank == owner) {
            size_t local = rc_columns_local(grid, matrix, pivot[k].event);
            load(space, matrix->data + local * matrix->rows);
            orthogonalize(space);
        }
        broadcast(grid, owner, space);
        append(space);
    }
}

int rc_pivot_remains(const struct rc_grid *grid, const struct rc_columns *matrix,
                     const struct rc_pivot *pivot, size_t count, double *remains,
                     struct rc_error *err)
{
    struct rc_columns rest = {0}, along = {0};
    struct space space = {0};
    size_t rows = matrix->rows, all = matrix->columns, block = matrix->block;

    int status = space_init(rows, &space, err);
    if (status == RC_OK)
        status = rc_columns_init(grid, rows, all, block, &rest, err);
    if (status == RC_OK)
        status = rc_columns_init(grid, count, all, block, &along, err);
    status = rc_agree(grid->comm, status, err);
    if (status != RC_OK)
        goto out;
    span(grid, matrix, pivot, count, &space);
    const struct rc_whole q = {rows, count, space.q};
    for (size_t j = 0; j < matrix->local; j++) {
        const double *column = matrix->data + j * rows;
        double c = cutter(column, rows);
        for (size_t i = 0; i < rows; i++)
            rest.data[i + j * rows] = cut(column[i], c);
    }
    for (int twice = 0; twice < 2 && count > 0; twice++) {
        rc_columns_multiply(grid, 1, &q, true, &rest, 0, &along);
        rc_columns_multiply(grid, -1, &q, false, &along, 1, &rest);
    }
    for (size_t j = 0; j < rest.local; j++)
        remains[j] = rc_norm(rest.data + j * rows, rows);
out:
    rc_columns_fini(&along);
    rc_columns_fini(&rest);
    space_fini(&space);
    return status;
}

/* The alphas that are tried: numbers 0 to 9 * steps. */
enum { DECADES = 9 };

static double alpha_of(int number, int steps)
{
    return pow(10, (double)number / steps - DECADES);
}

/* A selection, to compare others with. */
struct selection {
    struct rc_pivot *pivot;
    double *x; /* the chosen columns */
    size_t count;
};

/* A chooser and two selections. */
struct trials {
    struct chooser chooser;
    size_t rows;
    double within; /* columns that differ by no more are as good as each other */
    struct selection now, other;
};

static bool as_good(const struct trials *t, const struct selection *a, size_t i,
                    const struct selection *b, size_t j)
{
    const double *x = a->x + i * t->rows, *y = b->x + j * t->rows;

    if (a->pivot[i].event == b->pivot[j].event)
        return true;
    for (size_t r = 0; r < t->rows; r++)
        if (fabs(x[r] - y[r]) > t->within)
            return false;
    return t->within > 0;
}

/* Each one of the first selection has its like in the second one. */
static bool all_in(const struct trials *t, const struct selection *a,
                   const struct selection *b)
{
    for (size_t i = 0; i < a->count; i++) {
        size_t j = 0;
        while (j < b->count && !as_good(t, a, i, b, j))
            j++;
        if (j == b->count)
            return false;
    }
    return true;
}

/* The same events or ones as good, in whatever order. */
static bool equal(const struct trials *t)
{
    return t->now.count == t->other.count && all_in(t, &t->now, &t->other) &&
           all_in(t, &t->other, &t->now);
}

static void trials_fini(struct trials *trials)
{
    chooser_fini(&trials->chooser);
    free(trials->now.pivot);
    free(trials->now.x);
    free(trials->other.pivot);
    free(trials->other.x);
}

/* Collective.  On failure there is nothing to fini. */
static int trials_init(const struct rc_grid *grid, const struct rc_columns *matrix,
                       const uint8_t *tier, double within, int steps,
                       struct trials *out, struct rc_error *err)
{
    const size_t square = matrix->rows * matrix->rows;
    int status = RC_OK;

    *out = (struct trials){.rows = matrix->rows, .within = within};
    out->now.x = rc_calloc(square, sizeof *out->now.x);
    out->other.x = rc_calloc(square, sizeof *out->other.x);
    out->now.pivot = rc_calloc(matrix->rows, sizeof *out->now.pivot);
    out->other.pivot = rc_calloc(matrix->rows, sizeof *out->other.pivot);
    if (steps < 1)
        status = rc_fail(err, RC_EUSAGE, "%d steps, expected at least 1", steps);
    else if (!out->now.pivot || !out->other.pivot || !out->now.x || !out->other.x)
        status = rc_fail(err, RC_ENOMEM, "no memory for two selections");
    status = rc_agree(grid->comm, status, err);
    if (status == RC_OK)
        status = chooser_init(grid, matrix, tier, true, &out->chooser, err);
    if (status != RC_OK) {
        free(out->now.pivot);
        free(out->now.x);
        free(out->other.pivot);
        free(out->other.x);
    }
    return status;
}

/* Collective. */
static void try(struct trials *trials, const struct rc_grid *grid, double alpha,
                struct selection *out)
{
    const struct rc_columns *matrix = trials->chooser.pool.matrix;

    out->count = choose(&trials->chooser, alpha, out->pivot);
    memset(out->x, 0, matrix->rows * matrix->rows * sizeof *out->x);
    for (size_t k = 0; k < out->count && trials->within > 0; k++)
        if (rc_columns_owner(grid, matrix, out->pivot[k].event) == grid->rank)
            memcpy(out->x + k * matrix->rows,
                   matrix->data + rc_columns_local(grid, matrix, out->pivot[k].event) *
                                      matrix->rows,
                   matrix->rows * sizeof *out->x);
    if (grid->comm != MPI_COMM_NULL && trials->within > 0)
        MPI_Allreduce(MPI_IN_PLACE, out->x, (int)(matrix->rows * matrix->rows),
                      MPI_DOUBLE, MPI_SUM, grid->comm);
}

int rc_pivot_range(const struct rc_grid *grid, const struct rc_columns *matrix,
                   const uint8_t *tier, double alpha, int steps, double *low,
                   double *high, struct rc_error *err)
{
    struct trials trials;
    int first = 0;

    *low = *high = alpha;
    int status = rc_agree(grid->comm, check_alpha(alpha, err), err);
    if (status == RC_OK)
        status = trials_init(grid, matrix, tier, alpha, steps, &trials, err);
    if (status != RC_OK)
        return status;
    try(&trials, grid, alpha, &trials.other);
    while (first <= DECADES * steps && alpha_of(first, steps) <= alpha)
        first++;
    for (int i = first; i <= DECADES * steps; i++) {
        try(&trials, grid, alpha_of(i, steps), &trials.now);
        if (!equal(&trials))
            break;
        *high = alpha_of(i, steps);
    }
    for (int i = first - 1; i >= 0; i--) {
        try(&trials, grid, alpha_of(i, steps), &trials.now);
        if (!equal(&trials))
            break;
        *low = alpha_of(i, steps);
    }
    trials_fini(&trials);
    return RC_OK;
}

/* Numbers of alphas with one and the same selection. */
struct run {
    int first, last;
    bool empty; /* nothing is chosen */
};

static bool wider(const struct run *a, const struct run *b)
{
    if (a->empty != b->empty)
        return b->empty;
    return a->last - a->first > b->last - b->first;
}

int rc_pivot_scan(const struct rc_grid *grid, const struct rc_columns *matrix,
                  const uint8_t *tier, int steps, double *alpha, double *low,
                  double *high, struct rc_error *err)
{
    struct trials trials;
    struct run run = {0}, widest = {0};

    int status = trials_init(grid, matrix, tier, 0, steps, &trials, err);
    if (status != RC_OK)
        return status;
    for (int i = 0; i <= DECADES * steps; i++) {
        try(&trials, grid, alpha_of(i, steps), &trials.now);
        if (i == 0 || !equal(&trials)) {
            struct selection spare = trials.other;
            trials.other = trials.now;
            trials.now = spare;
            run.first = i;
        }
        run.last = i;
        run.empty = trials.other.count == 0;
        if (i == 0 || wider(&run, &widest))
            widest = run;
    }
    *low = alpha_of(widest.first, steps);
    *high = alpha_of(widest.last, steps);
    *alpha = alpha_of((widest.first + widest.last) / 2, steps);
    trials_fini(&trials);
    return RC_OK;
}
