/* Everything as one JSON object, written as a stream, so that half a million events
 * need no more memory than one block of them. docs/export.schema.json describes it.
 *
 * A function that fails leaves objects and arrays open; rc_json_close() ends them, and
 * the caller says that the file is not whole.
 */
#include "io/export/parts.h"

#include "io/text/json.h"

#include <math.h>

/* A suite whose events are written. */
struct job {
    const struct rc_suite_result *suite;
    struct rc_json *json;
};

/* "key": ["a", "b"]. */
static void put_list(struct rc_json *json, const char *key, const char *const *texts,
                     size_t count)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        rc_json_text(json, NULL, texts[i]);
    rc_json_end(json);
}

/* "key": [1.5, null]: null for what is not known. */
static void put_reals(struct rc_json *json, const char *key, const double *values,
                      size_t count)
{
    rc_json_array(json, key);
    for (size_t i = 0; i < count; i++)
        rc_json_real(json, NULL, values[i]);
    rc_json_end(json);
}

/* Where all of it comes from. */
void rc_export_json_campaign(struct rc_json *json,
                             const struct rc_store_campaign *campaign)
{
    rc_json_object(json, "campaign");
    rc_json_text(json, "id", campaign->id);
    rc_json_text(json, "spec", campaign->spec);
    rc_json_object(json, "versions");
    rc_json_text(json, "created_by", campaign->created_by);
    rc_json_end(json);
    put_list(json, "sources", campaign->source_labels, campaign->source_label_count);
    rc_json_flag(json, "simulated", campaign->simulated);
    rc_json_end(json);
}

/* rc_export_blocks(): events of a kind, into a struct rc_json. */
static int put_events(void *context, const struct rc_export_block *block,
                      struct rc_error *err)
{
    struct rc_json *json = context;

    (void)err;
    for (size_t i = 0; i < block->columns.count; i++) {
        const struct rc_store_event *event = &block->event[i];
        rc_json_object(json, NULL);
        rc_json_name(json, "event", event->name);
        rc_json_text(json, "source", event->source);
        rc_json_text(json, "scope", rc_scope_name(event->scope));
        rc_json_text(json, "verdict", rc_verdict_name(event->verdict));
        rc_json_text(json, "reason", event->reason);
        rc_json_text(json, "description", event->description);
        rc_json_text(json, "evidence", event->evidence);
        rc_json_flag(json, "simulated", event->simulated);
        rc_json_end(json);
    }
    return RC_OK;
}

/* rc_export_blocks(): what the solve found of events in a suite; NAN for a residual
 * means that the event has no representation.
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
            put_reals(json, "representation", c->representation + i * width, width);
        rc_json_end(json);
    }
    return RC_OK;
}

/* The combination of events that the metric is. */
static void put_terms(struct rc_json *json, const struct rc_metric_result *metric)
{
    rc_json_array(json, "terms");
    for (size_t t = 0; t < metric->term_count; t++) {
        const struct rc_term *term = &metric->term[t];
        rc_json_object(json, NULL);
        rc_json_text(json, "event", term->name);
        rc_json_integer(json, "number", (int64_t)term->event);
        rc_json_real(json, "coefficient", term->coefficient);
        rc_json_real(json, "rounded", term->rounded);
        rc_json_real(json, "low", term->low);
        rc_json_real(json, "high", term->high);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* On which suites the combination was tried, and how far off it was. */
static void put_checks(struct rc_json *json, const struct rc_metric_result *metric)
{
    rc_json_array(json, "checks");
    for (size_t c = 0; c < metric->check_count; c++) {
        const struct rc_metric_check *check = &metric->check[c];
        rc_json_object(json, NULL);
        rc_json_text(json, "suite", check->suite);
        rc_json_integer(json, "points", (int64_t)check->points);
        rc_json_real(json, "error", check->error);
        rc_json_real(json, "rounded", check->rounded);
        rc_json_flag(json, "passed", check->passed);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* Events by name, and by number in the list of events. */
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

static void put_metric(struct rc_json *json, const struct rc_suite_result *suite,
                       const struct rc_metric_result *metric)
{
    rc_json_object(json, NULL);
    rc_json_text(json, "metric", metric->name);
    rc_json_text(json, "description", metric->description);
    rc_json_text(json, "signature", metric->signature);
    rc_json_text(json, "preset", metric->preset);
    rc_json_text(json, "verdict", rc_metric_verdict_names[metric->verdict]);
    rc_json_text(json, "reason", metric->reason);
    rc_json_real(json, "error", metric->error);
    rc_json_flag(json, "rounded_holds", metric->rounded_holds);
    put_terms(json, metric);
    if (metric->formula[0]) {
        rc_json_text(json, "expression", metric->formula);
        put_list(json, "inputs", metric->input, metric->input_count);
        if (metric->value)
            put_reals(json, "value", metric->value, suite->point_count);
        if (metric->value_low)
            put_reals(json, "value_low", metric->value_low, suite->point_count);
        if (metric->value_high)
            put_reals(json, "value_high", metric->value_high, suite->point_count);
    }
    put_checks(json, metric);
    put_named(json, "alternatives", metric->alone, metric->alone_name,
              metric->alone_count);
    rc_json_end(json);
}

/* The events that the solver chose as pivots: by name, and all that is known of them.
 */
static void put_chosen(struct rc_json *json, const struct rc_suite_result *suite)
{
    rc_json_array(json, "chosen");
    for (size_t i = 0; i < suite->chosen_count; i++)
        rc_json_text(json, NULL, suite->chosen[i].name);
    rc_json_end(json);
    rc_json_array(json, "pivots");
    for (size_t i = 0; i < suite->chosen_count; i++) {
        const struct rc_chosen *chosen = &suite->chosen[i];
        rc_json_object(json, NULL);
        rc_json_text(json, "event", chosen->name);
        rc_json_integer(json, "number", (int64_t)chosen->event);
        rc_json_real(json, "score", chosen->score);
        rc_json_real(json, "norm", chosen->norm);
        rc_json_flag(json, "completes", chosen->completes);
        put_reals(json, "representation", chosen->coordinate, suite->coordinate_count);
        rc_json_integer(json, "other_count", (int64_t)chosen->others);
        put_named(json, "others", chosen->other, chosen->other_name,
                  chosen->other_count);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* "key": {"word": count}. */
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
    const size_t ideals = suite->ideal_count;

    rc_json_text(json, "suite", suite->suite);
    put_list(json, "ideals", suite->coordinate, ideals);
    put_list(json, "nuisance", suite->coordinate + ideals,
             suite->coordinate_count - ideals);
    put_list(json, "left_out", suite->left_out, suite->left_out_count);
    put_list(json, "points", suite->point, suite->point_count);
    rc_json_real(json, "alpha", suite->alpha);
    rc_json_real(json, "alpha_low", suite->alpha_low);
    rc_json_real(json, "alpha_high", suite->alpha_high);
    rc_json_real(json, "tau", suite->tau);
    rc_json_real(json, "tau_low", suite->tau_low);
    rc_json_real(json, "tau_high", suite->tau_high);
    rc_json_flag(json, "tau_auto", suite->tau_auto);
    rc_json_real(json, "residual", suite->residual);
    put_counts(json, "classes", rc_class_names, suite->class_count);
    put_counts(json, "uses", rc_use_names, suite->use_count);
    put_list(json, "remarks", suite->remark, suite->remark_count);
    put_chosen(json, suite);
    rc_json_array(json, "metrics");
    for (size_t m = 0; m < suite->metric_count; m++)
        put_metric(json, suite, &suite->metric[m]);
    rc_json_end(json);
    rc_json_array(json, "presets");
    for (size_t i = 0; i < suite->preset_count; i++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "preset", suite->preset[i].preset);
        rc_json_text(json, "metric", suite->preset[i].metric);
        rc_json_text(json, "definition", suite->preset[i].definition);
        rc_json_text(json, "outcome", suite->preset[i].outcome);
        rc_json_end(json);
    }
    rc_json_end(json);
}

static int put_kind(struct rc_metrics_file *file, const struct rc_export_choice *choice,
                    size_t number, struct rc_json *json, struct rc_error *err)
{
    const struct rc_store_kind *kind = rc_metrics_kind(file, number);
    int status;

    rc_json_object(json, NULL);
    rc_json_text(json, "kind", kind->name);
    put_list(json, "nodes", kind->nodes, kind->node_count);
    rc_json_text(json, "key", kind->key);
    rc_json_text(json, "shape", kind->shape);
    rc_json_array(json, "events");
    if ((status = rc_export_blocks(file, number, NULL, 0, put_events, json, err)))
        return status;
    rc_json_end(json);
    rc_json_array(json, "suites");
    for (size_t s = 0; s < rc_metrics_suite_count(file, number); s++) {
        struct job job = {.suite = rc_metrics_suite(file, number, s), .json = json};
        if (!rc_export_takes_suite(choice, job.suite->suite))
            continue;
        rc_json_object(json, NULL);
        rc_export_json_suite(json, job.suite);
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

/* JSON can say everything: nothing is left out, and it is of use without metrics. */
int rc_export_json(struct rc_metrics_file *file, const struct rc_export_choice *choice,
                   FILE *out, FILE *left_out, struct rc_error *err)
{
    size_t first = 0;
    int status = rc_export_check(file, choice, false, &first, err);

    (void)left_out;
    if (status != RC_OK)
        return status;
    struct rc_json *json = rc_json_create(out);
    if (!json)
        return rc_fail(err, RC_ENOMEM, "no memory for the export");
    rc_json_object(json, NULL);
    rc_export_json_campaign(json, rc_metrics_campaign(file));
    rc_json_array(json, "kinds");
    for (size_t k = 0; k < rc_metrics_kind_count(file) && status == RC_OK; k++)
        if (rc_export_takes_kind(choice, rc_metrics_kind(file, k)->name))
            status = put_kind(file, choice, k, json, err);
    rc_json_close(json);
    rc_export_note(choice, true);
    return status;
}
