/* Metrics that break a tree or a law: a whole that is less than its parts
 * (docs/hierarchy.md, docs/metrics.md).
 *
 * Rollcall's own trees and laws are filled with the metrics defined so far, and tried
 * on the readings of all suites as the command 'hierarchy' tries them.  Where one does
 * not add up, its metrics with the weakest evidence are contradicted, and the trees are
 * filled again without these.  That ends when all add up, or when those that do not
 * have only metrics that are known exactly over all suites.  Every rank does the same.
 */
#include "campaign/base/clock.h"
#include "campaign/base/text.h"
#include "campaign/solve/joint/joint.h"
#include "campaign/solve/readings/means.h"
#include "solve/algebra/coordinates.h"
#include "solve/hierarchy/hierarchy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reasons to doubt a metric, as numbers, the strongest first.  Two metrics are compared
 * by the first number in which they differ: the one with more is doubted more.
 */
enum {
    NEARLY,    /* 1: it is approximate */
    ONE_SUITE, /* 1: no other suite could try it */
    STRANGERS, /* events in it that are sums of exact ideals, though it is not exact */
    BLIND,     /* 1: a whole that counts next to nothing where its parts count much */
    TERMS,     /* events in it */
    ODD,       /* coefficients that are not 1 */
    REASONS
};

struct evidence {
    struct rc_metric_result *m;
    bool exact; /* it is known exactly: a sum of exact ideals over all suites */
    size_t against[REASONS];
};

struct trees {
    struct rc_solve_kind *k;
    struct rc_hierarchies *all;
    struct rc_arena arena;
    struct evidence *metric; /* metrics that are combinations, approximate or not */
    size_t metrics;
    size_t *event; /* in these: numbers in the kind */
    size_t events;
    const char **source;     /* [event] */
    uint8_t *exact;          /* [event]: a sum of exact ideals, by the joint solve */
    const char **cell;       /* names of all points of all suites */
    double **value, **error; /* [event][cell], NULL: not read yet */
    struct rc_hierarchy_machine machine;
    struct rc_hierarchy_cells cells;
    struct rc_hierarchy h;
};

static size_t find_event(const struct trees *t, size_t event)
{
    size_t i = 0;

    while (i < t->events && t->event[i] != event)
        i++;
    return i;
}

/* Whether the metric is a sum of exact ideals of the joint basis; 'x' is scratch. */
static bool is_exact(const struct trees *t, const struct rc_solve_suite *s,
                     const struct rc_metric_definition *d, double *x)
{
    const struct rc_solve_joint *joint = t->k->joint;
    bool told = false;

    if (!joint)
        return false;
    memset(x, 0, joint->ideals * sizeof *x);
    if (!rc_solve_joint_signature(s, joint, d, x, &told) || !told)
        return false;
    for (size_t q = joint->exact; q < joint->ideals; q++)
        if (x[q] != 0)
            return false;
    return true;
}

/* Lists the metrics that are combinations of events, approximate or not, and these
 * events.
 */
static int list_metrics(struct trees *t)
{
    struct rc_solve_kind *k = t->k;
    size_t metrics = 0, terms = 0;

    for (size_t i = 0; i < k->count; i++)
        for (size_t r = 0; r < k->suite[i].result.metric_count; r++) {
            metrics++;
            terms += k->suite[i].result.metric[r].term_count;
        }
    t->metric = rc_arena_array(&t->arena, metrics, sizeof *t->metric);
    t->event = rc_arena_array(&t->arena, terms, sizeof *t->event);
    double *x = rc_arena_array(&t->arena, k->joint ? k->joint->ideals : 0, sizeof *x);
    const int status = rc_arena_check(&t->arena, k->err, "trees of metrics");
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < k->count; i++) {
        struct rc_solve_suite *s = &k->suite[i];
        for (size_t d = 0, r = 0; d < s->definition->metric_count; d++) {
            if (s->definition->metric[d].formula[0] || r >= s->result.metric_count)
                continue;
            struct rc_metric_result *m = &s->result.metric[r++];
            if (!rc_metric_is_usable(m) || m->term_count == 0)
                continue;
            struct evidence *e = &t->metric[t->metrics++];
            e->m = m;
            e->against[NEARLY] = !rc_metric_is_defined(m);
            e->exact =
                !e->against[NEARLY] && is_exact(t, s, &s->definition->metric[d], x);
            e->against[ONE_SUITE] = m->check_count < 2;
            for (size_t j = 0; j < m->term_count; j++)
                if (find_event(t, m->term[j].event) == t->events)
                    t->event[t->events++] = m->term[j].event;
        }
    }
    return RC_OK;
}

/* Collective.  Finds the names of the events, and which of them are sums of exact
 * ideals.
 */
static int describe_events(struct trees *t)
{
    struct rc_solve_kind *k = t->k;
    const struct rc_solve_joint *joint = k->joint;
    struct rc_hierarchy_event *of = rc_arena_array(&t->arena, t->events, sizeof *of);
    const char **name = rc_arena_array(&t->arena, t->events, sizeof *name);
    const struct rc_suite_result **suite =
        rc_arena_array(&t->arena, k->count, sizeof(struct rc_suite_result *));
    size_t points = 0;
    int status;

    t->source = rc_arena_array(&t->arena, t->events, sizeof *t->source);
    t->exact = rc_arena_array(&t->arena, t->events, 1);
    t->value = rc_arena_array(&t->arena, t->events, sizeof *t->value);
    t->error = rc_arena_array(&t->arena, t->events, sizeof *t->error);
    for (size_t i = 0; i < k->count; i++)
        points += k->suite[i].labels->point_count;
    t->cell = rc_arena_array(&t->arena, points, sizeof *t->cell);
    size_t *group = rc_arena_array(&t->arena, points, sizeof *group);
    for (size_t i = 0, at = 0; i < k->count && t->cell && group; i++)
        for (size_t p = 0; p < k->suite[i].labels->point_count; p++) {
            group[at] = i;
            t->cell[at++] = rc_solve_words(k, "%s of %s", k->suite[i].labels->points[p],
                                           k->suite[i].labels->name);
        }
    status = rc_arena_check(&t->arena, k->err, "trees of metrics");
    if ((status = rc_solve_agree(k, status)) != RC_OK ||
        (status = rc_solve_names(k, t->event, t->events, name, t->source)) != RC_OK)
        return status;
    for (size_t e = 0; e < t->events; e++) {
        of[e] =
            (struct rc_hierarchy_event){.name = name[e], .reason = "", .counted = true};
        if (!joint ||
            rc_columns_owner(&k->grid, &k->layout, t->event[e]) != k->grid.rank)
            continue;
        const size_t row =
            joint->row[rc_columns_local(&k->grid, &k->layout, t->event[e])];
        t->exact[e] =
            row != SIZE_MAX && joint->x[row * (2 * joint->ideals + RC_JOINT_BEHIND) +
                                        joint->ideals + RC_JOINT_DOUBT] == 0;
    }
    rc_team_reduce(k->how->comm, t->exact, (int)t->events, MPI_UNSIGNED_CHAR, MPI_MAX);
    for (size_t i = 0; i < k->count; i++)
        suite[i] = &k->suite[i].result;
    t->machine =
        (struct rc_hierarchy_machine){.kind = k->labels->name,
                                      .shape = k->labels->shape ? k->labels->shape : "",
                                      .event = of,
                                      .event_count = t->events,
                                      .suite = suite,
                                      .suite_count = k->count};
    t->cells = (struct rc_hierarchy_cells){.count = points,
                                           .name = t->cell,
                                           .group = group,
                                           .value = (const double *const *)t->value,
                                           .error = (const double *const *)t->error};
    return RC_OK;
}

static void weigh_metrics(struct trees *t)
{
    for (struct evidence *e = t->metric; e < t->metric + t->metrics; e++)
        for (size_t j = 0; j < e->m->term_count; j++) {
            const struct rc_term *term = &e->m->term[j];
            if (!rc_term_matters(e->m, term))
                continue;
            e->against[TERMS]++;
            e->against[ODD] += rc_term_value(e->m, term) != 1;
            e->against[STRANGERS] += t->exact[find_event(t, term->event)];
        }
}

static struct evidence *evidence_of(const struct trees *t,
                                    const struct rc_metric_result *m)
{
    for (struct evidence *e = t->metric; e < t->metric + t->metrics; e++)
        if (e->m == m)
            return e;
    return NULL;
}

/* Metrics that may be wrong where a node is less than its parts by 'gap': the node's
 * own, and those of parts that are as large.
 */
struct suspects {
    struct evidence *of[RC_HIERARCHY_OPERANDS_MAX];
    const char *node[RC_HIERARCHY_OPERANDS_MAX];
    size_t count;
};

/* NOLINTNEXTLINE(misc-no-recursion): no node is its own part, and trees are flat */
static void add_suspects(const struct trees *t, size_t n, double factor, double gap,
                         const struct rc_interval *value, struct suspects *out)
{
    const struct rc_hierarchy_node *node = &t->h.node[n];
    struct evidence *e = node->metric ? evidence_of(t, node->metric) : NULL;

    for (size_t i = 0; i < node->part_count && !node->metric; i++)
        add_suspects(t, node->part[i].node, factor * node->part[i].factor, gap, value,
                     out);
    if (!e || e->exact || out->count == RC_HIERARCHY_OPERANDS_MAX ||
        (value && !(fabs(factor * value[n].value) >= 0.99 * gap)))
        return;
    out->node[out->count] = node->name;
    out->of[out->count++] = e;
}

static void find_suspects(const struct trees *t, size_t n, double gap,
                          const struct rc_interval *value, struct suspects *out)
{
    const struct rc_hierarchy_node *node = &t->h.node[n];

    out->count = 0;
    add_suspects(t, n, 1, 0, value, out);
    for (size_t i = 0; i < node->child_count; i++)
        if (!t->h.node[node->child[i].node].is_event)
            add_suspects(t, node->child[i].node, node->child[i].factor, gap, value,
                         out);
}

static int read_event(struct trees *t, size_t e)
{
    struct rc_solve_kind *k = t->k;

    if (t->value[e])
        return RC_OK;
    double *value = rc_arena_array(&t->arena, t->cells.count, sizeof *value);
    double *error = rc_arena_array(&t->arena, t->cells.count, sizeof *error);
    if (!value || !error)
        return rc_fail(k->err, RC_ENOMEM, "no memory for trees of metrics");
    t->value[e] = value;
    t->error[e] = error;
    return rc_solve_read_means(k->store, k->number, t->event[e], t->source[e], value,
                               error, k->err);
}

/* Whether the parts of a node must not add up to more than the node. */
static bool is_whole(const struct trees *t, size_t n)
{
    return rc_hierarchy_has_rest(&t->h, n) && !t->h.node[n].overlaps;
}

/* Reads the events of each node that is a whole and has suspects. */
static int read_events(struct trees *t)
{
    struct suspects some;
    int status = RC_OK;

    for (size_t n = 0; n < t->h.count; n++) {
        const struct rc_hierarchy_node *node = &t->h.node[n];
        if (!is_whole(t, n))
            continue;
        find_suspects(t, n, 0, NULL, &some);
        if (some.count == 0)
            continue;
        for (size_t i = 0; i <= node->child_count; i++) {
            const struct rc_hierarchy_node *of =
                i ? &t->h.node[node->child[i - 1].node] : node;
            for (size_t j = 0; j < of->term_count; j++)
                if ((status = read_event(t, of->term[j].event)) != RC_OK)
                    return status;
        }
    }
    return status;
}

/* A whole that counts less than this share of its parts does not see them. */
static const double blind_most = 1e-3;

static int compare_evidence(const struct evidence *a, const struct evidence *b)
{
    for (int i = 0; i < REASONS; i++)
        if (a->against[i] != b->against[i])
            return a->against[i] > b->against[i] ? 1 : -1;
    return 0;
}

/* Contradicts the suspects that are doubted most, and returns their number.  Returns 0,
 * too, if a suspect was contradicted since the trees were filled: the node is tried
 * again when they are filled without it.
 */
static size_t blame(struct trees *t, const struct rc_hierarchy_excess *found,
                    const struct rc_interval *value)
{
    const struct rc_hierarchy_node *node = &t->h.node[found->node];
    struct suspects some;
    size_t worst = 0, count = 0;

    find_suspects(t, found->node, found->children - found->parent, value, &some);
    for (size_t i = 0; i < some.count; i++) {
        if (some.of[i]->m->verdict == RC_METRIC_CONTRADICTED)
            return 0;
        if (some.node[i] == node->name && found->parent < blind_most * found->children)
            some.of[i]->against[BLIND] = 1;
        if (compare_evidence(some.of[i], some.of[worst]) > 0)
            worst = i;
    }
    for (size_t i = 0; i < some.count; i++) {
        struct rc_metric_result *m = some.of[i]->m;
        char others[RC_ERROR_TEXT / 2] = "";
        if (compare_evidence(some.of[i], some.of[worst]) != 0)
            continue;
        for (size_t j = 0; j < some.count; j++)
            if (some.of[j]->m != m && !compare_evidence(some.of[j], some.of[worst]))
                rc_text_append(others, sizeof others, "%s'%.100s'",
                               others[0] ? " or " : "; it is wrong, or ",
                               some.of[j]->m->name);
        m->verdict = RC_METRIC_CONTRADICTED;
        m->alone_count = 0;
        const bool whole = some.node[i] == node->name;
        const char *point = t->cells.name[found->cell];
        if (node->law)
            m->reason = rc_solve_words(t->k,
                                       "law '%s' does not hold on %zu point%s, such as "
                                       "%.200s: %.6g and %.6g%s",
                                       node->law, found->cells, rc_text_s(found->cells),
                                       point, found->children, found->parent, others);
        else
            m->reason = rc_solve_words(
                t->k,
                "in tree '%s' %s is less than its parts%s%s%s on %zu point%s, such as "
                "%.200s: %.6g, its parts %.6g%s",
                node->hierarchy, node->name, whole ? "" : ", ",
                whole ? "" : some.node[i], whole ? "" : " among them,", found->cells,
                rc_text_s(found->cells), point, found->parent, found->children, others);
        count++;
    }
    return count;
}

/* Fills the trees; blames metrics for each node that is less than its parts. */
static int try_trees(struct trees *t, size_t *blamed)
{
    struct rc_hierarchy_excess *found = NULL;
    struct rc_error *err = t->k->err;
    size_t count = 0;
    int status = rc_hierarchy_fill(t->all, &t->machine, &t->h, err);

    *blamed = 0;
    struct rc_interval *value = rc_arena_array(&t->arena, t->h.count, sizeof *value);
    double *at = rc_arena_array(&t->arena, t->events, sizeof *at);
    if (status != RC_OK ||
        (status = rc_arena_check(&t->arena, err, "trees")) != RC_OK ||
        (status = read_events(t)) != RC_OK ||
        (status = rc_hierarchy_check(&t->h, &t->cells, &found, &count, err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < count; i++) {
        if (!is_whole(t, found[i].node))
            continue;
        for (size_t e = 0; e < t->events; e++)
            at[e] = t->value[e] ? t->value[e][found[i].cell] : NAN;
        rc_hierarchy_value(&t->h, at, value);
        *blamed += blame(t, &found[i], value);
    }
out:
    free(found);
    rc_hierarchy_fini(&t->h);
    return status;
}

int rc_solve_contradict(struct rc_solve_kind *k)
{
    const uint64_t began = rc_clock_ns();
    struct trees t = {.k = k};
    size_t blamed;
    int status = rc_solve_agree(k, list_metrics(&t));

    if (status != RC_OK || (status = describe_events(&t)) != RC_OK)
        goto out;
    weigh_metrics(&t);
    status = rc_hierarchies_create(&t.all, k->err);
    if (status == RC_OK)
        status = rc_hierarchies_add_laws(t.all, k->err);
    do {
        if (status == RC_OK)
            status = try_trees(&t, &blamed);
    } while (status == RC_OK && blamed > 0);
    status = rc_solve_agree_room(k, status, "trees of metrics");
out:
    rc_hierarchies_close(t.all);
    rc_arena_free(&t.arena);
    rc_arena_free(&k->step);
    k->seconds[RC_STAGE_FIT] += (double)(rc_clock_ns() - began) / 1e9;
    return status;
}
