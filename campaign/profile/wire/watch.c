/* The processes of the program: whether they still run, and the resources that they
 * took.
 */
#include "campaign/profile/wire/watch.h"
#include "campaign/profile/wire/shared_file.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    POLLED_MOST = 256, /* processes whose end wakes the sampler at once */
    OPEN_MOST = 256,   /* processes whose files stay open; of others only time and page
                        * faults are read, more slowly */
};

/* Fields of /proc/PID/stat after the process's name, which may hold anything. */
struct process_stat {
    char state;
    uint64_t faults, hard_faults; /* without and with reading from a disk */
    uint64_t began;               /* ticks of the system's clock */
};

static int open_file(uint32_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/%s", pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static int read_file(int fd, char *text, size_t room)
{
    const ssize_t bytes = pread(fd, text, room - 1, 0);

    text[bytes > 0 ? bytes : 0] = 0;
    return bytes > 0 ? 0 : -1;
}

static int read_stat_of(int fd, struct process_stat *out)
{
    char text[1024];

    if (read_file(fd, text, sizeof text) != 0)
        return -1;
    const char *behind = strrchr(text, ')');
    return behind && sscanf(behind + 1,
                            " %c %*s %*s %*s %*s %*s %*s %" SCNu64 " %*s %" SCNu64
                            " %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
                            &out->state, &out->faults, &out->hard_faults,
                            &out->began) == 4
               ? 0
               : -1;
}

static int read_stat(uint32_t pid, struct process_stat *out)
{
    const int fd = open_file(pid, "stat");
    const int done = read_stat_of(fd, out);

    if (fd >= 0)
        close(fd);
    return done;
}

uint64_t rc_profile_process_began(uint32_t pid)
{
    struct process_stat stat;

    return read_stat(pid, &stat) == 0 ? stat.began : 0;
}

/* Reads the resources that a process has taken so far.  One that has ended can be read
 * until its parent has waited for it; then the last reading stays.
 */
static void read_taken(struct rc_profile_process *p)
{
    struct process_stat stat;
    struct timespec cpu;
    char text[512];

    if ((p->stat_fd >= 0 ? read_stat_of(p->stat_fd, &stat)
                         : read_stat(p->pid, &stat)) ||
        (p->began && stat.began != p->began))
        return;
    p->taken[RC_PROFILE_PAGE_FAULTS] = stat.faults + stat.hard_faults;
    if (p->timed && clock_gettime(p->clock, &cpu) == 0)
        p->taken[RC_PROFILE_CPU_NS] =
            (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
    if (read_file(p->io_fd, text, sizeof text) == 0)
        (void)sscanf(text, "rchar: %" SCNu64 " wchar: %" SCNu64,
                     &p->taken[RC_PROFILE_BYTES_READ],
                     &p->taken[RC_PROFILE_BYTES_WRITTEN]);
}

/* Whether the process has ended, where there is no pidfd_open() (before Linux 5.3): its
 * number may be that of another process by now.
 */
static bool is_gone(const struct rc_profile_process *p)
{
    struct process_stat stat;

    return read_stat(p->pid, &stat) != 0 || stat.state == 'Z' || stat.state == 'X' ||
           (p->began && stat.began != p->began);
}

struct rc_profile_process *rc_profile_watch_add(struct rc_profile_watch *watch,
                                                uint32_t pid, int32_t rank,
                                                uint64_t began)
{
    for (size_t i = 0; i < watch->count; i++)
        if (watch->process[i].pid == pid &&
            (!watch->process[i].gone || !began || began == watch->process[i].began))
            return &watch->process[i];
    if (rc_grow(&watch->process, sizeof *watch->process, watch->count, &watch->room))
        return NULL;
    struct rc_profile_process *p = &watch->process[watch->count++];
    *p = (struct rc_profile_process){
        .pid = pid, .rank = rank, .began = began, .fd = -1, .stat_fd = -1, .io_fd = -1};
#ifdef SYS_pidfd_open
    p->fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    if (p->fd >= 0)
        fcntl(p->fd, F_SETFD, FD_CLOEXEC);
#endif
    p->timed = clock_getcpuclockid((pid_t)pid, &p->clock) == 0;
    p->gone = is_gone(p);
    if (watch->count <= OPEN_MOST) {
        p->stat_fd = open_file(pid, "stat");
        p->io_fd = open_file(pid, "io");
    }
    return p;
}

const struct rc_profile_process *
rc_profile_watch_find(const struct rc_profile_watch *watch, uint32_t pid)
{
    for (size_t i = watch->count; i-- > 0;)
        if (watch->process[i].pid == pid)
            return &watch->process[i];
    return NULL;
}

void rc_profile_watch_told(struct rc_profile_watch *watch, uint32_t pid,
                           uint64_t cpu_ns)
{
    const struct rc_profile_process *p = rc_profile_watch_find(watch, pid);

    if (p && cpu_ns > p->taken[RC_PROFILE_CPU_NS])
        watch->process[p - watch->process].taken[RC_PROFILE_CPU_NS] = cpu_ns;
}

/* Processes beyond those that are polled are examined one by one after the wait. */
void rc_profile_watch_wait(struct rc_profile_watch *watch, uint64_t until_ns)
{
    struct rc_profile_process *of[POLLED_MOST];
    struct pollfd poll_of[POLLED_MOST];
    const uint64_t now = rc_clock_ns(), left = until_ns > now ? until_ns - now : 0;
    const struct timespec patience = {(time_t)(left / 1000000000),
                                      (long)(left % 1000000000)};
    nfds_t polled = 0;
    bool ended = false;

    for (size_t i = 0; i < watch->count && polled < POLLED_MOST; i++) {
        struct rc_profile_process *p = &watch->process[i];
        if (p->gone || p->fd < 0)
            continue;
        of[polled] = p;
        poll_of[polled++] = (struct pollfd){.fd = p->fd, .events = POLLIN};
    }
    if (ppoll(poll_of, polled, &patience, NULL) > 0)
        for (nfds_t i = 0; i < polled; i++)
            ended |= of[i]->gone = poll_of[i].revents != 0;
    for (size_t i = 0; i < watch->count; i++) {
        struct rc_profile_process *p = &watch->process[i];
        if (!p->gone && (p->fd < 0 || watch->count > POLLED_MOST))
            ended |= p->gone = is_gone(p);
    }
    if (ended)
        watch->ended_ns = rc_clock_raw_ns();
}

void rc_profile_watch_taken(struct rc_profile_watch *watch,
                            uint64_t out[RC_PROFILE_TAKEN])
{
    memcpy(out, watch->gone, sizeof watch->gone);
    watch->unread = false;
    for (size_t i = 0; i < watch->count; i++) {
        read_taken(&watch->process[i]);
        watch->unread |= watch->process[i].io_fd < 0 && !watch->process[i].gone;
        for (size_t k = 0; k < RC_PROFILE_TAKEN; k++)
            out[k] += watch->process[i].taken[k];
    }
}

static void close_files(const struct rc_profile_process *p)
{
    const int fd[] = {p->fd, p->stat_fd, p->io_fd};

    for (size_t i = 0; i < sizeof fd / sizeof *fd; i++)
        if (fd[i] >= 0)
            close(fd[i]);
}

void rc_profile_watch_forget(struct rc_profile_watch *watch)
{
    size_t kept = 0;

    for (size_t i = 0; i < watch->count; i++) {
        struct rc_profile_process *p = &watch->process[i];
        if (!p->gone) {
            watch->process[kept++] = *p;
            continue;
        }
        read_taken(p);
        for (size_t k = 0; k < RC_PROFILE_TAKEN; k++)
            watch->gone[k] += p->taken[k];
        close_files(p);
    }
    watch->count = kept;
}
