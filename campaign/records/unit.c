/* The readings of a unit: written, found event by event, and read.
 *
 * After the head of a unit's record comes a table of 4 bytes an event, which says where
 * the event's part ends, counted from the end of the table; so one event can be read
 * without the others.  A part is, for each repetition, its status, its times and its
 * values.  A value is coded as the difference from the same point of the previous
 * repetition, zigzag (0, -1, 1, -2, ... become 0, 1, 2, 3, ...) and with as few bytes
 * as it needs: repetitions are alike, so most values take one or two bytes.
 */
#include "campaign/records/parts.h"

#include <stdlib.h>
#include <string.h>

static const struct rc_form *unit_form(void)
{
    return rc_record_shape(RC_RECORD_UNIT)->form;
}

/* Code of a signed difference, in unsigned arithmetic, which may wrap around. */
static uint64_t zigzag(uint64_t difference)
{
    return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

/* Appends the part of one event: its repetitions are row 'first' and every 'step'th row
 * after it; 'before' has room for a value of each point.
 */
static void put_part(struct rc_out *out, const struct rc_record_unit *unit,
                     const struct rc_record_readings *readings, size_t first,
                     size_t step, uint64_t *before)
{
    memset(before, 0, unit->points * sizeof *before);
    for (size_t r = 0; r < unit->repetitions; r++) {
        const size_t row = first + r * step;
        const uint64_t enabled = readings->enabled_ns[row];
        rc_out_number(out, readings->status[row], 1);
        rc_out_varint(out, enabled);
        rc_out_varint(out, zigzag(enabled - readings->running_ns[row]));
        /* Relative to the value of the same point one repetition earlier.  A missing
         * value has no difference: the next one refers to the last one that is there.
         */
        for (size_t p = 0; p < unit->points; p++) {
            const int64_t value = readings->values[row * unit->points + p];
            const uint64_t more = (uint64_t)value - before[p], code = zigzag(more);
            if (value == INT64_MIN) {
                rc_out_number(out, RC_VALUE_NONE, 1);
                continue;
            }
            if (code > UINT64_MAX - RC_VALUE_CODES) {
                rc_out_number(out, RC_VALUE_FULL, 1);
                rc_out_number(out, more, 8);
            } else {
                rc_out_varint(out, code + RC_VALUE_CODES);
            }
            before[p] = (uint64_t)value;
        }
    }
}

/* 'turned': the readings are in the order of rc_record_put_sweeps(). */
static int put_unit(const struct rc_record_unit *unit,
                    const struct rc_record_readings *readings, bool turned,
                    struct rc_bytes *bytes, struct rc_error *err)
{
    const size_t events = unit->events, repetitions = unit->repetitions;
    uint64_t *before = rc_calloc(repetitions > 0 ? unit->points : 0, sizeof *before);
    struct rc_out out;

    if (!before)
        return rc_fail(err, RC_ENOMEM, "no memory for a unit of %lu points",
                       (unsigned long)unit->points);
    rc_out_begin(&out, RC_RECORD_VERSION, bytes);
    rc_form_put(&out, unit_form(), unit);
    const size_t table = bytes->count;
    for (size_t e = 0; e < events; e++)
        rc_out_number(&out, 0, 4);
    const size_t parts = bytes->count;
    for (size_t e = 0; e < events && rc_out_is_good(&out); e++) {
        if (repetitions > 0)
            put_part(&out, unit, readings, turned ? e : e * repetitions,
                     turned ? events : 1, before);
        rc_out_patch_32(&out, table + 4 * e, (uint32_t)(bytes->count - parts));
    }
    free(before);
    return rc_out_end(&out, "a unit", err);
}

int rc_record_put_unit(const struct rc_record_unit *unit,
                       const struct rc_record_readings *readings,
                       struct rc_bytes *bytes, struct rc_error *err)
{
    return put_unit(unit, readings, false, bytes, err);
}

int rc_record_put_sweeps(const struct rc_record_unit *unit,
                         const struct rc_record_readings *sweeps,
                         struct rc_bytes *bytes, struct rc_error *err)
{
    return put_unit(unit, sweeps, true, bytes, err);
}

void rc_record_move_unit(void *payload, uint32_t suite, uint32_t group)
{
    struct rc_bytes whole = {.byte = payload};
    struct rc_out out = {.bytes = &whole};

    rc_out_patch_32(&out, 1 + 8, suite); /* after the version and the kind */
    rc_out_patch_32(&out, 1 + 8 + 4, group);
}

/* The fewest bytes that an event takes: a status, two times and the values, one byte
 * each.  Numbers larger than the payload are cut, so that the product cannot overflow.
 */
static uint64_t least_part(const struct rc_in *in, const struct rc_record_unit *unit)
{
    const uint64_t most = in->bytes;
    const uint64_t repetitions = unit->repetitions < most ? unit->repetitions : most;
    const uint64_t points = unit->points < most ? unit->points : most;

    return repetitions * (points + 3);
}

/* Finds the part of an event; 'in' stands before the table. */
static int find_part(struct rc_in *in, uint32_t events, uint32_t event, uint64_t least,
                     struct rc_in *part)
{
    struct rc_in table = *in;
    const size_t parts = in->at + 4 * (size_t)events;
    size_t begin = 0, end;

    if (event > 0) {
        table.at += 4 * ((size_t)event - 1);
        begin = rc_in_number(&table, 4);
    }
    end = rc_in_number(&table, 4);
    if (begin > end || end > in->bytes - parts || end - begin < least)
        rc_in_wrong(in,
                    "event %lu from byte %zu to %zu of the readings, of which there "
                    "are %zu, expected %lu or more bytes",
                    (unsigned long)event, begin, end, in->bytes - parts,
                    (unsigned long)least);
    *part = *in;
    if (rc_in_is_good(in)) {
        part->at = parts + begin;
        part->bytes = parts + end;
    }
    return in->status;
}

int rc_record_get_unit(const void *payload, size_t bytes, struct rc_record_unit *out,
                       struct rc_error *err)
{
    struct rc_in in, part = {0};

    rc_in_begin(&in, RC_RECORD_VERSION, "a unit", payload, bytes, err);
    rc_form_get(&in, unit_form(), out);
    if (in.status != RC_OK)
        return in.status;
    const uint64_t least = least_part(&in, out);
    for (uint32_t e = 0; e < out->events; e++)
        if (find_part(&in, out->events, e, least, &part) != RC_OK)
            return in.status;
    if (out->events > 0)
        in.at = part.bytes; /* the last part must end where the payload does */
    return rc_in_end(&in);
}

static uint64_t unzigzag(uint64_t code)
{
    return code >> 1 ^ (code & 1 ? UINT64_MAX : 0);
}

/* INT64_MIN stands for "no value" in arrays; no code may give it. */
static int64_t get_value(struct rc_in *in, uint64_t *before)
{
    uint64_t code = rc_in_varint(in);
    int64_t value;

    if (code == RC_VALUE_NONE)
        return INT64_MIN;
    *before +=
        code == RC_VALUE_FULL ? rc_in_number(in, 8) : unzigzag(code - RC_VALUE_CODES);
    value = (int64_t)*before;
    if (value == INT64_MIN)
        rc_in_wrong(in, "a value of -2^63, which says that there is none");
    return value;
}

/* Values for arrays of 'out' that are NULL are skipped. */
static void get_repetition(struct rc_in *in, const struct rc_record_unit *unit,
                           size_t repetition, uint64_t *before,
                           struct rc_record_readings *out)
{
    const uint8_t status =
        rc_in_below(in, RC_READING_STATUS_COUNT, "a reading's status of");
    const uint64_t enabled = rc_in_varint(in);
    const uint64_t running = enabled - unzigzag(rc_in_varint(in));

    if (out->status)
        out->status[repetition] = status;
    if (out->enabled_ns)
        out->enabled_ns[repetition] = enabled;
    if (out->running_ns)
        out->running_ns[repetition] = running;
    for (size_t p = 0; p < unit->points; p++) {
        const int64_t value = get_value(in, &before[p]);
        if (out->values)
            out->values[repetition * unit->points + p] = value;
    }
}

int rc_record_get_event(const void *payload, size_t bytes, uint32_t event,
                        struct rc_record_readings *out, struct rc_error *err)
{
    struct rc_record_unit unit;
    struct rc_in in, part;

    rc_in_begin(&in, RC_RECORD_VERSION, "a unit", payload, bytes, err);
    rc_form_get(&in, unit_form(), &unit);
    if (event >= unit.events)
        rc_in_wrong(&in, "event %lu of %lu", (unsigned long)event,
                    (unsigned long)unit.events);
    if (in.status != RC_OK ||
        find_part(&in, unit.events, event, least_part(&in, &unit), &part) != RC_OK)
        return in.status;
    uint64_t *before =
        rc_calloc(unit.repetitions > 0 ? unit.points : 0, sizeof *before);
    if (!before)
        return rc_fail(err, RC_ENOMEM, "no memory for a unit of %lu points",
                       (unsigned long)unit.points);
    for (size_t r = 0; rc_in_is_good(&part) && r < unit.repetitions; r++)
        get_repetition(&part, &unit, r, before, out);
    free(before);
    return rc_in_end(&part);
}
