/* text_parts.h - the sections of the report's text: inside of io/report/text*.c only */
#ifndef RC_IO_REPORT_TEXT_PARTS_H
#define RC_IO_REPORT_TEXT_PARTS_H

#include "io/report/report.h"

/* text_overview.c: how many metrics are defined and how far the campaign is; which
 * campaign it is, what was measured where, and when.
 * text_suite.c: what the solve found in a suite.
 * text_noise.c: how many events have how much noise there.
 * text_busy.c: how much of their time workers measured; nothing where that is not
 * known. 'kind' and 'suite' are those of the metrics file.
 */
int rc_report_text_answer(const struct rc_report *report, struct rc_page *page,
                          struct rc_error *err);
int rc_report_text_provenance(const struct rc_report *report, struct rc_page *page,
                              struct rc_error *err);
int rc_report_text_suite(const struct rc_report *report, struct rc_page *page,
                         size_t kind, size_t suite, struct rc_error *err);
int rc_report_text_noise(const struct rc_report *report, struct rc_page *page,
                         size_t kind, size_t suite, struct rc_error *err);
void rc_report_text_busy(const struct rc_report *report, struct rc_page *page);

/* Whether the kind, and the suite (NULL: any), are to be shown. */
bool rc_report_text_wants(const struct rc_report *report, const char *kind,
                          const char *suite);

/* A line of its own in bold letters, after an empty one. */
void rc_report_text_title(struct rc_page *page, const char *text);

#endif
