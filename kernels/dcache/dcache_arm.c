/* The pointer chases for aarch64, in inline assembly. */
#include "kernels/dcache/chase.h"

#ifdef __aarch64__

#define NEXT(from, to) "ldr %[" to "], [%[" from "]]\n"
#define BACK                                                                           \
    "subs %[loops], %[loops], #1\n"                                                    \
    "b.ne 1b\n"
#define READ_1 "ldrb %w[value], [%[line]]\n"
#define READ_2 "ldrh %w[value], [%[line]]\n"
#define READ_4 "ldr %w[value], [%[line]]\n"
#define READ_16 "ldr q0, [%[line]]\n"
#define READ_16_END "fmov %[value], d0"
#define TAG "dup v0.2d, %[tag]\n"
#define TAG_IN "r"
#define WRITE_1(to) "strb %w[tag], [%[" to "], #16]\n"
#define WRITE_2(to) "strh %w[tag], [%[" to "], #16]\n"
#define WRITE_4(to) "str %w[tag], [%[" to "], #16]\n"
#define WRITE_8(to) "str %[tag], [%[" to "], #16]\n"
#define WRITE_16(to) "str q0, [%[" to "], #16]\n"
#define VECTOR "v0"
#define AGAIN(word) "ldr %[line], [%[line], #8*" #word "]\n"
#define FACTOR_IN "r"
#define ORDER                                                                          \
    "mul %[at], %[at], %[factor]\n"                                                    \
    "add %[at], %[at], %[step]\n"                                                      \
    "and %[at], %[at], %[mask]\n"
#define STORE(number) "str %[tag], [%[word" #number "], %[at]]\n"

#include "kernels/dcache/dcache_loops.h"

#endif
