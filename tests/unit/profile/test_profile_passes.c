/* Passes of a profile, and metrics of a campaign from what threads counted in them. */
#include "tests/lib/test.h"

#include "campaign/base/files/file.h"
#include "campaign/profile/passes/passes.h"
#include "campaign/profile/tables/metrics.h"
#include "tests/lib/own_dir.h"
#include "tests/lib/profile_lib.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define NONE RC_PROFILE_NO_LAUNCH

static struct rc_error err;

static void must(int status)
{
    if (status != RC_OK)
        fail_msg("%s", err.text);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A launch of one rank, which counts an event. */
static struct sample_profile launch_of(const char *dir, uint64_t number,
                                       const char *counter)
{
    struct sample_profile s = sample_profile(dir, "n0");

    s.launch = number;
    s.writer = (uint32_t)number * RC_PROFILE_WRITERS;
    s.sequence = number * 1000;
    s.names[5] = counter;
    return s;
}

static void make_launch(const char *dir, uint64_t number, const char *counter)
{
    struct sample_profile s = launch_of(dir, number, counter);

    must(sample_launch(&s, 0, 1, 1, &err));
}

/* Its sampler is still there, or was killed with the node. */
static void make_open_launch(const char *dir, uint64_t number)
{
    struct sample_profile s = launch_of(dir, number, "instructions");

    must(sample_begin(&s, &err));
    must(sample_place(&s, 0, 0, &err));
    must(rc_journal_close(s.journal, &err));
}

/* Its process was killed; the sampler saw that, and ended. */
static void make_killed_launch(const char *dir, uint64_t number)
{
    struct sample_profile s = launch_of(dir, number, "instructions");
    const struct rc_profile_payload close = {
        .type = RC_PROFILE_CLOSE,
        .close = {.place = 0, .rank = 0, .ended_ns = 6 * SAMPLE_S, .killed = true}};

    must(sample_begin(&s, &err));
    must(sample_place(&s, 0, 0, &err));
    must(sample_append(&s, &close, &err));
    must(sample_end(&s, &err));
}

static void find(const char *dir, struct rc_profile_passes *out)
{
    struct rc_profile *profile;

    must(rc_profile_read(dir, false, &profile, &err));
    must(rc_profile_passes_find(dir, profile, out, &err));
    rc_profile_close(profile);
}

/* For the latest request: lines of another key belong to others, and malformed lines
 * are passed over.
 */
static void a_pass_is_there_when_a_launch_of_it_ended_as_it_should(void **state)
{
    struct rc_profile_passes passes;

    (void)state;
    must(mkdir("three", 0777) ? RC_EIO : RC_OK);
    make_launch("three", 0, "instructions");
    make_open_launch("three", 1);
    make_launch("three", 2, "instructions");
    make_killed_launch("three", 3);
    find("three", &passes);
    assert_int_equal(passes.passes, 0);
    assert_int_equal(passes.missing, 0);

    write_text("three/passes.txt", "0 0 4 00000000000000aa\n"
                                   "1 1 4 00000000000000aa\n"
                                   "2 2 4 00000000000000aa\n"
                                   "3 3 4 00000000000000aa\n");
    find("three", &passes);
    assert_int_equal(passes.passes, 4);
    assert_int_equal(passes.missing, 2);
    assert_int_equal(passes.launch[0], 0);
    assert_true(passes.launch[1] == NONE && passes.launch[3] == NONE);
    assert_int_equal(passes.launch[2], 2);

    write_text("three/passes.txt", "no line\n\n"
                                   "2 0 2 00000000000000aa\n"
                                   "0 0 2 00000000000000bb\n"
                                   "2 1 2 00000000000000bb\n"
                                   "9 1 2 00000000000000bb\n" /* not in the journals */
                                   "0 2 2 00000000000000bb\n" /* none of two passes */
                                   "0 0 0 00000000000000bb\n"
                                   "0 0 1001 00000000000000bb\n"
                                   "0 0 18446744073709551616 x");
    find("three", &passes);
    assert_int_equal(passes.passes, 2);
    assert_int_equal(passes.key, 0xbb);
    assert_int_equal(passes.missing, 0);
    assert_int_equal(passes.launch[0], 0);
    assert_int_equal(passes.launch[1], 2);

    must(unlink("three/passes.txt") ? RC_EIO : RC_OK);
    must(symlink("/dev/zero", "three/passes.txt") ? RC_EIO : RC_OK);
    assert_true(rc_profile_passes_find("three", NULL, &passes, &err) != RC_OK);
    assert_non_null(strstr(err.text, "three/passes.txt"));
}

/* The request of a launch. */
static struct rc_profile_plan plan_for(const char *dir, uint64_t passes,
                                       const char *event)
{
    struct rc_profile_plan plan = {.passes = passes};
    const char *expected = NULL;

    snprintf(plan.dir, sizeof plan.dir, "%s", dir);
    must(rc_patterns_add(&plan.patterns, event, &expected, &err));
    return plan;
}

static uint64_t chosen(struct rc_profile_plan *plan, uint64_t launch)
{
    plan->launch = launch;
    plan->pass = UINT64_MAX;
    must(rc_profile_passes_choose(plan, &err));
    return plan->pass;
}

static void a_launch_takes_the_pass_that_is_missing_and_was_begun_least(void **state)
{
    struct rc_profile_plan plan = plan_for("order", 3, "perf::PAGE-FAULTS"),
                           other = plan_for("order", 3, "perf::CONTEXT-SWITCHES");
    char *text;
    size_t bytes, lines = 0;

    (void)state;
    must(mkdir("order", 0777) ? RC_EIO : RC_OK);
    for (uint64_t i = 0; i < 4; i++) /* nothing of them is in the journals yet */
        assert_int_equal(chosen(&plan, i), i % 3);
    assert_int_equal(chosen(&plan, 2), 2);  /* another node of launch 2 */
    assert_int_equal(chosen(&other, 4), 0); /* it asks for something else */
    must(rc_file_read("order/passes.txt", RC_FILE_GIVEN, 4096, &text, &bytes, &err));
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    free(text);
    assert_int_equal(lines, 5);
    make_launch("order", 1, "instructions"); /* pass 1 is there: 0 and 2 are not */
    assert_int_equal(chosen(&plan, 5), 2);   /* begun once, 0 twice */
    assert_int_equal(chosen(&plan, 6), 0);
    make_launch("order", 5, "instructions");
    make_launch("order", 6, "instructions");
    assert_int_equal(chosen(&plan, 7), 1); /* all are there: 1 was begun once */
    rc_patterns_fini(&plan.patterns);
    rc_patterns_fini(&other.patterns);
}

/* Whether threads can count the kernel's own events here. */
static bool can_count(void)
{
    struct rc_shared_event event;
    struct rc_error why = {.rank = -1};

    return rc_profile_counter_find("perf::PAGE-FAULTS", NULL, 0, &event, &why) == RC_OK;
}

static void events_are_spread_evenly_over_as_many_passes(void **state)
{
    static const char *const name[] = {"perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES",
                                       "perf::CPU-MIGRATIONS", "perf::MINOR-FAULTS"};
    struct rc_profile_plan plan = {.passes = 2};
    uint32_t group[4];
    size_t first = 0;

    (void)state;
    if (!can_count())
        skip();
    must(rc_profile_passes_spread(&plan, name, 4, group, &err));
    for (size_t i = 0; i < 4; i++) {
        assert_true(group[i] < 2);
        first += group[i] == 0;
    }
    assert_int_equal(first, 2);
    plan.passes = 4;
    must(rc_profile_passes_spread(&plan, name, 4, group, &err));
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(group[i] != group[k]);
    plan.passes = 5;
    assert_int_equal(rc_profile_passes_spread(&plan, name, 4, group, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "make 4 passes"));
    plan.passes = 1;
    assert_int_equal(rc_profile_passes_spread(&plan, (const char *const[]){"perf::NO"},
                                              1, group, &err),
                     RC_EMISSING);
}

/* Runs the program that writes results of a solve that never was. */
static void make_metrics(const char *dir, const char *kinds)
{
    char path[64];
    int ended = 0;

    must(mkdir(dir, 0777) ? RC_EIO : RC_OK);
    snprintf(path, sizeof path, "%s/metrics.h5", dir);
    const pid_t child = fork();
    if (child == 0) {
        execl(RC_TEST_PROFILE_METRICS, "profile_metrics", path, kinds, (char *)NULL);
        _exit(127);
    }
    assert_true(waitpid(child, &ended, 0) == child && ended == 0);
}

static void metrics_of_another_machine_are_refused(void **state)
{
    struct rc_results metrics = {.file = NULL};
    char why[RC_ERROR_TEXT] = "";

    (void)state;
    make_metrics("many", "2");
    assert_int_equal(rc_results_open("many", "n0", &metrics, why, sizeof why, &err),
                     RC_EUSAGE);
    assert_non_null(strstr(err.text, "2 kinds of machines"));
    must(rc_results_open("many", "a node that is elsewhere", &metrics, why, sizeof why,
                         &err));
    rc_results_close(&metrics);
    assert_true(rc_results_open("nowhere", "n0", &metrics, why, sizeof why, &err) !=
                RC_OK);
    rc_results_close(&metrics); /* of zeros */
}

static void events_of_trusted_metrics_are_asked_for_once(void **state)
{
    struct rc_profile_plan plan = plan_for("c", 0, "perf::PAGE-FAULTS:u");
    struct rc_results metrics;
    char why[RC_ERROR_TEXT] = "";
    size_t count, others;

    (void)state;
    make_metrics("c", "1");
    must(rc_results_open("c", "n0", &metrics, why, sizeof why, &err));
    for (size_t i = 0; i < 2 && can_count(); i++) {
        must(rc_profile_metrics_add(&metrics, &plan, &count, &others, &err));
        assert_int_equal(count, 2); /* faults, doubled */
        assert_int_equal(others, 1);
        assert_int_equal(plan.patterns.count, 2);
        assert_string_equal(plan.patterns.item[1], "perf::CONTEXT-SWITCHES:u");
    }
    rc_results_close(&metrics);
    rc_patterns_fini(&plan.patterns);
}

/* The rows of rc_profile_show_metrics(). */
static json_t *rows_of(const struct rc_results *metrics,
                       const struct rc_profile_sums *sums,
                       const struct rc_profile_passes *passes)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    struct rc_json json;

    assert_non_null(file);
    rc_json_object(rc_json_begin(&json, file), NULL);
    must(rc_profile_show_metrics(metrics, sums, passes, NULL, 0, &json, &err));
    rc_json_close(&json);
    fclose(file);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    json_t *rows = json_incref(json_object_get(all, "metrics"));
    json_decref(all);
    free(text);
    return rows;
}

/* A number of a metric in solve; NAN: there is no such row, or no number. */
static double in_solve(const json_t *rows, const char *metric, const char *column)
{
    size_t i;
    const json_t *row;

    json_array_foreach(rows, i, row)
    {
        const json_t *cell = json_object_get(row, column);
        if (strcmp(json_string_value(json_object_get(row, "region")), "solve") == 0 &&
            strcmp(json_string_value(json_object_get(row, "metric")), metric) == 0)
            return json_is_number(cell) ? json_number_value(cell) : NAN;
    }
    return NAN;
}

/* solve has 300 of each event in 0.3 s; each launch counts one event. */
static void metrics_are_combinations_of_what_passes_counted(void **state)
{
    struct rc_results metrics;
    struct rc_profile_passes passes = {.passes = 0}, both;
    struct rc_profile *profile;
    struct rc_profile_sums sums;
    char why[RC_ERROR_TEXT] = "";

    (void)state;
    must(mkdir("counted", 0777) ? RC_EIO : RC_OK);
    make_launch("counted", 0, "perf::CONTEXT-SWITCHES:u");
    make_launch("counted", 1, "perf::PAGE-FAULTS:u");
    write_text("counted/passes.txt",
               "0 1 3 00000000000000aa\n1 0 3 00000000000000aa\n");
    must(rc_profile_read("counted", false, &profile, &err));
    must(rc_profile_passes_find("counted", profile, &both, &err));
    assert_int_equal(both.missing, 1);
    must(rc_profile_sum(profile, 1, NULL, &sums, &err));
    must(rc_results_open("c", "n0", &metrics, why, sizeof why, &err));

    json_t *rows = rows_of(&metrics, &sums, &passes); /* of the launch alone */
    assert_true(in_solve(rows, "faults", "value") == 300);
    assert_true(in_solve(rows, "faults", "low") == 225);
    assert_true(in_solve(rows, "faults", "high") == 375);
    assert_true(fabs(in_solve(rows, "faults", "per_s") - 1000) < 1e-6);
    assert_true(in_solve(rows, "nearly", "value") == 900);
    assert_true(isnan(in_solve(rows, "doubled", "value")));
    assert_true(isnan(in_solve(rows, "wrong", "value")));
    assert_true(isnan(in_solve(rows, "elsewhere", "value")));
    json_decref(rows);

    rows = rows_of(&metrics, &sums, &both);
    assert_true(in_solve(rows, "faults", "value") == 300);
    assert_true(in_solve(rows, "doubled", "value") == 300);
    assert_true(in_solve(rows, "doubled", "low") == 1.75 * 300 - 1.25 * 300);
    json_decref(rows);

    for (size_t i = 0; i < sums.region_count; i++) /* an instance was not counted */
        sums.region[i].lost = 1;
    rows = rows_of(&metrics, &sums, &both);
    assert_int_equal(json_array_size(rows), 0);
    json_decref(rows);
    rc_results_close(&metrics);
    rc_profile_sums_fini(&sums);
    rc_profile_close(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_there_when_a_launch_of_it_ended_as_it_should),
        cmocka_unit_test(a_launch_takes_the_pass_that_is_missing_and_was_begun_least),
        cmocka_unit_test(events_are_spread_evenly_over_as_many_passes),
        cmocka_unit_test(metrics_of_another_machine_are_refused),
        cmocka_unit_test(events_of_trusted_metrics_are_asked_for_once),
        cmocka_unit_test(metrics_are_combinations_of_what_passes_counted),
    };

    return cmocka_run_group_tests(tests, enter_own_dir, remove_own_dir);
}
