/* Tables that fit into a page. A table is kept in memory until it is written, since
 * its widths depend on all of its cells: each column gets the width of its widest
 * cell, and where that is more than the page has, the widest columns are cut to the
 * same width and their cells go on in further lines.
 */
#include "campaign/base/memory.h"
#include "io/text/terminal_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,       /* columns between those of the table */
    NARROW = 8,    /* that a column is never cut below */
    WORD_MOST = 60 /* columns of a word that is kept whole */
};

struct rc_table {
    const struct rc_table_column *columns;
    size_t count;
    struct rc_pool *pool;
    const char **cell; /* [row][column] */
    size_t cell_count, cell_room;
    enum rc_style *style; /* [row] */
    size_t row_count, row_room;
};

struct rc_table *rc_table_create(const struct rc_table_column *columns)
{
    struct rc_table *table = calloc(1, sizeof *table);

    if (!table)
        return NULL;
    table->columns = columns;
    while (columns[table->count].name)
        table->count++;
    table->pool = rc_pool_create();
    if (!table->pool) {
        free(table);
        return NULL;
    }
    return table;
}

void rc_table_close(struct rc_table *table)
{
    if (!table)
        return;
    rc_pool_close(table->pool);
    free(table->cell);
    free(table->style);
    free(table);
}

static int put_cell(struct rc_table *table, const char *text)
{
    const char *copy = rc_pool_intern(table->pool, text);

    if (!copy || rc_grow(&table->cell, sizeof *table->cell, table->cell_count,
                         &table->cell_room))
        return -1;
    table->cell[table->cell_count++] = copy;
    return 0;
}

int rc_table_put(struct rc_table *table, enum rc_style style, const char *const *cells,
                 struct rc_error *err)
{
    const size_t before = table->cell_count;
    int failed = rc_grow(&table->style, sizeof *table->style, table->row_count,
                         &table->row_room);

    for (size_t i = 0; i < table->count && !failed; i++)
        failed = put_cell(table, cells[i]);
    if (failed) {
        table->cell_count = before;
        return rc_fail(err, RC_ENOMEM, "no memory for a table of %zu rows",
                       table->row_count);
    }
    table->style[table->row_count++] = style;
    return RC_OK;
}

/* The longest word that is to stay whole; absurd ones are left to stick out. */
static size_t longest_word(const struct rc_page *page, const char *text)
{
    size_t longest = 0, here = 0;

    for (struct rc_glyph g; (g = rc_glyph_at(page, text)).bytes; text += g.bytes) {
        here = *text == ' ' ? 0 : here + g.columns;
        longest = here > longest && here <= WORD_MOST ? here : longest;
    }
    return longest;
}

struct widths {
    size_t wide, least; /* what a column would like, and what it must have */
};

/* Widens a column for a cell. */
static void widen_for(const struct rc_page *page, const char *text, struct widths *w)
{
    const size_t columns = rc_page_columns(page, text);
    const size_t word = page->whole ? longest_word(page, text) : 0;

    w->wide = columns > w->wide ? columns : w->wide;
    w->least = word > w->least ? word : w->least;
}

/* Columns of a line if no column of the table is wider than 'cap', but for words that
 * stay whole.
 */
static size_t sum_of(const struct widths *w, size_t count, size_t cap)
{
    size_t sum = count ? GAP * (count - 1) : 0;

    for (size_t i = 0; i < count; i++) {
        const size_t cut = w[i].wide < cap ? w[i].wide : cap;
        sum += cut > w[i].least ? cut : w[i].least;
    }
    return sum;
}

/* The widest columns give way, all to the same width. */
static void narrow_columns(struct widths *w, size_t count, size_t room)
{
    size_t cap = RC_PAGE_MOST;

    while (cap > NARROW && sum_of(w, count, cap) > room)
        cap--;
    for (size_t i = 0; i < count; i++) {
        w[i].wide = w[i].wide < cap ? w[i].wide : cap;
        w[i].wide = w[i].wide > w[i].least ? w[i].wide : w[i].least;
    }
}

/* Something of a row is left to be shown. */
static bool is_left(const char *const *rest, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rest[i][0])
            return true;
    return false;
}

static void move_to(const struct rc_page *page, size_t *at, size_t column)
{
    if (*at > column) { /* what stands before sticks out */
        fputc('\n', page->out);
        *at = 0;
    }
    fprintf(page->out, "%*s", (int)(column - *at), "");
    *at = column;
}

/* One line of a row: of each cell what fits. */
static void write_line(const struct rc_table *table, const struct rc_page *page,
                       const struct widths *w, const char **rest)
{
    size_t at = 0, column = page->indent;

    for (size_t i = 0; i < table->count; column += w[i++].wide + GAP) {
        size_t used = w[i].wide;
        const char *end;
        if (!rest[i][0])
            continue;
        end = rc_page_fit(page, rest[i], &used);
        move_to(page, &at,
                column + (table->columns[i].right && used < w[i].wide ? w[i].wide - used
                                                                      : 0));
        at += rc_page_show(page, rest[i], end);
        rest[i] = end + strspn(end, " ");
    }
    fputc('\n', page->out);
}

static void write_row(const struct rc_table *table, struct rc_page *page,
                      const struct widths *w, enum rc_style style, const char **rest)
{
    if (style != RC_STYLE_PLAIN)
        rc_page_style(page, style);
    do
        write_line(table, page, w, rest);
    while (is_left(rest, table->count));
    if (style != RC_STYLE_PLAIN)
        rc_page_style(page, RC_STYLE_PLAIN);
}

static void write_rows(const struct rc_table *table, struct rc_page *page,
                       const struct widths *w, const char **rest)
{
    for (size_t i = 0; i < table->count; i++)
        rest[i] = table->columns[i].name;
    write_row(table, page, w, RC_STYLE_BOLD, rest);
    for (size_t r = 0; r < table->row_count; r++) {
        memcpy(rest, &table->cell[r * table->count], table->count * sizeof *rest);
        write_row(table, page, w, table->style[r], rest);
    }
}

int rc_table_write(const struct rc_table *table, struct rc_page *page,
                   struct rc_error *err)
{
    const size_t room = page->width > page->indent ? page->width - page->indent : 0;
    struct widths *w = calloc(table->count + 1, sizeof *w);
    const char **rest = calloc(table->count + 1, sizeof *rest);
    int status = w && rest ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a table");

    if (status == RC_OK && table->row_count > 0) {
        for (size_t i = 0; i < table->count; i++) {
            widen_for(page, table->columns[i].name, &w[i]);
            for (size_t r = 0; r < table->row_count; r++)
                widen_for(page, table->cell[r * table->count + i], &w[i]);
        }
        narrow_columns(w, table->count, room);
        write_rows(table, page, w, rest);
    }
    free(rest);
    free(w);
    return status;
}
