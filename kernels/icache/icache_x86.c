/* Generates the code of the suite 'icache' for x86-64. */
#include "kernels/icache/icache.h"

#ifdef __x86_64__

#include <string.h>

/* The argument is in rdi, the passes that are left in rsi, the entry in rdx.  Blocks or
 * passes are counted in rax; bodies write rcx, r8, r9 and r10, four registers so that
 * fetching and not adding takes the time.  The flag ZF is 0 before the first block and
 * after the end of a pass.
 */
static const unsigned char begin[] = {
    0x31, 0xc0,       /* xor %eax, %eax */
    0x31, 0xc9,       /* xor %ecx, %ecx */
    0x45, 0x31, 0xc0, /* xor %r8d, %r8d */
    0x45, 0x31, 0xc9, /* xor %r9d, %r9d */
    0x45, 0x31, 0xd2, /* xor %r10d, %r10d */
    0x48, 0x85, 0xd2, /* test %rdx, %rdx */
    0xff, 0xe2,       /* jmp *%rdx */
};
static const unsigned char head[] = {
    0x48, 0x83, 0xc0, 0x01, /* add $1, %rax */
    0x48, 0x85, 0xff,       /* test %rdi, %rdi */
};
static const unsigned char branch[] = {0x0f, 0x84}; /* je, and 4 bytes of distance */
static const unsigned char short_branch[] = {0x74, 0x00};      /* je to the next one */
static const unsigned char jump[] = {0xe9};                    /* jmp, likewise */
static const unsigned char count[] = {0x48, 0x83, 0xc0, 0x01}; /* add $1, %rax */
/* Instructions of all kinds but branches have four bytes. */
static const unsigned char bodies[RC_ICACHE_KINDS][RC_ICACHE_REGISTERS][4] = {
    [RC_ICACHE_MOV] = {{0x48, 0x0f, 0xb6, 0xcf},    /* movzbq %dil, %rcx */
                       {0x4c, 0x0f, 0xb6, 0xc7},    /* movzbq %dil, %r8 */
                       {0x4c, 0x0f, 0xb6, 0xcf},    /* movzbq %dil, %r9 */
                       {0x4c, 0x0f, 0xb6, 0xd7}},   /* movzbq %dil, %r10 */
    [RC_ICACHE_LOGIC] = {{0x48, 0x83, 0xc9, 0x01},  /* or $1, %rcx */
                         {0x49, 0x83, 0xc8, 0x01},  /* or $1, %r8 */
                         {0x49, 0x83, 0xc9, 0x01},  /* or $1, %r9 */
                         {0x49, 0x83, 0xca, 0x01}}, /* or $1, %r10 */
    [RC_ICACHE_LOAD] = {{0x48, 0x8b, 0x4f, 0x00},   /* mov (%rdi), %rcx */
                        {0x4c, 0x8b, 0x47, 0x08},   /* mov 8(%rdi), %r8 */
                        {0x4c, 0x8b, 0x4f, 0x10},   /* mov 16(%rdi), %r9 */
                        {0x4c, 0x8b, 0x57, 0x18}},  /* mov 24(%rdi), %r10 */
    [RC_ICACHE_ADD] = {{0x48, 0x83, 0xc1, 0x01},    /* add $1, %rcx */
                       {0x49, 0x83, 0xc0, 0x01},    /* add $1, %r8 */
                       {0x49, 0x83, 0xc1, 0x01},    /* add $1, %r9 */
                       {0x49, 0x83, 0xc2, 0x01}},   /* add $1, %r10 */
    [RC_ICACHE_NOP] = {{0x0f, 0x1f, 0x40, 0x00},    /* nopl 0(%rax), all of them */
                       {0x0f, 0x1f, 0x40, 0x00},
                       {0x0f, 0x1f, 0x40, 0x00},
                       {0x0f, 0x1f, 0x40, 0x00}},
};
static const unsigned char last_adds[3][3] = {
    {0x48, 0xff, 0xc1}, /* inc %rcx */
    {0x49, 0xff, 0xc0}, /* inc %r8 */
    {0x49, 0xff, 0xc1}, /* inc %r9 */
};
static const unsigned char again[] = {
    0x48, 0x83, 0xee, 0x01, /* sub $1, %rsi */
    0x0f, 0x85,             /* jne, and 4 bytes of distance */
};
static const unsigned char end[] = {
    0x4c, 0x01, 0xc1, /* add %r8, %rcx */
    0x4c, 0x01, 0xc9, /* add %r9, %rcx */
    0x4c, 0x01, 0xd1, /* add %r10, %rcx */
    0x48, 0x89, 0xca, /* mov %rcx, %rdx */
    0xc3,             /* ret */
};

#define DISTANCE_BYTES 4
#define BRANCH_BYTES (sizeof branch + DISTANCE_BYTES)
#define BODY_FROM (sizeof head + 2 * BRANCH_BYTES)

struct rc_icache_counts rc_icache_counts(uint32_t line_bytes)
{
    unsigned body_bytes = line_bytes - (unsigned)BODY_FROM;

    return (struct rc_icache_counts){
        .head = 3,
        .head_add = 1,
        .head_test = 1,
        .body = (body_bytes - (unsigned)sizeof last_adds) / 4 + 3,
        .body_branches = 1,
        .pass = 2,
        .pass_taken = 1,
    };
}

static unsigned char *put_code(unsigned char *at, const unsigned char *code,
                               size_t bytes)
{
    memcpy(at, code, bytes);
    return at + bytes;
}

/* Jumps count from the end of the distance. */
static unsigned char *put_distance(unsigned char *at, const unsigned char *target)
{
    int32_t distance = (int32_t)(target - (at + DISTANCE_BYTES));

    memcpy(at, &distance, sizeof distance);
    return at + DISTANCE_BYTES;
}

unsigned rc_icache_full(enum rc_icache_kind kind, uint32_t line_bytes)
{
    return kind == RC_ICACHE_BRANCH
               ? (unsigned)(line_bytes / BRANCH_BYTES +
                            line_bytes % BRANCH_BYTES / sizeof short_branch)
               : line_bytes / 4;
}

static void put_tested(unsigned char *at, unsigned char *next)
{
    at = put_code(at, head, sizeof head);
    for (int i = 0; i < 2; i++)
        at = put_distance(put_code(at, branch, sizeof branch), next);
    for (size_t i = 0; at + sizeof last_adds < next; i++)
        at = put_code(at, bodies[RC_ICACHE_ADD][i % 4], sizeof bodies[0][0]);
    put_code(at, last_adds[0], sizeof last_adds);
}

static void put_block(unsigned char *at, unsigned char *next,
                      const struct rc_icache_block *block)
{
    for (unsigned i = 0; i < block->body; i++)
        if (block->kind != RC_ICACHE_BRANCH)
            at = put_code(at, bodies[block->kind][i % RC_ICACHE_REGISTERS],
                          sizeof bodies[0][0]);
        else if (at + BRANCH_BYTES <= next)
            at = put_distance(put_code(at, branch, sizeof branch), next);
        else
            at = put_code(at, short_branch, sizeof short_branch);
    if (block->jumps)
        put_distance(put_code(at, jump, sizeof jump), next);
}

void rc_icache_generate(unsigned char *code, uint64_t blocks,
                        const struct rc_icache_block *block)
{
    unsigned char *first = code + block->line_bytes, *at = first;

    put_code(code, begin, sizeof begin);
    for (uint64_t i = 0; i < blocks; i++, at += block->line_bytes)
        if (block->kind == RC_ICACHE_TESTED)
            put_tested(at, at + block->line_bytes);
        else
            put_block(at, at + block->line_bytes, block);
    if (block->kind != RC_ICACHE_TESTED)
        at = put_code(at, count, sizeof count);
    at = put_code(at, again, sizeof again);
    at = put_distance(at, first);
    put_code(at, end, sizeof end);
}

#endif
