#include "tests/test.h"

#include "campaign/base/memory.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_grows_and_keeps_its_items),
        cmocka_unit_test(growth_beyond_memory_is_refused_and_leaves_the_array),
        cmocka_unit_test(interned_strings_are_shared_and_live_on),
        cmocka_unit_test(a_string_longer_than_a_chunk_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
