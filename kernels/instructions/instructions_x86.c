/* The loops of the suite 'instructions' for x86-64, in inline assembly. */
#include "kernels/instructions/instructions.h"

#include <stddef.h>

#ifdef __x86_64__

/* v0 to v5 are r8 to r13, xmm0 is v0 and v1. */
#define MOVE_IN(byte, reg) "movq " #byte "(%[data]), %%" #reg "\n"
#define MOVE_OUT(byte, reg) "movq %%" #reg ", 48+" #byte "(%[data])\n"
#define VALUES(O) O(0, r8) O(8, r9) O(16, r10) O(24, r11) O(32, r12) O(40, r13)

#define MOVE_IN_VECTOR "movups (%[data]), %%xmm0\n"
#define CLOBBERS "r8", "r9", "r10", "r11", "r12", "r13", "xmm0", "memory", "cc"
#define BACK                                                                           \
    "incq %[i]\n"                                                                      \
    "cmpq %[n], %[i]\n"                                                                \
    "jne 1b\n"

#define STORE(byte) "movq %[i], " #byte "(%[data])\n"

#define ADD                                                                            \
    SIX("addq $3, %%r8\n"                                                              \
        "addq $5, %%r9\n"                                                              \
        "subq $7, %%r10\n"                                                             \
        "addq $11, %%r11\n")
#define MUL                                                                            \
    SIX("imulq %[k], %%r8\n"                                                           \
        "imulq %[k], %%r9\n"                                                           \
        "imulq %[k], %%r10\n"                                                          \
        "imulq %[k], %%r11\n")
#define LOGIC_ROUND                                                                    \
    "xorq %%r9, %%r8\n"                                                                \
    "rolq $13, %%r9\n"                                                                 \
    "xorq %%r10, %%r9\n"                                                               \
    "rolq $29, %%r10\n"                                                                \
    "xorq %%r11, %%r10\n"                                                              \
    "xorq %%r8, %%r11\n"
#define TESTS_AND_SHIFTS THRICE("btq $5, %%r8\nshrq $1, %%r12\n")
#define MOV                                                                            \
    SIX("movq %%r10, %%r11\n"                                                          \
        "movq %%r9, %%r10\n"                                                           \
        "movq %%r8, %%r9\n"                                                            \
        "movq %[i], %%r8\n")
#define CHASE                                                                          \
    "movq (%%r8), %%r8\n"                                                              \
    "movq (%%r9), %%r9\n"                                                              \
    "movq (%%r10), %%r10\n"
#define LOAD TWICE(TWICE(TWICE(CHASE)))
#define LOAD_SIZES                                                                     \
    "movzbl 96(%[data]), %%r11d\n"                                                     \
    "movzwl 96(%[data]), %%r12d\n"                                                     \
    "movl 96(%[data]), %%r13d\n"                                                       \
    "movups (%[data]), %%xmm0\n"
#define STORE_SIZES                                                                    \
    "movb %b[i], 224(%[data])\nmovb %b[i], 232(%[data])\nmovb %b[i], 240(%[data])\n"   \
    "movw %w[i], 248(%[data])\nmovw %w[i], 256(%[data])\nmovw %w[i], 264(%[data])\n"   \
    "movl %k[i], 272(%[data])\nmovl %k[i], 280(%[data])\nmovl %k[i], "                 \
    "288(%[data])\n" THRICE("movups %%xmm0, 304(%[data])\n")
#define CHAIN SIX(TWICE(TWICE("addq %[k], %%r8\n")))
#define PAIRS SIX(TWICE(TWICE("addq %[k], %%r8\naddq %[k], %%r9\n")))
#define PRODUCTS SIX(TWICE(TWICE("imulq %[k], %%r8\n")))
#define MIX_PART(logic, move, byte)                                                    \
    "addq $3, %%r8\n"                                                                  \
    "imulq %[k], %%r9\n" logic "movq (%%r11), %%r11\n" move                            \
    STORE(byte)
#define MIX                                                                            \
    MIX_PART("rolq $5, %%r10\n", "movq %[i], %%r12\n", 128)                            \
    MIX_PART("notq %%r10\n", "movq %%r12, %%r13\n", 136)                               \
    MIX_PART("rolq $5, %%r10\n", "movq %[i], %%r12\n", 144)                            \
    MIX_PART("rolq $5, %%r10\n", "movq %%r12, %%r13\n", 152)

#include "kernels/instructions/instructions_loops.h"

#elif !defined(__aarch64__)

rc_instructions_loop *rc_instructions_find(enum rc_instructions_class which, int body)
{
    (void)which, (void)body;
    return NULL;
}

rc_instructions_loop *rc_cycles_find(enum rc_cycles_class which, int body)
{
    (void)which, (void)body;
    return NULL;
}

#endif
