/* Culprits of detours: events of the kernel that are planted, then those of this
 * machine,
 * where it lets us trace.
 */
#include "tests/lib/test.h"

#include "campaign/detours/who_parts.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Instead of the ring: what 'planted' has, where it is not NULL. */
static const struct rc_trace_event *planted;
static size_t planted_count;
static uint64_t planted_lost;
static bool planted_virtual, planted_all;

int __real_rc_trace_open(struct rc_trace *trace, uint32_t core, uint64_t duration_ns,
                         const char *tracefs, struct rc_error *err);
int __wrap_rc_trace_open(struct rc_trace *trace, uint32_t core, uint64_t duration_ns,
                         const char *tracefs, struct rc_error *err);
int __real_rc_trace_read(struct rc_trace *trace, rc_trace_hear *hear, void *context,
                         struct rc_error *err);
int __wrap_rc_trace_read(struct rc_trace *trace, rc_trace_hear *hear, void *context,
                         struct rc_error *err);

int __wrap_rc_trace_open(struct rc_trace *trace, uint32_t core, uint64_t duration_ns,
                         const char *tracefs, struct rc_error *err)
{
    if (!planted)
        return __real_rc_trace_open(trace, core, duration_ns, tracefs, err);
    *trace = (struct rc_trace){.all = planted_all};
    return RC_OK;
}

int __wrap_rc_trace_read(struct rc_trace *trace, rc_trace_hear *hear, void *context,
                         struct rc_error *err)
{
    int status = RC_OK;

    if (!planted)
        return __real_rc_trace_read(trace, hear, context, err);
    trace->lost = planted_lost;
    for (size_t i = 0; i < planted_count && status == RC_OK; i++)
        status = hear(context, &planted[i], err);
    return status;
}

static const struct rc_trace_point on = {
    .kind = RC_TRACE_SWITCH, .what = "thread", .number = 56, .text = 40};
static const struct rc_trace_point irq = {
    .kind = RC_TRACE_ENTER, .what = "irq", .number = 8, .text = 12};
static const struct rc_trace_point irq_end = {
    .kind = RC_TRACE_LEAVE, .what = "irq", .number = 8};
static const struct rc_trace_point soft = {
    .kind = RC_TRACE_ENTER, .what = "softirq", .number = 8};
static const struct rc_trace_point soft_end = {
    .kind = RC_TRACE_LEAVE, .what = "softirq", .number = 8};
static const struct rc_trace_point timer = {.kind = RC_TRACE_ENTER,
                                            .what = "local timer interrupt"};
static const struct rc_trace_point timer_end = {.kind = RC_TRACE_LEAVE,
                                                .what = "local timer interrupt"};
static const struct rc_trace_point nmi = {
    .kind = RC_TRACE_NMI, .what = "nmi", .number = 16};

/* Listens to these events and names one detour, of times as they have them. */
static const char *name_of(const struct rc_trace_event *event, size_t count,
                           uint64_t from, uint64_t to, uint64_t steal_ns)
{
    static char text[64];
    const struct rc_detour detour = {from, to - from};
    struct rc_who *who = NULL;
    struct rc_error err;
    uint16_t number = 99;
    size_t names = 0;

    planted = event;
    planted_count = count;
    assert_int_equal(rc_who_open(0, 1000, NULL, &who, &err), RC_OK);
    assert_string_equal(rc_who_missing(who), "");
    rc_who_start(who);
    assert_int_equal(rc_who_stop(who, &err), RC_OK);
    assert_true(rc_who_lost(who) == planted_lost);
    assert_int_equal(
        rc_who_name(who, 0, steal_ns, planted_virtual, &detour, 1, &number, &err),
        RC_OK);
    const char *const *name = rc_who_names(who, &names);
    assert_true(number < names);
    snprintf(text, sizeof text, "%s", name[number]);
    rc_who_close(who);
    planted = NULL;
    return text;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define assert_name(list, from, to, wanted)                                            \
    assert_string_equal(name_of(list, COUNT(list), from, to, 0), wanted)

enum { SELF = 4711 };

static void a_thread_has_what_interrupts_leave(void **state)
{
    /* the thief has 1000 .. 2000, in it a timer 1100 .. 1900, in that an NMI 1200 ..
     * 1650, and a softirq 1700 .. 1800
     */
    static const struct rc_trace_event events[] = {
        {&on, 1000, SELF, 77, "thief"},  {&timer, 1100, 77, 0, ""},
        {&nmi, 1650, 77, 450, ""},       {&soft, 1700, 77, 3, ""},
        {&soft_end, 1800, 77, 3, ""},    {&timer_end, 1900, 77, 0, ""},
        {&on, 2000, 77, SELF, "myself"},
    };

    (void)state;
    assert_name(events, 900, 2100, "nmi"); /* 450, the timer 250, the thief 200 */
    assert_name(events, 900, 1290, "thread thief:77"); /* 100 to 100 and 90 */
    assert_name(events, 1150, 1220, "local timer interrupt");
    assert_name(events, 1650, 1830, "softirq NET_RX");
    assert_name(events, 1850, 2100, "thread thief:77");
    /* the measuring thread has the rest; a detour there is nobody's */
    assert_name(events, 2100, 3000, rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED]);
    assert_name(events, 0, 900, rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED]);
    /* a moment in a long pause is not its cause, a tenth of it is */
    assert_name(events, 1990, 2200, rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED]);
    assert_name(events, 1990, 2090, "thread thief:77");
    /* half of what nobody has, the host says that it took */
    assert_string_equal(name_of(events, COUNT(events), 2100, 3000, 451),
                        rc_noise_who_names[RC_NOISE_WHO_HOST]);
    assert_string_equal(name_of(events, COUNT(events), 2100, 3000, 450),
                        rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED]);
}

static void what_is_below_a_virtual_machine_is_the_host(void **state)
{
    static const struct rc_trace_event events[] = {{&timer, 1000, SELF, 0, ""},
                                                   {&timer_end, 1500, SELF, 0, ""}};
    const char *const host = rc_noise_who_names[RC_NOISE_WHO_HOST];
    const char *const nobody = rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED];

    (void)state;
    planted_virtual = planted_all = true;
    assert_name(events, 2000, 9000, host);
    assert_name(events, 900, 1600, "local timer interrupt");
    assert_name(events, 1400, 9000, host); /* a moment in a long pause */
    planted_all = false; /* the kernel does not report all interrupts */
    assert_name(events, 2000, 9000, nobody);
    planted_all = true;
    planted_lost = 1; /* nor what came later */
    assert_name(events, 2000, 9000, rc_noise_who_names[RC_NOISE_WHO_NOT_ASKED]);
    planted_lost = 0;
    planted_virtual = false;
    assert_name(events, 2000, 9000, nobody);
    planted_all = false;
}

static void interrupts_have_the_names_of_their_devices(void **state)
{
    static const struct rc_trace_event events[] = {
        {&irq, 1000, SELF, 24, "virtio0"}, {&irq_end, 1100, SELF, 24, ""},
        {&soft, 1200, SELF, 12, ""},       {&soft_end, 1300, SELF, 12, ""},
        {&on, 1400, SELF, 0, "swapper/0"}, {&on, 1500, 0, 5, "a\033[2J\xff"},
        {&on, 1600, 5, SELF, "myself"},
    };

    (void)state;
    assert_name(events, 990, 1110, "irq 24 virtio0");
    assert_name(events, 1190, 1310, "softirq 12 ");
    assert_name(events, 1390, 1500, "idle");
    assert_name(events, 1500, 1610, "thread a?[2J?:5");
}

/* Events that were lost, and some that make no sense. */
static void broken_nests_end(void **state)
{
    static const struct rc_trace_event lost_exit[] = {
        {&timer, 1000, SELF, 0, ""},     {&soft, 1100, SELF, 3, ""},
        {&timer_end, 1200, SELF, 0, ""}, {&timer, 2000, SELF, 0, ""},
        {&on, 2100, SELF, SELF, ""},     {&timer_end, 2500, SELF, 0, ""},
        {&soft_end, 2600, SELF, 3, ""},
    };
    static const struct rc_trace_event backwards[] = {
        {&timer, 1000, SELF, 0, ""},
        {&nmi, 900, SELF, 5000, ""},
        {&nmi, 1100, SELF, -3, ""},
        {&timer_end, 1050, SELF, 0, ""},
    };
    struct rc_trace_event deep[64];

    (void)state;
    assert_name(lost_exit, 1150, 1900, rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED]);
    assert_name(lost_exit, 2200, 2700, rc_noise_who_names[RC_NOISE_WHO_UNATTRIBUTED]);
    assert_name(backwards, 990, 1110, "local timer interrupt");
    for (size_t i = 0; i < COUNT(deep); i++)
        deep[i] = (struct rc_trace_event){&soft, 1000 + i, SELF, 1, ""};
    assert_name(deep, 1000, 1063, "softirq TIMER");
    /* what was not heard is not said to be nobody's */
    planted_lost = 3;
    assert_name(lost_exit, 1000, 1100, "local timer interrupt");
    assert_name(lost_exit, 3000, 4000, rc_noise_who_names[RC_NOISE_WHO_NOT_ASKED]);
    planted_lost = 0;
}

static void threads_without_number_share_a_name(void **state)
{
    enum { THREADS = 6000 };
    struct rc_trace_event *event = calloc(THREADS, sizeof *event);

    (void)state;
    assert_non_null(event);
    for (size_t i = 0; i < THREADS; i++)
        event[i] =
            (struct rc_trace_event){&on, 1000 + 10 * i, i ? (int32_t)(9999 + i) : SELF,
                                    (int64_t)(10000 + i), "sh"};
    assert_string_equal(name_of(event, THREADS, 1000, 1010, 0), "thread sh:10000");
    assert_string_equal(name_of(event, THREADS, 59000, 59010, 0),
                        "one of many threads");
    free(event);
}

static void without_tracepoints_nobody_is_asked(void **state)
{
    const struct rc_detour detour = {0, 1000};
    struct rc_who *who = NULL;
    struct rc_error err;
    uint16_t number = 99;

    (void)state;
    assert_int_equal(rc_who_open(0, 1000, "/nowhere", &who, &err), RC_OK);
    assert_string_equal(rc_who_missing(who),
                        "tracefs is not mounted; as root: mount -t tracefs tracefs "
                        "/nowhere");
    rc_who_start(who);
    assert_int_equal(rc_who_stop(who, &err), RC_OK);
    assert_int_equal(rc_who_name(who, 0, 1000, true, &detour, 1, &number, &err), RC_OK);
    assert_int_equal(number, RC_NOISE_WHO_NOT_ASKED);
    rc_who_close(who);
    rc_who_close(NULL);
}

static uint64_t raw_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Takes the core for 0.5 ms every 5 ms, before every other thread. */
static void steal(void)
{
    const struct sched_param first = {.sched_priority = 90};

    (void)prctl(PR_SET_NAME, "thief");
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (sched_setscheduler(0, SCHED_FIFO, &first))
        _exit(1);
    for (int i = 0; i < 2000; i++) {
        const struct timespec pause = {.tv_nsec = 4500000};
        (void)nanosleep(&pause, NULL);
        for (const uint64_t begin = raw_ns(); raw_ns() < begin + 500000;)
            ;
    }
    _exit(0);
}

enum { MOST = 100000 };

/* Half a second of a loop that reads the clock. */
static size_t find_detours(uint64_t *begin_ns, struct rc_detour *detour)
{
    const uint64_t begin = raw_ns();
    size_t count = 0;

    *begin_ns = begin;
    for (uint64_t now = begin, before = begin; now < begin + 500000000; before = now) {
        now = raw_ns();
        if (now - before > 2000 && count < MOST)
            detour[count++] = (struct rc_detour){before - begin, now - before};
    }
    return count;
}

/* Mounts tracefs where it is not, for this process alone: that goes with it. */
static bool can_trace(struct rc_who **who)
{
    struct rc_error err;

    assert_int_equal(rc_who_open((uint32_t)sched_getcpu(), 1000000000, NULL, who, &err),
                     RC_OK);
    if (!rc_who_missing(*who)[0])
        return true;
    rc_who_close(*who);
    if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL))
        print_message("  no tracefs for us: %s\n", strerror(errno));
    assert_int_equal(rc_who_open((uint32_t)sched_getcpu(), 1000000000, NULL, who, &err),
                     RC_OK);
    if (rc_who_missing(*who)[0])
        print_message("  skipped: %s\n", rc_who_missing(*who));
    return !rc_who_missing(*who)[0];
}

static void a_thief_is_named_by_this_kernel(void **state)
{
    static struct rc_detour detour[MOST];
    static uint16_t number[MOST];
    size_t pulses = 0, named = 0, names = 0;
    struct rc_who *who = NULL;
    struct rc_error err;
    uint64_t begin = 0;
    char wanted[64];
    cpu_set_t core;

    (void)state;
    CPU_ZERO(&core);
    CPU_SET((unsigned)sched_getcpu(), &core);
    assert_int_equal(sched_setaffinity(0, sizeof core, &core), 0);
    if (!can_trace(&who)) {
        rc_who_close(who);
        skip();
    }
    const pid_t thief = fork();
    if (thief == 0)
        steal();
    snprintf(wanted, sizeof wanted, "thread thief:%d", (int)thief);
    (void)usleep(50000);
    const bool runs = waitpid(thief, NULL, WNOHANG) == 0;
    /* before everybody but the thief: on a busy machine, too, it is seen alone */
    const struct sched_param second = {.sched_priority = 50}, none = {0};
    (void)sched_setscheduler(0, SCHED_FIFO, &second);
    rc_who_start(who);
    const size_t count = find_detours(&begin, detour);
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
    assert_int_equal(rc_who_stop(who, &err), RC_OK);
    assert_int_equal(rc_who_name(who, begin, 0, false, detour, count, number, &err),
                     RC_OK);
    if (runs) {
        (void)kill(thief, SIGKILL);
        (void)waitpid(thief, NULL, 0);
    }
    const char *const *name = rc_who_names(who, &names);
    for (size_t i = 0; i < count; i++) {
        assert_true(number[i] < names);
        pulses += detour[i].length_ns > 500000 && detour[i].length_ns < 1500000;
        named += strcmp(name[number[i]], wanted) == 0;
    }
    print_message("  %zu detours of 0.5 to 1.5 ms; %zu are of the thief; %zu lost\n",
                  pulses, named, (size_t)rc_who_lost(who));
    rc_who_close(who);
    if (!runs) {
        print_message("  skipped: no right to SCHED_FIFO\n");
        skip();
    }
    /* the host of a virtual machine may have taken the core as long, now and then */
    assert_true(pulses > 20);
    assert_true((double)named >= 0.9 * (double)pulses);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_what_interrupts_leave),
        cmocka_unit_test(what_is_below_a_virtual_machine_is_the_host),
        cmocka_unit_test(interrupts_have_the_names_of_their_devices),
        cmocka_unit_test(broken_nests_end),
        cmocka_unit_test(threads_without_number_share_a_name),
        cmocka_unit_test(without_tracepoints_nobody_is_asked),
        cmocka_unit_test(a_thief_is_named_by_this_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
