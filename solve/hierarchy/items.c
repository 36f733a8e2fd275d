/* Definitions from files of both forms: names, sums, and items of nodes. */
#include "solve/hierarchy/parts.h"

#include "campaign/base/text.h"
#include "solve/definitions/metric_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *rc_hierarchy_name_wrong(const char *name)
{
    if (rc_line_wrong(name, false, RC_EXPRESSION_METRIC_MAX))
        return "expected a name of 1 to 80 bytes on one line";
    for (const char *at = name; *at;) {
        uint32_t code;
        const size_t length = rc_text_code_point(at, &code);
        if (length == 0 || rc_text_is_hidden(code))
            return "expected a name of printable characters, in UTF-8";
        at += length;
    }
    if (strpbrk(name, " \t[]{}()+*/,=#'\"\\"))
        return "expected a name without blanks, brackets, quotes, commas and operators";
    if (isdigit((unsigned char)name[0]) || name[0] == '-' || name[0] == '.')
        return "expected a name that begins with a letter";
    return NULL;
}

int rc_hierarchy_read_sum(struct rc_arena *arena, const char *text, bool minus,
                          struct rc_hierarchy_sum *out, struct rc_error *err)
{
    static const char blanks[] = " \t";
    struct rc_hierarchy_operand list[RC_HIERARCHY_OPERANDS_MAX];
    const char *what = minus ? "NAME + NAME - NAME" : "NAME + NAME";
    char token[256];
    double sign = 1, factor = 1;
    bool name_next = true;
    size_t count = 0;

    for (const char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
        const size_t length = strcspn(at, blanks);
        snprintf(token, sizeof token, "%.*s", (int)(length < 255 ? length : 255), at);
        at += length;
        if (!name_next) {
            if (strcmp(token, "+") != 0 && (!minus || strcmp(token, "-") != 0))
                return rc_fail(err, RC_EUSAGE, "'%.60s' after '%.60s', expected %s%s",
                               token, list[count - 1].name, what,
                               minus ? "" : " and no other operator");
            sign = token[0] == '-' ? -1 : 1;
            name_next = true;
            continue;
        }
        if (factor == 1 && rc_text_real(token, &factor) == 0 && factor > 0)
            continue;
        const char *problem = rc_hierarchy_name_wrong(token);
        if (problem || length > 255)
            return rc_fail(err, RC_EUSAGE, "'%.60s', %s, as in %s", token,
                           problem ? problem : "expected a shorter name", what);
        if (count == RC_HIERARCHY_OPERANDS_MAX)
            return rc_fail(err, RC_EUSAGE, "more than %d names, expected fewer",
                           RC_HIERARCHY_OPERANDS_MAX);
        for (size_t i = 0; i < count; i++)
            if (strcmp(list[i].name, token) == 0)
                return rc_fail(err, RC_EUSAGE, "'%.60s' twice, expected it once",
                               token);
        list[count++] =
            (struct rc_hierarchy_operand){rc_arena_text(arena, token), sign * factor};
        factor = 1;
        name_next = false;
    }
    if (name_next)
        return rc_fail(err, RC_EUSAGE,
                       "'%.60s' ends where a name should follow, expected %s", text,
                       what);
    out->operand = rc_arena_array(arena, count, sizeof *out->operand);
    if (!out->operand)
        return rc_fail(err, RC_ENOMEM, "no memory for a sum");
    for (size_t i = 0; i < count; i++)
        out->operand[i] = list[i];
    out->count = count;
    return RC_OK;
}

int rc_hierarchies_add(struct rc_hierarchies *all, const struct rc_hierarchy_item *item,
                       struct rc_error *err)
{
    const size_t file = all->file_count - 1;

    if (all->count == RC_HIERARCHY_NODES_MAX)
        return rc_fail(err, RC_EUSAGE, "%s: more than %d nodes, expected fewer",
                       item->where, RC_HIERARCHY_NODES_MAX);
    if (rc_grow(&all->item, sizeof *all->item, all->count, &all->room))
        return rc_fail(err, RC_ENOMEM, "no memory for the nodes of hierarchies");
    for (size_t i = all->count; i-- > 0 && all->item[i].file == file;)
        if (!item->kind && !all->item[i].kind &&
            strcmp(all->item[i].name, item->name) == 0)
            return rc_fail(err, RC_EUSAGE,
                           "%s: node '%s' is given twice, first at %s, expected it "
                           "once, or with 'kind'",
                           item->where, item->name, all->item[i].where);
    all->item[all->count] = *item;
    all->item[all->count++].file = file;
    return RC_OK;
}
