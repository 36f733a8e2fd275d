/* Fits, tries and judges the metrics of a suite, and finds events in place of others.
 */
#include "campaign/base/text.h"
#include "campaign/solve/joint/joint.h"
#include "solve/algebra/fit.h"

/* Tries a metric with impure events, too, whose other parts may cancel.  The
 * combination is taken only if it holds on every suite that knows the metric.
 */
static int try_completing(const struct rc_fits *f, size_t number,
                          const double *signature, struct rc_metric_result *m)
{
    const struct rc_solve_suite *s = f->s;
    struct rc_arena *arena = &f->k->arena;
    struct rc_metric_result with = *m;

    with.error = f->error_all[number];
    if (s->chosen == s->pure || m->verdict == RC_METRIC_DEFINED ||
        with.error > rc_fits_limit(s))
        return RC_OK;
    with.term = rc_arena_array(arena, s->chosen, sizeof *with.term);
    with.check = rc_arena_array(arena, f->k->count, sizeof *with.check);
    int status = rc_arena_check(arena, f->k->err, "the terms of a metric");
    if (status != RC_OK ||
        (status = rc_fits_try(f, signature, f->y_all + number * s->chosen, NULL, NULL,
                              s->chosen, &with)) != RC_OK)
        return status;
    if (with.verdict == RC_METRIC_DEFINED && with.check_count > 1 &&
        with.check_count == rc_fits_suites_that_know(f, signature)) {
        *m = with;
        m->reason = "made of events that count something besides, which cancels";
    } else if (with.verdict == RC_METRIC_REJECTED)
        m->reason = rc_solve_words(
            f->k, "%s; with events that count something besides it fits here, but %s",
            m->reason, with.reason);
    return RC_OK;
}

/* 'joint' is NULL where this suite alone decides. */
static int solve_metric(const struct rc_fits *f, size_t number,
                        struct rc_joint_fits *joint, struct rc_metric_result *m)
{
    const struct rc_solve_suite *s = f->s;
    const struct rc_metric_definition *d = f->metric[number];
    struct rc_arena *arena = &f->k->arena;
    const size_t at = number * s->pure;
    const double *signature = f->signature + number * s->ideals;

    *m = (struct rc_metric_result){
        .name = d->name,
        .description = d->description,
        .signature = d->signature,
        .preset = d->preset,
        .formula = "",
        .reason = "",
        .error = f->error[number],
        .term = rc_arena_array(arena, s->pure, sizeof *m->term),
        .check = rc_arena_array(arena, f->k->count, sizeof *m->check)};
    int status = rc_arena_check(arena, f->k->err, "the terms of a metric");
    if (status != RC_OK ||
        (status = rc_fits_try(f, signature, f->y + at, f->low + at, f->high + at,
                              s->pure, m)) != RC_OK ||
        (status = try_completing(f, number, signature, m)) != RC_OK || !joint)
        return status;
    status = rc_joint_decide(joint, number, signature, m);
    return status == RC_OK ? rc_joint_nearly(joint, number, signature, m) : status;
}

/* The chosen events in the order of the choice, each with its equivalents. */
static int put_chosen(struct rc_fits *f)
{
    struct rc_solve_suite *s = f->s;
    struct rc_suite_result *r = &s->result;
    struct rc_solve_equivalents *others =
        rc_arena_array(&f->k->step, s->chosen, sizeof *others);
    int status;

    r->chosen = rc_arena_array(&f->k->arena, s->chosen, sizeof *r->chosen);
    if ((status = rc_solve_agree_room(f->k, RC_OK, "the chosen events")) != RC_OK)
        return status;
    for (size_t j = 0; j < s->chosen; j++) {
        others[j].x = s->pivot_all + j * s->coordinates;
        others[j].self = f->event[j];
    }
    if ((status = rc_solve_equivalents(f->k, s, others, s->chosen)) != RC_OK)
        return status;
    for (size_t j = 0; j < s->chosen; j++)
        r->chosen[r->chosen_count++] =
            (struct rc_chosen){.event = f->event[j],
                               .name = f->name[j],
                               .score = s->pivot[j].score,
                               .norm = s->pivot[j].norm,
                               .coordinate = others[j].x,
                               .completes = j >= s->pure,
                               .other = others[j].event,
                               .other_name = others[j].name,
                               .other_count = others[j].count,
                               .others = others[j].all};
    return RC_OK;
}

/* The only event of a metric, without terms that are 0; SIZE_MAX: it has several. */
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

/* A metric in joint coordinates.  NULL: it has none, or there is no memory, which the
 * next check of the step's arena reports.
 */
static const double *joint_vector(const struct rc_fits *f,
                                  const struct rc_metric_definition *metric)
{
    const struct rc_solve_joint *joint = f->k->joint;
    double *x = rc_arena_array(&f->k->step, joint->ideals, sizeof *x);
    bool told;

    return x && rc_solve_joint_signature(f->s, joint, metric, x, &told) && told ? x
                                                                                : NULL;
}

/* Puts the metrics with a signature, with room for those with a formula, which follow
 * once all suites have theirs.
 */
static int put_metrics(struct rc_fits *f)
{
    const struct rc_suite_definition *d = f->s->definition;
    struct rc_suite_result *r = &f->s->result;
    struct rc_solve_equivalents *alone =
        rc_arena_array(&f->k->step, f->metrics, sizeof *alone);
    struct rc_joint_fits joint;
    size_t count = 0;

    r->metric = rc_arena_array(&f->k->arena, d->metric_count, sizeof *r->metric);
    int status = rc_solve_agree_room(f->k, RC_OK, "the metrics");
    if (status != RC_OK ||
        (f->k->joint && (status = rc_joint_fits_init(f, &joint)) != RC_OK))
        return status;
    for (size_t i = 0; i < f->metrics; i++) {
        struct rc_metric_result *m = &r->metric[r->metric_count++];
        if ((status = solve_metric(f, i, f->k->joint ? &joint : NULL, m)) != RC_OK)
            break;
        if (m->verdict != RC_METRIC_DEFINED)
            continue;
        alone[count] =
            (struct rc_solve_equivalents){.x = f->signature + i * f->s->ideals,
                                          .self = only_event(m),
                                          .told = !f->k->how->plain};
        if (f->k->joint)
            alone[count].joint = joint_vector(f, f->metric[i]);
        count++;
    }
    if ((status = rc_solve_agree(f->k, status)) != RC_OK ||
        (status = rc_solve_equivalents(f->k, f->s, alone, count)) != RC_OK)
        return status;
    for (size_t i = 0; i < f->metrics; i++) {
        struct rc_metric_result *m = &r->metric[i];
        if (m->verdict != RC_METRIC_DEFINED)
            continue;
        m->alone = alone->event;
        m->alone_name = alone->name;
        m->alone_count = alone->count;
        if (alone->untold)
            m->reason = rc_solve_words(
                f->k, "%s%s%zu other event%s cannot be told apart by these kernels",
                m->reason, m->reason[0] ? "; " : "", alone->untold,
                rc_text_s(alone->untold));
        alone++;
    }
    return RC_OK;
}

int rc_solve_metrics(struct rc_solve_kind *k, struct rc_solve_suite *s)
{
    struct rc_fits f;
    int status = rc_fits_init(k, s, &f);

    if (status != RC_OK)
        return status;
    if ((status = rc_fit(s->pivot_x, s->ideals, s->pure, f.signature, f.metrics, f.y,
                         f.error, k->err)) == RC_OK)
        status = rc_fit(s->pivot_x, s->ideals, s->chosen, f.signature, f.metrics,
                        f.y_all, f.error_all, k->err);
    if ((status = rc_solve_agree(k, status)) != RC_OK ||
        (s->pure && f.metrics &&
         (status = rc_solve_agree(k, rc_fits_intervals(&f))) != RC_OK) ||
        (status = put_chosen(&f)) != RC_OK)
        return status;
    return put_metrics(&f);
}
