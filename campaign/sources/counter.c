/* Readings of counters that the kernel, a daemon or a device keeps: between the start
 * and the end of a reading such a counter may wrap, stick at its maximum or vanish.
 */
#include "campaign/sources/counter.h"

#include "campaign/base/clock.h"
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

int rc_polled_start(struct rc_group_state *group, const struct rc_measurement *what,
                    struct rc_error *err)
{
    struct rc_polled *polled = (struct rc_polled *)group;

    (void)what, (void)err;
    polled->way->read(group, false);
    polled->started = true;
    polled->started_ns = rc_clock_ns();
    return RC_OK;
}

int rc_polled_lap(struct rc_group_state *group, struct rc_reading *readings,
                  struct rc_error *err)
{
    struct rc_polled *polled = (struct rc_polled *)group;
    const struct rc_polled_way *way = polled->way;
    const uint64_t now = rc_clock_ns(), passed = now - polled->started_ns;
    const uint64_t enabled_ns = passed > 0 ? passed : 1;

    polled->stopped_ns = now;
    if (!polled->started)
        return rc_fail(err, RC_ECONFLICT, "a group that was not started is stopped");
    way->read(group, true);
    for (size_t i = 0; i < polled->count; i++) {
        const struct rc_counter_rule rule = way->rule(group, i);
        struct rc_counter_number start = {0}, stop = {0};
        int64_t value = 0;
        const char *why = way->number(group, i, false, &start);
        if (!why)
            why = way->number(group, i, true, &stop);
        if (!why)
            why = rc_counter_between(&rule, &start, &stop, &value);
        readings[i] = (struct rc_reading){.value = value,
                                          .enabled_ns = enabled_ns,
                                          .running_ns = why ? 0 : enabled_ns,
                                          .why = why};
    }
    way->turn(group);
    polled->started_ns = now;
    return RC_OK;
}

int rc_polled_stop(struct rc_group_state *group, struct rc_reading *readings,
                   struct rc_error *err)
{
    const int status = rc_polled_lap(group, readings, err);

    ((struct rc_polled *)group)->started = false;
    return status;
}

/* Whether the first event is a counter that was 0 at the end of the last reading: lap()
 * and stop() make that end the next start.
 */
static bool is_zero(const struct rc_group_state *group)
{
    const struct rc_polled_way *way = ((const struct rc_polled *)group)->way;
    struct rc_counter_number number = {0};

    return !way->rule(group, 0).state && !way->number(group, 0, false, &number) &&
           number.size == 0;
}

void rc_polled_trial(const struct rc_source *source, struct rc_source_state *state,
                     const uint32_t *events, size_t count, struct rc_trial *out)
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
