#include "tests/lib/left.h"
#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "io/hdf5/hdf5.h"
#include "io/store/store.h"
#include "tests/lib/on_teams.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    EVENTS = 7,
    POINTS = 3,
    PLACES = 2,
    REPETITIONS = 2,
    PER = PLACES * REPETITIONS
};

static char directory[64], path[96];

static const struct rc_store_campaign campaign = {
    .id = "c-1",
    .created_by = "test",
    .spec = "source: model:spr\n",
    .source_labels = (const char *const[]){"model: simulated"},
    .source_label_count = 1,
    .simulated = true,
};

static struct rc_store_event event[EVENTS];
static const double basis[POINTS * 2] = {1, 2, 3, 4, 5, NAN},
                                   low[POINTS * 2] = {1, 2, 3, 4, 5, 0.5},
                                   high[POINTS * 2] = {1, 2, 3, 4, 5, INFINITY};

static const struct rc_store_suite suite = {
    .name = "flops/a",
    .summary = "a test",
    .points = (const char *const[]){"p0", "p1", "p2"},
    .point_count = POINTS,
    .axes = (const char *const[]){"bytes"},
    .axis_units = (const char *const[]){"B"},
    .axis_count = 1,
    .axis = (const int64_t[]){64, 128, -1},
    .ideals = (const char *const[]){"D_SCAL", "INS"},
    .ideal_count = 2,
    .own_count = 1,
    .basis = basis,
    .low = low,
    .high = high,
    .sources = (const char *const[]){"model"},
    .source_count = 1,
    .iterations = (const uint64_t[]){10, 20, 30},
    .places = (const char *const[]){"n0", "n1"},
    .place_count = PLACES,
    .repetitions = REPETITIONS,
    .statuses = (const char *const[]){"missing", "valid", "not all the time"},
    .status_count = 3,
    .stops = (const char *const[]){"", "deterministic", "most"},
    .stop_count = 3,
    .workers = (const char *const[]){"", "n0 core 0", "n1 core 1"},
    .worker_count = 3,
};

static struct rc_store_kind the_kind(size_t events)
{
    static const char *const nodes[] = {"n0", "n1"};
    static char name[EVENTS][32];

    for (size_t e = 0; e < EVENTS; e++) {
        snprintf(name[e], sizeof name[e], e == 3 ? "odd\xff:%zu\n" : "EV:%zu", e);
        event[e] = (struct rc_store_event){.name = name[e],
                                           .source = "model",
                                           .description = "it \xfe counts",
                                           .verdict = RC_VERDICT_OK,
                                           .scope = RC_SCOPE_L3,
                                           .simulated = e == 2};
    }
    return (struct rc_store_kind){.name = "spr. 50%",
                                  .key = "key",
                                  .shape = "core:4",
                                  .nodes = nodes,
                                  .node_count = 2,
                                  .events = event,
                                  .event_count = events};
}

static struct rc_store *create(MPI_Comm comm, const char *where, size_t events)
{
    struct rc_error err = {.rank = -1};
    struct rc_store_kind kind = the_kind(events);
    struct rc_store *store = NULL;
    size_t number = 9;

    assert_int_equal(rc_store_create(comm, where, &campaign, &store, &err), RC_OK);
    assert_int_equal(
        rc_store_define_kind(store, rc_team_rank(comm) ? NULL : &kind, &number, &err),
        RC_OK);
    assert_int_equal(number, 0);
    int status = rc_store_define_suite(store, 0, &suite, &number, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
    return store;
}

static int64_t values[EVENTS * PER * POINTS];
static uint64_t enabled[EVENTS * PER], running[EVENTS * PER];
static uint8_t status_of[EVENTS * PER], stop_of[EVENTS * PLACES];
static uint32_t worker_of[EVENTS * PLACES];

static struct rc_store_block share(int part, int parts, size_t events)
{
    size_t first = events * (size_t)part / (size_t)parts;
    size_t last = events * ((size_t)part + 1) / (size_t)parts;

    for (size_t i = 0; i < EVENTS * PER * POINTS; i++)
        values[i] = (int64_t)(i * i) - 5;
    for (size_t i = 0; i < EVENTS * PER; i++) {
        enabled[i] = 1000 + i;
        running[i] = 900 + i;
        status_of[i] = (uint8_t)(i % 3);
    }
    for (size_t i = 0; i < EVENTS * PLACES; i++) {
        stop_of[i] = (uint8_t)(i % 3);
        worker_of[i] = (uint32_t)((i + 1) % 3);
    }
    return (struct rc_store_block){first,
                                   last - first,
                                   values + first * PER * POINTS,
                                   enabled + first * PER,
                                   running + first * PER,
                                   status_of + first * PER,
                                   stop_of + first * PLACES,
                                   worker_of + first * PLACES};
}

static void write_file(MPI_Comm comm, const char *where, size_t events)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(comm, where, events);
    struct rc_store_block block = share(rc_team_rank(comm), rc_team_size(comm), events);

    int status = rc_store_write(store, 0, 0, &block, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
    status = rc_store_close(store, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
}

static void check_file(const char *where, size_t events)
{
    static int64_t got[EVENTS * PER * POINTS];
    static uint64_t on[EVENTS * PER], ran[EVENTS * PER];
    static uint8_t states[EVENTS * PER], stops[EVENTS * PLACES];
    static uint32_t workers[EVENTS * PLACES];
    struct rc_store_event read[EVENTS] = {{0}};
    struct rc_error err = {.rank = -1};
    struct rc_store *store = NULL;
    struct rc_pool *pool = rc_pool_create();

    share(0, 1, events);
    if (rc_store_open(team_comm, where, &store, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rc_store_kind_count(store), 1);
    assert_string_equal(rc_store_kind(store, 0)->name, "spr. 50%");
    assert_string_equal(rc_store_campaign(store)->spec, campaign.spec);
    const struct rc_store_suite *labels = rc_store_suite(store, 0, 0);
    assert_string_equal(labels->name, "flops/a");
    assert_string_equal(labels->statuses[2], "not all the time");
    assert_int_equal(labels->axis[2], -1);
    assert_int_equal(labels->iterations[1], 20);
    assert_true(isnan(labels->basis[5]));
    assert_memory_equal(labels->low, low, sizeof low);
    assert_memory_equal(labels->high, high, sizeof high);
    assert_int_equal(labels->own_count, 1);
    assert_int_equal(labels->stop_count, 3);
    assert_string_equal(labels->stops[0], "");
    assert_string_equal(labels->stops[2], "most");
    assert_int_equal(labels->worker_count, 3);
    assert_string_equal(labels->workers[1], "n0 core 0");
    struct rc_store_block block = {0, events, got, on, ran, states, stops, workers};
    assert_int_equal(rc_store_read_alone(store, 0, 0, &block, &err), RC_OK);
    assert_memory_equal(got, values, events * PER * POINTS * sizeof *got);
    assert_memory_equal(on, enabled, events * PER * sizeof *on);
    assert_memory_equal(ran, running, events * PER * sizeof *ran);
    assert_memory_equal(states, status_of, events * PER);
    assert_memory_equal(stops, stop_of, events * PLACES);
    assert_memory_equal(workers, worker_of, events * PLACES * sizeof *workers);
    assert_int_equal(rc_store_read_events(store, 0, 0, events, read, pool, &err),
                     RC_OK);
    for (size_t e = 0; e < events; e++) {
        assert_string_equal(read[e].name, event[e].name);
        assert_string_equal(read[e].description, "it \xef\xbf\xbd counts");
        assert_int_equal(read[e].scope, RC_SCOPE_L3);
        assert_int_equal(read[e].simulated, e == 2);
    }
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    rc_pool_close(pool);
}

/* One rank after the other: it would hang if any waited for another. */
static void a_rank_reads_alone_while_the_others_do_not(void **state)
{
    static int64_t got[PER * POINTS];
    struct rc_store_event read[2];
    struct rc_error err = {.rank = -1};
    struct rc_store *store = NULL;
    struct rc_pool *pool = rc_pool_create();

    (void)state;
    write_file(team_comm, path, EVENTS);
    share(0, 1, EVENTS);
    assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
    for (int turn = 0; turn < size; turn++) {
        struct rc_store_block block = {.first = 3, .count = 1, .values = got};
        MPI_Barrier(team_comm);
        if (turn != rank)
            continue;
        assert_int_equal(rc_store_read_alone(store, 0, 0, &block, &err), RC_OK);
        assert_memory_equal(got, values + 3 * PER * POINTS, sizeof got);
        block.first = EVENTS;
        assert_int_equal(rc_store_read_alone(store, 0, 0, &block, &err), RC_EUSAGE);
        assert_int_equal(rc_store_read_names(store, 0, 2, 2, read, pool, &err), RC_OK);
        assert_string_equal(read[1].name, event[3].name);
        assert_string_equal(read[1].source, "model");
        assert_int_equal(read[1].verdict, RC_VERDICT_OK);
        assert_string_equal(read[1].description, "");
        assert_int_equal(rc_store_read_names(store, 0, EVENTS, 1, read, pool, &err),
                         RC_EUSAGE);
    }
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    rc_pool_close(pool);
}

static void what_was_written_is_read_for_any_number_of_events(void **state)
{
    (void)state;
    for (size_t events = 0; events <= EVENTS; events++) {
        write_file(team_comm, path, events);
        check_file(path, events);
        assert_false(is_left(directory));
    }
}

/* Every rank leaves out what its number says: 0 neither, 1 stops, 2 workers, 3 both,
 * and with 'none' all of them both.
 */
static void write_without(bool none)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    struct rc_store_block block = share(rank, size, EVENTS);

    if (none || rank % 4 == 1 || rank % 4 == 3)
        block.stop = NULL;
    if (none || rank % 4 >= 2)
        block.worker = NULL;
    assert_int_equal(rc_store_write(store, 0, 0, &block, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
}

static void stops_and_workers_that_a_rank_does_not_give_are_0(void **state)
{
    (void)state;
    for (int none = 0; none <= 1; none++) {
        uint8_t stops[EVENTS * PLACES];
        uint32_t workers[EVENTS * PLACES];
        struct rc_error err = {.rank = -1};
        struct rc_store *store = NULL;

        write_without(none != 0);
        assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
        struct rc_store_block block = {
            .count = EVENTS, .stop = stops, .worker = workers};
        assert_int_equal(rc_store_read_alone(store, 0, 0, &block, &err), RC_OK);
        for (int part = 0; part < size; part++) {
            struct rc_store_block theirs = share(part, size, EVENTS);
            bool no_stop = none || part % 4 == 1 || part % 4 == 3;
            bool no_worker = none || part % 4 >= 2;
            for (size_t i = theirs.first * PLACES;
                 i < (theirs.first + theirs.count) * PLACES; i++) {
                assert_int_equal(stops[i], no_stop ? 0 : stop_of[i]);
                assert_int_equal(workers[i], no_worker ? 0 : worker_of[i]);
            }
        }
        assert_int_equal(rc_store_close(store, &err), RC_OK);
    }
}

static void a_suite_without_names_for_stops_and_workers_has_one_each(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    struct rc_store_suite bare = suite;
    size_t number;

    (void)state;
    bare.name = "bare";
    bare.stops = bare.workers = NULL;
    bare.stop_count = bare.worker_count = 0;
    assert_int_equal(
        rc_store_define_suite(store, 0, rank ? NULL : &bare, &number, &err), RC_OK);
    struct rc_store_block block = share(rank, size, EVENTS);
    assert_int_equal(rc_store_write(store, 0, number, &block, &err), RC_EUSAGE);
    block.stop = NULL;
    block.worker = NULL;
    assert_int_equal(rc_store_write(store, 0, number, &block, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
    assert_int_equal(rc_store_suite(store, 0, 1)->stop_count, 1);
    assert_int_equal(rc_store_suite(store, 0, 1)->worker_count, 1);
    assert_string_equal(rc_store_suite(store, 0, 1)->workers[0], "");
    assert_int_equal(rc_store_close(store, &err), RC_OK);
}

static void a_suite_without_ends_of_counts_is_as_of_an_older_file(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    struct rc_store_suite older = suite;
    size_t number;

    (void)state;
    older.name = "older";
    older.low = older.high = NULL;
    assert_int_equal(
        rc_store_define_suite(store, 0, rank ? NULL : &older, &number, &err), RC_OK);
    struct rc_store_block block = share(rank, size, EVENTS);
    assert_int_equal(rc_store_write(store, 0, number, &block, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
    assert_non_null(rc_store_suite(store, 0, 0)->low);
    assert_null(rc_store_suite(store, 0, 1)->low);
    assert_null(rc_store_suite(store, 0, 1)->high);
    assert_true(rc_store_suite(store, 0, 1)->basis[4] == 5);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
}

static void kinds_and_suites_keep_their_order_of_definition(void **state)
{
    static const char *const names[] = {"z", "b", "a", "10", "9", "q", "r", "c", "Z"};
    enum { COUNT = sizeof names / sizeof *names };
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    struct rc_store_kind kind = the_kind(1);
    struct rc_store_suite other = suite;
    size_t number;

    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        kind.name = other.name = names[i];
        assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_OK);
        assert_int_equal(number, i + 1);
        assert_int_equal(rc_store_define_suite(store, 0, &other, &number, &err), RC_OK);
        assert_int_equal(number, i + 1);
    }
    struct rc_store_block block = share(rank, size, EVENTS);
    assert_int_equal(rc_store_write(store, 0, COUNT, &block, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
    assert_int_equal(rc_store_kind_count(store), COUNT + 1);
    assert_int_equal(rc_store_suite_count(store, 0), COUNT + 1);
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(rc_store_kind(store, i + 1)->name, names[i]);
        assert_string_equal(rc_store_suite(store, 0, i + 1)->name, names[i]);
    }
    assert_int_equal(rc_store_close(store, &err), RC_OK);
}

static void
a_suite_without_points_places_or_repetitions_is_written_and_read(void **state)
{
    struct rc_store_suite empty[3] = {suite, suite, suite};
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    struct rc_store_block all = share(rank, size, EVENTS);
    uint8_t states[EVENTS * PER];
    size_t number;

    (void)state;
    empty[0].name = "no points";
    empty[0].point_count = 0;
    empty[1].name = "no places";
    empty[1].place_count = 0;
    empty[2].name = "no repetitions";
    empty[2].repetitions = 0;
    for (int i = 0; i < 3; i++)
        assert_int_equal(
            rc_store_define_suite(store, 0, rank ? NULL : &empty[i], &number, &err),
            RC_OK);
    for (size_t i = 1; i <= 3; i++)
        assert_int_equal(rc_store_write(store, 0, i, &all, &err), RC_OK);
    assert_int_equal(rc_store_write(store, 0, 0, &all, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    check_file(path, EVENTS);
    assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
    struct rc_store_block block = {.count = EVENTS, .status = states};
    share(0, 1, EVENTS);
    assert_int_equal(rc_store_read_alone(store, 0, 1, &block, &err), RC_OK);
    assert_memory_equal(states, status_of, sizeof states);
    assert_int_equal(rc_store_suite(store, 0, 1)->point_count, 0);
    assert_int_equal(rc_store_suite(store, 0, 2)->place_count, 0);
    assert_int_equal(rc_store_suite(store, 0, 3)->repetitions, 0);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
}

/* 128 KiB an event, so eight of them are a chunk and 256 what is written at once.  They
 * are read some at a time, a part of 'MANY' without a rest: each reading unpacks whole
 * chunks.
 */
enum { LONG = 1 << 14, MANY = 300, SOME = 20 };

static struct rc_store *create_large(void)
{
    static struct rc_store_event events[MANY];
    static char name[MANY][8];
    struct rc_store_kind kind = {.name = "k", .events = events, .event_count = MANY};
    struct rc_store_suite large = suite;
    struct rc_store *store = NULL;
    struct rc_error err = {.rank = -1};
    size_t number;

    for (size_t e = 0; e < MANY; e++) {
        snprintf(name[e], sizeof name[e], "e%zu", e);
        events[e].name = name[e];
    }
    large.place_count = large.point_count = 1;
    large.repetitions = LONG;
    assert_int_equal(rc_store_create(team_comm, path, &campaign, &store, &err), RC_OK);
    assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_OK);
    assert_int_equal(rc_store_define_suite(store, 0, &large, &number, &err), RC_OK);
    assert_int_equal(rc_store_chunk(store, 0, 0), 8);
    return store;
}

static int64_t large_value(size_t e, size_t repetition)
{
    return (int64_t)(e << 20 | repetition >> 6); /* quickly compressed */
}

static struct rc_store_block large_block(size_t first, size_t count)
{
    struct rc_store_block block = {.first = first, .count = count};
    size_t items = count * LONG;

    block.values = calloc(items + 1, sizeof *block.values);
    block.enabled_ns = calloc(items + 1, sizeof *block.enabled_ns);
    block.running_ns = calloc(items + 1, sizeof *block.running_ns);
    block.status = calloc(items + 1, 1);
    block.stop = calloc(count + 1, 1);
    for (size_t i = 0; i < items; i++) {
        block.values[i] = large_value(first + i / LONG, i % LONG);
        block.status[i] = (uint8_t)(i % LONG % 3);
    }
    for (size_t e = 0; e < count; e++)
        block.stop[e] = (uint8_t)((first + e) % 3);
    return block;
}

static void free_block(struct rc_store_block *block)
{
    free(block->values);
    free(block->enabled_ns);
    free(block->running_ns);
    free(block->status);
    free(block->stop);
}

/* Rank 0 writes more than goes at once, and where a share ends is inside a chunk. */
static void shares_of_many_chunks_that_end_inside_of_some_are_whole(void **state)
{
    size_t most = size > 1 ? 267 : MANY, rest = MANY - most;
    size_t parts = size > 1 ? (size_t)size - 1 : 1;
    size_t first = rank ? most + rest * ((size_t)rank - 1) / parts : 0;
    size_t last = rank ? most + rest * (size_t)rank / parts : most;
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create_large();
    struct rc_store_block block = large_block(first, last - first);

    (void)state;
    assert_int_equal(rc_store_write(store, 0, 0, &block, &err), RC_OK);
    free_block(&block);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
    for (size_t i = 0; i < MANY; i += SOME * (size_t)size) { /* reading is collective */
        size_t e = (i + SOME * (size_t)rank) % MANY;
        struct rc_store_block want = large_block(e, SOME), got = large_block(0, SOME);
        got.first = e;
        assert_int_equal(rc_store_read_alone(store, 0, 0, &got, &err), RC_OK);
        assert_memory_equal(got.values, want.values, SOME * LONG * sizeof *got.values);
        assert_memory_equal(got.status, want.status, SOME * LONG);
        assert_memory_equal(got.stop, want.stop, SOME);
        free_block(&want);
        free_block(&got);
    }
    assert_int_equal(rc_store_close(store, &err), RC_OK);
}

static void one_rank_and_many_write_the_same(void **state)
{
    char alone[100], command[300];

    (void)state;
    snprintf(alone, sizeof alone, "%s/alone.h5", directory);
    write_file(team_comm, path, EVENTS);
    if (rank == 0) {
        write_file(MPI_COMM_NULL, alone, EVENTS);
        snprintf(command, sizeof command, "h5diff %s %s", path, alone);
        assert_int_equal(system(command), 0); /* NOLINT: the names are our own */
        assert_int_equal(unlink(alone), 0);
    }
}

static void each_rank_with_a_bad_block_is_heard_and_the_rest_goes_on(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    const struct rc_store_block good = share(rank, size, EVENTS);

    (void)state;
    for (int bad = 0; bad < size; bad++) {
        const struct rc_store_block blocks[] = {
            {EVENTS, 1, values, enabled, running, status_of, stop_of, worker_of},
            {SIZE_MAX, 2, values, enabled, running, status_of, NULL, NULL},
            {0, 1, NULL, enabled, running, status_of, stop_of, worker_of},
            {0, 1, values, enabled, running, NULL, stop_of, worker_of},
            {0, 1, values, enabled, running, (uint8_t[PER]){9}, NULL, NULL},
            {0, 1, values, enabled, running, status_of, (uint8_t[PLACES]){0, 3}, NULL},
            {0, 1, values, enabled, running, status_of, NULL, (uint32_t[PLACES]){3}},
        };
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            err = (struct rc_error){.rank = -1};
            assert_int_equal(
                rc_store_write(store, 0, 0, rank == bad ? &blocks[i] : &good, &err),
                RC_EUSAGE);
            assert_int_equal(err.rank, bad);
        }
    }
    err = (struct rc_error){.rank = -1};
    assert_int_equal(rc_store_write(store, 0, 0, &good, &err), RC_OK);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    check_file(path, EVENTS);
}

static void each_rank_in_another_place_is_heard_and_nothing_is_left(void **state)
{
    (void)state;
    write_file(team_comm, path, EVENTS);
    for (int bad = 0; bad < size; bad++) {
        struct rc_error err = {.rank = -1};
        struct rc_store *store = NULL;
        assert_true(rc_store_create(team_comm, rank == bad ? "/nowhere/x.h5" : path,
                                    &campaign, &store, &err) < 0);
        assert_null(store);
        assert_int_equal(err.rank, bad);
        assert_true(rc_store_open(team_comm, rank == bad ? "/nowhere/x.h5" : path,
                                  &store, &err) < 0);
        assert_null(store);
    }
    check_file(path, EVENTS);
}

static void bad_definitions_leave_the_store_as_it_was(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(team_comm, path, EVENTS);
    struct rc_store_kind kind = the_kind(EVENTS);
    struct rc_store_suite other = suite;
    size_t number;

    (void)state;
    assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_ECONFLICT);
    kind.name = "";
    assert_int_equal(rc_store_define_kind(store, &kind, &number, &err), RC_EUSAGE);
    assert_int_equal(rc_store_define_suite(store, 0, &suite, &number, &err),
                     RC_ECONFLICT);
    other.name = "b";
    assert_int_equal(rc_store_define_suite(store, 7, &other, &number, &err), RC_EUSAGE);
    other.stops = suite.statuses;
    assert_int_equal(rc_store_define_suite(store, 0, &other, &number, &err), RC_EUSAGE);
    other.stops = suite.stops;
    other.stop_count = 257;
    assert_int_equal(rc_store_define_suite(store, 0, &other, &number, &err), RC_EUSAGE);
    other.stop_count = suite.stop_count;
    other.workers = suite.places;
    assert_int_equal(rc_store_define_suite(store, 0, &other, &number, &err), RC_EUSAGE);
    other.workers = suite.workers;
    other.repetitions = SIZE_MAX;
    assert_int_equal(rc_store_define_suite(store, 0, &other, &number, &err), RC_EUSAGE);
    struct rc_store_block block = share(rank, size, EVENTS);
    assert_int_equal(rc_store_write(store, 0, 0, &block, &err), RC_OK);
    other.repetitions = 1;
    assert_int_equal(rc_store_define_suite(store, 0, &other, &number, &err),
                     RC_ECONFLICT);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    check_file(path, EVENTS);
}

static void what_is_not_a_campaign_is_refused_with_a_line(void **state)
{
    char bad[100];
    struct rc_store *store = NULL;

    (void)state;
    write_file(team_comm, path, EVENTS);
    snprintf(bad, sizeof bad, "%s/bad.h5", directory);
    static const struct {
        const char *command, *says;
        int status;
    } ways[] = {
        {"head -c 5000 %s >%s", "is damaged: its checksum", RC_EIO},
        {"tail -c +513 %s | head -c 5000 >%s", "truncated", RC_EUSAGE},
        {"tail -c 5000 %s >%s", "not an HDF5", RC_EUSAGE},
        {": %s; : >%s", "not a rollcall campaign", RC_EUSAGE},
    };
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        struct rc_error err = {.rank = -1};
        if (rank == 0) {
            char command[300];
            snprintf(command, sizeof command, ways[way].command, path, bad);
            assert_int_equal(system(command), 0); /* NOLINT: likewise */
            if (way == 3) {
                hid_t file = H5Fcreate(bad, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
                assert_true(file >= 0 && H5Fclose(file) >= 0);
            }
        }
        MPI_Barrier(team_comm);
        assert_int_equal(rc_store_open(team_comm, bad, &store, &err), ways[way].status);
        assert_non_null(strstr(err.text, ways[way].says));
        MPI_Barrier(team_comm);
    }
    if (rank == 0)
        unlink(bad);
}

static void flip(const char *file, long at, int bit)
{
    FILE *bytes = fopen(file, "r+b");

    assert_non_null(bytes);
    assert_int_equal(fseek(bytes, at, SEEK_SET), 0);
    const int byte = fgetc(bytes);
    assert_int_equal(fseek(bytes, at, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 1 << bit, bytes), byte ^ 1 << bit);
    assert_int_equal(fclose(bytes), 0);
}

/* The mark, the checksum, the empty bytes after it, HDF5's mark, and numbers. */
static void one_bit_that_changed_is_told_wherever_it_is(void **state)
{
    static const long places[] = {0, 9, 70, 511, 512, 519, 3000};
    struct rc_store *store = NULL;

    (void)state;
    write_file(team_comm, path, EVENTS);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct rc_error err = {.rank = -1};
        if (rank == 0)
            flip(path, places[i], (int)i);
        MPI_Barrier(team_comm);
        assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_EIO);
        assert_non_null(strstr(err.text, "its checksum is not that of what it holds"));
        MPI_Barrier(team_comm);
        if (rank == 0)
            flip(path, places[i], (int)i);
        MPI_Barrier(team_comm);
    }
    check_file(path, EVENTS);
}

/* In a file that somebody changed. */
static void a_number_without_a_name_is_refused_on_reading(void **state)
{
    static const char *const sets[] = {"status", "stop", "worker"};

    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        char name[100];
        struct rc_store *store = NULL;
        struct rc_error err = {.rank = -1};
        write_file(team_comm, path, EVENTS);
        if (rank == 0) {
            uint32_t bad[EVENTS * PER] = {0};
            bad[3] = 77;
            hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
            snprintf(name, sizeof name, "/kinds/spr. 50%%25/suites/flops%%2Fa/%s",
                     sets[i]);
            hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
            assert_true(H5Dwrite(set, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 bad) >= 0);
            assert_true(H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
            assert_int_equal(rc_h5_seal(path, &err), RC_OK);
        }
        MPI_Barrier(team_comm);
        assert_int_equal(rc_store_open(team_comm, path, &store, &err), RC_OK);
        struct rc_store_block block = {
            .count = EVENTS, .status = status_of, .stop = stop_of, .worker = worker_of};
        assert_int_equal(rc_store_read_alone(store, 0, 0, &block, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, sets[i]));
        assert_non_null(strstr(err.text, "77, expected less than 3"));
        assert_int_equal(rc_store_close(store, &err), RC_OK);
    }
}

static void an_abandoned_store_leaves_the_old_file(void **state)
{
    (void)state;
    write_file(team_comm, path, EVENTS);
    rc_store_abandon(create(team_comm, path, 2));
    MPI_Barrier(team_comm);
    assert_false(is_left(directory));
    check_file(path, EVENTS);
}

static void nothing_of_hdf5_stays_open(void **state)
{
    (void)state;
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_bit_that_changed_is_told_wherever_it_is),
        cmocka_unit_test(what_is_not_a_campaign_is_refused_with_a_line),
        cmocka_unit_test(a_number_without_a_name_is_refused_on_reading),
        cmocka_unit_test(bad_definitions_leave_the_store_as_it_was),
        cmocka_unit_test(each_rank_with_a_bad_block_is_heard_and_the_rest_goes_on),
        cmocka_unit_test(each_rank_in_another_place_is_heard_and_nothing_is_left),
        cmocka_unit_test(what_was_written_is_read_for_any_number_of_events),
        cmocka_unit_test(a_rank_reads_alone_while_the_others_do_not),
        cmocka_unit_test(stops_and_workers_that_a_rank_does_not_give_are_0),
        cmocka_unit_test(a_suite_without_names_for_stops_and_workers_has_one_each),
        cmocka_unit_test(a_suite_without_ends_of_counts_is_as_of_an_older_file),
        cmocka_unit_test(kinds_and_suites_keep_their_order_of_definition),
        cmocka_unit_test(
            a_suite_without_points_places_or_repetitions_is_written_and_read),
        cmocka_unit_test(shares_of_many_chunks_that_end_inside_of_some_are_whole),
        cmocka_unit_test(one_rank_and_many_write_the_same),
        cmocka_unit_test(an_abandoned_store_leaves_the_old_file),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    strcpy(directory, "/tmp/rollcall-store-XXXXXX");
    if (rank == 0 && !mkdtemp(directory))
        return 1;
    MPI_Bcast(directory, (int)sizeof directory, MPI_CHAR, 0, team_comm);
    snprintf(path, sizeof path, "%s/campaign.h5", directory);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(team_comm);
    if (rank == 0) {
        unlink(path);
        rmdir(directory);
    }
    return failed;
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
