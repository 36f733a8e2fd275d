/* icache.h - code that is generated for the suite 'icache'
 *
 * A piece of code is one line that clears the counters and jumps to where the first
 * pass begins, the blocks (one line each), and one line that ends a pass: it goes back
 * to the first block or returns.
 *
 * A block of the kind 'tested' counts itself and tests 'condition'; unless that is 0,
 * it adds to the counters up to the end of its line; then it jumps to the next line.
 * Two branches follow the test; the second is reached only where the condition is not
 * 0, and is not taken: so branches and lines of code have different counts.
 *
 * A block of another kind is a number of instructions of this kind and, unless they
 * fill the line, a jump to the next one.  The end of a pass counts the passes.
 */
#ifndef RC_KERNELS_ICACHE_ICACHE_H
#define RC_KERNELS_ICACHE_ICACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether such code can be generated for this kind of processor. */
#if defined(__x86_64__) || defined(__aarch64__)
#define RC_ICACHE_WRITTEN 1
#else
#define RC_ICACHE_WRITTEN 0
#endif

/* The instructions of a block; the numbers are an axis of points. */
enum rc_icache_kind {
    RC_ICACHE_TESTED,
    RC_ICACHE_MOV,    /* a register = the argument */
    RC_ICACHE_LOGIC,  /* a register |= 1 */
    RC_ICACHE_LOAD,   /* a register = one of the numbers that the argument points to */
    RC_ICACHE_BRANCH, /* to the next line, never taken */
    RC_ICACHE_ADD,    /* a register += 1 */
    RC_ICACHE_NOP,
    RC_ICACHE_KINDS
};

/* The instructions of a kind use these registers in turn. */
enum { RC_ICACHE_REGISTERS = 4 };

struct rc_icache_block {
    uint32_t line_bytes; /* a multiple of 4 that is at least 32 */
    enum rc_icache_kind kind;
    unsigned body; /* instructions of the kind; not for RC_ICACHE_TESTED */
    bool jumps;    /* a jump to the next line follows them */
};

/* The two counters of the code. */
struct rc_icache_sums {
    uint64_t blocks; /* tested blocks that were entered; of other kinds, passes */
    uint64_t body;   /* sum of the registers that instructions of bodies write */
};

/* 'argument' is the condition, or the operand of the kind.  'passes' is at least 1; the
 * first begins at 'entry', one of the blocks.
 */
typedef struct rc_icache_sums rc_icache_code(uint64_t argument, uint64_t passes,
                                             const void *entry);

/* Instructions of a tested block and of the end of a pass. */
struct rc_icache_counts {
    unsigned head;          /* executed in every block; one is the branch */
    unsigned head_add;      /* integer additions of the head */
    unsigned head_test;     /* and integer logic */
    unsigned body;          /* skipped where the condition is 0: additions ... */
    unsigned body_branches; /* ... and branches that are not taken */
    unsigned pass;          /* at the end of a pass: one subtraction, one branch */
    unsigned pass_taken, pass_jumps;
};

struct rc_icache_counts rc_icache_counts(uint32_t line_bytes);

/* How many instructions of the kind fill a line; at least six. */
unsigned rc_icache_full(enum rc_icache_kind kind, uint32_t line_bytes);

/* Writes (blocks + 2) * line_bytes bytes.  One file for each kind of processor. */
void rc_icache_generate(unsigned char *code, uint64_t blocks,
                        const struct rc_icache_block *block);

#endif
