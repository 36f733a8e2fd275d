/* profile_metrics - results of a solve that never was, of events that threads count
 *
 * profile_metrics FILE [KINDS | steps | alike]
 *
 * "faults" is 1 page fault, "doubled" 2 page faults and -1 context switch, "nearly" is
 * approximate, "wrong" is rejected, "elsewhere" needs an event that threads do not
 * count.  With several KINDS none is of this node.  With "steps" there are metrics of a
 * second suite, for 'count': of events of the soft source, and of others.  With "alike"
 * there is "minor", of an event that threads do not count, and both that and "faults"
 * are minor faults by themselves, too.
 */
#include "io/metrics/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAULTS, SWITCHES, MIGRATIONS, OTHER, OPERATIONS, INSTRUCTIONS, MINOR, EVENTS };
#define EVENT(text)                                                                    \
    {                                                                                  \
        .name = (text), .source = "papi", .scope = RC_SCOPE_CORE,                      \
        .verdict = RC_VERDICT_OK                                                       \
    }
static const struct rc_store_event events[EVENTS] = {
    [FAULTS] = EVENT("perf::PAGE-FAULTS"),
    [SWITCHES] = EVENT("perf::CONTEXT-SWITCHES"),
    [MIGRATIONS] = EVENT("perf::CPU-MIGRATIONS"),
    [OTHER] = EVENT("soft:::instructions"),
    [OPERATIONS] = EVENT("soft::fp_dp_operations"),
    [INSTRUCTIONS] = EVENT("soft::instructions"),
    [MINOR] = EVENT("perf::MINOR-FAULTS")};

#define TERM(number, text, value)                                                      \
    {                                                                                  \
        .event = (number), .name = (text), .coefficient = (value), .rounded = (value), \
        .low = (value)-0.25, .high = (value) + 0.25                                    \
    }
static struct rc_term faults[] = {TERM(FAULTS, "perf::PAGE-FAULTS", 1)},
                      doubled[] = {TERM(FAULTS, "perf::PAGE-FAULTS", 2),
                                   TERM(SWITCHES, "perf::CONTEXT-SWITCHES", -1)},
                      nearly[] = {TERM(FAULTS, "perf::PAGE-FAULTS", 3)},
                      wrong[] = {TERM(MIGRATIONS, "perf::CPU-MIGRATIONS", 1)},
                      elsewhere[] = {TERM(OTHER, "soft:::instructions", 1)},
                      operations[] = {TERM(OPERATIONS, "soft::fp_dp_operations", 1)},
                      instructions[] = {{.event = INSTRUCTIONS, /* rounded out of its */
                                         .name = "soft::instructions", /* interval */
                                         .coefficient = 1.0007,
                                         .rounded = 1,
                                         .low = 1.0006,
                                         .high = 1.0008}};
#define METRIC_OF(text, sum, is, terms, count)                                         \
    {                                                                                  \
        .name = (text), .description = "", .signature = (sum), .preset = "",           \
        .formula = "", .verdict = (is), .reason = "", .rounded_holds = true,           \
        .term = (terms), .term_count = (count)                                         \
    }
#define METRIC(text, is, terms, count) METRIC_OF(text, "X", is, terms, count)
static struct rc_metric_result metrics[] = {
    METRIC("faults", RC_METRIC_DEFINED, faults, 1),
    METRIC("doubled", RC_METRIC_DEFINED, doubled, 2),
    METRIC("nearly", RC_METRIC_APPROXIMATE, nearly, 1),
    METRIC("wrong", RC_METRIC_REJECTED, wrong, 1),
    METRIC("elsewhere", RC_METRIC_DEFINED, elsewhere, 1)};
static struct rc_metric_result stepped[] = {
    METRIC("DP operations", RC_METRIC_DEFINED, operations, 1),
    METRIC("instructions", RC_METRIC_DEFINED, instructions, 1),
    METRIC_OF("DP by definition", "D_SCAL + 2 D_128 + 2 DF_SCAL", RC_METRIC_DEFINED,
              elsewhere, 1),
    METRIC_OF("misses", "L1DM", RC_METRIC_DEFINED, elsewhere, 1),
    METRIC_OF("of my own", "MINE", RC_METRIC_DEFINED, elsewhere, 1),
    METRIC_OF("absent", "D_SCAL", RC_METRIC_ABSENT, elsewhere, 1)};

static const size_t minor_alone[] = {MINOR};
static const char *const minor_name[] = {"perf::MINOR-FAULTS"};

static void set_minor(struct rc_metric_result *metric, const char *name)
{
    metric->name = name;
    metric->alone = minor_alone;
    metric->alone_name = minor_name;
    metric->alone_count = 1;
}

int main(int argc, char **argv)
{
    static const struct rc_store_campaign campaign = {
        .id = "0123456789abcdef0123456789abcdef", .created_by = "test", .spec = ""};
    const struct rc_suite_result suite = {.suite = "faults",
                                          .coordinate = (const char *const[]){"X"},
                                          .coordinate_count = 1,
                                          .ideal_count = 1,
                                          .point = (const char *const[]){"p0"},
                                          .point_count = 1,
                                          .reason = (const char *const[]){""},
                                          .reason_count = 1,
                                          .metric = metrics,
                                          .metric_count =
                                              sizeof metrics / sizeof *metrics};
    const bool steps = argc > 2 && strcmp(argv[2], "steps") == 0;
    const int kinds = argc > 2 && atoi(argv[2]) > 0 ? atoi(argv[2]) : 1;
    struct rc_suite_result second = suite;
    struct rc_error err = {.rank = -1};
    struct rc_store *file = NULL;
    int status;

    if (argc > 2 && strcmp(argv[2], "alike") == 0) {
        set_minor(&metrics[0], "faults");
        set_minor(&metrics[4], "minor");
    }
    second.suite = "stepped";
    second.metric = stepped;
    second.metric_count = sizeof stepped / sizeof *stepped;
    if (argc < 2)
        return 2;
    status = rc_metrics_create(MPI_COMM_NULL, argv[1], &campaign, &file, &err);
    for (int k = 0; k < kinds && status == RC_OK; k++) {
        char name[32];
        snprintf(name, sizeof name, "kind %d", k);
        const struct rc_store_kind kind = {
            .name = name,
            .key = name,
            .shape = "core:2",
            .nodes = (const char *const[]){"a node that is elsewhere"},
            .node_count = 1,
            .events = events,
            .event_count = EVENTS};
        if ((status = rc_store_define_kind(file, &kind, NULL, &err)) == RC_OK)
            status = rc_metrics_put_suite(file, &suite, EVENTS, &err);
        if (status == RC_OK && steps)
            status = rc_metrics_put_suite(file, &second, EVENTS, &err);
    }
    if (status == RC_OK)
        status = rc_store_close(file, &err);
    if (status != RC_OK)
        fprintf(stderr, "profile_metrics: %s\n", err.text);
    return status != RC_OK;
}
