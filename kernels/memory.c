/* The suites 'memory' and 'memory-batched': DOT, GEMV, capped GEMV, GEMM and the stream
 * loops, double precision, and sweeps without arithmetic, on operands that come from
 * memory.
 *
 * Traffic follows from the sizes as long as data that an operation uses again stay in
 * the caches and data that it must fetch again do not.  Points are chosen so; the
 * traffic of others is not known.  docs/kernels-blas-memory.md has the assumptions.
 */
#include "kernels/memory.h"

#include "campaign/base/text.h"
#include "kernels/buffer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { AXIS_OPERATION, AXIS_M, AXIS_N, AXIS_REPETITIONS };

static const char *const axes[] = {"operation", "m", "n", "repetitions", NULL};
static const enum rc_ideal ideals[] = {RC_IDEAL_MEM_RD, RC_IDEAL_MEM_WR};

/* Values of axis 'operation': stored in results, append only. */
enum operation {
    DOT,
    GEMV,
    CAPPED,
    GEMM,
    COPY, /* streams and sweeps, in the order of enum rc_loop */
    SCALE,
    ADD,
    TRIAD,
    READ,
    WRITE,
    UPDATE,
    WRITE_NT,
    READ_LINE,
    WRITE_LINE,
    UPDATE_LINE,
    OPERATIONS
};

static const char *const names[OPERATIONS] = {
    [DOT] = "dot",
    [GEMV] = "gemv",
    [CAPPED] = "capped-gemv",
    [GEMM] = "gemm",
    [COPY] = "copy",
    [SCALE] = "scale",
    [ADD] = "add",
    [TRIAD] = "triad",
    [READ] = "read",
    [WRITE] = "write",
    [UPDATE] = "update",
    [WRITE_NT] = "write-nt",
    [READ_LINE] = "read-line",
    [WRITE_LINE] = "write-line",
    [UPDATE_LINE] = "update-line",
};

static enum rc_loop loop_of(enum operation operation)
{
    return operation < COPY ? RC_LOOP_NEST_DP
                            : (enum rc_loop)(RC_LOOP_COPY + (operation - COPY));
}

/* The largest set of operands, whatever the caches. */
#define FOOTPRINT_MAX ((uint64_t)2 << 30)

/* The largest cache that is believed: a simulated machine may state any size. */
#define CACHE_MAX ((uint64_t)1 << 40)

/* The most lines of code of an operation and its caller. */
#define CODE_LINES 16

/* The most steps of one reading: about half a second of scalar arithmetic. */
#define READING_STEPS 500000000U

/* Instructions of one reading under a budget, where they are stepped: enough to fill
 * and leave the caches of a small simulated machine.
 */
#define RUN_INSTRUCTIONS_STEPPED 40000.0

static uint64_t capped(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* Bytes of the cache before memory. */
static uint64_t last_level(const struct rc_geometry *geometry)
{
    uint64_t levels[] = {geometry->l3.bytes, geometry->l2.bytes, geometry->l1d.bytes,
                         rc_request_default.geometry.l3.bytes};
    size_t i = 0;

    while (levels[i] == 0)
        i++;
    return capped(levels[i], CACHE_MAX);
}

/* Bytes of all caches of a core together. */
static uint64_t all_levels(const struct rc_geometry *geometry)
{
    return last_level(geometry) + capped(geometry->l2.bytes, CACHE_MAX) +
           capped(geometry->l1d.bytes, CACHE_MAX);
}

/* Stream loops take eight elements at once. */
static uint64_t round_to_eights(double n)
{
    return n < 8 ? 8 : (uint64_t)n / 8 * 8;
}

/* N for 'bytes' of memory with 'per' bytes for each element of N. */
static uint64_t linear(uint64_t bytes, unsigned per)
{
    return round_to_eights((double)capped(bytes, FOOTPRINT_MAX) / per);
}

/* N for a matrix of doubles of so many bytes. */
static uint64_t square(uint64_t bytes)
{
    return round_to_eights(sqrt((double)capped(bytes, FOOTPRINT_MAX) / 8));
}

/* Adds a point unless it is there: in tiny geometries sizes coincide. */
static void add_point(struct rc_points *points, enum operation operation, uint64_t m,
                      uint64_t n, int repetitions)
{
    struct rc_point point = {.axis = {operation, (int64_t)m, (int64_t)n, repetitions}};
    char size[24] = "", times[16] = "";

    if (m > 1 && operation != GEMM)
        (void)snprintf(size, sizeof size, "%" PRIu64 "x", m);
    if (repetitions)
        (void)snprintf(times, sizeof times, "-r%d", repetitions);
    (void)snprintf(point.name, sizeof point.name, "%s-%s%" PRIu64 "%s",
                   names[operation], size, n, times);
    for (size_t i = 0; i < points->count; i++)
        if (strcmp(points->point[i].name, point.name) == 0)
            return;
    if (operation == WRITE_NT && !rc_loop_code[RC_LOOP_WRITE_NT].run)
        point.unusable = "this processor has no stores that go past the caches";
    rc_points_add(points, &point);
}

/* Whether a row of so many doubles has left the cache when it is used again. */
static bool outgrows(uint64_t doubles, uint64_t cache)
{
    return 8 * doubles >= cache / 2 * 3;
}

/* The operations of BLAS, from operands that fit the caches to ones that do not.
 * Capped GEMV gets an A that no cache holds, since it uses the rows again; GEMM gets
 * matrices that all fit.
 */
static void add_blas(struct rc_points *points, uint64_t cache)
{
    static const uint64_t products[] = {8, 16, 32, 64, 96};
    const uint64_t n = square(2 * cache);
    const struct {
        enum operation operation;
        uint64_t m, n;
    } sizes[] = {
        {DOT, 1, linear(cache / 4, 16)},
        {DOT, 1, linear(cache, 16)},
        {DOT, 1, linear(4 * cache, 16)},
        {GEMV, square(cache / 4), square(cache / 4)},
        {GEMV, square(cache), square(cache)},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        add_point(points, sizes[i].operation, sizes[i].m, sizes[i].n, 0);
    if (outgrows(n * n, cache))
        add_point(points, CAPPED, 2 * n, n, 0);
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++)
        if (24 * products[i] * products[i] <= cache)
            add_point(points, GEMM, products[i], products[i], 0);
}

static int memory_points(const struct rc_suite_request *request,
                         struct rc_points *points, struct rc_error *err)
{
    static const int repetitions[] = {1, 8, 64, 512};
    const uint64_t cache = last_level(&request->geometry), n = square(cache / 64);

    add_blas(points, cache);
    /* Small operands, many times: these points show how noise that does not grow with
     * the work fades with the operations in one reading.
     */
    for (size_t i = 0; i < sizeof repetitions / sizeof repetitions[0]; i++) {
        add_point(points, DOT, 1, linear(cache / 64, 16), repetitions[i]);
        add_point(points, GEMV, n, n, repetitions[i]);
        add_point(points, GEMM, 16, 16, repetitions[i]);
    }
    /* Arrays that together take four times the last cache: three of add and triad, else
     * two.
     */
    for (enum operation op = COPY; request->geometry.vector_bits >= 128 && op <= TRIAD;
         op++) {
        unsigned per = op == ADD || op == TRIAD ? 24 : 16;
        add_point(points, op, 1, linear(4 * cache, per), 0);
    }
    for (enum operation op = READ; op < OPERATIONS; op++)
        add_point(points, op, 1, linear(4 * cache, 8), 0);
    return rc_points_check(points, err);
}

/* GEMM has n columns, the others one; only capped GEMV keeps fewer rows than it has. */
static struct rc_loop_shape shape_of(const struct rc_point *point)
{
    uint64_t m = (uint64_t)point->axis[AXIS_M], n = (uint64_t)point->axis[AXIS_N];

    return (struct rc_loop_shape){
        .loop = loop_of((enum operation)point->axis[AXIS_OPERATION]),
        .rows = m,
        .cols = point->axis[AXIS_OPERATION] == GEMM ? n : 1,
        .depth = n,
        .kept = capped(m, n),
    };
}

uint64_t rc_memory_repetitions(uint64_t n)
{
    return n < 2048 ? (uint64_t)(514 - 0.246 * (double)n) : 10;
}

/* Operations in one reading: those of the point, or those of the published study as far
 * as they are affordable.
 */
static uint64_t repetitions(const struct rc_point *point)
{
    struct rc_loop_shape shape = shape_of(point);
    uint64_t affordable = READING_STEPS / rc_loop_steps(&shape);

    if (point->axis[AXIS_REPETITIONS])
        return (uint64_t)point->axis[AXIS_REPETITIONS];
    return capped(rc_memory_repetitions(shape.depth), affordable ? affordable : 1);
}

static struct rc_traffic stream_traffic(double elements, unsigned arrays)
{
    return (struct rc_traffic){arrays * 8 * elements / 64, 8 * elements / 64};
}

static bool only_reads(enum rc_loop loop)
{
    return loop == RC_LOOP_READ || loop == RC_LOOP_READ_LINE;
}

struct rc_traffic rc_memory_traffic(const struct rc_loop_shape *shape,
                                    enum rc_written written)
{
    double m = (double)shape->rows, p = (double)shape->cols, n = (double)shape->depth;
    double element = (double)rc_loop_element_bytes(shape->loop);

    if (shape->loop == RC_LOOP_COPY || shape->loop == RC_LOOP_SCALE)
        return stream_traffic(n, 2);
    if (shape->loop == RC_LOOP_ADD || shape->loop == RC_LOOP_TRIAD)
        return stream_traffic(n, 3);
    if (shape->loop >= RC_LOOP_READ) { /* C is a line, too */
        const double lines = element * n / 64 + 1;
        return (struct rc_traffic){shape->loop == RC_LOOP_WRITE_NT ? 1 : lines,
                                   only_reads(shape->loop) ? 1 : lines};
    }
    if (shape->rows == 1 && shape->cols == 1) /* one result makes no traffic */
        return (struct rc_traffic){2 * element * n / 64, 0};
    return (struct rc_traffic){element * (m * n + n * p + m * p) / 64,
                               (double)written * m * p / 64};
}

/* Whether data that an operation uses again stay in the cache, and data that it must
 * fetch again do not.
 */
static bool traffic_known(const struct rc_geometry *geometry,
                          const struct rc_loop_shape *shape)
{
    uint64_t cache = last_level(geometry), n = shape->depth;

    if (shape->cols > 1)
        return 8 * (shape->kept * n + n * shape->cols + shape->rows * shape->cols) <=
               cache;
    if (shape->rows > 1 && 8 * n > cache / 2)
        return false;
    return shape->kept == shape->rows || outgrows(n * shape->kept, cache);
}

/* Dirty lines that leave a level.  Lines that are stored to in part leave each level
 * except for those that it and the levels before it hold; lines that are stored to
 * whole may bypass all levels.
 */
static struct rc_range written_back(const struct rc_geometry *geometry,
                                    const struct rc_loop_shape *shape,
                                    enum rc_ideal level, double stores)
{
    const uint64_t bytes[] = {geometry->l1d.bytes, geometry->l2.bytes,
                              geometry->l3.bytes};
    const double most = rc_memory_traffic(shape, RC_WRITTEN_PER_LINE).writes;
    const unsigned last = level == RC_IDEAL_L1WB ? 0 : level == RC_IDEAL_L2WB ? 1 : 2;
    double least = most;

    if (shape->loop == RC_LOOP_WRITE_NT)
        return rc_exactly(0);
    if (shape->loop < RC_LOOP_READ)
        return rc_between(0, stores);
    for (unsigned i = 0; i < 3 && i <= last; i++)
        least -= (double)capped(bytes[i], CACHE_MAX) / 64;
    if (shape->loop == RC_LOOP_WRITE || !bytes[last])
        least = 0;
    return rc_between(least > 0 ? least : 0, most);
}

/* Counts of caches depend on prefetch, and on how a load is counted whose line is
 * already on its way: anything from nothing to all accesses.
 */
static struct rc_range cache_expect(const struct rc_geometry *geometry,
                                    const struct rc_loop_shape *shape,
                                    enum rc_ideal ideal)
{
    const struct rc_misses all = rc_misses_of(geometry, INFINITY, INFINITY);
    const double stores = rc_loop_expect(geometry, shape, all, RC_IDEAL_STORES).high;

    switch (ideal) {
    case RC_IDEAL_L1WB:
    case RC_IDEAL_L2WB:
    case RC_IDEAL_L3WB:
        return written_back(geometry, shape, ideal, stores);
    case RC_IDEAL_L1IM:
    case RC_IDEAL_L2IH: /* the code of a reading's first iteration is not in L1I */
        return geometry->l1i.bytes >= UINT64_C(64) * CODE_LINES
                   ? rc_between(0, CODE_LINES)
                   : rc_unknown();
    default:
        return rc_loop_expect(geometry, shape, all, ideal);
    }
}

static struct rc_range memory_expect(const struct rc_suite_request *request,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    struct rc_loop_shape shape = shape_of(point);
    struct rc_traffic traffic = rc_memory_traffic(&shape, RC_WRITTEN_PER_LINE);

    if (ideal != RC_IDEAL_MEM_RD && ideal != RC_IDEAL_MEM_WR)
        return cache_expect(&request->geometry, &shape, ideal);
    if (!traffic_known(&request->geometry, &shape))
        return rc_unknown();
    /* Each copy of DOT's one result is a line of its own. */
    if (shape.loop == RC_LOOP_NEST_DP && shape.rows == 1 && shape.cols == 1)
        return rc_exactly(ideal == RC_IDEAL_MEM_RD ? traffic.reads + 1 : 1);
    /* Lines that are stored to whole need not be read. */
    if (shape.loop == RC_LOOP_WRITE && ideal == RC_IDEAL_MEM_RD)
        return rc_between(0, traffic.reads);
    return rc_exactly(ideal == RC_IDEAL_MEM_RD ? traffic.reads : traffic.writes);
}

static uint64_t memory_iterations(const struct rc_suite_request *request,
                                  const struct rc_point *point, uint64_t budget)
{
    double each = rc_range_exact(memory_expect(request, point, RC_IDEAL_INS));
    uint64_t wanted = repetitions(point);

    if (isnan(each))
        return wanted;
    if (budget)
        wanted = capped(wanted, (uint64_t)(RUN_INSTRUCTIONS_STEPPED / each));
    return rc_iterations(each, wanted, 1, budget);
}

/* Copies of the operands: one for every operation of a reading, or as many as it takes
 * until the first ones have left the caches.
 */
static uint64_t copies(const struct rc_point *point, uint64_t walk)
{
    struct rc_loop_shape shape = shape_of(point);

    return capped(repetitions(point), 1 + walk / rc_loop_copy_bytes(&shape));
}

/* The operands of one point, and a buffer to walk, larger than all caches. */
static int memory_setup(const struct rc_suite_request *request,
                        const struct rc_point *point, struct rc_kernel **out,
                        struct rc_error *err)
{
    uint64_t walk = 2 * all_levels(&request->geometry);
    struct rc_loop_plan plan = {.name = point->name,
                                .shape = shape_of(point),
                                .copies = copies(point, walk),
                                .walk_bytes = walk,
                                .huge_page_bytes = request->geometry.huge_page_bytes};

    return rc_loop_create(&plan, out, err);
}

/* All cores set up at the same time: each must leave the others their share. */
static int batched_setup(const struct rc_suite_request *request,
                         const struct rc_point *point, struct rc_kernel **out,
                         struct rc_error *err)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t cores = online > 0 ? (uint64_t)online : 1,
             walk = 2 * all_levels(&request->geometry);
    struct rc_loop_shape shape = shape_of(point);
    uint64_t need = walk + copies(point, walk) * rc_loop_copy_bytes(&shape);
    uint64_t share = rc_buffer_most_bytes() / cores;
    char needed[RC_TEXT_SHORT], had[RC_TEXT_SHORT];

    *out = NULL;
    if (need > share)
        return rc_fail(err, RC_ENOMEM,
                       "point '%s': needs %s on each of %" PRIu64
                       " cores, expected at most %s, a share of half the memory",
                       point->name, rc_text_put_size(needed, need), cores,
                       rc_text_put_size(had, share));
    return memory_setup(request, point, out, err);
}

#define COMMON                                                                         \
    .footprint = RC_FOOTPRINT_MEMORY, .ideals = ideals,                                \
    .ideal_count = sizeof ideals / sizeof ideals[0], .axes = axes,                     \
    .usable = rc_loop_usable, .points = memory_points, .expect = memory_expect,        \
    .iterations = memory_iterations, .prepare = rc_loop_kernel_prepare,                \
    .run = rc_loop_kernel_run, .verify = rc_loop_kernel_verify,                        \
    .teardown = rc_loop_kernel_teardown

const struct rc_suite rc_suite_memory = {
    .name = "memory",
    .summary = "BLAS, streams and sweeps on operands from memory, one core",
    .by_default = true,
    .setup = memory_setup,
    COMMON,
};
const struct rc_suite rc_suite_memory_batched = {
    .name = "memory-batched",
    .summary = "the same, an independent operation on every core at once",
    .all_cores = true,
    .setup = batched_setup,
    COMMON,
};
