/* The suite 'resort': the re-sorts of a distributed 3D-FFT on arrays that no cache
 * holds, and their memory traffic.
 *
 * An iteration is one re-sort.  Its transactions follow from the order of its loops as
 * long as the data that it uses again are still in a cache, or surely are not; points
 * are chosen so, and the transactions of others are not known.  docs/kernels-resort.md.
 */
#include "kernels/buffer.h"
#include "kernels/kernel.h"
#include "kernels/resort/resort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXIS_RESORT, AXIS_A, AXIS_B, AXIS_C, AXIS_PARTS, AXIS_BYTES };

static const char *const axes[] = {"resort", "a", "b", "c", "parts", "bytes", NULL};
static const enum rc_ideal ideals[] = {RC_IDEAL_MEM_RD, RC_IDEAL_MEM_WR};

#define LINE 64
#define CACHE_MAX                                                                      \
    ((uint64_t)1 << 29)       /* bytes: larger caches do not make arrays larger        \
                               */
#define READING_ELEMENTS 20e6 /* in one reading on counters */

struct rc_kernel {
    char name[sizeof((struct rc_point *)0)->name]; /* the point's, for messages */
    enum rc_resort which;
    enum rc_resort_body body;
    size_t extent[3], parts, element;
    struct rc_buffer in, out;
    struct rc_resort_work work;
    uint64_t earlier, last; /* iterations since prepare(): before and in the last run */
    bool ran;
};

/* The least odd number of groups of 'each' that hold 'count'. */
static size_t odd_up(size_t count, size_t each)
{
    return ((count + each - 1) / each) | 1;
}

/* The cache next to memory. */
static struct rc_cache_geometry last_level(const struct rc_geometry *geometry)
{
    return geometry->l3.bytes   ? geometry->l3
           : geometry->l2.bytes ? geometry->l2
                                : geometry->l1d;
}

static void add_point(struct rc_points *points, enum rc_resort which,
                      const char *suffix, const size_t extent[3], size_t parts,
                      size_t element)
{
    struct rc_point point = {.axis = {which, (int64_t)extent[0], (int64_t)extent[1],
                                      (int64_t)extent[2], (int64_t)parts,
                                      (int64_t)element}};

    (void)snprintf(point.name, sizeof point.name, "%s%s-%zux%zux%zu-%zu",
                   rc_resort_name(which), suffix, extent[0], extent[1], extent[2],
                   element);
    rc_points_add(points, &point);
}

/* Adds the points of one element size.  Each row has an odd number of lines and at
 * least 16 elements, so that there are tiles and rests of them; an odd number of rows
 * lies beside each other: no two rows that are used together share more sets of a cache
 * than others do.
 */
static void add_of_element(struct rc_points *points, uint64_t bytes, uint64_t cache,
                           size_t element)
{
    const size_t each = LINE / element; /* elements of a line */
    const size_t count = bytes / element;
    size_t side = each * (4 / (each / 4) + 1); /* 20 and 24 */

    while ((side + 2 * each) * (side + 2 * each) * (side + 2 * each) <= count)
        side += 2 * each;
    const size_t planes = odd_up(count, side * side);
    const size_t even[3] = {planes, side, side}, turned[3] = {side, planes, side};
    /* All rows of a column of lines, and the elements written from them, outgrow the
     * cache before the next column begins.
     */
    const size_t rows = 3 * cache / 2 / (LINE + element);
    const size_t tall[3] = {odd_up(rows, side), side, 2 * each};
    const size_t halves[3] = {odd_up(count, 2 * side * side), side, 2 * side};
    const size_t quarters[3] = {odd_up(count, 4 * side * side), side, 4 * side};

    add_point(points, RC_RESORT_S1CF_NEST1, "", even, 1, element);
    add_point(points, RC_RESORT_S1CF_NEST2, "", even, 1, element);
    add_point(points, RC_RESORT_S1CF_NEST2, "-tall", tall, 1, element);
    add_point(points, RC_RESORT_COMBINED, "", even, 1, element);
    add_point(points, RC_RESORT_TILED, "", even, 1, element);
    add_point(points, RC_RESORT_TILED_NT, "", even, 1, element);
    add_point(points, RC_RESORT_S2CF, "", quarters, 4, element);
    add_point(points, RC_RESORT_S1PF, "", turned, 1, element);
    add_point(points, RC_RESORT_S2PF, "", halves, 2, element);
    add_point(points, RC_RESORT_S2CF_NT, "", quarters, 4, element);
    add_point(points, RC_RESORT_S2PF_NT, "", halves, 2, element);
}

/* Arrays take one and a half times the last cache: no iteration finds data there. */
static int resort_points(const struct rc_suite_request *request,
                         struct rc_points *points, struct rc_error *err)
{
    const uint64_t last = last_level(&request->geometry).bytes;
    const uint64_t cache = last < CACHE_MAX ? last : CACHE_MAX;

    add_of_element(points, cache / 2 * 3, cache, 16);
    add_of_element(points, cache / 2 * 3, cache, 8);
    return rc_points_check(points, err);
}

/* Stands for arrays where nests are only counted. */
static unsigned char nowhere[1];

/* Takes the parameters of a point, and makes its nests from 'in' to 'out'. */
static void take_point(const struct rc_point *point, const void *in, void *out,
                       struct rc_kernel *kernel)
{
    kernel->which = (enum rc_resort)point->axis[AXIS_RESORT];
    kernel->parts = (size_t)point->axis[AXIS_PARTS];
    kernel->element = (size_t)point->axis[AXIS_BYTES];
    for (unsigned i = 0; i < 3; i++)
        kernel->extent[i] = (size_t)point->axis[AXIS_A + i];
    kernel->body = rc_resort_body(kernel->which, kernel->element);
    rc_resort_nests(kernel->which, false, out, in, kernel->extent, kernel->parts,
                    kernel->element, &kernel->work);
}

static size_t elements(const struct rc_kernel *kernel)
{
    return kernel->extent[0] * kernel->extent[1] * kernel->extent[2];
}

static double sum(const struct rc_resort_shape *shape, unsigned element, unsigned loop,
                  unsigned nest, unsigned iteration)
{
    return (double)element * (double)shape->elements +
           (double)loop * (double)shape->loops + (double)nest * (double)shape->nests +
           iteration;
}

/* Times that a line of 'in' is read.  A line that the next pass of an outer loop uses
 * again is still in the cache where the data used in between take at most half of it,
 * and is not where they take at least a quarter more than all of it; else NAN.
 */
static double reads_of_in(const struct rc_kernel *kernel, double cache)
{
    const double a = (double)kernel->extent[0], b = (double)kernel->extent[1],
                 c = (double)kernel->extent[2], e = (double)kernel->element;
    double between = 0;

    switch (kernel->which) {
    case RC_RESORT_S1CF_NEST2: /* a column of lines, and the elements written from it */
        between = a * b * (LINE + e);
        break;
    case RC_RESORT_COMBINED: /* lines that are written, and a row that is read */
    case RC_RESORT_S1PF:
        between = c * (LINE + e);
        break;
    case RC_RESORT_TILED:
    case RC_RESORT_TILED_NT:
        between = 2 * 16 * 16 * e;
        break;
    default:
        break;
    }
    if (between <= cache / 2)
        return 1;
    return kernel->which == RC_RESORT_S1CF_NEST2 && between >= cache / 4 * 5 ? LINE / e
                                                                             : NAN;
}

static double transactions(const struct rc_geometry *geometry,
                           const struct rc_kernel *kernel, bool reads)
{
    const struct rc_cache_geometry last = last_level(geometry);
    const struct rc_resort_shape shape = rc_resort_shape(&kernel->work);
    /* The list of nests, too, has left the caches when it is read again. */
    const double list = (double)((shape.nests + 1) * sizeof(struct rc_resort_nest));
    const double bytes = (double)kernel->element * (double)elements(kernel);
    const double cache = (double)last.bytes, of_in = reads_of_in(kernel, cache);
    const bool streams =
        kernel->body == RC_RESORT_8_NT || kernel->body == RC_RESORT_16_NT;

    if (geometry->line_bytes != LINE || (last.ways && last.ways < 8) ||
        bytes < cache / 4 * 5 || isnan(of_in))
        return NAN;
    return bytes / LINE * (reads ? of_in + !streams : 1) + (reads ? list / LINE : 0);
}

static struct rc_range resort_expect(const struct rc_suite_request *request,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    struct rc_kernel kernel;

    take_point(point, nowhere, nowhere, &kernel);
    const struct rc_resort_shape shape = rc_resort_shape(&kernel.work);
    const struct rc_resort_cost *e = &rc_resort_element, *l = &rc_resort_loop,
                                *n = &rc_resort_nest_cost, *i = &rc_resort_iteration;
    if (ideal == RC_IDEAL_MEM_RD || ideal == RC_IDEAL_MEM_WR)
        return rc_exactly(
            transactions(&request->geometry, &kernel, ideal == RC_IDEAL_MEM_RD));
    if (!rc_ideal_exact(ideal) && !e->all)
        return rc_unknown();
    const double counts[RC_IDEAL_COUNT] = {
        [RC_IDEAL_INS] = e->all ? sum(&shape, e->all, l->all, n->all, i->all) : NAN,
        [RC_IDEAL_LOADS] = sum(&shape, e->loads, l->loads, n->loads, i->loads),
        [RC_IDEAL_STORES] = sum(&shape, e->stores, l->stores, n->stores, i->stores),
        [RC_IDEAL_INT_ADD] =
            sum(&shape, e->additions, l->additions, n->additions, i->additions),
        [RC_IDEAL_INT_MOV] = sum(&shape, e->moves, l->moves, n->moves, i->moves),
        /* one at the end of each loop, of the list, and of the iteration */
        [RC_IDEAL_CR] = sum(&shape, 1, 1, 1, 1),
        [RC_IDEAL_T] = (double)shape.elements, /* each entrance falls through once */
        [RC_IDEAL_M] = NAN,
    };
    return rc_expect_missing(&request->geometry, counts,
                             rc_misses_of(&request->geometry, INFINITY, INFINITY),
                             ideal);
}

static uint64_t resort_iterations(const struct rc_suite_request *request,
                                  const struct rc_point *point, uint64_t budget)
{
    const double each = rc_range_exact(resort_expect(request, point, RC_IDEAL_INS));
    struct rc_kernel kernel;

    take_point(point, nowhere, nowhere, &kernel);
    const double wanted = READING_ELEMENTS / (double)elements(&kernel);
    if (isnan(each))
        return 1;
    return rc_iterations(each,
                         wanted < 1     ? 1
                         : wanted > 100 ? 100
                                        : (uint64_t)wanted,
                         1, budget);
}

static const char *resort_usable(void)
{
    return rc_resort_loops[0] ? NULL : "no assembly was written for this processor";
}

/* Word 'word' of element 'i' of the input.  The very first word counts iterations: it
 * is raised before each, and goes where its element goes.
 */
static uint64_t pattern(const struct rc_kernel *kernel, size_t i, size_t word)
{
    return (uint64_t)i * (kernel->element / 8) + word + 1;
}

static void resort_prepare(struct rc_kernel *kernel)
{
    const volatile uint64_t *in = kernel->in.data;

    memset(kernel->out.data, 0, kernel->out.bytes);
    *(uint64_t *)kernel->in.data = pattern(kernel, 0, 0);
    kernel->earlier = kernel->last = 0;
    kernel->ran = false;
    /* Reads the whole input: only its end is in the caches then. */
    for (size_t i = 0; i < kernel->in.bytes / sizeof *in; i += LINE / sizeof *in)
        (void)in[i];
}

static void resort_teardown(struct rc_kernel *kernel)
{
    if (!kernel)
        return;
    rc_buffer_fini(&kernel->in);
    rc_buffer_fini(&kernel->out);
    free(kernel);
}

static int resort_setup(const struct rc_suite_request *request,
                        const struct rc_point *point, struct rc_kernel **out,
                        struct rc_error *err)
{
    struct rc_kernel *kernel;
    int status = rc_kernel_create(point, sizeof *kernel, &kernel, err);

    *out = NULL;
    if (status != RC_OK)
        return status;
    (void)snprintf(kernel->name, sizeof kernel->name, "%s", point->name);
    take_point(point, nowhere, nowhere, kernel);
    const uint64_t bytes = elements(kernel) * kernel->element;
    if ((status = rc_buffer_init(&kernel->in, bytes, request->geometry.huge_page_bytes,
                                 err)) ||
        (status = rc_buffer_init(&kernel->out, bytes, request->geometry.huge_page_bytes,
                                 err))) {
        rc_error_prefix(err, "point '%s': ", kernel->name);
        resort_teardown(kernel);
        return status;
    }
    take_point(point, kernel->in.data, kernel->out.data, kernel);
    uint64_t *word = kernel->in.data;
    for (size_t i = 0; i < bytes / sizeof *word; i++)
        word[i] = i + 1;
    kernel->work.mark = word;
    resort_prepare(kernel);
    *out = kernel;
    return RC_OK;
}

static void resort_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->earlier += kernel->last;
    kernel->last = iterations;
    kernel->ran = true;
    rc_resort_loops[kernel->body](&kernel->work, iterations);
}

/* The place of element i of 'in' in 'out', by the definition of the re-sort. */
static size_t place_of(const struct rc_kernel *kernel, size_t i)
{
    const size_t b = kernel->extent[1], c = kernel->extent[2];
    const size_t ab = kernel->extent[0] * b, piece = c / kernel->parts;

    switch (kernel->which) {
    case RC_RESORT_S1CF_NEST1:
        return i;
    case RC_RESORT_S2CF:
    case RC_RESORT_S2PF:
    case RC_RESORT_S2CF_NT:
    case RC_RESORT_S2PF_NT: /* in[y][ab][x] is out[ab][y piece + x] */
        return i / piece % ab * c + i / (ab * piece) * piece + i % piece;
    default: /* in[ab][c] is out[c][ab] */
        return i % c * ab + i / c;
    }
}

static int resort_verify(const struct rc_kernel *kernel, uint64_t iterations,
                         struct rc_error *err)
{
    const uint64_t total = kernel->earlier + iterations, *found = kernel->out.data;
    const size_t words = kernel->element / 8;

    if (!kernel->ran || iterations == 0)
        return rc_fail(err, RC_ECONFLICT, "point '%s': there was no run", kernel->name);
    for (size_t i = 0; i < elements(kernel); i++)
        for (size_t word = 0; word < words; word++) {
            const size_t at = place_of(kernel, i) * words + word;
            const uint64_t expected =
                pattern(kernel, i, word) + (i + word == 0 ? total : 0);
            if (found[at] != expected)
                return rc_fail(err, RC_ECONFLICT,
                               "point '%s': word %zu of the result is %" PRIu64
                               ", expected %" PRIu64,
                               kernel->name, at, found[at], expected);
        }
    return RC_OK;
}

const struct rc_suite rc_suite_resort = {
    .name = "resort",
    .summary = "re-sorts of a distributed 3D-FFT: memory transactions by loop order",
    .footprint = RC_FOOTPRINT_MEMORY,
    .cold = true,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .usable = resort_usable,
    .points = resort_points,
    .expect = resort_expect,
    .iterations = resort_iterations,
    .setup = resort_setup,
    .prepare = resort_prepare,
    .run = resort_run,
    .verify = resort_verify,
    .teardown = resort_teardown,
};
