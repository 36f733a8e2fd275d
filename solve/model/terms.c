/* terms.c - the dictionary of factors: exponents and logarithms that laws may have */
#include "solve/model/parts.h"

#include <math.h>

/* Extra-P's 42 with exponents above 0 or logarithms alone, those that fall, and steps. */
const struct rc_law_factor rc_terms[] = {
    {0, 1, 0},  {0, 1, 1},  {0, 1, 2},   {1, 4, 0},  {1, 3, 0},  {1, 4, 1},  {1, 3, 1},
    {1, 4, 2},  {1, 3, 2},  {1, 2, 0},   {1, 2, 1},  {1, 2, 2},  {2, 3, 0},  {3, 4, 0},
    {2, 3, 1},  {3, 4, 1},  {4, 5, 0},   {2, 3, 2},  {3, 4, 2},  {1, 1, 0},  {1, 1, 1},
    {1, 1, 2},  {5, 4, 0},  {5, 4, 1},   {4, 3, 0},  {4, 3, 1},  {3, 2, 0},  {3, 2, 1},
    {3, 2, 2},  {5, 3, 0},  {7, 4, 0},   {2, 1, 0},  {2, 1, 1},  {2, 1, 2},  {9, 4, 0},
    {7, 3, 0},  {5, 2, 0},  {5, 2, 1},   {5, 2, 2},  {8, 3, 0},  {11, 4, 0}, {3, 1, 0},
    {3, 1, 1},  {-1, 4, 0}, {-1, 3, 0},  {-1, 2, 0}, {-1, 2, 1}, {-2, 3, 0}, {-3, 4, 0},
    {-4, 5, 0}, {-1, 1, 0}, {-1, 1, 1},  {-1, 1, 2}, {-5, 4, 0}, {-4, 3, 0}, {-3, 2, 0},
    {-3, 2, 1}, {-5, 3, 0}, {-7, 4, 0},  {-2, 1, 0}, {-2, 1, 1}, {-9, 4, 0}, {-7, 3, 0},
    {-5, 2, 0}, {-8, 3, 0}, {-11, 4, 0}, {-3, 1, 0}, {0, 1, 0},  {0, 1, 0},
};
const size_t rc_terms_all = sizeof rc_terms / sizeof *rc_terms;
const size_t rc_terms_count = sizeof rc_terms / sizeof *rc_terms - RC_TERMS_STEPS;

/* Most programs have whole exponents and a plain logarithm; halves come next, and steep
 * laws are rare.
 */
static double plainness(struct rc_law_factor factor, bool twice)
{
    double value = factor.over == 0 && factor.logs == 0 ? 0.7
                   : factor.under == 1                  ? 2
                   : factor.under == 2                  ? 1
                                                        : 0.7;

    value *= exp(-(twice ? 0.5 : 0.4) *
                 fmax(fabs((double)factor.over / factor.under) - 1, 0));
    if (factor.over < 0 && factor.over != -factor.under)
        value *= 0.5;
    if (factor.logs > (factor.over == 0 ? 1 : 0))
        value *= factor.logs == 2 ? 0.6 : 0.8;
    return value;
}

void rc_terms_log_priors(bool twice, double *out)
{
    double sum = 0;

    out[0] = 0;
    for (size_t i = 1; i < rc_terms_all; i++) {
        double value = plainness(rc_terms[i], twice);

        out[i] = twice ? value * value : value;
        sum += out[i];
    }
    for (size_t i = 1; i < rc_terms_all; i++)
        out[i] = log(out[i] / sum);
}

/* The largest of the numbers that is below 'limit'; 0: none is. */
static double largest_below(const double *x, size_t points, double limit)
{
    double most = 0;

    for (size_t i = 0; i < points; i++)
        if (x[i] < limit && x[i] > most)
            most = x[i];
    return most;
}

void rc_terms_table(const double *x, size_t points, double *out)
{
    double least = INFINITY, last = largest_below(x, points, INFINITY);
    double step[RC_TERMS_STEPS] = {last, largest_below(x, points, last)};

    for (size_t i = 0; i < points; i++)
        least = fmin(least, x[i]);
    for (size_t f = 0; f < rc_terms_all; f++) {
        struct rc_law_factor factor = rc_terms[f];
        double power = (double)factor.over / factor.under, most = 0;
        double *value = out + f * points;

        for (size_t i = 0; i < points; i++) {
            double logarithm = log(x[i]);

            value[i] = factor.over ? exp(power * logarithm) : 1;
            if (f + RC_TERMS_STEPS >= rc_terms_all)
                value[i] = x[i] >= step[rc_terms_all - 1 - f];
            for (int k = 0; k < factor.logs; k++)
                value[i] *= logarithm / log(2);
            most = fmax(most, value[i]);
        }
        if ((factor.logs && least < 1) || !(most > 0) || !isfinite(most))
            value[0] = NAN;
    }
}
