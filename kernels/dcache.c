/* The suites 'dcache' and 'dcache-write': pointer chases through sets of all sizes.
 *
 * Each load gives the address of the next, so that nothing overlaps; sizes lie well
 * inside of each cache and beyond the last, so that caches.c can tell which level every
 * access hits.  An iteration is one access.  docs/dcache.md.
 */
#include "kernels/buffer.h"
#include "kernels/caches.h"
#include "kernels/chase.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum axis { AXIS_BYTES, AXIS_STRIDE, AXIS_PPB, AXIS_THREADS, AXIS_WIDTH };

static const char *const axes[] = {"bytes", "stride", "ppb", "threads", "width", NULL};

static const enum rc_ideal read_ideals[] = {RC_IDEAL_L1DM, RC_IDEAL_L1DH, RC_IDEAL_L2DH,
                                            RC_IDEAL_L3DH};
static const enum rc_ideal write_ideals[] = {RC_IDEAL_L1DWH, RC_IDEAL_L1WB,
                                             RC_IDEAL_L2WB, RC_IDEAL_L3WB};

#define WARM_PASSES 4 /* over the lines, before the first run */
#define LARGE_CACHE_BYTES (UINT64_C(64) << 20) /* from here on larger blocks, too */

static const char *no_cache_sizes = "the sizes of this machine's caches are not known";
static const char *not_enough_memory =
    "the buffer would take more than half of this machine's memory";

/* Points are described on machines that do not say all of this, too. */
static struct rc_geometry known_geometry(const struct rc_geometry *given)
{
    struct rc_geometry geometry = given->l1d.bytes ? *given : rc_geometry_default;

    if (!geometry.line_bytes)
        geometry.line_bytes = rc_geometry_default.line_bytes;
    if (!geometry.page_bytes)
        geometry.page_bytes = rc_geometry_default.page_bytes;
    return geometry;
}

/* Bytes of loads and stores, usually, and at most. */
enum { POINTER = 8, WIDEST = 16 };

static void add_point(struct rc_points *points, uint64_t bytes, uint64_t stride,
                      uint64_t ppb, int width, const char *unusable)
{
    struct rc_point point = {
        .axis = {[AXIS_BYTES] = (int64_t)bytes,
                 [AXIS_STRIDE] = (int64_t)stride,
                 [AXIS_PPB] = (int64_t)ppb,
                 [AXIS_THREADS] = 1,
                 [AXIS_WIDTH] = width},
        .unusable = unusable,
    };
    char size[RC_CACHES_BYTES_TEXT];

    rc_caches_put_bytes(size, bytes);
    const int length = snprintf(point.name, sizeof point.name,
                                "%s-s%" PRIu64 "-p%" PRIu64, size, stride, ppb);
    if (width != POINTER)
        snprintf(point.name + length, sizeof point.name - (size_t)length, "-w%d",
                 width);
    rc_points_add(points, &point);
}

/* One size with all its strides and block sizes.  Once a block holds the whole
 * buffer, larger ones would give the same walk.
 */
static void add_size(struct rc_points *points, const struct rc_geometry *geometry,
                     uint64_t bytes, uint64_t last_level_bytes, const char *unusable)
{
    static const uint64_t ppbs[] = {16, 64, 512};
    size_t ppb_count = last_level_bytes >= LARGE_CACHE_BYTES ? 3 : 2;
    uint64_t line = geometry->line_bytes;

    for (uint64_t stride = line; stride <= 2 * line; stride += line)
        for (size_t i = 0; i < ppb_count; i++) {
            if (stride < sizeof(struct rc_chase_line))
                break; /* lines so narrow that one does not hold a link */
            add_point(points, bytes, stride, ppbs[i], POINTER, unusable);
            if (ppbs[i] * geometry->page_bytes >= bytes)
                break;
        }
}

/* Accesses of other widths than that of a pointer, where all hit in L1: so an event
 * that counts those of one width is not all of them.
 */
static void add_widths(struct rc_points *points)
{
    static const int widths[] = {1, 2, 4, 16};
    const struct rc_point like =
        points->count ? points->point[0] : (struct rc_point){0};

    for (size_t i = 0; i < 4 && points->count; i++)
        add_point(points, (uint64_t)like.axis[AXIS_BYTES],
                  (uint64_t)like.axis[AXIS_STRIDE], (uint64_t)like.axis[AXIS_PPB],
                  widths[i], like.unusable);
}

/* Sizes from the geometry, each with several strides and block sizes. */
static int dcache_points(const struct rc_geometry *given, struct rc_points *points,
                         struct rc_error *err)
{
    static const unsigned beyond[] = {3, 4, 0};
    uint64_t sizes[RC_CACHES_SIZES], most_bytes = rc_buffer_most_bytes();
    const struct rc_geometry geometry = known_geometry(given);
    struct rc_caches caches = rc_caches_of_data(&geometry);
    const char *why = given->l1d.bytes ? NULL : no_cache_sizes;
    size_t count =
        rc_caches_sizes(&caches, beyond, UINT64_C(4) * geometry.line_bytes, sizes);
    uint64_t last_level_bytes = sizes[count - 1] / beyond[1];

    for (size_t i = 0; i < count; i++)
        add_size(points, &geometry, sizes[i], last_level_bytes,
                 why                     ? why
                 : sizes[i] > most_bytes ? not_enough_memory
                                         : NULL);
    add_widths(points);
    return rc_points_check(points, err);
}

/* Share of the accesses to 'point' that miss in the levels up to 'level'. */
static double missed(const struct rc_geometry *given, const struct rc_point *point,
                     size_t level)
{
    const struct rc_geometry geometry = known_geometry(given);
    const struct rc_caches caches = rc_caches_of_data(&geometry);

    return rc_caches_miss_share(&caches, level, (uint64_t)point->axis[AXIS_BYTES],
                                (uint64_t)point->axis[AXIS_STRIDE]);
}

/* A loop that hits in L1I.  Loads alone leave nothing dirty.  Where an access 'writes',
 * it loads from a line and then stores to it: the load finds the line where it is, the
 * store finds it in L1, and every line that leaves a level is dirty.
 */
static struct rc_range expect(const struct rc_geometry *geometry,
                              const struct rc_point *point, enum rc_ideal ideal,
                              bool writes)
{
    const double l1 = missed(geometry, point, 0), l2 = missed(geometry, point, 1),
                 l3 = missed(geometry, point, 2), stores = writes ? 1 : 0;
    const double transactions = l3 * known_geometry(geometry).line_bytes / 64;
    const bool no_l2 = geometry->l1d.bytes && !geometry->l2.bytes,
               no_l3 = geometry->l1d.bytes && !geometry->l3.bytes;
    const double counts[RC_IDEAL_COUNT] = {
        [RC_IDEAL_INS] = 1 + stores + 2.0 / RC_CHASE_UNROLL, /* with the loop's two */
        [RC_IDEAL_LOADS] = 1,
        [RC_IDEAL_STORES] = stores,
        [RC_IDEAL_CE] = 1.0 / RC_CHASE_UNROLL,
        [RC_IDEAL_CR] = 1.0 / RC_CHASE_UNROLL,
        [RC_IDEAL_T] = 1.0 / RC_CHASE_UNROLL,
        [RC_IDEAL_INT_ADD] = 1.0 / RC_CHASE_UNROLL,
        [RC_IDEAL_L1IH] = NAN,
        [RC_IDEAL_CHAIN] = NAN,
        /* 4 for L1, 14 for L2, 50 for L3, 300 for memory: it waits */
        [RC_IDEAL_CYC] = 4 + 10 * l1 + 36 * l2 + 250 * l3,
        [RC_IDEAL_L1DM] = l1,
        [RC_IDEAL_L1DH] = 1 - l1,
        [RC_IDEAL_L2DH] = l1 - l2,
        [RC_IDEAL_L3DH] = l2 - l3,
        [RC_IDEAL_L1DWH] = stores,
        [RC_IDEAL_L1WB] = stores * l1,
        [RC_IDEAL_L2WB] = no_l2 ? 0 : stores * l2,
        [RC_IDEAL_L3WB] = no_l3 ? 0 : stores * l3,
        [RC_IDEAL_MEM_RD] = transactions, /* units of 64 bytes */
        [RC_IDEAL_MEM_WR] = stores * transactions,
    };

    return rc_exactly(counts[ideal]);
}

static struct rc_range read_expect(const struct rc_geometry *geometry,
                                   const struct rc_point *point, enum rc_ideal ideal)
{
    return expect(geometry, point, ideal, false);
}

static struct rc_range write_expect(const struct rc_geometry *geometry,
                                    const struct rc_point *point, enum rc_ideal ideal)
{
    return expect(geometry, point, ideal, true);
}

/* On counters: long enough that starting and stopping them does not show, and
 * every line of a buffer that fits in some cache is visited.
 */
static uint64_t wanted(const struct rc_geometry *geometry, const struct rc_point *point)
{
    uint64_t lines = (uint64_t)(point->axis[AXIS_BYTES] / point->axis[AXIS_STRIDE]);

    if (missed(geometry, point, 0) <= 0)
        return UINT64_C(1) << 20;
    if (missed(geometry, point, 2) > 0 || lines < UINT64_C(1) << 18)
        return UINT64_C(1) << 18;
    return lines;
}

/* A source with a budget may simulate caches that start empty.  128 passes
 * leave less than 1 % of first visits.  Loads that miss all caches miss empty
 * ones too and need not wait; the first lines to be written back do.
 */
static uint64_t wanted_cold(const struct rc_geometry *geometry,
                            const struct rc_point *point, bool writes)
{
    uint64_t lines = (uint64_t)(point->axis[AXIS_BYTES] / point->axis[AXIS_STRIDE]);
    uint64_t count = 128 * lines, least = 8192;

    return count < least || (!writes && missed(geometry, point, 2) > 0) ? least : count;
}

static uint64_t read_iterations(const struct rc_geometry *geometry,
                                const struct rc_point *point, uint64_t budget)
{
    return rc_iterations(rc_range_exact(read_expect(geometry, point, RC_IDEAL_INS)),
                         budget ? wanted_cold(geometry, point, false)
                                : wanted(geometry, point),
                         RC_CHASE_UNROLL, budget);
}

static uint64_t write_iterations(const struct rc_geometry *geometry,
                                 const struct rc_point *point, uint64_t budget)
{
    return rc_iterations(rc_range_exact(write_expect(geometry, point, RC_IDEAL_INS)),
                         budget ? wanted_cold(geometry, point, true)
                                : wanted(geometry, point),
                         RC_CHASE_UNROLL, budget);
}

#if RC_CHASE_WRITTEN

struct rc_kernel {
    struct rc_buffer buffer;
    uint64_t lines, stride, page_bytes; /* stride: bytes from one line to the next */
    struct rc_chase_line *start;        /* where the last run began */
    struct rc_chase_line *next;         /* where the next one will */
    struct rc_chase_line *last;         /* that was written */
    uint64_t ran;                       /* iterations of the last run */
    uint64_t tag;                       /* what the last run wrote, another each time */
    int width;                          /* of every other load, or of the stores */
    uint64_t value;                     /* that was loaded last, of that width */
    bool has_run;
};

static void dcache_teardown(struct rc_kernel *kernel)
{
    if (!kernel)
        return;
    rc_buffer_fini(&kernel->buffer);
    free(kernel);
}

/* Links the lines in an order that depends on the point's name only. */
static int link_lines(struct rc_kernel *kernel, const struct rc_point *point,
                      struct rc_error *err)
{
    uint64_t block_bytes = (uint64_t)point->axis[AXIS_PPB] * kernel->page_bytes;
    uint64_t per_block = block_bytes / kernel->stride;
    uint32_t *order;

    if (per_block > kernel->lines)
        per_block = kernel->lines;
    if (per_block == 0 || per_block > UINT32_MAX)
        return rc_fail(err, RC_EUSAGE, "point '%s': no walk with these parameters",
                       point->name);
    order = rc_calloc(per_block, sizeof *order);
    if (!order)
        return rc_fail(err, RC_ENOMEM, "no memory for the order of %" PRIu64 " lines",
                       per_block);
    kernel->next = rc_chase_link(kernel->buffer.data, kernel->lines, kernel->stride,
                                 per_block, rc_text_hash(point->name), order);
    free(order);
    return RC_OK;
}

/* What fits in a cache starts in it; several passes, because an outer level may
 * take in a line only when it leaves the inner one for the second time.  Larger
 * buffers were linked in the order of the walk, so that its start is what has
 * been out of use for longest.
 */
static void warm_caches(struct rc_kernel *kernel, const struct rc_geometry *known)
{
    uint64_t largest = known->l1d.bytes;

    if (known->l2.bytes > largest)
        largest = known->l2.bytes;
    if (known->l3.bytes > largest)
        largest = known->l3.bytes;
    if (kernel->buffer.bytes > largest)
        return;
    for (uint64_t i = 0; i < WARM_PASSES * kernel->lines; i += RC_CHASE_UNROLL)
        kernel->next = rc_chase_read(kernel->next, 1);
}

/* Links a buffer of the point's size into one cycle and warms the caches. */
static int dcache_setup(const struct rc_geometry *given, const struct rc_point *point,
                        struct rc_kernel **out, struct rc_error *err)
{
    const struct rc_geometry geometry = known_geometry(given);
    int64_t bytes = point->axis[AXIS_BYTES], stride = point->axis[AXIS_STRIDE];
    int64_t width = point->axis[AXIS_WIDTH];
    int status;

    *out = NULL;
    if (bytes <= 0 || stride < (int64_t)sizeof(struct rc_chase_line) ||
        bytes < stride || stride % WIDEST || point->axis[AXIS_PPB] <= 0 || width < 1 ||
        width > WIDEST || (width & (width - 1)))
        return rc_fail(err, RC_EUSAGE, "point '%s': no walk with these parameters",
                       point->name);
    if ((status = rc_kernel_create(point, sizeof **out, out, err)) != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->stride = (uint64_t)stride;
    kernel->lines = (uint64_t)(bytes / stride);
    kernel->width = (int)width;
    kernel->page_bytes = geometry.page_bytes;
    if ((status = rc_buffer_init(&kernel->buffer, (uint64_t)bytes,
                                 geometry.huge_page_bytes, err)) == RC_OK)
        status = link_lines(kernel, point, err);
    if (status == RC_OK) {
        warm_caches(kernel, &geometry);
    } else {
        dcache_teardown(kernel);
        *out = NULL;
    }
    return status;
}

/* Counts are those of expect() for multiples of RC_CHASE_UNROLL. */
static void read_run(struct rc_kernel *kernel, uint64_t iterations)
{
    struct rc_chase_line *line = kernel->next;

    kernel->start = line;
    if (iterations >= RC_CHASE_UNROLL && kernel->width == POINTER)
        line = rc_chase_read(line, iterations / RC_CHASE_UNROLL);
    else if (iterations >= RC_CHASE_UNROLL)
        line = rc_chase_read_wide(line, iterations / RC_CHASE_UNROLL, kernel->width,
                                  &kernel->value);
    for (uint64_t i = iterations % RC_CHASE_UNROLL; i; i--)
        line = *(struct rc_chase_line *volatile *)&line->next;
    kernel->next = line;
    kernel->ran = iterations;
    kernel->has_run = iterations > 0;
}

/* The first 'width' bytes of a number, which are its lowest. */
static uint64_t lowest(uint64_t value, int width)
{
    return width < POINTER ? value & ((UINT64_C(1) << 8 * width) - 1) : value;
}

/* What the last run left in its lines. */
static uint64_t written_by(const struct rc_kernel *kernel)
{
    return lowest(kernel->tag, kernel->width);
}

static void write_run(struct rc_kernel *kernel, uint64_t iterations)
{
    struct rc_chase_line *line = kernel->next;

    kernel->start = line;
    kernel->tag++;
    if (iterations / RC_CHASE_UNROLL)
        line = rc_chase_write(line, iterations / RC_CHASE_UNROLL, kernel->width,
                              kernel->tag, &kernel->last);
    for (uint64_t i = iterations % RC_CHASE_UNROLL; i; i--) {
        kernel->last = line;
        line = *(struct rc_chase_line *volatile *)&line->next;
        *(volatile uint64_t *)&kernel->last->written[0] = written_by(kernel);
    }
    kernel->next = line;
    kernel->ran = iterations;
    kernel->has_run = iterations > 0;
}

/* The lines know their places in the cycle, so how far the walk came can be
 * seen without walking it again, which would move the caches' contents.
 */
static int walk_verify(const struct rc_kernel *kernel, uint64_t iterations,
                       uint64_t steps, struct rc_error *err)
{
    if (!kernel->has_run)
        return rc_fail(err, RC_ECONFLICT, "the pointer chase never ran");
    if (kernel->ran != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "the pointer chase made %" PRIu64 " accesses, not %" PRIu64,
                       kernel->ran, iterations);
    uint64_t came = (kernel->next->position + kernel->lines - kernel->start->position) %
                    kernel->lines;
    if (came != steps % kernel->lines)
        return rc_fail(err, RC_ECONFLICT,
                       "the pointer chase advanced by %" PRIu64 " lines, not %" PRIu64,
                       came, steps % kernel->lines);
    return RC_OK;
}

/* Every other load of another width is no step; the last one loaded a part of the
 * address of the line that would be next.
 */
static int read_verify(const struct rc_kernel *kernel, uint64_t iterations,
                       struct rc_error *err)
{
    const uint64_t rest = iterations % RC_CHASE_UNROLL;
    const bool wide = kernel->width != POINTER;
    const int status = walk_verify(
        kernel, iterations, wide ? (iterations - rest) / 2 + rest : iterations, err);

    if (status == RC_OK && wide && rest == 0 &&
        kernel->value != lowest((uint64_t)(uintptr_t)kernel->next, kernel->width))
        return rc_fail(err, RC_ECONFLICT,
                       "the pointer chase did not load the first bytes of its lines");
    return status;
}

/* More lines than this are not counted, so that caches stay as they are. */
#define COUNTED_LINES 4096

/* Besides the walk, as many lines as were visited must hold the tag of this run. */
static int write_verify(const struct rc_kernel *kernel, uint64_t iterations,
                        struct rc_error *err)
{
    uint64_t expected = iterations < kernel->lines ? iterations : kernel->lines;
    uint64_t written = 0;
    const uint64_t left = written_by(kernel);
    int status = walk_verify(kernel, iterations, iterations, err);

    if (status != RC_OK)
        return status;
    if (kernel->last->next != kernel->next || kernel->last->written[0] != left ||
        kernel->start->written[0] != left)
        return rc_fail(err, RC_ECONFLICT, "the pointer chase did not write its lines");
    if (kernel->lines > COUNTED_LINES)
        return RC_OK;
    for (uint64_t i = 0; i < kernel->lines; i++) {
        const char *at = (const char *)kernel->buffer.data + i * kernel->stride;
        written += ((const struct rc_chase_line *)at)->written[0] == left;
    }
    if (written != expected)
        return rc_fail(err, RC_ECONFLICT,
                       "the pointer chase wrote %" PRIu64 " lines, not %" PRIu64,
                       written, expected);
    return RC_OK;
}

static const char *dcache_note(const struct rc_kernel *kernel)
{
    if (kernel->buffer.bytes <= kernel->page_bytes ||
        rc_buffer_is_huge(&kernel->buffer))
        return NULL;
    return "not in huge pages: physical pages may fill the sets of the caches unevenly";
}

#define RUNS_BY(way)                                                                   \
    .setup = dcache_setup, .run = way##_run, .verify = way##_verify,                   \
    .teardown = dcache_teardown, .note = dcache_note,
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
    .points = dcache_points,
    .expect = read_expect,
    .iterations = read_iterations,
    RUNS_BY(read)};

extern const struct rc_suite rc_suite_dcache_write;
const struct rc_suite rc_suite_dcache_write = {
    .name = "dcache-write",
    .summary =
        "pointer chase through the data caches: each line is loaded and stored to",
    .footprint = RC_FOOTPRINT_MEMORY,
    .ideals = write_ideals,
    .ideal_count = sizeof write_ideals / sizeof write_ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = no_loops,
    .points = dcache_points,
    .expect = write_expect,
    .iterations = write_iterations,
    RUNS_BY(write)};
