/* Leaves the kinds, suites and events that all operands have, for a mean or difference.
 * What is left moves to the front of its list, so that numbers change: the operands'
 * maps follow.
 */
#include "campaign/base/text.h"
#include "campaign/merge/parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum list { KINDS, SUITES, EVENTS };

/* Changes the numbers in the operands' maps to those in 'now': of kinds, or of suites
 * or events of the kind 'kind'.
 */
static void renumber_maps(struct rc_merge *m, enum list list, uint32_t kind,
                          const uint32_t *now)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < m->operand[i].campaign->kind_count; k++) {
            const struct rc_campaign_kind *from = &m->operand[i].campaign->kind[k];
            struct rc_merge_map *map = &m->operand[i].map[k];
            if (list == KINDS && map->kind != RC_MERGE_NONE)
                map->kind = now[map->kind];
            if (list == KINDS || map->kind != kind)
                continue;
            uint32_t *number = list == SUITES ? map->suite : map->event;
            size_t count = list == SUITES ? from->suite_count : from->event_count;
            for (size_t n = 0; n < count; n++)
                number[n] = now[number[n]];
        }
}

static void say_dropped(struct rc_merge *m, const char *what, uint64_t count,
                        const char *first)
{
    if (count)
        rc_merge_say(m, "%" PRIu64 " %s%s not in all campaigns and left out: %s%s",
                     count, what, rc_text_plural(count, " is", "s are"),
                     rc_text_plural(count, "", "the first is "), first);
}

static void keep_suites(struct rc_merge *m, uint32_t number, uint32_t *now)
{
    struct rc_merge_kind *kind = &m->kind[number];
    const char *first = NULL;
    uint32_t kept = 0;

    for (size_t s = 0; s < kind->suite_count; s++) {
        now[s] = kind->suite[s].operands == m->count ? kept : RC_MERGE_NONE;
        if (now[s] != RC_MERGE_NONE)
            kind->suite[kept++] = kind->suite[s];
        else if (!first)
            first = kind->suite[s].record.name;
    }
    say_dropped(m, "suite", kind->suite_count - kept, first);
    kind->suite_count = kept;
    renumber_maps(m, SUITES, number, now);
}

static void keep_events(struct rc_merge *m, uint32_t number, uint32_t *now)
{
    struct rc_merge_kind *kind = &m->kind[number];
    const char *first = NULL;
    uint32_t kept = 0;

    for (size_t e = 0; e < kind->event_count; e++) {
        now[e] = kind->event[e].operands == m->count ? kept : RC_MERGE_NONE;
        if (now[e] != RC_MERGE_NONE)
            kind->event[kept++] = kind->event[e];
        else if (!first)
            first = kind->event[e].record.name;
    }
    say_dropped(m, "event", kind->event_count - kept, first);
    kind->event_count = kept;
    renumber_maps(m, EVENTS, number, now);
}

/* Kinds that are not kept go to the end of the list, where they are freed with it. */
static void keep_kinds(struct rc_merge *m, uint32_t *now)
{
    const char *first = NULL;
    uint32_t kept = 0;

    for (uint32_t k = 0; k < m->kind_count; k++) {
        struct rc_merge_kind kind = m->kind[k];
        now[k] = kind.operands == m->count ? kept : RC_MERGE_NONE;
        if (now[k] != RC_MERGE_NONE) {
            m->kind[k] = m->kind[kept];
            m->kind[kept++] = kind;
        } else if (!first) {
            first = kind.record.name;
        }
    }
    renumber_maps(m, KINDS, 0, now);
    say_dropped(m, "kind", m->kind_count - kept, first);
    m->kinds_kept = kept;
}

int rc_merge_keep_intersection(struct rc_merge *m, struct rc_error *err)
{
    size_t most = m->kind_count;

    for (size_t k = 0; k < m->kind_count; k++) {
        most = m->kind[k].event_count > most ? m->kind[k].event_count : most;
        most = m->kind[k].suite_count > most ? m->kind[k].suite_count : most;
    }
    uint32_t *now = rc_calloc(most, sizeof *now); /* by number: the one from now on */
    if (!now)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", most);
    keep_kinds(m, now);
    for (uint32_t k = 0; k < m->kinds_kept; k++) {
        keep_suites(m, k, now);
        keep_events(m, k, now);
    }
    free(now);
    if (m->kinds_kept == 0)
        return rc_fail(err, RC_ECONFLICT, "no kind of machine is in all campaigns");
    return RC_OK;
}
