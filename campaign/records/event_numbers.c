/* A hash table from a campaign's events to their numbers at the sources of this
 * process.
 */
#include "campaign/records/event_numbers.h"

#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

/* Indices of the catalogue's events by their names: open addressing. */
struct table {
    const struct rc_catalogue *catalogue;
    uint32_t *slot; /* index + 1, or 0 */
    size_t mask;
};

static size_t slot_of(const struct table *table, uint32_t source, const char *name)
{
    return (size_t)(rc_text_hash(name) + source) & table->mask;
}

static bool is_event(const struct table *table, size_t index, uint32_t source,
                     const char *name)
{
    const struct rc_event *event = &table->catalogue->event[index];

    return event->source == source && strcmp(event->name, name) == 0;
}

static int table_init(struct table *table, const struct rc_catalogue *catalogue)
{
    size_t slots = 16;

    while (slots < 2 * catalogue->count)
        slots *= 2;
    table->catalogue = catalogue;
    table->mask = slots - 1;
    table->slot = rc_calloc(slots, sizeof *table->slot);
    if (!table->slot)
        return -1;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct rc_event *event = &catalogue->event[i];
        size_t at = slot_of(table, event->source, event->name);
        while (table->slot[at])
            at = (at + 1) & table->mask;
        table->slot[at] = (uint32_t)i + 1;
    }
    return 0;
}

static uint32_t table_find(const struct table *table, uint32_t source, const char *name)
{
    for (size_t at = slot_of(table, source, name); table->slot[at];
         at = (at + 1) & table->mask)
        if (is_event(table, table->slot[at] - 1, source, name))
            return table->slot[at] - 1;
    return RC_EVENT_ABSENT;
}

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

static void map_events(const struct rc_campaign_kind *kind, const struct table *table,
                       struct rc_event_numbers *map)
{
    const struct rc_catalogue *catalogue = table->catalogue;

    for (size_t i = 0; i < catalogue->count; i++)
        map->of_listed[i] = RC_EVENT_ABSENT;
    for (size_t i = 0; i < kind->event_count; i++) {
        const struct rc_record_event *event = &kind->event[i];
        bool same =
            i < catalogue->count && is_event(table, i, event->source, event->name);
        uint32_t at =
            same ? (uint32_t)i : table_find(table, event->source, event->name);
        map->listed[i] = at;
        map->number[i] = at != RC_EVENT_ABSENT
                             ? catalogue->event[at].number
                             : reference_number(catalogue, event->source, event->name);
        if (at != RC_EVENT_ABSENT)
            map->of_listed[at] = (uint32_t)i;
    }
}

int rc_event_numbers_make(const struct rc_campaign_kind *kind,
                          const struct rc_catalogue *catalogue,
                          struct rc_event_numbers *out, struct rc_error *err)
{
    struct table table = {0};

    *out = (struct rc_event_numbers){
        .number = rc_calloc(kind->event_count, sizeof *out->number),
        .listed = rc_calloc(kind->event_count, sizeof *out->listed),
        .of_listed = rc_calloc(catalogue->count, sizeof *out->of_listed),
        .events = kind->event_count};
    if (!out->number || !out->listed || !out->of_listed ||
        table_init(&table, catalogue)) {
        rc_event_numbers_fini(out);
        return rc_fail(err, RC_ENOMEM, "no memory to map %zu events",
                       kind->event_count);
    }
    map_events(kind, &table, out);
    free(table.slot);
    return RC_OK;
}

void rc_event_numbers_fini(struct rc_event_numbers *map)
{
    free(map->number);
    free(map->listed);
    free(map->of_listed);
    *map = (struct rc_event_numbers){0};
}
