/* Tables by RFC 4180, one of three: the terms of metrics, the events in each suite, or
 * what each event is made of. Bytes of names are passed on as they are; "csv" marks
 * texts that a spreadsheet would run as formulas (io/text/rows.h), "csv-raw" does not.
 */
#include "io/export/parts.h"

#include "io/text/rows.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 4096 }; /* events that are in memory at once */

static const struct rc_column metric_columns[] = {
    {.name = "kind"},
    {.name = "suite"},
    {.name = "metric"},
    {.name = "verdict"},
    {.name = "reason"},
    {.name = "error", .type = RC_CELL_NUMBER},
    {.name = "rounded_holds"},
    {.name = "signature"},
    {.name = "formula"},
    {.name = "preset"},
    {.name = "description"},
    {.name = "term", .type = RC_CELL_NUMBER},
    {.name = "event"},
    {.name = "coefficient", .type = RC_CELL_NUMBER},
    {.name = "rounded", .type = RC_CELL_NUMBER},
    {.name = "low", .type = RC_CELL_NUMBER},
    {.name = "high", .type = RC_CELL_NUMBER},
    {.name = "simulated"},
    {.name = NULL}};

static const struct rc_column event_columns[] = {
    {.name = "kind"},
    {.name = "suite"},
    {.name = "event"},
    {.name = "number", .type = RC_CELL_NUMBER},
    {.name = "source"},
    {.name = "scope"},
    {.name = "verdict"},
    {.name = "class"},
    {.name = "use"},
    {.name = "reason"},
    {.name = "noise", .type = RC_CELL_NUMBER},
    {.name = "residual", .type = RC_CELL_NUMBER},
    {.name = "simulated"},
    {.name = NULL}};

static const struct rc_column representation_columns[] = {
    {.name = "kind"},
    {.name = "suite"},
    {.name = "event"},
    {.name = "number", .type = RC_CELL_NUMBER},
    {.name = "coordinate"},
    {.name = "is_ideal"},
    {.name = "value", .type = RC_CELL_NUMBER},
    {.name = "simulated"},
    {.name = NULL}};

static const struct rc_column *const tables[] = {
    [RC_EXPORT_METRICS] = metric_columns,
    [RC_EXPORT_EVENTS] = event_columns,
    [RC_EXPORT_REPRESENTATIONS] = representation_columns,
};

/* An export, and where it is. */
struct job {
    struct rc_metrics_file *file;
    const struct rc_export_choice *choice;
    struct rc_rows *rows;
    const char *kind, *simulated;
    const struct rc_suite_result *suite;
    size_t kind_number, suite_number;
};

/* An empty cell for what is not known. */
static const char *cell(char out[RC_EXPORT_NUMBER], double value)
{
    return isnan(value) ? NULL : rc_export_number(out, value);
}

static const char *yes(bool flag)
{
    return flag ? "yes" : "no";
}

/* A row of the table of metrics: term 'number' of a metric. */
static int put_term(const struct job *job, const struct rc_metric_result *metric,
                    size_t number, struct rc_error *err)
{
    const struct rc_term *term =
        number < metric->term_count ? &metric->term[number] : NULL;
    char error[RC_EXPORT_NUMBER], coefficient[RC_EXPORT_NUMBER],
        rounded[RC_EXPORT_NUMBER], low[RC_EXPORT_NUMBER], high[RC_EXPORT_NUMBER],
        which[RC_EXPORT_NUMBER];

    snprintf(which, sizeof which, "%zu", number);
    const char *const cells[] = {
        job->kind,
        job->suite->suite,
        metric->name,
        rc_metric_verdict_names[metric->verdict],
        metric->reason,
        cell(error, metric->error),
        yes(metric->rounded_holds),
        metric->signature,
        metric->formula,
        metric->preset,
        metric->description,
        term ? which : NULL,
        term ? term->name : NULL,
        term ? cell(coefficient, term->coefficient) : NULL,
        term ? cell(rounded, term->rounded) : NULL,
        term ? cell(low, term->low) : NULL,
        term ? cell(high, term->high) : NULL,
        job->simulated,
    };
    return rc_rows_put(job->rows, cells, err);
}

/* A metric without terms has one row, too. */
static int put_metrics(const struct job *job, struct rc_error *err)
{
    for (size_t m = 0; m < job->suite->metric_count; m++) {
        const struct rc_metric_result *metric = &job->suite->metric[m];
        const size_t rows = metric->term_count > 0 ? metric->term_count : 1;
        for (size_t t = 0; t < rows; t++) {
            int status = put_term(job, metric, t, err);
            if (status != RC_OK)
                return status;
        }
    }
    return RC_OK;
}

/* A row of the table of events. */
static int put_event(const struct job *job, const struct rc_event_columns *c, size_t i,
                     const struct rc_store_event *event, struct rc_error *err)
{
    char number[RC_EXPORT_NUMBER], noise[RC_EXPORT_NUMBER], residual[RC_EXPORT_NUMBER];

    snprintf(number, sizeof number, "%zu", c->first + i);
    const char *const cells[] = {
        job->kind,
        job->suite->suite,
        event->name,
        number,
        event->source,
        rc_scope_name(event->scope),
        rc_verdict_name(event->verdict),
        rc_class_names[c->event_class[i]],
        rc_use_names[c->use[i]],
        job->suite->reason[c->reason[i]],
        cell(noise, c->noise[i]),
        cell(residual, c->residual[i]),
        yes(event->simulated),
    };
    return rc_rows_put(job->rows, cells, err);
}

/* Only coordinates that are not 0: most of them are. */
static int put_representation(const struct job *job, const struct rc_event_columns *c,
                              size_t i, const struct rc_store_event *event,
                              struct rc_error *err)
{
    const size_t width = job->suite->coordinate_count;
    char number[RC_EXPORT_NUMBER], value[RC_EXPORT_NUMBER];

    snprintf(number, sizeof number, "%zu", c->first + i);
    for (size_t k = 0; k < width; k++) {
        const double x = c->representation[i * width + k];
        if (isnan(x) || x == 0)
            continue;
        const char *const cells[] = {
            job->kind,      job->suite->suite,         event->name,
            number,         job->suite->coordinate[k], yes(k < job->suite->ideal_count),
            cell(value, x), yes(event->simulated),
        };
        int status = rc_rows_put(job->rows, cells, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* Rows of the events of a suite, read block by block. */
static int put_events(const struct job *job, struct rc_error *err)
{
    const size_t total = rc_metrics_kind(job->file, job->kind_number)->event_count;
    struct rc_arena arena = {0};
    struct rc_store_event *event = rc_arena_array(&arena, BLOCK, sizeof *event);
    struct rc_pool *pool = NULL;
    struct rc_event_columns c;
    int status =
        rc_metrics_make_columns(&arena, BLOCK, job->suite->coordinate_count, &c, err);

    for (size_t first = 0; first < total && status == RC_OK; first += BLOCK) {
        rc_pool_close(pool);
        pool = rc_pool_create();
        if (!pool) {
            status = rc_fail(err, RC_ENOMEM, "no memory for events");
            break;
        }
        c.first = first;
        c.count = total - first < BLOCK ? total - first : BLOCK;
        if ((status = rc_metrics_read_events(job->file, job->kind_number, first,
                                             c.count, event, pool, err)) ||
            (status = rc_metrics_read_columns(job->file, job->kind_number,
                                              job->suite_number, &c, err)))
            break;
        for (size_t i = 0; i < c.count && status == RC_OK; i++)
            status = job->choice->table == RC_EXPORT_EVENTS
                         ? put_event(job, &c, i, &event[i], err)
                         : put_representation(job, &c, i, &event[i], err);
    }
    rc_pool_close(pool);
    rc_arena_free(&arena);
    return status;
}

/* Rows of all suites of a kind that were asked for. */
static int put_kind(struct job *job, struct rc_error *err)
{
    job->kind = rc_metrics_kind(job->file, job->kind_number)->name;
    for (size_t s = 0; s < rc_metrics_suite_count(job->file, job->kind_number); s++) {
        job->suite_number = s;
        job->suite = rc_metrics_suite(job->file, job->kind_number, s);
        if (!rc_export_takes_suite(job->choice, job->suite->suite))
            continue;
        int status = job->choice->table == RC_EXPORT_METRICS ? put_metrics(job, err)
                                                             : put_events(job, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

/* CSV can say everything: nothing is left out. */
static int write_table(struct rc_metrics_file *file,
                       const struct rc_export_choice *choice, enum rc_format format,
                       FILE *out, struct rc_error *err)
{
    const struct rc_column *columns = tables[choice->table];
    struct job job = {.file = file, .choice = choice};
    const char *before, *between, *after;
    size_t first = 0;
    int status = rc_export_check(file, choice, false, &first, err);

    if (status != RC_OK)
        return status;
    job.rows = rc_rows_create(out, format, columns, NULL);
    if (!job.rows)
        return rc_fail(err, RC_ENOMEM, "no memory for the export");
    rc_rows_envelope(format, columns, &before, &between, &after);
    fputs(before, out);
    for (size_t k = 0; k < rc_metrics_kind_count(file) && status == RC_OK; k++) {
        job.kind_number = k;
        job.simulated = yes(rc_metrics_kind(file, k)->simulated);
        if (rc_export_takes_kind(choice, rc_metrics_kind(file, k)->name))
            status = put_kind(&job, err);
    }
    rc_rows_close(job.rows);
    return status;
}

static int write_csv(struct rc_metrics_file *file,
                     const struct rc_export_choice *choice, FILE *out, FILE *left_out,
                     struct rc_error *err)
{
    (void)left_out;
    return write_table(file, choice, RC_FORMAT_CSV, out, err);
}

static int write_csv_raw(struct rc_metrics_file *file,
                         const struct rc_export_choice *choice, FILE *out,
                         FILE *left_out, struct rc_error *err)
{
    (void)left_out;
    return write_table(file, choice, RC_FORMAT_CSV_RAW, out, err);
}

const struct rc_export_format rc_export_csv = {
    .name = "csv",
    .summary = "a table (RFC 4180): a row for each term of each metric, or --table",
    .one_kind = false,
    .write = write_csv,
};

const struct rc_export_format rc_export_csv_raw = {
    .name = "csv-raw",
    .summary = "the same, with texts that a spreadsheet would run as formulas",
    .one_kind = false,
    .write = write_csv_raw,
};
