/* metric_words.h - how metrics are put into words, on paper and on terminals */
#ifndef RC_IO_METRICS_METRIC_WORDS_H
#define RC_IO_METRICS_METRIC_WORDS_H

#include "solve/result.h"

#include <stdbool.h>
#include <stddef.h>

/* "1", "0.8 (0.78 to 0.81)", "1.02 -> 1": as many digits as are of use.  'rounded'
 * says whether the rounded number is worth telling.
 */
void rc_metric_put_coefficient(char *out, size_t room, const struct rc_term *term,
                               bool rounded);

/* The error for a column of RC_METRIC_ERROR columns: "1.23e-04", "exact" where it is no
 * more than numbers are rounded by, "-" where it is not known.
 */
enum { RC_METRIC_ERROR = 8 };
void rc_metric_put_error(char out[RC_METRIC_ERROR + 1],
                         const struct rc_metric_result *m);

/* "; off by at most 3e-4 (dcache) on 100 points of 3 suites", "; exact on 11 points of
 * this suite alone", or "".
 */
void rc_metric_append_checks(char *line, size_t room, const struct rc_metric_result *m);

#endif
