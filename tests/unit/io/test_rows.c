#include "tests/lib/test.h"

#include "io/text/rows.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const struct rc_column columns[] = {{.name = "name"},
                                           {.name = "n", .type = RC_CELL_NUMBER},
                                           {.name = "more", .text_hidden = true},
                                           {.name = NULL}};

static const char *const hostile[] = {"plain",        "",           "a,b",
                                      "say \"x\"",    "two\nlines", "cr\r\n",
                                      "\x1b[1m",      "\xff\xfe",   "\xf0\x9f\x98\x80",
                                      "<script>",     "\\back\t\b", "=1+1",
                                      "\xed\xa0\x80", "+1",         "-2+3",
                                      "@SUM(A1)",     "\t=1",       "\r=1",
                                      "\n=1",         "'=1",        "''",
                                      "a=b",          "x;=1"};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static char *print(enum rc_format format)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct rc_json own, *json = NULL;
    const char *before, *between, *after;
    struct rc_error err;

    rc_rows_envelope(format, columns, &before, &between, &after);
    fputs(before, out);
    if (format == RC_FORMAT_JSON) {
        json = rc_json_begin(&own, out);
        rc_json_object(json, NULL);
        rc_json_array(json, "rows");
    }
    struct rc_rows *rows = rc_rows_create(out, format, columns, json);
    for (size_t i = 0; i < HOSTILE; i++) {
        const char *cells[] = {hostile[i], i ? "-12" : NULL, "hidden"};
        rc_rows_add(rows, cells);
    }
    assert_int_equal(rc_rows_end(rows, RC_OK, &err), RC_OK);
    rc_json_close(json);
    fputs(after, out);
    fclose(out);
    return text;
}

static void json_is_valid_whatever_the_names_hold(void **state)
{
    char *text = print(RC_FORMAT_JSON);
    json_t *top = json_loads(text, 0, NULL);

    (void)state;
    assert_non_null(top);
    json_t *rows =
        json_object_get(json_array_get(json_object_get(top, "kinds"), 0), "rows");
    assert_int_equal(json_array_size(rows), HOSTILE);
    for (size_t i = 0; i < HOSTILE; i++) {
        json_t *row = json_array_get(rows, i);
        const char *name = json_string_value(json_object_get(row, "name"));
        if (hostile[i][0] != '\xff' && hostile[i][0] != '\xed')
            assert_string_equal(name, hostile[i]);
        else
            assert_memory_equal(name, "\xef\xbf\xbd", 3);
        assert_true(i == 0 ? json_is_null(json_object_get(row, "n"))
                           : json_integer_value(json_object_get(row, "n")) == -12);
    }
    json_decref(top);
    free(text);
}

struct rc_sample {
    const char *text, *none;
    bool flag;
    double real;
    uint8_t byte;
    uint32_t word;
    uint64_t large;
    int64_t below;
    struct {
        size_t count;
    } within;
};

static void members_of_structs_are_json(void **state)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_sample, text, none, flag, byte, word, large, below),
        RC_JSON(rc_sample, real),
        RC_JSON_DIGITS("short", rc_sample, real, 3),
        RC_JSON_AS("count", rc_sample, within.count),
        {0}};
    const struct rc_sample sample[] = {
        {"a\"b", NULL, true, 1.0 / 3, 255, UINT32_MAX, INT64_MAX, -1, {7}},
        {.text = "", .real = 0.0 / 0.0}};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct rc_json json;

    (void)state;
    rc_json_begin(&json, out)->compact = true;
    rc_json_list(&json, NULL, members, sample, 2, sizeof *sample);
    rc_json_close(&json);
    fclose(out);
    assert_string_equal(
        text, "[{\"text\":\"a\\\"b\",\"none\":null,\"flag\":true,\"byte\":255,"
              "\"word\":4294967295,\"large\":9223372036854775807,\"below\":-1,"
              "\"real\":0.33333333333333331,\"short\":0.333,\"count\":7},"
              "{\"text\":\"\",\"none\":null,\"flag\":false,\"byte\":0,\"word\":0,"
              "\"large\":0,\"below\":0,\"real\":null,\"short\":null,\"count\":0}]\n");
    free(text);
}

static void numbers_and_flags_are_json(void **state)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct rc_json own, *json = rc_json_begin(&own, out);

    (void)state;
    rc_json_array(json, NULL);
    rc_json_integer(json, NULL, INT64_MIN);
    rc_json_real(json, NULL, 0.1);
    rc_json_real(json, NULL, -1.0 / 0.0);
    rc_json_flag(json, NULL, true);
    rc_json_close(json);
    fclose(out);
    json_t *top = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(top), 4);
    assert_true(json_integer_value(json_array_get(top, 0)) == INT64_MIN);
    assert_true(json_real_value(json_array_get(top, 1)) == 0.1);
    assert_true(json_is_null(json_array_get(top, 2)));
    assert_true(json_is_true(json_array_get(top, 3)));
    json_decref(top);
    free(text);
}

/* RFC 4180: the next cell at *p, unquoted; moves *p past its separator. */
static char *next_cell(const char **p)
{
    char *cell = calloc(1, strlen(*p) + 1), *out = cell;
    bool quoted = **p == '"';

    if (quoted)
        (*p)++;
    while (**p && (quoted || !strchr(",\r", **p))) {
        if (quoted && **p == '"' && *++*p != '"')
            break;
        *out++ = *(*p)++;
    }
    *p += **p == ',' ? 1 : strspn(*p, "\r\n");
    return cell;
}

/* A reader takes one mark away. */
static void expect_csv(enum rc_format format)
{
    char *text = print(format);
    const char *p = text;

    assert_memory_equal(p, "name,n,more\r\n", 13);
    p += 13;
    for (size_t i = 0; i < HOSTILE; i++)
        for (size_t j = 0; j < 3; j++) {
            const char *expected[] = {hostile[i], i ? "-12" : "", "hidden"};
            char *cell = next_cell(&p);
            bool marked = format == RC_FORMAT_CSV && cell[0] == '\'';
            assert_string_equal(cell + marked, expected[j]);
            if (format == RC_FORMAT_CSV && j != 1 && cell[0])
                assert_null(strchr("=+-@\t\r\n", cell[0]));
            free(cell);
        }
    assert_string_equal(p, "");
    free(text);
}

static void csv_reads_back_whatever_the_names_hold(void **state)
{
    (void)state;
    expect_csv(RC_FORMAT_CSV_RAW);
}

static void no_text_in_csv_is_a_formula(void **state)
{
    char *text = print(RC_FORMAT_CSV);

    (void)state;
    expect_csv(RC_FORMAT_CSV);
    assert_non_null(strstr(text, "\n'=1+1,-12,hidden\r\n"));
    assert_non_null(strstr(text, "\n\"'\t=1\",-12,hidden\r\n"));
    assert_non_null(strstr(text, "\n''=1,-12,hidden\r\n"));
    assert_non_null(strstr(text, "\n\"x;=1\",-12,hidden\r\n"));
    free(text);
}

static void text_has_a_line_for_each_row_and_nothing_a_terminal_obeys(void **state)
{
    char *text = print(RC_FORMAT_TEXT);
    size_t lines = 0;

    (void)state;
    for (const char *p = text; *p; p++) {
        lines += *p == '\n';
        assert_true((unsigned char)*p >= 0x20 || *p == '\n');
    }
    assert_int_equal(lines, HOSTILE + 1);
    assert_null(strstr(text, "hidden"));
    assert_memory_equal(text, "name         n\n", 15);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_valid_whatever_the_names_hold),
        cmocka_unit_test(members_of_structs_are_json),
        cmocka_unit_test(numbers_and_flags_are_json),
        cmocka_unit_test(csv_reads_back_whatever_the_names_hold),
        cmocka_unit_test(no_text_in_csv_is_a_formula),
        cmocka_unit_test(text_has_a_line_for_each_row_and_nothing_a_terminal_obeys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
