/* parts.h - what the launcher and the sampler of a profile share
 *
 * Inside of campaign/profile/ only.  The launcher is the process that becomes the
 * program; the sampler is started by the first launcher of a node and stays until the
 * program has gone.
 */
#ifndef RC_CAMPAIGN_PROFILE_PARTS_H
#define RC_CAMPAIGN_PROFILE_PARTS_H

#include "campaign/profile/passes/program.h"
#include "campaign/profile/wire/records.h"
#include "campaign/profile/wire/shared.h"
#include "campaign/spec/patterns.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define RC_PROFILE_LAUNCHES "launches.txt" /* in DIR: see launches.c */

/* How far stacks are followed: KiB of one that the kernel copies at most; calls in
 * these, and by frame pointers, as the kernel is set.
 */
enum {
    RC_PROFILE_STACK_KIB = 63,
    RC_PROFILE_PLACES = 256,
    RC_PROFILE_POINTERS = 127,
};

/* What is to be profiled, and how.  The strings live as long as the process. */
struct rc_profile_plan {
    char dir[PATH_MAX];  /* absolute */
    char here[PATH_MAX]; /* where the program is started */
    uint64_t began_ns;   /* by the raw clock: the launcher */
    char *const *word;   /* the program's command line, ended by NULL */
    size_t word_count;
    struct rc_patterns patterns; /* the default ones, then the user's */
    size_t default_count;        /* of patterns */
    const char *const *source;   /* "sysfs", "pcp:HOST": of series */
    size_t source_count;
    uint64_t period_ns, every; /* of series; of regions */
    uint64_t stacks_hz;        /* samples of stacks a second; 0: none */
    uint64_t stack_bytes;      /* of the stack are copied, so that callers without frame
                                * pointers are found; 0: they are not */
    uint64_t passes;     /* that events of threads are spread over; 0: all at once */
    uint64_t budget_ppm; /* of the program's time, which the profile may take */
    bool fewest;         /* these are as few as count all, not a number of the user's */
    const char *metrics; /* a campaign, whose metrics are to be counted; or NULL */
    const char *const *tree; /* trees whose events are to be counted; or NULL */
    bool trace, no_waiting;
    char node[128];
    struct rc_journal_id id; /* these four by rc_profile_launches_add() */
    uint64_t launch;
    uint64_t pass;   /* of the launch, where there are passes */
    uint32_t writer; /* of the first sampler; who comes after it adds 1 */
};

/* Notes in DIR/launches.txt that a sampler begins on this node, and says in 'plan'
 * whose records it writes.  'key' is that of the job: launches with the same one are
 * one launch on several nodes.  RC_EUSAGE: DIR is a campaign's, or the file is not what
 * it should be.
 */
int rc_profile_launches_add(struct rc_profile_plan *plan, uint64_t key,
                            struct rc_error *err);

/* The file in memory that all processes of a launch on this node share. */
struct rc_profile_shared {
    char path[64];
    int fd;
    struct rc_shared *head;
    bool first; /* it has been made by this process, which is to start a sampler */
};

/* Finds the file or makes it; it is locked against other launchers then, until
 * rc_profile_shared_unlock().  What an earlier launch left behind is removed.
 */
int rc_profile_shared_join(uint64_t key, struct rc_profile_shared *out,
                           struct rc_error *err);
void rc_profile_shared_unlock(struct rc_profile_shared *shared);
void rc_profile_shared_close(struct rc_profile_shared *shared, bool remove);

/* In the sampler: the file opened anew, so that its locks are the sampler's own; from
 * then on it is in use.  Without a lock that launchers have: false, try again later.
 */
int rc_profile_shared_reopen(struct rc_profile_shared *shared, struct rc_error *err);
bool rc_profile_shared_try_lock(struct rc_profile_shared *shared);

/* Block 'number' mapped, or NULL; free it with munmap(). */
struct rc_shared_block *rc_profile_shared_block(const struct rc_profile_shared *shared,
                                                uint32_t number);

/* Enters this process, which is about to become the program. */
void rc_profile_shared_enter(struct rc_profile_shared *shared, int rank);

/* Starts the sampler, which is no child of this process, and waits until it is ready or
 * says why it cannot be; RC_EIO: it was killed before.
 */
int rc_profile_sampler_start(const struct rc_profile_plan *plan,
                             struct rc_profile_shared *shared, struct rc_error *err);

/* Puts records into the journal. */
struct rc_profile_writer {
    struct rc_journal *journal;
    struct rc_bytes bytes;
    struct rc_error err; /* the last one */
};
int rc_profile_put(struct rc_profile_writer *writer,
                   const struct rc_profile_payload *payload);

/* Ticks in ns of CLOCK_MONOTONIC_RAW: a line through the last two moments at which both
 * clocks were read.
 */
struct rc_profile_clock {
    uint32_t kind; /* enum rc_shared_clock */
    uint64_t ticks, ns;
    double ns_per_tick;
};
void rc_profile_clock_begin(struct rc_profile_clock *clock,
                            const struct rc_shared *head);
void rc_profile_clock_update(struct rc_profile_clock *clock);
uint64_t rc_profile_clock_ns(const struct rc_profile_clock *clock, uint64_t ticks);
double rc_profile_clock_lasted(const struct rc_profile_clock *clock, uint64_t ticks);

/* What processes have taken, as series of the program's own. */
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
    uint64_t gone[RC_PROFILE_TAKEN]; /* what those had taken that were forgotten */
    uint64_t
        ended_ns; /* by the raw clock, when the end of one was seen last; 0: none */
    bool unread;  /* the bytes of some cannot be read */
    bool resumed; /* by a sampler that took the place of another, which has written what
                   * processes had taken: what they take from now on is counted */
};
/* One that is there already stays as it is, also if it has ended and is not forgotten
 * yet: it has a block for each program that it executed.  NULL: no memory.
 */
struct rc_profile_process *rc_profile_watch_add(struct rc_profile_watch *watch,
                                                uint32_t pid, int32_t rank,
                                                uint64_t began);
/* Waits until 'until_ns' of rc_clock_ns(), or until a process ends. */
void rc_profile_watch_wait(struct rc_profile_watch *watch, uint64_t until_ns);
const struct rc_profile_process *
rc_profile_watch_find(const struct rc_profile_watch *watch, uint32_t pid);
/* What all have taken so far. */
void rc_profile_watch_taken(struct rc_profile_watch *watch,
                            uint64_t out[RC_PROFILE_TAKEN]);
void rc_profile_watch_forget(struct rc_profile_watch *watch); /* those that are gone */
/* When a process began, in ticks since the system's start; 0: there is none. */
uint64_t rc_profile_process_began(uint32_t pid);

/* How much of a thread's time it ran, as the kernel's scheduler counts it: read again
 * and again while the thread is there, and written in stretches, short ones while it
 * waits for a processor.
 */
struct rc_profile_running {
    char path[64];
    int fd;                     /* of that file; -1: opened anew each time */
    struct rc_profile_run last; /* 'at_ns' of the last reading, and totals then */
    struct rc_profile_run next; /* what is to be written; 'since_ns' 0: nothing */
};
void rc_profile_running_begin(struct rc_profile_running *running, uint64_t place,
                              uint32_t pid, uint32_t tid, bool keep_open);
/* With 'all' all that is known is written now. */
void rc_profile_running_round(struct rc_profile_running *running, bool all,
                              struct rc_profile_writer *writer);
void rc_profile_running_end(struct rc_profile_running *running); /* no more is read */

/* The blocks of threads, read out. */
struct rc_profile_drain;
int rc_profile_drain_open(const struct rc_profile_shared *shared,
                          struct rc_profile_writer *writer,
                          struct rc_profile_drain **out, struct rc_error *err);
void rc_profile_drain_close(struct rc_profile_drain *drain); /* accepts NULL */

/* Writes what is new; with 'rows' rows that changed, too.  Blocks whose thread has
 * ended, or whose process is gone, are read out to their end and made free.  What could
 * not be written stays where it is.
 */
void rc_profile_drain_round(struct rc_profile_drain *drain,
                            struct rc_profile_watch *watch, bool rows);
size_t rc_profile_drain_open_blocks(const struct rc_profile_drain *drain);
/* So far, of all blocks: numbers for struct rc_profile_cost. */
void rc_profile_drain_totals(const struct rc_profile_drain *drain,
                             struct rc_profile_cost *out);

/* The block of that number and the number of its place, as long as a thread has it;
 * NULL: none has.
 */
struct rc_shared_block *rc_profile_drain_block(const struct rc_profile_drain *drain,
                                               uint32_t number, uint64_t *place);

/* What the program's own processes take, as a source of series, which has no open(). */
extern const struct rc_source rc_profile_source_program;
struct rc_source_state;
int rc_profile_program_open(struct rc_profile_watch *watch,
                            struct rc_source_state **out, struct rc_error *err);

/* Gauges: what gives series, readings that sources say of the node and its parts. */
struct rc_profile_gauges;
/* Events of one source that are read together. */
struct rc_profile_gauge {
    size_t event; /* the first of them, as they were announced */
    double ns;    /* processor time of a reading: of the last ones, also after open() */
    uint8_t level; /* they are read in each 2^level-th round: the governor's */
};
size_t rc_profile_gauges_count(const struct rc_profile_gauges *gauges);
struct rc_profile_gauge *rc_profile_gauges_at(struct rc_profile_gauges *gauges,
                                              size_t group);
int rc_profile_gauges_open(const struct rc_profile_plan *plan,
                           struct rc_profile_watch *watch, bool *used,
                           struct rc_profile_gauges **out, struct rc_error *err);
void rc_profile_gauges_close(struct rc_profile_gauges *gauges); /* accepts NULL */
int rc_profile_gauges_announce(struct rc_profile_gauges *gauges,
                               struct rc_profile_writer *writer);
/* Reads what is due in this round by its level, or all. */
void rc_profile_gauges_read(struct rc_profile_gauges *gauges, bool all);
void rc_profile_gauges_write(struct rc_profile_gauges *gauges,
                             struct rc_profile_writer *writer);

#endif
