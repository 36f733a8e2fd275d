/* Quantiles by bisection of the distributions, which are incomplete gamma and beta
 * functions: a series where it converges fast, else Lentz' continued fraction.
 */
#include "solve/study/quantile.h"

#include <float.h>
#include <math.h>

enum { TERMS_MOST = 20000, HALVINGS = 200 };

/* A step of Lentz' method; no factor becomes 0. */
static void lentz(double numerator, double *c, double *d, double *h)
{
    *d = 1 + numerator * *d;
    *c = 1 + numerator / *c;
    if (fabs(*d) < DBL_MIN)
        *d = DBL_MIN;
    if (fabs(*c) < DBL_MIN)
        *c = DBL_MIN;
    *d = 1 / *d;
    *h *= *c * *d;
}

/* The continued fraction of the incomplete beta function, for x < (a + 1) / (a + b +
 * 2). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;

    d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
    h = d;
    for (int m = 1; m < TERMS_MOST; m++) {
        lentz(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), &c, &d, &h);
        const double before = h;
        lentz(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), &c, &d, &h);
        if (fabs(h - before) < DBL_EPSILON * fabs(h))
            break;
    }
    return h;
}

/* I_x(a, b), the regularized incomplete beta function; 'y' is 1 - x without its
 * rounding.
 */
static double beta_below(double a, double b, double x, double y)
{
    if (x <= 0 || y <= 0)
        return x <= 0 ? 0 : 1;
    const double front =
        exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, y) / b;
}

/* P(a, x), the regularized lower incomplete gamma function, at half the arguments. */
static double chi2_below(double chi2, double degrees, double unused)
{
    const double a = degrees / 2, x = chi2 / 2;

    (void)unused;
    if (x <= 0)
        return 0;
    const double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < TERMS_MOST && fabs(term) > sum * DBL_EPSILON; n++) {
            term *= x / (a + n);
            sum += term;
        }
        return front * sum;
    }
    double b = x + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;
    for (int n = 1; n < TERMS_MOST; n++) {
        const double numerator = -n * (n - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        h *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return 1 - front * h;
}

static double f_below(double x, double degrees, double of_divisor)
{
    const double all = degrees * x + of_divisor;

    return beta_below(degrees / 2, of_divisor / 2, degrees * x / all, of_divisor / all);
}

double rc_tail_f(double f, double degrees, double of_divisor)
{
    const double all = degrees * f + of_divisor;

    return f > 0 ? beta_below(of_divisor / 2, degrees / 2, of_divisor / all,
                              degrees * f / all)
                 : 1;
}

double rc_both_tails_t(double t, double degrees)
{
    const double all = degrees + t * t;

    return beta_below(degrees / 2, 0.5, degrees / all, t * t / all);
}

/* The value where a distribution above 0 reaches 'p'. */
static double invert(double (*below)(double, double, double), double p, double n,
                     double m)
{
    double low = 0, high = 1;

    while (below(high, n, m) < p && high < DBL_MAX / 4) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < HALVINGS && high - low > 1e-12 * high; i++) {
        const double middle = low + (high - low) / 2;
        if (below(middle, n, m) < p)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

double rc_quantile_chi2(double p, double degrees)
{
    return invert(chi2_below, p, degrees, 0);
}

double rc_quantile_f(double p, double degrees, double of_divisor)
{
    return invert(f_below, p, degrees, of_divisor);
}

/* Fewer than n of 'count' numbers are below the median with the probability of as many
 * heads of a coin, which is an incomplete beta function.
 */
size_t rc_median_order(size_t count)
{
    size_t low = 0, high = count / 2 + 1; /* good, and not good */

    while (high - low > 1) {
        const size_t n = low + (high - low) / 2;
        if (beta_below((double)(count - n + 1), (double)n, 0.5, 0.5) <= 0.025)
            low = n;
        else
            high = n;
    }
    return low;
}
