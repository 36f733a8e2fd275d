/* Uniform and normal random numbers as hashes of a key; the normal ones by Box and
 * Muller's transform of two uniform ones.
 */
#include "campaign/sources/model/random.h"

#include "campaign/base/mix.h"

#include <math.h>

uint64_t rc_model_key(uint64_t key, uint64_t word)
{
    /* The constant makes (a, b) and (b, a) different keys. */
    return rc_mix(rc_mix(word) + key * RC_GOLDEN + 1);
}

double rc_model_uniform(uint64_t key)
{
    return ((double)(rc_mix(key) >> 11) + 0.5) * 0x1p-53;
}

double rc_model_normal(uint64_t key)
{
    double radius = sqrt(-2 * log(rc_model_uniform(rc_model_key(key, 1))));

    return radius * cos(6.283185307179586 * rc_model_uniform(rc_model_key(key, 2)));
}
