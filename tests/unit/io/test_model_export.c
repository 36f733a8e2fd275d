/* Models in the formats of other tools: what is written is read back as it was, labels of
 * simulated numbers stay, and what a format cannot express is said.
 */
#include "tests/lib/test.h"

#include "tests/lib/model_sample.h"

#include "campaign/base/files/file.h"
#include "io/export/model.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct rc_model model;
static char path[64];
static bool holds; /* the last export */

/* The text that a format makes; '*left_out' what it says of things that it lacks. */
static char *export_as(const char *format, enum rc_export_table table, char **left_out)
{
    const struct rc_export_model_choice choice = {.table = table, .holds = &holds};
    const struct rc_export_model_format *f = rc_export_model_find(format);
    struct rc_error err = {.rank = -1};
    char *text = NULL;
    size_t bytes, left_bytes;
    FILE *out = open_memstream(&text, &bytes),
         *left = open_memstream(left_out, &left_bytes);

    holds = false;
    assert_non_null(f);
    if (f->write(&model, &choice, out, left, &err) != RC_OK)
        fail_msg("%s", err.text);
    fclose(out);
    fclose(left);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' lacks '%s'", text, part);
}

static void lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' has '%s'", text, part);
}

/* The number of a point of the sample in what was read; points may be in any order. */
static size_t find_point(const struct rc_measured *m, size_t point)
{
    for (size_t p = 0; p < m->points; p++)
        if (memcmp(m->at + 2 * p, sample_at + 2 * point, 2 * sizeof *sample_at) == 0)
            return p;
    fail_msg("point %zu is not there", point);
    return 0;
}

static const struct rc_measured_series *find_series(const struct rc_measured *m,
                                                    size_t series)
{
    const struct rc_measured_series *s = &sample_of[series];

    for (size_t i = 0; i < m->series; i++)
        if (strcmp(m->kernel[m->of[i].kernel], sample_kernels[s->kernel]) == 0 &&
            strcmp(m->metric[m->of[i].metric].name, sample_metrics[s->metric].name) ==
                0)
            return &m->of[i];
    return NULL;
}

/* The reader of other tools' files finds the sample's series from 'first' on. */
static void same_readings(const char *text, size_t first, bool labels)
{
    struct rc_measured *m = NULL;
    struct rc_error err = {.rank = -1};

    assert_int_equal(rc_file_replace(path, RC_FILE_GIVEN, text, strlen(text), &err),
                     RC_OK);
    if (rc_measured_read(path, &m, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(m->parameters, 2);
    assert_string_equal(m->parameter[1], "n");
    assert_int_equal(m->points, SAMPLE_POINTS);
    assert_int_equal(m->series, SAMPLE_SERIES - first);
    for (size_t i = first; i < SAMPLE_SERIES; i++) {
        const struct rc_measured_series *is = find_series(m, i);
        assert_non_null(is);
        if (labels)
            assert_int_equal(m->metric[is->metric].simulated,
                             sample_metrics[sample_of[i].metric].simulated);
        for (size_t p = 0; p < SAMPLE_POINTS; p++) {
            const size_t at = find_point(m, p);
            const size_t count = sample_first[i][p + 1] - sample_first[i][p];
            assert_int_equal(is->first[at + 1] - is->first[at], count);
            assert_memory_equal(is->value + is->first[at],
                                sample_value[i] + sample_first[i][p],
                                count * sizeof(double));
        }
    }
    rc_measured_close(m);
}

static void text_of_extra_p_is_read_back_as_it_was(void **state)
{
    char *left_out, *text = export_as("extrap", RC_EXPORT_LAWS, &left_out);

    (void)state;
    has(text, "# SIMULATED: ");
    has(text, "PARAMETER p\nPARAMETER n\n");
    has(text, "POINTS ( 2 64 ) ( 2 128.5 ) ( 4 64 ) ( 4 128.5 )\n");
    has(text, "\nREGION main->solve\nMETRIC time\n# law: ");
    has(text, "\nDATA 2 2.125\n");
    has(left_out, "'bytes' of 'main;exchange': it was not measured at all points");
    lacks(text, "METRIC bytes");
    same_readings(text, 1, false); /* comments are not read */
    free(text);
    free(left_out);
}

/* Extra-P 4 takes the metric that it met last for each one that it knows already. */
static void a_metric_s_series_follow_each_other_in_the_text(void **state)
{
    struct rc_measured_series of[SAMPLE_SERIES] = {sample_of[1], sample_of[1],
                                                   sample_of[2]};
    struct rc_measured changed = sample_measured;
    char *left_out, *text;

    (void)state;
    of[0].metric = of[2].metric = 0;
    changed.of = of;
    model.measured = &changed;
    text = export_as("extrap", RC_EXPORT_LAWS, &left_out);
    const char *first = strstr(text, "REGION main->exchange\nMETRIC bytes\n"),
               *second = strstr(text, "REGION main->solve\nMETRIC bytes\n"),
               *third = strstr(text, "REGION main->exchange\nMETRIC time\n");
    assert_true(first && first < second && second < third);
    free(text);
    free(left_out);
    model.measured = &sample_measured;
}

static void json_lines_are_read_back_as_they_were(void **state)
{
    char *left_out, *text = export_as("extrap-jsonl", RC_EXPORT_LAWS, &left_out);

    (void)state;
    assert_string_equal(left_out, "");
    has(text, "{\"params\":{\"p\":2.0,\"n\":64.0},\"callpath\":\"main->exchange\","
              "\"metric\":\"bytes\",\"value\":1024.0,\"simulated\":true}\n");
    assert_true(holds);
    same_readings(text, 0, true);
    free(text);
    free(left_out);
}

static void names_that_the_text_would_lose_are_left_out(void **state)
{
    static const char *const names[] = {"",    " a", "a ",   "a  b",   "a\tb",
                                        "a\n", "\r", "\x7f", "a\xff b"};
    struct rc_measured changed = sample_measured;
    const char *kernels[] = {NULL, sample_kernels[1]};
    const char *const parameters[] = {"p q", "n"};
    struct rc_error err = {.rank = -1};
    const struct rc_export_model_choice choice = {.holds = &holds};

    (void)state;
    changed.kernel = kernels;
    model.measured = &changed;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char *left_out, *text;
        kernels[0] = names[i];
        text = export_as("extrap", RC_EXPORT_LAWS, &left_out);
        has(left_out, "its name is empty, or has blanks");
        has(text, "REGION main->solve\n");
        lacks(text, "DATA 0.25");
        free(text);
        free(left_out);
    }
    changed.parameter = parameters;
    assert_int_equal(
        rc_export_model_find("extrap")->write(&model, &choice, stderr, stderr, &err),
        RC_EUSAGE);
    has(err.text, "parameter 1: Extra-P's text has no such name");
    changed.parameter = sample_parameters;
    changed.series = 1; /* the one that was not measured at all points */
    char *left_out, *text = export_as("extrap", RC_EXPORT_LAWS, &left_out);
    assert_false(holds);
    free(text);
    free(left_out);
    model.measured = &sample_measured;
}

static void tables_have_each_term_and_each_point(void **state)
{
    char *left_out, *text = export_as("csv", RC_EXPORT_LAWS, &left_out);

    (void)state;
    has(text, "kernel,metric,unit,law,weight,text,exact,over_count,noise,degrees,words,"
              "term,coefficient,error,power_p,logs_p,power_n,logs_n,simulated\r\n");
    has(text, "\"main;exchange\",bytes,bytes,,,,no,,,0,");
    has(text, ",,,,,,,,yes\r\n");
    has(text, "\"main;solve\",time,s,0,0.75,");
    has(text, ",0,0.5,0.01,-1,0,2,1,no\r\n");
    has(text, ",1,0.25,2,0,0,0,0,no\r\n");
    has(text, "\"main;solve\",time,s,1,0.25,0.25,no,,0.02,4,");
    free(text);
    free(left_out);
    text = export_as("csv", RC_EXPORT_POINTS, &left_out);
    has(text, "kernel,metric,unit,p,n,readings,mean,least,most,spread,predicted,low,"
              "high,words,"
              "simulated\r\n");
    has(text, "\"main;solve\",time,s,2,64,2,2.0625,2,2.125,,");
    has(text, "\"main;exchange\",bytes,bytes,2,128.5,0,,,,");
    free(text);
    free(left_out);
}

static void json_holds_all_of_it(void **state)
{
    char *left_out, *text = export_as("json", RC_EXPORT_LAWS, &left_out);
    json_error_t error;
    json_t *all = json_loads(text, 0, &error), *term, *point;

    (void)state;
    if (!all)
        fail_msg("line %d: %s", error.line, error.text);
    assert_true(
        json_is_true(json_object_get(json_object_get(all, "model"), "simulated")));
    assert_int_equal(json_array_size(json_object_get(all, "choice")), 2);
    term = json_array_get(json_object_get(all, "laws"), 4);
    assert_string_equal(json_string_value(json_object_get(term, "kernel")),
                        "main;solve");
    assert_true(json_number_value(json_object_get(term, "power_p")) == -1);
    point = json_array_get(json_object_get(all, "points"), 8);
    assert_true(json_number_value(json_object_get(point, "n")) == 64);
    assert_true(json_number_value(json_object_get(point, "most")) == 2.125);
    json_decref(all);
    free(text);
    free(left_out);
}

static void other_formats_are_not_for_models(void **state)
{
    (void)state;
    assert_null(rc_export_model_find("papi"));
    assert_null(rc_export_model_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_formats_are_not_for_models),
        cmocka_unit_test(names_that_the_text_would_lose_are_left_out),
        cmocka_unit_test(text_of_extra_p_is_read_back_as_it_was),
        cmocka_unit_test(a_metric_s_series_follow_each_other_in_the_text),
        cmocka_unit_test(json_lines_are_read_back_as_they_were),
        cmocka_unit_test(tables_have_each_term_and_each_point),
        cmocka_unit_test(json_holds_all_of_it),
    };
    struct rc_error err = {.rank = -1};

    snprintf(path, sizeof path, "/tmp/rc_test_XXXXXX");
    const int file = mkstemp(path);
    if (file < 0 || make_sample(&model, &err) != RC_OK)
        return 1;
    close(file);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rc_model_laws_fini(&model.laws);
    unlink(path);
    return failed;
}
