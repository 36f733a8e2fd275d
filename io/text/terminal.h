/* terminal.h - text for people, laid out by the columns that a terminal shows
 *
 * A page is a stream with a width.  Paragraphs are wrapped within it, and tables are
 * fitted into it.  Text may have any encoding: control characters, characters that are
 * hidden or change the direction of a line, and bytes that are not UTF-8 are shown as
 * '?'.  Wide characters take two columns, combining ones none.
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
 * ferror() says at the end whether the stream could be written.
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
    bool whole;   /* long words stay whole, for programs; else they are broken */
    bool colour;
    size_t indent, hang; /* columns before a paragraph's first line, and other lines */
    size_t at;           /* columns used in the line; 0 before a paragraph */
    locale_t locale;     /* for the widths of characters; 0: all are 1 */
};

/* A terminal without a width does not count as one: mpirun gives its processes such
 * terminals.  The width is that of the terminal, else COLUMNS, else RC_PAGE_WIDTH, and
 * at least RC_PAGE_LEAST.  Colour is used on a terminal, unless TERM is "dumb" or not
 * set, or NO_COLOR is set and not empty (no-color.org).
 */
void rc_page_init(struct rc_page *page, FILE *out);
void rc_page_fini(struct rc_page *page);

/* The width of the text in columns. */
size_t rc_page_columns(const struct rc_page *page, const char *text);

/* A paragraph: words with blanks between them. rc_page_words() splits the formatted
 * text at its blanks; rc_page_word() writes one word, whatever it contains;
 * rc_page_listed() one with a mark, such as a comma, that stays with it; rc_page_tail()
 * writes directly after the last word, or in the next line if it does not fit.  Text
 * after rc_page_column() begins in that column, of the next line if it is passed
 * already. rc_page_end() ends the line, if there is one. rc_page_begin() ends it, too,
 * and sets the indents: two columns more after the first line. rc_page_line() does
 * that, then writes words.
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

/* Text of several lines, which is changed: lines wider than the page are wrapped at
 * their blanks, the others stay as they are, tables included.
 */
void rc_page_text(struct rc_page *page, char *text);

/* The style of the text that follows, if there is colour: plain again at the end. */
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

/* A table: columns as wide as their cells, or narrower if the page is too narrow; then
 * cells continue in further lines.  It is kept in memory until it is written.
 */
struct rc_table; /* opaque */

struct rc_table_column {
    const char *name; /* of the header; NULL after the last */
    bool right;       /* aligned to the right: numbers */
};

/* 'columns' must outlive the table.  NULL: no memory, which rc_table_write() also
 * reports.
 */
struct rc_table *rc_table_create(const struct rc_table_column *columns);

/* Adds a row with a cell for each column, NULL is an empty one; they are copied.  A
 * newline in a cell is shown as '?': further lines of a cell need rows of their own.
 * Accepts NULL; rc_table_write() reports a lack of memory.
 */
void rc_table_put(struct rc_table *table, enum rc_style style,
                  const char *const *cells);

/* Writes the table indented by page->indent columns, the header first, if there is a
 * row.  Very long words that stay whole stick out of their columns: the rest of the row
 * then begins in the next line.
 */
int rc_table_write(const struct rc_table *table, struct rc_page *page,
                   struct rc_error *err);
void rc_table_close(struct rc_table *table); /* accepts NULL */

#endif
