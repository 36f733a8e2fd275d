/* writer.h - puts records into the journal and turns ticks into times */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_WRITER_H
#define RC_CAMPAIGN_PROFILE_WIRE_WRITER_H

#include "campaign/profile/wire/records.h"
#include "campaign/profile/wire/shared.h"

/* Puts records into the journal. */
struct rc_profile_writer {
    struct rc_journal *journal;
    struct rc_bytes bytes;
    struct rc_error err; /* the last one */
};
int rc_profile_put(struct rc_profile_writer *writer,
                   const struct rc_profile_payload *payload);

/* Ticks in ns of CLOCK_MONOTONIC_RAW: a line through the last two moments at which both
 * clocks were read.
 */
struct rc_profile_clock {
    uint32_t kind; /* enum rc_shared_clock */
    uint64_t ticks, ns;
    double ns_per_tick;
};
void rc_profile_clock_begin(struct rc_profile_clock *clock,
                            const struct rc_shared *head);
void rc_profile_clock_update(struct rc_profile_clock *clock);
uint64_t rc_profile_clock_ns(const struct rc_profile_clock *clock, uint64_t ticks);
double rc_profile_clock_lasted(const struct rc_profile_clock *clock, uint64_t ticks);

#endif
