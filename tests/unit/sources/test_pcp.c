/* The pcp source with a real pmcd, which tests/unit/sources/pmcd.sh starts: names,
 * exact values, and what becomes of readings when the daemon or an agent ends.
 */
#include "tests/lib/test.h"

#include "campaign/sources/source.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { EVENTS = 1000, CPUS_MOST = 64 };

static const struct rc_source *pcp;
static const char *pmcd_dir;

static struct listed {
    struct rc_event_sink sink;
    char name[EVENTS][160];
    uint32_t count;
} listed;

static int take_listed(struct rc_event_sink *sink, const struct rc_event_info *info,
                       struct rc_error *err)
{
    struct listed *l = (struct listed *)(void *)sink;

    (void)err;
    assert_true(l->count < EVENTS);
    assert_int_equal(info->scope, RC_SCOPE_NODE);
    assert_true(info->evidence[0] && info->description[0]);
    snprintf(l->name[l->count++], sizeof l->name[0], "%s", info->name);
    return RC_OK;
}

static struct rc_source_state *open_pmcd(void)
{
    struct rc_source_setup setup = {.seed = 1};
    struct rc_source_state *state = NULL;
    struct rc_enumerate what = {RC_QUALIFIERS_UMASKS, false};
    struct rc_error err = {.text = ""};

    /* A daemon that was ended takes its time to come back. */
    for (int i = 0; i < 300 && pcp->open(&setup, &state, &err) != RC_OK; i++)
        usleep(100000);
    if (!state)
        fail_msg("%s", err.text);
    listed.sink.add = take_listed;
    listed.count = 0;
    if (pcp->enumerate(state, &what, &listed.sink, &err) != RC_OK)
        fail_msg("%s", err.text);
    return state;
}

/* The number of an event, or UINT32_MAX. */
static uint32_t number_of(const char *name)
{
    for (uint32_t i = 0; i < listed.count; i++)
        if (strncmp(listed.name[i], "pcp:::", 6) == 0 &&
            strcmp(listed.name[i] + 6, name) == 0)
            return i;
    return UINT32_MAX;
}

static struct rc_group_state *arm_events(struct rc_source_state *state,
                                         const char *const *names, size_t count)
{
    uint32_t events[8];
    struct rc_group_state *group = NULL;
    struct rc_error err = {.text = ""};

    for (size_t i = 0; i < count; i++)
        events[i] = number_of(names[i]);
    if (pcp->arm(state, events, count, &group, &err) != RC_OK)
        fail_msg("%s", err.text);
    return group;
}

static int pmcd_pid(void)
{
    char path[256];
    int pid = 0;

    snprintf(path, sizeof path, "%s/pid", pmcd_dir);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%d", &pid), 1);
    fclose(in);
    return pid;
}

/* Ends the daemon; tests/unit/sources/pmcd.sh starts it again. */
static void end_pmcd(void)
{
    const int pid = pmcd_pid();

    assert_true(pid > 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (kill(pid, 0) == 0)
        usleep(10000);
}

/* Reads until a reading can be used again, for half a minute at most. */
static bool comes_back(struct rc_group_state *group, struct rc_reading *reading)
{
    for (int i = 0; i < 300; i++) {
        assert_int_equal(pcp->start(group, NULL, NULL), RC_OK);
        assert_int_equal(pcp->stop(group, reading, NULL), RC_OK);
        if (!reading[0].why)
            return true;
        usleep(100000);
    }
    return false;
}

static void a_host_without_pmcd_is_refused(void **unused)
{
    static const char *const hosts[] = {"localhost:1", "", "unix://nowhere"};
    struct rc_source_state *state;
    struct rc_error err;

    (void)unused;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct rc_source_setup setup = {.argument = hosts[i]};
        assert_int_equal(pcp->open(&setup, &state, &err), RC_EUNSUPPORTED);
        assert_null(state);
        assert_non_null(strstr(err.text, "source 'pcp': no pmcd at '"));
    }
}

static void events_bear_pcps_own_names(void **unused)
{
    static const char *const names[] = {"sample.long.one", "sample.bin:bin-100",
                                        "pmcd.pdu_in.fetch", "sample.milliseconds"};
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};
    char counters[200];

    (void)unused;
    struct rc_source_state *state = open_pmcd();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_true(number_of(names[i]) != UINT32_MAX);
    pcp->identify(state, counters, sizeof counters);
    assert_non_null(strstr(counters, "pmcd (local:): pmcd perfevent sample"));
    for (uint32_t i = 0; i < listed.count; i++) {
        pcp->trial(state, &i, 1, &trial);
        assert_true(trial.verdict == RC_VERDICT_OK || trial.reason[0]);
    }
    pcp->trial(state, &(uint32_t){number_of("sample.milliseconds")}, 1, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    assert_non_null(strstr(trial.reason, "its values are not whole numbers"));
    pcp->trial(state, &(uint32_t){EVENTS}, 1, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    pcp->close(state);
}

static void states_and_counters_are_exact(void **unused)
{
    static const char exact[] = "pmcd.pdu_in.highres_fetch"; /* since PCP 6 */
    const char *names[] = {"sample.long.million", "sample.bin:bin-700",
                           "pmcd.pdu_in.fetch", "sample.bin:bin-200"};
    struct rc_reading reading[4];

    (void)unused;
    struct rc_source_state *state = open_pmcd();
    names[2] = number_of(exact) == UINT32_MAX ? names[2] : exact;
    struct rc_group_state *group = arm_events(state, names, 4);
    assert_int_equal(pcp->stop(group, reading, NULL), RC_ECONFLICT);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(pcp->start(group, NULL, NULL), RC_OK);
        assert_int_equal(pcp->stop(group, reading, NULL), RC_OK);
        for (int e = 0; e < 4; e++) {
            assert_null(reading[e].why);
            assert_true(reading[e].enabled_ns == reading[e].running_ns);
        }
        assert_int_equal(reading[0].value, 1000000);
        assert_int_equal(reading[1].value, 700);
        assert_int_equal(reading[2].value, 1); /* the fetch of stop() itself */
        assert_int_equal(reading[3].value, 200);
    }
    pcp->disarm(group);
    pcp->close(state);
}

/* All page faults of a CPU, by the kernel's count. */
static int open_faults(int cpu)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_PAGE_FAULTS};

    return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static int64_t read_faults(int fd)
{
    int64_t value = 0;

    assert_int_equal(read(fd, &value, sizeof value), sizeof value);
    return value;
}

static void touch_pages(size_t pages)
{
    volatile unsigned char *fresh = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(fresh != MAP_FAILED);
    for (size_t i = 0; i < pages; i++)
        fresh[i * 4096] = 1;
    munmap((void *)fresh, pages * 4096);
}

/* pmcd's value lies between the values read directly inside and outside of it. */
static void page_faults_agree_with_counters_of_ones_own(void **unused)
{
    char name[CPUS_MOST][80];
    const char *names[CPUS_MOST];
    int fd[CPUS_MOST];
    int64_t outer[CPUS_MOST], inner[CPUS_MOST];
    struct rc_reading reading[CPUS_MOST];
    size_t cpus = 0;

    (void)unused;
    struct rc_source_state *state = open_pmcd();
    for (; cpus < 8; cpus++) {
        snprintf(name[cpus], sizeof name[cpus],
                 "perfevent.hwcounters.perf__PAGE_FAULTS.value:cpu%zu", cpus);
        names[cpus] = name[cpus];
        if (number_of(names[cpus]) == UINT32_MAX ||
            (fd[cpus] = open_faults((int)cpus)) < 0)
            break;
    }
    if (cpus == 0) {
        pcp->close(state);
        print_message("skipped: no right to count page faults of a CPU\n");
        skip();
    }
    struct rc_group_state *group = arm_events(state, names, cpus);
    assert_true(comes_back(group, reading)); /* the agent counts from 0.1 s on */
    for (int turn = 0; turn < 20; turn++) {
        for (size_t c = 0; c < cpus; c++)
            outer[c] = read_faults(fd[c]);
        assert_int_equal(pcp->start(group, NULL, NULL), RC_OK);
        for (size_t c = 0; c < cpus; c++)
            inner[c] = read_faults(fd[c]);
        touch_pages(500);
        int64_t sum = 0;
        for (size_t c = 0; c < cpus; c++)
            inner[c] = read_faults(fd[c]) - inner[c];
        assert_int_equal(pcp->stop(group, reading, NULL), RC_OK);
        for (size_t c = 0; c < cpus; c++) {
            outer[c] = read_faults(fd[c]) - outer[c];
            if (reading[c].why)
                fail_msg("CPU %zu: %s", c, reading[c].why);
            assert_true(inner[c] <= reading[c].value && reading[c].value <= outer[c]);
            sum += reading[c].value;
        }
        if (cpus < 8)
            assert_true(sum >= 500);
    }
    for (size_t c = 0; c < cpus; c++)
        close(fd[c]);
    pcp->disarm(group);
    pcp->close(state);
}

static void a_daemon_that_ends_leaves_a_gap_and_comes_back(void **unused)
{
    static const char *const names[] = {"sample.long.million"};
    struct rc_reading reading[1];

    (void)unused;
    struct rc_source_state *state = open_pmcd();
    struct rc_group_state *group = arm_events(state, names, 1);
    assert_int_equal(pcp->start(group, NULL, NULL), RC_OK);
    end_pmcd();
    assert_int_equal(pcp->stop(group, reading, NULL), RC_OK);
    assert_string_equal(reading[0].why, "a gap: the connection to pmcd was lost");
    assert_int_equal(reading[0].running_ns, 0);
    assert_true(reading[0].enabled_ns > 0);
    assert_true(comes_back(group, reading));
    assert_int_equal(reading[0].value, 1000000);
    pcp->disarm(group);
    pcp->close(state);
}

static void an_agent_that_ends_costs_only_its_events(void **unused)
{
    static const char *const names[] = {
        "sample.long.million", "perfevent.hwcounters.perf__PAGE_FAULTS.value:cpu0"};
    struct rc_reading reading[2];
    char command[64];
    int agent = 0;

    (void)unused;
    struct rc_source_state *state = open_pmcd();
    if (number_of(names[1]) == UINT32_MAX) {
        pcp->close(state);
        print_message("skipped: the perfevent agent has no rights here\n");
        skip();
    }
    struct rc_group_state *group = arm_events(state, names, 2);
    assert_int_equal(pcp->start(group, NULL, NULL), RC_OK);
    snprintf(command, sizeof command, "pgrep -P %d -x pmdaperfevent", pmcd_pid());
    FILE *in = popen(command, "r");
    assert_non_null(in);
    assert_int_equal(fscanf(in, "%d", &agent), 1);
    pclose(in);
    assert_int_equal(kill(agent, SIGKILL), 0);
    assert_int_equal(pcp->stop(group, reading, NULL), RC_OK);
    assert_null(reading[0].why);
    assert_int_equal(reading[0].value, 1000000);
    assert_non_null(reading[1].why);
    assert_int_equal(strncmp(reading[1].why, "a gap: ", 7), 0);
    pcp->disarm(group);
    pcp->close(state);
    end_pmcd(); /* with its agents it comes back */
}

/* The numbers of two metrics change places while the daemon is down. */
static void numbers_that_mean_other_metrics_are_not_used(void **unused)
{
    static const char *const names[] = {"sample.long.one"};
    struct rc_reading reading[1];
    char command[512];

    (void)unused;
    struct rc_source_state *state = open_pmcd();
    struct rc_group_state *group = arm_events(state, names, 1);
    assert_true(comes_back(group, reading));
    assert_int_equal(reading[0].value, 1);
    snprintf(command, sizeof command,
             "sed -i -e 's/29:0:10/X/' -e 's/29:0:13/29:0:10/' -e 's/X/29:0:13/' "
             "%s/pmns",
             pmcd_dir);
    assert_int_equal(system(command), 0);
    end_pmcd();
    for (int i = 0; i < 40; i++) {
        assert_int_equal(pcp->start(group, NULL, NULL), RC_OK);
        assert_int_equal(pcp->stop(group, reading, NULL), RC_OK);
        assert_non_null(reading[0].why);
        usleep(100000);
    }
    pcp->disarm(group);
    pcp->close(state);
    state = open_pmcd();
    group = arm_events(state, names, 1);
    assert_true(comes_back(group, reading));
    assert_int_equal(reading[0].value, 1000000);
    pcp->disarm(group);
    pcp->close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_without_pmcd_is_refused),
        cmocka_unit_test(events_bear_pcps_own_names),
        cmocka_unit_test(states_and_counters_are_exact),
        cmocka_unit_test(page_faults_agree_with_counters_of_ones_own),
        cmocka_unit_test(an_agent_that_ends_costs_only_its_events),
        cmocka_unit_test(a_daemon_that_ends_leaves_a_gap_and_comes_back),
        cmocka_unit_test(numbers_that_mean_other_metrics_are_not_used),
    };

    pcp = rc_source_find("pcp");
    pmcd_dir = getenv("RC_PMCD_DIR");
    if (!pcp || !pmcd_dir) {
        puts("skipped: no pmcd, run it by tests/unit/sources/pmcd.sh");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
