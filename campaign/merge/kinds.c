/* The kinds of machines of the result, with their sources and events. */
#include "campaign/merge/parts.h"

#include "campaign/base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void kind_fini(struct rc_merge_kind *k)
{
    for (size_t i = 0; i < k->suite_count; i++) {
        free(k->suite[i].iterations);
        free(k->suite[i].basis);
        free(k->suite[i].row_from);
    }
    for (size_t i = 0; i < k->piece_count; i++)
        free(k->piece[i].event);
    free(k->source);
    free(k->suite);
    free(k->event);
    free(k->piece);
    free(k->slot);
}

void rc_merge_kinds_fini(struct rc_merge *m)
{
    for (size_t i = 0; i < m->kind_count; i++)
        kind_fini(&m->kind[i]);
    free(m->kind);
}

static uint32_t find_kind(const struct rc_merge *m, uint64_t id)
{
    uint32_t kind = 0;

    while (kind < m->kind_count && m->kind[kind].id != id)
        kind++;
    return kind;
}

static const char *dir_of(const struct rc_merge *m, uint32_t operand)
{
    return m->operand[operand].dir;
}

static int take_kind(struct rc_merge *m, const struct rc_merge_operand *o,
                     const struct rc_campaign_kind *kind, uint32_t *out,
                     struct rc_error *err)
{
    *out = find_kind(m, kind->id);
    if (*out < m->kind_count) {
        m->kind[*out].operands++;
        return RC_OK;
    }
    for (size_t i = 0; i < m->kind_count; i++)
        if (strcmp(m->kind[i].record.name, kind->record.name) == 0)
            rc_merge_conflict(m, "kind '%s' is one machine in '%s', another in '%s'",
                              kind->record.name, dir_of(m, m->kind[i].from), o->dir);
    if (rc_grow(&m->kind, sizeof *m->kind, m->kind_count, &m->kind_room))
        return rc_merge_no_memory(err);
    m->kind[m->kind_count++] = (struct rc_merge_kind){.record = kind->record,
                                                      .id = kind->id,
                                                      .from = (uint32_t)o->number,
                                                      .operands = 1};
    return RC_OK;
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
                          kind->record.name, first->name, first->label, dir,
                          source->label, o->dir);
    if (strcmp(first->counter_set, source->counter_set) != 0)
        rc_merge_conflict(
            m, "kind '%s', source '%s': its counters are '%s' in '%s', '%s' in '%s'",
            kind->record.name, first->name, first->counter_set, dir,
            source->counter_set, o->dir);
    if (first->deterministic != source->deterministic ||
        first->simulated != source->simulated)
        rc_merge_conflict(
            m,
            "kind '%s', source '%s': it is%s deterministic and%s simulated in '%s', "
            "otherwise in '%s'",
            kind->record.name, first->name, first->deterministic ? "" : " not",
            first->simulated ? "" : " not", dir, o->dir);
}

static int take_sources(struct rc_merge *m, const struct rc_merge_operand *o,
                        const struct rc_campaign_kind *from, struct rc_merge_map *map,
                        struct rc_error *err)
{
    struct rc_merge_kind *kind = &m->kind[map->kind];

    for (size_t i = 0; i < from->record.source_count; i++) {
        const struct rc_record_source *source = &from->record.source[i];
        uint32_t s = 0;
        while (s < kind->source_count &&
               strcmp(kind->source[s].record.name, source->name) != 0)
            s++;
        map->source[i] = s;
        if (s < kind->source_count) {
            compare_sources(m, o, kind, &kind->source[s], source);
            continue;
        }
        if (rc_grow(&kind->source, sizeof *kind->source, s, &kind->room[0]))
            return rc_merge_no_memory(err);
        kind->source[kind->source_count++] =
            (struct rc_merge_source){*source, (uint32_t)o->number};
    }
    return RC_OK;
}

/* Where an event has its slot, or would have it. */
static uint32_t *slot_of(const struct rc_merge_kind *kind, uint32_t *slot, size_t slots,
                         uint32_t source, const char *name)
{
    size_t at = (size_t)(rc_text_hash(name) + source) & (slots - 1);

    for (; slot[at]; at = (at + 1) & (slots - 1)) {
        const struct rc_record_event *event = &kind->event[slot[at] - 1].record;
        if (event->source == source && strcmp(event->name, name) == 0)
            break;
    }
    return &slot[at];
}

/* Room in the table for so many events more. */
static int make_slots(struct rc_merge_kind *kind, size_t more, struct rc_error *err)
{
    size_t slots = 64;
    uint32_t *slot;

    while (slots < 2 * (kind->event_count + more))
        slots *= 2;
    if (slots <= kind->slots)
        return RC_OK;
    slot = rc_calloc(slots, sizeof *slot);
    if (!slot)
        return rc_merge_no_memory(err);
    for (uint32_t e = 0; e < kind->event_count; e++)
        *slot_of(kind, slot, slots, kind->event[e].record.source,
                 kind->event[e].record.name) = e + 1;
    free(kind->slot);
    kind->slot = slot;
    kind->slots = slots;
    return RC_OK;
}

/* The verdict that says most for an event has the least. */
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

static bool counts(const struct rc_record_event *event)
{
    return rank_of(event->verdict) <= 1;
}

static void take_verdict(struct rc_merge *m, const struct rc_merge_operand *o,
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

    if (first->scope != event->scope && counts(first) && counts(event))
        rc_merge_conflict(
            m, "kind '%s', event '%s': its scope is %s in '%s', %s in '%s'",
            kind->record.name, event->name, rc_scope_name((enum rc_scope)first->scope),
            dir_of(m, have->verdict_from), rc_scope_name((enum rc_scope)event->scope),
            o->dir);
    if (first->simulated != event->simulated)
        rc_merge_conflict(m,
                          "kind '%s', event '%s': it is%s simulated in '%s', "
                          "otherwise in '%s'",
                          kind->record.name, event->name,
                          first->simulated ? "" : " not", dir_of(m, have->from),
                          o->dir);
    if (first->verdict != event->verdict)
        take_verdict(m, o, have, event);
    if (!first->description[0])
        have->record.description = event->description;
}

/* Events that no pattern took in, which are there to check groups against. */
static bool *find_references(const struct rc_campaign_kind *kind)
{
    bool *is = rc_calloc(kind->event_count, sizeof *is);

    for (size_t g = 0; g < kind->group_count && is; g++)
        for (size_t i = kind->group[g].own; i < kind->group[g].count; i++)
            is[kind->group[g].event[i]] = true;
    for (size_t g = 0; g < kind->group_count && is; g++)
        for (size_t i = 0; i < kind->group[g].own; i++)
            is[kind->group[g].event[i]] = false;
    return is;
}

static int take_events(struct rc_merge *m, const struct rc_merge_operand *o,
                       const struct rc_campaign_kind *from, struct rc_merge_map *map,
                       bool references, struct rc_error *err)
{
    struct rc_merge_kind *kind = &m->kind[map->kind];
    bool *is_reference = find_references(from);
    int status;

    if (!is_reference)
        return rc_merge_no_memory(err);
    status = make_slots(kind, from->event_count, err);
    for (size_t i = 0; i < from->event_count && status == RC_OK; i++) {
        struct rc_record_event event = from->event[i];
        if (is_reference[i] != references)
            continue;
        event.source = map->source[event.source];
        uint32_t *slot =
            slot_of(kind, kind->slot, kind->slots, event.source, event.name);
        if (*slot) {
            struct rc_merge_event *have = &kind->event[*slot - 1];
            map->event[i] = *slot - 1;
            compare_events(m, o, kind, have, &event);
            have->operands += have->last != o->number;
            have->last = (uint32_t)o->number;
            continue;
        }
        if (rc_grow(&kind->event, sizeof *kind->event, kind->event_count,
                    &kind->room[1]))
            status = rc_merge_no_memory(err);
        if (status != RC_OK)
            break;
        const uint32_t number = (uint32_t)o->number;
        map->event[i] = (uint32_t)kind->event_count;
        kind->event[kind->event_count++] =
            (struct rc_merge_event){event, number, number, number, 1};
        *slot = (uint32_t)kind->event_count;
    }
    free(is_reference);
    return status;
}

static int make_map(const struct rc_campaign_kind *kind, struct rc_merge_map *map,
                    struct rc_error *err)
{
    map->source = rc_calloc(kind->record.source_count, sizeof *map->source);
    map->suite = rc_calloc(kind->suite_count, sizeof *map->suite);
    map->event = rc_calloc(kind->event_count, sizeof *map->event);
    map->piece_first = rc_calloc(kind->group_count + 1, sizeof *map->piece_first);
    return map->source && map->suite && map->event && map->piece_first
               ? RC_OK
               : rc_merge_no_memory(err);
}

static int take_kinds(struct rc_merge *m, struct rc_merge_operand *o,
                      struct rc_error *err)
{
    int status = RC_OK;

    for (size_t k = 0; k < o->campaign->kind_count && status == RC_OK; k++) {
        const struct rc_campaign_kind *kind = &o->campaign->kind[k];
        struct rc_merge_map *map = &o->map[k];
        status = make_map(kind, map, err);
        if (status == RC_OK)
            status = take_kind(m, o, kind, &map->kind, err);
        if (status == RC_OK)
            status = take_sources(m, o, kind, map, err);
    }
    return status;
}

/* The order of events does not depend on that of operands, so that neither do metrics
 * where several events would do.  References stand behind all others, as they do in
 * a campaign that was begun with all the events.
 */
static int take_all_events(struct rc_merge *m, bool references, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < m->count; i++) {
        struct rc_merge_operand *o = &m->operand[m->by_age[i]];
        for (size_t k = 0; k < o->campaign->kind_count && status == RC_OK; k++)
            status =
                take_events(m, o, &o->campaign->kind[k], &o->map[k], references, err);
    }
    return status;
}

/* Iterations of suites are by source, so all sources come first. */
int rc_merge_kinds(struct rc_merge *m, struct rc_error *err)
{
    int status = RC_OK;

    for (size_t i = 0; i < m->count && status == RC_OK; i++)
        status = take_kinds(m, &m->operand[i], err);
    if (status == RC_OK)
        status = take_all_events(m, false, err);
    if (status == RC_OK)
        status = take_all_events(m, true, err);
    for (size_t i = 0; i < m->count && status == RC_OK; i++)
        for (uint32_t k = 0; k < m->operand[i].campaign->kind_count && status == RC_OK;
             k++)
            status = rc_merge_suites(m, &m->operand[i], k, err);
    if (status == RC_OK && m->verdicts)
        rc_merge_say(m,
                     "%" PRIu64 " event%s another verdict in one campaign than in "
                     "another, and the better one is taken: the first, %s",
                     m->verdicts, m->verdicts == 1 ? " has" : "s have",
                     m->verdict_line);
    return status;
}
