/* The pointer chases for x86-64, in inline assembly. */
#include "kernels/chase.h"

#ifdef __x86_64__

#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops)
{
    __asm__ volatile(".p2align 6\n"
                     "1:\n"
                     ".rept " TEXT(RC_CHASE_UNROLL) "\n"
                                                    "mov (%[line]), %[line]\n"
                                                    ".endr\n"
                                                    "sub $1, %[loops]\n"
                                                    "jnz 1b"
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
                                                    "mov (%[line]), %[other]\n"
                                                    "mov %[tag], 8(%[line])\n"
                                                    "mov (%[other]), %[line]\n"
                                                    "mov %[tag], 8(%[other])\n"
                                                    ".endr\n"
                                                    "sub $1, %[loops]\n"
                                                    "jnz 1b"
                     : [line] "+r"(line), [loops] "+r"(loops), [other] "=&r"(other)
                     : [tag] "r"(tag)
                     : "memory", "cc");
    *last = other;
    return line;
}

#endif
