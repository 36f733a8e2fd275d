/* Memory that is given out from chunks and freed with them.
 *
 * A chunk is filled from its front; a piece that does not fit any more begins the next
 * one.  Pieces never move, so pointers to them stay good.
 */
#include "campaign/base/arena.h"

#include "campaign/base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024) /* small enough for an arena of a few strings */

struct rc_arena_chunk {
    struct rc_arena_chunk *next;
    size_t used, room; /* bytes of 'byte' */
    alignas(max_align_t) unsigned char byte[];
};

/* Takes bytes from the newest chunk, or from a new one.  A large array gets a chunk of
 * its own, second in the list, so that the room in the newest stays in use.
 */
static void *give_bytes(struct rc_arena *arena, size_t bytes, size_t align)
{
    struct rc_arena_chunk *chunk = arena->chunks;
    size_t at = chunk ? (chunk->used + align - 1) / align * align : 0;

    if (!chunk || at > chunk->room || chunk->room - at < bytes) {
        const size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        struct rc_arena_chunk **link = bytes > CHUNK_BYTES && arena->chunks
                                           ? &arena->chunks->next
                                           : &arena->chunks;
        chunk = NULL;
        if (room <= PTRDIFF_MAX - sizeof *chunk)     /* no object is larger */
            chunk = calloc(1, sizeof *chunk + room); /* large ones are not touched */
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        chunk->room = room;
        chunk->next = *link;
        *link = chunk;
        at = 0;
    }
    chunk->used = at + bytes;
    return chunk->byte + at;
}

void *rc_arena_array(struct rc_arena *arena, size_t count, size_t item_bytes)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, item_bytes, &bytes)) {
        arena->failed = true;
        return NULL;
    }
    return give_bytes(arena, bytes, alignof(max_align_t));
}

const char *rc_arena_text(struct rc_arena *arena, const char *text)
{
    const size_t bytes = (text ? strlen(text) : 0) + 1;
    char *copy = give_bytes(arena, bytes, 1);

    if (!copy)
        return "";
    return text ? memcpy(copy, text, bytes) : copy;
}

void rc_arena_append(struct rc_arena *arena, void *array, size_t item_bytes,
                     size_t *count, size_t *room, const void *item)
{
    char *items;

    if (rc_grow(array, item_bytes, *count, room)) {
        arena->failed = true;
        return;
    }
    memcpy(&items, array, sizeof items);
    if (item)
        memcpy(items + *count * item_bytes, item, item_bytes);
    else
        memset(items + *count * item_bytes, 0, item_bytes);
    ++*count;
}

int rc_arena_check(const struct rc_arena *arena, struct rc_error *err, const char *what)
{
    return arena->failed ? rc_fail(err, RC_ENOMEM, "no memory for %s", what) : RC_OK;
}

void rc_arena_free(struct rc_arena *arena)
{
    for (struct rc_arena_chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *arena = (struct rc_arena){0};
}
