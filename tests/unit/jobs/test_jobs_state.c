/* How jobs are told to be: in the moments between a job's last words and its end. */
#include "tests/lib/test.h"

#include "campaign/base/child.h"
#include "campaign/submit/jobs_state.h"
#include "tests/lib/own_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Answers of a scheduler's command, in the order of the questions. */
struct said {
    const char *output, *messages;
    int exited;
};
static struct said says[4];
static size_t asked;

/* A line that the job itself writes as soon as its record 'of_element' was read. */
static const char *written;
static int64_t of_element;

static void append(int64_t element, const char *line)
{
    char path[64] = "jobs/run.record";

    if (element >= 0)
        snprintf(path, sizeof path, "jobs/run-%d.record", (int)element);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "2026-01-01T00:00:00Z r1 %s\n", line);
    assert_int_equal(fclose(file), 0);
}

int __real_rc_job_list_record_read(const char *dir, const char *name, int64_t element,
                                   unsigned round, struct rc_job_list_record *out,
                                   struct rc_error *err);
int __wrap_rc_job_list_record_read(const char *dir, const char *name, int64_t element,
                                   unsigned round, struct rc_job_list_record *out,
                                   struct rc_error *err);
int __wrap_rc_job_list_record_read(const char *dir, const char *name, int64_t element,
                                   unsigned round, struct rc_job_list_record *out,
                                   struct rc_error *err)
{
    int status = __real_rc_job_list_record_read(dir, name, element, round, out, err);

    if (written && element == of_element)
        append(element, written);
    if (element == of_element)
        written = NULL;
    return status;
}

int __wrap_rc_child_run(char *const *words, const char *dir, const char *input,
                        unsigned seconds, struct rc_child *out, struct rc_error *err);
int __wrap_rc_child_run(char *const *words, const char *dir, const char *input,
                        unsigned seconds, struct rc_child *out, struct rc_error *err)
{
    (void)words, (void)dir, (void)input, (void)seconds, (void)err;
    assert_true(asked < sizeof says / sizeof says[0] && says[asked].output);
    *out = (struct rc_child){
        .output = strdup(says[asked].output),
        .messages = strdup(says[asked].messages ? says[asked].messages : ""),
        .exited = says[asked].exited};
    asked++;
    return RC_OK;
}

/* A list of one plain job, 7, or of an array of 'elements'; no records. */
static void submitted(const char *scheduler, unsigned elements, const char *id)
{
    FILE *file = fopen("jobs/jobs.txt", "w");

    assert_non_null(file);
    fprintf(file,
            "rollcall jobs 1\nscheduler %s\nround 1\nparts 1\nshares %u\n"
            "job run run 0 0 %u %s\n",
            scheduler, elements, elements, id);
    assert_int_equal(fclose(file), 0);
    for (int64_t i = -1; i < 3; i++) {
        char path[64] = "jobs/run.record";
        if (i >= 0)
            snprintf(path, sizeof path, "jobs/run-%d.record", (int)i);
        unlink(path);
    }
    memset(says, 0, sizeof says);
    asked = 0;
    written = NULL;
    of_element = -1;
}

static void found(const char *scheduler, enum rc_job_state state, size_t count,
                  bool has_failed)
{
    struct rc_error err = {.text = ""};
    struct rc_jobs_state_end end;
    struct rc_jobs_state f;

    if (rc_jobs_state_read(".", NULL, true, &f, &err) != RC_OK)
        fail_msg("%s: %s", scheduler, err.text);
    if (f.job[0].count[state] != count)
        fail_msg("%s: not %zu %s, but as a whole %s (%s)", scheduler, count,
                 rc_job_state_names[state], rc_job_state_names[f.job[0].state],
                 f.job[0].reason);
    assert_null(written);
    asked = f.job[0].entry->count ? 0 : asked - 1; /* as it is by now */
    rc_jobs_state_fini(&f);
    if (rc_job_view_status(".", NULL, RC_FORMAT_CSV, &end, &err) != RC_OK)
        fail_msg("%s: %s", scheduler, err.text);
    if ((end.failed[0] != '\0') != has_failed)
        fail_msg("%s: '%s'", scheduler, end.failed);
}

/* Each way in which a scheduler says that job 7 is over, and that job 8 waits. */
static const struct {
    const char *scheduler, *id;
    struct said over, waits;
} ways[] = {
    {"slurm", "7", {"7|COMPLETED|None\n", NULL, 0}, {"8|PENDING|Priority\n", NULL, 0}},
    {"slurm",
     "7",
     {"", "slurm_load_jobs error: Invalid job id specified\n", 1},
     {"8|PENDING|Priority\n", NULL, 0}},
    {"slurm",
     "7",
     {"7|FAILED|NonZeroExitCode\n", NULL, 0},
     {"8|PENDING|Priority\n", NULL, 0}},
    {"pbs",
     "7.pbs",
     {"{\n\"Jobs\":{\n\"7.pbs\":{\n\"job_state\":\"F\",\n\"Exit_status\":0\n}\n}\n}\n",
      NULL, 0},
     {"{\n\"Jobs\":{\n\"8.pbs\":{\n\"job_state\":\"Q\"\n}\n}\n}\n", NULL, 0}},
    {"pbs",
     "7.pbs",
     {"", "qstat: Unknown Job Id 7.pbs\n", 153},
     {"{\n\"Jobs\":{\n\"8.pbs\":{\n\"job_state\":\"Q\"\n}\n}\n}\n", NULL, 0}},
    {"lsf", "7", {"7|0|DONE|-|-\n", NULL, 0}, {"8|0|PEND|-|-\n", NULL, 0}},
    {"lsf", "7", {"", "Job <7> is not found\n", 255}, {"8|0|PEND|-|-\n", NULL, 0}},
    {"jsrun", "7", {"7|0|EXIT|3|-\n", NULL, 0}, {"8|0|PEND|-|-\n", NULL, 0}},
    {"flux", "f7", {"INACTIVE|COMPLETED|\n", NULL, 0}, {"SCHED|SCHED|\n", NULL, 0}},
    {"sge",
     "7",
     {"", NULL, 0},
     {"      8 0.5 run me qw 01/01/2026 00:00:00 2\n", NULL, 0}},
    {"local", "999999999.1", {"", NULL, 0}, {NULL, NULL, 0}}};

static void over(size_t way, const char *event, const char *later)
{
    static char line[96];

    submitted(ways[way].scheduler, 0, ways[way].id);
    snprintf(line, sizeof line, "%s %s", ways[way].id, event);
    append(-1, line);
    says[0] = ways[way].over;
    says[1] = ways[way].waits;
    if (later) {
        snprintf(line, sizeof line, "%s %s", ways[way].id, later);
        written = line;
    }
}

static void a_job_that_ends_while_it_is_looked_at_is_done(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        over(i, "begun", "ended 0");
        found(ways[i].scheduler, RC_JOB_DONE, 1, false);
    }
}

static void a_job_that_is_over_without_a_last_word_has_failed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        over(i, "begun", NULL);
        found(ways[i].scheduler, RC_JOB_FAILED, 1, true);
    }
}

static void a_job_that_goes_on_as_another_while_it_is_looked_at_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (!ways[i].waits.output)
            continue;
        over(i, "begun", "again 8");
        found(ways[i].scheduler, RC_JOB_WAITING, 1, false);
    }
}

/* It cannot say then that a job is over. */
static void a_scheduler_that_does_not_answer_has_no_job_fail(void **state)
{
    static const struct {
        const char *scheduler;
        struct said said;
    } silent[] = {
        {"slurm",
         {"", "slurm_load_jobs error: Unable to contact slurm controller\n", 1}},
        {"slurm", {"", "slurm_load_jobs error: Socket timed out\n", 1}},
        {"slurm", {"", NULL, 0}},
        {"pbs", {"", "Connection refused\nqstat: cannot connect to server\n", 255}},
        {"lsf", {"", "LSF is down. Please wait ...\n", 255}},
        {"flux", {"", "flux-jobs: ERROR: Unable to connect to Flux\n", 1}},
        {"sge", {"", "error: unable to contact qmaster\n", 1}}};

    (void)state;
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
        submitted(silent[i].scheduler, 0, "7");
        append(-1, "7 begun");
        says[0] = silent[i].said;
        found(silent[i].scheduler, RC_JOB_UNKNOWN, 1, false);
    }
}

/* Element 1 of three goes on as job 8; the first two answers are all that it takes. */
static void elements_that_go_on_as_other_jobs_are_asked_for(void **state)
{
    static const char *const then[] = {"8 begun", "7 again 8"};

    (void)state;
    for (size_t i = 0; i < sizeof then / sizeof then[0]; i++) {
        submitted("slurm", 3, "7");
        append(0, "7 begun");
        append(0, "7 ended 0");
        append(1, "7 begun");
        append(1, then[i]);
        append(2, "7 begun");
        append(2, "7 ended 3");
        says[0] = (struct said){"7_0|COMPLETED|None\n7_1|COMPLETED|None\n"
                                "7_2|COMPLETED|None\n",
                                NULL, 0};
        says[1] = (struct said){"8|RUNNING|None\n", NULL, 0};
        found("slurm", RC_JOB_RUNNING, 1, false);
    }
}

static void
an_element_that_ends_as_another_job_while_it_is_looked_at_is_done(void **state)
{
    (void)state;
    submitted("slurm", 3, "7");
    append(0, "7 ended 0");
    append(1, "7 begun");
    append(1, "7 again 8");
    append(2, "7 ended 3");
    says[0] = (struct said){"7_0|COMPLETED|None\n7_1|COMPLETED|None\n"
                            "7_2|COMPLETED|None\n",
                            NULL, 0};
    says[1] = (struct said){"8|COMPLETED|None\n", NULL, 0};
    of_element = 1;
    written = "8 ended 0";
    found("slurm", RC_JOB_DONE, 3, false);
}

/* It has no units: what its record ends with says whether all was measured. */
static void noise_is_complete_when_its_job_has_ended_well(void **state)
{
    static const struct {
        const char *event;
        bool complete, failed;
    } ends[] = {{"ended 0", true, false},
                {"ended 3", false, false},
                {"ended 1", false, true},
                {"begun", false, true}};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        struct rc_error err = {.text = ""};
        struct rc_jobs_state_end end;
        submitted("slurm", 0, "7");
        FILE *file = fopen("jobs/jobs.txt", "w");
        assert_non_null(file);
        fputs("rollcall jobs 1\nscheduler slurm\nround 1\nparts 1\nshares 0\n"
              "job noise noise 0 0 0 7\n",
              file);
        assert_int_equal(fclose(file), 0);
        file = fopen("jobs/noise.record", "w");
        assert_non_null(file);
        fprintf(file, "2026-01-01T00:00:00Z r1 7 %s\n", ends[i].event);
        assert_int_equal(fclose(file), 0);
        says[0] = (struct said){"7|COMPLETED|None\n", NULL, 0};
        assert_int_equal(rc_job_view_status(".", NULL, RC_FORMAT_TEXT, &end, &err),
                         RC_OK);
        assert_int_equal(end.complete, ends[i].complete);
        assert_int_equal(end.failed[0] != '\0', ends[i].failed);
    }
    unlink("jobs/noise.record");
}

static int setup(void **state)
{
    return enter_own_dir(state) || mkdir("jobs", 0755);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_that_ends_while_it_is_looked_at_is_done),
        cmocka_unit_test(a_job_that_is_over_without_a_last_word_has_failed),
        cmocka_unit_test(a_job_that_goes_on_as_another_while_it_is_looked_at_waits),
        cmocka_unit_test(a_scheduler_that_does_not_answer_has_no_job_fail),
        cmocka_unit_test(elements_that_go_on_as_other_jobs_are_asked_for),
        cmocka_unit_test(
            an_element_that_ends_as_another_job_while_it_is_looked_at_is_done),
        cmocka_unit_test(noise_is_complete_when_its_job_has_ended_well),
    };

    return cmocka_run_group_tests(tests, setup, remove_own_dir);
}
