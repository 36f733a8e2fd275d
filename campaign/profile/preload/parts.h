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

/* What they have counted: 0, or errno if nothing is counted (any more).  Once in a
 * while, by 'ticks', it is looked first whether the file is still theirs: a program
 * that closes files which it did not open may have opened others in their place.
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

/* Begins with the shared file, which is open as 'opened' and has its head mapped: the
 * block of this process before an exec is closed, a thread that was started to be
 * profiled claims its own.  'self' is the launcher's variable of that name, or NULL.
 * 'thread_ends' is called in each thread that ends with a block.
 */
void rc_preload_blocks_begin(const struct rc_preload_file *file, int opened,
                             const char *self, void (*thread_ends)(void *));

/* The calling thread lets go of its block. */
void rc_preload_block_release(uint64_t ticks);

/* The process ends, and so do the threads that still have a block.  They may be
 * writing: their blocks stay open until the sampler finds that the process is gone.
 */
void rc_preload_blocks_end(uint64_t ticks);

#endif
