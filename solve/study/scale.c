/* The largest of many windows of stolen time. */
#include "solve/study/scale.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "solve/study/tail.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

const double rc_scale_grain_ns[RC_SCALE_GRAINS] = {1e5, 1e6, 1e7};
const double rc_scale_cores[RC_SCALE_CORES] = {1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

/* With more cores than this share of the windows the tail decides. */
static const double measured_part = 0.2;

/* Windows by stolen time, ascending; windows without any are not listed. */
struct windows {
    double *stolen;
    size_t count; /* listed windows */
    double all;   /* measured windows */
    size_t above; /* the first one over the threshold of the tail */
    double threshold;
    struct rc_pareto pareto; /* of the excess over it */
};

/* The probability that none of so many cores gets one of so many windows. */
static double none_above(double windows, double all, double cores)
{
    return exp(cores * log1p(-windows / all));
}

/* The part of the mean from the first 'count' windows of the list. */
static double sum_largest(const struct windows *w, size_t count, double cores)
{
    double sum = 0, before = none_above((double)w->count, w->all, cores);

    for (size_t i = 0; i < count; i++) {
        const double own = none_above((double)(w->count - i - 1), w->all, cores);
        sum += w->stolen[i] * (own - before);
        before = own;
    }
    return sum;
}

/* The part of the mean from above the threshold.  The largest of P cores is exceeded by
 * a share 1 - exp(-e / P) of the windows, where e is drawn from an exponential
 * distribution: this is the mean over e, in equal steps of its logarithm.
 */
static double tail_of_largest(const struct windows *w, double cores)
{
    const double part = (double)(w->count - w->above) / w->all;
    const double last = log(fmin(-cores * log1p(-part), 100));
    const double first = fmin(last, 0) - 40 / (1 - fmin(w->pareto.shape, 0.9));
    enum { STEPS = 4000 };
    const double step = (last - first) / STEPS;
    double sum = 0;

    for (size_t i = 0; i <= STEPS; i++) {
        const double e = exp(first + (double)i * step);
        const double rarity = part / -expm1(-e / cores);
        const double largest = w->threshold + rc_pareto_exceeded(&w->pareto, rarity);
        sum += largest * e * exp(-e) * (i == 0 || i == STEPS ? 0.5 : 1);
    }
    return sum * step;
}

int rc_scale_largest(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                     double grain_ns, const double *cores, size_t numbers,
                     double *largest_ns, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct windows w = {.stolen = rc_arena_array(&arena, count, sizeof *w.stolen)};
    double *excess = rc_arena_array(&arena, count, sizeof *excess);
    double before = 0, current = -1;
    const int status = rc_arena_check(&arena, err, "windows of detours");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < count; i++) {
        const double length = (double)detour[i].length_ns;
        const double window = floor(((double)detour[i].start_ns - before) / grain_ns);
        if (w.count == 0 || window > current)
            w.stolen[w.count++] = 0;
        current = window;
        w.stolen[w.count - 1] += length;
        before += length;
    }
    w.all = fmax(floor(((double)duration_ns - before) / grain_ns), (double)w.count);
    qsort(w.stolen, w.count, sizeof *w.stolen, rc_order_reals);
    w.pareto = rc_pareto_above(w.stolen, w.count, &w.threshold, &w.above, excess);
    for (size_t i = 0; i < numbers; i++) {
        const bool measured = w.all >= 1 && cores[i] <= measured_part * w.all;
        largest_ns[i] = NAN;
        if (measured)
            largest_ns[i] = sum_largest(&w, w.count, cores[i]);
        else if (!isnan(w.pareto.scale))
            largest_ns[i] =
                sum_largest(&w, w.above, cores[i]) + tail_of_largest(&w, cores[i]);
    }
out:
    rc_arena_free(&arena);
    return status;
}
