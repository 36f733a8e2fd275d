/* memory.h - memory traffic that the suite 'memory' expects */
#ifndef RC_KERNELS_MEMORY_H
#define RC_KERNELS_MEMORY_H

#include "kernels/blas/blas_loops.h"

/* 64-byte transactions of one operation, not rounded to whole ones.  Its operands are
 * not in any cache when it begins and stay in one while they are in use; stores
 * allocate a line.
 */
struct rc_traffic {
    double reads, writes; /* transactions */
};

/* Written elements reach memory a line at a time, 8 bytes of traffic each, or
 * one by one, 64 bytes each: the two assumptions of the published study.
 */
enum rc_written { RC_WRITTEN_PER_LINE = 8, RC_WRITTEN_PER_ELEMENT = 64 };

struct rc_traffic rc_memory_traffic(const struct rc_loop_shape *shape,
                                    enum rc_written written);

/* floor(514 - 0.246 N), and 10 from N = 2048 on: operations in one reading. */
uint64_t rc_memory_repetitions(uint64_t n);

#endif
