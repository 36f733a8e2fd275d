/* Maps from keys to numbers of items: hashes that collide, growth, replacement. */
#include "tests/lib/test.h"

#include "campaign/base/map.h"
#include "campaign/base/text.h"

#include <string.h>

static const char *const names[] = {"a", "b", "c", "b"};

static bool has_name(const void *context, size_t item, const void *key)
{
    assert_ptr_equal(context, names);
    return strcmp(names[item], key) == 0;
}

static void an_empty_map_finds_nothing(void **state)
{
    struct rc_map map = {.same = has_name};

    (void)state;
    assert_int_equal(rc_map_find(&map, names, 0, "a"), RC_MAP_NONE);
    rc_map_fini(&map);
    assert_int_equal(rc_map_reserve(&map, 0), 0);
    assert_int_equal(rc_map_find(&map, names, 0, "a"), RC_MAP_NONE);
    rc_map_fini(&map);
}

static void keys_of_one_hash_are_told_apart_and_the_last_item_counts(void **state)
{
    struct rc_map map = {.same = has_name};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(rc_map_put(&map, names, 7, names[i], i), 0);
    assert_int_equal(rc_map_find(&map, names, 7, "a"), 0);
    assert_int_equal(rc_map_find(&map, names, 7, "b"), 3);
    assert_int_equal(rc_map_find(&map, names, 7, "c"), 2);
    assert_int_equal(rc_map_find(&map, names, 7, "d"), RC_MAP_NONE);
    assert_int_equal(map.count, 3);
    rc_map_fini(&map);
}

static bool is_number(const void *context, size_t item, const void *key)
{
    (void)context;
    return item == *(const size_t *)key;
}

/* Hashes whose low bits are all the same spread nevertheless. */
static void many_keys_are_found_after_growth(void **state)
{
    struct rc_map map = {.same = is_number};

    (void)state;
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(rc_map_put(&map, names, (uint64_t)i << 32, &i, i), 0);
    for (size_t i = 0; i < 100000; i++)
        assert_int_equal(rc_map_find(&map, names, (uint64_t)i << 32, &i), i);
    rc_map_fini(&map);
}

static void what_cannot_be_stored_is_refused_and_leaves_the_map(void **state)
{
    struct rc_map map = {.same = has_name};

    (void)state;
    assert_int_equal(rc_map_put(&map, names, 1, "a", 0), 0);
    assert_int_equal(rc_map_put(&map, names, 1, "b", (size_t)RC_MAP_ITEM_MAX + 1), -1);
    assert_int_equal(rc_map_reserve(&map, SIZE_MAX), -1);
    assert_int_equal(rc_map_find(&map, names, 1, "a"), 0);
    assert_int_equal(rc_map_find(&map, names, 1, "b"), RC_MAP_NONE);
    rc_map_fini(&map);
}

static void within_a_reserve_nothing_moves(void **state)
{
    struct rc_map map = {.same = is_number};

    (void)state;
    assert_int_equal(rc_map_reserve(&map, 1000), 0);
    const struct rc_map_entry *entry = map.entry;
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(rc_map_put(&map, names, i, &i, i), 0);
    assert_ptr_equal(map.entry, entry);
    rc_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_finds_nothing),
        cmocka_unit_test(keys_of_one_hash_are_told_apart_and_the_last_item_counts),
        cmocka_unit_test(many_keys_are_found_after_growth),
        cmocka_unit_test(what_cannot_be_stored_is_refused_and_leaves_the_map),
        cmocka_unit_test(within_a_reserve_nothing_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
