/* parts.h - functions by which the files of the preloaded library call each other,
 * without the MPI layer's */
#ifndef RC_CAMPAIGN_PROFILE_PRELOAD_PARTS_H
#define RC_CAMPAIGN_PROFILE_PRELOAD_PARTS_H

#include "campaign/profile/preload/preload.h"

#include <limits.h>
#include <sys/types.h>

/* The shared file: its path, and the numbers that tell it from another file that was
 * put in its place.
 */
struct rc_preload_file {
    char path[PATH_MAX];
    dev_t device;
    ino_t inode;
};

/* Opens the calling thread's events as one group, which counts from here on.  Returns
 * 0, or the errno of a failure, after which nothing is counted.
 */
int rc_preload_counters_open(void);

/* Reads their counts at time 'ticks'.  Returns 0, or an errno if nothing is counted.
 * Now and then it checks first that the file is still the events': a program that
 * closes files it did not open may have opened another one under that number.
 */
int rc_preload_counters_read(uint64_t ticks, struct rc_preload_counts *out);

/* Adds the counts between two readings to 'count', by event.  Adds nothing and returns
 * false if the events were not counted all the time.
 */
bool rc_preload_counters_add(const struct rc_preload_counts *from,
                             const struct rc_preload_counts *to, uint64_t *count);

/* Closes the files of this thread's events, unless the program has opened others under
 * their numbers.  A child of fork() calls it for the other threads of its parent, too.
 */
void rc_preload_counters_close(struct rc_preload_thread *thread);

/* Closes all open regions, and the root. */
void rc_preload_regions_end(struct rc_preload_block *block, uint64_t ticks);

/* Counts an instance of a region that waits for other threads where there are none, and
 * so takes no time; 'text' is a constant.  False: it was not counted, and is to begin
 * and end like any other, as one of the few that are measured to represent all, or
 * because events are counted.
 */
bool rc_preload_region_count(const char *text);

/* Whether no other thread of the process has a block. */
bool rc_preload_is_alone(void);

/* The number of a place in the program where teams of OpenMP are begun, by an address
 * in it.  0: the table has no room, or another thread takes too long to add the place.
 */
uint32_t rc_preload_openmp_place(uintptr_t address);

/* A new number for a team, never 0, by which its other threads find when it ended. */
uint32_t rc_preload_openmp_team(void);

/* The steps of a team.  Each of its threads begins its part, and then has done it and
 * waits for the others: 'number' is the team's, or 0 for the thread that leads the
 * team.  When all threads have done their parts the leading one ends the team; 'number'
 * is 0 there if no other thread asked for one.
 */
void rc_preload_openmp_begin(uint32_t place);
void rc_preload_openmp_done(uint32_t place, uint32_t number);
void rc_preload_openmp_end(uint32_t place, uint32_t number);

/* The calling thread, the only one of its team, has done its part, which ends the team.
 */
void rc_preload_openmp_done_alone(uint32_t place);

/* If the thread has left a team of OpenMP and its wait for the others is not in the
 * block yet, adds that wait.  Call it in the thread itself, between enter and leave, or
 * when the process ends.
 */
void rc_preload_openmp_waited(struct rc_preload_thread *thread);

/* Begins recording into the shared file, which is open as 'opened' and whose head is
 * mapped.  Blocks that this process had before an exec are closed.  The calling thread
 * claims its block now if the launcher started this process, or if events are counted.
 * 'self' is the value of RC_SHARED_SELF_VARIABLE, or NULL.  'thread_ends' is called in
 * each thread that ends with a block.
 */
void rc_preload_blocks_begin(const struct rc_preload_file *file, int opened,
                             const char *self, void (*thread_ends)(void *));

/* Releases the block of the calling thread, which ends at 'ticks'. */
void rc_preload_block_release(uint64_t ticks);

/* Ends the process: calls 'each_ends' for each thread that still has a block.  These
 * threads may still be writing, so their blocks stay open until the sampler finds that
 * the process is gone.
 */
void rc_preload_blocks_end(uint64_t ticks,
                           void (*each_ends)(struct rc_preload_thread *));

#endif
