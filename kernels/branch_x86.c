/* The loops of the suite 'branch' for x86-64, in inline assembly. */
#include "kernels/branch.h"

#ifndef __aarch64__

#include <stddef.h>

#ifdef __x86_64__

/* One loop is one asm statement: 'body', then a decrement and a branch.  The
 * registers are loaded before it and stored behind it.
 */
#define LOOP(function, body)                                                           \
    static uint64_t function(struct rc_branch_data *data, uint64_t n)                  \
    {                                                                                  \
        uint64_t count = 0, wrong = 0, work = data->work, bit, word;                   \
        __asm__ volatile(                                                              \
            ".p2align 6\n"                                                             \
            "1:\n" body "2:\n"                                                         \
            "decq %[n]\n"                                                              \
            "jnz 1b\n"                                                                 \
            : [n] "+r"(n), [count] "+r"(count), [wrong] "+r"(wrong),                   \
              [work] "+r"(work), [bit] "=&r"(bit), [word] "=&r"(word)                  \
            : [bits] "r"(data->bits), [half] "r"(data->half), [three] "r"(UINT64_C(3)) \
            : "memory", "cc");                                                         \
        data->count = count;                                                           \
        data->wrong = wrong;                                                           \
        data->work = work;                                                             \
        return n;                                                                      \
    }

#define PASS "addq $1, %[count]\n"
#define WRONG "addq $1, %[wrong]\n"

/* n is never 0 in the loop: the first branch is never taken, the second always. */
#define NEVER(to) "testq %[n], %[n]\njz " to "\n"
#define ALWAYS(to) "testq %[n], %[n]\njnz " to "\n"

/* Taken on random bit n.  4095: RC_BRANCH_WORDS - 1. */
#define RANDOM(to)                                                                     \
    "movq %[n], %[bit]\n"                                                              \
    "shrq $6, %[bit]\n"                                                                \
    "andq $4095, %[bit]\n"                                                             \
    "movq (%[bits],%[bit],8), %[word]\n"                                               \
    "btq %[n], %[word]\n"                                                              \
    "jc " to "\n"

/* 32: RC_BRANCH_WORK.  The chain fills the core's queues, so that the random
 * branch is resolved before the loop branch behind the chain gets into them.
 */
#define WORK                                                                           \
    "3:\n"                                                                             \
    ".rept 32\n"                                                                       \
    "imulq %[three], %[work]\n"                                                        \
    ".endr\n"

LOOP(halves, "cmpq %[half], %[n]\njbe 2f\n" PASS)
LOOP(never, NEVER("2f") PASS)
LOOP(always, ALWAYS("2f") WRONG)
LOOP(random_work, RANDOM("3f") PASS WORK)
LOOP(random_work_not_taken, RANDOM("3f") PASS NEVER("3f") PASS WORK)
LOOP(random_work_taken, RANDOM("3f") PASS ALWAYS("3f") WRONG WORK)
LOOP(random_alone, RANDOM("2f") PASS)
LOOP(random_not_taken, RANDOM("2f") PASS NEVER("2f") PASS)
LOOP(random_taken, RANDOM("2f") PASS ALWAYS("2f") WRONG)
LOOP(goto_, NEVER("3f") "jmp 2f\n3:\n" WRONG)
LOOP(loop, "")

#define CODE(name) .loop = (name)
#else
#define CODE(name) .loop = NULL
#endif

/* Count of the instructions above; the loop's own two (one INT_ADD) and, where
 * there is one, the random branch's six (one INT_MOV, three INT_LOGIC, one of
 * LOADS) included.  Processors without code are described alike.
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
