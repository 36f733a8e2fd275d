/* The pointer chases for aarch64, in inline assembly. */
#include "kernels/chase.h"

#ifdef __aarch64__

#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops)
{
    __asm__ volatile(".p2align 6\n"
                     "1:\n"
                     ".rept " TEXT(RC_CHASE_UNROLL) "\n"
                                                    "ldr %[line], [%[line]]\n"
                                                    ".endr\n"
                                                    "subs %[loops], %[loops], #1\n"
                                                    "b.ne 1b"
                     : [line] "+r"(line), [loops] "+r"(loops)
                     :
                     : "memory", "cc");
    return line;
}

struct rc_chase_line *rc_chase_write(struct rc_chase_line *line, uint64_t loops,
                                     uint64_t tag, struct rc_chase_line **last)
{
    struct rc_chase_line *other;

    __asm__ volatile(".p2align 6\n"
                     "1:\n"
                     ".rept " TEXT(RC_CHASE_UNROLL) " / 2\n"
                                                    "ldr %[other], [%[line]]\n"
                                                    "str %[tag], [%[line], #8]\n"
                                                    "ldr %[line], [%[other]]\n"
                                                    "str %[tag], [%[other], #8]\n"
                                                    ".endr\n"
                                                    "subs %[loops], %[loops], #1\n"
                                                    "b.ne 1b"
                     : [line] "+r"(line), [loops] "+r"(loops), [other] "=&r"(other)
                     : [tag] "r"(tag)
                     : "memory", "cc");
    *last = other;
    return line;
}

#endif
