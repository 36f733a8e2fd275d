/* Lists of points, iterations, and counts that follow from them: shared by all suites.
 */
#include "kernels/kernel.h"
#include "campaign/base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most instructions of run() outside its iterations: a budget must leave room for
 * them.
 */
#define REST 256

const struct rc_suite_request rc_request_default = {
    .geometry =
        {
            .l1d = {UINT64_C(32) << 10, 8},
            .l1i = {UINT64_C(32) << 10, 8},
            .l2 = {UINT64_C(1) << 20, 16},
            .l3 = {UINT64_C(8) << 20, 16},
            .line_bytes = 64,
            .page_bytes = 4096,
            .huge_page_bytes = UINT64_C(2) << 20,
            .dtlb_entries = 64,
            .vector_bits = 512,
            .fma = true,
        },
};

static const char *const footprints[RC_FOOTPRINT_COUNT] = {
    [RC_FOOTPRINT_CORE] = "core",
    [RC_FOOTPRINT_L2] = "l2",
    [RC_FOOTPRINT_L3] = "l3",
    [RC_FOOTPRINT_MEMORY] = "memory",
};

const char *rc_footprint_name(enum rc_footprint footprint)
{
    return footprints[footprint];
}

void rc_points_add(struct rc_points *points, const struct rc_point *point)
{
    if (rc_grow(&points->point, sizeof *points->point, points->count, &points->room))
        points->failed = true;
    else
        points->point[points->count++] = *point;
}

int rc_points_check(const struct rc_points *points, struct rc_error *err)
{
    return points->failed ? rc_fail(err, RC_ENOMEM, "no memory for points of a suite")
                          : RC_OK;
}

void rc_points_fini(struct rc_points *points)
{
    free(points->point);
    *points = (struct rc_points){0};
}

int rc_kernel_create(const struct rc_point *point, size_t bytes, struct rc_kernel **out,
                     struct rc_error *err)
{
    enum { PAGE = 4096 };

    *out = NULL;
    if (point->unusable)
        return rc_fail(err, RC_EUNSUPPORTED, "point '%s': %s", point->name,
                       point->unusable);
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    *out = aligned_alloc(PAGE, bytes);
    if (!*out)
        return rc_fail(err, RC_ENOMEM, "no memory for point '%s'", point->name);
    memset(*out, 0, bytes);
    return RC_OK;
}

struct rc_range rc_exactly(double count)
{
    return isnan(count) ? rc_unknown() : (struct rc_range){count, count};
}

struct rc_range rc_between(double low, double high)
{
    return (struct rc_range){low, high};
}

struct rc_range rc_unknown(void)
{
    return (struct rc_range){0, INFINITY};
}

double rc_range_exact(struct rc_range range)
{
    return range.low < range.high ? NAN : range.low;
}

bool rc_range_says(struct rc_range range)
{
    return range.low > 0 || isfinite(range.high);
}

void rc_range_put(char *out, size_t bytes, struct rc_range range, int digits)
{
    if (!rc_range_says(range))
        snprintf(out, bytes, "?");
    else if (!(range.low < range.high))
        snprintf(out, bytes, "%.*g", digits, range.low);
    else if (isinf(range.high))
        snprintf(out, bytes, "%.*g..", digits, range.low);
    else
        snprintf(out, bytes, "%.*g..%.*g", digits, range.low, digits, range.high);
}

double rc_expect(const struct rc_suite *suite, const struct rc_suite_request *request,
                 const struct rc_point *point, enum rc_ideal ideal)
{
    return rc_range_exact(rc_expect_range(suite, request, point, ideal));
}

struct rc_range rc_expect_range(const struct rc_suite *suite,
                                const struct rc_suite_request *request,
                                const struct rc_point *point, enum rc_ideal ideal)
{
    return rc_ideal_useful(ideal) && !suite->made_by
               ? rc_unknown()
               : suite->expect(request, point, ideal);
}

/* Operations in the four plain and four FMA kinds that begin at 'plain' and 'fma'. */
static double count_operations(const double *plain, const double *fma,
                               unsigned lanes_of_128)
{
    double sum = plain[0] + 2 * fma[0];

    for (unsigned i = 1; i <= 3; i++)
        sum += (plain[i] + 2 * fma[i]) * (lanes_of_128 << (i - 1));
    return sum;
}

/* Bytes of an instruction of the kernels, on average. */
#if defined(__x86_64__)
static const double code_least = 2, code_most = 8;
#else
static const double code_least = 4, code_most = 4;
#endif

/* A line is entered when an instruction is executed that has bytes of another line than
 * the one before.  The code between two jumps begins and ends anywhere in lines.  Each
 * iteration of a loop with one jump at most enters all its lines.
 */
static struct rc_range lines_entered(const struct rc_geometry *geometry,
                                     const double counts[RC_IDEAL_COUNT])
{
    const double line = geometry->line_bytes ? geometry->line_bytes : 64;
    const double jumps = counts[RC_IDEAL_T] + counts[RC_IDEAL_D];
    const double each = counts[RC_IDEAL_INS] / jumps; /* instructions */
    const bool simple = jumps > 0 && jumps <= 1;

    return rc_between(simple && each * code_least > line
                          ? counts[RC_IDEAL_INS] * code_least / line
                          : 0,
                      counts[RC_IDEAL_INS] * code_most / line + 2 * jumps);
}

struct rc_range rc_expect_core(const struct rc_geometry *geometry,
                               const double counts[RC_IDEAL_COUNT], enum rc_ideal ideal)
{
    const double cr = counts[RC_IDEAL_CR], m = counts[RC_IDEAL_M];
    const double jumps = counts[RC_IDEAL_T] + counts[RC_IDEAL_D]; /* loops, nested */
    const double code = counts[RC_IDEAL_INS] * code_most / (jumps > 0 ? jumps : 1);

    const bool outgrows = geometry->l1i.bytes && code > (double)geometry->l1i.bytes;

    switch (ideal) {
    case RC_IDEAL_M:
        return isnan(m) ? rc_between(0, cr) : rc_exactly(m);
    case RC_IDEAL_L1IM:
    case RC_IDEAL_L2IH:
        return outgrows ? rc_between(0, lines_entered(geometry, counts).high)
                        : rc_exactly(0);
    case RC_IDEAL_CE:
        if (isnan(m))
            return rc_between(cr, INFINITY);
        return rc_exactly(counts[ideal] > 0 ? counts[ideal] : counts[RC_IDEAL_CR]);
    case RC_IDEAL_OPS_SP:
        return rc_exactly(
            count_operations(&counts[RC_IDEAL_S_SCAL], &counts[RC_IDEAL_SF_SCAL], 4));
    case RC_IDEAL_OPS_DP:
        return rc_exactly(
            count_operations(&counts[RC_IDEAL_D_SCAL], &counts[RC_IDEAL_DF_SCAL], 2));
    case RC_IDEAL_L1DH:
        return rc_exactly(counts[RC_IDEAL_LOADS]);
    case RC_IDEAL_L1DWH:
        return rc_exactly(counts[RC_IDEAL_STORES]);
    case RC_IDEAL_L1IH:
        if (outgrows)
            return rc_between(0, lines_entered(geometry, counts).high);
        return lines_entered(geometry, counts);
    case RC_IDEAL_CHAIN:
        return rc_unknown();
    case RC_IDEAL_CYC:
        return rc_exactly(counts[RC_IDEAL_INS] / 4 + 20 * counts[RC_IDEAL_M]);
    default:
        return rc_exactly(counts[ideal]);
    }
}

struct rc_misses rc_misses_of(const struct rc_geometry *geometry, double bytes,
                              double lines)
{
    const double l1 = (double)geometry->l1d.bytes / 2,
                 l2 = (double)geometry->l2.bytes / 2,
                 l3 = (double)geometry->l3.bytes / 4;

    return (struct rc_misses){.l1 = bytes <= l1 ? 0 : lines,
                              .l2 = bytes <= fmax(l1, l2) ? 0 : lines,
                              .any = bytes <= fmax(fmax(l1, l2), l3) ? 0 : lines};
}

/* The most lines that come into a cache, or leave it, when so many are asked for. */
static double moved(double asked)
{
    return asked > 0 ? 2 * asked + 64 * fmin(asked, 1) : 0;
}

struct rc_range rc_expect_missing(const struct rc_geometry *geometry,
                                  const double counts[RC_IDEAL_COUNT],
                                  struct rc_misses most, enum rc_ideal ideal)
{
    const double loads = counts[RC_IDEAL_LOADS], stores = counts[RC_IDEAL_STORES],
                 line = geometry->line_bytes ? geometry->line_bytes : 64;

    switch (ideal) {
    case RC_IDEAL_L1DM:
    case RC_IDEAL_L2DH:
        return rc_between(0, fmin(loads, most.l1));
    case RC_IDEAL_L3DH:
        return rc_between(0, fmin(loads, most.l2));
    case RC_IDEAL_L1DH:
        return rc_between(fmax(0, loads - most.l1), loads);
    case RC_IDEAL_L1DWH:
        return rc_between(fmax(0, stores - most.l1), stores);
    case RC_IDEAL_L1DWM:
        return rc_between(0, fmin(stores, most.l1));
    case RC_IDEAL_L1WB:
        return rc_between(0, moved(most.l1));
    case RC_IDEAL_L2WB:
        return rc_between(0, moved(most.l2));
    case RC_IDEAL_L3WB:
        return rc_between(0, moved(most.any));
    case RC_IDEAL_MEM_RD:
    case RC_IDEAL_MEM_WR:
        return rc_between(0, moved(most.any) * ceil(line / 64));
    default:
        return rc_expect_core(geometry, counts, ideal);
    }
}

double rc_ideal_operations(enum rc_ideal instruction, enum rc_ideal operations)
{
    double one[RC_IDEAL_COUNT] = {0};

    one[instruction] = 1;
    return rc_range_exact(
        rc_expect_core(&rc_request_default.geometry, one, operations));
}

uint64_t rc_iterations(double instructions, uint64_t wanted, uint64_t period,
                       uint64_t budget)
{
    uint64_t iterations = wanted;

    if (budget > 0) {
        double room = budget > REST ? (double)(budget - REST) / instructions : 0;
        if (room < (double)wanted)
            iterations = (uint64_t)room;
    }
    iterations -= iterations % period;
    return iterations > period ? iterations : period;
}

double rc_point_instructions(const struct rc_suite *suite,
                             const struct rc_suite_request *request,
                             const struct rc_point *point)
{
    return suite->made_by ? rc_expect(suite, request, point, RC_IDEAL_B_STREAM) /
                                fmax(request->geometry.vector_bits / 8.0, 8)
                          : rc_expect(suite, request, point, RC_IDEAL_INS);
}

bool rc_point_fits(const struct rc_suite *suite, const struct rc_suite_request *request,
                   const struct rc_point *point, uint64_t budget)
{
    uint64_t fewest = suite->iterations(request, point, 1);
    double each = rc_point_instructions(suite, request, point);

    /* NAN, for suites whose code is not known, fits. */
    return budget == 0 || !((double)fewest * each > (double)budget);
}

uint64_t rc_power(uint64_t base, uint64_t n)
{
    uint64_t result = 1;

    for (; n > 0; n >>= 1) {
        if (n & 1)
            result *= base;
        base *= base;
    }
    return result;
}
