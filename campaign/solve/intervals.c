/* The intervals of coefficients, drawn from the repetitions of the chosen events.
 *
 * Every rank reads the readings of the chosen events again and draws the same samples
 * (solve/algebra/fit.h), so that nothing has to be sent.
 */
#include "campaign/solve/fits.h"
#include "solve/algebra/fit.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000 };

/* Reduces vectors on all points that a source measures to the points of its basis. */
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

/* Fills in the inverse for an event that is a multiple of one loose ideal. */
static void fill_loose_inverse(const struct rc_solve_suite *s, size_t source,
                               const double *x, double *out)
{
    const struct rc_solve_source *from = &s->source[source];
    double square = 0;
    size_t ideal = 0;

    while (ideal + 1 < s->ideals && x[ideal] == 0)
        ideal++;
    const double *column = from->value + ideal * from->points;
    for (size_t p = 0; p < from->points; p++)
        square += column[p] * column[p];
    for (size_t p = 0; p < from->points; p++)
        out[ideal + p * s->ideals] = column[p] / square;
}

static int fill_repetitions(struct rc_fits *f, size_t j, struct rc_repetitions *out)
{
    const struct rc_solve_suite *s = f->s;
    const size_t source = rc_solve_source_number(s, f->source[j]);
    const size_t points = s->source[source].points;
    const double *x = s->pivot_x + j * s->ideals;
    double *vector;
    size_t count;
    int status = rc_solve_vectors(f->k, s, f->event[j], source, &vector, &count);

    if (status != RC_OK)
        return status;
    keep_known(s, source, vector, count);
    double *inverse =
        rc_arena_array(&f->k->step, s->coordinates * points, sizeof *inverse);
    if ((status = rc_arena_check(&f->k->step, f->k->err, "intervals")) != RC_OK)
        return status;
    *out = (struct rc_repetitions){
        .vector = vector, .count = count, .points = points, .inverse = inverse, .x = x};
    if (s->pivot_loose[j]) {
        fill_loose_inverse(s, source, x, inverse);
        return RC_OK;
    }
    /* The rows of the inverse for ideals, as [point][ideal].  Those of the nuisance
     * coordinates, which metrics do not have, are computed and then dropped.
     */
    status = rc_fit_inverse(&s->source[source].basis, inverse, f->k->err);
    for (size_t p = 0; p < points; p++)
        memmove(inverse + p * s->ideals, inverse + p * s->coordinates,
                s->ideals * sizeof *inverse);
    return status;
}

int rc_fits_intervals(struct rc_fits *f)
{
    const struct rc_solve_suite *s = f->s;
    struct rc_repetitions *event = rc_arena_array(&f->k->step, s->pure, sizeof *event);
    int status = rc_arena_check(&f->k->step, f->k->err, "intervals");

    if (status != RC_OK)
        return status;
    for (size_t j = 0; j < s->pure; j++)
        if ((status = fill_repetitions(f, j, &event[j])) != RC_OK)
            return status;
    return rc_fit_intervals(event, s->pure, s->ideals, f->signature, f->metrics, f->y,
                            SAMPLES, f->k->how->seed, f->low, f->high, f->k->err);
}
