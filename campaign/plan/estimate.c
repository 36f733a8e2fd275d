/* Time, memory and bytes of units on a number of workers, from their costs.
 *
 * Lanes are measured one after the other, so their times add up.  In a lane the work is
 * spread over its workers: one for each shared unit of the lane's scope (each core,
 * each L3, ...) that has a rank.
 */
#include "campaign/plan/estimate.h"

#include "campaign/measure/measure.h"

/* Average bytes of a value in the journal, at most: it is coded as the difference from
 * the previous repetition.
 */
enum { VALUE_BYTES = 5 };

struct rc_estimate_team rc_estimate_team(const struct rc_machine *machine, size_t ranks,
                                         size_t nodes, enum rc_replicate replicate)
{
    struct rc_estimate_team team = {{0}, {0}};

    for (int l = 0; l < RC_LANE_COUNT; l++) {
        size_t units =
            l < RC_SCOPE_NODE ? rc_machine_unit_count(machine, (enum rc_scope)l) : 1;
        team.workers[l] = nodes * (units == 0 ? 1 : ranks < units ? ranks : units);
        team.copies[l] = replicate == RC_REPLICATE_CORE   ? team.workers[l]
                         : replicate == RC_REPLICATE_NODE ? nodes
                                                          : 1;
    }
    return team;
}

/* Nanoseconds with the fewest and with the most repetitions. */
struct sums {
    double least, most;
};

/* Adds a unit's readings and bytes to 'out' and returns the time of one copy. */
static struct sums add_unit(const struct rc_units_setup *setup,
                            const struct rc_plan_unit *unit, size_t copies,
                            struct rc_estimate *out)
{
    const struct rc_campaign_kind *kind = &setup->campaign->kind[setup->kind];
    const struct rc_record_group *group = &kind->group[unit->group];
    uint64_t points = kind->suite[unit->suite].point_count;
    bool deterministic = kind->record.source[group->source].deterministic;
    uint64_t least = rc_spec_repeat_min(setup->spec, deterministic);
    uint64_t most =
        deterministic ? least : rc_spec_repeat_max(setup->spec, deterministic);
    uint64_t bytes = rc_measurer_bytes(group->count, points, most);

    out->readings += copies * group->count * points * least;
    out->journal_bytes += copies * group->count * points * least * VALUE_BYTES;
    if (bytes > out->rank_bytes)
        out->rank_bytes = bytes;
    double sweep_ns = (double)unit->cost_ns / (double)unit->repetitions;
    return (struct sums){sweep_ns * (double)least, sweep_ns * (double)most};
}

/* A lane takes as long as its work divided by the workers, and at least as long as its
 * longest unit.
 */
static double wall_of(double work, double longest, size_t workers)
{
    double shared = work / (double)(workers ? workers : 1);

    return shared > longest ? shared : longest;
}

void rc_estimate(const struct rc_units_setup *setup, const struct rc_units *units,
                 const struct rc_estimate_team *team, struct rc_estimate *out)
{
    *out = (struct rc_estimate){.least_ns = 0};
    for (size_t l = 0; l < RC_LANE_COUNT; l++) {
        const struct rc_lane *lane = &units->lane[l];
        struct sums sum = {0}, longest = {0};
        for (size_t i = 0; i < lane->count; i++) {
            struct sums one = add_unit(setup, &lane->unit[i], team->copies[l], out);
            sum.least += one.least;
            sum.most += one.most;
            longest.least = one.least > longest.least ? one.least : longest.least;
            longest.most = one.most > longest.most ? one.most : longest.most;
        }
        sum.least *= (double)team->copies[l];
        sum.most *= (double)team->copies[l];
        out->lane[l] = (struct rc_estimate_lane){
            .units = lane->count * team->copies[l],
            .work_ns = (uint64_t)sum.least,
            .wall_ns = (uint64_t)wall_of(sum.least, longest.least, team->workers[l])};
        out->least_ns += out->lane[l].wall_ns;
        out->most_ns += (uint64_t)wall_of(sum.most, longest.most, team->workers[l]);
    }
}
