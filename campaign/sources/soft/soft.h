/* soft.h - what the rest of rollcall may ask of the soft source
 *
 * The descriptor is rc_source_soft (campaign/sources/source.h); docs/source-soft.md is
 * for users.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_SOFT_H
#define RC_CAMPAIGN_SOURCES_SOFT_SOFT_H

#include "campaign/sources/source.h"
#include "kernels/ideal.h"

#include <stdint.h>

extern const struct rc_source rc_source_soft;

/* Full name of the event that counts 'ideal' exactly, or, where the ideal depends on
 * caches and predictors, of the simulated event for it ("soft::sim_...").  NULL: the
 * source has none, as for GPU operations and cycles.
 */
const char *rc_soft_event_of_ideal(enum rc_ideal ideal);

/* Statistics of stepping since the source was opened. */
struct rc_soft_stats {
    uint64_t steps;      /* instructions looked at */
    uint64_t decodes;    /* instructions that had to be decoded */
    uint64_t all_ticks;  /* of the time stamp counter, from start() to stop() */
    uint64_t step_ticks; /* inside the handler */
    uint64_t decode_ticks;
};
struct rc_soft_stats rc_soft_stats(const struct rc_source_state *state);

#endif
