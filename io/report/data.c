/* The data of the page except those of single events: "report-data", for the first
 * screen and the tables, and the units of the time line.  docs/report.md describes them.
 *
 * Errors here are of memory, or of HDF5 as it reads.  A function that fails leaves
 * objects and arrays open: the caller then discards the JSON.
 */
#include "io/report/parts.h"

#include "io/export/parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 7 }; /* shown of combinations on points */

int rc_report_json_open(struct rc_report_json *j, struct rc_error *err)
{
    *j = (struct rc_report_json){.stream = NULL};
    j->stream = open_memstream(&j->text, &j->bytes);
    if (!j->stream)
        return rc_report_fail_memory(err);
    rc_json_begin(&j->json, j->stream)->compact = true;
    return RC_OK;
}

int rc_report_json_end(struct rc_report_json *j, struct rc_error *err)
{
    rc_json_close(&j->json);
    const bool failed = fclose(j->stream) != 0;
    j->stream = NULL;
    return failed ? rc_report_fail_memory(err) : RC_OK;
}

void rc_report_json_fini(struct rc_report_json *j)
{
    if (j->stream)
        fclose(j->stream);
    free(j->text);
    *j = (struct rc_report_json){.stream = NULL};
}

int rc_report_json_put(struct rc_report_json *j, FILE *out, struct rc_error *err,
                       const char *id, ...)
{
    char name[64];
    va_list numbers;
    int status;

    va_start(numbers, id);
    vsnprintf(name, sizeof name, id, numbers);
    va_end(numbers);
    if ((status = rc_report_json_end(j, err)) == RC_OK)
        status = rc_html_data(out, name, j->text, j->bytes, err);
    rc_report_json_fini(j);
    return status;
}

/* The metrics file's kind or suite is the one of the same name. */
size_t rc_report_metrics_kind(const struct rc_report *r, size_t kind)
{
    const size_t count = r->metrics ? rc_store_kind_count(r->metrics) : 0;

    for (size_t k = 0; k < count; k++)
        if (strcmp(rc_store_kind(r->metrics, k)->name,
                   rc_store_kind(r->store, kind)->name) == 0)
            return k;
    return SIZE_MAX;
}

size_t rc_report_metrics_suite(const struct rc_report *r, size_t in, const char *name)
{
    const size_t count = in == SIZE_MAX ? 0 : rc_store_suite_count(r->metrics, in);

    for (size_t s = 0; s < count; s++)
        if (strcmp(rc_metrics_suite(r->metrics, in, s)->suite, name) == 0)
            return s;
    return SIZE_MAX;
}

/* Writes the runs of the campaign, and the campaigns from which it was made. */
static void put_runs(const struct rc_report *r, struct rc_json *json)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_report_run, begin, end, ranks, nodes, created_by, job,
                     units_to_do, units_left, interrupted),
        {0}};

    rc_json_list(json, "runs", members, r->run, r->run_count, sizeof *r->run);
    rc_json_array(json, "origins");
    for (size_t i = 0; i < r->origin_count; i++) {
        const struct rc_report_origin *o = &r->origin[i];
        const char *const word[] = {o->operation, o->name,       o->id,
                                    o->created,   o->created_by, o->directory};
        rc_json_texts(json, NULL, word, sizeof word / sizeof *word);
    }
    rc_json_end(json);
}

/* Writes each metric's combination on the points, or null. */
static void put_fits(const struct rc_report *r, size_t in, size_t suite,
                     struct rc_json *json)
{
    const struct rc_suite_result *result = rc_metrics_suite(r->metrics, in, suite);

    rc_json_array(json, "fits");
    for (size_t m = 0; m < result->metric_count; m++) {
        const struct rc_report_fit *fit = NULL;
        for (size_t i = 0; i < r->fit_count && !fit; i++)
            if (r->fit[i].kind == in && r->fit[i].suite == suite &&
                r->fit[i].metric == m)
                fit = &r->fit[i];
        if (!fit) {
            rc_json_text(json, NULL, NULL);
            continue;
        }
        rc_json_object(json, NULL);
        rc_json_reals(json, "expected", fit->expected, result->point_count, DIGITS);
        rc_json_reals(json, "derived", fit->derived, result->point_count, DIGITS);
        rc_json_reals(json, "rounded", fit->rounded, result->point_count, DIGITS);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* Writes the lines to paste for counting each metric of a suite; null for an unusable
 * one.
 */
static int put_lines(struct rc_export *x, const struct rc_suite_result *result,
                     struct rc_json *json, struct rc_error *err)
{
    int status = RC_OK;

    rc_json_array(json, "lines");
    for (size_t m = 0; m < result->metric_count; m++) {
        if (rc_export_takes_metric(x->choice, &result->metric[m]))
            status =
                rc_export_json_lines(x, result, &result->metric[m], NULL, json, err);
        else
            rc_json_text(json, NULL, NULL);
        if (status != RC_OK)
            break;
    }
    rc_json_end(json);
    return status;
}

/* Writes the results of 'solve'; 'in' is the kind in the metrics file, or SIZE_MAX. */
static int put_suites(const struct rc_report *r, size_t in, struct rc_json *json,
                      struct rc_error *err)
{
    struct rc_export x = {0};
    int status = RC_OK;

    rc_json_array(json, "suites");
    if (in != SIZE_MAX) {
        const struct rc_export_choice choice = {
            .kind = rc_store_kind(r->metrics, in)->name, .approximate = true};
        if ((status = rc_export_open(&x, r->metrics, &choice, NULL, NULL, err)))
            goto out;
        for (size_t s = 0; s < rc_store_suite_count(r->metrics, in); s++) {
            rc_json_object(json, NULL);
            rc_export_json_suite(json, rc_metrics_suite(r->metrics, in, s));
            put_fits(r, in, s, json);
            if ((status =
                     put_lines(&x, rc_metrics_suite(r->metrics, in, s), json, err)))
                goto out;
            rc_json_end(json);
        }
    }
    rc_json_end(json);
out:
    rc_export_close(&x);
    return status;
}

/* Writes all of a kind except its events. */
static int put_kind(const struct rc_report *r, size_t number, struct rc_json *json,
                    struct rc_error *err)
{
    const struct rc_store_kind *kind = rc_store_kind(r->store, number);

    rc_json_object(json, NULL);
    rc_json_text(json, "kind", kind->name);
    rc_json_texts(json, "nodes", kind->nodes, kind->node_count);
    rc_json_text(json, "key", kind->key);
    rc_json_text(json, "shape", kind->shape);
    rc_json_integer(json, "events", (int64_t)kind->event_count);
    /* Progress of each suite of the kind. */
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_report_progress, units, ok, invalid, failed, missing, events,
                     places, repetitions_min, repetitions_max),
        {0}};
    rc_json_array(json, "progress");
    for (size_t i = 0; i < r->progress_count; i++) {
        const struct rc_report_progress *p = &r->progress[i];
        if (p->kind != number)
            continue;
        rc_json_object(json, NULL);
        rc_json_text(json, "suite", rc_store_suite(r->store, number, p->suite)->name);
        rc_json_members(json, members, p);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_array(json, "measured"); /* the points of suites with their parameters */
    for (size_t s = 0; s < rc_store_suite_count(r->store, number); s++) {
        const struct rc_store_suite *suite = rc_store_suite(r->store, number, s);
        rc_json_object(json, NULL);
        rc_json_text(json, "suite", suite->name);
        rc_json_texts(json, "points", suite->points, suite->point_count);
        rc_json_texts(json, "axes", suite->axes, suite->axis_count);
        rc_json_array(json, "axis");
        for (size_t i = 0; i < suite->point_count * suite->axis_count; i++)
            rc_json_integer(json, NULL, suite->axis[i]);
        rc_json_end(json);
        rc_json_texts(json, "places", suite->places, suite->place_count);
        rc_json_end(json);
    }
    rc_json_end(json);
    const int status = put_suites(r, rc_report_metrics_kind(r, number), json, err);
    rc_json_end(json);
    return status;
}

/* Column by column, which compresses better than unit by unit.  Times are in
 * microseconds: a double, the number of scripts, holds them exactly.
 */
int rc_report_units(struct rc_json *json, const void *report, struct rc_error *err)
{
    const struct rc_report *r = report;
    static const char *const columns[] = {"worker",   "kind",    "suite",
                                          "begin_us", "wall_us", "status",
                                          "node",     "core",    "events"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    size_t statuses = 0;

    (void)err;
    while (r->unit_status && r->unit_status[statuses])
        statuses++;
    rc_json_object(json, NULL);
    rc_json_texts(json, "nodes", r->node, r->node_count);
    rc_json_texts(json, "statuses", r->unit_status, statuses);
    rc_json_array(json, "workers");
    for (size_t i = 0; i < r->worker_count; i++) {
        rc_json_array(json, NULL);
        rc_json_text(json, NULL, r->worker[i].node);
        rc_json_integer(json, NULL, r->worker[i].rank);
        rc_json_end(json);
    }
    rc_json_end(json);
    for (size_t c = 0; c < COLUMNS; c++) {
        rc_json_array(json, columns[c]);
        for (size_t i = 0; i < r->unit_count; i++) {
            const struct rc_report_unit *u = &r->unit[i];
            const uint64_t value[COLUMNS] = {
                u->worker, u->kind, u->suite, u->begin_ns / 1000, u->wall_ns / 1000,
                u->status, u->node, u->core,  u->events};
            rc_json_integer(json, NULL, (int64_t)value[c]);
        }
        rc_json_end(json);
    }
    return RC_OK;
}

int rc_report_data(const struct rc_report *r, FILE *out, struct rc_error *err)
{
    static const struct rc_json_member members[] = {
        RC_JSON_EACH(rc_report, name, directory, created, made, version), {0}};
    struct rc_report_json j;
    struct rc_json *json = &j.json;
    int status = rc_report_json_open(&j, err);

    if (status != RC_OK)
        goto out;
    rc_json_object(json, NULL);
    rc_json_members(json, members, r);
    if (r->metrics)
        rc_json_text(json, "metrics_by", rc_store_campaign(r->metrics)->created_by);
    if (r->complete_known)
        rc_json_flag(json, "complete", r->complete);
    else
        rc_json_text(json, "complete", NULL);
    rc_json_texts(json, "notes", r->note, r->note_count);
    rc_export_json_campaign(json, rc_store_campaign(r->store));
    rc_json_object(json, "words");
    rc_json_texts(json, "scopes", rc_scope_names(), RC_SCOPE_COUNT);
    rc_json_texts(json, "verdicts", rc_verdict_names(), RC_VERDICT_COUNT);
    rc_json_texts(json, "classes", rc_class_names, RC_CLASS_COUNT);
    rc_json_texts(json, "uses", rc_use_names, RC_USE_COUNT);
    rc_json_end(json);
    put_runs(r, json);
    rc_json_array(json, "kinds");
    for (size_t k = 0; k < rc_store_kind_count(r->store); k++)
        if ((status = put_kind(r, k, json, err)))
            goto out;
    if ((status = rc_report_json_end(&j, err)))
        goto out;
    rc_html_json(out, "report-data", j.text);
out:
    rc_report_json_fini(&j);
    return status;
}
