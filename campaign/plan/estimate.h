/* estimate.h - time and memory that units need on a number of workers */
#ifndef RC_CAMPAIGN_PLAN_ESTIMATE_H
#define RC_CAMPAIGN_PLAN_ESTIMATE_H

#include "campaign/plan/units.h"

/* Workers that measure at once in each lane, and copies of each unit ('replicate'). */
struct rc_estimate_team {
    size_t workers[RC_LANE_COUNT], copies[RC_LANE_COUNT];
};

/* A team of 'ranks' ranks on 'nodes' nodes like 'machine', spread evenly. */
struct rc_estimate_team rc_estimate_team(const struct rc_machine *machine, size_t ranks,
                                         size_t nodes, enum rc_replicate replicate);

struct rc_estimate_lane {
    size_t units;     /* copies included */
    uint64_t work_ns; /* of one worker, with the fewest repetitions */
    uint64_t wall_ns;
};

struct rc_estimate {
    struct rc_estimate_lane lane[RC_LANE_COUNT];
    uint64_t least_ns, most_ns; /* wall time: fewest and most repetitions */
    uint64_t readings;          /* of events, in the fewest repetitions */
    uint64_t journal_bytes;     /* at most, in the fewest repetitions */
    uint64_t rank_bytes;        /* for readings, at most */
};

void rc_estimate(const struct rc_units_setup *setup, const struct rc_units *units,
                 const struct rc_estimate_team *team, struct rc_estimate *out);

#endif
