#include "tests/test.h"

#include "campaign/plan/balance.h"

#include <stdlib.h>
#include <string.h>

static struct rc_error err;

enum { MOST = 300, LANES = 3 };

/* Costs from 0 to about a second, a few of them much longer than the others. */
static uint32_t noise;
static uint32_t next(void)
{
    return (noise = noise * 1664525 + 1013904223) >> 8;
}

static size_t make(struct rc_balance_item *item, uint32_t seed, size_t count)
{
    noise = seed;
    for (size_t i = 0; i < count; i++) {
        item[i].lane = next() % LANES * 7;
        item[i].cost_ns = next() % 5 == 0 ? next() * UINT64_C(100) : next() % 1000;
    }
    return count;
}

/* Deals and sums up; the last row is of all lanes together. */
struct sums {
    uint64_t cost_ns[LANES + 1][MOST + 50], longest[LANES + 1];
    size_t items[MOST + 50], total;
};
static void deal(const struct rc_balance_item *item, size_t count, size_t shares,
                 struct sums *out)
{
    uint32_t share_of[MOST];

    memset(out, 0, sizeof *out);
    memset(share_of, 0xff, sizeof share_of);
    assert_int_equal(rc_balance(item, count, shares, share_of, &err), RC_OK);
    for (size_t i = 0; i < count; i++) {
        const size_t rows[] = {item[i].lane / 7, LANES};
        assert_true(share_of[i] < shares);
        out->items[share_of[i]]++;
        out->total++;
        for (size_t r = 0; r < 2; r++) {
            out->cost_ns[rows[r]][share_of[i]] += item[i].cost_ns;
            if (item[i].cost_ns > out->longest[rows[r]])
                out->longest[rows[r]] = item[i].cost_ns;
        }
    }
}

static const size_t counts[] = {0, 1, 2, 3, 7, 40, 73, MOST};
#define COUNTS (sizeof counts / sizeof counts[0])

static void
every_unit_is_in_one_share_and_lanes_differ_by_one_unit_at_most(void **state)
{
    static struct rc_balance_item item[MOST];
    static struct sums sums;

    (void)state;
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t shares = 1; shares < MOST + 50; shares += shares < 12 ? 1 : 37) {
            make(item, (uint32_t)(c * 1000 + shares), counts[c]);
            deal(item, counts[c], shares, &sums);
            assert_int_equal(sums.total, counts[c]);
            for (size_t l = 0; l < LANES; l++) {
                uint64_t least = UINT64_MAX, most = 0;
                for (size_t i = 0; i < shares; i++) {
                    least = sums.cost_ns[l][i] < least ? sums.cost_ns[l][i] : least;
                    most = sums.cost_ns[l][i] > most ? sums.cost_ns[l][i] : most;
                }
                /* to a nanosecond for each unit, which those of no cost weigh, too */
                assert_true(most - least <= sums.longest[l] + 1 + counts[c]);
            }
        }
}

static void no_share_is_empty_while_there_are_units_for_all(void **state)
{
    static struct rc_balance_item item[MOST];
    static struct sums sums;

    (void)state;
    for (size_t c = 0; c < COUNTS; c++)
        for (size_t shares = 1; shares < MOST + 50; shares += shares < 80 ? 1 : 37) {
            size_t used = 0;
            make(item, (uint32_t)(c + 77 * shares), counts[c]);
            deal(item, counts[c], shares, &sums);
            for (size_t s = 0; s < shares; s++)
                used += sums.items[s] > 0;
            assert_int_equal(used, counts[c] < shares ? counts[c] : shares);
        }
}

static void units_of_no_cost_are_spread_by_their_number(void **state)
{
    static const struct rc_balance_item item[MOST];
    static struct sums sums;

    (void)state;
    deal(item, MOST, 7, &sums);
    for (size_t s = 0; s < 7; s++)
        assert_in_range(sums.items[s], MOST / 7, MOST / 7 + 1);
}

static void equal_units_are_dealt_alike(void **state)
{
    static struct rc_balance_item item[MOST];
    static uint32_t once[MOST], again[MOST];

    (void)state;
    make(item, 5, MOST);
    assert_int_equal(rc_balance(item, MOST, 13, once, &err), RC_OK);
    assert_int_equal(rc_balance(item, MOST, 13, again, &err), RC_OK);
    assert_memory_equal(once, again, sizeof once);
}

static void a_long_unit_stands_alone_and_the_rest_is_even(void **state)
{
    static const struct rc_balance_item item[] = {
        {1000, 0}, {300, 0}, {300, 0}, {300, 0}, {300, 0}};
    uint32_t share_of[5];

    (void)state;
    assert_int_equal(rc_balance(item, 5, 3, share_of, &err), RC_OK);
    for (size_t i = 1; i < 5; i++)
        assert_int_not_equal(share_of[i], share_of[0]);
    assert_int_equal(share_of[1], share_of[3]);
    assert_int_equal(share_of[2], share_of[4]);
}

static void a_short_lane_goes_to_those_that_have_least_of_the_others(void **state)
{
    static const struct rc_balance_item item[] = {
        {500, 0}, {400, 0}, {100, 0}, {50, 3}, {40, 3}};
    uint32_t share_of[5];

    (void)state;
    assert_int_equal(rc_balance(item, 5, 3, share_of, &err), RC_OK);
    assert_int_equal(share_of[3], share_of[2]);
    assert_int_equal(share_of[4], share_of[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            every_unit_is_in_one_share_and_lanes_differ_by_one_unit_at_most),
        cmocka_unit_test(no_share_is_empty_while_there_are_units_for_all),
        cmocka_unit_test(units_of_no_cost_are_spread_by_their_number),
        cmocka_unit_test(equal_units_are_dealt_alike),
        cmocka_unit_test(a_long_unit_stands_alone_and_the_rest_is_even),
        cmocka_unit_test(a_short_lane_goes_to_those_that_have_least_of_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
