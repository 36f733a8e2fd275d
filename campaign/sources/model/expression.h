/* expression.h - what an event counts, as a sum of ideals
 *
 *     2 SF_SCAL + S_SCAL - 0.5 M + 3
 *
 * The form is that of campaign/base/linear_sum.h; the words are ideals.
 */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_EXPRESSION_H
#define RC_CAMPAIGN_SOURCES_MODEL_EXPRESSION_H

#include "campaign/base/error.h"
#include "kernels/kernel.h"

#include <stddef.h>
#include <stdint.h>

/* One term of a sum. */
struct rc_model_term {
    enum rc_ideal ideal; /* RC_IDEAL_COUNT: a constant */
    double coefficient;
};

/* Terms of one sum or of several, one after the other. */
struct rc_model_terms {
    struct rc_model_term *term;
    size_t count, room; /* in use, and allocated */
};

/* Appends the terms of 'text' to a list that was zero at first.  RC_EUSAGE
 * with what is wrong.  Free list->term in any case.
 */
int rc_model_expression_read(const char *text, struct rc_model_terms *list,
                             struct rc_error *err);

/* The sum per iteration on a point.  An ideal that the suite does not know exactly on
 * that point gets a random value.  If its range has an upper end the value lies in the
 * range and depends on 'point_key', so that all events see the same value every time,
 * and hits and misses are no more than the accesses.  Else the value is up to 1 above
 * the lower end and depends on 'key'.
 */
double rc_model_expression_value(const struct rc_model_term *term, size_t count,
                                 const struct rc_suite *suite,
                                 const struct rc_suite_request *request,
                                 const struct rc_point *point, uint64_t point_key,
                                 uint64_t key);

#endif
