#include "tests/lib/test.h"

#include "campaign/base/text.h"
#include "campaign/plan/estimate.h"
#include "campaign/plan/units.h"
#include "tests/lib/fake_lib.h"
#include "tests/lib/idle.h"

enum { PLAIN, ISOLATED, EXACT, SOURCES };

static const struct rc_source sources[SOURCES] = {
    FAKE_SOURCE("plain", .runs_kernels = true),
    FAKE_SOURCE("isolated", .runs_kernels = true, .isolated = true),
    FAKE_SOURCE("exact", .runs_kernels = true, .deterministic = true),
};

/* Suites of this build, whose footprints and points are said here. */
enum { FLOPS, BRANCH, ICACHE, DCACHE, MEMORY, SUITES, POINTS = 2 };
static const char *const suite_names[SUITES] = {"flops", "branch", "icache", "dcache",
                                                "memory"};

static struct {
    struct rc_spec spec;
    struct rc_open_source open[SOURCES];
    struct rc_catalogue catalogue;
    struct rc_record_source source[SOURCES];
    uint64_t iterations[SUITES][SOURCES][POINTS];
    struct rc_record_suite suite[SUITES];
    uint32_t *event, *listed;
    struct rc_record_group *group;
    struct rc_campaign_kind kind;
    struct rc_campaign campaign;
    struct rc_event_numbers map;
    struct rc_costs costs;
    struct rc_units_setup setup;
    struct rc_units units;
    struct rc_error err;
} t;

/* 'groups' groups of one event each, of the plain source and of a core. */
static void open_groups(size_t groups, size_t suites)
{
    t.event = rc_calloc(groups, sizeof *t.event);
    t.listed = rc_calloc(groups, sizeof *t.listed);
    t.group = rc_calloc(groups, sizeof *t.group);
    t.costs.group_ns = rc_calloc(groups, sizeof *t.costs.group_ns);
    t.costs.group_repetitions = rc_calloc(groups, sizeof *t.costs.group_repetitions);
    for (size_t i = 0; i < groups; i++) {
        t.event[i] = t.listed[i] = (uint32_t)i;
        t.group[i] = (struct rc_record_group){PLAIN, RC_SCOPE_CORE, &t.event[i], 1, 1};
    }
    t.map = (struct rc_event_numbers){.listed = t.listed, .events = groups};
    t.costs.sweep_ns = rc_calloc((size_t)SOURCES * SUITES, sizeof *t.costs.sweep_ns);
    t.kind = (struct rc_campaign_kind){
        .record = {.source = t.source, .source_count = SOURCES},
        .suite = t.suite,
        .suite_count = suites,
        .group = t.group,
        .group_count = groups};
}

static void open_machine(const char *machine)
{
    rc_machine_close(t.catalogue.machine);
    assert_int_equal(
        rc_machine_open(RC_MACHINE_SYNTHETIC, machine, &t.catalogue.machine, &t.err),
        RC_OK);
}

static void open_test(const char *spec, size_t groups, size_t suites)
{
    static const char *places[] = {"", "n1"};

    memset(&t, 0, sizeof t);
    assert_int_equal(rc_spec_from_text("c", spec, strlen(spec), &t.spec, &t.err),
                     RC_OK);
    for (size_t s = 0; s < SOURCES; s++) {
        t.open[s].source = &sources[s];
        t.source[s] = (struct rc_record_source){
            .name = sources[s].name, .deterministic = sources[s].deterministic};
    }
    t.catalogue.source = t.open;
    t.catalogue.source_count = SOURCES;
    for (size_t s = 0; s < SUITES; s++) {
        for (size_t i = 0; i < (size_t)SOURCES * POINTS; i++)
            t.iterations[s][i / POINTS][i % POINTS] = 1;
        t.suite[s] = (struct rc_record_suite){.name = suite_names[s],
                                              .point_count = POINTS,
                                              .iterations = t.iterations[s][0],
                                              .source_count = SOURCES};
    }
    open_groups(groups, suites);
    open_machine("package:2 numa:1 l3:1 l2:2 core:2 pu:2");
    t.campaign = (struct rc_campaign){
        .kind = &t.kind, .kind_count = 1, .place = places, .place_count = 2};
    t.setup = (struct rc_units_setup){.campaign = &t.campaign,
                                      .spec = &t.spec,
                                      .catalogue = &t.catalogue,
                                      .map = &t.map};
}

static void find(void)
{
    rc_units_fini(&t.units);
    if (rc_units_find(&t.setup, &t.units, &t.err) != RC_OK)
        fail_msg("%s", t.err.text);
}

static void close_test(void)
{
    rc_units_fini(&t.units);
    free(t.event);
    free(t.listed);
    free(t.group);
    free(t.costs.group_ns);
    free(t.costs.group_repetitions);
    free(t.costs.sweep_ns);
    rc_machine_close(t.catalogue.machine);
    rc_spec_fini(&t.spec);
}

static const char whole[] = "package:2 numa:2 l3:1 l2:4 core:2 pu:2";
static const char private_l2[] = "package:1 l3:1 l2:4 core:1 pu:1";
static const char no_l3[] = "package:2 l2:2 core:2 pu:1";
static const char bare[] = "core:4 pu:1";

static void each_unit_is_in_the_lane_of_the_peace_it_needs(void **state)
{
    static const struct {
        const char *machine;
        uint32_t source;
        enum rc_scope scope;
        enum rc_footprint footprint;
        bool all_cores;
        size_t lane;
    } cases[] = {
        {whole, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_CORE, false, RC_SCOPE_CORE},
        {whole, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_L2, false, RC_SCOPE_L2},
        {whole, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_L3, false, RC_SCOPE_L3},
        {whole, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_MEMORY, false, RC_SCOPE_NUMA},
        {whole, PLAIN, RC_SCOPE_L2, RC_FOOTPRINT_CORE, false, RC_SCOPE_L2},
        {whole, PLAIN, RC_SCOPE_L3, RC_FOOTPRINT_L2, false, RC_SCOPE_L3},
        {whole, PLAIN, RC_SCOPE_PACKAGE, RC_FOOTPRINT_CORE, false, RC_SCOPE_PACKAGE},
        {whole, PLAIN, RC_SCOPE_PACKAGE, RC_FOOTPRINT_MEMORY, false, RC_SCOPE_PACKAGE},
        {whole, PLAIN, RC_SCOPE_NODE, RC_FOOTPRINT_CORE, false, RC_SCOPE_NODE},
        {whole, PLAIN, RC_SCOPE_DEVICE, RC_FOOTPRINT_CORE, false, RC_SCOPE_NODE},
        {whole, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_CORE, true, RC_LANE_ALL_CORES},
        {whole, PLAIN, RC_SCOPE_NODE, RC_FOOTPRINT_MEMORY, true, RC_LANE_ALL_CORES},
        {whole, ISOLATED, RC_SCOPE_CORE, RC_FOOTPRINT_MEMORY, false, RC_SCOPE_CORE},
        {whole, ISOLATED, RC_SCOPE_L2, RC_FOOTPRINT_MEMORY, false, RC_SCOPE_NUMA},
        {whole, ISOLATED, RC_SCOPE_CORE, RC_FOOTPRINT_MEMORY, true, RC_LANE_ALL_CORES},
        {private_l2, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_L2, false, RC_SCOPE_L2},
        {private_l2, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_L3, false, RC_SCOPE_L3},
        {no_l3, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_L2, false, RC_SCOPE_L2},
        {no_l3, PLAIN, RC_SCOPE_CORE, RC_FOOTPRINT_L3, false, RC_SCOPE_NUMA},
        {no_l3, PLAIN, RC_SCOPE_L3, RC_FOOTPRINT_CORE, false, RC_SCOPE_NUMA},
        {bare, PLAIN, RC_SCOPE_L2, RC_FOOTPRINT_CORE, false, RC_SCOPE_NUMA},
        {bare, PLAIN, RC_SCOPE_PACKAGE, RC_FOOTPRINT_CORE, false, RC_SCOPE_PACKAGE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_test("suites: [flops]", 1, 1);
        open_machine(cases[i].machine);
        t.group[0].source = cases[i].source;
        t.group[0].scope = (uint8_t)cases[i].scope;
        t.suite[0].footprint = (uint8_t)cases[i].footprint;
        t.suite[0].all_cores = cases[i].all_cores;
        find();
        assert_int_equal(t.units.count, 1);
        if (t.units.lane[cases[i].lane].count != 1)
            fail_msg("case %zu: not in lane '%s'", i, rc_lane_name(cases[i].lane));
        close_test();
    }
}

static void what_is_not_wanted_is_no_unit(void **state)
{
    static const uint32_t members[] = {0, 1, 2};

    (void)state;
    open_test("suites: [flops, branch]", 4, SUITES);
    t.suite[BRANCH].name = "a suite of another build";
    find();
    assert_int_equal(t.units.count, 4);
    t.listed[2] = RC_EVENT_ABSENT; /* the patterns do not take event 2 any more */
    find();
    assert_int_equal(t.units.count, 3);
    t.group[0] = (struct rc_record_group){PLAIN, RC_SCOPE_CORE, members, 3, 2};
    find(); /* there as a reference only */
    assert_int_equal(t.units.count, 3);
    t.group[0].own = 3;
    find();
    assert_int_equal(t.units.count, 2);
    memset(t.iterations[FLOPS][PLAIN], 0, sizeof t.iterations[FLOPS][PLAIN]);
    find();
    assert_int_equal(t.units.count, 0);
    t.iterations[FLOPS][PLAIN][POINTS - 1] = 9;
    find();
    assert_int_equal(t.units.count, 2);
    close_test();
}

static void without_names_the_suites_by_default_are_wanted(void **state)
{
    size_t wanted = 0;

    (void)state;
    open_test("source: ['model:spr']", 1, SUITES);
    for (size_t s = 0; s < SUITES; s++)
        wanted += rc_suite_find(suite_names[s])->by_default;
    find();
    assert_int_equal(t.units.count, wanted);
    close_test();
}

static void assert_unit(size_t lane, size_t at, uint32_t suite, uint32_t group,
                        uint64_t cost_ns)
{
    const struct rc_plan_unit *unit = &t.units.lane[lane].unit[at];

    assert_true(at < t.units.lane[lane].count);
    assert_int_equal(unit->suite, suite);
    assert_int_equal(unit->group, group);
    assert_int_equal(unit->cost_ns, cost_ns);
}

/* A unit costs its sweep, with the difference of its group's readings to those of
 * the source's first group at both points, as often as it is repeated.
 */
static void open_costs(void)
{
    open_test("suites: [flops, branch]", 4, 2);
    t.group[1].source = t.group[3].source = EXACT;
    t.costs.sweep_ns[PLAIN * 2 + FLOPS] = 1000;
    t.costs.sweep_ns[PLAIN * 2 + BRANCH] = 100;
    t.costs.sweep_ns[EXACT * 2 + FLOPS] = 2000;
    t.costs.sweep_ns[EXACT * 2 + BRANCH] = 10;
    t.costs.group_ns[0] = 10;
    t.costs.group_ns[1] = 0; /* not known */
    t.costs.group_ns[2] = 1010;
    t.costs.group_ns[3] = 50;
    t.setup.costs = &t.costs;
    find();
}

static void the_most_expensive_units_come_first(void **state)
{
    (void)state;
    open_costs();
    assert_int_equal(t.units.count, 8);
    assert_unit(RC_SCOPE_CORE, 0, FLOPS, 2, 15000);
    assert_unit(RC_SCOPE_CORE, 1, BRANCH, 2, 10500);
    assert_unit(RC_SCOPE_CORE, 2, FLOPS, 0, 5000);
    assert_unit(RC_SCOPE_CORE, 3, FLOPS, 1, 4000);
    assert_unit(RC_SCOPE_CORE, 4, FLOPS, 3, 4000);
    assert_unit(RC_SCOPE_CORE, 5, BRANCH, 0, 500);
    assert_unit(RC_SCOPE_CORE, 6, BRANCH, 1, 20);
    assert_unit(RC_SCOPE_CORE, 7, BRANCH, 3, 20);
    assert_int_equal(t.units.cost_ns, 39040);
    t.costs.group_repetitions[0] = 7; /* it is noisy */
    t.costs.group_repetitions[2] = 3; /* fewer than are made in any case */
    t.costs.group_ns[0] = 9010;
    find();
    assert_unit(RC_SCOPE_CORE, 0, FLOPS, 0, 7000);
    assert_unit(RC_SCOPE_CORE, 3, BRANCH, 0, 700);
    assert_unit(RC_SCOPE_CORE, 4, FLOPS, 2, 500); /* no less than a tenth */
    t.setup.costs = NULL;
    find();
    assert_int_equal(t.units.cost_ns, 0);
    assert_unit(RC_SCOPE_CORE, 7, BRANCH, 3, 0);
    close_test();
}

static void what_is_done_is_dropped_until_more_repetitions_are_wanted(void **state)
{
    struct rc_campaign_unit done[] = {
        {.suite = FLOPS, .group = 0, .repetitions = 5, .status = RC_UNIT_OK},
        {.suite = FLOPS, .group = 1, .repetitions = 2, .status = RC_UNIT_OK},
        {.suite = FLOPS, .group = 2, .repetitions = 5, .status = RC_UNIT_INVALID},
        {.suite = FLOPS,
         .group = 3,
         .place = 1,
         .repetitions = 5,
         .status = RC_UNIT_OK},
        {.suite = BRANCH, .group = 0, .repetitions = 4, .status = RC_UNIT_OK},
    };

    (void)state;
    open_costs();
    t.campaign.unit = done;
    t.campaign.unit_count = sizeof done / sizeof done[0];
    rc_units_drop_done(&t.setup, RC_SCOPE_NODE, "", &t.units);
    assert_int_equal(t.units.count, 8);
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "", &t.units);
    assert_int_equal(t.units.count, 6);
    assert_int_equal(t.units.cost_ns, 39040 - 5000 - 4000);
    assert_unit(RC_SCOPE_CORE, 0, FLOPS, 2, 15000);
    assert_unit(RC_SCOPE_CORE, 2, FLOPS, 3, 4000);
    find();
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "n1", &t.units);
    assert_int_equal(t.units.count, 7);
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "n2", &t.units);
    assert_int_equal(t.units.count, 7);
    t.spec.repeat_min = 6;
    find();
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "", &t.units);
    assert_int_equal(t.units.count, 8);
    t.spec.repeat_min = 1;
    find();
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "", &t.units);
    assert_int_equal(t.units.count, 5);
    close_test();
}

static const char *two_cores(struct rc_source_state *state)
{
    (void)state;
    return "package:1 l3:1 core:2 pu:1";
}

static uint32_t twelve(struct rc_source_state *state)
{
    (void)state;
    return 12;
}

static void assert_where(size_t lane, size_t at, const char *label, uint32_t node)
{
    char found[RC_PLACE_LABEL];
    const struct rc_where where =
        rc_units_where(&t.setup, lane, &t.units.lane[lane].unit[at], "own core 7",
                       RC_NO_WORKER, found);

    assert_true(at < t.units.lane[lane].count);
    assert_string_equal(found, label);
    assert_int_equal(where.node_number, node);
    assert_true(where.place == rc_text_hash(label));
    snprintf(found, sizeof found, "%.*s", (int)strcspn(label, " "), label);
    assert_true(where.node == rc_text_hash(found));
}

static void units_are_repeated_at_all_places_of_simulated_nodes(void **state)
{
    static const struct rc_source simulated =
        FAKE_SOURCE("simulated", .topology = two_cores, .nodes = twelve);
    static const char *places[] = {"", "n03 core 1"};
    struct rc_campaign_unit done = {
        .suite = FLOPS, .place = 1, .repetitions = 5, .status = RC_UNIT_OK};

    (void)state;
    open_test("{suites: [flops], replicate: core}", 2, 1);
    t.group[1].scope = RC_SCOPE_L3;
    assert_int_equal(rc_units_replicate(&t.setup), RC_REPLICATE_CORE);
    find();
    assert_int_equal(t.units.count, 2); /* for each rank its own */
    assert_where(RC_SCOPE_CORE, 0, "own core 7", 0);
    for (size_t s = 0; s < SOURCES; s++)
        t.open[s].source = &simulated;
    open_machine("package:1 l3:1 core:2 pu:1");
    assert_int_equal(rc_units_replicate(&t.setup), RC_REPLICATE_NONE);
    find();
    assert_int_equal(t.units.lane[RC_SCOPE_CORE].count, 24);
    assert_int_equal(t.units.lane[RC_SCOPE_L3].count, 12);
    assert_where(RC_SCOPE_CORE, 0, "n00 core 0", 0);
    assert_where(RC_SCOPE_CORE, 23, "n11 core 1", 11);
    assert_where(RC_SCOPE_L3, 11, "n11 l3 0", 11);
    t.campaign.place = places;
    t.campaign.unit = &done;
    t.campaign.unit_count = 1;
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "", &t.units);
    assert_int_equal(t.units.lane[RC_SCOPE_CORE].count, 23);
    assert_where(RC_SCOPE_CORE, 7, "n04 core 0", 4);
    t.spec.replicate = RC_REPLICATE_NODE;
    find();
    assert_int_equal(t.units.count, 24);
    assert_where(RC_SCOPE_L3, 5, "n05", 5);
    t.spec.replicate = RC_REPLICATE_NONE;
    find();
    assert_int_equal(t.units.count, 2);
    t.spec.replicate = RC_REPLICATE_CORE;
    t.kind.group_count = 1 << 24;
    rc_units_fini(&t.units);
    assert_int_equal(rc_units_find(&t.setup, &t.units, &t.err), RC_EUSAGE);
    assert_non_null(strstr(t.err.text, "on 24 cores of simulated nodes"));
    close_test();
}

static void repetitions_are_those_of_the_spec_or_of_the_source(void **state)
{
    static const struct {
        uint32_t min, max, least[2], most[2]; /* [deterministic] */
    } cases[] = {
        {0, 0, {5, 2}, {30, 30}}, {7, 0, {7, 7}, {30, 30}},    {0, 3, {5, 2}, {5, 3}},
        {9, 4, {9, 9}, {9, 9}},   {40, 0, {40, 40}, {40, 40}}, {1, 1, {1, 1}, {1, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int exact = 0; exact < 2; exact++) {
            const struct rc_spec spec = {.repeat_min = cases[i].min,
                                         .repeat_max = cases[i].max};
            assert_int_equal(rc_spec_repeat_min(&spec, exact), cases[i].least[exact]);
            assert_int_equal(rc_spec_repeat_max(&spec, exact), cases[i].most[exact]);
        }
}

static void a_hundred_thousand_groups_are_planned_at_once(void **state)
{
    enum { GROUPS = 100000 };
    struct rc_campaign_unit *done = rc_calloc(GROUPS, sizeof *done);
    double used;

    (void)state;
    open_test("suites: [flops, branch]", GROUPS, 2);
    for (uint32_t i = 0; i < GROUPS; i++) {
        done[i] = (struct rc_campaign_unit){
            .group = i, .repetitions = 5, .status = RC_UNIT_OK};
        t.group[i].source = i < GROUPS / 2 ? PLAIN : EXACT;
        t.costs.group_ns[i] = 1 + i % 7;
    }
    for (size_t i = 0; i < (size_t)SOURCES * SUITES; i++)
        t.costs.sweep_ns[i] = 1000 * i;
    t.setup.costs = &t.costs;
    t.campaign.unit = done;
    t.campaign.unit_count = GROUPS;
    used = cpu_seconds();
    find();
    assert_int_equal(t.units.count, 2 * GROUPS);
    rc_units_drop_done(&t.setup, RC_SCOPE_CORE, "", &t.units);
    assert_int_equal(t.units.count, GROUPS);
    used = cpu_seconds() - used;
    print_message("%d groups: %.0f ms\n", GROUPS, used * 1e3);
    assert_true(used < 10); /* the square of so many takes minutes */
    close_test();
    free(done);
}

static void a_team_has_no_more_workers_than_units_of_the_machine(void **state)
{
    static const struct {
        const char *machine;
        size_t ranks, nodes,
            workers[RC_LANE_COUNT]; /* core l2 l3 numa package node all */
    } cases[] = {
        {whole, 1, 1, {1, 1, 1, 1, 1, 1, 1}},
        {whole, 32, 1, {32, 16, 4, 4, 2, 1, 1}},
        {whole, 8, 3, {24, 24, 12, 12, 6, 3, 3}},
        {whole, 100, 2, {64, 32, 8, 8, 4, 2, 2}},
        {no_l3, 8, 1, {8, 4, 1, 1, 2, 1, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_test("suites: [flops]", 1, 1);
        open_machine(cases[i].machine);
        struct rc_estimate_team team = rc_estimate_team(
            t.catalogue.machine, cases[i].ranks, cases[i].nodes, RC_REPLICATE_NONE);
        for (size_t l = 0; l < RC_LANE_COUNT; l++)
            if (team.workers[l] != cases[i].workers[l])
                fail_msg("case %zu: %zu workers in lane '%s'", i, team.workers[l],
                         rc_lane_name(l));
        close_test();
    }
}

/* By hand: of the plain source 15000, 10500, 5000 and 500 in 5 to 30 sweeps, of the
 * exact one 4000, 4000, 20 and 20 in 2.
 */
static void an_estimate_is_the_sum_shared_out_but_no_less_than_its_longest(void **state)
{
    struct rc_estimate_team team = {{4, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}};
    struct rc_estimate e;

    (void)state;
    open_costs();
    rc_estimate(&t.setup, &t.units, &team, &e);
    assert_int_equal(e.lane[RC_SCOPE_CORE].units, 8);
    assert_int_equal(e.lane[RC_SCOPE_CORE].work_ns, 39040);
    assert_int_equal(e.lane[RC_SCOPE_CORE].wall_ns, 15000); /* its longest */
    assert_int_equal(e.least_ns, 15000);
    assert_int_equal(e.most_ns, 6 * 15000);
    assert_int_equal(e.readings, 4 * POINTS * 5 + 4 * POINTS * 2);
    assert_true(e.journal_bytes >= e.readings);
    assert_true(e.rank_bytes >= sizeof(int64_t) * 30 * POINTS);
    team.workers[RC_SCOPE_CORE] = 1;
    rc_estimate(&t.setup, &t.units, &team, &e);
    assert_int_equal(e.least_ns, 39040);
    assert_int_equal(e.most_ns, 6 * 31000 + 8040);
    t.suite[BRANCH].footprint = RC_FOOTPRINT_MEMORY; /* two lanes, one after another */
    find();
    team.workers[RC_SCOPE_CORE] = 4;
    rc_estimate(&t.setup, &t.units, &team, &e);
    assert_int_equal(e.lane[RC_SCOPE_NUMA].wall_ns, 11040);
    assert_int_equal(e.least_ns, 15000 + 11040);
    memset(team.workers, 0, sizeof team.workers); /* nobody is as slow as one */
    rc_estimate(&t.setup, &t.units, &team, &e);
    assert_int_equal(e.least_ns, 39040);
    team = (struct rc_estimate_team){{4, 2, 2, 2, 2, 2, 2}, {4, 2, 2, 2, 2, 2, 2}};
    rc_estimate(&t.setup, &t.units, &team, &e);
    assert_int_equal(e.lane[RC_SCOPE_CORE].units, 16);
    assert_int_equal(e.lane[RC_SCOPE_CORE].work_ns, 4 * 28000);
    assert_int_equal(e.least_ns, 39040); /* each place measures all */
    assert_int_equal(e.readings, 6 * (2 * POINTS * 5 + 2 * POINTS * 2));
    close_test();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_wanted_is_no_unit),
        cmocka_unit_test(without_names_the_suites_by_default_are_wanted),
        cmocka_unit_test(each_unit_is_in_the_lane_of_the_peace_it_needs),
        cmocka_unit_test(the_most_expensive_units_come_first),
        cmocka_unit_test(what_is_done_is_dropped_until_more_repetitions_are_wanted),
        cmocka_unit_test(units_are_repeated_at_all_places_of_simulated_nodes),
        cmocka_unit_test(repetitions_are_those_of_the_spec_or_of_the_source),
        cmocka_unit_test(a_hundred_thousand_groups_are_planned_at_once),
        cmocka_unit_test(a_team_has_no_more_workers_than_units_of_the_machine),
        cmocka_unit_test(
            an_estimate_is_the_sum_shared_out_but_no_less_than_its_longest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
