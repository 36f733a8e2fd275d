/* The columns of events in a suite, such as noise, residual and the coordinates of
 * each event: which there are, and how they lie in the file.
 */
#include "campaign/base/agree.h"
#include "io/metrics/parts.h"

#include <string.h>

#define COLUMN(of_type, of_member, label)                                              \
    .name = (label), .type = (of_type),                                                \
    .member = offsetof(struct rc_event_columns, of_member)

const struct rc_event_set rc_metrics_sets[RC_METRICS_SETS] = {
    {COLUMN(RC_EVENT_REAL, noise, "noise"), .unit = "1"},
    {COLUMN(RC_EVENT_REAL, residual, "residual"), .unit = "1"},
    {COLUMN(RC_EVENT_REAL, representation, "representation"), .unit = "1",
     .scale = {"coordinate"}},
    {COLUMN(RC_EVENT_BYTE, event_class, "class"), .words = rc_class_names,
     .limit = RC_CLASS_COUNT},
    {COLUMN(RC_EVENT_BYTE, use, "use"), .words = rc_use_names, .limit = RC_USE_COUNT},
    /* Numbers of reasons, of which there may be too many for an attribute. */
    {COLUMN(RC_EVENT_WORD, reason, "reason"), .labels = "reasons"},
};

enum { CHUNK_EVENTS = 4096 };

/* A chunk is the same for all columns, and halved where the widest column makes it too
 * large.
 */
void rc_metrics_size_set(struct rc_event_set *set, const void *results, size_t block)
{
    const struct rc_suite_result *suite = results;
    const size_t row = (suite->coordinate_count + 1) * sizeof(double);

    if (set->scale[0])
        set->dim[0] = suite->coordinate_count;
    if (set->type == RC_EVENT_WORD)
        set->limit = suite->reason_count;
    (void)block; /* of the ranks, on which the file does not depend */
    set->chunk = CHUNK_EVENTS;
    while (set->chunk > RC_EVENT_CHUNK_BYTES / row + 1)
        set->chunk = (set->chunk + 1) / 2;
}

static struct rc_event_range range_of(const struct rc_event_columns *columns)
{
    return (struct rc_event_range){columns->first, columns->count, columns->stride};
}

int rc_metrics_put_columns(struct rc_store *file,
                           const struct rc_event_columns *columns, struct rc_error *err)
{
    const struct rc_event_range range = range_of(columns);

    return rc_event_sets_write_last(file, &range, columns, err);
}

int rc_metrics_read_columns(struct rc_store *file, size_t kind, size_t suite,
                            struct rc_event_columns *columns, struct rc_error *err)
{
    const struct rc_event_range range = range_of(columns);

    return rc_agree(file->comm,
                    rc_event_sets_read(file, kind, suite, &range, columns, err), err);
}

int rc_metrics_make_columns(struct rc_arena *arena, size_t count, size_t coordinates,
                            struct rc_event_columns *out, struct rc_error *err)
{
    *out = (struct rc_event_columns){.count = count};
    out->noise = rc_arena_array(arena, count, sizeof *out->noise);
    out->residual = rc_arena_array(arena, count, sizeof *out->residual);
    out->representation =
        rc_arena_array(arena, count, coordinates * sizeof *out->representation);
    out->event_class = rc_arena_array(arena, count, sizeof *out->event_class);
    out->use = rc_arena_array(arena, count, sizeof *out->use);
    out->reason = rc_arena_array(arena, count, sizeof *out->reason);
    return rc_arena_check(arena, err, "the columns of events");
}
