/* Keeps the bytes of persistent requests, from their making to their starts. */
#include "campaign/profile/preload/mpi/mpi_layer.h"

#include <stdatomic.h>
#include <stddef.h>

enum { SLOTS = 1024 };
enum { NEVER_USED = 0, FORGOTTEN = -1 };

/* A request has its place by a hash of it; if that is taken, the next free one is used.
 * Several threads may take slots at once, but each handle belongs to one thread at a
 * time.
 */
static struct slot {
    _Atomic intptr_t request;
    _Atomic uint64_t bytes;
} slots[SLOTS];

static struct slot *slot_at(intptr_t request, size_t step)
{
    uint64_t mixed = (uint64_t)request * UINT64_C(0x9e3779b97f4a7c15);
    return &slots[((mixed >> 32) + step) % SLOTS];
}

static struct slot *slot_find(intptr_t request)
{
    for (size_t i = 0; i < SLOTS; i++) {
        struct slot *slot = slot_at(request, i);
        intptr_t there = atomic_load_explicit(&slot->request, memory_order_acquire);
        if (there == request)
            return slot;
        if (there == NEVER_USED)
            return NULL;
    }
    return NULL;
}

void rc_mpi_requests_keep(intptr_t request, uint64_t bytes)
{
    struct slot *slot = slot_find(request); /* if it was freed unnoticed */
    for (size_t i = 0; !slot && i < SLOTS; i++) {
        struct slot *next = slot_at(request, i);
        intptr_t there = atomic_load_explicit(&next->request, memory_order_relaxed);
        if ((there == NEVER_USED || there == FORGOTTEN) &&
            atomic_compare_exchange_strong(&next->request, &there, request))
            slot = next;
    }
    if (slot)
        atomic_store_explicit(&slot->bytes, bytes, memory_order_release);
}

uint64_t rc_mpi_requests_find(intptr_t request)
{
    struct slot *slot = slot_find(request);
    return slot ? atomic_load_explicit(&slot->bytes, memory_order_acquire) : 0;
}

void rc_mpi_requests_forget(intptr_t request)
{
    struct slot *slot = slot_find(request);
    if (slot)
        atomic_store_explicit(&slot->request, FORGOTTEN, memory_order_release);
}
