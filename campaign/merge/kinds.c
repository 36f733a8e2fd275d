/* The kinds of machines of the result, with their sources and events.
 *
 * A kind, source or event is the same in two campaigns where its id or name is; all
 * else that differs is a conflict, which is said and counted, except for verdicts: the
 * better one is taken.  A kind's maps translate the operands' numbers into those of its
 * lists.
 */
#include "campaign/merge/parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Marks an event that is only a reference and has no number yet */
#define REFERENCE (RC_MERGE_NONE - 1)

void rc_merge_kinds_fini(struct rc_merge *m)
{
    for (size_t i = 0; i < m->kind_count; i++) {
        free(m->kind[i].source);
        free(m->kind[i].suite);
        free(m->kind[i].event);
        rc_map_fini(&m->kind[i].events);
    }
    free(m->kind);
}

static bool has_key(const void *kind, size_t item, const void *wanted)
{
    const struct rc_merge_kind *k = kind;
    const struct rc_record_event *event = wanted;

    return k->event[item].record.source == event->source &&
           strcmp(k->event[item].item.name, event->name) == 0;
}

static const char *dir_of(const struct rc_merge *m, uint32_t operand)
{
    return m->operand[operand].dir;
}

static void compare_sources(struct rc_merge *m, const struct rc_merge_operand *o,
                            const struct rc_merge_kind *kind,
                            const struct rc_merge_source *have,
                            const struct rc_record_source *source)
{
    const struct rc_record_source *first = &have->record;
    const char *const dir = dir_of(m, have->from);

    if (strcmp(first->label, source->label) != 0)
        rc_merge_conflict(m, "kind '%s', source '%s': it is '%s' in '%s', '%s' in '%s'",
                          kind->item.name, first->name, first->label, dir,
                          source->label, o->dir);
    if (strcmp(first->counter_set, source->counter_set) != 0)
        rc_merge_conflict(
            m, "kind '%s', source '%s': its counters are '%s' in '%s', '%s' in '%s'",
            kind->item.name, first->name, first->counter_set, dir, source->counter_set,
            o->dir);
    if (first->deterministic != source->deterministic ||
        first->simulated != source->simulated)
        rc_merge_conflict(m,
                          "kind '%s', source '%s': it is%s deterministic and%s "
                          "simulated in '%s', unlike in '%s'",
                          kind->item.name, first->name,
                          first->deterministic ? "" : " not",
                          first->simulated ? "" : " not", dir, o->dir);
}

static void add_sources(struct rc_merge *m, const struct rc_merge_operand *o,
                        struct rc_merge_kind *kind)
{
    const struct rc_merge_map *map = &kind->map[o->number];

    for (size_t i = 0; i < map->from->record.source_count; i++) {
        const struct rc_record_source *source = &map->from->record.source[i];
        uint32_t s = 0;
        while (s < kind->source_count &&
               strcmp(kind->source[s].record.name, source->name) != 0)
            s++;
        map->source[i] = s;
        if (s < kind->source_count) {
            compare_sources(m, o, kind, &kind->source[s], source);
            continue;
        }
        if (rc_grow(&kind->source, sizeof *kind->source, s, &kind->source_room))
            m->arena.failed = true;
        else
            kind->source[kind->source_count++] =
                (struct rc_merge_source){*source, (uint32_t)o->number};
    }
}

/* Makes the map of an operand's kind; no event has a number yet.  A mere reference is
 * REFERENCE until it gets one: no pattern chose it, and groups are checked against it.
 */
static void make_map(struct rc_merge *m, const struct rc_merge_operand *o,
                     const struct rc_campaign_kind *from, struct rc_merge_kind *kind)
{
    struct rc_arena *arena = &m->arena;
    const struct rc_merge_map map = {
        .from = from,
        .source = rc_arena_array(arena, from->record.source_count, sizeof *map.source),
        .event = rc_arena_array(arena, from->event_count, sizeof *map.event)};

    if (arena->failed)
        return;
    memset(map.event, 0xff, from->event_count * sizeof *map.event);
    for (size_t g = 0; g < from->group_count; g++)
        for (size_t i = from->group[g].own; i < from->group[g].count; i++)
            map.event[from->group[g].event[i]] = REFERENCE;
    for (size_t g = 0; g < from->group_count; g++)
        for (size_t i = 0; i < from->group[g].own; i++)
            map.event[from->group[g].event[i]] = RC_MERGE_NONE;
    kind->map[o->number] = map;
    add_sources(m, o, kind);
}

/* Adds the operand's kind to the result, if it is not there yet. */
static void add_kind(struct rc_merge *m, const struct rc_merge_operand *o,
                     const struct rc_campaign_kind *from)
{
    size_t number = 0;

    while (number < m->kind_count && m->kind[number].id != from->id)
        number++;
    if (number == m->kind_count) {
        for (size_t i = 0; i < number; i++)
            if (strcmp(m->kind[i].item.name, from->record.name) == 0)
                rc_merge_conflict(
                    m, "kind '%s' is one machine in '%s', another in '%s'",
                    from->record.name, dir_of(m, m->kind[i].item.from), o->dir);
        struct rc_merge_map *map = rc_arena_array(&m->arena, m->count, sizeof *map);
        if (rc_grow(&m->kind, sizeof *m->kind, number, &m->kind_room))
            m->arena.failed = true;
        if (m->arena.failed)
            return;
        m->kind[m->kind_count++] = (struct rc_merge_kind){
            .item = {.name = from->record.name, .from = (uint32_t)o->number},
            .record = from->record,
            .id = from->id,
            .map = map,
            .events = {.same = has_key}};
    }
    struct rc_merge_kind *kind = &m->kind[number];
    kind->item.operands++;
    make_map(m, o, from, kind);
}

/* Order of verdicts: the lowest number is the best. */
static int rank_of(uint8_t verdict)
{
    static const uint8_t rank[RC_VERDICT_COUNT] = {[RC_VERDICT_OK] = 0,
                                                   [RC_VERDICT_COUNTS_NOTHING] = 1,
                                                   [RC_VERDICT_CANNOT_SCHEDULE] = 2,
                                                   [RC_VERDICT_NOT_PERMITTED] = 3,
                                                   [RC_VERDICT_UNSUPPORTED] = 4,
                                                   [RC_VERDICT_UNTRIED] = 5};

    return rank[verdict];
}

/* Counts the difference, keeps the first one for a line, and takes the better verdict.
 */
static void note_verdict(struct rc_merge *m, const struct rc_merge_operand *o,
                         struct rc_merge_event *have,
                         const struct rc_record_event *event)
{
    const bool better = rank_of(event->verdict) < rank_of(have->record.verdict);

    if (m->verdicts++ == 0)
        rc_text_append(m->verdict_line, sizeof m->verdict_line,
                       "'%s' is '%s' in '%s', '%s' in '%s'", event->name,
                       rc_verdict_name((enum rc_verdict)have->record.verdict),
                       dir_of(m, have->verdict_from),
                       rc_verdict_name((enum rc_verdict)event->verdict), o->dir);
    if (!better)
        return;
    have->record.verdict = event->verdict;
    have->record.reason = event->reason;
    have->record.scope = event->scope;
    have->record.evidence = event->evidence;
    have->verdict_from = (uint32_t)o->number;
}

static void compare_events(struct rc_merge *m, const struct rc_merge_operand *o,
                           const struct rc_merge_kind *kind,
                           struct rc_merge_event *have,
                           const struct rc_record_event *event)
{
    const struct rc_record_event *first = &have->record;

    /* Scopes are compared only if both can count the event; otherwise the better
     * verdict brings its scope along.
     */
    const int counted = rank_of(RC_VERDICT_COUNTS_NOTHING);
    if (first->scope != event->scope && rank_of(first->verdict) <= counted &&
        rank_of(event->verdict) <= counted)
        rc_merge_conflict(
            m, "kind '%s', event '%s': its scope is %s in '%s', %s in '%s'",
            kind->item.name, event->name, rc_scope_name((enum rc_scope)first->scope),
            dir_of(m, have->verdict_from), rc_scope_name((enum rc_scope)event->scope),
            o->dir);
    if (first->simulated != event->simulated)
        rc_merge_conflict(
            m, "kind '%s', event '%s': it is%s simulated in '%s', unlike in '%s'",
            kind->item.name, event->name, first->simulated ? "" : " not",
            dir_of(m, have->item.from), o->dir);
    if (first->verdict != event->verdict)
        note_verdict(m, o, have, event);
    if (!first->description[0])
        have->record.description = event->description;
}

static void add_event(struct rc_merge *m, const struct rc_merge_operand *o,
                      struct rc_merge_kind *kind, const struct rc_record_event *event,
                      uint32_t *number)
{
    const uint64_t hash = rc_text_hash(event->name) + event->source;
    const size_t found = rc_map_find(&kind->events, kind, hash, event);
    const uint32_t from = (uint32_t)o->number;

    if (found != RC_MAP_NONE) {
        struct rc_merge_event *have = &kind->event[found];
        *number = (uint32_t)found;
        compare_events(m, o, kind, have, event);
        have->item.operands += have->last != from;
        have->last = from;
        return;
    }
    *number = (uint32_t)kind->event_count;
    if (rc_grow(&kind->event, sizeof *kind->event, *number, &kind->event_room) ||
        rc_map_put(&kind->events, kind, hash, event, *number)) {
        m->arena.failed = true;
        return;
    }
    kind->event[kind->event_count++] = (struct rc_merge_event){
        .item = {.name = event->name, .from = from, .operands = 1},
        .record = *event,
        .verdict_from = from,
        .last = from};
}

/* Adds the events of all operands, oldest first, whose number is still 'mark'. */
static void add_events(struct rc_merge *m, struct rc_merge_kind *kind, uint32_t mark)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct rc_merge_operand *o = &m->operand[m->by_age[i]];
        const struct rc_merge_map *map = &kind->map[o->number];
        const size_t count = map->from ? map->from->event_count : 0;
        for (size_t e = 0; e < count; e++) {
            struct rc_record_event event = map->from->event[e];
            if (map->event[e] != mark)
                continue;
            event.source = map->source[event.source];
            add_event(m, o, kind, &event, &map->event[e]);
        }
    }
}

int rc_merge_kinds(struct rc_merge *m, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < m->operand[i].campaign->kind_count; k++)
            add_kind(m, &m->operand[i], &m->operand[i].campaign->kind[k]);
    /* All sources come before the suites, whose iterations are by source; mere
     * references come after all other events.
     */
    for (size_t k = 0; k < m->kind_count; k++) {
        struct rc_merge_kind *kind = &m->kind[k];
        add_events(m, kind, RC_MERGE_NONE);
        add_events(m, kind, REFERENCE);
        for (size_t i = 0; i < m->count && status == RC_OK && !m->arena.failed; i++)
            if (kind->map[i].from)
                status = rc_merge_suites(m, &m->operand[i], kind, err);
    }
    if (status != RC_OK ||
        (status = rc_arena_check(&m->arena, err, "the events of the campaigns")) !=
            RC_OK)
        return status;
    if (m->verdicts)
        rc_merge_say(m,
                     "%" PRIu64 " event%s another verdict in one campaign than in "
                     "another, and the better one is taken: the first, %s",
                     m->verdicts, rc_text_plural(m->verdicts, " has", "s have"),
                     m->verdict_line);
    return RC_OK;
}
