#include "tests/lib/test.h"

#include "campaign/base/text.h"
#include "campaign/spec/patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void add(struct rc_patterns *patterns, const char *text)
{
    const char *expected;
    struct rc_error err;

    assert_int_equal(rc_patterns_add(patterns, text, &expected, &err), RC_OK);
}

static void empty_patterns_are_refused(void **state)
{
    static const char *const bad[] = {"", "!"};
    struct rc_patterns patterns = {0};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *expected = NULL;
        struct rc_error err;
        assert_int_equal(rc_patterns_add(&patterns, bad[i], &expected, &err),
                         RC_EUSAGE);
        assert_string_equal(expected, "a pattern: GLOB, !GLOB or @FILE");
    }
    assert_int_equal(patterns.count, 0);
    assert_true(rc_patterns_take(&patterns, "anything"));
    rc_patterns_fini(&patterns);
}

/* The meaning of patterns, one after the other. */
static bool plainly(const struct rc_patterns *p, const char *name)
{
    bool taken = p->count == 0 || p->item[0][0] == '!';

    for (size_t i = 0; i < p->count; i++) {
        bool out = p->item[i][0] == '!';
        if (rc_text_glob(p->item[i] + out, name))
            taken = !out;
    }
    return taken;
}

static void any_list_means_what_its_items_mean_in_order(void **state)
{
    static const char *const words[] = {"a",  "b",   "ab",   "a*",    "*b",   "?",
                                        "!a", "!ab", "!a*",  "!*",    "*",    "[ab]",
                                        "!b", "!?",  "a\\*", "![ab]", "a[b]", "!ba"};
    static const char *const names[] = {"a", "b", "ab", "ba", "a*", "[ab]", "abc", ""};
    enum { WORDS = sizeof words / sizeof words[0] };

    (void)state;
    srand(7);
    for (int round = 0; round < 3000; round++) {
        struct rc_patterns patterns = {0};
        for (int i = rand() % 7; i > 0; i--)
            add(&patterns, words[rand() % WORDS]);
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            assert_int_equal(rc_patterns_take(&patterns, names[n]),
                             plainly(&patterns, names[n]));
        rc_patterns_fini(&patterns);
    }
}

static void a_long_list_of_names_is_looked_up(void **state)
{
    enum { NAMES = 200000 };
    struct rc_patterns patterns = {0};
    char name[32];

    (void)state;
    clock_t start = clock();
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "%sevent::%d", i % 3 ? "" : "!", i);
        add(&patterns, name);
    }
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "event::%d", i);
        assert_int_equal(rc_patterns_take(&patterns, name), i % 3 != 0);
    }
    /* One by one this would be 2e10 comparisons, minutes of processor time. */
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
    rc_patterns_fini(&patterns);
}

static void letters_may_be_small_or_large(void **state)
{
    struct rc_patterns patterns = {0};

    (void)state;
    add(&patterns, "Fp_Arith*");
    add(&patterns, "inst:any");
    add(&patterns, "!FP_ARITH:scalar");
    assert_true(rc_patterns_take(&patterns, "FP_ARITH:PACKED"));
    assert_true(rc_patterns_take(&patterns, "INST:ANY"));
    assert_false(rc_patterns_take(&patterns, "fp_arith:SCALAR"));
    rc_patterns_fini(&patterns);
}

/* "L2" is not an event here, "L1" is one: only the first is a beginning, and "!L3". */
static void a_name_that_no_event_has_is_a_beginning(void **state)
{
    static const char *const names[] = {"L1",     "L1:HIT",  "l2:HIT", "L2:MISS",
                                        "L3:HIT", "L3:MISS", "L4"};
    static const bool taken[] = {true, false, true, false, false, true, true};
    enum { NAMES = sizeof names / sizeof names[0], ITEMS = 6 };
    struct rc_patterns patterns = {0};
    bool used[ITEMS] = {false}, begins[ITEMS];

    (void)state;
    add(&patterns, "L1");
    add(&patterns, "L2");
    add(&patterns, "L3");
    add(&patterns, "!L3:H");
    add(&patterns, "!L2:MISS");
    add(&patterns, "L4*");
    assert_int_equal(patterns.count, ITEMS);
    assert_false(rc_patterns_take(&patterns, "L2:HIT"));
    for (size_t i = 0; i < NAMES; i++) {
        if (taken[i])
            assert_true(rc_patterns_may_take(&patterns, names[i]));
        rc_patterns_note(&patterns, names[i], used);
    }
    rc_patterns_widen(&patterns, used, begins);
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(rc_patterns_take(&patterns, names[i]), taken[i]);
    /* Now that "L2" has events it is noted, too. */
    for (size_t i = 0; i < NAMES; i++)
        rc_patterns_note(&patterns, names[i], used);
    assert_true(rc_patterns_is_noted(&patterns, 1, used));
    rc_patterns_fini(&patterns);
}

static void the_nearest_event_is_found(void **state)
{
    static const struct {
        const char *pattern, *best, *name;
        bool nearer;
    } cases[] = {
        {"FP_ARTH*", NULL, "FP_ARITH:SCALAR", true},
        {"FP_ARTH*", "FP_ARITH:SCALAR", "BR_MISP", false},
        {"FP_ARTH*", NULL, "BR_MISP", false},
        {"cycles", "CYCLED", "perf::CYCLES", true},
        {"cycles", "perf::CYCLES", "perf::REF-CYCLES", false},
        {"cycels", NULL, "perf::CYCLES", true},
        {"*", NULL, "anything", false},
        {"x?", NULL, "xy", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rc_patterns patterns = {0};
        add(&patterns, cases[i].pattern);
        assert_int_equal(
            rc_patterns_is_nearer(&patterns, 0, cases[i].best, cases[i].name),
            cases[i].nearer);
        rc_patterns_fini(&patterns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_patterns_are_refused),
        cmocka_unit_test(any_list_means_what_its_items_mean_in_order),
        cmocka_unit_test(a_long_list_of_names_is_looked_up),
        cmocka_unit_test(letters_may_be_small_or_large),
        cmocka_unit_test(a_name_that_no_event_has_is_a_beginning),
        cmocka_unit_test(the_nearest_event_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
