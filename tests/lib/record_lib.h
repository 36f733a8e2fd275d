/* record_lib.h - a small campaign's records, for tests */
#ifndef RC_TESTS_LIB_RECORD_LIB_H
#define RC_TESTS_LIB_RECORD_LIB_H

#include "campaign/records/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLE_EVENTS 5
#define SAMPLE_POINTS ((size_t)3)
#define SAMPLE_GROUPS 3
#define SAMPLE_SUITES 2

static const struct rc_record_source sample_sources[] = {
    {.name = "model",
     .label = "simulated",
     .counter_set = "spr \xff\x01 \n",
     .deterministic = false,
     .simulated = true},
    {.name = "soft", .label = "instruction-exact", .deterministic = true},
};
static const struct rc_record_kind sample_kind = {.name = "kind-\xf0\x9f\x98\x80/..",
                                                  .key = "key of the kind",
                                                  .shape = "package:1 core:2",
                                                  .source = sample_sources,
                                                  .source_count = 2};

/* The last one is of the second source, the others of the first. */
static const struct rc_record_event sample_events[SAMPLE_EVENTS] = {
    {.name = "A:B=1/c,\"d\"\n\xfe",
     .description = "two\nlines",
     .evidence = "core PMU",
     .verdict = RC_VERDICT_OK,
     .simulated = true},
    {.name = "E1", .scope = RC_SCOPE_PACKAGE, .verdict = RC_VERDICT_OK},
    {.name = "E2",
     .scope = RC_SCOPE_DEVICE,
     .verdict = RC_VERDICT_NOT_PERMITTED,
     .reason = "no right"},
    {.name = "REFERENCE", .verdict = RC_VERDICT_COUNTS_NOTHING},
    {.name = "INS", .source = 1, .verdict = RC_VERDICT_OK, .simulated = true},
};

static const uint32_t sample_members[] = {0, 1, 3, 2, 3, 4};
static const struct rc_record_group sample_groups[SAMPLE_GROUPS] = {
    {.event = sample_members, .count = 3, .own = 2},
    {.scope = RC_SCOPE_DEVICE, .event = sample_members + 3, .count = 2, .own = 2},
    {.source = 1, .event = sample_members + 5, .count = 1, .own = 1},
};

static const int64_t sample_axes[SAMPLE_POINTS][2] = {
    {0, INT64_MIN}, {-1, INT64_MAX}, {7, 64}};
static const struct rc_record_point sample_points[SAMPLE_POINTS] = {
    {"p0", sample_axes[0]}, {"p\xff", sample_axes[1]}, {"", sample_axes[2]}};
static const char *const sample_axis_names[] = {"size", "stride %"};
static const char *const sample_ideals[] = {"L1DM", "INS"};
static const double sample_basis[SAMPLE_POINTS][2] = {
    {0.5, NAN}, {INFINITY, -0.0}, {1e300, 3}};
static const double sample_low[SAMPLE_POINTS][2] = {
    {0.5, 0}, {INFINITY, 2.5}, {1e300, 3}};
static const double sample_high[SAMPLE_POINTS][2] = {
    {0.5, 7}, {INFINITY, INFINITY}, {1e300, 3}};
static const uint64_t sample_iterations[2][SAMPLE_POINTS] = {{1, UINT64_MAX, 3},
                                                             {0, 20, 30}};

static inline struct rc_record_suite sample_suite(const char *name)
{
    return (struct rc_record_suite){.name = name,
                                    .summary = "a suite",
                                    .footprint = 2,
                                    .all_cores = true,
                                    .axes = sample_axis_names,
                                    .axis_count = 2,
                                    .point = sample_points,
                                    .point_count = SAMPLE_POINTS,
                                    .ideals = sample_ideals,
                                    .ideal_count = 2,
                                    .own_count = 1,
                                    .basis = sample_basis[0],
                                    .bound_rows = SAMPLE_POINTS,
                                    .low = sample_low[0],
                                    .high = sample_high[0],
                                    .iterations = sample_iterations[0],
                                    .source_count = 2};
}

static const char *const sample_suites[SAMPLE_SUITES] = {"flops", "dcache"};

/* A unit with readings that follow from 'salt'. */
#define SAMPLE_REPETITIONS ((size_t)4)
struct sample_unit {
    struct rc_record_unit unit;
    struct rc_record_readings readings;
    int64_t values[SAMPLE_EVENTS * SAMPLE_REPETITIONS * SAMPLE_POINTS];
    uint64_t enabled[SAMPLE_EVENTS * SAMPLE_REPETITIONS];
    uint64_t running[SAMPLE_EVENTS * SAMPLE_REPETITIONS];
    uint8_t status[SAMPLE_EVENTS * SAMPLE_REPETITIONS];
};

static inline void sample_fill(struct sample_unit *out, uint32_t suite, uint32_t group,
                               uint32_t repetitions, uint64_t salt)
{
    *out = (struct sample_unit){
        .unit = {.suite = suite,
                 .group = group,
                 .place = "",
                 .node = "n1",
                 .core = 3,
                 .cpu = 7,
                 .tries = 2,
                 .begin_ns = UINT64_C(1763726400000000000) + salt,
                 .wall_ns = 1000000 + salt,
                 .kernel_ns = 900000,
                 .status = RC_UNIT_OK,
                 .stop = RC_STOP_PRECISE,
                 .events = (uint32_t)sample_groups[group].count,
                 .repetitions = repetitions,
                 .points = (uint32_t)SAMPLE_POINTS},
    };
    out->unit.kind = rc_record_kind_id(sample_kind.key);
    out->readings = (struct rc_record_readings){out->values, out->enabled, out->running,
                                                out->status};
    const size_t rows = out->unit.events * repetitions;
    for (size_t i = 0; i < rows; i++) {
        out->enabled[i] = 1000 + salt + i;
        out->running[i] = 1000 + salt + i - (i % 3 == 2);
        out->status[i] = i % 3 == 2 ? RC_READING_MULTIPLEXED : RC_READING_OK;
    }
    for (size_t i = 0; i < rows * SAMPLE_POINTS; i++)
        out->values[i] = (int64_t)(salt * 1000 + group * 100 + i);
}

/* The records before the units, one after another; RC_OK when there is none. */
static inline int sample_put(size_t index, uint32_t *type, struct rc_bytes *out,
                             struct rc_error *err)
{
    static const struct rc_record_campaign campaign = {
        .spec = "suites: [flops]\n", .created_by = "rollcall test", .unix_time = 12345};
    static const struct rc_record_run run = {.unix_time = 12346,
                                             .ranks = 4,
                                             .nodes = 2,
                                             .created_by = "rollcall test",
                                             .units_left = 6};
    static const struct rc_record_operand operands[] = {
        {.campaign = {"campaign before"},
         .name = "name \n\xff",
         .created_by = "rollcall 0",
         .unix_time = -1,
         .directory = "../a"},
        {.directory = "b"},
    };
    static const struct rc_record_origin origin = {.operation = RC_OPERATION_MEAN,
                                                   .unix_time = 12347,
                                                   .created_by = "rollcall test",
                                                   .operand = operands,
                                                   .operand_count = 2};
    const uint64_t kind = rc_record_kind_id(sample_kind.key);
    struct rc_record_suite suite;

    switch (index) {
    case 0:
        *type = RC_RECORD_CAMPAIGN;
        return rc_record_put(RC_RECORD_CAMPAIGN, &campaign, out, err);
    case 1:
        *type = RC_RECORD_KIND;
        return rc_record_put(RC_RECORD_KIND, &sample_kind, out, err);
    case 2:
        *type = RC_RECORD_EVENTS;
        return rc_record_put_list(RC_RECORD_EVENTS, kind, 0, sample_events,
                                  SAMPLE_EVENTS, out, err);
    case 3:
    case 4:
        *type = RC_RECORD_SUITE;
        suite = sample_suite(sample_suites[index - 3]);
        return rc_record_put_list(RC_RECORD_SUITE, kind, index - 3, &suite, 1, out,
                                  err);
    case 5:
        *type = RC_RECORD_GROUPS;
        return rc_record_put_list(RC_RECORD_GROUPS, kind, 0, sample_groups,
                                  SAMPLE_GROUPS, out, err);
    case 8:
        *type = RC_RECORD_ORIGIN;
        return rc_record_put(RC_RECORD_ORIGIN, &origin, out, err);
    default:
        *type = index == 6 ? RC_RECORD_RUN : RC_RECORD_END;
        return rc_record_put(RC_RECORD_RUN, &run, out, err);
    }
}
#define SAMPLE_RECORDS 9

#endif
