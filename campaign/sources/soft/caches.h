/* caches.h - simulated caches and TLB, fed with real addresses
 *
 * Set-associative with true LRU replacement.  A demand access that misses L1 asks L2,
 * one that misses L2 asks L3, and the line is filled into every level that missed.  A
 * level does not drop a line because another level dropped it.  Stores allocate as
 * loads do and make the line dirty in L1.  When a dirty line leaves a level, the copy
 * in the next level that has one becomes dirty.  L2 and L3 hold code and data.
 *
 * A streaming store takes its line out of all caches and goes to a buffer of the core
 * that combines the stores to a line.  A line that is complete is written, and was
 * never read.  A line whose buffer is needed for another one is written before it is
 * complete: memory takes parts of a line, too.
 *
 * Private to the soft source; all but init() and fini() are safe in a signal handler.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_CACHES_H
#define RC_CAMPAIGN_SOURCES_SOFT_CACHES_H

#include "campaign/base/error.h"
#include "kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* One cache of numbered units (lines or pages). */
struct rc_soft_cache {
    uint64_t *way;   /* sets * ways entries; in a set the last used comes first */
    uint32_t *epoch; /* of each set: other than 'now' means empty */
    uint32_t now;    /* the present epoch, from 1 on: each emptying begins another */
    uint64_t sets;   /* 0: there is no such cache */
    uint32_t ways;
};

/* 'sets' 0 makes a cache that is not there: every lookup misses. */
int rc_soft_cache_init(struct rc_soft_cache *cache, uint64_t sets, uint32_t ways,
                       struct rc_error *err);
void rc_soft_cache_fini(struct rc_soft_cache *cache);
void rc_soft_cache_empty(struct rc_soft_cache *cache); /* whatever its size, at once */

/* Uses a unit: it becomes the last used one of its set, and dirty if it was or if
 * 'dirty'.  Returns whether it was there.  '*victim' becomes the dirty unit that had to
 * leave for it, plus 1, or 0; 'victim' may be NULL.
 */
bool rc_soft_cache_touch(struct rc_soft_cache *cache, uint64_t unit, bool dirty,
                         uint64_t *victim);
/* Makes a unit dirty without using it; false: it is not there. */
bool rc_soft_cache_soil(struct rc_soft_cache *cache, uint64_t unit);
/* Takes a unit out; true: it was dirty. */
bool rc_soft_cache_drop(struct rc_soft_cache *cache, uint64_t unit);

#define RC_SOFT_BUFFERS 8 /* that a core has for streaming stores */

/* Lines that streaming stores are combining, the last used first. */
struct rc_soft_combining {
    uint64_t line[RC_SOFT_BUFFERS];    /* plus 1; 0: the buffer is free */
    uint64_t written[RC_SOFT_BUFFERS]; /* a bit for each 64th of the line */
};

/* All simulated caches of one core: the levels that hold data, the nearest first, then
 * the others.
 */
enum rc_soft_level {
    RC_SOFT_L1D,
    RC_SOFT_L2,
    RC_SOFT_L3,
    RC_SOFT_L1I,
    RC_SOFT_DTLB,
    RC_SOFT_CACHE_COUNT
};
struct rc_soft_caches {
    struct rc_soft_cache level[RC_SOFT_CACHE_COUNT];
    unsigned line_shift, page_shift; /* powers of two */
    bool next_line;                  /* a demand miss in L1D brings the next line too */
    uint64_t code_line;              /* the line executed last, plus 1 */
    struct rc_soft_combining combining;
};

/* Sizes that do not divide into sets are rounded down to ones that do. */
int rc_soft_caches_init(struct rc_soft_caches *caches,
                        const struct rc_geometry *geometry, uint32_t dtlb_ways,
                        bool next_line, struct rc_error *err);
void rc_soft_caches_fini(struct rc_soft_caches *caches);
void rc_soft_caches_empty(struct rc_soft_caches *caches);

enum rc_soft_use { RC_SOFT_LOAD, RC_SOFT_STORE, RC_SOFT_PREFETCH, RC_SOFT_STREAM };

/* One access to 'bytes' bytes: a lookup for each line and page it touches.
 * 'count' is the array of counters by enum rc_soft_event.
 */
void rc_soft_caches_data(struct rc_soft_caches *caches, uint64_t address,
                         uint64_t bytes, enum rc_soft_use use, uint64_t *count);

/* How many transactions of 64 bytes are still to be written: the lines that are dirty
 * in any cache, each once, and those that streaming stores are combining.
 */
uint64_t rc_soft_caches_unwritten(struct rc_soft_caches *caches);

/* Fetches the bytes of an instruction: a lookup for each line of it, without the one
 * that was fetched last.
 */
void rc_soft_caches_fetch(struct rc_soft_caches *caches, uint64_t address,
                          uint64_t bytes, uint64_t *count);

#endif
