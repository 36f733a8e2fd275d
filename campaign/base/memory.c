/* Arrays that double as they grow, memory that a sum cannot overflow, and orders. */
#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>

int rc_grow(void *array, size_t item_bytes, size_t count, size_t *room)
{
    void *items;

    if (count < *room)
        return 0;
    size_t more = *room ? *room * 2 : 16;
    if (more < *room || more > SIZE_MAX / item_bytes)
        return -1;
    memcpy(&items, array, sizeof items); /* any pointer type, without aliasing it */
    /* cppcheck-suppress memleakOnRealloc ; the caller's own pointer keeps them */
    items = realloc(items, more * item_bytes);
    if (!items)
        return -1;
    memcpy(array, &items, sizeof items);
    *room = more;
    return 0;
}

void *rc_calloc(size_t count, size_t item_bytes)
{
    size_t bytes;

    /* calloc() checks it, too, but a sanitizer's ends the process. */
    if (__builtin_mul_overflow(count, item_bytes, &bytes))
        return NULL;
    return calloc(1, bytes ? bytes : 1);
}

size_t rc_count_before(const void *items, size_t count, size_t item_bytes,
                       const void *key,
                       bool (*before)(const void *item, const void *key))
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (before((const char *)items + middle * item_bytes, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int rc_compare_numbers(const uint64_t *left, const uint64_t *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

int rc_order_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int rc_order_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

int rc_order_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

int rc_order_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
