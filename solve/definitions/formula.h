/* formula.h - metrics computed from metrics: "[DP operations] / ([reads] + [writes])"
 *
 * They are read by campaign/base/expression.h; names in brackets are metrics of any
 * suite.
 */
#ifndef RC_SOLVE_DEFINITIONS_FORMULA_H
#define RC_SOLVE_DEFINITIONS_FORMULA_H

#include "campaign/base/expression.h"

/* A number between two bounds. */
struct rc_interval {
    double low, value, high;
};

/* The value for these inputs, with bounds by interval arithmetic.  A division by an
 * interval that holds 0, and everything computed from it, is NAN with open bounds.
 */
struct rc_interval rc_formula_value(const struct rc_expression *formula,
                                    const struct rc_interval *input);

#endif
