/* A profile as JSON of Chrome's trace events, which chrome://tracing, Perfetto and
 * others show: regions and MPI calls on the tracks of threads, series as counters of
 * their nodes.
 *
 * Browsers give up at about a million events.  Of more than the limit allows, instances
 * stay that took longest, and series keep the least and the most of each stretch of
 * time, so that no peak is lost.
 */
#include "campaign/profile/export.h"
#include "campaign/profile/instances.h"

#include "campaign/base/text.h"
#include "io/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 48 };

/* An instance that is to be written. */
struct chosen {
    struct rc_profile_instance instance;
    const struct rc_profile_node *node;
    const struct rc_profile_thread *thread;
    size_t track; /* number of the thread in the launch, from 1 on */
    size_t process;
};

struct chrome {
    const struct rc_profile_sums *sums;
    struct rc_json *json;
    int64_t zero_ns;  /* 1970's ns of the axis' zero */
    uint64_t *length; /* of all instances */
    size_t count, room;
    uint64_t shortest; /* that is written */
    size_t left; /* how many may still be written of those that are just as long */
    struct chosen *chosen;
    size_t chosen_count, chosen_room;
    struct chosen at; /* where the walk over all threads is */
    uint64_t unmatched;
    size_t readings, readings_written;
    bool failed; /* no memory */
};

/* "12.345": microseconds of ns, exactly. */
static void put_time(struct rc_json *json, const char *key, int64_t ns)
{
    char text[CELL];
    const bool negative = ns < 0;
    const uint64_t size = negative ? 0 - (uint64_t)ns : (uint64_t)ns;

    snprintf(text, sizeof text, "%s%" PRIu64 ".%03" PRIu64, negative ? "-" : "",
             size / 1000, size % 1000);
    rc_json_bare(json, key, text);
}

/* ns since the axis' zero. */
static int64_t axis_ns(const struct chrome *c, const struct rc_profile_node *node,
                       uint64_t at_ns)
{
    return (int64_t)((uint64_t)rc_profile_unix_ns(node, at_ns) - (uint64_t)c->zero_ns);
}

/* The axis begins when the first sampler did. */
static int64_t find_zero(const struct rc_profile_sums *s)
{
    int64_t zero = s->node->launch.unix_ns;

    for (size_t n = 1; n < s->node_count; n++)
        if (s->node[n].launch.unix_ns < zero)
            zero = s->node[n].launch.unix_ns;
    return zero;
}

/* The name of a process, or with 'track' of a thread: events of the phase M. */
static void put_name(struct rc_json *json, const char *what, size_t process,
                     size_t track, const char *name)
{
    rc_json_object(json, NULL);
    rc_json_text(json, "name", what);
    rc_json_text(json, "ph", "M");
    rc_json_integer(json, "pid", (int64_t)process);
    if (track > 0)
        rc_json_integer(json, "tid", (int64_t)track);
    rc_json_object(json, "args");
    rc_json_text(json, "name", name);
    rc_json_end(json);
    rc_json_end(json);
}

/* Calls 'each' for all threads, of which c->at says where they are.  Processes of the
 * trace are the nodes, then the ranks.
 */
static void walk(struct chrome *c, void (*each)(struct chrome *c))
{
    const struct rc_profile_sums *s = c->sums;

    c->at.track = 0;
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++) {
            c->at.node = &s->node[n];
            c->at.thread = &s->node[n].thread[t];
            c->at.track++;
            c->at.process =
                s->node_count + 1 + rc_profile_rank_number(s, c->at.node, c->at.thread);
            each(c);
        }
}

/* A track is a thread; its number is not the system's, which two nodes may share. */
static void name_thread(struct chrome *c)
{
    const struct rc_profile_place *place = &c->at.thread->place;
    char name[2 * CELL];

    snprintf(name, sizeof name, "thread %" PRIu64 " of pid %" PRIu64, place->tid,
             place->pid);
    put_name(c->json, "thread_name", c->at.process, c->at.track, name);
}

/* Nodes come first, so that their series stand on top. */
static void name_processes(struct chrome *c)
{
    const struct rc_profile_sums *s = c->sums;
    char name[CELL + 256];

    for (size_t n = 0; n < s->node_count; n++) {
        snprintf(name, sizeof name, "node %.250s", s->node[n].launch.node);
        put_name(c->json, "process_name", n + 1, 0, name);
    }
    for (size_t r = 0; r < s->rank_count; r++) {
        const struct rc_profile_rank *rank = &s->rank[r];
        if (rank->rank >= 0)
            snprintf(name, sizeof name, "rank %" PRId64 " on %.250s", rank->rank,
                     rank->node);
        else
            snprintf(name, sizeof name, "pid %" PRIu64 " on %.250s", rank->pid,
                     rank->node);
        put_name(c->json, "process_name", s->node_count + 1 + r, 0, name);
    }
}

/* How long instances took is known before any is written: the limit needs it. */
static void measure_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct chrome *c = arg;

    if (rc_grow(&c->length, sizeof *c->length, c->count, &c->room))
        c->failed = true;
    else
        c->length[c->count++] = instance->end_ns - instance->begin_ns;
}

static void measure_thread(struct chrome *c)
{
    c->unmatched += rc_profile_instances(c->at.thread, measure_instance, c);
}

/* Takes those that are longer than the shortest that is written, and of those that are
 * just as long as many as there is room for.
 */
static void choose_instance(void *arg, const struct rc_profile_instance *instance)
{
    struct chrome *c = arg;
    const uint64_t length = instance->end_ns - instance->begin_ns;

    if (length < c->shortest || (length == c->shortest && c->left == 0))
        return;
    c->left -= length == c->shortest;
    if (rc_grow(&c->chosen, sizeof *c->chosen, c->chosen_count, &c->chosen_room)) {
        c->failed = true;
        return;
    }
    c->chosen[c->chosen_count] = c->at;
    c->chosen[c->chosen_count++].instance = *instance;
}

static void choose_thread(struct chrome *c)
{
    (void)rc_profile_instances(c->at.thread, choose_instance, c);
}

static int order_lengths(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* By thread and begin; what is around the other comes first. */
static int order_chosen(const void *a, const void *b)
{
    const struct chosen *x = a, *y = b;

    return rc_compare_numbers(
        (uint64_t[]){x->track, x->instance.begin_ns, y->instance.end_ns,
                     x->instance.call, x->instance.number},
        (uint64_t[]){y->track, y->instance.begin_ns, x->instance.end_ns,
                     y->instance.call, y->instance.number},
        5);
}

/* The longest 'most' of all instances. */
static void choose_instances(struct chrome *c, size_t most)
{
    if (most >= c->count) {
        c->shortest = 0;
        c->left = c->count;
    } else if (most == 0) {
        c->shortest = UINT64_MAX;
        c->left = 0;
    } else {
        qsort(c->length, c->count, sizeof *c->length, order_lengths);
        c->shortest = c->length[most - 1];
        for (size_t i = most; i-- > 0 && c->length[i] == c->shortest;)
            c->left++;
    }
    walk(c, choose_thread);
    if (c->chosen_count > 0)
        qsort(c->chosen, c->chosen_count, sizeof *c->chosen, order_chosen);
}

/* A complete event (phase X): begin and length. */
static void put_instance(struct chrome *c, const struct chosen *of)
{
    const struct rc_profile_instance *i = &of->instance;
    const struct rc_profile_thread *thread = of->thread;
    struct rc_json *json = c->json;

    rc_json_object(json, NULL);
    rc_json_text(json, "name",
                 i->call ? rc_profile_call_name(thread, &thread->call[i->number])
                         : rc_profile_name(thread, thread->path[i->number].name));
    rc_json_text(json, "cat", i->call ? "mpi" : "region");
    rc_json_text(json, "ph", "X");
    put_time(json, "ts", axis_ns(c, of->node, i->begin_ns));
    put_time(json, "dur", (int64_t)(i->end_ns - i->begin_ns));
    rc_json_integer(json, "pid", (int64_t)of->process);
    rc_json_integer(json, "tid", (int64_t)of->track);
    if (i->open) {
        rc_json_object(json, "args");
        rc_json_flag(json, "open", true);
        rc_json_end(json);
    }
    rc_json_end(json);
}

/* A counter's event (phase C), with the unit as the name of its value. */
static void put_reading(struct chrome *c, size_t process,
                        const struct rc_profile_node *node,
                        const struct rc_profile_event *event,
                        const struct rc_profile_reading *reading)
{
    struct rc_json *json = c->json;
    char name[RC_SHARED_EVENT_NAME + CELL] = "";

    rc_text_append(name, sizeof name, "%s%s", event->name,
                   event->simulated ? " (simulated)" : "");
    rc_json_object(json, NULL);
    rc_json_text(json, "name", name);
    rc_json_text(json, "ph", "C");
    /* A counter keeps its value until the next: a rate holds from its begin on. */
    put_time(json, "ts",
             axis_ns(c, node, event->state ? reading->at_ns : reading->since_ns));
    rc_json_integer(json, "pid", (int64_t)process);
    rc_json_object(json, "args");
    rc_json_short(json, event->state ? "state" : "per s",
                  rc_profile_reading_value(event, reading), 9);
    rc_json_end(json);
    rc_json_end(json);
    c->readings_written++;
}

/* Of the readings in stretches of 'stretch' the least and the most, in order. */
static void put_series(struct chrome *c, size_t process,
                       const struct rc_profile_node *node,
                       const struct rc_profile_series *series, size_t stretch)
{
    const struct rc_profile_reading *least = NULL, *most = NULL;
    double low = 0, high = 0;
    size_t in = 0;

    for (size_t i = 0; i <= series->count; i++) {
        const struct rc_profile_reading *r =
            i < series->count ? &series->reading[i] : NULL;
        const double value = r ? rc_profile_reading_value(&series->event, r) : NAN;
        if (r && !isnan(value)) {
            if (!least || value < low)
                least = r, low = value;
            if (!most || value > high)
                most = r, high = value;
            in++;
        }
        if (!least || (r && in < stretch))
            continue;
        put_reading(c, process, node, &series->event, least < most ? least : most);
        if (least != most)
            put_reading(c, process, node, &series->event, least < most ? most : least);
        least = most = NULL;
        in = 0;
    }
}

/* Readings of a series that are valid. */
static size_t count_valid(const struct rc_profile_series *series)
{
    return rc_profile_series_sum(series).valid;
}

/* All series, each at most so many readings. */
static void put_all_series(struct chrome *c, size_t most)
{
    const struct rc_profile_sums *s = c->sums;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++) {
            const struct rc_profile_series *series = &s->node[n].series[i];
            const size_t count = count_valid(series), pairs = most / 2;
            if (count <= most)
                put_series(c, n + 1, &s->node[n], series, 1);
            else if (pairs > 0)
                put_series(c, n + 1, &s->node[n], series, (count + pairs - 1) / pairs);
        }
}

/* What viewers show as metadata: where it is from, what was left out, how sure times
 * are.
 */
static void put_notes(struct chrome *c, const struct rc_profile_choice *choice)
{
    const struct rc_profile_sums *s = c->sums;
    struct rc_json *json = c->json;
    char id[RC_JOURNAL_ID_TEXT];

    rc_json_object(json, "otherData");
    rc_json_text(json, "profile", rc_journal_id_text(id, &s->profile->id));
    rc_json_integer(json, "launch", (int64_t)s->node->launch.launch);
    rc_json_text(json, "created_by", s->node->launch.created_by);
    rc_json_texts(json, "command", s->node->launch.word, s->node->launch.word_count);
    rc_json_integer(json, "zero_unix_ns", c->zero_ns);
    rc_json_text(json, "clocks",
                 s->node_count > 1 ? "wall clocks of nodes, not compared"
                                   : "of one node");
    rc_json_integer(json, "limit", (int64_t)choice->limit);
    rc_json_integer(json, "instances", (int64_t)c->count);
    rc_json_integer(json, "instances_written", (int64_t)c->chosen_count);
    rc_json_integer(json, "instances_without_begin_or_end", (int64_t)c->unmatched);
    rc_json_integer(json, "readings", (int64_t)c->readings);
    rc_json_integer(json, "readings_written", (int64_t)c->readings_written);
    rc_json_array(json, "uncertainty");
    for (size_t n = 0; n < s->node_count; n++) {
        uint64_t half = 0;
        bool simulated = false;
        for (size_t i = 0; i < s->node[n].series_count; i++) {
            const struct rc_profile_series *series = &s->node[n].series[i];
            simulated |= series->event.simulated;
            for (size_t r = 0; r < series->count; r++)
                if (series->reading[r].half_ns > half)
                    half = series->reading[r].half_ns;
        }
        rc_json_object(json, NULL);
        rc_json_text(json, "node", s->node[n].launch.node);
        rc_json_integer(json, "reading_half_ns_most", (int64_t)half);
        rc_json_flag(json, "simulated_series", simulated);
        rc_json_end(json);
    }
    rc_json_end(json);
    rc_json_end(json);
}

/* Of the limit series get what instances leave, and at least half. */
static void put_events(struct chrome *c, const struct rc_profile_choice *choice)
{
    const struct rc_profile_sums *s = c->sums;
    size_t series = 0, room;

    for (size_t n = 0; n < s->node_count; n++)
        for (size_t i = 0; i < s->node[n].series_count; i++) {
            const size_t valid = count_valid(&s->node[n].series[i]);
            c->readings += valid;
            series += valid > 0;
        }
    room = choice->limit > c->count ? choice->limit - c->count : 0;
    if (room < choice->limit / 2)
        room = choice->limit / 2;
    if (room > c->readings)
        room = c->readings;
    name_processes(c);
    walk(c, name_thread);
    choose_instances(c, choice->limit - room);
    for (size_t i = 0; i < c->chosen_count; i++)
        put_instance(c, &c->chosen[i]);
    if (series > 0)
        put_all_series(c, room == c->readings ? SIZE_MAX : room / series);
}

/* Instances are matched twice, once to measure and once to write, so that no list of
 * all of them is kept but their lengths.
 */
static int write_chrome(const struct rc_profile_sums *sums,
                        const struct rc_profile_choice *choice, FILE *out,
                        FILE *left_out, struct rc_error *err)
{
    struct rc_json own;
    struct chrome c = {
        .sums = sums, .json = rc_json_begin(&own, out), .zero_ns = find_zero(sums)};

    own.compact = true;
    walk(&c, measure_thread);
    rc_json_object(c.json, NULL);
    rc_json_array(c.json, "traceEvents");
    put_events(&c, choice);
    rc_json_end(c.json);
    rc_json_text(c.json, "displayTimeUnit", "ns");
    put_notes(&c, choice);
    rc_json_close(c.json);
    if (c.chosen_count < c.count)
        fprintf(left_out,
                "%zu of %zu instances, the shortest ones: --limit says how many stay\n",
                c.count - c.chosen_count, c.count);
    if (c.readings_written < c.readings)
        fprintf(left_out,
                "%zu of %zu readings, between the least and the most of their time\n",
                c.readings - c.readings_written, c.readings);
    free(c.length);
    free(c.chosen);
    return c.failed ? rc_fail(err, RC_ENOMEM, "no memory for the events of the profile")
                    : RC_OK;
}

const struct rc_profile_export_format rc_profile_chrome = {
    .name = "chrome", .marks = true, .write = write_chrome};
