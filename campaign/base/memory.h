/* memory.h - arrays that grow, orders, and strings that live as long as their owner */
#ifndef RC_CAMPAIGN_BASE_MEMORY_H
#define RC_CAMPAIGN_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for one more item: 'array' is the address of a pointer to items
 * of 'item_bytes', 'count' of which are in use and '*room' allocated.
 * Returns 0, or -1 when there is no memory; the array is intact then.
 *
 *     if (rc_grow(&list->item, sizeof *list->item, list->count, &list->room))
 *         return rc_fail(err, RC_ENOMEM, "no memory for %zu items", list->count);
 *     list->item[list->count++] = item;
 */
int rc_grow(void *array, size_t item_bytes, size_t count, size_t *room);

/* Zeroed memory for 'count' items; NULL where the product overflows or there
 * is no memory.  Never NULL for count 0.  Free with free().
 */
void *rc_calloc(size_t count, size_t item_bytes);

/* How many of the items, which are in ascending order, come before the key: 'before' is
 * true for those at the front and false for the others.
 */
size_t rc_count_before(const void *items, size_t count, size_t item_bytes,
                       const void *key,
                       bool (*before)(const void *item, const void *key));

/* For qsort(): the first of 'count' numbers that differs decides.  A number that is to
 * descend stands on the other side:
 *
 *     return rc_compare_numbers((uint64_t[]){x->lane, y->cost_ns},
 *                               (uint64_t[]){y->lane, x->cost_ns}, 2);
 */
int rc_compare_numbers(const uint64_t *left, const uint64_t *right, size_t count);

/* Orders for qsort() and bsearch(), all ascending: of double (no NAN), size_t,
 * uint32_t, and of pointers to strings, by strcmp().
 */
int rc_order_reals(const void *a, const void *b);
int rc_order_sizes(const void *a, const void *b);
int rc_order_numbers(const void *a, const void *b);
int rc_order_texts(const void *a, const void *b);

/* A pool of strings that are freed together.  Equal strings that are interned
 * share one copy, so that half a million events may each have a reason.
 */
struct rc_pool;

struct rc_pool *rc_pool_create(void);     /* NULL: no memory */
void rc_pool_close(struct rc_pool *pool); /* accepts NULL */

/* Copies that live as long as the pool; NULL when there is no memory, as there was none
 * for a pool that is NULL.  'text' may be NULL, which gives "".
 */
const char *rc_pool_copy(struct rc_pool *pool, const char *text);
const char *rc_pool_intern(struct rc_pool *pool, const char *text);

#endif
