/* chase.h - pointer chases: each load gives the address of the next
 *
 * The lines of a buffer, one every 'stride' bytes, are linked into one cycle.
 * Within a block of pages the order is random, so that no prefetcher can
 * follow; the blocks follow each other, so that few pages are in use at a time.
 */
#ifndef RC_KERNELS_DCACHE_CHASE_H
#define RC_KERNELS_DCACHE_CHASE_H

#include <stdint.h>

/* The beginning of each line. */
struct rc_chase_line {
    struct rc_chase_line *next;
    uint64_t position;   /* in the cycle, from 0 */
    uint64_t written[2]; /* 0, then as stored by rc_chase_write(); before
                          * rc_chase_read_again() the address of this line */
};

/* Links 'lines' lines; 'order' is scratch for the lines of a block.  Equal seeds give
 * equal orders.  Returns the first line; it lies in the first block, and the last block
 * is the last to be touched.
 */
struct rc_chase_line *rc_chase_link(void *buffer, uint64_t lines, uint64_t stride,
                                    uint64_t lines_per_block, uint64_t seed,
                                    uint32_t *order);

/* Whether the loops below exist for this kind of processor. */
#if defined(__x86_64__) || defined(__aarch64__)
#define RC_CHASE_WRITTEN 1
#else
#define RC_CHASE_WRITTEN 0
#endif

/* Accesses in the body of the loops below. */
#define RC_CHASE_UNROLL 64

/* 'loops' (at least 1) times RC_CHASE_UNROLL loads, and two instructions for each loop,
 * the last of them a conditional branch.  Returns the line that would be next.
 * dcache_x86.c and dcache_arm.c have the code for each kind of processor.
 */
struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops);

/* Likewise, but every other load is one of the first 'width' bytes (1, 2, 4 or 16) of
 * the current line, so that half as many lines are visited.  '*value' becomes the value
 * that the last of these loaded, the first 8 bytes if it loaded 16.
 */
struct rc_chase_line *rc_chase_read_wide(struct rc_chase_line *line, uint64_t loops,
                                         int width, uint64_t *value);

/* Lines of each chain that a turn of the loops below visits: fewer than
 * RC_CHASE_UNROLL, so that the longest of them stays within a small L1I.
 */
#define RC_CHASE_FEW 16

/* 'loops' times RC_CHASE_FEW lines, 'loads' (2 or 4) loads from each.  Each load gives
 * the address of the next one, so that none is made before the line has come.
 */
struct rc_chase_line *rc_chase_read_again(struct rc_chase_line *line, uint64_t loops,
                                          int loads);

/* Two chains at once, RC_CHASE_FEW lines of each in a loop.  'line' becomes the lines
 * that would be next.
 */
void rc_chase_read_two(struct rc_chase_line *line[2], uint64_t loops);

/* A walk that loads nothing: the offset of the next line follows from the one before,
 * and is each multiple of the stride below 'mask' once in a round.
 */
struct rc_chase_order {
    uint64_t at;   /* offset of the line that was stored to last */
    uint64_t step; /* an odd number of strides */
    uint64_t mask; /* the size, a power of two, less one */
};
#define RC_CHASE_FACTOR 1664525 /* a multiple of 4 and one more */

static inline uint64_t rc_chase_order_next(const struct rc_chase_order *order)
{
    return (order->at * RC_CHASE_FACTOR + order->step) & order->mask;
}

/* 'loops' times RC_CHASE_FEW lines, each after a multiplication, an addition and an
 * AND: 'stores' (1, 2 or 4) of 'tag' to words of the line, the first one last.
 */
void rc_chase_store(void *buffer, struct rc_chase_order *order, uint64_t loops,
                    int stores, uint64_t tag);

/* Like rc_chase_read(), but after the load of its 'next' the first 'width' bytes (1, 2,
 * 4, 8 or 16) of 'tag' are stored to the 'written' of each line; 16 bytes are the tag
 * twice.  '*last' becomes the last line that was written.
 */
struct rc_chase_line *rc_chase_write(struct rc_chase_line *line, uint64_t loops,
                                     int width, uint64_t tag,
                                     struct rc_chase_line **last);

#endif
