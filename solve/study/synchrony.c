/* The largest time stolen in shared windows, compared with independent cores. */
#include "solve/study/synchrony.h"

#include "campaign/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rc_synchrony_init(struct rc_synchrony *s, double grain_ns, size_t windows,
                      struct rc_error *err)
{
    memset(s, 0, sizeof *s);
    s->grain_ns = grain_ns;
    s->windows = windows;
    s->largest = rc_calloc(windows, sizeof *s->largest);
    return s->largest ? RC_OK
                      : rc_fail(err, RC_ENOMEM, "no memory for %zu windows", windows);
}

void rc_synchrony_fini(struct rc_synchrony *s)
{
    free(s->largest);
    s->largest = NULL;
}

/* Notes one core's window. */
static void note_window(struct rc_synchrony *s, size_t window, double stolen,
                        double own[RC_SYNCHRONY_BINS])
{
    const double exact = stolen < 1 ? 0 : 1 + floor(32 * log2(stolen));
    const size_t bin = (size_t)fmin(exact, RC_SYNCHRONY_BINS - 1);

    s->largest[window] = fmaxf(s->largest[window], (float)stolen);
    s->bin.count[bin]++;
    s->bin.stolen[bin] += stolen;
    own[bin]++;
}

void rc_synchrony_add(struct rc_synchrony *s, const struct rc_detour *detour,
                      size_t count, double begin_ns, double rate)
{
    const double end_ns = (double)s->windows * s->grain_ns;
    double own[RC_SYNCHRONY_BINS] = {0}, stolen = 0, above = 0;
    size_t window = s->windows; /* none yet */

    for (size_t i = 0; i < count; i++) {
        const double at = begin_ns + rate * (double)detour[i].start_ns;
        if (at < 0 || at >= end_ns)
            continue;
        const size_t next = (size_t)(at / s->grain_ns);
        if (next >= s->windows) /* by rounding */
            continue;
        if (next != window && window < s->windows)
            note_window(s, window, stolen, own);
        stolen = (next == window ? stolen : 0) + (double)detour[i].length_ns;
        window = next;
    }
    if (window < s->windows)
        note_window(s, window, stolen, own);
    s->cores++;
    for (size_t b = RC_SYNCHRONY_BINS; b-- > 0; above += own[b])
        s->bin.quiet[b] += log1p(-above / fmax((double)s->windows, 1));
}

struct rc_synchrony_found rc_synchrony_find(const struct rc_synchrony *s)
{
    struct rc_synchrony_found is = {NAN, NAN, NAN};
    const double windows = (double)s->windows;
    double sum = 0, squares = 0, before = exp(s->bin.quiet[0]);

    if (s->windows == 0 || s->cores == 0)
        return is;
    for (size_t w = 0; w < s->windows; w++)
        sum += s->largest[w];
    is.measured = sum / windows;
    for (size_t w = 0; w < s->windows; w++)
        squares += pow(s->largest[w] - is.measured, 2);
    is.error = sqrt(squares) / windows;
    is.independent = 0;
    for (size_t b = 1; b < RC_SYNCHRONY_BINS; b++) {
        const double quiet = exp(s->bin.quiet[b]);
        if (s->bin.count[b] > 0)
            is.independent += (quiet - before) * s->bin.stolen[b] / s->bin.count[b];
        before = quiet;
    }
    return is;
}
