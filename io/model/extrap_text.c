/* Extra-P's text: sections PARAMETER, POINTS, METRIC, REGION and DATA, a line each.
 *
 * METRIC and REGION hold for the DATA lines after them, of which there is one for each
 * point, in the order of POINTS.  A DATA line without numbers is a point that was not
 * measured.
 */
#include "io/model/parts.h"

#include "campaign/base/memory.h"
#include "io/text/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct text {
    struct rc_lines lines;
    struct rc_words words;
    char *parameter[RC_MEASURED_DRAFT_PARAMETERS];
    size_t parameters;
    double *at; /* [point][parameter] */
    size_t numbers, room;
    char *metric, *region;
    size_t data; /* DATA lines of this metric and region */
    struct rc_measured_draft **draft;
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for Extra-P's text");
}

static int fail_line(const struct text *t, const char *expected, struct rc_error *err)
{
    return rc_lines_fail(&t->lines, t->lines.line, t->lines.length, expected, err);
}

static int read_parameter(struct text *t, struct rc_error *err)
{
    if (t->numbers > 0)
        return fail_line(t, "PARAMETER in front of POINTS", err);
    if (t->words.at == t->words.end)
        return fail_line(t, "names of parameters", err);
    while (rc_words_next(&t->words)) {
        if (t->parameters == RC_MEASURED_PARAMETERS)
            return fail_line(t, "at most 4 parameters", err);
        t->parameter[t->parameters] = strndup(t->words.word, t->words.length);
        if (!t->parameter[t->parameters])
            return fail_memory(err);
        t->parameters++;
    }
    return RC_OK;
}

/* Points may stand in parentheses, and each number in further ones. */
static int read_points(struct text *t, struct rc_error *err)
{
    size_t depth = 0;

    if (t->parameters == 0 || *t->draft)
        return fail_line(t, "POINTS after PARAMETER, and in front of DATA", err);
    for (const char *at = t->words.at, *end = t->words.end; at < end;) {
        const char *word = at++;
        if (*word == ' ' || *word == '\t')
            continue;
        if (*word == '(' && depth < 2) {
            depth++;
        } else if (*word == ')' && depth > 0) {
            if (--depth == 0 && t->numbers % t->parameters)
                return fail_line(t, "a number for each parameter in each point", err);
        } else {
            double value;
            while (at < end && !strchr(" \t()", *at))
                at++;
            if (!rc_measured_number(word, (size_t)(at - word), &value) || value <= 0)
                return rc_lines_fail(&t->lines, word, (size_t)(at - word),
                                     "a number above 0", err);
            if (rc_grow(&t->at, sizeof *t->at, t->numbers, &t->room))
                return fail_memory(err);
            t->at[t->numbers++] = value;
        }
    }
    if (depth > 0 || t->numbers % t->parameters || t->numbers == 0)
        return fail_line(t, "a number for each parameter in each point", err);
    return RC_OK;
}

/* The DATA lines of a metric and region are complete. */
static int end_data(struct text *t, struct rc_error *err)
{
    const size_t points = t->parameters ? t->numbers / t->parameters : 0;
    const size_t found = t->data;

    t->data = 0;
    if (found == 0 || found == points)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE,
                   "line %zu: %zu DATA lines up to here, expected %zu, one for each "
                   "point",
                   t->lines.number, found, points);
}

/* Keeps the rest of the line, without blanks at its end. */
static int read_name(struct text *t, char **name, struct rc_error *err)
{
    const char *end = t->words.end;
    const int status = end_data(t, err);

    while (t->words.at < end && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    free(*name);
    *name = strndup(t->words.at, (size_t)(end - t->words.at));
    return status != RC_OK || *name ? status : fail_memory(err);
}

static int read_metric(struct text *t, struct rc_error *err)
{
    return read_name(t, &t->metric, err);
}

static int read_region(struct text *t, struct rc_error *err)
{
    return read_name(t, &t->region, err);
}

static int read_data(struct text *t, struct rc_error *err)
{
    const struct rc_measured_metric metric =
        rc_measured_guess(t->metric ? t->metric : "", "");
    const size_t at = t->data++ * t->parameters;
    int status = RC_OK;

    if (t->numbers == 0)
        return fail_line(t, "DATA after PARAMETER and POINTS", err);
    if (at >= t->numbers)
        return fail_line(t, "as many lines with DATA as there are points", err);
    if (!*t->draft)
        status = rc_measured_begin((const char *const *)t->parameter, t->parameters,
                                   t->draft, err);
    while (status == RC_OK && rc_words_next(&t->words)) {
        double value;
        if (!rc_measured_number(t->words.word, t->words.length, &value) || value < 0)
            return rc_lines_fail(&t->lines, t->words.word, t->words.length,
                                 "a number from 0 on", err);
        status = rc_measured_add_path(*t->draft, t->at + at, t->region ? t->region : "",
                                      &metric, value, NAN, err);
    }
    if (status != RC_OK)
        rc_error_prefix(err, "line %zu: ", t->lines.number);
    return status;
}

static const struct {
    const char *word;
    int (*read)(struct text *t, struct rc_error *err);
} sections[] = {
    {"PARAMETER", read_parameter}, {"POINTS", read_points}, {"METRIC", read_metric},
    {"REGION", read_region},       {"DATA", read_data},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* Reads a line; SIZE_MAX: it is of no section. */
static size_t find_section(const struct rc_words *words)
{
    for (size_t i = 0; i < SECTIONS; i++)
        if (words->length == strlen(sections[i].word) &&
            memcmp(words->word, sections[i].word, words->length) == 0)
            return i;
    return SIZE_MAX;
}

/* Moves to the next line that is neither blank nor a comment, past its first word and
 * the blanks after it.
 */
static bool next_section(struct text *t, int *status, struct rc_error *err)
{
    while (rc_lines_next(&t->lines, status, err)) {
        rc_words_begin(&t->words, &t->lines);
        if (!rc_words_next(&t->words) || *t->words.word == '#')
            continue;
        while (t->words.at < t->words.end && strchr(" \t", *t->words.at))
            t->words.at++;
        return true;
    }
    return false;
}

static bool is_text(char *text, size_t bytes)
{
    struct text t = {.lines = {.at = text, .end = text + bytes, .open = true}};
    int status;

    return next_section(&t, &status, NULL) && find_section(&t.words) < SECTIONS;
}

static int read_text(char *text, size_t bytes, struct rc_measured_draft **draft,
                     struct rc_error *err)
{
    struct text t = {.lines = {.at = text, .end = text + bytes, .open = true},
                     .draft = draft};
    int status = RC_OK;

    while (status == RC_OK && next_section(&t, &status, err)) {
        const size_t i = find_section(&t.words);
        status = i < SECTIONS
                     ? sections[i].read(&t, err)
                     : rc_lines_fail(&t.lines, t.words.word, t.words.length,
                                     "PARAMETER, POINTS, METRIC, REGION or DATA", err);
    }
    if (status == RC_OK)
        status = end_data(&t, err);
    if (status == RC_OK && !*draft)
        status = rc_fail(err, RC_EUSAGE, "line %zu is the last, expected DATA",
                         t.lines.number);
    for (size_t i = 0; i < t.parameters; i++)
        free(t.parameter[i]);
    free(t.at);
    free(t.metric);
    free(t.region);
    return status;
}

const struct rc_measured_form rc_measured_extrap_text = {
    .origin = "Extra-P's text", .is = is_text, .read = read_text};
