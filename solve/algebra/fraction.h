/* fraction.h - the simplest fraction near a number */
#ifndef RC_SOLVE_ALGEBRA_FRACTION_H
#define RC_SOLVE_ALGEBRA_FRACTION_H

#include <stdbool.h>
#include <stdint.h>

/* over / under, in lowest terms; under is above 0. */
struct rc_fraction {
    int64_t over, under;
};

/* The simplest fraction (with the least 'under', then the least 'over') that is at most
 * 'within' from 'value'.  False where that needs an 'under' above 'most' or an 'over'
 * above RC_FRACTION_OVER, and for a value that is not a number.
 */
#define RC_FRACTION_OVER (INT64_C(1) << 24)
bool rc_fraction_near(double value, double within, int64_t most,
                      struct rc_fraction *out);

static inline double rc_fraction_value(struct rc_fraction f)
{
    return (double)f.over / (double)f.under;
}

#endif
