/* Prints a table row by row as text, CSV or JSON. */
#include "io/text/rows.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/base/words.h"

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

struct rc_rows {
    FILE *out;
    enum rc_format format;
    const struct rc_column *columns;
    size_t column_count;
    struct rc_json *json;
    bool dropped;

    /* Text only: the cells of all rows, to know the widths first. */
    struct rc_pool *pool;
    const char **cells;
    size_t cell_count, cell_room;
};

/* Some spreadsheets part cells at ';' or tabs, whatever the file's name says. */
static void csv_cell(FILE *out, const char *text, bool marked)
{
    const bool quoted = strpbrk(text, ",;\"\t\r\n") != NULL;

    if (quoted)
        fputc('"', out);
    if (marked)
        fputc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    if (quoted)
        fputc('"', out);
}

/* What a spreadsheet takes for a formula, or a reader for one that was marked. */
static bool needs_mark(const struct rc_rows *rows, size_t column, const char *text)
{
    return rows->format == RC_FORMAT_CSV &&
           rows->columns[column].type == RC_CELL_TEXT && *text &&
           strchr("=+-@\t\r\n'", *text);
}

static void csv_row(const struct rc_rows *rows, const char *const *cells)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        const char *text = cells[i] ? cells[i] : "";
        if (i)
            fputc(',', rows->out);
        csv_cell(rows->out, text, needs_mark(rows, i, text));
    }
    fputs("\r\n", rows->out);
}

static void json_row(const struct rc_rows *rows, const char *const *cells)
{
    rc_json_object(rows->json, NULL);
    for (size_t i = 0; i < rows->column_count; i++)
        if (rows->columns[i].type == RC_CELL_NUMBER)
            rc_json_bare(rows->json, rows->columns[i].name, cells[i]);
        else
            rc_json_text(rows->json, rows->columns[i].name, cells[i]);
    rc_json_end(rows->json);
}

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
    if (format == RC_FORMAT_TEXT && !(rows->pool = rc_pool_create())) {
        free(rows);
        return NULL;
    }
    return rows;
}

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
        rc_text_append(header, sizeof header, "%s%s", i ? "," : "", columns[i].name);
    rc_text_append(header, sizeof header, "\r\n");
    *before = header;
}

static int keep_text_row(struct rc_rows *rows, const char *const *cells,
                         struct rc_error *err)
{
    for (size_t i = 0; i < rows->column_count; i++) {
        if (rows->columns[i].text_hidden)
            continue;
        const char *cell = rc_pool_intern(rows->pool, cells[i]);
        if (!cell || rc_grow(&rows->cells, sizeof *rows->cells, rows->cell_count,
                             &rows->cell_room))
            return rc_fail(err, RC_ENOMEM, "no memory for a table of %zu cells",
                           rows->cell_count);
        rows->cells[rows->cell_count++] = cell;
    }
    return RC_OK;
}

int rc_rows_put(struct rc_rows *rows, const char *const *cells, struct rc_error *err)
{
    switch (rows->format) {
    case RC_FORMAT_CSV:
    case RC_FORMAT_CSV_RAW:
        csv_row(rows, cells);
        return RC_OK;
    case RC_FORMAT_JSON:
        json_row(rows, cells);
        return RC_OK;
    default:
        return keep_text_row(rows, cells, err);
    }
}

/* Columns that a terminal can hold: every character counts as one. */
static size_t width_of(const char *text)
{
    size_t width = 0;

    for (size_t step; *text; text += step, width++) {
        step = rc_text_utf8(text);
        step = step ? step : 1;
    }
    return width;
}

static void text_cell(FILE *out, const char *text, bool right, size_t width, bool last)
{
    char stack[512];
    size_t room = strlen(text) + 1;
    char *heap = room > sizeof stack ? malloc(room) : NULL;
    const char *shown =
        rc_text_printable(heap ? heap : stack, heap ? room : sizeof stack, text);
    size_t used = width_of(shown);
    int pad = used < width ? (int)(width - used) : 0;

    if (right)
        fprintf(out, "%*s%s", pad, "", shown);
    else
        fprintf(out, "%s%*s", shown, last ? 0 : pad, "");
    fputs(last ? "\n" : "  ", out);
    free(heap);
}

/* The visible columns, in order. */
static size_t visible(const struct rc_rows *rows, const struct rc_column **out,
                      size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < rows->column_count && count < room; i++)
        if (!rows->columns[i].text_hidden)
            out[count++] = &rows->columns[i];
    return count;
}

static void text_table(const struct rc_rows *rows)
{
    enum { COLUMNS_MAX = 32 };
    const struct rc_column *columns[COLUMNS_MAX];
    size_t width[COLUMNS_MAX];
    size_t count = visible(rows, columns, COLUMNS_MAX);

    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        width[i] = width_of(columns[i]->name);
    for (size_t at = 0; at + count <= rows->cell_count; at += count)
        for (size_t i = 0; i < count; i++) {
            size_t w = width_of(rows->cells[at + i]);
            width[i] = w > width[i] ? w : width[i];
        }
    for (size_t i = 0; i < count; i++)
        text_cell(rows->out, columns[i]->name, columns[i]->type == RC_CELL_NUMBER,
                  width[i], i + 1 == count);
    for (size_t at = 0; at + count <= rows->cell_count; at += count)
        for (size_t i = 0; i < count; i++)
            text_cell(rows->out, rows->cells[at + i],
                      columns[i]->type == RC_CELL_NUMBER, width[i], i + 1 == count);
}

void rc_rows_drop(struct rc_rows *rows)
{
    rows->cell_count = 0;
    rows->dropped = true;
}

void rc_rows_close(struct rc_rows *rows)
{
    if (!rows)
        return;
    if (rows->format == RC_FORMAT_TEXT && !rows->dropped)
        text_table(rows);
    rc_pool_close(rows->pool);
    free(rows->cells);
    free(rows);
}
