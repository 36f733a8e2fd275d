/* Metrics of a campaign, counted and computed. */
#include "campaign/profile/tables/metrics.h"

#include "campaign/base/text.h"
#include "campaign/cli/launch.h"
#include "campaign/cli/tell.h"
#include "io/text/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 48 };

const char *rc_profile_thread_event(const char *name, char out[RC_SHARED_EVENT_NAME])
{
    const bool says = strstr(name, ":u") || strstr(name, ":k");

    snprintf(out, RC_SHARED_EVENT_NAME, "%.240s%s", name, says ? "" : ":u");
    return out;
}

/* Whether threads can count each of its events. */
static bool is_countable(const struct rc_metric_result *metric)
{
    struct rc_shared_event event;
    struct rc_error ignored = {.rank = -1};
    char name[RC_SHARED_EVENT_NAME];

    for (size_t t = 0; t < metric->term_count; t++) {
        const struct rc_term *term = &metric->term[t];
        if (!rc_term_matters(metric, term))
            continue;
        rc_profile_thread_event(term->name, name);
        if (rc_profile_counter_find(name, NULL, 0, &event, &ignored) ||
            strcmp(event.name, name) != 0)
            return false;
    }
    return true;
}

int rc_profile_plan_event(struct rc_profile_plan *plan, const char *option,
                          const char *name, struct rc_error *err)
{
    const char *expected = NULL;

    for (size_t i = plan->default_count; i < plan->patterns.count; i++)
        if (strcmp(plan->patterns.item[i], name) == 0)
            return RC_OK;
    const int status = rc_patterns_add(&plan->patterns, name, &expected, err);
    if (status == RC_EUSAGE && expected)
        return rc_fail(err, RC_EUSAGE, "--%s: event '%.200s', expected %s", option,
                       name, expected);
    return status;
}

int rc_profile_metrics_add(const struct rc_results *metrics,
                           struct rc_profile_plan *plan, size_t *count, size_t *others,
                           struct rc_error *err)
{
    struct rc_metrics_walk walk = {.at = 0};
    char name[RC_SHARED_EVENT_NAME];
    int status = RC_OK;

    *count = *others = 0;
    while (rc_metrics_next(metrics->file, metrics->kind, &walk)) {
        const struct rc_metric_result *metric = walk.metric;
        if (!rc_metric_is_defined(metric) || metric->term_count == 0)
            continue;
        if (!is_countable(metric)) {
            ++*others;
            continue;
        }
        ++*count;
        for (size_t t = 0; t < metric->term_count; t++)
            if (rc_term_matters(metric, &metric->term[t]) &&
                (status = rc_profile_plan_event(
                     plan, "metrics",
                     rc_profile_thread_event(metric->term[t].name, name), err)) !=
                    RC_OK)
                return status;
    }
    if (*count == 0)
        return rc_fail(err, RC_EMISSING,
                       "--metrics: threads can count none of the %zu metrics that "
                       "the campaign has defined here",
                       *others);
    return status;
}

static const struct rc_column columns[] = {{.name = "region"},
                                           {.name = "metric"},
                                           {.name = "value", .type = RC_CELL_NUMBER},
                                           {.name = "low", .type = RC_CELL_NUMBER},
                                           {.name = "high", .type = RC_CELL_NUMBER},
                                           {.name = "per_s", .type = RC_CELL_NUMBER},
                                           {.name = "verdict"},
                                           {.name = "error", .type = RC_CELL_NUMBER},
                                           {.name = NULL}};

/* Sums of the launch, then of its passes. */
struct counted {
    const struct rc_profile_sums *sums;
    struct rc_profile_sums *pass; /* [passes] */
    size_t passes;
};

/* The count of an event in a region; NAN: no launch counted it, or all of it there. */
static double count_of(const struct counted *c, const struct rc_profile_region *region,
                       const char *event)
{
    for (size_t i = 0; i <= c->passes; i++) {
        const struct rc_profile_sums *s = i == 0 ? c->sums : &c->pass[i - 1];
        for (size_t e = 0; s->node && e < s->node->launch.counter_count; e++) {
            if (strcmp(s->node->launch.counter[e], event) != 0)
                continue;
            for (size_t r = 0; r < s->region_count; r++)
                if (s->region[r].outside == region->outside &&
                    strcmp(s->region[r].name, region->name) == 0)
                    return s->region[r].lost ? NAN : s->region[r].count[e];
        }
    }
    return NAN;
}

/* A row of a metric in a region; false: some event of it was not counted.  The interval
 * is that of the coefficients: counts have none.
 */
static bool put_metric(struct rc_rows *rows, const struct counted *c,
                       const struct rc_profile_region *region,
                       const struct rc_metric_result *metric, bool simulated)
{
    double value = 0, low = 0, high = 0;
    char text[5][CELL], verdict[CELL], name[RC_SHARED_EVENT_NAME];

    for (size_t t = 0; t < metric->term_count; t++) {
        const struct rc_term *term = &metric->term[t];
        if (!rc_term_matters(metric, term))
            continue;
        const double count =
            count_of(c, region, rc_profile_thread_event(term->name, name));
        value += count * rc_term_value(metric, term);
        low += count * rc_term_low(metric, term);
        high += count * rc_term_high(metric, term);
    }
    if (isnan(value))
        return false;
    snprintf(verdict, sizeof verdict, "%s%s", rc_metric_verdict_names[metric->verdict],
             simulated ? " (simulated)" : "");
    snprintf(text[0], CELL, "%.9g", value);
    snprintf(text[1], CELL, "%.6g", low);
    snprintf(text[2], CELL, "%.6g", high);
    snprintf(text[3], CELL, "%.6g", value * 1e9 / region->own.total);
    snprintf(text[4], CELL, "%.3g", metric->error);
    rc_rows_add(rows,
                (const char *const[]){region->name, metric->name, text[0],
                                      isfinite(low) ? text[1] : NULL,
                                      isfinite(high) ? text[2] : NULL,
                                      region->own.total > 0 ? text[3] : NULL, verdict,
                                      isfinite(metric->error) ? text[4] : NULL});
    return true;
}

int rc_profile_show_metrics(const struct rc_results *metrics,
                            const struct rc_profile_sums *sums,
                            const struct rc_profile_passes *passes, const char *within,
                            size_t most, struct rc_json *json, struct rc_error *err)
{
    struct counted c = {.sums = sums, .passes = (size_t)passes->passes};
    struct rc_metrics_walk walk = {.at = 0};
    size_t shown = 0, without = 0, refused = 0;
    int status = RC_OK;

    c.pass = rc_calloc(c.passes, sizeof *c.pass);
    if (!c.pass)
        return rc_fail(err, RC_ENOMEM, "no memory for the passes");
    for (size_t p = 0; p < c.passes; p++) {
        if (passes->launch[p] != RC_PROFILE_NO_LAUNCH &&
            (status = rc_profile_sum(sums->profile, passes->launch[p], within,
                                     &c.pass[p], err)) == RC_EMISSING)
            status = RC_OK; /* that launch has no such region */
        if (status != RC_OK)
            break;
    }
    if (json)
        rc_json_array(json, "metrics");
    struct rc_rows *rows =
        rc_rows_create(stdout, json ? RC_FORMAT_JSON : RC_FORMAT_TEXT, columns, json);
    rc_rows_fit(rows);
    while (status == RC_OK && rc_metrics_next(metrics->file, metrics->kind, &walk)) {
        bool any = false;
        if (!rc_results_trusts(walk.metric)) {
            refused += walk.metric->term_count > 0;
            continue;
        }
        for (size_t r = 0; r < sums->region_count && (json || r < most); r++)
            any |=
                put_metric(rows, &c, &sums->region[r], walk.metric, metrics->simulated);
        shown += any;
        without += !any;
    }
    status = rc_rows_end(rows, status, err);
    if (json)
        rc_json_end(json);
    else if (status == RC_OK)
        printf("%zu metric%s; %zu whose events were not all counted, %zu that the "
               "campaign does not trust\n",
               shown, rc_text_s(shown), without, refused);
    for (size_t p = 0; p < c.passes; p++)
        rc_profile_sums_fini(&c.pass[p]);
    free(c.pass);
    return status;
}

int rc_profile_metrics_plan(struct rc_profile_plan *plan, struct rc_error *err)
{
    struct rc_results metrics = {.file = NULL};
    char why[RC_ERROR_TEXT] = "", line[2 * RC_ERROR_TEXT];
    size_t count = 0, others = 0;
    int status =
        rc_results_open(plan->metrics, plan->node, &metrics, why, sizeof why, err);

    if (status != RC_OK)
        return status;
    status = rc_profile_metrics_add(&metrics, plan, &count, &others, err);
    rc_results_close(&metrics);
    if (status != RC_OK)
        return status;
    if (rc_launch_rank() == 0) {
        snprintf(
            line, sizeof line,
            "%zu metrics are counted, %zu others cannot be counted by threads here%s%s",
            count, others, why[0] ? "; " : "", why);
        rc_tell(line);
    }
    return RC_OK;
}
