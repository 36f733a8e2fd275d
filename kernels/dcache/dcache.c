/* The suites 'dcache' and 'dcache-write': walks through sets of lines of all sizes.
 *
 * Each load gives the address of the next, so that nothing overlaps.  Sizes lie well
 * inside each cache and beyond the last, so that caches.c knows which level every
 * access hits.  Stores without loads follow an order that is computed.  docs/dcache.md.
 */
#include "kernels/dcache/dcache.h"

#include "campaign/base/text.h"
#include "kernels/buffer.h"
#include "kernels/caches.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const axes[] = {"bytes", "stride", "ppb",    "threads", "width",
                                   "loads", "stores", "chains", NULL};

static const enum rc_ideal read_ideals[] = {RC_IDEAL_L1DM, RC_IDEAL_L1DH, RC_IDEAL_L2DH,
                                            RC_IDEAL_L3DH};
static const enum rc_ideal write_ideals[] = {
    RC_IDEAL_L1DWH, RC_IDEAL_L1DWM, RC_IDEAL_L1WB, RC_IDEAL_L2WB, RC_IDEAL_L3WB};

#define LARGE_CACHE_BYTES (UINT64_C(64) << 20) /* from here on with larger blocks */

static const char *no_cache_sizes = "the sizes of this machine's caches are not known";
static const char *not_enough_memory =
    "the buffer would take more than half of this machine's memory";

/* Share of the lines of a walk that miss in the levels up to 'level'. */
static double missed(const struct rc_geometry *given, const struct rc_point *point,
                     size_t level)
{
    const struct rc_geometry geometry = rc_dcache_geometry(given);
    const struct rc_caches caches = rc_caches_of_data(&geometry);

    return rc_caches_miss_share(&caches, level, (uint64_t)point->axis[RC_DCACHE_BYTES],
                                (uint64_t)point->axis[RC_DCACHE_STRIDE]);
}

/* The points of a suite while they are made. */
struct making {
    const struct rc_geometry *given;
    struct rc_geometry geometry; /* rc_dcache_geometry() of 'given' */
    uint64_t size[RC_CACHES_SIZES];
    size_t sizes;
    struct rc_points *points;
};

/* Appends the point, with a name from its parameters. */
static void add_point(const struct making *m, const struct rc_point *like)
{
    struct rc_point point = *like;
    const int64_t *axis = point.axis;
    const struct {
        bool named;
        const char *text;
        int64_t value;
    } part[] = {
        {axis[RC_DCACHE_WIDTH] != RC_DCACHE_POINTER, "w", axis[RC_DCACHE_WIDTH]},
        {axis[RC_DCACHE_LOADS] > 1, "loads", axis[RC_DCACHE_LOADS]},
        {axis[RC_DCACHE_LOADS] == 0, "stores", axis[RC_DCACHE_STORES]},
        {axis[RC_DCACHE_CHAINS] > 1, "chains", axis[RC_DCACHE_CHAINS]},
    };
    const uint64_t bytes = (uint64_t)axis[RC_DCACHE_BYTES];
    char size[RC_CACHES_BYTES_TEXT];

    rc_caches_put_bytes(size, bytes);
    rc_text_append(point.name, sizeof point.name, "%s-s%" PRId64 "-p%" PRId64, size,
                   axis[RC_DCACHE_STRIDE], axis[RC_DCACHE_PPB]);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].named)
            rc_text_append(point.name, sizeof point.name, "-%s%" PRId64, part[i].text,
                           part[i].value);
    point.unusable = !m->given->l1d.bytes             ? no_cache_sizes
                     : bytes > rc_buffer_most_bytes() ? not_enough_memory
                                                      : NULL;
    rc_points_add(m->points, &point);
}

/* Adds one size with all its strides and block sizes.  Once a block holds the whole
 * buffer, larger blocks would give the same walk.
 */
static void add_size(const struct making *m, uint64_t bytes, struct rc_point like)
{
    static const int64_t ppbs[] = {16, 64, 512};
    const uint64_t last_level_bytes = m->size[m->sizes - 1] / 4;
    const size_t ppb_count = last_level_bytes >= LARGE_CACHE_BYTES ? 3 : 2;
    const uint64_t line = m->geometry.line_bytes;

    like.axis[RC_DCACHE_BYTES] = (int64_t)bytes;
    for (uint64_t stride = line; stride <= 2 * line; stride += line)
        for (size_t i = 0; i < ppb_count; i++) {
            if (stride < sizeof(struct rc_chase_line))
                break; /* the line does not hold a link */
            like.axis[RC_DCACHE_STRIDE] = (int64_t)stride;
            like.axis[RC_DCACHE_PPB] = ppbs[i];
            add_point(m, &like);
            if ((uint64_t)ppbs[i] * m->geometry.page_bytes >= bytes)
                break;
        }
}

/* Adds accesses narrower and wider than a pointer, all of which hit in L1, so that an
 * event that counts one width does not pass for one that counts all.
 */
static void add_widths(const struct making *m)
{
    static const int widths[] = {1, 2, 4, 16};

    for (size_t i = 0; i < 4 && m->points->count; i++) {
        struct rc_point like = {.name = ""};
        memcpy(like.axis, m->points->point[0].axis, sizeof like.axis);
        like.axis[RC_DCACHE_WIDTH] = widths[i];
        add_point(m, &like);
    }
}

/* Adds walks with one load for each line, or a load and a store, in all sizes. */
static void add_chases(struct making *m, bool writes)
{
    static const unsigned beyond[] = {3, 4, 0};
    const struct rc_point like = {.axis = {[RC_DCACHE_THREADS] = 1,
                                           [RC_DCACHE_WIDTH] = RC_DCACHE_POINTER,
                                           [RC_DCACHE_LOADS] = 1,
                                           [RC_DCACHE_STORES] = writes,
                                           [RC_DCACHE_CHAINS] = 1}};
    const struct rc_caches caches = rc_caches_of_data(&m->geometry);

    m->sizes =
        rc_caches_sizes(&caches, beyond, UINT64_C(4) * m->geometry.line_bytes, m->size);
    for (size_t i = 0; i < m->sizes; i++)
        add_size(m, m->size[i], like);
    add_widths(m);
}

/* Levels of a walk, by the number of caches that its lines miss. */
enum { IN_L1, IN_MEMORY = RC_CACHES_MAX };

/* The first and the last size whose lines lie in one level; false: there is none. */
static bool sizes_in(const struct making *m, int level, uint64_t *first, uint64_t *last)
{
    *first = *last = 0;
    for (size_t i = 0; i < m->sizes; i++) {
        const struct rc_point point = {
            .axis = {[RC_DCACHE_BYTES] = (int64_t)m->size[i],
                     [RC_DCACHE_STRIDE] = m->geometry.line_bytes}};
        int misses = 0;
        for (size_t l = 0; l < RC_CACHES_MAX; l++)
            misses += missed(m->given, &point, l) > 0;
        if (misses == level && !*first)
            *first = m->size[i];
        if (misses == level)
            *last = m->size[i];
    }
    return *first;
}

/* Adds a walk through a level; beyond the caches, where buffers are large, it visits
 * every other line.
 */
static void add_walk(const struct making *m, int level, uint64_t bytes, uint64_t ppb,
                     int loads, int stores, int chains)
{
    const uint64_t line = m->geometry.line_bytes;
    const struct rc_point point = {
        .axis = {[RC_DCACHE_BYTES] = (int64_t)bytes,
                 [RC_DCACHE_STRIDE] = (int64_t)(level == IN_MEMORY ? 2 * line : line),
                 [RC_DCACHE_PPB] = (int64_t)ppb,
                 [RC_DCACHE_THREADS] = 1,
                 [RC_DCACHE_WIDTH] = RC_DCACHE_POINTER,
                 [RC_DCACHE_LOADS] = loads,
                 [RC_DCACHE_STORES] = stores,
                 [RC_DCACHE_CHAINS] = chains}};

    add_point(m, &point);
}

/* Adds several loads for each line, of which only the first can miss, and two chains,
 * in each level but L1.
 */
static void add_loads(const struct making *m)
{
    uint64_t first, last;

    for (int level = IN_L1 + 1; level <= IN_MEMORY; level++) {
        if (!sizes_in(m, level, &first, &last))
            continue;
        add_walk(m, level, first, 16, 2, 0, 1);
        add_walk(m, level, first, 16, 4, 0, 1);
        add_walk(m, level, first, 16, 1, 0, 2);
    }
}

/* Adds stores to lines that were not loaded before, one and several to each line, in
 * each level whose range of sizes has a power of two in it: one near the middle, or the
 * first beyond the caches.
 */
static void add_stores(const struct making *m)
{
    uint64_t first, last, bytes;

    for (int level = IN_L1; level <= IN_MEMORY; level++) {
        if (!sizes_in(m, level, &first, &last))
            continue;
        for (bytes = 1; bytes < first; bytes *= 2)
            continue;
        while (level != IN_MEMORY && bytes * 4 <= last)
            bytes *= 2;
        const uint64_t pages = bytes / m->geometry.page_bytes;
        for (int stores = 1; stores <= 4 && (bytes <= last || level == IN_MEMORY);
             stores *= 2)
            add_walk(m, level, bytes, pages ? pages : 1, 0, stores, 1);
    }
}

static int add_points(const struct rc_suite_request *request, bool writes,
                      struct rc_points *points, struct rc_error *err)
{
    struct making m = {.given = &request->geometry,
                       .geometry = rc_dcache_geometry(&request->geometry),
                       .points = points};
    const uint64_t line = m.geometry.line_bytes;

    add_chases(&m, writes);
    /* Several accesses to a line need a line that holds a link. */
    if (line >= sizeof(struct rc_chase_line) && !(line & (line - 1)))
        (writes ? add_stores : add_loads)(&m);
    return rc_points_check(points, err);
}

static int read_points(const struct rc_suite_request *request, struct rc_points *points,
                       struct rc_error *err)
{
    return add_points(request, false, points, err);
}

static int write_points(const struct rc_suite_request *request,
                        struct rc_points *points, struct rc_error *err)
{
    return add_points(request, true, points, err);
}

/* The loop hits in L1I.  Loads leave nothing dirty.  The first access to a line finds
 * it in its level, the others find it in L1; in walks with stores every line that
 * leaves a level is dirty.
 */
static struct rc_range expect(const struct rc_suite_request *request,
                              const struct rc_point *point, enum rc_ideal ideal)
{
    const double chains = (double)point->axis[RC_DCACHE_CHAINS],
                 loads = chains * (double)point->axis[RC_DCACHE_LOADS],
                 stores = (double)point->axis[RC_DCACHE_STORES];
    const double reads = loads > 0, alone = loads > 0 ? 0 : 1, writes = stores > 0;
    const double l1 = chains * missed(&request->geometry, point, 0),
                 l2 = chains * missed(&request->geometry, point, 1),
                 l3 = chains * missed(&request->geometry, point, 2);
    const double transactions =
        l3 * rc_dcache_geometry(&request->geometry).line_bytes / 64;
    const bool no_l2 = request->geometry.l1d.bytes && !request->geometry.l2.bytes,
               no_l3 = request->geometry.l1d.bytes && !request->geometry.l3.bytes;
    const double loop = 1.0 / (loads == 1 ? RC_CHASE_UNROLL : RC_CHASE_FEW);
    const double counts[RC_IDEAL_COUNT] = {
        /* with two of the loop, and three for the order of stores alone */
        [RC_IDEAL_INS] = loads + stores + 3 * alone + 2 * loop,
        [RC_IDEAL_LOADS] = loads,
        [RC_IDEAL_STORES] = stores,
        [RC_IDEAL_CE] = loop,
        [RC_IDEAL_CR] = loop,
        [RC_IDEAL_T] = loop,
        [RC_IDEAL_INT_ADD] = loop + alone,
        [RC_IDEAL_INT_MUL] = alone,
        [RC_IDEAL_INT_LOGIC] = alone,
        [RC_IDEAL_CHAIN] = NAN,
        /* 4 for each load of a chain or 5 for the order, then 14 for a line of L2, 50
         * of L3, 300 of memory; chains do not wait for each other
         */
        [RC_IDEAL_CYC] =
            (4 * loads + 10 * l1 + 36 * l2 + 250 * l3) / chains + 5 * alone,
        [RC_IDEAL_L1DM] = reads * l1,
        [RC_IDEAL_L1DH] = loads - reads * l1,
        [RC_IDEAL_L2DH] = reads * (l1 - l2),
        [RC_IDEAL_L3DH] = reads * (l2 - l3),
        [RC_IDEAL_L1DWH] = stores - alone * l1,
        [RC_IDEAL_L1DWM] = alone * l1,
        [RC_IDEAL_L1WB] = writes * l1,
        [RC_IDEAL_L2WB] = no_l2 ? 0 : writes * l2,
        [RC_IDEAL_L3WB] = no_l3 ? 0 : writes * l3,
        [RC_IDEAL_MEM_RD] = transactions, /* units of 64 bytes */
        [RC_IDEAL_MEM_WR] = writes * transactions,
    };

    return ideal == RC_IDEAL_L1IH ? rc_expect_core(&request->geometry, counts, ideal)
                                  : rc_exactly(counts[ideal]);
}

/* Iterations on counters: enough to hide the start and stop of counters, and to visit
 * every line of a buffer that fits in some cache.
 */
static uint64_t wanted(const struct rc_geometry *geometry, const struct rc_point *point)
{
    const uint64_t lines =
        (uint64_t)(point->axis[RC_DCACHE_BYTES] / point->axis[RC_DCACHE_STRIDE]);

    if (missed(geometry, point, 0) <= 0)
        return UINT64_C(1) << 20;
    if (missed(geometry, point, 2) > 0 || lines < UINT64_C(1) << 18)
        return UINT64_C(1) << 18;
    return lines;
}

/* Iterations for a source with a budget, which may simulate caches that start empty.
 * In 128 passes less than 1 % are first visits.  Loads that miss all caches also miss
 * empty ones and need no such wait; the first lines to be written back do.
 */
static uint64_t wanted_cold(const struct rc_geometry *geometry,
                            const struct rc_point *point)
{
    const uint64_t lines =
        (uint64_t)(point->axis[RC_DCACHE_BYTES] / point->axis[RC_DCACHE_STRIDE]);
    const bool writes = point->axis[RC_DCACHE_STORES] > 0;
    const uint64_t count = 128 * lines, least = 8192;

    return count < least || (!writes && missed(geometry, point, 2) > 0) ? least : count;
}

static uint64_t iterations(const struct rc_suite_request *request,
                           const struct rc_point *point, uint64_t budget)
{
    return rc_iterations(rc_range_exact(expect(request, point, RC_IDEAL_INS)),
                         budget ? wanted_cold(&request->geometry, point)
                                : wanted(&request->geometry, point),
                         RC_CHASE_UNROLL, budget);
}

#if RC_CHASE_WRITTEN
#define RUNS_BY(way)                                                                   \
    .setup = rc_dcache_setup, .run = rc_dcache_##way,                                  \
    .verify = rc_dcache_##way##_verify, .teardown = rc_dcache_teardown,                \
    .note = rc_dcache_note,
#else
#define RUNS_BY(way)
#endif

static const char *no_loops(void)
{
    return RC_CHASE_WRITTEN ? NULL
                            : "no pointer chase is written for this kind of processor";
}

extern const struct rc_suite rc_suite_dcache;
const struct rc_suite rc_suite_dcache = {
    .name = "dcache",
    .summary = "pointer chase through the data caches: loads",
    .footprint = RC_FOOTPRINT_MEMORY,
    .ideals = read_ideals,
    .ideal_count = sizeof read_ideals / sizeof read_ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = no_loops,
    .points = read_points,
    .expect = expect,
    .iterations = iterations,
    RUNS_BY(read)};

extern const struct rc_suite rc_suite_dcache_write;
const struct rc_suite rc_suite_dcache_write = {
    .name = "dcache-write",
    .summary = "walks through the data caches: stores, to lines loaded before and not",
    .footprint = RC_FOOTPRINT_MEMORY,
    .ideals = write_ideals,
    .ideal_count = sizeof write_ideals / sizeof write_ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = no_loops,
    .points = write_points,
    .expect = expect,
    .iterations = iterations,
    RUNS_BY(write)};
