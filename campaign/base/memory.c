/* Arrays that double as they grow, and pools of strings. */
#include "campaign/base/memory.h"

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int rc_grow(void *array, size_t item_bytes, size_t count, size_t *room)
{
    void *items;

    if (count < *room)
        return 0;
    size_t more = *room ? *room * 2 : 16;
    if (more < *room || more > SIZE_MAX / item_bytes)
        return -1;
    memcpy(&items, array, sizeof items); /* any pointer type, without aliasing it */
    /* cppcheck-suppress memleakOnRealloc ; the caller's own pointer keeps them */
    items = realloc(items, more * item_bytes);
    if (!items)
        return -1;
    memcpy(array, &items, sizeof items);
    *room = more;
    return 0;
}

void *rc_calloc(size_t count, size_t item_bytes)
{
    size_t bytes;

    /* calloc() knows too, but a sanitizer's ends the process. */
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        return NULL;
    return calloc(1, bytes ? bytes : 1);
}

size_t rc_count_before(const void *items, size_t count, size_t item_bytes,
                       const void *key,
                       bool (*before)(const void *item, const void *key))
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (before((const char *)items + middle * item_bytes, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct rc_pool {
    struct rc_arena arena;
    struct rc_map map; /* from interned strings to their numbers in 'interned' */
    const char **interned;
    size_t count, room; /* of 'interned' */
};

static bool is_interned(const void *context, size_t item, const void *text)
{
    const struct rc_pool *pool = context;

    return strcmp(pool->interned[item], text) == 0;
}

struct rc_pool *rc_pool_create(void)
{
    struct rc_pool *pool = calloc(1, sizeof *pool);

    if (pool)
        pool->map.same = is_interned;
    return pool;
}

void rc_pool_close(struct rc_pool *pool)
{
    if (!pool)
        return;
    rc_arena_free(&pool->arena);
    rc_map_fini(&pool->map);
    free(pool->interned);
    free(pool);
}

const char *rc_pool_copy(struct rc_pool *pool, const char *text)
{
    const char *copy = rc_arena_text(&pool->arena, text);

    return pool->arena.failed ? NULL : copy;
}

const char *rc_pool_intern(struct rc_pool *pool, const char *text)
{
    if (!text)
        text = "";
    const uint64_t hash = rc_text_hash(text);
    const size_t item = rc_map_find(&pool->map, pool, hash, text);
    if (item != RC_MAP_NONE)
        return pool->interned[item];
    if (rc_grow(&pool->interned, sizeof *pool->interned, pool->count, &pool->room) ||
        rc_map_reserve(&pool->map, pool->count + 1))
        return NULL;
    const char *copy = rc_pool_copy(pool, text);
    if (copy && rc_map_put(&pool->map, pool, hash, text, pool->count) == 0)
        pool->interned[pool->count++] = copy;
    return copy;
}
