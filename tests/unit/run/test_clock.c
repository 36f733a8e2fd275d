/* Clocks of nodes: bounds that hold the truth, planted offsets and drifts, records. */
#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/clock/measure.h"
#include "tests/lib/on_teams.h"

#include <math.h>
#include <string.h>

enum { NODES_MOST = 8, SECOND = 1000000000, ROUNDING_NS = 2 };

/* The clocks of nodes as they are planted: the real one, which all ranks of this
 * machine share, moved and made faster.  Only those of node 0 are as they are but for
 * an offset, so that it is known what is true.
 */
static struct {
    int64_t offset_ns;
    double rate; /* what it runs faster than the real one, as a part */
} planted[NODES_MOST];
static size_t my_node;
static int64_t skipped_ns; /* time that is said to have passed */
static int64_t begin_ns;   /* when the rates began, of the real clock */
static int reads;          /* of the clock by this rank */
static bool fails;         /* there is no memory */

uint64_t __real_rc_clock_raw_ns(void);
uint64_t __wrap_rc_clock_raw_ns(void);
int __real_rc_grow(void *array, size_t item_bytes, size_t count, size_t *room);
int __wrap_rc_grow(void *array, size_t item_bytes, size_t count, size_t *room);

static int64_t real_ns(void)
{
    return (int64_t)__real_rc_clock_raw_ns() + skipped_ns;
}

static int64_t planted_ns(size_t node, int64_t real)
{
    return real + planted[node].offset_ns +
           (int64_t)floor(planted[node].rate * (double)(real - begin_ns));
}

/* A node's time on node 0's clock. */
static int64_t truth_ns(size_t node, int64_t local)
{
    const double since = (double)(local - planted[node].offset_ns - begin_ns);
    const int64_t real = begin_ns + (int64_t)(since / (1 + planted[node].rate));

    return planted_ns(0, real);
}

uint64_t __wrap_rc_clock_raw_ns(void)
{
    reads++;
    return (uint64_t)planted_ns(my_node, real_ns());
}

int __wrap_rc_grow(void *array, size_t item_bytes, size_t count, size_t *room)
{
    return fails ? -1 : __real_rc_grow(array, item_bytes, count, room);
}

/* Says that so many ranks in a row are a node, and plants nothing. */
static void lay_out(struct rc_nodes *nodes, struct rc_node room[NODES_MOST], int each)
{
    memset(room, 0, NODES_MOST * sizeof *room);
    memset(planted, 0, sizeof planted);
    *nodes = (struct rc_nodes){.comm = team_comm, .node = room};
    for (int first = 0; first < size; first += each) {
        struct rc_node *node = &room[nodes->count++];
        snprintf(node->name, sizeof node->name, "n%d", first / each);
        node->leader = first;
        node->ranks = size - first < each ? size - first : each;
    }
    nodes->mine = my_node = (size_t)(rank / each);
    nodes->leads = rank % each == 0;
    skipped_ns = 0;
    begin_ns = (int64_t)__real_rc_clock_raw_ns();
    MPI_Bcast(&begin_ns, 1, MPI_INT64_T, 0, team_comm);
}

static void measure(const struct rc_nodes *nodes, struct rc_clock *clock,
                    struct rc_clock_quality *quality)
{
    struct rc_error err = {.text = ""};

    assert_int_equal(rc_clock_measure(nodes, clock, quality, &err), RC_OK);
}

/* The truth lies within the bounds of that time; returns how far it is from the middle.
 */
static double check_at(const struct rc_clock *clock, int64_t local)
{
    int64_t low, high;
    const int64_t global = rc_clock_global(clock, local, &low, &high);
    const int64_t truth = truth_ns(my_node, local);

    if (truth < low - ROUNDING_NS || truth > high + ROUNDING_NS)
        fail_msg("node %zu at %lld: the truth is %lld ns below or %lld ns above",
                 my_node, (long long)local, (long long)(low - truth),
                 (long long)(truth - high));
    assert_true(low <= global && global <= high);
    return fabs((double)(global - truth));
}

static double worst_of_all(double mine)
{
    double all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, team_comm);
    return all;
}

static void bad_measurements_are_refused(void **state)
{
    const int64_t far = INT64_MAX / 8;
    const struct {
        size_t count;
        struct rc_clock_offset offset[2];
    } bad[] = {{1, {{0, 5, 4}}},
               {1, {{far, 0, 1}}},
               {1, {{INT64_MIN, 0, 1}}},
               {1, {{0, -far, 0}}},
               {1, {{0, 0, INT64_MAX}}},
               {2, {{10, 0, 1}, {10, 0, 1}}},
               {2, {{10, 0, 1}, {9, 0, 1}}},
               {2, {{10, 0, 1}, {11, 1, 0}}}};
    struct rc_clock clock;
    struct rc_error err;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err.text[0] = '\0';
        assert_int_equal(rc_clock_decode(bad[i].offset, bad[i].count, &clock, &err),
                         RC_EUSAGE);
        assert_non_null(strstr(err.text, "of a clock: at "));
        assert_null(clock.offset);
        rc_clock_fini(&clock);
    }
}

static void without_measurements_every_time_is_what_it_is(void **state)
{
    const int64_t year = INT64_C(365) * 86400 * SECOND;
    struct rc_clock clock;
    struct rc_error err;
    int64_t low = 1, high = 1;

    (void)state;
    assert_int_equal(rc_clock_decode(NULL, 0, &clock, &err), RC_OK);
    assert_true(rc_clock_global(&clock, 12345, &low, &high) == 12345);
    assert_true(low == 12345 && high == 12345);
    assert_true(rc_clock_global(&clock, INT64_MAX, NULL, NULL) == 30 * year);
    assert_true(rc_clock_global(&clock, INT64_MIN, NULL, NULL) == -30 * year);
    assert_true(rc_clock_drift_ppm(&clock) == 0);
    rc_clock_fini(&clock);
}

static void bounds_part_with_the_time_from_a_measurement(void **state)
{
    const int64_t s = SECOND;
    const struct rc_clock_offset two[] = {{10 * s, 100, 300}, {70 * s, 6100, 6200}};
    struct rc_clock clock;
    struct rc_error err;
    int64_t low, high;

    (void)state;
    assert_int_equal(rc_clock_decode(two, 1, &clock, &err), RC_OK);
    for (int64_t at = 9 * s; at <= 11 * s; at += 2 * s) { /* 50 ppm of 1 s */
        assert_true(rc_clock_global(&clock, at, &low, &high) == at + 200);
        assert_true(low == at + 100 - 50001 && high == at + 300 + 50001);
    }
    rc_clock_fini(&clock);

    assert_int_equal(rc_clock_decode(two, 2, &clock, &err), RC_OK);
    assert_true(fabs(rc_clock_drift_ppm(&clock) - 5800e-9 / 60 * 1e6) < 1e-9);
    (void)rc_clock_global(&clock, 40 * s, &low, &high); /* 1 ppm of 30 s */
    assert_true(low == 40 * s + 3100 - 30001 && high == 40 * s + 3250 + 30001);
    (void)rc_clock_global(&clock, 71 * s, &low, &high);
    assert_true(low == 71 * s + 6100 - 50001 && high == 71 * s + 6200 + 50001);
    for (int64_t at = 10 * s; at <= 70 * s; at += 60 * s) {
        (void)rc_clock_global(&clock, at, &low, &high);
        assert_true(high - low <= 202);
    }
    for (int64_t at = 0; at <= 80 * s; at += s / 7) { /* no jump of more than drift */
        int64_t next_low, next_high;
        (void)rc_clock_global(&clock, at, &low, &high);
        (void)rc_clock_global(&clock, at + s / 7, &next_low, &next_high);
        assert_true(llabs(next_low - low - s / 7) < 50 * 1000 / 7 + 500);
        assert_true(llabs(next_high - high - s / 7) < 50 * 1000 / 7 + 500);
    }
    rc_clock_fini(&clock);
}

static void a_job_of_one_node_measures_nothing(void **state)
{
    struct rc_node room[NODES_MOST];
    struct rc_nodes nodes;
    struct rc_clock clock = {0};
    struct rc_clock_quality quality;
    char line[400];

    (void)state;
    lay_out(&nodes, room, size);
    reads = 0;
    measure(&nodes, &clock, &quality);
    nodes.comm = MPI_COMM_NULL; /* alone */
    measure(&nodes, &clock, &quality);
    assert_int_equal(reads, 0);
    assert_int_equal(clock.count, 0);
    assert_true(rc_clock_holds(&quality));
    assert_string_equal(rc_clock_quality_put(line, sizeof line, &nodes, &quality),
                        "one node, one clock");
    rc_clock_fini(&clock);
}

/* Clocks that begin at different times, and do not drift. */
static void the_truth_is_within_the_bounds(void **state)
{
    struct rc_node room[NODES_MOST];
    struct rc_nodes nodes;
    struct rc_clock_quality quality;
    char line[400];

    (void)state;
    for (int each = 1; each <= 2 && each < size; each++) {
        struct rc_clock clock = {0};
        lay_out(&nodes, room, each);
        for (size_t n = 0; n < nodes.count; n++)
            planted[n].offset_ns = (n % 2 ? -1 : 1) * (int64_t)n * 1234567 * SECOND;
        reads = 0;
        measure(&nodes, &clock, &quality);
        assert_int_equal(clock.count, my_node > 0);
        assert_true(reads < 2000 * 2 * 4); /* at most 4 pairs that a rank is in */
        assert_true(nodes.leads == (reads > 0));
        const int64_t now = my_node ? clock.offset[0].at_ns : planted_ns(0, real_ns());
        const double error = worst_of_all(check_at(&clock, now));
        assert_true(error < 0.1 * SECOND);
        assert_true(quality.uncertainty_ns.value > 0);
        assert_true(error <= quality.uncertainty_ns.value + ROUNDING_NS);
        assert_true(quality.drift_ppm.value == 0);
        assert_true(rc_clock_holds(&quality));
        assert_null(strstr(rc_clock_quality_put(line, sizeof line, &nodes, &quality),
                           "bounds"));
        if (rank == 0)
            print_message("%s; the largest error is %.0f ns\n", line, error);
        rc_clock_fini(&clock);
    }
}

/* A minute passes between two measurements, and clocks drift. */
static void the_truth_is_within_the_bounds_at_any_time_between(void **state)
{
    static const double rates[NODES_MOST] = {0, 40e-6, -7e-6, 40e-6, 12e-6, 3e-6};
    struct rc_node room[NODES_MOST];
    struct rc_nodes nodes;
    struct rc_clock clock = {0};
    struct rc_clock_quality quality;
    double error = 0, unsure = 0;
    char line[400];

    (void)state;
    if (size < 2)
        return;
    lay_out(&nodes, room, 1);
    for (size_t n = 0; n < nodes.count; n++) {
        planted[n].offset_ns = (int64_t)n * 4321 * SECOND;
        planted[n].rate = rates[n];
    }
    for (int i = 0; i < 3; i++) {
        measure(&nodes, &clock, &quality);
        unsure = fmax(unsure, quality.uncertainty_ns.value);
        MPI_Barrier(team_comm);
        skipped_ns += INT64_C(60) * SECOND;
        MPI_Barrier(team_comm);
    }
    const int64_t from = my_node ? clock.offset[0].at_ns : planted_ns(0, begin_ns);
    for (int64_t at = from; at < from + INT64_C(120) * SECOND; at += SECOND / 3)
        error = fmax(error, check_at(&clock, at));
    (void)check_at(&clock, from - INT64_C(60) * SECOND);
    (void)check_at(&clock, from + INT64_C(200) * SECOND);
    error = worst_of_all(error);
    assert_true(error < 0.1 * SECOND);
    assert_true(quality.drift_ppm.value < 40);
    assert_true(quality.drift_ppm.value > 39.9 - 4 * unsure / 60e3);
    assert_true(rc_clock_holds(&quality));
    rc_clock_quality_put(line, sizeof line, &nodes, &quality);
    assert_non_null(strstr(line, "ppm (n"));
    if (rank == 0)
        print_message("%s; the largest error in 120 s is %.0f ns\n", line, error);

    struct rc_clock again;
    struct rc_error err;
    int64_t low[2], high[2];
    assert_int_equal(rc_clock_decode(clock.offset, clock.count, &again, &err), RC_OK);
    assert_true(rc_clock_global(&clock, from + SECOND, &low[0], &high[0]) ==
                rc_clock_global(&again, from + SECOND, &low[1], &high[1]));
    assert_true(low[0] == low[1] && high[0] == high[1]);
    rc_clock_fini(&again);
    rc_clock_fini(&clock);
}

/* That one drifts by more than may be is seen by the next measurement. */
static void a_clock_that_runs_too_fast_is_told(void **state)
{
    struct rc_node room[NODES_MOST];
    struct rc_nodes nodes;
    struct rc_clock clock = {0};
    struct rc_clock_quality quality;
    char line[400];

    (void)state;
    if (size < 2)
        return;
    lay_out(&nodes, room, 1);
    planted[nodes.count - 1].rate = 0.5;
    measure(&nodes, &clock, &quality);
    assert_true(quality.apart_ns.value > 0);
    assert_false(rc_clock_holds(&quality));
    assert_non_null(strstr(rc_clock_quality_put(line, sizeof line, &nodes, &quality),
                           "beyond its bounds"));
    measure(&nodes, &clock, &quality);
    assert_int_equal(quality.drift_ppm.node, nodes.count - 1);
    assert_true(quality.drift_ppm.value > 1000);
    assert_false(rc_clock_holds(&quality));
    assert_non_null(strstr(rc_clock_quality_put(line, sizeof line, &nodes, &quality),
                           "more than the 50 ppm"));
    rc_clock_fini(&clock);
}

static void all_hear_that_one_has_no_memory(void **state)
{
    struct rc_node room[NODES_MOST];
    struct rc_nodes nodes;
    struct rc_clock clock = {0};
    struct rc_clock_quality quality;

    (void)state;
    if (size < 2)
        return;
    lay_out(&nodes, room, 1);
    for (int bad = 0; bad < size; bad++) {
        struct rc_error err = {.text = ""};
        fails = rank == bad;
        assert_int_equal(rc_clock_measure(&nodes, &clock, &quality, &err), RC_ENOMEM);
        fails = false;
        assert_int_equal(err.rank, bad);
        assert_int_equal(clock.count, 0);
    }
    measure(&nodes, &clock, &quality);
    assert_int_equal(clock.count, rank > 0);
    rc_clock_fini(&clock);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_measurements_are_refused),
        cmocka_unit_test(without_measurements_every_time_is_what_it_is),
        cmocka_unit_test(bounds_part_with_the_time_from_a_measurement),
        cmocka_unit_test(a_job_of_one_node_measures_nothing),
        cmocka_unit_test(the_truth_is_within_the_bounds),
        cmocka_unit_test(the_truth_is_within_the_bounds_at_any_time_between),
        cmocka_unit_test(a_clock_that_runs_too_fast_is_told),
        cmocka_unit_test(all_hear_that_one_has_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
