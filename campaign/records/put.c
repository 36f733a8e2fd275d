/* Records of campaigns, runs, kinds, events, suites and groups, written as payloads. */
#include "campaign/records/parts.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

uint64_t rc_record_kind_id(const char *key)
{
    return rc_text_hash(key);
}

const char *const *rc_unit_status_names(void)
{
    static const char *const names[] = {
        "", [RC_UNIT_OK] = "ok", [RC_UNIT_INVALID] = "invalid",
        [RC_UNIT_FAILED] = "failed", NULL};

    return names;
}

const char *const *rc_stop_names(void)
{
    static const char *const names[RC_STOP_COUNT + 1] = {[RC_STOP_NONE] = "",
                                                         [RC_STOP_DETERMINISTIC] =
                                                             "deterministic",
                                                         [RC_STOP_PRECISE] = "precise",
                                                         [RC_STOP_MOST] = "most"};

    return names;
}

const char *const *rc_reading_status_names(void)
{
    static const char *const names[RC_READING_STATUS_COUNT + 1] = {
        [RC_READING_MISSING] = "missing",
        [RC_READING_OK] = "ok",
        [RC_READING_MULTIPLEXED] = "multiplexed",
        [RC_READING_UNVERIFIED] = "unverified",
        [RC_READING_FAILED] = "failed"};

    return names;
}

const char *const *rc_operation_names(void)
{
    static const char *const names[RC_OPERATION_COUNT + 1] = {
        "", [RC_OPERATION_MERGE] = "merge", [RC_OPERATION_MEAN] = "mean",
        [RC_OPERATION_DIFFERENCE] = "difference", [RC_OPERATION_IMPORT] = "import"};

    return names;
}

int rc_record_put_campaign(const struct rc_record_campaign *campaign,
                           struct rc_bytes *bytes, struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, bytes);
    rc_out_text(&out, campaign->spec);
    rc_out_text(&out, campaign->created_by);
    rc_out_64(&out, (uint64_t)campaign->unix_time);
    return rc_out_end(&out, "a campaign", err);
}

int rc_record_put_run(const struct rc_record_run *run, struct rc_bytes *bytes,
                      struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, bytes);
    rc_out_64(&out, (uint64_t)run->unix_time);
    rc_out_32(&out, run->ranks);
    rc_out_32(&out, run->nodes);
    rc_out_text(&out, run->created_by);
    rc_out_text(&out, run->job);
    rc_out_64(&out, run->units_left);
    rc_out_8(&out, run->interrupted);
    return rc_out_end(&out, "a run", err);
}

int rc_record_put_origin(const struct rc_record_origin *origin, struct rc_bytes *bytes,
                         struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, bytes);
    rc_out_8(&out, (uint8_t)origin->operation);
    rc_out_64(&out, (uint64_t)origin->unix_time);
    rc_out_text(&out, origin->created_by);
    rc_out_count(&out, origin->operand_count);
    for (size_t i = 0; i < origin->operand_count; i++) {
        const struct rc_record_operand *operand = &origin->operand[i];
        rc_out_bytes(&out, operand->campaign.byte, sizeof operand->campaign.byte);
        rc_out_text(&out, operand->name);
        rc_out_text(&out, operand->created_by);
        rc_out_64(&out, (uint64_t)operand->unix_time);
        rc_out_text(&out, operand->directory);
    }
    return rc_out_end(&out, "an origin", err);
}

int rc_record_put_kind(const struct rc_record_kind *kind, struct rc_bytes *bytes,
                       struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, bytes);
    rc_out_text(&out, kind->name);
    rc_out_text(&out, kind->key);
    rc_out_text(&out, kind->shape);
    rc_out_count(&out, kind->source_count);
    for (size_t i = 0; i < kind->source_count; i++) {
        const struct rc_record_source *source = &kind->source[i];
        rc_out_text(&out, source->name);
        rc_out_text(&out, source->label);
        rc_out_text(&out, source->counter_set);
        rc_out_8(&out, source->deterministic);
        rc_out_8(&out, source->simulated);
    }
    return rc_out_end(&out, "a kind", err);
}

/* What a record begins with that adds 'count' things to a kind. */
static void begin_list(struct rc_out *out, struct rc_bytes *bytes, uint64_t kind,
                       size_t first, size_t count)
{
    rc_out_begin(out, bytes);
    rc_out_64(out, kind);
    rc_out_64(out, first);
    rc_out_count(out, count);
}

int rc_record_put_events(uint64_t kind, size_t first,
                         const struct rc_record_event *event, size_t count,
                         struct rc_bytes *bytes, struct rc_error *err)
{
    struct rc_out out;

    begin_list(&out, bytes, kind, first, count);
    for (size_t i = 0; i < count; i++) {
        rc_out_text(&out, event[i].name);
        rc_out_text(&out, event[i].description);
        rc_out_text(&out, event[i].evidence);
        rc_out_text(&out, event[i].reason);
        rc_out_32(&out, event[i].source);
        rc_out_8(&out, event[i].scope);
        rc_out_8(&out, event[i].verdict);
        rc_out_8(&out, event[i].simulated);
    }
    return rc_out_end(&out, "a list of events", err);
}

static void put_texts(struct rc_out *out, const char *const *text, size_t count)
{
    rc_out_count(out, count);
    for (size_t i = 0; i < count; i++)
        rc_out_text(out, text[i]);
}

static void put_points(struct rc_out *out, const struct rc_record_suite *suite)
{
    rc_out_count(out, suite->point_count);
    for (size_t i = 0; i < suite->point_count; i++) {
        rc_out_text(out, suite->point[i].name);
        for (size_t j = 0; j < suite->axis_count; j++)
            rc_out_64(out, (uint64_t)suite->point[i].axis[j]);
    }
}

int rc_record_put_suite(uint64_t kind, size_t number,
                        const struct rc_record_suite *suite, struct rc_bytes *bytes,
                        struct rc_error *err)
{
    struct rc_out out;

    rc_out_begin(&out, bytes);
    rc_out_64(&out, kind);
    rc_out_count(&out, number);
    rc_out_text(&out, suite->name);
    rc_out_text(&out, suite->summary);
    rc_out_8(&out, suite->footprint);
    rc_out_8(&out, suite->all_cores);
    put_texts(&out, suite->axes, suite->axis_count);
    put_texts(&out, suite->ideals, suite->ideal_count);
    rc_out_count(&out, suite->own_count);
    put_points(&out, suite);
    for (size_t i = 0; i < suite->point_count * suite->ideal_count; i++) {
        uint64_t bits;
        memcpy(&bits, &suite->basis[i], sizeof bits);
        rc_out_64(&out, bits);
    }
    rc_out_count(&out, suite->source_count);
    for (size_t i = 0; i < suite->source_count * suite->point_count; i++)
        rc_out_64(&out, suite->iterations[i]);
    return rc_out_end(&out, "a suite", err);
}

int rc_record_put_groups(uint64_t kind, size_t first,
                         const struct rc_record_group *group, size_t count,
                         struct rc_bytes *bytes, struct rc_error *err)
{
    struct rc_out out;

    begin_list(&out, bytes, kind, first, count);
    for (size_t i = 0; i < count; i++) {
        rc_out_32(&out, group[i].source);
        rc_out_8(&out, group[i].scope);
        rc_out_count(&out, group[i].own);
        rc_out_count(&out, group[i].count);
        for (size_t j = 0; j < group[i].count; j++)
            rc_out_32(&out, group[i].event[j]);
    }
    return rc_out_end(&out, "a list of groups", err);
}

static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static void put_value(struct rc_out *out, int64_t value, uint64_t *before)
{
    uint64_t code = zigzag((uint64_t)value - *before);

    if (value == INT64_MIN) {
        rc_out_8(out, RC_VALUE_NONE);
        return;
    }
    if (code > UINT64_MAX - RC_VALUE_CODES) {
        rc_out_8(out, RC_VALUE_FULL);
        rc_out_64(out, (uint64_t)value - *before);
    } else {
        rc_out_varint(out, code + RC_VALUE_CODES);
    }
    *before = (uint64_t)value;
}

/* One event: 'before' has room for the points. */
static void put_part(struct rc_out *out, const struct rc_record_unit *unit,
                     const struct rc_record_readings *readings, size_t event,
                     uint64_t *before)
{
    memset(before, 0, unit->points * sizeof *before);
    for (size_t r = 0; r < unit->repetitions; r++) {
        const size_t row = event * unit->repetitions + r;
        const uint64_t enabled = readings->enabled_ns[row];
        rc_out_8(out, readings->status[row]);
        rc_out_varint(out, enabled);
        rc_out_varint(out, zigzag(enabled - readings->running_ns[row]));
        for (size_t p = 0; p < unit->points; p++)
            put_value(out, readings->values[row * unit->points + p], &before[p]);
    }
}

static void put_head(struct rc_out *out, const struct rc_record_unit *unit)
{
    rc_out_64(out, unit->kind);
    rc_out_32(out, unit->suite);
    rc_out_32(out, unit->group);
    rc_out_text(out, unit->place);
    rc_out_text(out, unit->node);
    rc_out_32(out, unit->core);
    rc_out_32(out, unit->cpu);
    rc_out_32(out, unit->tries);
    rc_out_64(out, unit->begin_ns);
    rc_out_64(out, unit->wall_ns);
    rc_out_64(out, unit->kernel_ns);
    rc_out_8(out, (uint8_t)unit->status);
    rc_out_8(out, (uint8_t)unit->stop);
    rc_out_text(out, unit->reason);
    rc_out_32(out, unit->events);
    rc_out_32(out, unit->repetitions);
    rc_out_32(out, unit->points);
}

int rc_record_put_unit(const struct rc_record_unit *unit,
                       const struct rc_record_readings *readings,
                       struct rc_bytes *bytes, struct rc_error *err)
{
    uint64_t *before =
        rc_calloc(unit->repetitions > 0 ? unit->points : 0, sizeof *before);
    struct rc_out out;

    if (!before)
        return rc_fail(err, RC_ENOMEM, "no memory for a unit of %lu points",
                       (unsigned long)unit->points);
    rc_out_begin(&out, bytes);
    put_head(&out, unit);
    const size_t table = bytes->count;
    for (size_t e = 0; e < unit->events; e++)
        rc_out_32(&out, 0);
    const size_t parts = bytes->count;
    for (size_t e = 0; e < unit->events && out.state == RC_OUT_GOOD; e++) {
        if (unit->repetitions > 0)
            put_part(&out, unit, readings, e, before);
        if (out.state == RC_OUT_GOOD)
            rc_out_patch_32(&out, table + 4 * e, (uint32_t)(bytes->count - parts));
    }
    free(before);
    return rc_out_end(&out, "a unit", err);
}
