/* A profile's journals, read, summed, exported and packed; damaged, cut, hostile. */
#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "campaign/fft3d/expected.h"
#include "campaign/profile/export/export.h"
#include "campaign/profile/pack/pack.h"
#include "campaign/profile/read/instances.h"
#include "campaign/profile/read/phases.h"
#include "campaign/profile/show/show.h"
#include "campaign/profile/tables/cube.h"
#include "tests/lib/own_dir.h"
#include "tests/lib/profile_lib.h"

#include <fcntl.h>
#include <hdf5.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

enum { RANKS = 4 };
#define assert_near(is, wanted) assert_true(fabs((is) - (wanted)) < 1e-6)

static struct rc_error err;

static void must(int status)
{
    if (status != RC_OK)
        fail_msg("%s", err.text);
}

/* Two nodes with two ranks each. */
static void make_profile(const char *dir, uint64_t launch)
{
    static const char *const nodes[] = {"n0", "n1"};

    must(mkdir(dir, 0777) && launch == 0 ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 2; n++) {
        struct sample_profile s = sample_profile(dir, nodes[n]);
        s.launch = launch;
        s.writer = ((uint32_t)launch * 2 + n) * RC_PROFILE_WRITERS;
        s.sequence = launch * 1000;
        must(sample_launch(&s, 2 * n, 2, RANKS, &err));
    }
}

static const struct rc_profile_region *region(const struct rc_profile_sums *s,
                                              const char *name)
{
    for (size_t i = 0; i < s->region_count; i++)
        if (strcmp(s->region[i].name, name) == 0)
            return &s->region[i];
    fail_msg("no region '%s'", name);
    return NULL;
}

/* The time of a launch is the program's, from the begin of its first process to the end
 * of its last one, whatever the samplers took before and after it; the axis of time
 * has all of it.
 */
static void the_time_is_the_programs_not_the_samplers(void **state)
{
    static const char *const nodes[] = {"n0", "n1"};
    struct rc_profile *p;
    struct rc_profile_sums sums;

    (void)state;
    must(mkdir("programs", 0777) ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 2; n++) {
        struct sample_profile s = sample_profile("programs", nodes[n]);
        s.writer = n * RC_PROFILE_WRITERS;
        s.began_ns = s.base_ns + (2 + n) * 100 * SAMPLE_MS;
        s.ended_ns = s.base_ns + (10 + n) * 100 * SAMPLE_MS;
        must(sample_launch(&s, 2 * n, 2, RANKS, &err));
    }
    must(rc_profile_read("programs", true, &p, &err));
    must(rc_profile_sum(p, 0, NULL, &sums, &err));
    assert_int_equal(sums.wall_ns, 900 * SAMPLE_MS);
    assert_int_equal(sums.began_unix_ns, SAMPLE_UNIX + 200 * (int64_t)SAMPLE_MS);
    assert_int_equal(sums.axis_ns, 2 * SAMPLE_S);
    rc_profile_sums_fini(&sums);
    rc_profile_close(p);
}

/* One of four ranks waited for a processor for 0.6 of 8 s: 7.5 %. */
static void what_ranks_ran_is_known_of_each(void **state)
{
    struct rc_profile *p;
    struct rc_profile_sums sums;
    struct rc_cube *cube;
    size_t metric, missing;

    (void)state;
    must(mkdir("starved", 0777) ? RC_EIO : RC_OK);
    struct sample_profile s = sample_profile("starved", "n0");
    s.starved = true;
    must(sample_launch(&s, 0, RANKS, RANKS, &err));
    must(rc_profile_read("starved", true, &p, &err));
    assert_int_equal(p->refused, 0);
    must(rc_profile_sum(p, 0, NULL, &sums, &err));
    assert_near(sums.ran.seen_ns / 1e9, 8);
    assert_near(sums.ran.ran_ns / 1e9, 7.3);
    assert_near(sums.ran.waited_ns / 1e9, 0.6);
    assert_near(sums.rank[0].ran.ran_ns / 1e9, 1.3);
    assert_near(sums.rank[1].ran.waited_ns, 0);
    assert_near(rc_profile_processors(&sums), 4);
    must(rc_profile_cube_of(&sums, &cube, &err));
    assert_true((metric = rc_cube_find_metric(cube, "not_running")) != SIZE_MAX);
    assert_near(rc_cube_sum(cube, metric, 0, &missing) / 1e9, 0.6);
    rc_cube_close(cube);
    rc_profile_sums_fini(&sums);
    rc_profile_close(p);
}

/* Calls of rank 0 are not starved by rank 0 itself; those of others are, in its first
 * second: 0.6 of each.
 */
static void calls_are_starved_by_other_ranks(void **state)
{
    struct rc_profile *p;
    struct rc_profile_sums sums;

    (void)state;
    must(rc_profile_read("starved", true, &p, &err));
    for (size_t t = 0; t < RANKS; t++) {
        struct rc_profile_thread *thread = &p->node[0].thread[t];
        const uint64_t at = p->node[0].launch.at_ns;
        assert_true(thread->mark_room >= 4);
        thread->mark_count = 4;
        for (size_t i = 0; i < 4; i++)
            thread->mark[i] = (struct rc_profile_mark){
                at + (500 + i / 2 * 1000 + i % 2 * 100) * SAMPLE_MS, 1,
                i % 2 ? RC_SHARED_CALL_ENDED : RC_SHARED_CALL_BEGAN};
    }
    must(rc_profile_sum(p, 0, NULL, &sums, &err));
    must(rc_profile_starve(&sums, NULL, &err));
    assert_near(sums.starved_ns / 1e9, 3 * 0.06);
    assert_near(sums.function[0].starved_ns / 1e9, 3 * 0.06);
    rc_profile_sums_fini(&sums);
    rc_profile_close(p);
}

/* Rank r has solve 3 * (r + 1) * 0.1 s, walk 0.04 s, main the rest of 1.8 s. */
static void times_add_up_to_the_life_of_the_ranks(void **state)
{
    struct rc_profile *p;
    struct rc_profile_sums s;
    double all = 0;

    (void)state;
    make_profile("plain", 0);
    must(rc_profile_read("plain", true, &p, &err));
    assert_int_equal(p->refused, 0);
    assert_int_equal(p->damage_count, 0);
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    assert_int_equal(s.node_count, 2);
    assert_int_equal(s.rank_count, RANKS);
    assert_int_equal(s.rank[3].rank, 3);
    assert_string_equal(s.rank[3].node, "n1");
    assert_int_equal(s.wall_ns, 2 * SAMPLE_S);
    const struct rc_profile_region *solve = region(&s, "solve"),
                                   *walk = region(&s, "walk"),
                                   *main_region = region(&s, "main");
    assert_int_equal(solve->visits, 12);
    assert_near(solve->own.total / 1e9, 3.0);
    assert_near(solve->own.least / 1e9, 0.3);
    assert_near(solve->own.most / 1e9, 1.2);
    assert_int_equal(solve->own.most_at, 3);
    assert_near(solve->mpi_ns / 1e9, 0.12);
    assert_near(solve->count[0], 4 * 300);
    assert_near(walk->own.total / 1e9, 4 * 0.04);    /* itself and the one within */
    assert_near(walk->inclusive_ns / 1e9, 4 * 0.04); /* not 0.05 */
    assert_int_equal(walk->visits, 8);
    assert_near(main_region->own.total / 1e9, 4 * 1.8 - 3.0 - 4 * 0.04);
    assert_near(main_region->inclusive_ns / 1e9, 4 * 1.8);
    assert_near(main_region->count[0], 4 * (900 - 300 - 40));
    for (size_t i = 0; i < s.region_count; i++)
        all += s.region[i].own.total;
    assert_near(all / 1e9, 8);
    assert_near(s.ns / 1e9, 8);
    assert_int_equal(s.function_count, 1);
    assert_int_equal(s.function[0].calls, 12);
    assert_int_equal(s.function[0].bytes, 96);
    assert_int_equal(s.function[0].longest_ns, 12 * SAMPLE_MS);
    rc_profile_sums_fini(&s);

    must(rc_profile_sum(p, 0, "w*k", &s, &err)); /* by path from there on */
    assert_int_equal(s.region_count, 2);
    assert_near(region(&s, "walk > walk")->own.total / 1e9, 4 * 0.01);
    assert_near(s.ns / 1e9, 4 * 0.04);
    assert_int_equal(s.function_count, 0);
    rc_profile_sums_fini(&s);

    assert_int_equal(rc_profile_sum(p, 0, "nowhere", &s, &err), RC_EMISSING);
    rc_profile_sums_fini(&s);
    assert_int_equal(rc_profile_sum(p, 7, NULL, &s, &err), RC_EMISSING);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);
}

/* n1 booted 100 s before n0, and its clock is faster by 10 ppm; what its wall clock
 * says is of no use.  The comparisons say so within 200 ns; a third one goes back in
 * time.
 */
static void clocks_that_were_compared_join_the_nodes(void **state)
{
    enum { FASTER_PPM = 10 };
    const int64_t base = 5 * (int64_t)SAMPLE_S, ahead = 100 * (int64_t)SAMPLE_S;
    const struct rc_profile_offset none[] = {{base, 0, 0}, {2 * base, 0, 0}},
                                   of_n1[] = {
                                       {base + ahead, -ahead - 100, -ahead + 100},
                                       {base + ahead + 1000000000, -ahead - 10100,
                                        -ahead - 9900},
                                       {base, 7, 8}};
    char clocks[RC_PROFILE_CLOCKS_TEXT];
    struct rc_profile *p;

    (void)state;
    must(mkdir("compared", 0777) ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 3; n++) { /* n2 has none */
        static const char *const nodes[] = {"n0", "n1", "n2"};
        struct sample_profile s = sample_profile("compared", nodes[n]);
        s.writer = n * RC_PROFILE_WRITERS;
        s.base_ns += n == 1 ? (uint64_t)ahead : 0;
        s.offset = n == 0 ? none : of_n1;
        s.offsets = n == 0 ? 2 : n == 1 ? 3 : 0;
        must(sample_launch(&s, n, 1, 3, &err));
    }
    must(rc_profile_read("compared", false, &p, &err));
    assert_int_equal(p->refused, 0);
    const struct rc_profile_node *n0 = &p->node[0], *n1 = &p->node[1];
    assert_true(n0->compared && n1->compared && !p->node[2].compared);
    assert_int_equal(n1->clock.count, 2);
    assert_int_equal(rc_profile_unix_ns(n0, 6 * SAMPLE_S),
                     SAMPLE_UNIX + (int64_t)SAMPLE_S);
    for (int64_t since = 0; since <= 1000000000; since += 100000000) {
        const int64_t is = rc_profile_unix_ns(n1, (uint64_t)(base + ahead + since));
        const int64_t truth = SAMPLE_UNIX + since - since / 1000000 * FASTER_PPM;
        assert_in_range(is - truth + 1000, 998, 1002);
    }
    assert_string_equal(rc_profile_clocks_text(p->node, 3, clocks),
                        "clocks of 2 of 3 nodes compared, known to 601 ns, wall clocks "
                        "of the others");
    assert_string_equal(rc_profile_clocks_text(p->node + 2, 1, clocks), "of one node");
    rc_profile_close(p);
}

/* One of two ranks says how long calls waited: missing is not 0. */
static void waiting_is_summed_where_it_is_known(void **state)
{
    struct rc_profile *p;
    struct rc_profile_sums s;

    (void)state;
    must(mkdir("waits", 0777) ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 2; n++) {
        struct sample_profile sample = sample_profile("waits", n ? "n1" : "n0");
        sample.writer = n * RC_PROFILE_WRITERS;
        sample.waits = n == 1;
        must(sample_launch(&sample, n, 1, 2, &err));
    }
    must(rc_profile_read("waits", false, &p, &err));
    assert_int_equal(p->refused, 0);
    assert_null(
        rc_profile_wait_of(&p->node[0].thread[0], &p->node[0].thread[0].call[1]));
    assert_null(
        rc_profile_wait_of(&p->node[1].thread[0], &p->node[1].thread[0].call[0]));
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    assert_int_equal(s.function_count, 1);
    assert_int_equal(s.function->calls, 6);
    assert_int_equal(s.function->known, 2);
    assert_string_equal(s.function->waits_for, "wait at NxN");
    assert_near(s.function->waited_ns / 1e9, 0.002);
    assert_near(s.function->completing_ns / 1e9, 0.001);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);
}

/* Without those of the node that others were compared with, they say nothing. */
static void comparisons_with_a_node_that_is_lost_are_not_used(void **state)
{
    const struct rc_profile_offset of_n1[] = {{1000, -700, -500}};
    char clocks[RC_PROFILE_CLOCKS_TEXT];
    struct rc_profile *p;

    (void)state;
    must(mkdir("lost-clock", 0777) ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 2; n++) {
        struct sample_profile s = sample_profile("lost-clock", n ? "n1" : "n0");
        s.writer = n * RC_PROFILE_WRITERS;
        s.offset = of_n1;
        s.offsets = n;
        must(sample_launch(&s, n, 1, 2, &err));
    }
    must(rc_profile_read("lost-clock", false, &p, &err));
    assert_int_equal(rc_profile_unix_ns(&p->node[1], 6 * SAMPLE_S),
                     SAMPLE_UNIX + (int64_t)SAMPLE_S);
    assert_string_equal(rc_profile_clocks_text(p->node, 2, clocks),
                        "wall clocks of nodes, not compared");
    rc_profile_close(p);
}

static void series_are_rates_or_states(void **state)
{
    struct rc_profile *p;

    (void)state;
    must(rc_profile_read("plain", false, &p, &err));
    const struct rc_profile_series *series = p->node[0].series;
    const struct rc_profile_series_sum rate = rc_profile_series_sum(&series[0]),
                                       watts = rc_profile_series_sum(&series[1]),
                                       none = rc_profile_series_sum(&series[2]);
    assert_int_equal(rate.valid, 19); /* the first says from when on it counts */
    assert_near(rate.total, 18 * 1000 + 5000);
    assert_near(rate.mean, 23000 / 1.9);
    assert_near(rate.least, 10000);
    assert_near(rate.most, 50000);
    assert_int_equal(watts.valid, 20);
    assert_near(watts.mean, 109.5);
    assert_near(watts.last, 119);
    assert_int_equal(none.valid, 0);
    assert_true(isnan(none.mean));
    assert_string_equal(rc_profile_unit(&series[0].event), "1/s");
    assert_string_equal(rc_profile_unit(&series[1].event), "state");
    rc_profile_close(p);
}

/* A peak of one reading and a state that rises slowly are not phases; a level is. */
static void phases_are_where_series_step_and_named_by_regions(void **state)
{
    static const struct {
        const char *mostly;
        double from, to, share, mean;
    } wanted[] = {{"solve", 0, 1, (2.7 - 4 * 0.012) / 4, 10000},
                  {"main", 1, 2, 3.3 / 4, 50000}};
    struct rc_profile *p;
    struct rc_profile_sums s;
    struct rc_profile_phases phases;

    (void)state;
    must(rc_profile_read("plain", true, &p, &err));
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    must(rc_profile_phases_find(&s, &phases, &err));
    assert_int_equal(phases.count, 0);
    assert_int_equal(phases.series, 2);
    assert_int_equal(phases.used, 0);
    rc_profile_phases_fini(&phases);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);

    must(mkdir("steps", 0777) ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 2; n++) {
        struct sample_profile sample = sample_profile("steps", n ? "n1" : "n0");
        sample.writer = n * RC_PROFILE_WRITERS;
        sample.steps = true;
        must(sample_launch(&sample, 2 * n, 2, RANKS, &err));
    }
    must(rc_profile_read("steps", true, &p, &err));
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    must(rc_profile_phases_find(&s, &phases, &err));
    assert_int_equal(phases.count, 2);
    assert_int_equal(phases.bin_ns, 100 * SAMPLE_MS);
    assert_int_equal(phases.used, 1);
    for (size_t i = 0; i < 2; i++) {
        const struct rc_profile_phase *of = &phases.phase[i];
        assert_string_equal(of->mostly, wanted[i].mostly);
        assert_string_equal(of->event->name, "net:rx");
        assert_near((double)(of->begin_ns - SAMPLE_UNIX) / 1e9, wanted[i].from);
        assert_near((double)(of->end_ns - SAMPLE_UNIX) / 1e9, wanted[i].to);
        assert_near(of->share, wanted[i].share);
        assert_near(of->mean, wanted[i].mean);
        assert_near(of->all, 55000.0 * 10 / 19);
    }
    rc_profile_phases_fini(&phases);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);
}

/* How many phases a series of 60 readings has that is 'low', then 'high', then 'low'.
 */
static size_t count_steps(struct rc_profile_event event, int64_t low, int64_t high)
{
    struct rc_profile_reading reading[61] = {{.at_ns = SAMPLE_S, .value = low}};
    struct rc_profile_series series = {.event = event, .reading = reading, .count = 61};
    const uint64_t period_ns = 20 * SAMPLE_MS;
    const struct rc_profile_node node = {
        .launch = {.at_ns = SAMPLE_S, .period_ns = period_ns},
        .series = &series,
        .series_count = 1};
    const struct rc_profile_sums sums = {
        .node = &node, .node_count = 1, .axis_ns = 60 * period_ns};
    struct rc_profile_phases phases;

    for (size_t i = 1; i < 61; i++)
        reading[i] =
            (struct rc_profile_reading){.at_ns = SAMPLE_S + i * period_ns,
                                        .since_ns = SAMPLE_S + (i - 1) * period_ns,
                                        .value = i > 20 && i <= 40 ? high : low};
    must(rc_profile_phases_find(&sums, &phases, &err));
    const size_t count = phases.count;
    rc_profile_phases_fini(&phases);
    return count;
}

/* Waiting of others for processors is not a phase, nor are changes where they wait
 * longer than mostly; where they do all the time it tells nothing.
 */
static void phases_are_not_where_others_disturb(void **state)
{
    enum { BINS = 60, SERIES = 2 };
    static const struct {
        int64_t always, more_us; /* waits of 20000 us; and in bins 19 to 22 */
        int64_t high;            /* of the program, in bins 20 to 39 */
        size_t phases;
    } wanted[] = {{0, 0, 90000, 3},     {0, 20000, 90000, 2}, {0, 3000, 90000, 3},
                  {18000, 0, 90000, 3}, {0, 20000, 1000, 0},  {0, 0, 1000, 0}};
    struct rc_profile_reading reading[SERIES][BINS + 1];
    struct rc_profile_series series[SERIES] = {
        {.event = {.name = "bytes", .source = "a"}, .reading = reading[0]},
        {.event = {.name = "sysfs:::pressure:cpu:some_us",
                   .source = "sysfs",
                   .tick_ns = 1000},
         .reading = reading[1]}};
    const uint64_t period_ns = 20 * SAMPLE_MS;
    const struct rc_profile_node node = {
        .launch = {.at_ns = SAMPLE_S, .period_ns = period_ns},
        .series = series,
        .series_count = SERIES};
    const struct rc_profile_sums sums = {
        .node = &node, .node_count = 1, .axis_ns = BINS * period_ns};

    (void)state;
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        struct rc_profile_phases phases;
        for (size_t s = 0; s < SERIES; s++)
            series[s].count = BINS + 1;
        for (uint64_t i = 0; i <= BINS; i++)
            for (size_t s = 0; s < SERIES; s++)
                reading[s][i] = (struct rc_profile_reading){
                    .at_ns = SAMPLE_S + i * period_ns,
                    .since_ns = i ? SAMPLE_S + (i - 1) * period_ns : 0,
                    .value = s == 0 ? (i > 20 && i <= 40 ? wanted[w].high : 1000)
                                    : wanted[w].always +
                                          (i >= 20 && i <= 23 ? wanted[w].more_us : 0)};
        must(rc_profile_phases_find(&sums, &phases, &err));
        assert_int_equal(phases.count, wanted[w].phases);
        rc_profile_phases_fini(&phases);
    }
}

/* Where the budget has series read at every 16th period only, bins are as long: the
 * jumps between readings are what a steady series scatters, and no phases.
 */
static void bins_are_no_shorter_than_the_time_between_readings(void **state)
{
    enum { PERIOD = 20 * SAMPLE_MS, READINGS = 60, SLOWER = 16 };
    struct rc_profile_reading reading[READINGS] = {{.at_ns = SAMPLE_S}};
    struct rc_profile_series series = {.event = {.name = "count", .source = "a"},
                                       .reading = reading,
                                       .count = READINGS};
    const struct rc_profile_node node = {
        .launch = {.at_ns = SAMPLE_S, .period_ns = PERIOD},
        .series = &series,
        .series_count = 1};
    const struct rc_profile_sums sums = {.node = &node,
                                         .node_count = 1,
                                         .axis_ns =
                                             (uint64_t)SLOWER * READINGS * PERIOD};
    struct rc_profile_phases phases;

    (void)state;
    for (uint64_t i = 1; i < READINGS; i++)
        reading[i] = (struct rc_profile_reading){
            .at_ns = SAMPLE_S + i * SLOWER * PERIOD,
            .since_ns = SAMPLE_S + (i - 1) * SLOWER * PERIOD,
            .value = (int64_t)(100000 + i * 7919 % 1000 * 50)};
    must(rc_profile_phases_find(&sums, &phases, &err));
    assert_int_equal(phases.count, 0);
    assert_in_range(phases.bin_ns, 15 * (uint64_t)PERIOD, 17 * (uint64_t)PERIOD);
    rc_profile_phases_fini(&phases);
}

/* In bins of two ticks a processor works or not; of anything else two more are chance,
 * and so is one task more, or a little memory.
 */
static void small_steps_are_phases_of_ticks_alone(void **state)
{
    const struct rc_profile_event
        count = {.name = "count", .source = "a"},
        ticks = {.name = "user", .source = "a", .tick_ns = 10 * SAMPLE_MS},
        us = {.name = "some_us", .source = "a", .tick_ns = 1000},
        still = {.name = "tasks", .source = "a", .state = true};

    (void)state;
    assert_int_equal(count_steps(ticks, 0, 2), 3);
    assert_int_equal(count_steps(ticks, 1, 2), 0);
    assert_int_equal(count_steps(us, 0, 2), 0);
    assert_int_equal(count_steps(count, 0, 2), 0);
    assert_int_equal(count_steps(count, 0, 20), 3);
    assert_int_equal(count_steps(still, 1, 2), 0);
    assert_int_equal(count_steps(still, 1, 20), 3);
    assert_int_equal(count_steps(still, 24000000, 23800000), 0);
    assert_int_equal(count_steps(still, 24000000, 20000000), 3);
}

/* 5 ticks of 10 ms in 0.1 s, and 20 in the next: half a processor, and two. */
static void keep_solve(void *arg, const struct rc_profile_instance *instance)
{
    bool *at = arg; /* by ms */

    if (!instance->call && instance->number == SAMPLE_SOLVE)
        for (uint64_t ms = instance->begin_ns / SAMPLE_MS;
             ms < instance->end_ns / SAMPLE_MS; ms++)
            at[ms - 5000] = true;
}

/* Bytes through memory while any thread was in solve, against a sum over milliseconds.
 */
static void traffic_is_what_series_count_within_regions(void **state)
{
    static bool at[10000];
    struct rc_profile *p;
    struct rc_profile_sums sums = {0};
    struct rc_profile_traffic_seen seen;
    double expected = 0;

    (void)state;
    make_profile("traffic", 0);
    must(rc_profile_read("traffic", true, &p, &err));
    must(rc_profile_sum(p, 0, NULL, &sums, &err));
    must(rc_profile_traffic_of(&sums, "solve", RC_PROFILE_MEMORY_READ, &seen, &err));
    assert_string_equal(seen.source, "");
    for (size_t n = 0; n < sums.node_count; n++) {
        const struct rc_profile_node *node = &sums.node[n];
        node->series[0].event.name = "pcp:::nest.PM_MBA0_READ_BYTES.value";
        memset(at, 0, sizeof at);
        for (size_t t = 0; t < node->thread_count; t++)
            (void)rc_profile_instances(&node->thread[t], keep_solve, at);
        for (size_t r = 0; r < node->series[0].count; r++) {
            const struct rc_profile_reading *reading = &node->series[0].reading[r];
            for (uint64_t ms = reading->since_ns / SAMPLE_MS;
                 reading->since_ns && ms < reading->at_ns / SAMPLE_MS; ms++)
                expected += at[ms - 5000] ? (double)reading->value / 100 : 0;
        }
    }
    assert_true(expected > 1000);
    must(rc_profile_traffic_of(&sums, "solve", RC_PROFILE_MEMORY_READ, &seen, &err));
    assert_string_equal(seen.source, "pcp");
    assert_int_equal(seen.instances, 3 * sums.rank_count);
    assert_true(fabs(seen.bytes - expected) <= 0.002 * expected);
    must(rc_profile_traffic_of(&sums, "solve", RC_PROFILE_MEMORY_WRITTEN, &seen, &err));
    assert_string_equal(seen.source, "");
    /* Nothing is known of instances that are shorter than two readings are apart. */
    must(rc_profile_traffic_of(&sums, "walk", RC_PROFILE_MEMORY_READ, &seen, &err));
    assert_true(isnan(seen.bytes));
    rc_profile_sums_fini(&sums);
    rc_profile_close(p);
}

static void counts_of_time_are_percent(void **state)
{
    struct rc_profile_reading readings[] = {
        {.at_ns = 5 * SAMPLE_S, .value = 0},
        {.at_ns = 5 * SAMPLE_S + 100 * SAMPLE_MS, .value = 5, .since_ns = 5 * SAMPLE_S},
        {.at_ns = 5 * SAMPLE_S + 200 * SAMPLE_MS,
         .value = 20,
         .since_ns = 5 * SAMPLE_S + 100 * SAMPLE_MS}};
    const struct rc_profile_series series = {
        .event = {.name = "cpu", .tick_ns = 10 * SAMPLE_MS},
        .reading = readings,
        .count = 3};
    const struct rc_profile_series_sum sum = rc_profile_series_sum(&series);

    (void)state;
    assert_string_equal(rc_profile_unit(&series.event), "%");
    assert_int_equal(sum.valid, 2);
    assert_near(sum.mean, 125);
    assert_near(sum.least, 50);
    assert_near(sum.most, 200);
    assert_near(sum.total, 0.25); /* s */
}

/* Earlier versions started a sampler in the place of one that was killed. */
static void samplers_that_took_over_are_not_read(void **state)
{
    struct rc_profile *p;
    struct sample_profile first = sample_profile("again", "n0"), second = first;

    (void)state;
    must(mkdir("again", 0777) ? RC_EIO : RC_OK);
    must(sample_begin(&first, &err));
    must(sample_place(&first, 0, 0, &err));
    must(sample_rows(&first, 0, 0, &err));
    must(rc_journal_close(first.journal, &err)); /* and no word of its end */
    second.writer = 1;
    second.sequence = 100;
    must(sample_begin(&second, &err));
    must(sample_place(&second, 0, 1, &err));
    must(sample_place(&second, 1, 0, &err));
    must(sample_rows(&second, 0, 1, &err));
    must(sample_end(&second, &err));
    must(rc_profile_read("again", true, &p, &err));
    assert_int_equal(p->damage_count, 0);
    assert_int_equal(p->node_count, 1);
    assert_int_equal(p->node->thread_count, 1);
    assert_int_equal(p->node->series_count, 3);
    assert_false(p->node->ended);
    rc_profile_close(p);
}

/* The programs that a thread executes one after the other are two places, however soon
 * the second begins.
 */
static void programs_of_one_thread_stay_two(void **state)
{
    struct rc_profile *p;
    struct rc_profile_sums s;
    struct sample_profile of = sample_profile("image", "n0");

    (void)state;
    must(mkdir("image", 0777) ? RC_EIO : RC_OK);
    must(sample_begin(&of, &err));
    for (uint64_t place = 0; place < 2; place++) {
        must(sample_place(&of, place, 0, &err));
        must(sample_rows(&of, place, 0, &err));
        of.base_ns += 400000;
    }
    must(sample_end(&of, &err));
    must(rc_profile_read("image", true, &p, &err));
    assert_int_equal(p->node->thread_count, 2);
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    assert_int_equal(region(&s, "solve")->visits, 6);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);
}

/* Instances that rc_profile_instances() gave. */
struct told {
    struct rc_profile_instance instance[8];
    size_t count;
};

static void keep_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct told *told = arg;

    assert_true(told->count < 8);
    told->instance[told->count++] = *instance;
}

static void entries_that_were_lost_cost_their_own_instances(void **state)
{
    struct rc_profile_mark marks[] = {
        {5, 9, RC_SHARED_LEAVE}, /* its begin was lost */
        {10, 1, RC_SHARED_ENTER},      {20, 2, RC_SHARED_ENTER},
        {30, 7, RC_SHARED_CALL_BEGAN}, {40, 7, RC_SHARED_CALL_ENDED},
        {50, 3, RC_SHARED_ENTER}, /* its end was lost */
        {60, 2, RC_SHARED_LEAVE},      {70, 4, RC_SHARED_ENTER}};
    const struct rc_profile_thread thread = {
        .mark = marks, .mark_count = sizeof marks / sizeof *marks, .ended_ns = 100};
    struct told told = {.count = 0};

    (void)state;
    assert_int_equal(rc_profile_instances(&thread, keep_instance, &told), 2);
    assert_int_equal(told.count, 4);
    assert_true(told.instance[0].call && told.instance[0].begin_ns == 30);
    assert_true(!told.instance[1].call && told.instance[1].end_ns == 60);
    assert_true(told.instance[2].open && told.instance[2].number == 4);
    assert_true(told.instance[3].open && told.instance[3].end_ns == 100);
}

/* Reads the whole of DIR in all ways: nothing may crash. */
static int read_all(const char *dir)
{
    struct rc_profile *p;
    struct rc_profile_sums s = {0};
    FILE *null = fopen("/dev/null", "w");
    static const struct rc_profile_export_format *const formats[] = {
        &rc_profile_chrome, &rc_profile_folded, &rc_profile_pprof, &rc_profile_csv};
    const struct rc_profile_choice few = {.limit = 5}, all = {.limit = SIZE_MAX};
    int status;

    assert_non_null(null);
    err.text[0] = 0;
    if ((status = rc_profile_read(dir, true, &p, &err)) == RC_OK) {
        if ((status = rc_profile_sum(p, p->node->launch.launch, NULL, &s, &err)) ==
            RC_OK) {
            for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
                must(formats[i]->write(&s, &few, null, null, &err));
                must(formats[i]->write(&s, &all, null, null, &err));
            }
        }
        rc_profile_sums_fini(&s);
    }
    rc_profile_close(p);
    fclose(null);
    return status;
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    must(rc_file_replace(path, RC_FILE_GIVEN, data, bytes, &err));
}

static void a_journal_cut_anywhere_is_read_as_far_as_it_goes(void **state)
{
    struct sample_profile s = sample_profile("cut", "n0");
    char *whole;
    size_t bytes = 0, read = 0;

    (void)state;
    must(mkdir("cut", 0777) ? RC_EIO : RC_OK);
    must(sample_launch(&s, 0, 1, 1, &err));
    must(rc_file_read("cut/journal/n0.rcj", RC_FILE_GIVEN, 1 << 20, &whole, &bytes,
                      &err));
    for (size_t at = 0; at <= bytes; at += 13) {
        write_file("cut/journal/n0.rcj", whole, at);
        const int status = read_all("cut");
        if (status != RC_OK)
            assert_true(strlen(err.text) > 10);
        read += status == RC_OK;
    }
    assert_true(read > 10);
    free(whole);
}

/* Any byte of the payloads made another, with checksums that are right again. */
static int rewrite_record(void *user, const struct rc_journal_record *record,
                          struct rc_error *error)
{
    struct sample_profile *to = user;
    unsigned char *copy = rc_calloc(record->bytes, 1);
    int status = RC_OK;

    assert_non_null(copy);
    for (size_t at = 0; at < record->bytes && status == RC_OK; at += 5) {
        memcpy(copy, record->payload, record->bytes);
        copy[at] ^= (unsigned char)(1u << (at % 8));
        status = rc_journal_append_of(to->journal, record->writer, record->type, copy,
                                      record->bytes, error);
    }
    if (status == RC_OK)
        status = rc_journal_append_of(to->journal, record->writer, record->type,
                                      record->payload, record->bytes, error);
    free(copy);
    return status;
}

/* All records but the names of the first thread. */
static int leave_out_names(void *user, const struct rc_journal_record *record,
                           struct rc_error *error)
{
    struct sample_profile *to = user;

    return record->type == RC_PROFILE_NAMES && to->instances++ == 0
               ? RC_OK
               : rc_journal_append_of(to->journal, record->writer, record->type,
                                      record->payload, record->bytes, error);
}

static void names_that_were_lost_are_called_so(void **state)
{
    struct sample_profile to = sample_profile("nameless", "n0");
    const struct rc_journal_setting setting = {.dir = "nameless",
                                               .node = "n0",
                                               .campaign = to.id,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    const struct rc_journal_visitor visitor = {.record = leave_out_names, .user = &to};
    struct rc_journal_report report;
    struct rc_profile *p;
    struct rc_profile_sums s;

    (void)state;
    must(mkdir("nameless", 0777) ? RC_EIO : RC_OK);
    must(rc_journal_open(&setting, &to.journal, &err));
    must(rc_journal_scan("plain/journal/n0.rcj", NULL, &visitor, &report, &err));
    must(rc_journal_close(to.journal, &err));
    must(rc_profile_read("nameless", false, &p, &err));
    assert_int_equal(rc_profile_names_lost(&p->node->thread[0]), SAMPLE_INNER + 1);
    assert_int_equal(rc_profile_names_lost(&p->node->thread[1]), 0);
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    assert_int_equal(region(&s, "(name lost)")->visits, 1 + 3 + 1 + 1);
    assert_int_equal(region(&s, "solve")->visits, 3);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);
}

static void records_that_say_what_cannot_be_are_counted(void **state)
{
    struct sample_profile to = sample_profile("wrong", "n0");
    const struct rc_journal_setting setting = {.dir = "wrong",
                                               .node = "n0",
                                               .campaign = to.id,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    const struct rc_journal_visitor visitor = {.record = rewrite_record, .user = &to};
    struct rc_journal_report report;
    struct rc_profile *p;

    (void)state;
    must(mkdir("wrong", 0777) ? RC_EIO : RC_OK);
    must(rc_journal_open(&setting, &to.journal, &err));
    must(rc_journal_scan("plain/journal/n0.rcj", NULL, &visitor, &report, &err));
    must(rc_journal_close(to.journal, &err));
    must(read_all("wrong"));
    must(rc_profile_read("wrong", false, &p, &err));
    assert_true(p->refused > 100);
    assert_true(strlen(p->refusal) > 10);
    rc_profile_close(p);
}

static void what_is_no_profile_is_said(void **state)
{
    struct rc_profile *p;
    struct sample_profile s = sample_profile("other", "n0");
    const struct rc_journal_setting setting = {.dir = "other",
                                               .node = "n0",
                                               .campaign = s.id,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};

    (void)state;
    assert_int_equal(rc_profile_read("nowhere", false, &p, &err), RC_EMISSING);
    assert_null(p);
    assert_false(rc_profile_is_in("nowhere"));
    must(mkdir("other", 0777) ? RC_EIO : RC_OK);
    must(rc_journal_open(&setting, &s.journal, &err));
    must(rc_journal_append(s.journal, RC_RECORD_RUN, "x", 1, &err));
    must(rc_journal_close(s.journal, &err));
    assert_int_equal(rc_profile_read("other", false, &p, &err), RC_EMISSING);
    assert_false(rc_profile_is_in("other"));
    assert_true(rc_profile_is_in("plain"));
}

/* The export as text, to be freed, and lines of what is left out. */
static char *export_text(const char *dir, const char *format, size_t limit,
                         char **left_out)
{
    const struct rc_profile_choice choice = {.limit = limit};
    char *text = NULL;
    size_t bytes = 0, left_bytes = 0;
    FILE *out = open_memstream(&text, &bytes),
         *left = open_memstream(left_out, &left_bytes);

    must(rc_profile_export(dir, rc_profile_export_find(format), &choice, out, left,
                           &err));
    fclose(out);
    fclose(left);
    return text;
}

/* The events of a phase, and the longest of their durations in us. */
static size_t count_phase(json_t *trace, const char *phase, double *longest)
{
    json_t *event;
    size_t i, count = 0;

    *longest = 0;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "ph")), phase) != 0)
            continue;
        count++;
        *longest = fmax(*longest, json_number_value(json_object_get(event, "dur")));
        if (*phase == 'C')
            *longest = fmax(*longest, json_number_value(json_object_get(
                                          json_object_get(event, "args"), "1/s")));
    }
    return count;
}

static void chrome_has_all_and_within_a_limit_the_longest(void **state)
{
    char *left = NULL, *text = export_text("plain", "chrome", 1000000, &left);
    json_t *trace = json_loads(text, 0, NULL);
    double longest;

    (void)state;
    assert_non_null(trace);
    assert_int_equal(count_phase(trace, "X", &longest), RANKS * 5);
    assert_near(longest, 1.8e6);
    assert_int_equal(count_phase(trace, "C", &longest), 2 * 39);
    assert_near(longest, 50000);
    assert_int_equal(count_phase(trace, "M", &longest), 2 + RANKS + RANKS);
    assert_string_equal(left, "");
    json_decref(trace);
    free(text);
    free(left);

    text = export_text("plain", "chrome", 32, &left);
    trace = json_loads(text, 0, NULL);
    assert_non_null(trace);
    assert_true(count_phase(trace, "X", &longest) >= 12);
    assert_near(longest, 1.8e6);
    const size_t counters = count_phase(trace, "C", &longest);
    assert_near(longest, 50000); /* the peak stays */
    assert_true(counters + count_phase(trace, "X", &longest) <= 32);
    assert_non_null(strstr(left, "instances"));
    assert_non_null(strstr(left, "readings"));
    json_decref(trace);
    free(text);
    free(left);
}

/* The begins and ends on the axis, a letter for each: 'a' to 'z' for paths
 * and 'A' to 'Z' for calls that begin, '.' for ends.
 */
struct spelt {
    char text[32];
    size_t count;
    uint64_t at_ns, inside_ns; /* the last time; of all pieces */
};

static int spell_begin(void *arg, const struct rc_profile_piece *piece,
                       struct rc_error *error)
{
    struct spelt *spelt = arg;

    (void)error;
    assert_true(spelt->at_ns <= piece->begin_ns);
    spelt->at_ns = piece->begin_ns;
    spelt->inside_ns += piece->end_ns - piece->begin_ns;
    spelt->text[spelt->count++] = (char)((piece->call ? 'A' : 'a') + piece->number);
    return RC_OK;
}

static int spell_end(void *arg, const struct rc_profile_piece *piece,
                     struct rc_error *error)
{
    struct spelt *spelt = arg;

    (void)error;
    assert_true(spelt->at_ns <= piece->end_ns);
    spelt->at_ns = piece->end_ns;
    spelt->text[spelt->count++] = '.';
    return RC_OK;
}

static void spell_axis(struct rc_profile_mark *marks, size_t count,
                       struct rc_profile_choice choice, struct spelt *spelt)
{
    struct rc_profile_path paths[] = {
        {.number = 0}, {.parent = 0}, {.parent = 1}, {.parent = 1}, {.parent = 3}};
    struct rc_profile_call calls[] = {{.path = 0}, {.path = 2}};
    struct rc_profile_thread thread = {.mark = marks,
                                       .mark_count = count,
                                       .path = paths,
                                       .path_count = 5,
                                       .call = calls,
                                       .call_count = 2,
                                       .ended_ns = 100};
    struct rc_profile_node node = {.thread = &thread, .thread_count = 1};
    const struct rc_profile_sums sums = {.node = &node, .node_count = 1};
    const struct rc_profile_teller teller = {
        .arg = spelt, .begin = spell_begin, .end = spell_end};
    struct rc_profile_axis axis;

    *spelt = (struct spelt){.count = 0};
    must(rc_profile_axis_make(&sums, &choice, &axis, &err));
    must(rc_profile_axis_pieces(&axis, &teller, &err));
    assert_int_equal(axis.instances_stay * 2, spelt->count);
}

static void pieces_of_no_length_stay_in_the_region_that_they_are_of(void **state)
{
    struct rc_profile_mark marks[] = {
        {10, 1, RC_SHARED_ENTER},      {10, 2, RC_SHARED_ENTER},
        {20, 1, RC_SHARED_CALL_BEGAN}, {20, 1, RC_SHARED_CALL_ENDED},
        {20, 2, RC_SHARED_LEAVE}, /* the call was at its end */
        {20, 3, RC_SHARED_ENTER},      {20, 3, RC_SHARED_LEAVE},
        {20, 3, RC_SHARED_ENTER},      {20, 4, RC_SHARED_ENTER},
        {20, 4, RC_SHARED_LEAVE},      {30, 3, RC_SHARED_LEAVE},
        {30, 1, RC_SHARED_LEAVE}};
    const size_t count = sizeof marks / sizeof *marks;
    struct spelt spelt;

    (void)state;
    spell_axis(marks, count, (struct rc_profile_choice){.limit = SIZE_MAX}, &spelt);
    assert_string_equal(spelt.text, "bcB..d.de...");
    assert_int_equal(spelt.inside_ns, 20 + 10 + 0 + 0 + 10 + 0);
    spell_axis(marks, count, (struct rc_profile_choice){.limit = 3}, &spelt);
    assert_string_equal(spelt.text, "bc.d..");
    spell_axis(
        marks, count,
        (struct rc_profile_choice){.limit = SIZE_MAX, .from_ns = 15, .to_ns = 18},
        &spelt);
    assert_string_equal(spelt.text, "bc..");
    assert_int_equal(spelt.inside_ns, 3 + 3);
}

static void pieces_that_outlive_what_is_around_them_are_cut(void **state)
{
    struct rc_profile_mark marks[] = {
        {10, 1, RC_SHARED_ENTER},
        {90, 2, RC_SHARED_ENTER},
        {110, 2, RC_SHARED_LEAVE}, /* after the thread's end */
        {120, 3, RC_SHARED_ENTER}};
    struct spelt spelt;

    (void)state;
    spell_axis(marks, 4, (struct rc_profile_choice){.limit = SIZE_MAX}, &spelt);
    assert_string_equal(spelt.text, "bc.d..");
    assert_int_equal(spelt.inside_ns, 90 + 10 + 0);
}

static void folded_stacks_add_up(void **state)
{
    char *left = NULL, *text = export_text("plain", "folded", 0, &left), *line = text;
    double sum = 0;
    size_t lines = 0;

    (void)state;
    assert_non_null(strstr(text, "n0;rank 1;main;solve;MPI_Allreduce 30000\n"));
    assert_non_null(strstr(text, "n0;rank 1;main;solve 570000\n"));
    assert_non_null(strstr(text, "n1;rank 3;main;walk;walk 10000\n"));
    for (; *line; line += strcspn(line, "\n") + 1, lines++) {
        const char *last = memrchr(line, ' ', strcspn(line, "\n"));
        assert_non_null(last);
        sum += strtod(last, NULL);
    }
    assert_near(sum / 1e6, 8);
    assert_int_equal(lines, RANKS * 6);
    free(text);
    free(left);
}

static void hostile_names_stay_names(void **state)
{
    static const char *const names[] = {"<script>\"\\\n", "a;b\nc 1", "\xff\xfe",
                                        "MPI_\x1b[31m;",  "..",       "=cmd"};
    struct sample_profile s = sample_profile("hostile", "n0");
    char *left = NULL, *text;

    (void)state;
    must(mkdir("hostile", 0777) ? RC_EIO : RC_OK);
    memcpy(s.names, names, sizeof names);
    must(sample_launch(&s, 0, 2, 2, &err));
    text = export_text("hostile", "chrome", 100, &left);
    json_t *trace = json_loads(text, 0, NULL);
    assert_non_null(trace);
    json_decref(trace);
    free(text);
    free(left);
    text = export_text("hostile", "folded", 0, &left);
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at >= ' ' || *at == '\n');
    assert_non_null(strstr(text, ";a:b?c 1 "));
    free(text);
    free(left);
}

static void ignore_line(void *arg, const char *line)
{
    (void)arg;
    (void)line;
}

static void get_numbers(hid_t file, const char *name, hid_t type, void *out)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);

    assert_true(set >= 0);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(set);
}

static size_t rows_of(hid_t file, const char *name)
{
    hsize_t dims[2] = {0};
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);

    assert_true(set >= 0);
    H5Sget_simple_extent_dims(space, dims, NULL);
    H5Sclose(space);
    H5Dclose(set);
    return dims[0];
}

/* Paths in the order in which they are met: root, main, solve, walk, walk in walk. */
static void pack_keeps_launches_apart_and_their_means_together(void **state)
{
    enum { PATHS = 5 };
    double n[PATHS][RANKS], mean[PATHS][RANKS], m2[PATHS][RANKS];
    int64_t begin[64];

    (void)state;
    make_profile("plain", 1);
    must(rc_profile_pack("plain", ignore_line, NULL, &err));
    const hid_t file = H5Fopen("plain/profile.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(rows_of(file, "/launches/launch"), 2);
    assert_int_equal(rows_of(file, "/parameters/launch"), 2);
    get_numbers(file, "/parameters/value", H5T_NATIVE_DOUBLE, n);
    assert_near(n[0][0], RANKS);
    assert_int_equal(rows_of(file, "/places/place"), RANKS);
    assert_int_equal(rows_of(file, "/threads/place"), 2 * RANKS);
    assert_int_equal(rows_of(file, "/paths/path"), PATHS);
    assert_int_equal(rows_of(file, "/calls/call"), 2 * RANKS);
    assert_int_equal(rows_of(file, "/instances/begin_ns"), 2 * 5 * RANKS);
    assert_int_equal(rows_of(file, "/nodes/n1/series/net:rx/time"), 40);
    assert_int_equal(rows_of(file, "/nodes/n1/series/energy/time"), 0);
    get_numbers(file, "/values/time/n", H5T_NATIVE_DOUBLE, n);
    get_numbers(file, "/values/time/mean", H5T_NATIVE_DOUBLE, mean);
    get_numbers(file, "/values/time/m2", H5T_NATIVE_DOUBLE, m2);
    for (size_t r = 0; r < RANKS; r++) {
        assert_near(n[2][r], 2);
        assert_near(mean[2][r] / 1e9, 0.3 * (double)(r + 1));
        assert_near(m2[2][r], 0);
        assert_near(mean[0][r] / 1e9, 2);
    }
    get_numbers(file, "/values/instructions/mean", H5T_NATIVE_DOUBLE, mean);
    assert_near(mean[2][1], 300);
    get_numbers(file, "/values/shortest/n", H5T_NATIVE_DOUBLE, n);
    get_numbers(file, "/values/shortest/mean", H5T_NATIVE_DOUBLE, mean);
    assert_near(n[0][0], 0); /* of the root there is none */
    assert_true(isnan(mean[0][0]));
    get_numbers(file, "/launches/begin_ns", H5T_NATIVE_INT64, begin);
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[1], 100 * SAMPLE_S);
    H5Fclose(file);
    must(rc_profile_pack("steps", ignore_line, NULL, &err));
    const hid_t steps = H5Fopen("steps/profile.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_int_equal(rows_of(steps, "/phases/begin_ns"), 2);
    get_numbers(steps, "/phases/begin_ns", H5T_NATIVE_INT64, begin);
    assert_int_equal(begin[1], SAMPLE_S);
    H5Fclose(steps);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* n0 is 5 ms behind n1, whose clock the others were compared with: its sampler began
 * first, and all that has an axis begins there.
 */
static void every_axis_begins_when_the_first_sampler_did(void **state)
{
    const int64_t base = 5 * (int64_t)SAMPLE_S, behind = 5 * (int64_t)SAMPLE_MS;
    const struct rc_profile_offset of_n0[] = {{base, -behind, -behind}},
                                   none[] = {{base, 0, 0}};
    const struct rc_profile_choice choice = {.limit = SIZE_MAX};
    struct rc_profile_axis axis;
    struct rc_profile *p;
    struct rc_profile_sums s;
    int64_t begin[64], zero = 0;

    (void)state;
    must(mkdir("zero", 0777) ? RC_EIO : RC_OK);
    for (uint32_t n = 0; n < 2; n++) {
        struct sample_profile sample = sample_profile("zero", n ? "n1" : "n0");
        sample.writer = n * RC_PROFILE_WRITERS;
        sample.offset = n ? none : of_n0;
        sample.offsets = 1;
        must(sample_launch(&sample, n, 1, 2, &err));
    }
    must(rc_profile_read("zero", true, &p, &err));
    assert_true(p->node[0].compared && p->node[1].compared);
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    assert_int_equal(s.wall_ns, 2 * SAMPLE_S + (uint64_t)behind);
    must(rc_profile_axis_make(&s, &choice, &axis, &err));
    assert_int_equal(axis.zero_unix_ns, SAMPLE_UNIX - behind);
    for (size_t n = 0; n < 2; n++) /* main begins 100 ms after its sampler */
        assert_int_equal(
            rc_profile_axis_ns(&axis, &p->node[n], 5 * SAMPLE_S + 100 * SAMPLE_MS),
            100 * SAMPLE_MS + n * (uint64_t)behind);
    rc_profile_sums_fini(&s);
    rc_profile_close(p);
    must(rc_profile_pack("zero", ignore_line, NULL, &err));
    const hid_t file = H5Fopen("zero/profile.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t attribute =
        H5Aopen_by_name(file, "/", "zero_unix_ns", H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT64, &zero) >= 0);
    H5Aclose(attribute);
    assert_int_equal(zero, SAMPLE_UNIX - behind);
    assert_int_equal(rows_of(file, "/instances/begin_ns"), 10);
    get_numbers(file, "/instances/begin_ns", H5T_NATIVE_INT64, begin);
    for (size_t i = 0; i < 10; i++) /* of n0, then of n1; what it is may be any */
        assert_true(begin[i] % (100 * (int64_t)SAMPLE_MS) == (i < 5 ? 0 : behind));
    H5Fclose(file);
}

/* It is there, as any other; one whose name was lost is another. */
static void a_region_without_a_name_is_called_so(void **state)
{
    struct sample_profile sample = sample_profile("unnamed", "n0");
    struct rc_profile *p;
    struct rc_profile_sums s;
    char *left = NULL;

    (void)state;
    must(mkdir("unnamed", 0777) ? RC_EIO : RC_OK);
    sample.names[2] = "";
    must(sample_launch(&sample, 0, 1, 1, &err));
    must(rc_profile_read("unnamed", false, &p, &err));
    must(rc_profile_sum(p, 0, NULL, &s, &err));
    assert_int_equal(region(&s, "(no name)")->visits, 2);
    assert_near(region(&s, "(no name)")->inclusive_ns / 1e9, 0.04);
    rc_profile_sums_fini(&s);
    struct rc_profile_thread *thread = &p->node[0].thread[0];
    assert_string_equal(rc_profile_region_name(thread, SAMPLE_INNER), "(no name)");
    assert_int_equal(rc_profile_names_lost(thread), 0);
    thread->path[SAMPLE_INNER] = (struct rc_profile_path){.number = 0};
    assert_string_equal(rc_profile_region_name(thread, SAMPLE_INNER), "(name lost)");
    assert_int_equal(rc_profile_names_lost(thread), 1);
    rc_profile_close(p);
    char *text = export_text("unnamed", "folded", 0, &left);
    assert_non_null(strstr(text, ";main;(no name);(no name) 10000\n"));
    free(text);
    free(left);
}

static void pack_without_room_leaves_the_file_that_is_there(void **state)
{
    struct stat before, after;

    (void)state;
    assert_int_equal(stat("plain/profile.h5", &before), 0);
    assert_int_equal(rc_profile_pack("nowhere", ignore_line, NULL, &err), RC_EMISSING);
    must(rc_profile_pack("hostile", ignore_line, NULL, &err));
    must(rename("plain/journal", "plain/elsewhere") ? RC_EIO : RC_OK);
    assert_int_equal(rc_profile_pack("plain", ignore_line, NULL, &err), RC_EMISSING);
    must(rename("plain/elsewhere", "plain/journal") ? RC_EIO : RC_OK);
    assert_int_equal(stat("plain/profile.h5", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
}

/* The output of rollcall profile DIR, to be freed. */
static char *shown(const char *dir, const char *launch, const char *within,
                   enum rc_format format)
{
    const struct rc_profile_request request = {
        .dir = dir, .region = within, .launch = launch, .format = format};
    const int kept = dup(STDOUT_FILENO);
    char *text;
    size_t bytes;

    fflush(stdout);
    assert_true(freopen("shown", "w", stdout) != NULL);
    const int status = rc_profile_show(&request, &err);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    must(status);
    must(rc_file_read("shown", RC_FILE_GIVEN, 1 << 24, &text, &bytes, &err));
    return text;
}

static void tables_answer_first_where_the_time_went(void **state)
{
    char *text = shown("plain", "0", NULL, RC_FORMAT_TEXT);

    (void)state;
    assert_non_null(strstr(text, "./app -n 3: 2.0 s on 2 nodes, 4 ranks"));
    assert_true(strstr(text, "main") < strstr(text, "MPI_Allreduce"));
    assert_non_null(strstr(text, "0.7500"));       /* mean of solve */
    assert_non_null(strstr(text, "96 B  48 B/s")); /* of all calls, in 2 s */
    assert_non_null(strstr(text, "12.1 k/s"));     /* net:rx */
    assert_non_null(strstr(text, "rank 3"));
    assert_non_null(strstr(text, "not permitted"));
    assert_non_null(strstr(text, "None: of 2 events that were read none jumps"));
    free(text);
    text = shown("steps", NULL, NULL, RC_FORMAT_TEXT);
    assert_non_null(strstr(text, " 1.000  2.000  main    net:rx  50 k/s"));
    free(text);
    text = shown("plain", NULL, NULL, RC_FORMAT_JSON);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    assert_int_equal(json_integer_value(json_object_get(all, "launch")), 1);
    assert_int_equal(json_array_size(json_object_get(all, "regions")), 4);
    assert_int_equal(json_array_size(json_object_get(all, "series")), 6);
    json_decref(all);
    free(text);
    text = shown("hostile", NULL, NULL, RC_FORMAT_CSV);
    assert_non_null(strstr(text, "'=cmd"));
    free(text);
    text = shown("plain", NULL, "solve", RC_FORMAT_CSV);
    assert_non_null(strstr(text, "main;solve"));
    assert_null(strstr(text, "walk"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_add_up_to_the_life_of_the_ranks),
        cmocka_unit_test(the_time_is_the_programs_not_the_samplers),
        cmocka_unit_test(what_ranks_ran_is_known_of_each),
        cmocka_unit_test(calls_are_starved_by_other_ranks),
        cmocka_unit_test(clocks_that_were_compared_join_the_nodes),
        cmocka_unit_test(waiting_is_summed_where_it_is_known),
        cmocka_unit_test(comparisons_with_a_node_that_is_lost_are_not_used),
        cmocka_unit_test(series_are_rates_or_states),
        cmocka_unit_test(phases_are_where_series_step_and_named_by_regions),
        cmocka_unit_test(small_steps_are_phases_of_ticks_alone),
        cmocka_unit_test(phases_are_not_where_others_disturb),
        cmocka_unit_test(bins_are_no_shorter_than_the_time_between_readings),
        cmocka_unit_test(traffic_is_what_series_count_within_regions),
        cmocka_unit_test(counts_of_time_are_percent),
        cmocka_unit_test(samplers_that_took_over_are_not_read),
        cmocka_unit_test(programs_of_one_thread_stay_two),
        cmocka_unit_test(entries_that_were_lost_cost_their_own_instances),
        cmocka_unit_test(a_journal_cut_anywhere_is_read_as_far_as_it_goes),
        cmocka_unit_test(records_that_say_what_cannot_be_are_counted),
        cmocka_unit_test(names_that_were_lost_are_called_so),
        cmocka_unit_test(what_is_no_profile_is_said),
        cmocka_unit_test(chrome_has_all_and_within_a_limit_the_longest),
        cmocka_unit_test(pieces_of_no_length_stay_in_the_region_that_they_are_of),
        cmocka_unit_test(pieces_that_outlive_what_is_around_them_are_cut),
        cmocka_unit_test(folded_stacks_add_up),
        cmocka_unit_test(hostile_names_stay_names),
        cmocka_unit_test(pack_keeps_launches_apart_and_their_means_together),
        cmocka_unit_test(every_axis_begins_when_the_first_sampler_did),
        cmocka_unit_test(a_region_without_a_name_is_called_so),
        cmocka_unit_test(pack_without_room_leaves_the_file_that_is_there),
        cmocka_unit_test(tables_answer_first_where_the_time_went),
    };

    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}
