/* The loops of suites 'blas' and 'memory' for aarch64, in inline assembly. */
#include "kernels/blas/blas_loops.h"

#if defined(__aarch64__)

#define VECTORS "v0", "v1", "v2"
#include "kernels/blas/blas_loops_code.h"

/* Goes on to the next copy of the operands and back to label 1. */
#define NEXT_COPY                                                                      \
    "ldr %[a], [%[w], %[step]]\n\t"                                                    \
    "add %[copy], %[copy], %[a]\n\t"                                                   \
    "ldr %[a], [%[w], %[end]]\n\t"                                                     \
    "cmp %[copy], %[a]\n\t"                                                            \
    "ldr %[a], [%[w], %[first]]\n\t"                                                   \
    "csel %[copy], %[a], %[copy], eq\n\t"                                              \
    "subs %[n], %[n], 1\n\t"                                                           \
    "b.ne 1b\n"

/* 'r' is the letter of the scalar registers: s or d. */
#define NEST(r, bytes)                                                                 \
    "cbz %[n], 9f\n\t"                                                                 \
    "ldr %[bs], [%[w], %[b_step]]\n"                                                   \
    "1:\n\t"                                                                           \
    "mov %[row], 0\n\t"                                                                \
    "ldr %[i], [%[w], %[rows]]\n\t"                                                    \
    "ldr %[c], [%[w], %[c_offset]]\n\t"                                                \
    "add %[c], %[c], %[copy]\n"                                                        \
    "2:\n\t"                                                                           \
    "ldr %[col], [%[w], %[b_offset]]\n\t"                                              \
    "add %[col], %[col], %[copy]\n\t"                                                  \
    "ldr %[j], [%[w], %[cols]]\n"                                                      \
    "3:\n\t"                                                                           \
    "add %[a], %[copy], %[row]\n\t"                                                    \
    "mov %[b], %[col]\n\t"                                                             \
    "ldr %[k], [%[w], %[depth]]\n\t"                                                   \
    "ldr " r "0, [%[c]]\n"                                                             \
    "4:\n\t"                                                                           \
    "ldr " r "1, [%[a]], " bytes "\n\t"                                                \
    "ldr " r "2, [%[b]]\n\t"                                                           \
    "add %[b], %[b], %[bs]\n\t"                                                        \
    "fmul " r "1, " r "1, " r "2\n\t"                                                  \
    "fadd " r "0, " r "0, " r "1\n\t"                                                  \
    "subs %[k], %[k], 1\n\t"                                                           \
    "b.ne 4b\n\t"                                                                      \
    "str " r "0, [%[c]], " bytes "\n\t"                                                \
    "add %[col], %[col], " bytes "\n\t"                                                \
    "subs %[j], %[j], 1\n\t"                                                           \
    "b.ne 3b\n\t"                                                                      \
    "ldr %[a], [%[w], %[a_step]]\n\t"                                                  \
    "add %[row], %[row], %[a]\n\t"                                                     \
    "ldr %[a], [%[w], %[a_bytes]]\n\t"                                                 \
    "cmp %[row], %[a]\n\t"                                                             \
    "csel %[row], xzr, %[row], eq\n\t"                                                 \
    "subs %[i], %[i], 1\n\t"                                                           \
    "b.ne 2b\n\t" NEXT_COPY "9:"

#define NEST_COST                                                                      \
    .operation = {12, 5, 0, 4, 0, 1}, .row = {10, 4, 0, 4, 0, 0},                      \
    .element = {8, 2, 1, 3, 0, 1}, .step = {7, 2, 0, 2, 0, 0}

NEST_FUNCTION(nest_sp, "s", "4")
NEST_FUNCTION(nest_dp, "d", "8")

/* Adding 1 to the bits of A's last element marks the operation: blas_loops.c. */
#define STREAM(part)                                                                   \
    "cbz %[n], 9f\n\t"                                                                 \
    "ldr q1, [%[w], %[scale]]\n"                                                       \
    "1:\n\t"                                                                           \
    "ldr %[b], [%[w], %[b_offset]]\n\t"                                                \
    "add %[b], %[b], %[copy]\n\t"                                                      \
    "ldr %[c], [%[w], %[c_offset]]\n\t"                                                \
    "add %[c], %[c], %[copy]\n\t"                                                      \
    "ldr %[k], [%[w], %[a_bytes]]\n\t"                                                 \
    "add %[k], %[k], %[copy]\n\t"                                                      \
    "ldr %[a], [%[k], -8]\n\t"                                                         \
    "add %[a], %[a], 1\n\t"                                                            \
    "str %[a], [%[k], -8]\n\t"                                                         \
    "mov %[a], %[copy]\n"                                                              \
    "2:\n\t" part part part part "cmp %[a], %[k]\n\t"                                  \
    "b.ne 2b\n\t" NEXT_COPY "9:"

#define STREAM_COST .operation = {18, 7, 1, 7, 0, 1}

#define LOAD "ldr q0, [%[a]], 16\n\t"
#define LOAD_B "ldr q2, [%[b]], 16\n\t"
#define STORE "str q0, [%[c]], 16\n\t"
#define COPY LOAD STORE
#define SCALE LOAD "fmul v0.2d, v0.2d, v1.2d\n\t" STORE
#define ADD LOAD LOAD_B "fadd v0.2d, v0.2d, v2.2d\n\t" STORE
#define TRIAD                                                                          \
    LOAD LOAD_B "fmul v2.2d, v2.2d, v1.2d\n\t"                                         \
                "fadd v0.2d, v0.2d, v2.2d\n\t" STORE

STREAM_FUNCTION(stream_copy, COPY)
STREAM_FUNCTION(stream_scale, SCALE)
STREAM_FUNCTION(stream_add, ADD)
STREAM_FUNCTION(stream_triad, TRIAD)

/* The first word of C counts the operations. */
#define SWEEP(line, end)                                                               \
    "cbz %[n], 9f\n"                                                                   \
    "1:\n\t"                                                                           \
    "ldr %[c], [%[w], %[c_offset]]\n\t"                                                \
    "add %[c], %[c], %[copy]\n\t"                                                      \
    "ldr %[b], [%[c]]\n\t"                                                             \
    "add %[b], %[b], 1\n\t"                                                            \
    "str %[b], [%[c]]\n\t"                                                             \
    "ldr %[k], [%[w], %[a_bytes]]\n\t"                                                 \
    "add %[k], %[k], %[copy]\n\t"                                                      \
    "mov %[a], %[copy]\n"                                                              \
    "2:\n\t" line "add %[a], %[a], 64\n\t"                                             \
    "cmp %[a], %[k]\n\t"                                                               \
    "b.ne 2b\n\t" end NEXT_COPY "9:"

#define SWEEP_COST .operation = {16, 6, 1, 6, 0, 1}
#define SWEEP_READ_COST .operation = {17, 6, 2, 6, 0, 1}

#define WORDS(word)                                                                    \
    word("0") word("8") word("16") word("24") word("32") word("40") word("48")         \
        word("56")
#define READ(x) "ldr %[i], [%[a], " x "]\n\t"
#define WRITE(x) "str %[b], [%[a], " x "]\n\t"
#define UPDATE(x) READ(x) "add %[i], %[i], 1\n\tstr %[i], [%[a], " x "]\n\t"
#define KEEP_READ "str %[i], [%[c], 8]\n\t"

LINES_FUNCTION(sweep_read, SWEEP(WORDS(READ), KEEP_READ))
LINES_FUNCTION(sweep_write, SWEEP(WORDS(WRITE), ""))
LINES_FUNCTION(sweep_update, SWEEP(WORDS(UPDATE), ""))
LINES_FUNCTION(sweep_read_line, SWEEP(READ("56"), KEEP_READ))
LINES_FUNCTION(sweep_write_line, SWEEP(WRITE("56"), ""))
LINES_FUNCTION(sweep_update_line, SWEEP(UPDATE("56"), ""))

const struct rc_loop_code rc_loop_code[RC_LOOP_COUNT] = {
    [RC_LOOP_NEST_SP] = {nest_sp, NEST_COST},
    [RC_LOOP_NEST_DP] = {nest_dp, NEST_COST},
    [RC_LOOP_COPY] = {stream_copy, STREAM_COST, .step = {10, 4, 4, 1, 0, 0}},
    [RC_LOOP_SCALE] = {stream_scale, STREAM_COST, .step = {14, 4, 4, 1, 0, 0}},
    [RC_LOOP_ADD] = {stream_add, STREAM_COST, .step = {18, 8, 4, 1, 0, 0}},
    [RC_LOOP_TRIAD] = {stream_triad, STREAM_COST, .step = {22, 8, 4, 1, 0, 0}},
    [RC_LOOP_READ] = {sweep_read, SWEEP_READ_COST, .step = {11, 8, 0, 2, 0, 0}},
    [RC_LOOP_WRITE] = {sweep_write, SWEEP_COST, .step = {11, 0, 8, 2, 0, 0}},
    [RC_LOOP_UPDATE] = {sweep_update, SWEEP_COST, .step = {27, 8, 8, 10, 0, 0}},
    [RC_LOOP_READ_LINE] = {sweep_read_line, SWEEP_READ_COST,
                           .step = {4, 1, 0, 2, 0, 0}},
    [RC_LOOP_WRITE_LINE] = {sweep_write_line, SWEEP_COST, .step = {4, 0, 1, 2, 0, 0}},
    [RC_LOOP_UPDATE_LINE] = {sweep_update_line, SWEEP_COST, .step = {6, 1, 1, 3, 0, 0}},
};

#endif
