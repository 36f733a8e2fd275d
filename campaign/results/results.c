/* Results of a campaign: the kind of a node, its metrics, and it as a machine that
 * trees are filled on.
 */
#include "campaign/results/results.h"

#include "campaign/solve/origin.h"
#include "campaign/sources/source.h"

#include <string.h>
#include <strings.h>

int rc_results_open(const char *campaign, const char *node, struct rc_results *out,
                    char *why, size_t room, struct rc_error *err)
{
    const int status = rc_solve_open_results(campaign, &out->file, why, room, err);

    if (status != RC_OK)
        return status;
    const size_t kinds = rc_store_kind_count(out->file);
    for (out->kind = 0; out->kind < kinds; out->kind++) {
        const struct rc_store_kind *kind = rc_store_kind(out->file, out->kind);
        bool is_here = kinds == 1;
        for (size_t n = 0; n < kind->node_count; n++)
            is_here |= strcmp(kind->nodes[n], node) == 0;
        out->simulated = kind->simulated;
        if (is_here)
            return RC_OK;
    }
    rc_results_close(out);
    return rc_fail(err, RC_EUSAGE,
                   "'%.200s': it has %zu kinds of machines and was not measured on "
                   "node %.100s, expected one of that",
                   campaign, kinds, node);
}

void rc_results_close(struct rc_results *results)
{
    struct rc_error ignored = {.rank = -1}; /* it was only read */

    if (results->file)
        (void)rc_store_close(results->file, &ignored);
    results->file = NULL;
}

bool rc_results_find(const struct rc_results *results, const char *name,
                     struct rc_metrics_walk *out)
{
    struct rc_metrics_walk walk = {.at = 0};
    const struct rc_metric_result *best = NULL;

    while (rc_metrics_next(results->file, results->kind, &walk)) {
        const struct rc_metric_result *m = walk.metric;
        const bool better =
            !best || (rc_results_trusts(m) &&
                      (!rc_results_trusts(best) ||
                       (rc_metric_is_defined(m) && !rc_metric_is_defined(best))));
        if (better && (strcasecmp(m->name, name) == 0 ||
                       (*m->preset && strcasecmp(m->preset, name) == 0))) {
            *out = walk;
            best = m;
        }
    }
    return best != NULL;
}

int rc_results_read_machine(struct rc_store *metrics, size_t kind,
                            struct rc_arena *arena, struct rc_pool **pool,
                            struct rc_hierarchy_machine *machine,
                            const struct rc_store_event **events, struct rc_error *err)
{
    const struct rc_store_kind *k = rc_store_kind(metrics, kind);
    const size_t suites = rc_store_suite_count(metrics, kind);
    struct rc_store_event *event = rc_arena_array(arena, k->event_count, sizeof *event);
    struct rc_hierarchy_event *of = rc_arena_array(arena, k->event_count, sizeof *of);
    const struct rc_suite_result **suite =
        rc_arena_array(arena, suites, sizeof(const struct rc_suite_result *));

    *pool = rc_pool_create();
    if (!event || !of || !suite || !*pool)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", k->event_count);
    const int status =
        rc_store_read_events(metrics, kind, 0, k->event_count, event, *pool, err);
    if (status != RC_OK)
        return status;
    for (size_t e = 0; e < k->event_count; e++)
        of[e] = (struct rc_hierarchy_event){
            .name = event[e].name,
            .reason = event[e].reason && event[e].reason[0]
                          ? event[e].reason
                          : rc_verdict_name(event[e].verdict),
            .counted = event[e].verdict == RC_VERDICT_OK,
            .simulated = event[e].simulated};
    for (size_t s = 0; s < suites; s++)
        suite[s] = rc_metrics_suite(metrics, kind, s);
    machine->kind = k->name;
    machine->shape = k->shape ? k->shape : "";
    machine->event = of;
    machine->event_count = k->event_count;
    machine->suite = suite;
    machine->suite_count = suites;
    if (events)
        *events = event;
    return RC_OK;
}
