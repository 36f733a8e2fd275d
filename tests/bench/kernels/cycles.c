/* cycles - how long an instruction of the suite 'cycles' takes, on each of its points
 *
 * bench_cycles [RUNS].  Prints the fastest of so many runs (1,000) of each point, in ns
 * for each instruction of its chain, and how many chained additions of the first point
 * that is.  Additions must all be 1: what is known of cycles rests on that.
 */
#include "campaign/base/clock.h"
#include "kernels/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double time_each(const struct rc_suite *suite, const struct rc_point *point,
                        int runs)
{
    const uint64_t n = suite->iterations(&rc_request_default, point, 0);
    struct rc_kernel *kernel;
    struct rc_error err;
    double best = INFINITY;

    if (suite->setup(&rc_request_default, point, &kernel, &err) != RC_OK)
        return NAN;
    for (int i = 0; i < runs; i++) {
        const uint64_t began = rc_clock_ns();
        suite->run(kernel, n);
        best = fmin(best, (double)(rc_clock_ns() - began));
    }
    const bool right = suite->verify(kernel, n, &err) == RC_OK;
    suite->teardown(kernel);
    return right ? best / (double)n / (double)point->axis[1] : NAN;
}

int main(int argc, char **argv)
{
    const struct rc_suite *suite = rc_suite_find("cycles");
    struct rc_points points = {0};
    struct rc_error err;
    double first = 0;

    if (suite->points(&rc_request_default, &points, &err) != RC_OK)
        return 1;
    for (size_t i = 0; i < points.count; i++) {
        const double each =
            time_each(suite, &points.point[i], argc > 1 ? atoi(argv[1]) : 1000);
        first = first > 0 ? first : each;
        printf("%-12s %.4f ns  %.3f\n", points.point[i].name, each, each / first);
    }
    rc_points_fini(&points);
    return 0;
}
