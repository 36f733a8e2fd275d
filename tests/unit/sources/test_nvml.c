/* The nvml source with a made-up library, of which there are three: one that has all,
 * an old one and one with nearly nothing.  A library that is loaded already is found by
 * its name, so each test says which one it is.
 */
#include "tests/lib/test.h"

#include "campaign/sources/source.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = 64, EACH = 11 };

static const struct rc_source *nvml;
static char values[] = "/tmp/rc_nvml.XXXXXX";
static void *library;

static struct listed {
    struct rc_event_sink sink;
    char name[EVENTS][64], description[EVENTS][256];
    bool state[EVENTS];
    uint32_t count;
} listed;

static int take_listed(struct rc_event_sink *sink, const struct rc_event_info *info,
                       struct rc_error *err)
{
    struct listed *l = (struct listed *)(void *)sink;

    (void)err;
    assert_true(l->count < EVENTS);
    assert_int_equal(info->scope, RC_SCOPE_DEVICE);
    assert_true(info->evidence[0]);
    snprintf(l->name[l->count], sizeof l->name[0], "%s", info->name);
    snprintf(l->description[l->count], sizeof l->description[0], "%s",
             info->description);
    l->state[l->count++] = info->state;
    return RC_OK;
}

/* The library's answer from now on. */
static void set_values(const char *text)
{
    FILE *out = fopen(values, "w");

    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* With sanitizers the program's own keeps libraries loaded (keep_loaded.c). */
int __wrap_dlclose(void *closed);

int __wrap_dlclose(void *closed)
{
    int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");

    return real(closed);
}

static void load(const char *which)
{
    char path[1024];

    snprintf(path, sizeof path, RC_FAKE_NVML_DIR "/%s/libnvidia-ml.so.1", which);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
}

static int unload(void **unused)
{
    (void)unused;
    if (library)
        dlclose(library);
    library = NULL;
    unsetenv("RC_FAKE_NVML_NAME");
    return 0;
}

static void refuses(const char *argument, int expected, const char *words)
{
    const struct rc_source_setup setup = {.argument = argument};
    struct rc_source_state *state = (void *)&listed;
    struct rc_error err = {.text = ""};

    assert_int_equal(nvml->open(&setup, &state, &err), expected);
    assert_null(state);
    if (!strstr(err.text, words))
        fail_msg("said '%s', expected '%s'", err.text, words);
}

static struct rc_source_state *open_library(void)
{
    const struct rc_source_setup setup = {.seed = 1};
    const struct rc_enumerate what = {RC_QUALIFIERS_NONE, false};
    struct rc_source_state *state = NULL;
    struct rc_error err = {.text = ""};

    if (nvml->open(&setup, &state, &err) != RC_OK)
        fail_msg("%s", err.text);
    listed.sink.add = take_listed;
    listed.count = 0;
    assert_int_equal(nvml->enumerate(state, &what, &listed.sink, &err), RC_OK);
    return state;
}

static uint32_t number_of(const char *name)
{
    for (uint32_t i = 0; i < listed.count; i++)
        if (strcmp(listed.name[i] + strlen("nvml:::"), name) == 0)
            return i;
    fail_msg("no event %s", name);
    return 0;
}

static void judges(struct rc_source_state *state, const char *name,
                   enum rc_verdict verdict, const char *reason)
{
    struct rc_trial trial = {.verdict = RC_VERDICT_UNTRIED};

    nvml->trial(state, &(uint32_t){number_of(name)}, 1, &trial);
    if (trial.verdict != verdict || !strstr(trial.reason, reason))
        fail_msg("%s: verdict %d, '%s'", name, trial.verdict, trial.reason);
}

static void no_library_is_said_so(void **unused)
{
    (void)unused;
    if (dlopen("libnvidia-ml.so.1", RTLD_LAZY)) { /* it stays, and the test ends here */
        print_message("skipped: there is a real library here\n");
        skip();
    }
    refuses(NULL, RC_EUNSUPPORTED,
            "source 'nvml': no NVIDIA driver here: libnvidia-ml.so.1: ");
    refuses("0", RC_EUSAGE, "source 'nvml' takes no argument, found 'nvml:0'");
}

static void a_library_that_lacks_what_is_needed_is_refused(void **unused)
{
    (void)unused;
    load("empty");
    set_values("devices 1\n");
    refuses(NULL, RC_EUNSUPPORTED, "libnvidia-ml.so.1 has no function nvmlShutdown");
}

static void a_library_without_devices_is_refused(void **unused)
{
    static const struct {
        const char *values, *words;
    } cases[] = {
        {"init -9\n", "NVIDIA's driver is not loaded (error 9)"},
        {"init -999\n", "the library failed (error 999)"},
        {"init -14\n", "the library failed (error 14)"},
        {"devices -4\n", "no permission to read it (error 4)"},
        {"devices 0\n", "lists 0 devices, expected 1 to 1024"},
        {"devices 4294967295\n", "lists 4294967295 devices, expected 1 to 1024"},
    };

    (void)unused;
    load("whole");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        set_values(cases[i].values);
        refuses(NULL, RC_EUNSUPPORTED, cases[i].words);
    }
}

static void what_a_device_lacks_has_a_verdict_with_a_reason(void **unused)
{
    struct rc_group_state *group;
    struct rc_trial trial;
    struct rc_error err;

    (void)unused;
    load("old");
    set_values("devices 3\n0.power 71000\n0.temperature -4\n0.gpu 3\n"
               "1.handle -4\n1.power 5\n2.power -15\n2.name -999\n");
    struct rc_source_state *state = open_library();
    assert_int_equal(listed.count, 3 * EACH);
    judges(state, "device_0:power", RC_VERDICT_OK, "");
    judges(state, "device_0:energy", RC_VERDICT_UNSUPPORTED, "is too old for it");
    judges(state, "device_0:power_instant", RC_VERDICT_UNSUPPORTED, "too old");
    judges(state, "device_0:temperature", RC_VERDICT_NOT_PERMITTED, "no permission");
    judges(state, "device_0:sm_clock", RC_VERDICT_UNSUPPORTED,
           "the device does not support it");
    judges(state, "device_0:gpu_utilization", RC_VERDICT_UNSUPPORTED, "not support");
    judges(state, "device_1:power", RC_VERDICT_NOT_PERMITTED, "no permission");
    judges(state, "device_2:power", RC_VERDICT_UNSUPPORTED, "the device is lost");
    assert_non_null(
        strstr(listed.description[number_of("device_2:power")], "unknown: "));
    nvml->trial(state, &(uint32_t){3 * EACH}, 1, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_UNSUPPORTED);
    assert_int_equal(nvml->arm(state, &(uint32_t){UINT32_MAX}, 1, &group, &err),
                     RC_EMISSING);
    assert_null(group);
    nvml->close(state);
    nvml->close(NULL);
    nvml->disarm(NULL);
}

static void names_of_devices_may_be_anything(void **unused)
{
    char name[400], counters[120];

    (void)unused;
    load("whole");
    memset(name, 'x', sizeof name);
    memcpy(name, "\033[2J\n%s%n\xff*?,:", 14);
    name[sizeof name - 1] = 0;
    setenv("RC_FAKE_NVML_NAME", name, 1);
    set_values("devices 2\n0.power 1\n");
    struct rc_source_state *state = open_library();
    assert_string_equal(listed.name[EACH], "nvml:::device_1:power");
    for (uint32_t i = 0; i < listed.count; i++)
        assert_int_equal(strncmp(listed.description[i], "?[2J?%s%n?*?,:xx", 16), 0);
    nvml->identify(state, counters, sizeof counters);
    assert_int_equal(strncmp(counters, "NVIDIA devices: 2, ?[2J?", 24), 0);
    assert_int_equal(strchr(counters + 24, '['), NULL);
    nvml->close(state);
}

static void states_and_counters_are_exact(void **unused)
{
    static const char *const names[] = {
        "power",           "power_instant",     "energy",
        "gpu_utilization", "memory_used",       "temperature",
        "sm_clock",        "memory_clock",      "pcie_rx",
        "pcie_tx",         "memory_utilization"};
    static const int64_t expected[] = {
        250000, 260000, 1500, 97, INT64_C(70000000000), 61, 1410, 1215, 9, 8, 42};
    struct rc_reading reading[EACH];
    struct rc_group_state *group = NULL;
    uint32_t events[EACH];

    (void)unused;
    load("whole");
    set_values("devices 1\n0.energy 9007199254740993\n0.power 1\n");
    struct rc_source_state *state = open_library();
    for (size_t i = 0; i < EACH; i++) {
        char name[64];
        snprintf(name, sizeof name, "device_0:%s", names[i]);
        events[i] = number_of(name);
        assert_int_equal(listed.state[events[i]], strcmp(names[i], "energy") != 0);
    }
    assert_int_equal(nvml->arm(state, events, EACH, &group, NULL), RC_OK);
    assert_int_equal(nvml->stop(group, reading, NULL), RC_ECONFLICT);
    assert_int_equal(nvml->start(group, NULL, NULL), RC_OK);
    set_values(
        "0.energy 9007199254742493\n0.power 250000\n0.power_instant 260000\n0.gpu 97\n"
        "0.memory 42\n0.used 70000000000\n0.temperature 61\n0.sm_clock 1410\n"
        "0.memory_clock 1215\n0.pcie_rx 9\n0.pcie_tx 8\n");
    assert_int_equal(nvml->lap(group, reading, NULL), RC_OK);
    for (size_t i = 0; i < EACH; i++) {
        assert_null(reading[i].why);
        assert_int_equal(reading[i].value, expected[i]);
        assert_true(reading[i].enabled_ns == reading[i].running_ns);
    }
    assert_int_equal(nvml->stop(group, reading, NULL), RC_OK);
    assert_int_equal(reading[2].value, 0); /* nothing was counted since the lap */
    nvml->disarm(group);
    nvml->close(state);
}

static void a_device_that_is_lost_leaves_a_gap_and_comes_back(void **unused)
{
    static const struct {
        const char *values, *energy, *power;
    } steps[] = {
        {"0.energy -15\n0.power -16\n1.energy 8\n", "a gap: the device is lost",
         "a gap: the device must be reset"},
        {"0.energy 5\n0.power 2\n1.energy 8\n", "a gap: the device is lost", NULL},
        {"0.energy 9\n0.power 2\n1.energy 8\n", NULL, NULL},
        {"0.energy 8\n0.power 2\n1.energy 8\n",
         "the counter went back: it was reset, or is another one", NULL},
        {"0.energy -77\n0.power -1\n1.energy 8\n", "a gap: the library failed",
         "a gap: the library failed"},
    };
    struct rc_reading reading[3];
    struct rc_group_state *group = NULL;

    (void)unused;
    load("whole");
    set_values("devices 2\n0.energy 5\n0.power 1\n1.energy 8\n2.energy 0\n");
    struct rc_source_state *state = open_library();
    const uint32_t events[] = {number_of("device_0:energy"),
                               number_of("device_0:power"),
                               number_of("device_1:energy")};
    assert_int_equal(nvml->arm(state, events, 3, &group, NULL), RC_OK);
    assert_int_equal(nvml->start(group, NULL, NULL), RC_OK);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        set_values(steps[i].values);
        assert_int_equal(nvml->lap(group, reading, NULL), RC_OK);
        const char *const expected[] = {steps[i].energy, steps[i].power, NULL};
        for (size_t e = 0; e < 3; e++) {
            assert_int_equal(!reading[e].why, !expected[e]);
            if (expected[e])
                assert_string_equal(reading[e].why, expected[e]);
            assert_true(reading[e].running_ns ==
                        (expected[e] ? 0 : reading[e].enabled_ns));
        }
    }
    nvml->disarm(group);
    set_values("0.energy 0\n");
    judges(state, "device_0:energy", RC_VERDICT_COUNTS_NOTHING, "has not happened");
    nvml->close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_library_is_said_so),
        cmocka_unit_test_teardown(a_library_that_lacks_what_is_needed_is_refused,
                                  unload),
        cmocka_unit_test_teardown(a_library_without_devices_is_refused, unload),
        cmocka_unit_test_teardown(what_a_device_lacks_has_a_verdict_with_a_reason,
                                  unload),
        cmocka_unit_test_teardown(names_of_devices_may_be_anything, unload),
        cmocka_unit_test_teardown(states_and_counters_are_exact, unload),
        cmocka_unit_test_teardown(a_device_that_is_lost_leaves_a_gap_and_comes_back,
                                  unload),
    };
    const int fd = mkstemp(values);

    if (fd < 0)
        return 1;
    close(fd);
    setenv("RC_FAKE_NVML", values, 1);
    nvml = rc_source_find("nvml");
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(values);
    return failed;
}
