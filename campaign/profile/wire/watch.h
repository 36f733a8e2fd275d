/* watch.h - the processes of the program */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_WATCH_H
#define RC_CAMPAIGN_PROFILE_WIRE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Resources that processes take: each is a series of the program. */
enum rc_profile_taken {
    RC_PROFILE_CPU_NS,
    RC_PROFILE_PAGE_FAULTS,
    RC_PROFILE_BYTES_READ, /* by all kinds of files */
    RC_PROFILE_BYTES_WRITTEN,
    RC_PROFILE_TAKEN
};

/* The processes of the program. */
struct rc_profile_process {
    uint32_t pid;
    int32_t rank;
    uint64_t began; /* as in struct rc_shared_process; 0: not known */
    uint64_t taken[RC_PROFILE_TAKEN];
    int fd;             /* of the process; -1: the system has none, or it is gone */
    int stat_fd, io_fd; /* of /proc/PID/stat and io, or -1 */
    clockid_t clock;    /* of its processor time, if 'timed' */
    bool timed;
    bool gone;
};
struct rc_profile_watch {
    struct rc_profile_process *process;
    size_t count, room;
    uint64_t gone[RC_PROFILE_TAKEN]; /* sums over processes that were forgotten */
    uint64_t
        ended_ns; /* by the raw clock, when the end of one was seen last; 0: none */
    bool unread;  /* the bytes of some cannot be read */
};
/* Adds a process.  One that is there already stays as it is, even if it has ended and
 * is not forgotten yet: it has a block for each program that it executed.  NULL: no
 * memory.
 */
struct rc_profile_process *rc_profile_watch_add(struct rc_profile_watch *watch,
                                                uint32_t pid, int32_t rank,
                                                uint64_t began);
/* Waits until 'until_ns' of rc_clock_ns(), or until a process ends. */
void rc_profile_watch_wait(struct rc_profile_watch *watch, uint64_t until_ns);
const struct rc_profile_process *
rc_profile_watch_find(const struct rc_profile_watch *watch, uint32_t pid);
/* The process told its processor time as it ended. */
void rc_profile_watch_told(struct rc_profile_watch *watch, uint32_t pid,
                           uint64_t cpu_ns);
/* The resources that all processes have taken so far. */
void rc_profile_watch_taken(struct rc_profile_watch *watch,
                            uint64_t out[RC_PROFILE_TAKEN]);
void rc_profile_watch_forget(struct rc_profile_watch *watch); /* those that are gone */

#endif
