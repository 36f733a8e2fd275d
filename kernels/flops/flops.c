/* The suite 'flops': floating-point instructions by precision, width and FMA.
 *
 * 16 kernels of 3 loops each.  A loop repeats x = 2 x mod m in three (FMA: two) chains,
 * by floating-point instructions of one type alone.  Values stay whole numbers of 20
 * bits for ever, never grow and never become denormal; x after n steps is x 2^n mod m,
 * so that the result proves n.
 *
 * Both moduli are safe primes, equal to 3 modulo 8, so that 2 generates all residues;
 * together the chains repeat only after 2 * 523793 * 523553 steps.
 */
#include "kernels/flops/flops.h"

#include "kernels/kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t modulus[2] = {1047587, 1047107};

enum { AXIS_PRECISION, AXIS_WIDTH, AXIS_FMA, AXIS_BODY };

static const char *const axes[] = {"precision", "width", "fma", "body", NULL};
static const int widths[RC_FLOPS_WIDTHS] = {0, 128, 256, 512};

static const enum rc_ideal ideals[] = {
    RC_IDEAL_S_SCAL,  RC_IDEAL_S_128,  RC_IDEAL_S_256,  RC_IDEAL_S_512,
    RC_IDEAL_D_SCAL,  RC_IDEAL_D_128,  RC_IDEAL_D_256,  RC_IDEAL_D_512,
    RC_IDEAL_SF_SCAL, RC_IDEAL_SF_128, RC_IDEAL_SF_256, RC_IDEAL_SF_512,
    RC_IDEAL_DF_SCAL, RC_IDEAL_DF_128, RC_IDEAL_DF_256, RC_IDEAL_DF_512,
};

struct rc_kernel {
    _Alignas(64) struct rc_flops_data data; /* operands and results of the loop */
    rc_flops_loop *loop;
    uint64_t done;                       /* iterations of the last run */
    int precision, lanes, chains, steps; /* steps of each chain in an iteration */
};

/* Instructions of one step of all chains. */
static int unit_of(int fma)
{
    return fma ? 12 : 24;
}

/* Points are in the order of the ideals: non-FMA before FMA, single before double. */
static int flops_points(const struct rc_suite_request *request,
                        struct rc_points *points, struct rc_error *err)
{
    for (int i = 0; i < 16 * RC_FLOPS_BODIES; i++) {
        int kernel = i / RC_FLOPS_BODIES, body = i % RC_FLOPS_BODIES;
        int fma = kernel / 8, precision = kernel / 4 % 2, width = widths[kernel % 4];
        if ((uint32_t)width > request->geometry.vector_bits ||
            (fma && !request->geometry.fma))
            continue;
        struct rc_point point = {0};
        int instructions = unit_of(fma) << body;
        char bits[8];
        snprintf(bits, sizeof bits, "%d", width);
        snprintf(point.name, sizeof point.name, "%s-%s%s-%d", precision ? "dp" : "sp",
                 width ? bits : "scalar", fma ? "-fma" : "", instructions);
        point.axis[AXIS_PRECISION] = precision ? 64 : 32;
        point.axis[AXIS_WIDTH] = width;
        point.axis[AXIS_FMA] = fma;
        point.axis[AXIS_BODY] = instructions;
        rc_flops_find(precision, width, fma, body, &point.unusable);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

/* All instructions of the body are of the point's own type. */
static struct rc_range flops_expect(const struct rc_suite_request *request,
                                    const struct rc_point *point, enum rc_ideal ideal)
{
    double counts[RC_IDEAL_COUNT] = {0};
    double body = (double)point->axis[AXIS_BODY];
    int own =
        (point->axis[AXIS_FMA] ? 8 : 0) + (point->axis[AXIS_PRECISION] == 64 ? 4 : 0);

    for (int i = 0; widths[i] != point->axis[AXIS_WIDTH]; i++)
        own++;
    counts[ideals[own]] = body;
    counts[RC_IDEAL_INS] = body + 2; /* the loop: a decrement and a branch */
    counts[RC_IDEAL_INT_ADD] = 1;
    counts[RC_IDEAL_CR] = 1;
    counts[RC_IDEAL_T] = 1;
    return rc_expect_core(&request->geometry, counts, ideal);
}

/* A step of the chains takes about 18 cycles (measured on a Zen 4) to 32: 200,000 steps
 * are a millisecond or two.
 */
static uint64_t flops_iterations(const struct rc_suite_request *request,
                                 const struct rc_point *point, uint64_t budget)
{
    double body = (double)point->axis[AXIS_BODY];
    uint64_t steps =
        (uint64_t)(point->axis[AXIS_BODY] / unit_of((int)point->axis[AXIS_FMA]));

    (void)request;
    return rc_iterations(body + 2, 200000 / steps, 1, budget);
}

static double start_of(int chain, int lane)
{
    return 3 + 100 * chain + 5 * lane;
}

static void put_lane(union rc_flops_vector *vector, int precision, int lane,
                     double value)
{
    if (precision)
        vector->d[lane] = value;
    else
        vector->s[lane] = (float)value;
}

static int flops_setup(const struct rc_suite_request *request,
                       const struct rc_point *point, struct rc_kernel **out,
                       struct rc_error *err)
{
    int fma = (int)point->axis[AXIS_FMA], width = (int)point->axis[AXIS_WIDTH];
    int precision = point->axis[AXIS_PRECISION] == 64;
    int steps = (int)point->axis[AXIS_BODY] / unit_of(fma);
    const char *unusable;
    int status;

    (void)request;
    *out = NULL;
    rc_flops_loop *loop = rc_flops_find(precision, width, fma, steps / 2, &unusable);
    if (unusable)
        return rc_fail(err, RC_EUNSUPPORTED, "point '%s': %s", point->name, unusable);
    if ((status = rc_kernel_create(point, sizeof **out, out, err)) != RC_OK)
        return status;
    struct rc_kernel *kernel = *out;
    kernel->loop = loop;
    kernel->precision = precision;
    kernel->lanes = width ? width / (precision ? 64 : 32) : 1;
    kernel->chains = fma ? 2 : 3;
    kernel->steps = steps;
    /* All lanes of a vector compute, each from a start of its own. */
    struct rc_flops_data *data = &kernel->data;
    for (int lane = 0; lane < kernel->lanes; lane++) {
        for (int chain = 0; chain < kernel->chains; chain++)
            put_lane(&data->start[chain], precision, lane, start_of(chain, lane));
        for (int i = 0; i < 2; i++) {
            put_lane(&data->inverse[i], precision, lane, 2.0 / modulus[i]);
            put_lane(&data->modulus[i], precision, lane, modulus[i]);
        }
        put_lane(&data->magic, precision, lane, precision ? 0x1.8p52 : 0x1.8p23);
        put_lane(&data->two, precision, lane, 2);
        put_lane(&data->one, precision, lane, 1);
    }
    return RC_OK;
}

static void flops_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->done = iterations;
    if (iterations > 0)
        kernel->done -= kernel->loop(&kernel->data, iterations);
}

/* 2^n modulo m. */
static uint64_t power_of_two(uint64_t n, uint64_t m)
{
    uint64_t result = 1;

    for (uint64_t square = 2; n > 0; n >>= 1) {
        if (n & 1)
            result = result * square % m;
        square = square * square % m;
    }
    return result;
}

/* Every lane of every chain must hold 2^n times its start modulo m, or that less m, as
 * the loop rounds.
 */
static int flops_verify(const struct rc_kernel *kernel, uint64_t iterations,
                        struct rc_error *err)
{
    if (iterations == 0 || kernel->done != iterations)
        return rc_fail(err, RC_ECONFLICT,
                       "flops: %" PRIu64 " iterations were done, expected %" PRIu64,
                       kernel->done, iterations);
    for (int chain = 0; chain < kernel->chains; chain++) {
        uint32_t m = modulus[chain % 2];
        /* The order of 2 is m - 1. */
        uint64_t steps = iterations % (m - 1) * (uint64_t)kernel->steps;
        uint64_t factor = power_of_two(steps, m);
        for (int lane = 0; lane < kernel->lanes; lane++) {
            const union rc_flops_vector *stop = &kernel->data.stop[chain];
            double found = kernel->precision ? stop->d[lane] : (double)stop->s[lane];
            uint64_t expected = (uint64_t)start_of(chain, lane) * factor % m;
            if (found != (double)expected && found != (double)expected - m)
                return rc_fail(err, RC_ECONFLICT,
                               "flops: lane %d of chain %d holds %g, expected %" PRIu64
                               " modulo %" PRIu32,
                               lane, chain, found, expected, m);
        }
    }
    return RC_OK;
}

static void flops_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

static const char *flops_usable(void)
{
    const char *unusable;

    rc_flops_find(1, 0, 0, 0, &unusable);
    return unusable;
}

const struct rc_suite rc_suite_flops = {
    .name = "flops",
    .summary = "floating-point instructions by precision, width and FMA",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .by_default = true,
    .usable = flops_usable,
    .points = flops_points,
    .expect = flops_expect,
    .iterations = flops_iterations,
    .setup = flops_setup,
    .run = flops_run,
    .verify = flops_verify,
    .teardown = flops_teardown,
};
