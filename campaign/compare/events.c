/* Changes of a kind's events between two campaigns.
 *
 * Changes of one sort (gone, new, from one state to another) are a group, with events
 * in the order of the later campaign.
 */
#include "campaign/base/map.h"
#include "campaign/base/text.h"
#include "campaign/compare/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 16 }; /* more than any list of states has */

/* Events of a catalogue by names and sources; several may have the same. */
struct names {
    const struct rc_compare_event *event;
    struct rc_map map;
    size_t *first; /* by item of the map: its first event that is not matched yet */
    size_t *next;  /* by event: the next one of the same name and source */
};

/* Numbers of events differ between campaigns; name and source do not. */
static bool same_event(const struct rc_compare_event *a,
                       const struct rc_compare_event *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->source, b->source) == 0;
}

static bool has_key(const void *names, size_t item, const void *event)
{
    return same_event(&((const struct names *)names)->event[item], event);
}

/* Matches events in any order: equal names one after the other. */
static int match_names(const struct rc_compare_event *before, size_t before_count,
                       const struct rc_compare_event *after, size_t after_count,
                       size_t offset, size_t *match, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct names n = {.event = before, .map = {.same = has_key}};
    int status;

    n.first = rc_arena_array(&arena, before_count, sizeof *n.first);
    n.next = rc_arena_array(&arena, before_count, sizeof *n.next);
    arena.failed |= rc_map_reserve(&n.map, before_count) != 0;
    if ((status = rc_arena_check(&arena, err, "the names of events")) != RC_OK)
        goto out;
    for (size_t i = before_count; i-- > 0;) {
        const uint64_t hash = rc_text_hash(before[i].name);
        const size_t item = rc_map_find(&n.map, &n, hash, &before[i]);
        n.next[i] = item == RC_MAP_NONE ? RC_COMPARE_NONE : n.first[item];
        n.first[item == RC_MAP_NONE ? i : item] = i;
        if (item == RC_MAP_NONE)
            rc_map_put(&n.map, &n, hash, &before[i], i);
    }
    for (size_t i = 0; i < after_count; i++) {
        const size_t item =
            rc_map_find(&n.map, &n, rc_text_hash(after[i].name), &after[i]);
        if (item == RC_MAP_NONE || n.first[item] == RC_COMPARE_NONE)
            continue;
        match[i] = offset + n.first[item];
        n.first[item] = n.next[n.first[item]];
    }
out:
    rc_map_fini(&n.map);
    rc_arena_free(&arena);
    return status;
}

int rc_compare_match(const struct rc_compare_event *before, size_t before_count,
                     const struct rc_compare_event *after, size_t after_count,
                     size_t **match, struct rc_error *err)
{
    const size_t least = before_count < after_count ? before_count : after_count;
    size_t head = 0, tail = 0;

    *match = rc_calloc(after_count, sizeof **match);
    if (!*match)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", after_count);
    for (size_t i = 0; i < after_count; i++)
        (*match)[i] = RC_COMPARE_NONE;
    /* Catalogues of one machine are alike: most of them matches from both ends, and
     * only the middle is searched by name.
     */
    for (; head < least && same_event(&before[head], &after[head]); head++)
        (*match)[head] = head;
    for (; tail < least - head &&
           same_event(&before[before_count - tail - 1], &after[after_count - tail - 1]);
         tail++)
        (*match)[after_count - tail - 1] = before_count - tail - 1;
    const int status =
        match_names(before + head, before_count - head - tail, after + head,
                    after_count - head - tail, head, *match + head, err);
    if (status != RC_OK) {
        free(*match);
        *match = NULL;
    }
    return status;
}

/* Adds a group of 'count' changes, which the caller fills in. */
static int add_group(struct rc_compare *compare, struct rc_compare_column *column,
                     const struct rc_compare_group *group, struct rc_error *err)
{
    struct rc_compare_change *change =
        rc_arena_array(&compare->arena, group->count, sizeof *change);

    if (!change || rc_grow(&column->group, sizeof *column->group, column->group_count,
                           &column->group_room))
        return rc_fail(err, RC_ENOMEM, "no memory for %zu differences", group->count);
    column->group[column->group_count] = *group;
    column->group[column->group_count++].change = change;
    column->change_count += group->chance ? 0 : group->count;
    (group->chance ? compare->chance
                   : compare->differences)[rc_change_check(group->what)] +=
        group->count;
    return RC_OK;
}

/* Adds a group of the events without a partner on the other side; 'partner' has their
 * numbers there.
 */
static int add_lonely(struct rc_compare *compare, struct rc_compare_column *column,
                      enum rc_change_what what, const size_t *partner, size_t count,
                      struct rc_error *err)
{
    struct rc_compare_group group = {.what = what, .suite = RC_COMPARE_NONE};

    for (size_t i = 0; i < count; i++)
        group.count += partner[i] == RC_COMPARE_NONE;
    if (group.count == 0)
        return RC_OK;
    const int status = add_group(compare, column, &group, err);
    if (status != RC_OK)
        return status;
    struct rc_compare_change *change = column->group[column->group_count - 1].change;
    for (size_t i = 0; i < count; i++)
        if (partner[i] == RC_COMPARE_NONE)
            *change++ = (struct rc_compare_change){
                .before = what == RC_CHANGE_GONE ? i : RC_COMPARE_NONE,
                .after = what == RC_CHANGE_NEW ? i : RC_COMPARE_NONE,
                .noise_before = NAN,
                .noise_after = NAN,
                .off = NAN};
    return RC_OK;
}

int rc_compare_events(struct rc_compare *compare, size_t column, const size_t *match,
                      struct rc_error *err)
{
    struct rc_compare_column *c = &compare->column[column];
    const struct rc_compare_column *reference = &compare->column[c->reference];
    const struct rc_compare_states verdicts = {reference->verdict, c->verdict, NULL,
                                               NULL, NULL};
    const struct rc_compare_states scopes = {reference->scope, c->scope, NULL, NULL,
                                             NULL};
    size_t *back =
        rc_calloc(reference->event_count, sizeof *back); /* inverse of match */
    int status;

    if (!back)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events",
                       reference->event_count);
    for (size_t i = 0; i < reference->event_count; i++)
        back[i] = RC_COMPARE_NONE;
    for (size_t i = 0; i < c->event_count; i++)
        if (match[i] != RC_COMPARE_NONE)
            back[match[i]] = i;
    if ((status = add_lonely(compare, c, RC_CHANGE_GONE, back, reference->event_count,
                             err)) != RC_OK ||
        (status = add_lonely(compare, c, RC_CHANGE_NEW, match, c->event_count, err)) !=
            RC_OK ||
        (status = rc_compare_states(compare, column, match, RC_CHANGE_VERDICT,
                                    RC_COMPARE_NONE, &verdicts, err)) != RC_OK)
        goto out;
    status = rc_compare_states(compare, column, match, RC_CHANGE_SCOPE, RC_COMPARE_NONE,
                               &scopes, err);
out:
    free(back);
    return status;
}

enum { CHANGES = 2 * STATES * STATES };

/* The number of the change from one state to another, even if chance does not explain
 * it, odd otherwise; -1: no change.
 */
static int transition_of(const struct rc_compare_states *s, enum rc_change_what what,
                         size_t before, size_t after)
{
    const struct rc_compare_judged *judged = s->judged ? &s->judged[after] : NULL;

    if (what == RC_CHANGE_COUNTS)
        return judged && judged->counts ? 0 : -1;
    const uint8_t from = s->before[before], to = s->after[after];
    if (from == to || from >= STATES || to >= STATES)
        return -1;
    return 2 * (from * STATES + to) +
           (judged && judged->known && !judged->counts && !judged->noise);
}

int rc_compare_states(struct rc_compare *compare, size_t column, const size_t *match,
                      enum rc_change_what what, size_t suite,
                      const struct rc_compare_states *states, struct rc_error *err)
{
    struct rc_compare_column *c = &compare->column[column];
    size_t count[CHANGES] = {0};
    struct rc_compare_change *next[CHANGES] = {0}; /* the next one to be filled in */

    for (size_t i = 0; i < c->event_count; i++)
        if (match[i] != RC_COMPARE_NONE &&
            transition_of(states, what, match[i], i) >= 0)
            count[transition_of(states, what, match[i], i)]++;
    for (unsigned g = 0; g < CHANGES; g++) {
        const struct rc_compare_group group = {.what = what,
                                               .suite = suite,
                                               .from = g / 2 / STATES,
                                               .to = g / 2 % STATES,
                                               .chance = g % 2,
                                               .count = count[g]};
        if (count[g] == 0)
            continue;
        const int status = add_group(compare, c, &group, err);
        if (status != RC_OK)
            return status;
        next[g] = c->group[c->group_count - 1].change;
    }
    for (size_t i = 0; i < c->event_count; i++) {
        const int g =
            match[i] == RC_COMPARE_NONE ? -1 : transition_of(states, what, match[i], i);
        if (g >= 0)
            *next[g]++ = (struct rc_compare_change){
                .before = match[i],
                .after = i,
                .noise_before =
                    states->noise_before ? states->noise_before[match[i]] : NAN,
                .noise_after = states->noise_after ? states->noise_after[i] : NAN,
                .off = what == RC_CHANGE_COUNTS ? states->judged[i].off : NAN};
    }
    return RC_OK;
}
