/* Trials of groups by the caller's oracle, remembered so that none is made twice. */
#include "campaign/grouping/parts.h"

#include "campaign/base/mix.h"
#include "campaign/sources/source.h"

#include <stdlib.h>
#include <string.h>

/* Most slots of remembered answers, 32 MiB; later answers are not remembered. */
#define MEMO_MOST ((size_t)1 << 22)

/* The slot of the key, or a free one for it, by linear probing; 'room' is a power of 2.
 */
static uint64_t *memo_slot(uint64_t *slot, size_t room, uint64_t key)
{
    size_t i = (size_t)(key >> 1) & (room - 1);

    while (slot[i] && (slot[i] & ~(uint64_t)1) != key)
        i = (i + 1) & (room - 1);
    return &slot[i];
}

bool rc_packer_try(struct rc_packer *p, const uint32_t *items, size_t count,
                   struct rc_trial *out)
{
    for (size_t i = 0; i < count; i++)
        p->asked[i] = p->events[items[i]];
    *out = (struct rc_trial){.verdict = RC_VERDICT_UNTRIED};
    p->setup->fits(p->setup->context, p->asked, count, out);
    out->reason[sizeof out->reason - 1] = 0;
    p->trials++;
    return out->verdict == RC_VERDICT_OK;
}

bool rc_packer_fits(struct rc_packer *p, const uint32_t *items, size_t count)
{
    struct rc_grouping_memo *memo = &p->memo;
    struct rc_trial trial;
    uint64_t key = 0; /* a sum, so that the order of the set does not matter */

    if (p->setup->cap && count > p->setup->cap)
        return false;
    for (size_t i = 0; i < count; i++)
        key += rc_mix(p->class_of[items[i]] + RC_GOLDEN);
    key = rc_mix(key + RC_GOLDEN) & ~(uint64_t)1;
    key = key ? key : 2;
    uint64_t known = memo->room ? *memo_slot(memo->slot, memo->room, key) : 0;
    if (p->asks >= p->ask_limit || (!known && p->trials >= p->limit))
        p->spent = true;
    if (p->spent)
        return false;
    p->asks += 1 + count / 16;
    if (known)
        return known & 1;
    bool fits = rc_packer_try(p, items, count, &trial);
    /* Without memory for more, answers are not kept, which only costs trials. */
    if (memo->count * 4 >= memo->room * 3) {
        const size_t room = memo->room ? memo->room * 2 : 1024;
        uint64_t *slot = room > MEMO_MOST ? NULL : rc_calloc(room, sizeof *slot);
        if (!slot)
            return fits;
        for (size_t i = 0; i < memo->room; i++)
            if (memo->slot[i])
                *memo_slot(slot, room, memo->slot[i] & ~(uint64_t)1) = memo->slot[i];
        free(memo->slot);
        memo->slot = slot;
        memo->room = room;
    }
    *memo_slot(memo->slot, memo->room, key) = key | fits;
    memo->count++;
    return fits;
}

struct labelled {
    uint32_t label, index;
};

static int by_label(const void *a, const void *b)
{
    const struct labelled *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->label, x->index},
                              (uint64_t[]){y->label, y->index}, 2);
}

void rc_packer_classify(struct rc_packer *p, const uint32_t *labels)
{
    struct labelled *sorted = rc_arena_array(&p->arena, p->count, sizeof *sorted);

    if (!sorted)
        return;
    /* class_of[] becomes the index of the first event with the same label, ... */
    for (size_t i = 0; i < p->count; i++) {
        p->class_of[i] = (uint32_t)i;
        sorted[i] = (struct labelled){labels ? labels[i] : 0, (uint32_t)i};
    }
    qsort(sorted, p->count, sizeof *sorted, by_label);
    for (size_t i = 1; i < p->count; i++)
        if (sorted[i].label && sorted[i].label == sorted[i - 1].label)
            p->class_of[sorted[i].index] = p->class_of[sorted[i - 1].index];
    /* ... then the number of the class; the first event of a class gets it before the
     * others.
     */
    p->classes = 0;
    for (size_t i = 0; i < p->count; i++)
        p->class_of[i] =
            p->class_of[i] == i ? (uint32_t)p->classes++ : p->class_of[p->class_of[i]];
    /* Then the members of each class, by counting sort: start[] advances with each
     * member.
     */
    for (size_t i = 0; i < p->count; i++)
        p->start[p->class_of[i] + 1]++;
    for (size_t c = 0; c < p->classes; c++)
        p->start[c + 1] += p->start[c];
    for (size_t i = 0; i < p->count; i++)
        p->members[p->start[p->class_of[i]]++] = (uint32_t)i;
    for (size_t c = p->classes; c > 0; c--) /* each start has become the next one */
        p->start[c] = p->start[c - 1];
    p->start[0] = 0;
}

void rc_packer_init(struct rc_packer *p, const uint32_t *events, size_t count,
                    const struct rc_grouping_setup *setup)
{
    *p = (struct rc_packer){.setup = setup, .events = events, .count = count};
    p->limit = p->ask_limit = UINT64_MAX;
    p->class_of = rc_arena_array(&p->arena, count, sizeof *p->class_of);
    p->members = rc_arena_array(&p->arena, count, sizeof *p->members);
    p->start = rc_arena_array(&p->arena, count + 1, sizeof *p->start);
    p->alone = rc_arena_array(&p->arena, count, sizeof *p->alone);
    p->asked = rc_arena_array(&p->arena, count, sizeof *p->asked);
}

void rc_packer_fini(struct rc_packer *p)
{
    rc_arena_free(&p->arena);
    free(p->memo.slot);
    *p = (struct rc_packer){0};
}
