#include "tests/lib/test.h"

#include "campaign/sources/soft/caches.h"
#include "campaign/sources/soft/events.h"
#include "campaign/sources/soft/predictor.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static uint64_t random_below(uint64_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % limit;
}

/* The plainest LRU there is: every unit has the time of its last use. */
struct naive {
    uint64_t unit[512], used[512];
    bool there[512], dirty[512];
    uint64_t sets, ways, now;
};

static size_t naive_oldest(const struct naive *cache, size_t first)
{
    size_t oldest = first;
    for (size_t i = first; i < first + cache->ways; i++)
        if (!cache->there[i])
            return i;
        else if (cache->used[i] < cache->used[oldest])
            oldest = i;
    return oldest;
}

static bool naive_touch(struct naive *cache, uint64_t unit, bool dirty,
                        uint64_t *victim)
{
    size_t first = (size_t)(unit % cache->sets * cache->ways);

    *victim = 0;
    cache->now++;
    for (size_t i = first; i < first + cache->ways; i++)
        if (cache->there[i] && cache->unit[i] == unit) {
            cache->used[i] = cache->now;
            cache->dirty[i] |= dirty;
            return true;
        }
    size_t i = naive_oldest(cache, first);
    if (cache->there[i] && cache->dirty[i])
        *victim = cache->unit[i] + 1;
    cache->unit[i] = unit;
    cache->there[i] = true;
    cache->dirty[i] = dirty;
    cache->used[i] = cache->now;
    return false;
}

static void a_cache_agrees_with_the_plainest_lru(void **state)
{
    static const struct {
        uint64_t sets;
        uint32_t ways;
    } shapes[] = {{1, 1}, {1, 8}, {4, 1}, {4, 4}, {7, 3}, {64, 8}, {1, 64}};
    struct rc_error err;

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct naive naive = {.sets = shapes[s].sets, .ways = shapes[s].ways};
        struct rc_soft_cache cache;
        uint64_t span = shapes[s].sets * shapes[s].ways * 2, expected, victim;
        assert_int_equal(
            rc_soft_cache_init(&cache, shapes[s].sets, shapes[s].ways, &err), RC_OK);
        for (int i = 0; i < 20000; i++) {
            uint64_t unit = random_below(span);
            bool dirty = random_below(3) == 0;
            assert_int_equal(rc_soft_cache_touch(&cache, unit, dirty, &victim),
                             naive_touch(&naive, unit, dirty, &expected));
            assert_int_equal(victim, expected);
        }
        rc_soft_cache_fini(&cache);
    }
}

static void an_emptied_cache_holds_nothing(void **state)
{
    struct rc_soft_cache cache;
    struct rc_error err;
    uint64_t victim;

    (void)state;
    assert_int_equal(rc_soft_cache_init(&cache, 4, 2, &err), RC_OK);
    cache.now = UINT32_MAX - 2; /* the epochs come round */
    for (int k = 0; k < 6; k++) {
        for (uint64_t i = 0; i < 8; i++) {
            assert_false(rc_soft_cache_touch(&cache, i, true, &victim));
            assert_int_equal(victim, 0);
        }
        assert_true(rc_soft_cache_touch(&cache, 0, false, &victim));
        assert_true(rc_soft_cache_soil(&cache, 7));
        assert_false(rc_soft_cache_soil(&cache, 8));
        rc_soft_cache_empty(&cache);
    }
    rc_soft_cache_fini(&cache);
    assert_int_equal(rc_soft_cache_init(&cache, 0, 0, &err), RC_OK);
    assert_false(rc_soft_cache_touch(&cache, 1, true, &victim));
    assert_false(rc_soft_cache_touch(&cache, 1, true, &victim));
    assert_false(rc_soft_cache_soil(&cache, 1));
    rc_soft_cache_fini(&cache);
}

static const struct rc_geometry small = {
    .l1d = {512, 2},
    .l1i = {512, 2},
    .l2 = {2048, 4},
    .l3 = {8192, 8},
    .line_bytes = 64,
    .page_bytes = 4096,
    .dtlb_entries = 4,
};

/* Three levels of the plainest LRU, demand loads only. */
static void three_levels_agree_with_three_plain_ones(void **state)
{
    struct naive l1 = {.sets = 4, .ways = 2}, l2 = {.sets = 8, .ways = 4};
    struct naive l3 = {.sets = 16, .ways = 8};
    uint64_t count[RC_SOFT_EVENT_MAX] = {0}, hit[4] = {0}, victim;
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, false, &err), RC_OK);
    for (int i = 0; i < 50000; i++) {
        uint64_t line = random_below(1 + random_below(300));
        rc_soft_caches_data(&caches, line * 64 + 8, 8, RC_SOFT_LOAD, count);
        if (naive_touch(&l1, line, false, &victim))
            hit[0]++;
        else if (naive_touch(&l2, line, false, &victim))
            hit[1]++;
        else if (naive_touch(&l3, line, false, &victim))
            hit[2]++;
        else
            hit[3]++;
    }
    assert_int_equal(count[RC_SOFT_SIM_L1D_HIT], hit[0]);
    assert_int_equal(count[RC_SOFT_SIM_L1D_MISS], 50000 - hit[0]);
    assert_int_equal(count[RC_SOFT_SIM_L2_HIT], hit[1]);
    assert_int_equal(count[RC_SOFT_SIM_L3_HIT], hit[2]);
    assert_int_equal(count[RC_SOFT_SIM_L3_MISS], hit[3]);
    assert_int_equal(count[RC_SOFT_SIM_L2_MISS], hit[2] + hit[3]);
    assert_int_equal(count[RC_SOFT_SIM_L1D_WRITEBACKS], 0);
    rc_soft_caches_fini(&caches);
}

static void dirty_lines_are_written_back_level_by_level(void **state)
{
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, false, &err), RC_OK);
    for (uint64_t line = 0; line < 256; line++) /* twice the last level */
        rc_soft_caches_data(&caches, line * 64, 8, RC_SOFT_STORE, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_WRITEBACKS], 256 - 8);
    assert_int_equal(count[RC_SOFT_SIM_L2_WRITEBACKS], 256 - 32);
    assert_int_equal(count[RC_SOFT_SIM_L3_WRITEBACKS], 256 - 128);
    assert_int_equal(count[RC_SOFT_SIM_L1D_STORE_MISS], 256);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_READS], 256);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 256 - 128);
    rc_soft_caches_fini(&caches);
}

static void a_level_that_is_not_there_counts_nothing(void **state)
{
    struct rc_geometry geometry = small;
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    geometry.l2 = geometry.l3 = (struct rc_cache_geometry){0};
    assert_int_equal(rc_soft_caches_init(&caches, &geometry, 4, false, &err), RC_OK);
    for (uint64_t line = 0; line < 100; line++)
        rc_soft_caches_data(&caches, line % 50 * 64, 8, RC_SOFT_STORE, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_MISS], 100);
    assert_int_equal(count[RC_SOFT_SIM_L2_HIT] + count[RC_SOFT_SIM_L2_MISS], 0);
    assert_int_equal(count[RC_SOFT_SIM_L3_HIT] + count[RC_SOFT_SIM_L3_MISS], 0);
    assert_int_equal(count[RC_SOFT_SIM_L2_WRITEBACKS], 0);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_READS], 100);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 100 - 8);
    rc_soft_caches_fini(&caches);
}

static void the_next_line_is_prefetched_on_a_miss(void **state)
{
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, true, &err), RC_OK);
    for (uint64_t line = 0; line < 100; line++)
        rc_soft_caches_data(&caches, line * 64, 8, RC_SOFT_LOAD, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_MISS], 50);
    assert_int_equal(count[RC_SOFT_SIM_L1D_HIT], 50);
    assert_int_equal(count[RC_SOFT_SIM_PREFETCH_FILLS], 50);
    rc_soft_caches_fini(&caches);
}

static void accesses_over_an_edge_look_up_both_sides(void **state)
{
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, false, &err), RC_OK);
    rc_soft_caches_data(&caches, 4092, 8, RC_SOFT_LOAD, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_MISS], 2);
    assert_int_equal(count[RC_SOFT_SIM_DTLB_MISS], 2);
    rc_soft_caches_data(&caches, 4092, 4, RC_SOFT_LOAD, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_HIT], 1);
    assert_int_equal(count[RC_SOFT_SIM_DTLB_HIT], 1);
    rc_soft_caches_data(&caches, 8192, 1, RC_SOFT_PREFETCH, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_MISS], 2);
    rc_soft_caches_data(&caches, 8192, 1, RC_SOFT_LOAD, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_HIT], 2);
    rc_soft_caches_fini(&caches);
}

static void code_is_looked_up_when_a_line_is_entered(void **state)
{
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, false, &err), RC_OK);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t at = 0; at < 256; at += 5) /* some lie across a line's end */
            rc_soft_caches_fetch(&caches, at, 5, count);
    assert_int_equal(count[RC_SOFT_SIM_L1I_MISS], 5);
    assert_int_equal(count[RC_SOFT_SIM_L1I_HIT], 5);
    assert_int_equal(count[RC_SOFT_SIM_L2_CODE_MISS], 5);
    rc_soft_caches_fini(&caches);
}

static void stream(struct rc_soft_caches *caches, uint64_t address, uint64_t bytes,
                   uint64_t *count)
{
    rc_soft_caches_data(caches, address, bytes, RC_SOFT_STREAM, count);
}

static void streaming_stores_write_whole_lines_and_read_none(void **state)
{
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, false, &err), RC_OK);
    for (uint64_t at = 0; at < 100 * 64; at += 16)
        stream(&caches, at, 16, count);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 100);
    assert_int_equal(rc_soft_caches_unwritten(&caches), 0);
    /* In any order, with others between, across the end of a line, one part twice. */
    stream(&caches, 64040, 8, count);
    stream(&caches, 64000, 40, count);
    stream(&caches, 64128, 8, count);
    stream(&caches, 64000, 8, count);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 100);
    assert_int_equal(rc_soft_caches_unwritten(&caches), 2);
    stream(&caches, 64048, 32, count);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 101);
    assert_int_equal(rc_soft_caches_unwritten(&caches), 2);
    /* A ninth line takes the buffer of the one that was used longest ago. */
    for (uint64_t line = 2000; line < 2006; line++)
        stream(&caches, line * 64, 8, count);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 101);
    stream(&caches, 3000 * 64, 8, count);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 102);
    assert_int_equal(rc_soft_caches_unwritten(&caches), 8);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_READS], 0);
    assert_int_equal(count[RC_SOFT_SIM_L1D_HIT] + count[RC_SOFT_SIM_L1D_MISS], 0);
    /* A line that is dirty in a cache leaves it first. */
    rc_soft_caches_empty(&caches);
    assert_int_equal(rc_soft_caches_unwritten(&caches), 0);
    rc_soft_caches_data(&caches, 128, 8, RC_SOFT_STORE, count);
    stream(&caches, 128, 64, count);
    assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES], 104);
    assert_int_equal(rc_soft_caches_unwritten(&caches), 0);
    rc_soft_caches_data(&caches, 128, 8, RC_SOFT_LOAD, count);
    assert_int_equal(count[RC_SOFT_SIM_L1D_LOAD_MISS], 1);
    rc_soft_caches_fini(&caches);
}

/* Whatever was stored is written once it has left, or unwritten. */
static void what_is_dirty_anywhere_is_unwritten_once(void **state)
{
    uint64_t count[RC_SOFT_EVENT_MAX] = {0};
    struct rc_soft_caches caches;
    struct rc_error err;

    (void)state;
    assert_int_equal(rc_soft_caches_init(&caches, &small, 4, false, &err), RC_OK);
    for (uint64_t line = 0; line < 1000; line++) {
        rc_soft_caches_data(&caches, line * 64, 8, RC_SOFT_STORE, count);
        assert_int_equal(count[RC_SOFT_SIM_MEMORY_WRITES] +
                             rc_soft_caches_unwritten(&caches),
                         line + 1);
    }
    /* Dirty in L1 again, when the copy below is dirty still: one write. */
    const uint64_t before = rc_soft_caches_unwritten(&caches);
    for (uint64_t line = 980; line < 1000; line++)
        rc_soft_caches_data(&caches, line * 64, 8, RC_SOFT_STORE, count);
    assert_int_equal(rc_soft_caches_unwritten(&caches), before);
    rc_soft_caches_fini(&caches);
}

static unsigned mispredictions(const char *pattern, unsigned length, unsigned count)
{
    struct rc_soft_predictor predictor;
    struct rc_error err;
    unsigned wrong = 0;

    assert_int_equal(rc_soft_predictor_init(&predictor, 4096, &err), RC_OK);
    for (unsigned i = 0; i < count; i++) {
        bool taken = length ? pattern[i % length] == '1' : random_below(2);
        wrong += !rc_soft_predictor_see(&predictor, 0x401234, taken);
    }
    rc_soft_predictor_fini(&predictor);
    return wrong;
}

static void the_predictor_learns_patterns_and_no_chance(void **state)
{
    (void)state;
    assert_int_equal(mispredictions("1", 1, 10000), 0);
    assert_in_range(mispredictions("0", 1, 10000), 1, 3);
    assert_in_range(mispredictions("10", 2, 10000), 0, 40);
    assert_in_range(mispredictions("11101000", 8, 10000), 0, 80);
    assert_in_range(mispredictions(NULL, 0, 10000), 4800, 5200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_agrees_with_the_plainest_lru),
        cmocka_unit_test(an_emptied_cache_holds_nothing),
        cmocka_unit_test(three_levels_agree_with_three_plain_ones),
        cmocka_unit_test(dirty_lines_are_written_back_level_by_level),
        cmocka_unit_test(a_level_that_is_not_there_counts_nothing),
        cmocka_unit_test(the_next_line_is_prefetched_on_a_miss),
        cmocka_unit_test(accesses_over_an_edge_look_up_both_sides),
        cmocka_unit_test(code_is_looked_up_when_a_line_is_entered),
        cmocka_unit_test(streaming_stores_write_whole_lines_and_read_none),
        cmocka_unit_test(what_is_dirty_anywhere_is_unwritten_once),
        cmocka_unit_test(the_predictor_learns_patterns_and_no_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
