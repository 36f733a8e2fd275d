/* rows.h - a table of results as text, CSV or JSON
 *
 * One description of the columns serves all three formats.  Text is aligned,
 * CSV follows RFC 4180, JSON (RFC 8259) is an array of objects.
 */
#ifndef RC_IO_TEXT_ROWS_H
#define RC_IO_TEXT_ROWS_H

#include "campaign/base/error.h"
#include "io/text/json.h"

#include <stdbool.h>
#include <stdio.h>

/* CSV: with marks on texts that a spreadsheet would run; CSV_RAW: without them. */
enum rc_format { RC_FORMAT_TEXT, RC_FORMAT_CSV, RC_FORMAT_JSON, RC_FORMAT_CSV_RAW };

/* "text", "csv", "json", "csv-raw", NULL: in the order of enum rc_format. */
extern const char *const rc_format_names[];

/* The format of that name; NULL is text. */
enum rc_format rc_rows_format(const char *name);

bool rc_rows_is_csv(enum rc_format format); /* one of the two */

/* Begins '*json' and returns it if the format is JSON; else NULL. */
struct rc_json *rc_rows_json(enum rc_format format, struct rc_json *json, FILE *out);

/* A column of a table of results. */
struct rc_column {
    const char *name; /* in the header, and as a key of JSON */
    enum {
        RC_CELL_TEXT,
        RC_CELL_NUMBER
    } type;           /* numbers: right aligned, bare in JSON */
    bool text_hidden; /* too long for a terminal: only in CSV and JSON */
    bool text_only;   /* stands for several others: not in CSV and JSON */
};

/* Initialisers of columns by name, of the usual sorts. */
#define RC_COLUMN(of_name, of_type, is_hidden)                                         \
    {                                                                                  \
        .name = (of_name), .type = (of_type), .text_hidden = (is_hidden)               \
    }
#define RC_TEXT(of_name) RC_COLUMN(of_name, RC_CELL_TEXT, false)
#define RC_NUMBER(of_name) RC_COLUMN(of_name, RC_CELL_NUMBER, false)
#define RC_TEXT_HIDDEN(of_name) RC_COLUMN(of_name, RC_CELL_TEXT, true)
#define RC_NUMBER_HIDDEN(of_name) RC_COLUMN(of_name, RC_CELL_NUMBER, true)

/* Defines a list of columns, ended by a NULL name: static RC_COLUMNS(columns, ...); */
#define RC_COLUMNS(symbol, ...)                                                        \
    const struct rc_column symbol[] = {__VA_ARGS__, {.name = NULL}}

struct rc_rows; /* opaque; a table that is being written */

/* 'columns' (ended by a NULL name) must outlive the rows.  For JSON the rows become the
 * elements of the array that is open in 'json'; for CSV and text 'json' is NULL.  'out'
 * is borrowed.  NULL: no memory, which rc_rows_end() also reports.
 */
struct rc_rows *rc_rows_create(FILE *out, enum rc_format format,
                               const struct rc_column *columns, struct rc_json *json);

/* Texts around and between the tables of several kinds, so that the whole is one CSV
 * file with one header, or one JSON object with a list "kinds".  The texts live as long
 * as the process.
 */
void rc_rows_envelope(enum rc_format format, const struct rc_column *columns,
                      const char **before, const char **between, const char **after);

/* Writes the header alone, if the format is CSV. */
void rc_rows_head(FILE *out, enum rc_format format, const struct rc_column *columns);

/* Adds a row: one cell for each column; NULL is an empty cell (null in JSON).  Text may
 * have any encoding: bytes that are not UTF-8 become '?' in text and U+FFFD in JSON,
 * and stay in CSV.  Text shows control characters as '?', too.
 *
 * A spreadsheet runs a cell that begins with '=', '+', '-', '@' or some control
 * characters.  So a text in CSV that begins with one of these, or with a "'", gets a
 * "'" in front, and a reader removes one; RC_FORMAT_CSV_RAW writes it as it is.
 *
 * Accepts NULL; rc_rows_end() reports a lack of memory.
 */
void rc_rows_add(struct rc_rows *rows, const char *const *cells);
/* The same with cells as arguments: RC_ROWS_PUT(rows, name, "none", NULL); */
#define RC_ROWS_PUT(rows, ...) rc_rows_add(rows, (const char *const[]){__VA_ARGS__})

/* Text only: wraps within a page, 80 columns if 'out' is not a terminal; accepts NULL.
 */
void rc_rows_fit(struct rc_rows *rows);

/* Text only: forgets all rows, and prints no header either; accepts NULL. */
void rc_rows_drop(struct rc_rows *rows);

/* Writes the rest and frees the rows.  Returns 'status' if it is an error, or
 * RC_ENOMEM: 'rows' is NULL, or not all rows were kept.  Does not close 'out' and does
 * not check whether it could be written: ask ferror() at the end.
 */
int rc_rows_end(struct rc_rows *rows, int status, struct rc_error *err);

#endif
