/* Loops of linear algebra and streams: set-up, run, verification, and expected counts.
 *
 * Operands are small whole numbers, so that all sums are exact in any order and the
 * result shows how many operations were done on each copy of the operands.
 */
#include "kernels/blas/blas_loops.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "kernels/buffer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest line of today's processors: arrays begin on lines of their own. */
#define ALIGN 128

/* Elements of A and B are 1 or 2, so that a sum of products is exact, positive
 * and grows with every operation.
 */
#define VALUE_MAX 2
#define WEIGHT_MAX 11 /* elements of the vector that checks a product */

/* The last element of a stream's A is 2^52, where adding 1 to the bits of a double adds
 * 1 to its value: it counts the operations on its copy, and its result comes out in C.
 */
#define MARK 0x1p52
#define SCALE 2.0

#if !defined(__x86_64__) && !defined(__aarch64__)
const struct rc_loop_code rc_loop_code[RC_LOOP_COUNT];
#endif

struct rc_kernel {
    char name[sizeof((struct rc_point *)0)->name]; /* the point's, for messages */
    struct rc_loop_shape shape;
    struct rc_loop_work work;  /* the input of the assembly */
    uint64_t copies;           /* of the operands */
    struct rc_buffer operands; /* the copies */
    struct rc_buffer walk;     /* larger than all caches, or empty */
    double *weight, *check;    /* nests: see fill_check() */
    unsigned char *next;       /* the copy that the next iteration takes */
    uint64_t earlier, last; /* iterations since prepare(): before and in the last run */
    bool ran;
};

static bool is_nest(enum rc_loop loop)
{
    return loop < RC_LOOP_COPY;
}

static bool is_sweep(enum rc_loop loop)
{
    return loop >= RC_LOOP_READ;
}

static bool reads_b(enum rc_loop loop)
{
    return is_nest(loop) || loop == RC_LOOP_ADD || loop == RC_LOOP_TRIAD;
}

const char *rc_loop_usable(void)
{
    return rc_loop_code[0].run ? NULL : "no assembly was written for this processor";
}

uint64_t rc_loop_element_bytes(enum rc_loop loop)
{
    return loop == RC_LOOP_NEST_SP ? sizeof(float) : sizeof(double);
}

static uint64_t array_bytes(const struct rc_loop_shape *shape, uint64_t elements)
{
    uint64_t bytes = elements * rc_loop_element_bytes(shape->loop);

    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static uint64_t a_bytes(const struct rc_loop_shape *shape)
{
    return array_bytes(shape, shape->kept * shape->depth);
}

static uint64_t b_bytes(const struct rc_loop_shape *shape)
{
    return reads_b(shape->loop) ? array_bytes(shape, shape->depth * shape->cols) : 0;
}

uint64_t rc_loop_copy_bytes(const struct rc_loop_shape *shape)
{
    const uint64_t c_elements = is_nest(shape->loop)    ? shape->rows * shape->cols
                                : is_sweep(shape->loop) ? RC_LOOP_LINE
                                                        : shape->depth;

    return a_bytes(shape) + b_bytes(shape) + array_bytes(shape, c_elements);
}

uint64_t rc_loop_steps(const struct rc_loop_shape *shape)
{
    return shape->rows * shape->cols * shape->depth;
}

/* Adds the costs of the loop's parts, each as often as it is passed; false where there
 * is no assembly, and so no cost.
 */
static bool add_costs(const struct rc_loop_shape *shape, double *counts)
{
    const struct rc_loop_code *code = &rc_loop_code[shape->loop];
    const struct rc_loop_cost parts[] = {code->operation, code->row, code->element,
                                         code->step};
    double elements = (double)(shape->rows * shape->cols);
    double steps = (double)rc_loop_steps(shape);
    double times[] = {1, (double)shape->rows, elements, steps};

    if (!is_nest(shape->loop))
        times[3] = steps / RC_LOOP_LINE;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        counts[RC_IDEAL_INS] += times[i] * parts[i].all;
        counts[RC_IDEAL_LOADS] += times[i] * parts[i].loads;
        counts[RC_IDEAL_STORES] += times[i] * parts[i].stores;
        counts[RC_IDEAL_INT_ADD] += times[i] * parts[i].additions;
        counts[RC_IDEAL_INT_LOGIC] += times[i] * parts[i].logic;
        counts[RC_IDEAL_INT_MOV] += times[i] * parts[i].moves;
        if (parts[i].all)
            counts[RC_IDEAL_CR] += times[i];
    }
    counts[RC_IDEAL_T] = times[3]; /* all but the last branch of each part, and the
                                    * operation's, which closes the iteration */
    return code->run;
}

struct rc_range rc_loop_expect(const struct rc_geometry *geometry,
                               const struct rc_loop_shape *shape, struct rc_misses most,
                               enum rc_ideal ideal)
{
    /* Multiplications and additions in one step. */
    static const unsigned operations[RC_LOOP_COUNT] = {
        [RC_LOOP_NEST_SP] = 2, [RC_LOOP_NEST_DP] = 2, [RC_LOOP_COPY] = 0,
        [RC_LOOP_SCALE] = 1,   [RC_LOOP_ADD] = 1,     [RC_LOOP_TRIAD] = 2,
    };
    double counts[RC_IDEAL_COUNT] = {0};
    double flops = operations[shape->loop] * (double)rc_loop_steps(shape);
    bool floating = ideal <= RC_IDEAL_DF_512 || ideal == RC_IDEAL_OPS_SP ||
                    ideal == RC_IDEAL_OPS_DP;

    if (!is_nest(shape->loop))
        counts[RC_IDEAL_D_128] = flops / 2;
    else
        counts[shape->loop == RC_LOOP_NEST_SP ? RC_IDEAL_S_SCAL : RC_IDEAL_D_SCAL] =
            flops;
    if (!add_costs(shape, counts) && !floating)
        return rc_unknown();
    counts[RC_IDEAL_M] = NAN;
    return rc_expect_missing(geometry, counts, most, ideal);
}

static double get_element(const void *array, enum rc_loop loop, uint64_t i)
{
    return loop == RC_LOOP_NEST_SP ? (double)((const float *)array)[i]
                                   : ((const double *)array)[i];
}

static void put_element(void *array, enum rc_loop loop, uint64_t i, double value)
{
    if (loop == RC_LOOP_NEST_SP)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

/* 1 or 2, without a period that would hide a wrong stride. */
static double pattern(uint64_t i, uint64_t salt)
{
    uint64_t x = (i + salt) * UINT64_C(0x9e3779b97f4a7c15);

    return (double)(1 + (x >> 40 & 1));
}

struct rc_loop_operands rc_loop_operands(const struct rc_kernel *kernel, uint64_t copy)
{
    unsigned char *base = kernel->work.first + copy * kernel->work.step;

    return (struct rc_loop_operands){.a = base,
                                     .b = base + kernel->work.b_offset,
                                     .c = base + kernel->work.c_offset,
                                     .copies = kernel->copies};
}

/* Checks C against A B by one product with a vector: C w = A (B w), which is
 * quadratic where the product itself is cubic.  'weight' is w, 'check' A (B w)
 * for the rows of A that are kept.
 */
static int fill_check(struct rc_kernel *kernel, struct rc_error *err)
{
    const struct rc_loop_shape *shape = &kernel->shape;
    struct rc_loop_operands at = rc_loop_operands(kernel, 0);
    double *column;

    kernel->weight = rc_calloc(shape->cols, sizeof *kernel->weight);
    kernel->check = rc_calloc(shape->kept, sizeof *kernel->check);
    column = rc_calloc(shape->depth, sizeof *column);
    if (!kernel->weight || !kernel->check || !column) {
        free(column);
        return rc_fail(err, RC_ENOMEM, "no memory to check point '%s'", kernel->name);
    }
    for (uint64_t j = 0; j < shape->cols; j++)
        kernel->weight[j] = (double)(1 + j * 7 % WEIGHT_MAX);
    for (uint64_t k = 0; k < shape->depth; k++)
        for (uint64_t j = 0; j < shape->cols; j++)
            column[k] +=
                get_element(at.b, shape->loop, k * shape->cols + j) * kernel->weight[j];
    for (uint64_t i = 0; i < shape->kept; i++)
        for (uint64_t k = 0; k < shape->depth; k++)
            kernel->check[i] +=
                get_element(at.a, shape->loop, i * shape->depth + k) * column[k];
    free(column);
    return RC_OK;
}

/* Touches every page, so that no run meets a page fault and no two pages share the
 * system's page of zeroes.
 */
static int allocate_operands(struct rc_kernel *kernel, const struct rc_loop_plan *plan,
                             struct rc_error *err)
{
    uint64_t step = kernel->work.step, bytes = plan->copies * step;
    int status;

    if (plan->copies > UINT64_MAX / step) {
        status =
            rc_fail(err, RC_ENOMEM, "no memory for %" PRIu64 " copies", plan->copies);
        goto out;
    }
    status = rc_buffer_init(&kernel->operands, bytes, plan->huge_page_bytes, err);
    if (status != RC_OK)
        goto out;
    memset(kernel->operands.data, 0, kernel->operands.bytes);
    if (!plan->walk_bytes)
        goto out;
    if ((status = rc_buffer_init(&kernel->walk, plan->walk_bytes, plan->huge_page_bytes,
                                 err)) != RC_OK)
        goto out;
    memset(kernel->walk.data, 0, kernel->walk.bytes);
out:
    if (status != RC_OK)
        rc_error_prefix(err, "point '%s': ", kernel->name);
    return status;
}

/* Places A, B and C in a copy of the operands, each on lines of its own. */
static void lay_out(struct rc_kernel *kernel)
{
    const struct rc_loop_shape *shape = &kernel->shape;
    uint64_t element = rc_loop_element_bytes(shape->loop);

    kernel->work = (struct rc_loop_work){
        .step = rc_loop_copy_bytes(shape),
        .b_offset = a_bytes(shape),
        .c_offset = a_bytes(shape) + b_bytes(shape),
        .rows = shape->rows,
        .cols = shape->cols,
        .depth = shape->depth,
        .a_step = shape->depth * element,
        .a_bytes = shape->kept * shape->depth * element,
        .b_step = shape->cols * element,
        .scale = {SCALE, SCALE},
    };
}

int rc_loop_create(const struct rc_loop_plan *plan, struct rc_kernel **out,
                   struct rc_error *err)
{
    struct rc_kernel *kernel = calloc(1, sizeof *kernel);
    int status;

    *out = NULL;
    if (!kernel)
        return rc_fail(err, RC_ENOMEM, "no memory for point '%s'", plan->name);
    rc_text_printable(kernel->name, sizeof kernel->name, plan->name);
    kernel->shape = plan->shape;
    kernel->copies = plan->copies;
    lay_out(kernel);
    if ((status = allocate_operands(kernel, plan, err)) != RC_OK)
        goto out;
    kernel->work.first = kernel->operands.data;
    kernel->work.end = kernel->work.first + plan->copies * kernel->work.step;
    /* Fills A and B of the first copy; the others are copied from it. */
    unsigned char *a = kernel->work.first, *b = a + kernel->work.b_offset;
    const struct rc_loop_shape *shape = &kernel->shape;
    const uint64_t a_count = shape->kept * shape->depth;
    const uint64_t b_count = reads_b(shape->loop) ? shape->depth * shape->cols : 0;
    for (uint64_t i = 0; i < a_count; i++)
        put_element(a, shape->loop, i, pattern(i, 1));
    for (uint64_t i = 0; i < b_count; i++)
        put_element(b, shape->loop, i, pattern(i, a_count + 2));
    for (uint64_t i = 1; i < kernel->copies; i++)
        memcpy(a + i * kernel->work.step, a, kernel->work.c_offset);
    if (is_nest(plan->shape.loop))
        status = fill_check(kernel, err);
    if (status != RC_OK)
        goto out;
    rc_loop_kernel_prepare(kernel);
    *out = kernel;
    kernel = NULL;
out:
    rc_loop_kernel_teardown(kernel);
    return status;
}

/* Word i of a sweep's array before the first operation. */
static uint64_t sweep_word(uint64_t i)
{
    return i + 1;
}

static void fill_sweep(uint64_t *word, const struct rc_loop_shape *shape)
{
    for (uint64_t i = 0; i < shape->depth; i++)
        word[i] = sweep_word(i);
}

void rc_loop_kernel_prepare(struct rc_kernel *kernel)
{
    const struct rc_loop_shape *shape = &kernel->shape;
    uint64_t c_bytes = kernel->work.step - kernel->work.c_offset;
    const volatile unsigned char *walk = kernel->walk.data;

    for (uint64_t i = 0; i < kernel->copies; i++) {
        unsigned char *copy = kernel->work.first + i * kernel->work.step;
        memset(copy + kernel->work.c_offset, 0, c_bytes);
        if (is_sweep(shape->loop))
            fill_sweep((uint64_t *)copy, shape);
        else if (!is_nest(shape->loop))
            put_element(copy, shape->loop, shape->depth - 1, MARK);
    }
    kernel->next = kernel->work.first;
    kernel->earlier = kernel->last = 0;
    kernel->ran = false;
    for (uint64_t i = 0; i < kernel->walk.bytes; i += 64)
        (void)walk[i];
}

void rc_loop_kernel_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->earlier += kernel->last;
    kernel->last = iterations;
    kernel->ran = true;
    kernel->next =
        rc_loop_code[kernel->shape.loop].run(&kernel->work, kernel->next, iterations);
}

/* C w must be A (B w), times the operations on this copy. */
static int check_nest(const struct rc_kernel *kernel, uint64_t copy, uint64_t visits,
                      struct rc_error *err)
{
    const struct rc_loop_shape *shape = &kernel->shape;
    const void *c = rc_loop_operands(kernel, copy).c;

    for (uint64_t i = 0; i < shape->rows; i++) {
        double expected = (double)visits * kernel->check[i % shape->kept], sum = 0;
        for (uint64_t j = 0; j < shape->cols; j++)
            sum += get_element(c, shape->loop, i * shape->cols + j) * kernel->weight[j];
        if (sum != expected)
            return rc_fail(err, RC_ECONFLICT,
                           "point '%s': row %" PRIu64 " of the result sums to %.17g, "
                           "expected %.17g",
                           kernel->name, i, sum, expected);
    }
    return RC_OK;
}

static double stream_result(enum rc_loop loop, double a, double b)
{
    switch (loop) {
    case RC_LOOP_SCALE:
        return SCALE * a;
    case RC_LOOP_ADD:
        return a + b;
    case RC_LOOP_TRIAD:
        return a + SCALE * b;
    default:
        return a;
    }
}

/* C holds zeroes until the first operation on its copy. */
static int check_stream(const struct rc_kernel *kernel, uint64_t copy, uint64_t visits,
                        struct rc_error *err)
{
    const struct rc_loop_shape *shape = &kernel->shape;
    struct rc_loop_operands at = rc_loop_operands(kernel, copy);

    for (uint64_t i = 0; i < shape->depth; i++) {
        bool marked = i == shape->depth - 1;
        double a = marked ? MARK + (double)visits : get_element(at.a, shape->loop, i);
        double b = reads_b(shape->loop) ? get_element(at.b, shape->loop, i) : 0;
        double expected = visits ? stream_result(shape->loop, a, b) : 0;
        double found = get_element(at.c, shape->loop, i);
        if (found != expected)
            return rc_fail(err, RC_ECONFLICT,
                           "point '%s': element %" PRIu64 " of the result is %.17g, "
                           "expected %.17g",
                           kernel->name, i, found, expected);
    }
    return RC_OK;
}

/* Words that are stored to hold the count of operations; words that are updated have
 * grown by it.
 */
static int check_sweep(const struct rc_kernel *kernel, uint64_t copy, uint64_t visits,
                       struct rc_error *err)
{
    const struct rc_loop_shape *shape = &kernel->shape;
    const struct rc_loop_operands at = rc_loop_operands(kernel, copy);
    const uint64_t *word = at.a, *mark = at.c, last = shape->depth - 1;
    const enum rc_loop loop = shape->loop;
    const bool lines = loop >= RC_LOOP_READ_LINE;
    const bool reads = loop == RC_LOOP_READ || loop == RC_LOOP_READ_LINE;
    const bool updates = loop == RC_LOOP_UPDATE || loop == RC_LOOP_UPDATE_LINE;
    const uint64_t kept = reads && visits ? sweep_word(last) : 0;

    if (mark[0] != visits || mark[1] != kept)
        return rc_fail(err, RC_ECONFLICT,
                       "point '%s': %" PRIu64 " sweeps up to word %" PRIu64
                       ", expected %" PRIu64 " up to %" PRIu64,
                       kernel->name, mark[0], mark[1], visits, kept);
    for (uint64_t i = 0; i <= last; i++) {
        const bool left = reads || !visits || (lines && (i + 1) % RC_LOOP_LINE);
        const uint64_t expected = left      ? sweep_word(i)
                                  : updates ? sweep_word(i) + visits
                                            : visits;
        if (word[i] != expected)
            return rc_fail(err, RC_ECONFLICT,
                           "point '%s': word %" PRIu64 " is %" PRIu64
                           ", expected %" PRIu64,
                           kernel->name, i, word[i], expected);
    }
    return RC_OK;
}

/* The operations on one copy up to which sums are whole numbers that a float (elements
 * of C) or a double (all sums of verify) holds exactly.
 */
static double visits_max(const struct rc_loop_shape *shape)
{
    double element = VALUE_MAX * VALUE_MAX * (double)shape->depth;
    double row = element * WEIGHT_MAX * (double)shape->cols;

    if (!is_nest(shape->loop))
        return 0x1p50;
    return shape->loop == RC_LOOP_NEST_SP ? 0x1p24 / element : 0x1p53 / row;
}

int rc_loop_kernel_verify(const struct rc_kernel *kernel, uint64_t iterations,
                          struct rc_error *err)
{
    uint64_t total = kernel->earlier + iterations;
    uint64_t turns = total / kernel->copies, rest = total % kernel->copies;

    if (!kernel->ran || iterations == 0)
        return rc_fail(err, RC_ECONFLICT, "point '%s': there was no run", kernel->name);
    if ((double)turns > visits_max(&kernel->shape))
        return rc_fail(err, RC_EUNSUPPORTED,
                       "point '%s': %" PRIu64 " iterations since it was prepared, "
                       "expected at most %.0f: sums are not exact beyond",
                       kernel->name, total,
                       visits_max(&kernel->shape) * (double)kernel->copies);
    for (uint64_t copy = 0; copy < kernel->copies; copy++) {
        uint64_t visits = turns + (copy < rest);
        int status = is_nest(kernel->shape.loop) ? check_nest(kernel, copy, visits, err)
                     : is_sweep(kernel->shape.loop)
                         ? check_sweep(kernel, copy, visits, err)
                         : check_stream(kernel, copy, visits, err);
        if (status != RC_OK)
            return status;
    }
    return RC_OK;
}

void rc_loop_kernel_teardown(struct rc_kernel *kernel)
{
    if (!kernel)
        return;
    rc_buffer_fini(&kernel->operands);
    rc_buffer_fini(&kernel->walk);
    free(kernel->weight);
    free(kernel->check);
    free(kernel);
}
