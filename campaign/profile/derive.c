/* Fills trees of metrics from the counters of a profile. */
#include "campaign/profile/derive.h"

#include "solve/hierarchy/hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct deriving {
    const struct rc_cube *from;
    struct rc_cube *to;
    struct rc_hierarchy h;
    struct rc_hierarchy_event *event;
    size_t *event_at, events; /* [event]: the metric of 'from' */
    size_t *node_to;          /* [node]: the metric as it was added; SIZE_MAX: none */
    size_t *metric_to;        /* [metric of 'from']: likewise */
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

static int find_events(struct deriving *d, struct rc_error *err)
{
    const struct rc_cube *c = d->from;

    d->event = rc_arena_array(&d->arena, c->metrics, sizeof *d->event);
    d->event_at = rc_arena_array(&d->arena, c->metrics, sizeof *d->event_at);
    d->metric_to = rc_arena_array(&d->arena, c->metrics, sizeof *d->metric_to);
    for (size_t m = 0; !d->arena.failed && m < c->metrics; m++)
        if (is_counter(c, m)) {
            d->event_at[d->events] = m;
            d->event[d->events++] = (struct rc_hierarchy_event){
                .name = c->metric[m].name, .reason = "", .counted = true};
        }
    return rc_arena_check(&d->arena, err, "the trees of the profile");
}

/* Nodes in the order of their trees, below the nearest node that is there. */
static int add_nodes(struct deriving *d, struct rc_error *err)
{
    char text[512];
    int status = RC_OK;

    d->node_to = rc_arena_array(&d->arena, d->h.count, sizeof *d->node_to);
    if (!d->node_to)
        return rc_fail(err, RC_ENOMEM, "no memory for the trees of the profile");
    for (size_t i = 0; i < d->h.count && status == RC_OK; i++) {
        const struct rc_hierarchy_node *node = &d->h.node[i];
        size_t parent = node->parent;
        d->node_to[i] = SIZE_MAX;
        if (node->status == RC_HIERARCHY_VOID || !node->linear)
            continue;
        while (parent != RC_HIERARCHY_NONE && d->node_to[parent] == SIZE_MAX)
            parent = d->h.node[parent].parent;
        snprintf(text, sizeof text, "%s%.300s",
                 node->status == RC_HIERARCHY_INCOMPLETE ? RC_PROFILE_INCOMPLETE : "",
                 node->status == RC_HIERARCHY_INCOMPLETE ? node->lacks
                                                         : node->description);
        status = rc_cube_add_metric(
            d->to,
            parent == RC_HIERARCHY_NONE ? RC_CUBE_TOP : (int64_t)d->node_to[parent],
            node->name, node->unit[0] ? node->unit : "1", text, &d->node_to[i], err);
    }
    return status;
}

/* Whether a counter is in a tree: then it is not there by itself. */
static bool is_used(const struct deriving *d, size_t metric)
{
    bool orphan = true, counter = false;

    for (size_t e = 0; e < d->events; e++) {
        if (d->event_at[e] != metric)
            continue;
        counter = true;
        orphan = false;
        for (size_t i = 0; i < d->h.orphan_count; i++)
            orphan |= d->h.orphan[i] == e;
    }
    return counter && !orphan;
}

static int add_others(struct deriving *d, struct rc_error *err)
{
    const struct rc_cube *c = d->from;
    size_t unused;
    int status = RC_OK;

    for (size_t m = 0; m < c->metrics && status == RC_OK; m++) {
        const struct rc_cube_metric *metric = &c->metric[m];
        d->metric_to[m] = SIZE_MAX;
        if (!is_used(d, m))
            status = rc_cube_add_metric(
                d->to,
                metric->parent >= 0 ? (int64_t)d->metric_to[metric->parent]
                                    : RC_CUBE_TOP,
                metric->name, metric->unit, metric->description, &d->metric_to[m], err);
    }
    for (size_t p = 1; p < c->paths && status == RC_OK; p++)
        status = rc_cube_add_path(d->to, c->path[p].parent, c->path[p].name,
                                  c->path[p].paradigm, &unused, err);
    for (size_t l = 0; l < c->places && status == RC_OK; l++)
        status = rc_cube_add_place(d->to, &c->place[l], &unused, err);
    for (size_t i = 0; i < c->sources && status == RC_OK; i++)
        status = rc_cube_add_source(d->to, c->source[i], err);
    return status;
}

/* A node's number from those of its counters, which are of other runs each: their
 * variances add up.  Cells of one path and place have the same number in all metrics.
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

static void put_values(struct deriving *d)
{
    const size_t cells = d->from->paths * d->from->places;

    for (size_t m = 0; m < d->from->metrics; m++)
        for (size_t i = 0; d->metric_to[m] != SIZE_MAX && i < cells; i++)
            *rc_cube_cell(d->to, d->to->metric_at[d->metric_to[m]], 0, i) =
                *rc_cube_cell(d->from, m, 0, i);
    for (size_t n = 0; n < d->h.count; n++)
        for (size_t i = 0; d->node_to[n] != SIZE_MAX && i < cells; i++)
            *rc_cube_cell(d->to, d->to->metric_at[d->node_to[n]], 0, i) =
                node_cell(d, &d->h.node[n], i);
}

/* Paths and places are in order already, so that they keep their numbers. */
int rc_profile_derive(const struct rc_cube *cube, const char *file,
                      struct rc_cube **out, struct rc_error *err)
{
    struct deriving d = {.from = cube, .to = rc_cube_create(err)};
    struct rc_hierarchies *all = NULL;
    struct rc_hierarchy_machine machine = {.kind = "profile", .shape = ""};
    int status = d.to ? rc_hierarchies_create_empty(&all, err) : RC_ENOMEM;

    *out = NULL;
    if (status == RC_OK &&
        (status = rc_hierarchies_add_file(all, file, err)) == RC_OK &&
        (status = find_events(&d, err)) == RC_OK) {
        machine.event = d.event;
        machine.event_count = d.events;
        status = rc_hierarchy_fill(all, &machine, &d.h, err);
    }
    if (status == RC_OK && (status = add_nodes(&d, err)) == RC_OK &&
        (status = add_others(&d, err)) == RC_OK &&
        (status = rc_cube_seal(d.to, err)) == RC_OK) {
        put_values(&d);
        d.to->title = rc_pool_copy(d.to->texts, cube->title);
        d.to->derived = rc_pool_copy(d.to->texts, cube->derived);
        d.to->simulated = cube->simulated;
        if (!d.to->title || !d.to->derived)
            status = rc_fail(err, RC_ENOMEM, "no memory for the trees of the profile");
    }
    rc_hierarchy_fini(&d.h);
    rc_hierarchies_close(all);
    rc_arena_free(&d.arena);
    if (status == RC_OK)
        *out = d.to;
    else
        rc_cube_close(d.to);
    return status;
}
