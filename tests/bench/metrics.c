/* metrics - what writing and reading metrics.h5 takes, and how large it gets
 *
 * mpirun -n RANKS bench_metrics EVENTS BLOCK FILE.  Writes one kind of EVENTS events
 * and one suite of 20 coordinates; the ranks deal the events out in blocks of BLOCK,
 * as the solve does.  The results are made up: a third of the events has a
 * representation, and no two numbers are alike.  All is read back and compared.
 * Prints one line; metrics.sh prints the table.
 */
#include "io/metrics/metrics.h"

#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/mix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { COORDINATES = 20, NAME_BYTES = 96 };

static const char *const coordinates[COORDINATES] = {
    "c0",  "c1",  "c2",  "c3",  "c4",  "c5",  "c6",  "c7",  "c8",  "c9",
    "c10", "c11", "c12", "c13", "c14", "c15", "c16", "c17", "c18", "c19"};
static const char *const reasons[] = {"", "differs between repetitions",
                                      "no combination of the ideals"};

static double made_up(size_t event, size_t which)
{
    return (double)rc_mix((event * (COORDINATES + 2) + which + 1) * RC_GOLDEN) / 0x1p64;
}

static void fill(struct rc_event_columns *c, size_t first, size_t count)
{
    c->first = first;
    c->count = count;
    for (size_t i = 0; i < count; i++) {
        size_t event = first + i;
        bool known = event % 3 == 0;
        c->noise[i] = made_up(event, 0);
        c->residual[i] = known ? made_up(event, 1) : NAN;
        for (size_t k = 0; k < COORDINATES; k++)
            c->representation[i * COORDINATES + k] =
                known ? made_up(event, 2 + k) : NAN;
        c->event_class[i] = known ? RC_CLASS_EXACT : RC_CLASS_NOISY;
        c->use[i] = known ? RC_USE_OUTSIDE : RC_USE_NONE;
        c->reason[i] = known ? 2 : 1;
    }
}

static struct rc_event_columns make_columns(size_t count)
{
    return (struct rc_event_columns){
        .noise = calloc(count, sizeof(double)),
        .residual = calloc(count, sizeof(double)),
        .representation = calloc(count, COORDINATES * sizeof(double)),
        .event_class = calloc(count, 1),
        .use = calloc(count, 1),
        .reason = calloc(count, sizeof(uint32_t)),
    };
}

static void free_columns(struct rc_event_columns *c)
{
    free(c->noise);
    free(c->residual);
    free(c->representation);
    free(c->event_class);
    free(c->use);
    free(c->reason);
}

static struct rc_store_event *make_events(size_t count)
{
    struct rc_store_event *event = calloc(count, sizeof *event);
    char *names = malloc(count * NAME_BYTES);

    for (size_t e = 0; e < count && event && names; e++) {
        snprintf(names + e * NAME_BYTES, NAME_BYTES,
                 "PMU%zu::EVENT_GROUP_%zu:UMASK_%zu:u=1", e % 7, e / 97, e);
        event[e] = (struct rc_store_event){.name = names + e * NAME_BYTES,
                                           .source = "papi",
                                           .description = "what the event counts",
                                           .evidence = "component perf_event",
                                           .verdict = RC_VERDICT_OK};
    }
    return event;
}

static double since(uint64_t began)
{
    return (double)(rc_clock_ns() - began) / 1e9;
}

static void stop_on(int status, const struct rc_error *err)
{
    if (status == RC_OK)
        return;
    fprintf(stderr, "bench_metrics: %s\n", err->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each rank's blocks, one after the other. */
static double write_columns(struct rc_store *file, size_t events, size_t block)
{
    const size_t begin = (size_t)rc_team_rank(MPI_COMM_WORLD) * block;
    const size_t stride = (size_t)rc_team_size(MPI_COMM_WORLD) * block;
    struct rc_event_columns all = make_columns(events / stride * block + block);
    struct rc_error err = {.rank = -1};

    all.first = begin < events ? begin : 0;
    all.stride = stride;
    for (size_t at = begin; at < events; at += stride) {
        struct rc_event_columns c = {.noise = all.noise + all.count,
                                     .residual = all.residual + all.count,
                                     .representation =
                                         all.representation + all.count * COORDINATES,
                                     .event_class = all.event_class + all.count,
                                     .use = all.use + all.count,
                                     .reason = all.reason + all.count};
        fill(&c, at, events - at < block ? events - at : block);
        all.count += c.count;
    }
    uint64_t began = rc_clock_ns();
    stop_on(rc_metrics_put_columns(file, &all, &err), &err);
    double seconds = since(began);
    free_columns(&all);
    return seconds;
}

/* Each rank compares its share. */
static double read_columns(const char *path, size_t events)
{
    size_t rank = (size_t)rc_team_rank(MPI_COMM_WORLD);
    size_t ranks = (size_t)rc_team_size(MPI_COMM_WORLD);
    size_t first = events * rank / ranks, count = events * (rank + 1) / ranks - first;
    struct rc_event_columns c = make_columns(count), expected = make_columns(count);
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};
    uint64_t began = rc_clock_ns();

    stop_on(rc_metrics_open(MPI_COMM_WORLD, path, &file, &err), &err);
    c.first = first;
    c.count = count;
    stop_on(rc_metrics_read_columns(file, 0, 0, &c, &err), &err);
    double seconds = since(began);
    fill(&expected, first, count);
    if (memcmp(c.noise, expected.noise, count * sizeof(double)) != 0 ||
        memcmp(c.representation, expected.representation,
               count * COORDINATES * sizeof(double)) != 0 ||
        memcmp(c.reason, expected.reason, count * sizeof(uint32_t)) != 0) {
        fprintf(stderr, "bench_metrics: what was read is not what was written\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    stop_on(rc_store_close(file, &err), &err);
    free_columns(&c);
    free_columns(&expected);
    return seconds;
}

int main(int argc, char **argv)
{
    static const struct rc_store_campaign campaign = {
        .id = "bench", .created_by = "bench_metrics", .simulated = true};
    const struct rc_suite_result suite = {.suite = "flops",
                                          .coordinate = coordinates,
                                          .coordinate_count = COORDINATES,
                                          .ideal_count = COORDINATES,
                                          .reason = reasons,
                                          .reason_count = 3};
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};
    struct rusage usage;
    struct stat info;

    MPI_Init(&argc, &argv);
    if (argc != 4)
        return 2;
    int rank = rc_team_rank(MPI_COMM_WORLD);
    const size_t events = strtoull(argv[1], NULL, 10);
    const size_t block = strtoull(argv[2], NULL, 10);
    const struct rc_store_kind kind = {.name = "bench",
                                       .events = rank ? NULL : make_events(events),
                                       .event_count = events};
    stop_on(rc_metrics_create(MPI_COMM_WORLD, argv[3], &campaign, &file, &err), &err);
    uint64_t began = rc_clock_ns();
    stop_on(rc_store_define_kind(file, &kind, NULL, &err), &err);
    double define = since(began);
    stop_on(rc_metrics_put_suite(file, &suite, block, &err), &err);
    double write = write_columns(file, events, block);
    began = rc_clock_ns();
    stop_on(rc_store_close(file, &err), &err);
    double finish = since(began), read = read_columns(argv[3], events);
    getrusage(RUSAGE_SELF, &usage);
    if (rank == 0 && stat(argv[3], &info) == 0)
        printf("%zu %zu %d %.2f %.2f %.2f %.2f %.1f %ld\n", events, block,
               rc_team_size(MPI_COMM_WORLD), define, write, finish, read,
               (double)info.st_size / (double)events, usage.ru_maxrss / 1024);
    MPI_Finalize();
    return 0;
}
