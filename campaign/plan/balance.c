/* Deals items out to shares: the next largest goes to the share with the least. */
#include "campaign/plan/balance.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

struct load {
    double lane, all;
    uint32_t share;
};

/* The shares as a heap: whoever is to get the next item is at the top. */
struct heap {
    struct load *load;
    size_t count;
};

static bool is_less(const struct load *a, const struct load *b)
{
    if (a->lane != b->lane)
        return a->lane < b->lane;
    if (a->all != b->all)
        return a->all < b->all;
    return a->share < b->share;
}

/* What stands at 'at' goes down to where it belongs. */
static void sink(struct heap *heap, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count &&
            is_less(&heap->load[child + 1], &heap->load[child]))
            child++;
        if (!is_less(&heap->load[child], &heap->load[at]))
            return;
        struct load swapped = heap->load[at];
        heap->load[at] = heap->load[child];
        heap->load[child] = swapped;
    }
}

struct entry {
    const struct rc_balance_item *item;
    size_t number;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->item->lane, y->item->cost_ns, x->number},
                              (uint64_t[]){y->item->lane, x->item->cost_ns, y->number},
                              3);
}

int rc_balance(const struct rc_balance_item *item, size_t count, size_t shares,
               uint32_t *share_of, struct rc_error *err)
{
    struct rc_arena arena = {0};
    struct entry *entry = rc_arena_array(&arena, count, sizeof *entry);
    struct heap heap = {rc_arena_array(&arena, shares, sizeof *heap.load), shares};
    int status = rc_arena_check(&arena, err, "units that are dealt out");

    if (status != RC_OK)
        goto out;
    for (size_t i = 0; i < shares; i++)
        heap.load[i].share = (uint32_t)i;
    for (size_t i = 0; i < count; i++)
        entry[i] = (struct entry){&item[i], i};
    if (count)
        qsort(entry, count, sizeof *entry, compare_entries);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || entry[i].item->lane != entry[i - 1].item->lane) {
            for (size_t s = 0; s < shares; s++) /* nobody has anything of the lane */
                heap.load[s].lane = 0;
            for (size_t s = shares; s-- > 0;)
                sink(&heap, s);
        }
        /* An item of no cost is still one more. */
        const double cost = (double)entry[i].item->cost_ns + 1;
        share_of[entry[i].number] = heap.load[0].share;
        heap.load[0].lane += cost;
        heap.load[0].all += cost;
        sink(&heap, 0);
    }
out:
    rc_arena_free(&arena);
    return status;
}
