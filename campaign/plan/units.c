/* The units that are left to measure, sorted into lanes by the neighbours that they
 * exclude.
 *
 * The most expensive unit of a lane comes first: workers draw units one by one, and a
 * long unit that was drawn last would keep one of them busy while the others are done.
 * All ranks of a kind make this list from the same records, so its indices identify the
 * units.  Simulated nodes do not run anything: a unit that is repeated on them is in
 * the list once for each of their places, and any rank may draw it.
 */
#include "campaign/plan/units.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limit, since a machine file of a few lines may ask for any number of simulated nodes.
 */
enum { UNITS_MOST = 1 << 26 };

const char *rc_lane_name(size_t lane)
{
    return lane == RC_LANE_ALL_CORES ? "all cores" : rc_scope_name((enum rc_scope)lane);
}

static const struct rc_campaign_kind *kind_of(const struct rc_units_setup *setup)
{
    return &setup->campaign->kind[setup->kind];
}

/* The lane of a unit is the larger of its events' scope and its kernels' footprint.  If
 * a machine has no shared unit of a scope, the next larger one stands for it; a device
 * belongs to the node.
 */
static size_t lane_of(const struct rc_units_setup *setup,
                      const struct rc_record_suite *suite,
                      const struct rc_record_group *group)
{
    static const enum rc_scope reach_of[RC_FOOTPRINT_COUNT] = {
        [RC_FOOTPRINT_CORE] = RC_SCOPE_CORE,
        [RC_FOOTPRINT_L2] = RC_SCOPE_L2,
        [RC_FOOTPRINT_L3] = RC_SCOPE_L3,
        [RC_FOOTPRINT_MEMORY] = RC_SCOPE_NUMA};
    enum rc_scope reach = (enum rc_scope)group->scope;
    bool isolated = setup->catalogue->source[group->source].source->isolated;

    if (suite->all_cores)
        return RC_LANE_ALL_CORES;
    if (!(isolated && reach == RC_SCOPE_CORE) && reach_of[suite->footprint] > reach)
        reach = reach_of[suite->footprint];
    while (reach > RC_SCOPE_CORE && reach < RC_SCOPE_NODE &&
           rc_machine_unit_count(setup->catalogue->machine, reach) == 0)
        reach++;
    return reach < RC_SCOPE_NODE ? reach : RC_SCOPE_NODE;
}

enum rc_replicate rc_units_replicate(const struct rc_units_setup *setup)
{
    return rc_catalogue_nodes(setup->catalogue) ? RC_REPLICATE_NONE
                                                : setup->spec->replicate;
}

/* Whether the places of a lane are parts of nodes: cores, or units that cores share. */
static bool is_by_part(const struct rc_units_setup *setup, size_t lane)
{
    return setup->spec->replicate == RC_REPLICATE_CORE && lane < RC_SCOPE_NODE;
}

/* Places of one simulated node at which a unit of a lane is wanted; 0: no simulated
 * ones.
 */
static size_t places_of_node(const struct rc_units_setup *setup, size_t lane)
{
    if (setup->spec->replicate == RC_REPLICATE_NONE ||
        rc_catalogue_nodes(setup->catalogue) == 0)
        return 0;
    return is_by_part(setup, lane)
               ? rc_machine_unit_count(setup->catalogue->machine, (enum rc_scope)lane)
               : 1;
}

struct rc_where rc_units_where(const struct rc_units_setup *setup, size_t lane,
                               const struct rc_plan_unit *unit, const char *own,
                               uint32_t worker, char label[RC_PLACE_LABEL])
{
    const size_t each = places_of_node(setup, lane);
    struct rc_where where = {.place = 0};

    snprintf(label, RC_PLACE_LABEL, "%s", own);
    if (each > 0) { /* numbers of equal length, so that names sort by them */
        const uint32_t last = rc_catalogue_nodes(setup->catalogue) - 1;
        const int digits = snprintf(NULL, 0, "%" PRIu32, last);
        where.node_number = unit->place / (uint32_t)each;
        snprintf(label, RC_PLACE_LABEL, "n%0*" PRIu32, digits, where.node_number);
    }
    if (each > 0 && is_by_part(setup, lane))
        rc_text_append(label, RC_PLACE_LABEL, " %s %zu",
                       rc_scope_name((enum rc_scope)lane), unit->place % each);
    else if (each > 0 && worker != RC_NO_WORKER)
        rc_text_append(label, RC_PLACE_LABEL, " core %" PRIu32, worker);
    if (label[0]) { /* a node's name has no blank in it */
        const uint64_t none = rc_text_hash("");
        where.place = rc_text_hash(label);
        where.node = rc_text_hash_more(none, label, strcspn(label, " "));
    }
    return where;
}

/* Facts that the many groups of a source have in common. */
struct common {
    const struct rc_units_setup *setup;
    struct rc_arena arena;
    size_t *first;    /* by source: its first group */
    size_t *readings; /* [source][suite] in a sweep; 0: not wanted, or no point */
};

/* -1: no memory. */
static int common_init(const struct rc_units_setup *setup, struct common *out)
{
    const struct rc_campaign_kind *kind = kind_of(setup);
    const size_t sources = kind->record.source_count,
                 both = sources * kind->suite_count;

    *out = (struct common){.setup = setup};
    out->first = rc_arena_array(&out->arena, sources, sizeof *out->first);
    out->readings = rc_arena_array(&out->arena, both, sizeof *out->readings);
    if (out->arena.failed)
        return -1;
    for (size_t g = kind->group_count; g-- > 0;)
        out->first[kind->group[g].source] = g;
    for (size_t s = 0; s < kind->suite_count; s++) {
        const struct rc_suite *suite = rc_suite_find(kind->suite[s].name);
        if (!suite || !rc_spec_wants_suite(setup->spec, suite))
            continue;
        for (size_t i = 0; i < sources; i++)
            out->readings[i * kind->suite_count + s] =
                rc_record_suite_points(&kind->suite[s], i);
    }
    return 0;
}

/* The fewest sweeps of a unit of the group. */
static uint32_t repetitions_least(const struct rc_units_setup *setup, uint32_t group)
{
    const struct rc_campaign_kind *kind = kind_of(setup);

    return rc_spec_repeat_min(
        setup->spec, kind->record.source[kind->group[group].source].deterministic);
}

/* Nanoseconds of a sweep: the time that was measured with the source's first group,
 * plus for each reading the difference between this group and that one, which may be
 * negative; the kernels are in both times and cancel out.  At least a tenth of the
 * measured time, since a negative difference is mostly noise and must not make it 0.
 */
static double sweep_of(const struct common *common, size_t source_suite, size_t group)
{
    const struct rc_costs *costs = common->setup->costs;
    const size_t first = common->first[kind_of(common->setup)->group[group].source];

    if (!costs)
        return 0;
    const double timed = (double)costs->sweep_ns[source_suite];
    const uint64_t usual = costs->group_ns[first], own = costs->group_ns[group];
    const double longer = usual && own ? (double)own - (double)usual : 0;
    const double sweep = timed + longer * (double)common->readings[source_suite];
    return sweep > timed / 10 ? sweep : timed / 10;
}

static int by_cost(const void *left, const void *right)
{
    const struct rc_plan_unit *a = left, *b = right;

    return rc_compare_numbers((uint64_t[]){b->cost_ns, a->suite, a->group, a->place},
                              (uint64_t[]){a->cost_ns, b->suite, b->group, b->place},
                              4);
}

/* Adds the units of a group, one for each suite. -1: no memory. */
static int add_group(const struct common *common, size_t group, struct rc_units *units,
                     size_t *room)
{
    const struct rc_units_setup *setup = common->setup;
    const struct rc_campaign_kind *kind = kind_of(setup);
    uint32_t repetitions = repetitions_least(setup, (uint32_t)group);
    const size_t nodes = rc_catalogue_nodes(setup->catalogue);

    /* As many as calibration expects, and at least those that the campaign file wants.
     */
    if (setup->costs && setup->costs->group_repetitions[group] > repetitions)
        repetitions = (uint32_t)setup->costs->group_repetitions[group];
    for (size_t s = 0; s < kind->suite_count; s++) {
        struct rc_plan_unit unit = {
            .suite = (uint32_t)s, .group = (uint32_t)group, .repetitions = repetitions};
        size_t l = lane_of(setup, &kind->suite[s], &kind->group[group]);
        struct rc_lane *lane = &units->lane[l];
        size_t source_suite = kind->group[group].source * kind->suite_count + s;
        if (common->readings[source_suite] == 0 ||
            !rc_campaign_owns(kind, unit.suite, unit.group))
            continue;
        unit.cost_ns = (uint64_t)(sweep_of(common, source_suite, group) * repetitions);
        const size_t places = nodes * places_of_node(setup, l);
        do {
            if (rc_grow(&lane->unit, sizeof *lane->unit, lane->count, &room[l]))
                return -1;
            lane->unit[lane->count++] = unit;
        } while (++unit.place < places);
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
    const double places = (double)rc_catalogue_nodes(setup->catalogue) *
                          (double)places_of_node(setup, RC_SCOPE_CORE);

    *out = (struct rc_units){.count = 0};
    if (places * (double)kind->group_count * (double)kind->suite_count > UNITS_MOST)
        return rc_fail(err, RC_EUSAGE,
                       "%zu groups in %zu suites on %.0f cores of simulated nodes are "
                       "more than %d units, expected fewer nodes in the machine file",
                       kind->group_count, kind->suite_count, places, UNITS_MOST);
    bool failed = common_init(setup, &common) != 0;
    for (size_t g = 0; g < kind->group_count && !failed; g++) {
        const struct rc_record_group *group = &kind->group[g];
        bool wanted =
            true; /* a group is measured if all of its own events are wanted */
        for (size_t i = 0; i < group->own; i++)
            wanted &= setup->map->listed[group->event[i]] != RC_EVENT_ABSENT;
        failed = wanted && add_group(&common, g, out, room);
    }
    rc_arena_free(&common.arena);
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

void rc_units_drop_done(const struct rc_units_setup *setup, size_t lane,
                        const char *place, struct rc_units *units)
{
    struct rc_lane *from = &units->lane[lane];
    char label[RC_PLACE_LABEL];
    size_t kept = 0;

    for (size_t i = 0; i < from->count; i++) {
        const struct rc_plan_unit *unit = &from->unit[i];
        (void)rc_units_where(setup, lane, unit, place, RC_NO_WORKER, label);
        const struct rc_campaign_unit *have =
            (rc_record_suite_team(&kind_of(setup)->suite[unit->suite])
                 ? rc_campaign_find_team
                 : rc_campaign_find_unit)(setup->campaign, setup->kind, unit->suite,
                                          unit->group, label);
        if (!have || have->status != RC_UNIT_OK || have->stop == RC_STOP_INTERRUPTED ||
            have->repetitions < repetitions_least(setup, unit->group))
            from->unit[kept++] = *unit;
    }
    from->count = kept;
    sum_up(units);
}
