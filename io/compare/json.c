/* A comparison as JSON, with all differences and all events of each change:
 * docs/compare.schema.json describes it.
 */
#include "io/text/json.h"
#include "io/compare/parts.h"

#include <stdlib.h>

/* NULL becomes null: a column without a reference. */
static const char *label_of(const struct rc_compare *compare, size_t column)
{
    return column == RC_COMPARE_NONE ? NULL : compare->column[column].label;
}

/* Writes a campaign and kind, and the column with which it is compared. */
static void put_column(struct rc_json *json, const struct rc_compare *compare,
                       const struct rc_compare_column *c)
{
    static const struct rc_json_member kind[] = {
        RC_JSON_AS("kind", rc_store_kind, name), RC_JSON(rc_store_kind, key), {0}};

    rc_json_object(json, NULL);
    rc_json_text(json, "column", c->label);
    rc_json_text(json, "path", c->path);
    rc_json_text(json, "campaign", c->campaign->id);
    rc_json_text(json, "created_by", c->campaign->created_by);
    rc_json_flag(json, "simulated", c->simulated);
    rc_json_members(json, kind, c->kind);
    rc_json_texts(json, "nodes", c->kind->nodes, c->kind->node_count);
    rc_json_integer(json, "events", (int64_t)c->event_count);
    rc_json_text(json, "reference", label_of(compare, c->reference));
    rc_json_text(json, "relation", rc_relation_names[c->relation]);
    rc_json_flag(json, "judged", c->judged);
    rc_json_end(json);
}

static void put_term(struct rc_json *json, const char *key, const struct rc_term *t)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_term, coefficient, rounded, low, high), {0}};

    if (!t) {
        rc_json_text(json, key, NULL);
        return;
    }
    rc_json_object(json, key);
    rc_json_name(json, "event", t->name);
    rc_json_members(json, members, t);
    rc_json_end(json);
}

/* Writes the definition of a metric in a column: its verdict, and its events.  False:
 * no memory.
 */
static bool put_definition(struct rc_json *json, const struct rc_metric_result *m)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_metric_result, reason, error, signature, rounded_holds), {0}};
    char *combination = rc_compare_combination(m);
    const bool has = combination && combination[0] && rc_metric_has_combination(m);
    const bool failed = !combination;

    rc_json_object(json, "definition");
    rc_json_text(json, "verdict", rc_metric_verdict_names[m->verdict]);
    rc_json_members(json, members, m);
    rc_json_text(json, "formula", m->formula[0] ? m->formula : NULL);
    rc_json_text(json, "combination", has ? combination : NULL);
    free(combination);
    rc_json_array(json, "terms");
    for (size_t i = 0; i < m->term_count; i++)
        put_term(json, NULL, &m->term[i]);
    rc_json_end(json);
    rc_json_end(json);
    return !failed;
}

/* Writes a metric in a column: its definition, and how it differs from that of the
 * reference.  False: no memory.
 */
static bool put_cell(struct rc_json *json, const struct rc_compare *compare,
                     const struct rc_compare_metric *metric, size_t column)
{
    const struct rc_compare_cell *cell = &metric->cell[column];
    char *says = rc_compare_say_cell(compare, metric, column);
    bool whole = says != NULL;

    rc_json_object(json, NULL);
    rc_json_text(json, "column", compare->column[column].label);
    if (cell->metric)
        whole &= put_definition(json, cell->metric);
    else
        rc_json_text(json, "definition", NULL);
    rc_json_array(json, "differs");
    for (unsigned i = 0; rc_differs_names[i]; i++)
        if (cell->differs & (1U << i))
            rc_json_text(json, NULL, rc_differs_names[i]);
    rc_json_end(json);
    rc_json_flag(json, "chance", cell->chance != 0);
    rc_json_text(json, "says", says);
    free(says);
    rc_json_array(json, "terms");
    for (size_t i = 0; i < cell->term_count; i++) {
        rc_json_object(json, NULL);
        put_term(json, "before", cell->term[i].before);
        put_term(json, "after", cell->term[i].after);
        rc_json_flag(json, "exchanged", cell->term[i].exchanged);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
    return whole;
}

/* Writes the metrics of a suite, and the columns that have the suite.  False: no
 * memory.
 */
static bool put_suite(struct rc_json *json, const struct rc_compare *compare,
                      const struct rc_compare_suite *suite)
{
    bool whole = true;

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
            whole &= put_cell(json, compare, metric, i);
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
    return whole;
}

/* Writes changes of the same sort, event by event; "from" and "to" if the event is in
 * both columns.
 */
static void put_group(struct rc_json *json, const struct rc_compare *compare,
                      const struct rc_compare_column *c,
                      const struct rc_compare_group *g)
{
    const bool moves = g->what != RC_CHANGE_GONE && g->what != RC_CHANGE_NEW &&
                       g->what != RC_CHANGE_COUNTS && g->what != RC_CHANGE_RATES;

    rc_json_object(json, NULL);
    rc_json_text(json, "change", rc_change_names[g->what]);
    rc_json_text(json, "suite",
                 g->suite == RC_COMPARE_NONE ? NULL : compare->suite[g->suite].name);
    rc_json_text(json, "from", moves ? rc_change_word(g->what, g->from) : NULL);
    rc_json_text(json, "to", moves ? rc_change_word(g->what, g->to) : NULL);
    rc_json_flag(json, "chance", g->chance);
    rc_json_integer(json, "count", (int64_t)g->count);
    rc_json_array(json, "events");
    for (size_t i = 0; i < g->count; i++) {
        const struct rc_compare_change *change = &g->change[i];
        const struct rc_compare_event *event =
            rc_compare_event_of(compare, c, g, change);
        rc_json_object(json, NULL);
        rc_json_name(json, "event", event->name);
        rc_json_text(json, "source", event->source);
        if (g->what == RC_CHANGE_VERDICT)
            rc_json_text(json, "reason", event->reason);
        if (g->what == RC_CHANGE_COUNTS || g->what == RC_CHANGE_RATES)
            rc_json_real(json, "off", change->off);
        if (g->what == RC_CHANGE_CLASS) {
            rc_json_real(json, "noise_before", change->noise_before);
            rc_json_real(json, "noise_after", change->noise_after);
        }
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
}

/* Writes the result of the whole comparison, and the number of differences by check. */
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
    rc_json_object(json, "chance");
    for (size_t i = 0; i < RC_COMPARE_CHECKS; i++)
        rc_json_integer(json, rc_compare_check_names[i], (int64_t)compare->chance[i]);
    rc_json_end(json);
}

int rc_compare_write_json(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err)
{
    struct rc_json own, *json = rc_json_begin(&own, out);
    bool whole = true;

    (void)all; /* programs can ignore what they do not need */
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
        whole &= put_suite(json, compare, &compare->suite[i]);
    rc_json_end(json);
    rc_json_array(json, "events"); /* changes by column */
    for (size_t i = 0; i < compare->column_count; i++) {
        const struct rc_compare_column *c = &compare->column[i];
        if (c->reference == RC_COMPARE_NONE)
            continue;
        rc_json_object(json, NULL);
        rc_json_text(json, "column", c->label);
        rc_json_text(json, "reference", label_of(compare, c->reference));
        rc_json_array(json, "changes");
        for (size_t g = 0; g < c->group_count; g++)
            put_group(json, compare, c, &c->group[g]);
        rc_json_end(json);
        rc_json_end(json);
    }
    rc_json_close(json);
    return whole ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a definition");
}
