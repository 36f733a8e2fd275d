/* Puts filled nodes in the order in which they are shown: depth first, with their
 * parents.
 */
#include "solve/hierarchy/work.h"

#include <stdlib.h>
#include <string.h>

/* The first sum that contains a node is its parent; other sums that contain it, and
 * nodes that it names itself, also show it.
 */
static int find_parents(struct rc_hierarchy_filler *f)
{
    for (size_t n = 0; n < f->count; n++)
        f->work[n].node.parent = RC_HIERARCHY_NONE;
    for (size_t n = 0; n < f->count; n++) {
        const struct rc_hierarchy_node *node = &f->work[n].node;
        for (size_t i = 0; i < node->child_count; i++) {
            struct rc_hierarchy_node *child = &f->work[node->child[i].node].node;
            if (child->parent == RC_HIERARCHY_NONE)
                child->parent = n;
            if (child->is_event)
                child->hierarchy = node->hierarchy;
        }
    }
    for (size_t i = f->named; i-- > 0;) { /* parents come before their children */
        const size_t n = f->order[i];
        struct rc_hierarchy_node *node = &f->work[n].node;
        node->depth = node->parent == RC_HIERARCHY_NONE
                          ? 0
                          : f->work[node->parent].node.depth + 1;
        if (node->depth >= RC_HIERARCHY_DEPTH_MAX)
            return rc_fail(f->err, RC_EUSAGE,
                           "%s: node '%s' lies deeper than %d others, expected a "
                           "flatter tree",
                           node->where, node->name, RC_HIERARCHY_DEPTH_MAX);
    }
    for (size_t n = f->named; n < f->count; n++)
        if (f->work[n].node.parent != RC_HIERARCHY_NONE)
            f->work[n].node.depth = f->work[f->work[n].node.parent].node.depth + 1;
    return RC_OK;
}

/* Finds nodes with 'also: PARENT'. */
static int find_views(struct rc_hierarchy_filler *f)
{
    for (size_t n = 0; n < f->named; n++) {
        const char *also = f->work[n].item.also;
        if (!also)
            continue;
        for (size_t p = 0; p < f->named; p++) {
            struct rc_hierarchy_node *to = &f->work[p].node;
            if (strcmp(to->name, also) != 0)
                continue;
            size_t *list = rc_arena_array(f->arena, to->also_count + 1, sizeof *list);
            if (!list)
                return rc_fail(f->err, RC_ENOMEM, "no memory for hierarchies");
            for (size_t i = 0; i < to->also_count; i++)
                list[i] = to->also[i];
            list[to->also_count++] = n;
            to->also = list;
        }
    }
    return RC_OK;
}

/* Numbers all nodes depth first, roots in the order of the files.  Returns how many
 * there are.
 */
static size_t number_nodes(struct rc_hierarchy_filler *f, size_t *number, size_t *stack)
{
    size_t next = 0, depth;

    for (size_t n = 0; n < f->count; n++)
        number[n] = RC_HIERARCHY_NONE;
    for (size_t root = 0; root < f->named; root++) {
        if (f->work[root].node.parent != RC_HIERARCHY_NONE)
            continue;
        stack[0] = root;
        depth = 1;
        while (depth > 0) {
            const size_t n = stack[--depth];
            const struct rc_hierarchy_node *node = &f->work[n].node;
            number[n] = next++;
            for (size_t i = node->child_count; i-- > 0;)
                if (f->work[node->child[i].node].node.parent == n)
                    stack[depth++] = node->child[i].node;
        }
    }
    for (size_t n = f->named; n < f->count; n++) /* parts of differences and formulas */
        if (number[n] == RC_HIERARCHY_NONE)
            number[n] = next++;
    return next;
}

static const struct rc_hierarchy_part *renumber(struct rc_hierarchy_filler *f,
                                                const struct rc_hierarchy_part *part,
                                                size_t count, const size_t *number)
{
    struct rc_hierarchy_part *out = rc_arena_array(f->arena, count, sizeof *out);

    for (size_t i = 0; out && i < count; i++)
        out[i] = (struct rc_hierarchy_part){number[part[i].node], part[i].factor};
    return out;
}

static void put_nodes(struct rc_hierarchy_filler *f, struct rc_hierarchy *out,
                      const size_t *number)
{
    for (size_t n = 0; n < f->count; n++) {
        struct rc_hierarchy_node *node = &out->node[number[n]];
        *node = f->work[n].node;
        if (node->is_event && node->parent == RC_HIERARCHY_NONE)
            node->hierarchy = "";
        if (node->parent != RC_HIERARCHY_NONE)
            node->parent = number[node->parent];
        const bool is_sum = node->part == node->child; /* kept by the same address */
        node->child = renumber(f, node->child, node->child_count, number);
        node->part =
            is_sum ? node->child : renumber(f, node->part, node->part_count, number);
        size_t *also = rc_arena_array(f->arena, node->also_count, sizeof *also);
        for (size_t i = 0; also && i < node->also_count; i++)
            also[i] = number[node->also[i]];
        node->also = also;
    }
    for (size_t n = f->named; n < f->count; n++)
        out->order[n - f->named] = number[n];
    for (size_t i = 0; i < f->named; i++)
        out->order[f->count - f->named + i] = number[f->order[i]];
}

int rc_hierarchy_layout(struct rc_hierarchy_filler *f, struct rc_hierarchy *out)
{
    size_t *number = rc_arena_array(&f->own, f->count, sizeof *number);
    size_t *stack = rc_arena_array(&f->own, f->count + 1, sizeof *stack);
    int status;

    if (!number || !stack)
        return rc_fail(f->err, RC_ENOMEM, "no memory for hierarchies");
    if ((status = find_parents(f)) || (status = find_views(f)))
        return status;
    out->count = number_nodes(f, number, stack);
    out->node = rc_arena_array(f->arena, out->count, sizeof *out->node);
    out->order = rc_arena_array(f->arena, out->count, sizeof *out->order);
    out->orphan =
        rc_arena_array(f->arena, f->machine->event_count, sizeof *out->orphan);
    out->formulas = rc_arena_array(f->arena, f->named, sizeof(struct rc_expression *));
    if (rc_arena_check(f->arena, f->err, "hierarchies") != RC_OK)
        return RC_ENOMEM;
    put_nodes(f, out, number);
    for (size_t e = 0; e < f->machine->event_count; e++)
        if (f->machine->event[e].counted && !f->used[e])
            out->orphan[out->orphan_count++] = e;
    if ((status = rc_arena_check(f->arena, f->err, "hierarchies")) != RC_OK)
        return status;
    for (size_t n = 0; n < f->named; n++)
        if (f->work[n].formula)
            out->formulas[out->formula_count++] = f->work[n].formula;
    return RC_OK;
}
