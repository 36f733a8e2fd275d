/* The pointer chases for x86-64, in inline assembly. */
#include "kernels/dcache/chase.h"

#ifdef __x86_64__

#define NEXT(from, to) "mov (%[" from "]), %[" to "]\n"
#define BACK                                                                           \
    "sub $1, %[loops]\n"                                                               \
    "jnz 1b\n"
#define READ_1 "movzbl (%[line]), %k[value]\n"
#define READ_2 "movzwl (%[line]), %k[value]\n"
#define READ_4 "movl (%[line]), %k[value]\n"
#define READ_16 "movups (%[line]), %%xmm0\n"
#define READ_16_END "movq %%xmm0, %[value]"
#define TAG                                                                            \
    "movq %[tag], %%xmm0\n"                                                            \
    "punpcklqdq %%xmm0, %%xmm0\n"
#define TAG_IN "q" /* a register whose lowest byte can be stored */
#define WRITE_1(to) "movb %b[tag], 16(%[" to "])\n"
#define WRITE_2(to) "movw %w[tag], 16(%[" to "])\n"
#define WRITE_4(to) "movl %k[tag], 16(%[" to "])\n"
#define WRITE_8(to) "movq %[tag], 16(%[" to "])\n"
#define WRITE_16(to) "movups %%xmm0, 16(%[" to "])\n"
#define VECTOR "xmm0"
#define AGAIN(word) "mov 8*" #word "(%[line]), %[line]\n"
#define FACTOR_IN "i"
#define ORDER                                                                          \
    "imul %[factor], %[at], %[at]\n"                                                   \
    "add %[step], %[at]\n"                                                             \
    "and %[mask], %[at]\n"
#define STORE(number) "mov %[tag], (%[word" #number "], %[at])\n"

#include "kernels/dcache/dcache_loops.h"

#endif
