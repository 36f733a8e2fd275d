/* Exports for PAPI, loaded by the PAPI that is here: definitions as PAPI
 * shows them, and readings against the natives beside them.
 */
#include "tests/lib/test.h"

#include "campaign/catalogue/presets.h"
#include "campaign/sources/source.h"
#include "io/export/export.h"

#include <papi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { TASK, FAULTS, SWITCHES, EVENTS };

static const struct rc_store_event events[EVENTS] = {
    {.name = "perf::TASK-CLOCK", .source = "papi", .verdict = RC_VERDICT_OK},
    {.name = "perf::PAGE-FAULTS:u=1", .source = "papi", .verdict = RC_VERDICT_OK},
    {.name = "perf::CONTEXT-SWITCHES:u=1:k=1",
     .source = "papi",
     .verdict = RC_VERDICT_OK},
};

/* A metric as a sum of the events, and what PAPI must show of it. */
static const struct sample {
    const char *name, *preset;
    double coefficient[EVENTS];
    const char *as, *derived, *postfix;
    int event[EVENTS]; /* the terms in PAPI's order */
    unsigned count;
} samples[] = {
    {"one", "", {1, 0, 0}, "RC_ONE", "NOT_DERIVED", "", {TASK}, 1},
    {"sum", "", {1, 1, 1}, "RC_SUM", "DERIVED_ADD", "", {TASK, FAULTS, SWITCHES}, 3},
    {"less",
     "",
     {-1, 1, -1},
     "RC_LESS",
     "DERIVED_SUB",
     "",
     {FAULTS, TASK, SWITCHES},
     3},
    {"weighted",
     "",
     {1, 4096, 0},
     "RC_WEIGHTED",
     "DERIVED_POSTFIX",
     "N0|N1|4096|*|+|",
     {TASK, FAULTS},
     2},
    {"negative",
     "",
     {0, -3, 0},
     "RC_NEGATIVE",
     "DERIVED_POSTFIX",
     "0|N0|3|*|-|",
     {FAULTS},
     1},
    {"a preset",
     "PAPI_TOT_CYC",
     {2, -1, 0},
     "PAPI_TOT_CYC",
     "DERIVED_POSTFIX",
     "N0|2|*|N1|-|",
     {TASK, FAULTS},
     2},
    {"a preset and its event",
     "PAPI_TOT_INS",
     {0, 1.5, 0.75},
     "RC_A_PRESET_AND_ITS_EVENT",
     "DERIVED_POSTFIX",
     "N0|6|*|N1|3|*|+|4|/|",
     {FAULTS, SWITCHES},
     2},
};

static char path[64], definitions[64];
static char key[4096];
static char skipped[256];

/* A campaign's kind with the counters here. */
static int identify(void)
{
    const struct rc_source *source = rc_source_find("papi");
    const struct rc_source_setup setup = {.seed = 1};
    struct rc_source_state *state = NULL;
    struct rc_error err = {.rank = -1};

    if (!source || source->unavailable() || source->open(&setup, &state, &err) != RC_OK)
        return 1;
    source->identify(state, key, sizeof key);
    source->close(state);
    return 0;
}

/* PAPI reads its files as it starts, so another process asks it before. */
static void identify_apart(void)
{
    int ends[2];
    ssize_t bytes = 0;

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        if (identify() == 0)
            bytes = write(ends[1], key, strlen(key));
        _exit(bytes > 0 ? 0 : 1);
    }
    close(ends[1]);
    bytes = read(ends[0], key, sizeof key - 1);
    key[bytes > 0 ? bytes : 0] = 0;
    close(ends[0]);
    waitpid(child, NULL, 0);
}

static size_t make_terms(const struct sample *sample, struct rc_term *term)
{
    size_t count = 0;

    for (size_t e = 0; e < EVENTS; e++)
        if (sample->coefficient[e] != 0)
            term[count++] = (struct rc_term){.event = e,
                                             .name = events[e].name,
                                             .coefficient = sample->coefficient[e],
                                             .rounded = sample->coefficient[e]};
    return count;
}

static void write_metrics(void)
{
    static struct rc_term terms[COUNT_OF(samples)][EVENTS];
    static struct rc_metric_result metrics[COUNT_OF(samples)];
    static const char *const reasons[] = {""};
    const struct rc_store_campaign campaign = {.id = "test", .created_by = "test"};
    const struct rc_store_kind kind = {
        .name = "here", .key = key, .events = events, .event_count = EVENTS};
    struct rc_suite_result suite = {.suite = "test",
                                    .reason = reasons,
                                    .reason_count = 1,
                                    .metric = metrics,
                                    .metric_count = COUNT_OF(samples)};
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};

    for (size_t i = 0; i < COUNT_OF(samples); i++)
        metrics[i] = (struct rc_metric_result){
            .name = samples[i].name,
            .description = "a test",
            .signature = "",
            .preset = samples[i].preset,
            .formula = "",
            .verdict = RC_METRIC_DEFINED,
            .reason = "",
            .rounded_holds = true,
            .term = terms[i],
            .term_count = make_terms(&samples[i], terms[i]),
        };
    assert_int_equal(rc_metrics_create(MPI_COMM_NULL, path, &campaign, &file, &err),
                     RC_OK);
    assert_int_equal(rc_store_define_kind(file, &kind, NULL, &err), RC_OK);
    assert_int_equal(rc_metrics_put_suite(file, &suite, 4, &err), RC_OK);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
}

static int write_definitions(void)
{
    const struct rc_export_choice choice = {0};
    struct rc_store *file = NULL;
    struct rc_error err = {.rank = -1};
    FILE *out = fopen(definitions, "w"), *left_out = tmpfile();

    assert_non_null(out);
    assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_OK);
    int status = rc_export_find("papi")->write(file, &choice, out, left_out, &err);
    if (status != RC_OK)
        snprintf(skipped, sizeof skipped, "%.255s", err.text);
    else
        assert_int_equal(ftell(left_out), 0);
    fclose(left_out);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    return status;
}

/* No counting here, no test. */
static void try_natives(void)
{
    int set = PAPI_NULL, status = PAPI_create_eventset(&set);

    for (size_t e = 0; e < EVENTS && status == PAPI_OK; e++)
        status = PAPI_add_named_event(set, events[e].name);
    if (status == PAPI_OK && (status = PAPI_start(set)) == PAPI_OK)
        status = PAPI_stop(set, NULL);
    if (status != PAPI_OK)
        snprintf(skipped, sizeof skipped, "PAPI does not count software events: %s",
                 PAPI_strerror(status));
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}

static int load(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/rc_test_%ld.h5", (long)getpid());
    snprintf(definitions, sizeof definitions, "/tmp/rc_test_%ld.csv", (long)getpid());
    identify_apart();
    if (!key[0]) {
        snprintf(skipped, sizeof skipped, "PAPI cannot be used");
        return 0;
    }
    write_metrics();
    if (write_definitions() != RC_OK)
        return 0;
    setenv("PAPI_CSV_EVENT_FILE", definitions, 1);
    setenv("PAPI_USER_EVENTS_FILE", definitions, 1);
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return -1;
    try_natives();
    return 0;
}

static int unload(void **state)
{
    (void)state;
    unlink(path);
    unlink(definitions);
    return 0;
}

static int code_of(const char *name)
{
    int code = 0;
    int found = PAPI_event_name_to_code(name, &code);

    if (found != PAPI_OK)
        fail_msg("PAPI does not find '%s': %s", name, PAPI_strerror(found));
    return code;
}

static void papi_shows_the_terms_and_the_operations_that_were_exported(void **state)
{
    (void)state;
    if (skipped[0])
        skip();
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        PAPI_event_info_t info = {0};
        assert_int_equal(PAPI_get_event_info(code_of(samples[i].as), &info), PAPI_OK);
        assert_string_equal(info.derived, samples[i].derived);
        assert_string_equal(info.postfix, samples[i].postfix);
        assert_int_equal(info.count, samples[i].count);
        for (unsigned t = 0; t < info.count; t++)
            assert_string_equal(info.name[t], events[samples[i].event[t]].name);
    }
}

static void fault_pages(size_t pages)
{
    const size_t bytes = 4096;
    char *room = mmap(NULL, pages * bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(room != MAP_FAILED);
    (void)madvise(room, pages * bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; i++)
        ((volatile char *)room)[i * bytes] = 1;
    munmap(room, pages * bytes);
}

/* The natives count in the same set, so that both are of the same moment. */
static void an_exported_event_reads_as_the_natives_beside_it(void **state)
{
    (void)state;
    if (skipped[0])
        skip();
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        int set = PAPI_NULL;
        long long value[1 + EVENTS] = {0};
        double expected = 0;

        assert_int_equal(PAPI_create_eventset(&set), PAPI_OK);
        assert_int_equal(PAPI_add_event(set, code_of(samples[i].as)), PAPI_OK);
        for (size_t e = 0; e < EVENTS; e++)
            assert_int_equal(PAPI_add_named_event(set, events[e].name), PAPI_OK);
        assert_int_equal(PAPI_start(set), PAPI_OK);
        fault_pages(1000);
        assert_int_equal(PAPI_stop(set, value), PAPI_OK);
        for (size_t e = 0; e < EVENTS; e++)
            expected += samples[i].coefficient[e] * (double)value[1 + e];
        assert_true(value[1 + FAULTS] >= 1000);
        assert_true(value[1 + TASK] > 0);
        assert_true(value[0] == (long long)expected);
        assert_int_equal(PAPI_cleanup_eventset(set), PAPI_OK);
        assert_int_equal(PAPI_destroy_eventset(&set), PAPI_OK);
    }
}

static void the_presets_that_were_exported_agree_with_their_metrics(void **state)
{
    struct rc_pool *pool = rc_pool_create();
    struct rc_store *file = NULL;
    struct rc_preset_list list;
    struct rc_preset_check *check = NULL;
    struct rc_error err = {.rank = -1};
    size_t count = 0;

    (void)state;
    if (skipped[0]) {
        rc_pool_close(pool);
        skip();
    }
    assert_int_equal(rc_metrics_open(MPI_COMM_NULL, path, &file, &err), RC_OK);
    assert_int_equal(rc_papi_presets(pool, &list, &err), RC_OK);
    assert_int_equal(rc_preset_check(&list, rc_store_kind(file, 0)->key,
                                     rc_metrics_suite(file, 0, 0), NULL, pool, &check,
                                     &count, &err),
                     RC_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(check[i].outcome, "agrees");
    assert_string_equal(check[0].definition,
                        "N0|2|*|N1|- of perf::TASK-CLOCK, perf::PAGE-FAULTS:u=1");
    free(check);
    rc_papi_presets_fini(&list);
    assert_int_equal(rc_store_close(file, &err), RC_OK);
    rc_pool_close(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papi_shows_the_terms_and_the_operations_that_were_exported),
        cmocka_unit_test(an_exported_event_reads_as_the_natives_beside_it),
        cmocka_unit_test(the_presets_that_were_exported_agree_with_their_metrics),
    };
    int failed = cmocka_run_group_tests(tests, load, unload);

    if (failed == 0 && skipped[0]) {
        printf("skipped: %s\n", skipped);
        return 77;
    }
    return failed;
}
