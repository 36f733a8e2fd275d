/* parts.h - what the files of the preloaded library call of each other, but for the MPI
 * layer */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_PARTS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_PARTS_H

#include "campaign/profile/preload/preload.h"

#include <limits.h>
#include <sys/types.h>

/* The shared file: its path, and what it is known by should another come in its place.
 */
struct rc_preload_file {
    char path[PATH_MAX];
    dev_t device;
    ino_t inode;
};

/* Opens the calling thread's events as one group, which counts from here on.  0, or
 * errno where that fails: then nothing is counted.
 */
int rc_preload_counters_open(void);

/* Reads their counts: 0, or errno if nothing is counted (any more).  Once in a while,
 * by 'ticks', it is looked first whether the file is still theirs: a program that
 * closes files which it did not open may have opened others in their place.
 */
int rc_preload_counters_read(uint64_t ticks, struct rc_preload_counts *out);

/* Adds what was counted between two readings to 'count', by event: false if a counter
 * did not count all the time, then nothing is added.
 */
bool rc_preload_counters_add(const struct rc_preload_counts *from,
                             const struct rc_preload_counts *to, uint64_t *count);

/* Closes the files of this thread's events, where they still are theirs; in a child
 * also those of a thread that did not come along.
 */
void rc_preload_counters_close(struct rc_preload_thread *thread);

/* Closes all regions that are open, and the root. */
void rc_preload_regions_end(struct rc_preload_block *block, uint64_t ticks);

/* Counts an instance of a region that takes no time, as nobody is there to wait for;
 * 'text' is a constant.  False: it is one of the few that are measured for all, or
 * counts are wanted: it is to begin and end as others do.
 */
bool rc_preload_region_count(const char *text);

/* Whether no other thread of the process has a block. */
bool rc_preload_is_alone(void);

/* The number of a place in the program where teams of OpenMP are begun, by an address
 * in it.  0: there is no room, or another thread is just adding it.
 */
uint32_t rc_preload_openmp_place(uintptr_t address);

/* A number for a team, by which threads other than the one that leads it know it. */
uint32_t rc_preload_openmp_team(void);

/* The calling thread begins its part of a team, or has come to its end and waits for
 * the others: 'number' is the team's, or 0 for the thread that leads it, which says
 * with rc_preload_openmp_end() that all have come; 'number' is 0 there if no other
 * thread knows one.
 */
void rc_preload_openmp_begin(uint32_t place);
void rc_preload_openmp_done(uint32_t place, uint32_t number);
void rc_preload_openmp_end(uint32_t place, uint32_t number);

/* The calling thread, which was the whole team, has ended its part: both of the above.
 */
void rc_preload_openmp_done_alone(uint32_t place);

/* Adds the wait of a thread for the others of the team of OpenMP that it has left, if
 * there is one: by the thread itself between enter and leave, or when the process ends.
 */
void rc_preload_openmp_waited(struct rc_preload_thread *thread);

/* Begins with the shared file, which is open as 'opened' and has its head mapped: the
 * block of this process before an exec is closed, a thread that was started to be
 * profiled claims its own.  'self' is the launcher's variable of that name, or NULL.
 * 'thread_ends' is called in each thread that ends with a block.
 */
void rc_preload_blocks_begin(const struct rc_preload_file *file, int opened,
                             const char *self, void (*thread_ends)(void *));

/* The calling thread lets go of its block. */
void rc_preload_block_release(uint64_t ticks);

/* The process ends, and so do the threads that still have a block, of which each is
 * given to 'each_ends'.  They may be writing: their blocks stay open until the sampler
 * finds that the process is gone.
 */
void rc_preload_blocks_end(uint64_t ticks,
                           void (*each_ends)(struct rc_preload_thread *));

#endif
