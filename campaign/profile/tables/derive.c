/* Fills trees of metrics from the counters of a profile. */
#include "campaign/profile/tables/derive.h"

#include "campaign/profile/tables/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct deriving {
    const struct rc_cube *from;
    struct rc_cube *to;
    struct rc_profile_trees trees;
    size_t *event_at;  /* [event of the trees]: the metric of 'from'; SIZE_MAX: none */
    size_t *node_to;   /* [node]: the metric as it was added; SIZE_MAX: none */
    size_t *metric_to; /* [metric of 'from']: likewise */
    struct rc_arena arena;
};

/* Counters are the roots without children that count something somewhere. */
static bool is_counter(const struct rc_cube *c, size_t metric)
{
    if (c->metric[metric].parent >= 0 ||
        (metric + 1 < c->metrics && c->metric[metric + 1].parent == (int64_t)metric))
        return false;
    for (size_t i = 0; i < c->paths * c->places; i++)
        if (!rc_cube_is_missing(rc_cube_cell(c, metric, 0, i)))
            return true;
    return false;
}

/* The counter of a profile that an event of a tree is, or SIZE_MAX. */
static size_t counter_of(const struct rc_cube *cube, const char *event)
{
    const size_t metric = rc_profile_find_event(cube, event);

    return metric != SIZE_MAX && is_counter(cube, metric) ? metric : SIZE_MAX;
}

static const char *not_counted(void *context, const char *event)
{
    return counter_of(context, event) == SIZE_MAX ? "no counter of this profile" : NULL;
}

static int find_events(struct deriving *d, const char *words, const char *campaign,
                       struct rc_error *err)
{
    const struct rc_cube *c = d->from;
    const size_t bytes = strlen(words);
    const char **word = rc_arena_array(&d->arena, bytes + 2, sizeof *word);
    char *text = rc_arena_array(&d->arena, bytes + 1, 1), *rest = NULL, *one;
    char name[RC_SHARED_EVENT_NAME];
    size_t count = 0;

    d->metric_to = rc_arena_array(&d->arena, c->metrics, sizeof *d->metric_to);
    if (rc_arena_check(&d->arena, err, "the trees of the profile"))
        return RC_ENOMEM;
    snprintf(text, bytes + 1, "%s", words);
    for (one = strtok_r(text, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        word[count++] = one;
    const struct rc_profile_trees_request request = {
        .word = word, .campaign = campaign, .node = c->places ? c->place[0].node : ""};
    const int status =
        rc_profile_trees_open(&request, not_counted, (void *)d->from, &d->trees, err);
    if (status)
        return status;
    d->event_at =
        rc_arena_array(&d->arena, d->trees.machine.event_count, sizeof *d->event_at);
    if (!d->event_at)
        return rc_fail(err, RC_ENOMEM, "no memory for the trees of the profile");
    for (size_t e = 0; e < d->trees.machine.event_count; e++)
        d->event_at[e] = d->trees.needed[e]
                             ? counter_of(c, rc_profile_trees_event(&d->trees, e, name))
                             : SIZE_MAX;
    return RC_OK;
}

/* Nodes in the order of their trees, below the nearest node that is there. */
static int add_nodes(struct deriving *d, struct rc_error *err)
{
    char text[512];
    int status = RC_OK;

    d->node_to = rc_arena_array(&d->arena, d->trees.h.count, sizeof *d->node_to);
    if (!d->node_to)
        return rc_fail(err, RC_ENOMEM, "no memory for the trees of the profile");
    for (size_t i = 0; i < d->trees.h.count; i++) {
        const struct rc_hierarchy_node *node = &d->trees.h.node[i];
        size_t parent = node->parent;
        d->node_to[i] = SIZE_MAX;
        if (!d->trees.chosen[i] || node->status == RC_HIERARCHY_VOID || !node->linear)
            continue;
        while (parent != RC_HIERARCHY_NONE && d->node_to[parent] == SIZE_MAX)
            parent = d->trees.h.node[parent].parent;
        snprintf(text, sizeof text, "%s%.300s",
                 node->status == RC_HIERARCHY_INCOMPLETE ? RC_PROFILE_INCOMPLETE : "",
                 node->status == RC_HIERARCHY_INCOMPLETE ? node->lacks
                                                         : node->description);
        if ((status = rc_cube_add_metric(d->to,
                                         parent == RC_HIERARCHY_NONE
                                             ? RC_CUBE_TOP
                                             : (int64_t)d->node_to[parent],
                                         node->name, node->unit[0] ? node->unit : "1",
                                         text, &d->node_to[i], err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Whether a counter is in a tree: then it is not there by itself. */
static bool is_used(const struct deriving *d, size_t metric)
{
    for (size_t e = 0; e < d->trees.machine.event_count; e++)
        if (d->trees.needed[e] && d->event_at[e] == metric)
            return true;
    return false;
}

static int add_others(struct deriving *d, struct rc_error *err)
{
    const struct rc_cube *c = d->from;
    size_t unused;
    int status = RC_OK;

    for (size_t m = 0; m < c->metrics; m++) {
        const struct rc_cube_metric *metric = &c->metric[m];
        d->metric_to[m] = SIZE_MAX;
        if (!is_used(d, m) &&
            (status = rc_cube_copy_metric(d->to,
                                          metric->parent >= 0
                                              ? (int64_t)d->metric_to[metric->parent]
                                              : RC_CUBE_TOP,
                                          metric, &d->metric_to[m], err)) != RC_OK)
            return status;
    }
    for (size_t p = 1; p < c->paths; p++)
        if ((status = rc_cube_add_path(d->to, c->path[p].parent, c->path[p].name,
                                       c->path[p].paradigm, &unused, err)) != RC_OK)
            return status;
    for (size_t l = 0; l < c->places; l++)
        if ((status = rc_cube_add_place(d->to, &c->place[l], &unused, err)) != RC_OK)
            return status;
    for (size_t i = 0; i < c->sources; i++)
        if ((status = rc_cube_add_source(d->to, c->source[i], err)) != RC_OK)
            return status;
    return status;
}

/* A node's number from those of its counters, each of which comes from runs of its own:
 * their variances add up.  Cells of one path and place have the same number in all
 * metrics.
 */
static struct rc_cube_cell node_cell(const struct deriving *d,
                                     const struct rc_hierarchy_node *node, size_t cell)
{
    struct rc_cube_cell sum = {0, 0, 0, 0, 0};
    double variance = 0;

    for (size_t t = 0; t < node->term_count; t++) {
        const struct rc_cube_cell *of =
            rc_cube_cell(d->from, d->event_at[node->term[t].event], 0, cell);
        const double k = node->term[t].coefficient;
        if (rc_cube_is_missing(of))
            return (struct rc_cube_cell){0, NAN, NAN, NAN, NAN};
        sum.n = t == 0 ? of->n : fmin(sum.n, of->n);
        sum.mean += k * of->mean;
        sum.min += k * (k > 0 ? of->min : of->max);
        sum.max += k * (k > 0 ? of->max : of->min);
        variance += of->n > 1 ? k * k * of->m2 / (of->n * (of->n - 1)) : 0;
    }
    sum.m2 = sum.n * (sum.n - 1) * variance;
    return sum.n > 0 ? sum : (struct rc_cube_cell){0, NAN, NAN, NAN, NAN};
}

/* Paths and places are in order already, so that they keep their numbers. */
int rc_profile_derive(const struct rc_cube *cube, const char *words,
                      const char *campaign, struct rc_cube **out, struct rc_error *err)
{
    struct deriving d = {.from = cube, .to = rc_cube_create(err)};
    int status = d.to ? find_events(&d, words, campaign, err) : RC_ENOMEM;

    *out = NULL;
    if (status == RC_OK && (status = add_nodes(&d, err)) == RC_OK &&
        (status = add_others(&d, err)) == RC_OK &&
        (status = rc_cube_seal(d.to, err)) == RC_OK) {
        const size_t cells = d.from->paths * d.from->places;
        for (size_t m = 0; m < d.from->metrics; m++)
            for (size_t i = 0; d.metric_to[m] != SIZE_MAX && i < cells; i++)
                *rc_cube_cell(d.to, d.to->metric_at[d.metric_to[m]], 0, i) =
                    *rc_cube_cell(d.from, m, 0, i);
        for (size_t n = 0; n < d.trees.h.count; n++)
            for (size_t i = 0; d.node_to[n] != SIZE_MAX && i < cells; i++)
                *rc_cube_cell(d.to, d.to->metric_at[d.node_to[n]], 0, i) =
                    node_cell(&d, &d.trees.h.node[n], i);
        d.to->title = rc_pool_copy(d.to->texts, cube->title);
        d.to->derived = rc_pool_copy(d.to->texts, cube->derived);
        d.to->simulated = cube->simulated;
        if (!d.to->title || !d.to->derived)
            status = rc_fail(err, RC_ENOMEM, "no memory for the trees of the profile");
    }
    rc_profile_trees_close(&d.trees);
    rc_arena_free(&d.arena);
    if (status == RC_OK)
        *out = d.to;
    else
        rc_cube_close(d.to);
    return status;
}
