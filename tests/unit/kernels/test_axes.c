/* Lists of values for axes: bad ones first. */
#include "kernels/axes.h"
#include "tests/lib/test.h"

#include <string.h>

static const char *const stores[] = {"plain", "streaming", NULL};
static const struct rc_axis bytes = {.name = "bytes",
                                     .unit = "bytes",
                                     .least = 64,
                                     .most = INT64_C(1) << 40,
                                     .standard = "1K,2K",
                                     .summary = "of all arrays"};
static const struct rc_axis workers = {
    .name = "workers", .unit = "", .least = 1, .most = 1000000, .summary = "of a team"};
static const struct rc_axis offset = {
    .name = "offset", .unit = "bytes", .least = 0, .most = INT64_MAX, .summary = "any"};
static const struct rc_axis store = {.name = "store",
                                     .unit = "",
                                     .words = stores,
                                     .standard = "plain",
                                     .summary = "how lines are written"};

/* Longer than any number, and cut in messages. */
#define LONG "1.0000000000000000000000000000000000000000000000000000000000"

static void lists_that_cannot_be_meant_are_refused(void **state)
{
    static const struct {
        const struct rc_axis *axis;
        const char *list, *expected;
    } bad[] = {
        {&workers, "", "a value between commas"},
        {&workers, ",", "a value between commas"},
        {&workers, "1,,2", "a value between commas"},
        {&workers, "1,", "a value between commas"},
        {&workers, "0", "values of 1 to 1000000, not '0'"},
        {&workers, "-1", "a whole number or a size such as 64K, not '-1'"},
        {&workers, "1x", "a whole number or a size such as 64K, not '1x'"},
        {&workers, " 1", "a whole number or a size such as 64K, not ' 1'"},
        {&workers, "0x10", "a whole number or a size such as 64K, not '0x10'"},
        {&workers, "nan", "a whole number or a size such as 64K, not 'nan'"},
        {&workers, "1.5", "a whole number or a size such as 64K, not '1.5'"},
        {&workers, LONG LONG "9.5",
         "a whole number or a size such as 64K, not '" LONG "1.0'"},
        {&workers, "1000001", "values of 1 to 1000000, not '1000001'"},
        {&workers, "1..2000000/1999999", "values of 1 to 1000000, not '2000000'"},
        {&workers, "9223372036854775808",
         "a whole number or a size such as 64K, not '9223372036854775808'"},
        {&workers, "99999999999999999999",
         "a whole number or a size such as 64K, not '99999999999999999999'"},
        {&offset, "8388608T", "a whole number or a size such as 64K, not '8388608T'"},
        {&workers, "4..2", "a range that rises, not '4..2'"},
        {&workers, "4..4", "a range that rises, not '4..4'"},
        {&workers, "1..8*1", "a factor of 2 or more, not '1'"},
        {&workers, "1..8*0", "a factor of 2 or more, not '0'"},
        {&workers, "1..8*-2", "a whole number or a size such as 64K, not '-2'"},
        {&workers, "1..8/0", "a step of 1 or more, not '0'"},
        {&workers, "1..8/", "a whole number or a size such as 64K, not ''"},
        {&workers, "1..8*", "a whole number or a size such as 64K, not ''"},
        {&workers, "..8", "a whole number or a size such as 64K, not ''"},
        {&workers, "1..", "a whole number or a size such as 64K, not ''"},
        {&workers, "1..2..3", "a whole number or a size such as 64K, not '2..3'"},
        {&workers, "1..8*2*2", "a whole number or a size such as 64K, not '2*2'"},
        {&workers, "1..8/2*2", "a whole number or a size such as 64K, not '2*2'"},
        {&offset, "0..8*2", "a range that begins above 0, not '0..8*2'"},
        {&workers, "1..4097", "at most 4096 values"},
        {&workers, "1..4096,5000", "at most 4096 values"},
        {&offset, "1..9223372036854775807", "at most 4096 values"},
        {&workers, "1,2,1", "each value once, not '1' again"},
        {&workers, "1..8,2..16*2", "each value once, not '2' again"},
        {&bytes, "1K,1024", "each value once, not '1024' again"},
        {&store, "plain,plain", "each value once, not 'plain' again"},
        {&store, "1", "one of plain, streaming, not '1'"},
        {&store, "plane",
         "one of plain, streaming, not 'plane', did you mean 'plain'?"},
        {&store, "plain..streaming", "one of plain, streaming, not 'plain..streaming'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_axis_values values = {0};
        struct rc_error err = {0};
        if (rc_axis_read(bad[i].axis, bad[i].list, &values, &err) != RC_EUSAGE)
            fail_msg("'%s' was taken: %zu values", bad[i].list, values.count);
        assert_string_equal(err.text, bad[i].expected);
        assert_int_equal(values.count, 0);
        rc_axis_values_fini(&values);
    }
}

static void lists_give_their_values_in_order(void **state)
{
    static const struct {
        const struct rc_axis *axis;
        const char *list;
        size_t count;
        int64_t value[10];
    } good[] = {
        {&workers, "1", 1, {1}},
        {&workers, "8,1,2", 3, {8, 1, 2}},
        {&workers, "1..4", 4, {1, 2, 3, 4}},
        {&workers, "1..10/4", 3, {1, 5, 9}},
        {&workers, "1..8*2,3", 5, {1, 2, 4, 8, 3}},
        {&workers, "1..9*2", 4, {1, 2, 4, 8}},
        {&bytes, "32K..1M*8", 2, {32768, 262144}},
        {&bytes, "1.5K,1m,1GiB", 3, {1536, 1048576, 1073741824}},
        {&bytes, "1K..3K/1K", 3, {1024, 2048, 3072}},
        {&offset, "0", 1, {0}},
        {&offset, "0..2", 3, {0, 1, 2}},
        /* the next value would be more than any number */
        {&offset, "9223372036854774784..9223372036854775807*2", 1, {INT64_MAX - 1023}},
        {&offset,
         "9223372036854774784..9223372036854775807/1024",
         1,
         {INT64_MAX - 1023}},
        {&store, "streaming,plain", 2, {1, 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct rc_axis_values values = {0};
        struct rc_error err = {0};
        if (rc_axis_read(good[i].axis, good[i].list, &values, &err) != RC_OK)
            fail_msg("'%s' was refused: %s", good[i].list, err.text);
        assert_int_equal(values.count, good[i].count);
        assert_memory_equal(values.value, good[i].value,
                            good[i].count * sizeof good[i].value[0]);
        rc_axis_values_fini(&values);
    }
}

static void as_many_values_as_are_allowed_are_taken(void **state)
{
    struct rc_axis_values values = {0};
    struct rc_error err = {0};

    (void)state;
    assert_int_equal(rc_axis_read(&workers, "1..4096", &values, &err), RC_OK);
    assert_int_equal(values.count, RC_AXIS_VALUES_MOST);
    assert_int_equal(values.value[4095], 4096);
    rc_axis_values_fini(&values);
}

static void users_lists_go_before_standards(void **state)
{
    static const char *const items[] = {"bytes=4K", "store=streaming"};
    const struct rc_axes axes = {items, 2};
    const struct rc_suite_request asked = {.axes = &axes}, none = {.axes = NULL};
    struct rc_axis_values values = {0};
    struct rc_error err = {0};

    (void)state;
    assert_int_equal(rc_axis_chosen(&asked, &bytes, &values, &err), RC_OK);
    assert_int_equal(values.count, 1);
    assert_int_equal(values.value[0], 4096);
    rc_axis_values_fini(&values);
    assert_int_equal(rc_axis_chosen(&none, &bytes, &values, &err), RC_OK);
    assert_int_equal(values.count, 2);
    assert_int_equal(values.value[1], 2048);
    rc_axis_values_fini(&values);
    assert_int_equal(rc_axis_chosen(&asked, &store, &values, &err), RC_OK);
    assert_int_equal(values.value[0], 1);
    rc_axis_values_fini(&values);
    assert_int_equal(rc_axis_chosen(&asked, &workers, &values, &err), RC_OK);
    assert_int_equal(values.count, 0);
    rc_axis_values_fini(&values);
}

/* A suite of this test's own. */
static const struct rc_axis chosen[] = {
    {.name = "bytes", .unit = "bytes", .least = 64, .most = 1 << 20, .summary = "size"},
    {.name = "store", .unit = "", .words = stores, .summary = "how"},
    {.name = NULL}};
static const struct rc_suite suite = {.name = "axed", .chosen = chosen};

static bool is_wanted(const struct rc_suite *s, const void *of)
{
    return !of || strcmp(s->name, of) == 0;
}

static void texts_are_checked_before_suites_are_asked(void **state)
{
    static const char *const bad[][2] = {
        {"", "NAME=LIST"},
        {"bytes", "NAME=LIST"},
        {"=1", "NAME=LIST"},
        {"bytes=", "a value between commas"},
        {"bytes=4..2", "a range that rises, not '4..2'"},
        {"bytes=1..2/0", "a step of 1 or more, not '0'"},
        {"bytes=-1", "a whole number or a size such as 64K, not '-1'"},
        {"bytes=1,1", "each value once, not '1' again"},
        {"bytes=1..5000", "at most 4096 values"},
    };
    struct rc_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(rc_axes_check_text(bad[i][0], &err), RC_EUSAGE);
        assert_string_equal(err.text, bad[i][1]);
    }
    assert_int_equal(rc_axes_check_text("bytes=1K..4K*2,9", &err), RC_OK);
    assert_int_equal(rc_axes_check_text("store=plain,streaming", &err), RC_OK);
}

static void axes_that_no_wanted_suite_has_are_refused(void **state)
{
    static const struct {
        const char *item, *suite, *message;
    } bad[] = {
        {"byte=1K", "axed",
         "axis 'byte': it cannot be chosen in the suites that are wanted, did you mean "
         "'bytes'?"},
        {"colour=1K", "axed",
         "axis 'colour': it cannot be chosen in the suites that are wanted, expected "
         "one of bytes, store"},
        {"bytes=1K", "flops",
         "axis 'bytes': it cannot be chosen in the suites that are wanted, none of "
         "these suites has one"},
        {"bytes=0", "axed",
         "suite 'axed': axis 'bytes': expected values of 64 to 1048576, not '0'"},
        {"bytes=1G", NULL,
         "suite 'axed': axis 'bytes': expected values of 64 to 1048576, not "
         "'1073741824'"},
        {"store=plane", "axed",
         "suite 'axed': axis 'store': expected one of plain, streaming, not 'plane', "
         "did you mean 'plain'?"},
        {"store=plain,plain", "axed",
         "suite 'axed': axis 'store': expected each value once, not 'plain' again"},
    };
    const struct rc_suite *const suites[] = {rc_suite_find("flops"), &suite, NULL};
    struct rc_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct rc_axes axes = {&bad[i].item, 1};
        assert_int_equal(rc_axes_check(&axes, suites, is_wanted, bad[i].suite, &err),
                         RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
    }
    static const char *const items[] = {"bytes=1K", "store=plain"};
    const struct rc_axes axes = {items, 2}, none = {NULL, 0};
    assert_int_equal(rc_axes_check(&axes, suites, is_wanted, "axed", &err), RC_OK);
    assert_int_equal(rc_axes_check(&axes, suites, is_wanted, NULL, &err), RC_OK);
    assert_int_equal(rc_axes_check(&none, suites, is_wanted, "flops", &err), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_cannot_be_meant_are_refused),
        cmocka_unit_test(lists_give_their_values_in_order),
        cmocka_unit_test(as_many_values_as_are_allowed_are_taken),
        cmocka_unit_test(users_lists_go_before_standards),
        cmocka_unit_test(texts_are_checked_before_suites_are_asked),
        cmocka_unit_test(axes_that_no_wanted_suite_has_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
