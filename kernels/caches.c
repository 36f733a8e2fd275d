/* Works out which accesses of a repeated walk miss caches and TLB of a given
 * geometry.
 */
#include "kernels/caches.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

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
    uint64_t sets = ways ? held / ways : 0;
    uint64_t used = sets ? sets / common_divisor(step, sets) : 0;

    if (!used)
        return 1; /* there is no such cache */
    if (!lines)
        return 0;
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

/* Appends a size: ascending, each only once, rounded down to the unit and to three
 * binary digits after the first, 2816K and not 2965820.
 */
static void put_size(struct sizes *sizes, double size)
{
    uint64_t grain = sizes->unit, whole = (uint64_t)size;

    while (grain * 16 <= whole)
        grain *= 2;
    whole = whole / grain * grain;
    if (whole > (sizes->count ? sizes->size[sizes->count - 1] : 0))
        sizes->size[sizes->count++] = whole;
}

size_t rc_caches_sizes(const struct rc_caches *caches, const unsigned *beyond,
                       uint64_t unit, uint64_t *out)
{
    struct sizes sizes = {.size = out, .unit = unit};
    uint64_t largest = caches->count ? caches->level[0].bytes : 0;

    for (unsigned quarters = 1; quarters <= 3; quarters++)
        put_size(&sizes, (double)largest * quarters / 4);
    for (size_t i = 1; i < caches->count; i++) {
        const uint64_t bytes = caches->level[i].bytes;
        /* From twice the level before, when no pseudo-LRU holds a useful part of the
         * walk, to half of this one, since pages that are not huge fill its sets
         * unevenly.  A level that is shared with other cores (or other guests)
         * certainly offers only a sixteenth, or three times the level before.  Narrow
         * levels are used further up, since nothing is left of them otherwise.
         */
        double low = 2.0 * (double)largest;
        double high = (double)bytes * (i == 2 ? 0.0625 : 0.5);
        if (bytes < 8 * largest)
            high = (double)bytes * 0.75;
        else if (high < 1.5 * low)
            high = 1.5 * low;
        if (low <= high) {
            put_size(&sizes, low);
            put_size(&sizes, sqrt(low * high));
            put_size(&sizes, high);
        }
        if (bytes > largest)
            largest = bytes;
    }
    for (size_t i = 0; beyond[i]; i++)
        put_size(&sizes, (double)largest * beyond[i]);
    return sizes.count;
}

void rc_caches_put_bytes(char *out, uint64_t bytes)
{
    static const char *const suffixes[] = {"", "K", "M", "G"};
    size_t i = 0;

    while (i < 3 && bytes % 1024 == 0) {
        bytes /= 1024;
        i++;
    }
    snprintf(out, RC_CACHES_BYTES_TEXT, "%" PRIu64 "%s", bytes, suffixes[i]);
}
