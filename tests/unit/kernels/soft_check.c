/* soft_check.c - every usable point of every suite against the soft source
 *
 * Exact ideals: the difference between 2n and n iterations has to be n times the
 * expectation, to the last count.  Cache ideals of the cache suites: within 1 %
 * of the accesses or two counts, or of a range, once the simulated caches are warm.
 * Short points also with a trap for each instruction: all counts are the same as where
 * the handler executes most of them.  tests/unit/kernels/soft.sh builds it with other
 * compilers and options.
 */
#include "tests/lib/request.h"
#include "tests/unit/kernels/soft_bench.h"

#include <inttypes.h>
#include <math.h>

/* Few: what is exact needs no more.  Points of more instructions than MOST_STEPPED are
 * left out; of more than MOST_TRAPPED, they are not stepped by traps.
 */
#define EXACT_BUDGET 300
#define CACHE_BUDGET 4000
#define MOST_STEPPED 200000.0
#define MOST_TRAPPED 400.0
#define CACHE_ARGUMENT "l1d=1K/4,l2=4K/8,l3=16K/16"

static size_t compared, wrong, too_long;
static struct bench *trapped;

static void compare(const struct rc_suite *suite, const struct rc_point *point,
                    enum rc_ideal ideal, double found, struct rc_range expected,
                    double slack)
{
    char text[64];

    compared++;
    if (found >= expected.low - slack && found <= expected.high + slack)
        return;
    wrong++;
    rc_range_put(text, sizeof text, expected, 8);
    printf("%s %s: %s is %.6f, expected %s\n", suite->name, point->name,
           rc_ideal_name(ideal), found, text);
}

/* Counts of n more iterations, for each ideal that has an event: run() does the
 * same beside its iterations each time.  'warm' iterations come before both.
 */
static void count_more(struct bench *bench, const struct rc_suite *suite,
                       struct rc_kernel *kernel, uint64_t warm, uint64_t n,
                       int64_t *count)
{
    for (uint64_t times = 1; times <= 2; times++) {
        if (suite->prepare)
            suite->prepare(kernel);
        bench_run(bench, suite, kernel, warm, times * n);
        for (int i = 0; i < RC_IDEAL_COUNT; i++) {
            const char *event = rc_soft_event_of_ideal((enum rc_ideal)i);
            int64_t now = event ? bench_read(bench, event) : 0;
            count[i] = times == 1 ? now : now - count[i];
        }
    }
}

static void check_exact(struct bench *bench, const struct rc_suite *suite,
                        const struct rc_geometry *geometry,
                        const struct rc_point *point, struct rc_kernel *kernel)
{
    uint64_t n = suite->iterations(REQUEST(geometry), point, EXACT_BUDGET);
    int64_t count[RC_IDEAL_COUNT] = {0};
    struct rc_error err = {.text = ""};

    count_more(bench, suite, kernel, 0, n, count);
    bench_need(suite->verify(kernel, 2 * n, &err), &err);
    for (int i = 0; i < RC_IDEAL_COUNT; i++) {
        enum rc_ideal ideal = (enum rc_ideal)i;
        double expected = rc_expect(suite, REQUEST(geometry), point, ideal);
        if (rc_ideal_exact(ideal) && rc_soft_event_of_ideal(ideal) && !isnan(expected))
            compare(suite, point, ideal, (double)count[i],
                    rc_exactly(expected * (double)n), 1e-6);
    }
}

static bool is_cache_ideal(enum rc_ideal ideal)
{
    return strstr(rc_ideal_suite(ideal), "cache") && !rc_ideal_exact(ideal);
}

static void check_caches(struct bench *bench, const struct rc_suite *suite,
                         const struct rc_geometry *geometry,
                         const struct rc_point *point, struct rc_kernel *kernel)
{
    uint64_t n = suite->iterations(REQUEST(geometry), point, CACHE_BUDGET);
    int64_t count[RC_IDEAL_COUNT] = {0};

    count_more(bench, suite, kernel, 2 * n, n, count);
    for (int i = 0; i < RC_IDEAL_COUNT; i++) {
        enum rc_ideal ideal = (enum rc_ideal)i;
        const struct rc_range expected = suite->expect(REQUEST(geometry), point, ideal);
        if (is_cache_ideal(ideal) && rc_range_says(expected))
            compare(suite, point, ideal, (double)count[i] / (double)n, expected,
                    fmax(0.01, 2 / (double)n));
    }
}

/* Simulated readings depend on where the kernel lies, which differs between two. */
static void check_ways(struct bench *bench, const struct rc_suite *suite,
                       const struct rc_geometry *geometry, const struct rc_point *point,
                       struct rc_kernel *kernel)
{
    uint64_t n = suite->iterations(REQUEST(geometry), point, EXACT_BUDGET);
    struct rc_kernel *twin;
    struct rc_error err = {.text = ""};

    if (!((double)n * rc_expect(suite, REQUEST(geometry), point, RC_IDEAL_INS) <=
          MOST_TRAPPED))
        return;
    bench_need(suite->setup(REQUEST(geometry), point, &twin, &err), &err);
    bench_run(bench, suite, kernel, 0, n);
    bench_run(trapped, suite, twin, 0, n);
    suite->teardown(twin);
    for (size_t i = 0; i < bench->count; i++) {
        if (bench->simulated[i])
            continue;
        compared++;
        if (bench->reading[i].value == trapped->reading[i].value)
            continue;
        wrong++;
        printf("%s %s: %s is %lld, with traps %lld\n", suite->name, point->name,
               bench->name[i], (long long)bench->reading[i].value,
               (long long)trapped->reading[i].value);
    }
}

/* Some points are one piece of work, however long, that no budget divides. */
static bool can_be_stepped(const struct rc_suite *suite,
                           const struct rc_geometry *geometry,
                           const struct rc_point *point)
{
    double n = (double)suite->iterations(REQUEST(geometry), point, EXACT_BUDGET);
    return !(n * rc_expect(suite, REQUEST(geometry), point, RC_IDEAL_INS) >
             MOST_STEPPED);
}

typedef void check(struct bench *bench, const struct rc_suite *suite,
                   const struct rc_geometry *geometry, const struct rc_point *point,
                   struct rc_kernel *kernel);

/* Returns the number of points that could run. */
static size_t check_suite(struct bench *bench, const struct rc_suite *suite, check *how)
{
    const struct rc_geometry *geometry = rc_source_soft.geometry(bench->source);
    struct rc_points points = {0};
    struct rc_error err = {.text = ""};
    size_t ran = 0;

    if (!suite->setup || (suite->usable && suite->usable()))
        return 0;
    bench_need(suite->points(REQUEST(geometry), &points, &err), &err);
    for (size_t i = 0; i < points.count; i++) {
        struct rc_kernel *kernel;
        if (points.point[i].unusable)
            continue;
        if (!can_be_stepped(suite, geometry, &points.point[i])) {
            too_long++;
            continue;
        }
        bench_need(suite->setup(REQUEST(geometry), &points.point[i], &kernel, &err),
                   &err);
        how(bench, suite, geometry, &points.point[i], kernel);
        suite->teardown(kernel);
        ran++;
    }
    rc_points_fini(&points);
    return ran;
}

int main(void)
{
    const char *reason = rc_source_soft.unavailable();
    size_t points = 0;

    if (reason) {
        printf("skipped: %s\n", reason);
        return 77;
    }
    struct bench *bench = bench_open(NULL);
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        if ((*suite)->by_default)
            points += check_suite(bench, *suite, check_exact);
    trapped = bench_open("steps=trapped");
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        (void)check_suite(bench, *suite, check_ways);
    bench_close(trapped);
    bench_close(bench);
    bench = bench_open(CACHE_ARGUMENT);
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++)
        if (strstr((*suite)->name, "cache"))
            points += check_suite(bench, *suite, check_caches);
    bench_close(bench);
    printf("%zu points, %zu counts compared, %zu wrong; %zu points too long to step\n",
           points, compared, wrong, too_long);
    return wrong || !points;
}
