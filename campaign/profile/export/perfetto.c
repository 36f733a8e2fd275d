/* A profile for Perfetto (https://ui.perfetto.dev): a trace of TrackEvents in Protocol
 * Buffers (protos/perfetto/trace/ of its sources).  Regions and MPI calls are slices on
 * the tracks of threads, series are counters below their nodes.
 *
 * Tracks have names of their own instead of pids, which two nodes may share.  A name of
 * a slice is in the file once, and its number afterwards.
 */
#include "campaign/profile/export/export.h"
#include "campaign/profile/export/protobuf.h"
#include "campaign/profile/read/labels.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Fields, by message. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60
};
enum {
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    COUNTER_UNIT_NAME = 6
};
enum {
    EVENT_NOTE = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_NUMBER = 10,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_VALUE = 44
};
enum { NOTE_NUMBER = 4, NOTE_TEXT = 6, NOTE_NAME = 10 };
enum { INTERNED_NAME = 2, NAME_NUMBER = 1, NAME_TEXT = 2 };

enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER }; /* types of events */
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };           /* flags: of names' numbers */

struct perfetto {
    struct rc_profile_axis axis;
    struct rc_bytes trace, packet, event, part; /* each within that before it */
    struct rc_labels names;
    uint64_t track; /* the last one that there is */
    FILE *out;
    bool begun;
};

/* Packets are written one by one. */
static int put_packet(struct perfetto *p, struct rc_error *err)
{
    rc_protobuf_number(&p->packet, PACKET_SEQUENCE, 1);
    rc_protobuf_number(&p->packet, PACKET_FLAGS,
                       p->begun ? NEEDS_STATE : NEEDS_STATE | STATE_CLEARED);
    rc_protobuf_message(&p->trace, TRACE_PACKET, &p->packet);
    p->begun = true;
    if (p->trace.failed || p->event.failed || p->part.failed)
        return rc_fail(err, RC_ENOMEM, "no memory for the trace");
    fwrite(p->trace.byte, 1, p->trace.count, p->out);
    p->trace.count = 0;
    return RC_OK;
}

/* A track below another (0: none), with a unit where it is a counter's. */
static int put_track(struct perfetto *p, uint64_t parent, const char *name,
                     const char *unit, struct rc_error *err)
{
    rc_protobuf_number(&p->event, TRACK_UUID, ++p->track);
    rc_protobuf_text(&p->event, TRACK_NAME, name);
    if (parent > 0)
        rc_protobuf_number(&p->event, TRACK_PARENT, parent);
    if (unit) {
        rc_protobuf_text(&p->part, COUNTER_UNIT_NAME, unit);
        rc_protobuf_message(&p->event, TRACK_COUNTER, &p->part);
    }
    rc_protobuf_message(&p->packet, PACKET_TRACK, &p->event);
    return put_packet(p, err);
}

/* Nodes are tracks 1, 2, ..., ranks those behind them; threads and series follow as
 * they come.
 */
static int put_tracks(struct perfetto *p, struct rc_error *err)
{
    const struct rc_profile_sums *s = p->axis.sums;
    char name[RC_PROFILE_TITLE];
    int status = RC_OK;

    for (size_t n = 0; n < s->node_count; n++) {
        snprintf(name, sizeof name, "node %.250s", s->node[n].launch.node);
        if ((status = put_track(p, 0, name, NULL, err)) != RC_OK)
            return status;
    }
    for (size_t r = 0; r < s->rank_count; r++)
        if ((status = put_track(p, 0, rc_profile_rank_title(&s->rank[r], name), NULL,
                                err)) != RC_OK)
            return status;
    return status;
}

static int begin_thread(void *arg, const struct rc_profile_node *node,
                        const struct rc_profile_thread *thread, size_t track,
                        struct rc_error *err)
{
    struct perfetto *p = arg;
    const struct rc_profile_sums *s = p->axis.sums;
    char name[64];

    (void)track;
    snprintf(name, sizeof name, "thread %" PRIu64 " of pid %" PRIu64, thread->place.tid,
             thread->place.pid);
    return put_track(p, s->node_count + 1 + rc_profile_rank_number(s, node, thread),
                     name, NULL, err);
}

/* An event on the last track: 'event' holds what is its own. */
static int put_event(struct perfetto *p, unsigned type, uint64_t at_ns,
                     struct rc_error *err)
{
    rc_protobuf_number(&p->packet, PACKET_TIME, at_ns);
    rc_protobuf_number(&p->event, EVENT_TYPE, type);
    rc_protobuf_number(&p->event, EVENT_TRACK, p->track);
    rc_protobuf_message(&p->packet, PACKET_EVENT, &p->event);
    return put_packet(p, err);
}

static int begin_slice(void *arg, const struct rc_profile_piece *piece,
                       struct rc_error *err)
{
    struct perfetto *p = arg;
    const char *name = rc_profile_piece_name(piece);
    const size_t known = p->names.count;
    size_t number;
    const int status = rc_labels_find(&p->names, name, &number, err);

    if (status != RC_OK)
        return status;
    if (number == known) {
        rc_protobuf_number(&p->event, NAME_NUMBER, number + 1);
        rc_protobuf_text(&p->event, NAME_TEXT, name);
        rc_protobuf_message(&p->part, INTERNED_NAME, &p->event);
        rc_protobuf_message(&p->packet, PACKET_INTERNED, &p->part);
    }
    if (piece->call)
        rc_protobuf_text(&p->event, EVENT_CATEGORY, "mpi");
    rc_protobuf_number(&p->event, EVENT_NAME_NUMBER, number + 1);
    if (piece->open) {
        rc_protobuf_number(&p->part, NOTE_NUMBER, 1);
        rc_protobuf_text(&p->part, NOTE_NAME, "open");
        rc_protobuf_message(&p->event, EVENT_NOTE, &p->part);
    }
    return put_event(p, SLICE_BEGIN, piece->begin_ns, err);
}

static int end_slice(void *arg, const struct rc_profile_piece *piece,
                     struct rc_error *err)
{
    return put_event(arg, SLICE_END, piece->end_ns, err);
}

/* A series that was not read has no track. */
static int begin_series(void *arg, size_t node, const struct rc_profile_series *series,
                        struct rc_error *err)
{
    const struct rc_profile_event *event = &series->event;
    char name[RC_SHARED_EVENT_NAME + 32] = "";

    if (series->count == 0)
        return RC_OK;
    rc_text_append(name, sizeof name, "%s%s", event->name,
                   event->simulated ? " (simulated)" : "");
    return put_track(arg, node + 1, name, event->state ? "" : rc_profile_unit(event),
                     err);
}

/* A counter keeps its value until the next: a rate holds from its begin on. */
static int put_reading(void *arg, const struct rc_profile_point *point,
                       struct rc_error *err)
{
    struct perfetto *p = arg;

    rc_protobuf_real(&p->event, EVENT_VALUE, point->value);
    return put_event(p, COUNTER, point->begin_ns, err);
}

static void put_note(void *arg, const char *key, const char *text, int64_t number)
{
    struct perfetto *p = arg;

    if (text)
        rc_protobuf_text(&p->part, NOTE_TEXT, text);
    else
        rc_protobuf_number(&p->part, NOTE_NUMBER, (uint64_t)number);
    rc_protobuf_text(&p->part, NOTE_NAME, key);
    rc_protobuf_message(&p->event, EVENT_NOTE, &p->part);
}

/* What the file says of itself is an instant at its begin, on a track of its own. */
static int put_notes(struct perfetto *p, struct rc_error *err)
{
    const int status = put_track(p, 0, "about this profile", NULL, err);

    if (status != RC_OK)
        return status;
    rc_protobuf_text(&p->event, EVENT_NAME, "profile");
    rc_profile_axis_notes(&p->axis, put_note, p);
    return put_event(p, INSTANT, p->axis.choice->from_ns, err);
}

static int write_perfetto(const struct rc_profile_sums *sums,
                          const struct rc_profile_choice *choice, FILE *out,
                          FILE *left_out, struct rc_error *err)
{
    struct perfetto p = {.out = out};
    const struct rc_profile_teller teller = {.arg = &p,
                                             .thread = begin_thread,
                                             .begin = begin_slice,
                                             .end = end_slice,
                                             .series = begin_series,
                                             .reading = put_reading};
    int status = rc_profile_axis_make(sums, choice, &p.axis, err);

    if (status == RC_OK && (status = put_tracks(&p, err)) == RC_OK &&
        (status = rc_profile_axis_pieces(&p.axis, &teller, err)) == RC_OK &&
        (status = rc_profile_axis_readings(&p.axis, &teller, err)) == RC_OK &&
        (status = put_notes(&p, err)) == RC_OK)
        rc_profile_axis_say(&p.axis, left_out);
    rc_bytes_fini(&p.trace);
    rc_bytes_fini(&p.packet);
    rc_bytes_fini(&p.event);
    rc_bytes_fini(&p.part);
    rc_labels_fini(&p.names);
    return status;
}

const struct rc_profile_export_format rc_profile_perfetto = {
    .name = "perfetto", .marks = true, .limit = 1000000, .write = write_perfetto};
