/* mix.h - numbers that look random, made from numbers that do not */
#ifndef RC_CAMPAIGN_BASE_MIX_H
#define RC_CAMPAIGN_BASE_MIX_H

#include <stdint.h>

/* 2^64 divided by the golden ratio: its multiples are spread evenly. */
#define RC_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* The finalizer of splitmix64: every bit of the input reaches every bit of the
 * output, different inputs give different outputs, and 0 gives 0 (Steele, Lea,
 * Flood: Fast splittable pseudorandom number generators).
 */
static inline uint64_t rc_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The next number of splitmix64; any state is a good one to begin with. */
static inline uint64_t rc_mix_next(uint64_t *state)
{
    return rc_mix(*state += RC_GOLDEN);
}

#endif
