/* Least squares of metrics over the chosen events, with rounding and intervals.
 *
 * See docs/solve.md, step 7.  Intervals come from a bootstrap: each event's repetitions
 * are drawn again, with replacement, and the metrics fitted again; 95 of 100 such
 * samples are between the bounds.
 */
#include "solve/algebra/fit.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "solve/algebra/noise.h"
#include "solve/algebra/scalapack.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static double norm_of(const double *vector, size_t count)
{
    double largest = 0, sum = 0;

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(vector[i]));
    for (size_t i = 0; i < count && largest > 0; i++)
        sum += vector[i] / largest * (vector[i] / largest);
    return largest * sqrt(sum);
}

/* A problem of LAPACK's least squares by singular values (DGELSD), for one shape. */
struct squares {
    struct rc_arena arena;
    int rows, columns, signatures;
    int leading;      /* rows of 'b', which also has the answers */
    double *a, *b;    /* rows x columns, leading x signatures */
    double *singular; /* values of 'a', the largest first */
    double *work;     /* 'room' numbers, and as many of 'whole' as DGELSD needs */
    int *whole, room;
};

/* With 'room' -1 it only finds the sizes of 'work' and 'whole'. */
static int squares_solve(struct squares *q, double *work, int room, int *whole)
{
    const double least = 1e-13;
    int rank = 0, info = 0;

    dgelsd_(&q->rows, &q->columns, &q->signatures, q->a, &q->rows, q->b, &q->leading,
            q->singular, &least, &rank, work, &room, whole, &info);
    return info;
}

static int squares_init(size_t rows, size_t columns, size_t signatures,
                        struct squares *q, struct rc_error *err)
{
    const size_t number = sizeof(double);
    double wanted = 0;
    int whole = 0, status;

    if (rows > INT_MAX / 64 || columns > INT_MAX / 64 || signatures > INT_MAX / 64)
        return rc_fail(err, RC_EUNSUPPORTED, "%zu x %zu is too much to fit", rows,
                       columns);
    q->rows = (int)rows;
    q->columns = (int)columns;
    q->signatures = (int)signatures;
    q->leading = q->rows > q->columns ? q->rows : q->columns;
    q->a = rc_arena_array(&q->arena, rows * columns, number);
    q->b = rc_arena_array(&q->arena, (size_t)q->leading * signatures, number);
    q->singular = rc_arena_array(&q->arena, rows + columns, number);
    if ((status = rc_arena_check(&q->arena, err, "the fit of metrics")) != RC_OK)
        return status;
    (void)squares_solve(q, &wanted, -1, &whole);
    q->room = (int)wanted;
    q->work = rc_arena_array(&q->arena, (size_t)q->room, number);
    q->whole = rc_arena_array(&q->arena, (size_t)whole, sizeof *q->whole);
    return rc_arena_check(&q->arena, err, "the fit of metrics");
}

/* Loads a problem, solves it, and copies the answers: [signature][column]. */
static int squares_fit(struct squares *q, const double *x, const double *signature,
                       double *y, struct rc_error *err)
{
    const size_t rows = (size_t)q->rows, columns = (size_t)q->columns;

    memcpy(q->a, x, rows * columns * sizeof *x);
    for (size_t j = 0; j < (size_t)q->signatures; j++)
        memcpy(q->b + j * (size_t)q->leading, signature + j * rows,
               rows * sizeof *signature);
    int info = squares_solve(q, q->work, q->room, q->whole);
    if (info)
        return rc_fail(err, RC_EUNSUPPORTED, "LAPACK's DGELSD returned %d", info);
    for (size_t j = 0; j < (size_t)q->signatures; j++)
        memcpy(y + j * columns, q->b + j * (size_t)q->leading, columns * sizeof *y);
    return RC_OK;
}

int rc_fit(const double *x, size_t rows, size_t columns, const double *signature,
           size_t signatures, double *y, double *error, struct rc_error *err)
{
    struct squares q = {.columns = 0};
    double *room = rc_arena_array(&q.arena, rows, sizeof *room);
    int status = rc_arena_check(&q.arena, err, "the fit of metrics");

    if (status != RC_OK)
        goto out;
    if (columns && signatures &&
        ((status = squares_init(rows, columns, signatures, &q, err)) != RC_OK ||
         (status = squares_fit(&q, x, signature, y, err)) != RC_OK))
        goto out;
    /* The backward error needs the residual itself: the norm of X y - s. */
    for (size_t j = 0; j < signatures; j++) {
        const double *s = signature + j * rows, *own = y + j * columns;
        for (size_t i = 0; i < rows; i++) {
            room[i] = -s[i];
            for (size_t k = 0; k < columns; k++)
                room[i] += x[i + k * rows] * own[k];
        }
        const double largest = columns ? q.singular[0] : 0;
        const double below = largest * norm_of(own, columns) + norm_of(s, rows);
        error[j] = below > 0 ? norm_of(room, rows) / below : 0;
    }
out:
    rc_arena_free(&q.arena);
    return status;
}

/* The answers of the unit vectors are the columns of the inverse. */
int rc_fit_inverse(const struct rc_basis *basis, double *inverse, struct rc_error *err)
{
    const size_t points = basis->points;
    struct squares q = {.columns = 0};
    double *unit = rc_arena_array(&q.arena, points * points, sizeof *unit);
    int status = squares_init(points, basis->coordinates, points, &q, err);

    if (status != RC_OK)
        goto out;
    for (size_t p = 0; p < points; p++)
        unit[p + p * points] = 1;
    status = squares_fit(&q, basis->value, unit, inverse, err);
out:
    rc_arena_free(&q.arena);
    return status;
}

/* The fraction with a small denominator that a coefficient is near; 0: none. */
static double simple_fraction(double coefficient, double tolerance)
{
    static const int denominators[] = {1, 2, 3, 4, 5, 8};

    for (size_t i = 0; i < sizeof denominators / sizeof *denominators; i++) {
        const int d = denominators[i];
        const double simple = rint(coefficient * d) / d;
        const double off = fabs(coefficient - simple);
        if (simple != 0 && off <= tolerance / d * fabs(coefficient) && off <= 0.1 / d)
            return simple;
    }
    return 0;
}

double rc_fit_round(double coefficient, double largest, double tolerance)
{
    const double exactly = 1e-9;

    /* A small part is 0, unless it is a fraction to the last digits: then it is real.
     */
    if (fabs(coefficient) <= tolerance * largest)
        return simple_fraction(coefficient, exactly);
    const double lines = coefficient / 64; /* bytes of an event that counts lines */
    const double near = tolerance / fmin(16, 2 * fabs(lines)); /* nearer to many */
    if (fabs(rint(lines) / lines - 1) <= near && fabs(lines) > 0.5)
        return 64 * rint(lines);
    const double simple = simple_fraction(coefficient, tolerance);
    if (simple != 0)
        return simple;
    const double inverse = 1 / coefficient; /* 1/64 and the like */
    if (fabs(rint(inverse) / inverse - 1) <= tolerance / 16 && fabs(inverse) < 1024)
        return 1 / rint(inverse);
    return coefficient;
}

/* Events as they would be if other repetitions had come out. */
struct draw {
    const struct rc_repetitions *event;
    size_t events, rows;
    double *mean; /* [point], room for the event with the most points */
    double *x;    /* rows x events */
    double *off;  /* likewise: coordinates less inverse times mean */
};

/* Adds 'factor' times the coordinates of the event's readings in d->mean. */
static void add_image(const struct draw *d, size_t e, double factor, double *x)
{
    for (size_t p = 0; p < d->event[e].points; p++)
        for (size_t i = 0; i < d->rows; i++)
            x[i] += factor * d->event[e].inverse[i + p * d->rows] * d->mean[p];
}

/* Finds the part of an event's coordinates that does not depend on the repetitions (its
 * overhead was taken off, a loose ideal was made one) and stays as it is.
 */
static void find_off(const struct draw *d)
{
    for (size_t e = 0; e < d->events; e++) {
        double *off = d->off + e * d->rows;
        memcpy(off, d->event[e].x, d->rows * sizeof *off);
        rc_noise_mean(d->event[e].vector, d->event[e].count, d->event[e].points,
                      d->mean);
        add_image(d, e, -1, off);
    }
}

/* Draws the coordinates of all events into d->x, each from the mean of as many
 * repetitions as it has, drawn with replacement.
 */
static void draw_events(const struct draw *d, uint64_t *state)
{
    memcpy(d->x, d->off, d->rows * d->events * sizeof *d->x);
    for (size_t e = 0; e < d->events; e++) {
        const struct rc_repetitions *event = &d->event[e];
        memset(d->mean, 0, event->points * sizeof *d->mean);
        for (size_t i = 0; i < event->count; i++) {
            const double *v =
                event->vector + rc_mix_next(state) % event->count * event->points;
            for (size_t p = 0; p < event->points; p++)
                d->mean[p] += v[p] / (double)event->count;
        }
        add_image(d, e, 1, d->x + e * d->rows);
    }
}

static bool any_differs(const struct rc_repetitions *event, size_t events)
{
    for (size_t e = 0; e < events; e++) {
        const size_t points = event[e].points;
        for (size_t i = 1; i < event[e].count; i++)
            if (memcmp(event[e].vector, event[e].vector + i * points,
                       points * sizeof *event[e].vector) != 0)
                return true;
    }
    return false;
}

int rc_fit_intervals(const struct rc_repetitions *event, size_t events, size_t rows,
                     const double *signature, size_t signatures, const double *y,
                     size_t samples, uint64_t seed, double *low, double *high,
                     struct rc_error *err)
{
    const size_t coefficients = signatures * events, number = sizeof(double);
    struct draw d = {.event = event, .events = events, .rows = rows};
    struct squares fit = {.columns = 0};
    size_t points = 0;

    if (coefficients == 0 || samples == 0 || !any_differs(event, events)) {
        memcpy(low, y, coefficients * sizeof *low);
        memcpy(high, y, coefficients * sizeof *high);
        return RC_OK;
    }
    for (size_t e = 0; e < events; e++)
        points = event[e].points > points ? event[e].points : points;
    d.mean = rc_arena_array(&fit.arena, points, number);
    d.x = rc_arena_array(&fit.arena, rows * events, number);
    d.off = rc_arena_array(&fit.arena, rows * events, number);
    double *sample = rc_arena_array(&fit.arena, samples * coefficients, number);
    double *room = rc_arena_array(&fit.arena, samples, number);
    int status = squares_init(rows, events, signatures, &fit, err);
    if (status != RC_OK)
        goto out;
    find_off(&d);
    for (size_t i = 0; i < samples; i++) {
        draw_events(&d, &seed);
        status = squares_fit(&fit, d.x, signature, sample + i * coefficients, err);
        if (status != RC_OK)
            goto out;
    }
    /* The bounds of 95 of 100 samples, widened to contain the coefficient itself;
     * 'sample' is [sample][coefficient].
     */
    const size_t cut = samples / 40;
    for (size_t c = 0; c < coefficients; c++) {
        for (size_t i = 0; i < samples; i++)
            room[i] = sample[i * coefficients + c];
        qsort(room, samples, sizeof *room, rc_order_reals);
        low[c] = fmin(y[c], room[cut]);
        high[c] = fmax(y[c], room[samples - 1 - cut]);
    }
out:
    rc_arena_free(&fit.arena);
    return status;
}
