/* profile_planted - the journal of a launch of a planted program (simulated)
 *
 *     profile_planted FILE DIR [seed=S] p=P [NAME=VALUE]...
 *
 * FILE is a program as in tests/planted/model_app.h.  Each part is a region of that name;
 * those that communicate have their calls of MPI in it.  All ranks are on one node.
 */
#include "campaign/base/mix.h"
#include "tests/lib/profile_lib.h"
#include "tests/planted/model_app.h"

#include <math.h>
#include <stdlib.h>

enum { NAMES = 4 };

struct launch {
    struct sample_profile sample;
    struct model_app app;
    struct formula_name name[NAMES]; /* p is the first */
    size_t names;
    char set[256];
    struct model_taken taken[MODEL_PARTS]; /* with noise */
    uint64_t ranks;
};

/* The share of one rank in a sum of whole numbers. */
static uint64_t share_of(double sum, uint64_t rank, uint64_t ranks)
{
    const uint64_t all = (uint64_t)llround(sum);

    return all * (rank + 1) / ranks - all * rank / ranks;
}

/* ns of a part on a rank: from the least to the most evenly. */
static uint64_t ns_of(const struct launch *l, size_t part, uint64_t rank)
{
    const struct model_taken *taken = &l->taken[part];
    const double place =
        l->ranks > 1 ? 2 * (double)rank / (double)(l->ranks - 1) - 1 : 0;

    return (uint64_t)(1e9 * (taken->mean_s + place * (taken->most_s - taken->mean_s)));
}

/* Names of a rank, one after the other, each once; returns where it stands. */
static uint64_t add_name(char *bytes, size_t *used, const char *name)
{
    const size_t at = *used;

    *used += strlen(strcpy(bytes + at, name)) + 1;
    return at;
}

static int add_rank(struct launch *l, uint64_t rank, struct rc_error *err)
{
    static char bytes[MODEL_PARTS * (MODEL_WORD + 64)];
    struct rc_profile_path path[MODEL_PARTS + 1] = {{.number = 0}};
    struct rc_profile_call call[MODEL_PARTS + 1] = {{.number = 0}};
    size_t used = 1, calls = 1;
    char function[64];
    const uint64_t module = add_name(bytes, &used, "planted");

    for (size_t i = 0; i < l->app.parts; i++) {
        const struct model_part *part = &l->app.part[i];
        const uint64_t ns = ns_of(l, i, rank);
        path[i + 1] =
            (struct rc_profile_path){.number = i + 1,
                                     .name = add_name(bytes, &used, part->name),
                                     .visits = 1,
                                     .measured = 1,
                                     .ns = ns,
                                     .shortest_ns = ns,
                                     .longest_ns = ns};
        if (part->kind == MODEL_KERNEL)
            continue;
        snprintf(function, sizeof function, "MPI_%s",
                 part->operation[0] ? part->operation : "Send");
        const bool rooted = strcmp(part->operation, "Bcast") == 0 ||
                            strcmp(part->operation, "Scatter") == 0;
        call[calls] = (struct rc_profile_call){
            .number = calls,
            .path = i + 1,
            .name = add_name(bytes, &used, function),
            .module = module,
            .site = 0x1000 + 16 * i,
            .ranks = l->ranks,
            .calls = share_of(l->taken[i].calls, rank, l->ranks),
            .ns = ns,
            .longest_ns = ns,
            .bytes = !rooted     ? share_of(l->taken[i].bytes, rank, l->ranks)
                     : rank == 0 ? (uint64_t)llround(l->taken[i].bytes)
                                 : 0};
        calls++;
    }
    const struct rc_profile_payload payload[] = {
        {.type = RC_PROFILE_NAMES,
         .names = {.place = rank, .byte = bytes, .byte_count = used}},
        {.type = RC_PROFILE_PATHS,
         .paths = {.place = rank, .path = path, .path_count = l->app.parts + 1}},
        {.type = RC_PROFILE_CALLS,
         .calls = {.place = rank, .call = call, .call_count = calls}}};
    int status = sample_place(&l->sample, rank, (int64_t)rank, err);
    for (size_t i = 0; i < 3 && status == RC_OK; i++)
        status = sample_append(&l->sample, &payload[i], err);
    return status == RC_OK
               ? sample_close(&l->sample, rank, (int64_t)rank, (int64_t)l->ranks, err)
               : status;
}

static int take_words(struct launch *l, int argc, char **argv)
{
    uint64_t random = rc_mix(RC_GOLDEN);

    for (int i = 3; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value || l->names == NAMES)
            return 0;
        *value++ = '\0';
        if (strcmp(argv[i], "seed") == 0) {
            random = rc_mix(strtoull(value, NULL, 10) + RC_GOLDEN);
            continue;
        }
        if (l->names > 0)
            snprintf(l->set + strlen(l->set), sizeof l->set - strlen(l->set), "%s%s=%s",
                     l->set[0] ? "," : "", argv[i], value);
        l->name[l->names++] = (struct formula_name){argv[i], strtod(value, NULL)};
    }
    if (l->names == 0 || strcmp(l->name[0].name, "p") != 0)
        return 0;
    l->ranks = (uint64_t)l->name[0].value;
    for (size_t i = 0; i < l->app.parts; i++) {
        struct model_taken *taken = &l->taken[i];
        *taken = model_app_at(&l->app, &l->app.part[i], l->name, l->names);
        const double seconds = model_app_measured(&l->app, taken->mean_s, &random);
        taken->most_s *= taken->mean_s > 0 ? seconds / taken->mean_s : 1;
        taken->mean_s = seconds;
    }
    return l->ranks > 0;
}

int main(int argc, char **argv)
{
    static struct launch l;
    struct rc_error err = {.rank = -1};
    FILE *file = argc > 3 ? fopen(argv[1], "r") : NULL;

    if (!file || model_app_read(file, &l.app) != 0 || !take_words(&l, argc, argv)) {
        fprintf(stderr, "profile_planted FILE DIR [seed=S] p=P [NAME=VALUE]...\n");
        return 2;
    }
    fclose(file);
    l.sample = sample_profile(argv[2], "n0");
    l.sample.program = "planted (simulated)";
    l.sample.set = l.set;
    l.sample.counts = false;
    for (size_t i = 0; i < l.app.parts; i++)
        l.sample.life_ns += (uint64_t)(1e9 * l.taken[i].most_s);
    int status = sample_begin(&l.sample, &err);
    for (uint64_t r = 0; r < l.ranks && status == RC_OK; r++)
        status = add_rank(&l, r, &err);
    if (status == RC_OK)
        status = sample_end(&l.sample, &err);
    if (status != RC_OK)
        fprintf(stderr, "profile_planted: %s\n", err.text);
    return status == RC_OK ? 0 : 1;
}
