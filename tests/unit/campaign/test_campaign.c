#include "tests/lib/test.h"

#include "campaign/base/agree.h"
#include "campaign/records/campaign.h"
#include "tests/lib/mpi_dir.h"
#include "tests/lib/record_lib.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rc_error err;
static const struct rc_journal_id ours = {"campaign of test"};
static const struct rc_journal_id other = {"another campaign"};

/* The following functions, until read_back(), are for rank 0 alone. */
static struct rc_journal *open_journal(const char *node, uint32_t writer,
                                       uint64_t first,
                                       const struct rc_journal_id *campaign)
{
    const struct rc_journal_setting setting = {.dir = work,
                                               .node = node,
                                               .campaign = *campaign,
                                               .writer = writer,
                                               .first_sequence = first,
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

static void write_records(struct rc_journal *journal, size_t first, size_t last)
{
    struct rc_bytes bytes = {0};
    uint32_t type;

    for (size_t i = first; i <= last; i++) {
        assert_int_equal(sample_put(i, &type, &bytes, &err), RC_OK);
        append(journal, type, &bytes);
    }
    rc_bytes_fini(&bytes);
}

static void write_unit(struct rc_journal *journal, uint32_t suite, uint32_t group,
                       const char *place, enum rc_unit_status status, uint64_t salt)
{
    struct rc_bytes bytes = {0};
    struct sample_unit sample;

    sample_fill(&sample, suite, group % SAMPLE_GROUPS, 2, salt);
    sample.unit.group = group;
    sample.unit.status = status;
    sample.unit.place = place;
    sample.unit.node = salt % 2 ? "n2" : "n1";
    assert_int_equal(rc_record_put_unit(&sample.unit, &sample.readings, &bytes, &err),
                     RC_OK);
    append(journal, RC_RECORD_UNIT, &bytes);
    rc_bytes_fini(&bytes);
}

/* A campaign on two nodes: 10 records before the units, and units of which some
 * were measured again.
 */
static void write_sample(void)
{
    struct rc_journal *one = open_journal("n1", 0, 0, &ours);
    struct rc_journal *two = open_journal("n2", 1, 0, &ours);

    write_records(one, 0, 6);
    write_unit(two, 0, 0, "", RC_UNIT_OK, 1);
    write_unit(one, 0, 1, "n1 core 0", RC_UNIT_INVALID, 2);
    write_unit(two, 0, 1, "n1 core 0", RC_UNIT_OK, 3);
    write_unit(one, 0, 1, "n1 core 0", RC_UNIT_INVALID, 4); /* later, but not valid */
    write_unit(two, 1, 2, "n2", RC_UNIT_FAILED, 5);
    write_unit(one, 1, 2, "n2", RC_UNIT_INVALID, 6);
    write_unit(two, 1, 2, "n10", RC_UNIT_OK, 7);
    write_unit(two, 1, 2, "n10", RC_UNIT_OK, 9);
    write_records(one, 8, 8);
    write_records(one, 7, 7);
    assert_int_equal(rc_journal_close(one, &err), RC_OK);
    assert_int_equal(rc_journal_close(two, &err), RC_OK);
}

static struct rc_campaign *read_back(void)
{
    struct rc_campaign *h;

    MPI_Barrier(team_comm);
    if (rc_campaign_read(team_comm, work, &h, &err) != RC_OK)
        fail_msg("rank %d: %s", rank, err.text);
    return h;
}

static void assert_unit(const struct rc_campaign *h, uint32_t suite, uint32_t group,
                        const char *place, enum rc_unit_status status, uint64_t salt)
{
    const struct rc_campaign_unit *unit =
        rc_campaign_find_unit(h, 0, suite, group, place);

    assert_non_null(unit);
    assert_int_equal(unit->status, status);
    assert_int_equal(unit->wall_ns, 1000000 + salt);
    assert_int_equal(unit->begin_ns, UINT64_C(1763726400000000000) + salt);
    assert_string_equal(h->node[unit->node], salt % 2 ? "n2" : "n1");
    assert_string_equal(h->place[unit->place], place);
    assert_int_equal(unit->repetitions, 2);
}

static void assert_is_the_sample(const struct rc_campaign *h)
{
    assert_memory_equal(&h->campaign, &ours, sizeof ours);
    assert_string_equal(h->record.spec, "suites: [flops]\n");
    assert_int_equal(h->kind_count, 1);
    assert_int_equal(h->kind[0].event_count, SAMPLE_EVENTS);
    assert_int_equal(h->kind[0].suite_count, SAMPLE_SUITES);
    assert_int_equal(h->kind[0].group_count, SAMPLE_GROUPS);
    assert_int_equal(h->unit_count, 4);
    assert_unit(h, 0, 0, "", RC_UNIT_OK, 1);
    assert_unit(h, 0, 1, "n1 core 0", RC_UNIT_OK, 3);
    assert_unit(h, 1, 2, "n2", RC_UNIT_INVALID, 6);
    assert_unit(h, 1, 2, "n10", RC_UNIT_OK, 9);
    assert_null(rc_campaign_find_unit(h, 0, 0, 0, "n2"));
    assert_null(rc_campaign_find_unit(h, 0, 0, 0, "n3"));
    assert_null(rc_campaign_find_unit(h, 1, 0, 0, ""));
    assert_int_equal(h->run_count, 1);
    assert_true(h->run[0].ended);
    assert_int_equal(h->origin_count, 1);
    assert_int_equal(rc_campaign_find_unit(h, 0, 0, 0, "")->writer, 1);
    assert_int_equal(rc_campaign_find_unit(h, 0, 1, 2, "n2")->writer, 0);
    assert_int_equal(h->place_count, 4);
    assert_int_equal(h->node_count, 3);
}

static void the_best_record_of_each_unit_is_known_to_all_ranks(void **state)
{
    (void)state;
    if (rank == 0)
        write_sample();
    struct rc_campaign *h = read_back();
    assert_is_the_sample(h);
    assert_int_equal(h->file_count, 2);
    assert_int_equal(h->next_sequence, 12);
    assert_int_equal(h->records_refused, 0);
    assert_string_equal(h->first_refusal, "");
    rc_campaign_close(h);
}

static void what_is_not_there_is_said_on_all_ranks(void **state)
{
    struct rc_campaign *h;
    char path[128];

    (void)state;
    assert_int_equal(rc_campaign_read(team_comm, work, &h, &err), RC_EMISSING);
    assert_null(h);
    assert_non_null(strstr(err.text, "no campaign is here"));
    snprintf(path, sizeof path, "%s/journal", work);
    if (rank == 0)
        assert_int_equal(mkdir(path, 0777), 0);
    MPI_Barrier(team_comm);
    assert_int_equal(rc_campaign_read(team_comm, work, &h, &err), RC_EMISSING);
    assert_non_null(strstr(err.text, "expected journals NODE.rcj"));
}

static void files_that_are_no_journals_are_passed_over_or_named(void **state)
{
    struct rc_campaign *h;
    char command[512];

    (void)state;
    if (rank == 0) {
        write_sample();
        snprintf(command, sizeof command,
                 "cd %s/journal && echo text >note.txt && echo text >.new.rcj", work);
        assert_int_equal(system(command), 0);
    }
    h = read_back();
    assert_is_the_sample(h);
    assert_int_equal(h->file_count, 2);
    rc_campaign_close(h);
    MPI_Barrier(team_comm);
    snprintf(command, sizeof command, "seq 1000 >%s/journal/text.rcj", work);
    if (rank == 0)
        assert_int_equal(system(command), 0);
    MPI_Barrier(team_comm);
    assert_int_equal(rc_campaign_read(team_comm, work, &h, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "text.rcj: offset 0: not a journal"));
}

static void journals_of_two_campaigns_are_refused(void **state)
{
    struct rc_campaign *h;

    (void)state;
    if (rank == 0) {
        write_sample();
        assert_int_equal(rc_journal_close(open_journal("n3", 2, 0, &other), &err),
                         RC_OK);
    }
    MPI_Barrier(team_comm);
    assert_int_equal(rc_campaign_read(team_comm, work, &h, &err), RC_ECONFLICT);
    assert_null(h);
    assert_non_null(strstr(err.text, "n1.rcj"));
    assert_non_null(strstr(err.text, "n3.rcj' belong to different campaigns"));
}

static void change(const char *node, const char *how)
{
    char command[512];

    snprintf(command, sizeof command, "cd %s/journal && f=%s.rcj && %s", work, node,
             how);
    assert_int_equal(system(command), 0);
}

static void damage_and_torn_ends_cost_only_the_records_they_hit(void **state)
{
    (void)state;
    if (rank == 0) {
        write_sample();
        /* The header, and the last record: the end of the run. */
        change("n1", "printf X | dd of=$f bs=1 seek=20 conv=notrunc status=none");
        change("n1", "truncate -s -7 $f");
        change("n2", "printf '\\213rec\\r\\n' >>$f");
    }
    struct rc_campaign *h = read_back();
    assert_int_equal(h->file[0].report.header_damaged, 1);
    assert_true(h->file[0].report.tail_bytes > 0);
    assert_int_equal(h->file[1].report.tail_bytes, 6);
    assert_false(h->run[0].ended);
    h->run[0].ended = true;
    assert_is_the_sample(h);
    assert_int_equal(h->records_refused, 0);
    rc_campaign_close(h);
}

/* The header is damaged and the first whole record another campaign's. */
static void a_damaged_header_does_not_make_a_file_anothers(void **state)
{
    (void)state;
    if (rank == 0) {
        struct rc_journal *journal = open_journal("n1", 9, 0, &other);
        write_records(journal, 0, 0);
        assert_int_equal(rc_journal_close(journal, &err), RC_OK);
        change("n1", "mv $f foreign");
        write_sample();
        change("n1", "tail -c +65 $f >records && head -c 60 foreign >$f && tail -c +65 "
                     "foreign >>$f && cat records >>$f");
    }
    struct rc_campaign *h = read_back();
    assert_is_the_sample(h);
    assert_int_equal(h->file[0].report.foreign, 1);
    rc_campaign_close(h);
}

static void a_journal_that_was_copied_changes_nothing(void **state)
{
    (void)state;
    if (rank == 0) {
        write_sample();
        change("n1", "cp $f again.rcj");
    }
    struct rc_campaign *h = read_back();
    assert_is_the_sample(h);
    assert_int_equal(h->file_count, 3);
    assert_int_equal(h->records_refused, 0);
    rc_campaign_close(h);
}

/* Files are dealt out in turn: a few in front move the bad one to each rank. */
static void a_file_that_one_rank_cannot_read_is_named_on_all(void **state)
{
    struct rc_campaign *h;
    char name[16];

    (void)state;
    if (rank == 0)
        write_sample();
    for (int i = 0; i < rc_team_size(team_comm); i++) {
        if (rank == 0) {
            change("n1", "mkdir z.rcj");
            snprintf(name, sizeof name, "a%d", i);
            assert_int_equal(rc_journal_close(open_journal(name, 0, 0, &ours), &err),
                             RC_OK);
        }
        MPI_Barrier(team_comm);
        assert_int_equal(rc_campaign_read(team_comm, work, &h, &err), RC_EUSAGE);
        assert_null(h);
        assert_non_null(strstr(err.text, "z.rcj' is a directory, expected a file"));
        assert_int_equal(err.rank, (i + 3) % rc_team_size(team_comm));
        MPI_Barrier(team_comm);
        if (rank == 0)
            change("n1", "rmdir z.rcj");
    }
}

static void records_that_are_not_understood_are_counted(void **state)
{
    unsigned char word[] = "text";
    struct rc_bytes text = {.byte = word, .count = 4};

    (void)state;
    if (rank == 0) {
        write_sample();
        struct rc_journal *journal = open_journal("n2", 1, 50, &ours);
        append(journal, RC_RECORD_UNIT, &text);
        append(journal, RC_RECORD_GROUPS, &text);
        append(journal, 77, &text);
        write_unit(journal, 2, 0, "", RC_UNIT_OK, 1);
        write_unit(journal, 0, 3, "", RC_UNIT_OK, 1);
        assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    }
    struct rc_campaign *h = read_back();
    assert_is_the_sample(h);
    assert_int_equal(h->records_refused, 5);
    assert_non_null(strstr(h->first_refusal, "n2.rcj: offset "));
    assert_non_null(strstr(h->first_refusal, ": a unit, byte 1: version 116"));
    assert_int_equal(h->next_sequence, 55);
    rc_campaign_close(h);
}

/* A suite whose largest team has three workers, as number 2 of the kind. */
static void write_team_suite(struct rc_journal *journal)
{
    static const char *const axes[] = {"workers"};
    static const int64_t workers[][1] = {{1}, {3}, {2}};
    static const struct rc_record_point points[SAMPLE_POINTS] = {
        {"w1", workers[0]}, {"w3", workers[1]}, {"w2", workers[2]}};
    struct rc_record_suite suite = sample_suite("teams");
    struct rc_bytes bytes = {0};

    suite.axes = axes;
    suite.axis_count = 1;
    suite.point = points;
    assert_int_equal(rc_record_suite_team(&suite), 3);
    assert_int_equal(rc_record_put_list(RC_RECORD_SUITE,
                                        rc_record_kind_id(sample_kind.key), 2, &suite,
                                        1, &bytes, &err),
                     RC_OK);
    append(journal, RC_RECORD_SUITE, &bytes);
    rc_bytes_fini(&bytes);
}

/* Records of one measurement, by the first 'count' workers of a team. */
static void write_team(struct rc_journal *journal, uint32_t group, const char *node,
                       int core, int count, enum rc_unit_status status, uint64_t salt)
{
    char place[32];

    for (int i = count; i-- > 0;) {
        snprintf(place, sizeof place, "%s core %d", node, core + i);
        write_unit(journal, 2, group, place, status, salt);
    }
}

/* All units of the group on the node are of one measurement, from that core on. */
static void assert_team(const struct rc_campaign *h, uint32_t group, const char *node,
                        int core, enum rc_unit_status status, uint64_t salt)
{
    const struct rc_campaign_unit *first = rc_campaign_find_team(h, 0, 2, group, node);
    const uint64_t wall_ns = 1000000 + salt;
    char place[32];

    assert_non_null(first);
    assert_int_equal(first->wall_ns, wall_ns);
    for (int i = 0; i < 3; i++) {
        snprintf(place, sizeof place, "%s core %d", node, core + i);
        assert_unit(h, 2, group, place, status, salt);
        assert_true(rc_campaign_same_team(h, first, first + i));
    }
    assert_false(rc_campaign_same_team(h, first, first + 3));
}

static void records_of_a_team_count_together_or_not_at_all(void **state)
{
    (void)state;
    if (rank == 0) {
        struct rc_journal *one = open_journal("n1", 0, 0, &ours);
        struct rc_journal *two = open_journal("n2", 1, 100, &ours);
        write_records(one, 0, 5);
        write_team_suite(one);
        write_team(one, 0, "n1", 0, 3, RC_UNIT_OK, 10);
        write_team(one, 0, "n1", 0, 2, RC_UNIT_OK, 20); /* later, and not whole */
        write_team(two, 0, "n2", 0, 3, RC_UNIT_INVALID, 31);
        write_team(two, 0, "n2", 0, 3, RC_UNIT_OK, 41);
        write_team(two, 0, "n10", 0, 2, RC_UNIT_OK, 51);
        write_team(two, 0, "n10", 0, 2, RC_UNIT_OK,
                   51); /* a copy is not a third worker */
        write_team(one, 1, "n1", 0, 3, RC_UNIT_OK, 60);
        write_team(one, 1, "n1", 1, 3, RC_UNIT_OK, 70); /* on other cores */
        write_team(one, 2, "n1", 0, 3, RC_UNIT_OK, 80);
        write_team(one, 2, "n1", 0, 3, RC_UNIT_INVALID, 90);
        assert_int_equal(rc_journal_close(one, &err), RC_OK);
        assert_int_equal(rc_journal_close(two, &err), RC_OK);
    }
    struct rc_campaign *h = read_back();
    assert_int_equal(h->records_refused, 0);
    assert_int_equal(h->unit_count, 12);
    assert_team(h, 0, "n1", 0, RC_UNIT_OK, 10);
    assert_team(h, 0, "n2", 0, RC_UNIT_OK, 41);
    assert_null(rc_campaign_find_team(h, 0, 2, 0, "n10"));
    assert_int_equal(rc_campaign_find_team(h, 0, 2, 0, "")->status, RC_UNIT_OK);
    assert_team(h, 1, "n1", 1, RC_UNIT_OK, 70);
    assert_null(rc_campaign_find_unit(h, 0, 2, 1, "n1 core 0"));
    assert_int_equal(rc_campaign_find_team(h, 0, 2, 2, "n1")->wall_ns, 1000080);
    rc_campaign_close(h);
}

/* Should the record of a suite be lost, the next one must not be taken for it. */
static void a_lost_record_is_missed_until_it_is_written_again(void **state)
{
    (void)state;
    if (rank == 0) {
        struct rc_journal *journal = open_journal("n1", 0, 0, &ours);
        write_records(journal, 0, 2);
        write_records(journal, 4, 6); /* without suite 0 */
        write_unit(journal, 0, 0, "", RC_UNIT_OK, 2);
        assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    }
    struct rc_campaign *h = read_back();
    assert_int_equal(h->kind[0].suite_count, 0);
    assert_int_equal(h->unit_count, 0);
    assert_int_equal(h->records_refused, 2);
    uint64_t next = h->next_sequence;
    rc_campaign_close(h);
    MPI_Barrier(team_comm);
    if (rank == 0) {
        struct rc_journal *journal = open_journal("n1", 0, next, &ours);
        write_records(journal, 3, 4);
        assert_int_equal(rc_journal_close(journal, &err), RC_OK);
    }
    h = read_back();
    assert_int_equal(h->kind[0].suite_count, 2);
    assert_unit(h, 0, 0, "", RC_UNIT_OK, 2);
    rc_campaign_close(h);
}

static int run_on_team(void)
{
#define IN_DIRECTORY(test)                                                             \
    cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)
    const struct CMUnitTest tests[] = {
        IN_DIRECTORY(what_is_not_there_is_said_on_all_ranks),
        IN_DIRECTORY(files_that_are_no_journals_are_passed_over_or_named),
        IN_DIRECTORY(journals_of_two_campaigns_are_refused),
        IN_DIRECTORY(damage_and_torn_ends_cost_only_the_records_they_hit),
        IN_DIRECTORY(a_damaged_header_does_not_make_a_file_anothers),
        IN_DIRECTORY(a_file_that_one_rank_cannot_read_is_named_on_all),
        IN_DIRECTORY(records_that_are_not_understood_are_counted),
        IN_DIRECTORY(records_of_a_team_count_together_or_not_at_all),
        IN_DIRECTORY(a_lost_record_is_missed_until_it_is_written_again),
        IN_DIRECTORY(a_journal_that_was_copied_changes_nothing),
        IN_DIRECTORY(the_best_record_of_each_unit_is_known_to_all_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
    return on_teams(argc, argv, run_on_team);
}
