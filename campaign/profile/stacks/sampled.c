/* Which threads of the program there are, each with a ring of its own that the kernel
 * puts samples into.  Threads and processes are looked for in /proc when their number
 * changes, and once a second; forks are in the rings, too.  So a thread that lives for
 * less than a tenth of a second may have no samples: readers compare the time that the
 * samples stand for with that of the program.
 */
#include "campaign/profile/stacks/sampled.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TASKS_MOST = 4096, /* threads that are sampled at once */
    NO_THREADS = 2,    /* links of the folder of a process that is gone */
};

static const uint64_t second_ns = 1000000000;

/* Threads that were not sampled, and the last reason, which lives for ever. */
static void note_missed(struct rc_profile_sampling *s, int why)
{
    s->missed++;
    s->why =
        why == EMFILE  ? "too many open files"
        : why == E2BIG ? "more threads at once than 4096"
        : why == EPERM || why == EACCES
            ? "not permitted: memory for rings (ulimit -l) or permissions are missing"
            : strerrordesc_np(why);
    if (!s->why)
        s->why = "the system refused";
}

uint64_t rc_sampled_next_period(struct rc_profile_sampling *s)
{
    const uint64_t mean = s->attr.sample_period;

    return mean - mean / 10 + rc_mix_next(&s->state) % (mean / 5 + 1);
}

void rc_sampled_close(struct rc_sampled_task *task)
{
    rc_perf_ring_unmap(&task->ring);
    close(task->fd);
}

void rc_sampled_close_process(struct rc_sampled_process *process)
{
    if (process->folder >= 0)
        close(process->folder);
    rc_profile_mappings_fini(&process->mappings);
}

static void open_task(struct rc_profile_sampling *s,
                      const struct rc_sampled_process *process, uint32_t tid)
{
    struct perf_event_attr attr = s->attr;
    struct rc_sampled_task task = {.pid = process->pid, .tid = tid, .there = true};

    if (s->tasks >= TASKS_MOST ||
        rc_grow(&s->task, sizeof *s->task, s->tasks, &s->task_room)) {
        note_missed(s, s->tasks >= TASKS_MOST ? E2BIG : ENOMEM);
        return;
    }
    attr.sample_period = task.period_ns = rc_sampled_next_period(s);
    if ((task.fd = rc_perf_open(&attr, (pid_t)tid, -1, -1)) < 0) {
        if (errno != ESRCH) /* it has ended */
            note_missed(s, errno);
        return;
    }
    if (rc_perf_ring_map(&task.ring, task.fd, s->ring_bytes) != 0) {
        note_missed(s, errno);
        close(task.fd);
        return;
    }
    const struct rc_profile_task known = {
        .pid = process->pid, .tid = tid, .rank = process->rank};
    if (rc_profile_frames_task(&s->frames, &known, &task.number) != 0) {
        note_missed(s, ENOMEM);
        rc_sampled_close(&task);
        return;
    }
    s->task[s->tasks++] = task;
}

void rc_sampled_scan(struct rc_profile_sampling *s, struct rc_sampled_process *process,
                     uint64_t now)
{
    const struct dirent *entry;
    struct stat status;
    char path[64];

    process->gone =
        fstat(process->folder, &status) != 0 || status.st_nlink <= NO_THREADS;
    const nlink_t links = process->gone ? 0 : status.st_nlink;
    if (!process->gone && links == process->links && now < process->scan_ns)
        return;
    process->links = links;
    process->scan_ns = now + second_ns;
    for (size_t i = 0; i < s->tasks; i++)
        s->task[i].there &= s->task[i].pid != process->pid;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", process->pid);
    DIR *folder = process->gone ? NULL : opendir(path);
    while (folder && (entry = readdir(folder))) {
        const uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        size_t i = 0;
        while (i < s->tasks && s->task[i].tid != tid)
            i++;
        if (i < s->tasks)
            s->task[i].there = true;
        else if (tid > 0)
            open_task(s, process, tid);
    }
    if (folder)
        closedir(folder);
}

struct rc_sampled_process *rc_sampled_find(const struct rc_profile_sampling *s,
                                           uint32_t pid)
{
    for (size_t i = 0; i < s->processes; i++)
        if (s->process[i].pid == pid)
            return &s->process[i];
    return NULL;
}

/* Its threads are sampled before its mappings are read, so that none that is made in
 * between is missed.
 */
void rc_sampled_add(struct rc_profile_sampling *s, uint32_t pid, int32_t rank)
{
    if (rc_sampled_find(s, pid) ||
        rc_grow(&s->process, sizeof *s->process, s->processes, &s->process_room))
        return;
    struct rc_sampled_process *process = &s->process[s->processes++];
    char path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", pid);
    *process = (struct rc_sampled_process){
        .pid = pid,
        .rank = rank,
        .folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)};
    rc_sampled_scan(s, process, rc_clock_ns());
    rc_profile_mappings_read(&process->mappings, pid, s->frames.modules.texts);
}

void rc_sampled_add_children(struct rc_profile_sampling *s, size_t number)
{
    const int32_t rank = s->process[number].rank;
    char path[64], text[4096] = "", *at = text, *end;

    s->process[number].asked = true;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/children",
             s->process[number].pid, s->process[number].pid);
    if (rc_text_first_line(path, text, sizeof text) != 0)
        return;
    for (unsigned long pid; (pid = strtoul(at, &end, 10)) > 0; at = end)
        rc_sampled_add(s, (uint32_t)pid, rank);
}

void rc_sampled_forget_ended(struct rc_profile_sampling *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->tasks; i++)
        if (s->task[i].there)
            s->task[kept++] = s->task[i];
        else
            rc_sampled_close(&s->task[i]);
    s->tasks = kept;
    kept = 0;
    for (size_t i = 0; i < s->processes; i++)
        if (!s->process[i].gone)
            s->process[kept++] = s->process[i];
        else
            rc_sampled_close_process(&s->process[i]);
    s->processes = kept;
}
