/* parts.h - shared by the formats of a comparison */
#ifndef RC_IO_COMPARE_PARTS_H
#define RC_IO_COMPARE_PARTS_H

#include "io/compare/compare.h"

/* text.c, html.c and json.c: the formats, for struct rc_compare_format. */
int rc_compare_write_text(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err);
int rc_compare_write_html(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err);
int rc_compare_write_json(const struct rc_compare *compare, bool all, FILE *out,
                          struct rc_error *err);

/* compare.c: shared by the formats.
 *
 * Calls 'put' with each term of a combination: the text before it, "+ 2 x ", and the
 * event.
 */
typedef void rc_compare_put_term(const char *before, const char *event, void *context);
void rc_compare_each_term(const struct rc_metric_result *metric,
                          rc_compare_put_term *put, void *context);

/* The event of a change: of the column, or of the reference if it is gone. */
const struct rc_compare_event *rc_compare_event_of(
    const struct rc_compare *compare, const struct rc_compare_column *column,
    const struct rc_compare_group *group, const struct rc_compare_change *change);

#endif
