/* One answer for one metric, in whichever suite it is asked for. */
#include "campaign/solve/joint/joint.h"

#include <math.h>
#include <string.h>

/* A metric with a signature, in joint coordinates. */
struct asked {
    struct rc_solve_suite *s;
    struct rc_metric_result *m;
    double *x;
};

/* Lists the metrics that are sums of the joint ideals, in the order of the suites. */
static int list_metrics(struct rc_solve_kind *k, struct asked **out, size_t *count)
{
    const size_t ideals = k->joint->ideals;
    size_t all = 0;
    bool told;

    for (size_t i = 0; i < k->count; i++)
        all += k->suite[i].definition->metric_count;
    struct asked *list = *out = rc_arena_array(&k->step, all, sizeof *list);
    double *x = rc_arena_array(&k->step, all * ideals, sizeof *x);
    const int status = rc_arena_check(&k->step, k->err, "the metrics of all suites");
    if (status != RC_OK)
        return status;
    *count = 0;
    for (size_t i = 0; i < k->count; i++) {
        struct rc_solve_suite *s = &k->suite[i];
        for (size_t d = 0, r = 0; d < s->definition->metric_count; d++) {
            const struct rc_metric_definition *metric = &s->definition->metric[d];
            if (metric->formula[0] || r >= s->result.metric_count)
                continue;
            struct rc_metric_result *m = &s->result.metric[r++];
            memset(x, 0, ideals * sizeof *x);
            if (!rc_solve_joint_signature(s, k->joint, metric, x, &told) || !told ||
                !(rc_norm(x, ideals) > 0))
                continue;
            list[(*count)++] = (struct asked){s, m, x};
            x += ideals;
        }
    }
    return RC_OK;
}

/* The first defined result with the fewest events for the same metric, if it belongs to
 * another suite, else NULL.  Exact suites do not take results of cache suites, which
 * may be a little off.
 */
static const struct asked *best_of(const struct asked *list, size_t count,
                                   const struct asked *like, size_t ideals)
{
    const struct asked *best = NULL;

    for (const struct asked *a = list; a < list + count; a++)
        if (a->m->verdict == RC_METRIC_DEFINED &&
            (a->s->definition->nuisance || !like->s->definition->nuisance) &&
            memcmp(a->x, like->x, ideals * sizeof *a->x) == 0 &&
            (!best || rc_joint_terms(a->m) < rc_joint_terms(best->m)))
            best = a;
    return best && best->s != like->s ? best : NULL;
}

int rc_solve_joint_unify(struct rc_solve_kind *k)
{
    struct asked *list;
    size_t count;
    int status = list_metrics(k, &list, &count);

    for (struct asked *a = list; status == RC_OK && a < list + count; a++) {
        const struct asked *from = best_of(list, count, a, k->joint->ideals);
        if (!from)
            continue;
        const struct rc_metric_result *m = from->m;
        a->m->verdict = m->verdict;
        a->m->error = m->error;
        a->m->rounded_holds = m->rounded_holds;
        a->m->term = m->term;
        a->m->term_count = m->term_count;
        a->m->check = m->check;
        a->m->check_count = m->check_count;
        a->m->alone = m->alone;
        a->m->alone_name = m->alone_name;
        a->m->alone_count = m->alone_count;
        a->m->reason = rc_solve_words(k, "as in %s", from->s->labels->name);
    }
    rc_arena_free(&k->step);
    return status;
}
