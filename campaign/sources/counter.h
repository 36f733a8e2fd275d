/* counter.h - reading counters that the kernel, a daemon or a device keeps */
#ifndef RC_CAMPAIGN_SOURCES_COUNTER_H
#define RC_CAMPAIGN_SOURCES_COUNTER_H

#include "campaign/sources/source.h"

#include <stdbool.h>
#include <stdint.h>

/* How a counter behaves that the kernel, a daemon or a device keeps. */
struct rc_counter_rule {
    bool state;           /* not a counter: a reading is its value at the end */
    unsigned sticks_bits; /* it stays at 2^bits - 1 until it is reset; 0: it does not */
    uint64_t range;       /* the value at which it wraps to 0; 0: it does not wrap */
};

/* A number as it was read. */
struct rc_counter_number {
    uint64_t size; /* without the sign */
    bool negative;
};

/* Sets *out to what was counted between two numbers, or to the state, and returns NULL;
 * else returns why there is no value, as 'why' in struct rc_reading.  A counter that
 * wraps is taken to have wrapped once at most.
 */
const char *rc_counter_between(const struct rc_counter_rule *rule,
                               const struct rc_counter_number *start,
                               const struct rc_counter_number *stop, int64_t *out);

/* How a source reads counters and states that somebody else keeps. */
struct rc_polled_way {
    /* Reads all events of the group, at the end of a reading or at its start. */
    void (*read)(struct rc_group_state *group, bool end);
    /* Sets *out to the number that read() got for an event, by its index in the group,
     * and returns NULL; else returns why there is none, as rc_counter_between() does.
     */
    const char *(*number)(const struct rc_group_state *group, size_t index, bool end,
                          struct rc_counter_number *out);
    struct rc_counter_rule (*rule)(const struct rc_group_state *group, size_t index);
    /* Makes what was read at the end the start of the next reading. */
    void (*turn)(struct rc_group_state *group);
};

/* The first member of struct rc_group_state of such a source, which has the three
 * functions below as its start(), stop() and lap().
 */
struct rc_polled {
    const struct rc_polled_way *way;
    size_t count; /* of events */
    bool started;
    /* The present or last reading began after the read() at its start, and ended before
     * the one at its end.  number() may give both times.
     */
    uint64_t started_ns, stopped_ns;
};

int rc_polled_start(struct rc_group_state *group, const struct rc_measurement *what,
                    struct rc_error *err);
int rc_polled_lap(struct rc_group_state *group, struct rc_reading *readings,
                  struct rc_error *err);
int rc_polled_stop(struct rc_group_state *group, struct rc_reading *readings,
                   struct rc_error *err);

/* The trial of such a source: the events are armed, started and stopped, and judged by
 * their readings.  A single counter that still is 0 gets the verdict "counts nothing":
 * it has had time since the system started, so the trial does not wait.
 */
void rc_polled_trial(const struct rc_source *source, struct rc_source_state *state,
                     const uint32_t *events, size_t count, struct rc_trial *out);

#endif
