/* The intervals of coefficients, drawn from the repetitions of the chosen events. */
#include "campaign/base/agree.h"
#include "campaign/solve/fits.h"
#include "solve/fit.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000 };

/* The rows of the ideals of what readings are multiplied with: [point][ideal]. */
static double *inverse_of(const struct rc_solve_suite *s, size_t source,
                          struct rc_error *err)
{
    const struct rc_basis *basis = &s->source[source].basis;
    double *all = rc_calloc(basis->coordinates * basis->points, sizeof *all);
    double *out = rc_calloc(s->ideals * basis->points, sizeof *out);

    if (!all || !out)
        rc_solve_no_memory(err);
    if (!all || !out || rc_fit_inverse(basis, all, err) != RC_OK) {
        free(all);
        free(out);
        return NULL;
    }
    for (size_t p = 0; p < basis->points; p++)
        memcpy(out + p * s->ideals, all + p * basis->coordinates,
               s->ideals * sizeof *out);
    free(all);
    return out;
}

/* Of vectors on all points that a source measures, the points of its basis. */
static void keep_known(const struct rc_solve_suite *s, size_t source, double *vector,
                       size_t count)
{
    const struct rc_solve_source *from = &s->source[source];
    const uint64_t *iterations =
        s->labels->iterations + source * s->labels->point_count;
    size_t to = 0;

    for (size_t v = 0; v < count; v++)
        for (size_t p = 0, m = 0, at = 0; p < s->labels->point_count; p++) {
            if (iterations[p] == 0)
                continue;
            if (at < from->points && from->point[at] == p) {
                vector[to++] = vector[v * from->measured + m];
                at++;
            }
            m++;
        }
}

/* That of an event that is a loose ideal: readings give a multiple of it. */
static double *loose_inverse(const struct rc_solve_suite *s, size_t source,
                             const double *x, struct rc_error *err)
{
    const struct rc_solve_source *from = &s->source[source];
    double *out = rc_calloc(s->ideals * from->points, sizeof *out), square = 0;
    size_t ideal = 0;

    while (ideal + 1 < s->ideals && x[ideal] == 0)
        ideal++;
    const double *column = from->value + ideal * from->points;
    for (size_t p = 0; p < from->points; p++)
        square += column[p] * column[p];
    if (!out)
        rc_solve_no_memory(err);
    for (size_t p = 0; p < from->points && out; p++)
        out[ideal + p * s->ideals] = column[p] / square;
    return out;
}

/* Everything that the intervals are drawn from, for the pure events. */
struct drawing {
    struct rc_repetitions *event;
    double **vector;
    double **inverse; /* of each event */
};

static void drawing_fini(const struct rc_fits *f, struct drawing *d)
{
    for (size_t j = 0; d->vector && j < f->s->pure; j++)
        free(d->vector[j]);
    for (size_t j = 0; d->inverse && j < f->s->pure; j++)
        free(d->inverse[j]);
    free((void *)d->vector);
    free((void *)d->inverse);
    free(d->event);
}

static int drawing_event(const struct rc_fits *f, struct drawing *d, size_t j,
                         struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    const size_t source = rc_solve_source_number(s, f->source[j]);
    size_t count = 0;
    int status =
        rc_solve_vectors(f->k, s, f->event[j], source, &d->vector[j], &count, err);

    if (status != RC_OK)
        return status;
    keep_known(s, source, d->vector[j], count);
    const double *x = s->pivot_x + j * s->ideals;
    d->inverse[j] = s->pivot_loose[j] ? loose_inverse(s, source, x, err)
                                      : inverse_of(s, source, err);
    if (!d->inverse[j])
        status = err->status;
    d->event[j] = (struct rc_repetitions){.vector = d->vector[j],
                                          .count = count,
                                          .points = s->source[source].points,
                                          .inverse = d->inverse[j],
                                          .x = x};
    return status;
}

/* The same on every rank. */
int rc_fits_intervals(struct rc_fits *f, struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    struct drawing d = {.event = rc_calloc(s->pure, sizeof *d.event),
                        .vector = rc_calloc(s->pure, sizeof *d.vector),
                        .inverse = rc_calloc(s->pure, sizeof *d.inverse)};
    int status = d.event && d.vector && d.inverse ? RC_OK : rc_solve_no_memory(err);

    for (size_t j = 0; j < s->pure && status == RC_OK; j++)
        status = drawing_event(f, &d, j, err);
    if (status == RC_OK)
        status = rc_fit_intervals(d.event, s->pure, s->ideals, f->signature, f->metrics,
                                  f->y, SAMPLES, f->k->how->seed, f->low, f->high, err);
    drawing_fini(f, &d);
    return rc_agree(f->k->how->comm, status, err);
}
