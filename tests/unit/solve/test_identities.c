/* Identities of ideals: bad files first, and sums that they rewrite. */
#include "tests/lib/test.h"

#include "campaign/base/text.h"
#include "kernels/ideal.h"
#include "solve/definitions/identities.h"

#include <stdio.h>
#include <string.h>

/* All ideals, and some letters. */
static const char *known[RC_IDEAL_COUNT + 8] = {"A", "B", "C", "E", "F"};

static int name_ideals(void **state)
{
    size_t count = 5;

    (void)state;
    for (int i = 0; i < RC_IDEAL_COUNT; i++)
        known[count++] = rc_ideal_name((enum rc_ideal)i);
    return 0;
}

#define ITEM(text) "identities:\n- {" text "}\n"
#define WHY ", reason: why"

static void bad_files_are_refused_with_file_line_and_expectation(void **state)
{
#define SUM "expected terms such as '2 SF_SCAL + S_SCAL - 0.5 M + 3'"
#define PART "expected a number other than 0 and an ideal"
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "f.yaml:1: empty, expected a mapping of keys"},
        {"laws: []", "f.yaml:1: unknown key 'laws', expected one of: identities"},
        {ITEM("ideal: A, was: B" WHY),
         "f.yaml:2: unknown key 'was', did you mean 'is'?"},
        {ITEM("ideal: A, is: B + C"), "f.yaml:2: key 'reason' is missing"},
        {ITEM("ideal: A, is: B, reason: ''"),
         "f.yaml:2: identities[0].reason: '', expected some text"},
        {ITEM("ideal: LOAD, is: B + C" WHY),
         "f.yaml:2: identities[0].ideal: no ideal 'LOAD', did you mean 'LOADS'?"},
        {"identities:\n- {ideal: A, is: B + C" WHY "}\n- ideal: E\n  reason: why\n"
         "  is: F + L1DWG\n",
         "f.yaml:5: identities[1].is: no ideal 'L1DWG', did you mean 'L1DWH'?"},
        {ITEM("ideal: A, is: B + Q_X_Y_Z" WHY),
         "f.yaml:2: identities[0].is: no ideal 'Q_X_Y_Z', expected one of 'rollcall "
         "kernels'"},
        {ITEM("ideal: A, is: ''" WHY),
         "f.yaml:2: identities[0].is: a sum that ends too early, " SUM},
        {ITEM("ideal: A, is: 8x" WHY),
         "f.yaml:2: identities[0].is: no ideal 'x', did you mean 'A'?"},
        {ITEM("ideal: A, is: 1.2.3 B" WHY),
         "f.yaml:2: identities[0].is: '1.2.3' is not a coefficient, expected a number "
         "up to 1e18"},
        {ITEM("ideal: A, is: nan B" WHY),
         "f.yaml:2: identities[0].is: no ideal 'nan', did you mean 'A'?"},
        {ITEM("ideal: A, is: B + 3" WHY), "f.yaml:2: identities[0].is: '3 ', " PART},
        {ITEM("ideal: A, is: B + 0 C" WHY), "f.yaml:2: identities[0].is: '0 C', " PART},
        {ITEM("ideal: A, is: B + B" WHY),
         "f.yaml:2: identities[0].is: 'B' is given twice"},
        {ITEM("ideal: A, is: B + A" WHY),
         "f.yaml:2: ideal 'A' is a part of itself, expected other parts"},
        {ITEM("ideal: E, is: A + F" WHY "}\n- {ideal: A, is: E + C" WHY),
         "f.yaml:2: ideal 'E' is a part of itself, expected other parts"},
        {ITEM("ideal: A, is: B + C" WHY "}\n- {ideal: E, is: F + C" WHY),
         "f.yaml:2: the last part 'C' is also in f.yaml:3, expected one that is in no "
         "other identity"},
        {ITEM("ideal: A, is: B + C" WHY "}\n- {ideal: C, is: E + F" WHY),
         "f.yaml:2: the last part 'C' is also in f.yaml:3, expected one that is in no "
         "other identity"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct rc_error err = {0};
        struct rc_identities all;
        const int status = rc_identities_from_text(
            "f.yaml", bad[i].text, strlen(bad[i].text), known, &all, &err);
        assert_string_equal(err.text, bad[i].message);
        assert_int_equal(status, RC_EUSAGE);
        assert_int_equal(all.count, 0);
    }
}

static void own_identities_have_reasons_and_ideals_that_are_there(void **state)
{
    struct rc_error err = {0};
    struct rc_identities all;
    const struct rc_identity *loads = NULL;

    (void)state;
    if (rc_identities_open(known + 5, &all, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < all.count; i++)
        if (strcmp(all.identity[i].ideal, "LOADS") == 0)
            loads = &all.identity[i];
    assert_non_null(loads);
    assert_int_equal(loads->parts, 2);
    assert_string_equal(loads->part[0].ideal, "L1DM");
    assert_string_equal(loads->part[1].ideal, "L1DH");
    assert_true(loads->part[1].weight == 1);
    assert_non_null(strstr(loads->reason, "L1"));
    assert_non_null(strstr(loads->where, "identities.yaml:"));
    rc_identities_fini(&all);
}

static void last_parts_become_the_ideal_less_the_others(void **state)
{
    static const char text[] =
        "identities:\n- {ideal: LOADS, is: L1DM + L1DH, reason: why}\n"
        "- {ideal: A, is: LOADS + 2 B - 3 C, reason: why}\n";
    static const struct {
        struct rc_weight weight[4];
        const char *sum;
    } sums[] = {
        {{{"CR", 2}, {"T", -1}}, "2 CR -1 T "}, /* nothing of them */
        {{{"L1DH", 1}}, "1 LOADS -1 L1DM "},
        {{{"L1DM", 1}, {"L1DH", 1}}, "1 LOADS "}, /* what cancels is not there */
        {{{"LOADS", 1}, {"L1DH", -1}}, "1 L1DM "},
        {{{"L1DH", 1.0 / 3}, {"L1DM", 1.0 / 3}, {"LOADS", 2.0 / 3}}, "1 LOADS "},
        {{{"L1DH", 0.1}, {"L1DM", 0.1}, {"LOADS", -0.1}}, ""}, /* exactly */
        {{{"L1DM", 1}, {"L1DM", 1}}, "2 L1DM "},
        {{{"C", 1}}, "-0.333333 A 0.333333 LOADS 0.666667 B "},
        {{{"C", 3}, {"L1DH", 0}}, "1 LOADS -1 A 2 B "},
        {{{"C", 3}, {"L1DH", -1}, {"B", -2}}, "1 L1DM -1 A "},
        {{{"L1DH", 1e-9}}, "1e-09 LOADS -1e-09 L1DM "}, /* no simple fraction */
    };
    struct rc_error err = {0};
    struct rc_identities all;

    (void)state;
    assert_int_equal(
        rc_identities_from_text("f.yaml", text, sizeof text - 1, known, &all, &err),
        RC_OK);
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        char said[200] = "";
        size_t count = 0, given = 0;
        while (given < 4 && sums[i].weight[given].ideal)
            given++;
        const struct rc_weight *sum =
            rc_identities_rewrite(&all, sums[i].weight, given, &all.arena, &count);
        assert_non_null(sum);
        for (size_t j = 0; j < count; j++)
            rc_text_append(said, sizeof said, "%g %s ", sum[j].weight, sum[j].ideal);
        assert_string_equal(said, sums[i].sum);
    }
    rc_identities_fini(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_refused_with_file_line_and_expectation),
        cmocka_unit_test(own_identities_have_reasons_and_ideals_that_are_there),
        cmocka_unit_test(last_parts_become_the_ideal_less_the_others),
    };

    return cmocka_run_group_tests(tests, name_ideals, NULL);
}
