/* The loops of the suite 'branch' for x86-64, in inline assembly. */
#include "kernels/branch/branch.h"

#ifndef __aarch64__

#include <stddef.h>

#ifdef __x86_64__

#define PASS "addq $1, %[count]\n"
#define WRONG "addq $1, %[wrong]\n"

#define BACK                                                                           \
    "decq %[n]\n"                                                                      \
    "jnz 1b\n"
#define JUMP(to) "jmp " to "\n"
#define HALF(to) "cmpq %[half], %[n]\njbe " to "\n"

/* n is never 0 in the loop: the first branch is never taken, the second always. */
#define NEVER(to) "testq %[n], %[n]\njz " to "\n"
#define ALWAYS(to) "testq %[n], %[n]\njnz " to "\n"

/* Taken where random bit n is 1.  4095: RC_BRANCH_WORDS - 1. */
#define RANDOM(to)                                                                     \
    "movq %[n], %[bit]\n"                                                              \
    "shrq $6, %[bit]\n"                                                                \
    "andq $4095, %[bit]\n"                                                             \
    "movq (%[bits],%[bit],8), %[word]\n"                                               \
    "btq %[n], %[word]\n"                                                              \
    "jc " to "\n"

/* 32: RC_BRANCH_WORK.  The chain fills the core's queues, so that the random branch is
 * resolved before the loop branch after the chain gets into them.
 */
#define WORK                                                                           \
    "3:\n"                                                                             \
    ".rept 32\n"                                                                       \
    "imulq %[three], %[work]\n"                                                        \
    ".endr\n"

#include "kernels/branch/branch_loops.h"

#define CODE(name) .loop = (name)
#else
#define CODE(name) .loop = NULL
#endif

/* Counts of the instructions above, with the loop's own two (one INT_ADD) and, where
 * there is one, the random branch's six (one INT_MOV, three INT_LOGIC, one of LOADS).
 * Processors without code are described in the same way.
 */
const struct rc_branch_code rc_branch_code[RC_BRANCH_POINTS] = {
    {CODE(halves), .ins = 4.5, .int_add = 2.5},
    {CODE(never), .ins = 5, .int_add = 2, .int_logic = 1},
    {CODE(always), .ins = 4, .int_add = 1, .int_logic = 1},
    {CODE(random_work), 40.5, 1.5, 3, 1, RC_BRANCH_WORK, 1},
    {CODE(random_work_not_taken), 42, 2, 3.5, 1, RC_BRANCH_WORK, 1},
    {CODE(random_work_taken), 41.5, 1.5, 3.5, 1, RC_BRANCH_WORK, 1},
    {CODE(random_alone), 8.5, 1.5, 3, 1, 0, 1},
    {CODE(random_not_taken), 10, 2, 3.5, 1, 0, 1},
    {CODE(random_taken), 9.5, 1.5, 3.5, 1, 0, 1},
    {CODE(goto_), .ins = 5, .int_add = 1, .int_logic = 1},
    {CODE(loop), .ins = 2, .int_add = 1},
};

#endif
