/* Trees that a launch or a profile is asked for, filled with what can be counted. */
#include "campaign/profile/tables/trees.h"

#include "campaign/base/map.h"
#include "campaign/base/text.h"
#include "campaign/cli/launch.h"
#include "campaign/cli/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool rc_profile_trees_is_file(const char *word)
{
    return strpbrk(word, "/.") != NULL;
}

static int read_files(struct rc_profile_trees *t, const char *const *word,
                      struct rc_error *err)
{
    int status = rc_hierarchies_create(&t->all, err);

    if (status != RC_OK)
        return status;
    for (size_t i = 0; word[i]; i++)
        if (rc_profile_trees_is_file(word[i]) &&
            (status = rc_hierarchies_add_file(t->all, word[i], err)) != RC_OK)
            return status;
    return status;
}

static bool is_event(const void *context, size_t item, const void *key)
{
    const struct rc_profile_trees *t = context;

    return strcmp(t->event[item].name, key) == 0;
}

/* The campaign's events, and all that definitions name besides. */
static int make_machine(struct rc_profile_trees *t,
                        const struct rc_profile_trees_request *q, struct rc_error *err)
{
    const size_t named = rc_hierarchies_events(t->all, NULL, 0);
    const char **name = rc_arena_array(&t->arena, named, sizeof *name);
    struct rc_map events = {.same = is_event};
    int status = RC_OK, failed = 0;

    t->machine = (struct rc_hierarchy_machine){.kind = "profile", .shape = ""};
    if (q->campaign &&
        ((status = rc_results_open(q->campaign, q->node, &t->metrics, t->why,
                                   sizeof t->why, err)) ||
         (status = rc_results_read_machine(t->metrics.file, t->metrics.kind, &t->arena,
                                           &t->pool, &t->machine, NULL, err))))
        return status;
    const size_t solved = t->machine.event_count;
    t->event = rc_arena_array(&t->arena, solved + named, sizeof *t->event);
    if (!t->event || !name)
        return rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
    if (solved > 0)
        memcpy(t->event, t->machine.event, solved * sizeof *t->event);
    (void)rc_hierarchies_events(t->all, name, named);
    for (size_t e = 0; e < solved && !failed; e++)
        failed =
            rc_map_put(&events, t, rc_text_hash(t->event[e].name), t->event[e].name, e);
    for (size_t i = 0; i < named && !failed; i++) {
        const uint64_t hash = rc_text_hash(name[i]);
        if (rc_map_find(&events, t, hash, name[i]) != RC_MAP_NONE)
            continue;
        t->event[t->machine.event_count] =
            (struct rc_hierarchy_event){.name = name[i], .reason = "", .counted = true};
        failed = rc_map_put(&events, t, hash, name[i], t->machine.event_count++);
    }
    rc_map_fini(&events);
    t->machine.event = t->event;
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for hierarchies") : RC_OK;
}

const char *rc_profile_trees_event(const struct rc_profile_trees *trees, size_t event,
                                   char out[RC_SHARED_EVENT_NAME])
{
    const char *name = trees->instead && trees->instead[event]
                           ? trees->instead[event]
                           : trees->event[event].name;

    if (trees->metrics.file &&
        strncmp(name, RC_PROFILE_READING, strlen(RC_PROFILE_READING)) != 0)
        return rc_profile_thread_event(name, out);
    snprintf(out, RC_SHARED_EVENT_NAME, "%.250s", name);
    return out;
}

/* Tries an event, and if it fails those that count the same.  NULL: one passes. */
static const char *try_event(struct rc_profile_trees *t, size_t event,
                             rc_profile_trees_test *why_not, void *context)
{
    char name[RC_SHARED_EVENT_NAME];
    const char *why = why_not(context, rc_profile_trees_event(t, event, name));

    if (why)
        why = rc_arena_text(&t->arena, why);
    for (size_t n = 0; why; n++) {
        t->instead[event] = rc_hierarchy_alike(&t->machine, t->event[event].name, n);
        if (!t->instead[event])
            break;
        if (!why_not(context, rc_profile_trees_event(t, event, name)))
            return NULL;
    }
    return why;
}

/* Fills the trees, tries the events that they need then, and again without those that
 * fail, until none does.
 */
static int fill(struct rc_profile_trees *t, const char *const *word,
                rc_profile_trees_test *why_not, void *context, struct rc_error *err)
{
    bool *tried = rc_arena_array(&t->arena, t->machine.event_count, sizeof *tried);
    bool again = true;
    int status = RC_OK;

    t->instead = rc_arena_array(&t->arena, t->machine.event_count, sizeof *t->instead);
    t->needed = rc_arena_array(&t->arena, t->machine.event_count, sizeof *t->needed);
    if (!tried || !t->needed || !t->instead)
        return rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
    while (again) {
        again = false;
        rc_hierarchy_fini(&t->h);
        if ((status = rc_hierarchy_fill(t->all, &t->machine, &t->h, err)))
            return status;
        t->chosen = rc_arena_array(&t->arena, t->h.count, sizeof *t->chosen);
        if (!t->chosen)
            return rc_fail(err, RC_ENOMEM, "no memory for hierarchies");
        memset(t->needed, 0, t->machine.event_count * sizeof *t->needed);
        if ((status = rc_hierarchy_choose(&t->h, "hierarchy", word, t->chosen, err)) ||
            (status = rc_hierarchy_needs(&t->h, t->chosen, t->needed, err)))
            return status;
        for (size_t e = 0; e < t->machine.event_count; e++) {
            if (!t->needed[e] || tried[e])
                continue;
            tried[e] = true;
            const char *why = try_event(t, e, why_not, context);
            if (why) {
                t->event[e].reason = why;
                t->event[e].counted = false;
                again = true;
            }
        }
        if ((status = rc_arena_check(&t->arena, err, "hierarchies")))
            return status;
    }
    return RC_OK;
}

int rc_profile_trees_open(const struct rc_profile_trees_request *request,
                          rc_profile_trees_test *why_not, void *context,
                          struct rc_profile_trees *out, struct rc_error *err)
{
    int status;

    *out = (struct rc_profile_trees){.all = NULL};
    if ((status = read_files(out, request->word, err)) ||
        (status = make_machine(out, request, err)))
        return status;
    return fill(out, request->word, why_not, context, err);
}

void rc_profile_trees_close(struct rc_profile_trees *trees)
{
    rc_hierarchy_fini(&trees->h);
    rc_hierarchies_close(trees->all);
    rc_results_close(&trees->metrics);
    rc_pool_close(trees->pool);
    rc_arena_free(&trees->arena);
}

/* Times need no counter. */
static const char *cannot_count(void *context, const char *event)
{
    struct rc_shared_event found;
    struct rc_error *why = context;

    if (strncmp(event, RC_PROFILE_READING, strlen(RC_PROFILE_READING)) == 0)
        return NULL;
    return rc_profile_counter_find(event, NULL, 0, &found, why) == RC_OK ? NULL
                                                                         : why->text;
}

/* Says which part of the trees will be there, and why the rest will not. */
static int tell_nodes(const struct rc_profile_trees *t, struct rc_error *err)
{
    const char *first = NULL, *why = "";
    size_t there = 0, all = 0;
    char line[2 * RC_ERROR_TEXT];

    for (size_t n = 0; n < t->h.count; n++) {
        const struct rc_hierarchy_node *node = &t->h.node[n];
        if (!t->chosen[n] || node->is_event)
            continue;
        all++;
        there += node->status != RC_HIERARCHY_VOID;
        if (node->status == RC_HIERARCHY_VOID && node->reason[0] && !first) {
            first = node->name;
            why = node->reason;
        }
    }
    if (there == 0)
        return rc_fail(err, RC_EMISSING,
                       "--hierarchy: none of the %zu nodes can be counted here: "
                       "%.100s: %.300s",
                       all, first ? first : "?", why);
    if (rc_launch_rank() != 0)
        return RC_OK;
    snprintf(line, sizeof line, "%zu of %zu nodes are measured%s%.100s%s%.300s%s%.300s",
             there, all, first ? "; not " : "", first ? first : "", first ? ": " : "",
             why, t->why[0] ? "; " : "", t->why);
    rc_tell(line);
    return RC_OK;
}

/* Whether another event that is to be counted counts the same: then that is enough. */
static bool is_counted_by_another(const struct rc_profile_trees *t, size_t event)
{
    char name[2][RC_SHARED_EVENT_NAME];
    const char *other;

    for (size_t n = 0;
         (other = rc_hierarchy_alike(&t->machine, t->event[event].name, n)); n++) {
        rc_profile_thread_event(other, name[0]);
        for (size_t e = 0; e < t->machine.event_count; e++)
            if (e != event && t->needed[e] &&
                strcmp(rc_profile_trees_event(t, e, name[1]), name[0]) == 0)
                return true;
    }
    return false;
}

int rc_profile_trees_plan(struct rc_profile_plan *plan, struct rc_error *err)
{
    const struct rc_profile_trees_request request = {
        .word = plan->tree, .campaign = plan->metrics, .node = plan->node};
    struct rc_profile_trees trees;
    struct rc_error why = {.rank = -1};
    char name[RC_SHARED_EVENT_NAME];
    int status = rc_profile_trees_open(&request, cannot_count, &why, &trees, err);

    if (status != RC_OK)
        goto out;
    for (size_t e = trees.machine.event_count; e-- > 0;)
        if (trees.needed[e] && is_counted_by_another(&trees, e))
            trees.needed[e] = false;
    for (size_t e = 0; e < trees.machine.event_count; e++)
        if (trees.needed[e] &&
            strncmp(trees.event[e].name, RC_PROFILE_READING,
                    strlen(RC_PROFILE_READING)) != 0 &&
            (status = rc_profile_plan_event(plan, "hierarchy",
                                            rc_profile_trees_event(&trees, e, name),
                                            err)) != RC_OK)
            goto out;
    status = tell_nodes(&trees, err);
out:
    rc_profile_trees_close(&trees);
    return status == RC_OK ? rc_profile_passes_fewest(plan, err) : status;
}
