/* counter.h - what lies between two readings of somebody else's counter */
#ifndef RC_CAMPAIGN_SOURCES_COUNTER_H
#define RC_CAMPAIGN_SOURCES_COUNTER_H

#include "campaign/sources/source.h"

#include <stdbool.h>
#include <stdint.h>

/* How a counter behaves that the kernel, a daemon or a device keeps. */
struct rc_counter_rule {
    bool state;           /* it does not count: its value is that at a reading's end */
    unsigned sticks_bits; /* it stays at 2^bits - 1 until it is reset; 0: it does not */
    uint64_t range;       /* it goes back to 0 after so much; 0: it does not */
};

/* A number as others give it. */
struct rc_counter_number {
    uint64_t size; /* without the sign */
    bool negative;
};

/* Returns NULL, and *out is what was counted, or the state; else why nothing can be
 * said, in a few words that live for ever, as 'why' in struct rc_reading.  A counter
 * that wraps shows at most one lap.
 */
const char *rc_counter_between(const struct rc_counter_rule *rule,
                               const struct rc_counter_number *start,
                               const struct rc_counter_number *stop, int64_t *out);

/* The reading of an event for which rc_counter_between() said 'value', or 'why' nothing
 * is known of it, over so many ns.
 */
struct rc_reading rc_counter_reading(int64_t value, const char *why,
                                     uint64_t passed_ns);

/* The trial of a source of such counters: the events are armed, started, stopped, and
 * judged by their readings.  'is_zero' tells of a group of one whether it is a counter
 * that is still 0: it has had time since the system was started, so there is no need to
 * wait.
 */
void rc_counter_trial(const struct rc_source *source, struct rc_source_state *state,
                      const uint32_t *events, size_t count,
                      bool (*is_zero)(const struct rc_group_state *group),
                      struct rc_trial *out);

#endif
