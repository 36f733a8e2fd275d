/* formula.h - metrics computed from metrics: "[DP operations] / ([reads] + [writes])"
 *
 * Names in brackets are metrics of any suite; numbers, + - * / and parentheses have
 * their usual meaning.
 */
#ifndef RC_SOLVE_DEFINITIONS_FORMULA_H
#define RC_SOLVE_DEFINITIONS_FORMULA_H

#include "campaign/base/error.h"

#include <stddef.h>

/* A number between two bounds. */
struct rc_interval {
    double low, value, high;
};

#define RC_METRIC_NAME_MAX 80 /* bytes of a metric's name */

#define RC_FORMULA_INPUTS_MAX 32 /* metrics in a formula */

struct rc_formula; /* opaque */

/* RC_EUSAGE says what is wrong and where: "column 7: expected ...". */
int rc_formula_create(const char *text, struct rc_formula **out, struct rc_error *err);
void rc_formula_close(struct rc_formula *formula); /* accepts NULL */

/* The metrics in it, each once, in the order of their appearance. */
size_t rc_formula_input_count(const struct rc_formula *formula);
const char *rc_formula_input(const struct rc_formula *formula, size_t number);

/* The value for these inputs, with bounds by interval arithmetic.  A division by an
 * interval that holds 0, and everything computed from it, is NAN with open bounds.
 */
struct rc_interval rc_formula_value(const struct rc_formula *formula,
                                    const struct rc_interval *input);

#endif
