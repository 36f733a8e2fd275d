/* Samples of the stacks of the program's threads, round by round: how many a second,
 * and when they are written.  sampled.c knows which threads there are, sampled_ring.c
 * reads what the kernel puts into their rings.
 *
 * Times between samples change, thread by thread, so that a program which does the
 * same thing again and again is not met at the same point of it each time.
 */
#include "campaign/profile/sampled.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"
#include "campaign/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    STACK_BYTES = 512,   /* of a thread's stack that come with a sample... */
    UNWIND_BYTES = 8192, /* ...that is to be unwound */
    RING_LEAST = 32768,  /* bytes */
    SAMPLE_BYTES = 700,  /* in the ring beside the stack, of a deep one: about */
    LEVELS_MOST = 6,
};

static const uint64_t second_ns = 1000000000, least_wait_ns = 200000000,
                      most_wait_ns = 60000000000;

static struct perf_event_attr attributes(uint64_t period_ns, bool kernel, bool unwind)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = period_ns,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
                       PERF_SAMPLE_STACK_USER | (unwind ? PERF_SAMPLE_REGS_USER : 0U),
        .sample_regs_user = unwind ? RC_PROFILE_REGISTERS : 0,
        .sample_stack_user = unwind ? UNWIND_BYTES : STACK_BYTES,
        .exclude_kernel = !kernel,
        .exclude_hv = 1,
        .exclude_callchain_kernel = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1};
}

int rc_profile_sampling_try(bool *kernel, struct rc_error *err)
{
    char paranoid[64];

    for (int user_alone = 0; user_alone < 2; user_alone++) {
        struct perf_event_attr attr = attributes(second_ns, !user_alone, false);
        attr.disabled = 1;
        const int fd = rc_sampled_open_event(&attr, 0);
        *kernel = !user_alone;
        if (fd < 0)
            continue;
        close(fd);
        return RC_OK;
    }
    const int why = errno;
    if (rc_text_first_line("/proc/sys/kernel/perf_event_paranoid", paranoid,
                           sizeof paranoid) != 0)
        snprintf(paranoid, sizeof paranoid, "not there");
    return rc_fail(err, why == ENOSYS ? RC_EUNSUPPORTED : RC_EPERM,
                   "stacks cannot be sampled: perf_event_open: %s "
                   "(kernel.perf_event_paranoid is %s, expected 2 or less)",
                   strerror(why), paranoid);
}

static void write_counts(struct rc_profile_sampling *s, const char *why)
{
    const struct rc_profile_stacks also = {.period_ns = s->attr.sample_period,
                                           .kernel = !s->attr.exclude_kernel,
                                           .missed = s->missed,
                                           .why = why};

    if (!rc_profile_frames_write(&s->frames, &also, s->writer))
        return;
    s->missed = 0;
    s->why = "";
}

<<<<<<< HEAD
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

/* Within a tenth around the mean; changed after each second of processor time. */
static uint64_t next_period(struct rc_profile_sampling *s)
{
    const uint64_t mean = s->attr.sample_period;

    return mean - mean / 10 + rc_mix_next(&s->state) % (mean / 5 + 1);
}

static void close_task(const struct rc_profile_sampling *s, struct task *task)
{
    if (task->ring)
        munmap(task->ring, s->ring_bytes);
    close(task->fd);
}

static void open_task(struct rc_profile_sampling *s, const struct process *process,
                      uint32_t tid)
{
    struct perf_event_attr attr = s->attr;
    struct task task = {.pid = process->pid, .tid = tid, .there = true};

    if (s->tasks >= TASKS_MOST ||
        rc_grow(&s->task, sizeof *s->task, s->tasks, &s->task_room)) {
        note_missed(s, s->tasks >= TASKS_MOST ? E2BIG : ENOMEM);
        return;
    }
    attr.sample_period = task.period_ns = next_period(s);
    if ((task.fd = open_event(&attr, tid)) < 0) {
        if (errno != ESRCH) /* it has ended */
            note_missed(s, errno);
        return;
    }
    void *ring =
        mmap(NULL, s->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, task.fd, 0);
    if (ring == MAP_FAILED) {
        note_missed(s, errno);
        close(task.fd);
        return;
    }
    task.ring = ring;
    const struct rc_profile_task known = {
        .pid = process->pid, .tid = tid, .rank = process->rank};
    if (rc_profile_frames_task(&s->frames, &known, &task.number) != 0) {
        note_missed(s, ENOMEM);
        close_task(s, &task);
        return;
    }
    s->task[s->tasks++] = task;
}

/* The threads of a process: those that are new are sampled from now on, those that are
 * there no more are marked as such.  A listing is only asked for where it is another
 * one than before, as far as the number of threads tells, and once a second.
 */
static void scan_process(struct rc_profile_sampling *s, struct process *process,
                         uint64_t now)
{
    const struct dirent *entry;
    struct stat status;
    char path[64];

    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task", process->pid);
    process->gone = stat(path, &status) != 0;
    const nlink_t links = process->gone ? 0 : status.st_nlink;
    if (!process->gone && links == process->links && now < process->scan_ns)
        return;
    process->links = links;
    process->scan_ns = now + second_ns;
    for (size_t i = 0; i < s->tasks; i++)
        s->task[i].there &= s->task[i].pid != process->pid;
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

static struct process *find_process(const struct rc_profile_sampling *s, uint32_t pid)
{
    for (size_t i = 0; i < s->processes; i++)
        if (s->process[i].pid == pid)
            return &s->process[i];
    return NULL;
}

/* Its threads are sampled before its mappings are read, so that none that is made in
 * between is missed.
 */
static void add_process(struct rc_profile_sampling *s, uint32_t pid, int32_t rank)
{
    if (find_process(s, pid) ||
        rc_grow(&s->process, sizeof *s->process, s->processes, &s->process_room))
        return;
    struct process *process = &s->process[s->processes++];
    *process = (struct process){.pid = pid, .rank = rank};
    scan_process(s, process, rc_clock_ns());
    rc_profile_mappings_read(&process->mappings, pid, s->frames.modules.texts);
}

/* Later ones are told of by the ring. */
static void add_children(struct rc_profile_sampling *s, size_t number)
{
    const int32_t rank = s->process[number].rank;
    char path[64], text[4096] = "", *at = text, *end;

    s->process[number].asked = true;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/task/%" PRIu32 "/children",
             s->process[number].pid, s->process[number].pid);
    if (rc_text_first_line(path, text, sizeof text) != 0)
        return;
    for (unsigned long pid; (pid = strtoul(at, &end, 10)) > 0; at = end)
        add_process(s, (uint32_t)pid, rank);
}

/* A sample has words: pid and tid; how many addresses, these; what sort of registers,
 * if any, and they; how many bytes of the stack, these, and how many of them count.
 */
static void take_sample(struct rc_profile_sampling *s, const struct task *task,
                        const struct perf_event_header *head)
{
    struct rc_profile_frame place[RC_PROFILE_PLACES];
    const uint64_t *word = (const uint64_t *)(head + 1);
    const uint64_t *end = word + (head->size - sizeof *head) / 8;
    struct rc_profile_sample sample = {.address = word + 2};

    if (end - word < 2 || word[1] > (uint64_t)(end - word - 2))
        return;
    struct process *process = find_process(s, (uint32_t)word[0]);
    if (!process)
        return;
    sample.addresses = (size_t)word[1];
    word += 2 + sample.addresses;
    if (s->attr.sample_regs_user && word < end && *word++ == PERF_SAMPLE_REGS_ABI_64 &&
        end - word >= RC_PROFILE_REGISTER_COUNT) {
        sample.registers = word;
        word += RC_PROFILE_REGISTER_COUNT;
    }
    if (word<end && * word> 0 && *word / 8 + 2 <= (uint64_t)(end - word) &&
        word[*word / 8 + 1] <= *word) {
        sample.stack = (const char *)(word + 1);
        sample.stack_bytes = word[*word / 8 + 1];
    }
    const size_t count =
        rc_profile_unwind(&process->mappings, &s->frames.modules, &sample, place);
    rc_profile_frames_add(&s->frames, task->number, place, count,
                          (head->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
                              PERF_RECORD_MISC_KERNEL,
                          task->period_ns);
}

/* A record of a ring, of which the kernel says that it is whole. */
static void take_record(struct rc_profile_sampling *s, const struct task *task,
                        const struct perf_event_header *head)
{
    struct process *process;
    const struct {
        struct perf_event_header head;
        uint32_t pid, other; /* tid, or of a fork the parent's */
        uint64_t at, bytes, offset;
        uint64_t file[3], rights; /* the kernel's number of the file */
        char path[];
    } *of = (const void *)head;

    switch (head->type) {
    case PERF_RECORD_SAMPLE:
        take_sample(s, task, head);
        break;
    case PERF_RECORD_LOST: /* two numbers: the event's and how many */
        s->frames.lost += of->at;
        break;
    case PERF_RECORD_FORK:
        process = find_process(s, task->pid);
        if (of->pid != of->other)
            add_process(s, of->pid, process ? process->rank : -1);
        else if (process)
            process->scan_ns = 0;
        break;
    case PERF_RECORD_COMM: /* another program has all of the memory */
        process = find_process(s, task->pid);
        if (process && (head->misc & PERF_RECORD_MISC_COMM_EXEC))
            process->mappings.count = 0;
        break;
    case PERF_RECORD_MMAP2:
        process = find_process(s, task->pid);
        if (process)
            rc_profile_mappings_add(&process->mappings, of->at, of->at + of->bytes,
                                    of->offset, of->path, s->frames.modules.texts);
        break;
    default:
        break;
    }
}

/* A record may begin at the ring's end and go on at its begin, so it is copied. */
static void read_ring(struct rc_profile_sampling *s, size_t number)
{
    struct task task = s->task[number]; /* records may add others */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), room = s->ring_bytes - page;
    const char *data = (const char *)task.ring + page;
    struct perf_event_header head;
    const uint64_t end = __atomic_load_n(&task.ring->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = task.ring->data_tail;

    for (; end - at >= sizeof head; at += head.size) {
        memcpy(&head, data + at % room, sizeof head); /* it is not split */
        if (head.size < sizeof head || head.size > end - at)
            break;
        const size_t first =
            head.size < room - at % room ? head.size : room - at % room;
        memcpy(s->record, data + at % room, first);
        memcpy((char *)s->record + first, data, head.size - first);
        memset((char *)s->record + head.size, 0,
               sizeof s->record - head.size < 64 ? sizeof s->record - head.size : 64);
        s->task[number].samples += head.type == PERF_RECORD_SAMPLE;
        take_record(s, &task, (const struct perf_event_header *)s->record);
    }
    __atomic_store_n(&task.ring->data_tail, end, __ATOMIC_RELEASE);
}

/* Threads and processes that have ended, after their rings were read. */
static void forget_ended(struct rc_profile_sampling *s)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->tasks; i++)
        if (s->task[i].there)
            s->task[kept++] = s->task[i];
        else
            close_task(s, &s->task[i]);
    s->tasks = kept;
    kept = 0;
    for (size_t i = 0; i < s->processes; i++)
        if (!s->process[i].gone)
            s->process[kept++] = s->process[i];
        else
            rc_profile_mappings_fini(&s->process[i].mappings);
    s->processes = kept;
}

=======
>>>>>>> 6ad6588 (profile: threads that are sampled and their rings have files of their own)
/* A new mean, for all threads at once. */
static void set_period(struct rc_profile_sampling *s)
{
    s->attr.sample_period = s->asked_ns << (s->limit + s->level);
    for (size_t i = 0; i < s->tasks; i++) {
        uint64_t period = rc_sampled_next_period(s);
        if (ioctl(s->task[i].fd, PERF_EVENT_IOC_PERIOD, &period) == 0)
            s->task[i].period_ns = period;
    }
}

void rc_profile_sampling_limit(struct rc_profile_sampling *s, double budget)
{
    const double cost = rc_profile_sample_ns(&s->attr) / (double)s->asked_ns;

    while (ldexp(cost, -s->limit) > budget && s->limit < LEVELS_MOST)
        s->limit++;
    set_period(s);
    if (s->limit == 0)
        return;
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_RATE,
        .rate = {.at_ns = rc_clock_raw_ns(),
                 .what = RC_PROFILE_RATED_STACKS,
                 .every = rc_profile_sampling_every(s),
                 .cost_ns = (uint64_t)(cost * (double)second_ns),
                 .of_ns = second_ns}};
    (void)rc_profile_put(s->writer, &payload);
}

double rc_profile_sampling_took(struct rc_profile_sampling *s)
{
    const double took = (double)s->took_ns;

    s->took_ns = 0;
    return took;
}

uint8_t rc_profile_sampling_level(const struct rc_profile_sampling *s)
{
    return s->level;
}

void rc_profile_sampling_set_level(struct rc_profile_sampling *s, uint8_t level)
{
    s->level = level < LEVELS_MOST ? level : LEVELS_MOST;
    set_period(s);
}

uint64_t rc_profile_sampling_every(const struct rc_profile_sampling *s)
{
    return UINT64_C(1) << (s->limit + s->level);
}

static void take_round(struct rc_profile_sampling *s,
                       const struct rc_profile_watch *watch)
{
    const uint64_t now = rc_clock_ns();

    for (size_t i = 0; i < watch->count; i++)
        if (!watch->process[i].gone)
            rc_sampled_add(s, watch->process[i].pid, watch->process[i].rank);
    for (size_t i = 0; i < s->processes; i++) {
        rc_sampled_scan(s, &s->process[i], now);
        if (!s->process[i].asked)
            rc_sampled_add_children(s, i);
    }
    for (size_t i = 0; i < s->tasks; i++) {
        rc_sampled_read_ring(s, i);
        /* a period that has begun is lost then: not of a thread that seldom runs */
        if (s->task[i].samples * s->attr.sample_period < second_ns)
            continue;
        uint64_t period = rc_sampled_next_period(s);
        s->task[i].samples = 0;
        if (ioctl(s->task[i].fd, PERF_EVENT_IOC_PERIOD, &period) == 0)
            s->task[i].period_ns = period;
    }
    rc_sampled_forget_ended(s);
    if (now < s->write_ns && !rc_profile_frames_crowded(&s->frames))
        return;
    if (rc_profile_frames_new(&s->frames) || s->missed > 0)
        write_counts(s, s->why);
    /* a sampler that is killed loses a hundredth of the samples, or two tenths of a
     * second; a long run does not write the same stacks ten times a second
     */
    uint64_t wait = (now - s->begin_ns) / 100;
    wait = wait < least_wait_ns ? least_wait_ns : wait;
    s->write_ns = now + (wait > most_wait_ns ? most_wait_ns : wait);
}

void rc_profile_sampling_round(struct rc_profile_sampling *s,
                               const struct rc_profile_watch *watch)
{
    const uint64_t began = rc_clock_cpu_ns();

    take_round(s, watch);
    s->took_ns += rc_clock_cpu_ns() - began;
}

void rc_profile_sampling_end(struct rc_profile_sampling *s)
{
    for (size_t i = 0; i < s->tasks; i++)
        rc_sampled_read_ring(s, i);
    write_counts(s, s->why);
}

void rc_profile_sampling_remap(struct rc_profile_sampling *s)
{
    for (size_t i = 0; i < s->tasks; i++) {
        void *ring = mmap(NULL, s->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                          s->task[i].fd, 0);
        s->task[i].ring = ring == MAP_FAILED ? NULL : ring;
        s->task[i].there &= s->task[i].ring != NULL;
    }
    rc_sampled_forget_ended(s);
}

void rc_profile_sampling_open(uint64_t hz, bool unwind,
                              struct rc_profile_writer *writer,
                              struct rc_profile_sampling **out)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct rc_profile_sampling *s = rc_calloc(1, sizeof *s);
    struct rc_error err = {.rank = -1};
    struct rlimit files;
    bool kernel = false;

    *out = NULL;
    if (!s)
        return;
    s->writer = writer;
    s->why = "";
    s->state = rc_clock_raw_ns() + (uint64_t)getpid();
    s->begin_ns = rc_clock_ns();
    size_t ring = page > RING_LEAST ? page : RING_LEAST; /* a power of 2 */
    const size_t bytes = SAMPLE_BYTES + (unwind ? UNWIND_BYTES : STACK_BYTES);
    while (ring < hz * bytes / 5) /* twice what comes between two rounds */
        ring *= 2;
    s->ring_bytes = page + ring;
    const int status = rc_profile_sampling_try(&kernel, &err);
    s->asked_ns = second_ns / hz;
    s->attr = attributes(s->asked_ns, kernel, unwind);
    if (rc_profile_frames_init(&s->frames) != 0 || status != RC_OK) {
        write_counts(s, status != RC_OK ? err.text : "no memory to sample stacks");
        rc_profile_sampling_close(s);
        return;
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* a file for each thread */
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    rc_profile_frames_find_starts(&s->frames);
    *out = s;
}

void rc_profile_sampling_close(struct rc_profile_sampling *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->tasks; i++)
        rc_sampled_close(s, &s->task[i]);
    for (size_t i = 0; i < s->processes; i++)
        rc_profile_mappings_fini(&s->process[i].mappings);
    rc_profile_frames_fini(&s->frames);
    free(s->process);
    free(s->task);
    free(s);
}
