/* Writes a campaign whose every number tells where it belongs, for store_python.sh.
 * store_python.py has the same labels and the same formula.
 */
#include "campaign/base/agree.h"
#include "io/store/store.h"

#include <math.h>
#include <stdio.h>

enum { PLACES = 2, REPETITIONS = 3, POINTS_MOST = 4, EVENTS_MOST = 5 };

static const struct rc_store_campaign campaign = {
    .id = "sample",
    .created_by = "store_sample",
    .spec = "source: model:sample\nsuites: [flops, branch]\n",
    .source_labels = (const char *const[]){"model: simulated"},
    .source_label_count = 1,
    .simulated = true,
};

static const struct rc_store_event events[EVENTS_MOST] = {
    {.name = "perf::INSTRUCTIONS:u",
     .source = "model",
     .description = "instructions, \xc2\xb5ops",
     .verdict = RC_VERDICT_OK},
    {.name = "BR_MISP_RETIRED", .source = "model", .verdict = RC_VERDICT_OK},
    {.name = "odd\xff/name", .source = "model", .verdict = RC_VERDICT_OK},
    {.name = "caf\xc3\xa9", .source = "model", .verdict = RC_VERDICT_OK},
    {.name = "L3_READS",
     .source = "model",
     .scope = RC_SCOPE_L3,
     .verdict = RC_VERDICT_NOT_PERMITTED,
     .reason = "no right"},
};

static const struct rc_store_kind kinds[] = {
    {.name = "zen3-1",
     .key = "zen3",
     .shape = "core:2",
     .nodes = (const char *const[]){"n0", "n1"},
     .node_count = 2,
     .events = events,
     .event_count = EVENTS_MOST},
    {.name = "a/kind 50%",
     .key = "other",
     .shape = "core:1",
     .nodes = (const char *const[]){"n2"},
     .node_count = 1,
     .events = events,
     .event_count = 2},
};

static const struct rc_store_suite flops = {
    .name = "flops",
    .summary = "floating point",
    .points = (const char *const[]){"p0", "p1", "p2", "p3"},
    .point_count = POINTS_MOST,
    .axes = (const char *const[]){"bytes", "stride"},
    .axis_units = (const char *const[]){"B", ""},
    .axis_count = 2,
    .axis = (const int64_t[]){64, 1, 128, 1, 256, 2, 512, -1},
    .ideals = (const char *const[]){"D_SCAL", "INS", "CE"},
    .ideal_count = 3,
    .basis = (const double[]){24, 30.5, NAN, 48, 60, NAN, 96, 120, NAN, 0, 1, NAN},
    .sources = (const char *const[]){"model"},
    .source_count = 1,
    .iterations = (const uint64_t[]){10, 20, 30, 40},
    .places = (const char *const[]){"n0 core 0", "n1 core 1"},
    .place_count = PLACES,
    .repetitions = REPETITIONS,
    .statuses = (const char *const[]){"missing", "ok", "not all the time"},
    .status_count = 3,
    .stops = (const char *const[]){"", "deterministic", "most allowed"},
    .stop_count = 3,
    .workers = (const char *const[]){"", "n0 cpu 0", "n1 cpu 3"},
    .worker_count = 3,
};

/* A number for each kind and suite, then one decimal place for each axis. */
static int64_t value(size_t suite, size_t event, size_t place, size_t repetition,
                     size_t point)
{
    return (int64_t)((((suite * 10 + event) * 10 + place) * 10 + repetition) * 10 +
                     point);
}

/* BR_MISP_RETIRED was measured once only on the second place. */
static bool is_missing(size_t event, size_t place, size_t repetition)
{
    return event == 1 && place == 1 && repetition > 0;
}

static int64_t values[EVENTS_MOST * PLACES * REPETITIONS * POINTS_MOST];
static uint64_t enabled[EVENTS_MOST * PLACES * REPETITIONS];
static uint64_t running[EVENTS_MOST * PLACES * REPETITIONS];
static uint8_t statuses[EVENTS_MOST * PLACES * REPETITIONS],
    stops[EVENTS_MOST * PLACES];
static uint32_t workers[EVENTS_MOST * PLACES];

static void fill_repetition(size_t suite, size_t event, size_t place, size_t repetition,
                            size_t points)
{
    size_t at = (event * PLACES + place) * REPETITIONS + repetition;
    bool missing = is_missing(event, place, repetition);

    enabled[at] = missing ? 0 : 1000 + at;
    running[at] = missing ? 0 : 1000 + at - (event == 2);
    statuses[at] = missing ? 0 : event == 2 ? 2 : 1;
    for (size_t point = 0; point < points; point++)
        values[at * points + point] =
            missing ? RC_STORE_MISSING_VALUE
                    : value(suite, event, place, repetition, point);
}

static int write_suite(struct rc_store *store, size_t kind, size_t suite, size_t number,
                       size_t points, struct rc_error *err)
{
    size_t count = kinds[kind].event_count, rank = (size_t)rc_team_rank(MPI_COMM_WORLD);
    size_t size = (size_t)rc_team_size(MPI_COMM_WORLD);
    size_t first = count * rank / size, last = count * (rank + 1) / size;

    for (size_t e = 0; e < count; e++)
        for (size_t p = 0; p < PLACES; p++) {
            stops[e * PLACES + p] = (uint8_t)(1 + e % 2);
            workers[e * PLACES + p] = (uint32_t)(1 + p);
            for (size_t r = 0; r < REPETITIONS; r++)
                fill_repetition(number, e, p, r, points);
        }
    size_t per = PLACES * REPETITIONS;
    const struct rc_store_block block = {
        .first = first,
        .count = last - first,
        .values = values + first * per * points,
        .enabled_ns = enabled + first * per,
        .running_ns = running + first * per,
        .status = statuses + first * per,
        .stop = stops + first * PLACES,
        .worker = workers + first * PLACES,
    };
    return rc_store_write(store, kind, suite, &block, err);
}

static int write_sample(struct rc_store *store, struct rc_error *err)
{
    struct rc_store_suite branch = flops;
    int status = RC_OK;
    size_t number;

    branch.name = "branch";
    branch.point_count = 1;
    branch.stop_count = branch.worker_count = 0;
    for (size_t k = 0; k < 2 && status == RC_OK; k++)
        status = rc_store_define_kind(store, &kinds[k], &number, err);
    if (status == RC_OK)
        status = rc_store_define_suite(store, 0, &flops, &number, err);
    if (status == RC_OK)
        status = rc_store_define_suite(store, 0, &branch, &number, err);
    if (status == RC_OK)
        status = rc_store_define_suite(store, 1, &flops, &number, err);
    if (status == RC_OK)
        status = write_suite(store, 0, 0, 1, POINTS_MOST, err);
    /* 'branch' stays empty: it was planned, and nobody came to it */
    if (status == RC_OK)
        status = write_suite(store, 1, 0, 3, POINTS_MOST, err);
    return status;
}

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = NULL;

    MPI_Init(&argc, &argv);
    if (argc != 2)
        return 2;
    int status = rc_store_create(MPI_COMM_WORLD, argv[1], &campaign, &store, &err);
    if (status == RC_OK) {
        status = write_sample(store, &err);
        if (status == RC_OK)
            status = rc_store_close(store, &err);
        else
            rc_store_abandon(store);
    }
    if (status != RC_OK)
        fprintf(stderr, "store_sample: %s\n", err.text);
    MPI_Finalize();
    return status == RC_OK ? 0 : 1;
}
