/* govern.h - keeps the cost of the profile within a budget
 *
 * Inside of campaign/profile/ only, for the sampler.  Rates are levels: at level n each
 * 2^n-th reading or instance is taken.  Levels of call paths and of rows of MPI calls
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

/* Sets levels so that all items, with a fixed cost, are within the budget: the dearest
 * is halved until they are, or until none is left that may be halved.  If they are
 * within it already, the cheapest reduced ones are restored as long as there is clearly
 * room.  'cost_ns' becomes the expected cost.
 */
void rc_profile_govern(struct rc_governed *of, size_t count, double fixed_ns,
                       double budget_ns);

/* Sets the rates of series at once, by the time of their readings in the trial, within
 * the sampler's part of one processor's budget, and writes them as records.  The
 * governor borrows all that it is given; 'sampling' may be NULL, else it is limited at
 * once, too.
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

/* Parts of the sampler's time, and the conditions under which it ran. */
struct rc_profile_sampler_taken {
    uint64_t drain_ns, stacks_ns; /* reading blocks, and samples */
    bool crowded;     /* it has no processor that the program does not use */
    uint64_t read_ns; /* from one reading of series to the next */
    size_t processes; /* of the program */
};

/* The sampler's part of the budget, by the program's time: that was 'program_ns' within
 * 'elapsed_ns'.  'threads' is the part of the budget that the library took in the
 * program's threads.
 */
double rc_profile_sampler_part(bool crowded, double threads, double program_ns,
                               double elapsed_ns);

/* The part of the budget for the samples of one of 'processes' processes.  All samples
 * together may take what threads and sampler leave of three quarters, since the whole
 * program may wait for a process that is sampled.  If that is too little, samples keep
 * a 32nd for each process, but no more than a quarter together.
 */
double rc_profile_stacks_part(double threads, double sampler, size_t processes);

/* Sets rates again, each second.  'cost' is from the last call on, but for 'own_ns',
 * which is from the sampler's begin on.
 */
void rc_profile_governor_second(struct rc_profile_governor *governor,
                                const struct rc_profile_cost *cost,
                                const struct rc_profile_sampler_taken *taken);

#endif
