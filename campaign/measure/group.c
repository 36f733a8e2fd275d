/* Arms a group's events at their source, and finds those that do not start.
 *
 * A group is one part as long as all of its events can be armed together.  Otherwise
 * each event becomes a part of its own, so that one that fails costs only itself.
 */
#include "campaign/base/text.h"
#include "campaign/measure/parts.h"

void rc_measure_blame(struct rc_measurer *m, const char *what, const char *why)
{
    if (!m->unit.reason[0]) {
        rc_text_append(m->unit.reason, sizeof m->unit.reason, "%s: %s", what, why);
        rc_text_printable(m->unit.reason, sizeof m->unit.reason, m->unit.reason);
    }
}

/* Arms 'count' events of the group, from event 'first' on, as one part, which is dead
 * on failure.
 */
static int arm_part(struct rc_measurer *m, uint32_t group, size_t first, size_t count,
                    struct rc_measure_part *part, struct rc_error *err)
{
    const struct rc_record_group *g = &m->setup.kind->group[group];
    struct rc_source_state *state = m->setup.catalogue->source[g->source].state;
    uint32_t *number = rc_arena_array(&m->unit.arena, count, sizeof *number);
    int status = rc_arena_check(&m->unit.arena, err, "the events of a group");

    *part = (struct rc_measure_part){.first = first, .count = count, .dead = true};
    if (status != RC_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        const uint32_t event = g->event[first + i];
        number[i] = m->setup.map->number[event];
        if (number[i] == RC_EVENT_ABSENT)
            return rc_fail(err, RC_EMISSING, "event '%s' is not on this node",
                           m->setup.kind->event[event].name);
    }
    status = m->unit.source->arm(state, number, count, &part->group, err);
    part->dead = status != RC_OK;
    return status;
}

/* Arms the group as parts of 'each' events.  An event that cannot be armed alone, by
 * any worker of a team, is spoiled, and the reason becomes the unit's.  *whole: all
 * parts are armed.
 */
static int arm_parts(struct rc_measurer *m, uint32_t group, size_t each, bool *whole,
                     struct rc_error *err)
{
    const struct rc_record_group *g = &m->setup.kind->group[group];
    uint8_t *dead = m->unit.agreed;
    int status;

    *whole = true;
    m->unit.part = rc_arena_array(&m->unit.arena, m->unit.events, sizeof *m->unit.part);
    status = rc_arena_check(&m->unit.arena, err, "the events of a group");
    for (size_t i = 0; i < m->unit.events && status == RC_OK; i += each) {
        struct rc_error why = {.rank = -1};
        const int armed =
            arm_part(m, group, i, each, &m->unit.part[m->unit.part_count++], &why);
        dead[i / each] = armed != RC_OK;
        if (armed == RC_ENOMEM)
            status = rc_fail(err, RC_ENOMEM, "%s", why.text);
        else if (armed != RC_OK && each == 1)
            rc_measure_blame(m, m->setup.kind->event[g->event[i]].name, why.text);
    }
    if ((status = rc_measure_team_agree(m->unit.task->team, status, err)) != RC_OK)
        return status;
    rc_measure_team_worst(m->unit.task->team, dead, m->unit.part_count, false);
    for (size_t i = 0; i < m->unit.part_count; i++) {
        m->unit.part[i].dead = dead[i];
        *whole = *whole && !dead[i];
        if (each == 1)
            m->unit.spoiled[i] = m->unit.spoiled[i] || dead[i];
    }
    return RC_OK;
}

int rc_measure_group_singly(struct rc_measurer *m, uint32_t group, struct rc_error *err)
{
    bool whole;

    rc_measure_disarm(m);
    return arm_parts(m, group, 1, &whole, err);
}

int rc_measure_group(struct rc_measurer *m, uint32_t group, struct rc_error *err)
{
    bool whole;
    int status = arm_parts(m, group, m->unit.events, &whole, err);

    if (status != RC_OK || whole || m->unit.events == 1)
        return status;
    return rc_measure_group_singly(m, group, err);
}

void rc_measure_disarm(struct rc_measurer *m)
{
    for (size_t i = 0; i < m->unit.part_count; i++)
        if (m->unit.part[i].group)
            m->unit.source->disarm(m->unit.part[i].group);
    m->unit.part = NULL;
    m->unit.part_count = 0;
}
