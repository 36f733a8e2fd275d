/* The simplest fraction near a number, found by its continued fraction. */
#include "solve/algebra/fraction.h"

#include <math.h>
#include <stddef.h>

/* The simplest fraction in [low, high], both above 0: as long as no whole number is in
 * between, the whole part is split off and the rest inverted.
 */
static bool simplest(double low, double high, int64_t most, struct rc_fraction *out)
{
    enum { DEEPEST = 40 };
    int64_t whole[DEEPEST], over, under = 1;
    size_t depth = 0;

    for (;; depth++) {
        const double down = floor(low);
        if (depth == DEEPEST || down > (double)RC_FRACTION_OVER)
            return false;
        whole[depth] = (int64_t)down;
        if (down == low) /* NOLINT: whole numbers are exact */
            break;
        if (down + 1 <= high) {
            whole[depth]++;
            break;
        }
        const double turned = 1 / (high - down);
        high = 1 / (low - down);
        low = turned;
    }
    for (over = whole[depth]; depth > 0; depth--) {
        const int64_t next = whole[depth - 1] * over + under;
        if (over > most || next > RC_FRACTION_OVER)
            return false;
        under = over;
        over = next;
    }
    *out = (struct rc_fraction){over, under};
    return under <= most;
}

bool rc_fraction_near(double value, double within, int64_t most,
                      struct rc_fraction *out)
{
    const double size = fabs(value);

    *out = (struct rc_fraction){0, 1};
    if (!(size <= (double)RC_FRACTION_OVER) || !(within >= 0))
        return false;
    if (size <= within)
        return true;
    if (!simplest(size - within, size + within, most, out))
        return false;
    out->over = value < 0 ? -out->over : out->over;
    return true;
}
