/* govern.h - what the profile takes of the program's time, kept within a budget
 *
 * Inside of campaign/profile/ only, for the sampler.  Rates are levels: at level n each
 * 2^n-th reading or instance is left.  Levels of call paths and of rows of MPI calls
 * lie in the blocks of threads, which obey them; those of series in the gauges.
 */
#ifndef RC_CAMPAIGN_PROFILE_SAMPLER_GOVERN_H
#define RC_CAMPAIGN_PROFILE_SAMPLER_GOVERN_H

#include "campaign/profile/sampler/drain.h"
#include "campaign/profile/sampler/gauges.h"
#include "campaign/profile/stacks/sampling.h"

/* Something that costs time and may be recorded less. */
struct rc_governed {
    double cost_ns;      /* in a second, at this level */
    uint8_t level, most; /* how often its rate is halved, and how often it may be */
    bool for_good;       /* level 1 ends it, and it is not begun again */
};

/* Sets levels so that all together, and 'fixed_ns' that nothing changes, are within the
 * budget: the dearest is halved until they are, or until nothing is left that may be.
 * Where they are, the cheapest that were halved are restored as long as there is
 * clearly room.  'cost_ns' becomes what it will be.
 */
void rc_profile_govern(struct rc_governed *of, size_t count, double fixed_ns,
                       double budget_ns);

/* Sets the rates of series at once, by what their readings took when they were tried,
 * within the sampler's part of the budget of one processor, and writes them as records.
 * All others outlive it; 'sampling' may be NULL, and is limited at once, too.
 */
struct rc_profile_governor;
int rc_profile_governor_open(const struct rc_profile_shared *shared,
                             struct rc_profile_drain *drain,
                             struct rc_profile_gauges *gauges,
                             struct rc_profile_sampling *sampling,
                             const struct rc_profile_plan *plan,
                             struct rc_profile_writer *writer,
                             struct rc_profile_governor **out, struct rc_error *err);
void rc_profile_governor_close(struct rc_profile_governor *governor); /* or NULL */

/* Parts of the sampler's time, and where it takes it. */
struct rc_profile_sampler_taken {
    uint64_t drain_ns, stacks_ns; /* reading blocks, and samples */
    bool crowded;     /* it has no processor that the program does not use */
    uint64_t read_ns; /* from one reading of series to the next */
    size_t processes; /* of the program */
};

/* Which part of the budget the sampler has: of the program's time, which is
 * 'program_ns' in so long, and of which its threads' notes took that part of it.
 */
double rc_profile_sampler_part(bool crowded, double threads, double program_ns,
                               double elapsed_ns);

/* Which part of the budget the samples of one of so many processes have: with all of
 * them, and what threads and sampler took of it, three quarters, since all of the
 * program may wait for a process that is sampled.  They keep a 32nd, or a quarter
 * together, if the others take too much.
 */
double rc_profile_stacks_part(double threads, double sampler, size_t processes);

/* Sets rates again, each second: 'cost' is what was taken since the last call, but for
 * 'own_ns', which counts from the sampler's begin on.
 */
void rc_profile_governor_second(struct rc_profile_governor *governor,
                                const struct rc_profile_cost *cost,
                                const struct rc_profile_sampler_taken *taken);

#endif
