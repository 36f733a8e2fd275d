#include "tests/lib/test.h"

#include "campaign/base/error.h"
#include "campaign/base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void bad_numbers_are_refused_and_leave_the_result_alone(void **state)
{
    static const char *const bad[] = {
        "",    " ",   "8x",  "-1",  "+1",
        "1 ",  " 1",  "0x8", "1e3", "18446744073709551616",
        "1.5", "nan", "\n1"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t value = 77;
        assert_int_equal(rc_text_count(bad[i], &value), -1);
        assert_int_equal(value, 77);
    }
}

static void ranges_of_a_list_are_read_up_to_what_is_none(void **state)
{
    static const struct {
        const char *list, *left;
        unsigned long sum; /* of low and 100 times high */
    } table[] = {{"", "", 0},           {"x", "x", 0},      {"-3", "-3", 0},
                 {"0-3,", "0-3,", 0},   {"0-", "0-", 0},    {"3 ", "3 ", 0},
                 {"7", "", 707},        {"0-3", "", 300},   {"0-3,8", "", 1108},
                 {"1,2-4,x", "x", 503}, {"1,,2", ",2", 101}};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *rest = table[i].list;
        unsigned long low, high, sum = 0;
        while (rc_text_next_range(&rest, &low, &high))
            sum += low + 100 * high;
        assert_string_equal(rest, table[i].left);
        assert_int_equal(sum, table[i].sum);
    }
}

static void bad_reals_sizes_and_durations_are_refused(void **state)
{
    static const char *const reals[] = {"",      "nan", "inf", "1e400", "1..2",
                                        "0x1p3", "1,5", "e5",  "--1",   "1 "};
    static const char *const sizes[] = {"",     "K",     "-1K",  "1Q",  "1 K",
                                        "64KK", "1e30G", "0x10", "64K "};
    static const char *const durations[] = {"",     "5",  "s",   "-1s",  "5 s",
                                            "1h30", "1x", "5sm", "1e30d"};
    double real = 7;
    uint64_t number = 7;

    (void)state;
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        assert_int_equal(rc_text_real(reals[i], &real), -1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(rc_text_size(sizes[i], &number), -1);
    for (size_t i = 0; i < sizeof durations / sizeof durations[0]; i++)
        assert_int_equal(rc_text_duration(durations[i], &number), -1);
    assert_true(real == 7);
    assert_int_equal(number, 7);
}

static void good_values_are_read(void **state)
{
    uint64_t n;
    double x;
    bool flag;

    (void)state;
    assert_int_equal(rc_text_count("18446744073709551615", &n), 0);
    assert_true(n == UINT64_MAX);
    assert_int_equal(rc_text_real("-1.5e-3", &x), 0);
    assert_true(x == -1.5e-3);
    assert_int_equal(rc_text_size("64K", &n), 0);
    assert_int_equal(n, 65536);
    assert_int_equal(rc_text_size("1.5M", &n), 0);
    assert_int_equal(n, 1572864);
    assert_int_equal(rc_text_size("4096", &n), 0);
    assert_int_equal(n, 4096);
    assert_int_equal(rc_text_size("2GiB", &n), 0);
    assert_int_equal(n, UINT64_C(2) << 30);
    assert_int_equal(rc_text_duration("1h30m", &n), 0);
    assert_true(n == UINT64_C(5400000000000));
    assert_int_equal(rc_text_duration("250ms", &n), 0);
    assert_int_equal(n, 250000000);
    assert_int_equal(rc_text_bool("Yes", &flag), 0);
    assert_true(flag);
    assert_int_equal(rc_text_bool("off", &flag), 0);
    assert_false(flag);
    assert_int_equal(rc_text_bool("maybe", &flag), -1);
}

static void globs_treat_names_as_opaque(void **state)
{
    (void)state;
    assert_true(rc_text_glob("perf::*", "perf::TASK-CLOCK"));
    assert_true(rc_text_glob("*", "a/b:c"));
    assert_true(rc_text_glob("a?c", "a/c"));
    assert_true(rc_text_glob("ev[12]", "ev1"));
    assert_true(rc_text_glob("ev[12]", "ev[12]"));
    assert_true(rc_text_glob("ev\\*", "ev*"));
    assert_false(rc_text_glob("ev\\*", "evx"));
    assert_false(rc_text_glob("perf", "perf::X"));
}

static void the_nearest_name_is_one_that_was_meant(void **state)
{
    static const char *const names[] = {"doctor", "events", "plan", "help", NULL};

    (void)state;
    assert_int_equal(rc_text_nearest("docter", names), 0);
    assert_int_equal(rc_text_nearest("evnets", names), 1);
    assert_int_equal(rc_text_nearest("pln", names), 2);
    assert_int_equal(rc_text_nearest("HELP", names), 3);
    assert_int_equal(rc_text_nearest("zzzzzz", names), -1);
    assert_int_equal(rc_text_nearest("", names), -1);
}

static void characters_are_decoded_and_those_that_hide_are_known(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        uint32_t code;
        bool hidden;
    } each[] = {{"a", 1, 'a', false},
                {"\n", 1, '\n', true},
                {"\x7f", 1, 0x7f, true},
                {"\xc2\xad", 2, 0xad, true},
                {"\xc3\xa9", 2, 0xe9, false},
                {"\xe2\x80\xae", 3, 0x202e, true},
                {"\xef\xbf\xbb", 3, 0xfffb, true},
                {"\xef\xbf\xbd", 3, 0xfffd, false},
                {"\xf0\x9f\x99\x82", 4, 0x1f642, false},
                {"\xf3\xa0\x81\x81", 4, 0xe0041, true},
                {"\xff", 0, 0xfffd, false},
                {"\xc3", 0, 0xfffd, false},
                {"", 0, 0xfffd, false}};

    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
        uint32_t code = 0;
        assert_int_equal(rc_text_code_point(each[i].text, &code), each[i].length);
        assert_int_equal(code, each[i].code);
        assert_int_equal(rc_text_is_hidden(code), each[i].hidden);
    }
}

static void printable_text_is_one_line_of_utf8(void **state)
{
    char out[32];

    (void)state;
    assert_string_equal(rc_text_printable(out, sizeof out, "a\nb\x1b[1m"), "a?b?[1m");
    assert_string_equal(rc_text_printable(out, sizeof out, "\xc3\xa9\xff"),
                        "\xc3\xa9?");
    assert_string_equal(rc_text_printable(out, sizeof out, "\xc2\x9b"), "?");
    assert_string_equal(rc_text_printable(out, 3, "a\xc3\xa9"), "a");
    assert_string_equal(rc_text_printable(out, sizeof out, "\xf0\x9f\x98\x80"),
                        "\xf0\x9f\x98\x80");
    assert_string_equal(rc_text_printable(out, sizeof out, "\xed\xa0\x80"), "???");
}

static void sizes_and_durations_are_written_for_people(void **state)
{
    char out[RC_TEXT_SHORT];

    (void)state;
    assert_string_equal(rc_text_put_size(out, 65536), "64 KiB");
    assert_string_equal(rc_text_put_size(out, 1572864), "1.5 MiB");
    assert_string_equal(rc_text_put_size(out, 0), "0 B");
    assert_string_equal(rc_text_put_duration(out, 1500000), "1.5 ms");
    assert_string_equal(rc_text_put_duration(out, UINT64_C(5400000000000)), "90 min");
}

static void what_is_appended_is_cut_to_fit(void **state)
{
    static const char *const words[] = {"ab", "cd", "ef", NULL};
    char out[8] = "";

    (void)state;
    rc_text_append(out, sizeof out, "%d", 12);
    rc_text_append(out, sizeof out, "-%s", "three");
    assert_string_equal(out, "12-thre");
    rc_text_append(out, sizeof out, "more");
    assert_string_equal(out, "12-thre");
    out[0] = 0;
    rc_text_append_list(out, sizeof out, words);
    assert_string_equal(out, "ab, cd,");
    out[0] = 0;
    rc_text_append_list(out, sizeof out, words + 3);
    assert_string_equal(out, "");
}

static void the_first_line_of_a_file_is_printable(void **state)
{
    char path[] = "/tmp/rollcall-line-XXXXXX", line[8] = "old";
    int file = mkstemp(path);

    (void)state;
    assert_true(file >= 0);
    assert_int_equal(rc_text_first_line(path, line, sizeof line), -1); /* empty */
    assert_string_equal(line, "");
    assert_int_equal(write(file, "a\tb\nc\n", 6), 6);
    assert_int_equal(rc_text_first_line(path, line, sizeof line), 0);
    assert_string_equal(line, "a?b");
    assert_int_equal(write(file, "key :\t 7 kB\nkeys: 8\n", 20), 20);
    assert_int_equal(rc_text_value_of(path, "key", line, sizeof line), 0);
    assert_string_equal(line, "7 kB");
    assert_int_equal(rc_text_value_of(path, "keys", line, sizeof line), 0);
    assert_string_equal(line, "8");
    assert_int_equal(rc_text_value_of(path, "", line, sizeof line), 0);
    assert_string_equal(line, "a?b");
    assert_int_equal(rc_text_value_of(path, "ke", line, sizeof line), -1);
    assert_string_equal(line, "");
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rc_text_first_line(path, line, sizeof line), -1);
}

static void an_error_is_one_line_whatever_the_names_hold(void **state)
{
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_fail(&err, RC_EUSAGE, "event '%s'", "a\nb"), RC_EUSAGE);
    assert_string_equal(err.text, "event 'a?b'");
    rc_error_prefix(&err, "%s:%d: ", "f", 3);
    assert_string_equal(err.text, "f:3: event 'a?b'");
    errno = EACCES;
    assert_int_equal(rc_fail_errno(&err, "cannot open '%s'", "x"), RC_EPERM);
    assert_string_equal(err.text, "cannot open 'x': Permission denied");
    char big[3 * RC_ERROR_TEXT];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    rc_fail(&err, RC_EIO, "%s", big);
    assert_int_equal(strlen(err.text), RC_ERROR_TEXT - 1);
    rc_error_prefix(&err, "%s", big);
    assert_int_equal(strlen(err.text), RC_ERROR_TEXT - 1);
    assert_int_equal(rc_fail(NULL, RC_ENOMEM, "nobody listens"), RC_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers_are_refused_and_leave_the_result_alone),
        cmocka_unit_test(ranges_of_a_list_are_read_up_to_what_is_none),
        cmocka_unit_test(bad_reals_sizes_and_durations_are_refused),
        cmocka_unit_test(good_values_are_read),
        cmocka_unit_test(globs_treat_names_as_opaque),
        cmocka_unit_test(the_nearest_name_is_one_that_was_meant),
        cmocka_unit_test(characters_are_decoded_and_those_that_hide_are_known),
        cmocka_unit_test(printable_text_is_one_line_of_utf8),
        cmocka_unit_test(sizes_and_durations_are_written_for_people),
        cmocka_unit_test(what_is_appended_is_cut_to_fit),
        cmocka_unit_test(the_first_line_of_a_file_is_printable),
        cmocka_unit_test(an_error_is_one_line_whatever_the_names_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
