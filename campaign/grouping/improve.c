/* Empties groups: the events of a small group are moved to others, if need be by chains
 * in which an event takes the place of another one, which takes the place of a third,
 * and so on.  If the sets that fit form a matroid, the shortest such chains find the
 * fewest groups (Edmonds' matroid partition).
 */
#include "campaign/grouping/parts.h"

#include <stdlib.h>
#include <string.h>

#define VICTIMS 3 /* number of smallest groups that are tried, one after the other */

/* A group whose events may be moved. */
struct bag {
    uint32_t *item; /* events by their index in the input */
    size_t count, room;
};

/* An event that needs a place: it is at 'at' in a bag, and will leave this place to the
 * event of the link before it.
 */
struct link {
    size_t before; /* in links[], SIZE_MAX for the first */
    size_t bag, at;
    uint32_t item;
};

struct improver {
    struct rc_packer *p;
    struct bag *bag;
    size_t count;       /* of bags; emptied ones come after them */
    struct link *links; /* breadth first; at most one for each class */
    size_t link_count;
    bool *seen;      /* by class */
    uint32_t *trial; /* room for the events of a bag and one more */
};

/* Whether the bag fits with 'item' instead of the event at 'at'; at == count: in
 * addition.
 */
static bool fits_instead(struct improver *m, const struct bag *bag, size_t at,
                         uint32_t item)
{
    memcpy(m->trial, bag->item, bag->count * sizeof *bag->item);
    m->trial[at] = item; /* at the end: in addition */
    return rc_packer_fits(m->p, m->trial, bag->count + (at == bag->count));
}

/* Whether the chain up to this link changes the bag: then earlier answers about it do
 * not hold.
 */
static bool chain_changes(const struct improver *m, size_t link, size_t bag)
{
    for (; link != SIZE_MAX; link = m->links[link].before)
        if (m->links[link].bag == bag)
            return true;
    return false;
}

/* Puts an event into a bag; false: no memory, which the packer's arena notes. */
static bool add_item(struct rc_packer *p, struct bag *bag, uint32_t item)
{
    p->arena.failed |=
        rc_grow(&bag->item, sizeof *bag->item, bag->count, &bag->room) != 0;
    if (!p->arena.failed)
        bag->item[bag->count++] = item;
    return !p->arena.failed;
}

/* Moves the last link's event to 'bag', and each other one to the place of the next.
 * False: no memory, and nothing has changed.
 */
static bool move_chain(struct improver *m, size_t link, struct bag *bag)
{
    if (!add_item(m->p, bag, m->links[link].item))
        return false;
    for (; m->links[link].before != SIZE_MAX; link = m->links[link].before) {
        const struct link *l = &m->links[link];
        m->bag[l->bag].item[l->at] = m->links[l->before].item;
    }
    struct bag *first = &m->bag[m->links[link].bag];
    first->item[m->links[link].at] = first->item[--first->count];
    return true;
}

/* Looks for a place for one event of a bag, breadth first, so that the first chain
 * found is a shortest one.  Each class is examined once: its events are all alike.
 * Returns whether the event was moved.
 */
static bool relocate(struct improver *m, size_t bag, size_t at)
{
    struct rc_packer *p = m->p;

    memset(m->seen, 0, p->classes * sizeof *m->seen);
    m->links[0] = (struct link){SIZE_MAX, bag, at, m->bag[bag].item[at]};
    m->seen[p->class_of[m->links[0].item]] = true;
    m->link_count = 1;
    for (size_t i = 0; i < m->link_count && !p->spent; i++) {
        for (size_t b = 0; b < m->count && !p->spent; b++) {
            struct bag *to = &m->bag[b];
            if (chain_changes(m, i, b))
                continue;
            if (fits_instead(m, to, to->count, m->links[i].item))
                return move_chain(m, i, to);
            for (size_t j = 0; j < to->count; j++) {
                uint32_t class = p->class_of[to->item[j]];
                if (m->seen[class] || !fits_instead(m, to, j, m->links[i].item))
                    continue;
                m->seen[class] = true;
                m->links[m->link_count++] = (struct link){i, b, j, to->item[j]};
            }
        }
    }
    return false;
}

static int by_size(const void *a, const void *b)
{
    const struct bag *x = a, *y = b;

    return (x->count > y->count) - (x->count < y->count);
}

void rc_grouping_improve(struct rc_packer *p, const struct rc_grouping_plan *from,
                         size_t fewest, struct rc_grouping_plan *plan)
{
    struct improver m = {.p = p, .count = from->groups};

    m.bag = rc_arena_array(&p->arena, m.count, sizeof *m.bag);
    m.links = rc_arena_array(&p->arena, p->classes + 1, sizeof *m.links);
    m.seen = rc_arena_array(&p->arena, p->classes, sizeof *m.seen);
    m.trial = rc_arena_array(&p->arena, p->count + 1, sizeof *m.trial);
    for (size_t i = 0; i < p->count && !p->arena.failed; i++)
        if (from->group_of[i] != RC_GROUPING_UNFIT)
            add_item(p, &m.bag[from->group_of[i]], (uint32_t)i);
    for (bool emptied = true; emptied && m.count > fewest && !p->arena.failed;) {
        qsort(m.bag, m.count, sizeof *m.bag, by_size);
        emptied = false; /* empties one of the smallest bags, if possible */
        for (size_t v = 0; v < VICTIMS && v < m.count && !p->spent && !emptied; v++) {
            struct bag *victim = &m.bag[v];
            while (victim->count && relocate(&m, v, victim->count - 1))
                ;
            if (victim->count)
                continue;
            struct bag last = m.bag[m.count - 1];
            m.bag[--m.count] = *victim;
            *victim = last;
            emptied = true;
        }
    }
    for (size_t i = 0; i < p->count; i++)
        plan->group_of[i] = RC_GROUPING_UNFIT;
    for (size_t b = 0; m.bag && b < from->groups; b++) {
        for (size_t i = 0; i < m.bag[b].count; i++)
            plan->group_of[m.bag[b].item[i]] = (uint32_t)b;
        free(m.bag[b].item);
    }
    plan->groups = m.count;
}
