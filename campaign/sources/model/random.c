#include "campaign/sources/model/random.h"

#include <math.h>

/* The finalizer of splitmix64: every bit of the input reaches every bit of the
 * output (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
 */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t rc_model_key(uint64_t key, uint64_t word)
{
    /* The constant makes (a, b) and (b, a) different keys. */
    return mix(mix(word) + key * UINT64_C(0x9e3779b97f4a7c15) + 1);
}

double rc_model_uniform(uint64_t key)
{
    return ((double)(mix(key) >> 11) + 0.5) * 0x1p-53;
}

double rc_model_normal(uint64_t key)
{
    double radius = sqrt(-2 * log(rc_model_uniform(rc_model_key(key, 1))));

    return radius * cos(6.283185307179586 * rc_model_uniform(rc_model_key(key, 2)));
}
