/* Runs every usable point of every suite and verifies it; where the processor
 * can be single-stepped, counts the instructions too.  Needs the kernels and a
 * C library, no more: tests/unit/kernels/kernels.sh builds it with compilers and for
 * processors that the rest of rollcall is not built with.
 */
#include "kernels/kernel.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

/* Longer points are left to the tests of the program itself: most instructions
 * to run, and to step.
 */
#define MOST_RUN 2e7
#define MOST_STEPPED 12000

static volatile sig_atomic_t steps;

#ifdef __x86_64__

static void count_step(int signal_number)
{
    (void)signal_number;
    steps++;
}

#define SET_TRAP_FLAG(change)                                                          \
    __asm__ volatile("sub $128, %%rsp\n"                                               \
                     "pushfq\n" change ", (%%rsp)\n"                                   \
                     "popfq\n"                                                         \
                     "add $128, %%rsp"                                                 \
                     :                                                                 \
                     :                                                                 \
                     : "memory", "cc")

/* Not inlined: what is stepped beside run() must be the same each time. */
__attribute__((noinline)) static uint64_t step(const struct rc_suite *suite,
                                               struct rc_kernel *kernel, uint64_t n)
{
    steps = 0;
    SET_TRAP_FLAG("orq $0x100");
    suite->run(kernel, n);
    SET_TRAP_FLAG("andq $~0x100");
    return (uint64_t)steps;
}

static bool can_step(void)
{
    struct sigaction action = {.sa_handler = count_step};

    return sigaction(SIGTRAP, &action, NULL) == 0;
}

#else

static uint64_t step(const struct rc_suite *suite, struct rc_kernel *kernel, uint64_t n)
{
    suite->run(kernel, n);
    return 0;
}

static bool can_step(void)
{
    return false;
}

#endif

static int complain(const struct rc_suite *suite, const struct rc_point *point,
                    const char *what)
{
    fprintf(stderr, "%s, %s: %s\n", suite->name, point->name, what);
    return 1;
}

static double instructions(const struct rc_suite *suite, const struct rc_point *point)
{
    return rc_expect(suite, &rc_request_default, point, RC_IDEAL_INS);
}

static uint64_t smallest(const struct rc_suite *suite, const struct rc_point *point)
{
    return suite->iterations(&rc_request_default, point, 1);
}

static int check_runs(const struct rc_suite *suite, const struct rc_point *point,
                      struct rc_kernel *kernel, uint64_t n)
{
    struct rc_error err;

    for (uint64_t times = 1; times <= 2; times++) {
        suite->run(kernel, times * n);
        if (suite->verify(kernel, times * n, &err) != RC_OK)
            return complain(suite, point, err.text);
        if (suite->verify(kernel, times * n - 1, &err) == RC_OK)
            return complain(suite, point, "verified a wrong count");
    }
    return 0;
}

static int check_steps(const struct rc_suite *suite, const struct rc_point *point,
                       struct rc_kernel *kernel, uint64_t n)
{
    double expected = (double)n * instructions(suite, point);
    uint64_t once = step(suite, kernel, n);
    uint64_t twice = step(suite, kernel, 2 * n);
    char text[128];

    if (fabs((double)(twice - once) - expected) < 0.5)
        return 0;
    snprintf(text, sizeof text,
             "%" PRIu64 " - %" PRIu64 " instructions stepped, expected %g", twice, once,
             expected);
    return complain(suite, point, text);
}

static int check_point(const struct rc_suite *suite, const struct rc_point *point)
{
    uint64_t n = smallest(suite, point);
    struct rc_kernel *kernel;
    struct rc_error err;
    int failed = 0;

    if (suite->setup(&rc_request_default, point, &kernel, &err) != RC_OK)
        return complain(suite, point, err.text);
    if (suite->verify(kernel, n, &err) == RC_OK)
        failed = complain(suite, point, "verified without a run");
    failed |= check_runs(suite, point, kernel, n);
    if (can_step() && (double)n * instructions(suite, point) <= MOST_STEPPED)
        failed |= check_steps(suite, point, kernel, n);
    suite->teardown(kernel);
    return failed;
}

static bool is_short(const struct rc_suite *suite, const struct rc_point *point)
{
    return (double)smallest(suite, point) * instructions(suite, point) <= MOST_RUN;
}

static int check_suite(const struct rc_suite *suite)
{
    struct rc_points points = {0};
    struct rc_error err;
    size_t ran = 0;
    int failed = 0;

    if (suite->points(&rc_request_default, &points, &err) != RC_OK) {
        fprintf(stderr, "%s: %s\n", suite->name, err.text);
        return 1;
    }
    for (size_t i = 0; i < points.count; i++)
        if (!points.point[i].unusable && is_short(suite, &points.point[i])) {
            failed |= check_point(suite, &points.point[i]);
            ran++;
        }
    printf("%s: %zu of %zu points ran\n", suite->name, ran, points.count);
    rc_points_fini(&points);
    return failed;
}

int main(void)
{
    int failed = 0;

    printf("%s\n", can_step() ? "instructions are stepped" : "without stepping");
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++) {
        const char *why = (*suite)->usable ? (*suite)->usable() : NULL;
        if (why)
            printf("%s: %s\n", (*suite)->name, why);
        else
            failed |= check_suite(*suite);
    }
    return failed;
}
