/* law.h - laws: numbers as functions of parameters
 *
 *     f(p, n) = 4 n^2 + 0.25 p^(1/2) log2(p) n - 7
 *
 * A law is a sum of terms; a term is a coefficient times a factor of each parameter,
 * x^(over/under) * log2(x)^logs.  The constant is a term whose factors are all 1.
 * Parameters are above 0.
 */
#ifndef RC_SOLVE_MODEL_LAW_H
#define RC_SOLVE_MODEL_LAW_H

#include <stdbool.h>
#include <stddef.h>

enum {
    RC_LAW_PARAMETERS = 4,
    RC_LAW_TERMS = 6,
};

/* x^(over/under) * log2(x)^logs; 'under' is above 0, and 0/1 with logs 0 is 1. */
struct rc_law_factor {
    signed char over, under, logs;
};

struct rc_law_term {
    double coefficient;
    struct rc_law_factor of[RC_LAW_PARAMETERS]; /* those that are not used are 1 */
};

struct rc_law {
    size_t terms;
    struct rc_law_term term[RC_LAW_TERMS];
};

double rc_law_factor_at(struct rc_law_factor factor, double x);

/* The term without its coefficient, and the law, at a point. */
double rc_law_term_at(const struct rc_law_term *term, const double *at,
                      size_t parameters);
double rc_law_at(const struct rc_law *law, const double *at, size_t parameters);

/* Whether two points differ in one parameter at most. */
bool rc_law_same_line(const double *a, const double *b, size_t parameters,
                      size_t parameter);

#endif
