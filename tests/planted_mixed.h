/* planted_mixed.h - planted machines whose events mix families */
#ifndef RC_TESTS_PLANTED_MIXED_H
#define RC_TESTS_PLANTED_MIXED_H

#include "tests/planted.h"

/* Makes the machine of that number.  Its events' coefficients are multiples of 1/50,
 * 0.02 to 3 besides an event's own, in thousands and thousandths where it is a copy.
 * A quarter of the events is noisy; or all of them are, by 'noise' (relative, of a
 * reading), where that is not 0.  planted_fini() accepts one that failed.
 */
int planted_mixed_init(uint64_t seed, double noise, struct planted *out,
                       struct rc_error *err);

/* Exact sums of exact sums: vectors of rational numbers, modulo a prime of 61 bits.
 * That two vectors are dependent there and not in rational numbers has a chance of
 * 2^-50 or so.
 */
struct planted_exact {
    size_t rows, count;
    uint64_t *row; /* [vector][row], each with a 1 where those behind it have 0 */
    size_t *lead;  /* [vector] where that is */
};

int planted_exact_init(size_t rows, struct planted_exact *out);
void planted_exact_fini(struct planted_exact *span);

/* The number: a fraction with a small denominator, or the double to its last bit. */
uint64_t planted_exact_fraction(double value);
uint64_t planted_exact_bits(double value);
uint64_t planted_exact_add(uint64_t a, uint64_t b);
uint64_t planted_exact_times(uint64_t a, uint64_t b);

/* Whether the vector, which is overwritten, is a sum of those taken; takes it where it
 * is none and 'take' says so.
 */
bool planted_exact_spans(struct planted_exact *span, uint64_t *vector, bool take);

#endif
