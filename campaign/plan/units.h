/* units.h - the units of a kind, in lanes and in order
 *
 * A lane has the units that exclude the same neighbours: in the lane of the core, every
 * core measures at once; in that of a shared unit (L2, L3, NUMA domain, ...) one worker
 * of each such unit measures while its others are quiet; in the last one all cores of a
 * node run a kernel together and one of them reads.
 */
#ifndef RC_CAMPAIGN_PLAN_UNITS_H
#define RC_CAMPAIGN_PLAN_UNITS_H

#include "campaign/catalogue/catalogue.h"
#include "campaign/catalogue/ranks.h"
#include "campaign/records/campaign.h"
#include "campaign/records/event_numbers.h"

enum { RC_LANE_ALL_CORES = RC_SCOPE_DEVICE, RC_LANE_COUNT };

struct rc_plan_unit {
    uint32_t suite, group;
    uint32_t place;       /* number among the lane's simulated places; else 0 */
    uint32_t repetitions; /* expected; cost_ns is for all of them */
    uint64_t cost_ns;
};

struct rc_lane {
    struct rc_plan_unit *unit; /* the most expensive first */
    size_t count;
};

/* Lanes by the rc_scope that must be quiet around a reader; RC_SCOPE_CORE: none. */
struct rc_units {
    struct rc_lane lane[RC_LANE_COUNT];
    size_t count;
    uint64_t cost_ns;
};

const char *rc_lane_name(size_t lane); /* "core", ..., "all cores" */

/* Time of one sweep, by calibrate.h; 0: not known. */
struct rc_costs {
    uint64_t *sweep_ns;          /* [source][suite] */
    uint64_t *group_ns;          /* [group], of one reading: only differences count */
    uint64_t *group_repetitions; /* [group] */
    size_t sources, suites, groups;
    struct rc_arena arena; /* of these arrays */
};

struct rc_units_setup {
    const struct rc_campaign *campaign;
    uint32_t kind;
    const struct rc_spec *spec;
    const struct rc_catalogue *catalogue; /* of this kind */
    const struct rc_event_numbers *map;
    const struct rc_costs *costs; /* NULL: nothing is known */
};

/* Lists all units that are wanted, in a share its own ones.  Equal setups give equal
 * units.  If units are repeated on simulated nodes, a unit is listed for each of their
 * places, and any rank may measure it.
 */
int rc_units_find(const struct rc_units_setup *setup, struct rc_units *out,
                  struct rc_error *err);
void rc_units_fini(struct rc_units *units); /* accepts zeroed ones */

/* How units are repeated on the nodes and cores of the job: not at all if the plan
 * repeats them on simulated ones.
 */
enum rc_replicate rc_units_replicate(const struct rc_units_setup *setup);

/* The place at which a unit of a lane is measured: its label, such as "n07 core 3", and
 * the same for sources that simulate.  The label is 'own', which is the rank's
 * (rc_ranks_label()), unless the place is simulated; 'worker' is the number in a team,
 * whose workers have a core each then.
 */
#define RC_NO_WORKER UINT32_MAX
struct rc_where rc_units_where(const struct rc_units_setup *setup, size_t lane,
                               const struct rc_plan_unit *unit, const char *own,
                               uint32_t worker, char label[RC_PLACE_LABEL]);

/* Removes from a lane the units that are done at their place, or at the rank's, whose
 * label 'place' is.
 */
void rc_units_drop_done(const struct rc_units_setup *setup, size_t lane,
                        const char *place, struct rc_units *units);

#endif
