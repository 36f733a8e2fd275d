#include "tests/lib/test.h"

#include "campaign/base/yaml.h"

#include <stdlib.h>
#include <string.h>

struct item {
    char *name, *counts;
};

struct file {
    char *source;
    struct item *events;
    unsigned events_count;
    char **suites;
    unsigned suites_count;
};

static const cyaml_schema_field_t item_fields[] = {
    CYAML_FIELD_STRING_PTR("name", CYAML_FLAG_POINTER, struct item, name, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("counts", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                           struct item, counts, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t item_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct item, item_fields)};
static const cyaml_schema_value_t text_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_STRING_PTR("source", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                           struct file, source, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("events", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct file, events, &item_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE("suites", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct file, suites, &text_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file, file_fields)};

static int load(const char *text, size_t bytes, struct rc_yaml *file, void **out,
                struct rc_error *err)
{
    assert_int_equal(rc_yaml_from_text("f.yaml", text, bytes, file, err), RC_OK);
    return rc_yaml_load(file, &schema, out, err);
}

static void bad_files_are_refused_with_file_line_and_expectation(void **state)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "f.yaml:1: empty, expected a mapping of keys"},
        {"# nothing\n", "f.yaml:1: empty, expected a mapping of keys"},
        {"word", "f.yaml:1: expected a mapping of keys, found a single value"},
        {"[a]", "f.yaml:1: expected a mapping of keys, found a list"},
        {"sauce: x", "f.yaml:1: unknown key 'sauce', did you mean 'source'?"},
        {"\n\nzzzzzzzz: x",
         "f.yaml:3: unknown key 'zzzzzzzz', expected one of: source, events, suites"},
        {"source: x\nsource: y", "f.yaml:2: key 'source' is given twice"},
        {"source: [a]", "f.yaml:1: 'source': expected a single value, found a list"},
        {"source:\n  a: b",
         "f.yaml:2: 'source': expected a single value, found a mapping"},
        {"events: x", "f.yaml:1: 'events': expected a list, found a single value"},
        {"events:\n- name: a\n- counts: b", "f.yaml:3: key 'name' is missing"},
        {"events:\n- name: a\n  count: b",
         "f.yaml:3: unknown key 'count', did you mean 'counts'?"},
        {"source: &a x\nsuites: [*a]",
         "f.yaml:1: anchors and aliases are not accepted here: write it out"},
        {"suites: [*a]",
         "f.yaml:1: anchors and aliases are not accepted here: write it out"},
        {"&k source: x",
         "f.yaml:1: anchors and aliases are not accepted here: write it out"},
        {"[a, b]: x", "f.yaml:1: expected a key, found a list"},
        {"source: a\n---\nsource: b", "f.yaml:2: a second document, expected one"},
        {"source: \"a\\0b\"", "f.yaml:1: a NUL character in a value"},
        {"source: [a", "f.yaml:1: 'source': expected a single value, found a list"},
        {"suites: [a\n", "f.yaml:2: not YAML: did not find expected ',' or ']'"},
        {"\tsource: x",
         "f.yaml:1: not YAML: found character that cannot start any token"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_yaml file;
        void *data;
        assert_int_equal(load(bad[i].text, strlen(bad[i].text), &file, &data, &err),
                         RC_EUSAGE);
        assert_null(data);
        assert_string_equal(err.text, bad[i].message);
        rc_yaml_fini(&file);
    }
}

static void bytes_that_are_not_text_are_refused(void **state)
{
    static const char *const bad[] = {"source: \xff\xfe", "source: \x01", "\xff"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_yaml file;
        void *data;
        assert_int_equal(load(bad[i], strlen(bad[i]), &file, &data, &err), RC_EUSAGE);
        assert_non_null(strstr(err.text, "not YAML"));
        rc_yaml_fini(&file);
    }
}

static void missing_and_unreadable_files_are_named(void **state)
{
    struct rc_error err = {0};
    struct rc_yaml file;

    (void)state;
    assert_int_equal(rc_yaml_open("/nowhere/f.yaml", RC_FILE_GIVEN, &file, &err),
                     RC_EMISSING);
    assert_string_equal(err.text,
                        "cannot open '/nowhere/f.yaml': No such file or directory");
    assert_true(rc_yaml_open("/", RC_FILE_GIVEN, &file, &err) < 0);
    assert_string_equal(err.text, "'/' is a directory, expected a file");
}

static void a_reader_can_blame_a_value_by_its_path(void **state)
{
    const char *text = "source: x\nevents:\n- name: a\n- name: b\n  counts: 3 Z\n";
    struct rc_error err = {0};
    struct rc_yaml file;
    void *data;

    (void)state;
    assert_int_equal(load(text, strlen(text), &file, &data, &err), RC_OK);
    assert_int_equal(
        rc_yaml_blame(&file, "events[1].counts", &err, "no ideal '%s'", "Z"),
        RC_EUSAGE);
    assert_string_equal(err.text, "f.yaml:5: no ideal 'Z'");
    rc_yaml_free(&schema, data);
    rc_yaml_fini(&file);
}

static void values_are_found_by_their_lines(void **state)
{
    const char *text = "source: x\nevents:\n- name: a\n\n-\n  name: b\n"
                       "suites: [a,\n b]\n";
    static const struct {
        const char *where;
        size_t line;
    } items[] = {{"events[0]", 3}, {"events[1]", 6},   {"suites[0]", 7},
                 {"suites[1]", 8}, {"suites[2]", 0},   {"source", 1},
                 {"", 1},          {"events[1].x", 0}, {"events[0]", 3}};
    struct rc_error err = {0};
    struct rc_yaml file;
    void *data;

    (void)state;
    assert_int_equal(load(text, strlen(text), &file, &data, &err), RC_OK);
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        assert_int_equal(rc_yaml_line(&file, items[i].where), items[i].line);
    rc_yaml_free(&schema, data);
    rc_yaml_fini(&file);
    assert_int_equal(load("source: x", 9, &file, &data, &err), RC_OK);
    assert_int_equal(rc_yaml_line(&file, "events[0]"), 0);
    rc_yaml_free(&schema, data);
    rc_yaml_fini(&file);
}

static void what_is_saved_loads_again(void **state)
{
    char *suites[] = {"",           "yes",      "~",    "1",
                      "- a",        "a: b # c", "\"q'", "\xf0\x9f\x98\x80 \xc3\xa9",
                      "line\nline", " blank ",  "*x",   "&x",
                      "%",          "@y"};
    unsigned count = sizeof suites / sizeof suites[0];
    struct file out = {.source = "papi", .suites = suites, .suites_count = count};
    struct rc_error err = {0};
    struct rc_yaml file;
    char *text;
    size_t bytes;
    void *data;

    (void)state;
    assert_int_equal(rc_yaml_save(&schema, &out, &text, &bytes, &err), RC_OK);
    assert_int_equal(load(text, bytes, &file, &data, &err), RC_OK);
    struct file *back = data;
    assert_string_equal(back->source, "papi");
    assert_int_equal(back->suites_count, count);
    for (unsigned i = 0; i < count; i++)
        assert_string_equal(back->suites[i], suites[i]);
    rc_yaml_free(&schema, data);
    rc_yaml_fini(&file);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_file_line_and_expectation),
        cmocka_unit_test(bytes_that_are_not_text_are_refused),
        cmocka_unit_test(missing_and_unreadable_files_are_named),
        cmocka_unit_test(a_reader_can_blame_a_value_by_its_path),
        cmocka_unit_test(values_are_found_by_their_lines),
        cmocka_unit_test(what_is_saved_loads_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
