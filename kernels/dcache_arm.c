/* The pointer chases for aarch64, in inline assembly. */
#include "kernels/chase.h"

#ifdef __aarch64__

#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

/* 'two' is the code of two accesses. */
#define LOOP(two)                                                                      \
    ".p2align 6\n"                                                                     \
    "1:\n"                                                                             \
    ".rept " TEXT(RC_CHASE_UNROLL) " / 2\n" two ".endr\n"                              \
                                   "subs %[loops], %[loops], #1\n"                     \
                                   "b.ne 1b\n"

struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops)
{
    __asm__ volatile(LOOP("ldr %[line], [%[line]]\n"
                          "ldr %[line], [%[line]]\n")
                     : [line] "+r"(line), [loops] "+r"(loops)
                     :
                     : "memory", "cc");
    return line;
}

#define READ(load, end)                                                                \
    __asm__ volatile(LOOP(load ", [%[line]]\nldr %[line], [%[line]]\n") end ""         \
                     : [line] "+r"(line), [loops] "+r"(loops), [value] "=&r"(*value)   \
                     :                                                                 \
                     : "v0", "memory", "cc")

struct rc_chase_line *rc_chase_read_wide(struct rc_chase_line *line, uint64_t loops,
                                         int width, uint64_t *value)
{
    if (width == 1)
        READ("ldrb %w[value]", "");
    else if (width == 2)
        READ("ldrh %w[value]", "");
    else if (width == 4)
        READ("ldr %w[value]", "");
    else
        READ("ldr q0", "fmov %[value], d0");
    return line;
}

#define WRITE(store)                                                                   \
    __asm__ volatile("dup v0.2d, %[tag]\n" LOOP(                                       \
                         "ldr %[other], [%[line]]\n" store ", [%[line], #16]\n"        \
                         "ldr %[line], [%[other]]\n" store ", [%[other], #16]\n")      \
                     : [line] "+r"(line), [loops] "+r"(loops), [other] "=&r"(other)    \
                     : [tag] "r"(tag)                                                  \
                     : "v0", "memory", "cc")

struct rc_chase_line *rc_chase_write(struct rc_chase_line *line, uint64_t loops,
                                     int width, uint64_t tag,
                                     struct rc_chase_line **last)
{
    struct rc_chase_line *other;

    if (width == 1)
        WRITE("strb %w[tag]");
    else if (width == 2)
        WRITE("strh %w[tag]");
    else if (width == 4)
        WRITE("str %w[tag]");
    else if (width == 8)
        WRITE("str %[tag]");
    else
        WRITE("str q0");
    *last = other;
    return line;
}

#endif
