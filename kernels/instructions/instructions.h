/* instructions.h - data and loops of the suites 'instructions' and 'cycles' */
#ifndef RC_KERNELS_INSTRUCTIONS_INSTRUCTIONS_H
#define RC_KERNELS_INSTRUCTIONS_INSTRUCTIONS_H

#include <stdint.h>

/* The instructions of a loop; the numbers are an axis of points. */
enum rc_instructions_class {
    RC_INSTRUCTIONS_ADD,
    RC_INSTRUCTIONS_MUL,
    RC_INSTRUCTIONS_LOGIC,
    RC_INSTRUCTIONS_MOV,
    RC_INSTRUCTIONS_LOAD,
    RC_INSTRUCTIONS_STORE,
    RC_INSTRUCTIONS_MIX,
    RC_INSTRUCTIONS_LOOP,
    RC_INSTRUCTIONS_CLASSES
};

enum { RC_INSTRUCTIONS_VALUES = 6, RC_INSTRUCTIONS_SLOTS = 24 };

/* Values are held in registers during the loop; assembly finds them and the slots by
 * their offset.  A unit is 24 instructions, with i the number of the iteration, from 0:
 *
 *   add    six times each of  v0 += 3, v1 += 5, v2 -= 7, v3 += 11
 *   mul    six times each of  v0, ..., v3 *= multiplier
 *   logic  four times  v0 ^= v1, v1 = v1 rotated left by 13, v1 ^= v2,
 *          v2 = v2 rotated left by 29, v2 ^= v3, v3 ^= v0
 *   mov    six times  v3 = v2, v2 = v1, v1 = v0, v0 = i
 *   load   eight times each of  v0, v1, v2 = what they point to; in the longest body
 *          four times, and three times each of  v3, v4, v5 = the lowest 1, 2, 4 bytes
 *          of the multiplier, and of start[0] with start[1] (16 bytes)
 *   store  every slot = i; in the longest body slots 0 to 11, of three slots each from
 *          there the lowest 1, 2 and 4 bytes, and three times slots 22 and 23 (16
 *          bytes) = v0 and v1
 *   mix    four times each of  v0 += 3; v1 *= multiplier; v3 = what it points
 *          to; a slot = i; twice  v4 = i, v5 = v4;  three times v2 rotated left
 *          by 5 and once inverted
 */
struct rc_instructions_data {
    uint64_t start[RC_INSTRUCTIONS_VALUES]; /* byte 0: before the loop */
    uint64_t stop[RC_INSTRUCTIONS_VALUES];  /* byte 48: after it */
    uint64_t multiplier;                    /* byte 96 */
    uint64_t unused[3];
    uint64_t slot[RC_INSTRUCTIONS_SLOTS]; /* byte 128 */
};

/* Runs the loop; returns the iterations that it counted. */
typedef uint64_t rc_instructions_loop(struct rc_instructions_data *data,
                                      uint64_t iterations);

/* The loop with 1, 2 or 4 units (body 0, 1, 2), or NULL where none is written for this
 * processor.
 */
rc_instructions_loop *rc_instructions_find(enum rc_instructions_class which, int body);

/* The loops of the suite 'cycles', in which each instruction on v0 waits for the one
 * before it.  The body has 192, 384 or 576 of them (body 0, 1, 2):
 *
 *   chain     v0 += multiplier
 *   pairs     v0 += multiplier, and beside it, independent of it, v1 += multiplier
 *   products  v0 *= multiplier
 */
enum rc_cycles_class {
    RC_CYCLES_CHAIN,
    RC_CYCLES_PAIRS,
    RC_CYCLES_PRODUCTS,
    RC_CYCLES_CLASSES
};

rc_instructions_loop *rc_cycles_find(enum rc_cycles_class which, int body);

#endif
