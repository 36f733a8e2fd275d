/* Results as lines: the point's number, and its reading. */
#include "io/import/parts.h"

#include <string.h>

static const char *const axes[] = {"point", NULL};
static const char *const ideals[] = {NULL};
static const struct rc_import_suite added_suite = {.name = "added-import",
                                                   .summary = "lines of points",
                                                   .axes = axes,
                                                   .ideals = ideals};

static const struct rc_import_suite *added_find(const char *name, size_t *event_bytes)
{
    const char *dot = strrchr(name, '.');

    if (!dot || strcmp(dot, ".added") != 0)
        return NULL;
    *event_bytes = (size_t)(dot - name);
    return &added_suite;
}

static int added_read(const struct rc_import_suite *suite, const char *text,
                      size_t bytes, struct rc_import_file *out, struct rc_error *err)
{
    struct rc_lines lines = {.at = text, .end = text + bytes};
    struct rc_import_number key, reading;
    struct rc_words words;
    double *basis;
    int status;

    *out = (struct rc_import_file){.suite = suite, .place_count = 1};
    while (rc_lines_next(&lines, &status, err)) {
        rc_words_begin(&words, &lines);
        if ((status = rc_words_number(&words, "a point", &key, err)) ||
            (status = rc_words_number(&words, "a reading", &reading, err)) ||
            (status = rc_words_done(&words, err)))
            return status;
        const struct rc_import_point point = {.axis = {key.digits}};
        if ((status = rc_import_add_point(out, &point, &basis, err, "point-%lld",
                                          (long long)key.digits)) ||
            (status = rc_import_add_number(out, reading, err)))
            return status;
    }
    out->is_empty = out->point_count == 0;
    return status;
}

const struct rc_import_format rc_import_added = {
    .name = "added",
    .summary = "lines of points",
    .source = "added",
    .label = "added: imported",
    .endings = "'.added'",
    .evidence = "the files do not say it",
    .no_reading = "the file is empty",
    .find = added_find,
    .read = added_read,
};
