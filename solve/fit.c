/* Least squares of metrics over the chosen events, with rounding and intervals. */
#include "solve/fit.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "solve/noise.h"
#include "solve/scalapack.h"

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

/* What LAPACK's least squares by singular values needs, for one shape. */
struct squares {
    int rows, columns, signatures, leading, room;
    double *a, *b, *singular, *work;
    int *whole;
};

static void squares_fini(struct squares *q)
{
    free(q->a);
    free(q->b);
    free(q->singular);
    free(q->work);
    free(q->whole);
}

static int no_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory to fit metrics");
}

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
    double wanted = 0;
    int whole = 0;

    *q = (struct squares){0};
    if (rows > INT_MAX / 64 || columns > INT_MAX / 64 || signatures > INT_MAX / 64)
        return rc_fail(err, RC_EUNSUPPORTED, "%zu x %zu is too much to fit", rows,
                       columns);
    q->rows = (int)rows;
    q->columns = (int)columns;
    q->signatures = (int)signatures;
    q->leading = q->rows > q->columns ? q->rows : q->columns;
    q->a = rc_calloc(rows * columns, sizeof *q->a);
    q->b = rc_calloc((size_t)q->leading * signatures, sizeof *q->b);
    q->singular = rc_calloc(rows + columns, sizeof *q->singular);
    if (!q->a || !q->b || !q->singular)
        return no_memory(err);
    (void)squares_solve(q, &wanted, -1, &whole); /* asks for the sizes of its rooms */
    q->room = (int)wanted;
    q->work = rc_calloc((size_t)q->room, sizeof *q->work);
    q->whole = rc_calloc((size_t)whole, sizeof *q->whole);
    return q->work && q->whole ? RC_OK : no_memory(err);
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

/* Backward errors need the plain residual: the norm of X y - s. */
static double backward_error(const double *x, size_t rows, size_t columns,
                             const double *s, const double *y, double largest,
                             double *room)
{
    for (size_t i = 0; i < rows; i++) {
        room[i] = -s[i];
        for (size_t j = 0; j < columns; j++)
            room[i] += x[i + j * rows] * y[j];
    }
    const double below = largest * norm_of(y, columns) + norm_of(s, rows);
    return below > 0 ? norm_of(room, rows) / below : 0;
}

int rc_fit(const double *x, size_t rows, size_t columns, const double *signature,
           size_t signatures, double *y, double *error, struct rc_error *err)
{
    struct squares q = {0};
    double *room = rc_calloc(rows, sizeof *room);
    int status = room ? RC_OK : no_memory(err);

    if (status == RC_OK && columns && signatures) {
        status = squares_init(rows, columns, signatures, &q, err);
        if (status == RC_OK)
            status = squares_fit(&q, x, signature, y, err);
    }
    for (size_t j = 0; j < signatures && status == RC_OK; j++)
        error[j] = backward_error(x, rows, columns, signature + j * rows,
                                  y + j * columns, columns ? q.singular[0] : 0, room);
    squares_fini(&q);
    free(room);
    return status;
}

int rc_fit_inverse(const struct rc_basis *basis, double *inverse, struct rc_error *err)
{
    const size_t points = basis->points;
    struct squares q = {0};
    double *unit = rc_calloc(points * points, sizeof *unit);
    int status = unit ? squares_init(points, basis->coordinates, points, &q, err)
                      : no_memory(err);

    for (size_t p = 0; p < points && unit; p++)
        unit[p + p * points] = 1;
    if (status == RC_OK)
        status = squares_fit(&q, basis->value, unit, inverse, err);
    squares_fini(&q);
    free(unit);
    return status;
}

/* The fraction with a small denominator that a coefficient is near to; 0: none. */
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

    if (fabs(coefficient) <= tolerance * largest)
        return simple_fraction(coefficient, exactly);
    const double simple = simple_fraction(coefficient, tolerance);
    if (simple != 0)
        return simple;
    const double inverse = 1 / coefficient; /* 1/64 and the like */
    if (fabs(rint(inverse) / inverse - 1) <= tolerance / 16 && fabs(inverse) < 1024)
        return 1 / rint(inverse);
    return coefficient;
}

/* Events as they would have come out had the repetitions been others. */
struct draw {
    const struct rc_repetitions *event;
    size_t events, rows;
    double *mean; /* [point] */
    double *x;    /* rows x events */
    double *off;  /* likewise: what coordinates are besides inverse times mean */
};

static void draw_mean(const struct rc_repetitions *event, uint64_t *state, double *out)
{
    const size_t points = event->points;

    memset(out, 0, points * sizeof *out);
    for (size_t i = 0; i < event->count; i++) {
        const double *v = event->vector + rc_mix_next(state) % event->count * points;
        for (size_t p = 0; p < points; p++)
            out[p] += v[p] / (double)event->count;
    }
}

/* Adds 'factor' times what the mean in d->mean is. */
static void add_image(const struct draw *d, size_t e, double factor, double *x)
{
    for (size_t p = 0; p < d->event[e].points; p++)
        for (size_t i = 0; i < d->rows; i++)
            x[i] += factor * d->event[e].inverse[i + p * d->rows] * d->mean[p];
}

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

static void draw_events(const struct draw *d, uint64_t *state)
{
    memcpy(d->x, d->off, d->rows * d->events * sizeof *d->x);
    for (size_t e = 0; e < d->events; e++) {
        draw_mean(&d->event[e], state, d->mean);
        add_image(d, e, 1, d->x + e * d->rows);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The bounds between which 95 of 100 samples are, and the coefficient itself; 'sample'
 * is [sample][coefficient].
 */
static void bounds(const double *sample, size_t samples, const double *y,
                   size_t coefficients, double *room, double *low, double *high)
{
    const size_t cut = samples / 40;

    for (size_t c = 0; c < coefficients; c++) {
        for (size_t i = 0; i < samples; i++)
            room[i] = sample[i * coefficients + c];
        qsort(room, samples, sizeof *room, compare);
        low[c] = fmin(y[c], room[cut]);
        high[c] = fmax(y[c], room[samples - 1 - cut]);
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

static size_t most_points(const struct rc_repetitions *event, size_t events)
{
    size_t most = 0;

    for (size_t e = 0; e < events; e++)
        if (event[e].points > most)
            most = event[e].points;
    return most;
}

static int sample_all(struct draw *d, const double *signature, size_t signatures,
                      size_t samples, uint64_t seed, double *sample,
                      struct rc_error *err)
{
    struct squares fit = {0};
    const size_t coefficients = signatures * d->events;
    uint64_t state = seed;
    int status = squares_init(d->rows, d->events, signatures, &fit, err);

    find_off(d);
    for (size_t i = 0; i < samples && status == RC_OK; i++) {
        draw_events(d, &state);
        status = squares_fit(&fit, d->x, signature, sample + i * coefficients, err);
    }
    squares_fini(&fit);
    return status;
}

int rc_fit_intervals(const struct rc_repetitions *event, size_t events, size_t rows,
                     const double *signature, size_t signatures, const double *y,
                     size_t samples, uint64_t seed, double *low, double *high,
                     struct rc_error *err)
{
    const size_t coefficients = signatures * events;
    struct draw d = {.event = event, .events = events, .rows = rows};
    double *sample = NULL, *room = NULL;
    int status = RC_OK;

    if (coefficients == 0 || samples == 0 || !any_differs(event, events)) {
        memcpy(low, y, coefficients * sizeof *low);
        memcpy(high, y, coefficients * sizeof *high);
        return RC_OK;
    }
    d.mean = rc_calloc(most_points(event, events), sizeof *d.mean);
    d.x = rc_calloc(rows * events, sizeof *d.x);
    d.off = rc_calloc(rows * events, sizeof *d.off);
    sample = rc_calloc(samples * coefficients, sizeof *sample);
    room = rc_calloc(samples, sizeof *room);
    if (!d.mean || !d.x || !d.off || !sample || !room)
        status = no_memory(err);
    if (status == RC_OK)
        status = sample_all(&d, signature, signatures, samples, seed, sample, err);
    if (status == RC_OK)
        bounds(sample, samples, y, coefficients, room, low, high);
    free(room);
    free(sample);
    free(d.off);
    free(d.x);
    free(d.mean);
    return status;
}
