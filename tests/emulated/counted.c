/* counted EVENT [MOST]: runs every point of every suite and compares the instructions
 * that a hardware counter saw with those that the kernel expects, as differences of two
 * runs. Points whose shortest measurement takes more than MOST instructions are not
 * run. Prints a row for each suite, with the readings that were above the least of
 * their run, and each point that deviates.  1: a point deviates, or readings of one run
 * differ.  77: the event is not here.
 */
#include "campaign/sources/source.h"
#include "kernels/kernel.h"
#include "tests/lib/request.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RUN 20000000 /* where MOST is not said: the emulator is slow */
#define WANTED 20000      /* instructions of a run, where the point can be so short */
#define READINGS 2        /* of each run, after one that touches what it needs */

struct sink {
    struct rc_event_sink sink;
    const char *wanted;
    uint32_t count, found;
};

struct totals {
    size_t ran, deviating, readings, disturbed;
    double expected, counted, most;
};

static const struct rc_source *papi;
static uint64_t most_run = MOST_RUN;

static int find_event(struct rc_event_sink *sink, const struct rc_event_info *info,
                      struct rc_error *err)
{
    struct sink *s = (struct sink *)sink;

    (void)err;
    if (strcmp(info->name, s->wanted) == 0)
        s->found = s->count;
    s->count++;
    return RC_OK;
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "counted: %s: %s\n", what, why);
    return -1;
}

/* One reading of a run, or -1. */
static int64_t count_once(struct rc_group_state *group, const struct rc_suite *suite,
                          struct rc_kernel *kernel, uint64_t times)
{
    struct rc_reading reading;
    struct rc_error err;

    if (suite->prepare)
        suite->prepare(kernel);
    if (papi->start(group, NULL, &err) != RC_OK)
        return complain("start", err.text);
    suite->run(kernel, times);
    if (papi->stop(group, &reading, &err) != RC_OK)
        return complain("stop", err.text);
    if (reading.running_ns != reading.enabled_ns)
        return complain("stop", "it did not count all the time");
    return suite->verify(kernel, times, &err) == RC_OK ? reading.value
                                                       : complain("verify", err.text);
}

/* The smallest of several readings, or -1. */
static int64_t count_run(struct rc_group_state *group, const struct rc_suite *suite,
                         struct rc_kernel *kernel, uint64_t times,
                         struct totals *totals)
{
    int64_t value[READINGS], least = INT64_MAX;

    if (count_once(group, suite, kernel, times) < 0)
        return -1;
    for (size_t i = 0; i < READINGS; i++) {
        value[i] = count_once(group, suite, kernel, times);
        least = value[i] < least ? value[i] : least;
    }
    for (size_t i = 0; i < READINGS; i++)
        totals->disturbed += value[i] > least;
    totals->readings += READINGS;
    return least;
}

static int count_point(struct rc_group_state *group, const struct rc_suite *suite,
                       const struct rc_point *point, struct totals *totals)
{
    const struct rc_geometry *geometry = &rc_request_default.geometry;
    uint64_t n = suite->iterations(REQUEST(geometry), point, WANTED);
    double expected =
        (double)n * rc_expect(suite, REQUEST(geometry), point, RC_IDEAL_INS);
    struct rc_kernel *kernel;
    struct rc_error err;

    if (suite->setup(REQUEST(geometry), point, &kernel, &err) != RC_OK)
        return complain(point->name, err.text);
    int64_t once = count_run(group, suite, kernel, n, totals);
    int64_t twice = count_run(group, suite, kernel, 2 * n, totals);
    suite->teardown(kernel);
    if (once < 0 || twice < 0)
        return complain(suite->name, point->name);
    double counted = (double)(twice - once);
    double deviation = fabs(counted - expected);
    totals->ran++;
    totals->expected += expected;
    totals->counted += counted;
    totals->deviating += deviation >= 0.5;
    totals->most = fmax(totals->most, deviation);
    if (deviation >= 0.5)
        printf("  %s, %s: %.0f counted, %.0f expected\n", suite->name, point->name,
               counted, expected);
    return 0;
}

static int count_suite(struct rc_group_state *group, const struct rc_suite *suite)
{
    struct rc_points points = {0};
    struct totals totals = {0};
    struct rc_error err;
    size_t usable = 0;
    int status = 0;

    if (suite->points(&rc_request_default, &points, &err) != RC_OK)
        return complain(suite->name, err.text);
    for (size_t i = 0; i < points.count && status == 0; i++) {
        if (points.point[i].unusable)
            continue;
        usable++;
        if (rc_point_fits(suite, &rc_request_default, &points.point[i], most_run))
            status = count_point(group, suite, &points.point[i], &totals);
    }
    printf("%-14s %6zu %6zu %12.0f %12.0f %9.0f %8zu %9zu\n", suite->name, usable,
           totals.ran, totals.expected, totals.counted, totals.most, totals.readings,
           totals.disturbed);
    fflush(stdout);
    rc_points_fini(&points);
    return status == 0 && totals.ran > 0 && totals.deviating + totals.disturbed == 0
               ? 0
               : -1;
}

static int count_all(struct rc_group_state *group)
{
    int failed = 0;

    printf("%-14s %6s %6s %12s %12s %9s %8s %9s\n", "suite", "points", "run",
           "expected", "counted", "deviation", "readings", "disturbed");
    for (const struct rc_suite *const *suite = rc_suites(); *suite; suite++) {
        const char *why = (*suite)->usable ? (*suite)->usable() : NULL;
        if (why)
            printf("%-14s not here: %s\n", (*suite)->name, why);
        else
            failed |= count_suite(group, *suite);
    }
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct sink sink = {.sink.add = find_event,
                        .wanted = argc > 1 ? argv[1] : "perf::INSTRUCTIONS",
                        .found = UINT32_MAX};
    struct rc_source_setup setup = {0};
    struct rc_enumerate what = {0};
    struct rc_source_state *state;
    struct rc_group_state *group;
    struct rc_error err = {0};

    if (argc > 2)
        most_run = strtoull(argv[2], NULL, 10);
    papi = rc_source_find("papi");
    if (papi->open(&setup, &state, &err) != RC_OK ||
        papi->enumerate(state, &what, &sink.sink, &err) != RC_OK) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    if (sink.found == UINT32_MAX ||
        papi->arm(state, &sink.found, 1, &group, &err) != RC_OK) {
        printf("skipped: %s does not count here: %s\n", sink.wanted, err.text);
        papi->close(state);
        return 77;
    }
    int status = count_all(group);
    papi->disarm(group);
    papi->close(state);
    return status;
}
