/* apis.c - the functions by which programs name their regions: rollcall.h's, and those
 * of other tools
 *
 * The tool's own function is called, too: before the region begins and after it ends,
 * so that the region does not contain its time.  A tool's other functions are not
 * replaced.
 */
#include "campaign/profile/preload/preload.h"

#include <link.h>

/* The next function of a name.  'function' is NULL until one is found; 'adds' says when
 * it was last looked for in vain.
 */
struct next {
    _Atomic(void *) function;
    _Atomic uint64_t adds; /* 1 + the number of libraries loaded until then */
};

static int count_adds(struct dl_phdr_info *info, size_t bytes, void *adds)
{
    (void)bytes;
    *(uint64_t *)adds = info->dlpi_adds + 1;
    return 1;
}

static void *next_function(struct next *next, const char *name, void *own)
{
    void *function = atomic_load_explicit(&next->function, memory_order_relaxed);
    uint64_t adds = 0;
    if (function)
        return function;
    dl_iterate_phdr(count_adds, &adds);
    if (adds == atomic_load_explicit(&next->adds, memory_order_relaxed))
        return NULL;
    function = rc_preload_next(name, own);
    atomic_store_explicit(&next->function, function, memory_order_relaxed);
    atomic_store_explicit(&next->adds, adds, memory_order_relaxed);
    return function;
}

/* Declares 'next' as the next function of this name, with its type, or NULL. */
#define NEXT(name)                                                                     \
    static struct next kept;                                                           \
    __typeof__(&(name)) next =                                                         \
        (__typeof__(&(name)))next_function(&kept, #name, (void *)(name))

/* Defines functions BEGIN(const char *) and END(const char *), which return what the
 * tool's own return, or 0 without the tool.
 */
#define NAMED(begin, end)                                                              \
    RC_PRELOAD_EXPORT int begin(const char *region);                                   \
    RC_PRELOAD_EXPORT int end(const char *region);                                     \
    int begin(const char *region)                                                      \
    {                                                                                  \
        NEXT(begin);                                                                   \
        int status = next ? next(region) : 0;                                          \
        rc_preload_region_begin(region, RC_PRELOAD_NAMED);                             \
        return status;                                                                 \
    }                                                                                  \
    int end(const char *region)                                                        \
    {                                                                                  \
        NEXT(end);                                                                     \
        rc_preload_region_end(region ? region : "", RC_PRELOAD_NAMED);                 \
        return next ? next(region) : 0;                                                \
    }

/* Defines such functions that return nothing. */
#define NAMED_VOID(begin, end)                                                         \
    RC_PRELOAD_EXPORT void begin(const char *region);                                  \
    RC_PRELOAD_EXPORT void end(const char *region);                                    \
    void begin(const char *region)                                                     \
    {                                                                                  \
        NEXT(begin);                                                                   \
        if (next)                                                                      \
            next(region);                                                              \
        rc_preload_region_begin(region, RC_PRELOAD_NAMED);                             \
    }                                                                                  \
    void end(const char *region)                                                       \
    {                                                                                  \
        NEXT(end);                                                                     \
        rc_preload_region_end(region ? region : "", RC_PRELOAD_NAMED);                 \
        if (next)                                                                      \
            next(region);                                                              \
    }

/* Defines functions PUSH(const char *) and POP(void), which return the depth that the
 * tool's own return, or 'none' without the tool.
 */
#define PUSHED(push, pop, api, none)                                                   \
    RC_PRELOAD_EXPORT int push(const char *region);                                    \
    RC_PRELOAD_EXPORT int pop(void);                                                   \
    int push(const char *region)                                                       \
    {                                                                                  \
        NEXT(push);                                                                    \
        int depth = next ? next(region) : (none);                                      \
        rc_preload_region_begin(region, api);                                          \
        return depth;                                                                  \
    }                                                                                  \
    int pop(void)                                                                      \
    {                                                                                  \
        NEXT(pop);                                                                     \
        rc_preload_region_end(NULL, api);                                              \
        return next ? next() : (none);                                                 \
    }

NAMED(PAPI_hl_region_begin, PAPI_hl_region_end)
NAMED(likwid_markerStartRegion, likwid_markerStopRegion)
NAMED_VOID(cali_begin_region, cali_end_region)
NAMED_VOID(cali_begin_phase, cali_end_phase)
NAMED_VOID(cali_begin_comm_region, cali_end_comm_region)
PUSHED(nvtxRangePushA, nvtxRangePop, RC_PRELOAD_NVTX, -2)
PUSHED(roctxRangePushA, roctxRangePop, RC_PRELOAD_ROCTX, -1)

/* The function that rollcall.h calls. */
RC_PRELOAD_EXPORT void rollcall_region(const char *region, int begins);
void rollcall_region(const char *region, int begins)
{
    if (begins)
        rc_preload_region_begin(region, RC_PRELOAD_NAMED);
    else
        rc_preload_region_end(region ? region : "", RC_PRELOAD_NAMED);
}
