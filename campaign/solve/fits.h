/* fits.h - data and functions that the files that fit a suite's metrics share */
#ifndef RC_CAMPAIGN_SOLVE_FITS_H
#define RC_CAMPAIGN_SOLVE_FITS_H

#include "campaign/solve/parts.h"

/* The fits of a suite share these.  The step's arena has the arrays. */
struct rc_fits {
    struct rc_solve_kind *k;
    struct rc_solve_suite *s;
    size_t *event;               /* [chosen] numbers in the kind */
    const char **name, **source; /* [chosen] */
    struct rc_solve_means means; /* of these events */
    const double *x;             /* [event][rows]: their coordinates, for tolerances */
    size_t rows;
    /* [event] or NULL: constants in each reading, and the noise of means; both are
     * tolerated.
     */
    const double *rest, *noise;
    const struct rc_metric_definition **metric; /* those with a signature */
    size_t metrics;
    double *signature;  /* [metric][ideal] */
    double *y;          /* [metric][pure] coefficients of the pure events */
    double *low, *high; /* [metric][pure] ends of their intervals */
    double *error;      /* [metric] backward error */
    double *y_all;      /* [metric][chosen] with completing events, too */
    double *error_all;  /* [metric] */
};

/* fits.c: collective */
int rc_fits_init(struct rc_solve_kind *k, struct rc_solve_suite *s, struct rc_fits *f);

/* The index of a term's event among those of 'f'. */
size_t rc_fits_term_number(const struct rc_fits *f, const struct rc_term *term);

/* intervals.c: not collective; 'low' and 'high' of the coefficients 'y' */
int rc_fits_intervals(struct rc_fits *f);

/* check.c: not collective.  How loosely the ideals in a signature are known (0:
 * exactly), and how far a metric may be off on its own suite ('home') or on others.
 */
double rc_fits_looseness(const struct rc_solve_suite *s, const double *signature);
double rc_fits_tolerance(const struct rc_solve_suite *s, const double *signature,
                         bool home);

/* Tries the metric's terms on the points of all suites, its own suite first. */
int rc_fits_check(const struct rc_fits *f, const double *signature,
                  struct rc_metric_result *m);

/* The number of suites where it is known what the metric should count. */
size_t rc_fits_suites_that_know(const struct rc_fits *f, const double *signature);

/* verdicts.c: not collective.  Makes terms from coefficients of the first 'events'
 * chosen events, rounds them as far as that holds, tries them on all suites, and sets
 * the verdict with its reason.  'low' and 'high' may be NULL.
 */
int rc_fits_try(const struct rc_fits *f, const double *signature, const double *y,
                const double *low, const double *high, size_t events,
                struct rc_metric_result *m);

/* The largest backward error of a metric that is defined. */
double rc_fits_limit(const struct rc_solve_suite *s);

#endif
