/* The phases of a launch, found in the series of its nodes and named by what the
 * program's threads did then.
 */
#include "campaign/profile/phases.h"

#include "campaign/base/text.h"
#include "campaign/profile/instances.h"
#include "solve/series/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BINS_MOST = 2048, /* longer launches have longer bins: it takes their square */
    NAMES_MOST = 1024 /* others have one name together */
};
#define PERIOD_NS UINT64_C(100000000) /* of readings, where the journal has none */

/* An event of which there are series on several nodes, as means over bins of time. */
struct level {
    const struct rc_profile_event *event;
    double *mean;  /* [bin]; NAN: no reading */
    double *given; /* [bin] what the mean is of: ns for rates, readings for states */
};

/* A name that a phase may get, and how long threads were there, in ns by phase. */
struct named {
    const char *name;
    double *ns;
};

struct finding {
    const struct rc_profile_sums *sums;
    struct rc_profile_phases *out;
    int64_t zero_ns; /* when the first sampler began */
    size_t bins;
    struct rc_map events, names;
    struct level *level;
    size_t level_count, level_room;
    struct named *named;
    size_t named_count, named_room;
    double *alive_ns;                       /* [phase] of all threads */
    const struct rc_profile_node *node;     /* whose instances are taken, */
    const struct rc_profile_thread *thread; /* and which thread's */
    bool failed;                            /* no memory */
};

static int fail_memory(struct rc_error *err)
{
    return rc_fail(err, RC_ENOMEM, "no memory for the phases of the profile");
}

static bool has_event(const void *context, size_t item, const void *key)
{
    const struct finding *f = context;
    const struct rc_profile_event *event = key;

    return strcmp(f->level[item].event->name, event->name) == 0 &&
           strcmp(f->level[item].event->source, event->source) == 0;
}

static bool has_name(const void *context, size_t item, const void *key)
{
    const struct finding *f = context;

    return strcmp(f->named[item].name, key) == 0;
}

/* A time of a node in bins from the begin on, within them. */
static double bin_of(const struct finding *f, const struct rc_profile_node *node,
                     uint64_t at_ns)
{
    const double ns = (double)rc_profile_unix_ns(node, at_ns) - (double)f->zero_ns;

    return fmin(fmax(ns / (double)f->out->bin_ns, 0), (double)f->bins);
}

/* Adds the readings of a node: a rate to all bins since the reading before, by the time
 * it was there; a state to its bin.  No time counts twice, whatever a journal says.
 */
static void add_readings(const struct finding *f, const struct rc_profile_node *node,
                         const struct rc_profile_series *series, struct level *level)
{
    double done = 0;

    for (size_t i = 0; i < series->count; i++) {
        const struct rc_profile_reading *r = &series->reading[i];
        const double value = rc_profile_reading_value(&series->event, r);
        const double to = bin_of(f, node, r->at_ns);
        if (!isfinite(value))
            continue;
        double from = series->event.state ? to : bin_of(f, node, r->since_ns);
        if (series->event.state && to < (double)f->bins) {
            level->mean[(size_t)to] += value;
            level->given[(size_t)to] += 1;
        }
        for (from = fmax(from, done); from < to; from = floor(from) + 1) {
            const double part = fmin(floor(from) + 1, to) - from;
            level->mean[(size_t)from] += value * part;
            level->given[(size_t)from] += part;
        }
        done = fmax(done, to);
    }
}

/* The levels of all events that are read on some node, as means over its nodes. */
static int add_series(struct finding *f, struct rc_error *err)
{
    const struct rc_profile_sums *s = f->sums;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++) {
            const struct rc_profile_series *series = &s->node[n].series[i];
            const struct rc_profile_event *event = &series->event;
            const uint64_t hash = rc_text_hash_more(
                rc_text_hash(event->name), event->source, strlen(event->source));
            size_t number = rc_map_find(&f->events, f, hash, event);
            if (series->count == 0)
                continue;
            if (number == RC_MAP_NONE) {
                const struct level level = {
                    .event = event,
                    .mean = rc_arena_array(&f->out->arena, f->bins, sizeof(double)),
                    .given = rc_arena_array(&f->out->arena, f->bins, sizeof(double))};
                number = f->level_count;
                if (!level.mean || !level.given ||
                    rc_grow(&f->level, sizeof level, number, &f->level_room))
                    return fail_memory(err);
                f->level[f->level_count++] = level;
                if (rc_map_put(&f->events, f, hash, event, number))
                    return fail_memory(err);
            }
            add_readings(f, &s->node[n], series, &f->level[number]);
        }
    for (size_t i = 0; i < f->level_count; i++)
        for (size_t b = 0; b < f->bins; b++)
            f->level[i].mean[b] = f->level[i].given[b] > 0
                                      ? f->level[i].mean[b] / f->level[i].given[b]
                                      : NAN;
    return RC_OK;
}

/* The mean from bin 'a' to 'b'; NAN: there is no reading. */
static double mean_of(const struct level *level, size_t a, size_t b)
{
    double sum = 0, given = 0;

    for (size_t t = a; t < b; t++)
        if (level->given[t] > 0) {
            sum += level->mean[t] * level->given[t];
            given += level->given[t];
        }
    return given > 0 ? sum / given : NAN;
}

/* Makes the phases of boundaries, each with the event that stands out.  A count
 * scatters by one in a bin at least, over as many nodes as there are.
 */
static int find_boundaries(struct finding *f, struct rc_error *err)
{
    struct rc_profile_phases *out = f->out;
    struct rc_arena arena = {0};
    double *value = rc_arena_array(&arena, f->level_count, f->bins * sizeof *value);
    double *scatter = rc_arena_array(&arena, f->level_count, sizeof *scatter);
    size_t *boundary = rc_arena_array(&arena, f->bins + 1, sizeof *boundary);
    size_t boundaries = 0;
    int status = rc_arena_check(&arena, err, "the phases of the profile");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < f->level_count; i++) {
        memcpy(value + i * f->bins, f->level[i].mean, f->bins * sizeof *value);
        scatter[i] = f->level[i].event->state
                         ? 0
                         : 1e9 / (double)out->bin_ns / (double)f->sums->node_count;
    }
    status = rc_phases_find(value, f->level_count, f->bins, boundary, &boundaries,
                            scatter, err);
    out->series = f->level_count;
    for (size_t i = 0; i < f->level_count; i++)
        out->used += scatter[i] > 0;
    if (status != RC_OK || boundaries == 0)
        goto out;
    out->phase = rc_arena_array(&out->arena, boundaries + 1, sizeof *out->phase);
    if (!out->phase) {
        status = fail_memory(err);
        goto out;
    }
    boundary[boundaries] = f->bins;
    for (size_t p = 0; p <= boundaries; p++) {
        struct rc_profile_phase *phase = &out->phase[p];
        const size_t a = p > 0 ? boundary[p - 1] : 0, b = boundary[p];
        double most = -1;
        *phase = (struct rc_profile_phase){
            .begin_ns = f->zero_ns + (int64_t)(a * out->bin_ns),
            .end_ns = f->zero_ns +
                      (int64_t)(b < f->bins ? b * out->bin_ns : f->sums->wall_ns),
            .mostly = "",
            .share = NAN};
        for (size_t i = 0; i < f->level_count; i++) {
            const double mean = mean_of(&f->level[i], a, b),
                         all = mean_of(&f->level[i], 0, f->bins);
            const double off = scatter[i] > 0 ? fabs(mean - all) / scatter[i] : NAN;
            if (off > most) {
                most = off;
                phase->event = f->level[i].event;
                phase->mean = mean;
                phase->all = all;
            }
        }
    }
    out->count = boundaries + 1;
out:
    rc_arena_free(&arena);
    return status;
}

/* Adds to ns[phase] what lies in each phase of a time of a node. */
static void add_time(const struct finding *f, uint64_t begin_ns, uint64_t end_ns,
                     double sign, double *ns)
{
    const struct rc_profile_phases *out = f->out;
    const int64_t begin = rc_profile_unix_ns(f->node, begin_ns),
                  end = rc_profile_unix_ns(f->node, end_ns);
    size_t low = 0, high = out->count;

    while (low < high) { /* the first one that has not ended before it begins */
        const size_t middle = (low + high) / 2;
        if (out->phase[middle].end_ns <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < out->count && out->phase[low].begin_ns < end; low++) {
        const struct rc_profile_phase *phase = &out->phase[low];
        const int64_t from = begin > phase->begin_ns ? begin : phase->begin_ns,
                      to = end < phase->end_ns ? end : phase->end_ns;
        ns[low] += sign * (double)(to - from);
    }
}

/* The times of a name; those that are too many share the last one. */
static double *find_name(struct finding *f, const char *name)
{
    const char *const key = f->named_count < NAMES_MOST ? name : "(other regions)";
    const uint64_t hash = rc_text_hash(key);
    size_t number = rc_map_find(&f->names, f, rc_text_hash(name), name);

    if (number == RC_MAP_NONE && key != name)
        number = rc_map_find(&f->names, f, hash, key);
    if (number != RC_MAP_NONE)
        return f->named[number].ns;
    const struct named named = {
        .name = key,
        .ns = rc_arena_array(&f->out->arena, f->out->count, sizeof(double))};
    number = f->named_count;
    if (!named.ns || rc_grow(&f->named, sizeof named, number, &f->named_room) ||
        rc_map_put(&f->names, f, hash, key, number)) {
        f->failed = true;
        return NULL;
    }
    f->named[f->named_count++] = named;
    return named.ns;
}

/* Adds what an instance took to its name, and takes it from what is around it. */
static void add_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct finding *f = arg;
    const struct rc_profile_thread *thread = f->thread;
    const struct rc_profile_call *call = &thread->call[instance->number];
    const struct rc_profile_path *path = &thread->path[instance->number];
    const uint64_t around = instance->call ? call->path : path->parent;
    double *own = find_name(f, instance->call ? rc_profile_call_name(thread, call)
                                              : rc_profile_name(thread, path->name));
    double *outer =
        around > 0 ? find_name(f, rc_profile_name(thread, thread->path[around].name))
                   : f->named->ns;

    if (!own || !outer)
        return;
    add_time(f, instance->begin_ns, instance->end_ns, 1, own);
    add_time(f, instance->begin_ns, instance->end_ns, -1, outer);
}

/* The first name is of what is outside of all regions. */
static int name_phases(struct finding *f, struct rc_error *err)
{
    const struct rc_profile_sums *s = f->sums;

    f->alive_ns = rc_arena_array(&f->out->arena, f->out->count, sizeof *f->alive_ns);
    double *outside = find_name(f, "(outside of regions)");
    if (!f->alive_ns || !outside)
        return fail_memory(err);
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++) {
            f->node = &s->node[n];
            f->thread = &s->node[n].thread[t];
            add_time(f, f->thread->place.began_ns, f->thread->ended_ns, 1, outside);
            add_time(f, f->thread->place.began_ns, f->thread->ended_ns, 1, f->alive_ns);
            (void)rc_profile_instances(f->thread, add_instance, f);
        }
    if (f->failed)
        return fail_memory(err);
    for (size_t p = 0; p < f->out->count; p++) {
        struct rc_profile_phase *phase = &f->out->phase[p];
        double most = 0;
        for (size_t i = 0; i < f->named_count; i++)
            if (f->named[i].ns[p] > most) {
                most = f->named[i].ns[p];
                phase->mostly = f->named[i].name;
            }
        if (f->alive_ns[p] > 0)
            phase->share = fmin(most / f->alive_ns[p], 1);
    }
    return RC_OK;
}

/* Bins are as long as the period of readings, or so that there are not too many. */
int rc_profile_phases_find(const struct rc_profile_sums *sums,
                           struct rc_profile_phases *out, struct rc_error *err)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    const uint64_t period = launch->period_ns > 0 ? launch->period_ns : PERIOD_NS,
                   longer = sums->wall_ns / period / BINS_MOST + 1;
    struct finding f = {.sums = sums,
                        .out = out,
                        .zero_ns = rc_profile_unix_ns(sums->node, launch->at_ns),
                        .events.same = has_event,
                        .names.same = has_name};
    int status = RC_OK;

    *out = (struct rc_profile_phases){.bin_ns = period};
    for (size_t n = 1; n < sums->node_count; n++) {
        const struct rc_profile_node *node = &sums->node[n];
        const int64_t begin = rc_profile_unix_ns(node, node->launch.at_ns);
        f.zero_ns = begin < f.zero_ns ? begin : f.zero_ns;
    }
    if (sums->wall_ns / period == 0 || sums->wall_ns > INT64_MAX - INT64_MAX / 8)
        return RC_OK; /* no time at all, or none that can be */
    out->bin_ns = period * longer;
    f.bins = sums->wall_ns / out->bin_ns;
    if ((status = add_series(&f, err)) == RC_OK &&
        (status = find_boundaries(&f, err)) == RC_OK && out->count > 0)
        status = name_phases(&f, err);
    if (status != RC_OK)
        out->count = 0;
    free(f.level);
    free(f.named);
    rc_map_fini(&f.events);
    rc_map_fini(&f.names);
    return status;
}

void rc_profile_phases_fini(struct rc_profile_phases *phases)
{
    rc_arena_free(&phases->arena);
}
