#include "tests/lib/test.h"

#include "campaign/base/arena.h"
#include "campaign/base/memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void an_array_grows_and_keeps_its_items(void **state)
{
    int *items = NULL;
    size_t count = 0, room = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(rc_grow(&items, sizeof *items, count, &room), 0);
        items[count++] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

static void growth_beyond_memory_is_refused_and_leaves_the_array(void **state)
{
    char *items = NULL;
    size_t room = SIZE_MAX / 2 + 1;

    (void)state;
    assert_int_equal(rc_grow(&items, 1, room, &room), -1);
    assert_null(items);
    assert_int_equal(room, SIZE_MAX / 2 + 1);
    assert_null(rc_calloc(SIZE_MAX, 2));
}

static void interned_strings_are_shared_and_live_on(void **state)
{
    struct rc_pool *pool = rc_pool_create();
    const char *first = rc_pool_intern(pool, "name 0");
    char text[32];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, "name %d", i);
        assert_string_equal(rc_pool_intern(pool, text), text);
    }
    assert_ptr_equal(rc_pool_intern(pool, "name 0"), first);
    assert_string_equal(rc_pool_intern(pool, NULL), "");
    assert_ptr_not_equal(rc_pool_copy(pool, "name 0"), first);
    rc_pool_close(pool);
    rc_pool_close(NULL);
    assert_null(
        rc_pool_intern(NULL, "name 0")); /* a pool for which there was no memory */
    assert_null(rc_pool_copy(NULL, ""));
}

static void a_string_longer_than_a_chunk_fits(void **state)
{
    struct rc_pool *pool = rc_pool_create();
    size_t bytes = 300000;
    char *text = malloc(bytes + 1);

    (void)state;
    memset(text, 'x', bytes);
    text[bytes] = 0;
    assert_string_equal(rc_pool_copy(pool, text), text);
    free(text);
    rc_pool_close(pool);
}

static bool is_below(const void *item, const void *key)
{
    return *(const int *)item < *(const int *)key;
}

static void sorted_items_before_a_key_are_counted(void **state)
{
    const int items[] = {1, 3, 3, 3, 8};
    const int keys[] = {0, 1, 2, 3, 4, 8, 9};
    const size_t before[] = {0, 0, 1, 1, 4, 4, 5};

    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_int_equal(rc_count_before(items, 5, sizeof items[0], &keys[i], is_below),
                         before[i]);
    assert_int_equal(rc_count_before(NULL, 0, sizeof items[0], &keys[0], is_below), 0);
}

static void memory_of_an_arena_is_zeroed_and_aligned_and_nobody_elses(void **state)
{
    struct rc_arena arena = {0};
    struct rc_error err;
    unsigned char *piece[300];

    (void)state;
    for (size_t i = 0; i < 300; i++) {
        const size_t bytes = i % 7 == 0 ? 100000 + i : i;
        assert_string_equal(rc_arena_text(&arena, "odd"), "odd");
        piece[i] = rc_arena_array(&arena, bytes, 1);
        assert_int_equal((uintptr_t)piece[i] % alignof(max_align_t), 0);
        for (size_t b = 0; b < bytes; b++) {
            assert_int_equal(piece[i][b], 0);
            piece[i][b] = (unsigned char)i;
        }
    }
    for (size_t i = 1; i < 300; i++)
        assert_int_equal(piece[i][0], (unsigned char)i);
    assert_string_equal(rc_arena_text(&arena, NULL), "");
    assert_int_equal(rc_arena_check(&arena, &err, "tests"), RC_OK);
    rc_arena_free(&arena);
    rc_arena_free(&arena);
}

static void a_failure_of_an_arena_stays_until_all_is_freed(void **state)
{
    const size_t counts[] = {SIZE_MAX, SIZE_MAX / 4, SIZE_MAX / 8 - 8, SIZE_MAX / 16};
    struct rc_error err;

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct rc_arena arena = {0};
        assert_non_null(rc_arena_array(&arena, 0, 8));
        assert_null(rc_arena_array(&arena, counts[i], 8));
        assert_non_null(rc_arena_array(&arena, 3, 8));
        assert_int_equal(rc_arena_check(&arena, &err, "3 tests"), RC_ENOMEM);
        assert_string_equal(err.text, "no memory for 3 tests");
        rc_arena_free(&arena);
        assert_int_equal(rc_arena_check(&arena, &err, "tests"), RC_OK);
    }
}

/* A growing array notes its lack of memory, and stays as it was. */
static void an_arena_notes_what_an_array_lacks(void **state)
{
    struct rc_arena arena = {0};
    const uint32_t seven = 7;
    uint32_t *array = NULL;
    size_t count = 0, room = 0;

    (void)state;
    rc_arena_append(&arena, &array, sizeof *array, &count, &room, &seven);
    rc_arena_append(&arena, &array, sizeof *array, &count, &room, NULL);
    assert_false(arena.failed);
    assert_int_equal(count, 2);
    assert_true(array[0] == 7 && array[1] == 0);
    room = count;
    rc_arena_append(&arena, &array, SIZE_MAX / 2, &count, &room, &seven);
    assert_true(arena.failed);
    assert_int_equal(count, 2);
    assert_int_equal(array[0], 7);
    free(array);
    rc_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(growth_beyond_memory_is_refused_and_leaves_the_array),
        cmocka_unit_test(interned_strings_are_shared_and_live_on),
        cmocka_unit_test(a_string_longer_than_a_chunk_fits),
        cmocka_unit_test(sorted_items_before_a_key_are_counted),
        cmocka_unit_test(memory_of_an_arena_is_zeroed_and_aligned_and_nobody_elses),
        cmocka_unit_test(a_failure_of_an_arena_stays_until_all_is_freed),
        cmocka_unit_test(an_arena_notes_what_an_array_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
