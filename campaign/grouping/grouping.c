/* Packs in several ways, keeps the best, and tries its groups a last time.
 *
 * A simple first-fit comes first, and costs little.  Then come first-fit in better
 * orders, and moves of single events, for as many trials as are allowed; the plan with
 * the fewest groups is kept.  At the end every group is tried once more as a whole, and
 * split if it fails, so that every group in the result was seen to count.
 * docs/groups.md has costs and promises.
 */
#include "campaign/grouping/grouping.h"

#include "campaign/grouping/parts.h"
#include "campaign/sources/source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* With more classes than this a group is closed after a number of refusals. */
#define CLASSES_MANY 512
#define PATIENCE 32

/* With more events than this, first-fit is skipped if a packing needs no more groups
 * than estimated.
 */
#define COUNT_MANY 2000

/* Up to so many events, chains of moves are tried whatever the estimate says. */
#define COUNT_FEW 48

/* Chains mostly use remembered answers: about a second of them. */
#define ASKS_MOST ((uint64_t)5000000)

/* Trials for finding good groups: enough for a plain first-fit with CLASSES_MANY
 * classes, and at most some seconds on slow counters.
 */
#define TRIALS_BASE ((uint64_t)65536)
#define TRIALS_EACH ((uint64_t)24)
#define TRIALS_MOST ((uint64_t)1000000)

struct best {
    struct rc_packer *p;
    struct rc_grouping_plan plan, other; /* the best so far; the one being tried */
};

/* The other plan becomes the best if it has fewer groups. */
static void keep_better(struct best *b)
{
    if (b->other.groups < b->plan.groups) {
        struct rc_grouping_plan swap = b->plan;
        b->plan = b->other;
        b->other = swap;
    }
    b->p->spent = false;
}

static void first_fit(struct best *b, size_t patience)
{
    struct rc_grouping_order order = {.patience = patience};

    rc_grouping_fill(b->p, &order, &b->other);
    keep_better(b);
}

/* The first packing takes only a few trials for each event and is always made; the
 * others may be cut short.
 */
static void find_plan(struct best *b)
{
    struct rc_packer *p = b->p;
    /* With so many events, none like another, the allowed trials do not suffice for the
     * order by pressure.
     */
    const bool each_alone = p->classes > CLASSES_MANY && p->classes == p->count;
    uint64_t trials = p->setup->trials;
    size_t fewest = 1;

    b->plan.groups = SIZE_MAX;
    first_fit(b, 1);
    if (b->plan.groups < 2)
        return;
    if (!trials) {
        trials = TRIALS_BASE + TRIALS_EACH * p->count;
        trials = trials < TRIALS_MOST ? trials : TRIALS_MOST;
    }
    p->limit = trials < UINT64_MAX - p->trials ? p->trials + trials : UINT64_MAX;
    if (each_alone)
        rc_grouping_shuffled(p, PATIENCE, &b->other);
    else
        rc_grouping_by_pressure(p, &b->other, &fewest);
    keep_better(b);
    if (!each_alone && (p->count <= COUNT_MANY || b->plan.groups > fewest))
        first_fit(b, p->classes > CLASSES_MANY ? PATIENCE : SIZE_MAX);
    /* The estimate is ignored for a few events, since more can be tried. */
    if (p->count <= COUNT_FEW)
        fewest = 1;
    if (p->count > COUNT_MANY || b->plan.groups <= fewest || p->arena.failed)
        return;
    p->ask_limit = p->asks + ASKS_MOST;
    rc_grouping_improve(p, &b->plan, fewest, &b->other);
    keep_better(b);
    p->ask_limit = UINT64_MAX;
}

/* Numbers the groups by their first event. */
static void renumber(struct rc_packer *p, struct rc_grouping_plan *plan)
{
    uint32_t *number = rc_arena_array(&p->arena, plan->groups, sizeof *number);
    uint32_t next = 0;

    if (!number)
        return;
    memset(number, 0xff, plan->groups * sizeof *number);
    for (size_t i = 0; i < p->count; i++) {
        uint32_t *group = &plan->group_of[i];
        if (*group == RC_GROUPING_UNFIT)
            continue;
        if (number[*group] == RC_GROUPING_UNFIT)
            number[*group] = next++;
        *group = number[*group];
    }
}

/* Gives the events their group if they pass a last trial, and otherwise splits them
 * until the parts do.  An event that does not fit alone any more leaves its group.
 */
static void bisect(struct rc_packer *p, const uint32_t *items, size_t count,
                   struct rc_grouping_plan *plan, uint64_t *splits)
{
    size_t behind[64], parts = 0; /* sizes of parts to be tried, the smallest last */

    behind[parts++] = count;
    while (parts) {
        struct rc_trial trial;
        size_t size = behind[--parts];
        bool fits = rc_packer_try(p, items, size, &trial);
        for (size_t i = 0; i < size; i++)
            plan->group_of[items[i]] =
                fits ? (uint32_t)plan->groups : RC_GROUPING_UNFIT;
        plan->groups += fits;
        if (fits || size == 1) {
            items += size;
            continue;
        }
        ++*splits;
        behind[parts++] = size - size / 2;
        behind[parts++] = size / 2;
    }
}

static void pack_events(struct best *b, const uint32_t *alike, uint64_t *splits)
{
    struct rc_packer *p = b->p;
    struct rc_trial trial;

    for (size_t i = 0; i < p->count; i++)
        b->other.group_of[i] = (uint32_t)i; /* any array of all indices will do */
    if (p->setup->whole_first && p->count &&
        (!p->setup->cap || p->count <= p->setup->cap) &&
        rc_packer_try(p, b->other.group_of, p->count, &trial)) {
        b->plan.groups = 1; /* group_of[] is all 0 already */
        return;
    }
    rc_packer_classify(p, alike);
    if (p->arena.failed)
        return;
    find_plan(b);
    /* The last trial of each group of the plan; groups that fail are split. items[] has
     * the events by group, each in the order of the input: group g from start[g] to
     * start[g + 1].
     */
    struct rc_grouping_plan *plan = &b->plan;
    const size_t groups = p->arena.failed ? 0 : plan->groups;
    uint32_t *items = rc_arena_array(&p->arena, p->count, sizeof *items);
    uint32_t *start = rc_arena_array(&p->arena, groups + 2, sizeof *start);
    if (p->arena.failed)
        return;
    for (size_t i = 0; i < p->count; i++)
        if (plan->group_of[i] != RC_GROUPING_UNFIT)
            start[plan->group_of[i] + 2]++;
    for (size_t g = 0; g < groups; g++)
        start[g + 2] += start[g + 1];
    for (size_t i = 0; i < p->count; i++)
        if (plan->group_of[i] != RC_GROUPING_UNFIT)
            items[start[plan->group_of[i] + 1]++] = (uint32_t)i;
    plan->groups = 0;
    for (size_t g = 0; g < groups; g++)
        if (start[g + 1] > start[g])
            bisect(p, items + start[g], start[g + 1] - start[g], plan, splits);
}

/* Events without a group fit alone by now, or nowhere. */
static int place_rest(struct best *b, rc_grouping_unfit *unfit, void *to,
                      struct rc_error *err)
{
    for (uint32_t i = 0; i < b->p->count; i++) {
        struct rc_trial why;
        int status;
        if (b->plan.group_of[i] != RC_GROUPING_UNFIT)
            continue;
        if (rc_packer_try(b->p, &i, 1, &why))
            b->plan.group_of[i] = (uint32_t)b->plan.groups++;
        else if ((status = unfit(to, i, &why, err)) != RC_OK)
            return status;
    }
    return RC_OK;
}

int rc_grouping(const uint32_t *events, const uint32_t *alike, size_t count,
                const struct rc_grouping_setup *setup, rc_grouping_unfit *unfit,
                void *to, struct rc_groups_found *out, struct rc_error *err)
{
    struct rc_packer p;
    struct best b = {.p = &p};
    uint64_t splits = 0;
    uint32_t *kept = rc_calloc(count, sizeof *kept);
    int status = RC_OK;

    assert(setup->fits && unfit);
    *out = (struct rc_groups_found){0};
    rc_packer_init(&p, events, count, setup);
    b.plan.group_of = rc_arena_array(&p.arena, count, sizeof *b.plan.group_of);
    b.other.group_of = rc_arena_array(&p.arena, count, sizeof *b.other.group_of);
    p.arena.failed |= !kept;
    if (!p.arena.failed)
        pack_events(&b, alike, &splits);
    if (!p.arena.failed && (status = place_rest(&b, unfit, to, err)) != RC_OK)
        goto out;
    if (!p.arena.failed)
        renumber(&p, &b.plan);
    if (p.arena.failed) {
        status =
            rc_fail(err, RC_ENOMEM, "no memory to pack %zu events into groups", count);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        kept[i] = b.plan.group_of[i];
    *out = (struct rc_groups_found){kept, b.plan.groups, p.trials, splits};
    kept = NULL;
out:
    free(kept);
    rc_packer_fini(&p);
    return status;
}
