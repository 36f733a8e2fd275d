/* Puts the nodes of all files together for one kind, looks their names up, and orders
 * them so that each follows its parts.
 */
#include "solve/hierarchy/work.h"

#include "campaign/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROOM "no memory for the nodes of hierarchies"

static bool is_node(const void *context, size_t item, const void *name)
{
    const struct rc_hierarchy_filler *f = context;

    return strcmp(f->work[item].item.name, name) == 0;
}

static const char *behind_source(const char *name)
{
    const char *colons = strstr(name, "::");

    return colons ? colons + 2 : name;
}

static bool is_event(const void *context, size_t item, const void *name)
{
    const struct rc_hierarchy_filler *f = context;

    return strcmp(f->machine->event[item].name, name) == 0;
}

static bool is_end(const void *context, size_t item, const void *name)
{
    const struct rc_hierarchy_filler *f = context;

    return strcmp(behind_source(f->machine->event[item].name), name) == 0;
}

/* Items of the map are numbers of names over all files. */
static bool is_declared(const void *context, size_t item, const void *name)
{
    const struct rc_hierarchies *all = context;

    for (size_t i = 0; i < all->file_count; item -= all->file[i++].event_count)
        if (item < all->file[i].event_count)
            return strcmp(all->file[i].event[item], name) == 0;
    return false;
}

static int map_names(struct rc_hierarchy_filler *f)
{
    size_t number = 0;

    f->nodes.same = is_node;
    f->events.same = is_event;
    f->ends.same = is_end;
    f->declared.same = is_declared;
    for (size_t e = 0; e < f->machine->event_count; e++) {
        const char *name = f->machine->event[e].name, *end = behind_source(name);
        if (rc_map_put(&f->events, f, rc_text_hash(name), name, e) ||
            (rc_map_find(&f->ends, f, rc_text_hash(end), end) == RC_MAP_NONE &&
             rc_map_put(&f->ends, f, rc_text_hash(end), end, e)))
            return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    }
    for (size_t i = 0; i < f->all->file_count; i++)
        for (size_t e = 0; e < f->all->file[i].event_count; e++) {
            const char *name = f->all->file[i].event[e];
            if (rc_map_put(&f->declared, f->all, rc_text_hash(name), name, number++))
                return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
        }
    return RC_OK;
}

size_t rc_hierarchy_event(const struct rc_hierarchy_filler *f, const char *name)
{
    const size_t found = rc_map_find(&f->events, f, rc_text_hash(name), name);
    const size_t end = found == RC_MAP_NONE
                           ? rc_map_find(&f->ends, f, rc_text_hash(name), name)
                           : found;

    return end == RC_MAP_NONE ? RC_HIERARCHY_NONE : end;
}

/* An item with 'kind' replaces the values that it gives. */
static void overlay(struct rc_hierarchy_item *to, const struct rc_hierarchy_item *item)
{
    if (item->sum.count)
        to->sum = item->sum;
    if (item->difference.count)
        to->difference = item->difference;
    if (item->event_count) {
        to->event = item->event;
        to->event_count = item->event_count;
    }
    to->metric = item->metric ? item->metric : to->metric;
    to->formula = item->formula ? item->formula : to->formula;
    to->absent = item->absent ? item->absent : to->absent;
    to->unit = item->unit ? item->unit : to->unit;
    to->description = item->description ? item->description : to->description;
    to->also = item->also ? item->also : to->also;
    to->overlap = item->overlap ? item->overlap : to->overlap;
    to->where = item->where;
    to->file = item->file;
}

static int merge_item(struct rc_hierarchy_filler *f,
                      const struct rc_hierarchy_item *item)
{
    const uint64_t hash = rc_text_hash(item->name);
    const size_t found = rc_map_find(&f->nodes, f, hash, item->name);

    if (found != RC_MAP_NONE && item->kind)
        overlay(&f->work[found].item, item);
    else if (found != RC_MAP_NONE)
        f->work[found].item = *item;
    if (found != RC_MAP_NONE)
        return RC_OK;
    if (rc_grow(&f->work, sizeof *f->work, f->count, &f->room))
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    f->work[f->count] = (struct rc_hierarchy_work){.item = *item};
    if (rc_map_put(&f->nodes, f, hash, item->name, f->count))
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    f->count++;
    return RC_OK;
}

/* Merges file by file, in each the items for all kinds first. */
static int merge_items(struct rc_hierarchy_filler *f)
{
    int status = RC_OK;

    for (size_t file = 0; file < f->all->file_count; file++)
        for (int with_kind = 0; with_kind < 2; with_kind++)
            for (size_t i = 0; i < f->all->count && status == RC_OK; i++) {
                const struct rc_hierarchy_item *item = &f->all->item[i];
                if (item->file == file && (item->kind != NULL) == with_kind &&
                    (!item->kind || rc_text_glob(item->kind, f->machine->kind)))
                    status = merge_item(f, item);
            }
    f->named = f->count;
    return status;
}

/* RC_EUSAGE, with the name that was perhaps meant. */
static int fail_unknown(const struct rc_hierarchy_filler *f,
                        const struct rc_hierarchy_item *item, const char *name)
{
    const char **names = rc_calloc(f->named + 1, sizeof *names);

    if (!names)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    for (size_t i = 0; i < f->named; i++)
        names[i] = f->work[i].item.name;
    const int nearest = rc_text_nearest(name, names);
    rc_fail(f->err, RC_EUSAGE, "%s: node '%s': no node '%.80s', %s%s%s", item->where,
            item->name, name,
            nearest >= 0 ? "did you mean '"
                         : "expected one of the files' nodes or a name under 'events'",
            nearest >= 0 ? names[nearest] : "", nearest >= 0 ? "'?" : "");
    free(names);
    return RC_EUSAGE;
}

static int look_up(struct rc_hierarchy_filler *f, const struct rc_hierarchy_item *item,
                   struct rc_hierarchy_link *link)
{
    const uint64_t hash = rc_text_hash(link->name);
    const size_t node = rc_map_find(&f->nodes, f, hash, link->name);

    link->node = link->event = RC_HIERARCHY_NONE;
    if (node != RC_MAP_NONE) {
        link->node = node;
        return RC_OK;
    }
    if (!f->all->file[item->file].open &&
        rc_map_find(&f->declared, f->all, hash, link->name) == RC_MAP_NONE)
        return fail_unknown(f, item, link->name);
    link->event = rc_hierarchy_event(f, link->name);
    if (link->event != RC_HIERARCHY_NONE)
        f->used[link->event] = true;
    return RC_OK;
}

static int link_sum(struct rc_hierarchy_filler *f, const struct rc_hierarchy_item *item,
                    const struct rc_hierarchy_sum *sum, struct rc_hierarchy_links *out)
{
    int status = RC_OK;

    out->link = rc_arena_array(&f->own, sum->count, sizeof *out->link);
    if (!out->link)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    out->count = sum->count;
    for (size_t i = 0; i < sum->count; i++) {
        out->link[i] = (struct rc_hierarchy_link){.name = sum->operand[i].name,
                                                  .factor = sum->operand[i].factor};
        if ((status = look_up(f, item, &out->link[i])) != RC_OK)
            return status;
    }
    return RC_OK;
}

static int link_formula(struct rc_hierarchy_filler *f, struct rc_hierarchy_work *w)
{
    struct rc_hierarchy_sum inputs = {0};
    struct rc_error why = {.rank = -1};
    int status = rc_expression_create(w->item.formula, false, &w->formula, &why);

    if (status != RC_OK)
        return rc_fail(f->err, (enum rc_status)status, "%s: node '%s': %s",
                       w->item.where, w->item.name, why.text);
    inputs.count = w->formula->name_count;
    inputs.operand = rc_arena_array(&f->own, inputs.count, sizeof *inputs.operand);
    if (!inputs.operand)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    for (size_t i = 0; i < inputs.count; i++)
        inputs.operand[i] = (struct rc_hierarchy_operand){w->formula->name[i].text, 1};
    return link_sum(f, &w->item, &inputs, &w->inputs);
}

static int link_node(struct rc_hierarchy_filler *f, struct rc_hierarchy_work *w)
{
    int status;

    if ((status = link_sum(f, &w->item, &w->item.sum, &w->sum)) ||
        (status = link_sum(f, &w->item, &w->item.difference, &w->difference)))
        return status;
    if (w->item.also && rc_map_find(&f->nodes, f, rc_text_hash(w->item.also),
                                    w->item.also) == RC_MAP_NONE)
        return fail_unknown(f, &w->item, w->item.also);
    return w->item.formula ? link_formula(f, w) : RC_OK;
}

/* Links of a node to its parts: those of its sum, difference or inputs. */
static const struct rc_hierarchy_links *links_of(const struct rc_hierarchy_work *w,
                                                 int which)
{
    return which == 0 ? &w->sum : which == 1 ? &w->difference : &w->inputs;
}

/* A part of a node that is not done either; RC_HIERARCHY_NONE: all are done. */
static size_t next_waiting(const struct rc_hierarchy_filler *f, size_t node,
                           const size_t *waits_for)
{
    for (int which = 0; which < 3; which++)
        for (size_t i = 0; i < links_of(&f->work[node], which)->count; i++) {
            const size_t to = links_of(&f->work[node], which)->link[i].node;
            if (to != RC_HIERARCHY_NONE && waits_for[to])
                return to;
        }
    return RC_HIERARCHY_NONE;
}

/* RC_EUSAGE: follows nodes that wait for each other until one comes again. */
static int fail_cycle(struct rc_hierarchy_filler *f, const size_t *waits_for)
{
    char path[RC_ERROR_TEXT / 2] = "";
    bool *seen = rc_arena_array(&f->own, f->named, sizeof *seen);
    size_t at = 0;

    if (!seen)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    while (waits_for[at] == 0)
        at++;
    for (; at != RC_HIERARCHY_NONE && !seen[at]; at = next_waiting(f, at, waits_for))
        seen[at] = true;
    const size_t first = at;
    do {
        at = next_waiting(f, at, waits_for);
        rc_text_append(path, sizeof path, "%s'%.60s'", path[0] ? ", " : "",
                       f->work[at].item.name);
    } while (at != first && strlen(path) + 70 < sizeof path);
    return rc_fail(f->err, RC_EUSAGE,
                   "%s: node '%s' is made from itself by way of %s, expected no circle",
                   f->work[first].item.where, f->work[first].item.name, path);
}

/* Nodes without parts that are not done come first (Kahn). */
static int order_nodes(struct rc_hierarchy_filler *f)
{
    size_t *waits_for = rc_arena_array(&f->own, f->named, sizeof *waits_for);
    size_t *start = rc_arena_array(&f->own, f->named + 2, sizeof *start);
    size_t edges = 0, done = 0;

    f->order = rc_arena_array(&f->own, f->named, sizeof *f->order);
    if (!waits_for || !start || !f->order)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    for (size_t n = 0; n < f->named; n++)
        for (int which = 0; which < 3; which++)
            for (size_t i = 0; i < links_of(&f->work[n], which)->count; i++) {
                const size_t to = links_of(&f->work[n], which)->link[i].node;
                if (to == RC_HIERARCHY_NONE)
                    continue;
                start[to + 2]++;
                waits_for[n]++;
                edges++;
            }
    size_t *user = rc_arena_array(&f->own, edges, sizeof *user);
    if (!user)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    for (size_t n = 1; n < f->named + 2; n++)
        start[n] += start[n - 1];
    for (size_t n = 0; n < f->named; n++)
        for (int which = 0; which < 3; which++)
            for (size_t i = 0; i < links_of(&f->work[n], which)->count; i++) {
                const size_t to = links_of(&f->work[n], which)->link[i].node;
                if (to != RC_HIERARCHY_NONE)
                    user[start[to + 1]++] = n;
            }
    for (size_t n = 0; n < f->named; n++)
        if (waits_for[n] == 0)
            f->order[done++] = n;
    for (size_t at = 0; at < done; at++) {
        const size_t n = f->order[at];
        for (size_t u = start[n]; u < start[n + 1]; u++)
            if (--waits_for[user[u]] == 0)
                f->order[done++] = user[u];
    }
    return done == f->named ? RC_OK : fail_cycle(f, waits_for);
}

int rc_hierarchy_link(struct rc_hierarchy_filler *f)
{
    int status;

    f->used = rc_arena_array(&f->own, f->machine->event_count, sizeof *f->used);
    if (!f->used)
        return rc_fail(f->err, RC_ENOMEM, NO_ROOM);
    if ((status = map_names(f)) || (status = merge_items(f)))
        return status;
    for (size_t n = 0; n < f->named && status == RC_OK; n++)
        status = link_node(f, &f->work[n]);
    return status ? status : order_nodes(f);
}
