/* solve_store - a campaign.h5 to be solved or studied, and what reading it once takes
 *
 * mpirun -n RANKS bench_solve_store write half|all EVENTS FILE [NODES CORES]
 * mpirun -n RANKS bench_solve_store read FILE
 *
 * Writes EVENTS x 1 place, or each core of each node, x 10 repetitions of suite 'flops'
 * as it is on a machine with 512-bit vectors and FMA: 48 points with their ideals.  The
 * readings are made up; those with noise scatter over nodes half as much beside.
 * With "half", of eight events four count nothing, two are sums of one to three ideals
 * and the same in all repetitions, one counts instructions with noise of 1e-3, and one
 * is a sum with noise of 2e-2.  With "all", every event counts: of eight, four are sums
 * without noise, two instructions and two sums with it.
 *
 * "read" reads 'values' and 'status' once, in pieces as large as those of the solve and
 * dealt out likewise, and prints the seconds of the slowest rank.
 */
#include "campaign/base/agree.h"
#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"
#include "campaign/records/record.h"
#include "io/store/store.h"
#include "kernels/kernel.h"
#include "tests/bench/must.h"
#include "tests/lib/request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 10, NAME = 80, CPUS = 176 };

/* The suite: all that is known of its points. */
struct suite {
    const struct rc_suite *suite;
    struct rc_points points;
    const char **point, *ideal[RC_IDEAL_COUNT];
    enum rc_ideal known[RC_IDEAL_COUNT];
    size_t ideals;
    double *basis; /* [point][ideal] */
    uint64_t *iterations;
    bool all; /* events count */
    size_t nodes, cores;
    const char **place;
    char (*label)[NAME];
};

static size_t places_of(const struct suite *s)
{
    return s->nodes * s->cores;
}

static void *room_for(size_t count, size_t bytes)
{
    struct rc_error err = {.text = "no memory"};
    void *room = rc_calloc(count, bytes);

    must(room ? RC_OK : RC_ENOMEM, &err);
    return room;
}

static bool is_known(const struct suite *s, enum rc_ideal ideal)
{
    for (size_t p = 0; p < s->points.count; p++)
        if (!isnan(
                rc_expect(s->suite, &rc_request_default, &s->points.point[p], ideal)))
            return true;
    return false;
}

/* The suite's own ideals, then the others that it knows, as 'run' stores them. */
static void find_ideals(struct suite *s)
{
    bool own[RC_IDEAL_COUNT] = {false};

    for (size_t i = 0; i < s->suite->ideal_count; i++) {
        s->known[s->ideals++] = s->suite->ideals[i];
        own[s->suite->ideals[i]] = true;
    }
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        if (!own[i] && is_known(s, (enum rc_ideal)i))
            s->known[s->ideals++] = (enum rc_ideal)i;
    for (size_t i = 0; i < s->ideals; i++)
        s->ideal[i] = rc_ideal_name(s->known[i]);
}

/* As 'run' names places: without --replicate there is one. */
static void name_places(struct suite *s)
{
    const size_t places = places_of(s);

    s->place = room_for(places, sizeof *s->place);
    s->label = room_for(places, sizeof *s->label);
    for (size_t p = 0; p < places; p++) {
        snprintf(s->label[p], NAME, "n%zu core %zu", p / s->cores, p % s->cores);
        s->place[p] = places > 1 ? s->label[p] : "any";
    }
}

static void suite_init(struct suite *s, bool all, size_t nodes, size_t cores)
{
    const struct rc_geometry *g = &rc_request_default.geometry;
    struct rc_error err = {.rank = -1};

    *s = (struct suite){
        .suite = rc_suite_find("flops"), .all = all, .nodes = nodes, .cores = cores};
    must(s->suite->points(REQUEST(g), &s->points, &err), &err);
    name_places(s);
    find_ideals(s);
    s->point = room_for(s->points.count, sizeof *s->point);
    s->basis = room_for(s->points.count * s->ideals, sizeof *s->basis);
    s->iterations = room_for(s->points.count, sizeof *s->iterations);
    for (size_t p = 0; p < s->points.count; p++) {
        const struct rc_point *point = &s->points.point[p];
        s->point[p] = point->name;
        s->iterations[p] = s->suite->iterations(REQUEST(g), point, 0);
        for (size_t i = 0; i < s->ideals; i++)
            s->basis[p * s->ideals + i] =
                rc_expect(s->suite, REQUEST(g), point, s->known[i]);
    }
}

static void suite_fini(struct suite *s)
{
    rc_points_fini(&s->points);
    free((void *)s->point);
    free(s->basis);
    free(s->iterations);
    free((void *)s->place);
    free(s->label);
}

/* Sort of an event: a kind of event, repeated on each of many CPUs. */
struct planted {
    size_t ideal[3];
    double weight[3], noise;
    size_t terms;
};

static size_t find_ideal(const struct suite *s, enum rc_ideal ideal)
{
    size_t i = 0;

    while (s->known[i] != ideal)
        i++;
    return i;
}

static struct planted plant(const struct suite *s, size_t event)
{
    const size_t of = event % 8;
    struct planted out = {0};
    uint64_t state = event / 8 / CPUS * 8 + of;

    if (of < 4 && !s->all)
        return out;
    if (of % 4 >= 2)
        out.noise = of % 4 == 2 ? 1e-3 : 2e-2;
    if (of % 4 == 2) {
        out.terms = 1;
        out.weight[0] = 1;
        out.ideal[0] = find_ideal(s, RC_IDEAL_INS);
        return out;
    }
    out.terms = 1 + rc_mix_next(&state) % 3;
    for (size_t t = 0; t < out.terms; t++) {
        out.ideal[t] = rc_mix_next(&state) % s->suite->ideal_count;
        out.weight[t] = (double)(1 + rc_mix_next(&state) % 2);
    }
    return out;
}

/* Between -1 and 1, by what it is of. */
static double spread(size_t event, size_t reading, size_t point)
{
    uint64_t key = (event * REPETITIONS + reading) * 64 + point + 1;

    return (double)rc_mix(key * RC_GOLDEN) / 0x1p63 - 1;
}

static void fill_event(const struct suite *s, size_t event, int64_t *values)
{
    const struct planted is = plant(s, event);

    for (size_t p = 0; p < s->points.count; p++) {
        double count = 0;
        for (size_t t = 0; t < is.terms; t++)
            count += is.weight[t] * s->basis[p * s->ideals + is.ideal[t]];
        count *= (double)s->iterations[p];
        for (size_t r = 0; r < places_of(s) * REPETITIONS; r++) {
            const size_t node = r / REPETITIONS / s->cores;
            const double of_node = s->nodes > 1 ? spread(event, node, 63) / 2 : 0;
            values[r * s->points.count + p] = llround(
                is.noise > 0 ? count * (1 + is.noise * (of_node + spread(event, r, p)))
                             : count);
        }
    }
}

static void fill(const struct suite *s, struct rc_store_block *block, size_t first,
                 size_t count)
{
    const size_t rows = places_of(s) * REPETITIONS, each = rows * s->points.count;

    block->first = first;
    block->count = count;
    for (size_t e = 0; e < count; e++)
        fill_event(s, first + e, block->values + e * each);
    for (size_t i = 0; i < count * rows; i++) {
        block->enabled_ns[i] = block->running_ns[i] =
            (uint64_t)(4e6 * (1 + 1e-2 * spread(first, i, 63)));
        block->status[i] = RC_READING_OK;
    }
}

static void allocate(struct rc_store_block *block, size_t items, size_t points,
                     bool times)
{

    *block =
        (struct rc_store_block){.values = room_for(items * points, sizeof(int64_t)),
                                .status = room_for(items, 1)};
    if (!times)
        return;
    block->enabled_ns = room_for(items, sizeof(uint64_t));
    block->running_ns = room_for(items, sizeof(uint64_t));
}

static void release(struct rc_store_block *block)
{
    free(block->values);
    free(block->enabled_ns);
    free(block->running_ns);
    free(block->status);
}

/* Names as long as those of real events. */
static void define_kind(struct rc_store *store, size_t events)
{
    char *names = room_for(events, NAME),
         *words = room_for(events / 8 / CPUS + 1, NAME);
    struct rc_store_event *event = room_for(events, sizeof *event);
    struct rc_error err = {.rank = -1};
    size_t number;

    for (size_t e = 0; e < events; e++) {
        const size_t of = e / 8 / CPUS;
        snprintf(names + e * NAME, NAME,
                 "unit::EVENT_%zu_OF_SOME:MASK_%zu:u=1:k=0:cpu=%zu", of, e % 8,
                 e / 8 % CPUS);
        snprintf(words + of * NAME, NAME, "counts what event %zu of the manual counts",
                 of);
        event[e] = (struct rc_store_event){.name = names + e * NAME,
                                           .source = "papi",
                                           .description = words + of * NAME,
                                           .evidence = "perf_event core PMU",
                                           .verdict = RC_VERDICT_OK,
                                           .simulated = true};
    }
    const struct rc_store_kind kind = {.name = "bench",
                                       .key = "bench",
                                       .shape = "core:2",
                                       .events = event,
                                       .event_count = events};
    must(rc_store_define_kind(store, &kind, &number, &err), &err);
    free(event);
    free(words);
    free(names);
}

static void define_suite(struct rc_store *store, const struct suite *s)
{
    struct rc_error err = {.rank = -1};
    size_t number;
    const struct rc_store_suite suite = {
        .name = s->suite->name,
        .summary = s->suite->summary,
        .points = s->point,
        .point_count = s->points.count,
        .ideals = s->ideal,
        .ideal_count = s->ideals,
        .own_count = s->suite->ideal_count,
        .basis = s->basis,
        .sources = (const char *const[]){"papi"},
        .source_count = 1,
        .iterations = s->iterations,
        .places = s->place,
        .place_count = places_of(s),
        .repetitions = REPETITIONS,
        .statuses = rc_reading_status_names(),
        .status_count = RC_READING_STATUS_COUNT,
    };

    must(rc_store_define_suite(store, 0, &suite, &number, &err), &err);
}

/* Calls 'move' for pieces that are dealt out to the ranks, on all ranks as often: with
 * nothing where a rank has no more.
 */
static void each_piece(struct rc_store *store, size_t events,
                       struct rc_store_block *block,
                       void (*move)(struct rc_store *, struct rc_store_block *,
                                    size_t first, size_t count, const void *context),
                       const void *context)
{
    const size_t piece = rc_store_piece(store, 0, 0);
    const size_t pieces = (events + piece - 1) / piece;
    const size_t rank = (size_t)rc_team_rank(MPI_COMM_WORLD);
    const size_t ranks = (size_t)rc_team_size(MPI_COMM_WORLD);

    for (size_t i = rank; i < (pieces + ranks - 1) / ranks * ranks; i += ranks) {
        const size_t first = i < pieces ? i * piece : 0;
        const size_t left = i < pieces ? events - first : 0;
        move(store, block, first, left < piece ? left : piece, context);
    }
}

static void write_piece(struct rc_store *store, struct rc_store_block *block,
                        size_t first, size_t count, const void *context)
{
    struct rc_error err = {.rank = -1};

    fill(context, block, first, count);
    must(rc_store_write(store, 0, 0, block, &err), &err);
}

static void write_file(bool all, size_t events, const char *path, size_t nodes,
                       size_t cores)
{
    const struct rc_store_campaign campaign = {
        .id = "bench",
        .simulated = true,
        .source_labels = (const char *const[]){"papi: made-up readings of a benchmark"},
        .source_label_count = 1};
    struct rc_error err = {.rank = -1};
    struct rc_store_block block;
    struct rc_store *store;
    struct suite s;

    suite_init(&s, all, nodes, cores);
    must(rc_store_create(MPI_COMM_WORLD, path, &campaign, &store, &err), &err);
    define_kind(store, events);
    define_suite(store, &s);
    allocate(&block, rc_store_piece(store, 0, 0) * places_of(&s) * REPETITIONS,
             s.points.count, true);
    each_piece(store, events, &block, write_piece, &s);
    must(rc_store_close(store, &err), &err);
    release(&block);
    suite_fini(&s);
}

static void read_piece(struct rc_store *store, struct rc_store_block *block,
                       size_t first, size_t count, const void *context)
{
    struct rc_error err = {.rank = -1};

    (void)context;
    block->first = first;
    block->count = count;
    must(rc_store_read_alone(store, 0, 0, block, &err), &err);
}

static void read_file(const char *path)
{
    struct rc_error err = {.rank = -1};
    struct rc_store_block block;
    struct rc_store *store;

    must(rc_store_open(MPI_COMM_WORLD, path, &store, &err), &err);
    const struct rc_store_suite *l = rc_store_suite(store, 0, 0);
    allocate(&block, rc_store_piece(store, 0, 0) * l->place_count * l->repetitions,
             l->point_count, false);
    MPI_Barrier(MPI_COMM_WORLD);
    const uint64_t began = rc_clock_ns();
    each_piece(store, rc_store_kind(store, 0)->event_count, &block, read_piece, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    const double took = (double)(rc_clock_ns() - began) / 1e9;
    must(rc_store_close(store, &err), &err);
    release(&block);
    if (rc_team_rank(MPI_COMM_WORLD) == 0)
        printf("%.3f\n", took);
}

int main(int argc, char **argv)
{
    uint64_t events = 0, nodes = 1, cores = 1;
    int status = 0;

    MPI_Init(&argc, &argv);
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        read_file(argv[2]);
    else if ((argc == 5 || argc == 7) && strcmp(argv[1], "write") == 0 &&
             rc_text_count(argv[3], &events) == 0 && events > 0 &&
             (argc == 5 || (rc_text_count(argv[5], &nodes) == 0 && nodes > 0 &&
                            rc_text_count(argv[6], &cores) == 0 && cores > 0)))
        write_file(strcmp(argv[2], "all") == 0, events, argv[4], nodes, cores);
    else {
        fprintf(stderr, "bench_solve_store: expected write half|all EVENTS FILE [NODES "
                        "CORES], or read FILE\n");
        status = 2;
    }
    MPI_Finalize();
    return status;
}
