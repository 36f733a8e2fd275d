/* Lists of values for axes: reads and checks them. */
#include "kernels/axes.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MOST = 64, SUGGESTED_MOST = 32 };

/* The reading of one list. */
struct reader {
    const struct rc_axis *axis;
    struct rc_axis_values *out;
    size_t room;
    struct rc_error *err;
};

/* A copy of a part of a list, cut to what a word or a number may have. */
static void copy_part(char out[WORD_MOST], const char *text, size_t length)
{
    snprintf(out, WORD_MOST, "%.*s", (int)(length < WORD_MOST ? length : WORD_MOST - 1),
             text);
    rc_text_printable(out, WORD_MOST, out);
}

static int read_number(const char *text, size_t length, int64_t *out,
                       struct rc_error *err)
{
    char part[WORD_MOST];
    uint64_t value;

    copy_part(part, text, length);
    if (length >= WORD_MOST ||
        (strchr(part, '.') && isdigit((unsigned char)part[length - 1])) ||
        (rc_text_count(part, &value) && rc_text_size(part, &value)) ||
        value > INT64_MAX)
        return rc_fail(err, RC_EUSAGE, "a whole number or a size such as 64K, not '%s'",
                       part);
    *out = (int64_t)value;
    return RC_OK;
}

static int add_value(struct reader *r, int64_t value)
{
    const struct rc_axis *axis = r->axis;
    struct rc_axis_values *out = r->out;

    if (!axis->words && (value < axis->least || value > axis->most))
        return rc_fail(r->err, RC_EUSAGE,
                       "values of %" PRId64 " to %" PRId64 ", not '%" PRId64 "'",
                       axis->least, axis->most, value);
    for (size_t i = 0; i < out->count; i++)
        if (out->value[i] == value)
            return axis->words
                       ? rc_fail(r->err, RC_EUSAGE, "each value once, not '%s' again",
                                 axis->words[value])
                       : rc_fail(r->err, RC_EUSAGE,
                                 "each value once, not '%" PRId64 "' again", value);
    if (out->count == RC_AXIS_VALUES_MOST)
        return rc_fail(r->err, RC_EUSAGE, "at most %d values", RC_AXIS_VALUES_MOST);
    if (rc_grow(&out->value, sizeof *out->value, out->count, &r->room))
        return rc_fail(r->err, RC_ENOMEM, "no memory for the values of an axis");
    out->value[out->count++] = value;
    return RC_OK;
}

static int read_word(struct reader *r, const char *text, size_t length)
{
    char part[WORD_MOST], line[RC_ERROR_TEXT] = "";

    copy_part(part, text, length);
    const int word = length < WORD_MOST ? rc_word_find(part, r->axis->words) : -1;
    if (word >= 0)
        return add_value(r, word);
    const int near = rc_text_nearest(part, r->axis->words);
    rc_text_append_list(line, sizeof line, r->axis->words);
    rc_text_append(line, sizeof line, ", not '%s'", part);
    if (near >= 0)
        rc_text_append(line, sizeof line, ", did you mean '%s'?", r->axis->words[near]);
    return rc_fail(r->err, RC_EUSAGE, "one of %s", line);
}

/* "FROM..TO", "FROM..TO/STEP" or "FROM..TO*FACTOR"; 'dots' is its "..". */
static int read_range(struct reader *r, const char *text, size_t length,
                      const char *dots)
{
    const char *second = dots + 2, *end = text + length, *mark = second;
    int64_t from, to, by = 1;
    int status;

    while (mark < end && *mark != '/' && *mark != '*')
        mark++;
    const bool times = mark < end && *mark == '*';
    if ((status = read_number(text, (size_t)(dots - text), &from, r->err)) ||
        (status = read_number(second, (size_t)(mark - second), &to, r->err)) ||
        (mark < end &&
         (status = read_number(mark + 1, (size_t)(end - mark - 1), &by, r->err))))
        return status;
    if (to <= from || (times && from == 0))
        return rc_fail(r->err, RC_EUSAGE, "a range that %s, not '%.*s'",
                       to <= from ? "rises" : "begins above 0", (int)length, text);
    if (by < (times ? 2 : 1))
        return rc_fail(r->err, RC_EUSAGE, "a %s of %d or more, not '%" PRId64 "'",
                       times ? "factor" : "step", times ? 2 : 1, by);
    for (int64_t value = from;; value = times ? value * by : value + by)
        if ((status = add_value(r, value)) != RC_OK ||
            (times ? value > to / by : value > to - by))
            return status;
}

static int read_item(struct reader *r, const char *text, size_t length)
{
    int64_t value;
    int status;

    if (length == 0)
        return rc_fail(r->err, RC_EUSAGE, "a value between commas");
    if (r->axis->words)
        return read_word(r, text, length);
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return read_range(r, text, length, text + i);
    status = read_number(text, length, &value, r->err);
    return status == RC_OK ? add_value(r, value) : status;
}

int rc_axis_read(const struct rc_axis *axis, const char *list,
                 struct rc_axis_values *out, struct rc_error *err)
{
    struct reader r = {.axis = axis, .out = out, .err = err};
    int status = RC_OK;

    *out = (struct rc_axis_values){0};
    for (const char *at = list; at && status == RC_OK;) {
        const size_t length = strcspn(at, ",");
        status = read_item(&r, at, length);
        at = at[length] ? at + length + 1 : NULL;
    }
    if (status != RC_OK)
        rc_axis_values_fini(out);
    return status;
}

void rc_axis_values_fini(struct rc_axis_values *values)
{
    free(values->value);
    *values = (struct rc_axis_values){0};
}

/* The list of "NAME=LIST", or NULL: the item has another name. */
static const char *list_of(const char *item, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(item, name, length) == 0 && item[length] == '=' ? item + length + 1
                                                                   : NULL;
}

int rc_axis_chosen(const struct rc_suite_request *request, const struct rc_axis *axis,
                   struct rc_axis_values *out, struct rc_error *err)
{
    const struct rc_axes *axes = request->axes;
    const char *list = NULL;

    for (size_t i = 0; axes && i < axes->count && !list; i++)
        list = list_of(axes->item[i], axis->name);
    list = list ? list : axis->standard;
    const int status = rc_axis_read(axis, list, out, err);
    if (status != RC_OK)
        rc_error_prefix(err, "axis '%s': expected ", axis->name);
    return status;
}

int rc_axes_check_text(const char *text, struct rc_error *err)
{
    static const struct rc_axis any = {.name = "", .least = 0, .most = INT64_MAX};
    const char *list = strchr(text, '=');
    struct rc_axis_values values;

    if (!list || list == text)
        return rc_fail(err, RC_EUSAGE, "NAME=LIST");
    if (isalpha((unsigned char)list[1]))
        return RC_OK; /* words, which suites know */
    const int status = rc_axis_read(&any, list + 1, &values, err);
    rc_axis_values_fini(&values);
    return status;
}

/* Checks one item with all suites that are wanted. */
static int check_item(const char *item, const struct rc_suite *const *suites,
                      bool (*wanted)(const struct rc_suite *suite, const void *of),
                      const void *of, struct rc_error *err)
{
    const char *names[SUGGESTED_MOST + 1] = {NULL};
    struct rc_axis_values values;
    size_t count = 0;
    bool found = false;
    char name[WORD_MOST];

    for (size_t i = 0; suites[i]; i++) {
        const struct rc_axis *axis = suites[i]->chosen;
        for (; axis && axis->name && wanted(suites[i], of); axis++) {
            const char *list = list_of(item, axis->name);
            if (count < SUGGESTED_MOST && rc_word_find(axis->name, names) < 0)
                names[count++] = axis->name;
            if (!list)
                continue;
            found = true;
            const int status = rc_axis_read(axis, list, &values, err);
            rc_axis_values_fini(&values);
            if (status != RC_OK) {
                rc_error_prefix(err, "suite '%s': axis '%s': expected ",
                                suites[i]->name, axis->name);
                return status;
            }
        }
    }
    if (found)
        return RC_OK;
    copy_part(name, item, strcspn(item, "="));
    const int near = rc_text_nearest(name, names);
    char line[RC_ERROR_TEXT] = "none of these suites has one";
    if (near >= 0)
        snprintf(line, sizeof line, "did you mean '%s'?", names[near]);
    else if (count) {
        snprintf(line, sizeof line, "expected one of ");
        rc_text_append_list(line, sizeof line, names);
    }
    return rc_fail(err, RC_EUSAGE,
                   "axis '%s': it cannot be chosen in the suites that are wanted, %s",
                   name, line);
}

int rc_axes_check(const struct rc_axes *axes, const struct rc_suite *const *suites,
                  bool (*wanted)(const struct rc_suite *suite, const void *of),
                  const void *of, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < axes->count && status == RC_OK; i++)
        status = check_item(axes->item[i], suites, wanted, of, err);
    return status;
}
