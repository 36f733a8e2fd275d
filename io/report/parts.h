/* parts.h - the parts of a report's page: for io/report/ only
 *
 * The page is data and a script of rollcall's that shows them: "report-data" is one
 * JSON object in clear text; large data are compressed, by kind K of the store, in
 * elements that the script unpacks when they are needed:
 *
 *   ID-data           of the panel ID (page.c) where it has some: 'timeline' has workers,
 *                     times and results of units, column by column, 'noise' detours,
 *                     'curves' rates
 *   tally-K           how many events can be counted, and why most others cannot
 *   events-K          names of all events, and keys for sorting and filtering
 *   descriptions-K    all descriptions, and which of them each event has
 *   suite-K-S         noise, class and use of all events in suite S of the metrics
 *   detail-K-P        other texts of the events of page P, and each suite's results
 *   curve-K-E         all readings of event E
 *   noise-K           nodes that are off, and how events scatter
 *
 * docs/report.md describes them.
 */
#ifndef RC_IO_REPORT_PARTS_H
#define RC_IO_REPORT_PARTS_H

#include "io/report/report.h"
#include "io/text/html.h"
#include "io/text/json.h"

/* Fails for lack of memory. */
static inline int rc_report_fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the report");
}

/* JSON in memory, without blanks. */
struct rc_report_json {
    char *text; /* the text, complete after rc_report_json_end() */
    size_t bytes;
    FILE *stream;        /* writes 'text' */
    struct rc_json json; /* writes to 'stream' */
};
int rc_report_json_open(struct rc_report_json *j, struct rc_error *err);
/* Closes all open objects and arrays.  The caller calls rc_report_json_fini(). */
int rc_report_json_end(struct rc_report_json *j, struct rc_error *err);
void rc_report_json_fini(struct rc_report_json *j); /* accepts a zeroed one */

/* Ends it and writes it compressed, as data of the page with the formatted id; frees
 * it.
 */
int rc_report_json_put(struct rc_report_json *j, FILE *out, struct rc_error *err,
                       const char *id, ...) __attribute__((format(printf, 4, 5)));

/* data.c: "report-data"; workers and units, for the time line. */
int rc_report_data(const struct rc_report *report, FILE *out, struct rc_error *err);
int rc_report_units(struct rc_json *json, const void *report, struct rc_error *err);

/* data_events.c: all events of a kind. */
int rc_report_events(const struct rc_report *report, size_t kind, FILE *out,
                     struct rc_error *err);

/* data_curves.c: the readings of the events most worth showing; '*event' lists them,
 * ascending, for the caller to free().
 */
int rc_report_curves(const struct rc_report *report, size_t kind, FILE *out,
                     size_t **event, size_t *count, struct rc_error *err);

/* data_noise.c: "noise-K" of each kind; and detours, if noise.h5 has them. */
int rc_report_noise(const struct rc_report *report, FILE *out, struct rc_error *err);
int rc_report_detours(struct rc_json *json, const void *report, struct rc_error *err);

/* data_rates.c: the panel 'curves', where metrics.h5 has rates. */
bool rc_report_has_rates(const void *report);
int rc_report_rates(struct rc_json *json, const void *report, struct rc_error *err);

/* curves_choose.c: chooses these events, likewise; and the number of readings of an
 * event in all suites.
 */
int rc_curves_choose(const struct rc_report *report, size_t kind, size_t **event,
                     size_t *count, struct rc_error *err);
size_t rc_curves_readings(const struct rc_report *report, size_t kind);
enum { RC_CURVES_ROOM = 600000 /* limit of a page */ };

/* The metrics file's number of a kind of the store, and of a suite of its kind 'in'
 * (SIZE_MAX: none); SIZE_MAX: it is not there.
 */
size_t rc_report_metrics_kind(const struct rc_report *report, size_t kind);
size_t rc_report_metrics_suite(const struct rc_report *report, size_t in,
                               const char *name);

#endif
