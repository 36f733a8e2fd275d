/* linear_sum.h - sums of words as people type them: "2 SF_SCAL + S_SCAL - 0.5 M + 3"
 *
 * Terms are a number, a word (letters, digits and '_', not beginning with a digit), or
 * both, with or without a '*' between them.
 */
#ifndef RC_CAMPAIGN_BASE_LINEAR_SUM_H
#define RC_CAMPAIGN_BASE_LINEAR_SUM_H

#include "campaign/base/error.h"

#include <stddef.h>

/* One term, as it is passed on. */
struct rc_linear_sum_term {
    double coefficient; /* finite, at most 1e18 in size */
    const char *word;   /* points into the text, not ended by a 0 */
    size_t length;      /* of the word; 0: a constant */
};

/* Calls add() for each term, in their order; it returns 0 or a negative rc_status
 * that ends the reading and is returned.  RC_EUSAGE says what is wrong with the
 * text; terms that stand before it have been passed on by then.
 */
int rc_linear_sum_read(const char *text,
                       int (*add)(void *context, const struct rc_linear_sum_term *term,
                                  struct rc_error *err),
                       void *context, struct rc_error *err);

#endif
