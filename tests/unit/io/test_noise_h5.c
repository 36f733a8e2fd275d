/* noise.h5: written by teams, read by teams and alone, damaged, and of something else
 */
#include "tests/lib/test.h"

#include "tests/lib/left.h"
#include "tests/lib/on_teams.h"

#include "campaign/base/agree.h"
#include "campaign/base/files/file.h"
#include "io/hdf5/hdf5.h"
#include "io/noise/noise.h"
#include "io/store/store.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/mpi_dir.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
enum { EVENTS = 11, BLOCK = 4, LEVELS = 3, PLACES = 4, VERDICTS = 3 };

static char path[96], path_from[100];

static const struct rc_store_campaign campaign = {.id = "0123456789abcdef",
                                                  .created_by = "test",
                                                  .spec = "",
                                                  .simulated = true,
                                                  .digest = "00ff"};
static const char *const levels[] = {"repetition", "core", "node"};
static const char *const verdicts[] = {"not-read", "exact", "node"};
static const char *const places[] = {"n0 core 0", "n0 core 1", "n\xff core 0",
                                     "n\xff core 1"};
static const uint64_t place_node[] = {0, 0, 1, 1};

static struct rc_noise_file_node nodes[] = {
    {.node = "n0", .of = 11, .p = 1, .event = "", .suite = "", .delta = NAN, .z = NAN},
    {.node = "n\xff",
     .off = 2,
     .of = 11,
     .p = 0.001,
     .event = "E2",
     .suite = "flops",
     .delta = -0.03,
     .z = -7.5}};
static struct rc_noise_file_off outliers[] = {{"E2", 2, "flops", 1, -0.03, -7.5, 1e-9},
                                              {"E9", 9, "flops", 1, 0.02, 5, 1e-7}};
static const struct rc_noise_file_kind found = {
    .node = nodes, .node_count = 2, .off = outliers, .off_count = 2, .tests = 22};
static const struct rc_noise_file_suite suite = {.name = "flops",
                                                 .level = levels,
                                                 .level_count = LEVELS,
                                                 .verdict = verdicts,
                                                 .verdict_count = VERDICTS,
                                                 .place = places,
                                                 .node = place_node,
                                                 .place_count = PLACES};

static struct rc_noise_file_record records[] = {
    {.node = "n0",
     .core = 1,
     .work = "",
     .quota = "50000 100000",
     .begin_ns = (size_t)1 << 60, /* more than a file has items */
     .duration_ns = 6000000000,
     .gaps = 500000000,
     .tau_ns = 1000,
     .dropped = 3,
     .median_gap_ps = 11600,
     .count = 2,
     .bins = 1},
    {.node = "n\xff",
     .work = "flops",
     .quota = "",
     .alone = true,
     .round = 1,
     .first = 2,
     .count = 1,
     .first_bin = 1,
     .bins = 2}};
static const struct rc_noise_file_detour detours[] = {
    {1000, 44000, 2}, {4001000, 45000, 1}, {77, 5000, 0}};
static const struct rc_noise_file_bin bins[] = {{112, 499999998}, {490, 2}, {100, 1}};
static const char *const causes[] = {"", "unattributed (firmware, host)", "tick"};
static struct rc_noise_file_period periods[] = {
    {0, 250, 0.001, 1000, 60000, 44000, 0.011, 1500, 1499, "tick"}};
static struct rc_noise_file_tail tails[] = {
    {0, 50000, 3000, 0.1, 7.5, 90000, 80000, 120000}};
static struct rc_noise_file_scale scales[] = {{1e6, 10, 1.2, NAN, NAN, NAN},
                                              {1e6, 2, 1.9, 1.45, 0.5, 0.01}};
static struct rc_noise_file_clock clocks[] = {{"n\xff", 1, 0, 0, NAN, 5},
                                              {"n\xff", 1, 77, -5e9, 1e-5, 63}};
static const struct rc_noise_file_detours measured = {.journal_records = 4,
                                                      .record = records,
                                                      .record_count = 2,
                                                      .detour = detours,
                                                      .detour_count = 3,
                                                      .bin = bins,
                                                      .bin_count = 3,
                                                      .who = causes,
                                                      .who_count = 3,
                                                      .period = periods,
                                                      .period_count = 1,
                                                      .tail = tails,
                                                      .tail_count = 1,
                                                      .scale = scales,
                                                      .scale_count = 2,
                                                      .clock = clocks,
                                                      .clock_count = 2};

/* Numbers of events, and room for those that are read. */
struct room {
    double median[EVENTS], mad[EVENTS];
    double variance[EVENTS * LEVELS], low[EVENTS * LEVELS], high[EVENTS * LEVELS];
    double distance[EVENTS * LEVELS];
    float place_median[EVENTS * PLACES];
    uint8_t verdict[EVENTS], heavy[EVENTS], classes[EVENTS], judged[EVENTS];
};

static struct rc_noise_file_columns columns_of(struct room *r)
{
    return (struct rc_noise_file_columns){.median = r->median,
                                          .mad = r->mad,
                                          .variance = r->variance,
                                          .low = r->low,
                                          .high = r->high,
                                          .distance = r->distance,
                                          .place_median = r->place_median,
                                          .verdict = r->verdict,
                                          .heavy = r->heavy,
                                          .classes = r->classes,
                                          .judged = r->judged};
}

/* Event number 'event' at 'at'; the last event has no reading. */
static void fill_event(struct room *r, size_t event, size_t at)
{
    const double none = event == EVENTS - 1 ? NAN : 1;

    r->median[at] = none * (double)event * 10;
    r->mad[at] = none * (double)event / 100;
    for (size_t l = 0; l < LEVELS; l++) {
        const double variance = (double)event - (double)l; /* may be below 0 */
        r->variance[at * LEVELS + l] = none * variance;
        r->low[at * LEVELS + l] = none * fmax(variance - 1, 0);
        r->high[at * LEVELS + l] = none * (variance + 2);
        r->distance[at * LEVELS + l] = none * (double)(event + 100 * l);
    }
    for (size_t p = 0; p < PLACES; p++)
        r->place_median[at * PLACES + p] =
            (float)(none * (1 + (double)(event * PLACES + p) / 1000));
    r->verdict[at] = (uint8_t)(isnan(none) ? 0 : 1 + event % 2);
    r->heavy[at] = event % 3 == 0;
    r->classes[at] = event % 5 == 0;
    r->judged[at] = event % 2;
}

static void same_numbers(const double *is, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_true(is[i] == expected[i] || (isnan(is[i]) && isnan(expected[i])));
}

static void same_columns(struct rc_store *file)
{
    static struct room is, expected;
    struct rc_noise_file_columns c = columns_of(&is);
    struct rc_error err = {.rank = -1};

    for (size_t e = 0; e < EVENTS; e++)
        fill_event(&expected, e, e);
    c.count = EVENTS;
    assert_int_equal(rc_noise_file_read_columns(file, 0, 0, &c, &err), RC_OK);
    same_numbers(is.median, expected.median, EVENTS);
    same_numbers(is.mad, expected.mad, EVENTS);
    same_numbers(is.variance, expected.variance, EVENTS * LEVELS);
    same_numbers(is.low, expected.low, EVENTS * LEVELS);
    same_numbers(is.high, expected.high, EVENTS * LEVELS);
    same_numbers(is.distance, expected.distance, EVENTS * LEVELS);
    for (size_t i = 0; i < EVENTS * PLACES; i++)
        same_numbers(&(double){is.place_median[i]}, &(double){expected.place_median[i]},
                     1);
    assert_memory_equal(is.verdict, expected.verdict, EVENTS);
    assert_memory_equal(is.heavy, expected.heavy, EVENTS);
    assert_memory_equal(is.classes, expected.classes, EVENTS);
    assert_memory_equal(is.judged, expected.judged, EVENTS);
    c = (struct rc_noise_file_columns){
        .first = 9, .count = 1, .place_median = is.place_median};
    assert_int_equal(rc_noise_file_read_columns(file, 0, 0, &c, &err), RC_OK);
    assert_true(is.place_median[3] == expected.place_median[9 * PLACES + 3]);
}

static void same_found(const struct rc_store *file)
{
    const struct rc_noise_file_kind *is = rc_noise_file_kind(file, 0);

    assert_int_equal(is->tests, found.tests);
    assert_int_equal(is->node_count, found.node_count);
    for (size_t n = 0; n < is->node_count; n++) {
        assert_string_equal(is->node[n].node, nodes[n].node);
        assert_int_equal(is->node[n].off, nodes[n].off);
        assert_int_equal(is->node[n].of, nodes[n].of);
        assert_string_equal(is->node[n].event, nodes[n].event);
        assert_string_equal(is->node[n].suite, nodes[n].suite);
        same_numbers(&is->node[n].p, &nodes[n].p, 1);
        same_numbers(&is->node[n].delta, &nodes[n].delta, 1);
        same_numbers(&is->node[n].z, &nodes[n].z, 1);
    }
    assert_int_equal(is->off_count, found.off_count);
    for (size_t i = 0; i < is->off_count; i++) {
        assert_string_equal(is->off[i].event, outliers[i].event);
        assert_int_equal(is->off[i].number, outliers[i].number);
        assert_string_equal(is->off[i].suite, outliers[i].suite);
        assert_int_equal(is->off[i].node, outliers[i].node);
        same_numbers(&is->off[i].p, &outliers[i].p, 1);
    }
    const struct rc_noise_file_suite *s = rc_noise_file_suite(file, 0, 0);
    assert_string_equal(s->name, suite.name);
    assert_int_equal(s->level_count, LEVELS);
    assert_string_equal(s->level[2], "node");
    assert_int_equal(s->verdict_count, VERDICTS);
    assert_string_equal(s->verdict[2], "node");
    assert_int_equal(s->place_count, PLACES);
    assert_memory_equal(s->node, place_node, sizeof place_node);
}

static void same_detours(const struct rc_store *file)
{
    const struct rc_noise_file_detours *is = rc_noise_file_detours(file);
    struct rc_noise_file_detour detour[COUNT_OF(detours)];
    struct rc_noise_file_bin bin[2];
    struct rc_error err = {.rank = -1};

    assert_int_equal(is->record_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(is->record[i].node, records[i].node);
        assert_string_equal(is->record[i].work, records[i].work);
        assert_string_equal(is->record[i].quota, records[i].quota);
        assert_int_equal(is->record[i].begin_ns, records[i].begin_ns);
        assert_int_equal(is->record[i].gaps, records[i].gaps);
        assert_int_equal(is->record[i].alone, records[i].alone);
        assert_int_equal(is->record[i].first, records[i].first);
        assert_int_equal(is->record[i].bins, records[i].bins);
    }
    assert_int_equal(is->detour_count, 3);
    assert_int_equal(rc_noise_file_read_detours(file, 0, 3, detour, &err), RC_OK);
    assert_memory_equal(detour, detours, sizeof detours);
    assert_int_equal(rc_noise_file_read_bins(file, 1, 2, bin, &err), RC_OK);
    assert_memory_equal(bin, bins + 1, sizeof bin);
    assert_int_not_equal(rc_noise_file_read_bins(file, 2, 2, bin, &err), RC_OK);
    assert_int_equal(is->who_count, 3);
    assert_string_equal(is->who[2], "tick");
    assert_int_equal(is->period_count, 1);
    assert_string_equal(is->period[0].who, "tick");
    same_numbers(&is->period[0].stolen_ns, &periods[0].stolen_ns, 1);
    assert_int_equal(is->tail_count, 1);
    same_numbers(&is->tail[0].shape, &tails[0].shape, 1);
    assert_int_equal(is->scale_count, 2);
    same_numbers(&is->scale[0].slowdown, &scales[0].slowdown, 4);
    same_numbers(&is->scale[1].slowdown, &scales[1].slowdown, 4);
    assert_int_equal(is->journal_records, 4);
    assert_int_equal(is->clock_count, 2);
    assert_string_equal(is->clock[1].node, "n\xff");
    assert_int_equal(is->clock[1].record, 1);
    assert_int_equal(is->clock[1].at_ns, 77);
    same_numbers(&is->clock[0].drift, &clocks[0].drift, 1);
    same_numbers(&is->clock[1].offset_ns, &clocks[1].offset_ns, 3);
}

static void check_file(MPI_Comm comm)
{
    struct rc_store *file = NULL;
    struct rc_store_event event[2];
    struct rc_error err = {.rank = -1};
    struct rc_pool *pool = rc_pool_create();

    if (rc_noise_file_open(comm, path, &file, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_string_equal(rc_store_campaign(file)->id, campaign.id);
    assert_int_equal(rc_store_kind_count(file), 1);
    assert_int_equal(rc_store_suite_count(file, 0), 1);
    assert_string_equal(rc_store_kind(file, 0)->name, "k");
    assert_int_equal(rc_store_read_names(file, 0, 9, 2, event, pool, &err), RC_OK);
    assert_string_equal(event[1].name, "E10");
    same_found(file);
    same_columns(file);
    same_detours(file);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    rc_pool_close(pool);
}

/* A campaign's file with a kind of EVENTS events, open for reading. */
static struct rc_store *open_from(MPI_Comm comm)
{
    static char name[EVENTS][8];
    static struct rc_store_event event[EVENTS];
    static const char *const node[] = {"n0", "n\xff"};
    const struct rc_store_kind kind = {.name = "k",
                                       .key = "key",
                                       .shape = "core:2",
                                       .nodes = node,
                                       .node_count = 2,
                                       .events = event,
                                       .event_count = EVENTS};
    struct rc_store *store = NULL;
    struct rc_error err = {.rank = -1};
    size_t number;

    for (size_t e = 0; e < EVENTS; e++) {
        snprintf(name[e], sizeof name[e], "E%zu", e);
        event[e] = (struct rc_store_event){.name = name[e], .simulated = true};
    }
    assert_int_equal(rc_store_create(comm, path_from, &campaign, &store, &err), RC_OK);
    assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_store_open(comm, path_from, &store, &err), RC_OK);
    return store;
}

/* This rank's events: blocks that the ranks take turns at. */
static struct rc_noise_file_columns own_columns(MPI_Comm comm, struct room *room)
{
    struct rc_noise_file_columns c = columns_of(room);
    const size_t ranks = (size_t)rc_team_size(comm);

    c.stride = BLOCK * ranks;
    c.first = BLOCK * (size_t)rc_team_rank(comm);
    for (size_t at = c.first; at < EVENTS; at += c.stride)
        for (size_t e = at; e < at + BLOCK && e < EVENTS; e++)
            fill_event(room, e, c.count++);
    c.first = c.count ? c.first : 0;
    return c;
}

static struct rc_store *begin(MPI_Comm comm)
{
    struct rc_store *file = NULL;
    struct rc_store *from = open_from(comm);
    struct rc_error err = {.rank = -1};

    assert_int_equal(rc_noise_file_create(comm, path, &campaign, &file, &err), RC_OK);
    assert_int_equal(rc_noise_file_put_kind(file, from, 0, &found, &err), RC_OK);
    assert_int_equal(rc_store_close(from, &err), RC_OK);
    return file;
}

static void write_sample(MPI_Comm comm)
{
    static struct room room;
    struct rc_error err = {.rank = -1};
    struct rc_store *file = begin(comm);
    const struct rc_noise_file_columns c = own_columns(comm, &room);

    if (rc_noise_file_put_suite(file, &suite, BLOCK, &err) != RC_OK ||
        rc_noise_file_put_columns(file, &c, &err) != RC_OK ||
        rc_noise_file_put_detours(file, &measured, &err) != RC_OK ||
        rc_store_close(file, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void what_a_team_writes_a_team_and_a_process_alone_read(void **state)
{
    (void)state;
    write_sample(team_comm);
    assert_false(is_left(work));
    check_file(team_comm);
    check_file(MPI_COMM_NULL);
}

static void a_study_without_detours_is_whole(void **state)
{
    struct rc_store *file = begin(team_comm);
    struct rc_error err = {.rank = -1};
    const struct rc_noise_file_columns none = {.count = 0};
    double median = 0;
    struct rc_noise_file_columns one = {.first = 3, .count = 1, .median = &median};

    (void)state;
    assert_int_equal(rc_noise_file_put_suite(file, &suite, BLOCK, &err), RC_OK);
    assert_int_equal(rc_noise_file_put_columns(file, &none, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    assert_int_equal(rc_noise_file_open(team_comm, path, &file, &err), RC_OK);
    assert_int_equal(rc_noise_file_detours(file)->record_count, 0);
    assert_int_equal(rc_noise_file_read_columns(file, 0, 0, &one, &err), RC_OK);
    assert_true(isnan(median)); /* nobody gave it */
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void
what_cannot_be_written_is_heard_of_by_all_and_the_old_file_stays(void **state)
{
    static struct room room;
    struct rc_error err = {.rank = -1};
    struct rc_noise_file_suite bad = suite;

    (void)state;
    write_sample(team_comm);
    struct rc_store *file = begin(team_comm);
    struct rc_noise_file_columns c = own_columns(team_comm, &room);
    assert_int_equal(rc_noise_file_put_columns(file, &c, &err), RC_ECONFLICT);
    bad.name = "";
    assert_int_equal(rc_noise_file_put_suite(file, &bad, BLOCK, &err), RC_EUSAGE);
    assert_int_equal(rc_noise_file_put_suite(file, &suite, BLOCK, &err), RC_OK);
    assert_int_equal(rc_noise_file_put_suite(file, &suite, BLOCK, &err), RC_ECONFLICT);
    for (int failing = 0; failing < size; failing++) {
        static struct room wrong;
        c = own_columns(team_comm, &wrong);
        if (rank == failing) {
            c.first = 0;
            c.count = 1;
            wrong.verdict[0] = VERDICTS;
        }
        assert_int_equal(rc_noise_file_put_columns(file, &c, &err), RC_EUSAGE);
        assert_int_equal(err.rank, failing);
        assert_non_null(strstr(err.text, "'verdict' of event 0 is 3"));
        c = own_columns(team_comm, &wrong);
        if (rank == failing)
            c.first = EVENTS;
        if (rank == failing && c.count == 0)
            c.count = 1;
        assert_int_equal(rc_noise_file_put_columns(file, &c, &err), RC_EUSAGE);
        assert_int_equal(err.rank, failing);
    }
    rc_store_abandon(file);
    MPI_Barrier(team_comm); /* rank 0 removes it */
    assert_false(is_left(work));
    check_file(team_comm);
}

#define KIND "/kinds/k/"
#define SUITE "/kinds/k/suites/flops/"

/* Changes by a stranger: a number at place 1 is another one, or something is
 * gone.
 */
static const struct {
    const char *name;
    uint64_t number; /* UINT64_MAX: gone */
    const char *says;
} damage[] = {
    {KIND "outliers/event_number", EVENTS, "'event_number' number 1 is 11"},
    {KIND "outliers/node", 2, "'node' number 1 is 2, expected less than 2"},
    {KIND "by_node/events_off", (uint64_t)1 << 41, "'events_off' number 1"},
    {KIND "by_node", UINT64_MAX, "'by_node': cannot read it"},
    {KIND "outliers", UINT64_MAX, "'outliers': cannot read it"},
    {SUITE "node", 2, "'node' number 1 is 2, expected less than 2"},
    {SUITE "level", UINT64_MAX, "cannot read 'level'"},
    {SUITE "components", UINT64_MAX, "cannot read 'components'"},
    {SUITE "place_median", UINT64_MAX, "cannot read 'place_median'"},
    {"/detours/count", 2, "'detours' number 1: 2 from 2 on of 3 detours"},
    {"/detours/first", (uint64_t)1 << 39, "'detours' number 1"},
    {"/detours/first_bin", 2, "'detours' number 1"},
    {"/detours/start", UINT64_MAX, "cannot read 'start'"},
    {"/detours/alone", 7, "'alone' number 1 is 7"},
    {"/periods", UINT64_MAX, "'periods': cannot read it"},
    {"/clock/drift", UINT64_MAX, "cannot read 'drift'"},
    {"/clock/record", 2, "'clock' number 1 belongs to no record"},
};

static void write_one(hid_t file, const char *name, hsize_t at, uint64_t value)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t one = 1;
    hid_t memory = H5Screate_simple(1, &one, NULL);

    assert_true(set >= 0);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, &at) >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT64, memory, space, H5P_DEFAULT, &value) >=
                0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

/* A fresh sample, without writing it through HDF5 each time. */
static void put_back(const char *text, size_t bytes)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, bytes, out), bytes);
    assert_int_equal(fclose(out), 0);
}

static void a_file_that_a_stranger_damaged_is_refused_with_one_line(void **state)
{
    struct rc_error reading = {.rank = -1};
    char *whole = NULL;
    size_t bytes = 0;

    (void)state;
    write_sample(MPI_COMM_NULL);
    assert_int_equal(
        rc_file_read(path, RC_FILE_GIVEN, 64 << 20, &whole, &bytes, &reading), RC_OK);
    for (size_t i = 0; i < COUNT_OF(damage); i++) {
        struct rc_store *file = NULL;
        struct rc_error err = {.rank = -1};

        put_back(whole, bytes);
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        if (damage[i].number == UINT64_MAX)
            assert_true(H5Ldelete(h5, damage[i].name, H5P_DEFAULT) >= 0);
        else
            write_one(h5, damage[i].name, 1, damage[i].number);
        assert_true(H5Fclose(h5) >= 0);
        assert_int_equal(rc_h5_seal(path, &err), RC_OK);
        assert_int_not_equal(rc_noise_file_open(MPI_COMM_NULL, path, &file, &err),
                             RC_OK);
        assert_null(file);
        if (!strstr(err.text, damage[i].says))
            fail_msg("%s: said '%s', expected '%s'", damage[i].name, err.text,
                     damage[i].says);
    }
    free(whole);
}

static void codes_that_a_stranger_changed_are_refused_when_read(void **state)
{
    struct rc_store *file = NULL;
    struct rc_noise_file_detour detour[3];
    struct rc_error err = {.rank = -1};
    static struct room room;
    struct rc_noise_file_columns c = columns_of(&room);

    (void)state;
    write_sample(MPI_COMM_NULL);
    hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    write_one(h5, SUITE "verdict", 7, VERDICTS);
    write_one(h5, "/detours/cause", 1, 3);
    assert_true(H5Fclose(h5) >= 0);
    assert_int_equal(rc_h5_seal(path, &err), RC_OK);
    assert_int_equal(rc_noise_file_open(MPI_COMM_NULL, path, &file, &err), RC_OK);
    c.count = EVENTS;
    assert_int_equal(rc_noise_file_read_columns(file, 0, 0, &c, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "'verdict' of event 7 is 3"));
    c.count = 7;
    assert_int_equal(rc_noise_file_read_columns(file, 0, 0, &c, &err), RC_OK);
    assert_int_equal(rc_noise_file_read_detours(file, 0, 3, detour, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "'cause' number 1 is 3, expected less than 3"));
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static void what_is_no_study_of_noise_is_refused(void **state)
{
    struct rc_store *file = NULL;
    struct rc_store *store = NULL;
    struct rc_error err = {.rank = -1};

    (void)state;
    unlink(path);
    assert_int_equal(rc_noise_file_open(MPI_COMM_NULL, path, &file, &err), RC_EMISSING);
    put_back("no HDF5", 7);
    assert_int_equal(rc_noise_file_open(MPI_COMM_NULL, path, &file, &err), RC_EUSAGE);
    assert_non_null(
        strstr(err.text, "is not an HDF5 file, expected rollcall's study of noise"));
    assert_int_equal(rc_store_create(MPI_COMM_NULL, path, &campaign, &store, &err),
                     RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_noise_file_open(MPI_COMM_NULL, path, &file, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "'format' that is 'rollcall noise'"));
}

static void a_study_of_other_readings_is_told(void **state)
{
    static const struct {
        const char *id, *digest, *of_id, *of_digest, *says;
    } cases[] = {{"a", "1", "a", "1", ""},
                 {"a", "1", "b", "1", "to another campaign"},
                 {"a", "1", "a", "2", "from other readings"},
                 {"a", "1", "a", "", "from other readings"},
                 {"a", "", "a", "", "not known"}};
    char line[RC_ERROR_TEXT];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct rc_store_campaign was = {.id = cases[i].id,
                                              .digest = cases[i].digest};
        const struct rc_store_campaign is = {.id = cases[i].of_id,
                                             .digest = cases[i].of_digest};
        rc_noise_file_mismatch(&was, &is, line, sizeof line);
        assert_int_equal(line[0] == 0, cases[i].says[0] == 0);
        assert_non_null(strstr(line, cases[i].says));
    }
}

static void nothing_of_hdf5_stays_open(void **state)
{
    (void)state;
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_team_writes_a_team_and_a_process_alone_read),
        cmocka_unit_test(a_study_without_detours_is_whole),
        cmocka_unit_test(
            what_cannot_be_written_is_heard_of_by_all_and_the_old_file_stays),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    const struct CMUnitTest alone[] = {
        cmocka_unit_test(what_is_no_study_of_noise_is_refused),
        cmocka_unit_test(a_file_that_a_stranger_damaged_is_refused_with_one_line),
        cmocka_unit_test(codes_that_a_stranger_changed_are_refused_when_read),
        cmocka_unit_test(a_study_of_other_readings_is_told),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };

    make_directory(NULL);
    snprintf(path, sizeof path, "%s/noise.h5", work);
    snprintf(path_from, sizeof path_from, "%s/campaign.h5", work);
    int failed = cmocka_run_group_tests_name("noise.h5", tests, NULL, NULL);
    MPI_Barrier(team_comm);
    if (rank == 0 && size == 1)
        failed += cmocka_run_group_tests_name("alone", alone, NULL, NULL);
    failed += remove_directory(NULL) != 0;
    return failed;
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
