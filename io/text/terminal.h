/* terminal.h - text for people, laid out by the columns that a terminal shows
 *
 * A page is a stream with a width.  Paragraphs are wrapped within it, and tables are
 * fitted into it.  Text in any encoding is taken: control characters, characters that
 * turn the direction of a line or hide in it, and bytes that are not UTF-8 are shown
 * as '?'.  Wide characters take two columns, combining ones none.
 *
 *     struct rc_page page;
 *
 *     rc_page_init(&page, stdout);
 *     page.indent = 2;
 *     rc_page_words(&page, "%zu events:", count);
 *     for (size_t i = 0; i < count; i++)
 *         rc_page_word(&page, name[i]);
 *     rc_page_end(&page);
 *     rc_page_fini(&page);
 *
 * Whether the stream could be written, ferror() tells at the end.
 */
#ifndef RC_IO_TEXT_TERMINAL_H
#define RC_IO_TEXT_TERMINAL_H

#include "campaign/base/error.h"

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { RC_PAGE_WIDTH = 80, RC_PAGE_LEAST = 20, RC_PAGE_MOST = 1000 };

struct rc_page {
    FILE *out;    /* borrowed */
    size_t width; /* columns of a line */
    bool whole;   /* words that are longer than a line stay in one piece, for programs
                   * that look for them; on a terminal they are broken */
    bool colour;
    size_t indent, hang; /* columns in front of a paragraph's first line, the others */
    size_t at;           /* columns used in the line; 0 before a paragraph */
    locale_t locale;     /* that knows the widths of characters; 0: all are 1 */
};

/* A terminal that does not say its width counts as none: that is what mpirun gives its
 * processes, whatever it writes to itself.  The width is that of the terminal, else
 * what COLUMNS says, else RC_PAGE_WIDTH, and at least RC_PAGE_LEAST.  Colour is used on
 * a terminal, unless TERM is "dumb" or not set, or NO_COLOR is set and not empty
 * (no-color.org).
 */
void rc_page_init(struct rc_page *page, FILE *out);
void rc_page_fini(struct rc_page *page);

/* Columns that the text takes when it is shown. */
size_t rc_page_columns(const struct rc_page *page, const char *text);

/* A paragraph: words with blanks between them.  rc_page_words() takes the formatted
 * text apart at its blanks; a word of rc_page_word() is one, whatever is in it;
 * rc_page_listed() is one with a mark, such as a comma, that it is not parted from;
 * rc_page_tail() goes right after the last word, or in the next line where there is no
 * room.  Text after rc_page_column() begins in that column, of the next line where it
 * is passed already.  rc_page_end() ends the line, if there is one.  rc_page_begin()
 * ends it, too, and sets the indents: further lines by two columns more than the first.
 * rc_page_line() begins so, with words.
 */
void rc_page_begin(struct rc_page *page, size_t indent);
void rc_page_words(struct rc_page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rc_page_line(struct rc_page *page, size_t indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void rc_page_word(struct rc_page *page, const char *word);
void rc_page_listed(struct rc_page *page, const char *word, const char *mark);
void rc_page_tail(struct rc_page *page, const char *text);
void rc_page_column(struct rc_page *page, size_t column);
void rc_page_end(struct rc_page *page);

/* Text of several lines, which is taken apart: those that are wider than the page are
 * wrapped at their blanks, the others stay as they are, tables included.
 */
void rc_page_text(struct rc_page *page, char *text);

/* How what follows looks, where there is colour: plain again at the end. */
enum rc_style {
    RC_STYLE_PLAIN,
    RC_STYLE_BOLD,
    RC_STYLE_DIM,
    RC_STYLE_BAD,
    RC_STYLE_GOOD,
    RC_STYLE_DOUBTFUL
};
void rc_page_style(struct rc_page *page, enum rc_style style);

/* Words in a style, then plain. */
void rc_page_styled(struct rc_page *page, enum rc_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A table: columns as wide as what is in them, or less where the page is too narrow
 * for all; cells go on in further lines then.  It is kept in memory until it is
 * written.
 */
struct rc_table; /* opaque */

struct rc_table_column {
    const char *name; /* of the header, and NULL after the last */
    bool right;       /* aligned to the right: numbers */
};

/* 'columns' must outlive the table.  NULL: no memory, as rc_table_write() tells, too.
 */
struct rc_table *rc_table_create(const struct rc_table_column *columns);

/* A row has a cell for each column, NULL is an empty one; they are copied.  A newline
 * in a cell is shown as '?', too: further lines of a cell are rows of their own.
 * Accepts NULL; what has no memory, rc_table_write() tells.
 */
void rc_table_put(struct rc_table *table, enum rc_style style,
                  const char *const *cells);

/* Writes the table after page->indent columns, the header first, if there is a row.
 * Words that stay whole stick out of their columns where they are very long: what
 * follows in the row begins in the next line then.
 */
int rc_table_write(const struct rc_table *table, struct rc_page *page,
                   struct rc_error *err);
void rc_table_close(struct rc_table *table); /* accepts NULL */

#endif
