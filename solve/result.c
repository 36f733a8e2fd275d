/* Names of the results of the solve, and rules of which coefficients are used. */
#include "solve/result.h"

#include <math.h>

const char *const rc_class_names[] = {"cannot be counted",
                                      "0 in all suites",
                                      "0 in this suite",
                                      "too noisy for this suite",
                                      "good",
                                      "exact",
                                      NULL};
const char *const rc_use_names[] = {"not used",
                                    "no sum of the ideals",
                                    "something else elsewhere",
                                    "says nothing more",
                                    "chosen",
                                    NULL};
const char *const rc_metric_verdict_names[] = {
    "not on this machine", "approximate",  "defined",      "rejected",
    "not known",           "by reference", "contradicted", NULL};

bool rc_metric_is_defined(const struct rc_metric_result *metric)
{
    return metric->verdict == RC_METRIC_DEFINED ||
           metric->verdict == RC_METRIC_REFERENCE;
}

bool rc_metric_is_usable(const struct rc_metric_result *metric)
{
    return rc_metric_is_defined(metric) || metric->verdict == RC_METRIC_APPROXIMATE;
}

double rc_term_value(const struct rc_metric_result *metric, const struct rc_term *term)
{
    return metric->rounded_holds ? term->rounded : term->coefficient;
}

/* The end of an interval; the value itself where they differ by less than any
 * measurement resolves.
 */
static double end_of(double value, double end)
{
    return fabs(value - end) <= 1e-9 * fabs(value) ? value : end;
}

double rc_term_low(const struct rc_metric_result *metric, const struct rc_term *term)
{
    const double value = rc_term_value(metric, term);

    return isnan(term->low) ? NAN : end_of(value, fmin(term->low, value));
}

double rc_term_high(const struct rc_metric_result *metric, const struct rc_term *term)
{
    const double value = rc_term_value(metric, term);

    return isnan(term->high) ? NAN : end_of(value, fmax(term->high, value));
}

bool rc_metric_has_combination(const struct rc_metric_result *metric)
{
    return metric->verdict != RC_METRIC_ABSENT && metric->verdict != RC_METRIC_UNKNOWN;
}

bool rc_term_matters(const struct rc_metric_result *metric, const struct rc_term *term)
{
    return term->rounded != 0 ||
           (!metric->rounded_holds && rc_metric_has_combination(metric));
}
