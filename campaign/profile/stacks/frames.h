/* frames.h - sampled stacks as one tree of frames with counts, and what of it is
 * written
 *
 * Inside of the sampler only.  A frame is a place in a file that was called from the
 * frames outside of it; each is written once, and counts since the last record.
 */
#ifndef RC_CAMPAIGN_PROFILE_STACKS_FRAMES_H
#define RC_CAMPAIGN_PROFILE_STACKS_FRAMES_H

#include "campaign/profile/stacks/sampling.h"

struct rc_profile_frames {
    struct rc_profile_modules modules;
    struct rc_profile_task *task;   /* as they are written */
    struct rc_profile_frame *frame; /* by number - 1 */
    struct rc_profile_stack_count *count;
    size_t tasks, task_room, frames, frame_room, counts, count_room;
    struct rc_map frame_map, count_map;
    size_t modules_written, tasks_written, frames_written;
    uint64_t taken, taken_ns; /* samples, and what they stand for */
    uint64_t lost, full;      /* samples; of which inner frames had no room */
    uint64_t brief, deep;     /* samples whose outer frames were out of reach */
};

/* 0, or -1: no memory.  rc_profile_frames_fini() in any case. */
int rc_profile_frames_init(struct rc_profile_frames *frames);
void rc_profile_frames_fini(struct rc_profile_frames *frames);

/* Finds out where programs and threads start, which is where a whole stack ends. */
void rc_profile_frames_find_starts(struct rc_profile_frames *frames);

/* The number of a thread that is new.  -1: no memory. */
int rc_profile_frames_task(struct rc_profile_frames *frames,
                           const struct rc_profile_task *task, uint32_t *number);

/* A sample: 'place' are where the thread was and who called it, innermost first; there
 * are none where that is not known.  'kernel': it worked for the innermost; 'cut' is
 * why there are no more.
 */
void rc_profile_frames_add(struct rc_profile_frames *frames, uint32_t task,
                           const struct rc_profile_frame *place, size_t count,
                           bool kernel, enum rc_profile_cut cut, uint64_t period_ns);

/* Whether it is to be written soon, lest samples be lost; whether there is anything. */
bool rc_profile_frames_crowded(const struct rc_profile_frames *frames);
bool rc_profile_frames_new(const struct rc_profile_frames *frames);

/* Writes what is new: 'also' says what else is in the record (kernel, missed, why, and
 * the period where there were no samples).  False: there is no room on the disk, later.
 */
bool rc_profile_frames_write(struct rc_profile_frames *frames,
                             const struct rc_profile_stacks *also,
                             struct rc_profile_writer *writer);

#endif
