/* parts.h - shared by the files of the packer; only for this room
 *
 * Events are named by their index in the input.  Events that are alike form a class; an
 * event that is like no other is a class of its own.  Whether a set fits depends only
 * on its classes, so answers are remembered by class.
 */
#ifndef RC_CAMPAIGN_GROUPING_PARTS_H
#define RC_CAMPAIGN_GROUPING_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/grouping/grouping.h"

/* Answers by the classes of a set.  Sets are identified by 63 bits of a hash: a
 * collision would be found by the last trial of each group.
 */
struct rc_grouping_memo {
    uint64_t *slot; /* hash with the answer in its lowest bit; 0: free */
    size_t count, room;
};

enum rc_grouping_alone { RC_GROUPING_UNKNOWN, RC_GROUPING_ALIVE, RC_GROUPING_DEAD };

struct rc_packer {
    const struct rc_grouping_setup *setup;
    const uint32_t *events; /* the source's numbers, by index */
    size_t count;
    struct rc_arena arena; /* of all arrays; once it failed, results mean nothing */

    uint32_t *class_of; /* by index */
    uint32_t *members;  /* indices, class by class, each in the order of the input */
    uint32_t *start;    /* class c: members[start[c]] up to members[start[c + 1]] */
    uint8_t *alone;     /* by class: enum rc_grouping_alone */
    size_t classes;     /* numbered by their first event */

    struct rc_grouping_memo memo;
    uint32_t *asked;    /* room for the events of one trial */
    uint64_t trials;    /* number of trials made */
    uint64_t asks;      /* trials and remembered answers; large sets count for more */
    uint64_t limit;     /* of trials */
    uint64_t ask_limit; /* of asks */
    bool spent;         /* a limit was reached: answers since then mean nothing */
};

/* A way to place all events that are not dead. */
struct rc_grouping_plan {
    uint32_t *group_of; /* RC_GROUPING_UNFIT for dead ones */
    size_t groups;
};

/* trial.c.  Events of equal 'labels' become a class; an event with label 0 is a class
 * of its own, and so are all if 'labels' is NULL.
 */
void rc_packer_init(struct rc_packer *p, const uint32_t *events, size_t count,
                    const struct rc_grouping_setup *setup);
void rc_packer_classify(struct rc_packer *p, const uint32_t *labels);
void rc_packer_fini(struct rc_packer *p);
static inline size_t rc_packer_class_size(const struct rc_packer *p, size_t class)
{
    return p->start[class + 1] - p->start[class];
}

/* Whether these fit together, remembered or by a trial; false once a limit is reached.
 */
bool rc_packer_fits(struct rc_packer *p, const uint32_t *items, size_t count);

/* The same, always by a trial, whose result is in 'out'. */
bool rc_packer_try(struct rc_packer *p, const uint32_t *items, size_t count,
                   struct rc_trial *out);

/* The order in which first-fit takes the events, and when it closes a group. */
struct rc_grouping_order {
    uint32_t *rank; /* by class, all different and below UINT32_MAX; lower ones come
                     * first.  NULL: the order of the input */

    /* A group is closed after it refused so many classes in a row: 1 is next-fit,
     * SIZE_MAX a full first-fit.
     */
    size_t patience;

    /* Changes 'rank' before groups are filled; 'left' are the events that are left by
     * class.  NULL: never.
     */
    void (*rerank)(struct rc_grouping_order *order, const uint32_t *left);

    /* By class; NULL: not known.  A class is skipped if enough refused classes have all
     * the bits that it has: one in a group that has 'full' events already, otherwise
     * more.
     */
    const uint64_t *signature;
    size_t full;
};

/* First-fit: each event goes into the first group that takes it.  Finds dead classes on
 * the way.  Patience is short after half of the trials that are left.  If a limit is
 * reached, plan->groups is SIZE_MAX. fill.c
 */
void rc_grouping_fill(struct rc_packer *p, struct rc_grouping_order *order,
                      struct rc_grouping_plan *plan);

/* First-fit in an order found by trials. plan->groups is SIZE_MAX if a limit is
 * reached, or if groups are so large that order does not matter; otherwise *fewest is a
 * lower estimate of the number of groups: a true bound if the sets that fit form a
 * matroid (as when each event needs one of some counters) and all classes were asked.
 * order.c
 */
void rc_grouping_by_pressure(struct rc_packer *p, struct rc_grouping_plan *plan,
                             size_t *fewest);

/* First-fit with the classes in a shuffled order, always the same one: the input may be
 * sorted by counters, which is bad for first-fit. order.c
 */
void rc_grouping_shuffled(struct rc_packer *p, size_t patience,
                          struct rc_grouping_plan *plan);

/* Empties groups of 'from' by moving their events to others, until there are 'fewest',
 * none can be emptied, or a limit is reached.  improve.c
 */
void rc_grouping_improve(struct rc_packer *p, const struct rc_grouping_plan *from,
                         size_t fewest, struct rc_grouping_plan *plan);

#endif
