/* Least squares of events over the points of all suites, and small fractions of the
 * results.
 *
 * The matrix is small, and each event is solved by itself in a fixed order of sums, so
 * that its coordinates do not depend on the rank that solves it and on its other
 * events.
 */
#include "solve/algebra/coordinates.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"

#include "solve/algebra/snap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column depends on those before it where less of its norm is left. */
static const double dependent = 1e-9;

/* The standard deviation of a number by its rounding to a whole one. */
static const double rounding = 0.29;

/* The prior mean square of residuals, and how many free readings it weighs as: noise is
 * that of the two repetitions that differ most, and readings are means.
 */
static const double square_prior = 0.25, free_prior = 8;

/* One weighting of the rows, factorized: Q R, with columns of norm 1. */
struct factors {
    double *weight;    /* [point] */
    double *q;         /* [column][point] */
    double *r;         /* [column][column], on and right of the diagonal */
    double *norm;      /* [column] */
    double *deviation; /* [column] */
};

struct rc_joint {
    struct rc_arena arena;
    size_t points, ideals, columns; /* columns after the ideals may add any number */
    double *matrix;                 /* [point][column] */
    double *most;                   /* [column]: the largest count of a reading */
    struct factors plain, own;
    double *product, *x; /* [column] */
    double *left;        /* [point] */
    double *normal;      /* [column][column] */
};

double rc_dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Orthogonalizes column 'at' of q (stored [column][row]) against its first 'columns',
 * each of norm 1, twice, since the first time leaves its rounding; 'part' gets the
 * components.  Returns the norm of the remainder, which is then scaled to 1 if it is
 * above 0.
 */
static double orthogonalize(double *q, size_t rows, size_t columns, size_t at,
                            double *part)
{
    double *own = q + at * rows;

    memset(part, 0, columns * sizeof *part);
    for (int times = 0; times < 2; times++)
        for (size_t c = 0; c < columns; c++) {
            const double *other = q + c * rows, along = rc_dot(other, own, rows);
            part[c] += along;
            for (size_t p = 0; p < rows && along != 0; p++)
                own[p] -= along * other[p];
        }
    const double norm = sqrt(rc_dot(own, own, rows));
    for (size_t p = 0; p < rows && norm > 0; p++)
        own[p] /= norm;
    return norm;
}

/* Scales the columns of q to norm 1; 'norm' may be NULL. */
static void normalize(double *q, size_t rows, size_t columns, double *norm)
{
    for (size_t c = 0; c < columns; c++) {
        const double size = sqrt(rc_dot(q + c * rows, q + c * rows, rows));
        for (size_t p = 0; p < rows && size > 0; p++)
            q[c * rows + p] /= size;
        if (norm)
            norm[c] = size;
    }
}

/* Replaces x by the solution y of R y = x, R stored [row][columns]. */
static void solve_back(const double *r, size_t columns, size_t count, double *x)
{
    for (size_t i = count; i-- > 0;) {
        for (size_t j = i + 1; j < count; j++)
            x[i] -= r[i * columns + j] * x[j];
        x[i] /= r[i * columns + i];
    }
}

/* False: columns depend on each other. */
static bool factorize(struct rc_joint *j, struct factors *f)
{
    const size_t columns = j->columns;

    memset(f->deviation, 0, columns * sizeof *f->deviation);
    for (size_t p = 0; p < j->points; p++)
        for (size_t c = 0; c < columns; c++)
            f->q[c * j->points + p] = f->weight[p] * j->matrix[p * columns + c];
    normalize(f->q, j->points, columns, f->norm);
    for (size_t c = 0; c < columns; c++) {
        if (!(f->norm[c] > 0))
            return false;
        const double left = orthogonalize(f->q, j->points, c, c, j->product);
        for (size_t i = 0; i < c; i++)
            f->r[i * columns + c] = j->product[i];
        f->r[c * columns + c] = left;
        if (!(left > dependent))
            return false;
    }
    /* The columns of the inverse of R, for the roots of the diagonal of (R' R)^-1. */
    for (size_t c = 0; c < columns; c++) {
        memset(j->product, 0, columns * sizeof *j->product);
        j->product[c] = 1;
        solve_back(f->r, columns, columns, j->product);
        for (size_t i = 0; i < columns; i++)
            f->deviation[i] += j->product[i] * j->product[i];
    }
    for (size_t c = 0; c < columns; c++)
        f->deviation[c] = sqrt(f->deviation[c]) / f->norm[c];
    return true;
}

static void ask_factors(struct rc_joint *j, struct factors *f)
{
    struct rc_arena *arena = &j->arena;
    const size_t number = sizeof(double);

    f->weight = rc_arena_array(arena, j->points, number);
    f->q = rc_arena_array(arena, j->points * j->columns, number);
    f->r = rc_arena_array(arena, j->columns * j->columns, number);
    f->norm = rc_arena_array(arena, j->columns, number);
    f->deviation = rc_arena_array(arena, j->columns, number);
}

int rc_joint_create(const struct rc_joint_points *points, struct rc_joint **out,
                    struct rc_error *err)
{
    const size_t columns = points->ideals + points->besides + 1;
    struct rc_joint *j = *out = NULL;

    if (points->points <= columns)
        return RC_OK;
    if (!(j = rc_calloc(1, sizeof *j)))
        return rc_fail(err, RC_ENOMEM, "no memory for the points of all suites");
    j->points = points->points;
    j->ideals = points->ideals;
    j->columns = columns;
    j->matrix = rc_arena_array(&j->arena, j->points * columns, sizeof(double));
    j->product = rc_arena_array(&j->arena, columns, sizeof(double));
    j->x = rc_arena_array(&j->arena, columns, sizeof(double));
    j->left = rc_arena_array(&j->arena, j->points, sizeof(double));
    j->normal = rc_arena_array(&j->arena, columns * columns, sizeof(double));
    j->most = rc_arena_array(&j->arena, columns, sizeof(double));
    ask_factors(j, &j->plain);
    ask_factors(j, &j->own);
    const int status = rc_arena_check(&j->arena, err, "the points of all suites");
    if (status != RC_OK) {
        rc_joint_close(j);
        return status;
    }
    for (size_t p = 0; p < j->points; p++) {
        double *row = j->matrix + p * columns;
        for (size_t c = 0; c + 1 < columns; c++)
            row[c] = points->ideal[c * j->points + p];
        row[columns - 1] = 1;
        for (size_t c = 0; c < columns; c++)
            j->most[c] = fmax(j->most[c], fabs(row[c]));
        j->plain.weight[p] = 1 / rounding;
    }
    if (factorize(j, &j->plain))
        *out = j;
    else
        rc_joint_close(j);
    return RC_OK;
}

void rc_joint_close(struct rc_joint *joint)
{
    if (!joint)
        return;
    rc_arena_free(&joint->arena);
    free(joint);
}

/* Weights are the inverse of the deviation of each reading; 0: it is not used.  Returns
 * how many are used.
 */
static size_t put_weights(const struct rc_joint *j,
                          const struct rc_joint_readings *reading, double *weight)
{
    size_t used = 0;

    for (size_t p = 0; p < j->points; p++) {
        const double more = reading->more ? reading->more[p] : 0;
        weight[p] = 1 / hypot(hypot(reading->noise[p], more), rounding);
        used += weight[p] > 0;
    }
    return used;
}

struct rc_joint_fit rc_joint_solve(struct rc_joint *j,
                                   const struct rc_joint_readings *reading, double *x)
{
    const double *value = reading->value, *noise = reading->noise;
    struct factors *f = noise ? &j->own : &j->plain;
    const size_t columns = j->columns;
    const size_t used = noise ? put_weights(j, reading, f->weight) : j->points;
    double all = 0, square = square_prior * free_prior, free = free_prior;
    double given = 0, noisy = 0; /* squares where noise is more than rounding */

    if (used <= columns || (noise && !factorize(j, f)))
        return (struct rc_joint_fit){.deviation = f->deviation, .left = INFINITY};
    memset(x, 0, columns * sizeof *x);
    memset(j->left, 0, j->points * sizeof *j->left);
    for (size_t c = 0; c < columns; c++) {
        const double *q = f->q + c * j->points;
        for (size_t p = 0; p < j->points; p++) {
            x[c] += f->weight[p] * value[p] * q[p];
            j->left[p] += q[p] * q[p]; /* the influence of a reading on its own fit */
        }
    }
    solve_back(f->r, columns, columns, x);
    for (size_t c = 0; c < columns; c++)
        x[c] /= f->norm[c];
    for (size_t p = 0; p < j->points; p++) {
        const double left =
            f->weight[p] * (value[p] - rc_dot(j->matrix + p * columns, x, columns));
        all += left * left;
        /* Small readings, and those with only a constant, do not show the noise. */
        if (noise && f->weight[p] > 0 && noise[p] > rounding) {
            given += noise[p] * noise[p];
            noisy += value[p] * value[p];
            square += left * left;
            free += 1 - j->left[p];
        }
    }
    const double known = sqrt(square / free);
    all = sqrt(all / (double)(used - columns));
    return (struct rc_joint_fit){.deviation = f->deviation,
                                 .left = noise ? fmax(all, known) : all,
                                 .noise = noisy > 0 ? known * sqrt(given / noisy) : 0};
}

bool rc_joint_snap(struct rc_joint *j, double left, const double *own, double *x,
                   double *deviation)
{
    static const double wider[] = {1, 2, 4}; /* noise differs between suites */
    const struct factors *f = &j->own;
    const size_t columns = j->columns;
    double *inverse = rc_calloc(columns * columns, sizeof *inverse);
    bool is_new = false;

    for (size_t c = 0; inverse && c < columns; c++) {
        double *row = inverse + c * columns; /* a column of the inverse of R */
        row[c] = 1;
        solve_back(f->r, columns, columns, row);
    }
    for (size_t t = 0; inverse && !is_new && t < 3; t++) {
        const double scale = wider[t] * left;
        memset(j->normal, 0, columns * columns * sizeof *j->normal);
        for (size_t c = 0; c < columns; c++)
            for (size_t i = 0; i < columns; i++)
                for (size_t k = 0; k < columns; k++)
                    j->normal[i * columns + k] +=
                        scale * scale * inverse[c * columns + i] *
                        inverse[c * columns + k] / (f->norm[i] * f->norm[k]);
        for (size_t i = 0; own && i < columns; i++)
            j->normal[i * columns + i] += own[i] * own[i];
        is_new = rc_snap(columns, j->ideals, j->normal, x);
    }
    for (size_t c = 0; c < columns && is_new; c++)
        deviation[c] = sqrt(j->normal[c * columns + c]);
    free(inverse);
    return is_new;
}

/* The remainder of a reading after the sum of fractions of whole numbers, in whole
 * numbers: each product is split into its whole part and a rest below 1.  INFINITY: it
 * cannot be computed.
 */
static double left_of(const struct rc_joint *j, const double *row,
                      const struct rc_fraction *x, double reading)
{
    const double most = 0x1p53;
    int64_t sum = 0, whole;
    double rests = 0;

    if (!(fabs(reading) < most))
        return INFINITY;
    for (size_t c = 0; c < j->ideals; c++) {
        const double ideal = rint(row[c]);
        if (x[c].over == 0)
            continue;
        if (!(fabs(row[c] - ideal) <= 1e-6) || !(fabs(ideal) < most) ||
            x[c].under < 1 ||
            __builtin_mul_overflow((int64_t)ideal, x[c].over, &whole) ||
            __builtin_add_overflow(sum, whole / x[c].under, &sum))
            return INFINITY;
        rests += (double)(whole % x[c].under) / (double)x[c].under;
    }
    if (__builtin_sub_overflow((int64_t)llrint(reading), sum, &whole))
        return INFINITY;
    return (double)whole - rests + (reading - rint(reading));
}

/* Fits the columns after the ideals to j->left by least squares, by elimination, and
 * takes their contribution off.  Returns the constant.
 */
static double take_besides(struct rc_joint *j)
{
    const size_t first = j->ideals, count = j->columns - first, width = count + 1;
    double *a = j->normal; /* [count][width] */

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) {
            double sum = 0;
            for (size_t p = 0; p < j->points; p++) {
                const double *row = j->matrix + p * j->columns + first;
                sum += row[i] * (k < count ? row[k] : j->left[p]);
            }
            a[i * width + k] = sum;
        }
    for (size_t i = 0; i < count; i++)
        for (size_t r = i + 1; r < count; r++) {
            const double factor = a[r * width + i] / a[i * width + i];
            for (size_t k = i; k < width; k++)
                a[r * width + k] -= factor * a[i * width + k];
        }
    for (size_t i = count; i-- > 0;) {
        double *add = &a[i * width + count];
        for (size_t k = i + 1; k < count; k++)
            *add -= a[i * width + k] * a[k * width + count];
        *add /= a[i * width + i];
        for (size_t p = 0; p < j->points; p++)
            j->left[p] -= *add * j->matrix[p * j->columns + first + i];
    }
    return a[count * width - 1];
}

/* Whether all readings are that sum and the columns after the ideals, to 'counts'. */
static bool are_readings(struct rc_joint *j, const struct rc_fraction *x,
                         const double *reading, double counts, double *constant)
{
    for (size_t p = 0; p < j->points; p++) {
        j->left[p] = left_of(j, j->matrix + p * j->columns, x, reading[p]);
        if (isinf(j->left[p]))
            return false;
    }
    *constant = take_besides(j);
    for (size_t p = 0; p < j->points; p++)
        if (!(fabs(j->left[p]) <= counts))
            return false;
    return true;
}

/* Some fraction with a denominator up to 'under' is 1 / under^2 away from any number:
 * the chance of meeting one must be less than 1 in SURELY.
 */
enum { SURELY = 200 };

static bool is_unambiguous(const struct rc_joint *j, size_t column,
                           struct rc_fraction x, double counts)
{
    return x.over == 0 ||
           j->most[column] > SURELY * counts * (double)x.under * (double)x.under;
}

bool rc_joint_exact(struct rc_joint *j, const double *reading, double counts, double *x,
                    double *constant)
{
    static const double doubts[] = {4, 10, 30};
    static const double left_least = 0.07; /* of rounding: numbers that are whole */
    const struct rc_joint_fit fit =
        rc_joint_solve(j, &(struct rc_joint_readings){.value = reading}, j->x);
    const double left = fit.left;
    struct rc_fraction *fraction = rc_calloc(j->columns, sizeof *fraction);
    double rest = 0;
    bool found = false;

    /* The more a coordinate is doubted, the simpler it may be: the check decides. */
    for (size_t i = 0; fraction && !found && i < 3 && left * rounding < 2 * counts;
         i++) {
        const double doubt = doubts[i] * fmax(left, left_least);
        found = true;
        for (size_t c = 0; c < j->ideals && found; c++)
            found = rc_fraction_near(j->x[c],
                                     doubt * fit.deviation[c] + 1e-13 * fabs(j->x[c]),
                                     INT64_C(1) << 20, &fraction[c]) &&
                    is_unambiguous(j, c, fraction[c], counts);
        found = found && are_readings(j, fraction, reading, counts, &rest);
    }
    for (size_t c = 0; c < j->ideals && found; c++)
        x[c] = rc_fraction_value(fraction[c]);
    if (found)
        *constant = rest;
    free(fraction);
    return found;
}

int rc_joint_independent(const struct rc_joint_points *points, bool *independent,
                         double *relation, struct rc_error *err)
{
    const size_t rows = points->points, ideals = points->ideals;
    struct rc_arena arena = {0};
    double *q = rc_arena_array(&arena, rows * ideals, sizeof *q);
    double *r = rc_arena_array(&arena, ideals * ideals, sizeof *r);
    double *part = rc_arena_array(&arena, ideals, sizeof *part);
    double *norm = rc_arena_array(&arena, ideals, sizeof *norm), size;
    size_t *kept = rc_arena_array(&arena, ideals, sizeof *kept), rank = 0;
    const int status = rc_arena_check(&arena, err, "the points of all suites");

    if (status != RC_OK)
        goto out;
    for (size_t p = 0; p < rows; p++) {
        size = 0;
        for (size_t c = 0; c < ideals; c++)
            size = fmax(size, fabs(points->ideal[c * rows + p]));
        for (size_t c = 0; c < ideals && size > 0; c++)
            q[c * rows + p] = points->ideal[c * rows + p] / size;
    }
    normalize(q, rows, ideals, norm);
    /* Independent columns move to the front, in the order of 'kept'. */
    for (size_t c = 0; c < ideals; c++) {
        if (c != rank)
            memcpy(q + rank * rows, q + c * rows, rows * sizeof *q);
        const double left = orthogonalize(q, rows, rank, rank, part);
        independent[c] = norm[c] > 0 && left > dependent;
        if (independent[c]) {
            for (size_t i = 0; i < rank; i++)
                r[i * ideals + rank] = part[i];
            r[rank * ideals + rank] = left;
            kept[rank++] = c;
            continue;
        }
        solve_back(r, ideals, rank, part);
        for (size_t i = 0; i < rank && norm[c] > 0; i++) {
            struct rc_fraction f;
            const double value = part[i] * norm[c] / norm[kept[i]];
            relation[c * ideals + kept[i]] =
                rc_fraction_near(value, 1e-7 * fmax(1, fabs(value)), 1000, &f)
                    ? rc_fraction_value(f)
                    : value;
        }
    }
out:
    rc_arena_free(&arena);
    return status;
}
