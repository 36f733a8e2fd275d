/* icache.h - code that is generated for the suite 'icache'
 *
 * A piece of code is: one line that clears the counters and jumps to where the
 * first pass begins, the blocks (one line each), and one line that ends a
 * pass: it goes back to the first block or returns.  A block counts itself,
 * tests 'condition', and adds to the counters to the end of its line unless
 * the condition is 0; then it jumps to the next line.  The test is followed by two
 * branches on it, of which the second is only reached, and not taken, where the
 * condition is not 0: so branches and lines of code are two things.
 */
#ifndef RC_KERNELS_ICACHE_H
#define RC_KERNELS_ICACHE_H

#include <stdint.h>

/* Whether such code can be generated for this kind of processor. */
#if defined(__x86_64__) || defined(__aarch64__)
#define RC_ICACHE_WRITTEN 1
#else
#define RC_ICACHE_WRITTEN 0
#endif

/* What the code counts in two registers. */
struct rc_icache_sums {
    uint64_t blocks; /* that were entered */
    uint64_t body;   /* instructions of bodies that were executed */
};

/* 'passes' is at least 1; the first begins at 'entry', one of the blocks. */
typedef struct rc_icache_sums rc_icache_code(uint64_t condition, uint64_t passes,
                                             const void *entry);

/* Instructions of a block and of the end of a pass. */
struct rc_icache_counts {
    unsigned head;          /* executed in every block; one is the branch */
    unsigned head_add;      /* integer additions of the head */
    unsigned head_test;     /* and integer logic */
    unsigned body;          /* skipped where the condition is 0: additions ... */
    unsigned body_branches; /* ... and branches that are not taken */
    unsigned pass;          /* at the end of a pass: one subtraction, one branch */
    unsigned pass_taken, pass_jumps;
};

/* For blocks of 'line_bytes', a multiple of 4 that is at least 32. */
struct rc_icache_counts rc_icache_counts(uint32_t line_bytes);

/* Writes (blocks + 2) * line_bytes bytes.  One file for each kind of processor. */
void rc_icache_generate(unsigned char *code, uint64_t blocks, uint32_t line_bytes);

#endif
