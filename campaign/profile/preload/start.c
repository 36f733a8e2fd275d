/* start.c - begins recording when a process begins, if there is a shared file, and ends
 * it when the process ends */
#include "campaign/profile/preload/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

RC_PRELOAD_EXPORT extern const struct rc_shared_mark rc_preload_version;
const struct rc_shared_mark rc_preload_version = {RC_SHARED_MARK, RC_SHARED_VERSION};

/* Whether this library can use a file of this size with this head. */
static bool head_fits(const struct rc_shared *head, off_t bytes)
{
    const uint32_t most =
        (RC_SHARED_HEAD - offsetof(struct rc_shared, state)) / sizeof head->state[0];
    return head->magic == RC_SHARED_MAGIC && head->version == RC_SHARED_VERSION &&
           head->block_most <= most && head->event_count <= RC_SHARED_COUNTERS &&
           bytes >= RC_SHARED_HEAD + (off_t)head->block_most * RC_SHARED_BLOCK;
}

/* Maps the head of the shared file: NULL unless it is this user's own. */
static struct rc_shared *head_map(int opened, struct rc_preload_file *file)
{
    struct stat is;
    if (fstat(opened, &is) || !S_ISREG(is.st_mode) || is.st_uid != geteuid() ||
        is.st_mode & (S_IRWXG | S_IRWXO) || is.st_size < RC_SHARED_HEAD)
        return NULL;
    file->device = is.st_dev;
    file->inode = is.st_ino;
    void *memory =
        mmap(NULL, RC_SHARED_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (head_fits(memory, is.st_size))
        return memory;
    munmap(memory, RC_SHARED_HEAD);
    return NULL;
}

/* Called when a thread ends.  Nothing it does later is recorded. */
static void thread_ends(void *unused)
{
    struct rc_preload_thread *self = &rc_preload_self;
    uint64_t ticks = rc_preload_ticks();
    (void)unused;
    self->busy = self->refused = true;
    if (!self->block)
        return;
    rc_preload_openmp_waited(self);
    rc_preload_regions_end(self->block, ticks);
    rc_preload_block_release(ticks);
}

static void process_ends(void);

__attribute__((constructor)) static void process_begins(void)
{
    struct rc_preload_file file;
    const char *path = secure_getenv(RC_SHARED_PATH_VARIABLE);
    int kept = errno;
    if (!path ||
        snprintf(file.path, sizeof file.path, "%s", path) >= (int)sizeof file.path)
        return;
    int opened = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (opened >= 0) {
        const struct rc_shared *head = rc_preload_head = head_map(opened, &file);
        if (head) {
            rc_preload_ends = process_ends;
            rc_preload_said = (struct rc_preload_said){
                head->clock, head->trace, head->ticks_ns, head->long_ticks};
            rc_preload_blocks_begin(
                &file, opened, secure_getenv(RC_SHARED_SELF_VARIABLE), thread_ends);
        }
        close(opened);
    }
    errno = kept;
}

__attribute__((destructor)) static void process_ends(void)
{
    int kept = errno;
    if (!atomic_exchange(&rc_preload_on, false))
        return;
    thread_ends(NULL);
    rc_preload_blocks_end(rc_preload_ticks(), rc_preload_openmp_waited);
    errno = kept;
}
