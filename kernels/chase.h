/* chase.h - pointer chases: each load gives the address of the next
 *
 * The lines of a buffer, one every 'stride' bytes, are linked into one cycle.
 * Within a block of pages the order is random, so that no prefetcher can
 * follow; the blocks follow each other, so that few pages are in use at a time.
 */
#ifndef RC_KERNELS_CHASE_H
#define RC_KERNELS_CHASE_H

#include <stdint.h>

/* What stands at the beginning of each line. */
struct rc_chase_line {
    struct rc_chase_line *next;
    uint64_t position;   /* in the cycle, from 0 */
    uint64_t written[2]; /* what rc_chase_write() left here, at first 0 */
};

/* Links 'lines' lines; 'order' is scratch for as many as a block has.  Equal
 * seeds give equal orders.  Returns the first line; it lies in the first
 * block, and the last block is the last to be touched.
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

/* 'loops' (at least 1) times RC_CHASE_UNROLL loads, and two instructions for
 * each loop, the last of them a conditional branch.  Returns the line that
 * would be next.  One file for each kind of processor; dcache_x86.c,
 * dcache_arm.c.
 */
struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops);

/* Likewise, but every other load is one of the first 'width' bytes (1, 2, 4 or 16) of
 * the line at hand, so that half as many lines are visited.  '*value' becomes what the
 * last of these loaded, of 16 bytes the first 8.
 */
struct rc_chase_line *rc_chase_read_wide(struct rc_chase_line *line, uint64_t loops,
                                         int width, uint64_t *value);

/* Like rc_chase_read() with a store of the first 'width' bytes (1, 2, 4, 8 or 16) of
 * 'tag' to the 'written' of each line behind the load of its 'next'; 16 bytes are twice
 * the tag.  '*last' becomes the last line that was written.
 */
struct rc_chase_line *rc_chase_write(struct rc_chase_line *line, uint64_t loops,
                                     int width, uint64_t tag,
                                     struct rc_chase_line **last);

#endif
