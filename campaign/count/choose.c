/* Finds the metrics to be counted, and the events that count them.
 *
 * A metric is counted by its campaign's combination of events: by counters of the
 * processor, or, with a campaign of the soft source, by stepping.  If no counter counts
 * its events, its definition is counted by stepping: a sum of ideals, each of which
 * such a source has.
 */
#include "campaign/count/count.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/text.h"
#include "campaign/profile/passes/program.h"
#include "kernels/ideal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_MOST = 1024 };

/* The line for an unknown name, with the nearest one. */
static int fail_unknown(const struct rc_count *c, const char *name,
                        struct rc_error *err)
{
    const char *known[NAMES_MOST + 1];
    struct rc_metrics_walk walk = {.at = 0};
    size_t count = 0;

    while (count < NAMES_MOST &&
           rc_metrics_next(c->campaign.file, c->campaign.kind, &walk))
        known[count++] = walk.metric->name;
    known[count] = NULL;
    const int nearest = rc_text_nearest(name, known);
    if (nearest >= 0)
        return rc_fail(err, RC_EMISSING,
                       "no metric '%.100s' in '%.300s', did you mean "
                       "'%s'?",
                       name, c->dir, known[nearest]);
    return rc_fail(
        err, RC_EMISSING,
        "no metric '%.100s' in '%.300s': 'rollcall show %.300s %.100s' looks "
        "for its words",
        name, c->dir, c->dir, name);
}

static int add_metric(struct rc_count *c, const struct rc_metrics_walk *found,
                      bool optional, struct rc_count_metric **out, struct rc_error *err)
{
    *out = NULL;
    for (size_t i = 0; i < c->metric_count; i++)
        if (c->metric[i].result == found->metric) {
            *out = &c->metric[i];
            return RC_OK;
        }
    if (rc_grow(&c->metric, sizeof *c->metric, c->metric_count, &c->metric_room))
        return rc_fail(err, RC_ENOMEM, "no memory for the metrics");
    *out = &c->metric[c->metric_count++];
    **out = (struct rc_count_metric){
        .suite = found->suite->suite, .result = found->metric, .optional = optional};
    return RC_OK;
}

static int take_name(struct rc_count *c, const char *name, struct rc_count_metric **out,
                     struct rc_error *err)
{
    struct rc_metrics_walk found;

    if (!rc_results_find(&c->campaign, name, &found))
        return fail_unknown(c, name, err);
    const struct rc_metric_result *m = found.metric;
    if (*m->formula)
        return rc_fail(
            err, RC_EMISSING,
            "metric '%s' is computed from others (%.300s), expected one that is "
            "counted itself",
            m->name, m->formula);
    if (!rc_results_trusts(m))
        return rc_fail(err, RC_EMISSING, "metric '%s' is %s in '%.300s'%s%.300s",
                       m->name, rc_metric_verdict_names[m->verdict], c->dir,
                       *m->reason ? ": " : "", m->reason);
    return add_metric(c, &found, false, out, err);
}

static int take_all(struct rc_count *c, struct rc_error *err)
{
    struct rc_metrics_walk walk = {.at = 0}, best;
    struct rc_count_metric *added;
    int status = RC_OK;

    while (status == RC_OK &&
           rc_metrics_next(c->campaign.file, c->campaign.kind, &walk))
        if (rc_metric_is_defined(walk.metric) && rc_results_trusts(walk.metric) &&
            rc_results_find(&c->campaign, walk.metric->name, &best))
            status = add_metric(c, &best, true, &added, err);
    return status;
}

int rc_count_choose(struct rc_count *c, const char *const *name, size_t count,
                    struct rc_error *err)
{
    struct rc_count_metric *added = NULL;
    int status = RC_OK;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(name[i], "all") == 0)
            status = take_all(c, err);
        else if ((status = take_name(c, name[i], &added, err)) == RC_OK && added)
            added->optional = false;
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_count_expect(struct rc_count *c, const char *text, struct rc_error *err)
{
    static const char expected[] = "expected NAME=VALUE or NAME=VALUE~TOLERANCE, such "
                                   "as 'DP operations=2e9~1%'";
    const char *equals = strrchr(text, '=');
    struct rc_count_metric *metric = NULL;
    char name[128], number[64];
    double value, tolerance = NAN;

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name)
        return rc_fail(err, RC_EUSAGE, "--expect: found '%.200s', %s", text, expected);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    const size_t bytes = strcspn(equals + 1, "~");
    const char *behind = equals + 1 + bytes;
    snprintf(number, sizeof number, "%.*s", (int)bytes, equals + 1);
    if (bytes >= sizeof number || rc_text_real(number, &value) != 0)
        return rc_fail(err, RC_EUSAGE, "--expect: found '%.200s', %s", text, expected);
    if (*behind == '~') {
        const size_t digits = strcspn(++behind, "%");
        snprintf(number, sizeof number, "%.*s", (int)digits, behind);
        if (digits >= sizeof number || rc_text_real(number, &tolerance) != 0 ||
            tolerance < 0 || (behind[digits] && strcmp(behind + digits, "%") != 0))
            return rc_fail(err, RC_EUSAGE, "--expect: found '%.200s', %s", text,
                           expected);
        if (behind[digits])
            tolerance *= fabs(value) / 100;
    }
    const int status = take_name(c, name, &metric, err);
    if (status != RC_OK)
        return status;
    if (metric) {
        metric->optional = false;
        metric->expectation = (struct rc_count_expectation){true, value, tolerance};
    }
    return RC_OK;
}

/* The context for reading a definition term by term. */
struct definition {
    struct rc_count *c;
    struct rc_count_metric *metric;
    const struct rc_source *soft;
};

/* The number of an event, which is added if it is new; SIZE_MAX: no memory. */
static size_t event_number(struct rc_count *c, const char *name)
{
    for (size_t e = 0; e < c->event_count; e++)
        if (strcmp(c->event[e].name, name) == 0)
            return e;
    if (rc_grow(&c->event, sizeof *c->event, c->event_count, &c->event_room))
        return SIZE_MAX;
    c->event[c->event_count] =
        (struct rc_count_event){.name = rc_arena_text(&c->arena, name), .value = NAN};
    return c->event_count++;
}

static int add_term(struct rc_count *c, struct rc_count_metric *metric,
                    const char *name, const struct rc_count_term *like,
                    struct rc_error *err)
{
    struct rc_count_term *term = &metric->term[metric->term_count];

    *term = *like;
    term->event = event_number(c, name);
    if (term->event == SIZE_MAX)
        return rc_fail(err, RC_ENOMEM, "no memory for the events");
    metric->term_count++;
    return RC_OK;
}

static int add_ideal(void *context, const struct rc_linear_sum_term *of,
                     struct rc_error *err)
{
    struct definition *d = context;
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)of->length, of->word ? of->word : "");
    const enum rc_ideal ideal = rc_ideal_find(name);
    const char *event = ideal == RC_IDEAL_COUNT ? NULL : d->soft->event_of_ideal(ideal);
    if (!event)
        return rc_fail(err, RC_EUNSUPPORTED,
                       "metric '%s' cannot be stepped: no event of '%s' counts '%s'",
                       d->metric->result->name, d->soft->name, name);
    if (!d->metric->term) /* only a try */
        return RC_OK;
    const struct rc_count_term term = {.coefficient = of->coefficient,
                                       .low = of->coefficient,
                                       .high = of->coefficient};
    return add_term(d->c, d->metric, event, &term, err);
}

/* Whether all events of its terms are the soft source's. */
static bool is_of_steps(const struct rc_metric_result *m)
{
    static const char prefix[] = "soft::";

    for (size_t t = 0; t < m->term_count; t++)
        if (rc_term_matters(m, &m->term[t]) &&
            (strncmp(m->term[t].name, prefix, strlen(prefix)) != 0 ||
             m->term[t].name[strlen(prefix)] == ':'))
            return false;
    return true;
}

/* Why a counter may have no name. */
#ifdef RC_HAVE_PFM
static const char no_names[] = "";
#else
static const char no_names[] =
    " (this build has no libpfm4, which knows those of the processor)";
#endif

/* Whether the metric can be counted in that way here. */
static int try_metric(struct rc_count *c, struct rc_count_metric *metric,
                      enum rc_count_way way, const struct rc_source *soft,
                      struct rc_error *err)
{
    const struct rc_metric_result *m = metric->result;
    struct definition d = {c, metric, soft};
    struct rc_shared_event event;
    char name[RC_SHARED_EVENT_NAME];

    if (way == RC_COUNT_STEPS) {
        const char *reason = !soft               ? "this build has no source 'soft'"
                             : soft->unavailable ? soft->unavailable()
                                                 : NULL;
        if (reason)
            return rc_fail(err, RC_EUNSUPPORTED, "programs cannot be stepped here: %s",
                           reason);
        return is_of_steps(m) ? RC_OK
                              : rc_linear_sum_read(m->signature, add_ideal, &d, err);
    }
    for (size_t t = 0; t < m->term_count; t++) {
        if (!rc_term_matters(m, &m->term[t]))
            continue;
        struct rc_error why = {.rank = -1};
        const char *counter = rc_profile_thread_event(m->term[t].name, name);
        const int status = rc_profile_counter_find(counter, NULL, 0, &event, &why);
        if (status == RC_EMISSING)
            return rc_fail(err, RC_EUNSUPPORTED,
                           "metric '%s' cannot be counted here: no counter of threads "
                           "has the name '%s'%s",
                           m->name, counter, no_names);
        if (status != RC_OK)
            return rc_fail(err, RC_EUNSUPPORTED,
                           "metric '%s' cannot be counted here: %s", m->name, why.text);
    }
    return RC_OK;
}

/* Fills in the terms of a metric that can be counted in c->way. */
static int take_terms(struct rc_count *c, struct rc_count_metric *metric,
                      const struct rc_source *soft, struct rc_error *err)
{
    enum { TERMS_MOST = 256 };
    const struct rc_metric_result *m = metric->result;
    struct definition d = {c, metric, soft};
    char name[RC_SHARED_EVENT_NAME];
    int status = RC_OK;

    metric->by_definition = c->way == RC_COUNT_STEPS && !is_of_steps(m);
    metric->term =
        rc_arena_array(&c->arena, metric->by_definition ? TERMS_MOST : m->term_count,
                       sizeof *metric->term);
    if (!metric->term)
        return rc_fail(err, RC_ENOMEM, "no memory for the metrics");
    if (metric->by_definition)
        return rc_linear_sum_read(m->signature, add_ideal, &d, err);
    for (size_t t = 0; t < m->term_count; t++) {
        const struct rc_term *from = &m->term[t];
        const struct rc_count_term term = {.coefficient = rc_term_value(m, from),
                                           .low = rc_term_low(m, from),
                                           .high = rc_term_high(m, from)};
        if (rc_term_matters(m, from) &&
            (status = add_term(c, metric,
                               c->way == RC_COUNT_STEPS
                                   ? from->name
                                   : rc_profile_thread_event(from->name, name),
                               &term, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Counts the metrics that are possible in one way; none, if one that is not optional is
 * not possible: *err says why.
 */
static size_t count_possible(struct rc_count *c, enum rc_count_way way,
                             const struct rc_source *soft, bool *possible,
                             struct rc_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < c->metric_count; i++) {
        struct rc_error why = {.rank = -1};
        possible[i] = try_metric(c, &c->metric[i], way, soft, &why) == RC_OK;
        count += possible[i];
        if (!possible[i])
            *err = why;
        if (!possible[i] && !c->metric[i].optional)
            return 0;
    }
    return count;
}

int rc_count_plan(struct rc_count *c, struct rc_error *err)
{
    const struct rc_source *soft = rc_source_find("soft");
    bool *possible = rc_arena_array(&c->arena, c->metric_count, sizeof *possible);
    struct rc_error why = {.rank = -1}, other = {.rank = -1};
    size_t kept = 0, count = 0;
    int status = RC_OK;

    if (!possible)
        return rc_fail(err, RC_ENOMEM, "no memory for the metrics");
    const enum rc_count_way asked = c->way;
    if (asked != RC_COUNT_STEPS) {
        c->way = RC_COUNT_COUNTERS;
        count = count_possible(c, c->way, soft, possible, &why);
    }
    if (count == 0 && asked != RC_COUNT_COUNTERS) {
        c->way = RC_COUNT_STEPS;
        count = count_possible(c, c->way, soft, possible, &other);
    }
    if (count == 0)
        return rc_fail(err, RC_EUNSUPPORTED, "%s%s%s", why.text,
                       *why.text && *other.text ? "; " : "", other.text);
    for (size_t i = 0; i < c->metric_count; i++) {
        if (!possible[i])
            continue;
        c->metric[kept] = c->metric[i];
        if ((status = take_terms(c, &c->metric[kept++], soft, err)) != RC_OK)
            break;
    }
    c->metric_count = kept;
    return status;
}

void rc_count_value(const struct rc_count_metric *metric, const double *event,
                    double *value, double *low, double *high)
{
    *value = *low = *high = 0;
    for (size_t t = 0; t < metric->term_count; t++) {
        const struct rc_count_term *term = &metric->term[t];
        *value += event[term->event] * term->coefficient;
        *low += event[term->event] * term->low;
        *high += event[term->event] * term->high;
    }
}

bool rc_count_holds(const struct rc_count_expectation *e, double value, double low,
                    double high)
{
    const double rounding = 1e-12 * fabs(e->value); /* of sums of products */
    const double from = value - e->value;

    if (!isfinite(value))
        return false;
    if (!isnan(e->tolerance))
        return fabs(from) <= e->tolerance;
    return fabs(from) <= rounding ||
           (isfinite(low) && isfinite(high) && e->value >= low - rounding &&
            e->value <= high + rounding);
}
