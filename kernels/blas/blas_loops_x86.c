/* The loops of suites 'blas' and 'memory' for x86-64, in inline assembly. */
#include "kernels/blas/blas_loops.h"

#if defined(__x86_64__)

#define VECTORS "xmm0", "xmm1"
#include "kernels/blas/blas_loops_code.h"

/* Goes on to the next copy of the operands and back to label 1. */
#define NEXT_COPY                                                                      \
    "add %c[step](%[w]), %[copy]\n\t"                                                  \
    "mov %c[first](%[w]), %[a]\n\t"                                                    \
    "cmp %c[end](%[w]), %[copy]\n\t"                                                   \
    "cmove %[a], %[copy]\n\t"                                                          \
    "dec %[n]\n\t"                                                                     \
    "jnz 1b\n"

/* Row offsets of A wrap without a branch, so that every row costs the same. */
#define NEST(mov, mul, add, bytes)                                                     \
    "test %[n], %[n]\n\t"                                                              \
    "jz 9f\n\t"                                                                        \
    "mov %c[b_step](%[w]), %[bs]\n"                                                    \
    "1:\n\t"                                                                           \
    "xor %[row], %[row]\n\t"                                                           \
    "mov %c[rows](%[w]), %[i]\n\t"                                                     \
    "mov %c[c_offset](%[w]), %[c]\n\t"                                                 \
    "add %[copy], %[c]\n"                                                              \
    "2:\n\t"                                                                           \
    "mov %c[b_offset](%[w]), %[col]\n\t"                                               \
    "add %[copy], %[col]\n\t"                                                          \
    "mov %c[cols](%[w]), %[j]\n"                                                       \
    "3:\n\t"                                                                           \
    "lea (%[copy], %[row]), %[a]\n\t"                                                  \
    "mov %[col], %[b]\n\t"                                                             \
    "mov %c[depth](%[w]), %[k]\n\t" mov " (%[c]), %%xmm0\n"                            \
    "4:\n\t" mov " (%[a]), %%xmm1\n\t" mul " (%[b]), %%xmm1\n\t" add                   \
    " %%xmm1, %%xmm0\n\t"                                                              \
    "add $" bytes ", %[a]\n\t"                                                         \
    "add %[bs], %[b]\n\t"                                                              \
    "dec %[k]\n\t"                                                                     \
    "jnz 4b\n\t" mov " %%xmm0, (%[c])\n\t"                                             \
    "add $" bytes ", %[c]\n\t"                                                         \
    "add $" bytes ", %[col]\n\t"                                                       \
    "dec %[j]\n\t"                                                                     \
    "jnz 3b\n\t"                                                                       \
    "add %c[a_step](%[w]), %[row]\n\t"                                                 \
    "mov $0, %[a]\n\t"                                                                 \
    "cmp %c[a_bytes](%[w]), %[row]\n\t"                                                \
    "cmove %[a], %[row]\n\t"                                                           \
    "dec %[i]\n\t"                                                                     \
    "jnz 2b\n\t" NEXT_COPY "9:"

#define NEST_COST                                                                      \
    .operation = {10, 5, 0, 4, 1, 0}, .row = {9, 4, 0, 4, 0, 1},                       \
    .element = {9, 2, 1, 3, 0, 1}, .step = {7, 2, 0, 3, 0, 0}

NEST_FUNCTION(nest_sp, "movss", "mulss", "addss", "4")
NEST_FUNCTION(nest_dp, "movsd", "mulsd", "addsd", "8")

/* Adding 1 to the bits of A's last element marks the operation: blas_loops.c. */
#define STREAM(line)                                                                   \
    "test %[n], %[n]\n\t"                                                              \
    "jz 9f\n\t"                                                                        \
    "movapd %c[scale](%[w]), %%xmm1\n"                                                 \
    "1:\n\t"                                                                           \
    "mov %c[b_offset](%[w]), %[b]\n\t"                                                 \
    "add %[copy], %[b]\n\t"                                                            \
    "mov %c[c_offset](%[w]), %[c]\n\t"                                                 \
    "add %[copy], %[c]\n\t"                                                            \
    "mov %c[a_bytes](%[w]), %[k]\n\t"                                                  \
    "addq $1, -8(%[copy], %[k])\n\t"                                                   \
    "xor %[i], %[i]\n"                                                                 \
    "2:\n\t" line("0") line("16") line("32") line("48") "add $64, %[i]\n\t"            \
                                                        "cmp %[k], %[i]\n\t"           \
                                                        "jne 2b\n\t" NEXT_COPY "9:"

#define STREAM_COST .operation = {13, 7, 1, 6, 1, 0}

#define LOAD(x) "movapd " x "(%[copy], %[i]), %%xmm0\n\t"
#define STORE(x) "movapd %%xmm0, " x "(%[c], %[i])\n\t"
#define COPY(x) LOAD(x) STORE(x)
#define SCALE(x) LOAD(x) "mulpd %%xmm1, %%xmm0\n\t" STORE(x)
#define ADD(x) LOAD(x) "addpd " x "(%[b], %[i]), %%xmm0\n\t" STORE(x)
#define TRIAD(x)                                                                       \
    "movapd " x "(%[b], %[i]), %%xmm0\n\t"                                             \
    "mulpd %%xmm1, %%xmm0\n\t"                                                         \
    "addpd " x "(%[copy], %[i]), %%xmm0\n\t" STORE(x)

STREAM_FUNCTION(stream_copy, COPY)
STREAM_FUNCTION(stream_scale, SCALE)
STREAM_FUNCTION(stream_add, ADD)
STREAM_FUNCTION(stream_triad, TRIAD)

/* The first word of C counts the operations; 'store' puts it there. */
#define SWEEP(store, line, end)                                                        \
    "test %[n], %[n]\n\t"                                                              \
    "jz 9f\n"                                                                          \
    "1:\n\t"                                                                           \
    "mov %c[c_offset](%[w]), %[c]\n\t"                                                 \
    "add %[copy], %[c]\n\t"                                                            \
    "mov (%[c]), %[b]\n\t"                                                             \
    "add $1, %[b]\n\t" store " %[b], (%[c])\n\t"                                       \
    "mov %c[a_bytes](%[w]), %[k]\n\t"                                                  \
    "xor %[i], %[i]\n"                                                                 \
    "2:\n\t" line "add $64, %[i]\n\t"                                                  \
    "cmp %[k], %[i]\n\t"                                                               \
    "jne 2b\n\t" end NEXT_COPY "9:"

#define SWEEP_COST .operation = {13, 6, 1, 5, 1, 0}
#define SWEEP_END_COST(stores) .operation = {14, 6, 1 + (stores), 5, 1, 0}

#define WORDS(word)                                                                    \
    word("0") word("8") word("16") word("24") word("32") word("40") word("48")         \
        word("56")
#define READ(x) "mov " x "(%[copy], %[i]), %[a]\n\t"
#define WRITE(x) "mov %[b], " x "(%[copy], %[i])\n\t"
#define WRITE_NT(x) "movnti %[b], " x "(%[copy], %[i])\n\t"
/* One instruction would not do: some processors count it as a load and as a store, some
 * as neither.
 */
#define UPDATE(x) READ(x) "add $1, %[a]\n\tmov %[a], " x "(%[copy], %[i])\n\t"
#define KEEP_READ "mov %[a], 8(%[c])\n\t"

LINES_FUNCTION(sweep_read, SWEEP("mov", WORDS(READ), KEEP_READ))
LINES_FUNCTION(sweep_write, SWEEP("mov", WORDS(WRITE), ""))
LINES_FUNCTION(sweep_update, SWEEP("mov", WORDS(UPDATE), ""))
LINES_FUNCTION(sweep_write_nt, SWEEP("movnti", WORDS(WRITE_NT), "sfence\n\t"))
LINES_FUNCTION(sweep_read_line, SWEEP("mov", READ("56"), KEEP_READ))
LINES_FUNCTION(sweep_write_line, SWEEP("mov", WRITE("56"), ""))
LINES_FUNCTION(sweep_update_line, SWEEP("mov", UPDATE("56"), ""))

const struct rc_loop_code rc_loop_code[RC_LOOP_COUNT] = {
    [RC_LOOP_NEST_SP] = {nest_sp, NEST_COST},
    [RC_LOOP_NEST_DP] = {nest_dp, NEST_COST},
    [RC_LOOP_COPY] = {stream_copy, STREAM_COST, .step = {11, 4, 4, 2, 0, 0}},
    [RC_LOOP_SCALE] = {stream_scale, STREAM_COST, .step = {15, 4, 4, 2, 0, 0}},
    [RC_LOOP_ADD] = {stream_add, STREAM_COST, .step = {15, 8, 4, 2, 0, 0}},
    [RC_LOOP_TRIAD] = {stream_triad, STREAM_COST, .step = {19, 8, 4, 2, 0, 0}},
    [RC_LOOP_READ] = {sweep_read, SWEEP_END_COST(1), .step = {11, 8, 0, 2, 0, 0}},
    [RC_LOOP_WRITE] = {sweep_write, SWEEP_COST, .step = {11, 0, 8, 2, 0, 0}},
    [RC_LOOP_UPDATE] = {sweep_update, SWEEP_COST, .step = {27, 8, 8, 10, 0, 0}},
    [RC_LOOP_WRITE_NT] = {sweep_write_nt, SWEEP_END_COST(0),
                          .step = {11, 0, 8, 2, 0, 0}},
    [RC_LOOP_READ_LINE] = {sweep_read_line, SWEEP_END_COST(1),
                           .step = {4, 1, 0, 2, 0, 0}},
    [RC_LOOP_WRITE_LINE] = {sweep_write_line, SWEEP_COST, .step = {4, 0, 1, 2, 0, 0}},
    [RC_LOOP_UPDATE_LINE] = {sweep_update_line, SWEEP_COST, .step = {6, 1, 1, 3, 0, 0}},
};

#endif
