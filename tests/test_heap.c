/* Heaps of items' numbers, whose order may change under them. */
#include "tests/test.h"

#include "campaign/base/heap.h"
#include "campaign/base/mix.h"

enum { ITEMS = 500 };

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *key = context;

    return key[a] != key[b] ? key[a] < key[b] : a < b;
}

static void fill_keys(uint32_t *key, uint64_t seed)
{
    for (size_t i = 0; i < ITEMS; i++)
        key[i] = (uint32_t)(rc_mix_next(&seed) % 50);
}

static void check_order(struct rc_heap *heap, size_t count)
{
    const void *key = heap->context;

    assert_int_equal(heap->count, count);
    for (uint32_t last = UINT32_MAX; count-- > 0;) {
        const uint32_t item = rc_heap_pop(heap);
        assert_true(last == UINT32_MAX || is_before(key, last, item));
        last = item;
    }
    assert_int_equal(heap->count, 0);
}

static void items_come_in_order(void **state)
{
    uint32_t key[ITEMS];
    struct rc_heap heap = {.before = is_before, .context = key};

    (void)state;
    assert_int_equal(rc_heap_init(&heap, ITEMS), 0);
    for (uint64_t seed = 0; seed < 20; seed++) {
        fill_keys(key, seed);
        for (uint32_t i = 0; i < ITEMS; i++)
            rc_heap_push(&heap, i);
        check_order(&heap, ITEMS);
    }
    rc_heap_fini(&heap);
}

static void an_item_whose_key_changes_moves(void **state)
{
    uint32_t key[ITEMS];
    struct rc_heap heap = {.before = is_before, .context = key};
    uint64_t seed = 1;

    (void)state;
    assert_int_equal(rc_heap_init(&heap, ITEMS), 0);
    fill_keys(key, seed);
    for (uint32_t i = 0; i < ITEMS; i++)
        rc_heap_push(&heap, i);
    for (size_t i = 0; i < 1000; i++) {
        const uint32_t item = (uint32_t)(rc_mix_next(&seed) % ITEMS);
        key[item] = (uint32_t)(rc_mix_next(&seed) % 50);
        rc_heap_moved(&heap, item);
        assert_int_equal(heap.item[heap.where[item]], item);
    }
    check_order(&heap, ITEMS);
    rc_heap_fini(&heap);
}

static void a_heap_is_ordered_anew_when_all_keys_change(void **state)
{
    uint32_t key[ITEMS];
    struct rc_heap heap = {.before = is_before, .context = key};

    (void)state;
    assert_int_equal(rc_heap_init(&heap, ITEMS), 0);
    for (uint32_t i = 0; i < ITEMS / 2; i++)
        heap.item[heap.count++] = 2 * i;
    fill_keys(key, 3);
    rc_heap_order(&heap);
    for (size_t i = 0; i < heap.count; i++)
        assert_int_equal(heap.where[heap.item[i]], i);
    check_order(&heap, ITEMS / 2);
    rc_heap_fini(&heap);
}

static void room_beyond_memory_is_refused(void **state)
{
    struct rc_heap heap = {.before = is_before};

    (void)state;
    assert_int_equal(rc_heap_init(&heap, SIZE_MAX / 2), -1);
    rc_heap_fini(&heap);
    assert_int_equal(rc_heap_init(&heap, 0), 0);
    rc_heap_fini(&heap);
    rc_heap_fini(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_in_order),
        cmocka_unit_test(an_item_whose_key_changes_moves),
        cmocka_unit_test(a_heap_is_ordered_anew_when_all_keys_change),
        cmocka_unit_test(room_beyond_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
