#include "tests/test.h"

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

/* What the patterns mean, one after the other. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_patterns_are_refused),
        cmocka_unit_test(any_list_means_what_its_items_mean_in_order),
        cmocka_unit_test(a_long_list_of_names_is_looked_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
