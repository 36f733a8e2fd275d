/* The worker that measured a unit: node, core and cpu, or all zeros in a simulation. */
#include "campaign/pack/parts.h"

struct rc_who rc_who_of(const struct rc_campaign_unit *unit)
{
    if (unit->node == 0)
        return (struct rc_who){0};
    return (struct rc_who){unit->node, unit->core, unit->cpu};
}

int rc_who_compare(const void *a, const void *b)
{
    const struct rc_who *x = a, *y = b;

    return rc_compare_numbers((uint64_t[]){x->node, x->core, x->cpu},
                              (uint64_t[]){y->node, y->core, y->cpu}, 3);
}
