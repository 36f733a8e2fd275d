/* Samples of the stacks of the program's threads, round by round: how many a second,
 * and when they are written.  sampled.c knows which threads there are, sampled_ring.c
 * reads what the kernel puts into their rings.
 *
 * Times between samples change, thread by thread, so that a program which does the
 * same thing again and again is not met at the same point of it each time.
 */
#include "campaign/profile/stacks/sampled.h"

#include "campaign/base/clock.h"
#include "campaign/base/memory.h"
#include "campaign/base/mix.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    STACK_BYTES = 4096, /* of a thread's stack that come with a sample */
    RING_LEAST = 32768, /* bytes */
    SAMPLE_BYTES = 700, /* in the ring beside the stack, of a deep one: about */
    LEVELS_MOST = 6,
    CALM = 3, /* times that there is room before samples become more: a thread's time
               * since its last one is lost with each change */
};

static const double roomy = 0.8; /* of what may be taken has to do for more samples */
static const uint64_t second_ns = 1000000000, least_wait_ns = 200000000,
                      most_wait_ns = 60000000000;

static struct perf_event_attr attributes(uint64_t period_ns, bool kernel,
                                         uint64_t stack_bytes)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = period_ns,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
                       PERF_SAMPLE_STACK_USER |
                       (RC_PROFILE_REGISTERS ? PERF_SAMPLE_REGS_USER : 0U),
        .sample_regs_user = RC_PROFILE_REGISTERS,
        .sample_stack_user = stack_bytes ? (uint32_t)stack_bytes : STACK_BYTES,
        .exclude_kernel = !kernel,
        .exclude_hv = 1,
        .exclude_callchain_kernel = 1,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1};
}

/* Whether this user may sample programs of its own, tried on this process; *kernel:
 * also while the kernel works for them.  RC_EPERM, RC_EUNSUPPORTED: why not.
 */
static int try_event(bool *kernel, struct rc_error *err)
{
    char paranoid[RC_PERF_PARANOID];

    for (int user_alone = 0; user_alone < 2; user_alone++) {
        struct perf_event_attr attr = attributes(second_ns, !user_alone, 0);
        attr.disabled = 1;
        const int fd = rc_perf_open(&attr, 0, -1, -1);
        *kernel = !user_alone;
        if (fd < 0)
            continue;
        close(fd);
        return RC_OK;
    }
    const int why = errno;
    return rc_fail(err, why == ENOSYS ? RC_EUNSUPPORTED : RC_EPERM,
                   "stacks cannot be sampled: perf_event_open: %s "
                   "(kernel.perf_event_paranoid is %s, expected 2 or less)",
                   strerror(why), rc_perf_paranoid(paranoid));
}

static void write_counts(struct rc_profile_sampling *s, const char *why)
{
    const struct rc_profile_stacks also = {
        .period_ns = s->attr.sample_period,
        .kernel = !s->attr.exclude_kernel,
        .missed = s->missed,
        .stack_bytes = s->attr.sample_regs_user ? s->attr.sample_stack_user : 0,
        .why = why};

    if (!rc_profile_frames_write(&s->frames, &also, s->writer))
        return;
    s->missed = 0;
    s->why = "";
}

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

bool rc_profile_sampling_keeps(const struct rc_profile_sampling *s, uint64_t ns)
{
    const uint64_t bytes = SAMPLE_BYTES + s->attr.sample_stack_user;

    return 2 * ns / s->attr.sample_period * bytes <= s->ring_bytes;
}

void rc_profile_sampling_limit(struct rc_profile_sampling *s, double budget)
{
    uint8_t limit = s->limit;

    while (ldexp(s->share, -limit) > budget && limit < LEVELS_MOST)
        limit++;
    const bool room = limit > 0 && ldexp(s->share, 1 - limit) <= roomy * budget;
    s->calm = room ? s->calm + 1 : 0;
    if (s->calm >= CALM) {
        s->calm = 0;
        limit--;
    }
    if (limit == s->limit)
        return;
    s->limit = limit;
    set_period(s);
    const struct rc_profile_payload payload = {
        .type = RC_PROFILE_RATE,
        .rate = {.at_ns = rc_clock_raw_ns(),
                 .what = RC_PROFILE_RATED_STACKS,
                 .every = rc_profile_sampling_every(s),
                 .cost_ns = (uint64_t)(s->share * (double)second_ns),
                 .of_ns = second_ns}};
    (void)rc_profile_put(s->writer, &payload);
}

uint64_t rc_profile_sampling_taken_ns(const struct rc_profile_sampling *s)
{
    return (uint64_t)(s->share * (double)s->asked_ns * (double)s->samples);
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

void rc_profile_sampling_round(struct rc_profile_sampling *s,
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

void rc_profile_sampling_end(struct rc_profile_sampling *s)
{
    for (size_t i = 0; i < s->tasks; i++)
        rc_sampled_read_ring(s, i);
    write_counts(s, s->why);
}

void rc_profile_sampling_open(uint64_t hz, uint64_t stack_bytes,
                              struct rc_profile_writer *writer,
                              struct rc_profile_sampling **out, struct rc_error *why)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct rc_profile_sampling *s = rc_calloc(1, sizeof *s);
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
    const size_t bytes = SAMPLE_BYTES + (stack_bytes ? stack_bytes : STACK_BYTES);
    while (ring < hz * bytes / 5) /* twice what comes between two rounds */
        ring *= 2;
    s->ring_bytes = ring;
    const int status = try_event(&kernel, why);
    s->asked_ns = second_ns / hz;
    s->attr = attributes(s->asked_ns, kernel, stack_bytes);
    if (rc_profile_frames_init(&s->frames) != 0 || status != RC_OK) {
        write_counts(s, status != RC_OK ? why->text : "no memory to sample stacks");
        rc_profile_sampling_close(s);
        return;
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* a file for each thread */
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    rc_profile_frames_find_starts(&s->frames);
    s->share = rc_profile_sample_ns(&s->attr) / (double)s->asked_ns;
    *out = s;
}

void rc_profile_sampling_close(struct rc_profile_sampling *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->tasks; i++)
        rc_sampled_close(&s->task[i]);
    for (size_t i = 0; i < s->processes; i++)
        rc_sampled_close_process(&s->process[i]);
    rc_profile_frames_fini(&s->frames);
    free(s->process);
    free(s->task);
    free(s);
}
