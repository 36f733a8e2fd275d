/* samples.h - samples of the stacks of a node's threads, as its journal has them
 *
 * Part of struct rc_profile_node.  Numbers refer to the lists that are here.
 */
#ifndef RC_CAMPAIGN_PROFILE_READ_SAMPLES_H
#define RC_CAMPAIGN_PROFILE_READ_SAMPLES_H

#include "campaign/base/arena.h"
#include "campaign/base/map.h"
#include "campaign/profile/wire/records.h"

/* All samples of a thread in one frame. */
struct rc_profile_sampled {
    uint64_t task, frame, samples; /* as in struct rc_profile_stack_count */
    double ns;                     /* of processor time that they stand for */
};

struct rc_profile_samples {
    struct rc_profile_module *module; /* by number - 1 */
    struct rc_profile_frame *frame;   /* by number - 1; callers come first */
    struct rc_profile_task *task;
    struct rc_profile_sampled *count; /* one for each task and frame */
    size_t modules, frames, tasks, counts;
    uint64_t records; /* 0: nothing was to be sampled */
    bool kernel;      /* as in struct rc_profile_stacks, as those that follow */
    uint64_t total;   /* of all counts */
    double ns;        /* of processor time that these stand for */
    double squares;   /* the squares of the time of each, added up */
    uint64_t lost, full, missed, stack_bytes, brief, deep;
    const char *why; /* the last reason, or "" */

    size_t module_room, frame_room, task_room, count_room; /* for the reader alone */
    struct rc_map map;                                     /* of counts */
};

/* First of all, with zeros. */
void rc_profile_samples_begin(struct rc_profile_samples *samples);

/* Takes a record in, whose texts live as long as the samples.  RC_EUSAGE: it refers to
 * what is not there, as where a record before it is lost; then nothing has changed.  A
 * lack of memory is noted in 'memory'.
 */
int rc_profile_samples_take(struct rc_profile_samples *samples,
                            const struct rc_profile_stacks *stacks,
                            struct rc_arena *memory, struct rc_error *err);
void rc_profile_samples_fini(struct rc_profile_samples *samples);

#endif
