/* CRC-32C by a table, or by the processor's instruction if it has one, which is much
 * faster.  That is checked at run time: a binary runs on any processor of its
 * architecture.
 */
#include "io/journal/crc32c.h"

#include <string.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* 0x1edc6f41 with its bits reversed */

static uint32_t table[256]; /* entry i is the remainder of the byte i */

/* Before main(), so without threads. */
__attribute__((constructor)) static void make_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
    }
}

uint32_t rc_crc32c_table(uint32_t crc, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    crc = ~crc;
    for (size_t i = 0; i < bytes; i++)
        crc = (crc >> 8) ^ table[(crc ^ at[i]) & 0xff];
    return ~crc;
}

#if defined(__x86_64__)

#define HAVE_INSTRUCTION

static int has_instruction(void)
{
    return __builtin_cpu_supports("sse4.2");
}

__attribute__((target("sse4.2"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *at, size_t bytes)
{
    uint64_t word, wide = ~crc;

    for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    for (; bytes > 0; at++, bytes--)
        crc = __builtin_ia32_crc32qi(crc, *at);
    return ~crc;
}

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#define HAVE_INSTRUCTION

static int has_instruction(void)
{
    return (getauxval(AT_HWCAP) & (1UL << 7)) != 0; /* HWCAP_CRC32 */
}

__attribute__((target("+crc"))) static uint32_t
by_instruction(uint32_t crc, const unsigned char *at, size_t bytes)
{
    uint64_t word;

    crc = ~crc;
    for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        memcpy(&word, at, sizeof word);
        crc = __crc32cd(crc, word);
    }
    for (; bytes > 0; at++, bytes--)
        crc = __crc32cb(crc, *at);
    return ~crc;
}

#endif

uint32_t rc_crc32c(uint32_t crc, const void *data, size_t bytes)
{
#ifdef HAVE_INSTRUCTION
    if (has_instruction())
        return by_instruction(crc, data, bytes);
#endif
    return rc_crc32c_table(crc, data, bytes);
}
