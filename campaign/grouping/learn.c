/* Many events of which nothing is known: events that react alike to probes are
 * taken to be alike, and packed so.  Groups for which that was wrong fail their
 * trial; their events are packed once more, as what they are.
 */
#include "campaign/grouping/parts.h"

#include "campaign/sources/source.h"

#include <stdlib.h>
#include <string.h>

/* Classes by these labels; what 'dead' leaves unfit stays dead. */
static int classify(struct rc_packer *p, const uint32_t *labels,
                    const struct rc_grouping_plan *dead)
{
    if (rc_packer_classify(p, labels) != RC_OK)
        return RC_ENOMEM;
    for (size_t i = 0; i < p->count; i++)
        if (dead->group_of[i] == RC_GROUPING_UNFIT)
            p->alone[p->class_of[i]] = RC_GROUPING_DEAD;
    return RC_OK;
}

/* Tries each group; events of those that fail become unfit.  Numbers of groups
 * that failed stay unused.
 */
static int drop_failing(struct rc_packer *p, struct rc_grouping_plan *plan)
{
    uint32_t *items = rc_calloc(p->count, sizeof *items);
    uint32_t *start = rc_calloc(plan->groups + 2, sizeof *start);
    struct rc_trial trial;
    int status = RC_ENOMEM;

    if (!items || !start)
        goto out;
    rc_grouping_by_group(plan, p->count, items, start);
    for (size_t g = 0; g < plan->groups; g++)
        if (!rc_packer_try(p, items + start[g], start[g + 1] - start[g], &trial))
            for (size_t i = start[g]; i < start[g + 1]; i++)
                plan->group_of[items[i]] = RC_GROUPING_UNFIT;
    status = RC_OK;
out:
    free(items);
    free(start);
    return status;
}

struct shuffled {
    uint32_t hash, class;
};

static int by_hash(const void *a, const void *b)
{
    const struct shuffled *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

int rc_grouping_shuffled(struct rc_packer *p, size_t patience,
                         struct rc_grouping_plan *plan)
{
    struct rc_grouping_order order = {.patience = patience};
    struct shuffled *sorted = rc_calloc(p->classes, sizeof *sorted);
    int status = RC_ENOMEM;

    order.rank = rc_calloc(p->classes, sizeof *order.rank);
    if (sorted && order.rank) {
        for (uint32_t c = 0; c < p->classes; c++)
            sorted[c] = (struct shuffled){(c + 1) * 0x9e3779b1u, c};
        qsort(sorted, p->classes, sizeof *sorted, by_hash);
        for (uint32_t i = 0; i < p->classes; i++)
            order.rank[sorted[i].class] = i;
        status = rc_grouping_fill(p, &order, plan);
    }
    free(order.rank);
    free(sorted);
    return status;
}

/* Adds groups for the events that are neither dead nor in a group of 'plan'. */
static int place_rest(struct rc_packer *p, size_t patience,
                      struct rc_grouping_plan *plan)
{
    struct rc_grouping_plan rest = {rc_calloc(p->count, sizeof *rest.group_of), 0};
    int status = RC_ENOMEM;

    if (!rest.group_of)
        return RC_ENOMEM;
    for (size_t i = 0; i < p->count; i++)
        if (plan->group_of[i] != RC_GROUPING_UNFIT)
            p->alone[p->class_of[i]] = RC_GROUPING_DEAD; /* to the fill, that is */
    status = rc_grouping_shuffled(p, patience, &rest);
    if (status == RC_OK && rest.groups == SIZE_MAX)
        plan->groups = SIZE_MAX;
    else if (status == RC_OK) {
        for (size_t i = 0; i < p->count; i++)
            if (rest.group_of[i] != RC_GROUPING_UNFIT)
                plan->group_of[i] = (uint32_t)plan->groups + rest.group_of[i];
        plan->groups += rest.groups;
    }
    free(rest.group_of);
    return status;
}

int rc_grouping_learn(struct rc_packer *p, const struct rc_grouping_plan *dead,
                      size_t patience, struct rc_grouping_plan *plan, size_t *fewest)
{
    uint32_t *labels = rc_calloc(p->count, sizeof *labels);
    bool learnt = false;
    int status = RC_ENOMEM;

    plan->groups = SIZE_MAX;
    if (!labels)
        return RC_ENOMEM;
    status = rc_grouping_label(p, labels, &learnt);
    if (status != RC_OK || !learnt)
        goto out;
    if ((status = classify(p, labels, dead)) != RC_OK ||
        (status = rc_grouping_by_pressure(p, plan, fewest)) != RC_OK)
        goto out;
    bool packed = plan->groups != SIZE_MAX;
    if (packed && (status = drop_failing(p, plan)) != RC_OK)
        goto out;
    p->spent = false;
    if ((status = classify(p, NULL, dead)) != RC_OK)
        goto out;
    if (packed)
        status = place_rest(p, patience, plan);
    if (status == RC_OK && packed)
        status = rc_grouping_renumber(plan, p->count);
    if (status == RC_OK)
        status = classify(p, NULL, dead);
out:
    free(labels);
    return status;
}
