/* caches.h - what caches of a stated geometry do with a walk that never varies
 *
 * The model: every level is set-associative with LRU replacement, is filled on
 * demand, and its sets are chosen by the low bits of the line number.  A walk
 * visits the same lines again and again in the same order.  Then a set that
 * holds all its lines always hits, and a set that is given one line more than
 * it has ways always misses: hits and misses follow from counting.  A dirty line
 * that leaves a level makes its copy in the next one dirty; a level that holds
 * no copy passes it on.
 */
#ifndef RC_KERNELS_CACHES_H
#define RC_KERNELS_CACHES_H

#include "kernels/kernel.h"

#include <stddef.h>
#include <stdint.h>

#define RC_CACHES_MAX 3

/* The caches that a stream of addresses passes through: L1, L2, L3.  One that
 * is not there has 0 bytes.  'count' is 0 where the machine does not say how
 * large its L1 is.
 */
struct rc_caches {
    struct rc_cache_geometry level[RC_CACHES_MAX];
    size_t count;
    uint32_t line_bytes; /* of all levels */
};

/* The caches of a geometry that data pass through, and those that code does. */
struct rc_caches rc_caches_of_data(const struct rc_geometry *geometry);
struct rc_caches rc_caches_of_code(const struct rc_geometry *geometry);

/* The share of 'lines' lines, each 'step' lines after the one before, that is missed in
 * 'cache' on every pass.  A cache of unknown ways (0) is taken as fully associative.
 */
double rc_cache_miss_share(const struct rc_cache_geometry *cache, uint32_t line_bytes,
                           uint64_t lines, uint64_t step);

/* Share of the visits that miss in every level up to 'level' (from 0), for a walk over
 * 'bytes' at steps of 'stride'.  All visits miss in a level that is not there.
 */
double rc_caches_miss_share(const struct rc_caches *caches, size_t level,
                            uint64_t bytes, uint64_t stride);

/* Sizes to walk over, far from all edges, ascending: up to three for each level that
 * can be told from its neighbours, then the multiples 'beyond' (ended by 0) of the last
 * level.  Each is a multiple of 'unit' bytes.  Returns how many there are; 'sizes'
 * holds RC_CACHES_SIZES.
 */
#define RC_CACHES_SIZES 16
size_t rc_caches_sizes(const struct rc_caches *caches, const unsigned *beyond,
                       uint64_t unit, uint64_t *sizes);

/* A size as part of a point's name: "24K", "1536", "3M"; whole numbers only, so
 * that it says all.  'out' holds RC_CACHES_BYTES_TEXT.
 */
#define RC_CACHES_BYTES_TEXT 24
void rc_caches_put_bytes(char *out, uint64_t bytes);

#endif
