/* planted_judge.h - what the judges of planted machines share: what weights count, and
 * whether that is a sum of what events count
 */
#ifndef RC_TESTS_PLANTED_PLANTED_JUDGE_H
#define RC_TESTS_PLANTED_PLANTED_JUDGE_H

#include "tests/planted/planted.h"

/* Exact sums of exact sums: vectors of rational numbers, modulo a prime of 61 bits.
 * That two vectors are dependent there and not in rational numbers has a chance of
 * 2^-50 or so.
 */
struct planted_exact {
    size_t rows, count;
    uint64_t *row; /* [vector][row], each with a 1 where the following ones have 0 */
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

/* Points of all suites. */
size_t planted_rows(const struct planted *machine);

/* Counts of weights on the points of all suites, per iteration; whether there are any.
 */
bool planted_fill_counts(const struct planted *machine, const double *weight,
                         uint64_t *out);

/* Prints a line of one machine and suite. */
void planted_say(const struct planted *machine, const char *suite, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* The weights of a metric's signature. */
int planted_read_signature(const char *signature, double weight[RC_IDEAL_COUNT],
                           struct rc_error *err);

/* How far a sum of events is above and below the signature, each at the point where
 * that is most: of what the signature has there, or of 'share' of the instructions
 * there times its least weight.  Doubles' rounding is nothing.  Coefficients are those
 * of 'r', or 1.  'all': also on points where the kernel does not know its ideals, by
 * what was made up.
 */
struct planted_off {
    double more, less;
};
struct planted_off planted_off(const struct planted *machine,
                               const struct rc_term *term, size_t terms,
                               const struct rc_metric_result *r, const double *weight,
                               bool all, double share);

/* The larger one, of all instructions. */
double planted_off_most(const struct planted *machine, const struct rc_term *term,
                        size_t terms, const struct rc_metric_result *r,
                        const double *weight, bool all);

/* Files of made machines are in DIR, or in a directory made for it and removed. */
int planted_in_dir(const char *program, const char *dir,
                   int (*run)(const char *dir, void *context), void *context);

#endif
