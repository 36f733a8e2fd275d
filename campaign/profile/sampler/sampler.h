/* sampler.h - the work of a sampler from its begin to its end
 *
 * For sampler.c, which makes the process, and sampler_rounds.c, which has its work.
 */
#ifndef RC_CAMPAIGN_PROFILE_SAMPLER_SAMPLER_H
#define RC_CAMPAIGN_PROFILE_SAMPLER_SAMPLER_H

#include "campaign/profile/sampler/govern.h"
#include "campaign/profile/stacks/sampling.h"

struct rc_profile_sampler {
    const struct rc_profile_plan *plan;
    struct rc_profile_shared *shared;
    struct rc_profile_writer writer;
    struct rc_profile_drain *drain;
    struct rc_profile_gauges *gauges;
    struct rc_profile_sampling *sampling; /* NULL: stacks are not sampled */
    struct rc_profile_governor *governor;
    struct rc_profile_watch watch;
    uint32_t processes; /* number of those in the shared file that are watched */
    /* The longest delay of a round; processor times up to the last account. */
    uint64_t late_ns, own_cpu_ns, program_cpu_ns;
    struct rc_profile_sampler_taken taken; /* since the last account */
    uint64_t deserted_ns; /* since when there is no process; 0: there is one */
    char cpu[96];         /* for people: where it runs */
};

/* Opens the journal, series and counters, and makes the shared file ready.  The
 * launcher waits for the result.
 */
int rc_profile_sampler_open(struct rc_profile_sampler *s, struct rc_error *err);

/* Samples until the program is gone. */
void rc_profile_sampler_rounds(struct rc_profile_sampler *s);

/* Writes the last records and closes the journal. */
void rc_profile_sampler_end(struct rc_profile_sampler *s);

#endif
