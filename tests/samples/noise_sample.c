/* noise_sample - a campaign.h5 of many nodes, whose readings scatter as was planted
 *
 * noise_sample FILE NODES CORES REPETITIONS EVENTS [any] [seed=N] [off=NODE] [rep=X]
 *
 * In each eight events the first is the same everywhere, the second on each node, and
 * the
 * others scatter: the third by 1 % from repetition to repetition, the fourth by 2 %
 * from core to core, the fifth by 2 % from node to node.  The sixth and seventh scatter
 * by 0.5 % from node to node; on node 'n7' the sixth counts 3 % less, on 'n5 core 2'
 * the seventh 1 % less.  Nodes with even numbers count 10 % more of the eighth.  With
 * "any" there is one place; 'off' is another node in the place of n7, 'rep' the third
 * event's scatter in the place of 0.01, and another seed scatters otherwise.
 */
#include "campaign/base/mix.h"
#include "campaign/records/record.h"
#include "io/store/store.h"
#include "tests/bench/must.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4, ITERATIONS = 1000, LABEL = 40, NAME = 48 };

static double uniform(uint64_t *state)
{
    return ((double)(rc_mix_next(state) >> 11) + 0.5) / 0x1p53;
}

/* A normal number that belongs to what it is of. */
static double normal(uint64_t event, uint64_t node, uint64_t core, uint64_t repetition)
{
    uint64_t state = rc_mix(event + 1) ^ rc_mix((node + 1) << 20) ^
                     rc_mix((core + 1) << 40) ^ rc_mix((repetition + 1) << 50);
    const double radius = sqrt(-2 * log(uniform(&state)));

    return radius * cos(6.283185307179586 * uniform(&state));
}

struct sizes {
    size_t nodes, cores, repetitions, events, seed, off;
    double rep;
    bool any;
};

static double factor(const struct sizes *is, size_t event, size_t node, size_t core,
                     size_t repetition)
{
    const uint64_t own = event + (is->seed << 32);
    const double of_node = normal(own, node, 1 << 10, 1 << 10);
    const double of_core = normal(own, node, core, 1 << 10);
    const double rest = normal(own, node, core, repetition);

    switch (event % 8) {
    case 0:
        return 1;
    case 1:
        return 1 + (double)(node % 5) / 100;
    case 2:
        return 1 + is->rep * rest;
    case 3:
        return 1 + 0.02 * of_core + 0.002 * rest;
    case 4:
        return 1 + 0.02 * of_node + 0.002 * rest;
    case 7:
        return 1 + 0.005 * of_node + 0.001 * rest + (node % 2 ? 0 : 0.1);
    default:
        return 1 + 0.005 * of_node + 0.001 * rest -
               (event % 8 == 5 && node == is->off          ? 0.03
                : event % 8 == 6 && node == 5 && core == 2 ? 0.01
                                                           : 0);
    }
}

static void write_event(struct rc_store *store, const struct sizes *is, size_t event,
                        struct rc_store_block *block)
{
    struct rc_error err = {.rank = -1};
    size_t at = 0;

    for (size_t node = 0; node < is->nodes; node++)
        for (size_t core = 0; core < is->cores; core++)
            for (size_t r = 0; r < is->repetitions; r++, at++) {
                const double of = factor(is, event, node, core, r);
                for (size_t p = 0; p < POINTS; p++)
                    block->values[at * POINTS + p] =
                        llround(1e9 * (double)(p + 1) * of);
                block->status[at] = RC_READING_OK;
                block->enabled_ns[at] = block->running_ns[at] = 1000000;
            }
    block->first = event;
    must(rc_store_write(store, 0, 0, block, &err), &err);
}

static void define(struct rc_store *store, const struct sizes *is)
{
    static const char *const point[POINTS] = {"a", "b", "c", "d"};
    const size_t places = is->nodes * is->cores;
    struct rc_store_event *event = calloc(is->events, sizeof *event);
    char(*name)[NAME] = calloc(is->events, sizeof *name);
    char(*label)[LABEL] = calloc(places, sizeof *label);
    const char **place = calloc(places, sizeof *place);
    struct rc_error err = {.rank = -1, .text = "no memory"};
    const int64_t axis[POINTS] = {1, 2, 3, 4};
    const double basis[POINTS] = {1, 2, 3, 4};
    const uint64_t iterations[POINTS] = {ITERATIONS, ITERATIONS, ITERATIONS,
                                         ITERATIONS};
    size_t number;

    must(event && name && label && place ? RC_OK : RC_ENOMEM, &err);
    for (size_t e = 0; e < is->events; e++) {
        snprintf(name[e], NAME, "EVENT_%zu_OF_%zu", e % 8, e / 8);
        event[e] = (struct rc_store_event){.name = name[e],
                                           .source = "model",
                                           .verdict = RC_VERDICT_OK,
                                           .simulated = true};
    }
    for (size_t p = 0; p < places; p++) {
        snprintf(label[p], LABEL, is->cores > 1 ? "n%zu core %zu" : "n%zu",
                 p / is->cores, p % is->cores);
        place[p] = is->any ? "any" : label[p];
    }
    const struct rc_store_kind kind = {.name = "planted",
                                       .key = "planted",
                                       .shape = "core:2",
                                       .events = event,
                                       .event_count = is->events,
                                       .simulated = true};
    must(rc_store_define_kind(store, &kind, &number, &err), &err);
    const struct rc_store_suite suite = {.name = "flops",
                                         .summary = "made up",
                                         .points = point,
                                         .point_count = POINTS,
                                         .axes = (const char *const[]){"n"},
                                         .axis_count = 1,
                                         .axis = axis,
                                         .ideals = (const char *const[]){"INS"},
                                         .ideal_count = 1,
                                         .own_count = 1,
                                         .basis = basis,
                                         .sources = (const char *const[]){"model"},
                                         .source_count = 1,
                                         .iterations = iterations,
                                         .places = place,
                                         .place_count = places,
                                         .repetitions = is->repetitions,
                                         .statuses = rc_reading_status_names(),
                                         .status_count = RC_READING_STATUS_COUNT};
    must(rc_store_define_suite(store, 0, &suite, &number, &err), &err);
    free(event);
    free(name);
    free(label);
    free((void *)place);
}

static void take_words(int argc, char **argv, struct sizes *is)
{
    for (int i = 6; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        if (!value)
            is->any = true;
        else if (strncmp(argv[i], "seed", 4) == 0)
            is->seed = strtoul(value + 1, NULL, 10);
        else if (strncmp(argv[i], "off", 3) == 0)
            is->off = strtoul(value + 1, NULL, 10);
        else
            is->rep = strtod(value + 1, NULL);
    }
}

int main(int argc, char **argv)
{
    struct rc_error err = {.rank = -1, .text = "no memory"};
    struct rc_store *store;

    if (argc < 6) {
        fprintf(stderr, "noise_sample FILE NODES CORES REPETITIONS EVENTS [any] "
                        "[seed=N] [off=NODE] [rep=X]\n");
        return 2;
    }
    struct sizes is = {.nodes = strtoul(argv[2], NULL, 10),
                       .cores = strtoul(argv[3], NULL, 10),
                       .repetitions = strtoul(argv[4], NULL, 10),
                       .events = strtoul(argv[5], NULL, 10),
                       .off = 7,
                       .rep = 0.01};
    take_words(argc, argv, &is);
    char digest[64]; /* of the readings: what they are made by */
    snprintf(digest, sizeof digest, "%zu-%zu-%g", is.seed, is.off, is.rep);
    const struct rc_store_campaign campaign = {.id = "0123456789abcdef",
                                               .created_by = "noise_sample",
                                               .spec = "",
                                               .digest = digest,
                                               .simulated = true};
    const size_t rows = is.nodes * is.cores * is.repetitions;
    struct rc_store_block block = {.count = 1,
                                   .values = calloc(rows, POINTS * sizeof(int64_t)),
                                   .status = calloc(rows, 1),
                                   .enabled_ns = calloc(rows, sizeof(uint64_t)),
                                   .running_ns = calloc(rows, sizeof(uint64_t))};
    must(block.values && block.status && block.enabled_ns && block.running_ns
             ? RC_OK
             : RC_ENOMEM,
         &err);
    must(rc_store_create(MPI_COMM_NULL, argv[1], &campaign, &store, &err), &err);
    define(store, &is);
    for (size_t e = 0; e < is.events; e++)
        write_event(store, &is, e, &block);
    must(rc_store_close(store, &err), &err);
    free(block.values);
    free(block.status);
    free(block.enabled_ns);
    free(block.running_ns);
    return 0;
}
