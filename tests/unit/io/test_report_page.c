#include "tests/lib/test.h"

#include "campaign/report/fits.h"
#include "io/report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { EVENTS_MOST = 6, POINTS_MOST = 12, VECTORS_MOST = 300 };

/* A campaign of one kind with one suite, and its solved metrics. */
struct sample {
    struct rc_store_event events[EVENTS_MOST];
    struct rc_store_kind kind;
    struct rc_store_suite suite;
    struct rc_suite_result result;
    int64_t values[EVENTS_MOST * VECTORS_MOST * POINTS_MOST];
    uint8_t status[EVENTS_MOST * VECTORS_MOST];
    uint64_t ns[EVENTS_MOST * VECTORS_MOST];
    double representation[EVENTS_MOST * 2], residual[EVENTS_MOST];
    uint8_t class[EVENTS_MOST], use[EVENTS_MOST];
    bool unsolved;
};

static struct sample sample; /* one is enough, and too large for a stack */
static char dir[] = "/tmp/rollcall-curves-XXXXXX";

static const char *const points[POINTS_MOST] = {"p0", "p1", "p2", "p3", "p4",  "p5",
                                                "p6", "p7", "p8", "p9", "p10", "p11"};
static const char *const places[] = {"n0 core 0", "n0 core 1", "n0 core 2",
                                     "n0 core 3", "n0 core 4", "n0 core 5",
                                     "n0 core 6", "n0 core 7", "n0 core 8"};
static const char *const names[] = {"E0", "E1", "E2", "E3", "E4", "E5"};
static const double basis[POINTS_MOST * 2] = {1, 0, 2, 0, 3, 0, 4,  1, 5,  1, 6,  1,
                                              7, 2, 8, 2, 9, 2, 10, 3, 11, 3, 12, 3};
static const uint64_t iterations[POINTS_MOST] = {10, 10, 10, 10, 10, 10,
                                                 10, 10, 10, 10, 10, 10};

/* Readings that count 'ideal' "A" (event + 1) times, and a little of each repetition.
 */
static void fill(size_t events, size_t place_count, size_t repetitions, size_t count)
{
    const size_t vectors = place_count * repetitions;

    for (size_t e = 0; e < events; e++)
        for (size_t v = 0; v < vectors; v++) {
            sample.status[e * vectors + v] = 1;
            for (size_t p = 0; p < count; p++)
                sample.values[(e * vectors + v) * count + p] =
                    (int64_t)(10 * (e + 1) * (p + 1) + v);
        }
}

static const char *const ideals[] = {"A", "B"}, *const sources[] = {"model"},
                         *const statuses[] = {"", "ok", "multiplexed"},
                         *const reasons[] = {""};

static void begin(size_t events, size_t place_count, size_t repetitions, size_t count)
{
    memset(&sample, 0, sizeof sample);
    for (size_t e = 0; e < EVENTS_MOST; e++) {
        sample.events[e] = (struct rc_store_event){
            .name = names[e], .source = "model", .verdict = RC_VERDICT_OK};
        sample.representation[2 * e] = (double)(e + 1);
        sample.class[e] = RC_CLASS_STEADY;
        sample.use[e] = RC_USE_DEPENDENT;
    }
    sample.kind = (struct rc_store_kind){.name = "kind",
                                         .key = "key; perf_event 8: perf, clx",
                                         .shape = "core:1",
                                         .events = sample.events,
                                         .event_count = events};
    sample.suite = (struct rc_store_suite){.name = "suite",
                                           .points = points,
                                           .point_count = count,
                                           .ideals = ideals,
                                           .ideal_count = 2,
                                           .basis = basis,
                                           .sources = sources,
                                           .source_count = 1,
                                           .iterations = iterations,
                                           .places = places,
                                           .place_count = place_count,
                                           .repetitions = repetitions,
                                           .statuses = statuses,
                                           .status_count = 3};
    sample.result = (struct rc_suite_result){.suite = "suite",
                                             .coordinate = ideals,
                                             .coordinate_count = 2,
                                             .ideal_count = 2,
                                             .point = points,
                                             .point_count = count,
                                             .reason = reasons,
                                             .reason_count = 1};
    fill(events, place_count, repetitions, count);
}

static const struct rc_store_campaign campaign = {
    .id = "0123456789abcdef", .created_by = "test", .spec = "", .simulated = true};

static void path_of(char *out, size_t room, const char *name)
{
    snprintf(out, room, "%s/%s", dir, name);
}

static struct rc_store *open_store(void)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = NULL;
    struct rc_store_block block = {.count = sample.kind.event_count,
                                   .values = sample.values,
                                   .enabled_ns = sample.ns,
                                   .running_ns = sample.ns,
                                   .status = sample.status};
    char path[64];
    size_t number;

    path_of(path, sizeof path, "campaign.h5");
    unlink(path);
    int status = rc_store_create(MPI_COMM_NULL, path, &campaign, &store, &err);
    if (status == RC_OK)
        status = rc_store_define_kind(store, &sample.kind, &number, &err);
    if (status == RC_OK)
        status = rc_store_define_suite(store, 0, &sample.suite, &number, &err);
    if (status == RC_OK && block.count)
        status = rc_store_write(store, 0, 0, &block, &err);
    if (status == RC_OK)
        status = rc_store_close(store, &err);
    if (status == RC_OK)
        status = rc_store_open(MPI_COMM_NULL, path, &store, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
    return store;
}

static struct rc_store *open_metrics(void)
{
    struct rc_error err = {.rank = -1};
    struct rc_store *file = NULL;
    const struct rc_event_columns columns = {.count = sample.kind.event_count,
                                             .representation = sample.representation,
                                             .residual = sample.residual,
                                             .event_class = sample.class,
                                             .use = sample.use};
    char path[64];

    if (sample.unsolved)
        return NULL;
    path_of(path, sizeof path, "metrics.h5");
    unlink(path);
    int status = rc_metrics_create(MPI_COMM_NULL, path, &campaign, &file, &err);
    if (status == RC_OK)
        status = rc_store_define_kind(file, &sample.kind, NULL, &err);
    if (status == RC_OK)
        status = rc_metrics_put_suite(file, &sample.result, 4, &err);
    if (status == RC_OK && columns.count)
        status = rc_metrics_put_columns(file, &columns, &err);
    if (status == RC_OK)
        status = rc_store_close(file, &err);
    if (status == RC_OK)
        status = rc_metrics_open(MPI_COMM_NULL, path, &file, &err);
    if (status != RC_OK)
        fail_msg("%s", err.text);
    return file;
}

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t bytes = 0;

    assert_non_null(in);
    if (getdelim(&text, &bytes, EOF, in) < 0)
        text[0] = '\0';
    fclose(in);
    return text;
}

/* The decoded contents of "curve-0-EVENT"; free() it.  NULL: it is not there. */
static char *unpack(const char *page, size_t event)
{
    char id[64], packed[64], plain[64], command[256];
    char *data, *end;

    snprintf(id, sizeof id, "id=\"curve-0-%zu\">", event);
    data = strstr(page, id);
    if (!data)
        return NULL;
    data += strlen(id);
    end = strstr(data, "</script>");
    path_of(packed, sizeof packed, "packed");
    path_of(plain, sizeof plain, "plain");
    FILE *out = fopen(packed, "w");
    fwrite(data, 1, (size_t)(end - data), out);
    fclose(out);
    snprintf(command, sizeof command, "base64 -d < %s | gzip -dc > %s", packed, plain);
    assert_int_equal(system(command), 0);
    return read_all(plain);
}

/* The page of the sample. */
struct made {
    char *data, *curves; /* the elements of the page */
    size_t *event, count;
};

static void made_fini(struct made *m)
{
    free(m->data);
    free(m->curves);
    free(m->event);
}

static struct made make(size_t curves, bool (*wanted)(void *, const char *))
{
    struct rc_error err = {.rank = -1};
    struct rc_store *store = open_store();
    struct rc_store *metrics = open_metrics();
    struct rc_report_fits fits;
    struct rc_report report = {.name = "",
                               .directory = "",
                               .created = "",
                               .version = "",
                               .made = "",
                               .store = store,
                               .metrics = metrics,
                               .curves = curves,
                               .wanted = wanted};
    struct made made = {0};
    size_t bytes;
    int status = rc_report_fits_make(store, metrics, &fits, &err);

    report.fit = fits.fit;
    report.fit_count = fits.count;
    FILE *out = open_memstream(&made.data, &bytes);
    if (status == RC_OK)
        status = rc_report_data(&report, out, &err);
    fclose(out);
    out = open_memstream(&made.curves, &bytes);
    if (status == RC_OK)
        status = rc_report_curves(&report, 0, out, &made.event, &made.count, &err);
    fclose(out);
    if (status != RC_OK)
        fail_msg("%s", err.text);
    rc_report_fits_fini(&fits);
    rc_store_close(metrics, &err);
    rc_store_close(store, &err);
    return made;
}

/* The curve of the one event that there is, in the one suite. */
static char *curve_of(size_t curves)
{
    struct made made = make(curves, NULL);
    assert_int_equal(made.count, sample.kind.event_count);
    char *text = unpack(made.curves, 0);

    assert_non_null(text);
    made_fini(&made);
    return text;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in: %.2000s", part, text);
}

static void names_are_text_and_nothing_else(void **state)
{
    static char longest[4001];
    const char *const evil[] = {"<script>alert(1)</script>",
                                "\"'><img src=x onerror=alert(1)>",
                                "a\nb\r\t`'$(touch x)",
                                "\xf0\x9f\xa6\x8a\xff\xfe",
                                "</script><!--",
                                longest};
    (void)state;

    memset(longest, 'x', sizeof longest - 1);
    begin(COUNT_OF(evil), 2, 3, COUNT_OF(evil));
    struct rc_term term = {.event = 0, .name = evil[0], .coefficient = 2, .rounded = 2};
    struct rc_metric_result metric = {.name = evil[0],
                                      .description = evil[1],
                                      .signature = "A",
                                      .preset = "",
                                      .formula = "",
                                      .reason = evil[2],
                                      .verdict = RC_METRIC_REJECTED,
                                      .term = &term,
                                      .term_count = 1};
    for (size_t e = 0; e < COUNT_OF(evil); e++)
        sample.events[e].name = evil[e];
    sample.suite.points = sample.result.point = evil;
    sample.suite.places = (const char *const[]){evil[0], evil[1]};
    sample.suite.ideals = sample.result.coordinate =
        (const char *const[]){"A", evil[1]};
    sample.result.metric = &metric;
    sample.result.metric_count = 1;
    struct made made = make(10, NULL);
    assert_int_equal(made.count, COUNT_OF(evil));
    assert_null(strstr(made.data, "<script>alert"));
    assert_null(strstr(made.data, "<img"));
    assert_null(strstr(made.data, "<!--"));
    assert_has(made.data, "\\u003cscript>alert(1)\\u003c/script>");
    assert_has(made.data, "a\\nb\\r\\t`'$(touch x)");
    assert_has(made.data, "\xf0\x9f\xa6\x8a\xef\xbf\xbd\xef\xbf\xbd");
    assert_has(made.data, longest);
    made_fini(&made);
}

static void nothing_to_see_is_said(void **state)
{
    char *text;
    (void)state;

    begin(1, 2, 3, 4); /* never measured */
    memset(sample.status, 0, sizeof sample.status);
    text = curve_of(1);
    assert_string_equal(text, "[{\"valid\":0,\"invalid\":0,\"same\":true}]\n");
    free(text);
    begin(1, 2, 3, 4); /* never all the time */
    memset(sample.status, 2, 6);
    text = curve_of(1);
    assert_string_equal(text, "[{\"valid\":0,\"invalid\":6,\"same\":true}]\n");
    free(text);
    begin(1, 2, 3, 4);
    memset(sample.values, 0, sizeof sample.values);
    text = curve_of(1);
    assert_string_equal(text, "[{\"valid\":6,\"invalid\":0,\"same\":true}]\n");
    free(text);
    begin(1, 2, 3, 4); /* of a source that the suite does not have */
    sample.events[0].source = "other";
    text = curve_of(1);
    assert_has(text, "\"valid\":0");
    free(text);
    begin(1, 1, 1, 3); /* no point is measured by the source */
    sample.suite.iterations = (const uint64_t[]){0, 0, 0};
    text = curve_of(1);
    assert_null(strstr(text, "mean"));
    free(text);
}

static void one_of_each_is_enough(void **state)
{
    (void)state;

    begin(1, 1, 1, 1);
    char *text = curve_of(1);
    assert_has(text, "[{\"valid\":1,\"invalid\":0,\"same\":true,\"mean\":[1]");
    free(text);
    begin(0, 1, 1, 1);
    struct made made = make(5, NULL);
    assert_int_equal(made.count, 0);
    assert_string_equal(made.curves, "");
    made_fini(&made);
}

static void holes_are_left_open(void **state)
{
    static const double holes[] = {1, NAN, NAN, 0, 5, INFINITY, 7, 1};
    (void)state;

    begin(1, 1, 3, 4);
    sample.values[1] = RC_STORE_MISSING_VALUE;
    sample.values[2] = INT64_MAX;
    sample.values[6] = RC_STORE_MISSING_VALUE + 1;
    sample.suite.iterations = (const uint64_t[]){10, 10, UINT64_MAX, 0};
    sample.suite.basis = holes;
    sample.status[2] = 0; /* a repetition that is missing */
    char *text = curve_of(1);
    assert_has(text, "\"valid\":2,");
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    /* A point that was not measured, and the last one, which has no iterations. */
    assert_has(text, "\"readings\":[[[1,null,0.5,null],[1.1,2.1,-0.5,null]]]");
    assert_has(text, "\"mean\":[1.05,2.1,");
    free(text);
}

static void readings_are_told_by_place(void **state)
{
    (void)state;

    begin(1, 2, 3, 2);
    for (size_t v = 0; v < 6; v++)
        sample.values[v * 2] = v < 4 ? 240 : 250;
    struct made made = make(1, NULL);
    char *text = unpack(made.curves, 0);
    assert_has(text, "\"readings\":[[[24,2],[24,2.1],[24,2.2]],[[24,2.3],[25,2.4],");
    assert_has(text, "\"least\":[24,2],\"most\":[25,2.5]");
    assert_has(made.data, "\"places\":[\"n0 core 0\",\"n0 core 1\"]");
    free(text);
    made_fini(&made);
    begin(1, 2, 3, 2);
    for (size_t v = 0; v < 6; v++)
        memcpy(sample.values + v * 2, (const int64_t[]){240, 1}, 16);
    text = curve_of(1);
    assert_has(text, "\"valid\":6,\"invalid\":0,\"same\":true,\"mean\":[24,0.1]");
    assert_null(strstr(text, "readings"));
    free(text);
}

static bool is_e1(void *context, const char *event)
{
    (void)context;
    return strcmp(event, "E1") == 0;
}

static void the_events_that_tell_most_come_first(void **state)
{
    static const struct {
        size_t curves;
        bool wanted;
        size_t count, event[EVENTS_MOST];
    } cases[] = {{0, false, 0, {0}},
                 {1, false, 1, {5}},
                 {2, false, 2, {4, 5}},
                 {3, false, 3, {3, 4, 5}},
                 {4, false, 4, {2, 3, 4, 5}},
                 {5, false, 5, {0, 2, 3, 4, 5}},
                 {9, false, 6, {0, 1, 2, 3, 4, 5}},
                 {0, true, 1, {1}},
                 {1, true, 2, {1, 5}}};
    struct rc_term term = {.event = 4, .name = "E4", .coefficient = 1, .rounded = 1};
    struct rc_metric_result metric = {.name = "m",
                                      .description = "",
                                      .signature = "A",
                                      .preset = "",
                                      .formula = "",
                                      .reason = "",
                                      .term = &term,
                                      .term_count = 1,
                                      .alone = (const size_t[]){3},
                                      .alone_name = (const char *const[]){"E3"},
                                      .alone_count = 1};
    struct rc_chosen chosen = {
        .event = 5, .name = "E5", .coordinate = (const double[]){1, 0}};
    (void)state;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        begin(EVENTS_MOST, 1, 2, 3);
        sample.result.metric = &metric;
        sample.result.metric_count = 1;
        sample.result.chosen = &chosen;
        sample.result.chosen_count = 1;
        for (size_t e = 0; e < EVENTS_MOST; e++)
            sample.use[e] = RC_USE_NONE;
        sample.use[2] = RC_USE_IMPURE;
        sample.class[1] = RC_CLASS_DEAD;
        struct made made = make(cases[i].curves, cases[i].wanted ? is_e1 : NULL);
        assert_int_equal(made.count, cases[i].count);
        for (size_t e = 0; e < made.count; e++)
            assert_int_equal(made.event[e], cases[i].event[e]);
        made_fini(&made);
    }
}

static void without_metrics_curves_are_there_all_the_same(void **state)
{
    (void)state;

    begin(1, 1, 2, 3);
    sample.unsolved = true;
    struct made made = make(1, NULL);
    char *text = unpack(made.curves, 0);
    assert_has(made.data, "\"suites\":[]");
    assert_has(text, "\"mean\":");
    assert_null(strstr(text, "expected"));
    free(text);
    made_fini(&made);
    begin(1, 1, 2, 3);
    text = curve_of(1);
    assert_has(text, "\"expected\":[1,2,3],\"residual\":0");
    free(text);
}

/* A metric with a line for each tool, or a reason. */
static void metrics_have_lines_for_tools(void **state)
{
    struct rc_term term = {.event = 0, .coefficient = 2, .rounded = 2};
    struct rc_metric_result metric = {.name = "twice",
                                      .description = "two, of \"it\"",
                                      .signature = "2 A",
                                      .preset = "",
                                      .formula = "",
                                      .reason = "",
                                      .verdict = RC_METRIC_DEFINED,
                                      .term = &term,
                                      .term_count = 1};
    (void)state;

    begin(1, 1, 2, 2);
    sample.events[0].name = term.name = "MEM_INST_RETIRED:ANY";
    sample.result.metric = &metric;
    sample.result.metric_count = 1;
    struct made made = make(0, NULL);
    assert_has(made.data, "\"PAPI\":{\"line\":\"EVENT,RC_TWICE,DERIVED_POSTFIX,N0|2|*|,"
                          "MEM_INST_RETIRED:ANY,");
    assert_has(
        made.data,
        "\"perf\":{\"line\":\"perf stat -e mem_inst_retired.any:u COMMAND  # twice = "
        "2 * mem_inst_retired.any:u\"}");
    assert_has(made.data, "\"LIKWID\":{\"line\":\"likwid-perfctr -C 0 -g "
                          "MEM_INST_RETIRED_ALL:PMC0 COMMAND  # "
                          "twice = 2*PMC0\"}");
    made_fini(&made);
    sample.events[0].name = term.name = "E 0'; touch evil";
    made = make(0, NULL);
    assert_null(strstr(made.data, "perf stat"));
    assert_null(strstr(made.data, "likwid-perfctr"));
    assert_has(made.data,
               "has characters in its name that are taken for something else");
    made_fini(&made);
    metric.verdict = RC_METRIC_ABSENT;
    made = make(0, NULL);
    assert_has(made.data, "\"lines\":[null]");
    made_fini(&made);
}

/* Fits of one metric: [0] expected, [1] derived, [2] rounded. */
static void fit(struct rc_term *term, size_t terms, const char *signature,
                double out[3][POINTS_MOST])
{
    struct rc_error err = {.rank = -1};
    struct rc_metric_result metric = {.name = "m",
                                      .description = "",
                                      .signature = signature,
                                      .preset = "",
                                      .formula = "",
                                      .reason = "",
                                      .term = term,
                                      .term_count = terms};
    struct rc_report_fits fits;

    sample.result.metric = &metric;
    sample.result.metric_count = 1;
    struct rc_store *store = open_store();
    struct rc_store *metrics = open_metrics();
    if (rc_report_fits_make(store, metrics, &fits, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(fits.count, terms ? 1 : 0);
    for (size_t p = 0; p < sample.result.point_count && terms; p++) {
        out[0][p] = fits.fit->expected[p];
        out[1][p] = fits.fit->derived[p];
        out[2][p] = fits.fit->rounded[p];
    }
    rc_report_fits_fini(&fits);
    rc_store_close(metrics, &err);
    rc_store_close(store, &err);
}

static void a_combination_is_of_the_means_of_valid_repetitions(void **state)
{
    struct rc_term terms[] = {
        {.event = 2, .name = "E2", .coefficient = 0.5, .rounded = 1},
        {.event = 0, .name = "E0", .coefficient = -2, .rounded = -2}};
    double y[3][POINTS_MOST];
    (void)state;

    begin(3, 1, 3, 4); /* the mean of repetitions 0 and 2: 1 more in a reading of 10 */
    for (size_t e = 0; e < 3; e++)
        sample.status[e * 3 + 1] = 2;
    sample.suite.iterations = (const uint64_t[]){10, 10, 10, 0};
    fit(terms, 2, "2 A - B", y);
    for (size_t p = 0; p < 3; p++) {
        const double m2 = 3. * (double)(p + 1) + .1, m0 = (double)(p + 1) + .1;
        assert_true(y[0][p] == 2 * basis[2 * p] - basis[2 * p + 1]);
        assert_true(fabs(y[1][p] - (0.5 * m2 - 2 * m0)) < 1e-12);
        assert_true(fabs(y[2][p] - (m2 - 2 * m0)) < 1e-12);
    }
    assert_true(isnan(y[1][3]));
    fit(NULL, 0, "A", y); /* no terms, nothing to show */
}

static void places_are_pooled_or_their_median_is_taken_as_the_suite_says(void **state)
{
    struct rc_term term = {.event = 0, .name = "E0", .coefficient = 1, .rounded = 1};
    double y[3][POINTS_MOST];
    (void)state;

    for (int median = 0; median < 2; median++) {
        begin(1, 3, 2, 1);
        sample.suite.name = sample.result.suite = median ? "dcache" : "other";
        for (size_t v = 0; v < 6; v++)
            sample.values[v] = v < 2 ? 900 : 30;
        fit(&term, 1, "A", y);
        assert_true(fabs(y[1][0] - (median ? 3 : (90. * 2 + 3 * 4) / 6)) < 1e-12);
    }
}

static void what_does_not_go_together_is_not_known(void **state)
{
    static const char *const odd[] = {"", "A +", "NOTHING", "3", "A + 2", "2 2"};
    struct rc_term term = {.event = 0, .name = "E0", .coefficient = 1, .rounded = 1};
    double y[3][POINTS_MOST];
    (void)state;

    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        begin(1, 1, 2, 3);
        fit(&term, 1, odd[i], y);
        assert_true(isnan(y[0][0]) || !odd[i][0]);
        assert_true(!isnan(y[1][0]));
    }
    begin(1, 1, 2, 3);
    term.name = "another campaign's";
    fit(&term, 1, "A", y);
    assert_true(isnan(y[1][0]));
    begin(1, 1, 2, 3); /* an ideal that no point of this machine has counts nothing */
    term.name = "E0";
    sample.result.left_out = (const char *const[]){"GONE"};
    sample.result.left_out_count = 1;
    fit(&term, 1, "A + GONE", y);
    assert_true(y[0][2] == 3);
    begin(1, 1, 2, 3); /* points that the store does not have */
    sample.result.point = (const char *const[]){"p1", "new", "p0"};
    fit(&term, 1, "A", y);
    assert_true(y[0][0] == 2 && isnan(y[0][1]) && y[0][2] == 1);
    assert_true(isnan(y[1][1]) && !isnan(y[1][0]));
    begin(1, 1, 2, 3); /* a suite that the store does not have */
    sample.result.suite = "gone";
    fit(&term, 1, "A", y);
    assert_true(isnan(y[0][0]) && isnan(y[1][0]));
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;

    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_text_and_nothing_else),
        cmocka_unit_test(nothing_to_see_is_said),
        cmocka_unit_test(one_of_each_is_enough),
        cmocka_unit_test(holes_are_left_open),
        cmocka_unit_test(readings_are_told_by_place),
        cmocka_unit_test(the_events_that_tell_most_come_first),
        cmocka_unit_test(without_metrics_curves_are_there_all_the_same),
        cmocka_unit_test(metrics_have_lines_for_tools),
        cmocka_unit_test(a_combination_is_of_the_means_of_valid_repetitions),
        cmocka_unit_test(places_are_pooled_or_their_median_is_taken_as_the_suite_says),
        cmocka_unit_test(what_does_not_go_together_is_not_known),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
