/* Finds phases of a program where series change their level together: see phases.h. */
#include "solve/series/phases.h"

#include "campaign/base/arena.h"
#include "solve/study/outliers.h"

#include <math.h>
#include <stdbool.h>

enum {
    SHORTEST = 2, /* bins of a phase */
    OTHERS = 2    /* largest spikes that the scatter disregards */
};

/* The series in use, without spikes, in units of their scatter. */
struct phases {
    size_t bins, used;
    double *level;  /* [used][bin] */
    double *sum;    /* [bin + 1][used] over the bins before */
    double *square; /* [bin + 1] the same for squares, over all series */
    double *best;   /* [bin + 1] the least cost of all bins before */
    size_t *from;   /* [bin + 1] the begin of the last phase at that cost */
};

/* The difference of the means of two bins before 'bin' and of two from it on. */
static double jump_at(const double *level, size_t bins, size_t bin)
{
    if (bin < 2 || bin + 2 > bins)
        return 0;
    return fabs(level[bin] + level[bin + 1] - level[bin - 1] - level[bin - 2]) / 2;
}

/* Puts the series without spikes into 'level', in units of its scatter, which is
 * returned; 0: too few of its bins are known, or it has no jump.  The scatter is the
 * largest of three: that of most jumps, from noise or a walk; a quarter of all spikes
 * but the largest ones, so that a series that is mostly 0 has no phase where it is not;
 * and a hundredth of the range.  'room' is for twice as many numbers.
 */
static double standardise_series(const double *value, size_t bins, double least,
                                 double *level, double *room)
{
    double *filled = room + bins, last = NAN, low = INFINITY, high = -INFINITY;
    size_t known = 0;
    bool jumps = false;

    for (size_t t = 0; t < bins; t++)
        if (isfinite(value[t]) && known++ == 0)
            last = value[t];
    if (2 * known < bins || known == 0)
        return 0;
    for (size_t t = 0; t < bins; t++)
        filled[t] = last = isfinite(value[t]) ? value[t] : last;
    for (size_t t = 0; t < bins; t++) {
        const double a = filled[t > 0 ? t - 1 : t], b = filled[t],
                     c = filled[t + 1 < bins ? t + 1 : t];
        level[t] = fmax(fmin(a, b), fmin(fmax(a, b), c));
        low = fmin(low, level[t]);
        high = fmax(high, level[t]);
    }
    for (size_t t = 2; t + 1 < bins; t++)
        room[t - 2] = jump_at(filled, bins, t);
    const double steps = 1.4826 * rc_median(room, bins - 3);
    for (size_t t = 0; t < bins; t++)
        room[t] = fabs(filled[t] - level[t]);
    const double spikes = rc_select(room, bins, bins - 1 - OTHERS - bins / 100) / 4;
    least = fmax(least, fmax((high - low) / 100, 1e-6 * fmax(fabs(low), fabs(high))));
    const double scatter = fmax(fmax(steps, spikes), least);
    if (!(scatter > 0) || !isfinite(scatter))
        return 0;
    for (size_t t = 0; t < bins; t++)
        level[t] = (level[t] - low) / scatter;
    for (size_t t = 1; t + 1 < bins; t++) /* a bin in which the level changes */
        if (fabs(level[t + 1] - level[t - 1]) >= RC_PHASES_JUMP)
            level[t] = fabs(level[t] - level[t - 1]) < fabs(level[t + 1] - level[t])
                           ? level[t - 1]
                           : level[t + 1];
    for (size_t t = 0; t < bins && !jumps; t++)
        jumps = jump_at(level, bins, t) >= RC_PHASES_JUMP;
    return jumps ? scatter : 0;
}

/* The cost of a phase from bin 'a' to 'b'. */
static double cost_of(const struct phases *p, size_t a, size_t b)
{
    const double *from = p->sum + a * p->used, *to = p->sum + b * p->used;
    double squares = 0;

    for (size_t j = 0; j < p->used; j++)
        squares += (to[j] - from[j]) * (to[j] - from[j]);
    return p->square[b] - p->square[a] - squares / (double)(b - a);
}

/* Computes the least cost of all bins before each one, over all ways to cut them: the
 * last phase of each way begins at one of the 'candidate' bins s.  If a phase from s to
 * t costs more than a boundary at t saves, no phase from s goes further than t, unless
 * it ends before one from t may: 'until' is the last bin that a candidate is for.
 */
static void cut_bins(struct phases *p, size_t *candidate, size_t *until)
{
    const double penalty = 3 * (double)p->used * log((double)p->bins);
    size_t count = 0;

    p->best[0] = -penalty;
    for (size_t t = 1; t <= p->bins; t++) {
        size_t kept = 0;
        p->best[t] = INFINITY;
        if (t >= SHORTEST && isfinite(p->best[t - SHORTEST])) {
            candidate[count] = t - SHORTEST;
            until[count++] = SIZE_MAX;
        }
        for (size_t i = 0; i < count; i++) { /* drops candidates past their 'until' */
            if (until[i] < t)
                continue;
            candidate[kept] = candidate[i];
            until[kept++] = until[i];
        }
        count = kept;
        for (size_t i = 0; i < count; i++) {
            const size_t s = candidate[i];
            const double whole = p->best[s] + cost_of(p, s, t) + penalty;
            if (whole < p->best[t]) {
                p->best[t] = whole;
                p->from[t] = s;
            }
        }
        for (size_t i = 0; i < count; i++)
            if (until[i] == SIZE_MAX &&
                p->best[candidate[i]] + cost_of(p, candidate[i], t) >= p->best[t])
                until[i] = t + SHORTEST - 1;
    }
}

int rc_phases_find(const double *value, size_t series, size_t bins, size_t *boundary,
                   size_t *boundaries, double *scatter, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct phases p = {.bins = bins};
    double *room = rc_arena_array(&arena, bins, 2 * sizeof *room);
    size_t *candidate = rc_arena_array(&arena, bins + 1, 2 * sizeof *candidate);
    int status;

    *boundaries = 0;
    p.level = rc_arena_array(&arena, series, bins * sizeof *p.level);
    if ((status = rc_arena_check(&arena, err, "the phases of series")) != RC_OK)
        goto out;
    for (size_t j = 0; j < series; j++) {
        scatter[j] = bins < RC_PHASES_BINS
                         ? 0
                         : standardise_series(value + j * bins, bins, scatter[j],
                                              p.level + p.used * bins, room);
        p.used += scatter[j] > 0;
    }
    if (p.used == 0)
        goto out;
    p.sum = rc_arena_array(&arena, bins + 1, p.used * sizeof *p.sum);
    p.square = rc_arena_array(&arena, bins + 1, sizeof *p.square);
    p.best = rc_arena_array(&arena, bins + 1, sizeof *p.best);
    p.from = rc_arena_array(&arena, bins + 1, sizeof *p.from);
    if ((status = rc_arena_check(&arena, err, "the phases of series")) != RC_OK)
        goto out;
    for (size_t t = 0; t < bins; t++) {
        p.square[t + 1] = p.square[t];
        for (size_t j = 0; j < p.used; j++) {
            const double level = p.level[j * bins + t];
            p.sum[(t + 1) * p.used + j] = p.sum[t * p.used + j] + level;
            p.square[t + 1] += level * level;
        }
    }
    cut_bins(&p, candidate, candidate + bins + 1);
    for (size_t t = p.from[bins]; t > 0; t = p.from[t]) { /* from the last one back */
        bool jumps = false;
        for (size_t j = 0; j < p.used && !jumps; j++)
            jumps = jump_at(p.level + j * bins, bins, t) >= RC_PHASES_JUMP;
        if (jumps)
            boundary[(*boundaries)++] = t;
    }
    for (size_t i = 0; i < *boundaries / 2; i++) {
        const size_t other = boundary[i];
        boundary[i] = boundary[*boundaries - 1 - i];
        boundary[*boundaries - 1 - i] = other;
    }
out:
    rc_arena_free(&arena);
    return status;
}
