/* The groups of a plan as lists: sorted by group, and numbered without gaps. */
#include "campaign/grouping/grouping.h"
#include "campaign/grouping/parts.h"

#include <stdlib.h>
#include <string.h>

void rc_grouping_by_group(const struct rc_grouping_plan *plan, size_t count,
                          uint32_t *items, uint32_t *start)
{
    memset(start, 0, (plan->groups + 2) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        if (plan->group_of[i] != RC_GROUPING_UNFIT)
            start[plan->group_of[i] + 2]++;
    for (size_t g = 0; g < plan->groups; g++)
        start[g + 2] += start[g + 1];
    for (size_t i = 0; i < count; i++)
        if (plan->group_of[i] != RC_GROUPING_UNFIT)
            items[start[plan->group_of[i] + 1]++] = (uint32_t)i;
}

int rc_grouping_renumber(struct rc_grouping_plan *plan, size_t count)
{
    uint32_t *number = rc_calloc(plan->groups, sizeof *number);
    uint32_t next = 0;

    if (!number)
        return RC_ENOMEM;
    memset(number, 0xff, plan->groups * sizeof *number);
    for (size_t i = 0; i < count; i++) {
        uint32_t *group = &plan->group_of[i];
        if (*group == RC_GROUPING_UNFIT)
            continue;
        if (number[*group] == RC_GROUPING_UNFIT)
            number[*group] = next++;
        *group = number[*group];
    }
    plan->groups = next;
    free(number);
    return RC_OK;
}
