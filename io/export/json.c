/* Everything as one JSON object, written as a stream, so that half a million events
 * need no more memory than one block of them. docs/export.schema.json describes it.
 *
 * A function that fails leaves objects and arrays open; rc_json_close() ends them, and
 * the caller reports that the file is not complete.
 */
#include "io/export/parts.h"

#include <math.h>

/* A suite whose events are written. */
struct job {
    const struct rc_suite_result *suite;
    struct rc_json *json;
};

/* Writes the campaign's id, spec, versions and sources. */
void rc_export_json_campaign(struct rc_json *json,
                             const struct rc_store_campaign *campaign)
{
    rc_json_object(json, "campaign");
    rc_json_text(json, "id", campaign->id);
    rc_json_text(json, "spec", campaign->spec);
    rc_json_object(json, "versions");
    rc_json_text(json, "created_by", campaign->created_by);
    rc_json_end(json);
    rc_json_texts(json, "sources", campaign->source_labels,
                  campaign->source_label_count);
    rc_json_flag(json, "simulated", campaign->simulated);
    rc_json_end(json);
}

/* rc_export_blocks(): writes events of a kind to a struct rc_json. */
static int put_events(void *context, const struct rc_export_block *block,
                      struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_store_event, reason, description, evidence, simulated), {0}};
    struct rc_json *json = context;

    (void)err;
    for (size_t i = 0; i < block->columns.count; i++) {
        const struct rc_store_event *event = &block->event[i];
        rc_json_object(json, NULL);
        rc_json_name(json, "event", event->name);
        rc_json_text(json, "source", event->source);
        rc_json_text(json, "scope", rc_scope_name(event->scope));
        rc_json_text(json, "verdict", rc_verdict_name(event->verdict));
        rc_json_members(json, members, event);
        rc_json_end(json);
    }
    return RC_OK;
}

/* rc_export_blocks(): writes the results of 'solve' for events in a suite; a residual
 * of NAN means that the event has no representation.
 */
static int put_noise(void *context, const struct rc_export_block *block,
                     struct rc_error *err)
{
    const struct job *job = context;
    const struct rc_event_columns *c = &block->columns;
    const size_t width = job->suite->coordinate_count;
    struct rc_json *json = job->json;

    (void)err;
    for (size_t i = 0; i < c->count; i++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "event", block->event[i].name);
        rc_json_integer(json, "number", (int64_t)(c->first + i));
        rc_json_real(json, "noise", c->noise[i]);
        rc_json_text(json, "class", rc_class_names[c->event_class[i]]);
        rc_json_text(json, "use", rc_use_names[c->use[i]]);
        rc_json_text(json, "reason", job->suite->reason[c->reason[i]]);
        rc_json_real(json, "residual", c->residual[i]);
        if (!isnan(c->residual[i]))
            rc_json_reals(json, "representation", c->representation + i * width, width,
                          0);
        rc_json_end(json);
    }
    return RC_OK;
}

/* Writes events by name, and by number in the list of events. */
static void put_named(struct rc_json *json, const char *key, const size_t *number,
                      const char *const *name, size_t count)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "event", name[i]);
        rc_json_integer(json, "number", (int64_t)number[i]);
        rc_json_end(json);
    }
    rc_json_end(json);
}

void rc_export_json_metric(struct rc_json *json, const struct rc_suite_result *suite,
                           const struct rc_metric_result *metric)
{
    static const struct rc_json_member names[] = {
        RC_JSON_AS("metric", rc_metric_result, name),
        RC_JSON_EACH(rc_metric_result, description, signature, preset),
        {0}};
    static const struct rc_json_member worth[] = {
        RC_JSON_EACH(rc_metric_result, reason, error, rounded_holds), {0}};
    static const struct rc_json_member terms[] = {
        RC_JSON_AS("event", rc_term, name),
        RC_JSON_AS("number", rc_term, event),
        RC_JSON_EACH(rc_term, coefficient, rounded, low, high),
        {0}};
    static const struct rc_json_member checks[] = {
        RC_JSON_EACH(rc_metric_check, suite, points, error, rounded, passed), {0}};
    const double *const value[] = {metric->value, metric->value_low,
                                   metric->value_high};
    static const char *const value_names[] = {"value", "value_low", "value_high"};

    rc_json_members(json, names, metric);
    rc_json_text(json, "verdict", rc_metric_verdict_names[metric->verdict]);
    rc_json_members(json, worth, metric);
    rc_json_list(json, "terms", terms, metric->term, metric->term_count,
                 sizeof *metric->term);
    if (metric->formula[0]) {
        rc_json_text(json, "expression", metric->formula);
        rc_json_texts(json, "inputs", metric->input, metric->input_count);
        for (size_t i = 0; i < 3; i++)
            if (value[i])
                rc_json_reals(json, value_names[i], value[i], suite->point_count, 0);
    }
    rc_json_list(json, "checks", checks, metric->check, metric->check_count,
                 sizeof *metric->check);
    put_named(json, "alternatives", metric->alone, metric->alone_name,
              metric->alone_count);
}

/* Writes the chosen events, the solver's pivots: their names, and all their data. */
static void put_chosen(struct rc_json *json, const struct rc_suite_result *suite)
{
    static const struct rc_json_member members[] = {
        RC_JSON_AS("event", rc_chosen, name),
        RC_JSON_AS("number", rc_chosen, event),
        RC_JSON_EACH(rc_chosen, score, norm, completes),
        RC_JSON_AS("other_count", rc_chosen, others),
        {0}};

    rc_json_array(json, "chosen");
    for (size_t i = 0; i < suite->chosen_count; i++)
        rc_json_text(json, NULL, suite->chosen[i].name);
    rc_json_end(json);
    rc_json_array(json, "pivots");
    for (size_t i = 0; i < suite->chosen_count; i++) {
        const struct rc_chosen *chosen = &suite->chosen[i];
        rc_json_object(json, NULL);
        rc_json_members(json, members, chosen);
        rc_json_reals(json, "representation", chosen->coordinate,
                      suite->coordinate_count, 0);
        put_named(json, "others", chosen->other, chosen->other_name,
                  chosen->other_count);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* Writes "key": {"word": count}. */
static void put_counts(struct rc_json *json, const char *key, const char *const *words,
                       const size_t *counts)
{
    rc_json_object(json, key);
    for (size_t i = 0; words[i]; i++)
        rc_json_integer(json, words[i], (int64_t)counts[i]);
    rc_json_end(json);
}

void rc_export_json_suite(struct rc_json *json, const struct rc_suite_result *suite)
{
    static const struct rc_json_member thresholds[] = {
        RC_JSON_EACH(rc_suite_result, alpha, alpha_low, alpha_high, tau, tau_low,
                     tau_high, tau_auto, residual),
        {0}};
    static const struct rc_json_member presets[] = {
        RC_JSON_EACH(rc_preset_check, preset, metric, definition, outcome), {0}};
    static const struct rc_json_member implied[] = {
        RC_JSON_EACH(rc_implied, metric, suite, point, expected, counted, agrees), {0}};
    const size_t ideals = suite->ideal_count;

    rc_json_text(json, "suite", suite->suite);
    rc_json_texts(json, "ideals", suite->coordinate, ideals);
    rc_json_texts(json, "nuisance", suite->coordinate + ideals,
                  suite->coordinate_count - ideals);
    rc_json_texts(json, "left_out", suite->left_out, suite->left_out_count);
    rc_json_texts(json, "points", suite->point, suite->point_count);
    rc_json_members(json, thresholds, suite);
    put_counts(json, "classes", rc_class_names, suite->class_count);
    put_counts(json, "uses", rc_use_names, suite->use_count);
    rc_json_texts(json, "remarks", suite->remark, suite->remark_count);
    put_chosen(json, suite);
    rc_json_array(json, "metrics");
    for (size_t m = 0; m < suite->metric_count; m++) {
        rc_json_object(json, NULL);
        rc_export_json_metric(json, suite, &suite->metric[m]);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_list(json, "presets", presets, suite->preset, suite->preset_count,
                 sizeof *suite->preset);
    if (suite->implied_count)
        rc_json_list(json, "implied", implied, suite->implied, suite->implied_count,
                     sizeof *suite->implied);
}

/* Writes a rate with all repetitions, by node and point. */
static void put_rate(struct rc_json *json, const struct rc_rate_result *r)
{
    static const struct rc_json_member members[] = {
        RC_JSON_AS("rate", rc_rate_result, name),
        RC_JSON_EACH(rc_rate_result, unit, convention, formula, repetitions),
        {0}};
    static const char *const names[] = {"values", "least", "median",
                                        "best",   "low",   "high"};
    const double *const numbers[] = {r->values, r->least, r->median,
                                     r->best,   r->low,   r->high};
    const size_t over = r->node_count * r->point_count;

    rc_json_object(json, NULL);
    rc_json_members(json, members, r);
    rc_json_texts(json, "nodes", r->node, r->node_count);
    rc_json_texts(json, "axes", r->axis, r->axis_count);
    rc_json_array(json, "parameters");
    for (size_t i = 0; i < r->point_count * r->axis_count; i++)
        rc_json_integer(json, NULL, r->parameter[i]);
    rc_json_end(json);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        rc_json_reals(json, names[i], numbers[i], i ? over : over * r->repetitions, 0);
    rc_json_end(json);
}

static int put_kind(struct rc_store *file, const struct rc_export_choice *choice,
                    size_t number, struct rc_json *json, struct rc_error *err)
{
    const struct rc_store_kind *kind = rc_store_kind(file, number);
    int status;

    rc_json_object(json, NULL);
    rc_json_text(json, "kind", kind->name);
    rc_json_texts(json, "nodes", kind->nodes, kind->node_count);
    rc_json_text(json, "key", kind->key);
    rc_json_text(json, "shape", kind->shape);
    rc_json_array(json, "events");
    if ((status = rc_export_blocks(file, number, NULL, 0, put_events, json, err)))
        return status;
    rc_json_end(json);
    rc_json_array(json, "suites");
    for (size_t s = 0; s < rc_store_suite_count(file, number); s++) {
        struct job job = {.suite = rc_metrics_suite(file, number, s), .json = json};
        if (!rc_export_takes_suite(choice, job.suite->suite))
            continue;
        rc_json_object(json, NULL);
        rc_export_json_suite(json, job.suite);
        if (job.suite->rate_count)
            rc_json_array(json, "rates");
        for (size_t r = 0; r < job.suite->rate_count; r++)
            put_rate(json, &job.suite->rate[r]);
        if (job.suite->rate_count)
            rc_json_end(json);
        rc_json_array(json, "noise");
        if ((status =
                 rc_export_blocks(file, number, job.suite, s, put_noise, &job, err)))
            return status;
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

/* JSON can express everything: nothing is left out, and it is useful without metrics.
 */
int rc_export_json(struct rc_store *file, const struct rc_export_choice *choice,
                   FILE *out, FILE *left_out, struct rc_error *err)
{
    size_t first = 0;
    int status = rc_export_check(file, choice, false, &first, err);

    (void)left_out;
    if (status != RC_OK)
        return status;
    struct rc_json own, *json = rc_json_begin(&own, out);
    rc_json_object(json, NULL);
    rc_export_json_campaign(json, rc_store_campaign(file));
    rc_json_array(json, "kinds");
    for (size_t k = 0; k < rc_store_kind_count(file); k++)
        if (rc_export_takes_kind(choice, rc_store_kind(file, k)->name) &&
            (status = put_kind(file, choice, k, json, err)) != RC_OK)
            break;
    rc_json_close(json);
    rc_export_note(choice, true);
    return status;
}
