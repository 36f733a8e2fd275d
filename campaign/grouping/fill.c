/* First-fit, group by group: the first group takes, in order, all that it can, the
 * second all that it can of the rest, and so on.  The groups are those of placing event
 * by event, but a class that a group refused is not asked about again until the next
 * group.
 */
#include "campaign/grouping/parts.h"

/* An order that changes is updated after each part of 1/STEPS of what is left. */
#define STEPS 200

#define REFUSALS_KEPT 64

/* Refusals after which similar classes are skipped, in a group that is not yet as large
 * as most.
 */
#define REFUSALS_SURE 6

/* Patience when trials run short. */
#define HASTY 3

struct fill {
    struct rc_packer *p;
    struct rc_grouping_order *order;
    struct rc_grouping_plan *plan;
    uint32_t *head; /* by class: index in members[] of its next event */

    /* Heap of classes by their next event; used-up ones are last.  A class that the
     * group refused waits in 'aside' for the next group.
     */
    uint32_t *heap, *where, *aside;
    size_t heap_count, aside_count;

    uint32_t *group; /* that is being filled */
    size_t size;
    size_t placed;  /* events in finished groups */
    uint64_t hasty; /* trials after which patience is short */

    uint64_t refused[REFUSALS_KEPT]; /* signatures of classes that this group refused */
    size_t refused_count;
};

/* Key of the heap: the class's rank, or its next event. */
static uint32_t class_key(const struct fill *f, uint32_t class)
{
    if (f->head[class] == f->p->start[class + 1])
        return UINT32_MAX;
    return f->order->rank ? f->order->rank[class] : f->p->members[f->head[class]];
}

static void put_class(struct fill *f, size_t at, uint32_t class)
{
    f->heap[at] = class;
    f->where[class] = (uint32_t)at;
}

static void sift_up(struct fill *f, size_t at)
{
    uint32_t class = f->heap[at], k = class_key(f, class);

    for (; at && class_key(f, f->heap[(at - 1) / 2]) > k; at = (at - 1) / 2)
        put_class(f, at, f->heap[(at - 1) / 2]);
    put_class(f, at, class);
}

static void sift_down(struct fill *f, size_t at)
{
    uint32_t class = f->heap[at], k = class_key(f, class);

    for (size_t child; (child = 2 * at + 1) < f->heap_count; at = child) {
        if (child + 1 < f->heap_count &&
            class_key(f, f->heap[child + 1]) < class_key(f, f->heap[child]))
            child++;
        if (class_key(f, f->heap[child]) >= k)
            break;
        put_class(f, at, f->heap[child]);
    }
    put_class(f, at, class);
}

static void push_class(struct fill *f, uint32_t class)
{
    put_class(f, f->heap_count++, class);
    sift_up(f, f->heap_count - 1);
}

static void pop_class(struct fill *f)
{
    if (--f->heap_count) {
        put_class(f, 0, f->heap[f->heap_count]);
        sift_down(f, 0);
    }
}

/* Whether no class has an event left that this group has not refused. */
static bool is_empty(const struct fill *f)
{
    return !f->heap_count || class_key(f, f->heap[0]) == UINT32_MAX;
}

/* Removes the last events of the group, back into their classes. */
static void give_back(struct fill *f, size_t size)
{
    while (f->size > size) {
        uint32_t class = f->p->class_of[f->group[--f->size]];
        f->head[class]--;
        sift_up(f, f->where[class]);
    }
}

/* Handles the refusal of the next class.  False: the class fits nowhere, which says
 * nothing about the group.
 */
static bool refuse_next(struct fill *f)
{
    struct rc_packer *p = f->p;
    uint32_t class = f->heap[0];

    if (p->alone[class] == RC_GROUPING_UNKNOWN) {
        bool alive = rc_packer_fits(p, &p->members[p->start[class]], 1);
        if (p->spent)
            return true;
        p->alone[class] = alive ? RC_GROUPING_ALIVE : RC_GROUPING_DEAD;
    }
    pop_class(f);
    if (p->alone[class] == RC_GROUPING_DEAD)
        return false;
    f->aside[f->aside_count++] = class;
    if (f->order->signature && f->refused_count < REFUSALS_KEPT)
        f->refused[f->refused_count++] = f->order->signature[class];
    return true;
}

/* Sets the next classes aside while enough similar ones were refused. */
static void skip_hopeless(struct fill *f)
{
    size_t sure = f->size >= f->order->full ? 1 : REFUSALS_SURE;

    while (f->refused_count >= sure && !is_empty(f)) {
        uint64_t signature = f->order->signature[f->heap[0]];
        size_t alike = 0;
        for (size_t i = 0; i < f->refused_count && alike < sure; i++)
            alike += !(signature & ~f->refused[i]);
        if (alike < sure)
            return;
        f->aside[f->aside_count++] = f->heap[0];
        pop_class(f);
    }
}

/* Events are tried in batches: larger after two successes, halved on failure. */
static void fill_group(struct fill *f)
{
    struct rc_packer *p = f->p;
    size_t batch = 1, refused = 0, successes = 0, patience = f->order->patience;

    if (p->trials > f->hasty && patience > HASTY)
        patience = HASTY;
    f->size = f->refused_count = 0;
    while (!is_empty(f) && refused < patience && !p->spent) {
        size_t before = f->size;
        if (p->setup->cap && before == p->setup->cap)
            break;
        for (size_t i = 0; i < batch && !is_empty(f); i++) { /* not tried yet */
            const uint32_t class = f->heap[0];
            f->group[f->size++] = p->members[f->head[class]++];
            sift_down(f, 0);
        }
        size_t taken = f->size - before;
        if (rc_packer_fits(p, f->group, f->size)) {
            refused = 0;
            if (++successes > 1)
                batch *= 2;
            continue;
        }
        give_back(f, before);
        successes = 0;
        batch = taken > 1 ? taken / 2 : 1;
        if (taken == 1) {
            refused += refuse_next(f);
            if (f->order->signature)
                skip_hopeless(f);
        }
    }
    while (f->aside_count)
        push_class(f, f->aside[--f->aside_count]);
}

static void emit_group(struct fill *f)
{
    for (size_t i = 0; i < f->size; i++)
        f->plan->group_of[f->group[i]] = (uint32_t)f->plan->groups;
    f->plan->groups++;
    f->placed += f->size;
}

/* Repeats the group: events come class by class, so the next group is filled in the
 * same way as long as no class in it runs short.  All such groups are made at once, but
 * only for a small part of the events that are left if the order is to change.
 */
static void repeat_group(struct fill *f)
{
    const struct rc_packer *p = f->p;
    size_t times = SIZE_MAX;

    if (f->order->rerank && f->size)
        times = (p->count - f->placed) / f->size / STEPS;
    for (size_t i = 0, same = 0; i < f->size; i++) {
        uint32_t class = p->class_of[f->group[i]];
        same = i && p->class_of[f->group[i - 1]] == class ? same + 1 : 1;
        size_t left = (p->start[class + 1] - f->head[class]) / same;
        times = left < times ? left : times;
    }
    for (; f->size && times; times--) {
        for (size_t i = 0; i < f->size; i++) {
            uint32_t class = p->class_of[f->group[i]];
            f->group[i] = p->members[f->head[class]++];
        }
        emit_group(f);
    }
}

/* Fills group after group until no event is left. */
static void fill_all(struct fill *f, uint32_t *left)
{
    struct rc_packer *p = f->p;

    for (uint32_t c = 0; c < p->classes; c++) {
        f->head[c] = p->start[c];
        if (p->alone[c] != RC_GROUPING_DEAD)
            push_class(f, c);
    }
    while (!p->spent) {
        if (f->order->rerank) {
            for (size_t c = 0; c < p->classes; c++)
                left[c] =
                    p->alone[c] == RC_GROUPING_DEAD ? 0 : p->start[c + 1] - f->head[c];
            f->order->rerank(f->order, left);
        }
        if (f->order->rank) /* repeat_group() may have used some up */
            for (size_t i = f->heap_count; i-- > 0;)
                sift_down(f, i);
        if (is_empty(f))
            break;
        fill_group(f);
        if (f->size)
            emit_group(f);
        if (f->order->rank)
            repeat_group(f);
    }
    if (p->spent)
        f->plan->groups = SIZE_MAX;
}

void rc_grouping_fill(struct rc_packer *p, struct rc_grouping_order *order,
                      struct rc_grouping_plan *plan)
{
    struct fill f = {.p = p, .order = order, .plan = plan};
    uint32_t *left = rc_arena_array(&p->arena, p->classes, sizeof *left);

    f.hasty = p->trials + (p->limit - p->trials) / 2;
    plan->groups = 0;
    for (size_t i = 0; i < p->count; i++)
        plan->group_of[i] = RC_GROUPING_UNFIT;
    f.head = rc_arena_array(&p->arena, p->classes, sizeof *f.head);
    f.heap = rc_arena_array(&p->arena, p->classes, sizeof *f.heap);
    f.where = rc_arena_array(&p->arena, p->classes, sizeof *f.where);
    f.aside = rc_arena_array(&p->arena, p->classes, sizeof *f.aside);
    f.group = rc_arena_array(&p->arena, p->count, sizeof *f.group);
    if (!p->arena.failed)
        fill_all(&f, left);
}
