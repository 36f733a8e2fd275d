/* A profile for pprof (https://github.com/google/pprof, proto/profile.proto),
 * compressed as gzip does: a sample for each call path of each thread with what it took
 * itself, and one for each row of MPI calls in it.
 *
 * A frame is a name: locations, functions and the names of regions are one to one.
 */
#include "campaign/profile/export/export.h"
#include "campaign/profile/export/protobuf.h"
#include "campaign/profile/read/labels.h"

#include "campaign/base/version.h"
#include "io/text/deflate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Fields of profile.proto, by message. */
enum {
    TYPE = 1,
    SAMPLE,
    LOCATION = 4,
    FUNCTION,
    STRING,
    TIME = 9,
    DURATION,
    COMMENT = 13,
    DEFAULT_TYPE
};
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };
enum { LOCATION_ID = 1, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

/* Values of a sample, before those of events that threads counted. */
enum { VISITS, CALLS, BYTES, TIME_NS, VALUES };

struct pprof {
    struct rc_bytes all, sample, part; /* the message, and those within it */
    struct rc_labels texts;            /* the string table: number 0 is "" */
    struct rc_labels frames; /* numbers of locations and functions, from 0 on */
    const struct rc_profile_sums *sums;
    const struct rc_profile_node *node; /* of the samples that are being written */
    const struct rc_profile_thread *thread;
};

/* The number of a text in the string table. */
static uint64_t text_number(struct pprof *p, const char *text)
{
    return rc_labels_copy(&p->texts, text);
}

static void put_type(struct pprof *p, const char *name, const char *unit)
{
    rc_protobuf_number(&p->part, TYPE_NAME, text_number(p, name));
    rc_protobuf_number(&p->part, TYPE_UNIT, text_number(p, unit));
    rc_protobuf_message(&p->all, TYPE, &p->part);
}

static void put_label(struct pprof *p, const char *key, const char *text)
{
    rc_protobuf_number(&p->part, LABEL_KEY, text_number(p, key));
    rc_protobuf_number(&p->part, LABEL_TEXT, text_number(p, text));
    rc_protobuf_message(&p->sample, SAMPLE_LABEL, &p->part);
}

static void add_frame(struct pprof *p, const char *name)
{
    rc_protobuf_packed(&p->part, rc_labels_find(&p->frames, name) + 1);
}

/* A sample of a path, with 'leaf' (NULL: none) as its innermost frame: frames go from
 * there to the root.
 */
static void put_sample(struct pprof *p, uint64_t path, const char *leaf,
                       const uint64_t *value)
{
    const size_t values = VALUES + p->sums->node->launch.counter_count;
    const struct rc_profile_place *place = &p->thread->place;
    char text[24];

    if (leaf)
        add_frame(p, leaf);
    else if (path == 0)
        add_frame(p, "(outside of regions)");
    for (; path > 0; path = p->thread->path[path].parent)
        add_frame(p, rc_profile_region_name(p->thread, path));
    rc_protobuf_message(&p->sample, SAMPLE_LOCATION, &p->part);
    for (size_t i = 0; i < values; i++)
        rc_protobuf_packed(&p->part, value[i]);
    rc_protobuf_message(&p->sample, SAMPLE_VALUE, &p->part);
    put_label(p, "node", p->node->launch.node);
    snprintf(text, sizeof text, "%" PRIu64,
             place->rank >= 0 ? (uint64_t)place->rank : place->pid);
    put_label(p, place->rank >= 0 ? "rank" : "pid", text);
    snprintf(text, sizeof text, "%" PRIu64, place->tid);
    put_label(p, "thread", text);
    rc_protobuf_message(&p->all, SAMPLE, &p->sample);
}

/* Time of MPI calls is in samples of their own; what was counted in them stays with the
 * region around them.
 */
static void put_thread(struct pprof *p, const struct rc_profile_own *own)
{
    const struct rc_profile_thread *thread = p->thread;

    for (size_t i = 0; i < thread->path_count; i++) {
        uint64_t value[VALUES + RC_SHARED_COUNTERS] = {
            [VISITS] = i > 0 ? thread->path[i].visits : 1,
            [TIME_NS] = (uint64_t)fmax(own->ns[i] - own->mpi_ns[i], 0)};
        for (size_t c = 0; c < RC_SHARED_COUNTERS; c++)
            value[VALUES + c] = (uint64_t)own->count[i][c];
        put_sample(p, i, NULL, value);
    }
    for (size_t i = 0; i < thread->call_count; i++) {
        const struct rc_profile_call *call = &thread->call[i];
        const uint64_t value[VALUES + RC_SHARED_COUNTERS] = {
            [CALLS] = call->calls, [BYTES] = call->bytes, [TIME_NS] = call->ns};
        if (call->calls > 0)
            put_sample(p, call->path, rc_profile_call_name(thread, call), value);
    }
}

/* Frames, the string table and the origin come after all samples. */
static void put_tail(struct pprof *p)
{
    const struct rc_profile_launch *launch = &p->sums->node->launch;

    for (size_t i = 0; i < p->frames.count; i++) {
        const uint64_t name = text_number(p, p->frames.text[i]);
        rc_protobuf_number(&p->part, LINE_FUNCTION, i + 1);
        rc_protobuf_number(&p->sample, LOCATION_ID, i + 1);
        rc_protobuf_message(&p->sample, LOCATION_LINE, &p->part);
        rc_protobuf_message(&p->all, LOCATION, &p->sample);
        rc_protobuf_number(&p->sample, FUNCTION_ID, i + 1);
        rc_protobuf_number(&p->sample, FUNCTION_NAME, name);
        rc_protobuf_number(&p->sample, FUNCTION_SYSTEM_NAME, name);
        rc_protobuf_message(&p->all, FUNCTION, &p->sample);
    }
    rc_protobuf_number(&p->all, TIME, (uint64_t)p->sums->began_unix_ns);
    rc_protobuf_number(&p->all, DURATION, p->sums->wall_ns);
    rc_protobuf_number(&p->all, COMMENT, text_number(p, "rollcall " RC_VERSION));
    for (size_t i = 0; i < launch->word_count; i++)
        rc_protobuf_number(&p->all, COMMENT, text_number(p, launch->word[i]));
    rc_protobuf_number(&p->all, DEFAULT_TYPE, text_number(p, "time"));
    for (size_t i = 0; i < p->texts.count; i++)
        rc_protobuf_text(&p->all, STRING, p->texts.text[i]);
}

static int write_pprof(const struct rc_profile_sums *sums,
                       const struct rc_profile_choice *choice, FILE *out,
                       FILE *left_out, struct rc_error *err)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    struct pprof p = {.sums = sums};
    struct rc_profile_own *own = rc_calloc(1, sizeof *own);
    int status;

    (void)choice;
    if (!own)
        return rc_fail(err, RC_ENOMEM, "no memory for the samples of the profile");
    (void)text_number(&p, "");
    put_type(&p, "visits", "count");
    put_type(&p, "calls", "count");
    put_type(&p, "bytes", "bytes");
    put_type(&p, "time", "nanoseconds");
    for (size_t i = 0; i < launch->counter_count; i++)
        put_type(&p, launch->counter[i], "count");
    for (size_t n = 0; n < sums->node_count; n++)
        for (size_t t = 0; t < sums->node[n].thread_count; t++) {
            p.node = &sums->node[n];
            p.thread = &p.node->thread[t];
            rc_profile_own(p.thread, own);
            put_thread(&p, own);
        }
    put_tail(&p);
    p.texts.memory.failed |= p.frames.memory.failed || p.all.failed;
    if ((status = rc_labels_check(&p.texts, err)) == RC_OK)
        status = rc_gzip(out, p.all.byte, p.all.count, err);
    if (sums->node->series_count > 0)
        fprintf(left_out, "all series: the format has no place for them\n");
    rc_bytes_fini(&p.all);
    rc_bytes_fini(&p.sample);
    rc_bytes_fini(&p.part);
    rc_labels_fini(&p.texts);
    rc_labels_fini(&p.frames);
    free(own);
    return status;
}

const struct rc_profile_export_format rc_profile_pprof = {.name = "pprof",
                                                          .write = write_pprof};
