/* arena.h - the memory of a phase: asked for piece by piece, freed at once */
#ifndef RC_CAMPAIGN_BASE_ARENA_H
#define RC_CAMPAIGN_BASE_ARENA_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Memory given by an arena lives until rc_arena_free().  A failure stays: a caller that
 * needs several things asks for all of them, and checks once before they are used.
 *
 *     struct rc_arena arena = {0};
 *     double *mean = rc_arena_array(&arena, events, sizeof *mean);
 *     char **name = rc_arena_array(&arena, events, sizeof *name);
 *     int status = rc_arena_check(&arena, err, "the means of events");
 *     if (status != RC_OK)
 *         goto out;
 *     ...
 * out:
 *     rc_arena_free(&arena);
 *
 * Arrays that grow step by step do not lie in an arena, but it can note that one lacked
 * memory (rc_arena_append()).  Two threads do not share an arena.
 */
struct rc_arena {
    struct rc_arena_chunk *chunks; /* the newest first */
    bool failed;                   /* something that was asked for was not given */
};

/* Zeroed memory for 'count' items, aligned for any type; not NULL for count 0.  NULL
 * where the product overflows or there is no memory, and 'failed' is set.
 */
void *rc_arena_array(struct rc_arena *arena, size_t count, size_t item_bytes);

/* A copy of 'text', or of "" for NULL.  Never NULL: "" and 'failed' where there is no
 * memory.
 */
const char *rc_arena_text(struct rc_arena *arena, const char *text);

/* Appends a copy of 'item', or zeros for NULL, to an array that grows by rc_grow() and
 * is the caller's to free, and whose '*count' items are in use.  Where there is no
 * memory the array stays as it is and 'failed' is set.
 */
void rc_arena_append(struct rc_arena *arena, void *array, size_t item_bytes,
                     size_t *count, size_t *room, const void *item);

/* RC_OK if all that was asked for was given; else RC_ENOMEM: "no memory for WHAT". */
int rc_arena_check(const struct rc_arena *arena, struct rc_error *err,
                   const char *what);

/* Frees all memory, and leaves the arena as new.  Accepts one that is zeroed. */
void rc_arena_free(struct rc_arena *arena);

#endif
