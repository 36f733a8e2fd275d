/* parts.h - what the files of the method 'rollcall' share
 *
 * Points are weighed (weigh.c), forms of laws are searched (search.c, several.c) and
 * judged by their evidence, and the best become a fit (laws.c).  A form is a law without
 * its coefficients: each term names a factor of the dictionary for each parameter.
 */
#ifndef RC_SOLVE_MODEL_PARTS_H
#define RC_SOLVE_MODEL_PARTS_H

#include "campaign/base/arena.h"
#include "solve/model/laws.h"

enum {
    RC_FORM_TERMS = 4, /* a constant, and three more */
    RC_FORM_KEPT = 64, /* forms that a search keeps */
    RC_WEIGHED_VARIANCES = 20,
    RC_TERMS_MOST = 80,
    RC_TERMS_STEPS = 2,
};

/* The dictionary: factor 0 is 1.  After the first rc_terms_count there are RC_TERMS_STEPS
 * that are 0 up to a point, and 1 from the last value or the last but one on, as where a
 * protocol changes: beyond the points they are 1.
 */
extern const struct rc_law_factor rc_terms[];
extern const size_t rc_terms_count, rc_terms_all;

/* Logarithms of the factors' prior probabilities, which add up to 1 but for factor 0,
 * whose logarithm is 0.  'twice' is for laws of several terms, where simple exponents are
 * likelier still.
 */
void rc_terms_log_priors(bool twice, double *out);

/* Values of all factors at 'points' values of x: [factor][point].  A factor that has no
 * finite value above or at 0 at all of them, or only 0, is NAN at the first point.
 */
void rc_terms_table(const double *x, size_t points, double *out);

/* Means of points, with their noise, and the values of all factors there. */
struct rc_weighed {
    size_t parameters, points;
    double *at;   /* [point][parameter] */
    double *mean; /* above 0 */
    /* A weight is that of a squared relative residual; the mean of all is 1. */
    double *weight;
    double *table[RC_LAW_PARAMETERS]; /* rc_terms_table(); NULL: it does not vary */
    double variance; /* of a mean with weight 1, by repetitions, relative; 0: unknown */
    double noise;    /* standard deviation of a reading, relative */
    double degrees;  /* of freedom, that it is known with */
    uint32_t words;
    /* The variance that a law may leave at a point of weight 1, as a prior; from
     * 'misfits' on with a misfit of the law, which has this prior in all. */
    size_t variances, misfits;
    double log_misfit;
    double left[RC_WEIGHED_VARIANCES], log_left[RC_WEIGHED_VARIANCES];
    double log_prior[RC_WEIGHED_VARIANCES];
    double factor_prior[2][RC_TERMS_MOST]; /* rc_terms_log_priors() */
    double *scratch;                       /* RC_FORM_TERMS numbers for each point */
};

/* Takes means of what was observed; points that were not measured and points that are
 * 0 are left out.  The memory is the arena's, whose failure the caller checks.
 */
void rc_weigh(const struct rc_observed *observed, struct rc_arena *arena,
              struct rc_weighed *out);

/* Makes weights more equal: 'misfit' is a relative deviation that all points have. */
void rc_weigh_misfit(struct rc_weighed *weighed, double misfit);

/* The points from 'from' on; the memory is that of 'all'. */
struct rc_weighed rc_weigh_part(const struct rc_weighed *all, size_t from,
                                size_t points, struct rc_arena *arena);

struct rc_form {
    size_t terms;
    unsigned char of[RC_FORM_TERMS][RC_LAW_PARAMETERS]; /* factors; sorted */
};

struct rc_judged {
    struct rc_form form;
    double evidence; /* logarithm, with the prior of the form */
    double misfit2;  /* relative variance of points around the law beyond their noise */
    double coefficient[RC_FORM_TERMS];
    double covariance[RC_FORM_TERMS][RC_FORM_TERMS];
};

/* The best forms that were judged, best first. */
struct rc_judged_list {
    size_t count;
    struct rc_judged of[RC_FORM_KEPT];
};

/* Judges a form and puts it into the list if it is one of the best there and has only
 * coefficients above 0.  A form that is in the list is not judged again.
 */
void rc_judge(const struct rc_weighed *weighed, struct rc_form form,
              struct rc_judged_list *list);

/* Logarithm of the evidence of all forms of the list together. */
double rc_judged_evidence(const struct rc_judged_list *list);

/* A set of terms, of which laws of one to three and a constant are tried. */
struct rc_term_set {
    size_t count;
    const unsigned char (*of)[RC_LAW_PARAMETERS];
};

/* Searches the sums of terms of the set, and judges the most likely of them. */
void rc_search(const struct rc_weighed *weighed, const struct rc_term_set *set,
               struct rc_arena *arena, struct rc_judged_list *list);

/* Judges the laws of all parameters that vary. */
void rc_search_one(const struct rc_weighed *weighed, size_t parameter,
                   struct rc_arena *arena, struct rc_judged_list *list);
void rc_search_several(const struct rc_weighed *weighed, struct rc_arena *arena,
                       struct rc_judged_list *list);

/* Where the points of one parameter, which are sorted by it, are two laws by far rather
 * than one, makes 'weighed' and the list those of the upper one.
 */
void rc_segments(struct rc_weighed *weighed, size_t parameter, struct rc_arena *arena,
                 struct rc_judged_list *list);

/* Distance of two points, in the extents of what was measured. */
double rc_laws_apart(const struct rc_laws *fit, const double *a, const double *b);

/* Fills in the anchors of a fit of these laws, whose misfit is there. */
void rc_laws_anchor(const struct rc_weighed *weighed, const struct rc_judged_list *list,
                    struct rc_laws *fit);

/* Notes the least and the most of each parameter at the points that were measured. */
void rc_laws_extent(const struct rc_observed *observed, struct rc_laws *out);

/* The method 'rollcall'. */
int rc_laws_rollcall(const struct rc_observed *observed, struct rc_laws *out,
                     struct rc_error *err);

#endif
