#include "tests/lib/test.h"

#include "campaign/base/linear_sum.h"
#include "campaign/base/text.h"

#include <stdio.h>
#include <string.h>

/* Writes "[2 A][1 B]" of "2 A + B". */
static int put_term(void *context, const struct rc_linear_sum_term *term,
                    struct rc_error *err)
{
    if (strncmp(term->word, "stop", term->length) == 0 && term->length == 4)
        return rc_fail(err, RC_EMISSING, "stopped");
    rc_text_append(context, 1000, "[%g %.*s]", term->coefficient, (int)term->length,
                   term->word);
    return RC_OK;
}

static void bad_sums_are_refused_with_what_was_expected(void **state)
{
#define EXPECTED "expected terms such as '2 SF_SCAL + S_SCAL - 0.5 M + 3'"
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "a sum that ends too early, " EXPECTED},
        {" ", "a sum that ends too early, " EXPECTED},
        {"A +", "a sum that ends too early, " EXPECTED},
        {"2 *", "a sum that ends too early, " EXPECTED},
        {"+ A", "unexpected '+ A', " EXPECTED},
        {"A - - B", "unexpected '- B', " EXPECTED},
        {"A B", "unexpected 'B', " EXPECTED},
        {"A * 2", "unexpected '* 2', " EXPECTED},
        {"(A)", "unexpected '(A)', " EXPECTED},
        {"A + [B] with a long tail", "unexpected '[B] with a long tail', " EXPECTED},
        {"2 3", "unexpected '3', " EXPECTED},
        {". A", "'.' is not a coefficient, expected a number up to 1e18"},
        {"1.2.3 A", "'1.2.3' is not a coefficient, expected a number up to 1e18"},
        {"1e19 A", "'1e19' is not a coefficient, expected a number up to 1e18"},
        {"1e999 A", "'1e999' is not a coefficient, expected a number up to 1e18"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        char terms[1000] = "";
        assert_int_equal(rc_linear_sum_read(bad[i].text, put_term, terms, &err),
                         RC_EUSAGE);
        assert_string_equal(err.text, bad[i].message);
    }
}

static void terms_are_passed_on_in_their_order(void **state)
{
    static const struct {
        const char *text, *terms;
    } good[] = {
        {"A", "[1 A]"},
        {"-A", "[-1 A]"},
        {" 2A+3 * b_1 - 0.5*_c\n", "[2 A][3 b_1][-0.5 _c]"},
        {"3", "[3 ]"},
        {"2e3 A", "[2000 A]"},
        {"2e A", NULL}, /* two words: 'e' and 'A' */
        {"2e", "[2 e]"},
        {"1e-3 A - 1", "[0.001 A][-1 ]"},
        {"0 A", "[0 A]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct rc_error err = {0};
        char terms[1000] = "";
        int status = rc_linear_sum_read(good[i].text, put_term, terms, &err);
        assert_int_equal(status, good[i].terms ? RC_OK : RC_EUSAGE);
        if (good[i].terms)
            assert_string_equal(terms, good[i].terms);
    }
}

static void the_taker_of_terms_can_end_the_reading(void **state)
{
    struct rc_error err = {0};
    char terms[1000] = "";

    (void)state;
    assert_int_equal(rc_linear_sum_read("A + stop + B", put_term, terms, &err),
                     RC_EMISSING);
    assert_string_equal(err.text, "stopped");
    assert_string_equal(terms, "[1 A]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_sums_are_refused_with_what_was_expected),
        cmocka_unit_test(terms_are_passed_on_in_their_order),
        cmocka_unit_test(the_taker_of_terms_can_end_the_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
