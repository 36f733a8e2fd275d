/* insn.h - an instruction decoded once, in the form that counting needs
 *
 * Private to the soft source.  Everything but init() and fini() is safe in a
 * signal handler: nothing is allocated, nothing is printed, no lock is taken.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_INSN_H
#define RC_CAMPAIGN_SOURCES_SOFT_INSN_H

#include "campaign/base/error.h"
#include "campaign/sources/soft/events.h"

#include <Zydis/Zydis.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Where execution continues after an instruction. */
enum rc_soft_branch {
    RC_SOFT_BRANCH_NONE,     /* at the next one */
    RC_SOFT_BRANCH_IF,       /* conditional */
    RC_SOFT_BRANCH_JUMP,     /* direct */
    RC_SOFT_BRANCH_CALL,     /* direct */
    RC_SOFT_BRANCH_ELSEWHERE /* where registers or memory say */
};

/* 0 to 15 are the condition codes of the instruction set. */
enum rc_soft_condition {
    RC_SOFT_LOOPNE = 16,
    RC_SOFT_LOOPE,
    RC_SOFT_LOOP,
    RC_SOFT_IF_RCX_ZERO
};

/* Instructions that need care when they are stepped with the trap flag. */
enum rc_soft_special {
    RC_SOFT_ORDINARY,
    RC_SOFT_PUSHF,   /* stores the flags, the trap flag among them */
    RC_SOFT_SYSCALL, /* the trap comes one instruction late */
    RC_SOFT_SHADOW   /* likewise: mov ss, pop ss, int n, sti */
};

/* How the stepper executes an instruction: direct.h. */
enum rc_soft_way {
    RC_SOFT_WAY_TRAP,   /* in its place, with the trap flag set */
    RC_SOFT_WAY_COPY,   /* as a copy, with the general registers switched */
    RC_SOFT_WAY_VECTOR, /* as a copy, with the vector registers switched, too */
    RC_SOFT_WAY_BRANCH, /* direct branch: only its effect is worked out */
    RC_SOFT_WAY_TO,     /* likewise, a branch to where a register or memory says */
    RC_SOFT_WAY_RETURN  /* likewise, a return */
};

/* Properties of an access; they add up. */
enum rc_soft_access_flags {
    RC_SOFT_IS_LOAD = 1,
    RC_SOFT_IS_STORE = 2,
    RC_SOFT_IS_PREFETCH = 4,
    RC_SOFT_IS_VECTOR = 8,       /* one access for each element of an index register */
    RC_SOFT_MASK_IS_K = 16,      /* 'mask' is k1 to k7 */
    RC_SOFT_MASK_IS_VECTOR = 32, /* 'mask' is a vector: the elements' top bits */
    RC_SOFT_IS_PACKED = 64,      /* active elements lie side by side */
    RC_SOFT_IS_STREAMING = 128   /* a store past the caches */
};

#define RC_SOFT_NO_REGISTER 0xff

/* How many decoded instructions are kept: a power of two, more than a point executes.
 */
#define RC_SOFT_DECODED 32768u

/* A memory operand.  Registers are numbered as instructions number them (rax,
 * rcx, rdx, rbx, rsp, ...).
 */
struct rc_soft_access {
    int64_t displacement;
    uint16_t bytes;                  /* of the access, or of one element of a gather */
    uint8_t base, index;             /* registers, or RC_SOFT_NO_REGISTER */
    uint8_t scale;                   /* of the index: 1, 2, 4, 8 */
    uint8_t segment;                 /* 0, or 'f' or 'g' */
    uint8_t address_bits;            /* 32 or 64 */
    uint8_t flags;                   /* enum rc_soft_access_flags */
    uint8_t elements, element_bytes; /* each bit of a mask is for one element */
    uint8_t index_bytes;             /* of an element of a vector index */
    uint8_t mask;                    /* number of the mask register */
};

/* A counter to raise, and by how much. */
struct rc_soft_bump {
    uint16_t event, amount;
};

#define RC_SOFT_BUMPS 16   /* at most, of one instruction */
#define RC_SOFT_ACCESSES 3 /* likewise */

/* A decoded instruction. */
struct rc_soft_insn {
    uint64_t address; /* 0: no instruction here */
    uint64_t target;  /* of direct branches */
    uint8_t code[16]; /* the bytes it was decoded from, 0 after 'length' */
    uint8_t length;
    uint8_t branch, condition, special, way; /* the enums above */
    uint8_t to;       /* register with the target, or none: a memory operand has it */
    uint8_t relative; /* offset of the distance to its operand in 'code'; 0: none */
    const uint8_t *copy; /* that can be executed; NULL: none yet */
    bool repeated;       /* string instruction with a rep prefix */
    bool string;         /* movs, stos, cmps and the like */
    bool narrow_count;   /* loop and rep by ecx, not rcx */
    bool call;           /* stores the address that it returns to */
    uint8_t bump_count, access_count;
    struct rc_soft_bump bump[RC_SOFT_BUMPS];
    struct rc_soft_access access[RC_SOFT_ACCESSES];
};

/* Properties that follow from a mnemonic alone, worked out once for all mnemonics. */
struct rc_soft_mnemonic {
    uint8_t precision; /* 0: not FP arithmetic; 'h', 's', 'd' */
    bool scalar, fma, twice;
    uint16_t operation;  /* a counter such as FP_HP_DIV, for half precision, or 0 */
    uint16_t integer[2]; /* counters such as INT_LOGIC and INT_SHIFT, or 0 */
    bool integer_vector; /* named (v)p... or one of the cryptographic ones */
    uint8_t index_bytes; /* of gathers and scatters */
    bool streaming;      /* if it stores, then past the caches: movnt... */
};

/* The table of decoded instructions. */
struct rc_soft_decoder {
    ZydisDecoder zydis;
    struct rc_soft_mnemonic *mnemonic; /* by ZydisMnemonic */
    struct rc_soft_insn *slot;         /* by a hash of the address */
    uint64_t decodes;                  /* instructions decoded */
    uint64_t ticks;                    /* of the time stamp counter, spent on these */
    pid_t other; /* a thread of the process with the code; 0: this process */
};

/* rc_soft_decoder_fini() after success; on failure nothing is left. */
int rc_soft_decoder_init(struct rc_soft_decoder *decoder, struct rc_error *err);
void rc_soft_decoder_fini(struct rc_soft_decoder *decoder);

/* The instruction at 'address'; all bytes that the processor would fetch must be
 * readable.  Never NULL; bytes that are not an instruction come out as one of length 1.
 * Valid until the next call.
 */
struct rc_soft_insn *rc_soft_decode(struct rc_soft_decoder *decoder, uint64_t address);

/* classify.c: fills all of 'out' but address and code. */
void rc_soft_classify(const struct rc_soft_mnemonic *mnemonics, uint64_t address,
                      const ZydisDecodedInstruction *insn,
                      const ZydisDecodedOperand *operand, struct rc_soft_insn *out);
void rc_soft_mnemonics(struct rc_soft_mnemonic *table); /* fills it */

/* way.c: how the instruction is to be executed */
void rc_soft_find_way(const ZydisDecodedInstruction *insn,
                      const ZydisDecodedOperand *operand, struct rc_soft_insn *out);

#endif
