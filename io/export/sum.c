/* Metrics as sums of events, for tools with arithmetic expressions (perf, LIKWID).  A
 * formula of metrics becomes one expression, with the sum of each metric in
 * parentheses.
 */
#include "io/export/parts.h"

#include <ctype.h>

/* Adds one term with its sign and factor, and the event in the tool's spelling; returns
 * the reason if it cannot, or NULL.
 */
static const char *put_term(struct rc_export_text *out, struct rc_export_sum *sum,
                            const struct rc_metric_result *metric,
                            const struct rc_term *term, bool first)
{
    double factor = rc_term_value(metric, term);
    const char *space = sum->space;
    struct rc_store_event event;
    char text[RC_EXPORT_NUMBER];

    sum->status = rc_export_event(sum->x, term, &event, sum->err);
    if (sum->status != RC_OK)
        return "an event cannot be read";
    if (factor < 0)
        rc_export_add(out, "%s%s-%s", first ? "0" : "", space, space);
    else if (!first)
        rc_export_add(out, "%s+%s", space, space);
    factor = factor < 0 ? -factor : factor;
    if (factor != 1) {
        rc_export_number(text, factor);
        for (char *at = text; sum->capitals && *at; at++)
            *at = (char)toupper((unsigned char)*at);
        rc_export_add(out, "%s%s*%s", text, space, space);
    }
    const char *why = sum->put_event(out, &event, sum);
    if (!why)
        return NULL;
    snprintf(sum->why, sizeof sum->why, "event '%.200s' %s", event.name, why);
    return sum->why;
}

static const char *put_sum(struct rc_export_text *out, struct rc_export_sum *sum,
                           const struct rc_metric_result *metric)
{
    const char *why = NULL;
    bool first = true;

    for (size_t t = 0; t < metric->term_count && !why; t++) {
        const struct rc_term *term = &metric->term[t];
        if (rc_term_value(metric, term) == 0)
            continue; /* rounded to 0 */
        why = put_term(out, sum, metric, term, first);
        first = false;
    }
    if (first)
        return "has no terms";
    return why;
}

/* Adds a metric in a formula as its sum; inputs of formulas are not formulas. */
static const char *put_input(struct rc_export_text *out, const char *name,
                             void *context)
{
    struct rc_export_sum *sum = context;
    const struct rc_metric_result *metric = rc_export_metric(sum->x, sum->suite, name);

    if (!metric || metric->formula[0])
        return "a metric in its formula is not defined by events";
    rc_export_add(out, "(%s", sum->space);
    const char *why = put_sum(out, sum, metric);
    rc_export_add(out, "%s)", sum->space);
    return why;
}

int rc_export_expression(struct rc_export_text *out, struct rc_export_sum *sum,
                         const struct rc_suite_result *suite,
                         const struct rc_metric_result *metric, char why[RC_EXPORT_WHY],
                         struct rc_error *err)
{
    sum->suite = suite;
    sum->err = err;
    sum->status = RC_OK;
    const char *reason = metric->formula[0]
                             ? rc_export_formula(out, metric->formula, put_input, sum)
                             : put_sum(out, sum, metric);
    snprintf(why, RC_EXPORT_WHY, "%s", reason ? reason : "");
    return sum->status;
}
