/* planted_caches.h - planted machines whose events count what caches and memory do */
#ifndef RC_TESTS_PLANTED_PLANTED_CACHES_H
#define RC_TESTS_PLANTED_PLANTED_CACHES_H

#include "tests/planted/planted_judge.h"

/* Makes the machine of that number: all suites that a campaign has by default, on a
 * random geometry, five readings, 20 to 50 events.  RC_ECONFLICT: what kernels claim
 * cannot be, as loads are no longer hits and misses.  planted_fini() accepts one that
 * failed.
 */
int planted_caches_init(uint64_t seed, struct planted *out, struct rc_error *err);

/* The same counts in fewer ideals: loads and stores are hits and misses, operations
 * are those of the instructions.
 */
void planted_caches_reduce(double weight[RC_IDEAL_COUNT]);

/* Sums of a few events, with little noise, that are a metric.  Vectors are counts on
 * all points, of each point's instructions one.
 */
struct planted_sparse;

enum { PLANTED_TERMS = 8, PLANTED_COEFFICIENT = 100 };

/* For all events of the machine; NULL: no memory. */
struct planted_sparse *planted_sparse_create(const struct planted *machine);
void planted_sparse_free(struct planted_sparse *sparse);

/* Coefficients [event] of a sum of at most PLANTED_TERMS events, none of which is above
 * PLANTED_COEFFICIENT, that counts what the weights do; false: none was found.
 */
bool planted_sparse_find(struct planted_sparse *sparse, const double *weight,
                         double *coefficient);

#endif
