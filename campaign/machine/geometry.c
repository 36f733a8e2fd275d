/* Sizes of caches and pages of a machine, from hwloc, the processor and the system.
 * docs/machine.md has the rules.
 */
#include "campaign/machine/parts.h"

#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool power_of_two(uint64_t number, uint64_t least, uint64_t most)
{
    return number >= least && number <= most && (number & (number - 1)) == 0;
}

/* Ways that hwloc does not know are taken from the default geometry; there are never
 * more ways than lines.
 */
static struct rc_cache_geometry cache_geometry(const struct rc_cache *cache,
                                               uint32_t line_bytes, uint32_t unknown)
{
    uint64_t lines = cache->bytes / line_bytes;
    uint64_t ways = unknown;

    if (lines == 0)
        return (struct rc_cache_geometry){0};
    if (cache->ways > 0)
        ways = (uint64_t)cache->ways;
    if (cache->ways < 0 || ways > lines)
        ways = lines;
    return (struct rc_cache_geometry){
        .bytes = cache->bytes,
        .ways = ways > UINT32_MAX ? UINT32_MAX : (uint32_t)ways,
    };
}

/* The smallest size is the page's, the next larger one the huge page's; numbers that
 * are not powers of two are skipped.
 */
void rc_machine_set_pages(struct rc_geometry *geometry, const uint64_t *bytes,
                          size_t count)
{
    uint64_t page = 0, huge = 0;

    for (size_t i = 0; i < count; i++)
        if (power_of_two(bytes[i], 512, UINT64_C(1) << 40) &&
            (!page || bytes[i] < page))
            page = bytes[i];
    if (!page)
        return;
    for (size_t i = 0; i < count; i++)
        if (power_of_two(bytes[i], page + 1, UINT64_C(1) << 40) &&
            (!huge || bytes[i] < huge))
            huge = bytes[i];
    geometry->page_bytes = page;
    geometry->huge_page_bytes = huge;
}

/* Asks the processor that runs this. */
static void ask_this_processor(struct rc_geometry *geometry)
{
    char kib[32]; /* of the huge pages that mmap() gives by default */
    long page = sysconf(_SC_PAGESIZE);
    uint64_t huge = 0;

    if (!rc_text_value_of("/proc/meminfo", "Hugepagesize", kib, sizeof kib))
        huge = (uint64_t)strtoull(kib, NULL, 10) << 10;

    if (page > 0)
        geometry->page_bytes = (uint64_t)page;
    geometry->huge_page_bytes = huge > geometry->page_bytes ? huge : 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    geometry->vector_bits = __builtin_cpu_supports("avx512f") ? 512
                            : __builtin_cpu_supports("avx")   ? 256
                                                              : 128;
    geometry->fma = __builtin_cpu_supports("fma");
#elif defined(__aarch64__) || defined(__powerpc64__)
    geometry->vector_bits = 128;
    geometry->fma = true;
#else
    geometry->vector_bits = 0;
    geometry->fma = false;
#endif
}

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

void rc_machine_set_geometry(struct rc_machine *machine, size_t cpu,
                             const struct rc_core_caches *caches)
{
    struct rc_geometry *out = &machine->geometry;
    const char *architecture = machine->model.architecture;
    const uint32_t *mine = machine->cpus[cpu].unit;
    const struct rc_unit *unit =
        rc_machine_unit(machine, RC_SCOPE_L3, mine[RC_SCOPE_L3]);
    uint32_t line;

    *out = rc_request_default.geometry;
    if (starts_with(architecture, "ppc"))
        out->line_bytes = 128; /* the device tree often lacks it */
    if (power_of_two(caches->l1d.line_bytes, 16, 1024))
        out->line_bytes = caches->l1d.line_bytes;
    line = out->line_bytes;
    if (caches->l1d.bytes || caches->l2.bytes || caches->l3.bytes) {
        out->l1d = cache_geometry(&caches->l1d, line, out->l1d.ways);
        out->l1i = cache_geometry(&caches->l1i, line, out->l1i.ways);
        out->l2 = cache_geometry(&caches->l2, line, out->l2.ways);
        /* Memory of a core, bound to its domain, is cached in that domain's part of an
         * L3 that spans several domains (sub-NUMA clusters).
         */
        struct rc_cache l3 = caches->l3;
        size_t here = 0;
        for (size_t i = 0; unit && i < unit->cpu_count; i++)
            here +=
                machine->cpus[unit->cpus[i]].unit[RC_SCOPE_NUMA] == mine[RC_SCOPE_NUMA];
        if (unit && mine[RC_SCOPE_NUMA] != RC_NO_UNIT && here < unit->cpu_count)
            l3.bytes = l3.bytes / unit->cpu_count * here;
        else if (unit)
            here = unit->cpu_count;
        if (unit && unit->cpu_count > 0)
            out->l3_cores = (uint32_t)(unit->core_count * here / unit->cpu_count);
        out->l3 = cache_geometry(&l3, line, out->l3.ways);
    }
    if (machine->this_system)
        ask_this_processor(out);
    else if (starts_with(architecture, "aarch64") || starts_with(architecture, "ppc64"))
        out->vector_bits = 128;
}
