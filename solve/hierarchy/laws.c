/* Laws of metrics (parts are at most their whole), as trees of two levels.
 *
 * Each law makes a node for the whole and one for each part.  Each metric in a law gets
 * one more law: 0 times the metric is at most the metric.
 */
#include "solve/hierarchy/parts.h"

#include "campaign/base/files/data_files.h"
#include "campaign/base/text.h"
#include "solve/definitions/metric_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { REASON_MOST = 1000 };

struct law_text {
    char **part;
    unsigned part_count;
    char *whole, *reason;
};

struct file_text {
    struct law_text *laws;
    unsigned laws_count;
};

#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct law_text, key, 0,          \
                           CYAML_UNLIMITED)
static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t law_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("part", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                               struct law_text, part, part_count, &word, 1,
                               RC_HIERARCHY_OPERANDS_MAX),
    TEXT(whole), TEXT(reason), CYAML_FIELD_END};
static const cyaml_schema_value_t law_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct law_text, law_fields)};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_SEQUENCE_COUNT("laws", CYAML_FLAG_POINTER, struct file_text, laws,
                               laws_count, &law_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_text, file_fields)};

/* A law while it is read. */
struct law {
    struct rc_hierarchy_operand part[RC_HIERARCHY_OPERANDS_MAX];
    size_t count;
    const char *whole, *reason, *where;
};

/* Reads "0.5 NAME"; false where the number is not above 0 or no name follows. */
static bool read_part(struct rc_arena *arena, const char *text,
                      struct rc_hierarchy_operand *out)
{
    const size_t digits = rc_text_number_length(text);
    char number[32];

    *out = (struct rc_hierarchy_operand){.factor = 1};
    if (digits > 0 && text[digits] == ' ') {
        snprintf(number, sizeof number, "%.*s", (int)digits, text);
        if (digits >= sizeof number || rc_text_real(number, &out->factor) ||
            !(out->factor > 0))
            return false;
        text += digits + 1;
    }
    out->name = rc_arena_text(arena, text);
    return !rc_line_wrong(text, false, RC_EXPRESSION_METRIC_MAX) && *text != ' ' &&
           *text != '-';
}

/* Writes "2 A + B <= C", or "0 <= C". */
static const char *say_law(struct rc_arena *arena, const struct law *law)
{
    char text[RC_ERROR_TEXT] = "";

    for (size_t i = 0; i < law->count; i++) {
        rc_text_append(text, sizeof text, "%s", i ? " + " : "");
        if (law->part[i].factor != 1)
            rc_text_append(text, sizeof text, "%g", law->part[i].factor);
        if (law->part[i].factor != 1 && law->part[i].factor != 0)
            rc_text_append(text, sizeof text, " ");
        if (law->part[i].factor != 0)
            rc_text_append(text, sizeof text, "%s", law->part[i].name);
    }
    rc_text_append(text, sizeof text, " <= %s (%s)", law->whole, law->reason);
    return rc_arena_text(arena, text);
}

/* Adds the nodes of a law: its parts, and the whole. */
static int add_law(struct rc_hierarchies *all, const struct law *law,
                   struct rc_error *err)
{
    struct rc_hierarchy_item item = {
        .hierarchy = "laws", .where = law->where, .law = say_law(&all->arena, law)};
    struct rc_hierarchy_operand *part =
        rc_arena_array(&all->arena, law->count, sizeof *part);
    char name[2 * RC_EXPRESSION_METRIC_MAX];
    int status = RC_OK;

    for (size_t i = 0; part && i < law->count && status == RC_OK; i++) {
        snprintf(name, sizeof name, "law %zu", all->count);
        item.name = rc_arena_text(&all->arena, name);
        item.metric = law->part[i].name;
        part[i] = (struct rc_hierarchy_operand){item.name, law->part[i].factor};
        status = rc_hierarchies_add(all, &item, err);
    }
    snprintf(name, sizeof name, "law %zu", all->count);
    item.name = rc_arena_text(&all->arena, name);
    item.metric = law->whole;
    item.sum = (struct rc_hierarchy_sum){part, part ? law->count : 0};
    return status ? status : rc_hierarchies_add(all, &item, err);
}

/* Adds, once for each metric, the law that it is at least 0. */
static int add_least(struct rc_hierarchies *all, const char *metric, const char *where,
                     struct rc_error *err)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct rc_hierarchy_item *item = &all->item[i];
        if (item->law && item->sum.count && item->sum.operand->factor == 0 &&
            strcmp(item->metric, metric) == 0)
            return RC_OK;
    }
    return add_law(all,
                   &(struct law){.part = {{metric, 0}},
                                 .count = 1,
                                 .whole = metric,
                                 .reason = "a count is never below 0",
                                 .where = where},
                   err);
}

static int read_law(struct rc_hierarchies *all, struct rc_yaml *file, size_t number,
                    const struct law_text *text, struct rc_error *err)
{
    struct law law = {.count = text->part_count,
                      .whole = rc_arena_text(&all->arena, text->whole),
                      .reason = rc_arena_text(&all->arena, text->reason)};
    char where[64], place[PATH_MAX + 32];
    int status = RC_OK;

    snprintf(where, sizeof where, "laws[%zu]", number);
    snprintf(place, sizeof place, "%s:%zu", file->name, rc_yaml_line(file, where));
    law.where = rc_arena_text(&all->arena, place);
    if (rc_line_wrong(text->whole, false, RC_EXPRESSION_METRIC_MAX))
        return rc_yaml_blame(file, where, err,
                             "%s.whole: '%.80s', expected the name of a metric", where,
                             text->whole);
    if (rc_line_wrong(text->reason, false, REASON_MOST))
        return rc_yaml_blame(
            file, where, err,
            "%s.reason: '%.80s', expected why it is a law, on one line", where,
            text->reason);
    for (size_t i = 0; i < law.count; i++)
        if (!read_part(&all->arena, text->part[i], &law.part[i]))
            return rc_yaml_blame(
                file, where, err,
                "%s.part[%zu]: '%.80s', expected the name of a metric, "
                "or a number above 0 and a name",
                where, i, text->part[i]);
    if (law.count)
        status = add_law(all, &law, err);
    for (size_t i = 0; i < law.count && status == RC_OK; i++)
        status = add_least(all, law.part[i].name, law.where, err);
    return status ? status : add_least(all, law.whole, law.where, err);
}

int rc_hierarchies_read_laws(struct rc_hierarchies *all, struct rc_yaml *file,
                             struct rc_error *err)
{
    void *loaded;
    int status = rc_yaml_load(file, &schema, &loaded, err);

    if (status != RC_OK)
        return status;
    const struct file_text *text = loaded;
    for (size_t i = 0; i < text->laws_count && status == RC_OK; i++)
        status = read_law(all, file, i, &text->laws[i], err);
    rc_yaml_free(&schema, loaded);
    return status;
}
