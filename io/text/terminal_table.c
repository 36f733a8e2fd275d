/* Tables that fit into a page.  A table is kept in memory until it is written, since
 * its widths depend on all of its cells: each column gets the width of its widest cell;
 * if the page is too narrow, the widest columns are cut to one width and their cells
 * continue in further lines.
 */
#include "campaign/base/memory.h"
#include "io/text/terminal_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,       /* between columns */
    NARROW = 8,    /* the least width to which columns are cut */
    WORD_MOST = 60 /* words up to this width are kept whole */
};

struct rc_table {
    const struct rc_table_column *columns;
    size_t count;
    struct rc_pool *pool;
    const char **cell; /* [row][column] */
    size_t cell_count, cell_room;
    enum rc_style *style; /* [row] */
    size_t row_count, row_room;
    bool failed; /* there was no memory for a row */
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

void rc_table_put(struct rc_table *table, enum rc_style style, const char *const *cells)
{
    if (!table || table->failed)
        return;
    table->failed = rc_grow(&table->style, sizeof *table->style, table->row_count,
                            &table->row_room) != 0;
    for (size_t i = 0; i < table->count && !table->failed; i++) {
        const char *copy = rc_pool_intern(table->pool, cells[i]);
        if (!copy || rc_grow(&table->cell, sizeof *table->cell, table->cell_count,
                             &table->cell_room))
            table->failed = true;
        else
            table->cell[table->cell_count++] = copy;
    }
    if (!table->failed)
        table->style[table->row_count++] = style;
}

struct widths {
    size_t wide, least; /* the wanted and the least width of a column */
};

/* Widens a column for a cell.  If words stay whole, the column is at least as wide as
 * its longest word; absurdly long ones stick out.
 */
static void widen_for(const struct rc_page *page, const char *text, struct widths *w)
{
    size_t columns = 0, word = 0;

    for (struct rc_glyph g; (g = rc_glyph_at(page, text)).bytes; text += g.bytes) {
        columns += g.columns;
        word = *text == ' ' ? 0 : word + g.columns;
        if (page->whole && word > w->least && word <= WORD_MOST)
            w->least = word;
    }
    w->wide = columns > w->wide ? columns : w->wide;
}

/* Columns of a line if no column of the table is wider than 'cap', except for words
 * that stay whole.
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

/* Writes a row in as many lines as its cells need. */
static void write_row(const struct rc_table *table, struct rc_page *page,
                      const struct widths *w, enum rc_style style, const char **rest)
{
    bool left;

    if (style != RC_STYLE_PLAIN)
        rc_page_style(page, style);
    do {
        size_t at = 0, column = page->indent;
        left = false;
        for (size_t i = 0; i < table->count; column += w[i++].wide + GAP) {
            size_t used = w[i].wide, start = column;
            if (!rest[i][0])
                continue;
            const char *end = rc_page_fit(page, rest[i], &used);
            if (table->columns[i].right && used < w[i].wide)
                start += w[i].wide - used;
            if (at > start) { /* the cell before sticks out */
                fputc('\n', page->out);
                at = 0;
            }
            fprintf(page->out, "%*s", (int)(start - at), "");
            at = start + rc_page_show(page, rest[i], end);
            rest[i] = end + strspn(end, " ");
            left = left || rest[i][0];
        }
        fputc('\n', page->out);
    } while (left);
    if (style != RC_STYLE_PLAIN)
        rc_page_style(page, RC_STYLE_PLAIN);
}

int rc_table_write(const struct rc_table *table, struct rc_page *page,
                   struct rc_error *err)
{
    const size_t count = table ? table->count : 0;
    const size_t room = page->width > page->indent ? page->width - page->indent : 0;
    struct widths *w = calloc(count + 1, sizeof *w);
    const char **rest = calloc(count + 1, sizeof *rest); /* of a row's cells */
    size_t cap = RC_PAGE_MOST;
    int status = RC_OK;

    if (!table || table->failed || !w || !rest)
        status = rc_fail(err, RC_ENOMEM, "no memory for a table");
    if (status != RC_OK || table->row_count == 0)
        goto out;
    for (size_t i = 0; i < count; i++) {
        widen_for(page, table->columns[i].name, &w[i]);
        for (size_t r = 0; r < table->row_count; r++)
            widen_for(page, table->cell[r * count + i], &w[i]);
        rest[i] = table->columns[i].name;
    }
    /* The widest columns are narrowed, all to the same width. */
    while (cap > NARROW && sum_of(w, count, cap) > room)
        cap--;
    for (size_t i = 0; i < count; i++) {
        w[i].wide = w[i].wide < cap ? w[i].wide : cap;
        w[i].wide = w[i].wide > w[i].least ? w[i].wide : w[i].least;
    }
    write_row(table, page, w, RC_STYLE_BOLD, rest);
    for (size_t r = 0; r < table->row_count; r++) {
        memcpy(rest, &table->cell[r * count], count * sizeof *rest);
        write_row(table, page, w, table->style[r], rest);
    }
out:
    free(rest);
    free(w);
    return status;
}
