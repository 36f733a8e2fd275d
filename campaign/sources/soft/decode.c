/* Decodes instructions with Zydis, once for each address.
 *
 * A table holds decoded instructions by a hash of their address, with the bytes that
 * they were decoded from, so that overwritten code is noticed.  The table never grows,
 * since it is used in a signal handler; where it is full an entry is replaced.
 */
#include "campaign/sources/soft/insn.h"

#include "campaign/base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <x86intrin.h>

#define PROBES 8u           /* slots in which an address may be */
#define LONGEST 15u         /* bytes of an instruction */
#define PAGE UINT64_C(4096) /* bytes; the smallest there is, whatever the system has */

int rc_soft_decoder_init(struct rc_soft_decoder *decoder, struct rc_error *err)
{
    *decoder = (struct rc_soft_decoder){0};
    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder->zydis, ZYDIS_MACHINE_MODE_LONG_64,
                                       ZYDIS_STACK_WIDTH_64)))
        return rc_fail(err, RC_EUNSUPPORTED,
                       "this Zydis does not decode 64-bit instructions");
    decoder->mnemonic =
        rc_calloc(ZYDIS_MNEMONIC_MAX_VALUE + 1, sizeof *decoder->mnemonic);
    decoder->slot = rc_calloc(RC_SOFT_DECODED, sizeof *decoder->slot);
    if (!decoder->mnemonic || !decoder->slot) {
        rc_soft_decoder_fini(decoder);
        return rc_fail(err, RC_ENOMEM, "no memory for %u decoded instructions",
                       RC_SOFT_DECODED);
    }
    rc_soft_mnemonics(decoder->mnemonic);
    return RC_OK;
}

void rc_soft_decoder_fini(struct rc_soft_decoder *decoder)
{
    free(decoder->mnemonic);
    free(decoder->slot);
    *decoder = (struct rc_soft_decoder){0};
}

/* Code may lie in any object, or in none, so the sanitizer does not check this read. */
__attribute__((no_sanitize("address"))) static bool
same_code(const uint8_t *code, uint64_t address, unsigned length)
{
    const volatile uint8_t *there =
        (const volatile uint8_t *)(uintptr_t)address; // NOLINT: an address from RIP
    unsigned i = 0;
    while (i < length && there[i] == code[i])
        i++;
    return i == length;
}

/* Copies code of another process; where that cannot be read, bytes that are not an
 * instruction.
 */
static void copy_code_of(pid_t other, uint8_t *out, uint64_t address, unsigned length)
{
    enum { NO_INSTRUCTION = 0x06 };
    struct iovec here = {out, length};
    struct iovec there = {(void *)(uintptr_t)address, length}; // NOLINT: as above

    if (process_vm_readv(other, &here, 1, &there, 1, 0) != (ssize_t)length)
        memset(out, NO_INSTRUCTION, length);
}

__attribute__((no_sanitize("address"))) static void
copy_code(const struct rc_soft_decoder *decoder, uint8_t *out, uint64_t address,
          unsigned length)
{
    if (decoder->other) {
        copy_code_of(decoder->other, out, address, length);
        return;
    }
    const volatile uint8_t *there =
        (const volatile uint8_t *)(uintptr_t)address; // NOLINT: as above
    for (unsigned i = 0; i < length; i++)
        out[i] = there[i];
}

static bool is_as_decoded(const struct rc_soft_decoder *decoder,
                          const struct rc_soft_insn *slot)
{
    uint8_t there[sizeof slot->code];

    if (!decoder->other)
        return same_code(slot->code, slot->address, slot->length);
    copy_code_of(decoder->other, there, slot->address, slot->length);
    return memcmp(there, slot->code, slot->length) == 0;
}

/* Decodes the instruction at an address.  Bytes that are not an instruction count as
 * one: executing them is a fault, which the stepped program gets.  The next page may
 * not be readable: it is read only if this one ends within an instruction.
 */
static void decode_into(struct rc_soft_decoder *decoder, uint64_t address,
                        struct rc_soft_insn *out)
{
    const unsigned room = (unsigned)(PAGE - address % PAGE);
    const unsigned bytes = room < LONGEST ? room : LONGEST;
    ZydisDecoderContext context;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
    uint8_t code[16] = {0};
    uint64_t begin = __rdtsc();

    *out = (struct rc_soft_insn){.length = 1};
    copy_code(decoder, code, address, bytes);
    ZyanStatus status =
        ZydisDecoderDecodeInstruction(&decoder->zydis, &context, code, bytes, &insn);
    if (status == ZYDIS_STATUS_NO_MORE_DATA && bytes < LONGEST) {
        copy_code(decoder, code, address, LONGEST);
        status = ZydisDecoderDecodeInstruction(&decoder->zydis, &context, code, LONGEST,
                                               &insn);
    }
    if (ZYAN_SUCCESS(status) &&
        ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoder->zydis, &context, &insn,
                                                operand, insn.operand_count)))
        rc_soft_classify(decoder->mnemonic, address, &insn, operand, out);
    else
        out->bump[out->bump_count++] = (struct rc_soft_bump){RC_SOFT_INSTRUCTIONS, 1};
    out->address = address;
    for (unsigned i = 0; i < out->length; i++)
        out->code[i] = code[i];
    decoder->decodes++;
    decoder->ticks += __rdtsc() - begin;
}

struct rc_soft_insn *rc_soft_decode(struct rc_soft_decoder *decoder, uint64_t address)
{
    uint64_t hash = (address * UINT64_C(0x9e3779b97f4a7c15)) >> 40;
    struct rc_soft_insn *home = &decoder->slot[hash % RC_SOFT_DECODED];

    for (unsigned i = 0; i < PROBES; i++) {
        struct rc_soft_insn *slot = &decoder->slot[(hash + i) % RC_SOFT_DECODED];
        if (slot->address == address && is_as_decoded(decoder, slot))
            return slot;
        if (slot->address == address || slot->address == 0) {
            home = slot;
            break;
        }
    }
    decode_into(decoder, address, home);
    return home;
}
