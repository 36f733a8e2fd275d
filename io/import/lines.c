/* Reads the numbers of other tools' files.  Every error has the line, the word and what
 * was expected.
 *
 * Numbers are read as decimal digits and the place of the point, not as floating point:
 * readings are whole numbers in rollcall, and numbers that a tool has rounded must not
 * be rounded again.
 */
#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/import/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DECIMALS_MOST = 18, /* after the point, as many as 64 bits hold */
    NAME_BYTES = 200    /* of the name of a point */
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the file");
}

bool rc_lines_begins(const struct rc_lines *l, const char *with)
{
    return l->length >= strlen(with) && memcmp(l->line, with, strlen(with)) == 0;
}

void rc_lines_comment(const struct rc_lines *l, char *out, size_t room)
{
    size_t at = 0;

    while (at < l->length && (l->line[at] == '#' || l->line[at] == ' '))
        at++;
    const size_t length = l->length - at < room ? l->length - at : room - 1;
    snprintf(out, room, "%.*s", (int)length, l->line + at);
}

int rc_lines_end(const struct rc_lines *lines, const char *expected,
                 struct rc_error *err)
{
    return rc_fail(err, RC_EUSAGE, "line %zu is the last, expected %s: it was cut off",
                   lines->number, expected);
}

int rc_words_number(struct rc_words *w, const char *expected,
                    struct rc_import_number *out, struct rc_error *err)
{
    size_t digits = 0;
    bool behind = false;

    *out = (struct rc_import_number){0};
    (void)rc_words_next(w); /* at the end of the line the word is empty */
    for (size_t i = 0; i < w->length; i++) {
        const int digit = w->word[i] - '0';
        if (w->word[i] == '.' && !behind) {
            behind = true;
            continue;
        }
        if (digit < 0 || digit > 9 || out->digits > (INT64_MAX - digit) / 10)
            return rc_lines_fail(w->lines, w->word, w->length, expected, err);
        out->digits = out->digits * 10 + digit;
        out->decimals += behind;
        digits++;
    }
    for (; out->decimals > 0 && out->digits % 10 == 0; out->decimals--)
        out->digits /= 10;
    if (digits == 0 || out->decimals > DECIMALS_MOST)
        return rc_lines_fail(w->lines, w->word, w->length, expected, err);
    return RC_OK;
}

int rc_words_done(struct rc_words *w, struct rc_error *err)
{
    if (rc_words_next(w))
        return rc_lines_fail(w->lines, w->word, w->length, "the end of the line", err);
    return RC_OK;
}

/* Ideals are NAN until the caller sets them. */
int rc_import_add_point(struct rc_import_file *file,
                        const struct rc_import_point *point, double **basis,
                        struct rc_error *err, const char *format, ...)
{
    char name[NAME_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    rc_text_printable(name, sizeof name, name);
    if (rc_grow(&file->point, sizeof *file->point, file->point_count, &file->room))
        return fail_memory(err);
    file->point[file->point_count] = *point;
    if (!(file->point[file->point_count].name = strdup(name)))
        return fail_memory(err);
    file->point_count++;
    const size_t first = file->basis_count;
    for (size_t i = 0; file->suite->ideals[i]; i++) {
        if (rc_grow(&file->basis, sizeof *file->basis, file->basis_count,
                    &file->basis_room))
            return fail_memory(err);
        file->basis[file->basis_count++] = NAN;
    }
    *basis = file->basis ? file->basis + first : NULL;
    return RC_OK;
}

int rc_import_add_number(struct rc_import_file *file, struct rc_import_number number,
                         struct rc_error *err)
{
    if (rc_grow(&file->number, sizeof *file->number, file->number_count,
                &file->number_room))
        return fail_memory(err);
    file->number[file->number_count++] = number;
    return RC_OK;
}
