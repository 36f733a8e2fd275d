/* Finds a campaign's events among those of this process's sources, by their names.
 *
 * Names are hashed once for all events of the catalogue; the lists are nearly always in
 * the same order, so the event at the same index is tried before the map is asked.
 */
#include "campaign/records/event_numbers.h"

#include "campaign/base/text.h"

#include <string.h>

struct event_key {
    uint32_t source;
    const char *name;
};

static bool is_event(const void *catalogue, size_t index, const void *key)
{
    const struct rc_event *event =
        &((const struct rc_catalogue *)catalogue)->event[index];
    const struct event_key *wanted = key;

    return event->source == wanted->source && strcmp(event->name, wanted->name) == 0;
}

static uint64_t hash_of(const struct event_key *key)
{
    return rc_text_hash(key->name) + key->source;
}

/* The number of an event that the source offers as a reference although no pattern
 * matches it, or RC_EVENT_ABSENT.
 */
static uint32_t reference_number(const struct rc_catalogue *catalogue, uint32_t source,
                                 const char *name)
{
    for (size_t i = 0; i < RC_REFERENCES_MOST && source < catalogue->source_count;
         i++) {
        const struct rc_event *event = &catalogue->source[source].offered[i];
        if (event->name && strcmp(event->name, name) == 0)
            return event->number;
    }
    return RC_EVENT_ABSENT;
}

/* Fills both directions: kind's event to source's number and catalogue's index, and
 * catalogue's index to kind's event.
 */
static void map_events(const struct rc_campaign_kind *kind,
                       const struct rc_catalogue *catalogue, const struct rc_map *names,
                       struct rc_event_numbers *map)
{
    for (size_t i = 0; i < catalogue->count; i++)
        map->of_listed[i] = RC_EVENT_ABSENT;
    for (size_t i = 0; i < kind->event_count; i++) {
        const struct event_key key = {kind->event[i].source, kind->event[i].name};
        const bool same = i < catalogue->count && is_event(catalogue, i, &key);
        const size_t at = same ? i : rc_map_find(names, catalogue, hash_of(&key), &key);
        if (at == RC_MAP_NONE) {
            map->listed[i] = RC_EVENT_ABSENT;
            map->number[i] = reference_number(catalogue, key.source, key.name);
        } else {
            map->listed[i] = (uint32_t)at;
            map->number[i] = catalogue->event[at].number;
            map->of_listed[at] = (uint32_t)i;
        }
    }
}

int rc_event_numbers_make(const struct rc_campaign_kind *kind,
                          const struct rc_catalogue *catalogue,
                          struct rc_event_numbers *out, struct rc_error *err)
{
    struct rc_map names = {.same = is_event};

    *out = (struct rc_event_numbers){.events = kind->event_count};
    out->number = rc_arena_array(&out->arena, out->events, sizeof *out->number);
    out->listed = rc_arena_array(&out->arena, out->events, sizeof *out->listed);
    out->of_listed =
        rc_arena_array(&out->arena, catalogue->count, sizeof *out->of_listed);
    bool failed = out->arena.failed || rc_map_reserve(&names, catalogue->count);
    /* Backwards: of events that are listed twice, the first one is found. */
    for (size_t i = catalogue->count; i-- > 0 && !failed;) {
        const struct event_key key = {catalogue->event[i].source,
                                      catalogue->event[i].name};
        failed = rc_map_put(&names, catalogue, hash_of(&key), &key, i) != 0;
    }
    if (!failed)
        map_events(kind, catalogue, &names, out);
    rc_map_fini(&names);
    if (!failed)
        return RC_OK;
    rc_event_numbers_fini(out);
    return rc_fail(err, RC_ENOMEM, "no memory to map %zu events", kind->event_count);
}

void rc_event_numbers_fini(struct rc_event_numbers *map)
{
    rc_arena_free(&map->arena);
    *map = (struct rc_event_numbers){0};
}
