/* Metrics that are formulas of other metrics: their values on the points of a suite.
 *
 * An input is a combination of events, whose means all ranks get.  Bounds come from the
 * intervals of coefficients and the noise of events, by interval arithmetic.
 */
#include "campaign/solve/parts.h"
#include "solve/definitions/formula.h"

#include <math.h>
#include <string.h>

/* One formula of suite 's' and its inputs. */
struct making {
    struct rc_solve_kind *k;
    struct rc_solve_suite *s;
    struct rc_expression *formula;
    const struct rc_metric_result **input; /* NULL: not measured */
    size_t inputs;
    struct rc_solve_means means; /* of all terms, one input after the other */
};

/* Finds a metric by name: in this suite first, then in the others. */
static const struct rc_metric_result *find_metric(const struct making *m,
                                                  const char *name)
{
    for (size_t s = 0; s <= m->k->count; s++) {
        const struct rc_suite_result *r = &(s ? &m->k->suite[s - 1] : m->s)->result;
        for (size_t i = 0; i < r->metric_count; i++)
            if (!r->metric[i].formula[0] && strcmp(r->metric[i].name, name) == 0)
                return &r->metric[i];
    }
    return NULL;
}

/* Gives the metric the verdict of its worst input. */
static void judge_inputs(const struct making *m, struct rc_metric_result *out)
{
    out->verdict = RC_METRIC_DEFINED;
    for (size_t i = 0; i < m->inputs; i++) {
        const char *name = m->formula->name[i].text;
        const struct rc_metric_result *in = m->input[i];
        if (!in) {
            out->verdict = RC_METRIC_UNKNOWN;
            out->reason =
                rc_solve_words(m->k, "needs '%s', which was not measured", name);
            return;
        }
        if (in->verdict == RC_METRIC_DEFINED ||
            (rc_metric_is_usable(in) && out->verdict == RC_METRIC_APPROXIMATE))
            continue;
        out->verdict = in->verdict;
        out->reason = rc_solve_words(
            m->k,
            in->verdict == RC_METRIC_REFERENCE     ? "'%s' is known by reference"
            : in->verdict == RC_METRIC_APPROXIMATE ? "needs '%s', which is approximate"
                                                   : "needs '%s', which is not defined",
            name);
        if (!rc_metric_is_usable(in))
            return;
    }
}

/* Collective.  The means of all terms' events. */
static int share_term_means(struct making *m)
{
    size_t terms = 0, *event;

    for (size_t i = 0; i < m->inputs; i++)
        terms += m->input[i]->term_count;
    event = rc_arena_array(&m->k->step, terms, sizeof *event);
    const int status = rc_solve_agree_room(m->k, RC_OK, "the terms of a formula");
    if (status != RC_OK)
        return status;
    terms = 0;
    for (size_t i = 0; i < m->inputs; i++)
        for (size_t t = 0; t < m->input[i]->term_count; t++)
            event[terms++] = m->input[i]->term[t].event;
    return rc_solve_share_means(m->k, event, terms, &m->means);
}

/* The value of the formula on a point, NAN where one of the events was not measured.
 * 'room' holds an item for each input.
 */
static struct rc_interval value_at(const struct making *m, size_t point,
                                   struct rc_interval *room)
{
    const struct rc_interval nothing = {NAN, NAN, NAN};
    const size_t suite = (size_t)(m->s - m->k->suite);
    size_t at = suite; /* in the means: [term][suite] */

    for (size_t i = 0; i < m->inputs; i++) {
        room[i] = (struct rc_interval){0, 0, 0};
        /* A term adds its coefficient's interval times the event's mean, which is known
         * to within its noise.
         */
        for (size_t t = 0; t < m->input[i]->term_count; t++, at += m->k->count) {
            const struct rc_term *term = &m->input[i]->term[t];
            const double *mean = m->means.mean[at], noise = m->means.noise[at];
            if (!mean || isnan(mean[point]))
                return nothing;
            const double value =
                m->input[i]->rounded_holds ? term->rounded : term->coefficient;
            const double low = isnan(term->low) ? value : fmin(term->low, value);
            const double high = isnan(term->high) ? value : fmax(term->high, value);
            const double least = mean[point] * (1 - noise),
                         most = mean[point] * (1 + noise);
            room[i].value += value * mean[point];
            room[i].low +=
                fmin(fmin(low * least, low * most), fmin(high * least, high * most));
            room[i].high +=
                fmax(fmax(low * least, low * most), fmax(high * least, high * most));
        }
    }
    return rc_formula_value(m->formula, room);
}

static int fill_values(struct making *m, struct rc_metric_result *out)
{
    const size_t points = m->s->labels->point_count;
    struct rc_arena *arena = &m->k->arena;
    struct rc_interval *room = rc_arena_array(arena, m->inputs, sizeof *room);

    out->value = rc_arena_array(arena, points, sizeof *out->value);
    out->value_low = rc_arena_array(arena, points, sizeof *out->value_low);
    out->value_high = rc_arena_array(arena, points, sizeof *out->value_high);
    const int status = rc_solve_agree_room(m->k, RC_OK, "the values of a formula");
    if (status != RC_OK)
        return status;
    for (size_t p = 0; p < points; p++) {
        const struct rc_interval v = value_at(m, p, room);
        out->value[p] = v.value;
        out->value_low[p] = v.low;
        out->value_high[p] = v.high;
    }
    return RC_OK;
}

/* Collective. */
static int make_metric(struct rc_solve_kind *k, struct rc_solve_suite *s,
                       const struct rc_metric_definition *d,
                       struct rc_metric_result *out)
{
    struct making m = {.k = k, .s = s};
    struct rc_arena *arena = &k->arena;
    int status = rc_expression_create(d->formula, false, &m.formula, k->err);

    *out = (struct rc_metric_result){.name = d->name,
                                     .description = d->description,
                                     .formula = d->formula,
                                     .preset = "",
                                     .signature = "",
                                     .reason = "",
                                     .error = NAN};
    m.inputs = status == RC_OK ? m.formula->name_count : 0;
    m.input = rc_arena_array(arena, m.inputs, sizeof(struct rc_metric_result *));
    const char **name = rc_arena_array(arena, m.inputs, sizeof *name);
    for (size_t i = 0; !arena->failed && i < m.inputs; i++) {
        m.input[i] = find_metric(&m, m.formula->name[i].text);
        name[i] = rc_arena_text(arena, m.formula->name[i].text);
    }
    out->input = name;
    out->input_count = m.inputs;
    if ((status = rc_solve_agree_room(k, status, "the metrics in a formula")) != RC_OK)
        goto out;
    judge_inputs(&m, out);
    if (!rc_metric_is_usable(out))
        goto out;
    if ((status = share_term_means(&m)) == RC_OK)
        status = fill_values(&m, out);
out:
    rc_arena_free(&k->step);
    rc_expression_close(m.formula);
    return status;
}

int rc_solve_formulas(struct rc_solve_kind *k)
{
    for (size_t i = 0; i < k->count; i++) {
        struct rc_solve_suite *s = &k->suite[i];
        const struct rc_suite_definition *d = s->definition;
        for (size_t j = 0; s->result.metric && j < d->metric_count; j++) {
            if (!d->metric[j].formula[0])
                continue;
            struct rc_metric_result *m = &s->result.metric[s->result.metric_count++];
            const int status = make_metric(k, s, &d->metric[j], m);
            if (status != RC_OK)
                return status;
        }
    }
    return RC_OK;
}
