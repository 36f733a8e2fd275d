/* Formulas as they are read, and their values over the workers of a team. */
#include "tests/lib/test.h"

#include "campaign/base/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void bad_formulas_of_words_are_refused_with_column_and_expectation(void **state)
{
#define OPERAND                                                                        \
    "an event, ideal or axis by its name, a metric in brackets, a number, sum(, "      \
    "max(, min( or '('"
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "column 1: the formula ends, expected " OPERAND},
        {"a b", "column 3: found 'b', expected + - * / or ')'"},
        {"a % 2", "column 3: found '%', expected + - * / or ')'"},
        {"2 + 3", "column 6: no name in it, expected " OPERAND},
        {"'a",
         "column 1: a quote without a name and a quote after it, expected " OPERAND},
        {"1 + ''",
         "column 5: a quote without a name and a quote after it, expected " OPERAND},
        {"mean(a)",
         "column 1: 'mean(', expected one of the functions sum, max and min"},
        {"a(2)", "column 1: 'a(', expected one of the functions sum, max and min"},
        {"max(a", "column 6: a '(' without its ')', expected one"},
        {"max()", "column 5: found ')', expected " OPERAND},
        {"max(a, b)", "column 6: found ',', expected + - * / or ')'"},
        {"a)", "column 2: a ')' without its '(', expected + - * or /"},
        {"[a", "column 1: a '[' without its ']', expected " OPERAND},
        {"8x", "column 2: found 'x', expected + - * / or ')'"},
        {"$x", "column 1: found '$', expected " OPERAND},
        {"\xc3\xb7", "column 1: found '\xc3\xb7', expected " OPERAND},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_expression *formula;
        assert_int_equal(rc_expression_create(bad[i].text, true, &formula, &err),
                         RC_EUSAGE);
        assert_null(formula);
        assert_string_equal(err.text, bad[i].message);
    }
}

static void functions_that_are_too_deep_are_refused(void **state)
{
    char text[400] = "";
    struct rc_error err = {0};
    struct rc_expression *formula;

    (void)state;
    for (int i = 0; i < 33; i++)
        strcat(text, "max(");
    strcat(text, "a");
    for (int i = 0; i < 33; i++)
        strcat(text, ")");
    assert_int_equal(rc_expression_create(text, true, &formula, &err), RC_EUSAGE);
    assert_non_null(strstr(err.text, "nested deeper than 64 levels"));
}

static void names_are_kept_once_with_their_columns(void **state)
{
    struct rc_error err = {0};
    struct rc_expression *f;
    static const struct {
        const char *text;
        bool metric, outside;
        size_t column;
    } is[] = {
        {"workers", false, true, 1},    {"L1-dcache-loads, all", false, false, 15},
        {"time::end", false, true, 41}, {"a b", true, false, 58},
        {"a b", false, true, 70},       {"sum", false, true, 78}};

    (void)state;
    assert_int_equal(rc_expression_create("workers * max('L1-dcache-loads, all') / "
                                          "time::end + sum( [ a b ] ) + \"a b\" + sum "
                                          "- max( time::end )",
                                          true, &f, &err),
                     RC_OK);
    assert_int_equal(f->name_count, sizeof is / sizeof *is);
    for (size_t i = 0; i < f->name_count; i++) {
        assert_string_equal(f->name[i].text, is[i].text);
        assert_int_equal(f->name[i].metric, is[i].metric);
        assert_int_equal(f->name[i].outside, is[i].outside);
        assert_int_equal(f->name[i].column, is[i].column);
    }
    rc_expression_close(f);
    rc_expression_close(NULL);
}

/* The values are those of names 'a', 'b' and so on: [name][worker]. */
static double value_of(const char *text, const long double *value, size_t workers)
{
    static long double room[RC_EXPRESSION_DEPTH * 3], of[3 * 3];
    struct rc_error err = {0};
    struct rc_expression *f;

    if (rc_expression_create(text, true, &f, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    for (size_t i = 0; i < f->name_count; i++)
        memcpy(of + i * workers, value + (size_t)(f->name[i].text[0] - 'a') * workers,
               workers * sizeof *of);
    const double got = rc_expression_over_workers(f, of, workers, room);
    rc_expression_close(f);
    return got;
}

static void functions_go_over_the_workers(void **state)
{
    /* [name][worker]; 'c' is as large as a clock of a year. */
    static const long double value[] = {1,
                                        2,
                                        3,
                                        40,
                                        50,
                                        30,
                                        31536000000000000LL,
                                        31536000000000001LL,
                                        31536000000000003LL};
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"sum(a)", 6},           {"max(a) - min(a)", 2},
        {"sum(a*b)", 230},       {"sum(a)*sum(b)", 720},
        {"sum(max(a))", 9},      {"-sum(-a)", 6},
        {"sum(-(a + b))", -126}, {"2 * a + max(b)", 52},
        {"min(b)/sum(a)/5", 1},  {"sum(a) * 0 + max(b) * 0 + max(c) - min(c)", 3},
        {"max(a/b)", 0.1},       {"a * b + sum(1)", 43},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        const double got = value_of(good[i].text, value, 3);
        if (got != good[i].value)
            fail_msg("%s is %.17g, expected %.17g", good[i].text, got, good[i].value);
    }
    assert_true(value_of("sum(a) - a", value, 1) == 0);
}

static void a_division_by_0_and_a_missing_value_are_not_known(void **state)
{
    static const long double value[] = {0, 2, 1, NAN};

    (void)state;
    assert_true(isnan(value_of("b/a", value, 2)));
    assert_true(isnan(value_of("sum(b/a)", value, 2)));
    assert_true(isnan(value_of("0 * (b/a)", value, 2)));
    assert_true(isnan(value_of("max(a)*0 + max(b)", value, 2)));
    assert_true(isnan(value_of("max(a)*0 + min(b)", value, 2)));
    assert_true(isnan(value_of("max(a)*0 + sum(b)", value, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_formulas_of_words_are_refused_with_column_and_expectation),
        cmocka_unit_test(functions_that_are_too_deep_are_refused),
        cmocka_unit_test(names_are_kept_once_with_their_columns),
        cmocka_unit_test(functions_go_over_the_workers),
        cmocka_unit_test(a_division_by_0_and_a_missing_value_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
