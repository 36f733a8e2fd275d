/* Coordinates with noise become small fractions, the surest first. */
#include "solve/snap.h"

#include "campaign/base/memory.h"
#include "solve/fraction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double deviations = 4;   /* that a fraction may be away */
static const double risk_most = 0.05; /* that a fraction is met by chance, about */

/* The fraction that a coordinate may be, in units of 'scale', and the risk that it is
 * none: there are about under^2 of such simple ones in a unit.
 */
static double risk_of(double x, double deviation, double scale, double *out)
{
    const double within = deviations * deviation / scale;
    struct rc_fraction f;

    if (!rc_fraction_near(x / scale, within, INT64_C(1) << 10, &f))
        return INFINITY;
    *out = rc_fraction_value(f) * scale;
    return within * (double)f.under * (double)f.under;
}

/* The coordinate 'at' is 'value': the others follow by what they share with it. */
static void condition(size_t columns, size_t at, double value, double *covariance,
                      double *x)
{
    const double variance = covariance[at * columns + at], step = x[at] - value;

    for (size_t i = 0; i < columns && variance > 0; i++) {
        const double share = covariance[i * columns + at] / variance;
        x[i] -= share * step;
        if (i == at)
            continue;
        for (size_t k = 0; k < columns; k++)
            if (k != at)
                covariance[i * columns + k] -= share * covariance[at * columns + k];
        covariance[i * columns + i] = fmax(covariance[i * columns + i], 0);
    }
    for (size_t i = 0; i < columns; i++)
        covariance[i * columns + at] = covariance[at * columns + i] = 0;
    x[at] = value;
}

/* Events may count in thousands or thousandths. */
static double scale_of(const double *x, size_t ideals)
{
    double largest = 0;

    for (size_t i = 0; i < ideals; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest > 500 ? 1000 : largest < 0.01 ? 0.001 : 1;
}

bool rc_snap(size_t columns, size_t ideals, double *covariance, double *x)
{
    double *was = rc_calloc(columns + 1, sizeof *was), square = 0;
    bool *done = rc_calloc(ideals + 1, sizeof *done);
    const double scale = scale_of(x, ideals);
    size_t count = 0;
    bool likely = was && done;

    if (likely)
        memcpy(was, x, columns * sizeof *x);
    while (likely && count < ideals) {
        double least = INFINITY, value = 0, best = 0;
        size_t at = 0;
        for (size_t i = 0; i < ideals; i++) {
            const double deviation = sqrt(covariance[i * columns + i]);
            const double risk =
                done[i] ? INFINITY : risk_of(x[i], deviation, scale, &value);
            if (risk < least) {
                least = risk;
                best = value;
                at = i;
            }
        }
        if (!(least <= risk_most))
            break;
        const double variance = covariance[at * columns + at];
        square += variance > 0 ? (x[at] - best) * (x[at] - best) / variance : 0;
        condition(columns, at, best, covariance, x);
        done[at] = true;
        count++;
    }
    /* The mean of 'count' squares is 1, if noise is all; its deviation is known. */
    likely = likely && square <= (double)count + 4 * sqrt(2 * (double)count);
    if (!likely && was)
        memcpy(x, was, columns * sizeof *x);
    free(was);
    free(done);
    return likely;
}
