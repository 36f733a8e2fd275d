#include "tests/lib/test.h"

#include "campaign/submit/job_list.h"
#include "tests/lib/own_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "rollcall jobs 1\n"
#define START HEAD "scheduler slurm\nround 1\nparts 1\nshares 0\n"

static int setup(void **state)
{
    return enter_own_dir(state) || mkdir("jobs", 0755);
}

static void put_bytes(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static void put(const char *path, const char *text)
{
    put_bytes(path, text, strlen(text));
}

static void lists_of_strangers_are_refused_by_line(void **state)
{
    static const struct {
        const char *text;
        size_t line;
    } bad[] = {
        {"", 1},
        {"\n", 1},
        {"rollcall jobs 2\n", 1},
        {"rollcall jobs 1 \n", 1},
        {"#!/bin/sh\nrm -rf /\n", 1},
        {HEAD, 2},
        {HEAD "scheduler slurm\nround 1\nshares 0\n", 5},
        {HEAD "scheduler slurm\nparts 1\nshares 0\n", 5},
        {HEAD "round 0\n", 2},
        {HEAD "round 1\nparts 1\nshares 0\n", 5},
        {HEAD "scheduler none\n", 2},
        {HEAD "scheduler auto\n", 2},
        {HEAD "scheduler ../../x\n", 2},
        {HEAD "scheduler slurm\n\nround 1\n", 3},
        {HEAD "scheduler slurm x\n", 2},
        {HEAD "round x\n", 2},
        {HEAD "round -1\n", 2},
        {HEAD "round 1x\n", 2},
        {HEAD "round 99999999999\n", 2},
        {HEAD "parts 0\n", 2},
        {HEAD "parts 101\n", 2},
        {HEAD "parts -1\n", 2},
        {HEAD "parts 18446744073709551617\n", 2},
        {HEAD "shares 10001\n", 2},
        {HEAD "shares -1\n", 2},
        {HEAD "shares 1.5\n", 2},
        {START "job\n", 6},
        {START "job run\n", 6},
        {START "job run run 0 0 0\n", 6},
        {START "job run run 0 0 0 -rf\n", 6},
        {START "job run run 0 0 0 1;rm&\n", 6},
        {START "job run run 0 0 0 $(touch made)\n", 6},
        {START "job run run 0 0 0 `touch\n", 6},
        {START "job run run 0 0 0 ../../x\n", 6},
        {START "job run run 0 0 0 a\x1b[31m\n", 6},
        {START "job run run 0 0 0 a'b\n", 6},
        {START "job run run 0 0 0 a\xff\n", 6},
        {START "job run run 0 0 0 a\xc2\x9b\n", 6},
        {START "job ../x run 0 0 0 1\n", 6},
        {START "job -x run 0 0 0 1\n", 6},
        {START "job RUN run 0 0 0 1\n", 6},
        {START "job 1 run 0 0 0 1\n", 6},
        {START "job run x 0 0 0 1\n", 6},
        {START "job run run 100 0 0 1\n", 6},
        {START "job run run -1 0 0 1\n", 6},
        {START "job run run 1 0 0 1\n", 6},
        {START "job run run x 0 0 1\n", 6},
        {START "job run run 0 10001 0 1\n", 6},
        {START "job run run 0 0 10001 1\n", 6},
        {START "job run run 0 -1 0 1\n", 6},
        {START "job run run 0 0 -1 1\n", 6},
        {START "job run run 0 0 4294967297 1\n", 6},
        {START "job run run 0 0 2 1\n", 6},
        {START "jobs run run 0 0 0 1\n", 6},
        {START " job run run 0 0 0 1\n", 6},
        {START "job run run 0 0 0 1\njob run run 0 0 0\n", 7},
        {START "job abcdefghijklmnopqrstuvwxyzabcdefghijkl run 0 0 0 1\n", 6},
        {HEAD "parts 1\nscheduler slurm\nround 1\nshares 2\n"
              "job run run 0 1 2 1\n",
         6},
        {START "job run run 0 0 0 1\nshares 0\n", 7},
        {START "job run run 0 0 0 1\nparts 1\n", 7},
        {START "job run run 0 0 0 1\nround 2\n", 7},
        {START "job run run 0 0 0 1\nscheduler slurm\n", 7},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {.text = ""};
        struct rc_job_list r;
        char expected[128];
        put("jobs/jobs.txt", bad[i].text);
        snprintf(expected, sizeof expected,
                 "./jobs/jobs.txt:%zu: not a line of a list of jobs", bad[i].line);
        if (rc_job_list_read(".", &r, &err) != RC_EUSAGE)
            fail_msg("taken: %s", bad[i].text);
        assert_string_equal(err.text, expected);
        assert_null(r.entry);
    }
    assert_int_equal(access("made", F_OK), -1);
}

static void zero_bytes_are_refused(void **state)
{
    static const char text[] = START "job run run 0 0 0 1\n\0job run run 0 0 0 2\n";
    struct rc_error err = {0};
    struct rc_job_list r;

    (void)state;
    put_bytes("jobs/jobs.txt", text, sizeof text - 1);
    assert_int_equal(rc_job_list_read(".", &r, &err), RC_EUSAGE);
    assert_string_equal(err.text, "./jobs/jobs.txt: a zero byte, expected text");
}

static void a_list_that_is_not_there_is_missing(void **state)
{
    struct rc_error err = {0};
    struct rc_job_list r;
    char *name = calloc(1, 5000);

    (void)state;
    assert_int_equal(rc_job_list_read("nowhere", &r, &err), RC_EMISSING);
    assert_string_equal(err.text, "no jobs were submitted for 'nowhere'");
    memset(name, 'x', 4999);
    assert_int_equal(rc_job_list_read(name, &r, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "is too long for the name of a file"));
    free(name);
    assert_int_equal(mkdir("folder", 0755), 0);
    assert_int_equal(mkdir("folder/jobs", 0755), 0);
    assert_int_equal(mkdir("folder/jobs/jobs.txt", 0755), 0);
    assert_int_equal(rc_job_list_read("folder", &r, &err), RC_EUSAGE);
    assert_string_equal(err.text,
                        "'folder/jobs/jobs.txt' is a directory, expected a file");
    assert_int_equal(rmdir("folder/jobs/jobs.txt"), 0);
    assert_int_equal(mkfifo("folder/jobs/jobs.txt", 0600), 0);
    assert_int_equal(rc_job_list_read("folder", &r, &err), RC_EUSAGE);
    assert_string_equal(err.text, "'folder/jobs/jobs.txt' is a pipe, expected a file");
}

/* Wherever it is cut, it is whole lines or refused. */
static void truncated_lists_do_no_harm(void **state)
{
    static const char text[] =
        HEAD "scheduler slurm\nround 3\nparts 2\nshares 0\n"
             "job run0 run 0 0 0 12 a queue\njob run1 run 1 0 0 13 \n";

    (void)state;
    for (size_t bytes = 0; bytes < sizeof text; bytes++) {
        struct rc_error err = {.text = ""};
        struct rc_job_list r;
        put_bytes("jobs/jobs.txt", text, bytes);
        if (rc_job_list_read(".", &r, &err) == RC_OK)
            assert_true(r.count <= 2 && r.parts == 2 && r.round == 3);
        else
            assert_non_null(strstr(err.text, ": not a line of a list of jobs"));
        rc_job_list_fini(&r);
    }
}

/* A list that would have a million files looked at is none that 'submit' writes. */
static void lists_of_more_jobs_than_parts_and_shares_are_refused(void **state)
{
    struct rc_error err = {0};
    struct rc_job_list r;
    FILE *file = fopen("jobs/jobs.txt", "w");

    (void)state;
    fputs(HEAD "scheduler slurm\nround 1\nparts 2\nshares 3\n", file);
    for (int i = 0; i < 20; i++)
        fputs("job run0 run 0 0 3 7 q\n", file);
    fclose(file);
    assert_int_equal(rc_job_list_read(".", &r, &err), RC_EUSAGE);
    assert_string_equal(err.text, "./jobs/jobs.txt:9: not a line of a list of jobs");
}

static struct rc_job_list_entry entry(const char *name, const char *id,
                                      enum rc_submit_kind kind, size_t number,
                                      uint32_t first, uint32_t count, const char *queue)
{
    struct rc_job_list_entry e = {
        .kind = kind, .number = number, .first = first, .count = count};

    snprintf(e.name, sizeof e.name, "%s", name);
    snprintf(e.id, sizeof e.id, "%s", id);
    snprintf(e.queue, sizeof e.queue, "%s", queue);
    return e;
}

static void what_is_written_reads_back(void **state)
{
    const struct rc_job_list_entry entries[] = {
        entry("deal0", "123", RC_SUBMIT_DEAL, 0, 0, 0, "a queue; $(x) 'y'"),
        entry("run0", "124[].pbs-server.site", RC_SUBMIT_RUN, 0, 0, 3, ""),
        entry("run1",
              "\xc6\x92"
              "5Kx:a@b_c-d",
              RC_SUBMIT_RUN, 1, 2, 1, "\xc3\xa9"),
        entry("finish", "99.77", RC_SUBMIT_FINISH, 0, 0, 0, " two  blanks"),
        entry("noise", "7", RC_SUBMIT_NOISE, 1, 0, 0, "")};

    (void)state;
    for (const struct rc_scheduler *const *s = rc_schedulers(); *s; s++) {
        struct rc_job_list out = {.scheduler = *s, .round = 7, .parts = 2, .shares = 3},
                           in;
        struct rc_error err = {0};
        for (size_t i = 0; i < 5; i++)
            assert_int_equal(rc_job_list_add(&out, &entries[i], &err), RC_OK);
        assert_int_equal(rc_job_list_write(".", &out, &err), RC_OK);
        assert_int_equal(rc_job_list_read(".", &in, &err), RC_OK);
        assert_ptr_equal(in.scheduler, *s);
        assert_int_equal(in.round, 7);
        assert_int_equal(in.parts, 2);
        assert_int_equal(in.shares, 3);
        assert_int_equal(in.count, 5);
        for (size_t i = 0; i < 5; i++) {
            assert_string_equal(in.entry[i].name, entries[i].name);
            assert_string_equal(in.entry[i].id, entries[i].id);
            assert_int_equal(in.entry[i].kind, entries[i].kind);
            assert_int_equal(in.entry[i].number, entries[i].number);
            assert_int_equal(in.entry[i].first, entries[i].first);
            assert_int_equal(in.entry[i].count, entries[i].count);
            assert_string_equal(in.entry[i].queue,
                                entries[i].queue + strspn(entries[i].queue, " "));
        }
        rc_job_list_fini(&in);
        rc_job_list_fini(&out);
        rc_job_list_fini(&out);
    }
}

static void the_largest_submission_reads_back(void **state)
{
    enum { PARTS = RC_SUBMIT_PARTS, SHARES = RC_SUBMIT_SHARES };
    struct rc_job_list out = {.scheduler = rc_scheduler_find("local"),
                              .round = 1,
                              .parts = PARTS,
                              .shares = SHARES},
                       in;
    struct rc_error err = {0};

    (void)state;
    for (size_t p = 0; p < PARTS; p++)
        for (uint32_t i = 0; i <= SHARES / 20; i++) {
            const struct rc_job_list_entry e =
                entry(i ? "run" : "deal", "1.2", i ? RC_SUBMIT_RUN : RC_SUBMIT_DEAL, p,
                      i ? i - 1 : 0, i ? 1 : 0, "");
            assert_int_equal(rc_job_list_add(&out, &e, &err), RC_OK);
        }
    assert_int_equal(rc_job_list_write(".", &out, &err), RC_OK);
    assert_int_equal(rc_job_list_read(".", &in, &err), RC_OK);
    assert_int_equal(in.count, out.count);
    rc_job_list_fini(&in);
    rc_job_list_fini(&out);
}

static void a_list_that_cannot_be_written_is_told(void **state)
{
    struct rc_job_list r = {
        .scheduler = rc_scheduler_find("local"), .round = 1, .parts = 1};
    struct rc_error err = {0};

    (void)state;
    assert_int_equal(rc_job_list_write("nowhere", &r, &err), RC_EMISSING);
    assert_memory_equal(err.text, "cannot create 'nowhere/jobs/jobs.txt", 36);
}

static void ids_are_what_schedulers_give(void **state)
{
    static const char *const good[] = {"1",
                                       "123_4",
                                       "123[].server",
                                       "123;cluster",
                                       ("\xc6\x92"
                                        "5Kx"),
                                       "12.3456",
                                       "a-b",
                                       "x@y",
                                       "1:2"};
    static const char *const bad[] = {
        "",    "-",  "-1",       "--all", "a b",    "a\n",  "a/b", "$x",
        "`x`", "a'", "a\"",      "a*",    "a,b",    "a=b",  "~",   "!",
        "#",   "&",  "a\x7f",    "\x01",  "a\xff",  "\xc2", "\t1", "1|2",
        "(",   "<1", "\xc2\x85", "\\",    "{1..9}", "%"};
    char id[200];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_true(rc_job_list_is_id(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(rc_job_list_is_id(bad[i]));
    memset(id, '1', sizeof id);
    id[RC_SUBMIT_JOB_ID] = '\0';
    assert_false(rc_job_list_is_id(id));
    id[RC_SUBMIT_JOB_ID - 1] = '\0';
    assert_true(rc_job_list_is_id(id));
}

static void records_tell_of_their_round(void **state)
{
    static const struct {
        const char *text, *time, *job, *event;
        unsigned tries;
        bool ended, cancelled;
        int exited;
    } good[] = {
        {"", "", "", "", 0, false, false, -1},
        {"T r1 5 begun\n", "T", "5", "begun", 1, false, false, -1},
        {"T r1 5 begun", "T", "5", "begun", 1, false, false, -1},
        {"T r1 5 begun\nU r1 5 warned\nV r1 5 again 6\nW r1 6 begun\nX r1 6 ended 3\n",
         "X", "6", "ended 3", 2, true, false, 3},
        {"T r1 5 begun\nV r1 5 again 6\n", "V", "6", "again 6", 1, false, false, -1},
        {"T r1 5 begun\nU r1 5 cancelled\nV r1 5 ended 3\n", "V", "5", "ended 3", 1,
         true, true, 3},
        {"T r1 5 begun\nU r1 5 cancelled\nV r1 5 begun\n", "V", "5", "begun", 2, false,
         false, -1},
        {"T r2 5 begun\nT r0 5 begun\nT r11 5 begun\nT 1 5 begun\n", "", "", "", 0,
         false, false, -1},
        {"T r1 -rf begun\nT r1 $(x) begun\nT r1 ../5 begun\nT r1 5\nT r1\nT\n\n", "",
         "", "", 0, false, false, -1},
        {"T r1 5 again -rf\n", "T", "5", "again -rf", 0, false, false, -1},
        {"T r1 5 again $(x)\n", "T", "5", "again $(x)", 0, false, false, -1},
        {"T r1 5 ended\n", "T", "5", "ended", 0, false, false, -1},
        {"T r1 5 ended x\n", "T", "5", "ended x", 0, false, false, -1},
        {"\x1b[3 r1 5 \x1b[31mx\xff\n", "?[3", "5", "?[31mx?", 0, false, false, -1},
        {"T r1 5 ended 99999999999999999999\n", "T", "5", "ended 99999999999999999999",
         0, false, false, -1},
        {"T r1 5 ended -1\n", "T", "5", "ended -1", 0, false, false, -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct rc_error err = {0};
        struct rc_job_list_record r;
        put("jobs/run-3.record", good[i].text);
        assert_int_equal(rc_job_list_record_read(".", "run", 3, 1, &r, &err), RC_OK);
        assert_string_equal(r.time, good[i].time);
        assert_string_equal(r.job, good[i].job);
        assert_string_equal(r.event, good[i].event);
        assert_int_equal(r.tries, good[i].tries);
        assert_int_equal(r.ended, good[i].ended);
        assert_int_equal(r.cancelled, good[i].cancelled);
        assert_int_equal(r.exited, good[i].exited);
    }
}

static void records_that_are_huge_or_not_there_do_no_harm(void **state)
{
    struct rc_error err = {0};
    struct rc_job_list_record r;
    char *line = calloc(1, 1 << 20);

    (void)state;
    assert_int_equal(rc_job_list_record_read(".", "none", -1, 1, &r, &err), RC_OK);
    assert_string_equal(r.event, "");
    memset(line, 'x', (1 << 20) - 1);
    FILE *file = fopen("jobs/run.record", "w");
    for (int i = 0; i < 10; i++)
        fprintf(file, "%s r1 5 %s\nT r1 %s begun\nT r1 5 %s\n", line, line, line, line);
    fclose(file);
    assert_int_equal(rc_job_list_record_read(".", "run", -1, 1, &r, &err), RC_OK);
    assert_int_equal(strlen(r.event), sizeof r.event - 1);
    assert_int_equal(r.tries, 0);
    memset(line, 0, 4096);
    put_bytes("jobs/run.record", line, 4096);
    assert_int_equal(rc_job_list_record_read(".", "run", -1, 1, &r, &err), RC_OK);
    assert_string_equal(r.event, "");
    free(line);
}

static void times_are_read_whole_or_refused(void **state)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } good[] = {
        {"90m", 5400},     {"1h30m", 5400}, {"01:30:00", 5400}, {"1:30:00", 5400},
        {"1:30", 5400},    {"0:00:01", 1},  {"00:59:59", 3599}, {"2-00:00:00", 172800},
        {"1-1:00", 90000}, {"0-00:01", 60}, {"2d", 172800},     {"30s", 30},
        {"1ms", 1},        {"1500ms", 2},   {"0s", 0},          {"100:00:00", 360000}};
    static const char *const bad[] = {"",
                                      " ",
                                      "x",
                                      "90",
                                      "90x",
                                      "-90m",
                                      "1:",
                                      ":30",
                                      ":",
                                      "::",
                                      "1:2:",
                                      "1:2:3:",
                                      "1:2:3:4",
                                      "1:60",
                                      "1:00:60",
                                      "1:2x",
                                      "x1:2",
                                      "1: 2",
                                      " 1:2",
                                      "1:2 ",
                                      "-1:00",
                                      "+1:00",
                                      "1:-1",
                                      "1-",
                                      "1-2",
                                      "1-2-3:00",
                                      "-1-2:00",
                                      "1--2:00",
                                      "1-:30",
                                      "1.5:00",
                                      "1:2\n",
                                      "99999-1:0",
                                      "1e3:00",
                                      "0x1:00",
                                      "1:00h",
                                      "1h:00",
                                      "2-",
                                      "20000-0:0",
                                      "1:2:3-4:5",
                                      "auto",
                                      "infinite",
                                      "\xff",
                                      "99999999999999999999:00",
                                      "99999999999999999999-1:00",
                                      "9999999999999999999999999999s"};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t seconds = 12345;
        if (rc_submit_read_time(good[i].text, &seconds) != 0)
            fail_msg("refused: %s", good[i].text);
        assert_int_equal(seconds, good[i].seconds);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t seconds = 12345;
        if (rc_submit_read_time(bad[i], &seconds) == 0)
            fail_msg("taken: '%s'", bad[i]);
        assert_int_equal(seconds, 12345);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_strangers_are_refused_by_line),
        cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(a_list_that_is_not_there_is_missing),
        cmocka_unit_test(truncated_lists_do_no_harm),
        cmocka_unit_test(lists_of_more_jobs_than_parts_and_shares_are_refused),
        cmocka_unit_test(a_list_that_cannot_be_written_is_told),
        cmocka_unit_test(ids_are_what_schedulers_give),
        cmocka_unit_test(records_tell_of_their_round),
        cmocka_unit_test(records_that_are_huge_or_not_there_do_no_harm),
        cmocka_unit_test(times_are_read_whole_or_refused),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(the_largest_submission_reads_back),
    };

    return cmocka_run_group_tests(tests, setup, remove_own_dir);
}
