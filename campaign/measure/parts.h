/* parts.h - what the files of the measurer share */
#ifndef RC_CAMPAIGN_MEASURE_PARTS_H
#define RC_CAMPAIGN_MEASURE_PARTS_H

#include "campaign/catalogue/points.h"
#include "campaign/measure/measure.h"
#include "campaign/measure/stop_rule.h"

/* Part of a group that is armed as a whole: the group, or, where that does not
 * start, one event.
 */
struct rc_measure_part {
    struct rc_group_state *group;
    uint32_t *index; /* of its events in the group */
    size_t count;
    bool dead; /* failed and left out */
};

struct rc_measurer {
    struct rc_measurer_setup setup;
    struct rc_geometry geometry;
    bool (*pause)(void *arg); /* may be NULL */
    void *pause_arg;
    const struct rc_suite **suite;  /* by the kind's suites; NULL: not in this build */
    struct rc_suite_points *points; /* likewise */

    /* Of the unit at hand. */
    const struct rc_measure_task *task;
    uint32_t task_suite; /* outlives 'task' */
    const struct rc_source *source;
    struct rc_measure_part *part;
    size_t part_count, events, point_count;
    const uint64_t *iterations; /* by point */
    bool *left_out;             /* by point */
    struct rc_kernel **kernel;  /* by point: kept, or NULL */
    uint64_t resident_bytes;    /* before any was kept; 0: not yet looked */
    bool *spoiled;              /* by event: no sweep is done again for it */
    struct rc_reading *reading; /* of one part */
    struct rc_stop_rule *stop_rule;
    uint32_t repetitions, room;  /* done, and allocated */
    int64_t *values;             /* [repetition][event][point] */
    uint64_t *enabled, *running; /* [repetition][event] */
    uint8_t *status;
    int64_t *out_values; /* as a record wants them */
    uint64_t *out_enabled, *out_running;
    uint8_t *out_status;
    uint64_t kernel_ns;
    uint32_t tries;
    bool given_up;
    char reason[256];
};

/* Makes room for a unit and arms its group; what was there before is released. */
int rc_measure_begin(struct rc_measurer *m, const struct rc_measure_task *task,
                     struct rc_error *err);
void rc_measure_release(struct rc_measurer *m);
bool rc_measure_all_spoiled(const struct rc_measurer *m);

/* Arms the group whole, or event by event where that fails.  Parts that cannot
 * be armed are spoiled; RC_ENOMEM is the only failure.
 */
int rc_measure_group(struct rc_measurer *m, uint32_t group, struct rc_error *err);
int rc_measure_group_singly(struct rc_measurer *m, uint32_t group,
                            struct rc_error *err);
void rc_measure_disarm(struct rc_measurer *m);

/* The first thing that went wrong is the unit's reason. */
void rc_measure_blame(struct rc_measurer *m, const char *what, const char *why);

/* One sweep into repetition number m->repetitions.  True: all of it can be used,
 * but for what is spoiled and left out already.
 */
bool rc_measure_sweep(struct rc_measurer *m);

/* After the last try: whatever made the sweep unusable is spoiled or left out.  A
 * group that fails as a whole is taken apart first: event by event it may count.
 */
int rc_measure_settle(struct rc_measurer *m, struct rc_error *err);

/* Makes the current repetition one of which nothing is known. */
void rc_measure_forget(struct rc_measurer *m);

/* Takes one point with all parts into the current repetition. */
void rc_measure_point(struct rc_measurer *m, size_t point);

#endif
