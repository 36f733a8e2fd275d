/* A binary heap of items' numbers that knows where each of them is. */
#include "campaign/base/heap.h"

#include "campaign/base/memory.h"

#include <stdlib.h>

int rc_heap_init(struct rc_heap *heap, size_t room)
{
    heap->item = rc_calloc(room, sizeof *heap->item);
    heap->where = rc_calloc(room, sizeof *heap->where);
    heap->count = 0;
    return heap->item && heap->where ? 0 : -1;
}

void rc_heap_fini(struct rc_heap *heap)
{
    free(heap->item);
    free(heap->where);
    *heap = (struct rc_heap){0};
}

static void put_item(struct rc_heap *heap, size_t at, uint32_t item)
{
    heap->item[at] = item;
    heap->where[item] = (uint32_t)at;
}

/* Both move the item at 'at' to where it belongs, the others out of its way. */
static void sift_up(struct rc_heap *heap, size_t at)
{
    const uint32_t item = heap->item[at];

    for (; at > 0 && heap->before(heap->context, item, heap->item[(at - 1) / 2]);
         at = (at - 1) / 2)
        put_item(heap, at, heap->item[(at - 1) / 2]);
    put_item(heap, at, item);
}

static void sift_down(struct rc_heap *heap, size_t at)
{
    const uint32_t item = heap->item[at];

    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count &&
            heap->before(heap->context, heap->item[child + 1], heap->item[child]))
            child++;
        if (!heap->before(heap->context, heap->item[child], item))
            break;
        put_item(heap, at, heap->item[child]);
    }
    put_item(heap, at, item);
}

void rc_heap_push(struct rc_heap *heap, uint32_t item)
{
    heap->item[heap->count++] = item;
    sift_up(heap, heap->count - 1);
}

uint32_t rc_heap_pop(struct rc_heap *heap)
{
    const uint32_t first = heap->item[0];

    if (--heap->count > 0) {
        heap->item[0] = heap->item[heap->count];
        sift_down(heap, 0);
    }
    return first;
}

void rc_heap_moved(struct rc_heap *heap, uint32_t item)
{
    sift_up(heap, heap->where[item]);
    sift_down(heap, heap->where[item]);
}

void rc_heap_order(struct rc_heap *heap)
{
    for (size_t at = heap->count; at-- > 0;)
        sift_down(heap, at);
}
