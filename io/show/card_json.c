/* A card as an object of JSON: docs/show.md says what is in it. */
#include "io/show/parts.h"

#include <math.h>

static int put_lines(struct rc_json *json, struct rc_store *metrics,
                     const struct rc_show_hit *hit,
                     const struct rc_metric_result *metric, struct rc_error *err)
{
    const struct rc_export_choice choice = {
        .kind = rc_store_kind(metrics, hit->kind)->name, .approximate = true};
    struct rc_export x;
    int status = rc_export_open(&x, metrics, &choice, NULL, NULL, err);

    if (status == RC_OK)
        status = rc_export_json_lines(&x, hit->suite, metric, "lines", json, err);
    rc_export_close(&x);
    return status;
}

/* Each suite's findings about the event, with the coordinates that are not 0. */
static void put_suites(struct rc_json *json, const struct rc_show_event *e)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_event_in_suite, noise, residual, reason), {0}};

    rc_json_array(json, "suites");
    for (size_t s = 0; s < e->count; s++) {
        const struct rc_event_in_suite *in = &e->in[s];
        rc_json_object(json, NULL);
        rc_json_text(json, "suite", in->suite->suite);
        rc_json_text(json, "word", rc_event_word(in));
        rc_json_text(json, "class", rc_class_names[in->class]);
        rc_json_text(json, "use", rc_use_names[in->use]);
        rc_json_members(json, members, in);
        rc_json_array(json, "counts");
        for (size_t i = 0; i < in->suite->coordinate_count; i++) {
            if (isnan(in->x[i]) || fabs(in->x[i]) < in->suite->alpha)
                continue;
            rc_json_object(json, NULL);
            rc_json_text(json, "coordinate", in->suite->coordinate[i]);
            rc_json_real(json, "value", in->x[i]);
            rc_json_end(json);
        }
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_end(json);
}

int rc_show_json_card(struct rc_json *json, struct rc_store *metrics,
                      const struct rc_show_hit *hit, struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_store_event, source, description, evidence, reason, simulated),
        {0}};
    const struct rc_store_kind *kind = rc_store_kind(metrics, hit->kind);
    struct rc_show_event event = {.pool = NULL};
    struct rc_show_alone alone;
    char sentence[RC_SHOW_SENTENCE];
    bool simulated = false;
    int status = hit->metric ? rc_show_is_simulated(metrics, hit, &simulated, err)
                             : rc_show_event_read(metrics, hit, &event, err);

    if (status != RC_OK)
        goto out;
    rc_json_object(json, NULL);
    rc_json_text(json, "kind", kind->name);
    rc_json_text(json, "sentence", rc_show_sentence(sentence, metrics, hit, &event));
    if (hit->metric) {
        const bool counted = rc_metric_is_usable(hit->metric);
        rc_json_flag(json, "simulated", simulated);
        rc_json_text(json, "suite", hit->suite->suite);
        rc_export_json_metric(json, hit->suite, hit->metric);
        if (counted)
            status = put_lines(json, metrics, hit, hit->metric, err);
    } else {
        rc_json_name(json, "event", hit->name);
        rc_json_text(json, "scope", rc_scope_name(event.is.scope));
        rc_json_text(json, "verdict", rc_verdict_name(event.is.verdict));
        rc_json_members(json, members, &event.is);
        put_suites(json, &event);
        rc_show_alone(hit, &alone);
        if (event.is.verdict == RC_VERDICT_OK)
            status = put_lines(json, metrics, hit, &alone.metric, err);
    }
    rc_json_end(json);
out:
    rc_show_event_fini(&event);
    return status;
}
