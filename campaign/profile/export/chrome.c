/* A profile as JSON of Chrome's trace events, which chrome://tracing, Perfetto and
 * others show: regions and MPI calls on the tracks of threads, series as counters of
 * their nodes.  Browsers give up at about a million events.
 */
#include "campaign/profile/export/export.h"

#include "campaign/base/text.h"
#include "io/text/json.h"

#include <inttypes.h>
#include <string.h>

enum { CELL = 48 };

/* The file that is being written. Processes of the trace are the nodes, then the ranks.
 */
struct chrome {
    const struct rc_profile_sums *sums;
    struct rc_json *json;
};

/* "12.345": microseconds of ns, exactly. */
static void put_time(struct rc_json *json, const char *key, uint64_t ns)
{
    char text[CELL];

    snprintf(text, sizeof text, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
    rc_json_bare(json, key, text);
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

static size_t process_of(const struct chrome *c, const struct rc_profile_node *node,
                         const struct rc_profile_thread *thread)
{
    return c->sums->node_count + 1 + rc_profile_rank_number(c->sums, node, thread);
}

/* Nodes come first, so that their series stand on top.  A track is a thread; its number
 * is not the system's, which two nodes may share.
 */
static void put_names(const struct chrome *c)
{
    const struct rc_profile_sums *s = c->sums;
    char name[RC_PROFILE_TITLE];
    size_t track = 0;

    for (size_t n = 0; n < s->node_count; n++) {
        snprintf(name, sizeof name, "node %.250s", s->node[n].launch.node);
        put_name(c->json, "process_name", n + 1, 0, name);
    }
    for (size_t r = 0; r < s->rank_count; r++)
        put_name(c->json, "process_name", s->node_count + 1 + r, 0,
                 rc_profile_rank_title(&s->rank[r], name));
    for (size_t n = 0; n < s->node_count; n++)
        for (size_t t = 0; t < s->node[n].thread_count; t++) {
            const struct rc_profile_thread *thread = &s->node[n].thread[t];
            snprintf(name, sizeof name, "thread %" PRIu64 " of pid %" PRIu64,
                     thread->place.tid, thread->place.pid);
            put_name(c->json, "thread_name", process_of(c, &s->node[n], thread),
                     ++track, name);
        }
}

/* A complete event (phase X): begin and length. */
static int put_piece(void *arg, const struct rc_profile_piece *piece,
                     struct rc_error *err)
{
    const struct chrome *c = arg;
    struct rc_json *json = c->json;

    (void)err;
    rc_json_object(json, NULL);
    rc_json_text(json, "name", rc_profile_piece_name(piece));
    rc_json_text(json, "cat", piece->call ? "mpi" : "region");
    rc_json_text(json, "ph", "X");
    put_time(json, "ts", piece->begin_ns);
    put_time(json, "dur", piece->end_ns - piece->begin_ns);
    rc_json_integer(json, "pid", (int64_t)process_of(c, piece->node, piece->thread));
    rc_json_integer(json, "tid", (int64_t)piece->track + 1);
    if (piece->open) {
        rc_json_object(json, "args");
        rc_json_flag(json, "open", true);
        rc_json_end(json);
    }
    rc_json_end(json);
    return RC_OK;
}

/* A counter's event (phase C), with the unit as the name of its value. It keeps its
 * value until the next: a rate holds from its begin on.
 */
static int put_reading(void *arg, const struct rc_profile_point *point,
                       struct rc_error *err)
{
    const struct chrome *c = arg;
    const struct rc_profile_event *event = &point->series->event;
    struct rc_json *json = c->json;
    char name[RC_SHARED_EVENT_NAME + CELL] = "";

    (void)err;
    rc_text_append(name, sizeof name, "%s%s", event->name,
                   event->simulated ? " (simulated)" : "");
    rc_json_object(json, NULL);
    rc_json_text(json, "name", name);
    rc_json_text(json, "ph", "C");
    put_time(json, "ts", point->begin_ns);
    rc_json_integer(json, "pid", (int64_t)point->node + 1);
    rc_json_object(json, "args");
    rc_json_short(json, rc_profile_unit(event), point->value, 9);
    rc_json_end(json);
    rc_json_end(json);
    return RC_OK;
}

static void put_note(void *arg, const char *key, const char *text, int64_t number)
{
    if (text)
        rc_json_text(arg, key, text);
    else
        rc_json_integer(arg, key, number);
}

static int write_chrome(const struct rc_profile_sums *sums,
                        const struct rc_profile_choice *choice, FILE *out,
                        FILE *left_out, struct rc_error *err)
{
    struct rc_json own;
    struct chrome c = {.sums = sums, .json = rc_json_begin(&own, out)};
    const struct rc_profile_teller teller = {
        .arg = &c, .begin = put_piece, .reading = put_reading};
    struct rc_profile_axis axis;
    int status = rc_profile_axis_make(sums, choice, &axis, err);

    if (status != RC_OK)
        return status;
    own.compact = true;
    rc_json_object(c.json, NULL);
    rc_json_array(c.json, "traceEvents");
    put_names(&c);
    if ((status = rc_profile_axis_pieces(&axis, &teller, err)) ||
        (status = rc_profile_axis_readings(&axis, &teller, err)))
        return status;
    rc_json_end(c.json);
    rc_json_text(c.json, "displayTimeUnit", "ns");
    rc_json_object(c.json, "otherData"); /* viewers show it as metadata */
    rc_profile_axis_notes(&axis, put_note, c.json);
    rc_json_close(c.json);
    rc_profile_axis_say(&axis, left_out);
    return RC_OK;
}

const struct rc_profile_export_format rc_profile_chrome = {
    .name = "chrome", .marks = true, .limit = 1000000, .write = write_chrome};
