/* parts.h - what the files of the measurer share */
#ifndef RC_CAMPAIGN_MEASURE_PARTS_H
#define RC_CAMPAIGN_MEASURE_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/catalogue/points.h"
#include "campaign/measure/measure.h"
#include "campaign/measure/stop_rule.h"

/* Part of a group that is armed as a whole: the group, or, where that does not
 * start, one event.
 */
struct rc_measure_part {
    struct rc_group_state *group;
    size_t first, count; /* its events: numbers in the group */
    bool dead;           /* failed and left out */
};

/* The unit at hand: from rc_measure_begin() to rc_measure_release(). */
struct rc_measure_unit {
    const struct rc_measure_task *task; /* only while the unit is measured */
    uint32_t suite;                     /* the task's */
    const struct rc_source *source;
    size_t events, point_count;   /* of its group and suite */
    size_t point;                 /* that is measured, or was */
    const uint64_t *iterations;   /* by point; 0: not measured */
    struct rc_arena arena;        /* of the arrays that follow */
    struct rc_measure_part *part; /* of the group, while it is armed */
    size_t part_count;
    bool *left_out;             /* by point: its kernel failed */
    struct rc_kernel **kernel;  /* by point: kept for the next repetition, or NULL */
    bool *spoiled;              /* by event: no sweep is done again for it */
    struct rc_reading *reading; /* of one part */
    struct rc_stop_rule *stop_rule;
    uint64_t resident_bytes; /* before any kernel was kept; 0: not yet looked */
    uint64_t kernel_ns;      /* spent in sources and kernels so far */
    uint32_t tries;          /* sweeps that were thrown away and done again */
    bool given_up;           /* the pause said so */
    char reason[256];        /* the first thing that went wrong, or "" */
};

struct rc_measurer {
    /* As long as the measurer. */
    struct rc_measurer_setup setup;
    struct rc_geometry geometry;
    bool (*pause)(void *arg); /* may be NULL */
    void *pause_arg;
    struct rc_arena arena;          /* of these lists: */
    const struct rc_suite **suite;  /* by the kind's suites; NULL: not in this build */
    struct rc_suite_points *points; /* likewise */

    struct rc_measure_unit unit;

    /* Until the next unit begins. */
    struct rc_record_readings sweeps; /* [repetition][event][point] */
    uint32_t repetitions, room;       /* of them: done, and allocated */
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
