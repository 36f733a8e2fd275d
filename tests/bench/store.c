/* store - what writing and reading campaign.h5 takes, and how large it gets
 *
 * mpirun -n RANKS bench_store EVENTS FILE.  Writes EVENTS x 1 place x 5 repetitions
 * x 48 points, each rank its share in pieces of 16 chunks, reads some events back
 * and compares.  The readings are made up: of four events one counts nothing, one
 * is the same in all repetitions, one has noise of 1e-3 and one of 2e-2; times vary
 * by 1e-2.  Prints one line; store.sh prints the table.
 */
#include "io/store/store.h"
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/mix.h"
#include "tests/bench/must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { POINTS = 48, REPETITIONS = 5, PIECE_CHUNKS = 16, READS = 100 };

static const size_t bytes_each =
    REPETITIONS * (POINTS * sizeof(int64_t) + 2 * sizeof(uint64_t) + 1) + 1 +
    sizeof(uint32_t);

/* Between -1 and 1, by what it is of. */
static double spread(size_t event, size_t repetition, size_t point)
{
    uint64_t key = (event * REPETITIONS + repetition) * (POINTS + 1) + point + 1;

    return (double)rc_mix(key * RC_GOLDEN) / 0x1p63 - 1;
}

static int64_t value(size_t event, size_t repetition, size_t point)
{
    static const double noise[] = {0, 0, 1e-3, 2e-2};
    double count = (double)(event % 97 + 1) * (double)(point % 3 + 1) * 1e5;

    if (event % 4 == 0)
        return 0;
    return (int64_t)(count * (1 + noise[event % 4] * spread(event, repetition, point)));
}

static void fill(struct rc_store_block *block, size_t first, size_t count)
{
    block->first = first;
    block->count = count;
    for (size_t e = 0; e < count; e++) {
        for (size_t r = 0; r < REPETITIONS; r++) {
            size_t at = e * REPETITIONS + r;
            double ns = 4e6 * (1 + 1e-2 * spread(first + e, r, POINTS));
            block->enabled_ns[at] = block->running_ns[at] = (uint64_t)ns;
            block->status[at] = 1;
            for (size_t p = 0; p < POINTS; p++)
                block->values[at * POINTS + p] = value(first + e, r, p);
        }
        block->stop[e] = (first + e) % 4 < 2 ? 1 : 2;
        block->worker[e] = (uint32_t)(1 + (first + e) / 4 % 64);
    }
}

static struct rc_store_block allocate(size_t events)
{
    size_t items = events * REPETITIONS;

    return (struct rc_store_block){
        .values = calloc(items * POINTS, sizeof(int64_t)),
        .enabled_ns = calloc(items, sizeof(uint64_t)),
        .running_ns = calloc(items, sizeof(uint64_t)),
        .status = calloc(items, 1),
        .stop = calloc(events, 1),
        .worker = calloc(events, sizeof(uint32_t)),
    };
}

static void release(struct rc_store_block *block)
{
    free(block->values);
    free(block->enabled_ns);
    free(block->running_ns);
    free(block->status);
    free(block->stop);
    free(block->worker);
}

static double seconds_since(uint64_t start)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return 1e-9 * (double)(rc_clock_ns() - start);
}

static uint64_t now(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return rc_clock_ns();
}

/* Names as long as those of real events, kept until the store has them. */
static void define_kind(struct rc_store *store, size_t events)
{
    enum { NAME = 64 };
    char *names = calloc(events, NAME);
    struct rc_store_event *event = calloc(events, sizeof *event);
    struct rc_error err = {.rank = -1};
    size_t number;

    for (size_t e = 0; e < events; e++) {
        snprintf(names + e * NAME, NAME, "unit%zu::EVENT_OF_SOME_%zu:MASK_%zu:cpu=%zu",
                 e / 5000, e / 100 % 50, e % 10, e / 10 % 10);
        event[e] = (struct rc_store_event){
            .name = names + e * NAME,
            .source = "papi",
            .description = "Counts what it counts, as the manual of the processor says",
            .evidence = "perf_event core PMU",
            .verdict = RC_VERDICT_OK};
    }
    const struct rc_store_kind kind = {.name = "bench",
                                       .key = "bench",
                                       .shape = "core:2",
                                       .events = event,
                                       .event_count = events};
    must(rc_store_define_kind(store, &kind, &number, &err), &err);
    free(event);
    free(names);
}

static void define_suite(struct rc_store *store)
{
    static char names[64 + 1][16];
    static const char *points[POINTS], *workers[64 + 1];
    static const double basis[POINTS];
    static const uint64_t iterations[POINTS];
    struct rc_error err = {.rank = -1};
    size_t number;

    for (size_t i = 1; i <= 64; i++)
        snprintf(names[i], sizeof names[i], "n%zu core %zu", i / 8, i % 8);
    for (size_t i = 0; i <= 64; i++)
        workers[i] = names[i];
    for (size_t p = 0; p < POINTS; p++)
        points[p] = names[p + 1];
    const struct rc_store_suite suite = {
        .name = "flops",
        .points = points,
        .point_count = POINTS,
        .ideals = (const char *const[]){"INS"},
        .ideal_count = 1,
        .basis = basis,
        .sources = (const char *const[]){"papi"},
        .source_count = 1,
        .iterations = iterations,
        .places = (const char *const[]){"any"},
        .place_count = 1,
        .repetitions = REPETITIONS,
        .statuses = (const char *const[]){"missing", "ok"},
        .status_count = 2,
        .stops = (const char *const[]){"", "deterministic", "most"},
        .stop_count = 3,
        .workers = workers,
        .worker_count = 65,
    };
    must(rc_store_define_suite(store, 0, &suite, &number, &err), &err);
}

/* Seconds that rank 0 and all others were in rc_store_write(). */
static double write_results(struct rc_store *store, size_t events)
{
    size_t rank = (size_t)rc_team_rank(MPI_COMM_WORLD);
    size_t size = (size_t)rc_team_size(MPI_COMM_WORLD);
    size_t chunk = rc_store_chunk(store, 0, 0), chunks = (events + chunk - 1) / chunk;
    size_t at = chunks * rank / size * chunk, end = chunks * (rank + 1) / size * chunk;
    size_t piece = PIECE_CHUNKS * chunk, most = (chunks / size + 1) * chunk;
    struct rc_store_block block = allocate(piece);
    struct rc_error err = {.rank = -1};
    double took = 0;

    end = end < events ? end : events;
    for (size_t done = 0; done < most; done += piece) {
        size_t count = end - at < piece ? end - at : piece;
        fill(&block, at, count);
        uint64_t start = now();
        must(rc_store_write(store, 0, 0, &block, &err), &err);
        took += seconds_since(start);
        at += count;
    }
    release(&block);
    return took;
}

/* Mean seconds to read one event; every rank reads others, all compare. */
static double read_events(struct rc_store *store, size_t events)
{
    struct rc_store_block got = allocate(1), want = allocate(1);
    struct rc_error err = {.rank = -1};
    uint64_t state = (uint64_t)rc_team_rank(MPI_COMM_WORLD), took = 0;

    for (int i = 0; i < READS; i++) {
        got.first = rc_mix_next(&state) % events;
        got.count = 1;
        fill(&want, got.first, 1);
        uint64_t start = rc_clock_ns();
        must(rc_store_read_alone(store, 0, 0, &got, &err), &err);
        took += rc_clock_ns() - start;
        if (memcmp(got.values, want.values, REPETITIONS * POINTS * sizeof(int64_t)) ||
            got.worker[0] != want.worker[0] || got.stop[0] != want.stop[0]) {
            fprintf(stderr, "bench_store: event %zu is not what was written\n",
                    got.first);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    release(&got);
    release(&want);
    return 1e-9 * (double)took / READS;
}

static double peak_mib(void)
{
    struct rusage usage;
    double mib, most;

    getrusage(RUSAGE_SELF, &usage);
    mib = (double)usage.ru_maxrss / 1024;
    MPI_Allreduce(&mib, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void bench(size_t events, const char *path)
{
    const struct rc_store_campaign campaign = {.id = "bench"};
    struct rc_error err = {.rank = -1};
    struct rc_store *store;
    struct stat file;

    uint64_t start = now();
    must(rc_store_create(MPI_COMM_WORLD, path, &campaign, &store, &err), &err);
    define_kind(store, events);
    define_suite(store);
    double define = seconds_since(start);
    double write = write_results(store, events);
    start = now();
    must(rc_store_close(store, &err), &err);
    double close = seconds_since(start);
    double mib = peak_mib();
    start = now();
    must(rc_store_open(MPI_COMM_WORLD, path, &store, &err), &err);
    double open = seconds_since(start);
    double read = read_events(store, events);
    must(rc_store_close(store, &err), &err);
    if (rc_team_rank(MPI_COMM_WORLD) != 0)
        return;
    if (stat(path, &file) != 0)
        must(rc_fail_errno(&err, "cannot see '%s'", path), &err);
    double raw = (double)(events * bytes_each), each = (double)file.st_size;
    printf("%zu %d %.2f %.2f %.2f %.1f %.0f %zu %.2f %.0f %.1f %.2f\n", events,
           rc_team_size(MPI_COMM_WORLD), define, write, close, raw / write / 1e6,
           each / (double)events, bytes_each, raw / each, mib, open * 1e3, read * 1e3);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    size_t events = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    if (events == 0) {
        fprintf(stderr, "bench_store: expected EVENTS FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bench(events, argv[2]);
    MPI_Finalize();
    return 0;
}
