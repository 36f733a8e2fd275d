#include "tests/page_lib.h"

#include <math.h>
#include <stdio.h>

/* One store for all tests: kinds of all shapes, suites for the time line. */
static char work[] = "/tmp/rc_test_XXXXXX", path[64], metrics_path[64];
static struct rc_report report;

static const struct {
    const char *shape;
    const char *title, *said; /* of the figure, NULL: none; in the text */
} shapes[] = {
    {"", "A machine of 3 cores", "was not recorded"},
    {"core:2", "A machine of 2 cores", "2 cores"},
    {"package:2 numa:8 l3:8 l2:64 core:64 pu:128 form:0123", "A machine of 64 cores",
     "node; package; NUMA domain, L3 cache; the smallest"},
    {"package:2 numa:8 l3:4 core:16", "A machine of 16 cores",
     "node; package; L3 cache; NUMA domain; the smallest"},
    {"package:3 core:8", "A machine of 8 cores", "3 packages do not hold equally many"},
    {"package:1 l2:10 core:14", "A machine of 14 cores", "10 L2 caches do not hold"},
    {"core:-1", "A machine of 3 cores", "not of the form"},
    {"core:0", "A machine of 3 cores", "not of the form"},
    {"core:8x", "A machine of 3 cores", "not of the form"},
    {"core:4 core:8", "A machine of 4 cores", "not of the form"},
    {"core:99999999999999999999999999", "A machine of 3 cores", "not of the form"},
    {"core:18446744073709551615", NULL, "More than 4096 cores are not drawn"},
    {"core:4097", NULL, "More than 4096 cores are not drawn"},
    {"package:2 core:4096", "A machine of 4096 cores", "4096 cores"},
    {"package:0 numa: l3:: :::: core", "A machine of 3 cores", "not of the form"},
    {"package:18446744073709551615 core:1", "A machine of 1 cores", "do not hold"},
    {EVIL, "A machine of 3 cores", "&lt;script&gt;alert(1)"},
    {"new\nline:3 \x01", "A machine of 3 cores", "not of the form"},
};
enum { KINDS = COUNT_OF(shapes), SUITES = 11 };

static const char *const suite_names[SUITES] = {
    EVIL, "new\nline", "a", "b", "c", "d", "e", "f", "second of a colour", "\xff", "k"};

static int define_suites(struct rc_store *store, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t s = 0; s < SUITES && status == RC_OK; s++) {
        size_t number;
        const struct rc_store_suite suite = {.name = suite_names[s],
                                             .points = (const char *const[]){"point"},
                                             .point_count = 1,
                                             .sources = (const char *const[]){"model"},
                                             .source_count = 1,
                                             .iterations = (const uint64_t[]){1},
                                             .places = (const char *const[]){""},
                                             .place_count = 1,
                                             .repetitions = 1,
                                             .statuses =
                                                 (const char *const[]){"missing", "ok"},
                                             .status_count = 2};
        status = rc_store_define_suite(store, 0, &suite, &number, err);
    }
    return status;
}

static int make_store(void **state)
{
    const struct rc_store_campaign campaign = {.id = "test"};
    struct rc_error err = {.rank = -1};
    struct rc_store *store;
    (void)state;

    if (!mkdtemp(work))
        return -1;
    snprintf(path, sizeof path, "%s/campaign.h5", work);
    snprintf(metrics_path, sizeof metrics_path, "%s/metrics.h5", work);
    int status = rc_store_create(MPI_COMM_NULL, path, &campaign, &store, &err);
    for (size_t k = 0; k < KINDS && status == RC_OK; k++) {
        char name[16];
        size_t number;
        const struct rc_store_kind kind = {
            .name = name, .key = name, .shape = shapes[k].shape};
        snprintf(name, sizeof name, "kind %zu", k);
        status = rc_store_define_kind(store, &kind, &number, &err);
    }
    if (status == RC_OK)
        status = define_suites(store, &err);
    if (status == RC_OK)
        status = rc_store_close(store, &err);
    if (status == RC_OK)
        status = rc_store_open(MPI_COMM_NULL, path, &report.store, &err);
    if (status != RC_OK)
        fprintf(stderr, "%s\n", err.text);
    return status;
}

static int remove_store(void **state)
{
    struct rc_error err = {.rank = -1};
    (void)state;

    rc_store_close(report.store, &err);
    unlink(path);
    unlink(metrics_path);
    return rmdir(work);
}

static char *topology_page(const struct rc_report *r, size_t kind)
{
    struct sheet sheet;
    struct rc_error err = {.rank = -1};
    const int status = rc_report_topology(sheet_begin(&sheet, r), kind, &err);

    return sheet_end(&sheet, status, &err);
}

static char *timeline_page(const struct rc_report *r)
{
    struct sheet sheet;
    struct rc_error err = {.rank = -1};
    const int status = rc_report_timeline(sheet_begin(&sheet, r), &err);

    return sheet_end(&sheet, status, &err);
}

static void any_shape_is_drawn_or_said(void **state)
{
    static const char *const nodes[] = {"n0", EVIL};
    struct rc_report_unit unit[3 * KINDS] = {{.kind = 0}};
    struct rc_report r = report;
    (void)state;

    for (size_t i = 0; i < COUNT_OF(unit); i++)
        unit[i] = (struct rc_report_unit){.kind = i / 3,
                                          .core = (uint32_t)i % 3,
                                          .node = i % 2,
                                          .wall_ns = 1000,
                                          .status = 1};
    r.node = nodes;
    r.node_count = 2;
    r.unit = unit;
    r.unit_count = COUNT_OF(unit);
    for (size_t k = 0; k < KINDS; k++) {
        char *page = topology_page(&r, k);
        if (shapes[k].title)
            assert_said(page, shapes[k].title);
        else
            assert_null(strstr(page, "<figure>"));
        assert_said(page, shapes[k].said);
        free(page);
    }
}

static void cores_that_measured_are_counted(void **state)
{
    static const char *const nodes[] = {"n0", "n1", "n2", "n3", "n4", ""};
    struct rc_report_unit unit[12];
    struct rc_report r = report;
    (void)state;

    for (size_t i = 0; i < COUNT_OF(unit); i++) /* two on each of six nodes */
        unit[i] = (struct rc_report_unit){.kind = 2,
                                          .core = i % 2 ? 57 : 7,
                                          .node = (uint32_t)i / 2,
                                          .wall_ns = 500000000};
    unit[8].core = 64; /* there are 64 */
    unit[9].node = 77;
    r.node = nodes;
    r.node_count = COUNT_OF(nodes);
    r.unit = unit;
    r.unit_count = COUNT_OF(unit);
    char *page = topology_page(&r, 2);
    assert_said(page, "4 of 12 units are recorded at no core");
    assert_said(page, "2 of 64 cores measured, the cores of 4 nodes taken together");
    assert_said(page, "<td><code>n3</code></td><td class=\"r\">57</td>"
                      "<td class=\"r\">1</td><td class=\"r\">0.500</td>");
    assert_int_equal(count_of(page, "<figure>"), 1 + 4);
    free(page);

    r.unit_count = 0;
    page = topology_page(&r, 2);
    assert_said(page, "No unit is recorded on it");
    assert_int_equal(count_of(page, "<figure>"), 1);
    free(page);
}

static const uint64_t second = 1000000000u, start = 1790000000u * UINT64_C(1000000000);

static void a_campaign_without_units_says_so(void **state)
{
    (void)state;

    char *page = timeline_page(&report);
    assert_said(page, "No unit was measured yet");
    assert_null(strstr(page, "<figure>"));
    free(page);
}

static char long_name[10001];

static void any_units_make_a_time_line(void **state)
{
    static const struct rc_report_unit alone[] = {
        {.begin_ns = 1790000000000000000, .wall_ns = 1000000000, .status = 1},
        {.begin_ns = 1790000000000000000, .wall_ns = 0, .status = 1},
        {.begin_ns = 1, .wall_ns = 1, .status = 3},
        {.begin_ns = UINT64_MAX, .wall_ns = UINT64_MAX, .status = 2},
        {.begin_ns = 1, .wall_ns = UINT64_MAX, .status = 255},
        {.begin_ns = 5, .wall_ns = 5, .kind = 1, .suite = 0},
        {.begin_ns = 5, .wall_ns = 5, .kind = SIZE_MAX, .suite = SIZE_MAX},
        {.begin_ns = 5, .wall_ns = 5, .suite = SIZE_MAX, .node = UINT32_MAX},
        {.begin_ns = 5, .wall_ns = 5, .suite = 1, .worker = 1},
        {.begin_ns = 5, .wall_ns = 5, .suite = 9, .worker = 2},
        {.begin_ns = 5, .wall_ns = 5, .suite = 10, .worker = 3},
    };
    const struct rc_report_worker worker[] = {
        {EVIL, 0}, {"", 0}, {"new\nline\xff", UINT32_MAX}, {long_name, 1}};
    struct rc_report r = report;
    (void)state;

    memset(long_name, 'x', sizeof long_name - 1);
    r.worker = worker;
    r.worker_count = COUNT_OF(worker);
    for (size_t i = 0; i < COUNT_OF(alone); i++) {
        r.unit = &alone[i];
        r.unit_count = 1;
        char *page = timeline_page(&r);
        assert_said(page, "1 of 4 workers");
        assert_int_equal(count_of(page, "<figure>"), 1);
        free(page);
    }
}

static void units_of_unknown_begin_are_said_not_drawn(void **state)
{
    struct rc_report_unit unit[] = {{.wall_ns = second, .status = 1},
                                    {.wall_ns = second, .status = 1},
                                    {.wall_ns = second, .status = 1, .worker = 7}};
    const struct rc_report_worker worker[] = {{"n", 0}};
    struct rc_report r = report;
    (void)state;

    r.worker = worker;
    r.worker_count = 1;
    r.unit = unit;
    r.unit_count = COUNT_OF(unit);
    char *page = timeline_page(&r);
    assert_said(page, "Of 2 units it is not known when they began");
    assert_null(strstr(page, "<figure>"));
    assert_said(page, "<td class=\"r\">2.000</td><td class=\"r\"></td>");
    free(page);

    unit[1].begin_ns = start;
    page = timeline_page(&r);
    assert_said(page, "Of 1 units it is not known");
    assert_int_equal(count_of(page, "<figure>"), 1);
    free(page);
}

static void idle_time_is_told(void **state)
{
    const struct rc_report_unit unit[] = {
        {.begin_ns = start, .wall_ns = 10 * second, .status = 1},
        {.begin_ns = start, .wall_ns = 3 * second, .status = 1, .worker = 1},
        {.begin_ns = start + 2 * second, .wall_ns = second, .worker = 1, .status = 1},
        {.begin_ns = start + 8 * second,
         .wall_ns = 2 * second,
         .worker = 1,
         .status = 3}};
    const struct rc_report_worker worker[] = {{"n", 0}, {"n", 1}, {"n", 2}};
    struct rc_report r = report;
    (void)state;

    r.worker = worker;
    r.worker_count = COUNT_OF(worker);
    r.unit = unit;
    r.unit_count = COUNT_OF(unit);
    char *page = timeline_page(&r);
    assert_said(page, "busy for 75 % of the time");
    assert_said(page, "2 of 3 workers");
    assert_said(page, "1 units are invalid or failed");
    assert_said(page, "<td class=\"r\">5.000</td><td class=\"r\">50.0 %</td>"
                      "<td>2026-09-21 14:13:20</td><td>2026-09-21 14:13:30</td>");
    assert_said(page, ">failed</text>");
    free(page);
}

/* Two runs of a unit each, so many seconds from end to begin. */
static size_t figures_of_runs(uint64_t pause_ns, const char *second_run)
{
    const struct rc_report_unit unit[] = {
        {.begin_ns = start, .wall_ns = 5 * second, .status = 1},
        {.begin_ns = start + 5 * second + pause_ns, .wall_ns = second, .status = 1}};
    const struct rc_report_worker worker[] = {{"n", 0}};
    const struct rc_report_run run[] = {{.begin = "2026-09-21T14:13:19Z"},
                                        {.begin = second_run}};
    struct rc_report r = report;

    r.worker = worker;
    r.worker_count = 1;
    r.unit = unit;
    r.unit_count = 2;
    r.run = run;
    r.run_count = second_run ? 2 : 1;
    char *page = timeline_page(&r);
    const size_t figures = count_of(page, "<figure>");
    free(page);
    return figures;
}

static void runs_have_a_figure_each(void **state)
{
    (void)state;

    assert_int_equal(figures_of_runs(2 * second, NULL), 1);
    assert_int_equal(figures_of_runs(2 * second, EVIL), 1);
    assert_int_equal(figures_of_runs(2 * second, "2026-09-21T14:13:19Z"), 1);
    assert_int_equal(figures_of_runs(2 * second, "2026-09-21T14:13:26Z"), 2);
    assert_int_equal(figures_of_runs(second / 10, "2026-09-21T14:13:25Z"), 2);
    assert_int_equal(figures_of_runs(3600 * second, NULL), 2);
}

static void pauses_within_the_second_of_a_begin_are_none_between_runs(void **state)
{
    enum { UNITS = 40 };
    struct rc_report_unit unit[UNITS];
    const struct rc_report_worker worker[] = {{"n", 0}};
    const struct rc_report_run run[] = {{.begin = "2026-09-21T14:13:20Z"},
                                        {.begin = "2026-09-21T14:13:20Z"},
                                        {.begin = "2026-09-21T14:13:24Z"},
                                        {.begin = "2026-09-21T14:13:29Z"}};
    struct rc_report r = report;
    (void)state;

    for (size_t i = 0; i < UNITS;
         i++) /* the second run ends at once, the third empty */
        unit[i] = (struct rc_report_unit){.begin_ns = start + i * second / 20 +
                                                      (i < 10 ? 0 : second / 3) +
                                                      (i < 20 ? 0 : 8 * second),
                                          .wall_ns = second / 50,
                                          .status = 1};
    r.worker = worker;
    r.worker_count = 1;
    r.unit = unit;
    r.unit_count = UNITS;
    r.run = run;
    r.run_count = COUNT_OF(run);
    char *page = timeline_page(&r);
    assert_int_equal(count_of(page, "<figure>"), 3);
    assert_said(page, "The run of 2026-09-21T14:13:29Z: 20 units");
    assert_int_equal(count_of(page, "The run of 2026-09-21T14:13:20Z: 10 units"), 2);
    free(page);
}

static void of_many_runs_the_largest_are_drawn(void **state)
{
    enum { MANY = 70 };
    struct rc_report_unit unit[MANY];
    const struct rc_report_worker worker[] = {{"n", 0}};
    struct rc_report r = report;
    (void)state;

    for (size_t i = 0; i < MANY; i++)
        unit[i] = (struct rc_report_unit){
            .begin_ns = start + i * 3600 * second, .wall_ns = second, .status = 1};
    r.worker = worker;
    r.worker_count = 1;
    r.unit = unit;
    r.unit_count = MANY;
    char *page = timeline_page(&r);
    assert_int_equal(count_of(page, "<figure>"), 4);
    assert_said(page, "The 4 runs with the most units are drawn, of 70");
    assert_said(page, "These are the first 50 of 70");
    free(page);
}

static void suites_beyond_the_colours_share_them(void **state)
{
    struct rc_report_unit unit[SUITES];
    const struct rc_report_worker worker[] = {{"n", 0}};
    struct rc_report r = report;
    (void)state;

    for (size_t i = 0; i < SUITES; i++)
        unit[i] = (struct rc_report_unit){
            .suite = i, .begin_ns = start + i * second, .wall_ns = second, .status = 1};
    r.worker = worker;
    r.worker_count = 1;
    r.unit = unit;
    r.unit_count = SUITES;
    char *page = timeline_page(&r);
    assert_said(page, "a, k</text>");
    free(page);
}

static void a_hundred_thousand_units_of_thousands_of_workers(void **state)
{
    const size_t workers = 3000, each = 33;
    struct rc_report_unit *unit = calloc(workers * each, sizeof *unit);
    struct rc_report_worker *worker = calloc(workers, sizeof *worker);
    struct rc_report r = report;
    (void)state;

    for (size_t i = 0; i < workers * each; i++) {
        const size_t w = i / each, n = i % each;
        const uint64_t length = w == 1234 ? 1 : w == 1235 ? 20 : 5 + i * 7 % 13;
        unit[i] =
            (struct rc_report_unit){.suite = i * 5 % SUITES,
                                    .worker = w,
                                    .begin_ns = start + n * 21 * second,
                                    .wall_ns = length * second,
                                    .status = i % 2 ? 1 : 2 + (uint8_t)(i / 2 % 2)};
        worker[w] = (struct rc_report_worker){"node", (uint32_t)w};
    }
    r.worker = worker;
    r.worker_count = workers;
    r.unit = unit;
    r.unit_count = workers * each;
    char *page = timeline_page(&r);
    assert_said(page, ">rank 1234</text>"); /* the least busy, and the most busy one */
    assert_said(page, ">rank 1235</text>");
    assert_said(page, "3000 of 3000 workers");
    assert_said(page, "more invalid or failed units are not marked");
    assert_in_range(count_of(page, ">rank "), 50, 60);
    assert_in_range(strlen(page), 100000, 1000000);
    free(page);
    free(unit);
    free(worker);
}

/* A metrics file of one suite whose events have these noises, and its section. */
static char *noise_page(double *noise, uint8_t *of_class, size_t count,
                        const struct rc_suite_result *suite)
{
    const struct rc_store_campaign campaign = {.id = "test"};
    struct rc_store_event *event = calloc(count + 1, sizeof *event);
    char(*name)[64] = calloc(count + 1, sizeof *name);
    const struct rc_store_kind kind = {
        .name = "kind", .key = "key", .events = event, .event_count = count};
    const struct rc_event_columns columns = {
        .count = count, .noise = noise, .event_class = of_class};
    struct rc_metrics_file *file;
    struct rc_error err = {.rank = -1};

    for (size_t i = 0; i < count; i++) {
        snprintf(name[i], sizeof *name, "event %zu<script>alert(1)</script>\n", i);
        event[i].name = name[i];
    }
    int status = rc_metrics_create(MPI_COMM_NULL, metrics_path, &campaign, &file, &err);
    if (status == RC_OK)
        status = rc_metrics_put_kind(file, &kind, &err);
    if (status == RC_OK)
        status = rc_metrics_put_suite(file, suite, &err);
    if (status == RC_OK)
        status = rc_metrics_put_columns(file, &columns, &err);
    if (status == RC_OK)
        status = rc_metrics_close(file, &err);
    struct rc_report r = report;
    if (status == RC_OK)
        status = rc_metrics_open(MPI_COMM_NULL, metrics_path, &r.metrics, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
    struct sheet sheet;
    status = rc_report_noise(sheet_begin(&sheet, &r), 0, 0, &err);
    char *page = sheet_end(&sheet, status, &err);
    rc_metrics_close(r.metrics, &err);
    free(event);
    free(name);
    return page;
}

static struct rc_suite_result suite_of(double tau, double low, double high)
{
    static const char *const reasons[] = {""};

    return (struct rc_suite_result){.suite = EVIL,
                                    .tau = tau,
                                    .tau_low = low,
                                    .tau_high = high,
                                    .reason = reasons,
                                    .reason_count = 1};
}

static void any_noises_make_a_section(void **state)
{
    static struct {
        double noise[6];
        size_t count;
        double tau, low, high;
        const char *said;
    } cases[] = {
        {{0}, 0, 1e-10, 0, INFINITY, "None of 0 events has valid readings"},
        {{0}, 0, NAN, NAN, NAN, "None of 0 events"},
        {{NAN, NAN}, 2, .1, 0, INFINITY, "None of 2 events"},
        {{-1, INFINITY, -INFINITY}, 3, .1, 0, INFINITY, "None of 3 events"},
        {{0, 0, 0}, 3, 1e-10, 0, INFINITY, "3 have noise 0"},
        {{0, 0, 0}, 3, NAN, NAN, NAN, "There is no threshold"},
        {{0, 0, 0}, 3, 0, 0, 0, "3 have noise 0"},
        {{0, 0, 0}, 3, INFINITY, -INFINITY, NAN, "3 have noise 0"},
        {{1}, 1, .1, 0, 1, "1 of 1 events"},
        {{1e-300, 5e-324, 1e308, 1e10}, 4, 1e-10, 1e-300, 1e10, "4 of 4 events"},
        {{0, 1e-5, NAN, .2, .3, 5}, 6, .1, 1e-5, .2, "5 of 6 events"},
        {{0, 1e-5, 1e-5, 1e-5, 1e-5, 1e-5}, 6, .1, 1e-5, INFINITY, "No event is above"},
        {{.3, .2}, 2, .1, .5, .2, "2 of 2 events"},
    };
    static uint8_t classes[] = {RC_CLASS_EXACT, RC_CLASS_STEADY, RC_CLASS_INVALID,
                                RC_CLASS_NOISY, RC_CLASS_DEAD,   RC_CLASS_IRRELEVANT};
    (void)state;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct rc_suite_result suite =
            suite_of(cases[i].tau, cases[i].low, cases[i].high);
        char *page = noise_page(cases[i].noise, classes, cases[i].count, &suite);
        assert_said(page, cases[i].said);
        free(page);
    }
}

static void thousands_of_noises_are_thinned_and_the_extremes_stay(void **state)
{
    enum { EVENTS = 20000 }; /* more than are read at once */
    double *noise = calloc(EVENTS, sizeof *noise);
    uint8_t *of_class = calloc(EVENTS, 1);
    struct rc_suite_result suite = suite_of(1e-3, 1e-4, 1e-2);
    (void)state;

    for (size_t i = 0; i < EVENTS; i++) {
        const size_t place = i * 7919 % EVENTS;
        noise[i] = place < 12000   ? 0
                   : place < 16000 ? 1e-6 * (double)(place - 11999) / 40
                                   : 1e-2 * (double)(place - 15999);
        of_class[i] = place < 12000   ? RC_CLASS_EXACT
                      : place < 16000 ? RC_CLASS_STEADY
                                      : RC_CLASS_NOISY;
    }
    char *page = noise_page(noise, of_class, EVENTS, &suite);
    assert_said(page, "12000 have noise 0");
    assert_said(page, "of the 8000 points above 0");
    assert_said(page, "every threshold in there gives the same result");
    assert_said(page, ">exact: 12000</text>");
    assert_said(page, ">steady: 4000</text>");
    assert_said(page, ">noisy: 4000</text>");
    assert_in_range(count_of(page, "<use "), 200, 1500);
    assert_said(page, "<td class=\"r\">40</td><td>noisy</td>");      /* the noisiest */
    assert_said(page, "<td class=\"r\">0.01</td><td>noisy</td>");    /* just above */
    assert_said(page, "<td class=\"r\">0.0001</td><td>steady</td>"); /* just below */
    assert_said(page, "<td class=\"r\">50 %</td><td class=\"r\">0.0001</td>");
    assert_null(strstr(page, "event 0<"));
    assert_in_range(count_of(page, "\"><code>event "), 15, 20);
    free(page);
    free(noise);
    free(of_class);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_shape_is_drawn_or_said),
        cmocka_unit_test(cores_that_measured_are_counted),
        cmocka_unit_test(a_campaign_without_units_says_so),
        cmocka_unit_test(any_units_make_a_time_line),
        cmocka_unit_test(units_of_unknown_begin_are_said_not_drawn),
        cmocka_unit_test(idle_time_is_told),
        cmocka_unit_test(runs_have_a_figure_each),
        cmocka_unit_test(pauses_within_the_second_of_a_begin_are_none_between_runs),
        cmocka_unit_test(of_many_runs_the_largest_are_drawn),
        cmocka_unit_test(suites_beyond_the_colours_share_them),
        cmocka_unit_test(a_hundred_thousand_units_of_thousands_of_workers),
        cmocka_unit_test(any_noises_make_a_section),
        cmocka_unit_test(thousands_of_noises_are_thinned_and_the_extremes_stay),
    };
    return cmocka_run_group_tests(tests, make_store, remove_store);
}
