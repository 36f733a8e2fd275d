/* Reads profiles as what a model is made from: each launch is a reading at its point.
 *
 * Kernels are call paths: the program's regions, and the MPI functions that they call.
 * In a program without regions, all that is outside of MPI is one path; where stacks were
 * sampled, its functions are kernels by their shares of the samples there.
 */
#include "campaign/model/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"
#include "campaign/profile/read/stacks.h"
#include "campaign/profile/tables/cube.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTSIDE "(program)" /* what is in no region and not in MPI */

enum { NAME = 4096, DEPTH = 64 };
static const double NS = 1e-9;

/* A launch that is added to the draft. */
struct adding {
    struct rc_measured_draft *draft;
    const struct rc_profile_sums *sums;
    const struct rc_cube *cube;
    double at[RC_MEASURED_PARAMETERS];
    bool ranks;   /* there are some: others of the program's processes do not count */
    bool sampled; /* stacks of some launch were, often enough */
};

static int add(const struct adding *a, const char *kernel,
               const struct rc_measured_metric *metric, double value,
               struct rc_error *err)
{
    return isfinite(value)
               ? rc_measured_add(a->draft, a->at, kernel, metric, value, NAN, err)
               : RC_OK;
}

/* "solve;MPI_Send" of a path, outermost first. */
static const char *name_of(const struct rc_cube *cube, size_t path, char out[NAME])
{
    size_t above[DEPTH], depth = 0;

    for (int64_t at = (int64_t)path; at > 0 && depth < DEPTH;
         at = cube->path[at].parent)
        above[depth++] = (size_t)at;
    out[0] = 0;
    while (depth-- > 0)
        rc_text_append(out, NAME, "%s%s", out[0] ? ";" : "",
                       cube->path[above[depth]].name);
    return out[0] ? out : OUTSIDE;
}

/* The numbers of a metric and path, over all ranks: a rank's threads work side by side, so
 * that its time is the mean over them, and its counts their sum.
 */
struct over_ranks {
    double mean, most, sum;
};

static struct over_ranks over_ranks(const struct adding *a, size_t metric, size_t path)
{
    const struct rc_cube *c = a->cube;
    struct over_ranks out = {.most = -INFINITY};
    size_t ranks = 0;

    for (size_t p = 0; p < c->places;) {
        double sum = 0;
        size_t threads = 0;
        const struct rc_cube_place *first = &c->place[p];
        for (; p < c->places && c->place[p].rank == first->rank &&
               (first->rank >= 0 || threads == 0);
             p++) {
            const struct rc_cube_cell *cell = rc_cube_cell(c, metric, path, p);
            sum += rc_cube_is_missing(cell) ? NAN : cell->mean;
            threads++;
        }
        if (a->ranks && first->rank < 0)
            continue;
        out.sum += sum;
        out.most = fmax(out.most, sum / (double)threads);
        out.mean += sum / (double)threads;
        ranks++;
    }
    out.mean /= (double)ranks;
    return out;
}

static const struct rc_measured_metric time_metric = {RC_MODEL_TIME, "s",
                                                      RC_MEASURED_TIME, false},
                                       time_max = {RC_MODEL_TIME_MAX, "s",
                                                   RC_MEASURED_TIME, false};

/* Counts beside the events of a cube. */
static const struct {
    const char *in_cube;
    struct rc_measured_metric metric;
} counts[] = {{"visits", {"calls", "1", RC_MEASURED_COUNT, false}},
              {"bytes", {"bytes", "bytes", RC_MEASURED_COUNT, false}}};

static uint64_t samples_of(const struct rc_profile_node *node, size_t nodes)
{
    uint64_t samples = 0;

    for (size_t i = 0; i < nodes; i++)
        samples += node[i].samples.total;
    return samples;
}

/* The functions of the time outside of regions and of MPI, by their shares of samples. */
static int add_functions(const struct adding *a, struct over_ranks ns, bool *added,
                         struct rc_error *err)
{
    struct rc_profile_stacks_tree tree = {0};
    struct rc_profile_stack_function *function = NULL;
    size_t count = 0;
    double all = 0;
    int status = rc_profile_stacks_tree(a->sums->node, a->sums->node_count, &tree, err);

    if (status == RC_OK)
        status = rc_profile_stack_functions(&tree, &function, &count, err);
    for (size_t i = 0; i < count; i++)
        if (rc_profile_owner_of(function[i].module) == RC_PROFILE_OWNER_PROGRAM)
            all += function[i].own_ns;
    for (size_t i = 0; i < count && all > 0 && status == RC_OK; i++) {
        const double share = function[i].own_ns / all,
                     spread = sqrt(share * (1 - share) / tree.effective) * ns.mean * NS;
        if (rc_profile_owner_of(function[i].module) != RC_PROFILE_OWNER_PROGRAM ||
            !(share > 0))
            continue;
        *added = true;
        status = rc_measured_add(a->draft, a->at, function[i].function, &time_metric,
                                 share * ns.mean * NS, spread, err);
        if (status == RC_OK)
            status = add(a, function[i].function, &time_max, share * ns.most * NS, err);
    }
    free(function);
    rc_profile_stacks_tree_fini(&tree);
    return status;
}

/* Times, calls and bytes of a path; of MPI alone bytes say something. */
static int add_path(const struct adding *a, size_t path, bool regions,
                    struct rc_error *err)
{
    const struct rc_cube *c = a->cube;
    const size_t time = rc_cube_find_metric(c, "time");
    const struct over_ranks ns = over_ranks(a, time, path);
    char name[NAME];
    bool added = false;
    int status = RC_OK;

    name_of(c, path, name);
    if (path == 0 && !regions && a->sampled)
        status = add_functions(a, ns, &added, err);
    if (status == RC_OK && !added &&
        (status = add(a, path ? name : OUTSIDE, &time_metric, ns.mean * NS, err)) ==
            RC_OK)
        status = add(a, path ? name : OUTSIDE, &time_max, ns.most * NS, err);
    for (size_t i = 0; path > 0 && i < sizeof counts / sizeof counts[0]; i++) {
        const struct over_ranks all =
            over_ranks(a, rc_cube_find_metric(c, counts[i].in_cube), path);
        if (status == RC_OK && (i == 0 || strcmp(c->path[path].paradigm, "mpi") == 0))
            status = add(a, name, &counts[i].metric, all.sum, err);
    }
    const struct rc_profile_launch *launch = &a->sums->node->launch;
    for (size_t i = 0; i < launch->counter_count && status == RC_OK; i++) {
        const struct rc_measured_metric metric = {launch->counter[i], "1",
                                                  RC_MEASURED_COUNT, c->simulated};
        const size_t event = rc_cube_find_metric(c, launch->counter[i]);
        if (event != SIZE_MAX && strcmp(c->path[path].paradigm, "mpi") != 0)
            status = add(a, path ? name : OUTSIDE, &metric,
                         over_ranks(a, event, path).sum, err);
    }
    return status;
}

/* Adds a launch; *why says why it is left out instead, or is "". */
static int add_launch(struct adding *a, const struct rc_profile *profile,
                      uint64_t launch, const char *const *parameter, size_t parameters,
                      char why[RC_ERROR_TEXT], struct rc_error *err)
{
    struct rc_profile_parameters given;
    struct rc_profile_sums sums;
    struct rc_cube *cube = NULL;
    struct rc_error wrong = {.rank = -1};
    bool regions = false;
    int status = rc_profile_sum(profile, launch, NULL, &sums, &wrong);

    why[0] = 0;
    if (status == RC_OK)
        status = rc_profile_parameters_of(profile, launch, &given, &wrong);
    if (status != RC_OK) {
        snprintf(why, RC_ERROR_TEXT, "%s", wrong.text);
        goto out;
    }
    for (size_t i = 0; i < parameters; i++) {
        size_t k = 0;
        while (k < given.count && strcmp(given.of[k].name, parameter[i]) != 0)
            k++;
        if (k == given.count || given.count != parameters) {
            snprintf(why, RC_ERROR_TEXT,
                     "it has %zu parameters, not '%s' and others of "
                     "the first launch: they are given by 'profile --set'",
                     given.count, parameter[i]);
            goto out;
        }
        a->at[i] = given.of[k].value;
    }
    if ((status = rc_profile_cube_of(&sums, &cube, err)) != RC_OK)
        goto out;
    const size_t ranks = rc_cube_ranks(cube);
    a->sums = &sums;
    a->cube = cube;
    a->ranks = ranks > 0;
    if (ranks > 0 && (double)ranks < given.of[0].value) {
        snprintf(why, RC_ERROR_TEXT, "%zu of its %.0f ranks are there", ranks,
                 given.of[0].value);
        goto out;
    }
    for (size_t p = 1; p < cube->paths; p++)
        regions = regions || strcmp(cube->path[p].paradigm, "mpi") != 0;
    if (!regions && a->sampled && samples_of(sums.node, sums.node_count) == 0) {
        snprintf(why, RC_ERROR_TEXT,
                 "no stack of it was sampled, as those of others are");
        goto out;
    }
    for (size_t p = 0; p < cube->paths && status == RC_OK; p++)
        status = add_path(a, p, regions, err);
out:
    a->sums = NULL;
    a->cube = NULL;
    rc_cube_close(cube);
    rc_profile_sums_fini(&sums);
    return why[0] ? RC_OK : status;
}

/* The name of the program of a launch, without folders. */
static const char *program_of(const struct rc_profile *profile)
{
    const struct rc_profile_launch *launch = &profile->node[0].launch;
    const char *word = launch->word_count > 0 ? launch->word[0] : "";
    const char *slash = strrchr(word, '/');

    return slash ? slash + 1 : word;
}

/* All launches of a directory; 'program' is that of the first one, or "". */
static int add_profile(struct adding *a, const struct rc_profile *profile,
                       const char *dir, const char *const *parameter, size_t parameters,
                       size_t *taken, struct rc_error *err)
{
    char why[RC_ERROR_TEXT], name[NAME];
    int status = RC_OK;

    for (uint64_t i = 0; i < profile->launches && status == RC_OK; i++) {
        status = add_launch(a, profile, i, parameter, parameters, why, err);
        *taken += status == RC_OK && !why[0];
        if (why[0])
            fprintf(stderr,
                    "rollcall model: left out: launch %" PRIu64 " of '%s': %s\n", i,
                    rc_text_printable(name, sizeof name, dir), why);
    }
    return status;
}

int rc_model_read_profiles(const char *const *dir, size_t count,
                           struct rc_measured **out, struct rc_error *err)
{
    struct rc_profile **profile = rc_calloc(count, sizeof(struct rc_profile *));
    struct rc_profile_parameters first = {0};
    const char *parameter[RC_PROFILE_PARAMETERS];
    struct adding a = {0};
    size_t taken = 0;
    int status = profile ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for profiles");

    for (size_t i = 0; i < count && status == RC_OK; i++) {
        status = rc_profile_read(dir[i], false, &profile[i], err);
        if (status == RC_OK && profile[i]->node_count == 0)
            status = rc_fail(err, RC_EUSAGE, "'%s' has no launch", dir[i]);
        else if (status == RC_OK &&
                 strcmp(program_of(profile[i]), program_of(profile[0])) != 0)
            status =
                rc_fail(err, RC_EUSAGE,
                        "'%.200s' is of the program '%.100s' and '%.200s' of "
                        "'%.100s', expected profiles of one program",
                        dir[0], program_of(profile[0]), dir[i], program_of(profile[i]));
        else if (status == RC_OK)
            a.sampled =
                a.sampled || samples_of(profile[i]->node, profile[i]->node_count) >=
                                 RC_PROFILE_SAMPLES_LEAST;
    }
    if (status == RC_OK)
        status = rc_profile_parameters_of(profile[0], profile[0]->node[0].launch.launch,
                                          &first, err);
    for (size_t i = 0; status == RC_OK && i < first.count; i++)
        parameter[i] = first.of[i].name;
    if (status == RC_OK)
        status = rc_measured_begin(parameter, first.count, &a.draft, err);
    for (size_t i = 0; i < count && status == RC_OK; i++)
        status =
            add_profile(&a, profile[i], dir[i], parameter, first.count, &taken, err);
    if (status == RC_OK && taken == 0)
        status = rc_fail(err, RC_EUSAGE,
                         "'%s': no launch can be used, expected one whole "
                         "launch at least",
                         dir[0]);
    if (status == RC_OK)
        status = rc_measured_end(a.draft, "profiles of rollcall", out, err);
    else
        rc_measured_drop(a.draft);
    for (size_t i = 0; i < count && profile; i++)
        rc_profile_close(profile[i]);
    free(profile);
    return status;
}
