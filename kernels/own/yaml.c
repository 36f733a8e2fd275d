/* Reads a suite of commands from YAML: each point is a program whose work per iteration
 * is known.
 */
#include "kernels/own/own.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 1000 };

struct point_text {
    char *point, *iterations, *ideals;
    struct {
        char **item;
        unsigned count;
    } command;
    char **unknown;
    unsigned unknown_count;
};

struct file_text {
    char *suite, *summary;
    struct point_text *points;
    unsigned points_count;
};

static const cyaml_schema_value_t word = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED)};
#define TEXT(key)                                                                      \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, struct point_text, key, 0,        \
                           CYAML_UNLIMITED)
static const cyaml_schema_field_t point_fields[] = {
    TEXT(point),
    TEXT(iterations),
    TEXT(ideals),
    CYAML_FIELD_SEQUENCE_COUNT("command", CYAML_FLAG_POINTER, struct point_text,
                               command.item, command.count, &word, 1, WORDS_MOST),
    CYAML_FIELD_SEQUENCE("unknown", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct point_text, unknown, &word, 0, WORDS_MOST),
    CYAML_FIELD_END};
static const cyaml_schema_value_t point_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct point_text, point_fields)};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_STRING_PTR("suite", CYAML_FLAG_POINTER, struct file_text, suite, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("summary", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                           struct file_text, summary, 0, CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("points", CYAML_FLAG_POINTER, struct file_text, points,
                               points_count, &point_schema, 1, RC_OWN_POINTS_MOST),
    CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_text, file_fields)};

/* Adds a term of "2 OPS_DP + LOADS" to the count of its ideal. */
static int add_count(void *context, const struct rc_linear_sum_term *term,
                     struct rc_error *err)
{
    struct rc_own_point *point = context;
    enum rc_ideal ideal;

    if (term->length == 0)
        return rc_fail(err, RC_EUSAGE, "a number without an ideal");
    const int status =
        rc_ideal_read(term->word, term->length, RC_OWN_IDEALS, &ideal, err);
    if (status != RC_OK)
        return status;
    point->count[ideal] =
        (isnan(point->count[ideal]) ? 0 : point->count[ideal]) + term->coefficient;
    return RC_OK;
}

/* Reads the list of ideals whose counts the point does not know. */
static int read_unknown(const struct point_text *from, struct rc_own_point *out,
                        struct rc_error *err)
{
    for (unsigned i = 0; i < from->unknown_count; i++) {
        enum rc_ideal ideal;
        const int status = rc_ideal_read(from->unknown[i], strlen(from->unknown[i]),
                                         RC_OWN_IDEALS, &ideal, err);
        if (status != RC_OK)
            return status;
        if (!isnan(out->count[ideal]))
            return rc_fail(err, RC_EUSAGE, "'%s' has a count", from->unknown[i]);
        out->unknown[ideal] = true;
    }
    return RC_OK;
}

static int read_point(struct rc_yaml *file, const struct point_text *from,
                      size_t number, struct rc_own_point *out, struct rc_error *err)
{
    struct rc_error why = {.rank = -1};
    char where[64];
    bool counted = false;

    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        out->count[i] = NAN;
    out->name = from->point;
    snprintf(where, sizeof where, "points[%zu].iterations", number);
    if (rc_text_count(from->iterations, &out->iterations) != 0)
        return rc_yaml_blame(file, where, err,
                             "iterations: '%s', expected a whole number",
                             from->iterations);
    snprintf(where, sizeof where, "points[%zu].ideals", number);
    if (rc_linear_sum_read(from->ideals, add_count, out, &why) != RC_OK)
        return rc_yaml_blame(file, where, err, "ideals: %s", why.text);
    snprintf(where, sizeof where, "points[%zu].unknown", number);
    if (read_unknown(from, out, &why) != RC_OK)
        return rc_yaml_blame(file, where, err, "unknown: %s", why.text);
    snprintf(where, sizeof where, "points[%zu].command", number);
    char **words = rc_calloc((size_t)from->command.count + 1, sizeof(void *));
    if (!words)
        return rc_fail(err, RC_ENOMEM, "no memory for a command");
    for (unsigned i = 0; i < from->command.count; i++) {
        words[i] = from->command.item[i];
        counted |= strcmp(words[i], "{iterations}") == 0;
    }
    out->command = words;
    if (!counted || strcmp(words[0], "{iterations}") == 0 || !*words[0])
        return rc_yaml_blame(file, where, err,
                             "command: expected a program and among its arguments "
                             "'{iterations}', which stands for their number");
    return RC_OK;
}

int rc_own_read_yaml(const char *path, struct rc_own_suite *out, struct rc_error *err)
{
    struct rc_yaml file = {0};
    void *data = NULL;
    int status;

    *out = (struct rc_own_suite){.name = NULL};
    if ((status = rc_yaml_open(path, RC_FILE_GIVEN, &file, err)) != RC_OK)
        return status;
    if ((status = rc_yaml_load(&file, &file_schema, &data, err)) != RC_OK)
        goto out;
    const struct file_text *text = data;
    out->name = text->suite;
    out->summary = text->summary ? text->summary : "commands of the user's";
    out->kept = data;
    out->point = rc_calloc(text->points_count, sizeof *out->point);
    if (!out->point) {
        status = rc_fail(err, RC_ENOMEM, "no memory for %u points", text->points_count);
        goto out;
    }
    out->count = text->points_count;
    for (unsigned i = 0; i < text->points_count; i++)
        if ((status = read_point(&file, &text->points[i], i, &out->point[i], err)) !=
            RC_OK)
            goto out;
out:
    rc_yaml_fini(&file);
    return status;
}

void rc_own_suite_fini(struct rc_own_suite *suite)
{
    for (size_t i = 0; suite->point && i < suite->count; i++)
        free((void *)suite->point[i].command);
    free(suite->point);
    if (suite->kept)
        rc_yaml_free(&file_schema, suite->kept);
    *suite = (struct rc_own_suite){.name = NULL};
}
