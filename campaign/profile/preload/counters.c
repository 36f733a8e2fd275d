/* counters.c - the events of the calling thread, counted as one group of perf_event */
#include "campaign/perf/perf.h"
#include "campaign/profile/preload/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

/* The least file number that counters may have: programs expect small numbers for
 * their own files, and the lower half of their numbers is left to them.
 */
static int counter_file_least(void)
{
    enum { MOST = 4096 }; /* the kernel's table of files is as long as the number */
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur / 2 > MOST)
        return MOST;
    return (int)(limit.rlim_cur / 2);
}

/* Opens one event of the calling thread and returns its file, or -1 with errno. */
static int counter_open(const struct rc_shared_event *event, int leader)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    memcpy(&attr, event->attr,
           event->attr_bytes < sizeof attr ? event->attr_bytes : sizeof attr);
    attr.size = sizeof attr;
    attr.disabled = leader < 0;
    attr.inherit = 0;
    attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING;
    int low = rc_perf_open(&attr, 0, -1, leader);
    if (low < 0)
        return -1;
    int file = fcntl(low, F_DUPFD_CLOEXEC, counter_file_least());
    int why = errno;
    close(low);
    errno = why;
    return file;
}

int rc_preload_counters_open(void)
{
    const struct rc_shared *head = rc_preload_head;
    struct rc_preload_thread *self = &rc_preload_self;
    int leader = -1, why;
    for (uint32_t i = 0; i < head->event_count; i++) {
        int file = counter_open(&head->event[i], leader);
        if (file < 0)
            goto out;
        self->counter[self->counter_count++] = file;
        leader = self->counter[0];
    }
    if (leader < 0 || (!ioctl(leader, PERF_EVENT_IOC_ID, &self->counter_id) &&
                       !ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)))
        return 0;
out:
    why = errno;
    rc_preload_counters_close(self);
    return why;
}

/* Whether the leader's file is still the one that was opened: any other file has
 * another ID, or none.  The question takes half as long as a reading, so it is asked
 * once in OFTEN ticks, which is 1 ms or less on most machines.
 */
static bool counters_own(uint64_t ticks)
{
    enum { OFTEN = 1 << 20 };
    struct rc_preload_thread *self = &rc_preload_self;
    uint64_t id = 0;
    if (ticks - self->counter_checked < OFTEN)
        return true;
    self->counter_checked = ticks;
    return !ioctl(self->counter[0], PERF_EVENT_IOC_ID, &id) && id == self->counter_id;
}

int rc_preload_counters_read(uint64_t ticks, struct rc_preload_counts *out)
{
    struct {
        uint64_t events, enabled, running, count[RC_SHARED_COUNTERS];
    } group;
    const uint64_t n = rc_preload_self.counter_count;
    if (!n)
        return ENOENT;
    int kept = errno;
    /* A system call by number, as the thread could be cancelled in read(). */
    if (atomic_load_explicit(&rc_preload_filtered, memory_order_relaxed) ||
        !counters_own(ticks) ||
        syscall(SYS_read, rc_preload_self.counter[0], &group, sizeof group) !=
            (long)((3 + n) * sizeof(uint64_t)) ||
        group.events != n) {
        rc_preload_counters_close(&rc_preload_self);
        errno = kept;
        return EBADF;
    }
    out->enabled = group.enabled;
    out->running = group.running;
    memcpy(out->count, group.count, sizeof out->count);
    return 0;
}

bool rc_preload_counters_add(const struct rc_preload_counts *from,
                             const struct rc_preload_counts *to, uint64_t *count)
{
    if (to->enabled - from->enabled != to->running - from->running)
        return false;
    for (uint32_t i = 0; i < rc_preload_head->event_count; i++)
        count[i] += to->count[i] - from->count[i];
    return true;
}

void rc_preload_counters_close(struct rc_preload_thread *thread)
{
    const bool leave = atomic_load(&rc_preload_filtered);
    for (uint32_t i = 0; i < thread->counter_count && !leave; i++) {
        uint64_t id;
        if (!ioctl(thread->counter[i], PERF_EVENT_IOC_ID, &id))
            close(thread->counter[i]);
    }
    thread->counter_count = 0;
}
