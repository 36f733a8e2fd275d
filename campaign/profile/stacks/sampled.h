/* sampled.h - the threads and processes whose stacks are sampled, and their rings: the
 * inside of sampling.h, for sampling.c, sampled.c and sampled_ring.c alone.
 */
#ifndef RC_CAMPAIGN_PROFILE_STACKS_SAMPLED_H
#define RC_CAMPAIGN_PROFILE_STACKS_SAMPLED_H

#include "campaign/perf/perf.h"
#include "campaign/profile/stacks/frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A thread that is sampled, or was: its number is that in the records. */
struct rc_sampled_task {
    uint32_t pid, tid, number;
    int fd;
    struct rc_perf_ring ring;
    uint64_t period_ns, samples; /* since its period changed */
    bool there;
};

struct rc_sampled_process {
    uint32_t pid;
    int32_t rank;
    int folder;       /* /proc/PID/task; -1: it was not there */
    nlink_t links;    /* of that: they change with the number of threads */
    uint64_t scan_ns; /* when threads are looked for again */
    struct rc_profile_mappings mappings;
    bool gone, asked; /* asked for the children that it had before it was sampled */
};

struct rc_profile_sampling {
    struct rc_profile_writer *writer;
    struct perf_event_attr attr;
    uint64_t state; /* of random numbers */
    size_t ring_bytes;
    struct rc_sampled_process *process;
    struct rc_sampled_task *task;
    size_t processes, process_room, tasks, task_room;
    struct rc_profile_frames frames;
    uint64_t missed, begin_ns, write_ns;
    uint64_t samples;     /* all that came so far */
    uint64_t asked_ns;    /* processor time between two samples, as it is wanted */
    uint8_t limit, level; /* by how many halves there are fewer: for what a sample takes
                           * of the program, and for what reading it takes */
    uint8_t calm;         /* how often in turn there was room for more */
    double share;         /* of a thread's time, that it takes if none is left out */
    const char *why;      /* of threads that are not sampled, the last reason */
    uint64_t record[RC_PERF_RECORD_MOST / 8];
};

/* Processor time until the next sample of a thread, in ns: within a tenth around the
 * mean, at random; it is asked for again after each second of processor time.
 */
uint64_t rc_sampled_next_period(struct rc_profile_sampling *s);

/* Gives back the ring and the file of a thread. */
void rc_sampled_close(struct rc_sampled_task *task);

void rc_sampled_close_process(struct rc_sampled_process *process);

/* The threads of a process: those that are new are sampled from now on, those that are
 * there no more are marked as such.  A listing is only asked for where it is another
 * one than before, as far as the number of threads tells, and once a second; 'now' is
 * rc_clock_ns().
 */
void rc_sampled_scan(struct rc_profile_sampling *s, struct rc_sampled_process *process,
                     uint64_t now);

/* The process of that number, or NULL; the next rc_sampled_add() moves it. */
struct rc_sampled_process *rc_sampled_find(const struct rc_profile_sampling *s,
                                           uint32_t pid);

/* Has the threads of a process sampled, too; without memory for it, does nothing. */
void rc_sampled_add(struct rc_profile_sampling *s, uint32_t pid, int32_t rank);

/* Adds the children that process 'number' has by now.  The ring reports later ones. */
void rc_sampled_add_children(struct rc_profile_sampling *s, size_t number);

/* Gives back threads and processes that have ended, after their rings were read. */
void rc_sampled_forget_ended(struct rc_profile_sampling *s);

/* Counts the samples in the ring of thread 'number' and follows its other records:
 * forks, new mappings, new programs.
 */
void rc_sampled_read_ring(struct rc_profile_sampling *s, size_t number);

#endif
