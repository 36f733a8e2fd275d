/* lines.h - reading a text by lines and words */
#ifndef RC_IO_TEXT_LINES_H
#define RC_IO_TEXT_LINES_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* A file, read line by line. */
struct rc_lines {
    const char *at, *end; /* the rest of the file */
    size_t number;        /* of the latest line, from 1 on */
    const char *line;     /* that line, not ended by a 0 */
    size_t length;        /* its bytes */
    bool open;            /* the last line may lack its end */
};

/* Reads the next line that is not empty; false at the end.  A last line without a line
 * end was cut off, unless it may be 'open': *status is RC_EUSAGE then, else RC_OK.
 */
bool rc_lines_next(struct rc_lines *lines, int *status, struct rc_error *err);

/* "line N: 'WORD', expected ..."; the word is printable and cut.  RC_EUSAGE. */
int rc_lines_fail(const struct rc_lines *lines, const char *word, size_t length,
                  const char *expected, struct rc_error *err);

/* The words of a line, separated by blanks and tabs. */
struct rc_words {
    const struct rc_lines *lines;
    const char *at, *end; /* the rest of the line */
    const char *word;     /* the latest one */
    size_t length;        /* its bytes */
};
void rc_words_begin(struct rc_words *words, const struct rc_lines *lines);
bool rc_words_next(struct rc_words *words); /* false: there is no further word */

#endif
