/* Finds the plateau of a level of memory. */
#include "solve/study/plateau.h"

#include <math.h>

size_t rc_plateau_find(const double *rate, size_t count)
{
    size_t found = count, before = count;

    for (size_t i = 0; i < count; i++) {
        if (isnan(rate[i]))
            continue;
        if (before < count &&
            fabs(rate[i] - rate[before]) <= RC_PLATEAU_WITHIN * fabs(rate[before]))
            found = i;
        before = i;
    }
    return found;
}
