/* The suite 'gpu-flops': floating-point operations of a GPU.
 *
 * No code is written for devices: only a simulated machine can measure its points.
 */
#include "kernels/kernel.h"

#include <math.h>
#include <stdio.h>

/* One kernel for each operation and precision: its iteration is 96 instructions of that
 * one type for each thread.
 */
enum { BODY = 96, OPERATIONS = 5, PRECISIONS = 3 };

static const enum rc_ideal ideals[] = {
    RC_IDEAL_AH,  RC_IDEAL_AS,  RC_IDEAL_AD, RC_IDEAL_SH, RC_IDEAL_SS,
    RC_IDEAL_SD,  RC_IDEAL_MH,  RC_IDEAL_MS, RC_IDEAL_MD, RC_IDEAL_SQH,
    RC_IDEAL_SQS, RC_IDEAL_SQD, RC_IDEAL_FH, RC_IDEAL_FS, RC_IDEAL_FD,
};
enum { IDEALS = sizeof ideals / sizeof ideals[0] };

static const char *const operations[OPERATIONS] = {"add", "sub", "mul", "sqrt", "fma"};
static const char *const precisions[PRECISIONS] = {"hp", "sp", "dp"};
static const char *const axes[] = {"operation", "precision", NULL};

static const char *gpu_flops_usable(void)
{
    return "device kernels are not part of this build";
}

static int gpu_flops_points(const struct rc_suite_request *request,
                            struct rc_points *points, struct rc_error *err)
{
    (void)request;
    for (int i = 0; i < IDEALS; i++) {
        int operation = i / PRECISIONS, precision = i % PRECISIONS;
        struct rc_point point = {.axis = {operation, 16 << precision},
                                 .unusable = gpu_flops_usable()};
        snprintf(point.name, sizeof point.name, "%s-%s", precisions[precision],
                 operations[operation]);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

/* The host does no floating-point arithmetic while the device computes; nothing else is
 * known of it.
 */
static struct rc_range gpu_flops_expect(const struct rc_suite_request *request,
                                        const struct rc_point *point,
                                        enum rc_ideal ideal)
{
    int64_t precision = point->axis[1] == 64 ? 2 : point->axis[1] == 32 ? 1 : 0;

    (void)request;
    for (int64_t i = 0; i < IDEALS; i++)
        if (ideals[i] == ideal)
            return rc_exactly(i == point->axis[0] * PRECISIONS + precision ? BODY : 0);
    return rc_exactly(ideal >= RC_IDEAL_S_SCAL && ideal <= RC_IDEAL_DF_512 ? 0 : NAN);
}

static uint64_t gpu_flops_iterations(const struct rc_suite_request *request,
                                     const struct rc_point *point, uint64_t budget)
{
    (void)request, (void)point;
    return rc_iterations(BODY, 100000, 1, budget);
}

const struct rc_suite rc_suite_gpu_flops = {
    .name = "gpu-flops",
    .summary = "floating-point operations of a GPU by kind and precision",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = IDEALS,
    .axes = axes,
    .by_default = false,
    .usable = gpu_flops_usable,
    .points = gpu_flops_points,
    .expect = gpu_flops_expect,
    .iterations = gpu_flops_iterations,
};
