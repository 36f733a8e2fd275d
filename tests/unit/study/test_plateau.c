/* Plateaus of a rate over sizes of data: one level at a time. */
#include "tests/lib/test.h"

#include "solve/study/plateau.h"

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
enum { MOST = 8, NONE = -1 };

static const struct {
    const char *what;
    double rate[MOST];
    size_t count;
    int plateau; /* NONE: there is none */
} cases[] = {
    {"no size", {0}, 0, NONE},
    {"one size only", {100}, 1, NONE},
    {"one size of which the rate is known", {NAN, 100, NAN}, 3, NONE},
    {"no rate is known", {NAN, NAN}, 2, NONE},
    {"the same everywhere: the largest", {100, 100, 100}, 3, 2},
    {"just within 5 %, up and down", {100, 105, 99.75}, 3, 2},
    {"just beyond", {100, 105.1, 99.8}, 3, NONE},
    {"monotone and steep", {100, 90, 80, 70, 60}, 5, NONE},
    {"monotone and gentle: each step counts by itself", {100, 96, 92, 89}, 4, 3},
    {"falls at the end, where not all data stay", {60, 98, 100, 99, 70}, 5, 3},
    {"rises at the start, and settles", {50, 80, 100, 101}, 4, 3},
    {"two flat parts: that of larger sizes", {100, 100, 60, 60, 30}, 5, 3},
    {"noise of 2 %", {100, 98.5, 101, 99, 100.5}, 5, 4},
    {"noise of 10 %", {100, 90, 101, 89, 102}, 5, NONE},
    {"a gap is passed over", {100, NAN, 99, NAN}, 4, 2},
    {"a rate of 0", {0, 0}, 2, 1},
};

static void the_largest_size_that_is_like_the_one_before(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const size_t found = rc_plateau_find(cases[i].rate, cases[i].count);
        const size_t expected =
            cases[i].plateau == NONE ? cases[i].count : (size_t)cases[i].plateau;
        if (found != expected)
            fail_msg("%s: %zu, expected %zu", cases[i].what, found, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_size_that_is_like_the_one_before)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
