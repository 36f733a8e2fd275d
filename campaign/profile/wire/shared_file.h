/* shared_file.h - the memory that launchers, the program and the sampler share */
#ifndef RC_CAMPAIGN_PROFILE_WIRE_SHARED_FILE_H
#define RC_CAMPAIGN_PROFILE_WIRE_SHARED_FILE_H

#include "campaign/base/error.h"
#include "campaign/profile/wire/shared.h"

#include <stdbool.h>
#include <stdint.h>

/* The file in memory that all processes of a launch on this node share. */
struct rc_profile_shared {
    char path[64];
    int fd;
    struct rc_shared *head;
    bool first; /* this process made it, and has to start a sampler */
};

/* Finds the file or makes it; it is locked against other launchers then, until
 * rc_profile_shared_unlock().  A file that an earlier launch has left is removed.
 */
int rc_profile_shared_join(uint64_t key, struct rc_profile_shared *out,
                           struct rc_error *err);
void rc_profile_shared_unlock(struct rc_profile_shared *shared);
void rc_profile_shared_close(struct rc_profile_shared *shared, bool remove);

/* In the sampler: opens the file again, so that its locks are the sampler's own; from
 * then on it is in use.  try_lock() takes the launchers' lock; false: one of them has
 * it.
 */
int rc_profile_shared_reopen(struct rc_profile_shared *shared, struct rc_error *err);
bool rc_profile_shared_try_lock(struct rc_profile_shared *shared);

/* Block 'number' mapped, or NULL; free it with munmap(). */
struct rc_shared_block *rc_profile_shared_block(const struct rc_profile_shared *shared,
                                                uint32_t number);

/* Enters this process, which is about to become the program. */
void rc_profile_shared_enter(struct rc_profile_shared *shared, int rank);

/* When a process began, in ticks since the system's start; 0: there is none. */
uint64_t rc_profile_process_began(uint32_t pid);

#endif
