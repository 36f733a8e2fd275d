/* Arms a group's events at their source, and singles out those that do not start.
 *
 * A group is one part as long as all of its events can be armed together.  If they
 * cannot, each event becomes a part of its own, so that one that fails costs only
 * itself.
 */
#include "campaign/base/text.h"
#include "campaign/measure/parts.h"

#include <stdlib.h>

void rc_measure_blame(struct rc_measurer *m, const char *what, const char *why)
{
    if (!m->unit.reason[0]) {
        rc_text_append(m->unit.reason, sizeof m->unit.reason, "%s: %s", what, why);
        rc_text_printable(m->unit.reason, sizeof m->unit.reason, m->unit.reason);
    }
}

static const struct rc_record_group *group_of(const struct rc_measurer *m,
                                              uint32_t group)
{
    return &m->setup.kind->group[group];
}

/* Arms the events index[0..count-1] of the group as one part.  On failure the part is
 * dead, and only its list of events is to be freed.
 */
static int arm_part(struct rc_measurer *m, uint32_t group, const uint32_t *index,
                    size_t count, struct rc_measure_part *part, struct rc_error *err)
{
    const struct rc_record_group *g = group_of(m, group);
    struct rc_source_state *state = m->setup.catalogue->source[g->source].state;
    uint32_t *number = rc_calloc(count, sizeof *number);
    int status = RC_OK;

    *part = (struct rc_measure_part){.index = rc_calloc(count, sizeof *part->index),
                                     .count = count};
    if (!number || !part->index) {
        status = rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t event = g->event[index[i]];
        part->index[i] = index[i];
        number[i] = m->setup.map->number[event];
        if (number[i] == RC_EVENT_ABSENT) {
            status = rc_fail(err, RC_EMISSING, "event '%s' is not on this node",
                             m->setup.kind->event[event].name);
            goto out;
        }
    }
    status = m->unit.source->arm(state, number, count, &part->group, err);
out:
    free(number);
    part->dead = status != RC_OK;
    return status;
}

/* The event cannot be read any more, and 'why' becomes the unit's reason. */
static void spoil_event(struct rc_measurer *m, uint32_t group,
                        const struct rc_error *why, size_t index)
{
    m->unit.spoiled[index] = true;
    rc_measure_blame(m, m->setup.kind->event[group_of(m, group)->event[index]].name,
                     why->text);
}

int rc_measure_group_singly(struct rc_measurer *m, uint32_t group, struct rc_error *err)
{
    rc_measure_disarm(m);
    m->unit.part = rc_calloc(m->unit.events, sizeof *m->unit.part);
    if (!m->unit.part)
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", m->unit.events);
    for (uint32_t i = 0; i < m->unit.events; i++) {
        struct rc_error why = {.rank = -1};
        int status = arm_part(m, group, &i, 1, &m->unit.part[i], &why);
        m->unit.part_count++;
        if (status == RC_ENOMEM)
            return rc_fail(err, RC_ENOMEM, "%s", why.text);
        if (status != RC_OK)
            spoil_event(m, group, &why, i);
    }
    return RC_OK;
}

int rc_measure_group(struct rc_measurer *m, uint32_t group, struct rc_error *err)
{
    struct rc_error why = {.rank = -1};
    uint32_t *index = rc_calloc(m->unit.events, sizeof *index);

    m->unit.part = rc_calloc(1, sizeof *m->unit.part);
    if (!m->unit.part || !index) {
        free(index);
        return rc_fail(err, RC_ENOMEM, "no memory for %zu events", m->unit.events);
    }
    for (uint32_t i = 0; i < m->unit.events; i++)
        index[i] = i;
    int status = arm_part(m, group, index, m->unit.events, &m->unit.part[0], &why);
    m->unit.part_count = 1;
    free(index);
    if (status == RC_OK)
        return RC_OK;
    if (status == RC_ENOMEM)
        return rc_fail(err, RC_ENOMEM, "%s", why.text);
    if (m->unit.events == 1) {
        spoil_event(m, group, &why, 0);
        return RC_OK;
    }
    return rc_measure_group_singly(m, group, err);
}

void rc_measure_disarm(struct rc_measurer *m)
{
    for (size_t i = 0; i < m->unit.part_count; i++) {
        if (m->unit.part[i].group)
            m->unit.source->disarm(m->unit.part[i].group);
        free(m->unit.part[i].index);
    }
    free(m->unit.part);
    m->unit.part = NULL;
    m->unit.part_count = 0;
}
