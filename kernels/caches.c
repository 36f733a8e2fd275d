#include "kernels/caches.h"

#include <math.h>

static struct rc_caches caches_of(const struct rc_geometry *geometry,
                                  struct rc_cache_geometry first)
{
    const struct rc_cache_geometry outer[] = {geometry->l2, geometry->l3};
    struct rc_caches caches = {.line_bytes =
                                   geometry->line_bytes ? geometry->line_bytes : 64};

    if (!first.bytes)
        return caches;
    caches.level[caches.count++] = first;
    for (size_t i = 0; i < 2; i++)
        caches.level[caches.count++] = outer[i];
    return caches;
}

struct rc_caches rc_caches_of_data(const struct rc_geometry *geometry)
{
    return caches_of(geometry, geometry->l1d);
}

struct rc_caches rc_caches_of_code(const struct rc_geometry *geometry)
{
    return caches_of(geometry, geometry->l1i);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

double rc_cache_miss_share(const struct rc_cache_geometry *cache, uint32_t line_bytes,
                           uint64_t lines, uint64_t step)
{
    uint64_t held = cache->bytes / line_bytes;
    uint64_t ways = cache->ways && cache->ways <= held ? cache->ways : held;

    if (!held || !lines)
        return held ? 0 : 1;
    uint64_t sets = held / ways;
    uint64_t used = sets / common_divisor(step, sets);
    uint64_t each = lines / used, larger = lines % used; /* sets with one more */
    uint64_t missed = (each > ways ? (used - larger) * each : 0) +
                      (each + 1 > ways ? larger * (each + 1) : 0);
    return (double)missed / (double)lines;
}

double rc_caches_miss_share(const struct rc_caches *caches, size_t level,
                            uint64_t bytes, uint64_t stride)
{
    double share = 1;

    for (size_t i = 0; i <= level && i < caches->count; i++)
        share = fmin(share,
                     rc_cache_miss_share(&caches->level[i], caches->line_bytes,
                                         bytes / stride, stride / caches->line_bytes));
    return share;
}

struct sizes {
    uint64_t *size;
    size_t count;
    uint64_t unit;
};

/* Ascending, each only once, rounded down to the unit. */
static void put(struct sizes *sizes, double size)
{
    uint64_t rounded = (uint64_t)size / sizes->unit * sizes->unit;

    if (rounded > (sizes->count ? sizes->size[sizes->count - 1] : 0))
        sizes->size[sizes->count++] = rounded;
}

/* From twice the level before, which no pseudo-LRU holds a useful part of, to
 * half of this one: its neighbours on a shared machine want some of it, and
 * pages that are not huge fill its sets unevenly.  Narrow levels are used
 * further up, since nothing is left of them otherwise.
 */
static void put_level(struct sizes *sizes, uint64_t inner, uint64_t bytes)
{
    double low = 2.0 * (double)inner;
    double high = (double)bytes * (bytes >= 8 * inner ? 0.5 : 0.75);

    if (low > high)
        return;
    put(sizes, low);
    put(sizes, sqrt(low * high));
    put(sizes, high);
}

size_t rc_caches_sizes(const struct rc_caches *caches, const unsigned *beyond,
                       uint64_t unit, uint64_t *out)
{
    struct sizes sizes = {.size = out, .unit = unit};
    uint64_t largest = caches->count ? caches->level[0].bytes : 0;

    for (unsigned quarters = 1; quarters <= 3; quarters++)
        put(&sizes, (double)largest * quarters / 4);
    for (size_t i = 1; i < caches->count; i++) {
        put_level(&sizes, largest, caches->level[i].bytes);
        if (caches->level[i].bytes > largest)
            largest = caches->level[i].bytes;
    }
    for (size_t i = 0; beyond[i]; i++)
        put(&sizes, (double)largest * beyond[i]);
    return sizes.count;
}
