/* planted_mixed.h - planted machines whose events mix families */
#ifndef RC_TESTS_PLANTED_PLANTED_MIXED_H
#define RC_TESTS_PLANTED_PLANTED_MIXED_H

#include "tests/planted/planted.h"

/* Makes the machine of that number.  Its events' coefficients are multiples of 1/50,
 * 0.02 to 3 besides an event's own, in thousands and thousandths where it is a copy.
 * A quarter of the events is noisy; or all of them are, by 'noise' (relative, of a
 * reading), where that is not 0.  planted_fini() accepts one that failed.
 */
int planted_mixed_init(uint64_t seed, double noise, struct planted *out,
                       struct rc_error *err);

#endif
