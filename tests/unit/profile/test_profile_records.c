/* Records of a profile: what is written is read again, and damage is refused. */
#include "tests/lib/test.h"

#include "campaign/profile/wire/records.h"

#include <stdlib.h>
#include <string.h>

static struct rc_error err;

/* One record of each type, with something in each list. */
static const char *const words[] = {"./app", "-n", "256"};
static const struct rc_profile_event events[] = {
    {.name = "sysfs:::stat:ctxt", .source = "sysfs", .description = "d", .scope = 5},
    {.name = "x",
     .source = "",
     .description = "",
     .state = true,
     .reason = "no right"}};
static const struct rc_profile_path paths[] = {{.number = 0},
                                               {.number = 3,
                                                .parent = 2,
                                                .name = 17,
                                                .visits = 5,
                                                .count = {1, 2, 3, 4, 5, 6, 7, 8}}};
static const struct rc_profile_call calls[] = {{.number = 1,
                                                .path = 3,
                                                .name = 9,
                                                .module = 4,
                                                .log_bytes = 64,
                                                .nodes = RC_SHARED_SEVERAL_NODES,
                                                .bytes = UINT64_MAX,
                                                .time = {[15] = 15}}};
static const struct rc_profile_span spans[] = {{1000, RC_SHARED_ENTER, 1},
                                               {2000, RC_SHARED_CALL_ENDED, 1023}};
static const struct rc_profile_reading readings[] = {{10, 1, -5, 9},
                                                     {20, 1, INT64_MIN, 0}};

static const struct rc_profile_module modules[] = {{"/bin/app", "00ff"},
                                                   {RC_PROFILE_KERNEL, ""}};
static const struct rc_profile_task tasks[] = {{4711, 4712, -1}};
static const struct rc_profile_frame frames[] = {{0, 1, 0x1234, true},
                                                 {1, 2, 0, false}};
static const struct rc_profile_stack_count counts[] = {{0, 2, 97}, {0, 0, 1}};

static const struct rc_profile_wait waits[] = {{.number = 1, .kind = 4, .known = 7},
                                               {.number = 1023,
                                                .waited_ns = UINT64_MAX,
                                                .completing_ns = 2,
                                                .part_ns = 1,
                                                .same_source_ns = 3,
                                                .instances = 4}};

static const struct rc_profile_payload samples[] = {
    {.type = RC_PROFILE_LAUNCH,
     .launch = {.node = "n1",
                .word = words,
                .word_count = 3,
                .launch = 2,
                .unix_ns = -7,
                .every = 10,
                .trace = true,
                .counter = words,
                .counter_count = 2,
                .set = "n=64,k=p-2"}},
    {.type = RC_PROFILE_EVENTS, .events = {events, 2}},
    {.type = RC_PROFILE_PLACE,
     .place = {.place = 9, .pid = 4711, .rank = -1, .cpus = "0-3"}},
    {.type = RC_PROFILE_NAMES,
     .names = {.place = 9, .first = 7, .byte = "a\0\377", .byte_count = 4}},
    {.type = RC_PROFILE_PATHS, .paths = {9, paths, 2}},
    {.type = RC_PROFILE_CALLS, .calls = {9, calls, 1}},
    {.type = RC_PROFILE_SPANS, .spans = {9, spans, 2}},
    {.type = RC_PROFILE_CLOSE,
     .close = {.place = 9, .rank = 3, .ranks = 8, .killed = true}},
    {.type = RC_PROFILE_READINGS, .readings = {4, readings, 2, "gap"}},
    {.type = RC_PROFILE_COST, .cost = {.at_ns = 1, .entries = 5}},
    {.type = RC_PROFILE_RUNS,
     .runs = {.run = &(struct rc_profile_run){1, 2, 3, 4, 5}, .run_count = 1}},
    {.type = RC_PROFILE_END, .end = {.at_ns = 1, .restarted = 2}},
    {.type = RC_PROFILE_STACKS,
     .stacks = {.at_ns = 3,
                .period_ns = 10309278,
                .kernel = true,
                .why = "no rights",
                .stack_bytes = 32768,
                .brief = 5,
                .deep = 6,
                .modules = 7,
                .module = modules,
                .module_count = 2,
                .task = tasks,
                .task_count = 1,
                .frame = frames,
                .frame_count = 2,
                .count = counts,
                .count_count = 2}},
    {.type = RC_PROFILE_CLOCK, .offset = {.at_ns = 1, .low_ns = -2, .high_ns = 3}},
    {.type = RC_PROFILE_WAITS,
     .waits = {.place = 9, .impossible = 4, .wait = waits, .wait_count = 2}},
    {.type = RC_PROFILE_RATE,
     .rate = {.at_ns = 1, .what = RC_PROFILE_RATED_CALL, .number = 1023}},
    {.type = RC_PROFILE_RATE, .rate = {.at_ns = 1, .what = RC_PROFILE_RATED_STACKS}},
    {.type = RC_PROFILE_RATE,
     .rate = {.at_ns = 1, .what = RC_PROFILE_RATED_POLLS, .number = 1023, .every = 8}},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Memory of a read record, until the next. */
static struct rc_pool *texts;
static struct rc_arena lists;

/* A copy of exactly that length, so that a sanitizer sees each byte too many. */
static int decode(uint32_t type, const struct rc_bytes *bytes, size_t count,
                  struct rc_profile_payload *out)
{
    unsigned char *copy = malloc(count + 1);

    assert_non_null(copy);
    memset(copy, 0, count + 1);
    if (bytes->count)
        memcpy(copy, bytes->byte, count < bytes->count ? count : bytes->count);
    rc_arena_free(&lists);
    const int status = rc_profile_decode(type, copy, count, texts, &lists, out, &err);
    free(copy);
    return status;
}

static void encode(const struct rc_profile_payload *payload, struct rc_bytes *bytes)
{
    if (rc_profile_encode(payload, bytes, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void payloads_cut_or_too_long_are_refused(void **state)
{
    struct rc_bytes bytes = {0};
    struct rc_profile_payload out;

    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        encode(&samples[i], &bytes);
        for (size_t count = 0; count <= bytes.count + 1; count++)
            assert_int_equal(decode(samples[i].type, &bytes, count, &out),
                             count == bytes.count ? RC_OK : RC_EUSAGE);
    }
    rc_bytes_fini(&bytes);
}

static void types_of_others_can_be_told(void **state)
{
    static const uint32_t types[] = {0, 1, 11, 99, RC_PROFILE_LAST + 1, UINT32_MAX};
    struct rc_bytes bytes = {0};
    struct rc_profile_payload out;

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        assert_int_equal(decode(types[i], &bytes, 0, &out), RC_EUNSUPPORTED);
}

/* Numbers that would lead out of the tables of shared.h. */
static void numbers_that_cannot_be_are_refused(void **state)
{
    static const struct rc_profile_path bad_path[] = {
        {.number = RC_SHARED_PATHS},
        {.number = 3, .parent = 3},
        {.number = 0, .parent = 1},
        {.number = 1, .name = RC_SHARED_NAMES}};
    static const struct rc_profile_call bad_call[] = {
        {.number = RC_SHARED_CALLS}, {.path = RC_SHARED_PATHS},
        {.name = RC_SHARED_NAMES},   {.module = RC_SHARED_NAMES},
        {.log_bytes = 65},           {.nodes = 4}};
    static const struct rc_profile_span bad_span[] = {
        {0, 0, 0},
        {0, RC_SHARED_CALL_ENDED + 1, 0},
        {0, RC_SHARED_ENTER, RC_SHARED_PATHS},
        {0, RC_SHARED_CALL_BEGAN, RC_SHARED_CALLS}};
    static const char nine[] = "123456789";
    static const char *const nine_words[9] = {nine, nine, nine, nine, nine,
                                              nine, nine, nine, nine};
    const struct rc_profile_payload bad[] = {
        {.type = RC_PROFILE_PATHS, .paths = {0, &bad_path[0], 1}},
        {.type = RC_PROFILE_PATHS, .paths = {0, &bad_path[1], 1}},
        {.type = RC_PROFILE_PATHS, .paths = {0, &bad_path[2], 1}},
        {.type = RC_PROFILE_PATHS, .paths = {0, &bad_path[3], 1}},
        {.type = RC_PROFILE_CALLS, .calls = {0, &bad_call[0], 1}},
        {.type = RC_PROFILE_CALLS, .calls = {0, &bad_call[1], 1}},
        {.type = RC_PROFILE_CALLS, .calls = {0, &bad_call[2], 1}},
        {.type = RC_PROFILE_CALLS, .calls = {0, &bad_call[3], 1}},
        {.type = RC_PROFILE_CALLS, .calls = {0, &bad_call[4], 1}},
        {.type = RC_PROFILE_CALLS, .calls = {0, &bad_call[5], 1}},
        {.type = RC_PROFILE_SPANS, .spans = {0, &bad_span[0], 1}},
        {.type = RC_PROFILE_SPANS, .spans = {0, &bad_span[1], 1}},
        {.type = RC_PROFILE_SPANS, .spans = {0, &bad_span[2], 1}},
        {.type = RC_PROFILE_SPANS, .spans = {0, &bad_span[3], 1}},
        {.type = RC_PROFILE_NAMES, .names = {0, 0, "ab", 2}},
        {.type = RC_PROFILE_NAMES, .names = {0, RC_SHARED_NAMES, "", 1}},
        {.type = RC_PROFILE_NAMES, .names = {0, RC_SHARED_NAMES + 1, NULL, 0}},
        {.type = RC_PROFILE_LAUNCH, .launch = {.node = ""}},
        {.type = RC_PROFILE_LAUNCH,
         .launch = {.node = "n", .counter = nine_words, .counter_count = 9}},
        {.type = RC_PROFILE_LAUNCH, .launch = {.node = "n", .set = "n=0"}},
        {.type = RC_PROFILE_LAUNCH, .launch = {.node = "n", .set = "n=q"}},
        {.type = RC_PROFILE_READINGS,
         .readings = {0, &(struct rc_profile_reading){.at_ns = 1, .since_ns = 2}, 1,
                      ""}},
        {.type = RC_PROFILE_RATE, .rate = {.what = RC_PROFILE_RATED_COUNT}},
        {.type = RC_PROFILE_RATE,
         .rate = {.what = RC_PROFILE_RATED_PATH, .number = RC_SHARED_PATHS}},
        {.type = RC_PROFILE_RATE,
         .rate = {.what = RC_PROFILE_RATED_CALL, .number = RC_SHARED_CALLS}},
        {.type = RC_PROFILE_RATE,
         .rate = {.what = RC_PROFILE_RATED_STACKS, .number = 1}},
        {.type = RC_PROFILE_RATE,
         .rate = {.what = RC_PROFILE_RATED_POLLS, .number = RC_SHARED_CALLS}},
    };
    struct rc_bytes bytes = {0};
    struct rc_profile_payload out;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        encode(&bad[i], &bytes);
        err.text[0] = 0;
        if (decode(bad[i].type, &bytes, bytes.count, &out) != RC_EUSAGE)
            fail_msg("record %zu was taken", i);
        assert_true(strlen(err.text) > 10);
    }
    rc_bytes_fini(&bytes);
}

/* Written again, what was read gives the same bytes: nothing is lost or swapped. */
static void what_is_written_is_read(void **state)
{
    struct rc_bytes bytes = {0}, again = {0};
    struct rc_profile_payload out;

    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        encode(&samples[i], &bytes);
        assert_int_equal(decode(samples[i].type, &bytes, bytes.count, &out), RC_OK);
        encode(&out, &again);
        assert_int_equal(bytes.count, again.count);
        assert_memory_equal(bytes.byte, again.byte, bytes.count);
    }
    rc_bytes_fini(&bytes);
    rc_bytes_fini(&again);
}

static void members_come_back_where_they_were(void **state)
{
    struct rc_bytes bytes = {0};
    struct rc_profile_payload out;

    (void)state;
    encode(&samples[0], &bytes);
    assert_int_equal(decode(RC_PROFILE_LAUNCH, &bytes, bytes.count, &out), RC_OK);
    assert_string_equal(out.launch.word[2], "256");
    assert_string_equal(out.launch.set, "n=64,k=p-2");
    assert_true(out.launch.trace && out.launch.unix_ns == -7 && out.launch.every == 10);
    encode(&samples[3], &bytes);
    assert_int_equal(decode(RC_PROFILE_NAMES, &bytes, bytes.count, &out), RC_OK);
    assert_memory_equal(out.names.byte, "a\0\377", 4);
    encode(&samples[4], &bytes);
    assert_int_equal(decode(RC_PROFILE_PATHS, &bytes, bytes.count, &out), RC_OK);
    assert_int_equal(out.paths.path[1].count[7], 8);
    encode(&samples[5], &bytes);
    assert_int_equal(decode(RC_PROFILE_CALLS, &bytes, bytes.count, &out), RC_OK);
    assert_true(out.calls.call[0].time[15] == 15 && out.calls.call[0].module == 4);
    assert_int_equal(out.calls.call[0].nodes, RC_SHARED_SEVERAL_NODES);
    encode(&samples[8], &bytes);
    assert_int_equal(decode(RC_PROFILE_READINGS, &bytes, bytes.count, &out), RC_OK);
    assert_true(out.readings.reading[0].value == -5 &&
                out.readings.reading[1].value == INT64_MIN);
    rc_bytes_fini(&bytes);
}

/* An event had no 'tick_ns' in version 3, so its list is shorter there; a launch had no
 * 'set' in version 8.
 */
static void older_versions_are_read(void **state)
{
    struct rc_profile_event event = {
        .name = "x", .source = "s", .description = "d", .reason = "r", .tick_ns = 77};
    const struct rc_profile_payload new = {.type = RC_PROFILE_EVENTS,
                                           .events = {&event, 1}};
    struct rc_bytes bytes = {0};
    struct rc_profile_payload out;

    (void)state;
    encode(&new, &bytes);
    assert_int_equal(decode(RC_PROFILE_EVENTS, &bytes, bytes.count, &out), RC_OK);
    assert_int_equal(out.events.event[0].tick_ns, 77);
    bytes.count -= sizeof event.tick_ns;
    assert_int_equal(decode(RC_PROFILE_EVENTS, &bytes, bytes.count, &out), RC_EUSAGE);
    bytes.byte[0] = 3;
    assert_int_equal(decode(RC_PROFILE_EVENTS, &bytes, bytes.count, &out), RC_OK);
    assert_string_equal(out.events.event[0].reason, "r");
    assert_int_equal(out.events.event[0].tick_ns, 0);
    encode(&(struct rc_profile_payload){.type = RC_PROFILE_LAUNCH,
                                        .launch = {.node = "n", .budget_ppm = 7}},
           &bytes);
    bytes.count -= 5; /* the length of the text, and its end */
    assert_int_equal(decode(RC_PROFILE_LAUNCH, &bytes, bytes.count, &out), RC_EUSAGE);
    bytes.byte[0] = 8;
    assert_int_equal(decode(RC_PROFILE_LAUNCH, &bytes, bytes.count, &out), RC_OK);
    assert_true(out.launch.budget_ppm == 7 && !out.launch.set);
    rc_bytes_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(payloads_cut_or_too_long_are_refused),
        cmocka_unit_test(types_of_others_can_be_told),
        cmocka_unit_test(numbers_that_cannot_be_are_refused),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(members_come_back_where_they_were),
        cmocka_unit_test(older_versions_are_read),
    };
    texts = rc_pool_create();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rc_pool_close(texts);
    rc_arena_free(&lists);
    return failed;
}
