/* Arrays that double as they grow, and pools of strings. */
#include "campaign/base/memory.h"

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

#define CHUNK_BYTES ((size_t)64 * 1024)

struct chunk {
    struct chunk *next;
    size_t used, room;
    char text[];
};

struct rc_pool {
    struct chunk *chunks;
    const char **slots; /* open addressing, a power of two */
    size_t slot_count, interned;
};

struct rc_pool *rc_pool_create(void)
{
    return calloc(1, sizeof(struct rc_pool));
}

void rc_pool_close(struct rc_pool *pool)
{
    if (!pool)
        return;
    for (struct chunk *c = pool->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(pool->slots);
    free(pool);
}

const char *rc_pool_copy(struct rc_pool *pool, const char *text)
{
    size_t bytes = (text ? strlen(text) : 0) + 1;
    struct chunk *chunk = pool->chunks;

    if (!chunk || chunk->room - chunk->used < bytes) {
        size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = malloc(sizeof *chunk + room);
        if (!chunk)
            return NULL;
        *chunk = (struct chunk){.next = pool->chunks, .room = room};
        pool->chunks = chunk;
    }
    char *copy = chunk->text + chunk->used;
    memcpy(copy, text ? text : "", bytes);
    chunk->used += bytes;
    return copy;
}

static const char **slot_of(const char **slots, size_t count, const char *text)
{
    size_t i = (size_t)rc_text_hash(text) & (count - 1);

    while (slots[i] && strcmp(slots[i], text) != 0)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static int more_slots(struct rc_pool *pool)
{
    size_t count = pool->slot_count ? pool->slot_count * 2 : 256;
    const char **slots = calloc(count, sizeof *slots);

    if (!slots)
        return -1;
    for (size_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i])
            *slot_of(slots, count, pool->slots[i]) = pool->slots[i];
    free(pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    return 0;
}

const char *rc_pool_intern(struct rc_pool *pool, const char *text)
{
    if (!text)
        text = "";
    if (pool->interned * 2 >= pool->slot_count && more_slots(pool))
        return NULL;
    const char **slot = slot_of(pool->slots, pool->slot_count, text);
    if (!*slot) {
        *slot = rc_pool_copy(pool, text);
        if (*slot)
            pool->interned++;
    }
    return *slot;
}
