/* Makes one unit of the result from those of the operands.
 *
 * A merge keeps the operands' repetitions one after the other; a mean or difference
 * ("aligned") adds or subtracts repetition r of each.  Only one operand's record is in
 * memory at a time.
 */
#include "campaign/merge/parts.h"

#include <string.h>

/* A unit while it is put together: [event][repetition][point]. */
struct unit {
    struct rc_merge *m;
    const struct rc_merge_target *target;
    struct rc_record_unit head;
    struct rc_record_readings out; /* of the result, in the arena */
    struct rc_record_readings one; /* of one event of one operand */
    struct rc_arena arena;
    bool overflow; /* a value exceeds 64 bits */
};

/* The group of an operand's unit. */
static const struct rc_record_group *group_of(const struct rc_merge_pick *pick)
{
    return &pick->operand->campaign->kind[pick->unit->kind].group[pick->unit->group];
}

/* Makes room for readings; the arena knows whether it failed. */
static struct rc_record_readings make_readings(struct rc_arena *arena, size_t rows,
                                               size_t points)
{
    return (struct rc_record_readings){
        rc_arena_array(arena, rows, points * sizeof(int64_t)),
        rc_arena_array(arena, rows, sizeof(uint64_t)),
        rc_arena_array(arena, rows, sizeof(uint64_t)), rc_arena_array(arena, rows, 1)};
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* A piece's share of the time of a group, by the number of its events. */
static uint64_t share_of(const struct unit *u, const struct rc_merge_pick *pick,
                         uint64_t ns)
{
    const size_t own = group_of(pick)->own, kept = u->target->piece->own;

    return kept < own ? ns / own * kept : ns;
}

/* Adds up times and tries.  The worse status and the earliest known begin stay; stops
 * that differ become RC_STOP_MOST.
 */
static void add_head(struct unit *u, const struct rc_merge_pick *pick, bool first)
{
    const struct rc_campaign_unit *unit = pick->unit;
    struct rc_record_unit *head = &u->head;

    head->wall_ns = add_capped(head->wall_ns, share_of(u, pick, unit->wall_ns));
    head->kernel_ns = add_capped(head->kernel_ns, share_of(u, pick, unit->kernel_ns));
    head->tries = head->tries + unit->tries < head->tries ? UINT32_MAX
                                                          : head->tries + unit->tries;
    if (first || (unit->begin_ns && unit->begin_ns < head->begin_ns) || !head->begin_ns)
        head->begin_ns = unit->begin_ns;
    if (first || unit->status > head->status)
        head->status = (enum rc_unit_status)unit->status;
    if (first)
        head->stop = (enum rc_stop)unit->stop;
    else if (head->stop != (enum rc_stop)unit->stop)
        head->stop = RC_STOP_MOST;
}

/* Counts the unit's repetitions: of all operands together or, if aligned, the fewest.
 */
static int count_repetitions(struct unit *u, const struct rc_merge_pick *pick,
                             size_t count, struct rc_error *err)
{
    const bool aligned = rc_merge_is_aligned(u->m);
    uint64_t least = UINT64_MAX, sum = 0;

    for (size_t i = 0; i < count; i++) {
        const uint32_t repetitions = pick[i].unit->repetitions;
        sum += repetitions;
        least = repetitions < least ? repetitions : least;
    }
    if (!aligned && sum > UINT32_MAX)
        return rc_fail(err, RC_EUSAGE, "a unit would have %llu repetitions",
                       (unsigned long long)sum);
    u->head.repetitions = (uint32_t)(aligned ? least : sum);
    if (aligned)
        u->m->dropped_repetitions += sum - count * least;
    return RC_OK;
}

/* Adds or subtracts; INT64_MIN stands for a missing value.  False: overflow. */
static bool combine_value(const struct unit *u, int64_t *to, int64_t value)
{
    int64_t result;

    if (*to == INT64_MIN || value == INT64_MIN) {
        *to = INT64_MIN;
        return true;
    }
    const bool over = u->m->job->operation == RC_OPERATION_DIFFERENCE
                          ? __builtin_sub_overflow(*to, value, &result)
                          : __builtin_add_overflow(*to, value, &result);
    *to = over ? INT64_MIN : result;
    return !over && result != INT64_MIN; /* INT64_MIN is missing */
}

/* Puts the readings in 'one' into the event's rows from 'first' on or, with 'combines',
 * adds them to or subtracts them from those of earlier operands.
 */
static void put_event(struct unit *u, size_t event, size_t first, size_t repetitions,
                      bool combines)
{
    const size_t points = u->head.points;
    const struct rc_record_readings *out = &u->out, *one = &u->one;

    for (size_t r = 0; r < repetitions; r++) {
        const size_t row = event * u->head.repetitions + first + r;
        int64_t *values = out->values + row * points;
        bool fits = true;
        if (!combines) {
            memcpy(values, one->values + r * points, points * sizeof *values);
            out->enabled_ns[row] = one->enabled_ns[r];
            out->running_ns[row] = one->running_ns[r];
            out->status[row] = one->status[r];
            continue;
        }
        out->enabled_ns[row] = add_capped(out->enabled_ns[row], one->enabled_ns[r]);
        out->running_ns[row] = add_capped(out->running_ns[row], one->running_ns[r]);
        /* The worse status wins; a reading that one lacks is missing. */
        if (out->status[row] != RC_READING_MISSING &&
            (one->status[r] == RC_READING_MISSING || one->status[r] > out->status[row]))
            out->status[row] = one->status[r];
        for (size_t p = 0; p < points; p++)
            fits &= combine_value(u, &values[p], one->values[r * points + p]);
        if (fits)
            continue;
        out->status[row] = RC_READING_MISSING;
        for (size_t p = 0; p < points; p++)
            values[p] = INT64_MIN;
        u->overflow = true;
        u->m->overflows++;
    }
}

/* Puts the piece's events of one operand's record into the rows from 'first' on. */
static int add_readings(struct unit *u, const struct rc_merge_pick *pick, size_t first,
                        bool combines, struct rc_error *err)
{
    const struct rc_campaign_unit *unit = pick->unit;
    const struct rc_record_group *group = group_of(pick);
    const uint32_t *number = u->target->kind->map[pick->operand->number].event;
    const size_t repetitions =
        rc_merge_is_aligned(u->m) ? u->head.repetitions : unit->repetitions;
    struct rc_arena arena = {0};
    void *payload;
    int status;

    u->one = make_readings(&arena, unit->repetitions, u->head.points);
    if ((status = rc_arena_check(&arena, err, "the readings of an event")) != RC_OK ||
        (status = rc_unit_reader_get(&pick->operand->reader, unit, &payload, err)) !=
            RC_OK)
        goto out;
    for (uint32_t i = 0; i < group->count; i++) {
        const uint32_t slot = u->target->slot[number[group->event[i]]];
        if (!slot)
            continue;
        if ((status = rc_record_get_event(payload, unit->bytes, i, &u->one, err)) !=
            RC_OK)
            goto out;
        put_event(u, slot - 1, first, repetitions, combines);
    }
out:
    rc_arena_free(&arena);
    return status;
}

/* Fills in the unit's readings, event by event; events that no operand has stay
 * missing.  A merge appends the repetitions of each operand to those of earlier ones.
 */
static int fill_unit(struct unit *u, const struct rc_merge_pick *pick, size_t count,
                     struct rc_error *err)
{
    const size_t rows = u->target->piece->count * u->head.repetitions;
    const bool aligned = rc_merge_is_aligned(u->m);
    size_t first = 0;
    int status;

    u->out = make_readings(&u->arena, rows, u->head.points);
    if ((status = rc_arena_check(&u->arena, err, "the readings of a unit")) != RC_OK)
        return status;
    for (size_t i = 0; i < rows * u->head.points; i++)
        u->out.values[i] = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        add_head(u, &pick[i], i == 0);
        if (u->head.repetitions > 0 &&
            (status = add_readings(u, &pick[i], first, aligned && i > 0, err)) != RC_OK)
            return status;
        first += aligned ? 0 : pick[i].unit->repetitions;
    }
    return RC_OK;
}

/* Writes the unit.  Place, node and reason come from the first operand's record and
 * point into the reader's memory: they are valid until it reads another record.
 */
static int write_unit(struct unit *u, const struct rc_merge_pick *pick,
                      struct rc_error *err)
{
    struct rc_record_unit first, *head = &u->head;
    struct rc_bytes *bytes = u->target->bytes;
    void *read;
    int status;

    if ((status = rc_unit_reader_get(&pick->operand->reader, pick->unit, &read, err)) !=
            RC_OK ||
        (status = rc_record_get_unit(read, pick->unit->bytes, &first, err)) != RC_OK)
        return status;
    head->place = first.place;
    head->node = first.node;
    head->core = first.core;
    head->cpu = first.cpu;
    head->reason = head->status == RC_UNIT_OK ? "" : first.reason;
    if (u->overflow) {
        head->status = RC_UNIT_INVALID;
        head->reason = "a value is beyond 64 bits";
    } else if (head->status != RC_UNIT_OK && !head->reason[0]) {
        head->reason = "readings of one of the campaigns are not valid";
    }
    if ((status = rc_record_put_unit(head, &u->out, bytes, err)) != RC_OK)
        return status;
    return rc_journal_append_of(u->m->journal, pick->unit->writer, RC_RECORD_UNIT,
                                bytes->byte, bytes->count, err);
}

/* Whether the operand's group is the piece, event by event. */
static bool is_piece(const struct rc_merge_pick *pick,
                     const struct rc_merge_target *target)
{
    const struct rc_record_group *group = group_of(pick);
    const struct rc_merge_piece *piece = target->piece;
    const uint32_t *number = target->kind->map[pick->operand->number].event;

    if (group->count != piece->count || group->own != piece->own)
        return false;
    for (size_t i = 0; i < group->count; i++)
        if (number[group->event[i]] != piece->event[i])
            return false;
    return true;
}

int rc_merge_put_unit(struct rc_merge *m, const struct rc_merge_target *target,
                      const struct rc_merge_pick *pick, size_t count,
                      struct rc_error *err)
{
    const struct rc_merge_piece *piece = target->piece;
    struct unit u = {.m = m,
                     .target = target,
                     .head = {.kind = target->kind->id,
                              .suite = target->suite->item.number,
                              .group = (uint32_t)(piece - target->kind->piece),
                              .events = (uint32_t)piece->count,
                              .points = (uint32_t)target->suite->record.point_count}};
    int status;

    if (count == 1 && is_piece(pick, target)) {
        /* The record stays as it is, except for the numbers of suite and group. */
        struct rc_unit_reader *reader = &pick->operand->reader;
        void *payload;
        if ((status = rc_unit_reader_get(reader, pick->unit, &payload, err)) != RC_OK)
            return status;
        reader->unit = NULL; /* its memory does not hold this unit any more */
        rc_record_move_unit(payload, u.head.suite, u.head.group);
        return rc_journal_append_of(m->journal, pick->unit->writer, RC_RECORD_UNIT,
                                    payload, pick->unit->bytes, err);
    }
    for (uint32_t i = 0; i < piece->count; i++)
        target->slot[piece->event[i]] = i + 1;
    if ((status = count_repetitions(&u, pick, count, err)) == RC_OK &&
        (status = fill_unit(&u, pick, count, err)) == RC_OK)
        status = write_unit(&u, pick, err);
    for (uint32_t i = 0; i < piece->count; i++)
        target->slot[piece->event[i]] = 0;
    rc_arena_free(&u.arena);
    return status;
}
