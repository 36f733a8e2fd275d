/* soft_bench.h - all events of the soft source in one group, for tests
 *
 * A failure ends the test program with a line that says what.
 */
#ifndef RC_TESTS_UNIT_KERNELS_SOFT_BENCH_H
#define RC_TESTS_UNIT_KERNELS_SOFT_BENCH_H

#include "campaign/sources/soft/soft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BENCH_EVENTS 1024

struct bench {
    struct rc_event_sink sink;
    struct rc_source_state *source;
    struct rc_group_state *group;
    char *name[BENCH_EVENTS];
    bool simulated[BENCH_EVENTS];
    struct rc_reading reading[BENCH_EVENTS];
    size_t count;
    _Alignas(4096) uint8_t buffer[16384];
};

static inline void bench_need(int status, const struct rc_error *err)
{
    if (status == RC_OK)
        return;
    fprintf(stderr, "soft: %s\n", err->text);
    exit(1);
}

static inline int bench_keep(struct rc_event_sink *sink,
                             const struct rc_event_info *info, struct rc_error *err)
{
    struct bench *bench = (struct bench *)sink;

    if (bench->count == BENCH_EVENTS)
        return rc_fail(err, RC_ENOMEM, "more events than expected");
    bench->simulated[bench->count] = info->simulated;
    bench->name[bench->count++] = strdup(info->name);
    return RC_OK;
}

static inline struct bench *bench_open(const char *argument)
{
    const struct rc_source_setup setup = {.argument = argument};
    const struct rc_enumerate plain = {.qualifiers = RC_QUALIFIERS_NONE};
    struct rc_error err = {.text = "no memory"};
    size_t bytes = (sizeof(struct bench) + 4095) / 4096 * 4096;
    struct bench *bench = aligned_alloc(4096, bytes);
    uint32_t events[BENCH_EVENTS];

    bench_need(bench ? RC_OK : RC_ENOMEM, &err);
    memset(bench, 0, bytes);
    bench->sink.add = bench_keep;
    bench_need(rc_source_soft.open(&setup, &bench->source, &err), &err);
    bench_need(rc_source_soft.enumerate(bench->source, &plain, &bench->sink, &err),
               &err);
    for (uint32_t i = 0; i < bench->count; i++)
        events[i] = i;
    bench_need(
        rc_source_soft.arm(bench->source, events, bench->count, &bench->group, &err),
        &err);
    return bench;
}

static inline void bench_close(struct bench *bench)
{
    rc_source_soft.disarm(bench->group);
    rc_source_soft.close(bench->source);
    for (size_t i = 0; i < bench->count; i++)
        free(bench->name[i]);
    free(bench);
}

/* Counts inside run() only.  'warm' iterations come first and are forgotten. */
static inline void bench_run(struct bench *bench, const struct rc_suite *suite,
                             void *kernel, uint64_t warm, uint64_t iterations)
{
    const struct rc_measurement what = {.suite = suite};
    struct rc_error err = {.text = ""};

    bench_need(rc_source_soft.start(bench->group, &what, &err), &err);
    if (warm) {
        suite->run(kernel, warm);
        bench_need(rc_source_soft.zero(bench->group, &err), &err);
    }
    suite->run(kernel, iterations);
    bench_need(rc_source_soft.stop(bench->group, bench->reading, &err), &err);
}

/* By the full name. */
static inline int64_t bench_read(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->count; i++)
        if (strcmp(bench->name[i], name) == 0)
            return bench->reading[i].value;
    fprintf(stderr, "no event '%s'\n", name);
    exit(1);
}

#endif
