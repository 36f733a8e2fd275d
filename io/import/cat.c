/* Results of PAPI's Counter Analysis Toolkit (CAT): one file for each event and
 * benchmark; parts.h has the grammar.  The benchmarks are a table (cat_points.c).
 *
 * A file may be cut off, as CAT does not report a full disk, and files of older
 * versions do not say what their numbers are.  Both are refused: sections must have the
 * same number of lines, and numbers need a comment before them. docs/for-cat-users.md
 * is the manual.
 */
#include "io/import/parts.h"

#include <math.h>
#include <string.h>

/* Finds the benchmark by the end of the file's name; the event is before it.  An
 * event's name may contain such an ending, too: the last one counts.
 */
static const struct rc_import_suite *cat_find(const char *name, size_t *event_bytes)
{
    const size_t length = strlen(name);

    if (strcmp(name, "cat::latencies.data.reads") == 0)
        return NULL; /* times instead of counts, which rollcall does not import */
    for (const struct rc_cat_benchmark *b = rc_cat_benchmarks; b->ending; b++) {
        const size_t end = strlen(b->ending);
        if (length > end && strcmp(name + length - end, b->ending) == 0) {
            *event_bytes = length - end;
            return &b->suite;
        }
    }
    return NULL;
}

/* Checks that all sections have as many lines; a section with less was cut off. */
static int end_section(struct rc_cat_reader *r, struct rc_error *err)
{
    const size_t lines = r->out->point_count - r->first;

    if (r->sections == 1)
        r->section_lines = lines;
    if (r->sections && (lines == 0 || lines != r->section_lines))
        return rc_lines_end(&r->lines, "as many lines as in the first section", err);
    return RC_OK;
}

/* A comment begins a section, unless it is one of CAT's own or the benchmark's list is
 * fixed.  A comment without numbers after it is a title.
 */
static int read_comment(struct rc_cat_reader *r, const struct rc_cat_benchmark *b,
                        struct rc_error *err)
{
    bool begins = !rc_lines_begins(&r->lines, "#N ");
    int status;

    if (b->comment && (status = b->comment(r, &begins, err)))
        return status;
    if (!begins || b->lines > 0)
        return RC_OK;
    if (r->sections == 0 || r->out->point_count > r->first) {
        if ((status = end_section(r, err)))
            return status;
        r->sections++;
    }
    r->first = r->out->point_count;
    rc_lines_comment(&r->lines, r->section, sizeof r->section);
    return RC_OK;
}

/* Checks that numbers are allowed in this line. */
static int check_line(const struct rc_cat_reader *r, const struct rc_cat_benchmark *b,
                      struct rc_error *err)
{
    if (b->lines == 0 && r->sections == 0)
        return rc_fail(err, RC_EUSAGE,
                       "line %zu: no comment before it says what its numbers mean, as "
                       "in files of PAPI 7.2: those of older versions are not imported",
                       r->lines.number);
    if (b->lines && r->out->point_count == b->lines)
        return rc_fail(err, RC_EUSAGE,
                       "line %zu: expected the end of the file after %zu numbers",
                       r->lines.number, b->lines);
    return RC_OK;
}

/* Reads a line of numbers: the key, which rises within a section, a reading of each
 * thread, and the benchmark's further numbers.  *last is the key of the line before.
 */
static int read_numbers(struct rc_cat_reader *r, const struct rc_cat_benchmark *b,
                        uint64_t *last, struct rc_error *err)
{
    struct rc_import_number number;
    struct rc_words words;
    double behind[RC_CAT_BEHIND_MAX] = {0};
    uint64_t key = 0;
    int status = check_line(r, b, err);

    if (status != RC_OK)
        return status;
    rc_words_begin(&words, &r->lines);
    if (b->key) {
        if ((status = rc_words_number(&words, b->key, &number, err)))
            return status;
        key = (uint64_t)number.digits;
        if (number.decimals)
            return rc_lines_fail(&r->lines, words.word, words.length, b->key, err);
        if (r->out->point_count > r->first && key <= *last)
            return rc_lines_fail(&r->lines, words.word, words.length,
                                 "a number above that of the line before", err);
    }
    for (size_t i = 0; i < r->out->place_count; i++)
        if ((status = rc_words_number(&words, "a number from 0 on of at most 18 digits",
                                      &number, err)) ||
            (status = rc_import_add_number(r->out, number, err)))
            return status;
    for (size_t i = 0; i < b->behind; i++) {
        if ((status =
                 rc_words_number(&words, "a number that CAT expects", &number, err)))
            return status;
        behind[i] = (double)number.digits / pow(10, number.decimals);
    }
    if ((status = rc_words_done(&words, err)))
        return status;
    *last = key;
    return b->point(r, key, behind, err);
}

static int cat_read(const struct rc_import_suite *suite, const char *text, size_t bytes,
                    struct rc_import_file *out, struct rc_error *err)
{
    struct rc_cat_reader r = {.lines = {.at = text, .end = text + bytes}, .out = out};
    const struct rc_cat_benchmark *b = rc_cat_benchmarks;
    uint64_t last = 0;
    int status;

    while (&b->suite != suite)
        b++;
    *out = (struct rc_import_file){.suite = suite, .place_count = 1};
    while (rc_lines_next(&r.lines, &status, err)) {
        status = *r.lines.line == '#' ? read_comment(&r, b, err)
                                      : read_numbers(&r, b, &last, err);
        if (status != RC_OK)
            return status;
    }
    if (status != RC_OK)
        return status;
    out->is_empty = out->point_count == 0;
    if (out->is_empty)
        return RC_OK;
    if (b->lines && out->point_count < b->lines)
        return rc_fail(err, RC_EUSAGE,
                       "line %zu is the last, expected %zu numbers: it was cut off",
                       r.lines.number, b->lines);
    if (b->lines == 0 && (status = end_section(&r, err)))
        return status;
    return b->check ? b->check(&r, err) : RC_OK;
}

const struct rc_import_format rc_import_cat = {
    .name = "cat",
    .summary = "results of PAPI's Counter Analysis Toolkit (cat_collect)",
    .source = "papi",
    .label = "cat: imported from PAPI's Counter Analysis Toolkit, numbers as CAT "
             "rounded, normalised and reduced them (see the suites), times the power "
             "of ten that makes them whole",
    .endings = "'.branch', '.vec', '.flops', '.data.reads', '.data.writes', "
               "'.icache' or '.instr'",
    .evidence = "CAT's files do not say what an event belongs to",
    .no_reading = "CAT left no reading: the event could not be added or started, or "
                  "the disk was full, which CAT does not say",
    .find = cat_find,
    .read = cat_read,
};
