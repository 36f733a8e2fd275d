/* detours_lib.h - a small record of detours, for tests */
#ifndef RC_TESTS_LIB_DETOURS_LIB_H
#define RC_TESTS_LIB_DETOURS_LIB_H

#include "campaign/records/detours.h"

#include <string.h>

/* 1 s of a loop with three detours, the last of which ends with it.  All is borrowed.
 */
static inline struct rc_noise_detours sample_detours(void)
{
    static uint32_t bin[] = {0, 400, 401, 1919};
    static uint64_t bin_count[] = {1, 999990, 8, 1};
    static struct rc_detour detour[] = {
        {0, 1500}, {1500, 2000}, {UINT64_C(999000000), 1000000}};
    static uint16_t who[] = {0, 3, 2};
    static const char *name[] = {"", "unattributed (firmware, host)", "host",
                                 "thread thief \xff:2211"};
    static struct rc_noise_total total[] = {{"interrupt LOC", 250},
                                            {"steal ms", UINT64_MAX}};
    static struct rc_noise_condition condition[] = {{"policy", "fifo 50"},
                                                    {"cpu.max", "50000 100000"},
                                                    {"memory", "not locked: no right"}};
    static const struct rc_clock_offset clock[] = {{INT64_MIN, -5, 7},
                                                   {12, INT64_MAX, 0}};
    static uint64_t pace_ps[] = {20000000, 0, UINT64_MAX},
                    pace_hz[] = {3000000000, 1, 0};

    return (struct rc_noise_detours){.node = "n1",
                                     .core = 3,
                                     .round = 2,
                                     .work = "flops",
                                     .point = "dp-fma",
                                     .iterations = 7,
                                     .alone = true,
                                     .unix_time = -1,
                                     .begin_ns = UINT64_MAX,
                                     .duration_ns = 1000000000,
                                     .gaps = 1000000,
                                     .median_gap_ps = 10000,
                                     .tau_ns = 1000,
                                     .stolen_ns = 1003500,
                                     .dropped = 1,
                                     .faults = 2,
                                     .switches = 3,
                                     .bin = bin,
                                     .bin_count = bin_count,
                                     .bins = 4,
                                     .detour = detour,
                                     .who = who,
                                     .count = 3,
                                     .name = name,
                                     .names = 4,
                                     .pace_ps = pace_ps,
                                     .pace_hz = pace_hz,
                                     .paces = 3,
                                     .total = total,
                                     .totals = 2,
                                     .condition = condition,
                                     .conditions = 3,
                                     .clock = clock,
                                     .clocks = 2};
}

/* Whether two are the same in all that is a list. */
static inline bool same_lists(const struct rc_noise_detours *a,
                              const struct rc_noise_detours *b)
{
    bool same = a->bins == b->bins && a->count == b->count && a->paces == b->paces &&
                a->names == b->names && a->totals == b->totals &&
                a->conditions == b->conditions && a->clocks == b->clocks;

    for (size_t i = 0; same && i < a->bins; i++)
        same = a->bin[i] == b->bin[i] && a->bin_count[i] == b->bin_count[i];
    for (size_t i = 0; same && i < a->count; i++)
        same = a->detour[i].start_ns == b->detour[i].start_ns &&
               a->detour[i].length_ns == b->detour[i].length_ns &&
               a->who[i] == b->who[i];
    for (size_t i = 0; same && i < a->paces; i++)
        same = a->pace_ps[i] == b->pace_ps[i] && a->pace_hz[i] == b->pace_hz[i];
    for (size_t i = 0; same && i < a->names; i++)
        same = strcmp(a->name[i], b->name[i]) == 0;
    for (size_t i = 0; same && i < a->totals; i++)
        same = strcmp(a->total[i].name, b->total[i].name) == 0 &&
               a->total[i].count == b->total[i].count;
    for (size_t i = 0; same && i < a->conditions; i++)
        same = strcmp(a->condition[i].name, b->condition[i].name) == 0 &&
               strcmp(a->condition[i].value, b->condition[i].value) == 0;
    for (size_t i = 0; same && i < a->clocks; i++)
        same = a->clock[i].at_ns == b->clock[i].at_ns &&
               a->clock[i].low_ns == b->clock[i].low_ns &&
               a->clock[i].high_ns == b->clock[i].high_ns;
    return same;
}

#endif
