/* tables.h - the results of 'solve' for a suite, on a terminal
 *
 * 'solve' prints them when it is done, and they are a part of the report.  'run' prints
 * only the summary.
 */
#ifndef RC_IO_REPORT_TABLES_H
#define RC_IO_REPORT_TABLES_H

#include "io/text/terminal.h"
#include "solve/result.h"

/* The suite and its kind of machine, the number of its metrics, its events by class,
 * and the choice with its thresholds.  'events' is the kind's number.
 */
void rc_tables_head(struct rc_page *page, const struct rc_suite_result *result,
                    const char *kind, size_t events, bool simulated);

/* Remarks, the metrics, events that may replace chosen ones, presets. */
void rc_tables_metrics(struct rc_page *page, const struct rc_suite_result *result);

/* The metrics of a kind in a few lines: how many are defined, in which suites, and
 * which are not.  'kind' comes first; with 'brief' there is only that line.
 */
void rc_tables_summary(struct rc_page *page, const struct rc_suite_result *const *suite,
                       size_t count, const char *kind, bool simulated, bool brief);

/* "a, b and 5 more", within a paragraph: at most 'most' of the 'count' names that are
 * given, of 'all'.
 */
void rc_tables_list(struct rc_page *page, const char *const *name, size_t count,
                    size_t most, size_t all);

#endif
