/* The fewest groups, by dynamic programming over all that may be left to place.
 * What is left is a number of events for each class: a state, counted in mixed
 * radix.  With a dozen events of as many classes there are 4096 states.
 */
#include "campaign/grouping/parts.h"

#include <stdlib.h>

#define STATES_MOST 4096

struct exact {
    struct rc_packer *p;
    size_t classes, states;
    uint32_t class[12]; /* 2^12 states: no more than 12 classes can be alive */
    size_t radix[12];   /* events of that class, plus 1 */
    size_t weight[12];  /* states from one event to one more */
    bool fits[STATES_MOST];
    uint16_t best[STATES_MOST];   /* groups needed for this state */
    uint16_t choice[STATES_MOST]; /* one of them */
};

static bool count_states(struct exact *x)
{
    struct rc_packer *p = x->p;

    x->states = 1;
    for (size_t c = 0; c < p->classes; c++) {
        if (p->alone[c] == RC_GROUPING_DEAD)
            continue;
        size_t radix = rc_packer_class_size(p, c) + 1;
        if (radix > STATES_MOST / x->states)
            return false;
        x->class[x->classes] = (uint32_t)c;
        x->radix[x->classes] = radix;
        x->weight[x->classes++] = x->states;
        x->states *= radix;
    }
    return true;
}

static size_t digit(const struct exact *x, size_t state, size_t j)
{
    return state / x->weight[j] % x->radix[j];
}

/* A state is tried only if it fits with any one event less. */
static bool state_fits(struct exact *x, size_t state)
{
    uint32_t items[STATES_MOST];
    size_t count = 0;

    for (size_t j = 0; j < x->classes; j++) {
        size_t d = digit(x, state, j);
        if (d && !x->fits[state - x->weight[j]])
            return false;
        for (size_t i = 0; i < d; i++)
            items[count++] = x->p->members[x->p->start[x->class[j]] + i];
    }
    return rc_packer_fits(x->p, items, count);
}

/* The next group after 'group' among those that fit and are part of 'state', in
 * the order of counting with the first class as the lowest digit; 0 after the
 * last.  What is skipped does not fit, since fits[] is false for all above it.
 */
static size_t next_group(const struct exact *x, size_t state, size_t group)
{
    for (size_t j = 0; j < x->classes; j++) {
        size_t d = digit(x, group, j);
        if (d < digit(x, state, j) && x->fits[group + x->weight[j]])
            return group + x->weight[j];
        group -= d * x->weight[j];
    }
    return 0;
}

/* The group that is taken first may as well be one with the last class. */
static void best_for(struct exact *x, size_t state)
{
    size_t last = x->classes - 1;

    while (!digit(x, state, last))
        last--;
    x->best[state] = UINT16_MAX;
    for (size_t g = x->weight[last]; g; g = next_group(x, state, g)) {
        uint16_t groups = (uint16_t)(x->best[state - g] + 1);
        if (groups < x->best[state]) {
            x->best[state] = groups;
            x->choice[state] = (uint16_t)g;
        }
    }
}

static void take_groups(const struct exact *x, struct rc_grouping_plan *plan)
{
    const struct rc_packer *p = x->p;
    size_t next[12];

    for (size_t i = 0; i < p->count; i++)
        plan->group_of[i] = RC_GROUPING_UNFIT;
    for (size_t j = 0; j < x->classes; j++)
        next[j] = p->start[x->class[j]];
    for (size_t state = x->states - 1; state; state -= x->choice[state], plan->groups++)
        for (size_t j = 0; j < x->classes; j++)
            for (size_t d = digit(x, x->choice[state], j); d; d--)
                plan->group_of[p->members[next[j]++]] = (uint32_t)plan->groups;
}

int rc_grouping_exact(struct rc_packer *p, struct rc_grouping_plan *plan)
{
    struct exact *x = rc_calloc(1, sizeof *x);

    plan->groups = SIZE_MAX;
    if (!x)
        return RC_ENOMEM;
    x->p = p;
    if (!count_states(x))
        goto out;
    x->fits[0] = true;
    for (size_t state = 1; state < x->states; state++)
        x->fits[state] = state_fits(x, state);
    for (size_t j = 0; j < x->classes; j++)
        if (!x->fits[x->weight[j]]) /* an unsteady oracle */
            p->spent = true;
    for (size_t state = 1; state < x->states && !p->spent; state++)
        best_for(x, state);
    if (!p->spent) {
        plan->groups = 0;
        take_groups(x, plan);
    }
out:
    free(x);
    return RC_OK;
}
