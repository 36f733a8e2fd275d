/* The suite 'cycles': loops whose time in cycles of the core is known, since each
 * instruction waits for the result of the one before it.
 *
 * An addition of two registers takes one cycle on every x86-64 and aarch64 core at
 * hand. In the points 'pair' a second, independent addition is executed beside each: as
 * many cycles, twice the instructions.  In the points 'product' a multiplication waits
 * for the one before: its time differs between cores (CHAIN is not known), but is more
 * than a cycle, and the core idles meanwhile.  So an event that counts work is not
 * taken for one that counts cycles.
 */
#include "kernels/instructions/instructions.h"
#include "kernels/kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AXIS_CLASS, AXIS_LENGTH };
enum {
    SHORTEST = 192, /* dependent instructions in the shortest body */
    BODIES = 3,     /* one, two and three times as long; all fit in small caches */
    WANTED = 12500  /* iterations of the shortest body that take about a millisecond */
};

static const char *const axes[] = {"class", "length", NULL};
static const enum rc_ideal ideals[] = {RC_IDEAL_CHAIN};
static const char *const classes[RC_CYCLES_CLASSES] = {"chain", "pair", "product"};

struct rc_kernel {
    struct rc_instructions_data data; /* what the loop reads and writes */
    rc_instructions_loop *loop;
    uint64_t done; /* iterations of the last run */
    enum rc_cycles_class class;
    uint64_t length;
};

static const char *cycles_usable(void)
{
    return rc_cycles_find(RC_CYCLES_CHAIN, 0)
               ? NULL
               : "no kernel is written for this kind of processor";
}

static int cycles_points(const struct rc_suite_request *request,
                         struct rc_points *points, struct rc_error *err)
{
    (void)request;
    for (int i = 0; i < RC_CYCLES_CLASSES * BODIES; i++) {
        struct rc_point point = {.unusable = cycles_usable()};
        const int length = SHORTEST * (i % BODIES + 1);
        point.axis[AXIS_CLASS] = i / BODIES;
        point.axis[AXIS_LENGTH] = length;
        snprintf(point.name, sizeof point.name, "%s-%d", classes[i / BODIES], length);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

static struct rc_range cycles_expect(const struct rc_suite_request *request,
                                     const struct rc_point *point, enum rc_ideal ideal)
{
    const double length = (double)point->axis[AXIS_LENGTH];
    const bool product = point->axis[AXIS_CLASS] == RC_CYCLES_PRODUCTS;
    const double body =
        point->axis[AXIS_CLASS] == RC_CYCLES_PAIRS ? 2 * length : length;
    double counts[RC_IDEAL_COUNT] = {0};

    if (ideal == RC_IDEAL_CHAIN)
        return rc_exactly(product ? NAN : length);
    if (ideal == RC_IDEAL_CYC) /* the model multiplies in three cycles */
        return rc_exactly(product ? 3 * length : length);
    counts[product ? RC_IDEAL_INT_MUL : RC_IDEAL_INT_ADD] = body;
    counts[RC_IDEAL_INT_ADD] += 2; /* the loop: increment, comparison, branch */
    counts[RC_IDEAL_CR] = 1;
    counts[RC_IDEAL_T] = 1;
    counts[RC_IDEAL_INS] = body + 3;
    return rc_expect_core(&request->geometry, counts, ideal);
}

static uint64_t cycles_iterations(const struct rc_suite_request *request,
                                  const struct rc_point *point, uint64_t budget)
{
    const uint64_t times = (uint64_t)point->axis[AXIS_LENGTH] / SHORTEST;

    return rc_iterations(rc_range_exact(cycles_expect(request, point, RC_IDEAL_INS)),
                         WANTED / times, 1, budget);
}

static int cycles_setup(const struct rc_suite_request *request,
                        const struct rc_point *point, struct rc_kernel **out,
                        struct rc_error *err)
{
    const int status = rc_kernel_create(point, sizeof **out, out, err);

    (void)request;
    if (status != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->class = (enum rc_cycles_class)point->axis[AXIS_CLASS];
    kernel->length = (uint64_t)point->axis[AXIS_LENGTH];
    kernel->loop = rc_cycles_find(kernel->class, (int)(kernel->length / SHORTEST) - 1);
    kernel->data.multiplier = UINT64_C(6364136223846793005);
    for (int i = 0; i < RC_INSTRUCTIONS_VALUES; i++)
        kernel->data.start[i] = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(i + 1) | 1;
    return RC_OK;
}

static void cycles_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->done = 0;
    if (iterations > 0)
        kernel->done = kernel->loop(&kernel->data, iterations);
}

/* The registers must hold what so many instructions leave in them. */
static int cycles_verify(const struct rc_kernel *kernel, uint64_t iterations,
                         struct rc_error *err)
{
    const struct rc_instructions_data *data = &kernel->data;
    const uint64_t times = iterations * kernel->length;
    uint64_t v[2] = {data->start[0], data->start[1]};

    if (kernel->class == RC_CYCLES_PRODUCTS)
        v[0] *= rc_power(data->multiplier, times);
    else
        v[0] += data->multiplier * times;
    if (kernel->class == RC_CYCLES_PAIRS)
        v[1] += data->multiplier * times;
    if (iterations > 0 && kernel->done == iterations && data->stop[0] == v[0] &&
        data->stop[1] == v[1])
        return RC_OK;
    return rc_fail(err, RC_ECONFLICT,
                   "cycles: %" PRIu64 " iterations were done, expected %" PRIu64
                   "; values are %" PRIx64 " and %" PRIx64 ", expected %" PRIx64
                   " and %" PRIx64,
                   kernel->done, iterations, data->stop[0], data->stop[1], v[0], v[1]);
}

static void cycles_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

const struct rc_suite rc_suite_cycles = {
    .name = "cycles",
    .summary = "additions that wait for each other: a cycle of the core for each",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = cycles_usable,
    .points = cycles_points,
    .expect = cycles_expect,
    .iterations = cycles_iterations,
    .setup = cycles_setup,
    .run = cycles_run,
    .verify = cycles_verify,
    .teardown = cycles_teardown,
};
