/* Series of all nodes of a launch, put together over bins of time. */
#include "campaign/profile/read/levels.h"

#include "campaign/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD_NS UINT64_C(100000000) /* of readings, where the journal has none */

static bool has_event(const void *context, size_t item, const void *key)
{
    const struct rc_profile_levels *levels = context;
    const struct rc_profile_event *event = key;

    return strcmp(levels->level[item].event->name, event->name) == 0 &&
           strcmp(levels->level[item].event->source, event->source) == 0;
}

/* A time of a node in bins from the begin on, within them. */
static double bin_of(const struct rc_profile_levels *l,
                     const struct rc_profile_node *node, uint64_t at_ns)
{
    const double ns = (double)rc_profile_unix_ns(node, at_ns) - (double)l->zero_unix_ns;

    return fmin(fmax(ns / (double)l->bin_ns, 0), (double)l->bins);
}

/* 'given' of a reading in a bin. */
static void add_value(const struct rc_profile_level *level, size_t bin, double value,
                      double given)
{
    if (!(level->given[bin] > 0))
        level->least[bin] = level->most[bin] = value;
    level->least[bin] = fmin(level->least[bin], value);
    level->most[bin] = fmax(level->most[bin], value);
    level->mean[bin] += value * given;
    level->given[bin] += given;
}

/* Adds the readings of a node: a rate to all bins since the reading before, by the part
 * of them that it was there.  No time counts twice, whatever a journal says.
 */
static void add_readings(const struct rc_profile_levels *l,
                         const struct rc_profile_node *node,
                         const struct rc_profile_series *series,
                         const struct rc_profile_level *level)
{
    double done = 0;

    for (size_t i = 0; i < series->count; i++) {
        const struct rc_profile_reading *r = &series->reading[i];
        const double value = rc_profile_reading_value(&series->event, r);
        const double to = bin_of(l, node, r->at_ns);
        if (!isfinite(value))
            continue;
        if (series->event.state && to < (double)l->bins)
            add_value(level, (size_t)to, value, 1);
        if (series->event.state)
            continue;
        const double from = fmax(done, bin_of(l, node, r->since_ns));
        for (size_t b = (size_t)from; b < l->bins && (double)b < to; b++) {
            const double part = fmin((double)b + 1, to) - fmax((double)b, from);
            if (part > 0)
                add_value(level, b, value, part);
        }
        done = fmax(done, to);
    }
}

/* The level of a series' event, which is new where it is met for the first time; NULL:
 * the arena has failed.
 */
static struct rc_profile_level *find_level(struct rc_profile_levels *l,
                                           struct rc_map *map,
                                           const struct rc_profile_event *event)
{
    const uint64_t hash = rc_text_hash_more(rc_text_hash(event->name), event->source,
                                            strlen(event->source));
    size_t number = rc_map_find(map, l, hash, event);

    if (number == RC_MAP_NONE) {
        const struct rc_profile_level level = {
            .event = event,
            .mean = rc_arena_array(&l->arena, l->bins, sizeof(double)),
            .least = rc_arena_array(&l->arena, l->bins, sizeof(double)),
            .most = rc_arena_array(&l->arena, l->bins, sizeof(double)),
            .given = rc_arena_array(&l->arena, l->bins, sizeof(double))};
        number = l->count;
        rc_arena_append(&l->arena, &l->level, sizeof level, &l->count, &l->room,
                        &level);
        l->arena.failed = l->arena.failed || rc_map_put(map, l, hash, event, number);
        if (l->arena.failed)
            return NULL;
    }
    return &l->level[number];
}

/* Bins are as long as the period of readings, or so that there are not too many. */
int rc_profile_levels_find(const struct rc_profile_sums *sums, size_t most,
                           struct rc_profile_levels *out, struct rc_error *err)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    const uint64_t period = launch->period_ns > 0 ? launch->period_ns : PERIOD_NS;
    struct rc_map map = {.same = has_event};
    struct rc_profile_level *level;

    *out = (struct rc_profile_levels){
        .bin_ns = period,
        .zero_unix_ns = rc_profile_zero_ns(sums->node, sums->node_count)};
    if (sums->axis_ns > INT64_MAX / 2) /* as no launch is */
        return RC_OK;
    out->bin_ns = period * (sums->axis_ns / period / most + 1);
    out->bins = sums->axis_ns / out->bin_ns;
    for (size_t n = 0; n < sums->node_count && out->bins > 0; n++)
        for (size_t i = 0; i < sums->node[n].series_count; i++) {
            const struct rc_profile_series *series = &sums->node[n].series[i];
            if (series->count == 0)
                continue;
            level = find_level(out, &map, &series->event);
            if (!level)
                goto out;
            level->nodes++;
            add_readings(out, &sums->node[n], series, level);
        }
    for (size_t i = 0; i < out->count; i++)
        for (size_t b = 0; b < out->bins; b++) {
            level = &out->level[i];
            const bool given = level->given[b] > 0;
            level->mean[b] = given ? level->mean[b] / level->given[b] : NAN;
            level->least[b] = given ? level->least[b] : NAN;
            level->most[b] = given ? level->most[b] : NAN;
        }
out:
    rc_map_fini(&map);
    return rc_arena_check(&out->arena, err, "the series of the profile");
}

void rc_profile_levels_fini(struct rc_profile_levels *levels)
{
    free(levels->level);
    rc_arena_free(&levels->arena);
}

double rc_profile_level_mean(const struct rc_profile_level *level, size_t from,
                             size_t to)
{
    double sum = 0, given = 0;

    for (size_t b = from; b < to; b++)
        if (level->given[b] > 0) {
            sum += level->mean[b] * level->given[b];
            given += level->given[b];
        }
    return given > 0 ? sum / given : NAN;
}
