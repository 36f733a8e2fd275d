/* Norms of columns cut off at alpha, and the score by which a pivot is chosen. */
#include "solve/algebra/pivot.h"
#include "solve/algebra/pivot_parts.h"

#include <math.h>
#include <string.h>

/* A column of large numbers has large rounding errors in all of them, so its grain
 * grows with the power of two below its largest number.  Columns often hold powers of
 * two, which must not fall to either side by their rounding: hence the factor.
 */
double rc_pivot_cutter(const double *column, size_t rows)
{
    uint64_t bits, largest = UINT64_C(0x3ff) << 52; /* 1 */
    double most, power;

    /* The largest of 1 and the absolute numbers of the column.  Their bits, taken for
     * whole numbers, have the same order and are compared faster.  A NAN is above all.
     */
    for (size_t i = 0; i < rows; i++) {
        memcpy(&bits, &column[i], sizeof bits);
        bits &= UINT64_MAX >> 1;
        largest = bits > largest ? bits : largest;
    }
    memcpy(&most, &largest, sizeof most);
    most *= 1.001;
    memcpy(&bits, &most, sizeof bits);
    bits &= UINT64_C(0x7ff) << 52; /* the exponent alone */
    memcpy(&power, &bits, sizeof power);
    return power * (0x1.8p52 * RC_PIVOT_GRAIN);
}

/* Rounds to 36 bits (Veltkamp's splitting): sums of the same numbers in another order
 * become equal.
 */
static double tidy(double sum)
{
    double large = sum * (0x1p17 + 1);

    return large - (large - sum);
}

double rc_pivot_norm(const double *column, size_t rows)
{
    double c = rc_pivot_cutter(column, rows), sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += rc_pivot_cut(column[i], c) * rc_pivot_cut(column[i], c);
    return tidy(sqrt(sum));
}

/* The same as floor(), which is a call where processors without SSE4.1 are allowed. */
static double whole_below(double x)
{
    const double whole = (double)(int64_t)x;

    return whole > x ? whole - 1 : whole;
}

/* A coordinate, rounded to a multiple v of alpha, adds v to the score, or 1 / v where v
 * is below 1, so that 1 is the simplest number but 0.
 */
double rc_pivot_score(const double *column, size_t rows, double alpha)
{
    double c = rc_pivot_cutter(column, rows), sum = 0;

    for (size_t i = 0; i < rows; i++) {
        const double u = rc_pivot_cut(column[i], c), quotient = u / alpha;
        if (u == 0)
            continue;
        const double v = fabs(quotient) < 0x1p52 /* above that all doubles are whole */
                             ? fabs(alpha * whole_below(quotient + 0.5))
                             : fabs(u);
        sum += v > 0 && v < 1 ? 1 / v : v;
    }
    return tidy(sum);
}

double rc_pivot_least(size_t rows, double alpha, double norm)
{
    return fmax(alpha * sqrt((double)rows),
                fmin(RC_PIVOT_SHARE * alpha, 0x1p-6) * norm);
}

double rc_pivot_limit(const double *column, size_t rows, double alpha)
{
    double norm = rc_pivot_norm(column, rows);

    /* Leaves room for rounding in computations in another order. */
    return rc_pivot_least(rows, alpha, norm) * (1 + 0x1p-20) + 0x1p-40 * norm;
}
