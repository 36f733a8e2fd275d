/* Trees as text and CSV, a line for each node, and as JSON. */
#include "campaign/hierarchy/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

static RC_COLUMNS(columns, RC_TEXT("node"), RC_TEXT("marks"), RC_TEXT("status"),
                  RC_TEXT("value"), RC_TEXT("unit"), RC_TEXT("lacks_or_why"));

static void put_text(const struct rc_hierarchy_kind *k, const bool *chosen,
                     const struct rc_hierarchy_request *q, struct rc_rows *rows)
{
    char name[512], marks[RC_HIERARCHY_MARKS], why[RC_ERROR_TEXT];

    for (size_t n = 0; n < k->h.count; n++) {
        const struct rc_hierarchy_node *node = &k->h.node[n];
        if (!chosen[n] || (!q->all && node->status == RC_HIERARCHY_VOID))
            continue;
        snprintf(name, sizeof name, "%*s%.200s", 2 * (int)node->depth, "", node->name);
        snprintf(why, sizeof why, "%s%.200s", node->lacks[0] ? "without " : "",
                 node->lacks[0] ? node->lacks : node->reason);
        rc_rows_add(
            rows,
            (const char *const[]){
                name, rc_hierarchy_marks(node, marks),
                node->absent ? "zero here" : rc_hierarchy_status_names[node->status],
                node->status == RC_HIERARCHY_VOID ? "" : node->how, node->unit,
                node->status == RC_HIERARCHY_VOID || node->lacks[0] ? why : ""});
        for (size_t i = 0; i < node->also_count; i++) {
            const struct rc_hierarchy_node *also = &k->h.node[node->also[i]];
            if (also->status == RC_HIERARCHY_VOID)
                continue;
            snprintf(name, sizeof name, "%*s(%.200s)", 2 * (int)node->depth + 2, "",
                     also->name);
            rc_rows_add(rows,
                        (const char *const[]){name, "", "another view", "", "", ""});
        }
    }
}

/* The columns have the names of JSON's members, so that tables of all kinds can be
 * grouped by them.
 */
static RC_COLUMNS(csv_columns, RC_TEXT("kind"), RC_TEXT("hierarchy"), RC_TEXT("node"),
                  RC_TEXT("parent"), RC_NUMBER("depth"), RC_TEXT("marks"),
                  RC_TEXT("status"), RC_TEXT("value"), RC_TEXT("unit"),
                  RC_TEXT("lacks"), RC_TEXT("reason"), RC_TEXT("description"));

void rc_hierarchy_head(const struct rc_hierarchy_request *request, FILE *out)
{
    rc_rows_head(out, request->format, csv_columns);
}

static void put_csv(const struct rc_hierarchy_kind *k, const bool *chosen,
                    struct rc_rows *rows)
{
    char depth[RC_TEXT_SHORT], marks[RC_HIERARCHY_MARKS];

    for (size_t n = 0; n < k->h.count; n++) {
        const struct rc_hierarchy_node *node = &k->h.node[n];
        if (!chosen[n])
            continue;
        snprintf(depth, sizeof depth, "%u", (unsigned)node->depth);
        RC_ROWS_PUT(rows, k->machine.kind, node->hierarchy, node->name,
                    node->parent == RC_HIERARCHY_NONE ? ""
                                                      : k->h.node[node->parent].name,
                    depth, rc_hierarchy_marks(node, marks),
                    rc_hierarchy_status_names[node->status], node->how, node->unit,
                    node->lacks, node->reason, node->description);
    }
}

static void put_terms(const struct rc_hierarchy_kind *k,
                      const struct rc_hierarchy_node *node, struct rc_json *json)
{
    rc_json_array(json, "terms");
    for (size_t t = 0; t < node->term_count; t++) {
        rc_json_object(json, NULL);
        rc_json_name(json, "event", k->machine.event[node->term[t].event].name);
        rc_json_real(json, "coefficient", node->term[t].coefficient);
        rc_json_real(json, "low", node->term[t].low);
        rc_json_real(json, "high", node->term[t].high);
        rc_json_end(json);
    }
    rc_json_end(json);
}

static void put_json(const struct rc_hierarchy_kind *k, const bool *chosen,
                     struct rc_json *json)
{
    rc_json_array(json, "nodes");
    for (size_t n = 0; n < k->h.count; n++) {
        const struct rc_hierarchy_node *node = &k->h.node[n];
        if (!chosen[n])
            continue;
        rc_json_object(json, NULL);
        rc_json_name(json, "node", node->name);
        rc_json_text(json, "hierarchy", node->hierarchy);
        rc_json_text(json, "parent",
                     node->parent == RC_HIERARCHY_NONE ? NULL
                                                       : k->h.node[node->parent].name);
        rc_json_flag(json, "is_event", node->is_event);
        rc_json_text(json, "status", rc_hierarchy_status_names[node->status]);
        rc_json_flag(json, "absent", node->absent);
        rc_json_flag(json, "approximate", node->approximate);
        rc_json_flag(json, "simulated", node->simulated);
        rc_json_text(json, "value", node->how);
        rc_json_text(json, "unit", node->unit);
        rc_json_text(json, "description", node->description);
        rc_json_text(json, "lacks", node->lacks);
        rc_json_text(json, "reason", node->reason);
        put_terms(k, node, json);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_array(json, "counted_twice");
    for (size_t i = 0; i < k->excess_count; i++) {
        const struct rc_hierarchy_excess *x = &k->excess[i];
        rc_json_object(json, NULL);
        rc_json_name(json, "node", k->h.node[x->node].name);
        rc_json_text(json, "at", k->cells.name[x->cell]);
        rc_json_integer(json, "points", (int64_t)x->cells);
        rc_json_real(json, "parent", x->parent);
        rc_json_real(json, "children", x->children);
        rc_json_real(json, "bound", x->bound);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_array(json, "orphans");
    for (size_t i = 0; i < k->h.orphan_count; i++)
        rc_json_text(json, NULL, k->machine.event[k->h.orphan[i]].name);
    rc_json_end(json);
}

/* Writes remarks that no single node's line shows. */
static void put_remarks(const struct rc_hierarchy_kind *k,
                        const struct rc_hierarchy_request *q, FILE *out)
{
    size_t count[RC_HIERARCHY_STATUS_COUNT], nodes = 0;
    char name[256];

    for (size_t i = 0; i < k->excess_count; i++) {
        const struct rc_hierarchy_excess *x = &k->excess[i];
        fprintf(out,
                "counted twice: the parts of %s add up to more than it at %zu point%s, "
                "such as "
                "%s: %.6g, its parts %.6g\n",
                rc_text_printable(name, sizeof name, k->h.node[x->node].name), x->cells,
                rc_text_s(x->cells), k->cells.name[x->cell], x->parent, x->children);
    }
    if (k->unchecked[0])
        fprintf(out, "not tried on readings: %s\n", k->unchecked);
    rc_hierarchy_tally(&k->h, count);
    for (int s = 0; s < RC_HIERARCHY_STATUS_COUNT; s++)
        nodes += count[s];
    fprintf(out, "%zu nodes:", nodes);
    for (int s = RC_HIERARCHY_STATUS_COUNT; s-- > 0;)
        fprintf(out, " %zu %s%s", count[s], rc_hierarchy_status_names[s], s ? "," : "");
    fprintf(out, "; %zu counter%s in no tree%s", k->h.orphan_count,
            rc_text_s(k->h.orphan_count), q->orphans && k->h.orphan_count ? ":" : "");
    for (size_t i = 0; q->orphans && i < k->h.orphan_count; i++)
        fprintf(out, "%s %s", i ? "," : "",
                rc_text_printable(name, sizeof name,
                                  k->machine.event[k->h.orphan[i]].name));
    fputc('\n', out);
}

int rc_hierarchy_show(const struct rc_hierarchy_kind *k,
                      const struct rc_hierarchy_request *request, struct rc_json *json,
                      FILE *out, struct rc_error *err)
{
    bool *chosen = rc_calloc(k->h.count, sizeof *chosen);
    int status = chosen ? rc_hierarchy_choose(&k->h, "only", request->only, chosen, err)
                        : rc_fail(err, RC_ENOMEM, "no memory for hierarchies");

    if (status == RC_OK && json) {
        rc_json_object(json, NULL);
        rc_json_name(json, "kind", k->machine.kind);
        put_json(k, chosen, json);
        if (request->catalogue)
            status = rc_hierarchy_passes(k, chosen, request->catalogue, json, out, err);
        rc_json_end(json);
    } else if (status == RC_OK && rc_rows_is_csv(request->format)) {
        struct rc_rows *rows = rc_rows_create(out, request->format, csv_columns, NULL);
        put_csv(k, chosen, rows);
        status = rc_rows_end(rows, RC_OK, err);
    } else if (status == RC_OK) {
        char name[256];
        struct rc_rows *rows = rc_rows_create(out, RC_FORMAT_TEXT, columns, NULL);
        fprintf(out, "kind %s\n\n",
                rc_text_printable(name, sizeof name, k->machine.kind));
        put_text(k, chosen, request, rows);
        status = rc_rows_end(rows, RC_OK, err);
        fputc('\n', out);
        put_remarks(k, request, out);
        if (request->catalogue && status == RC_OK)
            status = rc_hierarchy_passes(k, chosen, request->catalogue, NULL, out, err);
    }
    free(chosen);
    return status;
}
