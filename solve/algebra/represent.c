/* Least squares of events over a basis, distributed.
 *
 * The basis is small and the same on all ranks; LAPACK's QR of it is applied to the
 * readings where they are (solve/algebra/grid.h).  A singular value decomposition on
 * each rank finds out whether its columns are independent.  See docs/solve.md, step 3.
 */
#include "solve/algebra/represent.h"

#include "campaign/base/agree.h"
#include "campaign/base/arena.h"
#include "campaign/base/gather.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "solve/algebra/scalapack.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Singular values below this share of the largest count as 0. */
#define DEPENDENT 1e-10

/* Entries of a unit vector below this are rounding. */
#define ABSENT 1e-6

/* The singular value decomposition of a basis with its columns scaled to norm 1. */
struct svd {
    struct rc_arena arena;
    int points, coordinates, rank; /* rank: singular values that are not about 0 */
    double *u, *value, *vt;
};

static double largest(const double *column, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(column[i]));
    return most;
}

/* Scales in two steps, so that numbers near the ends of the range are kept. */
static void copy_scaled(double *to, const double *from, size_t count)
{
    double most = largest(from, count);

    if (most > 0)
        for (size_t i = 0; i < count; i++)
            to[i] = from[i] / most;
    double norm = rc_norm(to, count);
    for (size_t i = 0; i < count && norm > 0; i++)
        to[i] /= norm;
}

/* On success rc_arena_free(&out->arena) is due; 'err' may be NULL. */
static int decompose(const struct rc_basis *basis, struct svd *out,
                     struct rc_error *err)
{
    const size_t points = basis->points, coordinates = basis->coordinates;
    const int m = (int)points, n = (int)coordinates;
    const int least = m < n ? m : n, room = 64 * (m + n) + 8;
    const size_t values = (size_t)least, number = sizeof(double);
    struct svd svd = {.points = m, .coordinates = n};
    double *scaled = rc_arena_array(&svd.arena, points * coordinates, number);
    double *work = rc_arena_array(&svd.arena, (size_t)room, number);
    int info = 0, status;

    svd.u = rc_arena_array(&svd.arena, points * values, number);
    svd.value = rc_arena_array(&svd.arena, values, number);
    svd.vt = rc_arena_array(&svd.arena, values * coordinates, number);
    if ((status = rc_arena_check(&svd.arena, err, "a basis")) != RC_OK)
        goto out;
    for (size_t i = 0; i < coordinates; i++)
        copy_scaled(scaled + i * points, basis->value + i * points, points);
    dgesvd_("S", "S", &m, &n, scaled, &m, svd.value, svd.u, &m, svd.vt, &least, work,
            &room, &info);
    if (info)
        status = rc_fail(err, RC_EUNSUPPORTED, "LAPACK's DGESVD returned %d", info);
    while (svd.rank < least && svd.value[svd.rank] > DEPENDENT * svd.value[0])
        svd.rank++;
out:
    if (status != RC_OK)
        rc_arena_free(&svd.arena);
    *out = svd;
    return status;
}

/* RC_EUSAGE with the marked columns. */
static int blame_columns(const struct rc_basis *basis, const bool *marked,
                         const char *what, struct rc_error *err)
{
    char names[RC_ERROR_TEXT / 2] = "";
    const char *between = "";
    size_t more = 0;

    for (size_t i = 0; i < basis->coordinates; i++) {
        if (!marked[i])
            continue;
        if (more > 0 || strlen(names) + strlen(basis->name[i]) + 32 > sizeof names) {
            more++;
            continue;
        }
        rc_text_append(names, sizeof names, "%s'%s'", between, basis->name[i]);
        between = ", ";
    }
    if (more > 0)
        rc_text_append(names, sizeof names, "%s%zu more", between, more);
    return rc_fail(err, RC_EUSAGE, "the basis has %s: %s", what, names);
}

static bool not_finite(const double *column, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(column[i]))
            return true;
    return false;
}

static bool all_zero(const double *column, size_t count)
{
    return largest(column, count) <= 0;
}

/* RC_EUSAGE if 'is' holds for any column. */
static int refuse_columns(const struct rc_basis *basis, bool *marked,
                          bool (*is)(const double *column, size_t count),
                          const char *what, struct rc_error *err)
{
    bool any = false;

    for (size_t i = 0; i < basis->coordinates; i++) {
        marked[i] = is(basis->value + i * basis->points, basis->points);
        any |= marked[i];
    }
    return any ? blame_columns(basis, marked, what, err) : RC_OK;
}

/* Each vector that the basis maps to 0 is a relation between the columns where the
 * vector is not 0.  The vector nearest the unit vector of the first column with a part
 * in any relation is used, so that independent relations are not named together.  It is
 * x - V V' x, where V spans the complement: the vectors of singular values other than
 * zero.
 */
static int refuse_dependent(const struct rc_basis *basis, const struct svd *svd,
                            bool *marked, struct rc_error *err)
{
    size_t n = basis->coordinates;
    bool found = false;

    for (size_t first = 0; first < n && !found; first++)
        for (size_t i = 0; i < n; i++) {
            double part = i == first;
            for (size_t r = 0; r < (size_t)svd->rank; r++)
                part -= svd->vt[r + first * n] * svd->vt[r + i * n];
            marked[i] = fabs(part) > ABSENT;
            found |= marked[i];
        }
    return blame_columns(basis, marked, "columns that depend on each other", err);
}

int rc_basis_check(const struct rc_basis *basis, double *condition,
                   struct rc_error *err)
{
    bool *marked = rc_calloc(basis->coordinates, sizeof *marked);
    struct svd svd = {.rank = 0};
    char few[96];
    int status;

    if (!marked)
        return rc_fail(err, RC_ENOMEM, "no memory for a basis");
    if (basis->coordinates == 0)
        status = rc_fail(err, RC_EUSAGE, "the basis has no columns");
    else if (basis->points > INT_MAX / basis->coordinates / 128)
        status = rc_fail(err, RC_EUNSUPPORTED, "the basis is too large: %zu x %zu",
                         basis->points, basis->coordinates);
    else
        status = refuse_columns(basis, marked, not_finite,
                                "numbers that are not finite in columns", err);
    if (status != RC_OK)
        goto out;
    if (basis->points < basis->coordinates) {
        memset(marked, true, basis->coordinates * sizeof *marked);
        snprintf(few, sizeof few, "fewer points (%zu) than columns (%zu)",
                 basis->points, basis->coordinates);
        status = blame_columns(basis, marked, few, err);
        goto out;
    }
    status = refuse_columns(basis, marked, all_zero, "columns that are 0 on all points",
                            err);
    if (status != RC_OK || (status = decompose(basis, &svd, err)) != RC_OK)
        goto out;
    if (svd.rank < svd.coordinates)
        status = refuse_dependent(basis, &svd, marked, err);
    else if (condition)
        *condition = svd.value[0] / svd.value[svd.coordinates - 1];
out:
    rc_arena_free(&svd.arena);
    free(marked);
    return status;
}

/* Takes off the components along the first 'rank' columns of u. */
static void deflate(const struct svd *svd, double *column)
{
    size_t m = (size_t)svd->points;

    for (size_t r = 0; r < (size_t)svd->rank; r++) {
        const double *u = svd->u + r * m;
        double along = 0;
        for (size_t i = 0; i < m; i++)
            along += u[i] * column[i];
        for (size_t i = 0; i < m; i++)
            column[i] -= along * u[i];
    }
}

double rc_basis_distance(const struct rc_basis *basis, const double *column)
{
    struct svd svd = {.rank = 0};
    double distance = -1;
    double *rest = rc_calloc(basis->points, sizeof *rest);

    if (!rest)
        return -1;
    copy_scaled(rest, column, basis->points);
    if (basis->coordinates == 0 || basis->points == 0)
        distance = rc_norm(rest, basis->points);
    else if (decompose(basis, &svd, NULL) == RC_OK) {
        deflate(&svd, rest);
        deflate(&svd, rest); /* the first time leaves its rounding */
        distance = rc_norm(rest, basis->points);
    }
    rc_arena_free(&svd.arena);
    free(rest);
    return distance;
}

/* E = Q R; Q is points x coordinates, and 'turn' is Q'. */
struct factors {
    struct rc_arena arena;
    double *q, *turn, *r, *tau, *work;
    int room; /* numbers in 'work' */
};

static int factors_init(const struct rc_basis *basis, struct factors *out,
                        struct rc_error *err)
{
    const size_t m = basis->points, n = basis->coordinates, number = sizeof(double);

    out->room = (int)(n * (m + 2 * n + 64)); /* for each of the four routines */
    out->q = rc_arena_array(&out->arena, m * n, number);
    out->turn = rc_arena_array(&out->arena, m * n, number);
    out->r = rc_arena_array(&out->arena, n * n, number);
    out->tau = rc_arena_array(&out->arena, n, number);
    out->work = rc_arena_array(&out->arena, (size_t)out->room, number);
    const int status = rc_arena_check(&out->arena, err, "a basis");
    if (status != RC_OK)
        return status;
    memcpy(out->q, basis->value, m * n * number);
    return RC_OK;
}

/* Collective.  All ranks get rank 0's factors, to the last bit. */
static int factorize(const struct rc_grid *grid, const struct rc_basis *basis,
                     struct factors *f, struct rc_error *err)
{
    const int m = (int)basis->points, n = (int)basis->coordinates;
    int info = 0;

    if (grid->rank == 0) {
        dgeqrf_(&m, &n, f->q, &m, f->tau, f->work, &f->room, &info);
        /* R is on and above the diagonal until Q is made in its place. */
        for (int j = 0; j < n; j++)
            for (int i = 0; i <= j; i++)
                f->r[i + j * n] = f->q[i + j * m];
        if (info == 0)
            dorgqr_(&m, &n, &n, f->q, &m, f->tau, f->work, &f->room, &info);
    }
    rc_broadcast(grid->comm, 0, f->q, (size_t)m * (size_t)n * sizeof *f->q);
    rc_broadcast(grid->comm, 0, f->r, (size_t)n * (size_t)n * sizeof *f->r);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            f->turn[j + i * n] = f->q[i + j * m];
    if (info)
        return rc_fail(err, RC_EUNSUPPORTED, "the QR factorization returned %d", info);
    return RC_OK;
}

int rc_represent(const struct rc_grid *grid, const struct rc_basis *basis,
                 struct rc_columns *readings, struct rc_columns *out, double **residual,
                 struct rc_error *err)
{
    size_t m = basis->points, n = basis->coordinates;
    const struct rc_whole e = {m, n, basis->value};
    struct rc_columns x = {0};
    struct factors f = {.room = 0};
    double *norm = rc_calloc(readings->local, sizeof *norm);

    assert(readings->rows == m);
    *out = x;
    *residual = NULL;
    int status;
    if (!norm) {
        status =
            rc_fail(err, RC_ENOMEM, "no memory for %zu residuals", readings->local);
        goto agree;
    }
    if ((status = rc_basis_check(basis, NULL, err)) ||
        (status =
             rc_columns_init(grid, n, readings->columns, readings->block, &x, err)))
        goto agree;
    status = factors_init(basis, &f, err);
agree:
    if ((status = rc_agree(grid->comm, status, err)) != RC_OK)
        goto out;
    status = rc_agree(grid->comm, factorize(grid, basis, &f, err), err);
    if (status != RC_OK)
        goto out;
    for (size_t j = 0; j < readings->local; j++)
        norm[j] = rc_norm(readings->data + j * m, m);
    rc_columns_multiply(1, &(struct rc_whole){n, m, f.turn}, readings, 0, &x);
    rc_columns_solve(grid, &(struct rc_whole){n, n, f.r}, &x);
    rc_columns_multiply(-1, &e, &x, 1, readings);
    for (size_t j = 0; j < readings->local; j++)
        if (norm[j] > 0) /* the remainder of the readings, as a share of them */
            norm[j] = rc_norm(readings->data + j * m, m) / norm[j];
    *out = x;
    *residual = norm;
    x = (struct rc_columns){0};
    norm = NULL;
out:
    rc_arena_free(&f.arena);
    rc_columns_fini(&x);
    free(norm);
    return status;
}
