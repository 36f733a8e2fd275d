/* trains.h - detours that are planted: at random, and at equal distances */
#ifndef RC_TESTS_LIB_TRAINS_H
#define RC_TESTS_LIB_TRAINS_H

#include "campaign/base/mix.h"
#include "solve/study/lines.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TRAIN_MOST = 1 << 17 };

/* Times in s; the same seed makes the same train. */
struct train {
    uint64_t seed;
    double duration;
    size_t count;
    struct rc_detour detour[TRAIN_MOST];
};

/* Above 0 and below 1. */
static inline double train_uniform(struct train *t)
{
    return ((double)(rc_mix_next(&t->seed) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double train_normal(struct train *t)
{
    return sqrt(-2 * log(train_uniform(t))) * cos(6.283185307179586 * train_uniform(t));
}

static inline void train_begin(struct train *t, uint64_t seed, double duration)
{
    t->seed = seed;
    t->duration = duration;
    t->count = 0;
}

static inline void train_add(struct train *t, double start, double length)
{
    if (start > 0 && start < t->duration && t->count < TRAIN_MOST)
        t->detour[t->count++] =
            (struct rc_detour){(uint64_t)(start * 1e9), (uint64_t)(length * 1e9)};
}

/* So many a second that do not know of each other, of 3 us and some much longer. */
static inline void train_add_random(struct train *t, double rate)
{
    for (double at = 0;;) {
        at -= log(train_uniform(t)) / rate;
        if (at >= t->duration)
            return;
        train_add(t, at, 1e-6 + 3e-6 * exp(1.2 * train_normal(t)));
    }
}

/* The planted train: a pulse each period, of which a part is missing. */
struct pulses {
    double period, phase;
    double hit;    /* part of the pulses that there are */
    double jitter; /* standard deviation of when they come */
    double late;   /* mean of an exponential delay */
    double stolen;
};

static inline void train_add_pulses(struct train *t, const struct pulses *p)
{
    for (double at = p->phase; at < t->duration; at += p->period) {
        const double off =
            p->jitter * train_normal(t) - p->late * log(train_uniform(t));
        const double stolen = p->stolen + 2e-6 * fabs(train_normal(t));
        if (train_uniform(t) < p->hit)
            train_add(t, at + off, stolen);
    }
}

static inline int train_compare(const void *a, const void *b)
{
    const uint64_t x = ((const struct rc_detour *)a)->start_ns;
    const uint64_t y = ((const struct rc_detour *)b)->start_ns;

    return (x > y) - (x < y);
}

/* In order; what begins before another ends makes that longer, as on a core. */
static inline void train_end(struct train *t)
{
    size_t left = 0;

    qsort(t->detour, t->count, sizeof *t->detour, train_compare);
    for (size_t i = 0; i < t->count; i++) {
        struct rc_detour *last = &t->detour[left ? left - 1 : 0];
        if (left && last->start_ns + last->length_ns >= t->detour[i].start_ns)
            last->length_ns += t->detour[i].length_ns;
        else
            t->detour[left++] = t->detour[i];
    }
    t->count = left;
}

#endif
