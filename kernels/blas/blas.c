/* The suite 'blas': DOT, GEMV and GEMM with known numbers of floating-point operations,
 * 2 N, 2 N^2 and 2 N^3, in single and double precision, scalar instructions, no FMA.
 *
 * The suite has no basis of instructions: its ideals are OPS_SP and OPS_DP, so that
 * events that count operations are told from events that count instructions.
 * docs/kernels-blas-memory.md.
 */
#include "kernels/blas/blas_loops.h"

#include <math.h>
#include <stdio.h>

enum { AXIS_OPERATION, AXIS_BITS, AXIS_N };

static const char *const axes[] = {"operation", "bits", "n", NULL};
static const enum rc_ideal ideals[] = {RC_IDEAL_OPS_SP, RC_IDEAL_OPS_DP};

/* By the value of axis 'operation'. */
static const char *const operations[] = {"dot", "gemv", "gemm"};
#define OPERATIONS (sizeof operations / sizeof operations[0])

/* All lengths that end differently in an unrolled or vector loop, and enough of each
 * decade to draw a line.  The published study has 1, 2, ... 100, 150, ... 500; these
 * cost a tenth of that.
 */
static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,   10,  12,  16,
                            20, 25, 32, 40, 50, 64, 80, 100, 150, 200, 300};

/* Instructions of one run: on counters, which disturb and are disturbed, and under a
 * budget, where they are stepped and counted exactly, so that more would only cost.
 */
#define RUN_INSTRUCTIONS 40000.0
#define RUN_INSTRUCTIONS_STEPPED 4000.0

static int blas_points(const struct rc_suite_request *request, struct rc_points *points,
                       struct rc_error *err)
{
    (void)request;
    for (int bits = 32; bits <= 64; bits += 32)
        for (size_t operation = 0; operation < OPERATIONS; operation++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
                struct rc_point point = {.axis = {(int64_t)operation, bits, sizes[i]}};
                (void)snprintf(point.name, sizeof point.name, "%s-%s-%d",
                               operations[operation], bits == 32 ? "sp" : "dp",
                               sizes[i]);
                rc_points_add(points, &point);
            }
    return rc_points_check(points, err);
}

static struct rc_loop_shape shape_of(const struct rc_point *point)
{
    uint64_t n = (uint64_t)point->axis[AXIS_N];
    struct rc_loop_shape shape = {
        .loop = point->axis[AXIS_BITS] == 32 ? RC_LOOP_NEST_SP : RC_LOOP_NEST_DP,
        .rows = point->axis[AXIS_OPERATION] >= 1 ? n : 1,
        .cols = point->axis[AXIS_OPERATION] == 2 ? n : 1,
        .depth = n,
    };

    shape.kept = shape.rows;
    return shape;
}

static struct rc_range blas_expect(const struct rc_suite_request *request,
                                   const struct rc_point *point, enum rc_ideal ideal)
{
    const struct rc_loop_shape shape = shape_of(point);

    /* The operands are in no cache before a reading, which may be one iteration. */
    return rc_loop_expect(&request->geometry, &shape,
                          rc_misses_of(&request->geometry, INFINITY, INFINITY), ideal);
}

static uint64_t blas_iterations(const struct rc_suite_request *request,
                                const struct rc_point *point, uint64_t budget)
{
    double each = rc_range_exact(blas_expect(request, point, RC_IDEAL_INS));
    double run = budget ? RUN_INSTRUCTIONS_STEPPED : RUN_INSTRUCTIONS;

    if (isnan(each))
        return 1;
    return rc_iterations(each, (uint64_t)(run / each), 1, budget);
}

static int blas_setup(const struct rc_suite_request *request,
                      const struct rc_point *point, struct rc_kernel **out,
                      struct rc_error *err)
{
    struct rc_loop_plan plan = {.name = point->name,
                                .shape = shape_of(point),
                                .copies = 1,
                                .huge_page_bytes = request->geometry.huge_page_bytes};

    return rc_loop_create(&plan, out, err);
}

const struct rc_suite rc_suite_blas = {
    .name = "blas",
    .summary = "DOT, GEMV, GEMM: floating-point operations as known numbers",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = rc_loop_usable,
    .points = blas_points,
    .expect = blas_expect,
    .iterations = blas_iterations,
    .setup = blas_setup,
    .prepare = rc_loop_kernel_prepare,
    .run = rc_loop_kernel_run,
    .verify = rc_loop_kernel_verify,
    .teardown = rc_loop_kernel_teardown,
};
