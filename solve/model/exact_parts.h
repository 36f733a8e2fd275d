/* exact_parts.h - what the search of exact laws and the judgement of what it finds share */
#ifndef RC_SOLVE_MODEL_EXACT_PARTS_H
#define RC_SOLVE_MODEL_EXACT_PARTS_H

#include "campaign/base/arena.h"
#include "solve/model/parts.h"

enum {
    RC_EXACT_TERMS = 4,
    RC_EXACT_DIMENSIONS = 8, /* of the space in which the search is done */
    RC_EXACT_FACTORS = 96,   /* of one parameter, at most */
    RC_EXACT_DENOMINATOR = 64,
};

struct rc_exact_fraction {
    double over;
    int under;
};

struct rc_exact_term {
    unsigned char of[RC_LAW_PARAMETERS]; /* factors of the dictionary */
    bool unlikely; /* has a factor that no law along one parameter has */
    int bits;      /* the less, the simpler */
};

struct rc_exact_column {
    double x[RC_EXACT_DIMENSIONS];
};

struct rc_exact_law {
    size_t terms, term[RC_EXACT_TERMS];
    struct rc_exact_fraction coefficient[RC_EXACT_TERMS];
    double bits;   /* of its terms and coefficients */
    double chance; /* expected number of laws of this kind that hold by chance */
};

struct rc_exact {
    struct rc_arena arena;
    size_t parameters, points;
    double *at;                            /* [point][parameter] */
    double *count;                         /* of each point */
    bool rational;                         /* counts are whole or fractions */
    bool same;                             /* in each repetition, or in most of them */
    size_t values[RC_LAW_PARAMETERS];      /* different ones, of each parameter */
    long double *table[RC_LAW_PARAMETERS]; /* factors: [factor][point] */
    struct rc_exact_term *term;
    size_t terms;
    long double *solving; /* RC_EXACT_TERMS + 1 columns of points */

    size_t dimensions;
    /* Each term, and the counts, after so many reflections. */
    struct rc_exact_column *column[RC_EXACT_TERMS], left[RC_EXACT_TERMS];
    size_t wanted, reach; /* terms of a law; of the dictionary that are tried */
    size_t chosen[RC_EXACT_TERMS];
    int limit; /* bits of terms */

    size_t holding;
    struct rc_exact_law held[RC_LAWS_CHOICES]; /* the simplest first */
    /* Factors that laws along one parameter have; in the search of these laws factors are
     * all that is noted.
     */
    bool likely[RC_LAW_PARAMETERS][RC_EXACT_FACTORS], line;
};

/* A term's value at a point, without its coefficient. */
long double rc_exact_term_at(const struct rc_exact *s, size_t term, size_t point);

/* Rows are divided by this, so that deviations are relative; a count of 0 is as the least
 * of the others.
 */
double rc_exact_row_size(const struct rc_exact *s, size_t point);
double rc_exact_largest(const struct rc_exact *s);

/* Each parameter of the law has more values than the law has factors of it, 1 included. */
bool rc_exact_has_values(const struct rc_exact *s, const struct rc_exact_law *law);

/* Solves for the coefficients of the law's terms.  True: they are simple fractions, the law
 * gives each count to its last digit, and no rounded law does as well.
 */
bool rc_exact_judge(struct rc_exact *s, struct rc_exact_law *law);

/* The law, in the form of law.h. */
struct rc_law rc_exact_law_of(const struct rc_exact *s,
                              const struct rc_exact_law *held);

#endif
