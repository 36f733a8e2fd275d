/* The suite 'stream': bandwidth of a core, level by level, by loops that a compiler made.
 *
 * An iteration is one pass over the arrays of a worker, which are the worker's own.
 */
#include "kernels/stream/stream.h"

#include "campaign/base/text.h"
#include "kernels/axes.h"
#include "kernels/buffer.h"
#include "kernels/caches.h"
#include "kernels/kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The axes that users choose, then two that follow from these. */
enum { AXIS_KERNEL, AXIS_BYTES, AXIS_WORKERS, AXIS_STORE, AXIS_COUNT };
enum { AXIS_LEVEL = AXIS_COUNT, AXIS_CACHE, SIZES_MOST = 64 };

static const char *const kernel_names[] = {"copy", "scale", "sum",    "triad",
                                           "read", "write", "update", NULL};
static const char *const store_names[] = {"plain", "streaming", NULL};

/* The least size that holds a block of three arrays, and the largest cache that is
 * believed: a simulated machine may state any size.
 */
#define BYTES_LEAST (INT64_C(3) * 8 * RC_STREAM_BLOCK)
#define CACHE_MOST (INT64_C(1) << 40)

static const struct rc_axis chosen[] = {
    [AXIS_KERNEL] = {.name = "kernel",
                     .unit = "",
                     .words = kernel_names,
                     .standard = "copy,scale,sum,triad,read,write,update",
                     .summary = "the loop"},
    [AXIS_BYTES] = {.name = "bytes",
                    .unit = "bytes",
                    .least = BYTES_LEAST,
                    .most = INT64_C(1) << 50,
                    .summary = "all arrays of a worker together; from a quarter of L1 "
                               "to four times the last cache"},
    [AXIS_WORKERS] = {.name = "workers",
                      .unit = "",
                      .least = 1,
                      .most = 1 << 20,
                      .summary =
                          "ranks of a node, each with arrays of its own; 1 and all"},
    [AXIS_STORE] = {.name = "store",
                    .unit = "",
                    .words = store_names,
                    .standard = "plain,streaming",
                    .summary =
                        "how results are stored: through the caches, or past them"},
    [AXIS_COUNT] = {.name = NULL},
};

static const char *const axes[] = {"kernel", "bytes", "workers", "store",
                                   "level",  "cache", NULL};

/* A loop's arrays, and the loads, stores and operations of one element. */
static const struct {
    unsigned arrays, loads, stores, operations;
} shape[RC_STREAM_KERNELS] = {
    [RC_STREAM_COPY] = {2, 1, 1, 0},   [RC_STREAM_SCALE] = {2, 1, 1, 1},
    [RC_STREAM_SUM] = {3, 2, 1, 1},    [RC_STREAM_TRIAD] = {3, 2, 1, 2},
    [RC_STREAM_READ] = {1, 1, 0, 1},   [RC_STREAM_WRITE] = {1, 0, 1, 0},
    [RC_STREAM_UPDATE] = {1, 1, 1, 1},
};

#define ONE UINT64_C(0x3ff0000000000000)         /* the bits of 1.0 */
#define UPDATE_SCALE (ONE + (UINT64_C(1) << 22)) /* of 1 + 2^-30 */
#define POISON UINT64_C(0xbff0000000000000)      /* of -1.0, a result before the run */

struct rc_kernel {
    char name[sizeof((struct rc_point *)0)->name]; /* the point's, for messages */
    enum rc_stream_kernel kernel;
    rc_stream_loop *loop, *fill; /* the point's, and 'write' with its kind of stores */
    struct rc_stream_work work;
    struct rc_buffer buffer; /* a, b and c, each where the one before ends */
    uint64_t page_bytes;
    double whole;           /* the sum over one pass of 'read' */
    uint64_t earlier, last; /* passes since prepare(): before and in the last run */
};

static enum rc_stream_kernel kernel_of(const struct rc_point *point)
{
    return (enum rc_stream_kernel)point->axis[AXIS_KERNEL];
}

static size_t elements_of(const struct rc_point *point)
{
    const uint64_t each =
        (uint64_t)point->axis[AXIS_BYTES] / shape[kernel_of(point)].arrays / 8;

    return each / RC_STREAM_BLOCK * RC_STREAM_BLOCK;
}

const struct rc_stream_loops *
rc_stream_loops_for(const struct rc_suite_request *request)
{
#if defined(__x86_64__) && defined(RC_STREAM_WIDE)
    const struct rc_geometry *geometry = &request->geometry;

    if (geometry->vector_bits >= 512 && __builtin_cpu_supports("avx512f"))
        return &rc_stream_loops_512;
    if (geometry->vector_bits >= 256 && geometry->fma &&
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &rc_stream_loops_256;
#endif
    (void)request;
    return &rc_stream_loops_128;
}

static const char *stream_made_by(const struct rc_suite_request *request)
{
    return rc_stream_loops_for(request)->made_by;
}

/* Ascending sizes, each once. */
struct sizes {
    int64_t size[SIZES_MOST];
    size_t count;
};

static void put_size(struct sizes *sizes, int64_t bytes)
{
    const int64_t whole = bytes / 1024 * 1024;
    size_t at = 0;

    if (whole < BYTES_LEAST || sizes->count == SIZES_MOST)
        return;
    while (at < sizes->count && sizes->size[at] < whole)
        at++;
    if (at < sizes->count && sizes->size[at] == whole)
        return;
    memmove(&sizes->size[at + 1], &sizes->size[at],
            (sizes->count - at) * sizeof sizes->size[0]);
    sizes->size[at] = whole;
    sizes->count++;
}

/* Whether a size is there that differs by an eighth at most. */
static bool has_near(const struct sizes *sizes, int64_t bytes)
{
    for (size_t i = 0; i < sizes->count; i++)
        if (llabs(sizes->size[i] - bytes) <= bytes / 8)
            return true;
    return false;
}

/* From a quarter of L1 to four times the last cache by factors of 2, and the half and
 * three quarters of each level.
 */
static void usual_sizes(const struct rc_geometry *geometry, struct sizes *sizes)
{
    struct rc_caches caches = rc_caches_of_data(geometry);
    int64_t level[RC_CACHES_MAX] = {0}, last = 0;

    if (caches.count == 0)
        caches = rc_caches_of_data(&rc_request_default.geometry);
    for (size_t i = 0; i < caches.count; i++) {
        const uint64_t bytes = caches.level[i].bytes;
        level[i] = bytes < CACHE_MOST ? (int64_t)bytes : CACHE_MOST;
        last = level[i] > last ? level[i] : last;
    }
    for (int64_t bytes = level[0] < 8192 ? 2048 : level[0] / 4; bytes < 4 * last;
         bytes *= 2)
        put_size(sizes, bytes);
    put_size(sizes, 4 * last);
    for (size_t i = 0; i < caches.count; i++)
        for (int quarters = 2; quarters <= 3; quarters++)
            if (!has_near(sizes, level[i] * quarters / 4))
                put_size(sizes, level[i] * quarters / 4);
}

/* Stores that go past the caches are for arrays that the loop does not read. */
static bool exists(int64_t kernel, int64_t store)
{
    return store == RC_STREAM_PLAIN ||
           (kernel != RC_STREAM_READ && kernel != RC_STREAM_UPDATE);
}

/* The first cache that holds the arrays of a worker, from 1 on, and its bytes: of the L3
 * those that are left to each of the workers that share it.  Memory is the level after the
 * last cache, and has 0.
 */
static void put_level(const struct rc_geometry *geometry, int64_t *axis)
{
    const struct rc_caches caches = rc_caches_of_data(geometry);
    const int64_t most = geometry->l3_cores, workers = axis[AXIS_WORKERS],
                  sharing = most && workers > most ? most : workers;

    axis[AXIS_LEVEL] = 1;
    for (size_t i = 0; i < caches.count; i++) {
        const int64_t bytes = (int64_t)fmin((double)caches.level[i].bytes, CACHE_MOST) /
                              (i == RC_CACHES_MAX - 1 ? sharing : 1);
        if (bytes >= axis[AXIS_BYTES]) {
            axis[AXIS_CACHE] = bytes;
            return;
        }
        axis[AXIS_LEVEL] += bytes > 0;
    }
}

static void add_point(const struct rc_suite_request *request, struct rc_points *points,
                      int64_t kernel, int64_t bytes, int64_t workers, int64_t store)
{
    struct rc_point point = {.axis = {kernel, bytes, workers, store},
                             .workers = (uint32_t)workers};
    char size[RC_CACHES_BYTES_TEXT];

    put_level(&request->geometry, point.axis);
    rc_caches_put_bytes(size, (uint64_t)bytes);
    (void)snprintf(point.name, sizeof point.name, "%s-%s-w%" PRId64 "-%s",
                   kernel_names[kernel], size, workers, store_names[store]);
    if (!rc_stream_loops_for(request)->loop[kernel][store])
        point.unusable = "the compiler has no streaming stores for this processor";
    rc_points_add(points, &point);
}

/* The values of the axes, as the user or the suite chose them. */
struct wishes {
    struct rc_axis_values of[AXIS_COUNT];
    struct sizes sizes; /* where the user did not choose 'bytes' */
};

/* More memory than the node has, or no kernel that can have such
 * stores.
 */
static int check_wishes(const struct wishes *wishes, struct rc_error *err)
{
    const struct rc_axis_values *bytes = &wishes->of[AXIS_BYTES],
                                *workers = &wishes->of[AXIS_WORKERS],
                                *kernels = &wishes->of[AXIS_KERNEL],
                                *stores = &wishes->of[AXIS_STORE];
    const uint64_t memory = 2 * rc_buffer_most_bytes();
    char asked[RC_TEXT_SHORT], there[RC_TEXT_SHORT];
    int64_t largest = 0, most = 1;
    bool any = false;

    for (size_t i = 0; i < bytes->count; i++)
        largest = bytes->value[i] > largest ? bytes->value[i] : largest;
    for (size_t i = 0; i < workers->count; i++)
        most = workers->value[i] > most ? workers->value[i] : most;
    if ((uint64_t)largest > memory / (uint64_t)most)
        return rc_fail(err, RC_EUSAGE,
                       "suite 'stream': axis 'bytes': %s for each of %" PRId64
                       " workers, expected at most %s in all: the memory of this node",
                       rc_text_put_size(asked, (uint64_t)largest), most,
                       rc_text_put_size(there, memory));
    for (size_t k = 0; k < kernels->count; k++)
        for (size_t s = 0; s < stores->count; s++)
            any |= exists(kernels->value[k], stores->value[s]);
    return any ? RC_OK
               : rc_fail(err, RC_EUSAGE,
                         "suite 'stream': axis 'store': 'read' and 'update' have no "
                         "streaming stores, expected plain ones or another kernel");
}

static void add_points(const struct rc_suite_request *request,
                       const struct wishes *wishes, struct rc_points *points)
{
    const struct rc_axis_values *of = wishes->of;
    const uint64_t quarter = rc_buffer_most_bytes() / 2;

    for (size_t k = 0; k < of[AXIS_KERNEL].count; k++)
        for (size_t s = 0; s < of[AXIS_STORE].count; s++)
            for (size_t w = 0; w < of[AXIS_WORKERS].count; w++) {
                const int64_t kernel = of[AXIS_KERNEL].value[k],
                              store = of[AXIS_STORE].value[s],
                              workers = of[AXIS_WORKERS].value[w];
                if (!exists(kernel, store))
                    continue;
                for (size_t i = 0; i < of[AXIS_BYTES].count; i++)
                    add_point(request, points, kernel, of[AXIS_BYTES].value[i], workers,
                              store);
                for (size_t i = 0; !of[AXIS_BYTES].count && i < wishes->sizes.count;
                     i++)
                    if ((uint64_t)wishes->sizes.size[i] <= quarter / (uint64_t)workers)
                        add_point(request, points, kernel, wishes->sizes.size[i],
                                  workers, store);
            }
}

static int stream_points(const struct rc_suite_request *request,
                         struct rc_points *points, struct rc_error *err)
{
    int64_t usual_workers[] = {1, request->workers};
    struct wishes wishes = {.sizes = {.count = 0}};
    struct rc_axis_values *workers = &wishes.of[AXIS_WORKERS];
    int status = RC_OK;

    for (size_t i = 0; i < AXIS_COUNT && status == RC_OK; i++)
        status = rc_axis_chosen(request, &chosen[i], &wishes.of[i], err);
    usual_sizes(&request->geometry, &wishes.sizes);
    const bool usual = workers->count == 0;
    if (usual)
        *workers = (struct rc_axis_values){usual_workers, request->workers > 1 ? 2 : 1};
    if (status == RC_OK)
        status = check_wishes(&wishes, err);
    if (status == RC_OK)
        add_points(request, &wishes, points);
    if (usual)
        *workers = (struct rc_axis_values){NULL, 0};
    for (size_t i = 0; i < AXIS_COUNT; i++)
        rc_axis_values_fini(&wishes.of[i]);
    return status == RC_OK ? rc_points_check(points, err) : status;
}

static struct rc_range stream_expect(const struct rc_suite_request *request,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    const enum rc_stream_kernel kernel = kernel_of(point);
    const double array = 8 * (double)elements_of(point),
                 named = array * (shape[kernel].loads + shape[kernel].stores);

    (void)request;
    switch (ideal) {
    case RC_IDEAL_B_STREAM:
        return rc_exactly(named);
    case RC_IDEAL_B_ALLOC: /* 'update' has read the lines that it writes */
        return rc_exactly(named + (point->axis[AXIS_STORE] == RC_STREAM_PLAIN &&
                                           shape[kernel].stores &&
                                           kernel != RC_STREAM_UPDATE
                                       ? array
                                       : 0));
    case RC_IDEAL_B_ONCE:
        return rc_exactly(kernel == RC_STREAM_COPY ? array : named);
    case RC_IDEAL_OPS_USEFUL:
        return rc_exactly(array / 8 * shape[kernel].operations);
    default:
        return rc_unknown();
    }
}

/* An upper bound: four instructions for each vector of the result beside its loads and
 * stores.
 */
static double instructions_of(const struct rc_suite_request *request,
                              const struct rc_point *point)
{
    const double vectors =
        (double)elements_of(point) * 64 / rc_stream_loops_for(request)->vector_bits;

    return vectors * (shape[kernel_of(point)].arrays + 4) + 16;
}

/* Bytes of one reading, so that it takes 2 to 10 ms: by the rate of the level that the
 * arrays fit into, as it is on processors of the last ten years.
 */
static double reading_bytes(const struct rc_geometry *geometry, double bytes)
{
    if (bytes <= (double)geometry->l1d.bytes)
        return 600e6;
    return bytes <= (double)geometry->l2.bytes ? 250e6 : 80e6;
}

static uint64_t stream_iterations(const struct rc_suite_request *request,
                                  const struct rc_point *point, uint64_t budget)
{
    const double each = stream_expect(request, point, RC_IDEAL_B_STREAM).high,
                 bytes = (double)point->axis[AXIS_BYTES],
                 wanted = reading_bytes(&request->geometry, bytes) / each;

    return rc_iterations(instructions_of(request, point), (uint64_t)fmax(wanted, 1), 1,
                         budget);
}

/* 1, 2, 4, ..., 128: sums and products of them with s are exact.  Without a period that
 * would hide a wrong stride; another one for each array.
 */
static double pattern(size_t i, uint64_t array)
{
    const uint64_t mixed = (i + array * 0x10001) * UINT64_C(0x9e3779b97f4a7c15);

    return (double)(UINT64_C(1) << (mixed >> 40 & 7));
}

static void fill(double *array, size_t elements, uint64_t number)
{
    for (size_t i = 0; i < elements; i++)
        array[i] = pattern(i, number);
}

/* Reads an array into the caches. */
static void touch(const double *array, size_t elements)
{
    const volatile double *at = array;

    for (size_t i = 0; at && i < elements; i += 8)
        (void)at[i];
}

/* The arrays are in the caches as a pass leaves them, as far as they fit; the result is
 * none of a run.
 */
static void stream_prepare(struct rc_kernel *kernel)
{
    struct rc_stream_work *work = &kernel->work;

    if (kernel->fill) {
        work->scale_bits = POISON;
        kernel->fill(work, 1);
    } else
        fill(work->a, work->elements, 0);
    touch(work->b, work->elements);
    touch(work->c, work->elements);
    work->scale_bits = kernel->kernel == RC_STREAM_UPDATE ? UPDATE_SCALE : ONE;
    kernel->earlier = kernel->last = 0;
}

static int stream_setup(const struct rc_suite_request *request,
                        const struct rc_point *point, struct rc_kernel **out,
                        struct rc_error *err)
{
    const struct rc_stream_loops *loops = rc_stream_loops_for(request);
    const enum rc_stream_kernel which = kernel_of(point);
    const size_t elements = elements_of(point), arrays = shape[which].arrays;
    const int64_t store = point->axis[AXIS_STORE];
    struct rc_kernel *kernel;
    int status = rc_kernel_create(point, sizeof *kernel, out, err);

    if (status != RC_OK)
        return status;
    kernel = *out;
    (void)snprintf(kernel->name, sizeof kernel->name, "%s", point->name);
    kernel->kernel = which;
    kernel->loop = loops->loop[which][store];
    kernel->fill =
        exists(which, RC_STREAM_STREAMING) ? loops->loop[RC_STREAM_WRITE][store] : NULL;
    kernel->page_bytes = request->geometry.page_bytes;
    status = rc_buffer_init(&kernel->buffer, 8 * elements * arrays,
                            request->geometry.huge_page_bytes, err);
    if (status != RC_OK) {
        rc_error_prefix(err, "point '%s': ", point->name);
        free(kernel);
        *out = NULL;
        return status;
    }
    double *const first = kernel->buffer.data;
    kernel->work =
        (struct rc_stream_work){.a = first,
                                .b = arrays > 1 ? first + elements : NULL,
                                .c = arrays > 2 ? first + 2 * elements : NULL,
                                .elements = elements};
    for (size_t i = 0; i < arrays; i++)
        fill(first + i * elements, elements, i);
    for (size_t i = 0; i < elements; i++)
        kernel->whole += first[i];
    stream_prepare(kernel);
    return RC_OK;
}

static void stream_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->earlier += kernel->last;
    kernel->last = kernel->loop(&kernel->work, iterations);
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Element i of a after the last pass, in which s was 'scale'. */
static double result_of(enum rc_stream_kernel kernel, double scale, size_t i)
{
    switch (kernel) {
    case RC_STREAM_COPY:
        return pattern(i, 1);
    case RC_STREAM_SCALE:
        return scale * pattern(i, 1);
    case RC_STREAM_SUM:
        return pattern(i, 1) + pattern(i, 2);
    case RC_STREAM_TRIAD:
        return pattern(i, 1) + scale * pattern(i, 2);
    case RC_STREAM_WRITE:
        return scale;
    case RC_STREAM_UPDATE:
        return scale * pattern(i, 0);
    default:
        return pattern(i, 0);
    }
}

/* s of the last of so many passes; of 'update' the product of all of them, rounded as
 * often as its elements are, which are powers of two.
 */
static double scale_of(enum rc_stream_kernel kernel, uint64_t passes)
{
    double product = 1;

    if (kernel != RC_STREAM_UPDATE)
        return double_of(ONE + (passes - 1) * RC_STREAM_STEP);
    for (uint64_t i = 0; i < passes; i++)
        product *= double_of(UPDATE_SCALE);
    return product;
}

static int stream_verify(const struct rc_kernel *kernel, uint64_t iterations,
                         struct rc_error *err)
{
    const struct rc_stream_work *work = &kernel->work;

    if (iterations == 0 || kernel->last != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "point '%s': %" PRIu64 " passes, expected %" PRIu64,
                       kernel->name, kernel->last, iterations);
    if (kernel->kernel == RC_STREAM_READ &&
        work->sum != (double)iterations * kernel->whole)
        return rc_fail(err, RC_ECONFLICT,
                       "point '%s': the sum is %.17g, expected %.17g", kernel->name,
                       work->sum, (double)iterations * kernel->whole);
    const double scale = scale_of(kernel->kernel, kernel->earlier + iterations);
    for (size_t i = 0; i < work->elements; i++)
        if (work->a[i] != result_of(kernel->kernel, scale, i))
            return rc_fail(
                err, RC_ECONFLICT, "point '%s': element %zu is %.17g, expected %.17g",
                kernel->name, i, work->a[i], result_of(kernel->kernel, scale, i));
    return RC_OK;
}

static void stream_teardown(struct rc_kernel *kernel)
{
    if (kernel)
        rc_buffer_fini(&kernel->buffer);
    free(kernel);
}

static const char *stream_note(const struct rc_kernel *kernel)
{
    if (kernel->buffer.bytes <= kernel->page_bytes ||
        rc_buffer_is_huge(&kernel->buffer))
        return NULL;
    return "not in huge pages: physical pages may fill the sets of the caches unevenly";
}

struct rc_stream_work *rc_stream_work_of(struct rc_kernel *kernel)
{
    return &kernel->work;
}

const struct rc_suite rc_suite_stream = {
    .name = "stream",
    .summary = "copy, scale, sum, triad, read, write, update: bandwidth level by level",
    .footprint = RC_FOOTPRINT_MEMORY,
    .axes = axes,
    .chosen = chosen,
    .team = true,
    .made_by = stream_made_by,
    .points = stream_points,
    .expect = stream_expect,
    .iterations = stream_iterations,
    .setup = stream_setup,
    .prepare = stream_prepare,
    .run = stream_run,
    .verify = stream_verify,
    .teardown = stream_teardown,
    .note = stream_note,
};
