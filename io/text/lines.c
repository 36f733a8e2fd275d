/* Reads texts by lines and words.  Every error has the line, the word and what was
 * expected.
 */
#include "io/text/lines.h"

#include "campaign/base/text.h"

#include <stdio.h>
#include <string.h>

/* Empty lines are skipped; "\r\n" ends a line, too. */
bool rc_lines_next(struct rc_lines *l, int *status, struct rc_error *err)
{
    *status = RC_OK;
    for (l->length = 0; l->length == 0;) {
        if (l->at == l->end)
            return false;
        const char *end = memchr(l->at, '\n', (size_t)(l->end - l->at));
        l->number++;
        if (!end && !l->open) {
            *status = rc_fail(err, RC_EUSAGE,
                              "line %zu: the file ends within a line, it was cut off",
                              l->number);
            return false;
        }
        l->line = l->at;
        l->length = (size_t)((end ? end : l->end) - l->at);
        l->at = end ? end + 1 : l->end;
        if (l->length && l->line[l->length - 1] == '\r')
            l->length--;
    }
    return true;
}

/* A long word is cut, and a terminal's control characters are not shown. */
int rc_lines_fail(const struct rc_lines *lines, const char *word, size_t length,
                  const char *expected, struct rc_error *err)
{
    char copy[64], printable[64];

    snprintf(copy, sizeof copy, "%.*s", (int)(length < 40 ? length : 40), word);
    return rc_fail(err, RC_EUSAGE, "line %zu: '%s%s', expected %s", lines->number,
                   rc_text_printable(printable, sizeof printable, copy),
                   length > 40 ? "..." : "", expected);
}

void rc_words_begin(struct rc_words *words, const struct rc_lines *lines)
{
    *words = (struct rc_words){
        .lines = lines, .at = lines->line, .end = lines->line + lines->length};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool rc_words_next(struct rc_words *w)
{
    while (w->at < w->end && is_blank(*w->at))
        w->at++;
    w->word = w->at;
    while (w->at < w->end && !is_blank(*w->at))
        w->at++;
    w->length = (size_t)(w->at - w->word);
    return w->length > 0;
}
