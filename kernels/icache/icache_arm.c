/* Generates the code of the suite 'icache' for aarch64. */
#include "kernels/icache/icache.h"

/* Processors without code describe the suite by this; nothing runs there. */
#ifndef __x86_64__

#include <string.h>

/* The argument comes in x0, the passes that are left in x1, the entry in x2.  Blocks or
 * passes are counted in x0; bodies write x3 to x6, four registers so that fetching and
 * not adding takes the time.  x7 is the argument.
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

static uint32_t move_x7(uint32_t to)
{
    return 0xaa0703e0u | to;
}

static uint32_t or_1(uint32_t to)
{
    return 0xb2400000u | to << 5 | to;
}

/* Loads number 'which' from x7 on. */
static uint32_t load_x7(uint32_t to, uint32_t which)
{
    return 0xf94000e0u | which << 10 | to;
}

#define MOV_X7_X0 0xaa0003e7u
#define NOP 0xd503201fu
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

unsigned rc_icache_full(enum rc_icache_kind kind, uint32_t line_bytes)
{
    (void)kind;
    return line_bytes / 4;
}

static void put_tested(unsigned char *at, uint32_t words)
{
    at = put_instruction(at, add_number(0, 1));
    at = put_instruction(at, branch_if_zero(7, (int32_t)words - 1));
    at = put_instruction(at, branch_if_zero(7, (int32_t)words - 2));
    for (uint32_t i = 3; i < words; i++)
        at = put_instruction(at, add_number(3 + i % 4, 1));
}

/* Instruction 'i' of a line, 'left' words before its end. */
static uint32_t instruction_of(enum rc_icache_kind kind, uint32_t i, uint32_t left)
{
    const uint32_t which = i % RC_ICACHE_REGISTERS;

    switch (kind) {
    case RC_ICACHE_MOV:
        return move_x7(3 + which);
    case RC_ICACHE_LOGIC:
        return or_1(3 + which);
    case RC_ICACHE_LOAD:
        return load_x7(3 + which, which);
    case RC_ICACHE_BRANCH: /* never taken: some passes are left */
        return branch_if_zero(1, (int32_t)left);
    case RC_ICACHE_ADD:
        return add_number(3 + which, 1);
    default:
        return NOP;
    }
}

void rc_icache_generate(unsigned char *code, uint64_t blocks,
                        const struct rc_icache_block *block)
{
    const bool tested = block->kind == RC_ICACHE_TESTED;
    const uint32_t words = block->line_bytes / 4;
    const int64_t distance = (int64_t)(blocks * words + (tested ? 2 : 3));
    unsigned char *at = code;

    at = put_instruction(at, MOV_X7_X0);
    at = put_instruction(at, zero(0));
    for (uint32_t i = 3; i <= 6; i++)
        at = put_instruction(at, zero(i));
    put_instruction(at, BR_X2);
    for (uint64_t b = 0; b < blocks; b++) {
        at = code + (b + 1) * block->line_bytes;
        if (tested) {
            put_tested(at, words);
            continue;
        }
        for (uint32_t i = 0; i < block->body; i++)
            at = put_instruction(at, instruction_of(block->kind, i, words - i));
        if (block->jumps)
            put_instruction(at, B | (words - block->body));
    }
    /* A conditional branch reaches only 1 MiB, so going back takes two. */
    at = code + (blocks + 1) * block->line_bytes;
    if (!tested)
        at = put_instruction(at, add_number(0, 1));
    at = put_instruction(at, SUB_X1_1);
    at = put_instruction(at, branch_if_zero(1, 2));
    at = put_instruction(at, B | ((uint32_t)-distance & 0x3ffffff));
    at = put_instruction(at, add_register(3, 3, 4));
    at = put_instruction(at, add_register(5, 5, 6));
    at = put_instruction(at, add_register(1, 3, 5));
    put_instruction(at, RET);
}

#endif
