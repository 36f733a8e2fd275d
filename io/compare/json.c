/* A comparison as JSON, with all that differs and all events of each change:
 * docs/compare.schema.json describes it.
 *
 * A function that fails, for which only memory is a reason, leaves its objects and
 * arrays open: rc_json_close() ends them, and the caller throws the output away.
 */
#include "io/text/json.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/compare/parts.h"

#include <stdlib.h>
#include <string.h>

/* The name of an event, which may be any bytes. */
static int put_name(struct rc_json *json, const char *name, struct rc_error *err)
{
    if (rc_json_name(json, "event", name) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory for the name of an event");
    return RC_OK;
}

/* NULL becomes null: a column without a reference. */
static const char *label_of(const struct rc_compare *compare, size_t column)
{
    return column == RC_COMPARE_NONE ? NULL : compare->column[column].label;
}

/* A campaign and kind, and what it is compared with. */
static void put_column(struct rc_json *json, const struct rc_compare *compare,
                       const struct rc_compare_column *c)
{
    rc_json_object(json, NULL);
    rc_json_text(json, "column", c->label);
    rc_json_text(json, "path", c->path);
    rc_json_text(json, "campaign", c->campaign->id);
    rc_json_text(json, "created_by", c->campaign->created_by);
    rc_json_flag(json, "simulated", c->simulated);
    rc_json_text(json, "kind", c->kind->name);
    rc_json_text(json, "key", c->kind->key);
    rc_json_array(json, "nodes");
    for (size_t i = 0; i < c->kind->node_count; i++)
        rc_json_text(json, NULL, c->kind->nodes[i]);
    rc_json_end(json);
    rc_json_integer(json, "events", (int64_t)c->event_count);
    rc_json_text(json, "reference", label_of(compare, c->reference));
    rc_json_text(json, "relation", rc_relation_names[c->relation]);
    rc_json_end(json);
}

static int put_term(struct rc_json *json, const char *key, const struct rc_term *t,
                    struct rc_error *err)
{
    int status;

    if (!t) {
        rc_json_text(json, key, NULL);
        return RC_OK;
    }
    rc_json_object(json, key);
    if ((status = put_name(json, t->name, err)))
        return status;
    rc_json_real(json, "coefficient", t->coefficient);
    rc_json_real(json, "rounded", t->rounded);
    rc_json_real(json, "low", t->low);
    rc_json_real(json, "high", t->high);
    rc_json_end(json);
    return RC_OK;
}

/* What the metric is in a column: its verdict, and the events that it is made of. */
static int put_definition(struct rc_json *json, const struct rc_metric_result *m,
                          struct rc_error *err)
{
    char *combination = rc_compare_combination(m);
    int status;

    if (!combination)
        return rc_fail(err, RC_ENOMEM, "no memory for a definition");
    rc_json_object(json, "definition");
    rc_json_text(json, "verdict", rc_metric_verdict_names[m->verdict]);
    rc_json_text(json, "reason", m->reason);
    rc_json_real(json, "error", m->error);
    rc_json_text(json, "signature", m->signature);
    rc_json_text(json, "formula", m->formula[0] ? m->formula : NULL);
    rc_json_flag(json, "rounded_holds", m->rounded_holds);
    rc_json_text(json, "combination",
                 rc_metric_has_combination(m) && combination[0] ? combination : NULL);
    free(combination);
    rc_json_array(json, "terms");
    for (size_t i = 0; i < m->term_count; i++)
        if ((status = put_term(json, NULL, &m->term[i], err)))
            return status;
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

/* A metric in a column: its definition, and how it differs from that in the reference.
 */
static int put_cell(struct rc_json *json, const struct rc_compare *compare,
                    const struct rc_compare_cell *cell, size_t column,
                    struct rc_error *err)
{
    int status;

    rc_json_object(json, NULL);
    rc_json_text(json, "column", compare->column[column].label);
    if (!cell->metric)
        rc_json_text(json, "definition", NULL);
    else if ((status = put_definition(json, cell->metric, err)))
        return status;
    rc_json_array(json, "differs");
    for (unsigned i = 0; rc_differs_names[i]; i++)
        if (cell->differs & (1U << i))
            rc_json_text(json, NULL, rc_differs_names[i]);
    rc_json_end(json);
    rc_json_array(json, "terms");
    for (size_t i = 0; i < cell->term_count; i++) {
        rc_json_object(json, NULL);
        if ((status = put_term(json, "before", cell->term[i].before, err)) ||
            (status = put_term(json, "after", cell->term[i].after, err)))
            return status;
        rc_json_flag(json, "exchanged", cell->term[i].exchanged);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

/* The metrics of a suite, and in which columns the suite is. */
static int put_suite(struct rc_json *json, const struct rc_compare *compare,
                     const struct rc_compare_suite *suite, struct rc_error *err)
{
    int status;

    rc_json_object(json, NULL);
    rc_json_text(json, "suite", suite->name);
    rc_json_array(json, "in");
    for (size_t i = 0; i < compare->column_count; i++)
        if (suite->result[i])
            rc_json_text(json, NULL, compare->column[i].label);
    rc_json_end(json);
    rc_json_array(json, "metrics");
    for (size_t m = 0; m < suite->metric_count; m++) {
        const struct rc_compare_metric *metric = &suite->metric[m];
        rc_json_object(json, NULL);
        rc_json_text(json, "metric", metric->name);
        rc_json_flag(json, "differs", metric->differs);
        rc_json_array(json, "columns");
        for (size_t i = 0; i < compare->column_count; i++)
            if ((status = put_cell(json, compare, &metric->cell[i], i, err)))
                return status;
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

/* Changes that are alike, event by event; "from" and "to" where the event is in both
 * columns.
 */
static int put_group(struct rc_json *json, const struct rc_compare *compare,
                     const struct rc_compare_column *c,
                     const struct rc_compare_group *g, struct rc_error *err)
{
    const bool moves = g->what != RC_CHANGE_GONE && g->what != RC_CHANGE_NEW;
    int status;

    rc_json_object(json, NULL);
    rc_json_text(json, "change", rc_change_names[g->what]);
    rc_json_text(json, "suite",
                 g->suite == RC_COMPARE_NONE ? NULL : compare->suite[g->suite].name);
    rc_json_text(json, "from", moves ? rc_change_word(g->what, g->from) : NULL);
    rc_json_text(json, "to", moves ? rc_change_word(g->what, g->to) : NULL);
    rc_json_integer(json, "count", (int64_t)g->count);
    rc_json_array(json, "events");
    for (size_t i = 0; i < g->count; i++) {
        const struct rc_compare_change *change = &g->change[i];
        const struct rc_compare_event *event =
            rc_compare_event_of(compare, c, g, change);
        rc_json_object(json, NULL);
        if ((status = put_name(json, event->name, err)))
            return status;
        rc_json_text(json, "source", event->source);
        if (g->what == RC_CHANGE_VERDICT)
            rc_json_text(json, "reason", event->reason);
        if (g->what == RC_CHANGE_CLASS) {
            rc_json_real(json, "noise_before", change->noise_before);
            rc_json_real(json, "noise_after", change->noise_after);
        }
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

/* How the events of a column differ from those of its reference. */
static int put_changes(struct rc_json *json, const struct rc_compare *compare,
                       const struct rc_compare_column *c, struct rc_error *err)
{
    int status;

    rc_json_object(json, NULL);
    rc_json_text(json, "column", c->label);
    rc_json_text(json, "reference", label_of(compare, c->reference));
    rc_json_array(json, "changes");
    for (size_t i = 0; i < c->group_count; i++)
        if ((status = put_group(json, compare, c, &c->group[i], err)))
            return status;
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

/* The answer of the whole comparison, and how much differs of each sort. */
static void put_sum(struct rc_json *json, const struct rc_compare *compare)
{
    rc_json_flag(json, "same", !rc_compare_differs(compare));
    rc_json_flag(json, "simulated", compare->simulated);
    rc_json_array(json, "checked");
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++)
        if (compare->checked[i])
            rc_json_text(json, NULL, rc_compare_check_names[i]);
    rc_json_end(json);
    rc_json_object(json, "differences");
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++)
        rc_json_integer(json, rc_compare_check_names[i],
                        (int64_t)compare->differences[i]);
    rc_json_end(json);
}

int rc_compare_write_json(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err)
{
    struct rc_json *json = rc_json_create(out);
    int status = RC_OK;

    (void)all; /* a program can leave out by itself what it does not need */
    if (!json)
        return rc_fail(err, RC_ENOMEM, "no memory for JSON");
    rc_json_object(json, NULL);
    put_sum(json, compare);
    rc_json_array(json, "columns");
    for (size_t i = 0; i < compare->column_count; i++)
        put_column(json, compare, &compare->column[i]);
    rc_json_end(json);
    rc_json_array(json, "absent");
    for (size_t i = 0; i < compare->absent_count; i++) {
        rc_json_object(json, NULL);
        rc_json_text(json, "column", label_of(compare, compare->absent[i].column));
        rc_json_text(json, "path", compare->absent[i].path);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_array(json, "suites");
    for (size_t i = 0; i < compare->suite_count; i++)
        if ((status = put_suite(json, compare, &compare->suite[i], err)))
            goto out;
    rc_json_end(json);
    rc_json_array(json, "events");
    for (size_t i = 0; i < compare->column_count; i++)
        if (compare->column[i].reference != RC_COMPARE_NONE &&
            (status = put_changes(json, compare, &compare->column[i], err)))
            goto out;
out:
    rc_json_close(json);
    return status;
}
