/* rates.h - what the files of the rates share among themselves
 *
 * A rate is a formula over the readings of one repetition: of all workers of a node in
 * suites whose points have an axis "workers", else of one place.  Rank 0 makes them.
 */
#ifndef RC_CAMPAIGN_SOLVE_RATES_RATES_H
#define RC_CAMPAIGN_SOLVE_RATES_RATES_H

#include "campaign/base/expression.h"
#include "campaign/solve/parts.h"

/* The rows of a suite's rates: nodes, or places where points have no workers. */
struct rc_rate_rows {
    const char **name;
    size_t count;
    size_t *place;         /* places, those of one row after each other */
    size_t *first;         /* [row] its first one in 'place'; and [count], their end */
    const int64_t *worker; /* [point * stride] how many workers; NULL: one each */
    size_t stride;
    size_t workers_most;
};
int rc_rate_rows_make(struct rc_solve_kind *k, const struct rc_store_suite *l,
                      struct rc_rate_rows *out);

/* The readings of an event in the suite. */
struct rc_rate_reading {
    size_t event, source; /* numbers in the kind, and in the suite */
    int64_t *value;       /* [place][repetition][point] */
    uint8_t *status;      /* [place][repetition] */
};

/* The meaning of a name in a formula. */
struct rc_rate_input {
    double *number; /* [point], the same for all workers; NULL: a sum of readings */
    struct rc_rate_term {
        double coefficient;
        size_t reading;
    } * term;
    size_t terms;
};

/* A formula with its names found. */
struct rc_rate_formula {
    struct rc_expression *expression;
    struct rc_rate_input input[RC_EXPRESSION_NAMES_MAX];
    struct rc_rate_reading *reading;
    size_t readings;
    size_t begin, end; /* readings of when work began and ended; SIZE_MAX: none */
};

/* Finds what the names are.  *why gets the reason where the suite cannot have the rate:
 * "column 3: ...", else NULL.  rc_expression_close() the expression in any case.
 */
int rc_rate_find_names(struct rc_solve_kind *k, const struct rc_solve_suite *s,
                       const struct rc_rate_rows *rows,
                       const struct rc_rate_definition *d, struct rc_rate_formula *out,
                       const char **why);

#endif
