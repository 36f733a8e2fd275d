/* ideal.h - the ideal events: one list for all suites
 *
 * An ideal event is a concept that a kernel's work is counted in: "double
 * precision 256-bit FMA instructions", "demand hits in L2".  A suite's basis
 * consists of its own ideals; the exact ones are known on the points of every
 * suite.  Adding one is one line in the table below.
 *
 * The instructions that the exact ideals mean, by mnemonic:  An instruction is in
 * at most one of the INT_ classes; memory operands count beside them, so that
 * "add (%rsi), %rax" is one INT_ADD and one of LOADS.
 *
 *   INT_ADD    x86-64: add adc sub sbb inc dec neg cmp
 *              aarch64: add sub cmp cmn neg, with or without flags
 *   INT_MUL    x86-64: imul mul mulx; aarch64: mul madd msub smulh umulh
 *   INT_LOGIC  x86-64: and or xor not test andn, shl shr sar rol ror shlx shrx
 *              sarx rorx, bt
 *              aarch64: and orr eor bic mvn tst, lsl lsr asr ror
 *   INT_MOV    x86-64: mov movzx movsx movsxd without a memory operand
 *              aarch64: mov movz movn movk
 *   LOADS      every instruction that reads data memory, once however much it
 *              reads: push and call are none, pop and ret are one each;
 *              prefetches and lea are none
 *   STORES     every instruction that writes data memory, push and call too
 *   CR, T      conditional branches (x86-64: jcc, jrcxz, loop; aarch64: b.cond
 *              cbz cbnz tbz tbnz), and those of them that were taken
 *   D          unconditional direct jumps (x86-64: jmp to a label; aarch64: b);
 *              calls and returns are none
 *   S_.. D_..  floating-point arithmetic: add sub mul div sqrt min max; the FMA
 *              forms in SF_.. DF_.. only, each counted once
 *   OPS_..     floating-point operations of S_.. D_.. SF_.. DF_..: one for each
 *              element of a vector, two where the instruction is an FMA
 *   INS        every instruction
 *
 * Useful work (B_STREAM, B_ALLOC, B_ONCE, OPS_USEFUL) is said of kernels that a
 * compiler made.  B_STREAM counts an array that is read or written once each, B_ALLOC
 * also reads each line that is written, unless stores go past the caches, and B_ONCE
 * counts a byte that is copied once instead of twice.
 */
#ifndef RC_KERNELS_IDEAL_H
#define RC_KERNELS_IDEAL_H

#include "campaign/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* X(symbol, suite it is a basis vector of or "", exact, what it counts).  Exact: it
 * follows from the instruction stream alone, the same on every machine.
 */
#define RC_IDEALS(X)                                                                   \
    X(S_SCAL, "flops", true, "single precision scalar instructions, not FMA")          \
    X(S_128, "flops", true, "single precision 128-bit instructions, not FMA")          \
    X(S_256, "flops", true, "single precision 256-bit instructions, not FMA")          \
    X(S_512, "flops", true, "single precision 512-bit instructions, not FMA")          \
    X(D_SCAL, "flops", true, "double precision scalar instructions, not FMA")          \
    X(D_128, "flops", true, "double precision 128-bit instructions, not FMA")          \
    X(D_256, "flops", true, "double precision 256-bit instructions, not FMA")          \
    X(D_512, "flops", true, "double precision 512-bit instructions, not FMA")          \
    X(SF_SCAL, "flops", true, "single precision scalar FMA instructions")              \
    X(SF_128, "flops", true, "single precision 128-bit FMA instructions")              \
    X(SF_256, "flops", true, "single precision 256-bit FMA instructions")              \
    X(SF_512, "flops", true, "single precision 512-bit FMA instructions")              \
    X(DF_SCAL, "flops", true, "double precision scalar FMA instructions")              \
    X(DF_128, "flops", true, "double precision 128-bit FMA instructions")              \
    X(DF_256, "flops", true, "double precision 256-bit FMA instructions")              \
    X(DF_512, "flops", true, "double precision 512-bit FMA instructions")              \
    X(CE, "branch", false, "conditional branches executed, speculation included")      \
    X(CR, "branch", true, "conditional branches retired")                              \
    X(T, "branch", true, "conditional branches taken")                                 \
    X(D, "branch", true, "unconditional direct branches")                              \
    X(M, "branch", false, "conditional branches mispredicted")                         \
    X(L1DM, "dcache", false, "loads that miss in the L1 data cache")                   \
    X(L1DH, "dcache", false, "loads that hit in the L1 data cache")                    \
    X(L2DH, "dcache", false, "demand hits in L2")                                      \
    X(L3DH, "dcache", false, "demand hits in L3")                                      \
    X(L1DWH, "dcache-write", false, "stores that hit in the L1 data cache")            \
    X(L1DWM, "dcache-write", false, "stores that miss in the L1 data cache")           \
    X(L1WB, "dcache-write", false, "dirty lines written back from the L1 data cache")  \
    X(L2WB, "dcache-write", false, "dirty lines written back from L2")                 \
    X(L3WB, "dcache-write", false, "dirty lines written back from L3")                 \
    X(L1IM, "icache", false, "lines of code entered that were not in the L1I cache")   \
    X(L1IH, "icache", false, "lines of code entered that were in the L1I cache")       \
    X(L2IH, "icache", false, "lines of code that missed L1I and hit in L2")            \
    X(AH, "gpu-flops", true, "half precision additions")                               \
    X(AS, "gpu-flops", true, "single precision additions")                             \
    X(AD, "gpu-flops", true, "double precision additions")                             \
    X(SH, "gpu-flops", true, "half precision subtractions")                            \
    X(SS, "gpu-flops", true, "single precision subtractions")                          \
    X(SD, "gpu-flops", true, "double precision subtractions")                          \
    X(MH, "gpu-flops", true, "half precision multiplications")                         \
    X(MS, "gpu-flops", true, "single precision multiplications")                       \
    X(MD, "gpu-flops", true, "double precision multiplications")                       \
    X(SQH, "gpu-flops", true, "half precision square roots")                           \
    X(SQS, "gpu-flops", true, "single precision square roots")                         \
    X(SQD, "gpu-flops", true, "double precision square roots")                         \
    X(FH, "gpu-flops", true, "half precision FMAs")                                    \
    X(FS, "gpu-flops", true, "single precision FMAs")                                  \
    X(FD, "gpu-flops", true, "double precision FMAs")                                  \
    X(INT_ADD, "instructions", true, "integer additions, subtractions, comparisons")   \
    X(INT_MUL, "instructions", true, "integer multiplications")                        \
    X(INT_LOGIC, "instructions", true, "integer logic, shifts, rotations, bit tests")  \
    X(INT_MOV, "instructions", true, "integer moves between registers, of constants")  \
    X(LOADS, "instructions", true, "instructions that load from memory")               \
    X(STORES, "instructions", true, "instructions that store to memory")               \
    X(OPS_SP, "blas", true, "single precision floating-point operations")              \
    X(OPS_DP, "blas", true, "double precision floating-point operations")              \
    X(MEM_RD, "memory", false, "64-byte transactions read from memory")                \
    X(MEM_WR, "memory", false, "64-byte transactions written to memory")               \
    X(INS, "", true, "instructions")                                                   \
    X(CYC, "", false, "core cycles, by a stated model of the core")                    \
    X(CHAIN, "cycles", false, "cycles of additions that wait for each other, 1 each")  \
    X(B_STREAM, "", false, "bytes that the loop names, each array once")               \
    X(B_ALLOC, "", false, "and lines that are read before they are written")           \
    X(B_ONCE, "", false, "bytes that the loop names, a copied one once")               \
    X(OPS_USEFUL, "", false, "operations that the algorithm names")

enum rc_ideal {
#define X(symbol, suite, exact, summary) RC_IDEAL_##symbol,
    RC_IDEALS(X)
#undef X
        RC_IDEAL_COUNT
};

const char *rc_ideal_name(enum rc_ideal ideal);    /* "S_SCAL" */
const char *rc_ideal_suite(enum rc_ideal ideal);   /* "flops", or "" */
const char *rc_ideal_summary(enum rc_ideal ideal); /* what it counts */
bool rc_ideal_exact(enum rc_ideal ideal);

/* Whether it is useful work: what an algorithm asks for, by a convention, whatever
 * instructions a compiler makes of it.
 */
bool rc_ideal_useful(enum rc_ideal ideal);

/* The ideal of that name, or RC_IDEAL_COUNT, which is in no suite and not exact. */
enum rc_ideal rc_ideal_find(const char *name);

/* The same for a word of 'length' bytes.  RC_EUSAGE: there is no such ideal; the
 * message names the nearest one, or says 'otherwise' where none is near.
 */
int rc_ideal_read(const char *word, size_t length, const char *otherwise,
                  enum rc_ideal *out, struct rc_error *err);

#endif
