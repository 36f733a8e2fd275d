/* Records of campaigns, runs, kinds, events, suites and groups, read from payloads. */
#include "campaign/records/parts.h"

#include "campaign/base/memory.h"
#include "kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Zeroed room for what a count in the payload said.  The count is no larger than
 * the payload, so this is a small multiple of its length.
 */
static void *room_for(struct rc_in *in, size_t count, size_t item_bytes)
{
    void *items = in->status == RC_OK ? rc_calloc(count, item_bytes) : NULL;

    if (!items && in->status == RC_OK)
        in->status =
            rc_fail(in->err, RC_ENOMEM, "%s: no memory for %zu items", in->what, count);
    return items;
}

int rc_record_get_campaign(const void *payload, size_t bytes,
                           struct rc_record_campaign *out, struct rc_error *err)
{
    struct rc_in in;

    rc_in_begin(&in, "a campaign", payload, bytes, err);
    out->spec = rc_in_text(&in);
    out->created_by = rc_in_text(&in);
    out->unix_time = (int64_t)rc_in_64(&in);
    return rc_in_end(&in);
}

int rc_record_get_run(const void *payload, size_t bytes, struct rc_record_run *out,
                      struct rc_error *err)
{
    struct rc_in in;

    rc_in_begin(&in, "a run", payload, bytes, err);
    out->unix_time = (int64_t)rc_in_64(&in);
    out->ranks = rc_in_32(&in);
    out->nodes = rc_in_32(&in);
    out->created_by = rc_in_text(&in);
    out->job = rc_in_text(&in);
    out->units_left = rc_in_64(&in);
    out->interrupted = rc_in_flag(&in);
    return rc_in_end(&in);
}

static const char *name_of(struct rc_in *in, const char *of)
{
    const char *name = rc_in_text(in);

    if (!*name)
        rc_in_wrong(in, "%s without a name", of);
    return name;
}

int rc_record_get_kind(const void *payload, size_t bytes, struct rc_record_kind *out,
                       struct rc_error *err)
{
    struct rc_record_source *source;
    struct rc_in in;

    *out = (struct rc_record_kind){0};
    rc_in_begin(&in, "a kind", payload, bytes, err);
    out->name = name_of(&in, "a kind");
    out->key = rc_in_text(&in);
    out->shape = rc_in_text(&in);
    out->source_count = rc_in_count(&in, 3 * RC_TEXT_LEAST + 2, "sources");
    out->source = source = room_for(&in, out->source_count, sizeof *source);
    for (size_t i = 0; in.status == RC_OK && i < out->source_count; i++) {
        source[i].name = name_of(&in, "a source");
        source[i].label = rc_in_text(&in);
        source[i].counter_set = rc_in_text(&in);
        source[i].deterministic = rc_in_flag(&in);
        source[i].simulated = rc_in_flag(&in);
    }
    if (rc_in_end(&in) != RC_OK)
        rc_record_kind_fini(out);
    return in.status;
}

void rc_record_kind_fini(struct rc_record_kind *kind)
{
    free((void *)kind->source);
    *kind = (struct rc_record_kind){0};
}

static void get_operand(struct rc_in *in, struct rc_record_operand *out)
{
    rc_in_bytes(in, out->campaign.byte, sizeof out->campaign.byte);
    out->name = rc_in_text(in);
    out->created_by = rc_in_text(in);
    out->unix_time = (int64_t)rc_in_64(in);
    out->directory = rc_in_text(in);
}

int rc_record_get_origin(const void *payload, size_t bytes,
                         struct rc_record_origin *out, struct rc_error *err)
{
    struct rc_record_operand *operand;
    struct rc_in in;

    *out = (struct rc_record_origin){0};
    rc_in_begin(&in, "an origin", payload, bytes, err);
    out->operation =
        (enum rc_operation)rc_in_below(&in, RC_OPERATION_COUNT, "an operation of");
    if (out->operation == 0)
        rc_in_wrong(&in, "an operation of 0, expected 1 to %d", RC_OPERATION_COUNT - 1);
    out->unix_time = (int64_t)rc_in_64(&in);
    out->created_by = rc_in_text(&in);
    out->operand_count = rc_in_count(&in, 16 + 8 + 3 * RC_TEXT_LEAST, "operands");
    if (out->operand_count == 0)
        rc_in_wrong(&in, "an origin without operands");
    out->operand = operand = room_for(&in, out->operand_count, sizeof *operand);
    for (size_t i = 0; in.status == RC_OK && i < out->operand_count; i++)
        get_operand(&in, &operand[i]);
    if (rc_in_end(&in) != RC_OK)
        rc_record_origin_fini(out);
    return in.status;
}

void rc_record_origin_fini(struct rc_record_origin *origin)
{
    free((void *)origin->operand);
    *origin = (struct rc_record_origin){0};
}

static const char *const *get_texts(struct rc_in *in, size_t *count, const char *of)
{
    const char **text;

    *count = rc_in_count(in, RC_TEXT_LEAST, of);
    text = room_for(in, *count, sizeof *text);
    for (size_t i = 0; in->status == RC_OK && i < *count; i++)
        text[i] = rc_in_text(in);
    return text;
}

/* The axes of all points stand in one array behind the points. */
static void get_points(struct rc_in *in, struct rc_record_suite *suite)
{
    const size_t axes = suite->axis_count, each = RC_TEXT_LEAST + 8 * axes;
    struct rc_record_point *point;
    int64_t *axis;

    suite->point_count = rc_in_count(in, each, "points");
    point = room_for(in, suite->point_count, sizeof *point + axes * sizeof *axis);
    suite->point = point;
    if (in->status != RC_OK)
        return;
    axis = (int64_t *)(point + suite->point_count);
    for (size_t i = 0; i < suite->point_count; i++) {
        point[i].name = rc_in_text(in);
        point[i].axis = axis + i * axes;
        for (size_t j = 0; j < axes; j++)
            axis[i * axes + j] = (int64_t)rc_in_64(in);
    }
}

/* 'rows' x 'columns' numbers of 64 bits. */
static uint64_t *get_table(struct rc_in *in, size_t rows, size_t columns,
                           const char *of)
{
    size_t count = 0;
    uint64_t *number;

    if (__builtin_mul_overflow(rows, columns, &count) || count > rc_in_left(in) / 8)
        rc_in_wrong(in, "%zu bytes are left for %s, expected %zu times %zu numbers",
                    rc_in_left(in), of, rows, columns);
    number = room_for(in, count, sizeof *number);
    for (size_t i = 0; in->status == RC_OK && i < count; i++)
        number[i] = rc_in_64(in);
    return number;
}

static const double *get_basis(struct rc_in *in, const struct rc_record_suite *suite)
{
    const size_t count = suite->point_count * suite->ideal_count;
    uint64_t *bits = get_table(in, suite->point_count, suite->ideal_count, "the basis");
    double *basis = room_for(in, count, sizeof *basis);

    if (bits && basis)
        memcpy(basis, bits, count * sizeof *basis);
    free(bits);
    return basis;
}

int rc_record_get_suite(const void *payload, size_t bytes,
                        struct rc_record_suite_of *out, struct rc_error *err)
{
    struct rc_record_suite *suite = &out->suite;
    struct rc_in in;

    *out = (struct rc_record_suite_of){0};
    rc_in_begin(&in, "a suite", payload, bytes, err);
    out->kind = rc_in_64(&in);
    out->number = rc_in_32(&in);
    suite->name = name_of(&in, "a suite");
    suite->summary = rc_in_text(&in);
    suite->footprint = rc_in_below(&in, RC_FOOTPRINT_COUNT, "a footprint of");
    suite->all_cores = rc_in_flag(&in);
    suite->axes = get_texts(&in, &suite->axis_count, "axes");
    suite->ideals = get_texts(&in, &suite->ideal_count, "ideals");
    suite->own_count = rc_in_32(&in);
    if (in.status == RC_OK && suite->own_count > suite->ideal_count)
        rc_in_wrong(&in, "a basis of %zu ideals, expected %zu at most",
                    suite->own_count, suite->ideal_count);
    get_points(&in, suite);
    if (in.status == RC_OK && suite->point_count == 0)
        rc_in_wrong(&in, "a suite without points");
    suite->basis = get_basis(&in, suite);
    suite->source_count = rc_in_count(&in, 8, "sources");
    suite->iterations =
        get_table(&in, suite->source_count, suite->point_count, "iterations");
    if (rc_in_end(&in) != RC_OK)
        rc_record_suite_fini(suite);
    return in.status;
}

void rc_record_suite_fini(struct rc_record_suite *suite)
{
    free((void *)suite->axes);
    free((void *)suite->ideals);
    free((void *)suite->point);
    free((void *)suite->basis);
    free((void *)suite->iterations);
    *suite = (struct rc_record_suite){0};
}

int rc_record_get_events(const void *payload, size_t bytes, struct rc_record_list *out,
                         struct rc_error *err)
{
    struct rc_in in;

    *out = (struct rc_record_list){0};
    rc_in_begin(&in, "a list of events", payload, bytes, err);
    out->kind = rc_in_64(&in);
    out->first = rc_in_64(&in);
    out->count = rc_in_count(&in, 4 * RC_TEXT_LEAST + 7, "events");
    out->event = room_for(&in, out->count, sizeof *out->event);
    for (size_t i = 0; in.status == RC_OK && i < out->count; i++) {
        struct rc_record_event *event = &out->event[i];
        event->name = name_of(&in, "an event");
        event->description = rc_in_text(&in);
        event->evidence = rc_in_text(&in);
        event->reason = rc_in_text(&in);
        event->source = rc_in_32(&in);
        event->scope = rc_in_below(&in, RC_SCOPE_COUNT, "a scope of");
        event->verdict = rc_in_below(&in, RC_VERDICT_COUNT, "a verdict of");
        event->simulated = rc_in_flag(&in);
    }
    if (rc_in_end(&in) != RC_OK)
        rc_record_list_fini(out);
    return in.status;
}

/* 'members' has room for as many as the rest of the payload can hold. */
static size_t get_group(struct rc_in *in, struct rc_record_group *group,
                        uint32_t *members)
{
    group->source = rc_in_32(in);
    group->scope = rc_in_below(in, RC_SCOPE_COUNT, "a scope of");
    group->own = rc_in_32(in);
    group->count = rc_in_count(in, 4, "events");
    group->event = members;
    if (group->own == 0 || group->own > group->count)
        rc_in_wrong(in, "%zu of %zu events are the group's own, expected 1 or more",
                    group->own, group->count);
    for (size_t j = 0; in->status == RC_OK && j < group->count; j++)
        members[j] = rc_in_32(in);
    return group->count;
}

int rc_record_get_groups(const void *payload, size_t bytes, struct rc_record_list *out,
                         struct rc_error *err)
{
    size_t used = 0;
    struct rc_in in;

    *out = (struct rc_record_list){0};
    rc_in_begin(&in, "a list of groups", payload, bytes, err);
    out->kind = rc_in_64(&in);
    out->first = rc_in_64(&in);
    out->count = rc_in_count(&in, 17, "groups");
    out->group = room_for(&in, out->count, sizeof *out->group);
    out->members = room_for(&in, rc_in_left(&in) / 4, sizeof *out->members);
    for (size_t i = 0; in.status == RC_OK && i < out->count; i++)
        used += get_group(&in, &out->group[i], out->members + used);
    if (rc_in_end(&in) != RC_OK)
        rc_record_list_fini(out);
    return in.status;
}

void rc_record_list_fini(struct rc_record_list *list)
{
    free(list->event);
    free(list->group);
    free(list->members);
    *list = (struct rc_record_list){0};
}
