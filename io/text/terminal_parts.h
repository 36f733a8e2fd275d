/* terminal_parts.h - shared by the files of io/text/terminal.h */
#ifndef RC_IO_TEXT_TERMINAL_PARTS_H
#define RC_IO_TEXT_TERMINAL_PARTS_H

#include "io/text/terminal.h"

/* A character as shown. */
struct rc_glyph {
    const char *shown;  /* the text itself, or "?" */
    size_t shown_bytes; /* of 'shown', which may continue after them */
    size_t columns;     /* its width on the terminal */
    size_t bytes;       /* its bytes in the text; 0 at the end */
};
/* The first character of the text. */
struct rc_glyph rc_glyph_at(const struct rc_page *page, const char *text);

/* Shows the text up to 'end' (NULL: all of it); returns the columns. */
size_t rc_page_show(const struct rc_page *page, const char *text, const char *end);

/* Finds how much of the text fits into 'columns': up to the last blank that does, or
 * into a word that is too long by itself, unless 'page->whole' is set.  Returns its
 * end; '*columns' is its width.  At least one character fits.
 */
const char *rc_page_fit(const struct rc_page *page, const char *text, size_t *columns);

#endif
