/* Finds the kernel that stops a program from scaling, by the laws of its kernels: the one
 * that takes most more than if it scaled as well as the best of them, RC_MODEL_AHEAD times
 * beyond the largest point.  In strong scaling that is a kernel that does not fall, or too
 * little; where the work of each process stays the same, one that rises.
 */
#include "campaign/model/parts.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The whole is least at a number of processes where it is so many times that beyond. */
static const double RISES = 1.1;
static const double NEARLY = 0.8; /* of the worst kernel: as bad */
/* A kernel with a smaller share does not matter; one whose time falls faster scales. */
static const double LEAST = 0.01, FLAT = -0.1;
enum { STEPS = 20 }; /* doublings in which the least time is looked for */

static double most_of(const struct rc_measured *m, size_t parameter, double *least)
{
    double most = 0;

    *least = INFINITY;
    for (size_t p = 0; p < m->points; p++) {
        most = fmax(most, m->at[p * m->parameters + parameter]);
        *least = fmin(*least, m->at[p * m->parameters + parameter]);
    }
    return most;
}

/* The parameter that is asked for first: p where it varies, else the first that does. */
static size_t scaling_parameter(const struct rc_measured *m)
{
    size_t found = m->parameters;
    double least;

    for (size_t i = m->parameters; i-- > 0;)
        if (most_of(m, i, &least) > least)
            found = i;
    const size_t p = rc_model_find_processes(m);
    return p < m->parameters && most_of(m, p, &least) > least ? p : found;
}

/* The largest measured point: of those with the largest value of the parameter the one
 * where the others' product is largest.
 */
static void largest_point(const struct rc_measured *m, size_t parameter, double *at)
{
    double best[2] = {0, 0};

    for (size_t p = 0; p < m->points; p++) {
        const double *point = &m->at[p * m->parameters];
        double size = 1;
        for (size_t i = 0; i < m->parameters; i++)
            size *= i == parameter ? 1 : point[i];
        const double first = parameter < m->parameters ? point[parameter] : 1;
        if (first > best[0] || (first == best[0] && size > best[1])) {
            best[0] = first;
            best[1] = size;
            memcpy(at, point, m->parameters * sizeof *at);
        }
    }
}

/* The value of the parameter, in doublings from the least measured one on, where the
 * whole takes least time; 0: it is still falling at the end.
 */
static void find_best(const struct rc_model *model, struct rc_model_scaling *s)
{
    double at[RC_LAW_PARAMETERS], least, best = INFINITY;

    memcpy(at, s->at, sizeof at);
    most_of(model->measured, s->parameter, &least);
    for (int i = 0; i <= STEPS; i++) {
        at[s->parameter] = ldexp(least, i);
        if (at[s->parameter] > s->ahead[s->parameter])
            break;
        const double total = rc_model_total_at(model, s->metric, s->whole, at).value;
        if (total < best) {
            best = total;
            s->best = at[s->parameter];
        }
    }
    s->best_total = best;
    if (!(s->total_ahead > RISES * best) || s->best <= least)
        s->best = 0;
}

/* Whether a series is of one kernel of the program, neither of the rest nor of all, that
 * does not get faster with the last doubling of the parameter, and matters there.
 */
static bool is_stopping(const struct rc_measured *m, const struct rc_model_scaling *s,
                        size_t series, double before, double ahead)
{
    return m->of[series].metric == s->metric && series != s->whole &&
           strcmp(m->kernel[m->of[series].kernel], RC_MODEL_OTHERS) != 0 &&
           ahead >= LEAST * s->total_ahead && ahead >= before * pow(2, FLAT);
}

static void add_to(struct rc_model_list *list, size_t series)
{
    if (list->count < RC_MODEL_STOPPING)
        list->of[list->count] = series;
    list->count++;
}

/* A kernel scales as well as the best one of those that matter: ratio of its times. */
static double best_ratio(const struct rc_model *model, struct rc_model_scaling *s,
                         double *now, double *before, double *ahead)
{
    const struct rc_measured *m = model->measured;
    double best = 1, half[RC_LAW_PARAMETERS], inner[RC_LAW_PARAMETERS];

    memcpy(half, s->ahead, sizeof half);
    half[s->parameter] /= 2;
    memcpy(inner, s->at, sizeof inner);
    inner[s->parameter] /= 2;
    s->total = rc_model_total_at(model, s->metric, s->whole, s->at).value;
    s->total_ahead = rc_model_total_at(model, s->metric, s->whole, s->ahead).value;
    for (size_t i = 0; i < m->series; i++) {
        now[i] = before[i] = ahead[i] = NAN;
        if (m->of[i].metric != s->metric)
            continue;
        now[i] = rc_model_series_at(model, i, s->at).value;
        before[i] = rc_model_series_at(model, i, half).value;
        const struct rc_predicted then = rc_model_series_at(model, i, s->ahead);
        ahead[i] = then.value;
        /* Where the interval is too wide, the last doubling that was measured says it. */
        if (isnan(then.value) ||
            (then.words & RC_LAWS_UNKNOWN &&
             !(now[i] >= rc_model_series_at(model, i, inner).value * pow(2, FLAT)))) {
            before[i] = NAN;
            if (i != s->whole && !(then.value < LEAST * s->total_ahead))
                add_to(&s->unknown, i);
        }
    }
    for (size_t i = 0; i < m->series; i++)
        if (now[i] > 0 && now[i] >= model->threshold * s->total)
            best = fmin(best, ahead[i] / now[i]);
    return best;
}

int rc_model_find_scaling(const struct rc_model *model, struct rc_model_scaling *s,
                          struct rc_error *err)
{
    const struct rc_measured *m = model->measured;
    double *now = rc_calloc(3 * m->series, sizeof *now);
    int status = now ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for times");

    *s = (struct rc_model_scaling){.parameter = scaling_parameter(m),
                                   .metric = rc_model_main_metric(m),
                                   .worst = m->series};
    s->whole = rc_model_find_whole(m, s->metric);
    largest_point(m, s->parameter, s->at);
    memcpy(s->ahead, s->at, sizeof s->ahead);
    if (status == RC_OK && s->parameter < m->parameters) {
        double *before = now + m->series, *ahead = before + m->series;
        s->ahead[s->parameter] *= RC_MODEL_AHEAD;
        const double best = best_ratio(model, s, now, before, ahead);
        double most = LEAST * s->total_ahead;
        for (size_t i = 0; i < m->series; i++)
            if (is_stopping(m, s, i, before[i], ahead[i])) {
                most = fmax(most, NEARLY * (ahead[i] - best * now[i]));
                add_to(&s->stopping, i);
            }
        /* The smallest of kernels that are as bad is told: it may be inside of the others. */
        for (size_t i = 0; i < m->series; i++)
            if (is_stopping(m, s, i, before[i], ahead[i]) &&
                ahead[i] - best * now[i] >= most &&
                (s->worst == m->series || ahead[i] < s->value_ahead)) {
                s->worst = i;
                s->value = now[i];
                s->value_ahead = ahead[i];
            }
        find_best(model, s);
    }
    free(now);
    return status;
}
