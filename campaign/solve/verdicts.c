/* Terms and verdicts of metrics.
 *
 * Coefficients are rounded to simple numbers as far as the metric then still holds on
 * the readings of all suites (docs/solve.md, step 7); the verdict is about the
 * combination that results.
 */
#include "campaign/base/text.h"
#include "campaign/solve/fits.h"
#include "solve/algebra/fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const double defined_most = 1e-2;     /* backward error of a defined metric */
static const double approximate_most = 1e-1; /* of an approximate one */
static const double approximate_off = 0.2;   /* its error on readings, relative */
static const double interval_most = 0.1; /* half width, relative to the coefficient */
static const double coefficient_least = 1e-10; /* of the largest part; less is 0 */
static const double round_within = 0.03; /* how far a coefficient may be rounded */
/* The same for exact suites, where only noise and the rounding of readings matter, as a
 * share of the coefficient and in half widths of its interval.
 */
static const double round_exact = 1e-5, round_halves = 3;

static void put_terms(const struct rc_fits *f, const double *y, const double *low,
                      const double *high, size_t events, double largest,
                      struct rc_metric_result *m)
{
    const size_t ideals = f->s->ideals;

    m->term_count = 0;
    for (size_t j = 0; j < events; j++)
        if (fabs(y[j]) * rc_norm(f->s->pivot_x + j * ideals, ideals) >
            coefficient_least * largest)
            m->term[m->term_count++] = (struct rc_term){.event = f->event[j],
                                                        .name = f->name[j],
                                                        .coefficient = y[j],
                                                        .low = low ? low[j] : NAN,
                                                        .high = high ? high[j] : NAN};
}

/* How coefficients are rounded: small parts to 0, others to simple numbers. */
struct rounding {
    bool small, simple;
};

/* The worst check that failed on another suite, or NULL. */
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

/* Half the widest interval of a coefficient that is not rounded to 0, relative to the
 * coefficient.
 */
static double widest(const struct rc_metric_result *m)
{
    double most = 0;

    for (size_t i = 0; i < m->term_count; i++)
        if (rc_term_value(m, &m->term[i]) != 0 && !isnan(m->term[i].low))
            most = fmax(most, (m->term[i].high - m->term[i].low) / 2 /
                                  fabs(m->term[i].coefficient));
    return most;
}

double rc_fits_limit(const struct rc_solve_suite *s)
{
    return fmin(s->result.alpha, defined_most);
}

/* How far the sum of the events' ideals is from the signature, relative to it.  The
 * backward error does not show that if an event counts in small units: its large norm
 * hides any difference.
 */
static double off_signature(const struct rc_fits *f, const double *signature,
                            const struct rc_metric_result *m, bool rounded)
{
    const size_t ideals = f->s->ideals;
    double off = 0;

    for (size_t i = 0; i < ideals; i++) {
        double sum = -signature[i];
        for (size_t t = 0; t < m->term_count; t++)
            sum += (rounded ? m->term[t].rounded : m->term[t].coefficient) *
                   f->s->pivot_x[rc_fits_term_number(f, &m->term[t]) * ideals + i];
        off += sum * sum;
    }
    return sqrt(off) / rc_norm(signature, ideals);
}

/* Whether the rounded combination is the metric, and holds wherever it could be tried.
 */
static bool rounded_holds(const struct rc_fits *f, const double *signature,
                          const struct rc_metric_result *m)
{
    const double most = rc_fits_tolerance(f->s, signature, true);

    for (size_t i = 0; i < m->check_count; i++)
        if (!(m->check[i].rounded <= most))
            return false;
    return m->check_count > 0 && off_signature(f, signature, m, true) <= most;
}

/* Judges a metric that no combination of the measured events gives: it is absent only
 * if all events of the machine were measured, else unknown.
 */
static void judge_absent(const struct rc_fits *f, const char *why,
                         struct rc_metric_result *m)
{
    const size_t unread = f->s->unread;

    m->verdict = unread || f->k->selected ? RC_METRIC_UNKNOWN : RC_METRIC_ABSENT;
    m->reason = why;
    if (unread)
        m->reason = rc_solve_words(
            f->k, "%s, and %zu event%s that can be counted %s too few valid readings",
            why, unread, rc_text_s(unread), rc_text_plural(unread, "has", "have"));
    else if (f->k->selected)
        m->reason =
            rc_solve_words(f->k, "%s, and the campaign leaves out other events", why);
}

/* Judges a metric without any term: absent, or unknown. */
static void judge_nothing(const struct rc_fits *f, const double *signature,
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
        judge_absent(f, "no chosen event has a part in it", m);
    else if (s->chosen > 0)
        judge_absent(f, "no event counts the suite's ideals and nothing else", m);
    else
        m->reason = "no exact or good event is a combination of the suite's ideals";
}

/* The verdict and its reason, by the first doubt that applies. */
static void judge(const struct rc_fits *f, const double *signature,
                  struct rc_metric_result *m)
{
    const struct rc_metric_check *elsewhere = failed_elsewhere(f->s, m);
    const bool at_home =
        m->check_count > 0 && strcmp(m->check[0].suite, f->s->labels->name) == 0;
    const double off =
        at_home ? m->check[0].error : 0; /* on its own suite's readings */
    const double most = fmax(f->s->result.residual, f->s->definition->purity);
    const double beside = m->term_count ? off_signature(f, signature, m, false) : 0;
    const bool fits = m->error <= rc_fits_limit(f->s);
    const bool passes = m->check_count == 0 || m->check[0].passed || off == 0;

    if (m->term_count == 0)
        judge_nothing(f, signature, m);
    else if (m->error > approximate_most || off > approximate_off)
        judge_absent(f, "no combination of the chosen events comes near it", m);
    else if (elsewhere && !m->rounded_holds) {
        m->verdict = RC_METRIC_REJECTED;
        m->reason = rc_solve_words(
            f->k, "on suite %s it is off by %.3g of what it should count",
            elsewhere->suite, elsewhere->error);
    } else if (!fits || !passes) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason = passes ? rc_solve_words(f->k, "backward error above %g",
                                            rc_fits_limit(f->s))
                           : rc_solve_words(f->k, "off by %.3g on the readings", off);
    } else if (beside > most) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason = rc_solve_words(f->k, "its events' ideals are off by %.3g", beside);
    } else if (widest(m) > interval_most) {
        m->verdict = RC_METRIC_APPROXIMATE;
        m->reason = rc_solve_words(
            f->k, "a coefficient is known only within %.2g of itself", widest(m));
    } else {
        m->verdict = RC_METRIC_DEFINED;
        if (elsewhere)
            m->reason = rc_solve_words(f->k,
                                       "only with rounded coefficients: without "
                                       "rounding off by %.3g on suite %s",
                                       elsewhere->error, elsewhere->suite);
        else if (off > f->s->result.residual)
            m->reason = rc_solve_words(f->k, "its ideals are known within %g only",
                                       rc_fits_looseness(f->s, signature));
    }
}

/* Rounds the coefficient of a term.  With the coefficient 'whole' the event alone would
 * be as large as the metric.  The columns of an exact suite explain its readings fully:
 * there only noise, and the rounding of readings to whole counts, keep a coefficient
 * away from a simple number, or from 0.
 */
static double round_term(const struct rc_fits *f, const double *signature, double whole,
                         bool small, const struct rc_term *term)
{
    const double looseness = rc_fits_looseness(f->s, signature);
    double within = fmax(round_within, looseness / 2);

    if (f->k->joint && f->s->definition->nuisance && looseness == 0) {
        const double own = round_halves * (term->high - term->low) / 2;
        const double least = fmin(within * whole, fmax(own, round_exact * whole));
        within = fmin(within, fmax(own / fabs(term->coefficient), round_exact));
        whole = least / within;
    }
    return rc_fit_round(term->coefficient, small ? whole : 0, within);
}

static int try_rounding(const struct rc_fits *f, const double *signature,
                        double largest, struct rounding how, struct rc_metric_result *m)
{
    const size_t ideals = f->s->ideals;

    for (size_t t = 0; t < m->term_count; t++) {
        struct rc_term *term = &m->term[t];
        const double *x = f->s->pivot_x + rc_fits_term_number(f, term) * ideals;
        const double rounded =
            round_term(f, signature, largest / rc_norm(x, ideals), how.small, term);
        term->rounded = rounded == 0 || how.simple ? rounded : term->coefficient;
    }
    const int status = rc_fits_check(f, signature, m);
    m->rounded_holds = status == RC_OK && rounded_holds(f, signature, m);
    return status;
}

int rc_fits_try(const struct rc_fits *f, const double *signature, const double *y,
                const double *low, const double *high, size_t events,
                struct rc_metric_result *m)
{
    static const struct rounding rounding[] = {{.small = true, .simple = true},
                                               {.small = false, .simple = true},
                                               {.small = true, .simple = false},
                                               {.small = false, .simple = false}};
    const size_t ideals = f->s->ideals;
    double largest = rc_norm(signature, ideals);

    /* The largest of the metric and of each event times its coefficient: a term is
     * small by what it adds, whatever the unit of its event.
     */
    for (size_t j = 0; j < events; j++)
        largest =
            fmax(largest, fabs(y[j]) * rc_norm(f->s->pivot_x + j * ideals, ideals));
    /* A term that adds little on this suite's points may be needed nevertheless:
     * roundings are tried until one holds.
     */
    put_terms(f, y, low, high, events, largest, m);
    m->rounded_holds = false;
    for (size_t i = 0; i < sizeof rounding / sizeof *rounding && !m->rounded_holds;
         i++) {
        const int status = try_rounding(f, signature, largest, rounding[i], m);
        if (status != RC_OK)
            return status;
    }
    judge(f, signature, m);
    if (m->rounded_holds || rc_metric_has_combination(m))
        return RC_OK;
    /* No combination comes near the metric: the first rounding shows the terms that
     * matter.
     */
    return try_rounding(f, signature, largest, rounding[0], m);
}
