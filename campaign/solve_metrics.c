/* The metrics of a suite: fitted, rounded, tried on all suites, and judged. */
#include "campaign/base/agree.h"
#include "campaign/base/text.h"
#include "campaign/solve_parts.h"
#include "solve/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 1000 };
static const double defined_most = 1e-2;     /* backward error of a metric ... */
static const double approximate_most = 1e-1; /* ... that is within a stated error */
static const double approximate_off = 0.2;   /* of the readings, likewise */
static const double interval_most = 0.1;     /* half of a coefficient's interval */
static const double coefficient_least = 1e-10;
static const double round_within = 0.03;

/* What the fits of a suite share. */
struct fits {
    struct rc_solve_kind *k;
    struct rc_solve_suite *s;
    size_t *event; /* [chosen] numbers */
    const char **name, **source;
    struct rc_solve_means means;
    const struct rc_metric_definition **metric; /* those with a signature */
    size_t metrics;
    double *signature; /* [metric][ideal] */
    double *y, *error; /* [metric][pure], by the pure events */
    double *low, *high;
    double *y_all, *error_all; /* [metric][chosen], with completing events */
};

static void fits_fini(struct fits *f)
{
    rc_solve_means_fini(&f->means);
    free(f->event);
    free((void *)f->name);
    free((void *)f->source);
    free((void *)f->metric);
    free(f->signature);
    free(f->y);
    free(f->error);
    free(f->low);
    free(f->high);
    free(f->y_all);
    free(f->error_all);
}

static size_t find(const char *const *list, size_t count, const char *word)
{
    size_t i = 0;

    while (i < count && strcmp(list[i], word) != 0)
        i++;
    return i;
}

/* The signature in the coordinates that this machine has. */
static int fill_signature(const struct fits *f, const struct rc_metric_definition *m,
                          double *out, struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;

    for (size_t i = 0; i < m->weight_count; i++) {
        const char *ideal = m->weight[i].ideal;
        size_t at = find(s->coordinate, s->ideals, ideal);
        if (at < s->ideals)
            out[at] += m->weight[i].weight;
        else if (find(s->left_out, s->left_out_count, ideal) == s->left_out_count)
            return rc_fail(err, RC_EUSAGE,
                           "%s: metric '%s': ideal '%s', expected one of the basis of "
                           "suite '%s'",
                           m->where, m->name, ideal, s->labels->name);
    }
    return RC_OK;
}

static int fits_init(struct rc_solve_kind *k, struct rc_solve_suite *s, struct fits *f,
                     struct rc_error *err)
{
    const struct rc_suite_definition *d = s->definition;
    const size_t most = d ? d->metric_count : 0;
    int status = RC_OK;

    *f = (struct fits){.k = k, .s = s};
    f->event = rc_calloc(s->chosen, sizeof *f->event);
    f->name = rc_calloc(s->chosen, sizeof *f->name);
    f->source = rc_calloc(s->chosen, sizeof *f->source);
    f->metric = rc_calloc(most, sizeof(struct rc_metric_definition *));
    f->signature = rc_calloc(most * s->ideals, sizeof *f->signature);
    f->y = rc_calloc(most * s->pure, sizeof *f->y);
    f->low = rc_calloc(most * s->pure, sizeof *f->low);
    f->high = rc_calloc(most * s->pure, sizeof *f->high);
    f->error = rc_calloc(most, sizeof *f->error);
    f->y_all = rc_calloc(most * s->chosen, sizeof *f->y_all);
    f->error_all = rc_calloc(most, sizeof *f->error_all);
    if (!f->event || !f->name || !f->source || !f->metric || !f->signature || !f->y ||
        !f->low || !f->high || !f->error || !f->y_all || !f->error_all)
        status = rc_solve_no_memory(err);
    for (size_t i = 0; i < most && status == RC_OK; i++)
        if (!d->metric[i].formula[0]) {
            f->metric[f->metrics] = &d->metric[i];
            status = fill_signature(f, &d->metric[i],
                                    f->signature + f->metrics++ * s->ideals, err);
        }
    for (size_t j = 0; j < s->chosen && status == RC_OK; j++)
        f->event[j] = s->pivot[j].event;
    status = rc_agree(k->how->comm, status, err);
    if (status == RC_OK)
        status = rc_solve_names(k, f->event, s->chosen, f->name, f->source, err);
    if (status == RC_OK)
        status = rc_solve_gather(k, f->event, s->chosen, &f->means, err);
    return status;
}

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

static void drawing_fini(const struct fits *f, struct drawing *d)
{
    for (size_t j = 0; d->vector && j < f->s->pure; j++)
        free(d->vector[j]);
    for (size_t j = 0; d->inverse && j < f->s->pure; j++)
        free(d->inverse[j]);
    free((void *)d->vector);
    free((void *)d->inverse);
    free(d->event);
}

static int drawing_event(const struct fits *f, struct drawing *d, size_t j,
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
static int find_intervals(struct fits *f, struct rc_error *err)
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

static int fit(struct fits *f, struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    int status = rc_fit(s->pivot_x, s->ideals, s->pure, f->signature, f->metrics, f->y,
                        f->error, err);

    if (status == RC_OK)
        status = rc_fit(s->pivot_x, s->ideals, s->chosen, f->signature, f->metrics,
                        f->y_all, f->error_all, err);
    status = rc_agree(f->k->how->comm, status, err);
    if (status == RC_OK && s->pure && f->metrics)
        status = find_intervals(f, err);
    return status;
}

/* What is known of the ideals in a signature: 0 where that is all. */
static double looseness(const struct rc_solve_suite *s, const double *signature)
{
    for (size_t i = 0; s->definition && i < s->ideals; i++)
        if (signature[i] != 0 && rc_solve_is_loose(s, s->coordinate[i]))
            return s->definition->within;
    return 0;
}

/* How far a metric may be off, in its suite and in others. */
static double tolerance(const struct rc_solve_suite *s, const double *signature,
                        bool home)
{
    const double most = fmax(rc_solve_purity(s), looseness(s, signature));

    return home ? fmax(s->result.residual, most) : most;
}

/* Of the chosen events, the one that a term is of. */
static size_t term_number(const struct fits *f, const struct rc_term *term)
{
    size_t j = 0;

    while (f->event[j] != term->event)
        j++;
    return j;
}

/* What a combination counts on the points of a suite, per iteration; NAN where one
 * of its events is not measured.  'gross' gets the same without regard to signs.  False
 * where an event is nowhere on that suite.
 */
static bool combine(const struct fits *f, size_t suite, const struct rc_term *term,
                    size_t terms, bool rounded, double *out, double *gross)
{
    const size_t points = f->k->suite[suite].labels->point_count;

    memset(out, 0, points * sizeof *out);
    memset(gross, 0, points * sizeof *gross);
    for (size_t t = 0; t < terms; t++) {
        const double c = rounded ? term[t].rounded : term[t].coefficient;
        const size_t j = term_number(f, &term[t]);
        const double *mean = f->means.mean[j * f->k->count + suite];
        if (!mean)
            return false;
        for (size_t p = 0; p < points; p++) {
            out[p] += c * mean[p];
            gross[p] += fabs(c * mean[p]);
        }
    }
    return true;
}

/* Iterations of one reading, 0 where an event of the combination has none. */
static void iterations_of(const struct fits *f, size_t suite,
                          const struct rc_term *term, size_t terms, uint64_t *out)
{
    const struct rc_solve_suite *s = &f->k->suite[suite];
    const size_t points = s->labels->point_count;

    for (size_t t = 0; t < terms; t++) {
        const size_t j = term_number(f, &term[t]);
        const uint64_t *n =
            s->labels->iterations + rc_solve_source_number(s, f->source[j]) * points;
        for (size_t p = 0; p < points; p++)
            if (t == 0 || n[p] == 0)
                out[p] = n[p];
    }
}

/* What is forgiven of each event is forgiven of its part in the metric. */
static struct rc_cross_claim claim_of(const struct fits *f, const double *signature,
                                      const struct rc_term *term, size_t terms)
{
    const size_t ideals = f->s->ideals;
    struct rc_cross_claim claim = {.weight = signature, .floor = INFINITY};

    for (size_t i = 0; i < ideals; i++)
        if (signature[i] != 0)
            claim.floor = fmin(claim.floor, fabs(signature[i]));
    for (size_t t = 0; t < terms; t++) {
        const size_t j = term_number(f, &term[t]);
        const struct rc_cross_claim part =
            rc_cross_event(f->s->pivot_x + j * ideals, ideals, 0, 0);
        const double c = term[t].coefficient;
        claim.rest_least += c * (c > 0 ? part.rest_least : part.rest_most);
        claim.rest_most += c * (c > 0 ? part.rest_most : part.rest_least);
        claim.whole += fabs(c) * part.whole;
    }
    return claim;
}

/* The metric on the points of one suite. */
static int check_on(const struct fits *f, size_t suite, const double *signature,
                    struct rc_metric_result *m, struct rc_error *err)
{
    const struct rc_solve_suite *other = &f->k->suite[suite];
    const size_t points = other->labels->point_count, ideals = f->s->ideals;
    double *ideal = rc_calloc(points * ideals, sizeof *ideal);
    double *counted = rc_calloc(2 * points, sizeof *counted);
    double *gross = counted + points;
    uint64_t *iterations = rc_calloc(points, sizeof *iterations);
    struct rc_metric_check *check = &m->check[m->check_count];
    int status = ideal && counted && iterations ? RC_OK : rc_solve_no_memory(err);

    if (status != RC_OK ||
        !combine(f, suite, m->term, m->term_count, false, counted, gross))
        goto out;
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < ideals; i++)
            ideal[p * ideals + i] = rc_solve_ideal(other, f->s->coordinate[i], p);
    iterations_of(f, suite, m->term, m->term_count, iterations);
    const struct rc_cross cross = {points, ideals, ideal, iterations};
    struct rc_cross_claim claim = claim_of(f, signature, m->term, m->term_count);
    claim.gross = gross;
    struct rc_cross_result plain = rc_cross_try(&cross, &claim, counted);
    if (plain.points == 0)
        goto out;
    combine(f, suite, m->term, m->term_count, true, counted, gross);
    struct rc_cross_result rounded = rc_cross_try(&cross, &claim, counted);
    *check = (struct rc_metric_check){
        .suite = other->labels->name,
        .points = plain.points,
        .error = plain.error,
        .rounded = rounded.error,
        .passed = plain.error <= tolerance(f->s, signature, other == f->s)};
    m->check_count++;
out:
    free(iterations);
    free(counted);
    free(ideal);
    return status;
}

/* On its own suite first. */
static int check_metric(const struct fits *f, const double *signature,
                        struct rc_metric_result *m, struct rc_error *err)
{
    const size_t own = (size_t)(f->s - f->k->suite);
    int status;

    m->check_count = 0;
    if (m->term_count == 0)
        return RC_OK;
    status = check_on(f, own, signature, m, err);
    for (size_t i = 0; i < f->k->count && status == RC_OK && !f->k->how->plain; i++)
        if (i != own)
            status = check_on(f, i, signature, m, err);
    return status;
}

/* Terms are small or not by what they add to the metric, in which units ever. */
static void put_terms(const struct fits *f, const double *signature, const double *y,
                      const double *low, const double *high, size_t events,
                      struct rc_metric_result *m)
{
    const size_t ideals = f->s->ideals;
    const double within = fmax(round_within, looseness(f->s, signature) / 2);
    double largest = rc_norm(signature, ideals);

    m->term_count = 0;
    for (size_t j = 0; j < events; j++)
        largest =
            fmax(largest, fabs(y[j]) * rc_norm(f->s->pivot_x + j * ideals, ideals));
    for (size_t j = 0; j < events; j++) {
        const double norm = rc_norm(f->s->pivot_x + j * ideals, ideals);
        if (fabs(y[j]) * norm <= coefficient_least * largest)
            continue;
        m->term[m->term_count++] =
            (struct rc_term){.event = f->event[j],
                             .name = f->name[j],
                             .coefficient = y[j],
                             .rounded = rc_fit_round(y[j], largest / norm, within),
                             .low = low ? low[j] : NAN,
                             .high = high ? high[j] : NAN};
    }
}

/* What it is off by on its own suite: the first check, where there is one. */
static double off_at_home(const struct rc_solve_suite *s,
                          const struct rc_metric_result *m)
{
    if (m->check_count == 0 || strcmp(m->check[0].suite, s->labels->name) != 0)
        return 0;
    return m->check[0].error;
}

/* The worst of those that failed on other suites. */
static const struct rc_metric_check *failed_elsewhere(const struct rc_solve_suite *s,
                                                      const struct rc_metric_result *m)
{
    const struct rc_metric_check *worst = NULL;

    for (size_t i = 0; i < m->check_count; i++)
        if (!m->check[i].passed && strcmp(m->check[i].suite, s->labels->name) != 0 &&
            (!worst || m->check[i].error > worst->error))
            worst = &m->check[i];
    return worst;
}

static const char *words(const struct fits *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *words(const struct fits *f, const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    const char *copy;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    copy = rc_pool_copy(f->k->pool, text);
    return copy ? copy : "";
}

/* The widest interval of a coefficient that matters, as a share of it. */
static double widest(const struct rc_metric_result *m)
{
    double most = 0;

    for (size_t i = 0; i < m->term_count; i++)
        if (m->term[i].rounded != 0 && !isnan(m->term[i].low))
            most = fmax(most, (m->term[i].high - m->term[i].low) / 2 /
                                  fabs(m->term[i].coefficient));
    return most;
}

static double defined_limit(const struct rc_solve_suite *s)
{
    return fmin(s->result.alpha, defined_most);
}

/* How far the sum of the events' ideals is from the signature.  The backward error
 * does not tell where an event counts in small units: its norm hides anything.
 */
static double off_signature(const struct fits *f, const double *signature,
                            const struct rc_metric_result *m, bool rounded)
{
    const size_t ideals = f->s->ideals;
    double off = 0;

    for (size_t i = 0; i < ideals; i++) {
        double sum = -signature[i];
        for (size_t t = 0; t < m->term_count; t++)
            sum += (rounded ? m->term[t].rounded : m->term[t].coefficient) *
                   f->s->pivot_x[term_number(f, &m->term[t]) * ideals + i];
        off += sum * sum;
    }
    return sqrt(off) / rc_norm(signature, ideals);
}

/* The rounded combination is the metric, and true wherever it could be tried. */
static bool rounded_holds(const struct fits *f, const double *signature,
                          const struct rc_metric_result *m)
{
    const double most = tolerance(f->s, signature, true);

    for (size_t i = 0; i < m->check_count; i++)
        if (!(m->check[i].rounded <= most))
            return false;
    return m->check_count > 0 && off_signature(f, signature, m, true) <= most;
}

/* No events at all: whether there could not be any, or nobody knows. */
static void judge_nothing(const struct fits *f, const double *signature,
                          struct rc_metric_result *m)
{
    const struct rc_solve_suite *s = f->s;
    double largest = 0;

    for (size_t i = 0; i < s->ideals; i++)
        largest = fmax(largest, fabs(signature[i]));
    m->verdict = s->chosen > 0 ? RC_METRIC_ABSENT : RC_METRIC_UNKNOWN;
    m->error = s->pure > 0 && largest > 0 ? m->error : NAN;
    if (largest == 0)
        m->reason = "no point that was measured has its ideals";
    else if (s->pure > 0)
        m->reason = "no chosen event has a part in it";
    else if (s->chosen > 0)
        m->reason = "no event counts the suite's ideals and nothing else";
    else
        m->reason = "no event is steady and a combination of the suite's ideals";
}

static void judge(const struct fits *f, const double *signature,
                  struct rc_metric_result *m)
{
    const struct rc_metric_check *elsewhere = failed_elsewhere(f->s, m);
    const bool rounded = rounded_holds(f, signature, m);
    const double off = off_at_home(f->s, m);
    const double most = fmax(f->s->result.residual, rc_solve_purity(f->s));
    const double beside = m->term_count ? off_signature(f, signature, m, false) : 0;
    const bool fits = m->error <= defined_limit(f->s);
    const bool passes = m->check_count == 0 || m->check[0].passed || off == 0;

    if (m->term_count == 0)
        judge_nothing(f, signature, m);
    else if (m->error > approximate_most || off > approximate_off) {
        m->verdict = RC_METRIC_ABSENT;
        m->reason = "no combination of the chosen events comes near it";
    } else if (elsewhere && !rounded) {
        m->verdict = RC_METRIC_REJECTED;
        m->reason = words(f, "on suite %s it is off by %.3g of what it should count",
                          elsewhere->suite, elsewhere->error);
    } else if (!fits || !passes) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason = passes ? words(f, "backward error above %g", defined_limit(f->s))
                           : words(f, "off by %.3g on the readings", off);
    } else if (beside > most) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason = words(f, "its events' ideals are off by %.3g", beside);
    } else if (widest(m) > interval_most) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason =
            words(f, "a coefficient is known only within %.2g of itself", widest(m));
    } else {
        m->verdict = RC_METRIC_DEFINED;
        if (elsewhere)
            m->reason = words(f,
                              "by its rounded coefficients only: off by %.3g on "
                              "suite %s as they are",
                              elsewhere->error, elsewhere->suite);
        else if (off > f->s->result.residual)
            m->reason = words(f, "its ideals are known within %g only",
                              looseness(f->s, signature));
    }
}

/* On how many suites it is known what the metric should count. */
static size_t suites_that_know(const struct fits *f, const double *signature)
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

/* With impure events that cancel what each of them counts besides: taken only where
 * the combination holds on every suite.
 */
static int try_completing(const struct fits *f, size_t number, const double *signature,
                          struct rc_metric_result *m, struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    const double error = f->error_all[number];
    struct rc_metric_result with = *m;
    int status;

    if (s->chosen == s->pure || m->verdict == RC_METRIC_DEFINED ||
        error > defined_limit(s))
        return RC_OK;
    with.error = error;
    with.term = rc_calloc(s->chosen, sizeof *with.term);
    with.check = rc_calloc(f->k->count, sizeof *with.check);
    status = with.term && with.check ? RC_OK : rc_solve_no_memory(err);
    if (status == RC_OK) {
        put_terms(f, signature, f->y_all + number * s->chosen, NULL, NULL, s->chosen,
                  &with);
        status = check_metric(f, signature, &with, err);
    }
    if (status == RC_OK) {
        judge(f, signature, &with);
        if (with.verdict == RC_METRIC_DEFINED && with.check_count > 1 &&
            with.check_count == suites_that_know(f, signature)) {
            struct rc_metric_result was = *m;
            *m = with;
            m->reason = "with impure events that cancel each other";
            with = was;
        } else if (with.verdict == RC_METRIC_REJECTED)
            m->reason = words(f, "%s; with impure events it fits here, but %s",
                              m->reason, with.reason);
    }
    free(with.term);
    free(with.check);
    return status;
}

static void describe(const struct fits *f, const struct rc_metric_definition *d,
                     struct rc_metric_result *m)
{
    m->name = rc_pool_copy(f->k->pool, d->name);
    m->description = rc_pool_copy(f->k->pool, d->description);
    m->signature = rc_pool_copy(f->k->pool, d->signature);
    m->preset = rc_pool_copy(f->k->pool, d->preset);
    m->formula = m->reason = "";
}

static int solve_metric(const struct fits *f, size_t number, struct rc_metric_result *m,
                        struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    const size_t at = number * s->pure;
    const double *signature = f->signature + number * s->ideals;
    int status = RC_OK;

    m->term = rc_calloc(s->pure, sizeof *m->term);
    m->check = rc_calloc(f->k->count, sizeof *m->check);
    if (!m->term || !m->check || !m->name || !m->description || !m->signature ||
        !m->preset)
        return rc_solve_no_memory(err);
    m->error = f->error[number];
    put_terms(f, signature, f->y + at, f->low + at, f->high + at, s->pure, m);
    status = check_metric(f, signature, m, err);
    if (status != RC_OK)
        return status;
    judge(f, signature, m);
    status = try_completing(f, number, signature, m, err);
    m->rounded_holds = rounded_holds(f, signature, m);
    return status;
}

static int put_chosen(struct fits *f, struct rc_error *err)
{
    struct rc_solve_suite *s = f->s;
    struct rc_suite_result *r = &s->result;
    struct rc_solve_others *others = rc_calloc(s->chosen, sizeof *others);
    int status = others ? RC_OK : rc_solve_no_memory(err);

    r->chosen = rc_calloc(s->chosen, sizeof *r->chosen);
    if (status == RC_OK && !r->chosen)
        status = rc_solve_no_memory(err);
    status = rc_agree(f->k->how->comm, status, err);
    for (size_t j = 0; j < s->chosen && status == RC_OK; j++) {
        r->chosen[r->chosen_count++] =
            (struct rc_chosen){.event = f->event[j],
                               .name = f->name[j],
                               .score = s->pivot[j].score,
                               .norm = s->pivot[j].norm,
                               .coordinate = s->pivot_all + j * s->coordinates,
                               .completes = j >= s->pure};
        others[j].x = r->chosen[j].coordinate;
        others[j].self = f->event[j];
    }
    if (status == RC_OK)
        status = rc_solve_others(f->k, s, others, s->chosen, err);
    for (size_t j = 0; j < s->chosen && status == RC_OK; j++) {
        struct rc_chosen *c = &r->chosen[j];
        c->other = others[j].event;
        c->other_name = others[j].name;
        c->other_count = others[j].count;
        c->others = others[j].all;
    }
    free(others);
    return status;
}

/* The one event that a metric is, but for terms near 0; SIZE_MAX: it is more. */
static size_t only_event(const struct rc_metric_result *m)
{
    size_t event = SIZE_MAX;

    for (size_t i = 0; i < m->term_count; i++) {
        if (m->term[i].rounded == 0)
            continue;
        if (event != SIZE_MAX)
            return SIZE_MAX;
        event = m->term[i].event;
    }
    return event;
}

static int put_metrics(struct fits *f, struct rc_error *err)
{
    const struct rc_suite_definition *d = f->s->definition;
    struct rc_suite_result *r = &f->s->result;
    struct rc_solve_others *alone = rc_calloc(f->metrics, sizeof *alone);
    size_t count = 0;
    int status = alone ? RC_OK : rc_solve_no_memory(err);

    r->metric = rc_calloc(d ? d->metric_count : 0, sizeof *r->metric);
    if (status == RC_OK && !r->metric)
        status = rc_solve_no_memory(err);
    for (size_t i = 0; i < f->metrics && status == RC_OK; i++) {
        struct rc_metric_result *m = &r->metric[r->metric_count++];
        describe(f, f->metric[i], m);
        status = solve_metric(f, i, m, err);
        if (status == RC_OK && m->verdict == RC_METRIC_DEFINED)
            alone[count++] = (struct rc_solve_others){
                .x = f->signature + i * f->s->ideals, .self = only_event(m)};
    }
    status = rc_agree(f->k->how->comm, status, err);
    if (status == RC_OK)
        status = rc_solve_others(f->k, f->s, alone, count, err);
    count = 0;
    for (size_t i = 0; i < f->metrics && status == RC_OK; i++) {
        struct rc_metric_result *m = &r->metric[i];
        if (m->verdict != RC_METRIC_DEFINED)
            continue;
        m->alone = alone[count].event;
        m->alone_name = alone[count].name;
        m->alone_count = alone[count++].count;
    }
    free(alone);
    return status;
}

int rc_solve_metrics(struct rc_solve_kind *k, struct rc_solve_suite *s,
                     struct rc_error *err)
{
    struct fits f;
    int status = fits_init(k, s, &f, err);

    if (status == RC_OK)
        status = fit(&f, err);
    if (status == RC_OK)
        status = put_chosen(&f, err);
    if (status == RC_OK)
        status = put_metrics(&f, err);
    fits_fini(&f);
    return status;
}

void rc_solve_result_fini(struct rc_suite_result *r)
{
    for (size_t i = 0; i < r->chosen_count; i++) {
        free((void *)r->chosen[i].other);
        free((void *)r->chosen[i].other_name);
    }
    for (size_t i = 0; i < r->metric_count; i++) {
        struct rc_metric_result *m = &r->metric[i];
        free(m->term);
        free(m->check);
        free((void *)m->alone);
        free((void *)m->alone_name);
        free((void *)m->input);
        free(m->value);
        free(m->value_low);
        free(m->value_high);
    }
    free(r->chosen);
    free(r->metric);
    free(r->preset);
}
