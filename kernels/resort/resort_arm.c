/* The loops of the re-sorts for aarch64, in inline assembly.  On processors that no
 * assembly was written for, NULL says that the loops are compiled.
 */
#include "kernels/resort/resort.h"

#if defined(__aarch64__)

/* The end of a loop, whose steps are in two registers. */
#define LEVEL(label, in_step, out_step, counter)                                       \
    "add %[in], %[in], " in_step "\n\t"                                                \
    "add %[out], %[out], " out_step "\n\t"                                             \
    "subs %[" counter "], %[" counter "], 1\n\t"                                       \
    "b.ne " label "b\n\t"

#define STEPS(level, in_step, out_step)                                                \
    "ldr " in_step ", [%[w], %[in_step] + 8 * " level "]\n\t"                          \
    "ldr " out_step ", [%[w], %[out_step] + 8 * " level "]\n\t"

#define LOOPS(body)                                                                    \
    "cbz %[n], 9f\n"                                                                   \
    "1:\n\t"                                                                           \
    "ldr %[t], [%[work]]\n\t"                                                          \
    "add %[w], %[work], %[nest]\n\t"                                                   \
    "ldr x16, [%[t]]\n\t"                                                              \
    "add x16, x16, 1\n\t"                                                              \
    "str x16, [%[t]]\n"                                                                \
    "2:\n\t"                                                                           \
    "ldr %[in], [%[w], %[in_at]]\n\t"                                                  \
    "ldr %[out], [%[w], %[out_at]]\n\t"                                                \
    "ldr %[is], [%[w], %[in_step]]\n\t"                                                \
    "ldr %[os], [%[w], %[out_step]]\n\t" STEPS("1", "x4", "x5") STEPS("2", "x6", "x7") \
        STEPS("3", "x8", "x9")                                                         \
            STEPS("4", "x10",                                                          \
                  "x11") "ldr x12, [%[w], %[count]]\n\t"                               \
                         "ldr x13, [%[w], %[count] + 8]\n\t"                           \
                         "ldr x14, [%[w], %[count] + 16]\n\t"                          \
                         "ldr x15, [%[w], %[count] + 24]\n\t"                          \
                         "ldr %[k4], [%[w], %[count] + 32]\n"                          \
                         "3:\n\t"                                                      \
                         "mov %[k3], x15\n"                                            \
                         "4:\n\t"                                                      \
                         "mov %[k2], x14\n"                                            \
                         "5:\n\t"                                                      \
                         "mov %[k1], x13\n"                                            \
                         "6:\n\t"                                                      \
                         "mov %[t], x12\n"                                             \
                         "7:\n\t" body "add %[in], %[in], %[is]\n\t"                   \
                         "add %[out], %[out], %[os]\n\t"                               \
                         "subs %[t], %[t], 1\n\t"                                      \
                         "b.ne 7b\n\t" LEVEL("6", "x4", "x5", "k1")                    \
                             LEVEL("5", "x6", "x7", "k2") LEVEL("4", "x8", "x9", "k3") \
                                 LEVEL("3", "x10", "x11",                              \
                                       "k4") "add %[w], %[w], %[bytes]\n\t"            \
                                             "ldr %[t], [%[w], %[in_at]]\n\t"          \
                                             "cbnz %[t], 2b\n\t"                       \
                                             "subs %[n], %[n], 1\n\t"                  \
                                             "b.ne 1b\n"                               \
                                             "9:\n\t"

#define DATA
#define DATA_OUT
#define CLOBBERS                                                                       \
    "v0", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",       \
        "x15", "x16", "x17"
#include "kernels/resort/resort_loops.h"

LOOPS_FUNCTION(loops_8,
               "ldr d0, [%[in]]\n\t"
               "str d0, [%[out]]\n\t",
               "")
LOOPS_FUNCTION(loops_16,
               "ldr q0, [%[in]]\n\t"
               "str q0, [%[out]]\n\t",
               "")
LOOPS_FUNCTION(loops_8_nt,
               "ldp w16, w17, [%[in]]\n\t"
               "stnp w16, w17, [%[out]]\n\t",
               "dmb ish")
LOOPS_FUNCTION(loops_16_nt,
               "ldp x16, x17, [%[in]]\n\t"
               "stnp x16, x17, [%[out]]\n\t",
               "dmb ish")

RC_RESORT_TABLE;

const struct rc_resort_cost rc_resort_element = {6, 1, 1, 3, 0};
const struct rc_resort_cost rc_resort_loop = {5, 0, 0, 3, 1};
const struct rc_resort_cost rc_resort_nest_cost = {20, 18, 0, 1, 0};
const struct rc_resort_cost rc_resort_iteration = {7, 2, 1, 3, 0};

#elif !defined(__x86_64__)

void (*const rc_resort_loops[RC_RESORT_BODIES])(const struct rc_resort_work *work,
                                                uint64_t iterations);
const struct rc_resort_cost rc_resort_element, rc_resort_loop, rc_resort_nest_cost,
    rc_resort_iteration;

#endif
