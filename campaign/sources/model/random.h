/* random.h - random numbers that depend on a key and on nothing else
 *
 * There is no state: a key combines the things that a number may depend on,
 * and the number is a function of the key.  So it is the same on any rank, in
 * any order, in any group.
 */
#ifndef RC_CAMPAIGN_SOURCES_MODEL_RANDOM_H
#define RC_CAMPAIGN_SOURCES_MODEL_RANDOM_H

#include <stdint.h>

/* A new key that depends on 'key' and on 'word'. */
uint64_t rc_model_key(uint64_t key, uint64_t word);

double rc_model_uniform(uint64_t key); /* above 0, below 1 */
double rc_model_normal(uint64_t key);  /* mean 0, variance 1 */

#endif
