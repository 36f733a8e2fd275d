/* The sysfs source on trees that this test writes and moves, and on the system's own.
 */
#include "tests/lib/test.h"

#include "campaign/base/files/path.h"
#include "campaign/sources/counter.h"
#include "campaign/sources/sysfs/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EVENTS = 4096 };

static const struct rc_source *sysfs;
static char tree[] = "/tmp/rc_sysfs.XXXXXX";

/* Events that the source lists. */
static struct listed {
    struct rc_event_sink sink;
    char name[EVENTS][160], description[EVENTS][200];
    enum rc_scope scope[EVENTS];
    bool simulated[EVENTS];
    uint32_t count;
} listed;

/* As a file of the kernel whose device is gone: pread() fails. */
static bool device_gone;
ssize_t __real_pread(int fd, void *to, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t offset)
{
    if (!device_gone)
        return __real_pread(fd, to, bytes, offset);
    errno = ENODEV;
    return -1;
}

static int take_listed(struct rc_event_sink *sink, const struct rc_event_info *info,
                       struct rc_error *err)
{
    struct listed *l = (struct listed *)(void *)sink;

    (void)err;
    assert_true(l->count < EVENTS);
    assert_true(info->evidence && info->evidence[0]);
    snprintf(l->name[l->count], sizeof l->name[0], "%s", info->name);
    snprintf(l->description[l->count], sizeof l->description[0], "%s",
             info->description);
    l->scope[l->count] = info->scope;
    l->simulated[l->count++] = info->simulated;
    return RC_OK;
}

/* Writes a file of the tree, with the directories that it needs. */
static void put(const char *file, const char *text)
{
    char path[PATH_MAX];

    rc_path(path, sizeof path, NULL, "%s/%s", tree, file);
    for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static struct rc_source_state *open_tree(const char *root)
{
    struct rc_source_setup setup = {.argument = root};
    struct rc_source_state *state = NULL;
    struct rc_enumerate what = {RC_QUALIFIERS_UMASKS, false};
    struct rc_error err = {.text = ""};

    if (sysfs->open(&setup, &state, &err) != RC_OK)
        fail_msg("%s", err.text);
    listed.sink.add = take_listed;
    listed.count = 0;
    assert_int_equal(sysfs->enumerate(state, &what, &listed.sink, &err), RC_OK);
    return state;
}

static uint32_t find_event(const char *name)
{
    char full[160];

    snprintf(full, sizeof full, "sysfs:::%s", name);
    for (uint32_t i = 0; i < listed.count; i++)
        if (strcmp(listed.name[i], full) == 0)
            return i;
    fail_msg("no event '%s'", full);
    return 0;
}

static bool is_listed(const char *name)
{
    for (uint32_t i = 0; i < listed.count; i++)
        if (strcmp(listed.name[i] + strlen("sysfs:::"), name) == 0)
            return true;
    return false;
}

/* A group of one event. */
static struct rc_group_state *arm_one(struct rc_source_state *state, const char *name)
{
    const uint32_t event = find_event(name);
    struct rc_group_state *group = NULL;
    struct rc_error err = {.text = ""};

    if (sysfs->arm(state, &event, 1, &group, &err) != RC_OK)
        fail_msg("%s", err.text);
    return group;
}

/* Reads an event of one file while the file's text changes. */
static struct rc_reading read_while(const char *name, const char *file,
                                    const char *before, const char *after)
{
    struct rc_reading reading = {.why = "not read"};

    put(file, before);
    struct rc_source_state *state = open_tree(tree);
    struct rc_group_state *group = arm_one(state, name);
    assert_int_equal(sysfs->start(group, NULL, NULL), RC_OK);
    put(file, after);
    assert_int_equal(sysfs->stop(group, &reading, NULL), RC_OK);
    sysfs->disarm(group);
    sysfs->close(state);
    assert_true(reading.enabled_ns > 0);
    assert_int_equal(reading.running_ns, reading.why ? 0 : reading.enabled_ns);
    return reading;
}

static struct rc_trial try_event(struct rc_source_state *state, const char *name)
{
    const uint32_t event = find_event(name);
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    sysfs->trial(state, &event, 1, &trial);
    return trial;
}

static int new_tree(void **unused)
{
    (void)unused;
    memset(tree + strlen(tree) - 6, 'X', 6);
    device_gone = false;
    return mkdtemp(tree) && chmod(tree, 0755) == 0 ? 0 : -1;
}

static int remove_tree(void **unused)
{
    char command[64];

    (void)unused;
    snprintf(command, sizeof command, "rm -rf %s", tree);
    return system(command);
}

static void a_root_that_is_no_directory_is_refused(void **unused)
{
    static const char *const bad[] = {"", "/nowhere/at/all", "/proc/self/stat"};
    struct rc_source_state *state;
    struct rc_error err;

    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_source_setup setup = {.argument = bad[i]};
        assert_int_equal(sysfs->open(&setup, &state, &err), RC_EUSAGE);
        assert_null(state);
        assert_non_null(
            strstr(err.text, "is not a directory, expected one that holds"));
    }
}

static void garbage_is_no_number(void **unused)
{
    static const struct {
        const char *text, *key;
        unsigned column;
        const char *why;
    } bad[] = {
        {"", NULL, 0, "its file is empty or shorter"},
        {"\n7\n", NULL, 0, "its file is empty or shorter"},
        {"7 8\n", NULL, 2, "its file is empty or shorter"},
        {"seven\n", NULL, 0, "not a whole number"},
        {"-\n", NULL, 0, "not a whole number"},
        {"7.5\n", NULL, 0, "not a whole number"},
        {"0x10\n", NULL, 0, "not a whole number"},
        {"12abc\n", NULL, 0, "not a whole number"},
        {"+3\n", NULL, 0, "not a whole number"},
        {"18446744073709551616\n", NULL, 0, "too large a number"},
        {"99999999999999999999999999\n", NULL, 0, "too large a number"},
        {"ab 1\n", "a", 0, "its line is gone"},
        {"a", "a", 0, "its line is gone"},
        {"a\nb 1\n", "a", 0, "its line is gone"},
        {"a:\nb 1\n", "a", 0, "its file is empty or shorter"},
        {"a total=\n", "a", 0, "not a whole number"},
    };
    struct rc_counter_number number = {5, false};

    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *why =
            rc_sysfs_find(bad[i].text, bad[i].key, bad[i].column, &number);
        if (!why || strcmp(why, bad[i].why) != 0)
            fail_msg("'%s': '%s', expected '%s'", bad[i].text, why, bad[i].why);
        assert_int_equal(number.size, 5);
    }
}

static void numbers_are_found_by_line_and_column(void **unused)
{
    static const struct {
        const char *text, *key;
        uint64_t size;
        unsigned column;
        bool negative;
    } good[] = {
        {"0\n", NULL, 0, 0, false},
        {"  42", NULL, 42, 0, false},
        {"-40000\n", NULL, 40000, 0, true},
        {"18446744073709551615\n", NULL, UINT64_MAX, 0, false},
        {"24352 J 1399 us\n", NULL, 24352, 0, false},
        {"1  2\t3\n4\n", NULL, 3, 2, false},
        {"cpu0 7\ncpu  1 2 3\n", "cpu", 2, 1, false},
        {"MemFree:   99 kB\nMemFre: 1 kB\n", "MemFree", 99, 0, false},
        {"some avg10=0.12 avg60=0.00 avg300=0.00 total=123\n", "some", 123, 3, false},
    };
    struct rc_counter_number number;

    (void)unused;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_null(rc_sysfs_find(good[i].text, good[i].key, good[i].column, &number));
        assert_true(number.size == good[i].size);
        assert_int_equal(number.negative, good[i].negative);
    }
}

static void counters_wrap_stick_and_go_back(void **unused)
{
    static const struct rc_counter_rule plain = {0}, state = {.state = true},
                                        sticks = {.sticks_bits = 32},
                                        wraps = {.range = 1000};
    static const struct {
        const struct rc_counter_rule *rule;
        struct rc_counter_number start, stop;
        int64_t value;
        const char *why; /* what it begins with */
    } cases[] = {
        {&plain, {7, false}, {7, false}, 0, NULL},
        {&plain, {UINT64_MAX - 1, false}, {UINT64_MAX, false}, 1, NULL},
        {&plain, {0, false}, {UINT64_MAX, false}, 0, "too large"},
        {&plain, {8, false}, {7, false}, 0, "the counter went back"},
        {&plain, {8, true}, {7, false}, 0, "a counter is negative"},
        {&state, {1, false}, {40, true}, -40, NULL},
        {&state, {9, false}, {3, false}, 3, NULL},
        {&state, {0, false}, {UINT64_C(1) << 63, false}, 0, "too large"},
        {&sticks, {7, false}, {UINT32_MAX, false}, 0, "saturated"},
        {&sticks, {UINT32_MAX, false}, {UINT32_MAX, false}, 0, "saturated"},
        {&sticks, {UINT32_MAX, false}, {UINT64_C(1) << 32, false}, 1, NULL},
        {&sticks, {UINT32_MAX - 5, false}, {UINT32_MAX - 1, false}, 4, NULL},
        {&wraps, {990, false}, {15, false}, 25, NULL},
        {&wraps, {1000, false}, {0, false}, 0, NULL},
        {&wraps, {2000, false}, {15, false}, 0, "the counter went back"},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 0;
        const char *why =
            rc_counter_between(cases[i].rule, &cases[i].start, &cases[i].stop, &value);
        if (!cases[i].why)
            assert_null(why);
        else if (!why || strncmp(why, cases[i].why, strlen(cases[i].why)) != 0)
            fail_msg("case %zu: '%s', expected '%s'", i, why, cases[i].why);
        assert_int_equal(value, cases[i].value);
    }
}

static void an_empty_tree_has_no_events(void **unused)
{
    char text[200];

    (void)unused;
    put("sys/class/net/eth0/ifindex", "2\n");
    struct rc_source_state *state = open_tree(tree);
    assert_int_equal(listed.count, 0);
    sysfs->identify(state, text, sizeof text);
    assert_non_null(strstr(text, tree));
    sysfs->close(state);
}

static void trials_say_why_a_file_is_of_no_use(void **unused)
{
    char path[PATH_MAX];
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    (void)unused;
    put("sys/class/net/lo/statistics/rx_bytes", "7\n");
    put("sys/class/net/lo/statistics/tx_bytes", "0\n");
    put("sys/class/net/lo/statistics/junk", "a lot\n");
    put("sys/class/net/lo/statistics/huge", "18446744073709551616\n");
    put("sys/class/net/lo/statistics/gone", "1\n");
    put("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "4294967295\n");
    put("sys/class/powercap/intel-rapl:0/energy_uj", "7\n");
    put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    rc_path(path, sizeof path, NULL, "%s/sys/class/net/lo/statistics/pipe", tree);
    assert_int_equal(mkfifo(path, 0644), 0);
    struct rc_source_state *state = open_tree(tree);
    rc_path(path, sizeof path, NULL, "%s/sys/class/net/lo/statistics/gone", tree);
    assert_int_equal(unlink(path), 0);
    rc_path(path, sizeof path, NULL, "%s/sys/class/net/lo/statistics/rx_bytes", tree);

    assert_int_equal(try_event(state, "net:lo:rx_bytes").verdict, RC_VERDICT_OK);
    trial = try_event(state, "net:lo:tx_bytes");
    assert_int_equal(trial.verdict, RC_VERDICT_COUNTS_NOTHING);
    static const struct {
        const char *event, *reason;
    } bad[] = {
        {"net:lo:junk", "not a whole number"},
        {"net:lo:huge", "too large a number"},
        {"net:lo:gone", "No such file"},
        {"net:lo:pipe", "/net/lo/statistics/pipe: "},
        {"infiniband:mlx5_0:1:port_rcv_data", "saturated"},
        {"powercap:intel-rapl:package:energy_uj", "max_energy_range_uj: found ''"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        trial = try_event(state, bad[i].event);
        assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
        if (!strstr(trial.reason, bad[i].reason))
            fail_msg("%s: '%s', expected '%s'", bad[i].event, trial.reason,
                     bad[i].reason);
    }
    /* One that is of no use spoils the group, which is split then. */
    const uint32_t pair[] = {find_event("net:lo:rx_bytes"), find_event("net:lo:junk")};
    sysfs->trial(state, pair, 2, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    sysfs->trial(state, &(uint32_t){99}, 1, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    device_gone = true;
    trial = try_event(state, "net:lo:rx_bytes");
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    sysfs->close(state);
}

static void an_unreadable_file_is_not_permitted(void **unused)
{
    char path[PATH_MAX];
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    (void)unused;
    put("sys/class/powercap/intel-rapl:0/energy_uj", "7\n");
    rc_path(path, sizeof path, NULL, "%s/sys/class/powercap/intel-rapl:0/energy_uj",
            tree);
    assert_int_equal(chmod(path, 0), 0);
    struct rc_source_state *state = open_tree(tree);
    const bool root = geteuid() == 0;
    assert_true(!root || seteuid(65534) == 0);
    trial = try_event(state, "powercap:intel-rapl:intel-rapl%3A0:energy_uj");
    assert_true(!root || seteuid(0) == 0);
    assert_int_equal(trial.verdict, RC_VERDICT_NOT_PERMITTED);
    assert_non_null(strstr(trial.reason, "Permission denied; since Linux 5.10"));
    sysfs->close(state);
}

static void energy_wraps_at_its_range(void **unused)
{
    static const char file[] = "sys/class/powercap/intel-rapl:0/energy_uj",
                      event[] = "powercap:intel-rapl:package:energy_uj";

    (void)unused;
    put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
    struct rc_reading reading = read_while(event, file, "1000000\n", "1750000\n");
    assert_int_equal(reading.value, 750000);
    reading = read_while(event, file, "262143328000\n", "150\n");
    assert_null(reading.why);
    assert_int_equal(reading.value, 1000);
    reading = read_while(event, file, "262143328851\n", "150\n");
    assert_string_equal(reading.why, "the counter went back: it was reset, or is "
                                     "another one");
}

static void a_port_that_sticks_is_saturated_and_not_slow(void **unused)
{
    static const char data[] =
        "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data",
                      error[] =
                          "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error";

    (void)unused;
    struct rc_reading reading = read_while("infiniband:mlx5_0:1:port_rcv_data", data,
                                           "4294960000\n", "4294967295\n");
    assert_string_equal(reading.why, "saturated");
    reading = read_while("infiniband:mlx5_0:1:port_rcv_data", data, "4294967290\n",
                         "4294967390\n"); /* 64 bits */
    assert_null(reading.why);
    assert_int_equal(reading.value, 100);
    reading =
        read_while("infiniband:mlx5_0:1:symbol_error", error, "65533\n", "65535\n");
    assert_string_equal(reading.why, "saturated");
}

static void a_file_that_vanishes_or_breaks_leaves_a_gap(void **unused)
{
    static const char file[] = "sys/class/net/ib0/statistics/rx_bytes",
                      event[] = "net:ib0:rx_bytes";
    struct rc_reading reading;
    char large[1000];

    (void)unused;
    reading = read_while(event, file, "5\n", "");
    assert_string_equal(reading.why, "its file is empty or shorter");
    reading = read_while(event, file, "5\n", "what?\n");
    assert_string_equal(reading.why, "not a whole number");
    memset(large, '1', sizeof large - 1);
    large[sizeof large - 1] = 0;
    reading = read_while(event, file, "5\n", large);
    assert_string_equal(reading.why, "its file has grown to twice its length");
    reading = read_while("net:ib0:rx_bytes", file, "5\n", "9\n");
    assert_int_equal(reading.value, 4);

    struct rc_source_state *state = open_tree(tree);
    struct rc_group_state *group = arm_one(state, event);
    assert_int_equal(sysfs->start(group, NULL, NULL), RC_OK);
    device_gone = true;
    assert_int_equal(sysfs->stop(group, &reading, NULL), RC_OK);
    device_gone = false;
    assert_string_equal(reading.why,
                        "a gap: its file is gone or cannot be read any more");
    assert_int_equal(reading.running_ns, 0);
    /* It may come back. */
    assert_int_equal(sysfs->start(group, NULL, NULL), RC_OK);
    assert_int_equal(sysfs->stop(group, &reading, NULL), RC_OK);
    assert_null(reading.why);
    assert_int_equal(sysfs->stop(group, &reading, NULL), RC_ECONFLICT);
    sysfs->disarm(group);
    sysfs->close(state);
}

static void a_line_that_goes_away_costs_only_its_event(void **unused)
{
    struct rc_reading reading[2];
    struct rc_group_state *group;
    struct rc_error err;

    (void)unused;
    put("proc/vmstat", "pgfault 10\npgmajfault 3\nnr_dirty 4\n");
    struct rc_source_state *state = open_tree(tree);
    const uint32_t events[] = {find_event("vmstat:pgmajfault"),
                               find_event("vmstat:nr_dirty")};
    assert_int_equal(sysfs->arm(state, events, 2, &group, &err), RC_OK);
    assert_int_equal(sysfs->start(group, NULL, NULL), RC_OK);
    put("proc/vmstat", "nr_dirty 2\npgfault 11\n");
    assert_int_equal(sysfs->stop(group, reading, NULL), RC_OK);
    assert_string_equal(reading[0].why, "its line is gone");
    assert_null(reading[1].why);
    assert_int_equal(reading[1].value, 2);
    sysfs->disarm(group);
    sysfs->close(state);
}

static void hostile_names_become_plain_words(void **unused)
{
    (void)unused;
    put("sys/class/net/e v\"il\n*/statistics/rx_bytes", "1\n");
    put("sys/class/net/\xff\xfe%/statistics/rx_bytes", "2\n");
    put("proc/meminfo",
        "Active(anon):  4 kB\n\x01\x02: 3 kB\nno number\n: 4\nMemFree:");
    struct rc_source_state *state = open_tree(tree);
    assert_true(is_listed("net:e%20v%22il%0A%2A:rx_bytes"));
    assert_true(is_listed("net:%FF%FE%25:rx_bytes"));
    assert_true(is_listed("meminfo:Active(anon)"));
    assert_true(is_listed("meminfo:%01%02"));
    assert_int_equal(try_event(state, "meminfo:%01%02").verdict, RC_VERDICT_OK);
    assert_int_equal(try_event(state, "meminfo:no").verdict, RC_VERDICT_UNSUPPORTED);
    for (uint32_t i = 0; i < listed.count; i++)
        for (const char *p = listed.name[i]; *p; p++)
            assert_true(*p > ' ' && *p <= '~' && !strchr("*?[]\"'\\", *p));
    sysfs->close(state);
}

static void a_root_with_special_characters_is_found(void **unused)
{
    char root[PATH_MAX];

    (void)unused;
    put("a*{b,c}[d]\\/proc/stat", "ctxt 5\n");
    put("ab/proc/stat", "ctxt 5\nintr 4\n");
    rc_path(root, sizeof root, NULL, "%s/a*{b,c}[d]\\//", tree);
    struct rc_source_state *state = open_tree(root);
    assert_int_equal(listed.count, 1);
    assert_int_equal(try_event(state, "stat:ctxt").verdict, RC_VERDICT_OK);
    sysfs->close(state);
}

static void sensors_are_named_by_their_labels_and_twins_apart(void **unused)
{
    (void)unused;
    put("sys/class/hwmon/hwmon2/name", "coretemp\n");
    put("sys/class/hwmon/hwmon2/temp1_input", "41000\n");
    put("sys/class/hwmon/hwmon2/temp1_label", "Package id 0\n");
    put("sys/class/hwmon/hwmon7/name", "coretemp\n");
    put("sys/class/hwmon/hwmon7/temp1_input", "-3000\n");
    put("sys/class/hwmon/hwmon9/power1_average", "12000000\n");
    put("sys/class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
    put("sys/class/thermal/thermal_zone0/temp", "40000\n");
    struct rc_source_state *state = open_tree(tree);
    assert_int_equal(listed.count, 4);
    const uint32_t event = find_event("hwmon:coretemp:temp1_input");
    assert_int_equal(listed.scope[event], RC_SCOPE_NODE);
    assert_true(listed.simulated[event]);
    assert_non_null(strstr(listed.description[event], ": Package id 0"));
    assert_true(is_listed("hwmon:hwmon9:power1_average"));
    assert_true(is_listed("thermal:x86_pkg_temp:temp"));
    sysfs->close(state);
    assert_int_equal(read_while("hwmon:coretemp:temp1_input#2",
                                "sys/class/hwmon/hwmon7/temp1_input", "5\n", "-3000\n")
                         .value,
                     -3000);
}

/* The CPU that the thread is on from now on. */
static int stay_here(void)
{
    const int cpu = sched_getcpu();
    cpu_set_t here;

    CPU_ZERO(&here);
    CPU_SET((size_t)cpu, &here);
    assert_int_equal(sched_setaffinity(0, sizeof here, &here), 0);
    return cpu;
}

/* Two packages with two zones each, and one zone of the whole machine. */
static void zones_are_read_in_the_package_of_the_thread(void **unused)
{
    static const struct {
        const char *zone, *name, *energy;
    } zones[] = {
        {"intel-rapl:0", "package-1", "1000\n"}, {"intel-rapl:0:0", "dram", "2000\n"},
        {"intel-rapl:1", "package-0", "3000\n"}, {"intel-rapl:1:0", "dram", "4000\n"},
        {"intel-rapl:2", "psys", "5000\n"},
    };
    char file[PATH_MAX], text[32];

    (void)unused;
    (void)stay_here();
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        snprintf(file, sizeof file, "sys/class/powercap/%s/name", zones[i].zone);
        put(file, zones[i].name);
        snprintf(file, sizeof file, "sys/class/powercap/%s/energy_uj", zones[i].zone);
        put(file, zones[i].energy);
        snprintf(file, sizeof file, "sys/class/powercap/%s/max_energy_range_uj",
                 zones[i].zone);
        put(file, "1000000\n");
    }
    struct rc_source_state *state = open_tree(tree);
    assert_int_equal(listed.count, 3);
    const uint32_t package = find_event("powercap:intel-rapl:package:energy_uj");
    assert_int_equal(listed.scope[package], RC_SCOPE_PACKAGE);
    assert_int_equal(
        listed.scope[find_event("powercap:intel-rapl:package:dram:energy_uj")],
        RC_SCOPE_PACKAGE);
    assert_int_equal(listed.scope[find_event("powercap:intel-rapl:psys:energy_uj")],
                     RC_SCOPE_NODE);
    /* Without a topology nobody knows which package this is. */
    struct rc_trial trial = try_event(state, "powercap:intel-rapl:package:energy_uj");
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    assert_non_null(strstr(trial.reason, "has no file for CPU"));
    for (int p = 0; p < 2; p++) {
        struct rc_reading reading;
        snprintf(file, sizeof file,
                 "sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 sched_getcpu());
        snprintf(text, sizeof text, "%d\n", p);
        put(file, text);
        struct rc_group_state *group =
            arm_one(state, "powercap:intel-rapl:package:dram:energy_uj");
        assert_int_equal(sysfs->start(group, NULL, NULL), RC_OK);
        put(p == 0 ? "sys/class/powercap/intel-rapl:1:0/energy_uj"
                   : "sys/class/powercap/intel-rapl:0:0/energy_uj",
            p == 0 ? "4017\n" : "2019\n");
        assert_int_equal(sysfs->stop(group, &reading, NULL), RC_OK);
        assert_int_equal(reading.value, p == 0 ? 17 : 19);
        sysfs->disarm(group);
    }
    sysfs->close(state);
}

/* One zone is not read for another package, only where nobody says which this is. */
static void a_zone_of_another_package_is_not_read(void **unused)
{
    char file[PATH_MAX];

    (void)unused;
    put("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    put("sys/class/powercap/intel-rapl:0/energy_uj", "7\n");
    put("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000\n");
    struct rc_source_state *state = open_tree(tree);
    assert_int_equal(try_event(state, "powercap:intel-rapl:package:energy_uj").verdict,
                     RC_VERDICT_OK);
    snprintf(file, sizeof file,
             "sys/devices/system/cpu/cpu%d/topology/physical_package_id", stay_here());
    put(file, "1\n");
    assert_int_equal(try_event(state, "powercap:intel-rapl:package:energy_uj").verdict,
                     RC_VERDICT_UNSUPPORTED);
    sysfs->close(state);
}

static void files_of_a_core_are_those_of_the_threads(void **unused)
{
    const int cpu = stay_here();
    char file[PATH_MAX];

    (void)unused;
    put("sys/devices/system/cpu/cpufreq/policy0/x", "");
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file,
                 "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
                 i == 0 ? cpu : cpu + 1);
        put(file, i == 0 ? "2400000\n" : "800000\n");
    }
    struct rc_source_state *state = open_tree(tree);
    assert_int_equal(listed.count, 1);
    assert_int_equal(listed.scope[0], RC_SCOPE_CORE);
    sysfs->close(state);
    snprintf(file, sizeof file, "sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
             cpu);
    assert_int_equal(
        read_while("cpufreq:scaling_cur_freq", file, "2400000\n", "2500000\n").value,
        2500000);
}

static void counters_and_states_of_vmstat_are_told_apart(void **unused)
{
    static const char *const counters[] = {"vmstat:pgfault", "vmstat:nr_dirtied",
                                           "vmstat:nr_vmscan_write", "stat:ctxt"},
                             *const states[] = {"vmstat:nr_dirty",
                                                "vmstat:workingset_nodes",
                                                "stat:procs_running"};

    (void)unused;
    put("proc/vmstat", "nr_dirty 1\nnr_dirtied 2\nnr_vmscan_write 3\npgfault 4\n"
                       "workingset_nodes 5\n");
    put("proc/stat", "cpu 1 2 3\ncpu0 1 2 3\nintr 9 1 1\nctxt 5\nbtime 77\n"
                     "processes 3\nprocs_running 1\n");
    struct rc_source_state *state = open_tree(tree);
    assert_int_equal(listed.count, 12);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        assert_non_null(
            strstr(listed.description[find_event(counters[i])], ", a counter"));
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        assert_non_null(strstr(listed.description[find_event(states[i])], ", a state"));
    sysfs->close(state);
}

/* On the real system: calls that this process makes, by the kernel's count. */
static void writes_of_this_process_are_counted_exactly(void **unused)
{
    struct rc_reading reading[2];
    struct rc_group_state *group;
    struct rc_error err = {.text = ""};

    (void)unused;
    if (access("/proc/self/io", R_OK)) {
        print_message("skipped: the kernel does not show /proc/self/io\n");
        skip();
    }
    struct rc_source_state *state = open_tree(NULL);
    const uint32_t events[] = {find_event("io:wchar"), find_event("io:syscw")};
    int null = open("/dev/null", O_WRONLY);
    char text[1000] = "";
    assert_int_equal(sysfs->arm(state, events, 2, &group, &err), RC_OK);
    for (int writes = 0; writes < 3; writes++) {
        assert_int_equal(sysfs->start(group, NULL, NULL), RC_OK);
        for (int i = 0; i < writes; i++)
            assert_int_equal(write(null, text, sizeof text), sizeof text);
        assert_int_equal(sysfs->stop(group, reading, NULL), RC_OK);
        assert_int_equal(reading[0].value, writes * (int)sizeof text);
        assert_int_equal(reading[1].value, writes);
    }
    close(null);
    sysfs->disarm(group);
    sysfs->close(state);
}

static void every_file_of_this_system_is_tried(void **unused)
{
    uint32_t useful = 0;

    (void)unused;
    struct rc_source_state *state = open_tree(NULL);
    for (uint32_t i = 0; i < listed.count; i++) {
        struct rc_trial trial;
        assert_false(listed.simulated[i]);
        sysfs->trial(state, &i, 1, &trial);
        assert_int_not_equal(trial.verdict, RC_VERDICT_UNTRIED);
        assert_true(trial.verdict == RC_VERDICT_OK || trial.reason[0]);
        useful += trial.verdict == RC_VERDICT_OK;
    }
    print_message("%u events, %u count\n", listed.count, useful);
    assert_true(useful > 0);
    sysfs->close(state);
}

#define ON_TREE(test) cmocka_unit_test_setup_teardown(test, new_tree, remove_tree)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_root_that_is_no_directory_is_refused),
        cmocka_unit_test(garbage_is_no_number),
        cmocka_unit_test(numbers_are_found_by_line_and_column),
        cmocka_unit_test(counters_wrap_stick_and_go_back),
        ON_TREE(an_empty_tree_has_no_events),
        ON_TREE(trials_say_why_a_file_is_of_no_use),
        ON_TREE(an_unreadable_file_is_not_permitted),
        ON_TREE(energy_wraps_at_its_range),
        ON_TREE(a_port_that_sticks_is_saturated_and_not_slow),
        ON_TREE(a_file_that_vanishes_or_breaks_leaves_a_gap),
        ON_TREE(a_line_that_goes_away_costs_only_its_event),
        ON_TREE(hostile_names_become_plain_words),
        ON_TREE(a_root_with_special_characters_is_found),
        ON_TREE(sensors_are_named_by_their_labels_and_twins_apart),
        ON_TREE(zones_are_read_in_the_package_of_the_thread),
        ON_TREE(a_zone_of_another_package_is_not_read),
        ON_TREE(files_of_a_core_are_those_of_the_threads),
        ON_TREE(counters_and_states_of_vmstat_are_told_apart),
        cmocka_unit_test(writes_of_this_process_are_counted_exactly),
        cmocka_unit_test(every_file_of_this_system_is_tried),
    };

    sysfs = rc_source_find("sysfs");
    if (!sysfs)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
