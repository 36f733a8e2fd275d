/* heap.h - numbers of items, of which the first in an order is at hand */
#ifndef RC_CAMPAIGN_BASE_HEAP_H
#define RC_CAMPAIGN_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The heap knows items by number, from 0 to below the 'room' it was made with; what
 * orders them stays with the caller, who tells by 'before'.  Where items that are equal
 * are to come in a certain order, 'before' compares their numbers, too.
 */
struct rc_heap {
    uint32_t *item; /* item[0] is the first; none is before the one at half its place */
    uint32_t *where; /* of each item that is in the heap: its place in 'item' */
    size_t count;    /* of items in the heap */
    bool (*before)(const void *context, uint32_t a, uint32_t b);
    const void *context; /* what 'before' gets */
};

/* An empty heap for the items 0 to 'room' - 1, each at most once; its order is the
 * caller's to fill in.  0, or -1 when there is no memory; rc_heap_fini() is due either
 * way.
 */
int rc_heap_init(struct rc_heap *heap, size_t room);
void rc_heap_fini(struct rc_heap *heap); /* accepts one that is zeroed */

void rc_heap_push(struct rc_heap *heap, uint32_t item); /* that is not in the heap */
uint32_t rc_heap_pop(struct rc_heap *heap);             /* of one that is not empty */

/* The item's rank in the order has changed, to earlier or later. */
void rc_heap_moved(struct rc_heap *heap, uint32_t item);

/* The ranks of any number of items have changed, or 'item' was filled from outside with
 * 'count' items.
 */
void rc_heap_order(struct rc_heap *heap);

#endif
