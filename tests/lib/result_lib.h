/* result_lib.h - results that no solve ever had: every verdict, class and use, and
 * names of events that break whoever takes them apart.
 */
#ifndef RC_TESTS_LIB_RESULT_LIB_H
#define RC_TESTS_LIB_RESULT_LIB_H

#include "tests/lib/test.h"

#include "io/metrics/metrics.h"

#include <math.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static const struct rc_store_campaign result_campaign = {
    .id = "0123456789abcdef0123456789abcdef",
    .created_by = "test 1.0",
    .spec = "source: model:spr\n",
    .source_labels = (const char *const[]){"model: simulated", "papi: real"},
    .source_label_count = 2,
    .simulated = true,
};

#define LONG_50 "a_name_of_fifty_bytes_which_is_taken_several_times"
#define EVENT_LONG                                                                     \
    LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50 LONG_50    \
        LONG_50 LONG_50

enum {
    EV_SCALAR,
    EV_128,
    EV_256,
    EV_512,
    EV_INSTRUCTIONS,
    EV_COMMAS,
    EV_PIPE,
    EV_QUOTE,
    EV_NEWLINE,
    EV_BYTES,
    EV_EQUALS,
    EV_LONG,
    EV_ACCENT,
    EV_CONTROL,
    EV_SLASH,
    EV_OPERATORS,
    EV_OTHER_SOURCE,
    EV_PLAIN, /* and after it, for metrics of many terms */
    EV_COUNT = EV_PLAIN + 14
};

static const struct rc_store_event result_events[EV_COUNT] = {
#define EV(number, event, from)                                                        \
    [number] = {.name = (event),                                                       \
                .source = (from),                                                      \
                .description = "what it counts",                                       \
                .evidence = "made up",                                                 \
                .scope = RC_SCOPE_CORE,                                                \
                .verdict = RC_VERDICT_OK,                                              \
                .simulated = true}
    EV(EV_SCALAR, "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE", "papi"),
    EV(EV_128, "FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE", "papi"),
    EV(EV_256, "FP_ARITH_INST_RETIRED:256B_PACKED_DOUBLE", "papi"),
    EV(EV_512, "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE", "papi"),
    EV(EV_INSTRUCTIONS, "perf::INSTRUCTIONS:u=0:k=1", "papi"),
    EV(EV_COMMAS, "with,commas,", "papi"),
    EV(EV_PIPE, "a|pipe", "papi"),
    EV(EV_QUOTE, "say \"hi\"", "papi"),
    EV(EV_NEWLINE, "new\nline\r\tand tab", "papi"),
    EV(EV_BYTES, "bytes \xff\xfe", "papi"),
    EV(EV_EQUALS, "=1+2 & <spaces>  ", "papi"),
    EV(EV_LONG, EVENT_LONG, "papi"),
    EV(EV_ACCENT, "caf\xc3\xa9", "papi"),
    EV(EV_CONTROL, "bell\x07 and \x7f", "papi"),
    EV(EV_SLASH, ".slash/and%41\\", "papi"),
    EV(EV_OPERATORS, "cpu@event=0x1-*#x@", "papi"),
    EV(EV_OTHER_SOURCE, "l1d misses, simulated", "soft"),
    EV(EV_PLAIN, "MEM_INST_RETIRED:ALL_LOADS", "papi"),
    EV(EV_PLAIN + 1, "MEM_INST_RETIRED:ALL_STORES", "papi"),
    EV(EV_PLAIN + 2, "BR_INST_RETIRED:ALL_BRANCHES", "papi"),
    EV(EV_PLAIN + 3, "BR_MISP_RETIRED:ALL_BRANCHES", "papi"),
    EV(EV_PLAIN + 4, "MEM_LOAD_RETIRED:L1_HIT", "papi"),
    EV(EV_PLAIN + 5, "MEM_LOAD_RETIRED:L1_MISS", "papi"),
    EV(EV_PLAIN + 6, "MEM_LOAD_RETIRED:L2_HIT", "papi"),
    EV(EV_PLAIN + 7, "MEM_LOAD_RETIRED:L2_MISS", "papi"),
    EV(EV_PLAIN + 8, "MEM_LOAD_RETIRED:L3_HIT", "papi"),
    EV(EV_PLAIN + 9, "MEM_LOAD_RETIRED:L3_MISS", "papi"),
    EV(EV_PLAIN + 10, "UOPS_ISSUED:ANY", "papi"),
    EV(EV_PLAIN + 11, "L1D:REPLACEMENT", "papi"),
    EV(EV_PLAIN + 12, "DTLB_LOAD_MISSES:WALK_COMPLETED", "papi"),
    EV(EV_PLAIN + 13, "ITLB_MISSES:WALK_COMPLETED", "papi"),
#undef EV
};

static const struct rc_store_kind result_kinds[] = {
    {.name = "made-up cpu, model 1/2",
     .key = "key; perf_event 8: perf, clx",
     .shape = "core:2",
     .nodes = (const char *const[]){"n0", "n1"},
     .node_count = 2,
     .events = result_events,
     .event_count = EV_COUNT},
    {.name = "other",
     .key = "other",
     .shape = "core:1",
     .nodes = (const char *const[]){"n2"},
     .node_count = 1,
     .events = result_events,
     .event_count = 2},
    {.name = "without events", .key = "none", .shape = "core:1"},
};

/* The name of a term is that of its event; see result_prepare(). */
#define TERM(number, c, r)                                                             \
    {                                                                                  \
        .event = (number), .coefficient = (c), .rounded = (r), .low = (c)-0.25,        \
        .high = (c) + 0.25                                                             \
    }
#define TERMS(list) .term = (list), .term_count = COUNT_OF(list)

static struct rc_term terms_ops[] = {TERM(EV_SCALAR, 1, 1), TERM(EV_128, 2.0000001, 2),
                                     TERM(EV_256, 3.9999, 4), TERM(EV_512, 8, 8)};
static struct rc_term terms_close[] = {TERM(EV_SCALAR, 0.98, 1),
                                       TERM(EV_128, 0.01, 0.01)};
static struct rc_term terms_absent[] = {TERM(EV_SCALAR, 0.8, 0.8),
                                        TERM(EV_128, 0.8, 0.8)};
static struct rc_term terms_false[] = {TERM(EV_INSTRUCTIONS, -0.97, -1),
                                       TERM(EV_SCALAR, 1.4, 1.4)};
static struct rc_term terms_single[] = {TERM(EV_INSTRUCTIONS, 1, 1)};
static struct rc_term terms_sum[] = {TERM(EV_SCALAR, 1, 1), TERM(EV_128, 1, 1)};
static struct rc_term terms_difference[] = {TERM(EV_128, -1, -1), TERM(EV_256, 1, 1),
                                            TERM(EV_512, -1, -1)};
static struct rc_term terms_weighted[] = {TERM(EV_128, -2, -2), TERM(EV_256, 3, 3),
                                          TERM(EV_SCALAR, 0.001, 0),
                                          TERM(EV_512, 1, 1)};
static struct rc_term terms_negative[] = {TERM(EV_128, -1, -1)};
static struct rc_term terms_half[] = {TERM(EV_SCALAR, 0.5, 0.5)};
static struct rc_term terms_unrounded[] = {TERM(EV_SCALAR, 1.0123456789, 1)};
static struct rc_term terms_sources[] = {TERM(EV_SCALAR, 1, 1),
                                         TERM(EV_OTHER_SOURCE, 1, 1)};
static struct rc_term terms_names[] = {
    TERM(EV_INSTRUCTIONS, 1, 1), TERM(EV_PIPE, 1, 1),   TERM(EV_QUOTE, 1, 1),
    TERM(EV_EQUALS, 1, 1),       TERM(EV_ACCENT, 1, 1), TERM(EV_SLASH, 1, 1),
    TERM(EV_OPERATORS, 1, 1)};
static struct rc_term terms_commas[] = {TERM(EV_COMMAS, 1, 1)};
static struct rc_term terms_newline[] = {TERM(EV_NEWLINE, 1, 1)};
static struct rc_term terms_bytes[] = {TERM(EV_BYTES, 1, 1)};
static struct rc_term terms_control[] = {TERM(EV_CONTROL, 1, 1)};
static struct rc_term terms_long[] = {TERM(EV_LONG, 1, 1)};
static struct rc_term terms_13[] = {
    TERM(EV_PLAIN, 1, 1),      TERM(EV_PLAIN + 1, 1, 1),  TERM(EV_PLAIN + 2, 1, 1),
    TERM(EV_PLAIN + 3, 1, 1),  TERM(EV_PLAIN + 4, 1, 1),  TERM(EV_PLAIN + 5, 1, 1),
    TERM(EV_PLAIN + 6, 1, 1),  TERM(EV_PLAIN + 7, 1, 1),  TERM(EV_PLAIN + 8, 1, 1),
    TERM(EV_PLAIN + 9, 1, 1),  TERM(EV_PLAIN + 10, 1, 1), TERM(EV_PLAIN + 11, 1, 1),
    TERM(EV_PLAIN + 12, 1, 1),
};

static struct rc_metric_check checks_ops[] = {
    {.suite = "flops/a", .points = 3, .error = 1e-16, .rounded = 0, .passed = true},
    {.suite = "branch", .points = 11, .error = 2e-16, .rounded = 0, .passed = true}};
static struct rc_metric_check checks_false[] = {
    {.suite = "branch", .points = 11, .error = 0.9, .rounded = 0.9, .passed = false},
    {.suite = "gone", .points = 0, .error = NAN, .rounded = NAN, .passed = false}};
static double result_values[] = {0.5, NAN, 2}, result_values_low[] = {0.25, NAN, 1.5},
              result_values_high[] = {1, NAN, 2.5};

static struct rc_metric_result result_metrics[] = {
    {.name = "DP operations",
     .description = "double precision operations",
     .signature = "D_SCAL + 2 D_128",
     .preset = "PAPI_DP_OPS",
     .verdict = RC_METRIC_DEFINED,
     .error = 1.5e-16,
     .rounded_holds = true,
     TERMS(terms_ops),
     .check = checks_ops,
     .check_count = 2,
     .alone = (const size_t[]){EV_LONG, EV_BYTES},
     .alone_name = (const char *const[]){EVENT_LONG, "bytes \xff\xfe"},
     .alone_count = 2},
    {.name = "close",
     .signature = "D_SCAL",
     .verdict = RC_METRIC_APPROXIMATE,
     .reason = "within 2 %",
     .error = 0.02,
     TERMS(terms_close)},
    {.name = "absent",
     .signature = "DF_SCAL",
     .verdict = RC_METRIC_ABSENT,
     .reason = "no combination of events",
     .error = 0.236,
     TERMS(terms_absent)},
    {.name = "false",
     .signature = "SF_SCAL",
     .verdict = RC_METRIC_REJECTED,
     .reason = "wrong in suite 'branch': error 0.9",
     .error = 0.067,
     TERMS(terms_false),
     .check = checks_false,
     .check_count = 2},
    {.name = "unknown",
     .signature = "nothing known",
     .verdict = RC_METRIC_UNKNOWN,
     .reason = "no point has it",
     .error = NAN},
    {.name = "single",
     .preset = "PAPI_TOT_INS",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_single)},
    {.name = "sum of two",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_sum)},
    {.name = "difference",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_difference)},
    {.name = "weighted difference",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_weighted)},
    {.name = "negative",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_negative)},
    {.name = "half",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_half)},
    {.name = "not to be rounded", .verdict = RC_METRIC_DEFINED, TERMS(terms_unrounded)},
    {.name = "two sources",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_sources)},
    {.name = "of, \"names\" | with: 100% of = everything; \xc3\xa4",
     .description = "a, \"description\"\nof two lines",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_names)},
    {.name = "commas",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_commas)},
    {.name = "newline",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_newline)},
    {.name = "bytes",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_bytes)},
    {.name = "control",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_control)},
    {.name = "long",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_long)},
    {.name = "thirteen",
     .verdict = RC_METRIC_DEFINED,
     .rounded_holds = true,
     TERMS(terms_13)},
    {.name = "operations per instruction",
     .formula = "[DP operations] / [single]",
     .verdict = RC_METRIC_DEFINED,
     .error = NAN,
     .input = (const char *const[]){"DP operations", "single"},
     .input_count = 2,
     .value = result_values,
     .value_low = result_values_low,
     .value_high = result_values_high},
    {.name = "of false ones",
     .formula = "[false] / [absent]",
     .verdict = RC_METRIC_REJECTED,
     .reason = "'false' is rejected",
     .error = NAN,
     .input = (const char *const[]){"false", "absent"},
     .input_count = 2},
};

static struct rc_chosen result_chosen[] = {
    {.event = EV_SCALAR,
     .name = "FP_ARITH_INST_RETIRED:SCALAR_DOUBLE",
     .score = 1,
     .norm = 1,
     .coordinate = (const double[]){1, 0, 0, 0.5},
     .other = (const size_t[]){EV_LONG, EV_NEWLINE},
     .other_name = (const char *const[]){EVENT_LONG, "new\nline\r\tand tab"},
     .other_count = 2,
     .others = 100},
    {.event = EV_BYTES,
     .name = "bytes \xff\xfe",
     .score = 2.5,
     .norm = 0.25,
     .coordinate = (const double[]){0, 1, NAN, 0},
     .completes = true},
};

static const char *const result_reasons[] = {"", "differs by 0.2",
                                             "counts 'x', elsewhere"};

/* Two rates on 2 nodes, 4 repetitions and 3 points: numbers that tell where they are.
 */
static double result_rate_values[2][2][4][3], result_rate_over[2][5][2][3];
#define RATE(number, called, of_unit, by, from)                                        \
    {                                                                                  \
        .name = (called), .unit = (of_unit), .convention = (by), .formula = (from),    \
        .suite = "flops/a", .node = (const char *const[]){"node 1", "say \"n\"\n"},    \
        .node_count = 2, .repetitions = 4,                                             \
        .point = (const char *const[]){"p0", "p1", "p2"}, .point_count = 3,            \
        .axis = (const char *const[]){"bytes", "workers"}, .axis_count = 2,            \
        .parameter = (const int64_t[]){1, 2, 3, -4, INT64_MAX, 0},                     \
        .values = &result_rate_values[number][0][0][0],                                \
        .least = &result_rate_over[number][0][0][0],                                   \
        .median = &result_rate_over[number][1][0][0],                                  \
        .best = &result_rate_over[number][2][0][0],                                    \
        .low = &result_rate_over[number][3][0][0],                                     \
        .high = &result_rate_over[number][4][0][0]                                     \
    }
static struct rc_rate_result result_rates[] = {
    RATE(0, "bandwidth", "GB/s", "stream", "workers * B_STREAM / 'time::wall'"),
    RATE(1, "a, \"b\"\n<c>", "", "", "1"),
};

static struct rc_suite_result result_suites[] = {
    {.suite = "flops/a",
     .coordinate = (const char *const[]){"D_SCAL", "D_128", "INS", "loop, %"},
     .coordinate_count = 4,
     .ideal_count = 3,
     .left_out = (const char *const[]){"D_512"},
     .left_out_count = 1,
     .point = (const char *const[]){"p0", "p1", "p2"},
     .point_count = 3,
     .alpha = 5e-4,
     .alpha_low = 1e-6,
     .alpha_high = 0.1,
     .tau = 1e-10,
     .tau_low = 0,
     .tau_high = 1e-4,
     .tau_auto = true,
     .residual = 0.01,
     .class_count = {5, 5, 5, 5, 5, EV_COUNT - 25},
     .use_count = {6, 6, 6, 6, EV_COUNT - 24},
     .reason = result_reasons,
     .reason_count = COUNT_OF(result_reasons),
     .remark = (const char *const[]){"2 units are missing"},
     .remark_count = 1,
     .chosen = result_chosen,
     .chosen_count = COUNT_OF(result_chosen),
     .metric = result_metrics,
     .metric_count = COUNT_OF(result_metrics),
     .preset =
         (struct rc_preset_check[]){
             {"PAPI_DP_OPS", "DP operations", "N0|2|* of A", "agrees"},
             {"PAPI_TOT_INS", "single", "", "cannot be checked: not here"}},
     .preset_count = 2,
     .implied =
         (struct rc_implied[]){
             {"single", "flops", RC_METRIC_REJECTED, "a point", 8, 6, false},
             {"DP operations", "flops", RC_METRIC_DEFINED, "a point", 0, NAN, false}},
     .implied_count = 2,
     .rate = result_rates,
     .rate_count = COUNT_OF(result_rates)},
    {.suite = "empty",
     .alpha = NAN,
     .tau = NAN,
     .reason = result_reasons,
     .reason_count = 1},
};

/* Gives the terms their names, and "" where nothing is said. */
static void result_prepare(void)
{
    for (size_t i = 0; i < sizeof result_rate_values / sizeof(double); i++)
        (&result_rate_values[0][0][0][0])[i] = i % 7 == 3 ? NAN : (double)i + 0.5;
    for (size_t i = 0; i < sizeof result_rate_over / sizeof(double); i++)
        (&result_rate_over[0][0][0][0])[i] = i % 5 == 3 ? NAN : (double)i - 0.25;
    for (size_t m = 0; m < COUNT_OF(result_metrics); m++) {
        struct rc_metric_result *metric = &result_metrics[m];
        const char **texts[] = {&metric->description, &metric->signature,
                                &metric->preset, &metric->formula, &metric->reason};
        for (size_t i = 0; i < COUNT_OF(texts); i++)
            if (!*texts[i])
                *texts[i] = "";
        for (size_t t = 0; t < metric->term_count; t++)
            metric->term[t].name = result_events[metric->term[t].event].name;
    }
}

struct result_columns {
    double noise[EV_COUNT], residual[EV_COUNT], representation[EV_COUNT * 4];
    uint8_t event_class[EV_COUNT], use[EV_COUNT];
    uint32_t reason[EV_COUNT];
};

/* Every number says whose event it is. */
static struct rc_event_columns result_fill(struct result_columns *c, size_t first,
                                           size_t count, size_t width, size_t reasons)
{
    for (size_t i = 0; i < count; i++) {
        size_t event = first + i;
        c->noise[i] = event % 5 == 4 ? NAN : (double)event / 8;
        c->residual[i] = event % 7 == 6 ? NAN : (double)event / 4;
        for (size_t k = 0; k < width; k++)
            c->representation[i * width + k] =
                event % 7 == 6 ? NAN : (double)(event * 10 + k);
        c->event_class[i] = (uint8_t)(event % RC_CLASS_COUNT);
        c->use[i] = (uint8_t)(event % RC_USE_COUNT);
        c->reason[i] = (uint32_t)(event % reasons);
    }
    return (struct rc_event_columns){.first = first,
                                     .count = count,
                                     .noise = c->noise,
                                     .residual = c->residual,
                                     .representation = c->representation,
                                     .event_class = c->event_class,
                                     .use = c->use,
                                     .reason = c->reason};
}

/* The file of the fixture: kind 0 has both suites, kind 1 the second, kind 2 none.
 * The ranks of 'comm' take turns at the events.
 */
static int result_write(MPI_Comm comm, const char *path, struct rc_error *err)
{
    static struct result_columns room;
    struct rc_store *file = NULL;
    int rank_here = 0, ranks = 1;
    int status = rc_metrics_create(comm, path, &result_campaign, &file, err);

    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &rank_here);
        MPI_Comm_size(comm, &ranks);
    }
    result_prepare();
    for (size_t k = 0; k < COUNT_OF(result_kinds) && status == RC_OK; k++) {
        size_t events = result_kinds[k].event_count;
        status = rc_store_define_kind(file, &result_kinds[k], NULL, err);
        for (size_t s = k; s < COUNT_OF(result_suites) && status == RC_OK; s++) {
            const struct rc_suite_result *suite = &result_suites[s];
            status = rc_metrics_put_suite(file, suite, 5, err);
            for (size_t first = 0; first < events && status == RC_OK;
                 first += 5 * (size_t)ranks) {
                size_t at = first + 5 * (size_t)rank_here;
                size_t count = at >= events ? 0 : events - at < 5 ? events - at : 5;
                struct rc_event_columns columns =
                    result_fill(&room, count ? at : 0, count, suite->coordinate_count,
                                suite->reason_count);
                status = rc_metrics_put_columns(file, &columns, err);
            }
        }
    }
    if (status == RC_OK)
        return rc_store_close(file, err);
    rc_store_abandon(file);
    return status;
}

#endif
