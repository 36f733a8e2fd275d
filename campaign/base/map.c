/* A hash map with open addressing, from keys that the caller keeps to numbers.
 *
 * Entries that collide stand in the next places (linear probing), and at most half of
 * all are used, so searches are short.  The map stores 32 bits of the hash: a key is
 * compared only where they are equal, and growing asks for no key.  Nothing is ever
 * removed.
 */
#include "campaign/base/map.h"

#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <stdlib.h>

struct rc_map_entry {
    uint32_t tag;           /* from the key's hash; its low bits give the place */
    uint32_t item_plus_one; /* 0: not used */
};

/* The entry with that tag and key, or its place.  Without a key: the next free one. */
static struct rc_map_entry *find_entry(const struct rc_map *map, const void *context,
                                       uint32_t tag, const void *key)
{
    for (size_t at = tag;; at++) {
        struct rc_map_entry *e = &map->entry[at & (map->room - 1)];
        if (!e->item_plus_one ||
            (key && e->tag == tag && map->same(context, e->item_plus_one - 1, key)))
            return e;
    }
}

size_t rc_map_find(const struct rc_map *map, const void *context, uint64_t hash,
                   const void *key)
{
    if (map->room == 0)
        return RC_MAP_NONE;
    const uint32_t item =
        find_entry(map, context, (uint32_t)rc_mix(hash), key)->item_plus_one;
    return item ? item - 1 : RC_MAP_NONE;
}

int rc_map_reserve(struct rc_map *map, size_t count)
{
    struct rc_map more = *map;

    if (count > RC_MAP_ITEM_MAX)
        return -1;
    more.room = map->room ? map->room : 16;
    while (more.room < 2 * count)
        more.room *= 2;
    if (more.room == map->room)
        return 0;
    more.entry = rc_calloc(more.room, sizeof *more.entry);
    if (!more.entry)
        return -1;
    for (size_t i = 0; i < map->room; i++)
        if (map->entry[i].item_plus_one)
            *find_entry(&more, NULL, map->entry[i].tag, NULL) = map->entry[i];
    free(map->entry);
    map->entry = more.entry;
    map->room = more.room;
    return 0;
}

int rc_map_put(struct rc_map *map, const void *context, uint64_t hash, const void *key,
               size_t item)
{
    const uint32_t tag = (uint32_t)rc_mix(hash);

    if (item > RC_MAP_ITEM_MAX || rc_map_reserve(map, map->count + 1))
        return -1;
    struct rc_map_entry *entry = find_entry(map, context, tag, key);
    map->count += entry->item_plus_one == 0;
    *entry = (struct rc_map_entry){tag, (uint32_t)item + 1};
    return 0;
}

void rc_map_fini(struct rc_map *map)
{
    free(map->entry);
    map->entry = NULL;
    map->room = map->count = 0;
}
