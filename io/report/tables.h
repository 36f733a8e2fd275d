/* tables.h - what the solve found out of a suite, on a terminal
 *
 * 'solve' prints it when it is done, and the report has it among other things.  'run'
 * prints the summary alone.
 */
#ifndef RC_IO_REPORT_TABLES_H
#define RC_IO_REPORT_TABLES_H

#include "io/text/terminal.h"
#include "solve/result.h"

/* Which suite of which kind of machine, how many of its metrics there are, how its
 * events fared and what was chosen by which threshold.  'events' are those of the kind.
 */
void rc_tables_head(struct rc_page *page, const struct rc_suite_result *result,
                    const char *kind, size_t events, bool simulated);

/* Remarks, the metrics, events that may stand in for chosen ones, presets. */
void rc_tables_metrics(struct rc_page *page, const struct rc_suite_result *result);

/* The metrics of a kind in a few lines: how many are defined, in which suites, and
 * which are off.  'kind' goes in front; with 'brief' that line is all.
 */
void rc_tables_summary(struct rc_page *page, const struct rc_suite_result *const *suite,
                       size_t count, const char *kind, bool simulated, bool brief);

/* "a, b and 5 more", within a paragraph: at most 'most' of the 'count' names that are
 * at hand, out of 'all'.
 */
void rc_tables_list(struct rc_page *page, const char *const *name, size_t count,
                    size_t most, size_t all);

#endif
