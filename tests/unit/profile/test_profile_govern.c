/* The governor's rule: what is halved, what is restored, and that it comes to rest. */
#include "tests/lib/test.h"

#include "campaign/profile/sampler/govern.h"

#include <math.h>

static void within_the_budget_nothing_changes(void **state)
{
    struct rc_governed of[] = {{.cost_ns = 40, .most = 6}, {.cost_ns = 60, .most = 6}};

    (void)state;
    rc_profile_govern(of, 2, 0, 100);
    assert_int_equal(of[0].level + of[1].level, 0);
    rc_profile_govern(NULL, 0, 1000, 100); /* nothing may be changed */
}

static void the_dearest_is_halved_until_all_fits(void **state)
{
    struct rc_governed of[] = {{.cost_ns = 800, .most = 6}, {.cost_ns = 30, .most = 6}};

    (void)state;
    rc_profile_govern(of, 2, 20, 160);
    assert_int_equal(of[0].level, 3);
    assert_int_equal(of[1].level, 0);
    assert_true(of[0].cost_ns == 100);
}

static void no_rate_goes_below_its_least(void **state)
{
    struct rc_governed of[] = {{.cost_ns = 8e6, .most = 2},
                               {.cost_ns = 8, .level = 1, .most = 1}};

    (void)state;
    rc_profile_govern(of, 2, 0, 1);
    assert_int_equal(of[0].level, 2);
    assert_int_equal(of[1].level, 1);
}

/* A call site that is traced no more costs nothing, and nothing brings it back. */
static void what_ends_for_good_is_not_restored(void **state)
{
    struct rc_governed of = {.cost_ns = 500, .most = 1, .for_good = true};

    (void)state;
    rc_profile_govern(&of, 1, 0, 100);
    assert_int_equal(of.level, 1);
    assert_true(of.cost_ns == 0);
    rc_profile_govern(&of, 1, 0, 100);
    assert_int_equal(of.level, 1);
}

static void the_cheapest_is_restored_where_there_is_room(void **state)
{
    struct rc_governed of[] = {{.cost_ns = 50, .level = 2, .most = 6},
                               {.cost_ns = 0, .level = 3, .most = 6},
                               {.cost_ns = 5, .level = 1, .most = 6}};

    (void)state;
    rc_profile_govern(of, 3, 0, 100);
    assert_int_equal(of[0].level, 2); /* 110 would be too much */
    assert_int_equal(of[1].level, 0);
    assert_int_equal(of[2].level, 0);
    rc_profile_govern(of, 1, 51, 100); /* over: nothing is restored */
    assert_int_equal(of[0].level, 3);
}

/* A cost that cannot become less is over the budget by itself: the rest would be lost
 * for
 * little. */
static void beside_what_is_too_much_a_quarter_of_it_stays(void **state)
{
    struct rc_governed of[] = {{.cost_ns = 300, .most = 6}, {.cost_ns = 90, .most = 6}};

    (void)state;
    rc_profile_govern(of, 2, 1000, 100);
    assert_int_equal(of[0].level, 1);
    assert_int_equal(of[1].level, 0);
    rc_profile_govern(of, 2, 900, 100); /* 225 for 240 */
    assert_int_equal(of[0].level, 2);
    assert_int_equal(of[1].level, 0);
}

/* A program that goes on as it is has the same rates from the first second on. */
static void it_comes_to_rest(void **state)
{
    static const double cost[] = {900, 350, 120, 33, 8, 1};
    struct rc_governed of[6];
    uint8_t before[6] = {0};

    (void)state;
    for (int i = 0; i < 30; i++)
        for (int second = 0; second < 20; second++) {
            bool same = true;
            for (size_t k = 0; k < 6; k++) {
                const uint8_t level = second > 0 ? of[k].level : 0;
                of[k] = (struct rc_governed){
                    .cost_ns = ldexp(cost[k], -level), .level = level, .most = 6};
                before[k] = level;
            }
            rc_profile_govern(of, 6, 10, pow(1.3, i));
            for (size_t k = 0; k < 6; k++)
                same &= of[k].level == before[k];
            assert_true(same || second < 2);
        }
}

/* Time that it takes from one rank of 64 is lost by all of them. */
static void a_sampler_among_ranks_has_a_part_of_one_processor(void **state)
{
    const double second = 1e9,
                 few = rc_profile_sampler_part(true, 0.25, 2 * second, second),
                 many = rc_profile_sampler_part(true, 0.25, 64 * second, second);

    (void)state;
    assert_true(few * 2 == many * 64);
    assert_true(few * 2 < 0.5);
    assert_true(rc_profile_sampler_part(false, 0, second, second) ==
                rc_profile_sampler_part(false, 0, 64 * second, second));
    /* threads that note little leave it their part */
    assert_true(fabs(rc_profile_sampler_part(true, 0, second, second) - 0.5) < 1e-9);
    assert_true(rc_profile_sampler_part(true, 9, second, second) ==
                rc_profile_sampler_part(true, 0.25, second, second));
}

/* A sample of 26 us, 97 times a second, is 0.25 % of a process: of a budget of 1 % it
 * is not cut for one that notes little, nor for two.
 */
static void samples_spend_what_others_leave(void **state)
{
    (void)state;
    assert_true(rc_profile_stacks_part(0.05, 0.14, 1) > 0.25);
    assert_true(rc_profile_stacks_part(0.05, 0.14, 2) > 0.25);
    for (double threads = 0; threads < 0.8; threads += 0.05)
        for (double sampler = 0; sampler < 0.8; sampler += 0.05)
            for (size_t processes = 1; processes < 100; processes++) {
                const double each = rc_profile_stacks_part(threads, sampler, processes);
                const double all = threads + sampler + each * (double)processes;
                const double least = fmin(0.03125, 0.25 / (double)processes);
                assert_true(each >= least);
                assert_true(all < 0.75 + 1e-9 || fabs(each - least) < 1e-9);
                assert_true(all > 0.75 - 1e-9);
            }
    assert_true(rc_profile_stacks_part(0, 0, 0) == rc_profile_stacks_part(0, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_the_budget_nothing_changes),
        cmocka_unit_test(the_dearest_is_halved_until_all_fits),
        cmocka_unit_test(no_rate_goes_below_its_least),
        cmocka_unit_test(what_ends_for_good_is_not_restored),
        cmocka_unit_test(the_cheapest_is_restored_where_there_is_room),
        cmocka_unit_test(beside_what_is_too_much_a_quarter_of_it_stays),
        cmocka_unit_test(it_comes_to_rest),
        cmocka_unit_test(samples_spend_what_others_leave),
        cmocka_unit_test(a_sampler_among_ranks_has_a_part_of_one_processor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
