/* What lies between two readings of a counter: it may have wrapped, stuck or gone. */
#include "campaign/sources/counter.h"

#include "campaign/base/memory.h"

#include <stdio.h>
#include <stdlib.h>

const char *rc_counter_between(const struct rc_counter_rule *rule,
                               const struct rc_counter_number *start,
                               const struct rc_counter_number *stop, int64_t *out)
{
    uint64_t size = stop->size;

    if (!rule->state) {
        if (start->negative || stop->negative)
            return "a counter is negative";
        if (rule->sticks_bits && stop->size == (UINT64_C(1) << rule->sticks_bits) - 1)
            return "saturated";
        if (stop->size >= start->size)
            size = stop->size - start->size;
        else if (rule->range >= start->size)
            size = rule->range - start->size + stop->size;
        else
            return "the counter went back: it was reset, or is another one";
    }
    if (size > INT64_MAX)
        return "too large a number";
    *out = rule->state && stop->negative ? -(int64_t)size : (int64_t)size;
    return NULL;
}

struct rc_reading rc_counter_reading(int64_t value, const char *why, uint64_t passed_ns)
{
    const uint64_t enabled_ns = passed_ns > 0 ? passed_ns : 1;

    return (struct rc_reading){.value = value,
                               .enabled_ns = enabled_ns,
                               .running_ns = why ? 0 : enabled_ns,
                               .why = why};
}

void rc_counter_trial(const struct rc_source *source, struct rc_source_state *state,
                      const uint32_t *events, size_t count,
                      bool (*is_zero)(const struct rc_group_state *group),
                      struct rc_trial *out)
{
    struct rc_reading *readings = rc_calloc(count, sizeof *readings);
    struct rc_group_state *group = NULL;
    struct rc_error err = {.text = ""};
    int status = readings ? source->arm(state, events, count, &group, &err)
                          : rc_fail(&err, RC_ENOMEM, "no memory for %zu events", count);

    *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
    if (status != RC_OK || (status = source->start(group, NULL, &err)) != RC_OK ||
        (status = source->stop(group, readings, &err)) != RC_OK)
        goto out;
    for (size_t i = 0; i < count; i++)
        if (readings[i].why) {
            status = rc_fail(&err, RC_EUNSUPPORTED, "%s", readings[i].why);
            goto out;
        }
out:
    if (status != RC_OK) {
        out->verdict = status == RC_EPERM    ? RC_VERDICT_NOT_PERMITTED
                       : status == RC_ENOMEM ? RC_VERDICT_CANNOT_SCHEDULE
                                             : RC_VERDICT_UNSUPPORTED;
        snprintf(out->reason, sizeof out->reason, "%.239s", err.text);
    } else if (count == 1 && is_zero(group)) {
        out->verdict = RC_VERDICT_COUNTS_NOTHING;
        snprintf(out->reason, sizeof out->reason,
                 "0 since it was last reset: it has not happened yet");
    }
    source->disarm(group);
    free(readings);
}
