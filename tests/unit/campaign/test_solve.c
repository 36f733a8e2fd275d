/* The solve from a store that is written here to the file that it puts in place. */
#include "tests/lib/test.h"

#include "campaign/records/record.h"
#include "campaign/solve/solve.h"
#include "io/metrics/metrics.h"
#include "tests/lib/mpi_dir.h"

#include <math.h>
#include <string.h>

static struct rc_error err;

enum { PLACES = 3, REPETITIONS = 4, POINTS = 6, IDEALS = 4, ITERATIONS = 1000000 };

/* L1DM L1DH L2DH L3DH of a chase: one size for each level, and two between. */
static const double basis[POINTS][IDEALS] = {{0, 1, 0, 0},       {1, 0, 1, 0},
                                             {1, 0, 0, 1},       {1, 0, 0, 0},
                                             {0.5, 0.5, 0.5, 0}, {1, 0, 0.25, 0.5}};

/* The events of the test, by name. */
enum event {
    MISSES,  /* L1DM, the same everywhere */
    OUTLIER, /* L1DH, but for one place that counts three times as much */
    L2_HITS, /* with a little noise */
    L3_HITS, /* a tenth of its repetitions did not count all the time */
    TWICE,   /* 2 L1DM */
    ZERO,    /* nothing */
    WILD,    /* another number each time */
    ONCE,    /* one repetition only */
    NEVER,   /* was not measured */
    DENIED,  /* could not be */
    STRANGE, /* nothing that caches do */
    EVENTS
};
static const char *const names[EVENTS] = {"MISSES", "OUTLIER", "L2:HITS", "L3|HITS",
                                          "TWICE",  "ZERO",    "WILD",    "ONCE",
                                          "NEVER",  "DENIED",  "STRANGE"};

static double planted(enum event e, size_t place, size_t repetition, size_t point)
{
    const double *b = basis[point];
    const double jitter = 1 + 1e-3 * (double)((repetition * 7 + place * 3) % 5);

    switch (e) {
    case MISSES:
    case ONCE:
        return b[0];
    case OUTLIER:
        return place == 1 ? 3 * b[1] : b[1];
    case L2_HITS:
        return b[2] * jitter;
    case L3_HITS:
        return b[3];
    case TWICE:
        return 2 * b[0];
    case WILD:
        return (double)((point * 31 + repetition * 17 + place) % 11);
    case STRANGE:
        return (double)(point * point % 5);
    default:
        return 0;
    }
}

static uint8_t status_of(enum event e, size_t place, size_t repetition)
{
    if (e == NEVER || e == DENIED || (e == ONCE && (place || repetition)))
        return RC_READING_MISSING;
    return e == L3_HITS && repetition == 2 ? RC_READING_MULTIPLEXED : RC_READING_OK;
}

static int64_t values[EVENTS * PLACES * REPETITIONS * POINTS];
static uint8_t statuses[EVENTS * PLACES * REPETITIONS];
static uint64_t times[EVENTS * PLACES * REPETITIONS];

static void fill(void)
{
    size_t row = 0;

    for (size_t e = 0; e < EVENTS; e++)
        for (size_t q = 0; q < PLACES; q++)
            for (size_t r = 0; r < REPETITIONS; r++, row++) {
                statuses[row] = status_of((enum event)e, q, r);
                for (size_t p = 0; p < POINTS; p++)
                    values[row * POINTS + p] =
                        statuses[row] == RC_READING_MISSING
                            ? RC_STORE_MISSING_VALUE
                            : (int64_t)(planted((enum event)e, q, r, p) * ITERATIONS);
            }
}

static const struct rc_store_suite suite = {
    .name = "dcache",
    .summary = "a test",
    .points = (const char *const[]){"l1", "l2", "l3", "memory", "half", "quarter"},
    .point_count = POINTS,
    .axes = (const char *const[]){"bytes"},
    .axis_count = 1,
    .axis = (const int64_t[]){1, 2, 3, 4, 5, 6},
    .ideals = (const char *const[]){"L1DM", "L1DH", "L2DH", "L3DH"},
    .ideal_count = IDEALS,
    .own_count = IDEALS,
    .basis = basis[0],
    .sources = (const char *const[]){"model"},
    .source_count = 1,
    .iterations = (const uint64_t[]){ITERATIONS, ITERATIONS, ITERATIONS, ITERATIONS,
                                     ITERATIONS, ITERATIONS},
    .places = (const char *const[]){"n0 core 0", "n0 core 1", "n0 core 2"},
    .place_count = PLACES,
    .repetitions = REPETITIONS,
    .stops = (const char *const[]){""},
    .stop_count = 1,
    .workers = (const char *const[]){""},
    .worker_count = 1,
};

/* A campaign of the first 'events' events; 0: of none at all. */
static void write_store(size_t events)
{
    struct rc_store_event event[EVENTS] = {0};
    struct rc_store_suite s = suite;
    const struct rc_store_campaign campaign = {
        .id = "test", .created_by = "test", .spec = "", .simulated = true};
    struct rc_store_kind kind = {.name = "a kind",
                                 .key = "k",
                                 .shape = "core:1",
                                 .events = event,
                                 .event_count = events};
    struct rc_store_block block = {.values = values,
                                   .enabled_ns = times,
                                   .running_ns = times,
                                   .status = statuses,
                                   .count = rank == 0 ? events : 0};
    struct rc_store *store;
    char path[128];
    size_t number;

    fill();
    for (size_t e = 0; e < EVENTS; e++)
        event[e] = (struct rc_store_event){
            .name = names[e],
            .source = "model",
            .verdict = e == DENIED ? RC_VERDICT_NOT_PERMITTED : RC_VERDICT_OK};
    s.statuses = rc_reading_status_names();
    s.status_count = RC_READING_STATUS_COUNT;
    snprintf(path, sizeof path, "%s/campaign.h5", work);
    assert_int_equal(rc_store_create(team_comm, path, &campaign, &store, &err), RC_OK);
    assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_OK);
    assert_int_equal(rc_store_define_suite(store, 0, &s, &number, &err), RC_OK);
    if (events)
        assert_int_equal(rc_store_write(store, 0, 0, &block, &err), RC_OK);
    if (rc_store_close(store, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static struct rc_store *solved(size_t events, bool *incomplete)
{
    const struct rc_solving how = {.comm = team_comm, .dir = work, .seed = 1};
    struct rc_store *file = NULL;
    char path[128];

    write_store(events);
    if (rc_solve(&how, incomplete, &err) != RC_OK)
        fail_msg("%s", err.text);
    snprintf(path, sizeof path, "%s/metrics.h5", work);
    if (rc_metrics_open(team_comm, path, &file, &err) != RC_OK)
        fail_msg("%s", err.text);
    return file;
}

static void close_file(struct rc_store *file)
{
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static const struct rc_metric_result *metric(const struct rc_store *file,
                                             const char *name)
{
    const struct rc_suite_result *r = rc_metrics_suite(file, 0, 0);

    for (size_t i = 0; i < r->metric_count; i++)
        if (strcmp(r->metric[i].name, name) == 0)
            return &r->metric[i];
    fail_msg("no metric '%s'", name);
    return NULL;
}

/* That the metric is that event, once. */
static void assert_is(const struct rc_store *file, const char *name, enum event e,
                      double within)
{
    const struct rc_metric_result *m = metric(file, name);
    size_t found = 0;

    assert_int_equal(m->verdict, RC_METRIC_DEFINED);
    assert_true(m->rounded_holds);
    for (size_t i = 0; i < m->term_count; i++) {
        if (m->term[i].rounded == 0)
            continue;
        assert_string_equal(m->term[i].name, names[e]);
        assert_float_equal(m->term[i].coefficient, 1, within);
        assert_float_equal(m->term[i].rounded, 1, 0);
        assert_true(m->term[i].low <= m->term[i].coefficient &&
                    m->term[i].coefficient <= m->term[i].high);
        found++;
    }
    assert_int_equal(found, 1);
}

static void each_event_ends_in_a_class_with_its_reason(void **state)
{
    static const struct {
        enum rc_class class;
        const char *reason;
    } expected[EVENTS] = {
        [MISSES] = {RC_CLASS_EXACT, ""},
        [OUTLIER] = {RC_CLASS_EXACT, ""},
        [L2_HITS] = {RC_CLASS_STEADY, ""},
        [L3_HITS] = {RC_CLASS_EXACT, ""},
        [TWICE] = {RC_CLASS_EXACT, "spanned"},
        [ZERO] = {RC_CLASS_DEAD, "0 on all points of all suites"},
        [WILD] = {RC_CLASS_NOISY, "noise"},
        [ONCE] = {RC_CLASS_INVALID, "one valid repetition"},
        [NEVER] = {RC_CLASS_INVALID, "not measured"},
        [DENIED] = {RC_CLASS_INVALID, "not permitted"},
        [STRANGE] = {RC_CLASS_EXACT, "no sum of the ideals"},
    };
    double noise[EVENTS], x[EVENTS * IDEALS];
    uint8_t class[EVENTS], use[EVENTS];
    uint32_t reason[EVENTS];
    struct rc_event_columns columns = {.count = EVENTS,
                                       .noise = noise,
                                       .representation = x,
                                       .event_class = class,
                                       .use = use,
                                       .reason = reason};
    bool incomplete;
    struct rc_store *file = solved(EVENTS, &incomplete);
    const struct rc_suite_result *r = rc_metrics_suite(file, 0, 0);

    (void)state;
    assert_int_equal(rc_metrics_read_columns(file, 0, 0, &columns, &err), RC_OK);
    for (size_t e = 0; e < EVENTS; e++) {
        if (class[e] != expected[e].class)
            fail_msg("%s is %s", names[e], rc_class_names[class[e]]);
        if (e != TWICE && !strstr(r->reason[reason[e]], expected[e].reason))
            fail_msg("%s: '%s'", names[e], r->reason[reason[e]]);
    }
    assert_int_equal(use[TWICE], RC_USE_DEPENDENT);
    assert_int_equal(use[STRANGE], RC_USE_OUTSIDE);
    assert_int_equal(r->use_count[RC_USE_CHOSEN], 4);
    assert_float_equal(x[TWICE * IDEALS], 2, 1e-9);
    assert_true(incomplete); /* NEVER and ONCE */
    close_file(file);
}

static void caches_take_the_median_over_the_places(void **state)
{
    bool incomplete;
    struct rc_store *file = solved(EVENTS, &incomplete);

    (void)state;
    assert_is(file, "L1 misses", MISSES, 1e-2);
    assert_is(file, "L1 hits", OUTLIER, 1e-2);
    assert_is(file, "L2 hits", L2_HITS, 1e-2);
    assert_is(file, "L3 hits", L3_HITS, 1e-2);
    assert_true(metric(file, "L2 hits")->term[0].low <
                metric(file, "L2 hits")->term[0].high);
    close_file(file);
}

static void without_events_no_metric_is_known(void **state)
{
    bool incomplete;

    (void)state;
    for (size_t events = 0; events < 2; events++) {
        struct rc_store *file = solved(events, &incomplete);
        const struct rc_suite_result *r = rc_metrics_suite(file, 0, 0);
        assert_true(r->metric_count >= 6);
        assert_int_equal(r->chosen_count, events);
        for (size_t i = 0; i < r->metric_count; i++)
            assert_int_equal(r->metric[i].verdict == RC_METRIC_DEFINED,
                             events && strcmp(r->metric[i].name, "L1 misses") == 0);
        close_file(file);
    }
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_ends_in_a_class_with_its_reason),
        cmocka_unit_test(caches_take_the_median_over_the_places),
        cmocka_unit_test(without_events_no_metric_is_known),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
