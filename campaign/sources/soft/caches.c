/* Set-associative caches with least-recently-used replacement, fed with addresses.
 *
 * The ways of a set are kept in the order of their use: a hit moves a way to the front,
 * and the last one is replaced.  Emptying a cache, which each start() does, only raises
 * its epoch: a set of an older epoch is emptied when it is looked at.
 */
#include "campaign/sources/soft/caches.h"

#include "campaign/base/memory.h"
#include "campaign/sources/soft/events.h"

#include <stdlib.h>

int rc_soft_cache_init(struct rc_soft_cache *cache, uint64_t sets, uint32_t ways,
                       struct rc_error *err)
{
    *cache = (struct rc_soft_cache){.now = 1, .sets = sets, .ways = ways};
    if (sets == 0)
        return RC_OK;
    cache->way = rc_calloc(sets, sizeof *cache->way * ways);
    cache->epoch = rc_calloc(sets, sizeof *cache->epoch);
    if (!cache->way || !cache->epoch) {
        rc_soft_cache_fini(cache);
        return rc_fail(err, RC_ENOMEM, "no memory for a simulated cache of %llu sets",
                       (unsigned long long)sets);
    }
    return RC_OK;
}

void rc_soft_cache_fini(struct rc_soft_cache *cache)
{
    free(cache->way);
    free(cache->epoch);
    *cache = (struct rc_soft_cache){0};
}

void rc_soft_cache_empty(struct rc_soft_cache *cache)
{
    cache->now++;
    if (cache->now == 0) { /* once in four billion times */
        for (uint64_t i = 0; i < cache->sets; i++)
            cache->epoch[i] = 0;
        cache->now = 1;
    }
}

/* An entry is the unit plus 1, shifted, and a bit that says that it is dirty;
 * 0 is empty.
 */
static uint64_t entry_of(uint64_t unit, bool dirty)
{
    return (unit + 1) << 1 | dirty;
}

/* The ways of the set that a unit belongs to. */
static uint64_t *set_of(struct rc_soft_cache *cache, uint64_t unit)
{
    uint64_t set = unit % cache->sets;
    uint64_t *way = &cache->way[set * cache->ways];

    if (cache->epoch[set] != cache->now) {
        for (uint32_t i = 0; i < cache->ways; i++)
            way[i] = 0;
        cache->epoch[set] = cache->now;
    }
    return way;
}

bool rc_soft_cache_touch(struct rc_soft_cache *cache, uint64_t unit, bool dirty,
                         uint64_t *victim)
{
    if (victim)
        *victim = 0;
    if (cache->sets == 0)
        return false;
    uint64_t *way = set_of(cache, unit);
    uint64_t clean = entry_of(unit, false);
    uint32_t i = 0;

    while (i < cache->ways - 1 && (way[i] & ~UINT64_C(1)) != clean)
        i++;
    uint64_t found = way[i];
    bool hit = (found & ~UINT64_C(1)) == clean;
    for (; i > 0; i--)
        way[i] = way[i - 1];
    way[0] = entry_of(unit, dirty || (hit && (found & 1)));
    if (victim && !hit && (found & 1))
        *victim = found >> 1;
    return hit;
}

/* The way that holds the unit, or NULL. */
static uint64_t *find_way(struct rc_soft_cache *cache, uint64_t unit)
{
    if (cache->sets == 0)
        return NULL;
    uint64_t *way = set_of(cache, unit), *const end = way + cache->ways;

    while (way < end && *way >> 1 != unit + 1)
        way++;
    return way < end ? way : NULL;
}

static bool is_dirty(struct rc_soft_cache *cache, uint64_t unit)
{
    const uint64_t *way = find_way(cache, unit);

    return way && (*way & 1);
}

bool rc_soft_cache_soil(struct rc_soft_cache *cache, uint64_t unit)
{
    uint64_t *way = find_way(cache, unit);

    if (way)
        *way |= 1;
    return way;
}

bool rc_soft_cache_drop(struct rc_soft_cache *cache, uint64_t unit)
{
    uint64_t *way = find_way(cache, unit);

    if (!way)
        return false;
    const uint64_t *last = set_of(cache, unit) + cache->ways - 1;
    const bool dirty = *way & 1;
    for (; way < last; way++)
        *way = way[1];
    *way = 0;
    return dirty;
}

static unsigned log2_of(uint64_t power)
{
    unsigned shift = 0;
    while (power >> (shift + 1))
        shift++;
    return shift;
}

int rc_soft_caches_init(struct rc_soft_caches *caches,
                        const struct rc_geometry *geometry, uint32_t dtlb_ways,
                        bool next_line, struct rc_error *err)
{
    const struct rc_cache_geometry level[] = {[RC_SOFT_L1D] = geometry->l1d,
                                              [RC_SOFT_L2] = geometry->l2,
                                              [RC_SOFT_L3] = geometry->l3,
                                              [RC_SOFT_L1I] = geometry->l1i};
    int status = RC_OK;

    *caches = (struct rc_soft_caches){
        .line_shift = log2_of(geometry->line_bytes),
        .page_shift = log2_of(geometry->page_bytes),
        .next_line = next_line,
    };
    for (unsigned i = 0; i < RC_SOFT_DTLB; i++) {
        const uint64_t lines = level[i].bytes / geometry->line_bytes;
        uint64_t ways = level[i].ways ? level[i].ways : 8; /* 0: not known */
        ways = ways > lines ? lines : ways;
        status = rc_soft_cache_init(&caches->level[i], ways ? lines / ways : 0,
                                    (uint32_t)ways, err);
        if (status != RC_OK)
            goto out;
    }
    status = rc_soft_cache_init(&caches->level[RC_SOFT_DTLB],
                                geometry->dtlb_entries / dtlb_ways, dtlb_ways, err);
out:
    if (status != RC_OK)
        rc_soft_caches_fini(caches);
    return status;
}

void rc_soft_caches_fini(struct rc_soft_caches *caches)
{
    for (unsigned i = 0; i < RC_SOFT_CACHE_COUNT; i++)
        rc_soft_cache_fini(&caches->level[i]);
}

void rc_soft_caches_empty(struct rc_soft_caches *caches)
{
    for (unsigned i = 0; i < RC_SOFT_CACHE_COUNT; i++)
        rc_soft_cache_empty(&caches->level[i]);
    caches->code_line = 0;
    caches->combining = (struct rc_soft_combining){0};
}

/* How many transactions of 64 bytes one line takes. */
static uint64_t transactions(const struct rc_soft_caches *caches)
{
    return caches->line_shift > 6 ? UINT64_C(1) << (caches->line_shift - 6) : 1;
}

/* Looks a line up in a level.  A dirty line that has to leave the level goes to the
 * next level that holds it, else to memory.  A line that misses in L3 is read from
 * memory.
 */
static bool in_level(struct rc_soft_caches *caches, enum rc_soft_level level,
                     uint64_t line, bool dirty, uint64_t *count)
{
    static const enum rc_soft_event leaves[] = {
        [RC_SOFT_L1D] = RC_SOFT_SIM_L1D_WRITEBACKS,
        [RC_SOFT_L2] = RC_SOFT_SIM_L2_WRITEBACKS,
        [RC_SOFT_L3] = RC_SOFT_SIM_L3_WRITEBACKS};
    uint64_t victim;
    const bool hit = rc_soft_cache_touch(&caches->level[level], line, dirty, &victim);

    if (level == RC_SOFT_L3 && !hit)
        count[RC_SOFT_SIM_MEMORY_READS] += transactions(caches);
    if (!victim)
        return hit;
    count[leaves[level]]++;
    unsigned to = level + 1;
    while (to <= RC_SOFT_L3 && !rc_soft_cache_soil(&caches->level[to], victim - 1))
        to++;
    if (to > RC_SOFT_L3)
        count[RC_SOFT_SIM_MEMORY_WRITES] += transactions(caches);
    return hit;
}

/* Fills a line into all levels, as a prefetch does: no demand is counted. */
static void fill_line(struct rc_soft_caches *caches, uint64_t line, uint64_t *count)
{
    if (!in_level(caches, RC_SOFT_L1D, line, false, count) &&
        !in_level(caches, RC_SOFT_L2, line, false, count))
        in_level(caches, RC_SOFT_L3, line, false, count);
}

/* A load or store of one line: looks it up level by level until it is found. */
static void demand_line(struct rc_soft_caches *caches, uint64_t line, bool store,
                        uint64_t *count)
{
    if (in_level(caches, RC_SOFT_L1D, line, store, count)) {
        count[RC_SOFT_SIM_L1D_HIT]++;
        count[store ? RC_SOFT_SIM_L1D_STORE_HIT : RC_SOFT_SIM_L1D_LOAD_HIT]++;
        return;
    }
    count[RC_SOFT_SIM_L1D_MISS]++;
    count[store ? RC_SOFT_SIM_L1D_STORE_MISS : RC_SOFT_SIM_L1D_LOAD_MISS]++;
    if (in_level(caches, RC_SOFT_L2, line, false, count)) {
        count[RC_SOFT_SIM_L2_HIT]++;
        count[RC_SOFT_SIM_L2_LOAD_HIT] += !store;
    } else {
        bool hit = in_level(caches, RC_SOFT_L3, line, false, count);
        count[RC_SOFT_SIM_L2_MISS] += caches->level[RC_SOFT_L2].sets != 0;
        count[RC_SOFT_SIM_L3_HIT] += hit;
        count[RC_SOFT_SIM_L3_LOAD_HIT] += hit && !store;
        count[RC_SOFT_SIM_L3_MISS] += !hit && caches->level[RC_SOFT_L3].sets != 0;
    }
    if (caches->next_line) {
        fill_line(caches, line + 1, count);
        count[RC_SOFT_SIM_PREFETCH_FILLS]++;
    }
}

/* A streaming store to one line, to its bytes from 'first' to 'last'. */
static void stream_line(struct rc_soft_caches *caches, uint64_t line, uint64_t first,
                        uint64_t last, uint64_t *count)
{
    struct rc_soft_combining *c = &caches->combining;
    const unsigned shift = caches->line_shift > 6 ? caches->line_shift - 6 : 0;
    const uint64_t parts = UINT64_C(1) << (caches->line_shift - shift);
    const uint64_t all = parts == 64 ? UINT64_MAX : (UINT64_C(1) << parts) - 1;
    const uint64_t upto = (last >> shift) % parts, from = (first >> shift) % parts;
    const uint64_t bits = (UINT64_MAX >> (63 - upto)) & (UINT64_MAX << from);
    unsigned i = 0, free_one = 0;

    bool dirty = false;
    for (unsigned l = RC_SOFT_L1D; l <= RC_SOFT_L3; l++)
        dirty |= rc_soft_cache_drop(&caches->level[l], line);
    count[RC_SOFT_SIM_MEMORY_WRITES] += dirty ? transactions(caches) : 0;
    while (i < RC_SOFT_BUFFERS && c->line[i] != line + 1)
        i++;
    for (; i == RC_SOFT_BUFFERS && free_one < RC_SOFT_BUFFERS; free_one++)
        if (c->line[free_one] == 0)
            i = free_one;
    i = i < RC_SOFT_BUFFERS ? i : RC_SOFT_BUFFERS - 1;
    uint64_t written = bits;
    if (c->line[i] == line + 1)
        written |= c->written[i];
    else if (c->line[i]) /* the buffer that was used longest ago is written out */
        count[RC_SOFT_SIM_MEMORY_WRITES] += transactions(caches);
    for (; i > 0; i--) {
        c->line[i] = c->line[i - 1];
        c->written[i] = c->written[i - 1];
    }
    const bool whole = written == all;
    c->line[0] = whole ? 0 : line + 1;
    c->written[0] = whole ? 0 : written;
    count[RC_SOFT_SIM_MEMORY_WRITES] += whole ? transactions(caches) : 0;
}

uint64_t rc_soft_caches_unwritten(struct rc_soft_caches *caches)
{
    uint64_t lines = 0;

    for (unsigned l = RC_SOFT_L1D; l <= RC_SOFT_L3; l++) {
        const struct rc_soft_cache *level = &caches->level[l];
        for (uint64_t i = 0; i < level->sets * level->ways; i++) {
            const uint64_t way = level->way[i], unit = (way >> 1) - 1;
            bool again = !(way & 1) || level->epoch[i / level->ways] != level->now;
            for (unsigned above = RC_SOFT_L1D; above < l && !again; above++)
                again = is_dirty(&caches->level[above], unit);
            lines += !again;
        }
    }
    for (unsigned i = 0; i < RC_SOFT_BUFFERS; i++)
        lines += caches->combining.line[i] != 0;
    return lines * transactions(caches);
}

void rc_soft_caches_data(struct rc_soft_caches *caches, uint64_t address,
                         uint64_t bytes, enum rc_soft_use use, uint64_t *count)
{
    uint64_t last = address + bytes - 1;

    for (uint64_t page = address >> caches->page_shift;
         page <= last >> caches->page_shift; page++) {
        bool hit = rc_soft_cache_touch(&caches->level[RC_SOFT_DTLB], page, false, NULL);
        if (use != RC_SOFT_PREFETCH)
            count[hit ? RC_SOFT_SIM_DTLB_HIT : RC_SOFT_SIM_DTLB_MISS]++;
    }
    for (uint64_t line = address >> caches->line_shift;
         line <= last >> caches->line_shift; line++)
        if (use == RC_SOFT_PREFETCH)
            fill_line(caches, line, count);
        else if (use == RC_SOFT_STREAM)
            stream_line(caches, line,
                        line == address >> caches->line_shift ? address : 0,
                        line == last >> caches->line_shift ? last : UINT64_MAX, count);
        else
            demand_line(caches, line, use == RC_SOFT_STORE, count);
}

void rc_soft_caches_fetch(struct rc_soft_caches *caches, uint64_t address,
                          uint64_t bytes, uint64_t *count)
{
    uint64_t line = address >> caches->line_shift;
    uint64_t last = (address + bytes - 1) >> caches->line_shift;

    for (; line <= last; line++) {
        if (line + 1 == caches->code_line)
            continue;
        caches->code_line = line + 1;
        if (rc_soft_cache_touch(&caches->level[RC_SOFT_L1I], line, false, NULL)) {
            count[RC_SOFT_SIM_L1I_HIT]++;
            continue;
        }
        count[RC_SOFT_SIM_L1I_MISS]++;
        if (in_level(caches, RC_SOFT_L2, line, false, count)) {
            count[RC_SOFT_SIM_L2_CODE_HIT]++;
        } else {
            count[RC_SOFT_SIM_L2_CODE_MISS] += caches->level[RC_SOFT_L2].sets != 0;
            in_level(caches, RC_SOFT_L3, line, false, count);
        }
    }
}
