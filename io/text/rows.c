/* Prints a table row by row as text, CSV or JSON.  CSV and JSON are written at once;
 * text is kept in a table (terminal_table.c) until its end, when the widths of the
 * columns are known.
 */
#include "io/text/rows.h"

#include "campaign/base/text.h"
#include "campaign/base/words.h"
#include "io/text/terminal.h"

#include <stdlib.h>
#include <string.h>

const char *const rc_format_names[] = {"text", "csv", "json", "csv-raw", NULL};

enum rc_format rc_rows_format(const char *name)
{
    int word = name ? rc_word_find(name, rc_format_names) : -1;

    return word < 0 ? RC_FORMAT_TEXT : (enum rc_format)word;
}

bool rc_rows_is_csv(enum rc_format format)
{
    return format == RC_FORMAT_CSV || format == RC_FORMAT_CSV_RAW;
}

struct rc_json *rc_rows_json(enum rc_format format, struct rc_json *json, FILE *out)
{
    return format == RC_FORMAT_JSON ? rc_json_begin(json, out) : NULL;
}

enum { COLUMNS_MAX = 32 }; /* shown in text */

struct rc_rows {
    FILE *out;
    enum rc_format format;
    const struct rc_column *columns;
    size_t column_count;
    struct rc_json *json;

    /* Text only: the shown columns, and their table. */
    struct rc_table_column shown[COLUMNS_MAX + 1];
    struct rc_table *table;
    bool dropped; /* write nothing */
    bool fits;    /* wrap within a page, whatever the output */
};

/* RFC 4180.  ';' and tabs are quoted, too, since some spreadsheets split cells at
 * these, whatever the file's name; texts that a spreadsheet would take as a formula, or
 * a reader as a marked one, are marked (rows.h).
 */
static void csv_row(const struct rc_rows *rows, const char *const *cells)
{
    FILE *out = rows->out;

    for (size_t i = 0; i < rows->column_count; i++) {
        const char *text = cells[i] ? cells[i] : "";
        const bool quoted = strpbrk(text, ",;\"\t\r\n") != NULL;
        if (rows->columns[i].text_only)
            continue;
        if (i)
            putc_unlocked(',', out);
        if (quoted)
            putc_unlocked('"', out);
        if (rows->format == RC_FORMAT_CSV && rows->columns[i].type == RC_CELL_TEXT &&
            *text && strchr("=+-@\t\r\n'", *text))
            putc_unlocked('\'', out);
        for (const char *at; (at = strchr(text, '"')) != NULL; text = at + 1) {
            fwrite_unlocked(text, 1, (size_t)(at + 1 - text), out);
            putc_unlocked('"', out);
        }
        fputs_unlocked(text, out);
        if (quoted)
            putc_unlocked('"', out);
    }
    fputs_unlocked("\r\n", out);
}

/* In text, columns that are too long for a terminal are left out. */
struct rc_rows *rc_rows_create(FILE *out, enum rc_format format,
                               const struct rc_column *columns, struct rc_json *json)
{
    struct rc_rows *rows = calloc(1, sizeof *rows);

    if (!rows)
        return NULL;
    *rows = (struct rc_rows){
        .out = out, .format = format, .columns = columns, .json = json};
    while (columns[rows->column_count].name)
        rows->column_count++;
    if (format != RC_FORMAT_TEXT)
        return rows;
    for (size_t i = 0, shown = 0; i < rows->column_count && shown < COLUMNS_MAX; i++)
        if (!columns[i].text_hidden)
            rows->shown[shown++] = (struct rc_table_column){
                columns[i].name, columns[i].type == RC_CELL_NUMBER};
    rows->table = rc_table_create(rows->shown);
    return rows;
}

/* Columns' names are constants, which need no quotes in a header of CSV. */
void rc_rows_envelope(enum rc_format format, const struct rc_column *columns,
                      const char **before, const char **between, const char **after)
{
    static char header[1024];

    *before = *between = *after = "";
    if (format == RC_FORMAT_TEXT)
        *between = "\n";
    if (format == RC_FORMAT_JSON) {
        *before = "{\"kinds\": [\n";
        *between = ",";
        *after = "]}\n";
    }
    if (!rc_rows_is_csv(format))
        return;
    header[0] = 0;
    for (size_t i = 0; columns[i].name; i++)
        if (!columns[i].text_only)
            rc_text_append(header, sizeof header, "%s%s", i ? "," : "",
                           columns[i].name);
    rc_text_append(header, sizeof header, "\r\n");
    *before = header;
}

void rc_rows_head(FILE *out, enum rc_format format, const struct rc_column *columns)
{
    const char *before, *between, *after;

    if (!rc_rows_is_csv(format))
        return;
    rc_rows_envelope(format, columns, &before, &between, &after);
    fputs(before, out);
}

void rc_rows_add(struct rc_rows *rows, const char *const *cells)
{
    const char *shown[COLUMNS_MAX];
    size_t count = 0;

    if (!rows)
        return;
    if (rc_rows_is_csv(rows->format)) {
        csv_row(rows, cells);
        return;
    }
    if (rows->format == RC_FORMAT_JSON) {
        rc_json_object(rows->json, NULL);
        for (size_t i = 0; i < rows->column_count; i++)
            if (rows->columns[i].text_only)
                continue;
            else if (rows->columns[i].type == RC_CELL_NUMBER)
                rc_json_bare(rows->json, rows->columns[i].name, cells[i]);
            else
                rc_json_text(rows->json, rows->columns[i].name, cells[i]);
        rc_json_end(rows->json);
        return;
    }
    for (size_t i = 0; i < rows->column_count && count < COLUMNS_MAX; i++)
        if (!rows->columns[i].text_hidden)
            shown[count++] = cells[i];
    rc_table_put(rows->table, RC_STYLE_PLAIN, shown);
}

void rc_rows_fit(struct rc_rows *rows)
{
    if (rows)
        rows->fits = true;
}

void rc_rows_drop(struct rc_rows *rows)
{
    if (rows)
        rows->dropped = true;
}

/* On a terminal the table fits into it.  Elsewhere lines are as long as necessary, for
 * programs that read them; only a cell of more than RC_PAGE_MOST columns continues in
 * further ones.
 */
int rc_rows_end(struct rc_rows *rows, int status, struct rc_error *err)
{
    struct rc_error ignored = {.rank = -1}; /* the first error counts */
    struct rc_error *first = status == RC_OK ? err : &ignored;
    struct rc_page page;
    int closed = RC_OK;

    if (!rows)
        closed = rc_fail(first, RC_ENOMEM, "no memory for the table");
    else if (rows->format == RC_FORMAT_TEXT && !rows->dropped) {
        rc_page_init(&page, rows->out);
        if (page.whole && !rows->fits) /* no terminal, or mpirun's substitute for one */
            page.width = SIZE_MAX / 2;
        closed = rc_table_write(rows->table, &page, first);
        rc_page_fini(&page);
    }
    if (rows)
        rc_table_close(rows->table);
    free(rows);
    return status == RC_OK ? closed : status;
}
