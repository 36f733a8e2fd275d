/* The bytes of persistent requests, from where they are made to where they start. */
#include "campaign/profile/preload/mpi/mpi_layer.h"

#include <stdatomic.h>
#include <stddef.h>

enum { SLOTS = 1024 };
enum { NEVER_USED = 0, FORGOTTEN = -1 };

/* By a hash of the request; one whose place is taken stands in the next that was free.
 * A handle has one owner at a time, so only the taking of a slot is raced for.
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
    struct slot *slot = slot_find(request); /* freed by a call that we did not see */
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
