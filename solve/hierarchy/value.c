/* Computes values of nodes from counts, and finds parents less than their children. */
#include "solve/hierarchy/hierarchy.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Noise explains a difference of at most so many of its standard errors: with thousands
 * of cells, and errors known from few repetitions, chance exceeds smaller bounds.
 */
#define SIGMAS 8
#define ROUNDING 1e-9
#define BESIDES 1e-3 /* share of a law's counts that is made outside the kernels */

void rc_hierarchy_fini(struct rc_hierarchy *h)
{
    for (size_t i = 0; i < h->formula_count; i++)
        rc_expression_close(h->formulas[i]);
    rc_arena_free(&h->arena);
    *h = (struct rc_hierarchy){0};
}

size_t rc_hierarchy_find(const struct rc_hierarchy *h, const char *name)
{
    for (size_t n = 0; n < h->count; n++)
        if (!h->node[n].is_event && strcmp(h->node[n].name, name) == 0)
            return n;
    return RC_HIERARCHY_NONE;
}

void rc_hierarchy_tally(const struct rc_hierarchy *h,
                        size_t count[RC_HIERARCHY_STATUS_COUNT])
{
    memset(count, 0, RC_HIERARCHY_STATUS_COUNT * sizeof *count);
    for (size_t n = 0; n < h->count; n++)
        if (!h->node[n].is_event)
            count[h->node[n].status]++;
}

static const struct rc_interval unknown = {-INFINITY, NAN, INFINITY};

static struct rc_interval linear_value(const struct rc_hierarchy_node *node,
                                       const double *count)
{
    struct rc_interval v = {0};

    for (size_t t = 0; t < node->term_count; t++) {
        const struct rc_hierarchy_term *term = &node->term[t];
        const double c = count[term->event];
        v.value += c * term->coefficient;
        v.low += c * (c < 0 ? term->high : term->low);
        v.high += c * (c < 0 ? term->low : term->high);
    }
    return isnan(v.value) ? unknown : v;
}

/* The sum of parts that are not all linear. */
static struct rc_interval sum_value(const struct rc_hierarchy_node *node,
                                    const struct rc_interval *value,
                                    const struct rc_hierarchy *h)
{
    struct rc_interval v = {0};

    for (size_t i = 0; i < node->part_count; i++) {
        const struct rc_interval of = value[node->part[i].node];
        const double factor = node->part[i].factor;
        if (h->node[node->part[i].node].status == RC_HIERARCHY_VOID)
            continue;
        v.value += factor * of.value;
        v.low += factor * (factor < 0 ? of.high : of.low);
        v.high += factor * (factor < 0 ? of.low : of.high);
    }
    return isnan(v.value) ? unknown : v;
}

void rc_hierarchy_value(const struct rc_hierarchy *h, const double *count,
                        struct rc_interval *value)
{
    static const struct rc_interval nothing = {0};
    struct rc_interval input[RC_EXPRESSION_NAMES_MAX];

    for (size_t i = 0; i < h->count; i++) {
        const size_t n = h->order[i];
        const struct rc_hierarchy_node *node = &h->node[n];
        if (node->status == RC_HIERARCHY_VOID)
            value[n] = node->absent ? nothing : unknown;
        else if (node->linear)
            value[n] = linear_value(node, count);
        else if (!node->formula)
            value[n] = sum_value(node, value, h);
        else {
            for (size_t p = 0; p < node->part_count; p++)
                input[p] = value[node->part[p].node];
            value[n] = rc_formula_value(node->formula, input);
        }
    }
}

/* A parent less its children as one sum of events: events of both cancel, and so do
 * their errors.
 */
struct rest {
    double *coefficient, *width; /* [event] and half of its error */
    double *children;
    double *slack;   /* of laws, by group of cells */
    double rounding; /* of all counts */
    size_t *event;   /* the events in the sum */
    size_t count;
    bool *touched;
};

static void add_terms(struct rest *r, const struct rc_hierarchy_node *node,
                      double factor, bool child)
{
    for (size_t t = 0; t < node->term_count; t++) {
        const struct rc_hierarchy_term *term = &node->term[t];
        const size_t e = term->event;
        if (!r->touched[e]) {
            r->touched[e] = true;
            r->event[r->count++] = e;
            r->coefficient[e] = r->width[e] = r->children[e] = 0;
        }
        r->coefficient[e] += (child ? -factor : factor) * term->coefficient;
        r->children[e] += child ? factor * term->coefficient : 0;
        r->width[e] += factor * (term->off + fmax(term->high - term->coefficient,
                                                  term->coefficient - term->low));
    }
}

bool rc_hierarchy_has_rest(const struct rc_hierarchy *h, size_t n)
{
    const struct rc_hierarchy_node *node = &h->node[n];

    if (node->child_count == 0 || !node->linear || node->part == node->child ||
        node->status == RC_HIERARCHY_VOID || node->status == RC_HIERARCHY_INCOMPLETE)
        return false;
    for (size_t i = 0; i < node->child_count; i++) {
        const struct rc_hierarchy_node *child = &h->node[node->child[i].node];
        if (child->status != RC_HIERARCHY_VOID && child->linear)
            return true;
    }
    return false;
}

static bool make_rest(const struct rc_hierarchy *h, size_t n, struct rest *r)
{
    const struct rc_hierarchy_node *node = &h->node[n];

    while (r->count)
        r->touched[r->event[--r->count]] = false;
    if (!rc_hierarchy_has_rest(h, n))
        return false;
    add_terms(r, node, 1, false);
    for (size_t i = 0; i < node->child_count; i++) {
        const struct rc_hierarchy_node *child = &h->node[node->child[i].node];
        if (child->status == RC_HIERARCHY_VOID || !child->linear)
            continue;
        add_terms(r, child, node->child[i].factor, true);
    }
    return true;
}

/* Adds the error of a law's metric on any cell of a group: the relative one where it
 * was tried, times the norm of its counts there, of at least one for each cell.
 */
static void add_slack(struct rest *r, const struct rc_hierarchy_node *node,
                      double factor, const struct rc_hierarchy_cells *cells)
{
    static const double safety = 2;

    for (size_t c = 0, next; c < cells->count; c = next) {
        const size_t group = cells->group ? cells->group[c] : 0;
        double squares = 0;
        for (next = c;
             next < cells->count && (!cells->group || cells->group[next] == group);
             next++) {
            double v = 0;
            for (size_t t = 0; t < node->term_count; t++) {
                const double *of = cells->value[node->term[t].event];
                v += node->term[t].coefficient * (of ? of[next] : NAN);
            }
            squares += isnan(v) ? 0 : v * v;
        }
        r->slack[group] +=
            safety * factor * node->off * sqrt(fmax(squares, (double)(next - c)));
    }
}

/* Adds up the errors of all metrics of a law; 0 for other nodes. */
static void make_slack(const struct rc_hierarchy *h, size_t n,
                       const struct rc_hierarchy_cells *cells, struct rest *r)
{
    const struct rc_hierarchy_node *node = &h->node[n];

    memset(r->slack, 0, cells->count * sizeof *r->slack);
    r->rounding = node->law ? BESIDES : ROUNDING;
    if (!node->law)
        return;
    add_slack(r, node, 1, cells);
    for (size_t i = 0; i < node->child_count; i++)
        add_slack(r, &h->node[node->child[i].node], node->child[i].factor, cells);
}

static void check_cells(const struct rest *r, const struct rc_hierarchy_cells *cells,
                        struct rc_hierarchy_excess *found)
{
    double worst = 0;

    for (size_t c = 0; c < cells->count; c++) {
        double rest = 0, children = 0, bound = 0, variance = 0, scale = 0;
        for (size_t i = 0; i < r->count; i++) {
            const size_t e = r->event[i];
            const double v = cells->value[e] ? cells->value[e][c] : NAN;
            const double s = cells->error && cells->error[e] ? cells->error[e][c] : 0;
            rest += v * r->coefficient[e];
            children += v * r->children[e];
            bound += fabs(v) * r->width[e];
            scale += fabs(v) * (fabs(r->coefficient[e]) + fabs(r->children[e]));
            variance += s * s * r->coefficient[e] * r->coefficient[e];
        }
        bound += SIGMAS * sqrt(variance) + r->rounding * scale +
                 r->slack[cells->group ? cells->group[c] : 0];
        if (!(rest < -bound)) /* also NAN */
            continue;
        found->cells++;
        if (bound + rest > worst && found->cells > 1)
            continue;
        worst = bound + rest;
        found->cell = c;
        found->children = children;
        found->parent = rest + children;
        found->bound = bound;
    }
}

int rc_hierarchy_check(const struct rc_hierarchy *h,
                       const struct rc_hierarchy_cells *cells,
                       struct rc_hierarchy_excess **out, size_t *count,
                       struct rc_error *err)
{
    const size_t events = h->machine->event_count;
    struct rc_arena own = {0};
    struct rest r = {.coefficient = rc_arena_array(&own, events, sizeof(double)),
                     .width = rc_arena_array(&own, events, sizeof(double)),
                     .children = rc_arena_array(&own, events, sizeof(double)),
                     .slack = rc_arena_array(&own, cells->count, sizeof(double)),
                     .event = rc_arena_array(&own, events, sizeof(size_t)),
                     .touched = rc_arena_array(&own, events, sizeof(bool))};
    size_t room = 0;
    int status = rc_arena_check(&own, err, "the check of hierarchies");

    *out = NULL;
    *count = 0;
    for (size_t n = 0; n < h->count && status == RC_OK; n++) {
        struct rc_hierarchy_excess found = {.node = n};
        if (!make_rest(h, n, &r))
            continue;
        make_slack(h, n, cells, &r);
        check_cells(&r, cells, &found);
        if (!found.cells)
            continue;
        if (rc_grow(out, sizeof **out, *count, &room))
            status = rc_fail(err, RC_ENOMEM, "no memory for the check of hierarchies");
        else
            (*out)[(*count)++] = found;
    }
    rc_arena_free(&own);
    if (status != RC_OK) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    return status;
}
