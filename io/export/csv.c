/* Tables by RFC 4180, one of four: the terms of metrics, the events in each suite, the
 * events' representations, or rates.  Bytes of names stay as they are; --format csv marks
 * texts that a spreadsheet would run as formulas (io/text/rows.h), "csv-raw" does not.
 */
#include "io/export/parts.h"

#include "io/text/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES_SHOWN = 64 }; /* of a suite */

static RC_COLUMNS(metric_columns, RC_TEXT("kind"), RC_TEXT("suite"), RC_TEXT("metric"),
                  RC_TEXT("verdict"), RC_TEXT("reason"), RC_NUMBER("error"),
                  RC_TEXT("rounded_holds"), RC_TEXT("signature"), RC_TEXT("formula"),
                  RC_TEXT("preset"), RC_TEXT("description"), RC_NUMBER("term"),
                  RC_TEXT("event"), RC_NUMBER("coefficient"), RC_NUMBER("rounded"),
                  RC_NUMBER("low"), RC_NUMBER("high"), RC_TEXT("simulated"));

static RC_COLUMNS(event_columns, RC_TEXT("kind"), RC_TEXT("suite"), RC_TEXT("event"),
                  RC_NUMBER("number"), RC_TEXT("source"), RC_TEXT("scope"),
                  RC_TEXT("verdict"), RC_TEXT("class"), RC_TEXT("use"),
                  RC_TEXT("reason"), RC_NUMBER("noise"), RC_NUMBER("residual"),
                  RC_TEXT("simulated"));

static RC_COLUMNS(representation_columns, RC_TEXT("kind"), RC_TEXT("suite"),
                  RC_TEXT("event"), RC_NUMBER("number"), RC_TEXT("coordinate"),
                  RC_TEXT("is_ideal"), RC_NUMBER("value"), RC_TEXT("simulated"));

/* The suites' axes are columns between these two. */
static RC_COLUMNS(rate_columns, RC_TEXT("kind"), RC_TEXT("suite"), RC_TEXT("rate"),
                  RC_TEXT("unit"), RC_TEXT("convention"), RC_TEXT("node"),
                  RC_TEXT("point"));
static RC_COLUMNS(rate_numbers, RC_NUMBER("repetitions"), RC_NUMBER("least"),
                  RC_NUMBER("median"), RC_NUMBER("best"), RC_NUMBER("low"),
                  RC_NUMBER("high"), RC_TEXT("simulated"));
enum {
    RATE_TEXTS = sizeof rate_columns / sizeof *rate_columns - 1,
    RATE_NUMBERS = sizeof rate_numbers / sizeof *rate_numbers - 1
};

static const struct rc_column *const tables[] = {
    [RC_EXPORT_METRICS] = metric_columns,
    [RC_EXPORT_EVENTS] = event_columns,
    [RC_EXPORT_REPRESENTATIONS] = representation_columns,
};

/* An export, and its present place. */
struct job {
    const struct rc_export_choice *choice;
    struct rc_rows *rows;
    const char *kind, *simulated;
    const struct rc_suite_result *suite;
    struct rc_column *column; /* of rates */
    const char **cell;
    size_t axes;
};

/* Adds a row of the table of metrics: term 'number' of a metric. */
static void put_term(const struct job *job, const struct rc_metric_result *metric,
                     size_t number)
{
    const struct rc_term *term =
        number < metric->term_count ? &metric->term[number] : NULL;
    char error[RC_EXPORT_NUMBER], coefficient[RC_EXPORT_NUMBER],
        rounded[RC_EXPORT_NUMBER], low[RC_EXPORT_NUMBER], high[RC_EXPORT_NUMBER],
        which[RC_EXPORT_NUMBER];

    snprintf(which, sizeof which, "%zu", number);
    RC_ROWS_PUT(job->rows, job->kind, job->suite->suite, metric->name,
                rc_metric_verdict_names[metric->verdict], metric->reason,
                rc_export_cell(error, metric->error),
                rc_export_yes(metric->rounded_holds), metric->signature,
                metric->formula, metric->preset, metric->description,
                term ? which : NULL, term ? term->name : NULL,
                term ? rc_export_cell(coefficient, term->coefficient) : NULL,
                term ? rc_export_cell(rounded, term->rounded) : NULL,
                term ? rc_export_cell(low, term->low) : NULL,
                term ? rc_export_cell(high, term->high) : NULL, job->simulated);
}

/* Adds the coordinates that are not 0: most of them are 0. */
static void put_representation(const struct job *job, const struct rc_event_columns *c,
                               size_t i, const struct rc_store_event *event)
{
    const size_t width = job->suite->coordinate_count;
    char number[RC_EXPORT_NUMBER], value[RC_EXPORT_NUMBER];

    snprintf(number, sizeof number, "%zu", c->first + i);
    for (size_t k = 0; k < width; k++) {
        const double x = c->representation[i * width + k];
        if (isnan(x) || x == 0)
            continue;
        RC_ROWS_PUT(job->rows, job->kind, job->suite->suite, event->name, number,
                    job->suite->coordinate[k],
                    rc_export_yes(k < job->suite->ideal_count),
                    rc_export_cell(value, x), rc_export_yes(event->simulated));
    }
}

/* rc_export_blocks(): adds rows of events in a suite. */
static int put_block(void *context, const struct rc_export_block *block,
                     struct rc_error *err)
{
    const struct job *job = context;

    const struct rc_event_columns *c = &block->columns;
    char number[RC_EXPORT_NUMBER], noise[RC_EXPORT_NUMBER], residual[RC_EXPORT_NUMBER];

    (void)err;
    for (size_t i = 0; i < c->count; i++) {
        const struct rc_store_event *event = &block->event[i];
        if (job->choice->table != RC_EXPORT_EVENTS) {
            put_representation(job, c, i, event);
            continue;
        }
        snprintf(number, sizeof number, "%zu", c->first + i);
        RC_ROWS_PUT(
            job->rows, job->kind, job->suite->suite, event->name, number, event->source,
            rc_scope_name(event->scope), rc_verdict_name(event->verdict),
            rc_class_names[c->event_class[i]], rc_use_names[c->use[i]],
            job->suite->reason[c->reason[i]], rc_export_cell(noise, c->noise[i]),
            rc_export_cell(residual, c->residual[i]), rc_export_yes(event->simulated));
    }
    return RC_OK;
}

/* Calls 'each' with all rates that are wanted. */
static void each_rate(struct job *job, const struct rc_store *file,
                      void (*each)(struct job *job, const struct rc_rate_result *rate))
{
    for (size_t k = 0; k < rc_store_kind_count(file); k++) {
        size_t count;
        const struct rc_rate_result *rate = rc_metrics_rates(file, k, &count);
        job->kind = rc_store_kind(file, k)->name;
        job->simulated = rc_export_yes(rc_store_kind(file, k)->simulated);
        for (size_t r = 0; rc_export_takes_kind(job->choice, job->kind) && r < count;
             r++)
            if (rc_export_takes_suite(job->choice, rate[r].suite))
                each(job, &rate[r]);
    }
}

static void count_axes(struct job *job, const struct rc_rate_result *rate)
{
    job->axes += rate->axis_count;
}

/* The column of an axis, which comes after the texts; it may be a new one. */
static size_t column_of(struct job *job, const char *axis)
{
    size_t a = 0;

    while (a < job->axes && strcmp(job->column[RATE_TEXTS + a].name, axis) != 0)
        a++;
    return RATE_TEXTS + a;
}

static void put_axes(struct job *job, const struct rc_rate_result *rate)
{
    for (size_t a = 0; a < rate->axis_count; a++) {
        const size_t column = column_of(job, rate->axis[a]);
        if (column == RATE_TEXTS + job->axes) {
            job->column[column] = (struct rc_column)RC_NUMBER(rate->axis[a]);
            job->axes++;
        }
    }
}

static size_t count_known(const struct rc_rate_result *r, size_t node, size_t point)
{
    size_t known = 0;

    for (size_t i = 0; i < r->repetitions; i++)
        if (!isnan(r->values[(node * r->repetitions + i) * r->point_count + point]))
            known++;
    return known;
}

/* Adds the rows of a rate, a node after the other. */
static void put_rate(struct job *job, const struct rc_rate_result *r)
{
    const size_t all = RATE_TEXTS + job->axes + RATE_NUMBERS;
    const double *const number[] = {r->least, r->median, r->best, r->low, r->high};
    char text[AXES_SHOWN + 6][RC_EXPORT_NUMBER];

    for (size_t row = 0; row < r->node_count * r->point_count; row++) {
        const size_t node = row / r->point_count, point = row % r->point_count;
        const char *const label[RATE_TEXTS] = {
            job->kind,     r->suite,      r->name,        r->unit,
            r->convention, r->node[node], r->point[point]};
        const char **cell = job->cell;
        memset(cell, 0, all * sizeof *cell);
        memcpy(cell, label, sizeof label);
        for (size_t a = 0; a < r->axis_count && a < AXES_SHOWN; a++) {
            snprintf(text[a], sizeof text[a], "%" PRId64,
                     r->parameter[point * r->axis_count + a]);
            cell[column_of(job, r->axis[a])] = text[a];
        }
        char(*rest)[RC_EXPORT_NUMBER] = text + AXES_SHOWN;
        cell += RATE_TEXTS + job->axes;
        snprintf(rest[0], sizeof rest[0], "%zu", count_known(r, node, point));
        *cell++ = rest[0];
        for (int i = 0; i < 5; i++)
            *cell++ = rc_export_cell(rest[i + 1], number[i][row]);
        *cell = job->simulated;
        rc_rows_add(job->rows, job->cell);
    }
    rc_export_note(job->choice, true);
}

/* Adds the rows of all wanted suites of a kind.  A metric without terms has one row,
 * too.
 */
static int put_kind(struct job *job, struct rc_store *file, size_t kind,
                    struct rc_error *err)
{
    job->kind = rc_store_kind(file, kind)->name;
    job->simulated = rc_export_yes(rc_store_kind(file, kind)->simulated);
    for (size_t s = 0; s < rc_store_suite_count(file, kind); s++) {
        job->suite = rc_metrics_suite(file, kind, s);
        if (!rc_export_takes_suite(job->choice, job->suite->suite))
            continue;
        if (job->choice->table != RC_EXPORT_METRICS) {
            int status =
                rc_export_blocks(file, kind, job->suite, s, put_block, job, err);
            if (status != RC_OK)
                return status;
        } else {
            for (size_t m = 0; m < job->suite->metric_count; m++)
                for (size_t t = 0; t == 0 || t < job->suite->metric[m].term_count; t++)
                    put_term(job, &job->suite->metric[m], t);
            rc_export_note(job->choice, job->suite->metric_count > 0);
        }
    }
    return RC_OK;
}

static int export_rates(struct job *job, const struct rc_store *file, FILE *out,
                        enum rc_format format, struct rc_error *err)
{
    int status = RC_OK;

    each_rate(job, file, count_axes);
    const size_t most = RATE_TEXTS + job->axes + RATE_NUMBERS;
    job->column = rc_calloc(most + 1, sizeof *job->column);
    job->cell = rc_calloc(most, sizeof *job->cell);
    job->axes = 0;
    if (!job->column || !job->cell) {
        status = rc_fail(err, RC_ENOMEM, "no memory for the columns of rates");
        goto out;
    }
    memcpy(job->column, rate_columns, RATE_TEXTS * sizeof *rate_columns);
    each_rate(job, file, put_axes);
    memcpy(job->column + RATE_TEXTS + job->axes, rate_numbers, sizeof rate_numbers);
    job->rows = rc_rows_create(out, format, job->column, NULL);
    rc_rows_head(out, format, job->column);
    each_rate(job, file, put_rate);
    status = rc_rows_end(job->rows, status, err);
out:
    free(job->column);
    free(job->cell);
    return status;
}

/* CSV can express everything: nothing is left out.  Tables of events are useful without
 * metrics, too.
 */
int rc_export_csv(struct rc_store *file, const struct rc_export_choice *choice,
                  FILE *out, FILE *left_out, struct rc_error *err)
{
    const enum rc_format format = choice->raw ? RC_FORMAT_CSV_RAW : RC_FORMAT_CSV;
    struct job job = {.choice = choice};
    size_t first = 0;
    int status = rc_export_check(file, choice, false, &first, err);

    (void)left_out;
    if (status != RC_OK)
        return status;
    if (choice->table == RC_EXPORT_RATES)
        return export_rates(&job, file, out, format, err);
    const struct rc_column *columns = tables[choice->table];
    job.rows = rc_rows_create(out, format, columns, NULL);
    rc_rows_head(out, format, columns);
    rc_export_note(choice, choice->table != RC_EXPORT_METRICS);
    for (size_t k = 0; k < rc_store_kind_count(file); k++)
        if (rc_export_takes_kind(choice, rc_store_kind(file, k)->name) &&
            (status = put_kind(&job, file, k, err)) != RC_OK)
            break;
    return rc_rows_end(job.rows, status, err);
}
