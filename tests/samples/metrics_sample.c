/* Writes results for scripts: metrics_sample FILE, those of result_lib.h; followed by a
 * word, metrics of events that every Linux counts by software.
 */
#include "tests/lib/result_lib.h"

#include <stdio.h>

static const struct rc_store_event software[] = {
    {.name = "perf::TASK-CLOCK:u=1:k=1", .source = "papi", .verdict = RC_VERDICT_OK},
    {.name = "perf::PAGE-FAULTS:u=1:k=1", .source = "papi", .verdict = RC_VERDICT_OK},
};

static int software_write(const char *path, struct rc_error *err)
{
    static struct rc_term clock[] = {{.name = "perf::TASK-CLOCK:u=1:k=1",
                                      .coefficient = 1}},
                          sum[] = {
                              {.name = "perf::TASK-CLOCK:u=1:k=1", .coefficient = 2},
                              {.event = 1,
                               .name = "perf::PAGE-FAULTS:u=1:k=1",
                               .coefficient = -0.5}};
#define METRIC(called, terms, count)                                                   \
    {                                                                                  \
        .name = (called), .description = "a sum", .signature = "", .preset = "",       \
        .formula = "", .verdict = RC_METRIC_DEFINED, .reason = "", .term = (terms),    \
        .term_count = (count)                                                          \
    }
    struct rc_metric_result metrics[] = {METRIC("clock", clock, 1),
                                         METRIC("weighted", sum, 2)};
    const struct rc_store_kind kind = {.name = "here",
                                       .key = "vendor=AuthenticAMD; name=test",
                                       .events = software,
                                       .event_count = COUNT_OF(software)};
    const struct rc_suite_result suite = {.suite = "software",
                                          .reason = result_reasons,
                                          .reason_count = 1,
                                          .metric = metrics,
                                          .metric_count = COUNT_OF(metrics)};
    struct rc_store *file = NULL;
    int status = rc_metrics_create(MPI_COMM_NULL, path, &result_campaign, &file, err);

    if (status == RC_OK &&
        (status = rc_store_define_kind(file, &kind, NULL, err)) == RC_OK)
        status = rc_metrics_put_suite(file, &suite, 4, err);
    return status == RC_OK ? rc_store_close(file, err) : status;
}

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1};
    int status;

    if (argc != 2 && argc != 3)
        return 2;
    status = argc == 2 ? result_write(MPI_COMM_NULL, argv[1], &err)
                       : software_write(argv[1], &err);
    if (status == RC_OK)
        return 0;
    fprintf(stderr, "metrics_sample: %s\n", err.text);
    return 1;
}
