/* soft.c - what stepping costs: instructions a second, and the share of decoding
 *
 * Usage: bench_soft [ITERATIONS].  Then a whole sweep of the default suites, at
 * the source's own budget for a point.  Rates are by the processor time of this
 * thread, so that they hold on a machine that does other things too.
 */
#include "tests/lib/request.h"
#include "tests/unit/kernels/soft_bench.h"
#include "tests/unit/kernels/soft_kernels.h"

#include <inttypes.h>
#include <time.h>

struct moment {
    struct rc_soft_stats stats;
    double wall_s, cpu_s;
};

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static struct moment now(const struct bench *bench)
{
    return (struct moment){.stats = rc_soft_stats(bench->source),
                           .wall_s = seconds(CLOCK_MONOTONIC),
                           .cpu_s = seconds(CLOCK_THREAD_CPUTIME_ID)};
}

static void report(const char *what, const struct bench *bench,
                   const struct moment *before)
{
    struct moment after = now(bench);
    uint64_t steps = after.stats.steps - before->stats.steps;
    double cpu_s = after.cpu_s - before->cpu_s;
    double ticks_each_s = (double)(after.stats.all_ticks - before->stats.all_ticks) /
                          (after.wall_s - before->wall_s);
    double inside_s =
        (double)(after.stats.step_ticks - before->stats.step_ticks) / ticks_each_s;
    double decode_s =
        (double)(after.stats.decode_ticks - before->stats.decode_ticks) / ticks_each_s;

    printf("%-16s %8" PRIu64 " steps %7.2f s wall %7.2f s cpu %7.0f steps/s %6" PRIu64
           " decoded  handler %4.1f %%  decode %5.2f %%\n",
           what, steps, after.wall_s - before->wall_s, cpu_s, (double)steps / cpu_s,
           after.stats.decodes - before->stats.decodes, 100 * inside_s / cpu_s,
           100 * decode_s / cpu_s);
}

static void kernel(struct bench *bench, const char *name,
                   void (*run)(struct rc_kernel *buffer, uint64_t number), uint64_t n)
{
    const struct rc_suite suite = {.name = name, .run = run};
    struct moment before = now(bench);

    bench_run(bench, &suite, bench->buffer, 0, n);
    report(name, bench, &before);
}

static size_t sweep_suite(struct bench *bench, const struct rc_suite *suite)
{
    const struct rc_geometry *geometry = rc_source_soft.geometry(bench->source);
    struct rc_points points = {0};
    struct rc_error err = {.text = ""};
    size_t ran = 0;

    if (!suite->by_default || !suite->setup || (suite->usable && suite->usable()))
        return 0;
    struct moment before = now(bench);
    bench_need(suite->points(REQUEST(geometry), &points, &err), &err);
    for (size_t i = 0; i < points.count; i++) {
        struct rc_kernel *state;
        if (points.point[i].unusable)
            continue;
        uint64_t n = suite->iterations(REQUEST(geometry), &points.point[i],
                                       rc_source_soft.instruction_budget);
        if ((double)n *
                rc_expect(suite, REQUEST(geometry), &points.point[i], RC_IDEAL_INS) >
            2 * (double)rc_source_soft.instruction_budget) {
            printf("%s %s: too long to step\n", suite->name, points.point[i].name);
            continue;
        }
        bench_need(suite->setup(REQUEST(geometry), &points.point[i], &state, &err),
                   &err);
        bench_run(bench, suite, state, 0, n);
        suite->teardown(state);
        ran++;
    }
    report(suite->name, bench, &before);
    rc_points_fini(&points);
    return ran;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
    const char *reason = rc_source_soft.unavailable();
    size_t points = 0;

    if (reason) {
        printf("skipped: %s\n", reason);
        return 77;
    }
    struct bench *bench = bench_open(NULL);
    kernel(bench, "empty loop", k_loop, n);
    kernel(bench, "SSE loop", k_sse, n / 4);
    kernel(bench, "random branches", k_random, n / 4);
    if (__builtin_cpu_supports("avx512f"))
        kernel(bench, "AVX-512 loop", k_avx512, n / 4);
    struct moment before = now(bench);
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        points += sweep_suite(bench, *suite);
    report("all together", bench, &before);
    printf("%zu points, at most %" PRIu64 " instructions each\n", points,
           rc_source_soft.instruction_budget);
    bench_close(bench);
    return 0;
}
