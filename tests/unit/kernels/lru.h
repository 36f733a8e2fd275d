/* lru.h - an exact simulation of set-associative caches, for the tests
 *
 * Every address is looked up, line by line, in up to three levels with LRU
 * replacement, filled on demand, written back when dirty.  Slow and simple: it
 * shares nothing with what it judges.
 */
#ifndef RC_TESTS_UNIT_KERNELS_LRU_H
#define RC_TESTS_UNIT_KERNELS_LRU_H

#include "kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct lru_way {
    uint64_t line; /* + 1; 0: empty */
    bool dirty;
};

struct lru {
    struct lru_way *way; /* sets x ways, most recently used first */
    uint64_t sets, ways;
    uint64_t hits, misses, written_back;
};

struct lru_caches {
    struct lru level[3];
    uint32_t line_bytes;
    uint64_t written; /* lines to memory */
};

static inline int lru_init(struct lru_caches *caches,
                           const struct rc_cache_geometry *levels, uint32_t line_bytes)
{
    *caches = (struct lru_caches){.line_bytes = line_bytes};
    for (int i = 0; i < 3; i++) {
        struct lru *lru = &caches->level[i];
        if (!levels[i].bytes)
            continue;
        lru->ways = levels[i].ways ? levels[i].ways : levels[i].bytes / line_bytes;
        lru->sets = levels[i].bytes / line_bytes / lru->ways;
        lru->way = calloc(lru->sets * lru->ways, sizeof *lru->way);
        if (!lru->way)
            return -1;
    }
    return 0;
}

static inline void lru_fini(struct lru_caches *caches)
{
    for (int i = 0; i < 3; i++)
        free(caches->level[i].way);
}

static inline void lru_forget_counts(struct lru_caches *caches)
{
    caches->written = 0;
    for (int i = 0; i < 3; i++)
        caches->level[i].hits = caches->level[i].misses =
            caches->level[i].written_back = 0;
}

/* A line that leaves level i dirty makes its copy further out dirty; a level
 * without a copy passes it on.
 */
static inline void lru_write_back(struct lru_caches *caches, int i, uint64_t line)
{
    caches->level[i].written_back++;
    for (int outer = i + 1; outer < 3; outer++) {
        struct lru *lru = &caches->level[outer];
        struct lru_way *set = lru->way ? &lru->way[line % lru->sets * lru->ways] : NULL;
        for (uint64_t w = 0; set && w < lru->ways; w++)
            if (set[w].line == line + 1) {
                set[w].dirty = true;
                return;
            }
        lru->written_back += set != NULL;
    }
    caches->written++;
}

/* Returns the level that had the line, 3 being memory. */
static inline int lru_access(struct lru_caches *caches, uint64_t address, bool store)
{
    uint64_t line = address / caches->line_bytes;

    for (int i = 0; i < 3; i++) {
        struct lru *lru = &caches->level[i];
        if (!lru->way)
            continue;
        struct lru_way *set = &lru->way[line % lru->sets * lru->ways];
        struct lru_way found = {.line = line + 1};
        uint64_t w = 0;
        while (w < lru->ways && set[w].line != line + 1)
            w++;
        bool hit = w < lru->ways;
        if (hit)
            found = set[w];
        else if (set[--w].dirty)
            lru_write_back(caches, i, set[w].line - 1);
        memmove(set + 1, set, w * sizeof *set);
        found.dirty = found.dirty || (store && i == 0);
        set[0] = found;
        lru->hits += hit;
        lru->misses += !hit;
        if (hit)
            return i;
    }
    return 3;
}

#endif
