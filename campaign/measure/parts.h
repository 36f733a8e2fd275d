/* parts.h - shared by the files of the measurer */
#ifndef RC_CAMPAIGN_MEASURE_PARTS_H
#define RC_CAMPAIGN_MEASURE_PARTS_H

#include "campaign/base/arena.h"
#include "campaign/catalogue/points.h"
#include "campaign/measure/measure.h"
#include "campaign/measure/stop_rule.h"

/* A part of a group that is armed as a whole: the group, or, if that does not start,
 * one event.
 */
struct rc_measure_part {
    struct rc_group_state *group;
    size_t first, count; /* its events: indices in the group */
    bool dead;           /* failed and left out */
};

/* The present unit: from rc_measure_begin() to rc_measure_release(). */
struct rc_measure_unit {
    const struct rc_measure_task *task; /* only while the unit is measured */
    uint32_t suite;                     /* the task's */
    const struct rc_source *source;
    struct rc_source unread;      /* the task's source without its readings */
    size_t events, point_count;   /* of its group and suite */
    size_t point;                 /* the present one, or the last */
    const uint64_t *iterations;   /* by point; 0: not measured */
    struct rc_arena arena;        /* of the arrays below */
    struct rc_measure_part *part; /* parts of the group, while armed */
    size_t part_count;
    bool *left_out;             /* by point: its kernel failed */
    struct rc_kernel **kernel;  /* by point: kept for the next repetition, or NULL */
    bool *spoiled;              /* by event: no sweep is repeated for it */
    struct rc_reading *reading; /* of one part */
    uint8_t *agreed;            /* by event, and one more: what a team agrees on */
    struct rc_stop_rule *stop_rule;
    uint64_t resident_bytes; /* before any kernel was kept; 0: not measured yet */
    uint64_t kernel_ns;      /* spent in sources and kernels so far */
    uint32_t tries;          /* sweeps that were discarded and repeated */
    bool given_up;           /* by 'pause' */
    char reason[256];        /* the first failure, or "" */
};

struct rc_measurer {
    /* Lives as long as the measurer. */
    struct rc_measurer_setup setup;
    struct rc_suite_request request;
    bool (*pause)(void *arg); /* may be NULL */
    void *pause_arg;
    struct rc_arena arena;          /* of the two lists: */
    const struct rc_suite **suite;  /* by the kind's suites; NULL: not in this build */
    struct rc_suite_points *points; /* likewise */

    struct rc_measure_unit unit;

    /* Lives until the next unit begins. */
    struct rc_record_readings sweeps; /* [repetition][event][point] */
    uint32_t repetitions, room;       /* of sweeps: done, allocated */
};

/* Prepares a unit and arms its group, after releasing the one before. */
int rc_measure_begin(struct rc_measurer *m, const struct rc_measure_task *task,
                     struct rc_error *err);
void rc_measure_release(struct rc_measurer *m);
bool rc_measure_all_spoiled(const struct rc_measurer *m);

/* Arms the group as a whole, or, if that fails, event by event.  Parts that cannot be
 * armed are spoiled; RC_ENOMEM is the only failure.
 */
int rc_measure_group(struct rc_measurer *m, uint32_t group, struct rc_error *err);
int rc_measure_group_singly(struct rc_measurer *m, uint32_t group,
                            struct rc_error *err);
void rc_measure_disarm(struct rc_measurer *m);

/* Makes the first failure the unit's reason. */
void rc_measure_blame(struct rc_measurer *m, const char *what, const char *why);

/* Makes one sweep into repetition number m->repetitions.  True: all of it is usable,
 * except the parts that are spoiled or left out already.
 */
bool rc_measure_sweep(struct rc_measurer *m);

/* After the last try: finds the events and points that made the sweep unusable, which
 * are spoiled or left out.  A group that fails as a whole is split first: single events
 * of it may count.
 */
int rc_measure_settle(struct rc_measurer *m, struct rc_error *err);

/* Resets the current repetition: nothing is known of it. */
void rc_measure_forget(struct rc_measurer *m);

/* Reads one point with all parts into the current repetition, and asks whether to give
 * the unit up; a team has the same status of each event then.
 */
void rc_measure_point(struct rc_measurer *m, size_t point);

#endif
