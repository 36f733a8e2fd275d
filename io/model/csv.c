/* CSV with a header.  Each column has a role: its header says it ("parameter:Ranks",
 * "low:5%"), or it follows from the header's word and from where the column stands.
 *
 * The value is the column with a word for it (value, median, mean, time, ...), or the
 * last number.  Texts left of it are names of kernels, and numbers are parameters;
 * numbers right of it are further metrics, unless their words are those of statistics.
 */
#include "io/model/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "io/text/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MOST = 1024 };

/* Half the width of an interval of 95 %, in standard errors. */
#define HALF_WIDTH 1.959964

/* Numbers of a row by role are those from LOW on. */
enum role {
    SKIP,
    PARAMETER,
    KERNEL,
    METRIC,
    UNIT,
    VALUE,
    LOW,
    HIGH,
    ERROR,
    DEVIATION,
    RUNS
};
enum { ROLES = RUNS + 1 };

/* Words of headers, and those in front of a ':'. */
static const struct {
    const char *word;
    enum role role;
} words[] = {
    {"kernel", KERNEL},
    {"region", KERNEL},
    {"function", KERNEL},
    {"callpath", KERNEL},
    {"path", KERNEL},
    {"metric", METRIC},
    {"low", LOW},
    {"lower", LOW},
    {"ci_low", LOW},
    {"ci_lower", LOW},
    {"high", HIGH},
    {"upper", HIGH},
    {"ci_high", HIGH},
    {"ci_upper", HIGH},
    {"error", ERROR},
    {"se", ERROR},
    {"sem", ERROR},
    {"stderr", ERROR},
    {"sd", DEVIATION},
    {"std", DEVIATION},
    {"stddev", DEVIATION},
    {"mean", SKIP},
    {"average", SKIP},
    {"avg", SKIP},
    {"median", SKIP},
    {"min", SKIP},
    {"max", SKIP},
    {"iqr", SKIP},
    {"var", SKIP},
    {"variance", SKIP},
    {"run", SKIP},
    {"rep", SKIP},
    {"repetition", SKIP},
    {"skip", SKIP},
    {"parameter", PARAMETER},
    {"value", VALUE},
    {"unit", UNIT},
};
enum { WORDS = sizeof words / sizeof words[0] };

/* Words for the value, the best one first. */
static const char *const values[] = {"value",    "median",  "mean",    "average",
                                     "avg",      "time",    "runtime", "walltime",
                                     "duration", "seconds", NULL};

struct column {
    char *name;
    enum role role;
    bool is_text; /* in the first row */
};

struct csv {
    struct rc_lines lines;
    char separator;
    char *text;
    char **cell; /* of a line, each ended by a 0 */
    size_t cells, cell_room;
    struct column *column;
    size_t columns, value; /* the column that low, high and such are of */
    char *kernel;
    size_t kernel_room;
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the CSV file");
}

/* The next line that is neither blank nor a comment. */
static bool next_line(struct rc_lines *lines, int *status, struct rc_error *err)
{
    while (rc_lines_next(lines, status, err))
        if (*lines->line != '#' && strspn(lines->line, " \t") < lines->length)
            return true;
    return false;
}

/* The separator of a header that has two columns or more; 0: there is none. */
static char separator_of(const struct rc_lines *header)
{
    static const char signs[] = ",;\t";
    size_t most = 0;
    char out = 0;

    for (size_t s = 0; signs[s]; s++) {
        size_t count = 0;
        for (size_t i = 0; i < header->length; i++)
            count += header->line[i] == signs[s];
        if (count > most) {
            most = count;
            out = signs[s];
        }
    }
    return out;
}

/* Takes a line apart; quoted cells may have separators and doubled quotes. */
static int split(struct csv *c, struct rc_error *err)
{
    char *at = c->text + (c->lines.line - c->text), *end = at + c->lines.length;
    char *out = at;

    for (c->cells = 0; at <= end; at++) {
        bool quoted = false;
        if (c->cells == COLUMNS_MOST)
            return rc_fail(err, RC_EUSAGE, "expected at most %d columns", COLUMNS_MOST);
        if (rc_grow(&c->cell, sizeof *c->cell, c->cells, &c->cell_room))
            return fail_memory(err);
        while (at < end && *at == ' ')
            at++;
        c->cell[c->cells] = out;
        for (; at < end && (quoted || *at != c->separator); at++) {
            if (*at == '"' && quoted && at + 1 < end && at[1] == '"')
                *out++ = *at++;
            else if (*at == '"')
                quoted = !quoted;
            else
                *out++ = *at;
        }
        if (quoted)
            return rc_fail(err, RC_EUSAGE, "expected '\"' at the end of a cell");
        while (out > c->cell[c->cells] && out[-1] == ' ')
            out--;
        *out++ = 0;
        c->cells++;
    }
    return RC_OK;
}

static bool is_missing(const char *cell)
{
    static const char *const signs[] = {"", "NA", "N/A", "nan", "-", "null"};

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strcasecmp(cell, signs[i]) == 0)
            return true;
    return false;
}

static bool is_number(const char *cell)
{
    double value;

    return rc_text_real(cell, &value) == 0;
}

/* The column of a name, in any case; SIZE_MAX: there is none. */
static size_t find(const struct csv *c, const char *name)
{
    for (size_t i = 0; i < c->columns; i++)
        if (strcasecmp(c->column[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

/* The role of a word of 'length' bytes; false: it has none. */
static bool find_role(const char *word, size_t length, enum role *out)
{
    for (size_t i = 0; i < WORDS; i++)
        if (strlen(words[i].word) == length &&
            strncasecmp(word, words[i].word, length) == 0) {
            *out = words[i].role;
            return true;
        }
    return false;
}

/* Takes the role off a header such as "low:5%"; whether it has one. */
static bool take_role(struct column *column)
{
    const size_t length = strcspn(column->name, ":");

    if (!column->name[length] || !find_role(column->name, length, &column->role))
        return false;
    memmove(column->name, column->name + length + 1, strlen(column->name + length));
    return true;
}

/* The interval of the value may be named after it: "ci_median_left", "time_low". */
static void find_interval(struct csv *c)
{
    static const struct {
        const char *before, *after;
        enum role role;
    } names[] = {{"ci_", "_left", LOW}, {"ci_", "_right", HIGH}, {"", "_low", LOW},
                 {"", "_high", HIGH},   {"", "_lower", LOW},     {"", "_upper", HIGH}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%.200s%s", names[i].before,
                 c->column[c->value].name, names[i].after);
        const size_t at = find(c, name);
        if (at != SIZE_MAX)
            c->column[at].role = names[i].role;
    }
}

/* Whether a header is of statistics, beside those in words[]: a value's interval. */
static bool is_statistic(const char *name)
{
    const char *end = strrchr(name, '_');

    return strncasecmp(name, "ci_", 3) == 0 ||
           (end && (strcasecmp(end, "_left") == 0 || strcasecmp(end, "_right") == 0));
}

/* Gives roles to columns that say none, by the first row of numbers. */
static int guess_roles(struct csv *c, struct rc_error *err)
{
    size_t last = SIZE_MAX, runs = find(c, "N");

    c->value = SIZE_MAX;
    for (size_t i = 0; values[i] && c->value == SIZE_MAX; i++)
        if ((c->value = find(c, values[i])) != SIZE_MAX && c->column[c->value].is_text)
            c->value = SIZE_MAX;
    for (size_t i = 0; i < c->columns; i++) {
        if (c->column[i].is_text)
            continue;
        last = i;
        if (c->value == SIZE_MAX &&
            rc_measured_guess(c->column[i].name, "").kind == RC_MEASURED_TIME)
            c->value = i; /* "total_time" */
    }
    if (c->value == SIZE_MAX)
        c->value = last;
    if (last == SIZE_MAX)
        return rc_fail(err, RC_EUSAGE, "expected numbers in a column at least");
    for (size_t i = 0; i < c->columns; i++) {
        struct column *column = &c->column[i];
        if (i == c->value)
            column->role = VALUE;
        else if (find_role(column->name, strlen(column->name), &column->role))
            continue;
        else if (column->is_text)
            column->role = i < c->value ? KERNEL : SKIP;
        else if (!is_statistic(column->name))
            column->role = i < c->value ? PARAMETER : VALUE;
    }
    find_interval(c);
    for (size_t i = 0; i < c->columns; i++) /* N beside a deviation: of readings */
        if ((c->column[i].role == DEVIATION || c->column[i].role == ERROR) &&
            runs != SIZE_MAX && strcmp(c->column[runs].name, "N") == 0)
            c->column[runs].role = RUNS;
    return RC_OK;
}

/* Reads the header, and the first row, by which columns are told apart. */
static int read_header(struct csv *c, struct rc_error *err)
{
    bool said = false;
    int status = split(c, err);

    if (status != RC_OK)
        return status;
    if (!(c->column = rc_calloc(c->cells, sizeof *c->column)))
        return fail_memory(err);
    c->columns = c->cells;
    for (size_t i = 0; i < c->columns; i++) {
        if (!(c->column[i].name = strdup(c->cell[i])))
            return fail_memory(err);
        said |= take_role(&c->column[i]);
    }
    if (!next_line(&c->lines, &status, err))
        return rc_fail(err, RC_EUSAGE, "expected lines of numbers after the header");
    if ((status = split(c, err)) != RC_OK)
        return status;
    for (size_t i = 0; i < c->columns && i < c->cells; i++)
        c->column[i].is_text = !is_missing(c->cell[i]) && !is_number(c->cell[i]);
    for (size_t i = c->columns; said && i-- > 0;)
        if (c->column[i].role == VALUE)
            c->value = i;
    return said ? RC_OK : guess_roles(c, err);
}

/* The number of a cell; NAN where it is missing. */
static int read_number(const struct csv *c, size_t i, double *out, struct rc_error *err)
{
    *out = NAN;
    if (is_missing(c->cell[i]) || rc_text_real(c->cell[i], out) == 0)
        return RC_OK;
    return rc_fail(err, RC_EUSAGE, "'%.60s' in column '%.60s', expected a number",
                   c->cell[i], c->column[i].name);
}

/* Appends a part of a kernel's name. */
static int put_kernel(struct csv *c, const char *part, struct rc_error *err)
{
    const size_t used = c->kernel ? strlen(c->kernel) : 0, length = strlen(part);

    while (used + length + 2 > c->kernel_room)
        if (rc_grow(&c->kernel, 1, c->kernel_room, &c->kernel_room))
            return fail_memory(err);
    snprintf(c->kernel + used, length + 2, "%s%s", used ? ";" : "", part);
    return RC_OK;
}

/* Cells of a row. */
struct row {
    double at[RC_MEASURED_DRAFT_PARAMETERS];
    const char *metric, *unit;
    double number[ROLES];
};

static int read_row(struct csv *c, struct row *row, struct rc_error *err)
{
    size_t parameters = 0;
    int status = RC_OK;

    row->metric = NULL;
    row->unit = "";
    for (size_t i = 0; i < ROLES; i++)
        row->number[i] = NAN;
    if (c->kernel)
        c->kernel[0] = 0;
    for (size_t i = 0; i < c->columns && status == RC_OK; i++) {
        const enum role role = c->column[i].role;
        if (role == KERNEL)
            status = put_kernel(c, c->cell[i], err);
        else if (role == METRIC)
            row->metric = c->cell[i];
        else if (role == UNIT)
            row->unit = c->cell[i];
        else if (role == PARAMETER)
            status = read_number(c, i, &row->at[parameters++], err);
        else if (role >= LOW)
            status = read_number(c, i, &row->number[role], err);
    }
    return status;
}

/* The standard error of a row's value; NAN: it says none. */
static double spread_of(const double number[ROLES])
{
    const double of_interval = (number[HIGH] - number[LOW]) / (2 * HALF_WIDTH);

    if (!isnan(of_interval))
        return of_interval;
    return isnan(number[ERROR]) ? number[DEVIATION] / sqrt(number[RUNS])
                                : number[ERROR];
}

static int add_row(struct csv *c, struct rc_measured_draft *draft, struct rc_error *err)
{
    struct row row;
    double value;
    int status;

    if (c->cells != c->columns)
        return rc_fail(err, RC_EUSAGE, "%zu cells, expected %zu as in the header",
                       c->cells, c->columns);
    status = read_row(c, &row, err);
    if (status == RC_OK && row.number[LOW] > row.number[HIGH])
        return rc_fail(err, RC_EUSAGE, "%g to %g, expected the low end first",
                       row.number[LOW], row.number[HIGH]);
    for (size_t i = 0; i < c->columns && status == RC_OK; i++) {
        if (c->column[i].role != VALUE)
            continue;
        const struct rc_measured_metric metric =
            rc_measured_guess(row.metric ? row.metric : c->column[i].name, row.unit);
        status = read_number(c, i, &value, err);
        if (status == RC_OK && !isnan(value))
            status = rc_measured_add_path(
                draft, row.at, c->kernel ? c->kernel : "", &metric, value,
                i == c->value ? spread_of(row.number) : NAN, err);
    }
    return status;
}

/* Begins the draft with the columns that are parameters. */
static int begin(const struct csv *c, struct rc_measured_draft **draft,
                 struct rc_error *err)
{
    const char *name[RC_MEASURED_DRAFT_PARAMETERS];
    size_t parameters = 0, numbers = 0;

    for (size_t i = 0; i < c->columns; i++) {
        numbers += c->column[i].role == VALUE;
        if (c->column[i].role != PARAMETER)
            continue;
        if (parameters < RC_MEASURED_DRAFT_PARAMETERS)
            name[parameters] = c->column[i].name;
        parameters++;
    }
    if (parameters == 0 || numbers == 0)
        return rc_fail(err, RC_EUSAGE,
                       "expected columns of parameters and one of values, as in "
                       "'p,n,kernel,time' or 'parameter:p,value:time'");
    return rc_measured_begin(name, parameters, draft, err);
}

/* A header, without characters that texts do not have. */
static bool is_csv(char *text, size_t bytes)
{
    struct rc_lines lines = {.at = text, .end = text + bytes, .open = true};
    int status;

    if (!next_line(&lines, &status, NULL) || !separator_of(&lines))
        return false;
    for (size_t i = 0; i < lines.length; i++)
        if ((unsigned char)lines.line[i] < ' ' && lines.line[i] != '\t')
            return false;
    return true;
}

static int read_csv(char *text, size_t bytes, struct rc_measured_draft **draft,
                    struct rc_error *err)
{
    struct csv c = {.text = text,
                    .lines = {.at = text, .end = text + bytes, .open = true}};
    int status = RC_OK;

    next_line(&c.lines, &status, err); /* the header: is_csv() has seen it */
    c.separator = separator_of(&c.lines);
    if ((status = read_header(&c, err)) == RC_OK)
        status = begin(&c, draft, err);
    while (status == RC_OK && (status = add_row(&c, *draft, err)) == RC_OK &&
           next_line(&c.lines, &status, err))
        status = split(&c, err);
    if (status != RC_OK)
        rc_error_prefix(err, "line %zu: ", c.lines.number);
    for (size_t i = 0; i < c.columns; i++)
        free(c.column[i].name);
    free(c.column);
    free(c.cell);
    free(c.kernel);
    return status;
}

const struct rc_measured_form rc_measured_csv = {
    .origin = "CSV", .is = is_csv, .read = read_csv};
