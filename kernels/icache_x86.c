/* Generates the code of the suite 'icache' for x86-64. */
#include "kernels/icache.h"

#ifdef __x86_64__

#include <string.h>

/* The condition is in rdi, the passes that are left in rsi, the entry in rdx.
 * Blocks are counted in rax; rcx, r8, r9 and r10 count the body, four of them
 * so that fetching and not adding is what takes the time.
 */
static const unsigned char begin[] = {
    0x31, 0xc0,       /* xor %eax, %eax */
    0x31, 0xc9,       /* xor %ecx, %ecx */
    0x45, 0x31, 0xc0, /* xor %r8d, %r8d */
    0x45, 0x31, 0xc9, /* xor %r9d, %r9d */
    0x45, 0x31, 0xd2, /* xor %r10d, %r10d */
    0xff, 0xe2,       /* jmp *%rdx */
};
static const unsigned char head[] = {
    0x48, 0x83, 0xc0, 0x01, /* add $1, %rax */
    0x48, 0x85, 0xff,       /* test %rdi, %rdi */
};
static const unsigned char branch[] = {0x0f, 0x84}; /* je, and 4 bytes of distance */
static const unsigned char adds[4][4] = {
    {0x48, 0x83, 0xc1, 0x01}, /* add $1, %rcx */
    {0x49, 0x83, 0xc0, 0x01}, /* add $1, %r8 */
    {0x49, 0x83, 0xc1, 0x01}, /* add $1, %r9 */
    {0x49, 0x83, 0xc2, 0x01}, /* add $1, %r10 */
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
#define BODY_FROM (sizeof head + 2 * (sizeof branch + DISTANCE_BYTES))

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

void rc_icache_generate(unsigned char *code, uint64_t blocks, uint32_t line_bytes)
{
    unsigned char *first = code + line_bytes, *at = first;

    put_code(code, begin, sizeof begin);
    for (uint64_t block = 0; block < blocks; block++) {
        unsigned char *next = at + line_bytes;
        at = put_code(at, head, sizeof head);
        for (int i = 0; i < 2; i++)
            at = put_distance(put_code(at, branch, sizeof branch), next);
        for (size_t i = 0; at + sizeof last_adds < next; i++)
            at = put_code(at, adds[i % 4], sizeof adds[0]);
        at = put_code(at, last_adds[0], sizeof last_adds);
    }
    at = put_code(at, again, sizeof again);
    at = put_distance(at, first);
    put_code(at, end, sizeof end);
}

#endif
