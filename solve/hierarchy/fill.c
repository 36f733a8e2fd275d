/* Finds which value each node can have on a machine, and how.
 *
 * A node may be defined in several ways; the first available one decides: its own
 * event, the metric that the solve defined for it, its complete sum, its difference,
 * its formula, the metric within bounds, and its incomplete sum.
 */
#include "solve/hierarchy/work.h"

#include "campaign/base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const rc_hierarchy_status_names[] = {
    [RC_HIERARCHY_VOID] = "void",         [RC_HIERARCHY_INCOMPLETE] = "incomplete",
    [RC_HIERARCHY_COMPUTED] = "computed", [RC_HIERARCHY_COMPOSED] = "composed",
    [RC_HIERARCHY_MEASURED] = "measured", NULL};

__attribute__((format(printf, 2, 3))) static const char *
say(struct rc_hierarchy_filler *f, const char *format, ...)
{
    char text[RC_ERROR_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rc_arena_text(f->arena, text);
}

/* Adds a term to the sum in progress. */
static void add_term(struct rc_hierarchy_filler *f, size_t event, double factor,
                     const struct rc_hierarchy_term *term)
{
    if (!f->touched[event]) {
        f->touched[event] = true;
        f->touch[f->touch_count++] = event;
        f->coefficient[event] = f->low[event] = f->high[event] = f->off[event] = 0;
    }
    f->coefficient[event] += factor * term->coefficient;
    f->low[event] += factor * (factor < 0 ? term->high : term->low);
    f->high[event] += factor * (factor < 0 ? term->low : term->high);
    f->off[event] += fabs(factor) * term->off;
}

static void add_event(struct rc_hierarchy_filler *f, size_t event, double factor)
{
    add_term(f, event, factor, &(struct rc_hierarchy_term){event, 1, 1, 1, 0});
}

/* Gives the sum in progress to the node, and begins a new one. */
static int keep_terms(struct rc_hierarchy_filler *f, struct rc_hierarchy_node *node)
{
    struct rc_hierarchy_term *term =
        rc_arena_array(f->arena, f->touch_count, sizeof *term);
    size_t count = 0;

    f->terms += f->touch_count;
    if (f->terms > RC_HIERARCHY_TERMS_MAX)
        return rc_fail(f->err, RC_EUSAGE,
                       "%s: with node '%s' values are made from more than %d events, "
                       "expected smaller sums",
                       node->where, node->name, RC_HIERARCHY_TERMS_MAX);
    if (f->touch_count)
        qsort(f->touch, f->touch_count, sizeof *f->touch, rc_order_sizes);
    for (size_t i = 0; i < f->touch_count; i++) {
        const size_t e = f->touch[i];
        f->touched[e] = false;
        if (!term || (f->coefficient[e] == 0 && f->low[e] == 0 && f->high[e] == 0))
            continue;
        term[count++] = (struct rc_hierarchy_term){e, f->coefficient[e], f->low[e],
                                                   f->high[e], f->off[e]};
        node->simulated |= f->machine->event[e].simulated;
    }
    f->touch_count = 0;
    node->term = term;
    node->term_count = count;
    node->linear = true;
    return term ? RC_OK : rc_fail(f->err, RC_ENOMEM, "no memory for hierarchies");
}

/* Adds a counter as a node of its own below a sum. */
static int add_counter(struct rc_hierarchy_filler *f, const char *name, size_t event,
                       size_t *out)
{
    struct rc_hierarchy_node node = {.name = name, .is_event = true};

    if (rc_grow(&f->work, sizeof *f->work, f->count, &f->room))
        return rc_fail(f->err, RC_ENOMEM, "no memory for hierarchies");
    const struct rc_hierarchy_event *e =
        event == RC_HIERARCHY_NONE ? NULL : &f->machine->event[event];
    node.unit = node.description = node.lacks = "";
    node.reason = !e           ? "not an event of this machine"
                  : e->counted ? ""
                               : rc_arena_text(f->arena, e->reason);
    node.how = "its own count";
    node.where = "";
    node.linear = true;
    *out = f->count;
    if (e && e->counted) {
        node.status = RC_HIERARCHY_MEASURED;
        add_event(f, event, 1);
        const int status = keep_terms(f, &node);
        if (status != RC_OK)
            return status;
    }
    f->work[f->count++] = (struct rc_hierarchy_work){.node = node};
    return RC_OK;
}

/* Takes an event of the node's own; *found: one is counted. */
static int try_event(struct rc_hierarchy_filler *f, struct rc_hierarchy_work *w,
                     bool *found)
{
    const struct rc_hierarchy_machine *m = f->machine;
    const char *reason = NULL;

    *found = false;
    for (size_t i = 0; i < w->item.event_count; i++) {
        const char *pattern = w->item.event[i];
        size_t first = rc_hierarchy_event(f, pattern), last = first + 1;
        bool is_glob = false;
        if (first == RC_HIERARCHY_NONE) {
            is_glob = strpbrk(pattern, "*?[") != NULL;
            first = 0;
            last = is_glob ? m->event_count : 0;
        }
        for (size_t e = first; e < last; e++) {
            const char *end = strstr(m->event[e].name, "::");
            if (is_glob && !rc_text_glob(pattern, m->event[e].name) &&
                !(end && rc_text_glob(pattern, end + 2)))
                continue;
            if (!m->event[e].counted) {
                reason = reason ? reason
                                : say(f, "event '%s': %s", m->event[e].name,
                                      m->event[e].reason);
                continue;
            }
            if (*found)
                break;
            *found = true;
            f->used[e] = true;
            w->node.status = RC_HIERARCHY_MEASURED;
            w->node.how = say(f, "event '%s'", m->event[e].name);
            add_event(f, e, 1);
        }
        if (*found)
            return keep_terms(f, &w->node);
    }
    if (w->item.event_count && !w->node.reason[0])
        w->node.reason =
            reason ? reason : say(f, "no event '%s' here", w->item.event[0]);
    return RC_OK;
}

static bool is_absent(const struct rc_hierarchy_machine *m, const char *absent)
{
    char word[64];

    if (!absent || !m->shape[0])
        return false;
    snprintf(word, sizeof word, "%.60s:", absent + strlen("no "));
    for (const char *at = strstr(m->shape, word); at; at = strstr(at + 1, word))
        if (at == m->shape || at[-1] == ' ')
            return false;
    return true;
}

/* The best result for that name, or PAPI's name for it; NULL: there is none. */
static const struct rc_metric_result *find_metric(const struct rc_hierarchy_machine *m,
                                                  const char *name)
{
    static const int rank[] = {[RC_METRIC_DEFINED] = 4,     [RC_METRIC_REFERENCE] = 4,
                               [RC_METRIC_APPROXIMATE] = 3, [RC_METRIC_REJECTED] = 2,
                               [RC_METRIC_ABSENT] = 1,      [RC_METRIC_UNKNOWN] = 0,
                               [RC_METRIC_CONTRADICTED] = 2};
    const struct rc_metric_result *best = NULL;

    for (size_t s = 0; s < m->suite_count; s++)
        for (size_t i = 0; m->suite[s] && i < m->suite[s]->metric_count; i++) {
            const struct rc_metric_result *r = &m->suite[s]->metric[i];
            if (strcasecmp(r->name, name) != 0 &&
                (!r->preset[0] || strcasecmp(r->preset, name) != 0))
                continue;
            if (!best || rank[r->verdict] > rank[best->verdict])
                best = r;
        }
    return best;
}

/* The largest error of the metric where it was tried. */
static double tried_off(const struct rc_metric_result *metric)
{
    double off = 0;

    for (size_t i = 0; i < metric->check_count; i++)
        off = fmax(off, metric->rounded_holds ? metric->check[i].rounded
                                              : metric->check[i].error);
    return off;
}

/* The error of a term itself: that of the metric, or, for a coefficient that is not a
 * simple number, the error that counts outside the kernels make in a fit.
 */
static double off_of(const struct rc_metric_result *metric, double value)
{
    const double fitted = 1e-3, parts = 64;

    return fmax(tried_off(metric),
                fabs(rint(parts * value) - parts * value) > 1e-9 ? fitted : 0);
}

/* Adds the metric's combination; returns NULL, or its event that is not counted. */
static const char *add_combination(struct rc_hierarchy_filler *f,
                                   const struct rc_metric_result *metric)
{
    for (size_t t = 0; t < metric->term_count; t++) {
        const struct rc_term *from = &metric->term[t];
        const double value = rc_term_value(metric, from);
        const size_t event = rc_hierarchy_event(f, from->name);
        if (!rc_term_matters(metric, from))
            continue;
        if (event == RC_HIERARCHY_NONE || !f->machine->event[event].counted)
            return from->name;
        const struct rc_hierarchy_term term = {
            event, value, isnan(from->low) ? value : fmin(value, from->low),
            isnan(from->high) ? value : fmax(value, from->high),
            off_of(metric, value) * fabs(value)};
        add_term(f, event, 1, &term);
    }
    return NULL;
}

static void drop_terms(struct rc_hierarchy_filler *f)
{
    while (f->touch_count)
        f->touched[f->touch[--f->touch_count]] = false;
}

/* A counted event that is the metric by itself, or RC_HIERARCHY_NONE. */
static size_t find_alone(const struct rc_hierarchy_filler *f,
                         const struct rc_metric_result *metric)
{
    for (size_t i = 0; i < metric->alone_count; i++) {
        const size_t event = rc_hierarchy_event(f, metric->alone_name[i]);
        if (event != RC_HIERARCHY_NONE && f->machine->event[event].counted)
            return event;
    }
    return RC_HIERARCHY_NONE;
}

/* The events of a composed metric become the node's children, unless it has a sum. */
static int add_metric_children(struct rc_hierarchy_filler *f, size_t n)
{
    const struct rc_hierarchy_term *term = f->work[n].node.term;
    const size_t count = f->work[n].node.term_count;
    struct rc_hierarchy_part *part = rc_arena_array(f->arena, count, sizeof *part);
    int status = RC_OK;

    if (!part)
        return rc_fail(f->err, RC_ENOMEM, "no memory for hierarchies");
    for (size_t i = 0; i < count; i++) {
        part[i].factor = term[i].coefficient;
        if ((status = add_counter(f, f->machine->event[term[i].event].name,
                                  term[i].event, &part[i].node)) != RC_OK)
            break;
    }
    f->work[n].node.child = f->work[n].node.part = part;
    f->work[n].node.child_count = f->work[n].node.part_count = count;
    return status;
}

/* Takes the solved metric for the node, if it is defined or, with 'approximate', within
 * bounds; else 'reason' gets the cause.
 */
static int try_metric(struct rc_hierarchy_filler *f, size_t n, bool approximate,
                      bool *found)
{
    struct rc_hierarchy_work *w = &f->work[n];
    const char *name = w->item.metric, *lacking = NULL;
    const struct rc_metric_result *metric = name ? find_metric(f->machine, name) : NULL;
    bool negative = false;

    *found = false;
    if (!metric) {
        if (name && !w->node.reason[0])
            w->node.reason = say(f, "metric '%s' was not solved for", name);
        return RC_OK;
    }
    for (size_t t = 0; t < metric->term_count; t++) { /* its events are in a tree */
        const size_t e = rc_hierarchy_event(f, metric->term[t].name);
        if (e != RC_HIERARCHY_NONE && rc_term_matters(metric, &metric->term[t]))
            f->used[e] = true;
    }
    if (!(approximate ? metric->verdict == RC_METRIC_APPROXIMATE
                      : rc_metric_is_defined(metric)) ||
        metric->term_count == 0) {
        if (!w->node.reason[0])
            w->node.reason =
                say(f, "metric '%s' is %s%s%.400s", name,
                    metric->formula[0] ? "a formula"
                                       : rc_metric_verdict_names[metric->verdict],
                    metric->reason[0] ? ": " : "", metric->reason);
        return RC_OK;
    }
    const size_t alone = approximate ? RC_HIERARCHY_NONE : find_alone(f, metric);
    if ((lacking = add_combination(f, metric)) != NULL && alone != RC_HIERARCHY_NONE) {
        drop_terms(f);
        add_event(f, alone, 1);
        lacking = NULL;
    }
    if (lacking) {
        drop_terms(f);
        w->node.reason =
            say(f, "metric '%s': event '%s' is not counted", name, lacking);
        return RC_OK;
    }
    int status = keep_terms(f, &w->node);
    if (status != RC_OK)
        return status;
    for (size_t t = 0; t < w->node.term_count; t++)
        negative |= w->node.term[t].coefficient < 0;
    *found = true;
    w->node.metric = metric;
    w->node.off = tried_off(metric);
    w->node.approximate = approximate;
    w->node.how = say(f, "metric '%s'", name);
    w->node.status = negative || approximate ? RC_HIERARCHY_COMPUTED
                     : w->node.term_count == 1 && w->node.term[0].coefficient == 1
                         ? RC_HIERARCHY_MEASURED
                         : RC_HIERARCHY_COMPOSED;
    if (w->node.status == RC_HIERARCHY_COMPOSED && !w->sum.count)
        return add_metric_children(f, n);
    return RC_OK;
}

/* The state of a list of parts. */
struct tally {
    size_t there, partly, absent, lacking;
    bool linear, approximate, simulated;
    char lacks[RC_ERROR_TEXT / 2];
};

static struct tally look_at(const struct rc_hierarchy_filler *f,
                            const struct rc_hierarchy_part *part, size_t count)
{
    struct tally t = {.linear = true};

    for (size_t i = 0; i < count; i++) {
        const struct rc_hierarchy_node *node = &f->work[part[i].node].node;
        if (node->absent)
            t.absent++;
        else if (node->status == RC_HIERARCHY_VOID) {
            t.lacking++;
            rc_text_append(t.lacks, sizeof t.lacks, "%s%.80s", t.lacks[0] ? ", " : "",
                           node->name);
            continue;
        } else
            t.there++;
        t.partly += node->status == RC_HIERARCHY_INCOMPLETE;
        if (node->status == RC_HIERARCHY_INCOMPLETE)
            rc_text_append(t.lacks, sizeof t.lacks, "%spart of %.80s",
                           t.lacks[0] ? ", " : "", node->name);
        t.linear &= node->linear || node->absent;
        t.approximate |= node->approximate;
        t.simulated |= node->simulated;
    }
    return t;
}

/* Turns links into parts: events become nodes. */
static int make_parts(struct rc_hierarchy_filler *f, struct rc_hierarchy_links links,
                      const struct rc_hierarchy_part **out)
{
    struct rc_hierarchy_part *part =
        rc_arena_array(f->arena, links.count, sizeof *part);
    int status = RC_OK;

    *out = part;
    if (!part)
        return rc_fail(f->err, RC_ENOMEM, "no memory for hierarchies");
    for (size_t i = 0; i < links.count; i++) {
        const struct rc_hierarchy_link *link = &links.link[i];
        part[i] = (struct rc_hierarchy_part){link->node, link->factor};
        if (link->node == RC_HIERARCHY_NONE &&
            (status = add_counter(f, rc_arena_text(f->arena, link->name), link->event,
                                  &part[i].node)) != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Computes the node's value from the parts that are available. */
static int take_parts(struct rc_hierarchy_filler *f, size_t n,
                      const struct rc_hierarchy_part *part, size_t count,
                      const struct tally *t, enum rc_hierarchy_status status)
{
    struct rc_hierarchy_node *node = &f->work[n].node;

    node->status = status;
    node->part = part;
    node->part_count = count;
    node->approximate = t->approximate;
    node->simulated = t->simulated;
    node->lacks = rc_arena_text(f->arena, t->lacks);
    node->reason = "";
    if (node->formula || !t->linear)
        return RC_OK;
    for (size_t i = 0; i < count; i++) {
        const struct rc_hierarchy_node *of = &f->work[part[i].node].node;
        for (size_t k = 0; k < of->term_count; k++)
            add_term(f, of->term[k].event, part[i].factor, &of->term[k]);
    }
    return keep_terms(f, node);
}

/* Computes a difference or formula, a difference without missing parts if insisted. */
static int try_computation(struct rc_hierarchy_filler *f, size_t n,
                           const struct rc_hierarchy_links *links, bool *found)
{
    const bool formula = links == &f->work[n].inputs;
    const size_t count = links->count;
    const struct rc_hierarchy_part *part;

    *found = false;
    if (count == 0)
        return RC_OK;
    const int status = make_parts(f, *links, &part); /* f->work may move */
    if (status != RC_OK)
        return status;
    const struct tally t = look_at(f, part, count);
    struct rc_hierarchy_node *node = &f->work[n].node;
    const bool whole = t.lacking == 0 && t.partly == 0 && t.there > 0;
    if (!whole && (!f->machine->insist || formula || t.there == 0)) {
        if (!node->reason[0])
            node->reason = say(f, "to be computed it lacks %s",
                               t.lacks[0] ? t.lacks : "something that is there");
        return RC_OK;
    }
    *found = true;
    node->formula = formula ? f->work[n].formula : NULL;
    node->how =
        formula ? rc_arena_text(f->arena, f->work[n].item.formula) : "difference";
    return take_parts(f, n, part, count, &t,
                      whole ? RC_HIERARCHY_COMPUTED : RC_HIERARCHY_INCOMPLETE);
}

/* Writes "A + 2 B - C". */
static const char *say_parts(struct rc_hierarchy_filler *f,
                             const struct rc_hierarchy_part *part, size_t count)
{
    char text[RC_ERROR_TEXT] = "";

    for (size_t i = 0; i < count; i++) {
        const double factor = fabs(part[i].factor);
        rc_text_append(text, sizeof text, "%s",
                       part[i].factor < 0 ? " - "
                       : i                ? " + "
                                          : "");
        if (factor != 1)
            rc_text_append(text, sizeof text, "%g ", factor);
        rc_text_append(text, sizeof text, "%.80s", f->work[part[i].node].node.name);
    }
    return rc_arena_text(f->arena, text);
}

/* Takes the first way available; the sum's parts are children in any case. */
static int fill_node(struct rc_hierarchy_filler *f, size_t n)
{
    const struct rc_hierarchy_part *sum = NULL;
    const size_t sums = f->work[n].sum.count;
    struct tally t = {0};
    bool found;
    int status;

    if ((status = make_parts(f, f->work[n].sum, &sum)))
        return status;
    f->work[n].node.child = sums ? sum : NULL; /* an empty list has an address, too */
    f->work[n].node.child_count = sums;
    t = look_at(f, sum, sums);
    if ((status = try_event(f, &f->work[n], &found)) || found)
        return status;
    if (is_absent(f->machine, f->work[n].item.absent)) {
        f->work[n].node.absent = true;
        f->work[n].node.reason = say(f, "the machine has %s", f->work[n].item.absent);
        return RC_OK;
    }
    if ((status = try_metric(f, n, false, &found)) || found)
        return status;
    if (f->work[n].item.law) /* the whole of a law is not the sum of its parts */
        return try_metric(f, n, true, &found);
    if (sums && t.lacking == 0 && t.partly == 0 && t.there > 0) {
        f->work[n].node.how = say_parts(f, sum, sums);
        return take_parts(f, n, sum, sums, &t, RC_HIERARCHY_COMPOSED);
    }
    if ((status = try_computation(f, n, &f->work[n].difference, &found)) || found) {
        if (found)
            f->work[n].node.how =
                say_parts(f, f->work[n].node.part, f->work[n].node.part_count);
        return status;
    }
    if ((status = try_computation(f, n, &f->work[n].inputs, &found)) || found ||
        (status = try_metric(f, n, true, &found)) || found)
        return status;
    if (t.there > 0) {
        f->work[n].node.how = say_parts(f, sum, sums);
        return take_parts(f, n, sum, sums, &t, RC_HIERARCHY_INCOMPLETE);
    }
    if (sums && t.lacking == 0) { /* the machine can have none of it */
        f->work[n].node.absent = true;
        f->work[n].node.reason = f->work[sum[0].node].node.reason;
    } else if (!f->work[n].node.reason[0])
        f->work[n].node.reason = sums ? say(f, "there is none of %s", t.lacks)
                                      : "no file says how it is had";
    return RC_OK;
}

static int fill_nodes(struct rc_hierarchy_filler *f)
{
    const size_t events = f->machine->event_count;
    int status = RC_OK;

    f->coefficient = rc_arena_array(&f->own, events, sizeof *f->coefficient);
    f->low = rc_arena_array(&f->own, events, sizeof *f->low);
    f->high = rc_arena_array(&f->own, events, sizeof *f->high);
    f->off = rc_arena_array(&f->own, events, sizeof *f->off);
    f->touched = rc_arena_array(&f->own, events, sizeof *f->touched);
    f->touch = rc_arena_array(&f->own, events, sizeof *f->touch);
    if (rc_arena_check(&f->own, f->err, "hierarchies") != RC_OK)
        return RC_ENOMEM;
    for (size_t n = 0; n < f->named; n++) {
        const struct rc_hierarchy_item *item = &f->work[n].item;
        f->work[n].node = (struct rc_hierarchy_node){
            .name = rc_arena_text(f->arena, item->name),
            .hierarchy = rc_arena_text(f->arena, item->hierarchy),
            .unit = rc_arena_text(f->arena, item->unit),
            .description = rc_arena_text(f->arena, item->description),
            .where = rc_arena_text(f->arena, item->where),
            .law = item->law ? rc_arena_text(f->arena, item->law) : NULL,
            .overlaps = item->overlap,
            .how = "",
            .lacks = "",
            .reason = ""};
    }
    for (size_t i = 0; i < f->named; i++)
        if ((status = fill_node(f, f->order[i])) != RC_OK)
            break;
    return status ? status : rc_arena_check(f->arena, f->err, "hierarchies");
}

int rc_hierarchy_fill(const struct rc_hierarchies *all,
                      const struct rc_hierarchy_machine *machine,
                      struct rc_hierarchy *out, struct rc_error *err)
{
    *out = (struct rc_hierarchy){.machine = machine};
    struct rc_hierarchy_filler f = {
        .all = all, .machine = machine, .arena = &out->arena, .err = err};
    int status;

    if ((status = rc_hierarchy_link(&f)) == RC_OK && (status = fill_nodes(&f)) == RC_OK)
        status = rc_hierarchy_layout(&f, out);
    for (size_t n = 0; n < f.named; n++)
        if (status != RC_OK)
            rc_expression_close(f.work[n].formula);
    rc_map_fini(&f.nodes);
    rc_map_fini(&f.events);
    rc_map_fini(&f.ends);
    rc_map_fini(&f.declared);
    free(f.work);
    rc_arena_free(&f.own);
    if (status != RC_OK)
        rc_arena_free(&out->arena);
    return status;
}
