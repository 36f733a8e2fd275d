/* dcache.c - what the cache suites show on this machine, and what they cost
 *
 * dcache [SUITE]...: for each point of each suite the median of five sweeps in
 * nanoseconds per iteration, and what setting it up took, as columns for
 * gnuplot (blocks apart by two empty lines, as its 'index' counts them); then
 * the time of a sweep.  Last, for suite 'dcache', a walk over many more sizes,
 * which shows where the levels really end.  tests/bench/dcache.sh draws it.
 */
#include "campaign/machine/machine.h"
#include "kernels/kernel.h"
#include "tests/lib/request.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SWEEPS 5

struct timing {
    double setup_ms[SWEEPS], ns[SWEEPS];
    const char *note;
};

/* CLOCK_MONOTONIC for what a sweep takes; CLOCK_THREAD_CPUTIME_ID for a point,
 * so that other programs on the same CPU do not pass for slow caches.
 */
static double seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, SWEEPS, sizeof *values, ascending);
    return values[SWEEPS / 2];
}

static int measure(const struct rc_suite *suite, const struct rc_geometry *geometry,
                   const struct rc_point *point, struct timing *timing, size_t sweep,
                   struct rc_error *err)
{
    uint64_t iterations = suite->iterations(REQUEST(geometry), point, 0);
    struct rc_kernel *kernel;
    double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    int status = suite->setup(REQUEST(geometry), point, &kernel, err);

    if (status != RC_OK)
        return status;
    double ready = seconds(CLOCK_THREAD_CPUTIME_ID);
    suite->run(kernel, iterations);
    double done = seconds(CLOCK_THREAD_CPUTIME_ID);
    status = suite->verify(kernel, iterations, err);
    timing->setup_ms[sweep] = 1e3 * (ready - start);
    timing->ns[sweep] = 1e9 * (done - ready) / (double)iterations;
    timing->note = suite->note ? suite->note(kernel) : NULL;
    suite->teardown(kernel);
    return status;
}

static int sweep_points(const struct rc_suite *suite,
                        const struct rc_geometry *geometry,
                        const struct rc_points *points, struct timing *timing,
                        struct rc_error *err)
{
    int status = RC_OK;
    double total[SWEEPS];

    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        double start = seconds(CLOCK_MONOTONIC);
        for (size_t i = 0; status == RC_OK && i < points->count; i++)
            if (!points->point[i].unusable)
                status =
                    measure(suite, geometry, &points->point[i], &timing[i], sweep, err);
        total[sweep] = seconds(CLOCK_MONOTONIC) - start;
    }
    printf("# %s: %zu points, one sweep takes %.2f s\n", suite->name, points->count,
           median(total));
    return status;
}

static void print(const struct rc_suite *suite, const struct rc_points *points,
                  struct timing *timing)
{
    printf("# point %15s", "");
    for (size_t i = 0; i < 3 && suite->axes[i]; i++)
        printf(" %10s", suite->axes[i]);
    printf("   ns each   setup ms\n");
    for (size_t i = 0; i < points->count; i++) {
        const struct rc_point *point = &points->point[i];
        if (point->unusable) {
            printf("# %s: %s\n", point->name, point->unusable);
            continue;
        }
        printf("%-23s", point->name);
        for (size_t axis = 0; axis < 3 && suite->axes[axis]; axis++)
            printf(" %10" PRId64, point->axis[axis]);
        printf(" %9.3f %10.2f  %s%s\n", median(timing[i].ns),
               median(timing[i].setup_ms), timing[i].note ? "# " : "",
               timing[i].note ? timing[i].note : "");
    }
    printf("\n\n");
}

static int bench(const struct rc_suite *suite, const struct rc_geometry *geometry,
                 struct rc_points *points, struct rc_error *err)
{
    struct timing *timing = calloc(points->count + 1, sizeof *timing);
    int status;

    if (!timing)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu timings", points->count);
    status = sweep_points(suite, geometry, points, timing, err);
    if (status == RC_OK)
        print(suite, points, timing);
    free(timing);
    return status;
}

static int bench_suite(const char *name, const struct rc_geometry *geometry,
                       struct rc_error *err)
{
    const struct rc_suite *suite = rc_suite_find(name);
    struct rc_points points = {0};
    int status;

    if (!suite)
        return rc_fail(err, RC_EUSAGE, "no such suite");
    if (suite->usable && suite->usable())
        return rc_fail(err, RC_EUNSUPPORTED, "%s", suite->usable());
    status = suite->points(REQUEST(geometry), &points, err);
    if (status == RC_OK)
        status = bench(suite, geometry, &points, err);
    rc_points_fini(&points);
    return status;
}

/* Four sizes an octave, from 4 KiB to four times the last level. */
static int scan(const struct rc_geometry *geometry, struct rc_error *err)
{
    struct rc_points points = {0};
    double last = 4.0 * (double)(geometry->l3.bytes   ? geometry->l3.bytes
                                 : geometry->l2.bytes ? geometry->l2.bytes
                                                      : geometry->l1d.bytes);
    int status;

    for (double bytes = 4096; bytes <= last; bytes *= pow(2, 0.25)) {
        struct rc_point point = {.axis = {(int64_t)bytes / 256 * 256, 128, 64, 1}};
        snprintf(point.name, sizeof point.name, "%" PRId64, point.axis[0]);
        rc_points_add(&points, &point);
    }
    if ((status = rc_points_check(&points, err)) == RC_OK)
        status = bench(rc_suite_find("dcache"), geometry, &points, err);
    rc_points_fini(&points);
    return status;
}

int main(int argc, char **argv)
{
    struct rc_machine *machine;
    struct rc_error err = {0};
    int status = rc_machine_open(RC_MACHINE_THIS, NULL, &machine, &err);

    if (status != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    const struct rc_geometry geometry = rc_machine_geometry(machine);
    printf("# l1d %" PRIu64 " l2 %" PRIu64 " l3 %" PRIu64 "\n", geometry.l1d.bytes,
           geometry.l2.bytes, geometry.l3.bytes);
    for (int i = 1; status == RC_OK && i < argc; i++) {
        status = bench_suite(argv[i], &geometry, &err);
        rc_error_prefix(&err, "%s: ", argv[i]);
        if (status == RC_OK && strcmp(argv[i], "dcache") == 0)
            status = scan(&geometry, &err);
    }
    if (status != RC_OK)
        fprintf(stderr, "%s\n", err.text);
    rc_machine_close(machine);
    return rc_exit_status(status);
}
