/* expression.h - formulas as people type them, and how they are evaluated
 *
 *     [DP operations] / ([reads] + [writes])                       of metrics and trees
 *     workers * B_STREAM / (max(time::end) - min('time::begin'))   of rates
 *
 * Numbers, + - * / and parentheses have their usual meaning.  The caller knows the
 * meaning of a name.
 */
#ifndef RC_CAMPAIGN_BASE_EXPRESSION_H
#define RC_CAMPAIGN_BASE_EXPRESSION_H

#include "campaign/base/arena.h"
#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    RC_EXPRESSION_METRIC_MAX = 80, /* bytes of a name in brackets */
    RC_EXPRESSION_NAMES_MAX = 32,  /* in a formula */
    RC_EXPRESSION_DEPTH = 64,      /* operands that wait for each other */
};

struct rc_expression_name {
    const char *text;
    bool metric;   /* it stands in brackets */
    bool outside;  /* of functions, once at least */
    size_t column; /* of its first appearance, from 1 on */
};

/* The work of a step, beside + - * and /. */
enum {
    RC_EXPRESSION_NUMBER = 'n',
    RC_EXPRESSION_NAME = 'i',
    RC_EXPRESSION_NEGATIVE = '~',
    RC_EXPRESSION_SUM = 's', /* these three over all workers */
    RC_EXPRESSION_MAX = 'M',
    RC_EXPRESSION_MIN = 'm',
};

/* A step of the evaluation, which keeps a stack: operands first, then the operator that
 * joins them.
 */
struct rc_expression_step {
    char what;
    size_t name; /* of a name, its number */
    double number;
};

struct rc_expression {
    struct rc_arena arena; /* of steps and names */
    struct rc_expression_step *step;
    size_t count;
    struct rc_expression_name
        name[RC_EXPRESSION_NAMES_MAX]; /* each once, in their order */
    size_t name_count;
};

/* With 'words' names may stand without brackets, in quotes where they have other
 * characters than letters, digits and "_:.@", and there are the functions sum(), max()
 * and min().  RC_EUSAGE says what is wrong and where: "column 7: expected ...".
 */
int rc_expression_create(const char *text, bool words, struct rc_expression **out,
                         struct rc_error *err);
void rc_expression_close(struct rc_expression *formula); /* accepts NULL */

/* The value of a formula for a team: value[name * workers + worker] are its names for
 * each worker, and 'room' has RC_EXPRESSION_DEPTH times 'workers' items.  Names outside
 * of functions are the first worker's.  NAN where a value is, and after a division by
 * 0.
 */
double rc_expression_over_workers(const struct rc_expression *formula,
                                  const long double *value, size_t workers,
                                  long double *room);

#endif
