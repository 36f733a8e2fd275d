/* The suite 'added': chains of additions. */
#include "kernels/kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 3, SHORTEST = 8, WANTED = 1000 };

static const char *const axes[] = {"length", NULL};
static const enum rc_ideal ideals[] = {RC_IDEAL_INT_ADD};

struct rc_kernel {
    uint64_t length, sum;
};

static const char *added_usable(void)
{
#ifdef __x86_64__
    return NULL;
#else
    return "no kernel is written for this kind of processor";
#endif
}

static int added_points(const struct rc_suite_request *request,
                        struct rc_points *points, struct rc_error *err)
{
    (void)request;
    for (int i = 0; i < POINTS; i++) {
        struct rc_point point = {.unusable = added_usable(), .axis = {SHORTEST << i}};
        snprintf(point.name, sizeof point.name, "add-%d", SHORTEST << i);
        rc_points_add(points, &point);
    }
    return rc_points_check(points, err);
}

/* Each addition has an instruction of its own; the loop decrements, and branches. */
static struct rc_range added_expect(const struct rc_suite_request *request,
                                    const struct rc_point *point, enum rc_ideal ideal)
{
    const double counts[RC_IDEAL_COUNT] = {[RC_IDEAL_INT_ADD] =
                                               (double)point->axis[0] + 2,
                                           [RC_IDEAL_CR] = 1,
                                           [RC_IDEAL_T] = 1,
                                           [RC_IDEAL_INS] = (double)point->axis[0] + 3};

    return rc_expect_core(&request->geometry, counts, ideal);
}

static uint64_t added_iterations(const struct rc_suite_request *request,
                                 const struct rc_point *point, uint64_t budget)
{
    return rc_iterations(rc_range_exact(added_expect(request, point, RC_IDEAL_INS)),
                         WANTED, 1, budget);
}

static int added_setup(const struct rc_suite_request *request,
                       const struct rc_point *point, struct rc_kernel **out,
                       struct rc_error *err)
{
    const int status = rc_kernel_create(point, sizeof **out, out, err);

    (void)request;
    if (status == RC_OK)
        (*out)->length = (uint64_t)point->axis[0];
    return status;
}

static void added_run(struct rc_kernel *kernel, uint64_t iterations)
{
    kernel->sum = 0;
#ifdef __x86_64__
#define LOOP(length)                                                                   \
    __asm__ volatile(".balign 64\n1:\n.rept " #length "\nadd $1, %0\n.endr\n"          \
                     "sub $1, %1\ncmp $0, %1\njne 1b\n"                                \
                     : "+r"(kernel->sum), "+r"(iterations)::"cc")
    if (iterations == 0)
        return;
    if (kernel->length == 8)
        LOOP(8);
    else if (kernel->length == 16)
        LOOP(16);
    else
        LOOP(32);
#endif
}

static int added_verify(const struct rc_kernel *kernel, uint64_t iterations,
                        struct rc_error *err)
{
    if (iterations > 0 && kernel->sum == iterations * kernel->length)
        return RC_OK;
    return rc_fail(err, RC_ECONFLICT, "added: the sum is %llu, expected %llu",
                   (unsigned long long)kernel->sum,
                   (unsigned long long)(iterations * kernel->length));
}

static void added_teardown(struct rc_kernel *kernel)
{
    free(kernel);
}

const struct rc_suite rc_suite_added = {
    .name = "added",
    .summary = "chains of additions",
    .footprint = RC_FOOTPRINT_CORE,
    .ideals = ideals,
    .ideal_count = sizeof ideals / sizeof ideals[0],
    .axes = axes,
    .usable = added_usable,
    .points = added_points,
    .expect = added_expect,
    .iterations = added_iterations,
    .setup = added_setup,
    .run = added_run,
    .verify = added_verify,
    .teardown = added_teardown,
};
