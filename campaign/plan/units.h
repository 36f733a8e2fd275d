/* units.h - the units of a kind, in lanes and in order
 *
 * A lane holds the units that exclude the same neighbours: in that of the core, every
 * core measures at once; in that of a shared unit (L2, L3, NUMA domain, ...) one
 * worker of each such unit measures and its others are quiet; in the last one
 * all cores of a node run a kernel together and one of them reads.
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
    uint32_t place;       /* of a simulated node, by its number in the lane; else 0 */
    uint32_t repetitions; /* expected, and with them: */
    uint64_t cost_ns;
};

struct rc_lane {
    struct rc_plan_unit *unit; /* the most expensive first */
    size_t count;
};

/* By rc_scope of what must be quiet around a reader, RC_SCOPE_CORE: nothing. */
struct rc_units {
    struct rc_lane lane[RC_LANE_COUNT];
    size_t count;
    uint64_t cost_ns;
};

const char *rc_lane_name(size_t lane); /* "core", ..., "all cores" */

/* How long one sweep takes, by calibrate.h; zeros are as good as not known. */
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

/* All units that are wanted, in a share those that are its own.  Equal setups give
 * equal units.  Where nodes are simulated and units repeated on them, a unit stands
 * here for each of their places, and any rank may measure it.
 */
int rc_units_find(const struct rc_units_setup *setup, struct rc_units *out,
                  struct rc_error *err);
void rc_units_fini(struct rc_units *units); /* accepts zeroed ones */

/* What repeats units on the nodes and cores of the job: nothing where the plan has them
 * at simulated ones.
 */
enum rc_replicate rc_units_replicate(const struct rc_units_setup *setup);

/* Where a unit of a lane is measured: its label, such as "n07 core 3", and the same for
 * sources that simulate.  That is 'own', the label of the rank (rc_ranks_label()), but
 * where the unit is at a simulated place.
 */
struct rc_where rc_units_where(const struct rc_units_setup *setup, size_t lane,
                               const struct rc_plan_unit *unit, const char *own,
                               char label[RC_PLACE_LABEL]);

/* Takes out of a lane what is measured already at its place, or at that of the rank,
 * whose label 'place' is.
 */
void rc_units_drop_done(const struct rc_units_setup *setup, size_t lane,
                        const char *place, struct rc_units *units);

#endif
