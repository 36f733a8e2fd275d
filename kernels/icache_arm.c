/* Generates the code of the suite 'icache' for aarch64. */
#include "kernels/icache.h"

/* Also what other processors describe the suite by: nothing is run there. */
#ifndef __x86_64__

#include <string.h>

/* The condition comes in x0, the passes that are left in x1, the entry in x2.
 * Blocks are counted in x0; x3 to x6 count the body, four of them so that
 * fetching and not adding is what takes the time.  x7 is the condition.
 */
static uint32_t add_number(uint32_t to, uint32_t number)
{
    return 0x91000000u | number << 10 | to << 5 | to;
}

static uint32_t add_register(uint32_t to, uint32_t from, uint32_t other)
{
    return 0x8b000000u | other << 16 | from << 5 | to;
}

static uint32_t zero(uint32_t to)
{
    return 0xd2800000u | to;
}

/* Distances are in instructions, from the branch itself. */
static uint32_t branch_if_zero(uint32_t what, int32_t distance)
{
    return 0xb4000000u | ((uint32_t)distance & 0x7ffff) << 5 | what;
}

#define MOV_X7_X0 0xaa0003e7u
#define SUB_X1_1 0xd1000421u
#define B 0x14000000u
#define BR_X2 0xd61f0040u
#define RET 0xd65f03c0u

struct rc_icache_counts rc_icache_counts(uint32_t line_bytes)
{
    return (struct rc_icache_counts){.head = 2,
                                     .head_add = 1,
                                     .body = line_bytes / 4 - 3,
                                     .body_branches = 1,
                                     .pass = 3,
                                     .pass_jumps = 1};
}

static unsigned char *put_instruction(unsigned char *at, uint32_t instruction)
{
    memcpy(at, &instruction, sizeof instruction);
    return at + sizeof instruction;
}

void rc_icache_generate(unsigned char *code, uint64_t blocks, uint32_t line_bytes)
{
    const uint32_t words = line_bytes / 4;
    const int64_t distance = (int64_t)(blocks * words + 2);
    unsigned char *at = code;

    at = put_instruction(at, MOV_X7_X0);
    at = put_instruction(at, zero(0));
    for (uint32_t i = 3; i <= 6; i++)
        at = put_instruction(at, zero(i));
    put_instruction(at, BR_X2);
    for (uint64_t block = 0; block < blocks; block++) {
        at = code + (block + 1) * line_bytes;
        at = put_instruction(at, add_number(0, 1));
        at = put_instruction(at, branch_if_zero(7, (int32_t)words - 1));
        at = put_instruction(at, branch_if_zero(7, (int32_t)words - 2));
        for (uint32_t i = 3; i < words; i++)
            at = put_instruction(at, add_number(3 + i % 4, 1));
    }
    /* A conditional branch reaches 1 MiB only, so that going back takes two. */
    at = code + (blocks + 1) * line_bytes;
    at = put_instruction(at, SUB_X1_1);
    at = put_instruction(at, branch_if_zero(1, 2));
    at = put_instruction(at, B | ((uint32_t)-distance & 0x3ffffff));
    at = put_instruction(at, add_register(3, 3, 4));
    at = put_instruction(at, add_register(5, 5, 6));
    at = put_instruction(at, add_register(1, 3, 5));
    put_instruction(at, RET);
}

#endif
