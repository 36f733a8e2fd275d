/* The generalised Pareto distribution of the longest detours. */
#include "solve/study/tail.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 400 };
static const double miss = 0.05; /* significance level: intervals cover 95 % */

/* Fits ascending values, the i-th of which occurs times[i] times; NULL: once. */
static struct rc_pareto fit(const double *value, const uint32_t *times, size_t count)
{
    double mean = 0, weighted = 0, before = 0;

    for (size_t i = 0; i < count; i++) {
        const double own = times ? times[i] : 1;
        /* The sum of 1 - (rank - 0.35) / count over ranks before + 1 .. before + own.
         */
        const double ranks = own * before + own * (own + 1) / 2;
        mean += own * value[i];
        weighted += value[i] * (own - (ranks - 0.35 * own) / (double)count);
        before += own;
    }
    const double spread = mean - 2 * weighted;
    if (!(spread > 0))
        return (struct rc_pareto){NAN, NAN}; /* all are the same */
    return (struct rc_pareto){
        .scale = 2 * mean / (double)count * weighted / spread,
        .shape = 2 - mean / spread,
    };
}

struct rc_pareto rc_pareto_fit(const double *excess, size_t count)
{
    if (count < RC_TAIL_LEAST)
        return (struct rc_pareto){NAN, NAN};
    return fit(excess, NULL, count);
}

struct rc_pareto rc_pareto_above(const double *value, size_t count, double *threshold,
                                 size_t *below, double *excess)
{
    *below = (size_t)(RC_TAIL_BELOW * (double)count);
    if (*below >= count)
        return (struct rc_pareto){NAN, NAN};
    *threshold = value[*below];
    while (*below < count && value[*below] <= *threshold)
        ++*below;
    for (size_t i = *below; i < count; i++)
        excess[i - *below] = value[i] - *threshold;
    return rc_pareto_fit(excess, count - *below);
}

double rc_pareto_exceeded(const struct rc_pareto *pareto, double rarity)
{
    const double rare = log(fmax(rarity, 1));

    if (fabs(pareto->shape) < 1e-9)
        return pareto->scale * rare;
    return pareto->scale * expm1(pareto->shape * rare) / pareto->shape;
}

/* Fits repeatedly, each time to as many values drawn from those given. */
static void draw_interval(const double *excess, size_t count, double rarity,
                          uint32_t *times, struct rc_tail *tail)
{
    double worst[DRAWS];
    uint64_t state = count;
    size_t drawn = 0;

    for (size_t d = 0; d < DRAWS; d++) {
        memset(times, 0, count * sizeof *times);
        for (size_t i = 0; i < count; i++)
            times[rc_mix_next(&state) % count]++;
        const struct rc_pareto pareto = fit(excess, times, count);
        if (!isnan(pareto.scale))
            worst[drawn++] = tail->threshold_ns + rc_pareto_exceeded(&pareto, rarity);
    }
    if (drawn == 0)
        return;
    qsort(worst, drawn, sizeof *worst, rc_order_reals);
    tail->worst_low_ns = worst[(size_t)(miss / 2 * (double)drawn)];
    tail->worst_high_ns = worst[drawn - 1 - (size_t)(miss / 2 * (double)drawn)];
}

int rc_tail_fit(const struct rc_detour *detour, size_t count, uint64_t duration_ns,
                double core_s, struct rc_tail *tail, struct rc_error *err)
{
    *tail = (struct rc_tail){NAN, 0, {NAN, NAN}, NAN, NAN, NAN};
    if (count == 0 || duration_ns == 0)
        return RC_OK;
    struct rc_arena arena = {0};
    double *length = rc_arena_array(&arena, count, sizeof *length);
    double *excess = rc_arena_array(&arena, count, sizeof *excess);
    uint32_t *times = rc_arena_array(&arena, count, sizeof *times);
    size_t below;
    const int status = rc_arena_check(&arena, err, "the longest detours");
    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < count; i++)
        length[i] = (double)detour[i].length_ns;
    qsort(length, count, sizeof *length, rc_order_reals);
    tail->pareto = rc_pareto_above(length, count, &tail->threshold_ns, &below, excess);
    tail->rate_hz = (double)(count - below) / (double)duration_ns * 1e9;
    if (isnan(tail->pareto.scale))
        goto out;
    const double rarity = tail->rate_hz * core_s;
    tail->worst_ns = tail->threshold_ns + rc_pareto_exceeded(&tail->pareto, rarity);
    draw_interval(excess, count - below, rarity, times, tail);
out:
    rc_arena_free(&arena);
    return status;
}
