/* Numbers by path and place, and the readings of series, for profile.h5.
 *
 * A number of each launch becomes mean, extremes and deviations over launches.  Tables
 * are made and written one by one, since each has a number for each path and place.
 */
#include "campaign/base/words.h"
#include "campaign/profile/pack/pack_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers by path and place: one of a thread's path is NAN where it was not
 * measured.
 */
enum sort { VISITS, MEASURED, TIME, OWN, MPI, SHORTEST, LONGEST, LOST, SORTS };
static const struct {
    const char *name, *units;
} sorts[SORTS] = {[VISITS] = {"visits", "1"},    [MEASURED] = {"measured", "1"},
                  [TIME] = {"time", "ns"},       [OWN] = {"own_time", "ns"},
                  [MPI] = {"mpi_time", "ns"},    [SHORTEST] = {"shortest", "ns"},
                  [LONGEST] = {"longest", "ns"}, [LOST] = {"not_counted", "1"}};

static double value_of(const struct rc_profile_member *m,
                       const struct rc_profile_own *own, enum sort sort, size_t p)
{
    const struct rc_profile_path *path = &m->thread->path[p];
    const bool timed = p == 0 || path->measured > 0;

    if (p > 0 && path->visits == 0)
        return NAN;
    switch (sort) {
    case VISITS:
        return p > 0 ? (double)path->visits : 1;
    case MEASURED:
        return p > 0 ? (double)path->measured : 1;
    case TIME:
        return !timed   ? NAN
               : p == 0 ? (double)rc_profile_thread_ns(m->thread)
                        : rc_profile_path_ns(path);
    case OWN:
        return timed ? own->ns[p] : NAN;
    case MPI:
        return own->mpi_ns[p];
    case SHORTEST:
        return p > 0 && timed ? (double)path->shortest_ns : NAN;
    case LONGEST:
        return p > 0 && timed ? (double)path->longest_ns : NAN;
    default: /* LOST */
        return (double)path->lost;
    }
}

/* The count of an event in a path: NAN where no instance was counted, or not that
 * event; the root's is known when its thread has ended.
 */
static double count_of(const struct rc_profile_member *m, const char *event, size_t p)
{
    const struct rc_profile_launch *launch = &m->node->launch;
    const struct rc_profile_path *path = &m->thread->path[p];

    if (m->thread->place.counters_why[0] || path->lost >= path->measured)
        return NAN;
    for (size_t c = 0; c < launch->counter_count; c++)
        if (strcmp(launch->counter[c], event) == 0)
            return (double)path->count[c];
    return NAN;
}

/* Numbers over launches, by path and place: see rc_profile_file_values. */
struct table {
    double *n, *mean, *min, *max, *m2;
};

/* Zeroed, and freed together. */
static int make_table(struct rc_arena *arena, size_t cells, struct table *t,
                      struct rc_error *err)
{
    t->n = rc_arena_array(arena, cells, sizeof *t->n);
    t->mean = rc_arena_array(arena, cells, sizeof *t->mean);
    t->min = rc_arena_array(arena, cells, sizeof *t->min);
    t->max = rc_arena_array(arena, cells, sizeof *t->max);
    t->m2 = rc_arena_array(arena, cells, sizeof *t->m2);
    return rc_arena_check(arena, err, "the values of the profile");
}

/* Welford's way: no large sums of squares. */
static void add_value(const struct table *t, size_t cell, double value)
{
    if (isnan(value))
        return;
    const double n = t->n[cell] += 1;
    const double step = value - t->mean[cell];
    t->mean[cell] += step / n;
    t->m2[cell] += step * (value - t->mean[cell]);
    t->min[cell] = n > 1 ? fmin(t->min[cell], value) : value;
    t->max[cell] = n > 1 ? fmax(t->max[cell], value) : value;
}

/* The values of a sort, or of an event that threads counted. */
static int put_values(const struct rc_profile_packing *k, struct rc_profile_file *file,
                      enum sort sort, const char *event, struct rc_error *err)
{
    const size_t places = k->cube->places, cells = k->cube->paths * places;
    struct rc_profile_own *own = rc_calloc(1, sizeof *own);
    struct rc_arena arena = {0};
    struct table t = {.n = NULL};
    int status =
        own ? make_table(&arena, cells, &t, err)
            : rc_fail(err, RC_ENOMEM, "no memory for the values of the profile");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < k->member_count; i++) {
        const struct rc_profile_member *m = &k->member[i];
        if (!event)
            rc_profile_own(m->thread, own);
        for (size_t p = 0; p < m->thread->path_count; p++)
            add_value(&t, m->path[p] * places + m->place,
                      event ? count_of(m, event, p) : value_of(m, own, sort, p));
    }
    for (size_t c = 0; c < cells; c++)
        if (t.n[c] == 0)
            t.mean[c] = t.min[c] = t.max[c] = t.m2[c] = NAN;
    const struct rc_profile_file_values values = {
        .name = event ? event : sorts[sort].name,
        .units = event ? "1" : sorts[sort].units,
        .n = t.n,
        .mean = t.mean,
        .min = t.min,
        .max = t.max,
        .m2 = t.m2};
    status = rc_profile_file_put_values(file, &values, err);
out:
    rc_arena_free(&arena);
    free(own);
    return status;
}

/* Sorts, then each event that some launch counted, once. */
int rc_profile_pack_values(const struct rc_profile_packing *k,
                           struct rc_profile_file *file, struct rc_error *err)
{
    const struct rc_profile *p = k->profile;
    int status = RC_OK;

    for (int sort = 0; sort < SORTS; sort++)
        if ((status = put_values(k, file, (enum sort)sort, NULL, err)) != RC_OK)
            return status;
    for (size_t n = 0; n < p->node_count; n++)
        for (size_t c = 0; c < p->node[n].launch.counter_count; c++) {
            const char *event = p->node[n].launch.counter[c];
            bool before = false;
            for (size_t m = 0; m <= n && !before; m++)
                for (size_t d = 0; d < (m < n ? p->node[m].launch.counter_count : c);
                     d++)
                    before |= strcmp(p->node[m].launch.counter[d], event) == 0;
            if (!before && (status = put_values(k, file, SORTS, event, err)) != RC_OK)
                return status;
        }
    return RC_OK;
}

/* Readings of one event of a node in all launches. */
struct readings {
    int64_t *time, *value;
    uint64_t *half, *span;
    uint8_t *valid;
    size_t count;
};

/* Appends the readings of a launch; launches are in the order of time. */
static void add_readings(const struct rc_profile_packing *k,
                         const struct rc_profile_node *node,
                         const struct rc_profile_series *series, struct readings *out)
{
    for (size_t i = 0; i < series->count; i++) {
        const struct rc_profile_reading *r = &series->reading[i];
        const bool valid = !isnan(rc_profile_reading_value(&series->event, r));
        out->time[out->count] = rc_profile_pack_ns(k, node, r->at_ns);
        out->value[out->count] = r->value;
        out->half[out->count] = r->half_ns;
        out->span[out->count] =
            valid && !series->event.state ? r->at_ns - r->since_ns : 0;
        out->valid[out->count++] = valid;
    }
}

static const struct rc_profile_series *find_same(const struct rc_profile_node *node,
                                                 const struct rc_profile_node *as,
                                                 const struct rc_profile_event *event)
{
    if (strcmp(node->launch.node, as->launch.node) != 0)
        return NULL;
    for (size_t i = 0; i < node->series_count; i++)
        if (strcmp(node->series[i].event.name, event->name) == 0 &&
            strcmp(node->series[i].event.source, event->source) == 0)
            return &node->series[i];
    return NULL;
}

/* The series 'number' of node 'n' and of the same node in later launches. */
static int put_series(const struct rc_profile_packing *k, struct rc_profile_file *file,
                      size_t n, size_t number, struct rc_error *err)
{
    const struct rc_profile *p = k->profile;
    const struct rc_profile_node *node = &p->node[n];
    const struct rc_profile_event *event = &node->series[number].event;
    const struct rc_profile_series *same;
    struct rc_arena arena = {0};
    struct readings r = {.count = 0};
    char units[32] = "1";
    size_t count = 0;
    int status;

    if (event->tick_ns) /* as udunits has it: a value of 1 is so much */
        snprintf(units, sizeof units, "%" PRIu64 " ns", event->tick_ns);

    for (size_t m = 0; m < p->node_count; m++) {
        same = find_same(&p->node[m], node, event);
        if (same && (m < n || (m == n && same != &node->series[number])))
            return RC_OK; /* it was put with that one */
        count += same ? same->count : 0;
    }
    r.time = rc_arena_array(&arena, count, sizeof *r.time);
    r.value = rc_arena_array(&arena, count, sizeof *r.value);
    r.half = rc_arena_array(&arena, count, sizeof *r.half);
    r.span = rc_arena_array(&arena, count, sizeof *r.span);
    r.valid = rc_arena_array(&arena, count, sizeof *r.valid);
    status = rc_arena_check(&arena, err, "the readings of a series");
    for (size_t m = n; m < p->node_count && status == RC_OK; m++)
        if ((same = find_same(&p->node[m], node, event)) != NULL)
            add_readings(k, &p->node[m], same, &r);
    const struct rc_profile_file_series series = {.node = node->launch.node,
                                                  .name = event->name,
                                                  .source = event->source,
                                                  .scope = rc_scope_name(event->scope),
                                                  .description = event->description,
                                                  .units = units,
                                                  .not_read = event->reason,
                                                  .state = event->state,
                                                  .simulated = event->simulated,
                                                  .count = r.count,
                                                  .time_ns = r.time,
                                                  .value = r.value,
                                                  .half_ns = r.half,
                                                  .span_ns = r.span,
                                                  .valid = r.valid};
    if (status == RC_OK)
        status = rc_profile_file_put_series(file, &series, err);
    rc_arena_free(&arena);
    return status;
}

/* All series of all nodes, each with the readings of all launches. */
int rc_profile_pack_series(const struct rc_profile_packing *k,
                           struct rc_profile_file *file, struct rc_error *err)
{
    const struct rc_profile *p = k->profile;
    int status = RC_OK;

    for (size_t n = 0; n < p->node_count; n++)
        for (size_t i = 0; i < p->node[n].series_count && status == RC_OK; i++)
            status = put_series(k, file, n, i, err);
    return status;
}
