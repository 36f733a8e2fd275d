/* The loops of the re-sorts for x86-64, in inline assembly.
 *
 * From the first element of a nest to its last only elements are loaded: steps and
 * counts of the loops are in vector registers that the body does not use.
 */
#include "kernels/resort/resort.h"

#if defined(__x86_64__)

#define AT(member) "%c[" #member "](%[w])"

/* The end of a loop: steps on, by vector registers 'in_step' and 'out_step', and goes
 * back to 'label'.  %[t] is the counter of the innermost loop, which is free here.
 */
#define LEVEL(label, in_step, out_step, counter)                                       \
    "movq %%xmm" in_step ", %[t]\n\t"                                                  \
    "add %[t], %[in]\n\t"                                                              \
    "movq %%xmm" out_step ", %[t]\n\t"                                                 \
    "add %[t], %[out]\n\t"                                                             \
    "dec %[" counter "]\n\t"                                                           \
    "jnz " label "b\n\t"

#define STEPS(level, in_step, out_step)                                                \
    "movq %c[in_step]+8*" level "(%[w]), %%xmm" in_step "\n\t"                         \
    "movq %c[out_step]+8*" level "(%[w]), %%xmm" out_step "\n\t"

/* The nest is aligned as a whole: padding before an inner loop would be executed each
 * time that the loop begins.
 */
/* clang-format off */
#define LOOPS(body) \
    ".p2align 5\n\t" \
    "test %[n], %[n]\n\t" \
    "jz 9f\n" \
    "1:\n\t" \
    "mov (%[work]), %[t]\n\t" \
    "lea %c[nest](%[work]), %[w]\n\t" \
    "addq $1, (%[t])\n" \
    "2:\n\t" \
    "mov " AT(in_at) ", %[in]\n\t" \
    "mov " AT(out_at) ", %[out]\n\t" \
    "mov " AT(in_step) ", %[is]\n\t" \
    "mov " AT(out_step) ", %[os]\n\t" \
    STEPS("1", "1", "2") \
    STEPS("2", "3", "4") \
    STEPS("3", "5", "6") \
    STEPS("4", "7", "8") \
    "movq " AT(count) ", %%xmm9\n\t" \
    "movq %c[count]+8(%[w]), %%xmm10\n\t" \
    "movq %c[count]+16(%[w]), %%xmm11\n\t" \
    "movq %c[count]+24(%[w]), %%xmm12\n\t" \
    "mov %c[count]+32(%[w]), %[k4]\n" \
    "3:\n\t" \
    "movq %%xmm12, %[k3]\n" \
    "4:\n\t" \
    "movq %%xmm11, %[k2]\n" \
    "5:\n\t" \
    "movq %%xmm10, %[k1]\n" \
    "6:\n\t" \
    "movq %%xmm9, %[t]\n" \
    "7:\n\t" \
    body \
    "add %[is], %[in]\n\t" \
    "add %[os], %[out]\n\t" \
    "dec %[t]\n\t" \
    "jnz 7b\n\t" \
    LEVEL("6", "1", "2", "k1") \
    LEVEL("5", "3", "4", "k2") \
    LEVEL("4", "5", "6", "k3") \
    LEVEL("3", "7", "8", "k4") \
    "add %[bytes], %[w]\n\t" \
    "cmpq $0, " AT(in_at) "\n\t" \
    "jne 2b\n\t" \
    "dec %[n]\n\t" \
    "jnz 1b\n" \
    "9:\n\t"
/* clang-format on */

#define DATA uint64_t data;
#define DATA_OUT , [data] "=&r"(data)
#define CLOBBERS                                                                       \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",    \
        "xmm10", "xmm11", "xmm12"
#include "kernels/resort/resort_loops.h"

LOOPS_FUNCTION(loops_8,
               "movq (%[in]), %%xmm0\n\t"
               "movq %%xmm0, (%[out])\n\t",
               "")
LOOPS_FUNCTION(loops_16,
               "movups (%[in]), %%xmm0\n\t"
               "movups %%xmm0, (%[out])\n\t",
               "")
LOOPS_FUNCTION(loops_8_nt,
               "mov (%[in]), %[data]\n\t"
               "movnti %[data], (%[out])\n\t",
               "sfence")
LOOPS_FUNCTION(loops_16_nt,
               "movups (%[in]), %%xmm0\n\t"
               "movntps %%xmm0, (%[out])\n\t",
               "sfence")

RC_RESORT_TABLE;

const struct rc_resort_cost rc_resort_element = {6, 1, 1, 3, 0};
const struct rc_resort_cost rc_resort_loop = {7, 0, 0, 3, 0};
const struct rc_resort_cost rc_resort_nest_cost = {20, 18, 0, 2, 0};
const struct rc_resort_cost rc_resort_iteration = {5, 2, 1, 2, 0};

#endif
