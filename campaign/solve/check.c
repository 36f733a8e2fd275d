/* Tries a metric on the points of all suites.
 *
 * The combination of its terms is computed from the means that all ranks share, and
 * compared with the count that its signature gives by the ideals of each point.
 */
#include "campaign/solve/fits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double deviations = 4;   /* of noise that are tolerated */
static const double worst_most = 0.1; /* error on a point, for caches and known noise */

double rc_fits_looseness(const struct rc_solve_suite *s, const double *signature)
{
    for (size_t i = 0; i < s->ideals; i++)
        if (signature[i] != 0 && rc_solve_is_loose(s, s->coordinate[i]))
            return s->definition->within;
    return 0;
}

double rc_fits_tolerance(const struct rc_solve_suite *s, const double *signature,
                         bool home)
{
    const double most = fmax(s->definition->purity, rc_fits_looseness(s, signature));

    return home ? fmax(s->result.residual, most) : most;
}

/* Computes what a combination counts on the points of a suite, per iteration; NAN where
 * one of its events is not measured.  'gross' gets the sum of the terms' absolute
 * values, each weighted up by its event's noise.  Returns false if an event was not
 * measured on the suite at all.
 */
static bool combine(const struct rc_fits *f, size_t suite, const struct rc_term *term,
                    size_t terms, bool rounded, double *out, double *gross)
{
    const size_t points = f->k->suite[suite].labels->point_count;

    memset(out, 0, points * sizeof *out);
    memset(gross, 0, points * sizeof *gross);
    for (size_t t = 0; t < terms; t++) {
        const double c = rounded ? term[t].rounded : term[t].coefficient;
        const size_t j = rc_fits_term_number(f, &term[t]);
        const double *mean = f->means.mean[j * f->k->count + suite];
        const double weight =
            1 + (f->noise ? deviations * f->noise[j] / RC_CROSS_CHECK_GRAIN : 0);
        if (!mean)
            return false;
        for (size_t p = 0; p < points; p++) {
            out[p] += c * mean[p];
            gross[p] += weight * fabs(c * mean[p]);
        }
    }
    return true;
}

/* Iterations of one reading, 0 where an event of the combination has none. */
static void iterations_of(const struct rc_fits *f, size_t suite,
                          const struct rc_term *term, size_t terms, uint64_t *out)
{
    const struct rc_solve_suite *s = &f->k->suite[suite];
    const size_t points = s->labels->point_count;

    for (size_t t = 0; t < terms; t++) {
        const size_t j = rc_fits_term_number(f, &term[t]);
        const uint64_t *n =
            s->labels->iterations + rc_solve_source_number(s, f->source[j]) * points;
        for (size_t p = 0; p < points; p++)
            if (t == 0 || n[p] == 0)
                out[p] = n[p];
    }
}

/* The claim that a metric makes: the tolerances of its events, times their
 * coefficients, add up to its own.
 */
static struct rc_cross_check_claim claim_of(const struct rc_fits *f,
                                            const double *signature,
                                            const struct rc_term *term, size_t terms)
{
    struct rc_cross_check_claim claim = {.weight = signature, .floor = INFINITY};

    for (size_t i = 0; i < f->s->ideals; i++)
        if (signature[i] != 0)
            claim.floor = fmin(claim.floor, fabs(signature[i]));
    double rest = 0; /* the constant in readings, as other suites show it */
    for (size_t t = 0; t < terms; t++) {
        const size_t j = rc_fits_term_number(f, &term[t]);
        const struct rc_cross_check_claim part =
            rc_cross_check_event(f->x + j * f->rows, f->rows, 0, 0);
        const double c = term[t].coefficient;
        claim.rest_least += c * (c > 0 ? part.rest_least : part.rest_most);
        claim.rest_most += c * (c > 0 ? part.rest_most : part.rest_least);
        claim.whole += fabs(c) * part.whole;
        rest += f->rest ? c * f->rest[j] : 0;
    }
    claim.rest_least = fmin(claim.rest_least, rest);
    claim.rest_most = fmax(claim.rest_most, rest);
    return claim;
}

/* Tries the metric on the points of one suite.  Adds no check if one of its events was
 * not measured there, or if it is not known what the metric should count.
 */
static int check_on(const struct rc_fits *f, size_t suite, const double *signature,
                    struct rc_metric_result *m)
{
    const struct rc_solve_suite *other = &f->k->suite[suite];
    const size_t points = other->labels->point_count, ideals = f->s->ideals;
    struct rc_arena arena = {0};
    double *ideal = rc_arena_array(&arena, points * ideals, sizeof *ideal);
    double *counted = rc_arena_array(&arena, points, sizeof *counted);
    double *gross = rc_arena_array(&arena, points, sizeof *gross);
    uint64_t *iterations = rc_arena_array(&arena, points, sizeof *iterations);
    int status = rc_arena_check(&arena, f->k->err, "the points of a suite");

    if (status != RC_OK ||
        !combine(f, suite, m->term, m->term_count, false, counted, gross))
        goto out;
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < ideals; i++)
            ideal[p * ideals + i] = rc_solve_ideal(other, f->s->coordinate[i], p);
    iterations_of(f, suite, m->term, m->term_count, iterations);
    const struct rc_cross_check cross = {points, ideals, ideal, iterations};
    struct rc_cross_check_claim claim = claim_of(f, signature, m->term, m->term_count);
    claim.gross = gross;
    struct rc_cross_check_result plain = rc_cross_check_try(&cross, &claim, counted);
    if (plain.points == 0)
        goto out;
    combine(f, suite, m->term, m->term_count, true, counted, gross);
    struct rc_cross_check_result rounded = rc_cross_check_try(&cross, &claim, counted);
    m->check[m->check_count++] = (struct rc_metric_check){
        .suite = other->labels->name,
        .points = plain.points,
        .error = plain.error,
        .rounded = rounded.error,
        .passed =
            plain.error <= rc_fits_tolerance(f->s, signature, other == f->s) &&
            (!f->noise || f->s->definition->nuisance || plain.worst <= worst_most)};
out:
    rc_arena_free(&arena);
    return status;
}

int rc_fits_check(const struct rc_fits *f, const double *signature,
                  struct rc_metric_result *m)
{
    const size_t own = (size_t)(f->s - f->k->suite);

    m->check_count = 0;
    if (m->term_count == 0)
        return RC_OK;
    int status = check_on(f, own, signature, m);
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < f->k->count && !f->k->how->plain; i++)
        if (i != own && (status = check_on(f, i, signature, m)) != RC_OK)
            return status;
    return RC_OK;
}

size_t rc_fits_suites_that_know(const struct rc_fits *f, const double *signature)
{
    size_t count = 0;

    for (size_t t = 0; t < f->k->count; t++) {
        const struct rc_solve_suite *s = &f->k->suite[t];
        bool known = false;
        for (size_t p = 0; p < s->labels->point_count && !known; p++) {
            double sum = 0;
            for (size_t i = 0; i < f->s->ideals; i++)
                if (signature[i] != 0)
                    sum += rc_solve_ideal(s, f->s->coordinate[i], p);
            known = !isnan(sum);
        }
        count += known;
    }
    return count;
}
