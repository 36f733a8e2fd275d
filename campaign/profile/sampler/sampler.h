/* sampler.h - what a sampler does from its begin to its end
 *
 * Inside of sampler.c and sampler_rounds.c only: the one has the processes, the other
 * what they do.
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
    uint32_t processes; /* of the shared file that are watched */
    uint64_t late_ns, own_cpu_ns, program_cpu_ns;
    struct rc_profile_sampler_taken taken; /* since the last account */
    uint64_t deserted_ns; /* since when there is no process; 0: there is one */
    char cpu[96];         /* for people: where it runs */
};

/* Opens the journal, series and counters, whose failure the launcher must hear of
 * before it goes on.  The shared file becomes ready.
 */
int rc_profile_sampler_open(struct rc_profile_sampler *s, struct rc_error *err);

/* Until the program is gone. */
void rc_profile_sampler_rounds(struct rc_profile_sampler *s);

/* The last words of the journal. */
void rc_profile_sampler_end(struct rc_profile_sampler *s);

#endif
