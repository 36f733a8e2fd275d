/* events.h - the events of the soft source: one table of counters
 *
 * Every counter is an event and every event a counter.  First come those
 * named below, then one for each Zydis instruction category, then one for each
 * Zydis ISA set, so that the list is the same wherever this build runs.
 */
#ifndef RC_CAMPAIGN_SOURCES_SOFT_EVENTS_H
#define RC_CAMPAIGN_SOURCES_SOFT_EVENTS_H

#include "campaign/sources/source.h"

#include <stddef.h>

/* Scalar, 128, 256, 512 bit, each without and with FMA: classify.c computes indices by
 * this order.
 */
#define RC_SOFT_FP(X, P, p, words)                                                     \
    X(FP_##P##_SCALAR, "fp_" p "_scalar", words " scalar arithmetic, not FMA")         \
    X(FP_##P##_SCALAR_FMA, "fp_" p "_scalar_fma", words " scalar FMA")                 \
    X(FP_##P##_128, "fp_" p "_128", words " 128-bit arithmetic, not FMA")              \
    X(FP_##P##_128_FMA, "fp_" p "_128_fma", words " 128-bit FMA")                      \
    X(FP_##P##_256, "fp_" p "_256", words " 256-bit arithmetic, not FMA")              \
    X(FP_##P##_256_FMA, "fp_" p "_256_fma", words " 256-bit FMA")                      \
    X(FP_##P##_512, "fp_" p "_512", words " 512-bit arithmetic, not FMA")              \
    X(FP_##P##_512_FMA, "fp_" p "_512_fma", words " 512-bit FMA")

#define RC_SOFT_FP_OF(X, P, p, words)                                                  \
    X(FP_##P##_ADD, "fp_" p "_add", words " additions and subtractions, any width")    \
    X(FP_##P##_MUL, "fp_" p "_mul", words " multiplications, any width")               \
    X(FP_##P##_DIV, "fp_" p "_div", words " divisions, any width")                     \
    X(FP_##P##_SQRT, "fp_" p "_sqrt", words " square roots, any width")                \
    X(FP_##P##_OPERATIONS, "fp_" p "_operations",                                      \
      words " operations: lanes, twice for an FMA or a dot product, masked or not")

#define RC_SOFT_BY_SIZE(X, A, a, words)                                                \
    X(A##_1, a "_1", words " of 1 byte")                                               \
    X(A##_2, a "_2", words " of 2 bytes")                                              \
    X(A##_4, a "_4", words " of 4 bytes")                                              \
    X(A##_8, a "_8", words " of 8 bytes")                                              \
    X(A##_16, a "_16", words " of 16 bytes")                                           \
    X(A##_32, a "_32", words " of 32 bytes")                                           \
    X(A##_64, a "_64", words " of 64 bytes")                                           \
    X(A##_OTHER, a "_other", words " of any other size")

/* X(symbol, name after "soft::", what it counts) */
#define RC_SOFT_EXACT(X)                                                               \
    X(INSTRUCTIONS, "instructions",                                                    \
      "instructions executed; a repeated string instruction is one")                   \
    RC_SOFT_FP(X, HP, "hp", "half precision")                                          \
    RC_SOFT_FP(X, SP, "sp", "single precision")                                        \
    RC_SOFT_FP(X, DP, "dp", "double precision")                                        \
    RC_SOFT_FP_OF(X, HP, "hp", "half precision")                                       \
    RC_SOFT_FP_OF(X, SP, "sp", "single precision")                                     \
    RC_SOFT_FP_OF(X, DP, "dp", "double precision")                                     \
    X(INT_SIMD_64, "int_simd_64", "integer SIMD instructions on MMX registers")        \
    X(INT_SIMD_128, "int_simd_128", "integer SIMD instructions of 128 bit")            \
    X(INT_SIMD_256, "int_simd_256", "integer SIMD instructions of 256 bit")            \
    X(INT_SIMD_512, "int_simd_512", "integer SIMD instructions of 512 bit")            \
    X(INT_ADD, "int_add", "integer additions, subtractions, comparisons")              \
    X(INT_MUL, "int_mul", "integer multiplications")                                   \
    X(INT_DIV, "int_div", "integer divisions")                                         \
    X(INT_LOGIC, "int_logic", "integer logic, shifts, rotations, bit tests")           \
    X(INT_SHIFT, "int_shift", "integer shifts and rotations: a part of int_logic")     \
    X(INT_COMPARE, "int_compare", "integer comparisons: a part of int_add")            \
    X(INT_MOV, "int_mov", "moves between general registers, and of constants to them") \
    X(INT_LEA, "int_lea", "address computations")                                      \
    X(LOADS, "loads", "instructions that load from memory")                            \
    X(STORES, "stores", "instructions that store to memory")                           \
    X(STREAMING_STORES, "streaming_stores",                                            \
      "stores past the caches (movnt...): a part of stores")                           \
    X(BYTES_LOADED, "bytes_loaded", "bytes loaded; masked-off elements are none")      \
    X(BYTES_STORED, "bytes_stored", "bytes stored; masked-off elements are none")      \
    RC_SOFT_BY_SIZE(X, LOAD, "load_accesses", "load accesses")                         \
    RC_SOFT_BY_SIZE(X, STORE, "store_accesses", "store accesses")                      \
    X(LOAD_LINE_CROSSINGS, "load_line_crossings", "load accesses over a line's end")   \
    X(LOAD_PAGE_CROSSINGS, "load_page_crossings", "load accesses over a page's end")   \
    X(STORE_LINE_CROSSINGS, "store_line_crossings",                                    \
      "store accesses over a line's end")                                              \
    X(STORE_PAGE_CROSSINGS, "store_page_crossings",                                    \
      "store accesses over a page's end")                                              \
    X(GATHERS, "gathers", "gather instructions")                                       \
    X(SCATTERS, "scatters", "scatter instructions")                                    \
    X(PREFETCHES, "prefetches", "software prefetch instructions")                      \
    X(LOCKED, "locked", "locked instructions, exchanges with memory included")         \
    X(STRING_ITERATIONS, "string_iterations", "iterations of string instructions")     \
    X(SYSCALLS, "syscalls", "system calls")                                            \
    X(BRANCHES, "branches", "branches, jumps, calls and returns")                      \
    X(BRANCH_CONDITIONAL, "branch_conditional", "conditional branches")                \
    X(BRANCH_TAKEN, "branch_taken", "conditional branches taken")                      \
    X(BRANCH_NOT_TAKEN, "branch_not_taken", "conditional branches not taken")          \
    X(BRANCH_DIRECT, "branch_direct", "unconditional direct jumps")                    \
    X(BRANCH_INDIRECT, "branch_indirect", "unconditional indirect jumps")              \
    X(CALLS, "calls", "calls, direct and indirect")                                    \
    X(CALLS_INDIRECT, "calls_indirect", "indirect calls")                              \
    X(RETURNS, "returns", "returns")

#define RC_SOFT_SIMULATED(X)                                                           \
    X(SIM_L1D_HIT, "sim_l1d_hit", "demand hits in the L1 data cache")                  \
    X(SIM_L1D_MISS, "sim_l1d_miss", "demand misses in the L1 data cache")              \
    X(SIM_L1D_LOAD_HIT, "sim_l1d_load_hit", "loads that hit the L1 data cache")        \
    X(SIM_L1D_LOAD_MISS, "sim_l1d_load_miss", "loads that miss the L1 data cache")     \
    X(SIM_L1D_STORE_HIT, "sim_l1d_store_hit", "stores that hit the L1 data cache")     \
    X(SIM_L1D_STORE_MISS, "sim_l1d_store_miss", "stores that miss the L1 data cache")  \
    X(SIM_L2_HIT, "sim_l2_hit", "demand hits in L2")                                   \
    X(SIM_L2_LOAD_HIT, "sim_l2_load_hit", "loads that hit in L2")                      \
    X(SIM_L2_MISS, "sim_l2_miss", "demand misses in L2")                               \
    X(SIM_L3_HIT, "sim_l3_hit", "demand hits in L3")                                   \
    X(SIM_L3_LOAD_HIT, "sim_l3_load_hit", "loads that hit in L3")                      \
    X(SIM_L3_MISS, "sim_l3_miss", "demand misses in L3")                               \
    X(SIM_L1D_WRITEBACKS, "sim_l1d_writebacks",                                        \
      "dirty lines written back from the L1 data cache")                               \
    X(SIM_L2_WRITEBACKS, "sim_l2_writebacks", "dirty lines written back from L2")      \
    X(SIM_L3_WRITEBACKS, "sim_l3_writebacks", "dirty lines written back from L3")      \
    X(SIM_MEMORY_READS, "sim_memory_reads", "64-byte transactions read from memory")   \
    X(SIM_MEMORY_WRITES, "sim_memory_writes",                                          \
      "64-byte transactions written to memory")                                        \
    X(SIM_MEMORY_DRAINED, "sim_memory_drained",                                        \
      "64-byte transactions written to memory, or left to be when counting ends")      \
    X(SIM_PREFETCH_FILLS, "sim_prefetch_fills",                                        \
      "lines that the next-line prefetcher asked for")                                 \
    X(SIM_L1I_HIT, "sim_l1i_hit", "lines of code entered that were in L1I")            \
    X(SIM_L1I_MISS, "sim_l1i_miss", "lines of code entered that were not in L1I")      \
    X(SIM_L2_CODE_HIT, "sim_l2_code_hit",                                              \
      "lines of code that missed L1I, found in L2")                                    \
    X(SIM_L2_CODE_MISS, "sim_l2_code_miss", "lines of code missed in L1I and in L2")   \
    X(SIM_DTLB_HIT, "sim_dtlb_hit", "data accesses that hit the data TLB")             \
    X(SIM_DTLB_MISS, "sim_dtlb_miss", "data accesses that miss the data TLB")          \
    X(SIM_BRANCH_PREDICTED, "sim_branch_predicted",                                    \
      "conditional branches predicted correctly")                                      \
    X(SIM_BRANCH_MISPREDICTED, "sim_branch_mispredicted",                              \
      "conditional branches mispredicted")                                             \
    X(SIM_BRANCH_WRONG_PATH, "sim_branch_wrong_path",                                  \
      "conditional branches executed on a wrong path, never retired")                  \
    X(SIM_BRANCH_EXECUTED, "sim_branch_executed",                                      \
      "conditional branches executed, wrong paths included")

enum rc_soft_event {
#define X(symbol, name, what) RC_SOFT_##symbol,
    RC_SOFT_EXACT(X) RC_SOFT_SIMULATED(X)
#undef X
        RC_SOFT_NAMED_COUNT
};

/* Room for all events of any Zydis this builds with; checked in events.c. */
#define RC_SOFT_EVENT_MAX 640

size_t rc_soft_event_count(void);

/* The event that counts the instructions of a Zydis category, or of an ISA set. */
uint16_t rc_soft_event_of_category(unsigned category);
uint16_t rc_soft_event_of_isa_set(unsigned isa_set);

/* Passes all events on, in the order of their numbers. */
int rc_soft_events_enumerate(struct rc_source_state *state,
                             const struct rc_enumerate *what,
                             struct rc_event_sink *sink, struct rc_error *err);

#endif
