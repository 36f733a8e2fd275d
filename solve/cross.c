#include "solve/cross.h"

#include <math.h>
#include <stdbool.h>

static bool claim_at(const struct rc_cross *suite, const double *weight, double grain,
                     size_t p, double *out)
{
    double sum = 0;

    for (size_t i = 0; i < suite->ideals; i++) {
        if (fabs(weight[i]) <= grain)
            continue;
        if (isnan(suite->ideal[p * suite->ideals + i]))
            return false;
        sum += weight[i] * suite->ideal[p * suite->ideals + i];
    }
    *out = sum;
    return true;
}

static double largest_of(const double *weight, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(weight[i]));
    return most;
}

static double least_of(const double *weight, size_t count)
{
    double least = 0;

    for (size_t i = 0; i < count; i++)
        least = fmin(least, weight[i]);
    return least;
}

/* The constant rest that explains the differences best.  Nothing is counted that was
 * not done: it is negative only where the claim is a difference.
 */
static double rest_of(const struct rc_cross *suite, const double *weight, double grain,
                      const double *counted)
{
    const double most = RC_CROSS_REST * largest_of(weight, suite->ideals);
    double product = 0, square = 0, claim;

    for (size_t p = 0; p < suite->points; p++) {
        if (suite->iterations[p] == 0 || isnan(counted[p]) ||
            !claim_at(suite, weight, grain, p, &claim))
            continue;
        const double share = 1 / (double)suite->iterations[p];
        product += (counted[p] - claim) * share;
        square += share * share;
    }
    const double least = least_of(weight, suite->ideals) < 0 ? -most : 0;
    return square > 0 ? fmin(fmax(product / square, least), most) : 0;
}

struct rc_cross_result rc_cross_try(const struct rc_cross *suite, const double *weight,
                                    double grain, double floor, const double *counted)
{
    const double rest = rest_of(suite, weight, grain, counted);
    struct rc_cross_result out = {0};
    double off = 0, claim;

    for (size_t p = 0; p < suite->points; p++) {
        if (suite->iterations[p] == 0 || isnan(counted[p]) ||
            !claim_at(suite, weight, grain, p, &claim))
            continue;
        const double d = counted[p] - claim - rest / (double)suite->iterations[p];
        off += d * d;
        out.counted += counted[p] * counted[p];
        out.claimed += claim * claim;
        out.points++;
    }
    out.counted = sqrt(out.counted);
    out.claimed = sqrt(out.claimed);
    const double least = out.claimed > 0 ? floor : RC_CROSS_NOTHING * floor;
    const double scale =
        fmax(fmax(out.counted, out.claimed), least * sqrt((double)out.points));
    out.error = scale > 0 ? sqrt(off) / scale : 0;
    return out;
}
