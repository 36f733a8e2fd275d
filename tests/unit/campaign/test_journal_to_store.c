#include "campaign/directory/campaign_dir.h"
#include "tests/lib/left.h"
#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/pack/journal_to_store.h"
#include "io/store/store.h"
#include "tests/lib/mpi_dir.h"
#include "tests/lib/record_lib.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A campaign of many events in groups of 7 that carry event 0 as their reference,
 * at two places; enough for several blocks.
 */
enum { EVENTS = 3000, OWN = 7, GROUPS = EVENTS / OWN + 1, POINTS = 40, MOST = 3 };

static struct rc_error err;
static const struct rc_journal_id ours = {"campaign of test"};
static const char *const places[] = {"n1", "n2 core 1"};

static struct rc_journal *open_journal(const char *node, uint32_t writer)
{
    const struct rc_journal_setting setting = {.dir = work,
                                               .node = node,
                                               .campaign = ours,
                                               .writer = writer,
                                               .sync_ms = RC_JOURNAL_SYNC_NEVER};
    struct rc_journal *journal;

    if (rc_journal_open(&setting, &journal, &err) != RC_OK)
        fail_msg("%s", err.text);
    return journal;
}

static void append(struct rc_journal *journal, uint32_t type, struct rc_bytes *bytes)
{
    if (rc_journal_append(journal, type, bytes->byte, bytes->count, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static uint64_t kind_id(void)
{
    return rc_record_kind_id(sample_kind.key);
}

static void write_events(struct rc_journal *journal, struct rc_bytes *bytes)
{
    struct rc_record_event *event = rc_calloc(EVENTS, sizeof *event);
    char name[EVENTS][16];

    assert_non_null(event);
    for (size_t i = 0; i < EVENTS; i++) {
        snprintf(name[i], sizeof name[i], "EVENT:%zu", i);
        event[i] = (struct rc_record_event){.name = name[i], .verdict = RC_VERDICT_OK};
    }
    assert_int_equal(
        rc_record_put_list(RC_RECORD_EVENTS, kind_id(), 0, event, EVENTS, bytes, &err),
        RC_OK);
    append(journal, RC_RECORD_EVENTS, bytes);
    free(event);
}

/* Backwards, so that their order is not that of the events; the reference is at
 * the end of each but its own, which is the last.
 */
static size_t first_of(size_t group)
{
    return OWN * (GROUPS - 1 - group);
}

static size_t members_of(size_t group, uint32_t *event)
{
    size_t count = 0, first = first_of(group);

    for (size_t i = 0; i < OWN && first + i < EVENTS; i++)
        event[count++] = (uint32_t)(first + i);
    if (first > 0)
        event[count++] = 0;
    return count;
}

static void write_groups(struct rc_journal *journal, struct rc_bytes *bytes)
{
    for (size_t g = 0; g < GROUPS; g++) {
        uint32_t event[OWN + 1];
        struct rc_record_group group = {.event = event};
        group.count = members_of(g, event);
        group.own = group.count - (first_of(g) > 0);
        assert_int_equal(
            rc_record_put_list(RC_RECORD_GROUPS, kind_id(), g, &group, 1, bytes, &err),
            RC_OK);
        append(journal, RC_RECORD_GROUPS, bytes);
    }
}

static void write_suite(struct rc_journal *journal, struct rc_bytes *bytes)
{
    static double basis[POINTS];
    static uint64_t iterations[2 * POINTS];
    static const char *const ideals[] = {"INS"};
    struct rc_record_point point[POINTS];
    char name[POINTS][16];
    struct rc_record_suite suite = {.name = "flops",
                                    .point = point,
                                    .point_count = POINTS,
                                    .ideals = ideals,
                                    .ideal_count = 1,
                                    .own_count = 1,
                                    .basis = basis,
                                    .iterations = iterations,
                                    .source_count = 2};

    for (size_t i = 0; i < POINTS; i++) {
        snprintf(name[i], sizeof name[i], "p%zu", i);
        point[i] = (struct rc_record_point){.name = name[i]};
        iterations[i] = 10;
    }
    assert_int_equal(
        rc_record_put_list(RC_RECORD_SUITE, kind_id(), 0, &suite, 1, bytes, &err),
        RC_OK);
    append(journal, RC_RECORD_SUITE, bytes);
    suite.name = "not measured";
    assert_int_equal(
        rc_record_put_list(RC_RECORD_SUITE, kind_id(), 1, &suite, 1, bytes, &err),
        RC_OK);
    append(journal, RC_RECORD_SUITE, bytes);
}

static size_t repetitions_of(size_t group)
{
    return 1 + group % MOST;
}

static int64_t value_of(size_t event, size_t place, size_t repetition, size_t point)
{
    return (int64_t)(event * 1000000 + place * 500000 + repetition * 1000 + point);
}

static void write_unit(struct rc_journal *journal, struct rc_bytes *bytes, size_t group,
                       size_t place)
{
    static int64_t values[(OWN + 1) * MOST * POINTS];
    static uint64_t ns[(OWN + 1) * MOST];
    static uint8_t statuses[(OWN + 1) * MOST];
    struct rc_record_readings readings = {values, ns, ns, statuses};
    uint32_t event[OWN + 1];
    const size_t count = members_of(group, event), repetitions = repetitions_of(group);
    struct rc_record_unit unit = {.kind = kind_id(),
                                  .group = (uint32_t)group,
                                  .place = places[place],
                                  .node = place ? "n2" : "n1",
                                  .core = (uint32_t)place,
                                  .cpu = (uint32_t)(2 * place),
                                  .status = RC_UNIT_OK,
                                  .stop = RC_STOP_MOST,
                                  .events = (uint32_t)count,
                                  .repetitions = (uint32_t)repetitions,
                                  .points = POINTS};

    for (size_t e = 0; e < count; e++)
        for (size_t r = 0; r < repetitions; r++) {
            const size_t row = e * repetitions + r;
            ns[row] = event[e] + r;
            statuses[row] = RC_READING_OK;
            /* The reference's counts in others' groups must not be taken. */
            const bool foreign = event[e] == 0 && first_of(group) > 0;
            for (size_t p = 0; p < POINTS; p++)
                values[row * POINTS + p] =
                    foreign ? -1 : value_of(event[e], place, r, p);
        }
    if (group == 5) { /* failed at one place */
        unit.status = place ? RC_UNIT_OK : RC_UNIT_FAILED;
        unit.repetitions = place ? unit.repetitions : 0;
    }
    if (group == 6 && place == 1) /* and was not measured at the other */
        return;
    assert_int_equal(rc_record_put_unit(&unit, &readings, bytes, &err), RC_OK);
    append(journal, RC_RECORD_UNIT, bytes);
}

static void write_campaign(void)
{
    struct rc_journal *journal[2] = {open_journal("n1", 0), open_journal("n2", 1)};
    struct rc_bytes bytes = {0};
    uint32_t type;

    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sample_put(i, &type, &bytes, &err), RC_OK);
        append(journal[0], type, &bytes);
    }
    write_events(journal[0], &bytes);
    write_suite(journal[0], &bytes);
    write_groups(journal[0], &bytes);
    for (size_t g = 0; g < GROUPS; g++)
        for (size_t p = 0; p < 2; p++)
            write_unit(journal[(g + p) % 2], &bytes, (g * 100) % GROUPS, p);
    rc_bytes_fini(&bytes);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(rc_journal_close(journal[i], &err), RC_OK);
}

static struct rc_campaign *read_back(void)
{
    struct rc_campaign *h;

    if (rank == 0)
        write_campaign();
    MPI_Barrier(team_comm);
    if (rc_campaign_read(team_comm, work, &h, &err) != RC_OK)
        fail_msg("rank %d: %s", rank, err.text);
    assert_int_equal(h->unit_count, 2 * GROUPS - 1);
    assert_int_equal(h->records_refused, 0);
    return h;
}

static void count_told(void *arg, size_t done, size_t total)
{
    size_t *told = arg;

    assert_true(done > *told && done <= total);
    assert_int_equal(total, 2 * EVENTS);
    *told = done;
}

static void assert_labels(const struct rc_store *store)
{
    const struct rc_store_campaign *campaign = rc_store_campaign(store);
    const struct rc_store_suite *suite = rc_store_suite(store, 0, 0);

    assert_string_equal(campaign->id, "63616d706169676e206f662074657374");
    assert_string_equal(campaign->spec, "suites: [flops]\n");
    assert_int_equal(campaign->source_label_count, 2);
    assert_string_equal(campaign->source_labels[0], "model: simulated");
    assert_string_equal(campaign->source_labels[1], "soft: instruction-exact");
    assert_true(campaign->simulated);
    assert_int_equal(rc_store_kind_count(store), 1);
    assert_string_equal(rc_store_kind(store, 0)->name, sample_kind.name);
    assert_int_equal(rc_store_kind(store, 0)->node_count, 2);
    assert_int_equal(rc_store_suite_count(store, 0), 2);
    assert_int_equal(suite->repetitions, MOST);
    assert_int_equal(suite->place_count, 2);
    assert_string_equal(suite->places[0], "n1");
    assert_string_equal(suite->places[1], "n2 core 1");
    assert_int_equal(suite->worker_count, 3);
    assert_string_equal(suite->workers[0], "");
    assert_string_equal(suite->workers[1], "n1 core 0 cpu 0");
    assert_string_equal(suite->workers[2], "n2 core 1 cpu 2");
    assert_string_equal(suite->statuses[RC_READING_FAILED], "failed");
    assert_string_equal(rc_store_suite(store, 0, 1)->places[0], "any");
}

static size_t group_of(size_t event)
{
    for (size_t g = 0; g < GROUPS; g++)
        if (event >= first_of(g) && event < first_of(g) + OWN)
            return g;
    return GROUPS;
}

/* One event and place of a block that holds only that event. */
static void assert_row(const struct rc_store_block *b, size_t event, size_t place)
{
    const size_t group = group_of(event), at = place * MOST;
    const bool failed = group == 5 && place == 0, none = group == 6 && place == 1;
    const size_t there = failed || none ? 0 : repetitions_of(group);

    assert_int_equal(b->stop[place], none ? RC_STOP_NONE : RC_STOP_MOST);
    assert_int_equal(b->worker[place], none ? 0 : place + 1);
    for (size_t r = 0; r < MOST; r++) {
        assert_int_equal(b->status[at + r], r < there          ? RC_READING_OK
                                            : failed && r == 0 ? RC_READING_FAILED
                                                               : RC_READING_MISSING);
        assert_int_equal(b->enabled_ns[at + r], r < there ? event + r : 0);
        for (size_t p = 0; p < POINTS; p++)
            assert_int_equal(b->values[(at + r) * POINTS + p],
                             r < there ? value_of(event, place, r, p) : INT64_MIN);
    }
}

static void assert_results(struct rc_store *store)
{
    static int64_t values[2 * MOST * POINTS];
    static uint64_t enabled[2 * MOST], running[2 * MOST];
    static uint8_t statuses[2 * MOST], stop[2];
    static uint32_t worker[2];
    struct rc_store_block block = {.count = 1,
                                   .values = values,
                                   .enabled_ns = enabled,
                                   .running_ns = running,
                                   .status = statuses,
                                   .stop = stop,
                                   .worker = worker};

    for (size_t event = 0; event < EVENTS; event += event < 80 ? 1 : 37) {
        block.first = event;
        if (rc_store_read_alone(store, 0, 0, &block, &err) != RC_OK)
            fail_msg("%s", err.text);
        assert_row(&block, event, 0);
        assert_row(&block, event, 1);
    }
}

static void each_event_has_the_readings_of_its_own_group(void **state)
{
    struct rc_campaign *h = read_back();
    struct rc_store *store;
    size_t told = 0;
    char path[128];

    (void)state;
    if (rc_journal_to_store(team_comm, work, h, count_told, &told, &err) != RC_OK)
        fail_msg("rank %d: %s", rank, err.text);
    assert_int_equal(told, 2 * EVENTS);
    assert_int_equal(rc_campaign_dir_results(work, path, sizeof path, &err), RC_OK);
    if (rc_store_open(team_comm, path, &store, &err) != RC_OK)
        fail_msg("rank %d: %s", rank, err.text);
    assert_labels(store);
    assert_results(store);
    assert_int_equal(rc_store_close(store, &err), RC_OK);
    rc_campaign_close(h);
}

/* A byte of one unit's readings, on the disk. */
static void flip(const struct rc_campaign *h, const struct rc_campaign_unit *unit)
{
    int fd = open(h->file[unit->file].path, O_RDWR);
    const off_t at = (off_t)(unit->offset + 48 + unit->bytes - 1);
    unsigned char byte;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= 1;
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void a_journal_that_changed_meanwhile_is_named_and_nothing_replaced(void **state)
{
    struct rc_campaign *h = read_back();
    char path[128];

    (void)state;
    if (rank == 0)
        flip(h, &h->unit[h->unit_count / 2]);
    MPI_Barrier(team_comm);
    assert_int_equal(rc_journal_to_store(team_comm, work, h, NULL, NULL, &err), RC_EIO);
    assert_non_null(strstr(err.text, ".rcj: offset "));
    assert_non_null(strstr(err.text, "the file was changed meanwhile"));
    MPI_Barrier(team_comm); /* rank 0 tidies up */
    snprintf(path, sizeof path, "%s/campaign.h5", work);
    assert_int_equal(access(path, F_OK), -1);
    assert_false(is_left(work));
    MPI_Barrier(team_comm);
    if (rank == 0)
        unlink(h->file[1].path);
    MPI_Barrier(team_comm);
    assert_true(rc_journal_to_store(team_comm, work, h, NULL, NULL, &err) != RC_OK);
    rc_campaign_close(h);
}

static int run_on_team(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_event_has_the_readings_of_its_own_group,
                                        make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(
            a_journal_that_changed_meanwhile_is_named_and_nothing_replaced,
            make_directory, remove_directory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
