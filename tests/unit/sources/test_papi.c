#include "tests/lib/test.h"

#include "campaign/machine/machine.h"
#include "campaign/sources/papi/parts.h"
#include "campaign/sources/source.h"
#ifdef RC_TEST_SDE
#include "tests/unit/sources/sde.h"
#endif

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Events that an enumeration found, by number. */
struct list {
    struct rc_event_sink sink;
    struct rc_source_state *state;
    struct entry {
        char *name;
        char *evidence, *description;
        enum rc_scope scope;
        uint32_t domain, alike;
        bool preset;
    } * entry;
    size_t count, room;
    size_t fail_at; /* add() fails at this number */
};

static const struct rc_source *papi;

static int take(struct rc_event_sink *sink, const struct rc_event_info *info,
                struct rc_error *err)
{
    struct list *list = (struct list *)sink;

    if (list->count == list->fail_at)
        return rc_fail(err, RC_ENOMEM, "as planned");
    assert_int_equal(
        rc_grow(&list->entry, sizeof *list->entry, list->count, &list->room), 0);
    list->entry[list->count++] =
        (struct entry){.name = strdup(info->name),
                       .evidence = strdup(info->evidence),
                       .description = strdup(info->description),
                       .scope = info->scope,
                       .domain = info->domain,
                       .alike = info->alike,
                       .preset = info->preset};
    assert_false(info->simulated);
    return RC_OK;
}

static void open_list(struct list *list, enum rc_qualifiers qualifiers, bool presets)
{
    struct rc_enumerate what = {.qualifiers = qualifiers, .presets = presets};
    struct rc_source_setup setup = {0};
    struct rc_error err = {0};

    *list = (struct list){.sink.add = take, .fail_at = SIZE_MAX};
    assert_int_equal(papi->open(&setup, &list->state, &err), RC_OK);
    assert_int_equal(papi->enumerate(list->state, &what, &list->sink, &err), RC_OK);
    assert_true(list->count > 0);
}

static void close_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entry[i].name);
        free(list->entry[i].evidence);
        free(list->entry[i].description);
    }
    free(list->entry);
    papi->close(list->state);
}

static int find(const struct list *list, const char *name, uint32_t *number)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entry[i].name, name) == 0) {
            *number = (uint32_t)i;
            return 0;
        }
    return -1;
}

static uint32_t event(const struct list *list, const char *name)
{
    uint32_t number = 0;

    if (find(list, name, &number))
        fail_msg("no event '%s'", name);
    return number;
}

/* PAPI has the events of 'perf_event' only on processors that it knows. */
static bool has_perf_event(void)
{
    struct list list;
    uint32_t number;

    open_list(&list, RC_QUALIFIERS_NONE, false);
    const bool has = find(&list, "perf::PAGE-FAULTS", &number) == 0;
    close_list(&list);
    return has;
}

/* Ends a test that counts some of them. */
static void need_perf_event(void)
{
    if (!has_perf_event())
        skip();
}

static enum rc_verdict verdict(const struct list *list, uint32_t number)
{
    struct rc_trial trial;

    papi->trial(list->state, &number, 1, &trial);
    return trial.verdict;
}

/* PAPI_stop() as the source calls it, so that a test can let it fail as PAPI
 * does when a group has lost its counters.
 */
int __real_PAPI_stop(int set, long long *values);
int __wrap_PAPI_stop(int set, long long *values);
static int stop_failures;

int __wrap_PAPI_stop(int set, long long *values)
{
    enum { ESYS = -3 };

    if (stop_failures > 0) {
        stop_failures--;
        return ESYS;
    }
    return __real_PAPI_stop(set, values);
}

/* Touches pages that the kernel has taken away before: as many page faults.
 * They are mapped once, since a sanitizer touches memory of its own for each
 * mapping.
 */
static void touch_new_pages(size_t count)
{
    enum { MOST = 1000 };
    static volatile char *pages;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (!pages) {
        pages = mmap(NULL, MOST * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        (void)madvise((void *)pages, MOST * page, MADV_NOHUGEPAGE);
    }
    assert_true(count <= MOST);
    assert_int_equal(madvise((void *)pages, MOST * page, MADV_DONTNEED), 0);
    for (size_t i = 0; i < count; i++)
        pages[i * page] = 1;
}

static void nap(void)
{
    struct timespec t = {.tv_nsec = 200000};

    nanosleep(&t, NULL);
}

static void an_argument_is_refused(void **unused)
{
    static const char *const bad[] = {"", "x", "perf::CYCLES", "\x01"};

    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_source_setup setup = {.argument = bad[i]};
        struct rc_source_state *state;
        struct rc_error err = {0};
        assert_int_equal(papi->open(&setup, &state, &err), RC_EUSAGE);
        assert_null(state);
        assert_non_null(
            strstr(err.text, "source 'papi' takes no argument, found 'papi:"));
    }
    papi->close(NULL);
    papi->disarm(NULL);
}

static void bad_groups_are_refused_with_a_reason(void **unused)
{
    struct list list;
    static uint32_t many[100000];

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t faults = event(&list, "perf::PAGE-FAULTS");
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++)
        many[i] = faults;
    const struct {
        uint32_t events[2];
        const uint32_t *list;
        size_t count;
        enum rc_verdict verdict;
        enum rc_status status;
        const char *words;
    } bad[] = {
        {{0}, NULL, 0, RC_VERDICT_UNSUPPORTED, RC_EUNSUPPORTED, "no events"},
        {{UINT32_MAX}, NULL, 1, RC_VERDICT_UNSUPPORTED, RC_EUNSUPPORTED, "4294967295"},
        {{faults, (uint32_t)list.count},
         NULL,
         2,
         RC_VERDICT_UNSUPPORTED,
         RC_EUNSUPPORTED,
         "no event has the number"},
        {{faults, faults},
         NULL,
         2,
         RC_VERDICT_CANNOT_SCHEDULE,
         RC_ECONFLICT,
         "PAPI_add_event"},
        {{0},
         many,
         sizeof many / sizeof many[0],
         RC_VERDICT_CANNOT_SCHEDULE,
         RC_ECONFLICT,
         "takes at most"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const uint32_t *events = bad[i].list ? bad[i].list : bad[i].events;
        struct rc_group_state *group;
        struct rc_error err = {0};
        struct rc_trial trial;
        papi->trial(list.state, events, bad[i].count, &trial);
        assert_int_equal(trial.verdict, bad[i].verdict);
        assert_non_null(strstr(trial.reason, bad[i].words));
        assert_int_equal(papi->arm(list.state, events, bad[i].count, &group, &err),
                         bad[i].status);
        assert_null(group);
        assert_non_null(strstr(err.text, bad[i].words));
    }
    close_list(&list);
}

static void a_failing_sink_ends_the_enumeration(void **unused)
{
    struct rc_enumerate what = {.qualifiers = RC_QUALIFIERS_ALL, .presets = true};
    struct rc_source_setup setup = {0};

    (void)unused;
    for (size_t at = 0; at < 4; at++) {
        struct list list = {.sink.add = take, .fail_at = at};
        struct rc_error err = {0};
        assert_int_equal(papi->open(&setup, &list.state, &err), RC_OK);
        assert_int_equal(papi->enumerate(list.state, &what, &list.sink, &err),
                         RC_ENOMEM);
        assert_string_equal(err.text, "as planned");
        assert_int_equal(list.count, at);
        close_list(&list);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static void names_are_unique_and_scopes_have_evidence(void **unused)
{
    (void)unused;
    for (int q = RC_QUALIFIERS_NONE; q <= RC_QUALIFIERS_ALL; q++) {
        struct list list;
        open_list(&list, (enum rc_qualifiers)q, true);
        qsort(list.entry, list.count, sizeof *list.entry, by_name);
        for (size_t i = 0; i < list.count; i++) {
            assert_true(list.entry[i].name[0] != 0);
            assert_true(list.entry[i].evidence[0] != 0);
            assert_true(list.entry[i].scope < RC_SCOPE_COUNT);
            if (i > 0)
                assert_string_not_equal(list.entry[i - 1].name, list.entry[i].name);
        }
        close_list(&list);
    }
}

static void qualifiers_add_masks_then_modifiers(void **unused)
{
    struct list none, masks, all;
    uint32_t number;

    (void)unused;
    need_perf_event();
    open_list(&none, RC_QUALIFIERS_NONE, false);
    open_list(&masks, RC_QUALIFIERS_UMASKS, false);
    open_list(&all, RC_QUALIFIERS_ALL, false);
    for (size_t i = 0; i < none.count; i++)
        assert_null(strchr(none.entry[i].name, '='));
    for (size_t i = 0; i < masks.count; i++) {
        assert_null(strchr(masks.entry[i].name, '='));
        assert_int_equal(find(&all, masks.entry[i].name, &number), 0);
    }
    for (size_t i = 0; i < all.count; i++)
        for (size_t w = 0; w < 6; w++) {
            static const char *const words[] = {
                "period=", "freq=", "cpu=", "excl=", "pinned=", "precise="};
            assert_null(strstr(all.entry[i].name, words[w]));
        }
    assert_int_equal(find(&all, "perf::PAGE-FAULTS:u=1:k=1", &number), 0);
    assert_int_equal(find(&all, "perf::PAGE-FAULTS:u=0:k=1", &number), 0);
    close_list(&none);
    close_list(&masks);
    close_list(&all);
}

static void measure(struct list *list, const uint32_t *events, size_t count,
                    void (*work)(size_t), size_t amount, struct rc_reading *out)
{
    struct rc_group_state *group;
    struct rc_error err = {0};

    assert_int_equal(papi->arm(list->state, events, count, &group, &err), RC_OK);
    assert_int_equal(papi->start(group, NULL, &err), RC_OK);
    work(amount);
    assert_int_equal(papi->stop(group, out, &err), RC_OK);
    papi->disarm(group);
    for (size_t i = 0; i < count; i++) {
        assert_true(out[i].enabled_ns > 0);
        assert_int_equal(out[i].enabled_ns, out[i].running_ns);
    }
}

static void page_faults_of_a_known_loop_are_counted_twice_alike(void **unused)
{
    enum { PAGES = 1000, SLACK = 16 };
    struct rc_reading first, second;
    struct list list;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t number = event(&list, "perf::PAGE-FAULTS");
    assert_int_equal(list.entry[number].scope, RC_SCOPE_CORE);
    assert_string_equal(list.entry[number].evidence,
                        "component perf_event: counts the calling thread");
    assert_int_equal(verdict(&list, number), RC_VERDICT_OK);
    touch_new_pages(PAGES); /* a sanitizer has its memory for them now */
    measure(&list, &number, 1, touch_new_pages, PAGES, &first);
    measure(&list, &number, 1, touch_new_pages, PAGES, &second);
    assert_in_range(first.value, PAGES, PAGES + SLACK);
    assert_in_range(second.value, PAGES, PAGES + SLACK);
    close_list(&list);
}

static void naps_and_faults(size_t count)
{
    touch_new_pages(count);
    for (size_t i = 0; i < count; i++)
        nap();
}

static void one_reading_holds_several_software_events(void **unused)
{
    enum { TIMES = 20 };
    struct rc_reading out[3];
    struct list list;
    struct rc_trial trial;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t events[] = {event(&list, "perf::TASK-CLOCK"),
                         event(&list, "perf::PAGE-FAULTS"),
                         event(&list, "perf::CONTEXT-SWITCHES")};
    papi->trial(list.state, events, 3, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_OK);
    assert_string_equal(trial.reason, "");
    measure(&list, events, 3, naps_and_faults, TIMES, out);
    assert_in_range(out[0].value, 1, (int64_t)out[0].enabled_ns);
    assert_true(out[1].value >= TIMES);
    if (verdict(&list, events[2]) == RC_VERDICT_OK)
        assert_true(out[2].value >= TIMES);
    else
        print_message("context switches may not be counted here\n");
    close_list(&list);
}

static void events_that_are_alike_all_go_into_one_group(void **unused)
{
    uint32_t events[256];
    struct rc_trial trial;
    struct list list;
    size_t count = 0;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_ALL, false);
    for (uint32_t i = 0; i < list.count && count < 256; i++) {
        if (list.entry[i].alike != 1)
            continue;
        const enum rc_verdict alone = verdict(&list, i);
        if (alone == RC_VERDICT_OK || alone == RC_VERDICT_COUNTS_NOTHING)
            events[count++] = i;
    }
    assert_true(count > 10);
    papi->trial(list.state, events, count, &trial);
    assert_string_equal(trial.reason, "");
    assert_int_equal(trial.verdict, RC_VERDICT_OK);
    close_list(&list);
}

static void only_one_group_of_a_component_runs_at_a_time(void **unused)
{
    struct rc_group_state *a, *b;
    struct rc_reading reading;
    struct rc_error err = {0};
    struct list list;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t faults = event(&list, "perf::PAGE-FAULTS");
    uint32_t clock = event(&list, "perf::TASK-CLOCK");
    assert_int_equal(papi->arm(list.state, &faults, 1, &a, &err), RC_OK);
    assert_int_equal(papi->arm(list.state, &clock, 1, &b, &err), RC_OK);
    assert_int_equal(papi->stop(a, &reading, &err), RC_ECONFLICT);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(papi->start(a, NULL, &err), RC_OK);
        assert_int_equal(papi->start(b, NULL, &err), RC_ECONFLICT);
        assert_non_null(strstr(err.text, "PAPI_start"));
        touch_new_pages(10);
        assert_int_equal(papi->stop(a, &reading, &err), RC_OK);
        assert_in_range(reading.value, 10, 30);
        assert_int_equal(papi->start(b, NULL, &err), RC_OK);
        assert_int_equal(papi->stop(b, &reading, &err), RC_OK);
        assert_true(reading.value > 0);
    }
    papi->disarm(b);
    papi->disarm(a);
    close_list(&list);
}

static void the_source_opens_again_and_twice_at_once(void **unused)
{
    struct rc_reading reading;
    struct list a, b;

    (void)unused;
    need_perf_event();
    open_list(&a, RC_QUALIFIERS_NONE, false);
    open_list(&b, RC_QUALIFIERS_UMASKS, true);
    uint32_t number = event(&b, "perf::PAGE-FAULTS");
    close_list(&a);
    measure(&b, &number, 1, touch_new_pages, 5, &reading);
    assert_true(reading.value >= 5);
    close_list(&b);
}

/* Simulated: PAPI_stop() fails as it does where a pinned group is in error. */
static void a_group_that_lost_its_counters_is_marked_and_counts_again(void **unused)
{
    struct rc_group_state *group;
    struct rc_reading reading;
    struct rc_error err = {0};
    struct rc_trial trial;
    struct list list;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t number = event(&list, "perf::PAGE-FAULTS");
    stop_failures = 1;
    papi->trial(list.state, &number, 1, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_CANNOT_SCHEDULE);
    assert_non_null(strstr(trial.reason, "did not count all the time"));

    assert_int_equal(papi->arm(list.state, &number, 1, &group, &err), RC_OK);
    for (int failures = 1; failures < 8; failures += 6) {
        assert_int_equal(papi->start(group, NULL, &err), RC_OK);
        stop_failures = failures;
        assert_int_equal(papi->stop(group, &reading, &err), RC_OK);
        assert_int_equal(reading.value, 0);
        assert_int_equal(reading.running_ns, 0);
        assert_true(reading.enabled_ns > 0);
        if (failures > 4) {
            assert_int_equal(papi->start(group, NULL, &err), RC_ECONFLICT);
            assert_non_null(strstr(err.text, "PAPI cannot stop it"));
        }
    }
    assert_int_equal(papi->start(group, NULL, &err), RC_OK);
    touch_new_pages(10);
    assert_int_equal(papi->stop(group, &reading, &err), RC_OK);
    assert_in_range(reading.value, 10, 30);
    assert_int_equal(reading.enabled_ns, reading.running_ns);
    papi->disarm(group);
    close_list(&list);
}

/* Simulated as above: the events of a lost group are off, all but the first unknown to
 * PAPI, and those of other groups.
 */
static void all_events_count_again_after_a_group_was_lost(void **unused)
{
    struct rc_group_state *group[2];
    struct rc_reading reading[2];
    struct rc_error err = {0};
    struct list list;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t numbers[] = {event(&list, "perf::TASK-CLOCK"),
                          event(&list, "perf::PAGE-FAULTS")};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(papi->arm(list.state, numbers, 2, &group[i], &err), RC_OK);
    assert_int_equal(papi->start(group[0], NULL, &err), RC_OK);
    stop_failures = 1;
    assert_int_equal(papi->stop(group[0], reading, &err), RC_OK);
    assert_int_equal(reading[1].running_ns, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(papi->start(group[i], NULL, &err), RC_OK);
        touch_new_pages(10);
        assert_int_equal(papi->stop(group[i], reading, &err), RC_OK);
        assert_int_equal(reading[1].enabled_ns, reading[1].running_ns);
        assert_in_range(reading[1].value, 10, 30);
    }
    for (size_t i = 0; i < 2; i++)
        papi->disarm(group[i]);
    close_list(&list);
}

/* Whether the kernel itself counts a generic event in this thread. */
static bool kernel_counts(uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = type,
                                   .config = config,
                                   .pinned = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    uint64_t value = 0;

    if (fd < 0)
        return false;
    rc_papi_stimulus();
    ssize_t got = read(fd, &value, sizeof value);
    close(fd);
    return got == (ssize_t)sizeof value && value > 0;
}

static void verdicts_agree_with_the_kernel(void **unused)
{
    static const struct {
        const char *name;
        uint32_t type;
        uint64_t config;
    } generic[] = {
        {"perf::INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
        {"perf::CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
        {"perf::BRANCHES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
        {"perf::TASK-CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
        {"perf::PAGE-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
        {"perf::ALIGNMENT-FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    };
    struct list list;
    char why[300];
    bool hardware = false;

    (void)unused;
    open_list(&list, RC_QUALIFIERS_NONE, false);
    for (size_t i = 0; i < sizeof generic / sizeof generic[0]; i++) {
        struct rc_trial trial;
        uint32_t number;
        bool counts = kernel_counts(generic[i].type, generic[i].config);
        if (find(&list, generic[i].name, &number))
            continue; /* libpfm leaves some of them out */
        papi->trial(list.state, &number, 1, &trial);
        assert_int_equal(trial.verdict == RC_VERDICT_OK, counts);
        assert_int_equal(trial.reason[0] == 0, counts);
        hardware = hardware || (counts && i < 2);
    }
    assert_int_equal(papi->hardware(list.state, why, sizeof why), hardware);
    assert_true(why[0] != 0);
    close_list(&list);
}

static void presets_come_only_when_asked_for_and_count(void **unused)
{
    struct rc_reading reading;
    struct list without, with;
    uint32_t number;
    bool defined = getenv("PAPI_USER_EVENTS_FILE") != NULL;

    (void)unused;
    open_list(&without, RC_QUALIFIERS_NONE, false);
    open_list(&with, RC_QUALIFIERS_NONE, true);
    for (size_t i = 0; i < without.count; i++)
        assert_false(without.entry[i].preset);
    for (size_t i = 0; i < with.count; i++)
        assert_int_equal(with.entry[i].preset, i >= without.count);
    if (defined) {
        assert_int_not_equal(find(&without, "RC_TWICE_FAULTS", &number), 0);
        number = event(&with, "RC_TWICE_FAULTS");
        measure(&with, &number, 1, touch_new_pages, 100, &reading);
        assert_in_range(reading.value, 200, 240);
    } else {
        print_message("no PMU that PAPI takes definitions for: none tried\n");
    }
    close_list(&without);
    close_list(&with);
}

static void tell(void *context, const char *component, const char *reason)
{
    int *told = context;

    assert_true(component[0] != 0);
    assert_true(!reason || reason[0] != 0);
    *told += !reason;
}

static void components_and_counter_set_are_told(void **unused)
{
    char line[1000], again[1000], tight[8];
    struct list list;
    int active = 0;

    (void)unused;
    open_list(&list, RC_QUALIFIERS_NONE, false);
    papi->components(list.state, tell, &active);
    assert_true(active > 0);
    papi->identify(list.state, line, sizeof line);
    papi->identify(list.state, again, sizeof again);
    assert_string_equal(line, again);
    assert_int_equal(strncmp(line, "papi ", 5), 0);
    assert_int_equal(strstr(line, "; perf_event ") != NULL, has_perf_event());
    for (size_t room = 1; room <= sizeof tight; room++) {
        papi->identify(list.state, tight, room);
        assert_int_equal(strlen(tight), room - 1);
    }
    close_list(&list);
}

/* tests/data/sysfs holds directories as the kernel lays them out, written by
 * hand for machines that were not at hand.  This is the machine of one: 'packages' x
 * 'numas' x 'l3s' x 'cores', one CPU each, numbered in that order.
 */
static struct rc_cpu *build(uint32_t packages, uint32_t numas, uint32_t l3s,
                            uint32_t cores, size_t *count)
{
    uint32_t n = packages * numas * l3s * cores;
    struct rc_cpu *cpu = calloc(n, sizeof *cpu);

    assert_non_null(cpu);
    for (uint32_t i = 0; i < n; i++) {
        cpu[i].os_index = i;
        cpu[i].allowed = i % 2 == 0;
        cpu[i].unit[RC_SCOPE_CORE] = i;
        cpu[i].unit[RC_SCOPE_L2] = i;
        cpu[i].unit[RC_SCOPE_L3] = i / cores;
        cpu[i].unit[RC_SCOPE_NUMA] = i / (cores * l3s);
        cpu[i].unit[RC_SCOPE_PACKAGE] = i / (cores * l3s * numas);
        cpu[i].unit[RC_SCOPE_NODE] = 0;
        cpu[i].unit[RC_SCOPE_DEVICE] = RC_NO_UNIT;
    }
    *count = n;
    return cpu;
}

static const struct scope_row {
    const char *sys;
    uint32_t packages, numas, l3s, cores;
    const char *component, *pmu;
    enum rc_scope scope;
    const char *evidence;
} scopes[] = {
    {"two-packages", 2, 2, 1, 8, "perf_event_uncore", "skx_unc_imc0", RC_SCOPE_PACKAGE,
     "cpumask 0,16 of uncore_imc_0: one CPU in each package"},
    {"two-packages", 2, 2, 1, 8, "perf_event_uncore", "hsw_unc_cbo1", RC_SCOPE_PACKAGE,
     "cpumask 0,16 of uncore_cbox_1: one CPU in each package"},
    {"two-packages", 2, 2, 1, 8, "perf_event_uncore", "skx_unc_upi2", RC_SCOPE_NUMA,
     "cpumask 0,8,16,24 of uncore_upi_2: one CPU in each numa"},
    {"two-packages", 2, 2, 1, 8, "perf_event_uncore", "rapl", RC_SCOPE_PACKAGE,
     "cpumask 0,16 of power: one CPU in each package"},
    {"two-packages", 2, 2, 1, 8, "perf_event_uncore", "skx_unc_m2m9", RC_SCOPE_PACKAGE,
     "component perf_event_uncore: counts outside the cores; no cpumask for PMU "
     "skx_unc_m2m9, package assumed"},
    {"two-packages", 2, 2, 1, 8, "perf_event", "skx", RC_SCOPE_CORE,
     "component perf_event: counts the calling thread"},
    {"two-packages", 1, 1, 1, 4, "perf_event_uncore", "skx_unc_imc0", RC_SCOPE_PACKAGE,
     "cpumask 0,16 of uncore_imc_0: one CPU in each package"},
    {"two-packages", 4, 1, 1, 8, "perf_event_uncore", "skx_unc_imc0", RC_SCOPE_NODE,
     "cpumask 0,16 of uncore_imc_0: fits no shared unit; node assumed"},
    {"two-packages", 0, 0, 0, 0, "perf_event_uncore", "skx_unc_imc0", RC_SCOPE_PACKAGE,
     "cpumask 0,16 of uncore_imc_0: not compared, the topology is not known; package "
     "assumed"},
    {"many-l3", 1, 1, 4, 4, "perf_event_uncore", "amd64_fam19h_zen3_l3", RC_SCOPE_L3,
     "cpumask 0,4,8,12 of amd_l3: one CPU in each l3"},
    {"many-l3", 1, 1, 4, 4, "perf_event_uncore", "amd64_fam19h_zen3_df",
     RC_SCOPE_PACKAGE, "cpumask 0 of amd_df: one CPU in each package"},
    {"many-l3", 0, 0, 0, 0, "perf_event_uncore", "amd64_fam19h_zen3_l3", RC_SCOPE_L3,
     "cpumask 0,4,8,12 of amd_l3: not compared, the topology is not known; l3 assumed"},
    {"hybrid", 1, 1, 1, 16, "perf_event", "adl_grt", RC_SCOPE_CORE,
     "component perf_event: counts the calling thread; PMU cpu_atom is only in CPUs "
     "8-15"},
    {"hybrid", 1, 1, 1, 16, "perf_event_uncore", "adl_unc_imc0", RC_SCOPE_NODE,
     "cpumask 0-,x of uncore_imc_0: fits no shared unit; node assumed"},
    {"hybrid", 1, 1, 1, 16, "perf_event_uncore", "adl_unc_imc1", RC_SCOPE_PACKAGE,
     "component perf_event_uncore: counts outside the cores; no cpumask for PMU "
     "adl_unc_imc1, package assumed"},
    {"nowhere", 1, 1, 1, 4, "perf_event_uncore", "../../etc", RC_SCOPE_PACKAGE,
     "component perf_event_uncore: counts outside the cores; no cpumask for PMU "
     "../../etc, package assumed"},
    {"nowhere", 1, 1, 1, 4, "nvml", "", RC_SCOPE_DEVICE,
     "component nvml: reads the state of a GPU"},
    {"nowhere", 1, 1, 1, 4, "infiniband", "", RC_SCOPE_NODE,
     "component infiniband: counts the InfiniBand ports of the node"},
    {"nowhere", 1, 1, 1, 4, "powercap", "", RC_SCOPE_PACKAGE,
     "component powercap: reads power zones, one for each package"},
    {"nowhere", 1, 1, 1, 4, "brandnew", "", RC_SCOPE_NODE,
     "component brandnew: not known to rollcall; node assumed"},
};

static void scopes_follow_what_the_kernel_publishes(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        const struct scope_row *row = &scopes[i];
        struct rc_papi_scope got = {0};
        char sys[512];
        size_t count;
        struct rc_cpu *cpu =
            build(row->packages, row->numas, row->l3s, row->cores, &count);
        snprintf(sys, sizeof sys, "%s/sysfs/%s", RC_TEST_DATA, row->sys);
        rc_papi_scope(sys, cpu, count, row->component, row->pmu, &got);
        assert_string_equal(got.evidence, row->evidence);
        assert_int_equal(got.scope, row->scope);
        free(cpu);
    }
}

#ifdef RC_TEST_SDE
static void sde_work(size_t steps)
{
    rc_test_sde_work((long long)steps);
}

static void software_defined_events_come_out_exactly(void **unused)
{
    struct rc_reading out[2], odd;
    struct list list;

    (void)unused;
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t events[] = {event(&list, RC_TEST_SDE_SQUARES),
                         event(&list, RC_TEST_SDE_STEPS)};
    uint32_t name = event(&list, RC_TEST_SDE_ODD);
    assert_string_equal(list.entry[events[1]].description, "steps of known number");
    assert_int_equal(list.entry[events[1]].scope, RC_SCOPE_CORE);
    for (size_t steps = 1; steps <= 1000000; steps *= 10) {
        measure(&list, events, 2, sde_work, steps, out);
        assert_int_equal(out[0].value, steps * steps);
        assert_int_equal(out[1].value, steps);
    }
    measure(&list, &name, 1, sde_work, 1, &odd);
    assert_int_equal(odd.value, 7);
    assert_int_equal(verdict(&list, events[0]), RC_VERDICT_COUNTS_NOTHING);
    close_list(&list);
}

static void components_never_share_a_group(void **unused)
{
    struct rc_trial trial;
    struct list list;

    (void)unused;
    need_perf_event();
    open_list(&list, RC_QUALIFIERS_NONE, false);
    uint32_t events[] = {event(&list, RC_TEST_SDE_STEPS),
                         event(&list, "perf::TASK-CLOCK")};
    assert_int_not_equal(list.entry[events[0]].domain, list.entry[events[1]].domain);
    papi->trial(list.state, events, 2, &trial);
    assert_int_equal(trial.verdict, RC_VERDICT_CANNOT_SCHEDULE);
    assert_non_null(strstr(trial.reason, "never count together"));
    close_list(&list);
}

static void a_name_too_long_for_papi_is_reported_and_not_cut(void **unused)
{
    struct list list;
    size_t reported = 0;

    (void)unused;
    open_list(&list, RC_QUALIFIERS_NONE, false);
    for (uint32_t i = 0; i < list.count; i++) {
        assert_null(strstr(list.entry[i].name, "xxxxxxxx"));
        if (strncmp(list.entry[i].name, "sde:::#", 7) == 0) {
            reported++;
            assert_non_null(strstr(list.entry[i].description, "full name"));
            assert_int_equal(verdict(&list, i), RC_VERDICT_UNSUPPORTED);
        }
    }
    assert_int_equal(reported, 1);
    close_list(&list);
}
#endif

/* Prints the counter set: "papi 7.0.0; perf_event 6: perf, perf_raw, skx; ..." */
static int identify(void)
{
    struct rc_source_setup setup = {0};
    struct rc_source_state *state;
    char line[4096];

    if (papi->open(&setup, &state, NULL) != RC_OK)
        return 1;
    papi->identify(state, line, sizeof line);
    puts(line);
    papi->close(state);
    return 0;
}

/* The main PMU of this machine, as another process tells it. */
static int main_pmu(const char *self, char *out, size_t room)
{
    char line[4096] = "", command[4200];

    snprintf(command, sizeof command, "'%s' --identify", self);
    FILE *child = popen(command, "re");
    if (!child)
        return -1;
    char *pmu = fgets(line, sizeof line, child) ? strstr(line, "; perf_event ") : NULL;
    pclose(child);
    if (!pmu)
        return -1;
    pmu[1 + strcspn(pmu + 1, ";\n")] = 0;
    pmu = strrchr(pmu, ' ') + 1;
    snprintf(out, room, "%s", pmu);
    return strncmp(pmu, "perf", 4) == 0 ? -1 : 0;
}

/* Writes definitions for the main PMU and names them to PAPI, which reads them
 * when it starts.
 */
static void define_user_events(const char *self, char *path)
{
    char pmu[256];
    int fd = mkstemp(path);

    if (fd < 0)
        return;
    if (main_pmu(self, pmu, sizeof pmu) == 0) {
        dprintf(fd,
                "CPU,%s\nEVENT,RC_TWICE_FAULTS,DERIVED_ADD,perf::PAGE-FAULTS,"
                "perf::MINOR-FAULTS\n",
                pmu);
        setenv("PAPI_USER_EVENTS_FILE", path, 1);
    }
    close(fd);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_argument_is_refused),
        cmocka_unit_test(bad_groups_are_refused_with_a_reason),
        cmocka_unit_test(a_failing_sink_ends_the_enumeration),
        cmocka_unit_test(names_are_unique_and_scopes_have_evidence),
        cmocka_unit_test(qualifiers_add_masks_then_modifiers),
        cmocka_unit_test(page_faults_of_a_known_loop_are_counted_twice_alike),
        cmocka_unit_test(one_reading_holds_several_software_events),
        cmocka_unit_test(events_that_are_alike_all_go_into_one_group),
        cmocka_unit_test(only_one_group_of_a_component_runs_at_a_time),
        cmocka_unit_test(the_source_opens_again_and_twice_at_once),
        cmocka_unit_test(a_group_that_lost_its_counters_is_marked_and_counts_again),
        cmocka_unit_test(all_events_count_again_after_a_group_was_lost),
        cmocka_unit_test(verdicts_agree_with_the_kernel),
        cmocka_unit_test(presets_come_only_when_asked_for_and_count),
        cmocka_unit_test(components_and_counter_set_are_told),
        cmocka_unit_test(scopes_follow_what_the_kernel_publishes),
#ifdef RC_TEST_SDE
        cmocka_unit_test(software_defined_events_come_out_exactly),
        cmocka_unit_test(components_never_share_a_group),
        cmocka_unit_test(a_name_too_long_for_papi_is_reported_and_not_cut),
#endif
    };
    char path[] = "/tmp/rollcall-test-papi-XXXXXX";

    papi = rc_source_find("papi");
    if (argc > 1)
        return identify();
    define_user_events(argv[0], path);
#ifdef RC_TEST_SDE
    if (rc_test_sde_start())
        return 1;
#endif
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
