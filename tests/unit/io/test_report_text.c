#include "tests/lib/test.h"

#include "io/hdf5/hdf5.h"
#include "io/report/report.h"
#include "tests/lib/result_lib.h"

#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

enum { LONG = 10000, NAME = 1000 }; /* names in files have at most 1024 bytes */

static char work[64], store_path[96], metrics_path[96];

/* A report, its files, and what was written of it. */
struct sheet {
    struct rc_report report;
    struct rc_page page;
    char *text;
    size_t bytes;
};

static const struct rc_report_progress progress[] = {
    {.kind = 0,
     .suite = 0,
     .units = 20,
     .ok = 10,
     .failed = 3,
     .missing = 7,
     .events = 31,
     .repetitions_min = 2,
     .repetitions_max = 30,
     .places = 2},
    {.kind = 1, .suite = 0, .units = 1, .ok = 1, .events = 1, .places = 1}};

static const struct rc_report_run runs[] = {
    {.begin = "2026-11-21T06:00:00Z",
     .end = "2026-11-21T06:00:20Z",
     .ranks = 2,
     .nodes = 1,
     .created_by = "test",
     .job = "17",
     .units_to_do = 20,
     .units_left = 10},
    {.begin = "2026-11-21T07:00:00Z", .end = "", .created_by = "test", .job = ""}};

/* 06:00:00 is second 1795240800. */
#define AT(seconds) ((1795240800U + (uint64_t)(seconds)) * 1000000000U)
#define SECONDS(count) ((uint64_t)(count)*1000000000U)

static const struct rc_report_unit units[] = {
    {.begin_ns = AT(1), .wall_ns = SECONDS(10), .kernel_ns = SECONDS(6), .status = 1},
    {.begin_ns = AT(1), .wall_ns = SECONDS(4), .worker = 1, .status = 1},
    {.begin_ns = 0, .wall_ns = SECONDS(1), .status = 1}};

static const struct rc_report plain = {
    .name = "a campaign",
    .directory = "results",
    .created = "2026-11-21T05:00:00Z",
    .version = "9.9",
    .made = "2026-11-22T05:00:00Z",
    .complete_known = true,
    .note = (const char *const[]){"n0.rcj: 3 bytes are damaged"},
    .note_count = 1,
    .progress = progress,
    .progress_count = COUNT_OF(progress),
    .run = runs,
    .run_count = COUNT_OF(runs),
    .unit = units,
    .unit_count = COUNT_OF(units),
};

static void check(int status, const struct rc_error *err)
{
    if (status != RC_OK)
        fail_msg("%s", err->text);
}

/* A campaign of the kinds, each with that suite and another one, "empty"; nothing in
 * it was measured.
 */
static void write_store(const struct rc_store_campaign *campaign,
                        const struct rc_store_kind *kind, size_t count,
                        const char *suite)
{
    struct rc_store_suite labels = {.name = suite,
                                    .points = (const char *const[]){"p0"},
                                    .point_count = 1,
                                    .ideals = (const char *const[]){"D"},
                                    .ideal_count = 1,
                                    .basis = (const double[]){1},
                                    .sources = (const char *const[]){"papi"},
                                    .source_count = 1,
                                    .iterations = (const uint64_t[]){1},
                                    .places = (const char *const[]){"n0 core 0"},
                                    .place_count = 1,
                                    .repetitions = 1,
                                    .statuses = (const char *const[]){"missing", "ok"},
                                    .status_count = 2};
    struct rc_error err = {.rank = -1};
    struct rc_store *store = NULL;
    size_t number;

    check(rc_store_create(MPI_COMM_NULL, store_path, campaign, &store, &err), &err);
    for (size_t k = 0; k < count; k++) {
        size_t in;
        check(rc_store_define_kind(store, &kind[k], &in, &err), &err);
        check(rc_store_define_suite(store, in, &labels, &number, &err), &err);
        labels.name = "empty";
        check(rc_store_define_suite(store, in, &labels, &number, &err), &err);
        labels.name = suite;
    }
    check(rc_store_close(store, &err), &err);
}

static int write_sample(void **state)
{
    struct rc_error err = {.rank = -1};

    (void)state;
    write_store(&result_campaign, result_kinds, 2, "flops/a");
    check(result_write(MPI_COMM_NULL, metrics_path, &err), &err);
    return 0;
}

static void begin(struct sheet *s, size_t width)
{
    struct rc_error err = {.rank = -1};

    *s = (struct sheet){.report = plain};
    check(rc_store_open(MPI_COMM_NULL, store_path, &s->report.store, &err), &err);
    check(rc_metrics_open(MPI_COMM_NULL, metrics_path, &s->report.metrics, &err), &err);
    rc_page_init(&s->page, open_memstream(&s->text, &s->bytes));
    s->page.width = width;
    s->page.whole = false;
}

static const char *written(struct sheet *s)
{
    struct rc_error err = {.rank = -1};

    check(rc_report_text(&s->report, &s->page, &err), &err);
    fflush(s->page.out);
    return s->text;
}

static void end_sheet(struct sheet *s)
{
    struct rc_error err = {.rank = -1};

    check(rc_store_close(s->report.store, &err), &err);
    check(rc_store_close(s->report.metrics, &err), &err);
    fclose(s->page.out);
    rc_page_fini(&s->page);
    free(s->text);
}

static void has(struct sheet *s, const char *expected)
{
    if (!strstr(s->text, expected))
        fail_msg("no '%s' in:\n%s", expected, s->text);
}

static void lacks(struct sheet *s, const char *unexpected)
{
    if (strstr(s->text, unexpected))
        fail_msg("'%s' in:\n%s", unexpected, s->text);
}

/* No line is longer than the page, and nothing in it is obeyed by a terminal. */
static void check_lines(struct sheet *s)
{
    char *text = strdup(s->text);

    assert_non_null(text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        for (const char *at = line; *at; at++)
            if ((unsigned char)*at < ' ' || *at == 0x7f)
                fail_msg("byte %d in: %s", *at, line);
        if (rc_page_columns(&s->page, line) > s->page.width)
            fail_msg("%zu columns on a page of %zu: %s",
                     rc_page_columns(&s->page, line), s->page.width, line);
    }
    free(text);
}

static const size_t widths[] = {20, 21, 40, 80, 200};

static char *repeat(const char *piece, size_t bytes)
{
    const size_t each = strlen(piece), count = bytes / each;
    char *text = calloc(bytes + 1, 1);

    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + i * each, piece, each);
    return text;
}

/* Files in which all names are 'name', and a report that calls everything 'word'. */
static void write_hostile(const char *name)
{
    static const size_t first[2];
    const char *const names[] = {name, "b", "c", "d"};
    const struct rc_store_campaign campaign = {.id = name,
                                               .created_by = name,
                                               .spec = "",
                                               .source_labels = names,
                                               .source_label_count = 2,
                                               .simulated = true};
    const struct rc_store_event event = {
        .name = name, .source = "papi", .description = name, .reason = name};
    const struct rc_store_kind kind = {.name = name,
                                       .key = name,
                                       .shape = name,
                                       .nodes = names,
                                       .node_count = 1,
                                       .events = &event,
                                       .event_count = 1};
    struct rc_term term = {.name = name, .coefficient = 1, .rounded = 1};
    struct rc_metric_check tried = {.suite = name, .points = 3, .error = 0.5};
    struct rc_metric_check twice[] = {tried, tried};
    double value[] = {1, 2, 3};
    struct rc_metric_result metric[] = {
        {.term = &term, .term_count = 1, .check = twice, .check_count = 2},
        {.verdict = RC_METRIC_UNKNOWN, .error = NAN},
        {.verdict = RC_METRIC_UNKNOWN, .error = NAN},
        {.formula = name,
         .error = NAN,
         .value = value,
         .value_low = value,
         .value_high = value}};
    struct rc_chosen chosen = result_chosen[0];
    struct rc_suite_result suite = result_suites[0];
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};

    for (size_t i = 0; i < COUNT_OF(metric); i++) {
        metric[i].name = i == 2 ? "b" : name;
        metric[i].description = metric[i].signature = metric[i].preset = "";
        metric[i].reason = name;
        metric[i].formula = metric[i].formula ? metric[i].formula : "";
        metric[i].alone_name = names;
        metric[i].alone = first;
        metric[i].alone_count = 1;
    }
    chosen.event = 0;
    chosen.name = name;
    chosen.other = first;
    chosen.other_name = names;
    memset(suite.class_count, 0, sizeof suite.class_count);
    memset(suite.use_count, 0, sizeof suite.use_count);
    suite.suite = name;
    suite.coordinate = suite.point = names;
    suite.left_out = suite.remark = names;
    suite.chosen = &chosen;
    suite.chosen_count = 1;
    suite.metric = metric;
    suite.metric_count = COUNT_OF(metric);
    suite.preset = &(struct rc_preset_check){name, name, name, name};
    suite.preset_count = 1;
    write_store(&campaign, &kind, 1, name);
    check(rc_metrics_create(MPI_COMM_NULL, metrics_path, &campaign, &file, &err), &err);
    check(rc_store_define_kind(file, &kind, NULL, &err), &err);
    check(rc_metrics_put_suite(file, &suite, 4, &err), &err);
    check(rc_store_close(file, &err), &err);
}

/* The report of it, in which all is 'word'. */
static void begin_hostile(struct sheet *s, size_t width, const char *word)
{
    static const char *note[1];
    static struct rc_report_origin origin;
    static struct rc_report_run run;

    begin(s, width);
    note[0] = word;
    origin = (struct rc_report_origin){word, word, word, word, word, word};
    run = (struct rc_report_run){
        .begin = word, .end = word, .created_by = word, .job = word};
    s->report.name = s->report.directory = s->report.created = word;
    s->report.version = s->report.made = word;
    s->report.note = note;
    s->report.origin = &origin;
    s->report.origin_count = 1;
    s->report.run = &run;
    s->report.run_count = 1;
    s->report.progress_count = 1;
}

static void hostile_names_stay_within_the_lines_of_every_width(void **state)
{
    static const char *const piece[] = {"x",
                                        "\xf0\x9f\x98\x80",
                                        "\xe6\xbc\xa2",
                                        "\xe6\xbc\xa2 a",
                                        "a\nb",
                                        "\x1b[31m",
                                        "\xff\xfe",
                                        "e\xcc\x81",
                                        " ",
                                        "%s%n"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(piece); i++) {
        char *name = repeat(piece[i], NAME), *word = repeat(piece[i], LONG);
        write_hostile(name);
        for (size_t w = 0; w < COUNT_OF(widths); w++) {
            struct sheet s;
            begin_hostile(&s, widths[w], word);
            written(&s);
            check_lines(&s);
            end_sheet(&s);
        }
        free(name);
        free(word);
    }
}

static void names_stay_whole_where_programs_read(void **state)
{
    char *name = repeat("x", NAME), *word = repeat("y", LONG);
    struct sheet s;

    (void)state;
    write_hostile(name);
    begin_hostile(&s, 80, word);
    s.page.whole = true;
    written(&s);
    has(&s, name);
    has(&s, word);
    end_sheet(&s);
    free(name);
    free(word);
}

static void a_class_that_a_stranger_made_up_is_refused(void **state)
{
    const unsigned wrong = RC_CLASS_COUNT;
    const hsize_t at = 3;
    struct rc_error err = {.rank = -1};
    struct sheet s;
    hid_t h5, set, space, memory;

    write_sample(state);
    h5 = H5Fopen(metrics_path, H5F_ACC_RDWR, H5P_DEFAULT);
    set = H5Dopen2(h5, "/kinds/made-up cpu, model 1%2F2/suites/flops%2Fa/class",
                   H5P_DEFAULT);
    assert_true(set >= 0);
    space = H5Dget_space(set);
    memory = H5Screate(H5S_SCALAR);
    H5Sselect_elements(space, H5S_SELECT_SET, 1, &at);
    assert_true(H5Dwrite(set, H5T_NATIVE_UINT, memory, space, H5P_DEFAULT, &wrong) >=
                0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    assert_true(H5Fclose(h5) >= 0);
    assert_int_equal(rc_h5_seal(metrics_path, &err), RC_OK);
    begin(&s, 80);
    assert_int_equal(rc_report_text(&s.report, &s.page, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "of event 3 is"));
    fflush(s.page.out);
    end_sheet(&s);
    write_sample(state);
}

static void what_there_is_not_is_said(void **state)
{
    struct rc_store *metrics;
    struct sheet s;

    (void)state;
    begin(&s, 80);
    metrics = s.report.metrics;
    s.report.metrics = NULL;
    s.report.complete_known = false;
    s.report.run_count = s.report.unit_count = s.report.note_count = 0;
    s.report.progress_count = 0;
    s.report.name = s.report.created = "";
    written(&s);
    has(&s, "campaign 0123456789abcdef0123456789abcdef\n  in results, created by test");
    has(&s, "\nhow far it is is not known\n");
    has(&s, "\nother, suite empty: not solved, 'rollcall solve' does it\n");
    lacks(&s, "run");
    s.report.metrics = metrics;
    end_sheet(&s);
}

static void a_selection_leaves_out_all_else(void **state)
{
    static const char *const empty[] = {"empty", NULL};
    struct sheet s;

    (void)state;
    begin(&s, 80);
    s.report.only_kind = "other";
    written(&s);
    has(&s, "other, suite empty");
    lacks(&s, "made-up cpu");
    end_sheet(&s);
    begin(&s, 80);
    s.report.only_suites = empty;
    written(&s);
    has(&s, "other, suite empty");
    has(&s, "made-up cpu, model 1/2, suite empty");
    lacks(&s, "suite flops/a");
    lacks(&s, "[#");
    end_sheet(&s);
}

static void the_head_says_what_was_measured_where_and_how_far_it_is(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 80);
    written(&s);
    has(&s, "campaign a campaign\n  in results, id 0123456789abcdef0123456789abcdef,");
    has(&s, "\n  SIMULATED: ");
    has(&s, "\n  note: n0.rcj: 3 bytes are damaged\n");
    has(&s, "\n  source model: simulated\n  source papi: real\n");
    has(&s, "\n  kind made-up cpu, model 1/2 on 2 nodes: n0, n1\n    topology core:2\n"
            "    31 events: 31 ok\n");
    has(&s,
        "\nincomplete\n  made-up cpu, model 1/2\n"
        "    flops/a [##########..........] 10 of 20 units, 3 failed, 7 missing; 31\n"
        "            events, 2 to 30 repetitions on 2 places\n");
    has(&s, "\n    flops/a [####################] 1 of 1 unit; 1 event, 0 repetitions");
    has(&s,
        "\n  run 1: 2026-11-21T06:00:00Z, 2 ranks on 1 node, 20 units to do; ended\n"
        "    2026-11-21T06:00:20Z with 10 left (job 17)\n");
    has(&s, "; did not end by\n    itself\n");
    end_sheet(&s);
}

/* Two ranks for 10 s, one of which measured for 4: 14 s of 20. */
static void idle_time_is_told_in_one_sentence(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 200);
    written(&s);
    has(&s,
        "\n  from the first unit to the last it took 10.0 s; workers measured in 70 % "
        "of that, and kernels ran in 43 % of what they measured\n"
        "  when 1 unit was measured is not known\n");
    end_sheet(&s);
}

/* The noise of event E is E / 8, its class E % 6, and 4 of 5 have one: of classes 3,
 * 4 and 5 these are 3 5 10 11 15 16 17 21 22 23 27 28.
 */
static void noises_are_counted_by_decades(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 60);
    written(&s);
    has(&s, "\n  events by the decade of their noise:\n"
            "    1e-11      0 <- up to 1e-10\n"
            "    ...\n"
            "    1e-01      2 ########\n"
            "    1e+00     10 ##########################################\n"
            "  note: 2 units are missing\n");
    end_sheet(&s);
}

static void chosen_events_say_what_they_count(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 80);
    written(&s);
    has(&s, "\n  chosen event                         counts\n"
            "  FP_ARITH_INST_RETIRED:SCALAR_DOUBLE  D_SCAL + 0.5 loop, %\n"
            "  bytes ??                             D_128\n");
    has(&s, "\n  left out, since no point of this machine has them: D_512\n");
    end_sheet(&s);
}

static void every_verdict_fits_into_every_width(void **state)
{
    (void)state;
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        struct sheet s;
        begin(&s, widths[w]);
        written(&s);
        check_lines(&s);
        end_sheet(&s);
    }
}

static void verdicts_are_coloured_only_where_there_is_colour(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 80);
    written(&s);
    assert_null(strchr(s.text, '\x1b'));
    end_sheet(&s);
    begin(&s, 80);
    s.page.colour = true;
    written(&s);
    has(&s, "\x1b[32m      defined\x1b[0m; off by");
    has(&s, "\x1b[31m      rejected:\x1b[0m wrong in suite");
    has(&s, "\x1b[33m      approximate:\x1b[0m within 2 %");
    end_sheet(&s);
}

static void the_answer_comes_first_and_names_what_is_off(void **state)
{
    struct sheet s;

    (void)state;
    begin(&s, 80);
    const char *text = written(&s), *answer = strstr(text, " metrics defined"),
               *provenance = strstr(text, "campaign a campaign");
    assert_true(answer && answer - text < 80 && provenance && provenance > answer);
    has(&s, "\n  of its suites: ");
    has(&s, "\n  approximate: ");
    has(&s, "\n  rejected: ");
    end_sheet(&s);
}

static void nothing_of_hdf5_stays_open(void **state)
{
    (void)state;
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static int make_directory(void **state)
{
    (void)state;
    snprintf(work, sizeof work, "/tmp/rc_test_XXXXXX");
    if (!mkdtemp(work))
        return -1;
    snprintf(store_path, sizeof store_path, "%s/campaign.h5", work);
    snprintf(metrics_path, sizeof metrics_path, "%s/metrics.h5", work);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(store_path);
    unlink(metrics_path);
    return rmdir(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_stay_within_the_lines_of_every_width),
        cmocka_unit_test(names_stay_whole_where_programs_read),
        cmocka_unit_test(a_class_that_a_stranger_made_up_is_refused),
        cmocka_unit_test_setup(what_there_is_not_is_said, write_sample),
        cmocka_unit_test(a_selection_leaves_out_all_else),
        cmocka_unit_test(the_head_says_what_was_measured_where_and_how_far_it_is),
        cmocka_unit_test(idle_time_is_told_in_one_sentence),
        cmocka_unit_test(noises_are_counted_by_decades),
        cmocka_unit_test(chosen_events_say_what_they_count),
        cmocka_unit_test(every_verdict_fits_into_every_width),
        cmocka_unit_test(verdicts_are_coloured_only_where_there_is_colour),
        cmocka_unit_test(the_answer_comes_first_and_names_what_is_off),
        cmocka_unit_test(nothing_of_hdf5_stays_open),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
