#include "tests/lib/test.h"

#include "solve/definitions/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bad_formulas_are_refused_with_column_and_expectation(void **state)
{
#define OPERAND "a metric in brackets such as [DP operations], a number or '('"
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "column 1: the formula ends, expected " OPERAND},
        {"  ", "column 3: the formula ends, expected " OPERAND},
        {"[a] +", "column 6: the formula ends, expected " OPERAND},
        {"[a] [b]", "column 5: found '[', expected + - * / or ')'"},
        {"[a] % 2", "column 5: found '%', expected + - * / or ')'"},
        {"[a] \xc3\xb7 2", "column 5: found '\xc3\xb7', expected + - * / or ')'"},
        {"a / b", "column 1: found 'a', expected " OPERAND},
        {"+[a]", "column 1: found '+', expected " OPERAND},
        {"[a] // [b]", "column 6: found '/', expected " OPERAND},
        {"[a", "column 1: a '[' without its ']', expected " OPERAND},
        {"[a[b]]", "column 1: a '[' without its ']', expected " OPERAND},
        {"[]", "column 1: a name of 0 bytes, expected a metric's name of 1 to 80"},
        {"[ \t ]", "column 1: a name of 0 bytes, expected a metric's name of 1 to 80"},
        {"[a] ]", "column 5: found ']', expected + - * / or ')'"},
        {"([a]", "column 5: a '(' without its ')', expected one"},
        {"[a])", "column 4: a ')' without its '(', expected + - * or /"},
        {"()", "column 2: found ')', expected " OPERAND},
        {"([a] + )", "column 8: found ')', expected " OPERAND},
        {"2 + 3", "column 6: no metric in it, expected " OPERAND},
        {"1.2.3 * [a]",
         "column 1: '1.2.3' is not a number, expected one such as 2, 0.5 or 1e-3"},
        {"1e999 * [a]",
         "column 1: '1e999' is not a number, expected one such as 2, 0.5 or 1e-3"},
        {"8x * [a]", "column 2: found 'x', expected + - * / or ')'"},
        {"nan * [a]", "column 1: found 'n', expected " OPERAND},
        {"[a] ** 2", "column 6: found '*', expected " OPERAND},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_expression *formula;
        assert_int_equal(rc_expression_create(bad[i].text, false, &formula, &err),
                         RC_EUSAGE);
        assert_null(formula);
        assert_string_equal(err.text, bad[i].message);
    }
}

/* 'times' copies of 'piece' around "[a]". */
static char *many(const char *before, const char *after, size_t times)
{
    size_t room = times * (strlen(before) + strlen(after)) + sizeof "[a]";
    char *text = calloc(1, room), *end = text;

    assert_non_null(text);
    for (size_t i = 0; i < times; i++)
        end = stpcpy(end, before);
    end = stpcpy(end, "[a]");
    for (size_t i = 0; i < times; i++)
        end = stpcpy(end, after);
    return text;
}

static void formulas_that_are_too_much_are_refused(void **state)
{
    static const struct {
        const char *before, *after;
        size_t times;
        const char *message;
    } bad[] = {
        {"(", ")", 65,
         "column 65: nested deeper than 64 levels, expected a simpler formula"},
        {"-", "", 65,
         "column 65: nested deeper than 64 levels, expected a simpler formula"},
        {"(", ")", 500000,
         "column 1: a formula of 1000003 bytes, expected at most 2000"},
        {"1+2*(", ")", 22,
         "column 109: nested deeper than 64 levels, expected a simpler formula"},
        {"", " + [a]", 400, "column 1: a formula of 2403 bytes, expected at most 2000"},
    };
    char wide[400] = "";

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_expression *formula;
        char *text = many(bad[i].before, bad[i].after, bad[i].times);
        assert_int_equal(rc_expression_create(text, false, &formula, &err), RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
        free(text);
    }
    for (int i = 0; i < 33; i++)
        snprintf(wide + strlen(wide), sizeof wide - strlen(wide), "%s[%d]",
                 i ? "+" : "", i);
    struct rc_error err = {0};
    struct rc_expression *formula;
    assert_int_equal(rc_expression_create(wide, false, &formula, &err), RC_EUSAGE);
    assert_string_equal(err.text,
                        "column 151: more than 32 metrics, expected a simpler formula");
}

static struct rc_interval value_of(const char *text, const struct rc_interval *input)
{
    struct rc_error err = {0};
    struct rc_expression *formula;

    assert_int_equal(rc_expression_create(text, false, &formula, &err), RC_OK);
    struct rc_interval value = rc_formula_value(formula, input);
    rc_expression_close(formula);
    return value;
}

static void values_follow_the_usual_rules(void **state)
{
    static const struct rc_interval input[] = {{6, 6, 6}, {3, 3, 3}, {2, 2, 2}};
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"[a]", 6},
        {" [ a ] ", 6},
        {"[a]/[b]", 2},
        {"[a]/[b]/[c]", 1},
        {"[a]/([b]/[c])", 4},
        {"[a]-[b]-[c]", 1},
        {"[a]-([b]-[c])", 5},
        {"[a]+[b]*[c]", 12},
        {"([a]+[b])*[c]", 18},
        {"[a]*[b]+[c]", 20},
        {"-[a]+[b]", -3},
        {"-[a]*-[b]", 18},
        {"[a] - -[b] - --[c]", 7},
        {"2.5e1*[a]", 150},
        {"64 * ([a] + [b]) / [c]", 288},
        {"[a]/[b] + [c]*[b] - 1", 7},
        {"((([a])))", 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct rc_interval got = value_of(good[i].text, input);
        assert_true(got.value == good[i].value);
        assert_true(fabs(got.low - got.value) < 1e-13);
        assert_true(fabs(got.high - got.value) < 1e-13);
    }
}

static void inputs_are_named_once_in_the_order_of_appearance(void **state)
{
    struct rc_error err = {0};
    struct rc_expression *formula;

    (void)state;
    assert_int_equal(rc_expression_create("[L1 misses] / ([hits: all] + [ L1 misses ])",
                                          false, &formula, &err),
                     RC_OK);
    assert_int_equal(formula->name_count, 2);
    assert_string_equal(formula->name[0].text, "L1 misses");
    assert_string_equal(formula->name[1].text, "hits: all");
    rc_expression_close(formula);
    rc_expression_close(NULL);
}

static void bounds_hold_what_the_inputs_may_be(void **state)
{
    static const struct {
        const char *text;
        struct rc_interval a, b, expected;
    } good[] = {
        {"[a]+[b]", {1, 2, 3}, {10, 20, 30}, {11, 22, 33}},
        {"[a]-[b]", {1, 2, 3}, {10, 20, 30}, {-29, -18, -7}},
        {"[a]*[b]", {-1, 2, 3}, {-10, 5, 30}, {-30, 10, 90}},
        {"[a]/[b]", {1, 2, 4}, {2, 4, 8}, {0.125, 0.5, 2}},
        {"[a]/[b]", {1, 2, 4}, {-8, -4, -2}, {-2, -0.5, -0.125}},
        {"-[a]+0*[b]", {1, 2, 3}, {1, 1, 1}, {-3, -2, -1}},
        /* Bounds in the wrong order, and one that is not known. */
        {"[a]+[b]", {3, 2, 1}, {0, 0, 0}, {1, 2, 3}},
        {"[a]+[b]", {NAN, 2, 3}, {1, 1, 1}, {-INFINITY, 3, 4}},
        {"[a]*[b]", {NAN, 2, 3}, {0, 0, 0}, {0, 0, 0}},
        {"[a]/[b]", {1, 1, 1}, {1, 2, NAN}, {0, 0.5, 1}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const struct rc_interval input[] = {good[i].a, good[i].b};
        struct rc_interval got = value_of(good[i].text, input);
        assert_true(got.low == good[i].expected.low);
        assert_true(got.value == good[i].expected.value);
        assert_true(got.high == good[i].expected.high);
    }
}

/* Any number in the inputs' bounds gives one in the result's bounds. */
static void bounds_hold_for_numbers_drawn_from_the_inputs(void **state)
{
    static const char *const text[] = {"[a]*[b]-[c]", "([a]+[b])/[c]",
                                       "[a]/([b]*[b]+[c])", "-[a]/[c]*[b]-2*[a]"};
    unsigned seed = 7;

    (void)state;
    for (int trial = 0; trial < 4000; trial++) {
        struct rc_interval wide[3], drawn[3];
        for (int i = 0; i < 3; i++) {
            double low = (double)(rand_r(&seed) % 200) - (i == 2 ? -1 : 100);
            double width = (double)(rand_r(&seed) % 50);
            double at = low + width * (double)(rand_r(&seed) % 11) / 10;
            wide[i] = (struct rc_interval){low, low + width / 2, low + width};
            drawn[i] = (struct rc_interval){at, at, at};
        }
        struct rc_interval bounds = value_of(text[trial % 4], wide);
        struct rc_interval value = value_of(text[trial % 4], drawn);
        if (isnan(bounds.value) || isnan(value.value))
            continue;
        double slack = 1e-12 * fabs(value.value) + 1e-12;
        assert_true(bounds.low <= value.value + slack);
        assert_true(bounds.high >= value.value - slack);
    }
}

static void what_cannot_be_known_is_nan_with_open_bounds(void **state)
{
    static const struct {
        const char *text;
        struct rc_interval a, b;
    } bad[] = {
        {"[a]/[b]", {1, 1, 1}, {0, 0, 0}},
        {"[a]/[b]", {1, 1, 1}, {-1, 1, 3}},
        {"[a]/[b]", {1, 1, 1}, {0, 1, 3}},
        {"[a]/[b]", {1, 1, 1}, {-3, -1, 0}},
        {"0 * ([a]/[b])", {1, 1, 1}, {0, 0, 0}},
        {"-([a]/[b])", {1, 1, 1}, {0, 0, 0}},
        {"1 / ([a]/[b])", {1, 1, 1}, {0, 0, 0}},
        {"[a] + [b]/([b]-[b])", {1, 1, 1}, {1, 1, 1}},
        {"[a]+[b]", {NAN, NAN, NAN}, {1, 1, 1}},
        {"[a]+[b]", {INFINITY, INFINITY, INFINITY}, {1, 1, 1}},
        {"[a]*[b]", {1e300, 1e300, 1e300}, {1e300, 1e300, 1e300}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct rc_interval input[] = {bad[i].a, bad[i].b};
        struct rc_interval got = value_of(bad[i].text, input);
        assert_true(isnan(got.value));
        assert_true(got.low == -INFINITY);
        assert_true(got.high == INFINITY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_formulas_are_refused_with_column_and_expectation),
        cmocka_unit_test(formulas_that_are_too_much_are_refused),
        cmocka_unit_test(values_follow_the_usual_rules),
        cmocka_unit_test(inputs_are_named_once_in_the_order_of_appearance),
        cmocka_unit_test(bounds_hold_what_the_inputs_may_be),
        cmocka_unit_test(bounds_hold_for_numbers_drawn_from_the_inputs),
        cmocka_unit_test(what_cannot_be_known_is_nan_with_open_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
