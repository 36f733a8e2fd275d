/* The units that are left to measure, sorted into lanes by whom they exclude.
 *
 * The most expensive unit of a lane comes first: workers draw units one by one, and a
 * long unit that was drawn last would keep one of them busy while the others are done.
 * All ranks of a kind make this list from the same records, so a unit is known by its
 * number in it.
 */
#include "campaign/plan/units.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

const char *rc_lane_name(size_t lane)
{
    return lane == RC_LANE_ALL_CORES ? "all cores" : rc_scope_name((enum rc_scope)lane);
}

static const struct rc_campaign_kind *kind_of(const struct rc_units_setup *setup)
{
    return &setup->campaign->kind[setup->kind];
}

static enum rc_scope reach_of_footprint(uint8_t footprint)
{
    switch (footprint) {
    case RC_FOOTPRINT_CORE:
        return RC_SCOPE_CORE;
    case RC_FOOTPRINT_L2:
        return RC_SCOPE_L2;
    case RC_FOOTPRINT_L3:
        return RC_SCOPE_L3;
    default:
        return RC_SCOPE_NUMA;
    }
}

/* The lane of a unit is the larger of what its events belong to and what its kernels
 * disturb.  What a machine does not have as a shared unit of its own is in the next
 * larger one; a device is the node's.
 */
static size_t lane_of(const struct rc_units_setup *setup,
                      const struct rc_record_suite *suite,
                      const struct rc_record_group *group)
{
    enum rc_scope reach = (enum rc_scope)group->scope;
    bool isolated = setup->catalogue->source[group->source].source->isolated;

    if (suite->all_cores)
        return RC_LANE_ALL_CORES;
    if (!(isolated && reach == RC_SCOPE_CORE) &&
        reach_of_footprint(suite->footprint) > reach)
        reach = reach_of_footprint(suite->footprint);
    while (reach > RC_SCOPE_CORE && reach < RC_SCOPE_NODE &&
           rc_machine_unit_count(setup->catalogue->machine, reach) == 0)
        reach++;
    return reach < RC_SCOPE_NODE ? reach : RC_SCOPE_NODE;
}

static bool is_wanted_suite(const struct rc_units_setup *setup,
                            const struct rc_record_suite *record)
{
    const struct rc_suite *suite = rc_suite_find(record->name);

    if (!suite)
        return false;
    return setup->spec->suites.count ? rc_spec_names_suite(setup->spec, suite)
                                     : suite->by_default;
}

/* A group is measured if all of its own events are wanted. */
static bool is_wanted_group(const struct rc_units_setup *setup,
                            const struct rc_record_group *group)
{
    for (size_t i = 0; i < group->own; i++)
        if (setup->map->listed[group->event[i]] == RC_EVENT_ABSENT)
            return false;
    return true;
}

/* What groups of a source have in common: there may be very many of them. */
struct common {
    const struct rc_units_setup *setup;
    size_t *first;    /* by source: its first group */
    size_t *readings; /* [source][suite] in a sweep; 0: not wanted, or none */
};

/* -1: no memory; what was allocated is the caller's to free. */
static int common_init(const struct rc_units_setup *setup, struct common *out)
{
    const struct rc_campaign_kind *kind = kind_of(setup);
    size_t sources = kind->record.source_count;

    *out = (struct common){
        .setup = setup,
        .first = rc_calloc(sources, sizeof *out->first),
        .readings = rc_calloc(sources * kind->suite_count, sizeof *out->readings)};
    if (!out->first || !out->readings)
        return -1;
    for (size_t g = kind->group_count; g-- > 0;)
        out->first[kind->group[g].source] = g;
    for (size_t s = 0; s < kind->suite_count; s++)
        for (size_t i = 0; i < sources && is_wanted_suite(setup, &kind->suite[s]); i++)
            out->readings[i * kind->suite_count + s] =
                rc_record_suite_points(&kind->suite[s], i);
    return 0;
}

/* How much longer one reading takes than one of the group that the sweeps were
 * timed with, the first of its source, in nanoseconds; may be negative.  A difference,
 * since the kernels, which are in both times, take equally long.
 */
static double longer_ns(const struct common *common, size_t group)
{
    const struct rc_costs *costs = common->setup->costs;
    size_t first = common->first[kind_of(common->setup)->group[group].source];

    if (!costs)
        return 0;
    uint64_t usual = costs->group_ns[first], own = costs->group_ns[group];
    return usual && own ? (double)own - (double)usual : 0;
}

/* As many as calibration expects, and not fewer than the campaign file wants. */
static uint32_t repetitions_of(const struct rc_units_setup *setup, size_t group)
{
    const struct rc_campaign_kind *kind = kind_of(setup);
    uint32_t source = kind->group[group].source;
    uint32_t least =
        rc_spec_repeat_min(setup->spec, kind->record.source[source].deterministic);

    if (!setup->costs || setup->costs->group_repetitions[group] < least)
        return least;
    return (uint32_t)setup->costs->group_repetitions[group];
}

/* How long a sweep takes, in nanoseconds; at least a tenth of what was timed, since a
 * negative difference that is mostly noise must not make it nothing.
 */
static double sweep_of(const struct common *common, size_t source_suite, double longer)
{
    const struct rc_costs *costs = common->setup->costs;

    if (!costs)
        return 0;
    double timed = (double)costs->sweep_ns[source_suite];
    double own = timed + longer * (double)common->readings[source_suite];
    return own > timed / 10 ? own : timed / 10;
}

static int by_cost(const void *left, const void *right)
{
    const struct rc_plan_unit *a = left, *b = right;

    if (a->cost_ns != b->cost_ns)
        return a->cost_ns > b->cost_ns ? -1 : 1;
    if (a->suite != b->suite)
        return a->suite < b->suite ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

/* The units of a group, one for each suite.  -1: no memory. */
static int add_group(const struct common *common, size_t group, struct rc_units *units,
                     size_t *room)
{
    const struct rc_units_setup *setup = common->setup;
    const struct rc_campaign_kind *kind = kind_of(setup);
    double longer = longer_ns(common, group);
    uint32_t repetitions = repetitions_of(setup, group);

    for (size_t s = 0; s < kind->suite_count; s++) {
        struct rc_plan_unit unit = {
            .suite = (uint32_t)s, .group = (uint32_t)group, .repetitions = repetitions};
        size_t l = lane_of(setup, &kind->suite[s], &kind->group[group]);
        struct rc_lane *lane = &units->lane[l];
        size_t source_suite = kind->group[group].source * kind->suite_count + s;
        if (common->readings[source_suite] == 0 ||
            !rc_campaign_owns(kind, unit.suite, unit.group))
            continue;
        unit.cost_ns = (uint64_t)(sweep_of(common, source_suite, longer) * repetitions);
        if (rc_grow(&lane->unit, sizeof *lane->unit, lane->count, &room[l]))
            return -1;
        lane->unit[lane->count++] = unit;
    }
    return 0;
}

static void sum_up(struct rc_units *units)
{
    units->count = 0;
    units->cost_ns = 0;
    for (size_t l = 0; l < RC_LANE_COUNT; l++) {
        units->count += units->lane[l].count;
        for (size_t i = 0; i < units->lane[l].count; i++)
            units->cost_ns += units->lane[l].unit[i].cost_ns;
    }
}

int rc_units_find(const struct rc_units_setup *setup, struct rc_units *out,
                  struct rc_error *err)
{
    const struct rc_campaign_kind *kind = kind_of(setup);
    size_t room[RC_LANE_COUNT] = {0};
    struct common common;

    *out = (struct rc_units){.count = 0};
    bool failed = common_init(setup, &common) != 0;
    for (size_t g = 0; g < kind->group_count && !failed; g++)
        failed =
            is_wanted_group(setup, &kind->group[g]) && add_group(&common, g, out, room);
    free(common.first);
    free(common.readings);
    if (failed) {
        rc_units_fini(out);
        return rc_fail(err, RC_ENOMEM, "no memory for the units of %zu groups",
                       kind->group_count);
    }
    for (size_t l = 0; l < RC_LANE_COUNT; l++)
        if (out->lane[l].count)
            qsort(out->lane[l].unit, out->lane[l].count, sizeof *out->lane[l].unit,
                  by_cost);
    sum_up(out);
    return RC_OK;
}

void rc_units_fini(struct rc_units *units)
{
    for (size_t l = 0; l < RC_LANE_COUNT; l++)
        free(units->lane[l].unit);
    *units = (struct rc_units){.count = 0};
}

bool rc_unit_is_done(const struct rc_units_setup *setup, uint32_t suite, uint32_t group,
                     const char *place)
{
    const struct rc_campaign_kind *kind = kind_of(setup);
    const struct rc_campaign_unit *unit =
        rc_campaign_find_unit(setup->campaign, setup->kind, suite, group, place);
    bool deterministic = kind->record.source[kind->group[group].source].deterministic;

    return unit && unit->status == RC_UNIT_OK &&
           unit->repetitions >= rc_spec_repeat_min(setup->spec, deterministic);
}

void rc_units_drop_done(const struct rc_units_setup *setup, size_t lane,
                        const char *place, struct rc_units *units)
{
    struct rc_lane *from = &units->lane[lane];
    size_t kept = 0;

    for (size_t i = 0; i < from->count; i++)
        if (!rc_unit_is_done(setup, from->unit[i].suite, from->unit[i].group, place))
            from->unit[kept++] = from->unit[i];
    from->count = kept;
    sum_up(units);
}
