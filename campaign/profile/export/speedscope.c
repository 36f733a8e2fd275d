/* A profile as JSON of speedscope (https://www.speedscope.app/file-format-schema.json):
 * a profile of the sort "evented" for each thread, its regions and MPI calls opened and
 * closed in the order of time.
 */
#include "campaign/profile/export/export.h"
#include "campaign/profile/read/labels.h"

#include "campaign/base/version.h"
#include "io/text/json.h"

#include <inttypes.h>

/* What is being written. */
struct speedscope {
    const struct rc_profile_axis *axis;
    struct rc_json *json;
    struct rc_labels frames;
};

/* Begins the profile of a thread, from its begin to its end as far as wanted. */
static int begin_thread(void *arg, const struct rc_profile_node *node,
                        const struct rc_profile_thread *thread, size_t track,
                        struct rc_error *err)
{
    struct speedscope *s = arg;
    const struct rc_profile_sums *sums = s->axis->sums;
    const struct rc_profile_choice *choice = s->axis->choice;
    const struct rc_profile_rank *rank =
        &sums->rank[rc_profile_rank_number(sums, node, thread)];
    uint64_t begin = rc_profile_axis_ns(s->axis, node, thread->place.began_ns),
             end = rc_profile_axis_ns(s->axis, node, thread->ended_ns);
    char title[RC_PROFILE_TITLE], name[RC_PROFILE_TITLE + 64];

    (void)track;
    (void)err;
    if (begin < choice->from_ns)
        begin = choice->from_ns;
    if (choice->to_ns && end > choice->to_ns)
        end = choice->to_ns;
    snprintf(name, sizeof name, "%s, thread %" PRIu64,
             rc_profile_rank_title(rank, title), thread->place.tid);
    rc_json_object(s->json, NULL);
    rc_json_text(s->json, "type", "evented");
    rc_json_text(s->json, "name", name);
    rc_json_text(s->json, "unit", "nanoseconds");
    rc_json_integer(s->json, "startValue", (int64_t)begin);
    rc_json_integer(s->json, "endValue", (int64_t)(end > begin ? end : begin));
    rc_json_array(s->json, "events");
    return RC_OK;
}

static int end_thread(void *arg, struct rc_error *err)
{
    struct speedscope *s = arg;

    (void)err;
    rc_json_end(s->json);
    rc_json_end(s->json);
    return RC_OK;
}

/* "O" opens a frame, "C" closes it. */
static int put_event(struct speedscope *s, const char *type,
                     const struct rc_profile_piece *piece, uint64_t at_ns,
                     struct rc_error *err)
{
    size_t frame;
    const int status =
        rc_labels_find(&s->frames, rc_profile_piece_name(piece), &frame, err);

    if (status != RC_OK)
        return status;
    rc_json_object(s->json, NULL);
    rc_json_text(s->json, "type", type);
    rc_json_integer(s->json, "frame", (int64_t)frame);
    rc_json_integer(s->json, "at", (int64_t)at_ns);
    rc_json_end(s->json);
    return RC_OK;
}

static int open_frame(void *arg, const struct rc_profile_piece *piece,
                      struct rc_error *err)
{
    return put_event(arg, "O", piece, piece->begin_ns, err);
}

static int close_frame(void *arg, const struct rc_profile_piece *piece,
                       struct rc_error *err)
{
    return put_event(arg, "C", piece, piece->end_ns, err);
}

/* Frames come last, when all are known: members of an object have no order. */
static int write_speedscope(const struct rc_profile_sums *sums,
                            const struct rc_profile_choice *choice, FILE *out,
                            FILE *left_out, struct rc_error *err)
{
    const struct rc_profile_launch *launch = &sums->node->launch;
    struct rc_profile_choice wanted = *choice;
    struct rc_json own;
    struct rc_profile_axis axis;
    struct speedscope s = {.axis = &axis, .json = rc_json_begin(&own, out)};
    const struct rc_profile_teller teller = {.arg = &s,
                                             .thread = begin_thread,
                                             .begin = open_frame,
                                             .end = close_frame,
                                             .thread_end = end_thread};
    int status;

    wanted.no_series = true;
    if ((status = rc_profile_axis_make(sums, &wanted, &axis, err)))
        return status;
    own.compact = true;
    rc_json_object(s.json, NULL);
    rc_json_text(s.json, "$schema",
                 "https://www.speedscope.app/file-format-schema.json");
    rc_json_text(s.json, "exporter", "rollcall " RC_VERSION);
    rc_json_text(s.json, "name", launch->word_count ? launch->word[0] : "profile");
    rc_json_integer(s.json, "activeProfileIndex", 0);
    rc_json_array(s.json, "profiles");
    if ((status = rc_profile_axis_pieces(&axis, &teller, err)))
        goto out;
    rc_json_end(s.json);
    rc_json_object(s.json, "shared");
    rc_json_array(s.json, "frames");
    for (size_t i = 0; i < s.frames.count; i++) {
        rc_json_object(s.json, NULL);
        rc_json_text(s.json, "name", s.frames.text[i]);
        rc_json_end(s.json);
    }
    rc_json_close(s.json);
    rc_profile_axis_say(&axis, left_out);
out:
    rc_labels_fini(&s.frames);
    return status;
}

const struct rc_profile_export_format rc_profile_speedscope = {
    .name = "speedscope", .marks = true, .limit = 1000000, .write = write_speedscope};
