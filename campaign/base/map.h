/* map.h - numbers of items by the hash of their keys */
#ifndef RC_CAMPAIGN_BASE_MAP_H
#define RC_CAMPAIGN_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The map knows items by number; their keys stay with the caller, who tells by 'same'
 * whether an item has a key.
 *
 *     static bool has_name(const void *list, size_t item, const void *name)
 *     {
 *         return strcmp(((const struct list *)list)->name[item], name) == 0;
 *     }
 *     struct rc_map map = {.same = has_name};
 *     size_t item = rc_map_find(&map, &list, rc_text_hash(name), name);
 *     if (item == RC_MAP_NONE &&
 *         rc_map_put(&map, &list, rc_text_hash(name), name, count))
 *         return rc_fail(err, RC_ENOMEM, "no memory for %zu names", count);
 *
 * 'context' is what 'same' needs to find the items' keys.  Equal keys must have equal
 * hashes; the low bits of a hash need not be good ones.
 */
struct rc_map {
    bool (*same)(const void *context, size_t item, const void *key);
    struct rc_map_entry *entry; /* open addressing */
    size_t room, count;         /* entries there are (a power of two) and used */
};

#define RC_MAP_NONE SIZE_MAX
#define RC_MAP_ITEM_MAX (UINT32_MAX - 1) /* the largest number of an item */

/* The item with that key, or RC_MAP_NONE. */
size_t rc_map_find(const struct rc_map *map, const void *context, uint64_t hash,
                   const void *key);

/* From now on 'key' finds 'item', and no item that it found before.  Returns 0, or -1
 * when there is no memory or the number is too large; the map is as it was then.
 */
int rc_map_put(struct rc_map *map, const void *context, uint64_t hash, const void *key,
               size_t item);

/* Makes room for 'count' keys at once: up to that many, rc_map_put() does not fail.
 * 0, or -1 when there is no memory.
 */
int rc_map_reserve(struct rc_map *map, size_t count);

void rc_map_fini(struct rc_map *map); /* accepts one that is zeroed */

#endif
