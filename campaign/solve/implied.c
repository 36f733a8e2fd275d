/* Metrics on the points of users' kernels: the values that a kernel's counts imply, and
 * those that were counted.
 *
 * A count of operations implies the metrics that are a multiple of it, even if it is
 * not known which instructions do them.
 */
#include "campaign/solve/parts.h"
#include "kernels/own/own.h"
#include "solve/definitions/formula.h"

#include <math.h>
#include <string.h>

/* Counts that run() may add to a reading (rollcall_kernel.h).  They are tolerated where
 * they come to less than 'rest_share' for each iteration.
 */
static const double rest_most = 100, rest_share = 0.1;

/* A metric of any suite that has a combination. */
struct item {
    const struct rc_solve_suite *home;
    const struct rc_metric_definition *d;
    const struct rc_metric_result *m;
    struct rc_expression *formula; /* NULL: it has a signature */
    size_t term;                   /* index of its first term in the means */
    double expected, counted;      /* on the point at hand; NAN: not known */
    double within;                 /* tolerance, relative */
};

/* All metrics, and a user's suite. */
struct implying {
    struct rc_solve_kind *k;
    struct rc_solve_suite *s;
    struct item *item;
    size_t *event; /* [term] */
    size_t items, terms;
    struct rc_solve_means means; /* of the terms */
};

/* A count of operations gives the operations of all instructions that are not known one
 * by one.  If a metric weighs these in proportion to their operations, returns their
 * part of its value and clears their weights.
 */
static double add_operations(const double *known, enum rc_ideal operations,
                             double *weight)
{
    double rest = known[operations], factor = NAN;
    bool same = true;

    for (int i = 0; i < RC_IDEAL_COUNT; i++) {
        const double each = rc_ideal_operations((enum rc_ideal)i, operations);
        if (each == 0)
            continue;
        if (!isnan(known[i])) {
            rest -= each * known[i];
            continue;
        }
        same &= isnan(factor) || weight[i] == factor * each;
        factor = weight[i] / each;
    }
    /* With no operations left each of these is 0, whatever a metric's weights are. */
    if (isnan(rest) || isnan(factor) || (!same && rest != 0))
        return 0;
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        if (isnan(known[i]) && rc_ideal_operations((enum rc_ideal)i, operations) > 0)
            weight[i] = 0;
    return rest == 0 ? 0 : factor * rest;
}

/* The value of a metric that the counts of a point imply; NAN: they do not. */
static double expect_metric(const struct rc_solve_suite *s, size_t point,
                            const struct rc_metric_definition *d)
{
    double weight[RC_IDEAL_COUNT] = {0}, known[RC_IDEAL_COUNT], sum = 0;

    for (size_t w = 0; w < d->weight_count; w++) {
        const enum rc_ideal ideal = rc_ideal_find(d->weight[w].ideal);
        if (ideal == RC_IDEAL_COUNT) /* a column of the user's own */
            sum += d->weight[w].weight * rc_solve_ideal(s, d->weight[w].ideal, point);
        else
            weight[ideal] += d->weight[w].weight;
    }
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        known[i] = rc_solve_ideal(s, rc_ideal_name((enum rc_ideal)i), point);
    sum += add_operations(known, RC_IDEAL_OPS_SP, weight);
    sum += add_operations(known, RC_IDEAL_OPS_DP, weight);
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        if (weight[i] != 0)
            sum += weight[i] * known[i];
    return sum;
}

/* The counted value of a metric; NAN where one of its events was not measured. */
static double count_metric(const struct implying *x, const struct item *item,
                           size_t point)
{
    double sum = 0;

    for (size_t t = 0; t < item->m->term_count; t++) {
        const size_t at = (item->term + t) * x->k->count;
        const double *mean = x->means.mean[at + (size_t)(x->s - x->k->suite)];
        const double c = rc_term_value(item->m, &item->m->term[t]);
        if (c != 0)
            sum += mean ? c * mean[point] : NAN;
    }
    return sum;
}

/* Finds an input as formulas.c does: in the formula's suite first, then in the others.
 */
static const struct item *find_input(const struct implying *x, const struct item *of,
                                     const char *name)
{
    const struct item *found = NULL;

    for (size_t i = 0; i < x->items; i++)
        if (!x->item[i].formula && strcmp(x->item[i].m->name, name) == 0 &&
            (!found || (x->item[i].home == of->home && found->home != of->home)))
            found = &x->item[i];
    return found;
}

static void put_formula(const struct implying *x, struct item *item)
{
    struct rc_interval expected[RC_EXPRESSION_NAMES_MAX],
        counted[RC_EXPRESSION_NAMES_MAX];

    item->within = 0;
    for (size_t i = 0; i < item->formula->name_count; i++) {
        const struct item *in = find_input(x, item, item->formula->name[i].text);
        const double e = in ? in->expected : NAN, c = in ? in->counted : NAN;
        expected[i] = (struct rc_interval){e, e, e};
        counted[i] = (struct rc_interval){c, c, c};
        item->within += in ? in->within : 0;
    }
    item->expected = rc_formula_value(item->formula, expected).value;
    item->counted = rc_formula_value(item->formula, counted).value;
}

static bool agrees(const struct implying *x, const struct item *item, size_t point)
{
    const struct rc_store_suite *l = x->s->labels;
    double rest = 0;

    for (size_t i = 0; i < l->source_count; i++) {
        const uint64_t n = l->iterations[i * l->point_count + point];
        rest = n ? fmax(rest, rest_most / (double)n) : rest;
    }
    return fabs(item->counted - item->expected) <=
           item->within * fmax(fabs(item->counted), fabs(item->expected)) +
               (rest < rest_share ? rest : 0);
}

/* Evaluates all metrics on a point; those that are implied become rows. */
static void put_point(struct implying *x, size_t point)
{
    struct rc_suite_result *r = &x->s->result;

    for (size_t i = 0; i < x->items; i++)
        if (!x->item[i].formula) {
            x->item[i].expected = expect_metric(x->s, point, x->item[i].d);
            x->item[i].counted = count_metric(x, &x->item[i], point);
        }
    for (size_t i = 0; i < x->items; i++) {
        struct item *item = &x->item[i];
        if (item->formula)
            put_formula(x, item);
        if (isfinite(item->expected))
            r->implied[r->implied_count++] =
                (struct rc_implied){.metric = item->m->name,
                                    .suite = item->home->labels->name,
                                    .verdict = item->m->verdict,
                                    .point = x->s->labels->points[point],
                                    .expected = item->expected,
                                    .counted = item->counted,
                                    .agrees = agrees(x, item, point)};
    }
}

/* Adds a metric that has a combination; a rejected one, too, as it may have been
 * rejected because of this kernel.
 */
static int add_metric(struct implying *x, const struct rc_solve_suite *home,
                      const struct rc_metric_definition *d,
                      const struct rc_metric_result *m)
{
    struct item *item = &x->item[x->items];

    if (m->formula[0] ? !rc_metric_is_usable(m) : !rc_metric_has_combination(m))
        return RC_OK;
    *item = (struct item){.home = home,
                          .d = d,
                          .m = m,
                          .term = x->terms,
                          .within = home->definition->purity};
    for (size_t w = 0; w < d->weight_count; w++)
        if (rc_solve_is_loose(home, d->weight[w].ideal))
            item->within = fmax(item->within, home->definition->within);
    x->items++;
    for (size_t t = 0; t < m->term_count; t++)
        x->event[x->terms++] = m->term[t].event;
    return m->formula[0]
               ? rc_expression_create(m->formula, false, &item->formula, x->k->err)
               : RC_OK;
}

/* Collective. */
static int add_metrics(struct implying *x)
{
    struct rc_solve_kind *k = x->k;
    size_t all = 0, terms = 0;
    int status;

    for (size_t i = 0; i < k->count; i++)
        for (size_t m = 0; m < k->suite[i].result.metric_count; m++, all++)
            terms += k->suite[i].result.metric[m].term_count;
    x->item = rc_arena_array(&k->step, all, sizeof *x->item);
    x->event = rc_arena_array(&k->step, terms, sizeof *x->event);
    status = rc_solve_agree_room(k, RC_OK, "all metrics");
    for (size_t i = 0; i < k->count; i++) {
        const struct rc_solve_suite *s = &k->suite[i];
        for (size_t d = 0; d < s->definition->metric_count; d++)
            for (size_t m = 0; m < s->result.metric_count && status == RC_OK; m++)
                if (strcmp(s->definition->metric[d].name, s->result.metric[m].name) ==
                    0)
                    status = add_metric(x, s, &s->definition->metric[d],
                                        &s->result.metric[m]);
    }
    if ((status = rc_solve_agree(k, status)) != RC_OK)
        return status;
    return rc_solve_share_means(k, x->event, x->terms, &x->means);
}

int rc_solve_implied(struct rc_solve_kind *k)
{
    struct implying x = {.k = k};
    int status = RC_OK;

    for (size_t i = 0; i < k->count && status == RC_OK; i++) {
        struct rc_solve_suite *s = x.s = &k->suite[i];
        if (!s->wanted || !rc_own_is_name(s->labels->name) ||
            (!x.item && (status = add_metrics(&x)) != RC_OK))
            continue;
        s->result.implied = rc_arena_array(&k->arena, x.items * s->labels->point_count,
                                           sizeof *s->result.implied);
        status = rc_solve_agree_room(k, RC_OK, "implied counts");
        for (size_t p = 0; p < s->labels->point_count && status == RC_OK; p++)
            put_point(&x, p);
    }
    for (size_t i = 0; i < x.items; i++)
        rc_expression_close(x.item[i].formula);
    rc_arena_free(&k->step);
    return status;
}
