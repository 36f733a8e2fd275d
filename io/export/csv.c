/* Tables by RFC 4180, one of three: the terms of metrics, the events in each suite, or
 * the events' representations.  Bytes of names stay as they are; --format csv marks
 * texts that a spreadsheet would run as formulas (io/text/rows.h), "csv-raw" does not.
 */
#include "io/export/parts.h"

#include "io/text/rows.h"

#include <math.h>

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
};

/* Unknown values are empty cells. */
static const char *cell(char out[RC_EXPORT_NUMBER], double value)
{
    return isnan(value) ? NULL : rc_export_number(out, value);
}

static const char *yes(bool flag)
{
    return flag ? "yes" : "no";
}

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
    RC_ROWS_PUT(
        job->rows, job->kind, job->suite->suite, metric->name,
        rc_metric_verdict_names[metric->verdict], metric->reason,
        cell(error, metric->error), yes(metric->rounded_holds), metric->signature,
        metric->formula, metric->preset, metric->description, term ? which : NULL,
        term ? term->name : NULL, term ? cell(coefficient, term->coefficient) : NULL,
        term ? cell(rounded, term->rounded) : NULL, term ? cell(low, term->low) : NULL,
        term ? cell(high, term->high) : NULL, job->simulated);
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
                    job->suite->coordinate[k], yes(k < job->suite->ideal_count),
                    cell(value, x), yes(event->simulated));
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
        RC_ROWS_PUT(job->rows, job->kind, job->suite->suite, event->name, number,
                    event->source, rc_scope_name(event->scope),
                    rc_verdict_name(event->verdict), rc_class_names[c->event_class[i]],
                    rc_use_names[c->use[i]], job->suite->reason[c->reason[i]],
                    cell(noise, c->noise[i]), cell(residual, c->residual[i]),
                    yes(event->simulated));
    }
    return RC_OK;
}

/* Adds the rows of all wanted suites of a kind.  A metric without terms has one row,
 * too.
 */
static int put_kind(struct job *job, struct rc_store *file, size_t kind,
                    struct rc_error *err)
{
    job->kind = rc_store_kind(file, kind)->name;
    job->simulated = yes(rc_store_kind(file, kind)->simulated);
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

/* CSV can express everything: nothing is left out.  Tables of events are useful without
 * metrics, too.
 */
int rc_export_csv(struct rc_store *file, const struct rc_export_choice *choice,
                  FILE *out, FILE *left_out, struct rc_error *err)
{
    const enum rc_format format = choice->raw ? RC_FORMAT_CSV_RAW : RC_FORMAT_CSV;
    const struct rc_column *columns = tables[choice->table];
    struct job job = {.choice = choice};
    size_t first = 0;
    int status = rc_export_check(file, choice, false, &first, err);

    (void)left_out;
    if (status != RC_OK)
        return status;
    job.rows = rc_rows_create(out, format, columns, NULL);
    rc_rows_head(out, format, columns);
    rc_export_note(choice, choice->table != RC_EXPORT_METRICS);
    for (size_t k = 0; k < rc_store_kind_count(file); k++)
        if (rc_export_takes_kind(choice, rc_store_kind(file, k)->name) &&
            (status = put_kind(&job, file, k, err)) != RC_OK)
            break;
    return rc_rows_end(job.rows, status, err);
}
