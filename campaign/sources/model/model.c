/* The source 'model': a simulated machine from a text file.  No code runs; readings are
 * planted combinations of what the kernels are known to do.
 *
 * A reading is what the event's line of the file says: its sum of ideals times the
 * iterations, an offset, the background of busy neighbours, and noise.  All that is
 * drawn by chance depends on a key made of the seed, suite, point, repetition, place
 * and event, and on nothing else (random.h): the same campaign gives the same readings
 * on any number of ranks and in any grouping.  The effect of a node and a core on an
 * event depends on the seed, the event and them alone.
 */
#include "campaign/base/files/data_files.h"
#include "campaign/base/files/path.h"
#include "campaign/base/text.h"
#include "campaign/sources/model/random.h"
#include "campaign/sources/model/trial.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_IN_S UINT64_C(1000000000)

struct rc_source_state {
    struct rc_model *model;
    uint64_t seed; /* a key of the user's seed and the file's */
};

/* Numbers that are added to the key of a reading, one for each thing that is drawn. */
enum {
    DRAW_NOISE = 1,
    DRAW_OVERLAP,
    DRAW_COUNTS,
    DRAW_BACKGROUND,
    DRAW_NODE,
    DRAW_CORE
};

/* One event of a group: its terms are a part of the group's. */
struct armed {
    const struct rc_model_line *line;
    uint64_t name_hash; /* the event's part of the key */
    size_t counts_first, counts_count;
    size_t background_first, background_count;
};

struct rc_group_state {
    const struct rc_source_state *state;
    struct rc_measurement what;
    uint64_t key;               /* of the measurement, without the event */
    uint64_t point_key;         /* of the file's seed, the suite and the point */
    uint64_t time_ns;           /* that a reading takes: its events' longest */
    struct timespec started_at; /* set where 'time_ns' is not 0 */
    struct rc_model_terms terms;
    size_t count;
    struct armed armed[];
};

/* A name that a user typed: a path where it looks like one, else the name of a
 * machine file among rollcall's data.
 */
static int find_file(const char *argument, char *path, size_t room,
                     struct rc_error *err)
{
    char file[RC_MODEL_NAME_MAX], list[512];
    size_t length = strlen(argument);
    int status;

    if (strchr(argument, '/') ||
        (length > 5 && strcmp(argument + length - 5, ".yaml") == 0))
        return rc_path(path, room, err, "%s", argument);
    if ((status = rc_path(file, sizeof file, err, "%s.yaml", argument)) != RC_OK)
        return status;
    status = rc_data_file_find("machines", file, path, room, err);
    if (status != RC_EMISSING)
        return status;
    rc_data_file_list("machines", ".yaml", list, sizeof list);
    return rc_fail(err, RC_EUSAGE,
                   "no machine '%s', expected %s%sa path to a machine file", argument,
                   list, list[0] ? ", or " : "");
}

/* Opens the machine file that follows "model:". */
static int model_open(const struct rc_source_setup *setup, struct rc_source_state **out,
                      struct rc_error *err)
{
    char path[4096], list[512];

    *out = NULL;
    if (!setup->argument || !*setup->argument) {
        rc_data_file_list("machines", ".yaml", list, sizeof list);
        return rc_fail(err, RC_EUSAGE,
                       "the source 'model' needs a machine: model:NAME with %s, or "
                       "model:PATH",
                       list[0] ? list : "the name of one that is installed");
    }
    int status = find_file(setup->argument, path, sizeof path, err);
    if (status != RC_OK)
        return status;
    struct rc_source_state *state = calloc(1, sizeof *state);
    if (!state)
        return rc_fail(err, RC_ENOMEM, "no memory for the source 'model'");
    status = rc_model_file_open(path, &state->model, err);
    if (status != RC_OK) {
        free(state);
        return status;
    }
    state->seed = rc_model_key(setup->seed, state->model->seed);
    *out = state;
    return RC_OK;
}

static void model_close(struct rc_source_state *state)
{
    if (state)
        rc_model_file_close(state->model);
    free(state);
}

static void model_identify(struct rc_source_state *state, char *out, size_t room)
{
    char text[RC_MODEL_NAME_MAX + 64];

    snprintf(text, sizeof text, "model %s %016" PRIx64, state->model->name,
             state->model->digest);
    rc_text_printable(out, room, text);
}

static const char *model_topology(struct rc_source_state *state)
{
    return state->model->topology;
}

static uint32_t model_nodes(struct rc_source_state *state)
{
    return state->model->nodes;
}

static const char *model_machine(struct rc_source_state *state)
{
    return state->model->name;
}

static const char *const *model_references(struct rc_source_state *state)
{
    return state->model->references;
}

/* The file's description of an event, else what was planted. */
static void describe_event(const struct rc_model_line *line,
                           const struct rc_model_at *at, char *out, size_t room)
{
    char counts[RC_MODEL_DESCRIPTION_MAX + 1] = "0";

    if (line->description) {
        rc_model_render(line->description, &line->range, at, out, room);
    } else if (line->verdict != RC_VERDICT_OK) {
        snprintf(out, room, "planted: %s", line->reason);
    } else {
        if (line->counts)
            rc_model_render(line->counts, &line->range, at, counts, sizeof counts);
        snprintf(out, room, "planted: %s", counts);
        if (line->noise_relative > 0 || line->noise_absolute > 0)
            rc_text_append(out, room, ", noise %g relative %g absolute",
                           line->noise_relative, line->noise_absolute);
        if (line->effects.node > 0 || line->effects.core > 0)
            rc_text_append(out, room, ", %g over nodes %g over cores",
                           line->effects.node, line->effects.core);
        if (line->effects.outlier_count > 0)
            rc_text_append(out, room, ", more or less on some nodes");
    }
}

/* Events are numbered line by line, as rc_model_line_of() finds them again. */
static int model_enumerate(struct rc_source_state *state,
                           const struct rc_enumerate *what, struct rc_event_sink *sink,
                           struct rc_error *err)
{
    const struct rc_model *model = state->model;
    char name[RC_MODEL_NAME_MAX + 1], description[RC_MODEL_DESCRIPTION_MAX + 1];

    (void)what; /* events have the names that the file gives them */
    for (size_t l = 0; l < model->line_count; l++) {
        const struct rc_model_line *line = &model->line[l];
        const struct rc_event_info info = {
            .name = name,
            .description = description,
            .scope = line->scope,
            .evidence = "the machine file says so",
            .simulated = true,
            .domain = line->bank,
            .alike = line->alike,
        };
        for (uint32_t i = 0; i < line->count; i++) {
            struct rc_model_at at;
            rc_model_range_at(&line->range, i, &at);
            rc_model_render(line->name, &line->range, &at, name, sizeof name);
            describe_event(line, &at, description, sizeof description);
            int status = sink->add(sink, &info, err);
            if (status != RC_OK)
                return status;
        }
    }
    return RC_OK;
}

static void model_trial(struct rc_source_state *state, const uint32_t *events,
                        size_t count, struct rc_trial *out)
{
    rc_model_trial(state->model, events, count, out);
}

/* Appends the terms of a sum, which is a template; NULL has none. */
static int read_sum(struct rc_group_state *group, const struct rc_model_line *line,
                    const struct rc_model_at *at, const char *text,
                    struct rc_error *err)
{
    char sum[RC_MODEL_SUM_MAX + 1];

    if (!text)
        return RC_OK;
    rc_model_render(text, &line->range, at, sum, sizeof sum);
    return rc_model_expression_read(sum, &group->terms, err);
}

/* Reads the sums of an event after those that the group has. */
static int arm_event(struct rc_group_state *group, uint32_t event, struct armed *armed,
                     struct rc_error *err)
{
    char name[RC_MODEL_NAME_MAX + 1];
    struct rc_model_at at;
    const struct rc_model_line *line =
        rc_model_line_of(group->state->model, event, &at);
    int status;

    rc_model_event_name(group->state->model, event, name);
    armed->line = line;
    armed->name_hash = rc_text_hash(name);
    if (line->time_ns > group->time_ns)
        group->time_ns = line->time_ns;
    armed->counts_first = group->terms.count;
    if ((status = read_sum(group, line, &at, line->counts, err)) != RC_OK)
        return status;
    armed->background_first = group->terms.count;
    armed->counts_count = armed->background_first - armed->counts_first;
    status = read_sum(group, line, &at, line->background, err);
    armed->background_count = group->terms.count - armed->background_first;
    return status;
}

static void model_disarm(struct rc_group_state *group)
{
    if (group)
        free(group->terms.term);
    free(group);
}

/* Arms a group if its trial succeeds: rc_model_trial() refuses as hardware would. */
static int model_arm(struct rc_source_state *state, const uint32_t *events,
                     size_t count, struct rc_group_state **out, struct rc_error *err)
{
    struct rc_trial trial;
    struct rc_group_state *group;

    *out = NULL;
    rc_model_trial(state->model, events, count, &trial);
    if (trial.verdict != RC_VERDICT_OK && trial.verdict != RC_VERDICT_COUNTS_NOTHING)
        return rc_fail(err, rc_verdict_status(trial.verdict), "%s", trial.reason);
    group = calloc(1, sizeof *group + count * sizeof group->armed[0]);
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->state = state;
    group->count = count;
    for (size_t i = 0; i < count; i++) {
        int status = arm_event(group, events[i], &group->armed[i], err);
        if (status != RC_OK) {
            model_disarm(group);
            return status;
        }
    }
    *out = group;
    return RC_OK;
}

static int model_start(struct rc_group_state *group, const struct rc_measurement *what,
                       struct rc_error *err)
{
    (void)err;
    group->what = *what;
    group->key = rc_model_key(group->state->seed, rc_text_hash(what->suite->name));
    group->key = rc_model_key(group->key, rc_text_hash(what->point->name));
    group->point_key =
        rc_model_key(group->state->model->seed, rc_text_hash(what->suite->name));
    group->point_key = rc_model_key(group->point_key, rc_text_hash(what->point->name));
    group->key = rc_model_key(group->key, what->repetition);
    group->key = rc_model_key(group->key, what->where.place);
    if (group->time_ns > 0)
        clock_gettime(CLOCK_MONOTONIC, &group->started_at);
    return RC_OK;
}

/* The value of a sum over all iterations of the measurement. */
static double sum_of(const struct rc_group_state *group, size_t first, size_t count,
                     uint64_t key)
{
    const struct rc_measurement *what = &group->what;

    return rc_model_expression_value(group->terms.term + first, count, what->suite,
                                     what->request, what->point, group->point_key,
                                     key) *
           (double)what->iterations;
}

/* The effect of a place and a worker on an event's value, as a part of it: the same in
 * all suites, points and repetitions.
 */
static double effect_of(const struct rc_group_state *group, const struct armed *armed)
{
    const struct rc_model_effects *effects = &armed->line->effects;
    const struct rc_where *where = &group->what.where;
    double sum = 0;

    if (where->node == 0 && group->what.workers == 0)
        return 0;
    const uint64_t key = rc_model_key(group->state->seed, armed->name_hash);
    if (effects->node > 0 && where->node != 0)
        sum += effects->node *
               rc_model_normal(rc_model_key(rc_model_key(key, where->node), DRAW_NODE));
    if (effects->core > 0 && where->node != 0)
        sum +=
            effects->core *
            rc_model_normal(rc_model_key(rc_model_key(key, where->place), DRAW_CORE));
    for (size_t i = 0; i < effects->outlier_count; i++) {
        const struct rc_model_outlier *outlier = &effects->outlier[i];
        const uint32_t number =
            outlier->workers ? group->what.worker : where->node_number;
        if ((outlier->workers ? group->what.workers > 0 : where->node != 0) &&
            number >= outlier->first && number <= outlier->last)
            sum += outlier->part;
    }
    return sum;
}

/* The reading of an event: what was planted, rounded, not below 0, and modulo the width
 * of its counter.  Other workers in the event's shared unit add a sum for each of them,
 * times a number between 0 and 2, since nobody knows how much of their work falls into
 * this reading.
 */
static int64_t value_of(const struct rc_group_state *group, const struct armed *armed)
{
    const struct rc_model_line *line = armed->line;
    const uint32_t busy = group->what.busy[line->scope];
    uint64_t key = rc_model_key(group->key, armed->name_hash);

    if (line->verdict == RC_VERDICT_COUNTS_NOTHING)
        return 0;
    double value =
        line->offset + sum_of(group, armed->counts_first, armed->counts_count,
                              rc_model_key(key, DRAW_COUNTS));
    if (busy && armed->background_count)
        value += busy * 2 * rc_model_uniform(rc_model_key(key, DRAW_OVERLAP)) *
                 sum_of(group, armed->background_first, armed->background_count,
                        rc_model_key(key, DRAW_BACKGROUND));
    value *= 1 + effect_of(group, armed);
    double sigma = hypot(line->noise_relative * value, line->noise_absolute);
    if (sigma > 0)
        value += sigma * rc_model_normal(rc_model_key(key, DRAW_NOISE));
    value = rint(value);
    return value > 0 ? (int64_t)fmod(value, ldexp(1, (int)line->bits)) : 0;
}

static int model_stop(struct rc_group_state *group, struct rc_reading *readings,
                      struct rc_error *err)
{
    const struct rc_measurement *what = &group->what;
    const double clock = group->state->model->clock_mhz;
    const double cycles =
        clock > 0 ? rc_expect(what->suite, what->request, what->point, RC_IDEAL_CYC) *
                        (double)what->iterations
                  : 0;
    uint64_t ns = what->iterations ? what->iterations : 1;

    (void)err;
    if (group->time_ns > 0) {
        /* Sleeps until the declared time of a reading is over.  That simulates the
         * kernel's run and leaves the processor to others, so that tests can have many
         * workers on few cores.  A signal does not end the sleep.
         */
        const uint64_t end = (uint64_t)group->started_at.tv_nsec + group->time_ns;
        const struct timespec until = {
            .tv_sec = group->started_at.tv_sec + (time_t)(end / NS_IN_S),
            .tv_nsec = (long)(end % NS_IN_S),
        };
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
            ;
    }
    if (cycles * 1000 > clock)
        ns = (uint64_t)(cycles * 1000 / clock);
    ns += group->time_ns;
    for (size_t i = 0; i < group->count; i++)
        readings[i] = (struct rc_reading){
            .value = value_of(group, &group->armed[i]),
            /* The time of the core's cycles, or 1 ns for each iteration where no clock
             * is given, plus the declared time.
             */
            .enabled_ns = ns,
            .running_ns = ns,
        };
    return RC_OK;
}

const struct rc_source rc_source_model = {
    .name = "model",
    .summary = "a simulated machine from a text file: no kernel runs",
    .argument = "name or path of a machine file",
    .label = "simulated",
    .open = model_open,
    .close = model_close,
    .identify = model_identify,
    .topology = model_topology,
    .nodes = model_nodes,
    .machine = model_machine,
    .references = model_references,
    .enumerate = model_enumerate,
    .trial = model_trial,
    .arm = model_arm,
    .disarm = model_disarm,
    .start = model_start,
    .stop = model_stop,
};
