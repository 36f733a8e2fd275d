/* Pools of strings: equal ones share a copy.  Copies lie in an arena; a map finds the
 * interned ones.
 */
#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/base/memory.h"
#include "campaign/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { RECENT = 4 }; /* strings that are compared first, as callers repeat them */

struct rc_pool {
    struct rc_arena arena;
    struct rc_map map; /* from interned strings to their numbers in 'interned' */
    const char **interned;
    size_t count, room; /* of 'interned' */
    const char *recent[RECENT];
    unsigned next; /* place in 'recent' to fill */
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
    const char *copy = pool ? rc_arena_text(&pool->arena, text) : NULL;

    return pool && pool->arena.failed ? NULL : copy;
}

static const char *remember(struct rc_pool *pool, const char *interned)
{
    return pool->recent[pool->next++ % RECENT] = interned;
}

const char *rc_pool_intern(struct rc_pool *pool, const char *text)
{
    if (!text)
        text = "";
    if (!pool)
        return NULL;
    for (size_t i = 0; i < RECENT && pool->recent[i]; i++)
        if (strcmp(pool->recent[i], text) == 0)
            return pool->recent[i];
    const uint64_t hash = rc_text_hash(text);
    const size_t item = rc_map_find(&pool->map, pool, hash, text);
    if (item != RC_MAP_NONE)
        return remember(pool, pool->interned[item]);
    if (rc_grow(&pool->interned, sizeof *pool->interned, pool->count, &pool->room) ||
        rc_map_reserve(&pool->map, pool->count + 1))
        return NULL;
    const char *copy = rc_pool_copy(pool, text);
    if (copy && rc_map_put(&pool->map, pool, hash, text, pool->count) == 0)
        pool->interned[pool->count++] = copy;
    return copy ? remember(pool, copy) : NULL;
}
