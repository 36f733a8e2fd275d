/* cachegrind.c - a point of a cache suite, for tests/bench/cachegrind.sh
 *
 * cachegrind list: for each point of the suites its name, iterations, and what is
 * expected of an iteration: loads and stores that miss in L1, lines missed in the last
 * cache, lines of code that miss.  cachegrind run SUITE POINT TIMES: warms the caches,
 * then makes TIMES as many iterations.  The caches are those of BYTES below, one level
 * after L1, as cachegrind has them.
 */
#include "kernels/kernel.h"
#include "tests/lib/request.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { L1_BYTES = 4096, L1_WAYS = 8, LAST_BYTES = 65536, LAST_WAYS = 16 };
#define INSTRUCTIONS 200000 /* of a point's iterations, at the most */

static const struct rc_geometry geometry = {
    .l1d = {L1_BYTES, L1_WAYS},
    .l1i = {L1_BYTES, L1_WAYS},
    .l2 = {LAST_BYTES, LAST_WAYS},
    .line_bytes = 64,
    .page_bytes = 4096,
};

static double expected(const struct rc_suite *suite, const struct rc_point *point,
                       enum rc_ideal ideal)
{
    return rc_expect(suite, REQUEST(&geometry), point, ideal);
}

/* Code misses the last cache as lines that miss L1I and do not hit in it; its data do
 * not, and MEM_RD says nothing of code on all points.
 */
static void list_point(const struct rc_suite *suite, const struct rc_point *point)
{
    const double code = expected(suite, point, RC_IDEAL_L1IM),
                 code_last = code - expected(suite, point, RC_IDEAL_L2IH),
                 data_last = strcmp(suite->name, "icache") == 0
                                 ? 0
                                 : expected(suite, point, RC_IDEAL_MEM_RD);

    printf("%s %s %" PRIu64 " %.6f %.6f %.6f %.6f\n", suite->name, point->name,
           suite->iterations(REQUEST(&geometry), point, INSTRUCTIONS),
           expected(suite, point, RC_IDEAL_L1DM),
           expected(suite, point, RC_IDEAL_L1DWM), code_last + data_last, code);
}

static int run_point(const struct rc_suite *suite, const struct rc_point *point,
                     uint64_t times)
{
    const uint64_t n = suite->iterations(REQUEST(&geometry), point, INSTRUCTIONS);
    struct rc_error err = {.text = ""};
    struct rc_kernel *kernel;

    if (suite->setup(REQUEST(&geometry), point, &kernel, &err) != RC_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    suite->run(kernel, n);
    suite->run(kernel, times * n);
    suite->teardown(kernel);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const suites[] = {"dcache", "dcache-write", "icache"};
    const bool list = argc == 2 && strcmp(argv[1], "list") == 0;

    for (size_t s = 0; s < 3; s++) {
        const struct rc_suite *suite = rc_suite_find(suites[s]);
        struct rc_points points = {0};
        struct rc_error err = {.text = ""};
        if (!list && (argc != 5 || strcmp(argv[2], suites[s]) != 0))
            continue;
        if (suite->points(REQUEST(&geometry), &points, &err) != RC_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        for (size_t i = 0; i < points.count; i++)
            if (list)
                list_point(suite, &points.point[i]);
            else if (strcmp(points.point[i].name, argv[3]) == 0)
                return run_point(suite, &points.point[i], strtoull(argv[4], NULL, 10));
        rc_points_fini(&points);
    }
    return !list;
}
