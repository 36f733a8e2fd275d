/* Rates, from readings of teams that are written here to metrics.h5. */
#include "tests/lib/test.h"

#include "campaign/records/record.h"
#include "campaign/solve/solve.h"
#include "io/metrics/metrics.h"
#include "tests/lib/mpi_dir.h"

#include <math.h>
#include <string.h>

static struct rc_error err;

enum { CORES = 3, POINTS = 3, ITERATIONS = 1000, BYTES = 24, NODES_MOST = 200 };

enum event { BEGIN, END, WALL, LOADS, ZERO, DENIED, EVENTS };
static const char *const names[EVENTS] = {"time::begin", "time::end", "time::wall",
                                          "LOADS, all",  "ZERO",      "DENIED"};

/* How a campaign is to be. */
struct layout {
    size_t nodes, repetitions;
    bool team; /* points with 1, 2 and 3 workers, else one each at every place */
};

static int64_t span_ns(size_t node, size_t repetition)
{
    return 4000 + 100 * (int64_t)repetition + (node == 1 ? 200 : 0);
}

/* A clock of a year, which a double does not have to the ns. */
static int64_t planted(enum event e, size_t node, size_t core, size_t r, size_t p)
{
    int64_t begin = 31536000000000001 + (int64_t)(r * 1000000 + p * 10000 + 11 * core);

    if (node == 0 && r == 4 && p == 2 && core == 2)
        begin += 5000; /* when the others have ended */
    switch (e) {
    case BEGIN:
        return begin;
    case END:
        return begin + span_ns(node, r);
    case WALL:
        return span_ns(node, r);
    case LOADS:
        return 3 * ITERATIONS;
    default:
        return 0;
    }
}

static bool is_missing(const struct layout *is, size_t node, size_t core, size_t r,
                       size_t p)
{
    return is->team && (core > p || (node == 0 && r == 3 && p == 1 && core == 1));
}

static void fill(const struct layout *is, enum event e, struct rc_store_block *block)
{
    size_t row = 0;

    for (size_t n = 0; n < is->nodes; n++)
        for (size_t c = 0; c < CORES; c++)
            for (size_t r = 0; r < is->repetitions; r++, row++) {
                block->status[row] = e == DENIED ? RC_READING_MISSING : RC_READING_OK;
                for (size_t p = 0; p < POINTS; p++)
                    block->values[row * POINTS + p] =
                        e == DENIED || is_missing(is, n, c, r, p)
                            ? RC_STORE_MISSING_VALUE
                            : planted(e, n, c, r, p);
            }
}

static const int64_t axis[POINTS][2] = {{1024, 1}, {1024, 2}, {4096, 3}};
static const double basis[POINTS][2] = {{1, BYTES}, {2, BYTES}, {3, NAN}};
static const char *const axes[] = {"bytes", "workers"}, *const solo_axes[] = {"bytes",
                                                                              "b"};

static void write_store(const struct layout *is)
{
    static char place[NODES_MOST * CORES][32];
    static const char *places[NODES_MOST * CORES], *nodes[NODES_MOST];
    const size_t vectors = is->nodes * CORES * is->repetitions;
    const struct rc_store_campaign campaign = {
        .id = "test", .created_by = "test", .spec = "", .simulated = true};
    struct rc_store_event event[EVENTS] = {0};
    struct rc_store_suite suite = {
        .name = "team",
        .summary = "a test",
        .points = (const char *const[]){"p1", "p2", "p3"},
        .point_count = POINTS,
        .axes = is->team ? axes : solo_axes,
        .axis_count = 2,
        .axis = axis[0],
        .ideals = (const char *const[]){"INS", "B_STREAM"},
        .ideal_count = 2,
        .own_count = 1,
        .basis = basis[0],
        .sources = (const char *const[]){"time"},
        .source_count = 1,
        .iterations = (const uint64_t[]){ITERATIONS, ITERATIONS, ITERATIONS},
        .places = places,
        .place_count = is->nodes * CORES,
        .repetitions = is->repetitions,
        .statuses = rc_reading_status_names(),
        .status_count = RC_READING_STATUS_COUNT,
        .stops = (const char *const[]){""},
        .stop_count = 1,
        .workers = (const char *const[]){""},
        .worker_count = 1};
    struct rc_store_kind kind = {.name = "a kind",
                                 .key = "k",
                                 .shape = "core:3",
                                 .nodes = nodes,
                                 .node_count = is->nodes,
                                 .events = event,
                                 .event_count = EVENTS};
    struct rc_store *store;
    char path[128];
    size_t number;

    for (size_t e = 0; e < EVENTS; e++)
        event[e] = (struct rc_store_event){
            .name = names[e],
            .source = "time",
            .verdict = e == DENIED ? RC_VERDICT_NOT_PERMITTED : RC_VERDICT_OK};
    for (size_t i = 0; i < is->nodes * CORES; i++) {
        snprintf(place[i], sizeof place[i], "n, core 1 %zu core %zu", i / CORES,
                 i % CORES);
        places[i] = place[i];
        nodes[i / CORES] = place[i];
    }
    snprintf(path, sizeof path, "%s/campaign.h5", work);
    assert_int_equal(rc_store_create(team_comm, path, &campaign, &store, &err), RC_OK);
    assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_OK);
    if (rc_store_define_suite(store, 0, &suite, &number, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (size_t e = 0; e < EVENTS; e++) {
        struct rc_store_block block = {.first = e,
                                       .count = rank == 0,
                                       .values =
                                           calloc(vectors, POINTS * sizeof(int64_t)),
                                       .enabled_ns = calloc(vectors, sizeof(uint64_t)),
                                       .running_ns = calloc(vectors, sizeof(uint64_t)),
                                       .status = calloc(vectors, 1)};
        fill(is, (enum event)e, &block);
        assert_int_equal(rc_store_write(store, 0, 0, &block, &err), RC_OK);
        free(block.values);
        free(block.enabled_ns);
        free(block.running_ns);
        free(block.status);
    }
    if (rc_store_close(store, &err) != RC_OK)
        fail_msg("%s", err.text);
}

/* Solves the campaign with these rates; the file is to be closed. */
static struct rc_store *solved(const struct layout *is, const char *rates)
{
    char path[128];
    const char *const definitions[] = {path, NULL};
    const struct rc_solving how = {
        .comm = team_comm, .dir = work, .seed = 1, .definitions = definitions};
    struct rc_store *file = NULL;
    bool incomplete;

    write_store(is);
    snprintf(path, sizeof path, "%s/rates.yaml", work);
    if (rank == 0) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fprintf(out, "suite: team\nrates:\n%s", rates);
        assert_int_equal(fclose(out), 0);
    }
    MPI_Barrier(team_comm);
    if (rc_solve(&how, &incomplete, &err) != RC_OK)
        fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/metrics.h5", work);
    if (rc_metrics_open(team_comm, path, &file, &err) != RC_OK)
        fail_msg("%s", err.text);
    return file;
}

static bool has_remark(const struct rc_store *file, const char *text)
{
    const struct rc_suite_result *r = rc_metrics_suite(file, 0, 0);

    for (size_t i = 0; i < r->remark_count; i++)
        if (strstr(r->remark[i], text))
            return true;
    return false;
}

static void assert_remark(const struct rc_store *file, const char *text)
{
    const struct rc_suite_result *r = rc_metrics_suite(file, 0, 0);

    if (has_remark(file, text))
        return;
    for (size_t i = 0; i < r->remark_count; i++)
        print_message("remark: %s\n", r->remark[i]);
    fail_msg("no remark '%s'", text);
}

#define BANDWIDTH                                                                      \
    "- rate: bandwidth\n  unit: GB/s\n  convention: stream\n"                          \
    "  formula: workers * iterations * B_STREAM / (max(time::end) - "                  \
    "min(time::begin))\n"

static double bandwidth(size_t node, size_t r, size_t p)
{
    if (p == 2) /* its ideal is not known */
        return NAN;
    if (node == 0 && r == 3 && p == 1)
        return NAN;
    return (double)(p + 1) * ITERATIONS * BYTES /
           (double)(span_ns(node, r) + 11 * (int64_t)p);
}

static void a_rate_is_that_of_the_team_in_each_repetition(void **state)
{
    const struct layout is = {.nodes = 2, .repetitions = 7, .team = true};
    struct rc_store *file = solved(&is, BANDWIDTH);
    size_t count;
    const struct rc_rate_result *r = rc_metrics_rates(file, 0, &count);

    (void)state;
    assert_int_equal(count, 1);
    assert_string_equal(r->name, "bandwidth");
    assert_string_equal(r->unit, "GB/s");
    assert_string_equal(r->convention, "stream");
    assert_string_equal(r->suite, "team");
    assert_int_equal(r->node_count, 2);
    assert_string_equal(r->node[0], "n, core 1 0");
    assert_string_equal(r->node[1], "n, core 1 1");
    assert_int_equal(r->repetitions, 7);
    for (size_t n = 0; n < 2; n++)
        for (size_t rep = 0; rep < 7; rep++)
            for (size_t p = 0; p < POINTS; p++) {
                const double is_now = r->values[(n * 7 + rep) * POINTS + p],
                             expected = bandwidth(n, rep, p);
                assert_true(isnan(expected) ? isnan(is_now) : is_now == expected);
            }
    /* Rates fall from repetition to repetition: seven of node 1, six of node 0. */
    assert_true(r->best[POINTS] == bandwidth(1, 0, 0));
    assert_true(r->least[POINTS] == bandwidth(1, 6, 0));
    assert_true(r->median[POINTS] == bandwidth(1, 3, 0));
    assert_true(r->low[POINTS] == r->least[POINTS]);
    assert_true(r->high[POINTS] == r->best[POINTS]);
    assert_true(r->median[1] == (bandwidth(0, 2, 1) + bandwidth(0, 4, 1)) / 2);
    assert_true(isnan(r->median[2]) && isnan(r->low[2]));
    assert_remark(
        file, "rate bandwidth lacks 15 of 42 values: 1 without readings of all its "
              "workers, 1 whose workers did not work at once, 13 in which the formula "
              "divides by 0 or has a count that is not known");
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void a_name_that_is_not_there_leaves_the_rate_out_with_its_line(void **state)
{
    static const struct {
        const char *formula, *says;
    } bad[] = {
        {"8 / max(time::ennd)", "column 9: no event, ideal or axis 'time::ennd' was "
                                "measured here, did you mean 'time::end'?"},
        {"byte / max(time::wall)",
         "column 1: no event, ideal or axis 'byte' was measured "
         "here, did you mean 'bytes'?"},
        {"max(xyzzy_plugh)",
         "column 5: no event, ideal or axis 'xyzzy_plugh' was measured here"},
        {"8 / time::wall",
         "column 5: 'time::wall' differs between the up to 3 workers of a "
         "point, expected it in sum(), max() or min()"},
        {"max(DENIED)", "column 5: event 'DENIED' was not measured"},
        {"sum([no such])",
         "column 5: no metric 'no such' with a signature in the suites measured"},
        {"bytes * workers", "no event in its formula, expected one at least"},
    };
    const struct layout is = {.nodes = 1, .repetitions = 2, .team = true};
    char rates[4096] = "", line[256];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        snprintf(rates + strlen(rates), sizeof rates - strlen(rates),
                 "- {rate: 'r%zu', unit: x, formula: '%s'}\n", i, bad[i].formula);
    strcat(rates, BANDWIDTH);
    struct rc_store *file = solved(&is, rates);
    size_t count;
    const struct rc_rate_result *r = rc_metrics_rates(file, 0, &count);
    assert_int_equal(count, 1);
    assert_string_equal(r->name, "bandwidth");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "rate r%zu is left out: %s/rates.yaml:%zu: %s", i,
                 work, i + 3, bad[i].says);
        assert_remark(file, line);
    }
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void a_division_by_0_is_not_known_and_said(void **state)
{
    const struct layout is = {.nodes = 1, .repetitions = 2, .team = true};
    struct rc_store *file =
        solved(&is, "- {rate: 'a, \"b\" <c>', unit: 1, formula: \"sum('LOADS, all') / "
                    "sum(ZERO)\"}\n- {rate: loads, unit: 1/ns, formula: \"sum('LOADS, "
                    "all') / max(time::wall)\"}\n");
    size_t count;
    const struct rc_rate_result *r = rc_metrics_rates(file, 0, &count);

    (void)state;
    assert_int_equal(count, 2);
    assert_string_equal(r[0].name, "a, \"b\" <c>");
    for (size_t i = 0; i < POINTS; i++)
        assert_true(isnan(r[0].best[i]) && isnan(r[0].values[i]));
    assert_remark(
        file, "rate a, \"b\" <c> lacks 6 of 6 values: 6 in which the formula divides");
    for (size_t p = 0; p < POINTS; p++)
        assert_true(r[1].best[p] == (double)(p + 1) * 3 * ITERATIONS / 4000);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void one_repetition_has_no_interval(void **state)
{
    const struct layout is = {.nodes = 1, .repetitions = 1, .team = true};
    struct rc_store *file = solved(&is, BANDWIDTH);
    size_t count;
    const struct rc_rate_result *r = rc_metrics_rates(file, 0, &count);

    (void)state;
    assert_true(r->least[1] == bandwidth(0, 0, 1) && r->best[1] == r->least[1] &&
                r->median[1] == r->least[1]);
    assert_true(isnan(r->low[1]) && isnan(r->high[1]));
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void where_points_have_no_workers_each_place_is_a_row(void **state)
{
    const struct layout is = {.nodes = 2, .repetitions = 2};
    struct rc_store *file =
        solved(&is, "- {rate: speed, unit: 1/ns, formula: iterations / time::wall}\n");
    size_t count;
    const struct rc_rate_result *r = rc_metrics_rates(file, 0, &count);

    (void)state;
    assert_int_equal(count, 1);
    assert_int_equal(r->node_count, 2 * CORES);
    assert_string_equal(r->node[4], "n, core 1 1 core 1");
    assert_true(r->best[4 * POINTS] == (double)ITERATIONS / 4200);
    assert_true(r->least[4 * POINTS] == (double)ITERATIONS / 4300);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void many_nodes_are_rows_in_their_order(void **state)
{
    const struct layout is = {.nodes = NODES_MOST, .repetitions = 6, .team = true};
    struct rc_store *file = solved(&is, BANDWIDTH);
    size_t count;
    const struct rc_rate_result *r = rc_metrics_rates(file, 0, &count);

    (void)state;
    assert_int_equal(r->node_count, NODES_MOST);
    for (size_t n = 0; n < NODES_MOST; n++) {
        char name[32];
        snprintf(name, sizeof name, "n, core 1 %zu", n);
        assert_string_equal(r->node[n], name);
        assert_true(r->best[n * POINTS] == bandwidth(n, 0, 0));
        assert_true(r->least[n * POINTS] == bandwidth(n, 5, 0));
    }
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_is_that_of_the_team_in_each_repetition),
        cmocka_unit_test(a_name_that_is_not_there_leaves_the_rate_out_with_its_line),
        cmocka_unit_test(a_division_by_0_is_not_known_and_said),
        cmocka_unit_test(one_repetition_has_no_interval),
        cmocka_unit_test(where_points_have_no_workers_each_place_is_a_row),
        cmocka_unit_test(many_nodes_are_rows_in_their_order),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
