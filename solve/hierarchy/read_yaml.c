/* Reads trees in rollcall's own form: 'hierarchy', 'events' and a list of nodes. */
#include "solve/hierarchy/parts.h"

#include "campaign/base/text.h"
#include "solve/definitions/metric_text.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 1000, EVENTS_MOST = 64, PLACE_MOST = 256 };

struct node_text {
    char *node, *sum, *difference, *metric, *event, *formula, *product, *absent, *unit,
        *description, *kind, *also, *overlap;
};

struct file_text {
    char *hierarchy;
    char **events;
    unsigned events_count;
    struct node_text *nodes;
    unsigned nodes_count;
};

#define OPTIONAL (CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL)
#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, OPTIONAL, struct node_text, key, 0, CYAML_UNLIMITED)

static const cyaml_schema_field_t node_fields[] = {
    CYAML_FIELD_STRING_PTR("node", CYAML_FLAG_POINTER, struct node_text, node, 0,
                           CYAML_UNLIMITED),
    TEXT(sum),
    TEXT(difference),
    TEXT(metric),
    TEXT(event),
    TEXT(formula),
    TEXT(product),
    TEXT(absent),
    TEXT(unit),
    TEXT(description),
    TEXT(kind),
    TEXT(also),
    TEXT(overlap),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t node_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct node_text, node_fields)};
static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};

static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_STRING_PTR("hierarchy", CYAML_FLAG_POINTER, struct file_text, hierarchy,
                           0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("events", OPTIONAL, struct file_text, events,
                               events_count, &word, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("nodes", CYAML_FLAG_POINTER, struct file_text, nodes,
                               nodes_count, &node_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_text, file_fields)};

struct reader {
    struct rc_hierarchies *all;
    struct rc_yaml *file;
    char where[32]; /* "nodes[3]" */
    struct rc_error *err;
};

static int wrong(struct reader *r, const char *key, const char *what)
{
    char where[64];

    snprintf(where, sizeof where, "%s.%s", r->where, key);
    return rc_yaml_blame(r->file, where, r->err, "%s: %s", where, what);
}

/* Keeps a text of one line; NULL stays NULL. */
static int keep(struct reader *r, const char *key, const char *text, const char **out)
{
    char what[RC_ERROR_TEXT];
    const char *problem = text ? rc_line_wrong(text, false, TEXT_MOST) : NULL;

    if (problem) {
        snprintf(what, sizeof what, "'%.60s', %s", text, problem);
        return wrong(r, key, what);
    }
    if (text)
        *out = rc_arena_text(&r->all->arena, text);
    return RC_OK;
}

static int keep_sum(struct reader *r, const char *key, const char *text,
                    struct rc_hierarchy_sum *out)
{
    struct rc_error why = {.rank = -1};

    if (!text)
        return RC_OK;
    const int status = rc_hierarchy_read_sum(&r->all->arena, text,
                                             strcmp(key, "difference") == 0, out, &why);
    if (status == RC_EUSAGE)
        return wrong(r, key, why.text);
    return status ? rc_fail(r->err, (enum rc_status)status, "%s", why.text) : RC_OK;
}

/* Keeps "A, B": names or globs. */
static int keep_events(struct reader *r, const char *text,
                       struct rc_hierarchy_item *out)
{
    const char *list[EVENTS_MOST];
    char copy[TEXT_MOST + 1];
    char *rest = copy;

    if (!text)
        return RC_OK;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word_at = strtok_r(copy, ",", &rest); word_at;
         word_at = strtok_r(NULL, ",", &rest)) {
        word_at += strspn(word_at, " ");
        size_t length = strlen(word_at);
        while (length > 0 && word_at[length - 1] == ' ')
            word_at[--length] = 0;
        if (length == 0 || out->event_count == EVENTS_MOST)
            return wrong(r, "event", "expected 1 to 64 names with commas between");
        list[out->event_count++] = rc_arena_text(&r->all->arena, word_at);
    }
    const char **kept = rc_arena_array(&r->all->arena, out->event_count, sizeof *kept);
    for (size_t i = 0; kept && i < out->event_count; i++)
        kept[i] = list[i];
    out->event = kept;
    return out->event_count ? RC_OK
                            : wrong(r, "event", "expected the name of an event");
}

/* Keeps "A * B" as the formula "[A] * [B]". */
static int keep_product(struct reader *r, const char *text, const char **out)
{
    char formula[2 * TEXT_MOST] = "", copy[TEXT_MOST + 1];
    char *rest = NULL;

    if (!text)
        return RC_OK;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *factor = strtok_r(copy, " ", &rest); factor;
         factor = strtok_r(NULL, " ", &rest))
        rc_text_append(formula, sizeof formula, strcmp(factor, "*") ? "[%s]" : " * ",
                       factor);
    *out = rc_arena_text(&r->all->arena, formula);
    return RC_OK;
}

static int check_formula(struct reader *r, const char *key, const char *text)
{
    struct rc_error why = {.rank = -1};
    struct rc_expression *formula;

    if (!text)
        return RC_OK;
    const int status = rc_expression_create(text, false, &formula, &why);
    if (status == RC_OK)
        rc_expression_close(formula);
    if (status == RC_EUSAGE)
        return wrong(r, key, why.text);
    return status ? rc_fail(r->err, (enum rc_status)status, "%s", why.text) : RC_OK;
}

static int read_node(struct reader *r, const struct node_text *text,
                     const char *hierarchy)
{
    struct rc_hierarchy_item item = {.hierarchy = hierarchy};
    const char *problem = rc_hierarchy_name_wrong(text->node);
    const char *events = NULL, *product = NULL, *sum = NULL, *difference = NULL;
    char what[RC_ERROR_TEXT];
    int status;

    if (problem) {
        snprintf(what, sizeof what, "'%.60s', %s", text->node, problem);
        return wrong(r, "node", what);
    }
    snprintf(what, sizeof what, "%.200s:%zu", r->file->name,
             rc_yaml_line(r->file, r->where));
    item.name = rc_arena_text(&r->all->arena, text->node);
    item.where = rc_arena_text(&r->all->arena, what);
    if ((status = keep(r, "unit", text->unit, &item.unit)) ||
        (status = keep(r, "description", text->description, &item.description)) ||
        (status = keep(r, "kind", text->kind, &item.kind)) ||
        (status = keep(r, "also", text->also, &item.also)) ||
        (status = keep(r, "overlap", text->overlap, &item.overlap)) ||
        (status = keep(r, "metric", text->metric, &item.metric)) ||
        (status = keep(r, "absent", text->absent, &item.absent)) ||
        (status = keep(r, "formula", text->formula, &item.formula)) ||
        (status = keep(r, "event", text->event, &events)) ||
        (status = keep(r, "product", text->product, &product)) ||
        (status = keep(r, "sum", text->sum, &sum)) ||
        (status = keep(r, "difference", text->difference, &difference)))
        return status;
    if (item.formula && product)
        return wrong(r, "product", "beside 'formula', expected one of the two");
    if (item.absent && (strncmp(item.absent, "no ", 3) != 0 || !item.absent[3] ||
                        strcspn(item.absent + 3, " :") != strlen(item.absent + 3)))
        return wrong(r, "absent",
                     "expected 'no' and a part of the topology, such as "
                     "'no l3'");
    if ((status = keep_events(r, events, &item)) ||
        (status = keep_product(r, product, &item.formula)) ||
        (status = check_formula(r, product ? "product" : "formula", item.formula)) ||
        (status = keep_sum(r, "sum", sum, &item.sum)) ||
        (status = keep_sum(r, "difference", difference, &item.difference)))
        return status;
    return rc_hierarchies_add(r->all, &item, r->err);
}

int rc_hierarchies_read_yaml(struct rc_hierarchies *all, struct rc_yaml *file,
                             struct rc_error *err)
{
    struct rc_hierarchy_file *to = &all->file[all->file_count - 1];
    struct reader r = {.all = all, .file = file, .err = err};
    void *loaded;
    int status = rc_yaml_load(file, &schema, &loaded, err);

    if (status != RC_OK)
        return status;
    const struct file_text *text = loaded;
    const char **event = rc_arena_array(&all->arena, text->events_count, sizeof *event);
    const char *problem = rc_hierarchy_name_wrong(text->hierarchy);
    if (problem)
        status = rc_yaml_blame(file, "hierarchy", err, "hierarchy: '%.60s', %s",
                               text->hierarchy, problem);
    for (unsigned i = 0; event && i < text->events_count; i++)
        event[i] = rc_arena_text(&all->arena, text->events[i]);
    to->event = event;
    to->event_count = event ? text->events_count : 0;
    const char *hierarchy = rc_arena_text(&all->arena, text->hierarchy);
    for (unsigned i = 0; i < text->nodes_count && status == RC_OK; i++) {
        snprintf(r.where, sizeof r.where, "nodes[%u]", i);
        status = read_node(&r, &text->nodes[i], hierarchy);
    }
    rc_yaml_free(&schema, loaded);
    return status;
}
