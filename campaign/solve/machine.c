/* Reads a kind of metrics.h5 as a machine that trees are filled on. */
#include "campaign/solve/machine.h"

#include "campaign/sources/source.h"

#include <string.h>

int rc_solve_read_machine(struct rc_store *metrics, size_t kind, struct rc_arena *arena,
                          struct rc_pool **pool, struct rc_hierarchy_machine *machine,
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
            .simulated = event[e].simulated || strstr(event[e].name, "::sim_") != NULL};
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
