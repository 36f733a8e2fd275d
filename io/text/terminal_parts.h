/* terminal_parts.h - what the files of io/text/terminal.h share */
#ifndef RC_IO_TEXT_TERMINAL_PARTS_H
#define RC_IO_TEXT_TERMINAL_PARTS_H

#include "io/text/terminal.h"

/* A character as it is shown. */
struct rc_glyph {
    const char *shown;  /* the text itself, or "?" */
    size_t shown_bytes; /* of 'shown', which may be followed by others */
    size_t columns;     /* of the terminal that it takes */
    size_t bytes;       /* that it takes in the text; 0 at its end */
};
/* The character that the text begins with. */
struct rc_glyph rc_glyph_at(const struct rc_page *page, const char *text);

/* Shows the text up to 'end' (NULL: its end); gives the columns. */
size_t rc_page_show(const struct rc_page *page, const char *text, const char *end);

/* The part of the text that fits into 'columns': up to the last blank that does, or in
 * the midst of a word where that word alone is longer and 'page->whole' is not set.
 * Gives its end; '*columns' is what it takes.  At least one character fits.
 */
const char *rc_page_fit(const struct rc_page *page, const char *text, size_t *columns);

#endif
