#include "tests/test.h"

#include "campaign/base/agree.h"
#include "io/store.h"

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

static int rank, size;
static char directory[64], path[96], path_new[100];

static const struct rc_store_campaign campaign = {
    .id = "c-1",
    .created_by = "test",
    .spec = "source: model:spr\n",
    .source_labels = (const char *const[]){"model: simulated"},
    .source_label_count = 1,
    .simulated = true,
};

static struct rc_store_event event[EVENTS];
static const double basis[POINTS * 2] = {1, 2, 3, 4, 5, NAN};

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
    .basis = basis,
    .sources = (const char *const[]){"model"},
    .source_count = 1,
    .iterations = (const uint64_t[]){10, 20, 30},
    .places = (const char *const[]){"n0", "n1"},
    .place_count = PLACES,
    .repetitions = REPETITIONS,
    .statuses = (const char *const[]){"missing", "valid", "not all the time"},
    .status_count = 3,
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
static uint8_t status_of[EVENTS * PER];

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
    return (struct rc_store_block){first,
                                   last - first,
                                   values + first * PER * POINTS,
                                   enabled + first * PER,
                                   running + first * PER,
                                   status_of + first * PER};
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
    static uint8_t states[EVENTS * PER];
    struct rc_store_event read[EVENTS] = {{0}};
    struct rc_error err = {.rank = -1};
    struct rc_store *store = NULL;
    struct rc_pool *pool = rc_pool_create();

    share(0, 1, events);
    if (rc_store_open(MPI_COMM_WORLD, where, &store, &err) != RC_OK)
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
    struct rc_store_block block = {0, events, got, on, ran, states};
    assert_int_equal(rc_store_read(store, 0, 0, &block, &err), RC_OK);
    assert_memory_equal(got, values, events * PER * POINTS * sizeof *got);
    assert_memory_equal(on, enabled, events * PER * sizeof *on);
    assert_memory_equal(ran, running, events * PER * sizeof *ran);
    assert_memory_equal(states, status_of, events * PER);
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

static void what_was_written_is_read_for_any_number_of_events(void **state)
{
    (void)state;
    for (size_t events = 0; events <= EVENTS; events++) {
        write_file(MPI_COMM_WORLD, path, events);
        check_file(path, events);
        assert_int_not_equal(access(path_new, F_OK), 0);
    }
}

static void one_rank_and_many_write_the_same(void **state)
{
    char alone[100], command[300];

    (void)state;
    snprintf(alone, sizeof alone, "%s/alone.h5", directory);
    write_file(MPI_COMM_WORLD, path, EVENTS);
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
    struct rc_store *store = create(MPI_COMM_WORLD, path, EVENTS);
    const struct rc_store_block good = share(rank, size, EVENTS);

    (void)state;
    for (int bad = 0; bad < size; bad++) {
        const struct rc_store_block blocks[] = {
            {EVENTS, 1, values, enabled, running, status_of},
            {SIZE_MAX, 2, values, enabled, running, status_of},
            {0, 1, NULL, enabled, running, status_of},
            {0, 1, values, enabled, running, (uint8_t[PER]){9}},
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
    write_file(MPI_COMM_WORLD, path, EVENTS);
    for (int bad = 0; bad < size; bad++) {
        struct rc_error err = {.rank = -1};
        struct rc_store *store = NULL;
        assert_true(rc_store_create(MPI_COMM_WORLD,
                                    rank == bad ? "/nowhere/x.h5" : path, &campaign,
                                    &store, &err) < 0);
        assert_null(store);
        assert_int_equal(err.rank, bad);
        assert_true(rc_store_open(MPI_COMM_WORLD, rank == bad ? "/nowhere/x.h5" : path,
                                  &store, &err) < 0);
        assert_null(store);
    }
    check_file(path, EVENTS);
}

static void bad_definitions_leave_the_store_as_it_was(void **state)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = create(MPI_COMM_WORLD, path, EVENTS);
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
    write_file(MPI_COMM_WORLD, path, EVENTS);
    snprintf(bad, sizeof bad, "%s/bad.h5", directory);
    for (int way = 0; way < 3; way++) {
        struct rc_error err = {.rank = -1};
        if (rank == 0) {
            char command[300];
            snprintf(command, sizeof command,
                     way == 0   ? "head -c 5000 %s >%s"
                     : way == 1 ? "tail -c 5000 %s >%s"
                                : ": %s; : >%s",
                     path, bad);
            assert_int_equal(system(command), 0); /* NOLINT: likewise */
            if (way == 2) {
                hid_t file = H5Fcreate(bad, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
                assert_true(file >= 0 && H5Fclose(file) >= 0);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        assert_int_equal(rc_store_open(MPI_COMM_WORLD, bad, &store, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, way == 0   ? "truncated"
                                         : way == 1 ? "not an HDF5"
                                                    : "not one of rollcall's"));
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        unlink(bad);
}

static void an_abandoned_store_leaves_the_old_file(void **state)
{
    (void)state;
    write_file(MPI_COMM_WORLD, path, EVENTS);
    rc_store_abandon(create(MPI_COMM_WORLD, path, 2));
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_not_equal(access(path_new, F_OK), 0);
    check_file(path, EVENTS);
}

static void nothing_of_hdf5_stays_open(void **state)
{
    (void)state;
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_campaign_is_refused_with_a_line),
        cmocka_unit_test(bad_definitions_leave_the_store_as_it_was),
        cmocka_unit_test(each_rank_with_a_bad_block_is_heard_and_the_rest_goes_on),
        cmocka_unit_test(each_rank_in_another_place_is_heard_and_nothing_is_left),
        cmocka_unit_test(what_was_written_is_read_for_any_number_of_events),
        cmocka_unit_test(one_rank_and_many_write_the_same),
        cmocka_unit_test(an_abandoned_store_leaves_the_old_file),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    MPI_Init(&argc, &argv);
    rank = rc_team_rank(MPI_COMM_WORLD);
    size = rc_team_size(MPI_COMM_WORLD);
    strcpy(directory, "/tmp/rollcall-store-XXXXXX");
    if (rank == 0 && !mkdtemp(directory))
        return 1;
    MPI_Bcast(directory, (int)sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/campaign.h5", directory);
    snprintf(path_new, sizeof path_new, "%s.new", path);
    if (argc > 1) { /* for store_python.sh: the file alone */
        write_file(MPI_COMM_WORLD, argv[1], EVENTS);
        MPI_Finalize();
        return 0;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        unlink(path);
        rmdir(directory);
    }
    MPI_Finalize();
    return failed;
}
