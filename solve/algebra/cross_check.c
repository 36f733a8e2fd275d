/* Tries an event's coordinates on suites that they were not fitted to.
 *
 * Every reading also counts 'rest / iterations' per iteration: the rest that fits best
 * is estimated over all points of the suite, within the claim's bounds, and the error
 * is computed without it.
 */
#include "solve/algebra/cross_check.h"

#include <math.h>
#include <stdbool.h>

/* A weight below this share of the largest does not bound the rest. */
static const double small_weight = 1e-3;

/* The count that is claimed for a point; false where it is not known. */
static bool claim_at(const struct rc_cross_check *suite,
                     const struct rc_cross_check_claim *claim, size_t p, double *out)
{
    double sum = 0;

    for (size_t i = 0; i < suite->ideals; i++) {
        if (fabs(claim->weight[i]) <= claim->grain)
            continue;
        if (isnan(suite->ideal[p * suite->ideals + i]))
            return false;
        sum += claim->weight[i] * suite->ideal[p * suite->ideals + i];
    }
    *out = sum;
    return true;
}

struct rc_cross_check_claim rc_cross_check_event(const double *weight, size_t ideals,
                                                 double grain, double floor)
{
    double most = grain, rest = INFINITY;
    bool difference = false;

    for (size_t i = 0; i < ideals; i++)
        most = fmax(most, fabs(weight[i]));
    for (size_t i = 0; i < ideals; i++)
        if (fabs(weight[i]) > fmax(grain, small_weight * most)) {
            rest = fmin(rest, RC_CROSS_CHECK_REST * fabs(weight[i]));
            difference |= weight[i] < 0;
        }
    if (isinf(rest))
        rest = 0;
    return (struct rc_cross_check_claim){.weight = weight,
                                         .grain = grain,
                                         .floor = floor,
                                         .rest_least = difference ? -rest : 0,
                                         .rest_most = rest,
                                         .whole = 1};
}

/* The part of a point's difference that rounding and small parts may have made. */
static double forgiven_at(const struct rc_cross_check *suite,
                          const struct rc_cross_check_claim *claim, size_t p)
{
    return claim->whole / (double)suite->iterations[p] +
           (claim->gross ? RC_CROSS_CHECK_GRAIN * claim->gross[p] : 0);
}

/* The constant rest that explains the differences best.  Points with large parts weigh
 * little: their noise hides a rest.
 */
static double rest_of(const struct rc_cross_check *suite,
                      const struct rc_cross_check_claim *claim, const double *counted)
{
    double product = 0, square = 0, claimed;

    for (size_t p = 0; p < suite->points; p++) {
        if (suite->iterations[p] == 0 || isnan(counted[p]) ||
            !claim_at(suite, claim, p, &claimed))
            continue;
        const double unit = claim->gross ? forgiven_at(suite, claim, p) : 1;
        const double share = 1 / (double)suite->iterations[p] / unit;
        product += (counted[p] - claimed) / unit * share;
        square += share * share;
    }
    return square > 0
               ? fmin(fmax(product / square, claim->rest_least), claim->rest_most)
               : 0;
}

struct rc_cross_check_result
rc_cross_check_try(const struct rc_cross_check *suite,
                   const struct rc_cross_check_claim *claim, const double *counted)
{
    const double rest = rest_of(suite, claim, counted);
    struct rc_cross_check_result out = {0};
    double off = 0, claimed;

    for (size_t p = 0; p < suite->points; p++) {
        if (suite->iterations[p] == 0 || isnan(counted[p]) ||
            !claim_at(suite, claim, p, &claimed))
            continue;
        const double share = 1 / (double)suite->iterations[p];
        const double d = fmax(0, fabs(counted[p] - claimed - rest * share) -
                                     forgiven_at(suite, claim, p));
        off += d * d;
        out.worst = fmax(out.worst, d / fmax(fabs(claimed), claim->floor));
        out.counted += counted[p] * counted[p];
        out.claimed += claimed * claimed;
        out.points++;
    }
    out.counted = sqrt(out.counted);
    out.claimed = sqrt(out.claimed);
    const double floor = claim->floor * sqrt((double)out.points);
    const bool nothing = out.claimed <= small_weight * floor;
    const double scale = fmax(fmax(out.counted, out.claimed),
                              nothing ? RC_CROSS_CHECK_NOTHING * floor : floor);
    out.error = scale > 0 ? sqrt(off) / scale : 0;
    return out;
}
