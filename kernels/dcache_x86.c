/* The pointer chases for x86-64, in inline assembly. */
#include "kernels/chase.h"

#ifdef __x86_64__

#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

/* 'two' is the code of two accesses. */
#define LOOP(two)                                                                      \
    ".p2align 6\n"                                                                     \
    "1:\n"                                                                             \
    ".rept " TEXT(RC_CHASE_UNROLL) " / 2\n" two ".endr\n"                              \
                                   "sub $1, %[loops]\n"                                \
                                   "jnz 1b\n"

struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops)
{
    __asm__ volatile(LOOP("mov (%[line]), %[line]\n"
                          "mov (%[line]), %[line]\n")
                     : [line] "+r"(line), [loops] "+r"(loops)
                     :
                     : "memory", "cc");
    return line;
}

#define READ(load, end)                                                                \
    __asm__ volatile(LOOP(load "mov (%[line]), %[line]\n") end ""                      \
                     : [line] "+r"(line), [loops] "+r"(loops), [value] "=&r"(*value)   \
                     :                                                                 \
                     : "xmm0", "memory", "cc")

struct rc_chase_line *rc_chase_read_wide(struct rc_chase_line *line, uint64_t loops,
                                         int width, uint64_t *value)
{
    if (width == 1)
        READ("movzbl (%[line]), %k[value]\n", "");
    else if (width == 2)
        READ("movzwl (%[line]), %k[value]\n", "");
    else if (width == 4)
        READ("movl (%[line]), %k[value]\n", "");
    else
        READ("movups (%[line]), %%xmm0\n", "movq %%xmm0, %[value]");
    return line;
}

#define WRITE(move, what)                                                              \
    __asm__ volatile("movq %[tag], %%xmm0\n"                                           \
                     "punpcklqdq %%xmm0, %%xmm0\n" LOOP(                               \
                         "mov (%[line]), %[other]\n" move " " what ", 16(%[line])\n"   \
                         "mov (%[other]), %[line]\n" move " " what ", 16(%[other])\n") \
                     : [line] "+r"(line), [loops] "+r"(loops), [other] "=&r"(other)    \
                     : [tag] "q"(tag)                                                  \
                     : "xmm0", "memory", "cc")

struct rc_chase_line *rc_chase_write(struct rc_chase_line *line, uint64_t loops,
                                     int width, uint64_t tag,
                                     struct rc_chase_line **last)
{
    struct rc_chase_line *other;

    if (width == 1)
        WRITE("movb", "%b[tag]");
    else if (width == 2)
        WRITE("movw", "%w[tag]");
    else if (width == 4)
        WRITE("movl", "%k[tag]");
    else if (width == 8)
        WRITE("movq", "%[tag]");
    else
        WRITE("movups", "%%xmm0");
    *last = other;
    return line;
}

#endif
