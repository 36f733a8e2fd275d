/* The walks through the buffers of the suites 'dcache' and 'dcache-write'. */
#include "kernels/dcache/dcache.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "kernels/buffer.h"

#include <inttypes.h>
#include <stdlib.h>

struct rc_geometry rc_dcache_geometry(const struct rc_geometry *given)
{
    struct rc_geometry geometry =
        given->l1d.bytes ? *given : rc_request_default.geometry;

    if (!geometry.line_bytes)
        geometry.line_bytes = rc_request_default.geometry.line_bytes;
    if (!geometry.page_bytes)
        geometry.page_bytes = rc_request_default.geometry.page_bytes;
    return geometry;
}

#if RC_CHASE_WRITTEN

#define WARM_PASSES 4 /* over the lines, before the first run */
#define MOST_CHAINS 2

struct rc_kernel {
    struct rc_buffer buffer;
    uint64_t lines, stride, page_bytes; /* stride: bytes from one line to the next */
    struct rc_chase_line *start[MOST_CHAINS]; /* where the last run began */
    struct rc_chase_line *next[MOST_CHAINS];  /* where the next run begins */
    struct rc_chase_line *last;               /* the last line that was written */
    struct rc_chase_order order;              /* of walks without loads */
    uint64_t begin;                           /* order.at before the last run */
    uint64_t ran;                             /* iterations of the last run */
    uint64_t tag;              /* written by the last run, another one each time */
    int width;                 /* of every other load, or of the store after a load */
    int loads, stores, chains; /* of a step */
    uint64_t value;            /* the last value of a load of that width */
    bool has_run;
};

void rc_dcache_teardown(struct rc_kernel *kernel)
{
    if (!kernel)
        return;
    rc_buffer_fini(&kernel->buffer);
    free(kernel);
}

/* Whether the walks below include one with these parameters. */
static bool is_walk(const int64_t *axis)
{
    /* Loads, stores, chains; the first two kinds have accesses of any width. */
    static const int64_t kinds[][3] = {{1, 0, 1}, {1, 1, 1}, {2, 0, 1}, {4, 0, 1},
                                       {1, 0, 2}, {0, 1, 1}, {0, 2, 1}, {0, 4, 1}};
    const int64_t bytes = axis[RC_DCACHE_BYTES], stride = axis[RC_DCACHE_STRIDE],
                  width = axis[RC_DCACHE_WIDTH];
    size_t kind = 0;

    while (kind < sizeof kinds / sizeof *kinds &&
           (axis[RC_DCACHE_LOADS] != kinds[kind][0] ||
            axis[RC_DCACHE_STORES] != kinds[kind][1] ||
            axis[RC_DCACHE_CHAINS] != kinds[kind][2]))
        kind++;
    if (kind == sizeof kinds / sizeof *kinds || axis[RC_DCACHE_PPB] <= 0 ||
        bytes <= 0 || stride < (int64_t)sizeof(struct rc_chase_line) ||
        bytes < stride * axis[RC_DCACHE_CHAINS] || stride % RC_DCACHE_WIDEST)
        return false;
    if (axis[RC_DCACHE_LOADS] == 0 && ((bytes & (bytes - 1)) || stride & (stride - 1)))
        return false; /* the order needs a power of two */
    return kind < 2 ? width >= 1 && width <= RC_DCACHE_WIDEST && !(width & (width - 1))
                    : width == RC_DCACHE_POINTER;
}

/* Links the lines in an order that depends only on the point's name.  Each of two
 * chains has a half of the buffer.
 */
static int link_lines(struct rc_kernel *kernel, const struct rc_point *point,
                      struct rc_error *err)
{
    const uint64_t lines = kernel->lines / (uint64_t)kernel->chains;
    uint64_t block_bytes = (uint64_t)point->axis[RC_DCACHE_PPB] * kernel->page_bytes;
    uint64_t per_block = block_bytes / kernel->stride;
    uint32_t *order;

    if (per_block > lines)
        per_block = lines;
    if (per_block == 0 || per_block > UINT32_MAX)
        return rc_fail(err, RC_EUSAGE, "point '%s': no walk with these parameters",
                       point->name);
    order = rc_calloc(per_block, sizeof *order);
    if (!order)
        return rc_fail(err, RC_ENOMEM, "no memory for the order of %" PRIu64 " lines",
                       per_block);
    for (int c = 0; c < kernel->chains; c++)
        kernel->next[c] = rc_chase_link(
            (char *)kernel->buffer.data + (uint64_t)c * lines * kernel->stride, lines,
            kernel->stride, per_block, rc_text_hash(point->name), order);
    free(order);
    for (uint64_t i = 0; i < kernel->lines && kernel->loads > 1; i++) {
        char *at = (char *)kernel->buffer.data + i * kernel->stride;
        struct rc_chase_line *line = (struct rc_chase_line *)at;
        line->written[0] = line->written[1] = (uint64_t)(uintptr_t)line;
    }
    return RC_OK;
}

/* A buffer that fits in a cache starts in it.  Several passes are made, because an
 * outer level may take in a line only when it leaves the inner one for the second time.
 * Larger buffers were linked in the order of the walk, so that its start has been
 * unused for longest; a walk without loads makes one pass for that.
 */
static void warm_caches(struct rc_kernel *kernel, const struct rc_geometry *known)
{
    uint64_t largest = known->l1d.bytes, passes = WARM_PASSES;

    if (known->l2.bytes > largest)
        largest = known->l2.bytes;
    if (known->l3.bytes > largest)
        largest = known->l3.bytes;
    if (kernel->buffer.bytes > largest)
        passes = kernel->loads == 0;
    if (kernel->loads == 0)
        rc_chase_store(kernel->buffer.data, &kernel->order,
                       (passes * kernel->lines + RC_CHASE_FEW - 1) / RC_CHASE_FEW, 1,
                       0);
    for (int c = 0; c < kernel->chains && kernel->loads; c++)
        for (uint64_t i = 0; i < passes * kernel->lines; i += RC_CHASE_UNROLL)
            kernel->next[c] = rc_chase_read(kernel->next[c], 1);
}

/* Prepares a buffer of the point's size and warms the caches. */
int rc_dcache_setup(const struct rc_suite_request *request,
                    const struct rc_point *point, struct rc_kernel **out,
                    struct rc_error *err)
{
    const struct rc_geometry geometry = rc_dcache_geometry(&request->geometry);
    const int64_t *axis = point->axis;
    int status;

    *out = NULL;
    if (!is_walk(axis))
        return rc_fail(err, RC_EUSAGE, "point '%s': no walk with these parameters",
                       point->name);
    if ((status = rc_kernel_create(point, sizeof **out, out, err)) != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    const uint64_t bytes = (uint64_t)axis[RC_DCACHE_BYTES];
    kernel->stride = (uint64_t)axis[RC_DCACHE_STRIDE];
    kernel->lines = bytes / kernel->stride;
    kernel->width = (int)axis[RC_DCACHE_WIDTH];
    kernel->loads = (int)axis[RC_DCACHE_LOADS];
    kernel->stores = (int)axis[RC_DCACHE_STORES];
    kernel->chains = (int)axis[RC_DCACHE_CHAINS];
    kernel->page_bytes = geometry.page_bytes;
    kernel->order = (struct rc_chase_order){
        .step = UINT64_C(1013904223) * kernel->stride, .mask = bytes - 1};
    if ((status = rc_buffer_init(&kernel->buffer, bytes, geometry.huge_page_bytes,
                                 err)) == RC_OK &&
        kernel->loads)
        status = link_lines(kernel, point, err);
    if (status == RC_OK) {
        warm_caches(kernel, &geometry);
    } else {
        rc_dcache_teardown(kernel);
        *out = NULL;
    }
    return status;
}

static void has_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->ran = iterations;
    kernel->has_run = iterations > 0;
}

/* Counts follow expect() for multiples of RC_CHASE_UNROLL. */
void rc_dcache_read(struct rc_kernel *kernel, uint64_t iterations)
{
    struct rc_chase_line *line = kernel->start[0] = kernel->next[0];
    uint64_t rest = iterations % RC_CHASE_UNROLL;

    kernel->start[1] = kernel->next[1];
    if (kernel->chains > 1 || kernel->loads > 1)
        rest = iterations % RC_CHASE_FEW;
    if (iterations == rest)
        ;
    else if (kernel->chains > 1)
        rc_chase_read_two(kernel->next, iterations / RC_CHASE_FEW);
    else if (kernel->loads > 1)
        kernel->next[0] =
            rc_chase_read_again(line, iterations / RC_CHASE_FEW, kernel->loads);
    else if (kernel->width == RC_DCACHE_POINTER)
        kernel->next[0] = rc_chase_read(line, iterations / RC_CHASE_UNROLL);
    else
        kernel->next[0] = rc_chase_read_wide(line, iterations / RC_CHASE_UNROLL,
                                             kernel->width, &kernel->value);
    for (int c = 0; c < kernel->chains; c++)
        for (uint64_t i = rest; i; i--)
            kernel->next[c] = *(struct rc_chase_line *volatile *)&kernel->next[c]->next;
    has_run(kernel, iterations);
}

/* The first 'width' bytes of a number: its lowest ones. */
static uint64_t lowest(uint64_t value, int width)
{
    return width < RC_DCACHE_POINTER ? value & ((UINT64_C(1) << 8 * width) - 1) : value;
}

/* The part of the tag that the last run left in its lines. */
static uint64_t written_by(const struct rc_kernel *kernel)
{
    return lowest(kernel->tag, kernel->width);
}

static void load_and_store(struct rc_kernel *kernel, uint64_t iterations)
{
    struct rc_chase_line *line = kernel->next[0];

    kernel->start[0] = line;
    if (iterations / RC_CHASE_UNROLL)
        line = rc_chase_write(line, iterations / RC_CHASE_UNROLL, kernel->width,
                              kernel->tag, &kernel->last);
    for (uint64_t i = iterations % RC_CHASE_UNROLL; i; i--) {
        kernel->last = line;
        line = *(struct rc_chase_line *volatile *)&line->next;
        *(volatile uint64_t *)&kernel->last->written[0] = written_by(kernel);
    }
    kernel->next[0] = line;
}

/* The words of the line at an offset, for walks without loads. */
static volatile uint64_t *words_at(const struct rc_kernel *kernel, uint64_t offset)
{
    char *at = (char *)kernel->buffer.data + offset;

    return (volatile uint64_t *)at;
}

void rc_dcache_write(struct rc_kernel *kernel, uint64_t iterations)
{
    struct rc_chase_order *order = &kernel->order;

    kernel->tag++;
    kernel->begin = order->at;
    if (kernel->loads)
        load_and_store(kernel, iterations);
    else if (iterations / RC_CHASE_FEW)
        rc_chase_store(kernel->buffer.data, order, iterations / RC_CHASE_FEW,
                       kernel->stores, kernel->tag);
    for (uint64_t i = iterations % RC_CHASE_FEW; i && !kernel->loads; i--) {
        order->at = rc_chase_order_next(order);
        for (int word = 0; word < kernel->stores; word++)
            words_at(kernel, order->at)[word] = kernel->tag;
    }
    has_run(kernel, iterations);
}

static int ran_as_often(const struct rc_kernel *kernel, uint64_t iterations,
                        struct rc_error *err)
{
    if (!kernel->has_run)
        return rc_fail(err, RC_ECONFLICT, "the walk never ran");
    if (kernel->ran != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "the walk made %" PRIu64 " steps, not %" PRIu64, kernel->ran,
                       iterations);
    return RC_OK;
}

/* The lines know their places in the cycle, so verification needs no second walk, which
 * would change the caches' contents.
 */
static int chase_verify(const struct rc_kernel *kernel, uint64_t iterations,
                        uint64_t steps, struct rc_error *err)
{
    const uint64_t lines = kernel->lines / (uint64_t)kernel->chains;
    int status = ran_as_often(kernel, iterations, err);

    for (int c = 0; c < kernel->chains && status == RC_OK; c++) {
        uint64_t came =
            (kernel->next[c]->position + lines - kernel->start[c]->position) % lines;
        if (came != steps % lines)
            status =
                rc_fail(err, RC_ECONFLICT,
                        "the pointer chase advanced by %" PRIu64 " lines, not %" PRIu64,
                        came, steps % lines);
    }
    return status;
}

/* With another width every other load is not a step; the last of these loaded a part of
 * the address of the next line.
 */
int rc_dcache_read_verify(const struct rc_kernel *kernel, uint64_t iterations,
                          struct rc_error *err)
{
    const uint64_t rest = iterations % RC_CHASE_UNROLL;
    const bool wide = kernel->width != RC_DCACHE_POINTER;
    const int status = chase_verify(
        kernel, iterations, wide ? (iterations - rest) / 2 + rest : iterations, err);

    if (status == RC_OK && wide && rest == 0 &&
        kernel->value != lowest((uint64_t)(uintptr_t)kernel->next[0], kernel->width))
        return rc_fail(err, RC_ECONFLICT,
                       "the pointer chase did not load the first bytes of its lines");
    return status;
}

/* Buffers with more lines are not searched, so that caches stay as they are. */
#define COUNTED_LINES 4096

/* Whether the line at this offset holds the stores of the last run. */
static bool is_written(const struct rc_kernel *kernel, uint64_t offset)
{
    const volatile uint64_t *word = words_at(kernel, offset);

    if (kernel->loads)
        return ((volatile const struct rc_chase_line *)word)->written[0] ==
               written_by(kernel);
    for (int i = 0; i < kernel->stores; i++)
        if (word[i] != kernel->tag)
            return false;
    return true;
}

/* As many lines as were visited must hold the tag of this run. */
static int lines_verify(const struct rc_kernel *kernel, uint64_t iterations,
                        struct rc_error *err)
{
    const uint64_t expected = iterations < kernel->lines ? iterations : kernel->lines;
    uint64_t written = 0;

    if (kernel->lines > COUNTED_LINES)
        return RC_OK;
    for (uint64_t i = 0; i < kernel->lines; i++)
        written += is_written(kernel, i * kernel->stride);
    if (written != expected)
        return rc_fail(err, RC_ECONFLICT,
                       "the walk wrote %" PRIu64 " lines, not %" PRIu64, written,
                       expected);
    return RC_OK;
}

static uint64_t offset_of(const struct rc_kernel *kernel,
                          const struct rc_chase_line *line)
{
    return (uint64_t)((const char *)line - (const char *)kernel->buffer.data);
}

/* The order must have come where so many steps lead. */
static int order_verify(const struct rc_kernel *kernel, uint64_t iterations,
                        struct rc_error *err)
{
    struct rc_chase_order order = kernel->order;
    uint64_t first = kernel->begin;
    int status = ran_as_often(kernel, iterations, err);

    if (status != RC_OK)
        return status;
    order.at = kernel->begin;
    for (uint64_t i = 0; i < iterations; i++) {
        order.at = rc_chase_order_next(&order);
        first = i ? first : order.at;
    }
    if (order.at != kernel->order.at)
        return rc_fail(err, RC_ECONFLICT,
                       "the walk ended at byte %" PRIu64 ", not %" PRIu64,
                       kernel->order.at, order.at);
    if (!is_written(kernel, first) || !is_written(kernel, order.at))
        return rc_fail(err, RC_ECONFLICT, "the walk did not write its lines");
    return RC_OK;
}

int rc_dcache_write_verify(const struct rc_kernel *kernel, uint64_t iterations,
                           struct rc_error *err)
{
    int status = kernel->loads ? chase_verify(kernel, iterations, iterations, err)
                               : order_verify(kernel, iterations, err);

    if (status == RC_OK && kernel->loads &&
        (kernel->last->next != kernel->next[0] ||
         !is_written(kernel, offset_of(kernel, kernel->last)) ||
         !is_written(kernel, offset_of(kernel, kernel->start[0]))))
        status = rc_fail(err, RC_ECONFLICT, "the walk did not write its lines");
    return status == RC_OK ? lines_verify(kernel, iterations, err) : status;
}

const char *rc_dcache_note(const struct rc_kernel *kernel)
{
    if (kernel->buffer.bytes <= kernel->page_bytes ||
        rc_buffer_is_huge(&kernel->buffer))
        return NULL;
    return "not in huge pages: physical pages may fill the sets of the caches unevenly";
}

#endif
