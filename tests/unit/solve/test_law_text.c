/* Laws as text, for people and in the notation of Extra-P. */
#include "tests/lib/test.h"

#include "solve/model/law_text.h"

#include <math.h>
#include <string.h>

#define ONE                                                                            \
    {                                                                                  \
        0, 1, 0                                                                        \
    }

static const char *const names[] = {"p", "n"};

static const struct rc_law three = {
    3, {{-7, {ONE, ONE}}, {0.25, {{1, 2, 1}, {1, 1, 0}}}, {4, {ONE, {2, 1, 0}}}}};

static void assert_people(const struct rc_law *law, const double *at, int digits,
                          const char *wanted)
{
    char out[RC_LAW_TEXT];

    assert_string_equal(rc_law_text(out, sizeof out, law, names, 2, at, digits),
                        wanted);
}

static void assert_extrap(const struct rc_law *law, const char *wanted)
{
    char out[RC_LAW_TEXT];

    assert_string_equal(rc_law_text_extrap(out, sizeof out, law, names, 2), wanted);
}

static void text_without_room_is_cut_off(void **state)
{
    char out[12];

    (void)state;
    assert_string_equal(rc_law_text(out, sizeof out, &three, names, 2, NULL, 3),
                        "4 n^2 + 0.2");
    assert_string_equal(rc_law_text_extrap(out, sizeof out, &three, names, 2),
                        "-7 + 0.25 *");
}

static void a_law_without_terms_and_wrong_numbers_have_a_text(void **state)
{
    const struct rc_law none = {0}, unknown = {1, {{NAN, {ONE, ONE}}}};

    (void)state;
    assert_people(&none, NULL, 0, "0");
    assert_extrap(&none, "0");
    assert_people(&unknown, NULL, 3, "nan");
    assert_people(&unknown, NULL, 0, "nan");
    assert_extrap(&unknown, "nan");
}

static void the_largest_term_at_the_point_comes_first(void **state)
{
    const double far[] = {1e6, 10}, near[] = {2, 1};

    (void)state;
    assert_people(&three, NULL, 4, "4 n^2 + 0.25 p^(1/2) log2(p) n - 7");
    assert_people(&three, far, 4, "0.25 p^(1/2) log2(p) n + 4 n^2 - 7");
    assert_people(&three, near, 4, "-7 + 4 n^2 + 0.25 p^(1/2) log2(p) n");
}

static void coefficients_have_the_digits_that_are_wanted(void **state)
{
    const struct rc_law law = {4,
                               {{2. / 3, {ONE, {3, 1, 0}}},
                                {-0.5, {ONE, {2, 1, 0}}},
                                {-1. / 6, {ONE, {1, 1, 0}}},
                                {6.52e7, {{-1, 1, 0}, {0, 1, 2}}}}};
    const struct rc_law ones = {2, {{-1, {{1, 1, 0}, ONE}}, {1, {ONE, ONE}}}};
    const struct rc_law fine = {1, {{0.1234567890123, {{-3, 4, 0}, ONE}}}};

    (void)state;
    assert_people(&law, NULL, 0, "2/3 n^3 - 0.5 n^2 - 1/6 n + 65200000 p^-1 log2(n)^2");
    assert_people(&law, NULL, 3,
                  "0.667 n^3 - 0.5 n^2 - 0.167 n + 6.52e+07 p^-1 log2(n)^2");
    assert_people(&ones, NULL, 0, "-p + 1");
    assert_people(&fine, NULL, 0, "0.1234567890123 p^(-3/4)");
    assert_people(&fine, NULL, 2, "0.12 p^(-3/4)");
}

static void extrap_reads_the_constant_first_and_a_power_everywhere(void **state)
{
    const struct rc_law law = {
        2, {{2. / 3, {{-1, 2, 0}, {2, 1, 0}}}, {1, {{0, 1, 2}, ONE}}}};

    (void)state;
    assert_extrap(&three, "-7 + 0.25 * p^(1/2) * log2(p)^(1) * n^(1) + 4 * n^(2)");
    assert_extrap(&law, "0 + 0.6666666666666666 * p^(-1/2) * n^(2) + 1 * log2(p)^(2)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_without_room_is_cut_off),
        cmocka_unit_test(a_law_without_terms_and_wrong_numbers_have_a_text),
        cmocka_unit_test(the_largest_term_at_the_point_comes_first),
        cmocka_unit_test(coefficients_have_the_digits_that_are_wanted),
        cmocka_unit_test(extrap_reads_the_constant_first_and_a_power_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
