/* Groups of the papi source: tried, armed, started, stopped and read.
 *
 * A group is a PAPI event set without multiplexing.  PAPI opens it pinned: it is on its
 * counters all the time, or cannot be read at all.  PAPI's answer where events do not
 * fit together differs between components and kernels; judge_refusal() turns it into a
 * verdict, explain() into a line for people with advice.
 */
#include "campaign/sources/papi/parts.h"

#include "campaign/base/text.h"
#include "campaign/perf/perf.h"

#include <papi.h>

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* An armed group. */
struct rc_group_state {
    struct rc_source_state *state;
    int set; /* PAPI's number, PAPI_NULL: none */
    size_t count;
    uint32_t *event;      /* their numbers, in the order of the values */
    uint32_t component;   /* PAPI's index; all events are of one */
    long long started_ns; /* by PAPI's clock */
    bool running;         /* as far as PAPI is concerned */
    unsigned long losses; /* 'losses' when the set was made */
    long long value[];    /* by event, of the last reading */
};

/* How often stop_lost() has switched off the events of this process.  PAPI does not
 * notice: a set that was made before that has to be made again.
 */
static unsigned long losses;

/* Where and why a set of events could not be made to count. */
struct refusal {
    int status;       /* PAPI's, PAPI_OK where rollcall refuses itself */
    const char *call; /* PAPI's function */
    size_t at;        /* which event was refused */
    bool conflict;    /* a rule of sets, not of this event */
    char text[200];
};

/* Notes that rollcall refuses a set, and why; returns -1. */
__attribute__((format(printf, 3, 4))) static int
refuse(struct refusal *refusal, bool conflict, const char *format, ...)
{
    va_list args;

    refusal->status = PAPI_OK;
    refusal->conflict = conflict;
    va_start(args, format);
    vsnprintf(refusal->text, sizeof refusal->text, format, args);
    va_end(args);
    return -1;
}

/* Notes that PAPI refused event 'at' of a set; returns -1. */
static int papi_refused(struct refusal *refusal, int status, const char *call,
                        size_t at)
{
    refusal->status = status;
    refusal->call = call;
    refusal->at = at;
    return -1;
}

static bool is_perf(const PAPI_component_info_t *component)
{
    return strncmp(component->name, "perf_event", 10) == 0;
}

/* Events of PMUs outside the cores are opened on a CPU.  The kernel takes any
 * of the unit's CPUs: the one that this thread is on is in the right unit.
 */
static int attach_to_cpu(int set, uint32_t component, struct refusal *refusal)
{
    const PAPI_component_info_t *info = PAPI_get_component_info((int)component);
    PAPI_option_t option = {0};
    int status = PAPI_assign_eventset_component(set, (int)component);

    if (status != PAPI_OK)
        return papi_refused(refusal, status, "PAPI_assign_eventset_component", 0);
    if (!info->cpu || info->default_granularity != PAPI_GRN_SYS)
        return 0;
    option.cpu.eventset = set;
    option.cpu.cpu_num = (unsigned)sched_getcpu();
    status = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
    if (status != PAPI_OK)
        return papi_refused(refusal, status, "PAPI_set_opt(PAPI_CPU_ATTACH)", 0);
    return 0;
}

/* Checks the events without PAPI, which would open all the others before it refused
 * the last one.
 */
static int check_events(const struct rc_source_state *state, const uint32_t *events,
                        size_t count, struct refusal *refusal)
{
    if (count == 0)
        return refuse(refusal, false, "no events");
    for (size_t i = 0; i < count; i++) {
        if (events[i] >= state->count)
            return refuse(refusal, false,
                          "no event has the number %u, expected 0 to %zu", events[i],
                          state->count - 1);
        if (state->event[events[i]].useless)
            return refuse(refusal, false, "%s", state->event[events[i]].useless);
        if (state->event[events[i]].component != state->event[events[0]].component)
            return refuse(refusal, true,
                          "events of different PAPI components never count together");
    }
    const PAPI_component_info_t *component =
        PAPI_get_component_info((int)state->event[events[0]].component);
    int most = component ? component->num_mpx_cntrs : 0;
    if (most > 0 && count > (size_t)most)
        return refuse(refusal, true, "%zu events, component %s takes at most %d", count,
                      component->name, most);
    return 0;
}

/* Adds an event to a set; *call is PAPI's function that refused.  An event with
 * modifiers is not even looked up, which is slow, where the kernel does not have it
 * without them.
 */
static int add_event(struct rc_source_state *state, uint32_t number, int set,
                     const char **call)
{
    struct rc_papi_event *event = &state->event[number];
    int code, status;

    if (!event->code) {
        *call = "PAPI_add_event, without the modifiers";
        if (state->event[event->plain].absent)
            return PAPI_ENOEVNT;
        *call = "PAPI_event_name_to_code";
        if ((status = PAPI_event_name_to_code(event->name, &code)) != PAPI_OK)
            return status;
        event->code = code;
    }
    *call = "PAPI_add_event";
    /* Without the right to count in the kernel the plain event remains. */
    if (event->code_kernel && PAPI_add_event(set, event->code_kernel) == PAPI_OK)
        return PAPI_OK;
    status = PAPI_add_event(set, event->code);
    event->absent = status == PAPI_ENOEVNT;
    return status;
}

static void drop_set(int set)
{
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

/* A PAPI set with these events and no multiplexing.  Returns 0, or -1 with
 * the refusal filled and *set PAPI_NULL.
 */
static int make_set(struct rc_source_state *state, const uint32_t *events, size_t count,
                    int *set, struct refusal *refusal)
{
    int made = PAPI_NULL, status;

    *set = PAPI_NULL;
    if (check_events(state, events, count, refusal))
        return -1;
    status = PAPI_create_eventset(&made);
    if (status != PAPI_OK)
        return papi_refused(refusal, status, "PAPI_create_eventset", 0);
    if (attach_to_cpu(made, state->event[events[0]].component, refusal))
        goto failed;
    for (size_t i = 0; i < count; i++) {
        const char *call;
        status = add_event(state, events[i], made, &call);
        if (status != PAPI_OK) {
            papi_refused(refusal, status, call, i);
            goto failed;
        }
    }
    *set = made;
    return 0;
failed:
    drop_set(made);
    return -1;
}

/* Enables and disables each event of this process, by its descriptors, since PAPI gives
 * no access to those that it has.
 */
static void *switch_events_off(void *unused)
{
    static const char wanted[] = "anon_inode:[perf_event]";
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    (void)unused;
    usleep(1000); /* so that the other thread sleeps */
    while (dir && (entry = readdir(dir))) {
        char target[sizeof wanted];
        ssize_t bytes = readlinkat(dirfd(dir), entry->d_name, target, sizeof target);
        if (bytes != (ssize_t)sizeof wanted - 1 ||
            memcmp(target, wanted, (size_t)bytes) != 0)
            continue;
        int fd = (int)strtol(entry->d_name, NULL, 10);
        ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
        ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    }
    if (dir)
        closedir(dir);
    return NULL;
}

/* Stops a set that PAPI cannot read.  The kernel puts a pinned group that lost its
 * counters into a state of error, and ends that state only when the event is enabled
 * again; while its thread runs and a counter is missing the state returns at once.  So
 * another thread enables and disables it, while this one waits.  That switches off the
 * events of all sets, which PAPI does not notice: sets are made again before a start.
 */
static bool stop_lost(int set)
{
    losses++;
    for (int attempt = 0; attempt < 3; attempt++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, switch_events_off, NULL) == 0)
            pthread_join(thread, NULL);
        int status = PAPI_stop(set, NULL);
        if (status == PAPI_OK || status == PAPI_ENOTRUN)
            return true;
    }
    return false;
}

/* The kind of a refusal. */
static enum rc_verdict judge_refusal(const struct refusal *refusal, size_t count)
{
    switch (refusal->status) {
    case PAPI_OK:
        return refusal->conflict ? RC_VERDICT_CANNOT_SCHEDULE : RC_VERDICT_UNSUPPORTED;
    case PAPI_EPERM:
        return RC_VERDICT_NOT_PERMITTED;
    case PAPI_ECNFLCT:
    case PAPI_ECOUNT:
    case PAPI_EMULPASS:
    case PAPI_ECOMBO:
    case PAPI_EISRUN:
    case PAPI_ESYS: /* how PAPI reports EBUSY, EAGAIN and a failed read */
        return RC_VERDICT_CANNOT_SCHEDULE;
    default:
        /* The first event fits or is refused for its own sake.  A later one that
         * the kernel calls invalid has no room beside the others.
         */
        return refusal->at > 0 ? RC_VERDICT_CANNOT_SCHEDULE
               : count > 1 && refusal->status == PAPI_ENOMEM
                   ? RC_VERDICT_CANNOT_SCHEDULE
                   : RC_VERDICT_UNSUPPORTED;
    }
}

/* Writes the line for people: PAPI's words, the event that did not fit, and what such
 * a refusal often means.
 */
static void explain(const struct rc_source_state *state, const struct refusal *refusal,
                    const uint32_t *events, size_t count, char *out, size_t room)
{
    const struct rc_papi_event *event;
    const PAPI_component_info_t *component;
    char paranoid[RC_PERF_PARANOID];

    if (refusal->status == PAPI_OK) {
        snprintf(out, room, "%s", refusal->text);
        return;
    }
    event = &state->event[events[refusal->at]];
    component = PAPI_get_component_info((int)event->component);
    snprintf(out, room, "%s: %s", refusal->call, PAPI_strerror(refusal->status));
    if (count > 1)
        rc_text_append(out, room, "; %zu of %zu events fitted, not %.60s", refusal->at,
                       count, event->name);
    if (!component || !is_perf(component))
        return;
    if (refusal->status == PAPI_EPERM)
        rc_text_append(out, room,
                       "; perf_event_paranoid is %s, see man perf_event_open",
                       rc_perf_paranoid(paranoid));
    else if (refusal->status == PAPI_ENOEVNT && !rc_papi_has_core_pmu("/sys"))
        rc_text_append(out, room,
                       "; the kernel shows no PMU of the CPU (virtual machine or "
                       "container?)");
    else if (refusal->status == PAPI_EINVAL && count == 1)
        rc_text_append(out, room, "; the kernel refuses it, or it needs a unit mask");
}

/* Starts, stimulates and stops the set, and judges what came out. */
static int try_set(int set, size_t count, long long *values, struct refusal *refusal)
{
    int status = PAPI_start(set);

    if (status != PAPI_OK)
        return papi_refused(refusal, status, "PAPI_start", 0);
    rc_papi_stimulus();
    status = PAPI_stop(set, values);
    if (status == PAPI_OK)
        return 0;
    if (!stop_lost(set))
        return refuse(refusal, true,
                      "PAPI_stop: %s; and PAPI cannot be made to stop it",
                      PAPI_strerror(status));
    return refuse(refusal, true,
                  "%zu event%s did not count all the time: PAPI_stop: %s", count,
                  count == 1 ? "" : "s", PAPI_strerror(status));
}

void rc_papi_trial(struct rc_source_state *state, const uint32_t *events, size_t count,
                   struct rc_trial *out)
{
    struct refusal refusal = {0};
    long long *values = rc_calloc(count, sizeof *values);
    int set = PAPI_NULL;

    *out = (struct rc_trial){.verdict = RC_VERDICT_OK};
    if (!values) {
        out->verdict = RC_VERDICT_CANNOT_SCHEDULE;
        snprintf(out->reason, sizeof out->reason, "no memory for %zu events", count);
        return;
    }
    if (make_set(state, events, count, &set, &refusal) ||
        try_set(set, count, values, &refusal)) {
        out->verdict = judge_refusal(&refusal, count);
        explain(state, &refusal, events, count, out->reason, sizeof out->reason);
    } else if (count == 1 && values[0] == 0) {
        const struct rc_papi_event *event = &state->event[events[0]];
        const PAPI_component_info_t *component =
            PAPI_get_component_info((int)event->component);
        out->verdict = RC_VERDICT_COUNTS_NOTHING;
        snprintf(
            out->reason, sizeof out->reason, "0 after a short stimulus%s",
            event->code_kernel ? ": it did not happen, or counting in the kernel, "
                                 "where it happens, is not permitted"
            : component && is_perf(component)
                ? " (arithmetic, memory, a page fault, a system call, a sleep): it "
                  "may count under other work"
                : ", which may not reach what this component counts");
    }
    if (set != PAPI_NULL)
        drop_set(set);
    free(values);
}

/* Makes the group's set; drops the one that it has, if any. */
static int make_group_set(struct rc_group_state *group, struct rc_error *err)
{
    struct refusal refusal = {0};
    char why[240];

    if (group->set != PAPI_NULL)
        drop_set(group->set);
    group->losses = losses;
    if (make_set(group->state, group->event, group->count, &group->set, &refusal) == 0)
        return RC_OK;
    explain(group->state, &refusal, group->event, group->count, why, sizeof why);
    return rc_fail(err, rc_verdict_status(judge_refusal(&refusal, group->count)),
                   "a group of %zu events: %s", group->count, why);
}

int rc_papi_arm(struct rc_source_state *state, const uint32_t *events, size_t count,
                struct rc_group_state **out, struct rc_error *err)
{
    const size_t each = sizeof(long long) + sizeof *events;
    struct rc_group_state *group = rc_calloc(1, sizeof *group + count * each);

    *out = NULL;
    if (!group)
        return rc_fail(err, RC_ENOMEM, "no memory for a group of %zu events", count);
    group->event = (void *)(group->value + count);
    group->state = state;
    group->count = count;
    group->set = PAPI_NULL;
    if (count > 0)
        memcpy(group->event, events, count * sizeof *events);
    int status = make_group_set(group, err);
    if (status != RC_OK) {
        rc_papi_disarm(group);
        return status;
    }
    group->component = state->event[events[0]].component;
    *out = group;
    return RC_OK;
}

void rc_papi_disarm(struct rc_group_state *group)
{
    if (!group)
        return;
    if (group->running)
        (void)stop_lost(group->set);
    if (group->set != PAPI_NULL)
        drop_set(group->set);
    free(group);
}

int rc_papi_start(struct rc_group_state *group, const struct rc_measurement *what,
                  struct rc_error *err)
{
    int status;

    (void)what;
    if (group->running && !stop_lost(group->set))
        return rc_fail(err, RC_ECONFLICT,
                       "a group of %zu events still runs and PAPI cannot stop it",
                       group->count);
    group->running = false;
    if (group->set == PAPI_NULL || group->losses != losses) {
        if ((status = make_group_set(group, err)) != RC_OK)
            return status;
    }
    status = PAPI_start(group->set);
    if (status != PAPI_OK)
        return rc_fail(err, status == PAPI_EPERM ? RC_EPERM : RC_ECONFLICT,
                       "a group of %zu events does not start: PAPI_start: %s",
                       group->count, PAPI_strerror(status));
    group->running = true;
    group->started_ns = PAPI_get_real_nsec();
    return RC_OK;
}

/* PAPI opens a group pinned: the kernel keeps it on its counters, or puts it
 * in a state of error in which reading gives nothing, which is all that PAPI
 * lets us see.  So enabled is the time that passed, and running the same, or
 * 0 where the group could not be read.
 */
int rc_papi_stop(struct rc_group_state *group, struct rc_reading *readings,
                 struct rc_error *err)
{
    const PAPI_component_info_t *component =
        PAPI_get_component_info((int)group->component);
    uint64_t enabled = 1, running;
    int status;

    if (!group->running)
        return rc_fail(err, RC_ECONFLICT, "a group that was not started is stopped");
    long long passed = PAPI_get_real_nsec() - group->started_ns;
    status = PAPI_stop(group->set, group->value);
    if (status == PAPI_OK)
        group->running = false;
    else if (!component || !is_perf(component))
        return rc_fail(err, RC_EIO, "component %s: PAPI_stop: %s",
                       component ? component->name : "?", PAPI_strerror(status));
    else
        group->running = !stop_lost(group->set);
    if (passed > 0)
        enabled = (uint64_t)passed;
    running = status == PAPI_OK ? enabled : 0;
    for (size_t i = 0; i < group->count; i++)
        readings[i] = (struct rc_reading){.value = running ? group->value[i] : 0,
                                          .enabled_ns = enabled,
                                          .running_ns = running};
    return RC_OK;
}

/* Tries the kernel's generic events, not presets, which a user's file may define as
 * anything.
 */
bool rc_papi_hardware(struct rc_source_state *state, char *why, size_t room)
{
    static const char *const names[] = {"perf::INSTRUCTIONS", "perf::CYCLES"};
    char first[200] = "";

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct rc_papi_event event = {.name = names[i]};
        struct rc_source_state one = {.event = &event, .count = 1};
        struct rc_trial trial = {0};
        int status = PAPI_event_name_to_code(names[i], &event.code);
        if (status != PAPI_OK) {
            snprintf(trial.reason, sizeof trial.reason, "%s", PAPI_strerror(status));
        } else {
            int component = PAPI_get_event_component(event.code);
            event.component = component > 0 ? (uint32_t)component : 0;
            rc_papi_trial(&one, &(uint32_t){0}, 1, &trial);
            if (trial.verdict == RC_VERDICT_OK) {
                snprintf(why, room, "%s counts", names[i]);
                return true;
            }
        }
        if (!first[0])
            snprintf(first, sizeof first, "%s: %.180s", names[i], trial.reason);
    }
    snprintf(why, room, "no hardware counter counts: %s", first);
    return false;
}

/* Arithmetic, memory, page faults, a system call and a sleep. */
void rc_papi_stimulus(void)
{
    static const struct timespec nap = {.tv_nsec = 20000};
    enum { BYTES = 1 << 16, LINE = 64 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile double real = 1.0;
    volatile unsigned whole = 1;
    volatile unsigned char *fresh =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (unsigned i = 0; i < 2000; i++) {
        whole = whole * 1664525u + 1013904223u;
        if (whole & 1u << 16)
            real = real * 1.0000001 + 0.5;
    }
    if (fresh != MAP_FAILED) {
        for (size_t i = 0; i < BYTES; i += page)
            fresh[i] = (unsigned char)(fresh[i] + 1); /* one fault for each page */
        for (size_t i = 0; i < BYTES; i += LINE)
            fresh[i] = (unsigned char)(fresh[i] + 1);
        munmap((void *)fresh, BYTES);
    }
    syscall(SYS_getppid);
    nanosleep(&nap, NULL);
}
