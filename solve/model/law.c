/* law.c - laws at a point */
#include "solve/model/law.h"

#include <math.h>

double rc_law_factor_at(struct rc_law_factor factor, double x)
{
    double value = factor.over ? pow(x, (double)factor.over / factor.under) : 1;

    return factor.logs ? value * pow(log2(x), factor.logs) : value;
}

double rc_law_term_at(const struct rc_law_term *term, const double *at,
                      size_t parameters)
{
    double value = 1;

    for (size_t i = 0; i < parameters; i++)
        value *= rc_law_factor_at(term->of[i], at[i]);
    return value;
}

double rc_law_at(const struct rc_law *law, const double *at, size_t parameters)
{
    double value = 0;

    for (size_t i = 0; i < law->terms; i++)
        value +=
            law->term[i].coefficient * rc_law_term_at(&law->term[i], at, parameters);
    return value;
}

bool rc_law_same_line(const double *a, const double *b, size_t parameters,
                      size_t parameter)
{
    for (size_t p = 0; p < parameters; p++)
        if (p != parameter && a[p] != b[p])
            return false;
    return true;
}
