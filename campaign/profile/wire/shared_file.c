/* The file in /dev/shm that the processes of a launch on a node share with the sampler.
 *
 * Its name has the user and the key of the job, so that the ranks of a node find it
 * without messages.  It has two locks: flock() is held by one launcher at a time, and a
 * lock of the open file (F_OFD_SETLK) by the sampler as long as it lives.  A file
 * without the sampler's lock is left over, and the next launcher removes it.
 */
#include "campaign/profile/wire/shared_file.h"

#include "campaign/base/clock.h"
#include "campaign/profile/wire/ticks.h"
#include "kernels/detour.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "/dev/shm"

enum {
    BLOCKS = 4096,     /* threads that can have a block at once */
    BLOCKS_LEAST = 16, /* the same where large files are not allowed */
    TRIES = 100,       /* to open a file that others remove meanwhile */
    SPIN_NS = 200000,  /* in which the two clocks are compared */
};

static size_t block_at(uint32_t number)
{
    return RC_SHARED_HEAD + (size_t)number * RC_SHARED_BLOCK;
}

/* Whether a sampler holds its lock on the file. */
static bool is_in_use(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Removes files of this user that no sampler and no launcher holds. */
static void sweep_left_over(void)
{
    char prefix[32], path[320];
    DIR *folder = opendir(FOLDER);
    struct dirent *entry;

    if (!folder)
        return;
    snprintf(prefix, sizeof prefix, "rollcall-%u-", geteuid());
    while ((entry = readdir(folder))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        snprintf(path, sizeof path, FOLDER "/%s", entry->d_name);
        const int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && !is_in_use(fd))
            unlink(path);
        if (fd >= 0)
            close(fd);
    }
    closedir(folder);
}

/* Checks that this user owns the file, and that no other may read it. */
static int check_owner(int fd, const char *path, struct rc_error *err)
{
    struct stat file;

    if (fstat(fd, &file) != 0)
        return rc_fail_errno(err, "cannot examine '%s'", path);
    if (!S_ISREG(file.st_mode) || file.st_uid != geteuid() || (file.st_mode & 077))
        return rc_fail(err, RC_EPERM,
                       "'%s' is not this user's own file, expected one that only its "
                       "owner may read and write",
                       path);
    return RC_OK;
}

/* Opens the file, or makes it, and waits for its lock.  Tries again if the file was
 * removed meanwhile.
 */
static int open_locked(struct rc_profile_shared *shared, struct rc_error *err)
{
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat here, there;
    int status;

    for (int i = 0; i < TRIES; i++) {
        shared->fd = open(shared->path, flags, 0600);
        if (shared->fd < 0)
            return rc_fail_errno(err, "cannot make '%s'", shared->path);
        if ((status = check_owner(shared->fd, shared->path, err)) != RC_OK)
            return status;
        while (flock(shared->fd, LOCK_EX) != 0)
            if (errno != EINTR)
                return rc_fail_errno(err, "cannot lock '%s'", shared->path);
        if (fstat(shared->fd, &here) == 0 && stat(shared->path, &there) == 0 &&
            here.st_ino == there.st_ino && here.st_dev == there.st_dev) {
            shared->first = here.st_size == 0;
            return RC_OK;
        }
        close(shared->fd);
        shared->fd = -1;
    }
    return rc_fail(err, RC_EIO, "'%s' is removed by something else again and again",
                   shared->path);
}

static int map_head(struct rc_profile_shared *shared, struct rc_error *err)
{
    void *head =
        mmap(NULL, RC_SHARED_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);

    if (head == MAP_FAILED)
        return rc_fail_errno(err, "cannot map '%s'", shared->path);
    shared->head = head;
    return RC_OK;
}

/* Makes the file as long as limits of file sizes allow; blocks take memory once they
 * are used.
 */
static int make_file(struct rc_profile_shared *shared, struct rc_error *err)
{
    uint32_t blocks = BLOCKS;
    int failed, status;

    while (ftruncate(shared->fd, (off_t)block_at(blocks)) != 0) {
        if (blocks <= BLOCKS_LEAST)
            return rc_fail_errno(err, "cannot make '%s' large enough", shared->path);
        blocks /= 2;
    }
    if ((failed = posix_fallocate(shared->fd, 0, RC_SHARED_HEAD)) != 0) {
        errno = failed;
        return rc_fail_errno(err, "no room for '%s'", shared->path);
    }
    if ((status = map_head(shared, err)) != RC_OK)
        return status;
    shared->head->version = RC_SHARED_VERSION;
    shared->head->block_most = blocks;
    shared->head->clock =
        rc_detour_check_clock(NULL) == RC_OK ? RC_SHARED_COUNTER : RC_SHARED_NS;
    /* Two moments, and how long a tick takes by them. */
    const uint64_t began = rc_clock_raw_ns(), ticks = rc_ticks(shared->head->clock);
    uint64_t now;
    do
        now = rc_clock_raw_ns();
    while (now - began < SPIN_NS);
    shared->head->anchor_ticks = rc_ticks(shared->head->clock);
    shared->head->anchor_ns = rc_clock_raw_ns();
    const uint64_t passed = shared->head->anchor_ticks - ticks;
    shared->head->ticks_ns = UINT64_C(1) << 32;
    if (shared->head->clock == RC_SHARED_COUNTER && passed > 0)
        shared->head->ticks_ns = (uint64_t)((double)(shared->head->anchor_ns - began) /
                                            (double)passed * 4294967296.0);
    return RC_OK;
}

int rc_profile_shared_join(uint64_t key, struct rc_profile_shared *out,
                           struct rc_error *err)
{
    int status = RC_OK;

    *out = (struct rc_profile_shared){.fd = -1};
    snprintf(out->path, sizeof out->path, FOLDER "/rollcall-%u-%016llx", geteuid(),
             (unsigned long long)key);
    sweep_left_over();
    for (int i = 0; i < TRIES; i++) {
        status = open_locked(out, err);
        if (status == RC_OK)
            status = out->first ? make_file(out, err) : map_head(out, err);
        if (status != RC_OK || out->first)
            break;
        if (out->head->magic == RC_SHARED_MAGIC && is_in_use(out->fd))
            return RC_OK;
        rc_profile_shared_close(out, true); /* left over since just now */
    }
    if (status == RC_OK && !out->first)
        status = rc_fail(
            err, RC_EIO,
            "'%s' was left over by another process and is still in the way", out->path);
    if (status != RC_OK)
        rc_profile_shared_close(out, out->first);
    return status;
}

void rc_profile_shared_unlock(struct rc_profile_shared *shared)
{
    flock(shared->fd, LOCK_UN);
}

void rc_profile_shared_close(struct rc_profile_shared *shared, bool remove)
{
    if (remove)
        unlink(shared->path);
    if (shared->head)
        munmap(shared->head, RC_SHARED_HEAD);
    if (shared->fd >= 0)
        close(shared->fd);
    shared->head = NULL;
    shared->fd = -1;
}

int rc_profile_shared_reopen(struct rc_profile_shared *shared, struct rc_error *err)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};
    const int fd = open(shared->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0)
        return rc_fail_errno(err, "cannot open '%s'", shared->path);
    close(shared->fd);
    shared->fd = fd;
    if (fcntl(fd, F_OFD_SETLK, &lock) != 0)
        return rc_fail_errno(err, "cannot lock '%s'", shared->path);
    return RC_OK;
}

bool rc_profile_shared_try_lock(struct rc_profile_shared *shared)
{
    return flock(shared->fd, LOCK_EX | LOCK_NB) == 0;
}

struct rc_shared_block *rc_profile_shared_block(const struct rc_profile_shared *shared,
                                                uint32_t number)
{
    void *block = mmap(NULL, RC_SHARED_BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED,
                       shared->fd, (off_t)block_at(number));

    return block == MAP_FAILED ? NULL : block;
}

/* Notes on which CPUs this process may run.  That is done before MPI_Init, in which a
 * process may visit CPU after CPU to examine them.
 */
static void enter_cpus(struct rc_shared *head)
{
    cpu_set_t own;

    if (sched_getaffinity(0, sizeof own, &own) != 0)
        return;
    for (size_t cpu = 0; cpu < RC_SHARED_CPUS; cpu++)
        if (CPU_ISSET(cpu, &own))
            atomic_fetch_or(&head->cpus[cpu / 64], UINT64_C(1) << cpu % 64);
}

void rc_profile_shared_enter(struct rc_profile_shared *shared, int rank)
{
    struct rc_shared *head = shared->head;
    const uint32_t count = atomic_load(&head->process_count);
    const uint32_t pid = (uint32_t)getpid();

    enter_cpus(head);
    if (count >= RC_SHARED_PROCESSES)
        return; /* its blocks will show that it was there */
    head->process[count] =
        (struct rc_shared_process){pid, rank, rc_profile_process_began(pid)};
    if (count == 0)
        head->program_began_ns = rc_clock_raw_ns();
    atomic_store(&head->process_count, count + 1);
}
