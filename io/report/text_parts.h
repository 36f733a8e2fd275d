/* text_parts.h - the sections of the report's text: for io/report/text*.c only */
#ifndef RC_IO_REPORT_TEXT_PARTS_H
#define RC_IO_REPORT_TEXT_PARTS_H

#include "io/report/report.h"

/* text_rates.c: the rates of a suite, drawn. text_overview.c: the defined metrics and the progress; then the campaign, what was
 * measured where, and when. text_suite.c: the results of 'solve' for a suite.
 * text_noise.c: its events by noise. text_busy.c: the share of their time in which
 * workers measured, if known.  'kind' and 'suite' are those of the metrics file.
 */
int rc_report_text_answer(const struct rc_report *report, struct rc_page *page,
                          struct rc_error *err);
int rc_report_text_provenance(const struct rc_report *report, struct rc_page *page,
                              struct rc_error *err);
int rc_report_text_suite(const struct rc_report *report, struct rc_page *page,
                         size_t kind, size_t suite, struct rc_error *err);
int rc_report_text_rates(const struct rc_report *report, struct rc_page *page,
                         size_t kind, const char *suite, struct rc_error *err);
int rc_report_text_noise(const struct rc_report *report, struct rc_page *page,
                         size_t kind, size_t suite, struct rc_error *err);
void rc_report_text_busy(const struct rc_report *report, struct rc_page *page);

/* Whether the kind, and the suite (NULL: any), are to be shown. */
bool rc_report_text_wants(const struct rc_report *report, const char *kind,
                          const char *suite);

/* Writes an empty line, then the text in bold. */
void rc_report_text_title(struct rc_page *page, const char *text);

#endif
