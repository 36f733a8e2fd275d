/* The metrics of a suite: fitted, tried, judged, and who may stand in for whom. */
#include "campaign/base/agree.h"
#include "campaign/solve/fits.h"
#include "solve/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fit(struct rc_fits *f, struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    int status = rc_fit(s->pivot_x, s->ideals, s->pure, f->signature, f->metrics, f->y,
                        f->error, err);

    if (status == RC_OK)
        status = rc_fit(s->pivot_x, s->ideals, s->chosen, f->signature, f->metrics,
                        f->y_all, f->error_all, err);
    status = rc_agree(f->k->how->comm, status, err);
    if (status == RC_OK && s->pure && f->metrics)
        status = rc_fits_intervals(f, err);
    return status;
}

/* With impure events that cancel what each of them counts besides: taken only where
 * the combination holds on every suite.
 */
static int try_completing(const struct rc_fits *f, size_t number,
                          const double *signature, struct rc_metric_result *m,
                          struct rc_error *err)
{
    const struct rc_solve_suite *s = f->s;
    const double error = f->error_all[number];
    struct rc_metric_result with = *m;
    int status;

    if (s->chosen == s->pure || m->verdict == RC_METRIC_DEFINED ||
        error > rc_fits_limit(s))
        return RC_OK;
    with.error = error;
    with.term = rc_calloc(s->chosen, sizeof *with.term);
    with.check = rc_calloc(f->k->count, sizeof *with.check);
    status = with.term && with.check ? RC_OK : rc_solve_no_memory(err);
    if (status == RC_OK)
        status = rc_fits_try(f, signature, f->y_all + number * s->chosen, NULL, NULL,
                             s->chosen, &with, err);
    if (status == RC_OK) {
        if (with.verdict == RC_METRIC_DEFINED && with.check_count > 1 &&
            with.check_count == rc_fits_suites_that_know(f, signature)) {
            struct rc_metric_result was = *m;
            *m = with;
            m->reason = "with impure events that cancel each other";
            with = was;
        } else if (with.verdict == RC_METRIC_REJECTED)
            m->reason = rc_fits_words(f, "%s; with impure events it fits here, but %s",
                                      m->reason, with.reason);
    }
    free(with.term);
    free(with.check);
    return status;
}

static void describe(const struct rc_fits *f, const struct rc_metric_definition *d,
                     struct rc_metric_result *m)
{
    m->name = rc_pool_copy(f->k->pool, d->name);
    m->description = rc_pool_copy(f->k->pool, d->description);
    m->signature = rc_pool_copy(f->k->pool, d->signature);
    m->preset = rc_pool_copy(f->k->pool, d->preset);
    m->formula = m->reason = "";
}

static int solve_metric(const struct rc_fits *f, size_t number,
                        struct rc_metric_result *m, struct rc_error *err)
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
    status = rc_fits_try(f, signature, f->y + at, f->low + at, f->high + at, s->pure, m,
                         err);
    return status == RC_OK ? try_completing(f, number, signature, m, err) : status;
}

static int put_chosen(struct rc_fits *f, struct rc_error *err)
{
    struct rc_solve_suite *s = f->s;
    struct rc_suite_result *r = &s->result;
    struct rc_solve_equivalents *others = rc_calloc(s->chosen, sizeof *others);
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
        status = rc_solve_equivalents(f->k, s, others, s->chosen, err);
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
        if (rc_term_value(m, &m->term[i]) == 0)
            continue;
        if (event != SIZE_MAX)
            return SIZE_MAX;
        event = m->term[i].event;
    }
    return event;
}

static int put_metrics(struct rc_fits *f, struct rc_error *err)
{
    const struct rc_suite_definition *d = f->s->definition;
    struct rc_suite_result *r = &f->s->result;
    struct rc_solve_equivalents *alone = rc_calloc(f->metrics, sizeof *alone);
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
            alone[count++] = (struct rc_solve_equivalents){
                .x = f->signature + i * f->s->ideals, .self = only_event(m)};
    }
    status = rc_agree(f->k->how->comm, status, err);
    if (status == RC_OK)
        status = rc_solve_equivalents(f->k, f->s, alone, count, err);
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
    struct rc_fits f;
    int status = rc_fits_init(k, s, &f, err);

    if (status == RC_OK)
        status = fit(&f, err);
    if (status == RC_OK)
        status = put_chosen(&f, err);
    if (status == RC_OK)
        status = put_metrics(&f, err);
    rc_fits_fini(&f);
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
