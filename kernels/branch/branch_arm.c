/* The loops of the suite 'branch' for aarch64, in inline assembly. */
#include "kernels/branch/branch.h"

#ifdef __aarch64__

/* The same as in branch_x86.c, which has the reasons. */
#define PASS "add %[count], %[count], #1\n"
#define WRONG "add %[wrong], %[wrong], #1\n"
#define BACK                                                                           \
    "subs %[n], %[n], #1\n"                                                            \
    "b.ne 1b\n"
#define JUMP(to) "b " to "\n"
#define HALF(to) "cmp %[n], %[half]\nb.ls " to "\n"
#define NEVER(to) "cbz %[n], " to "\n"
#define ALWAYS(to) "cbnz %[n], " to "\n"
#define RANDOM(to)                                                                     \
    "lsr %[bit], %[n], #6\n"                                                           \
    "and %[bit], %[bit], #4095\n"                                                      \
    "ldr %[word], [%[bits], %[bit], lsl #3]\n"                                         \
    "lsr %[word], %[word], %[n]\n"                                                     \
    "tbnz %[word], #0, " to "\n"
#define WORK                                                                           \
    "3:\n"                                                                             \
    ".rept 32\n"                                                                       \
    "mul %[work], %[work], %[three]\n"                                                 \
    ".endr\n"

#include "kernels/branch/branch_loops.h"

/* The random branch has five instructions here (three INT_LOGIC, one of LOADS), and the
 * branches that test n need no comparison.
 */
const struct rc_branch_code rc_branch_code[RC_BRANCH_POINTS] = {
    {halves, .ins = 4.5, .int_add = 2.5},
    {never, .ins = 4, .int_add = 2},
    {always, .ins = 3, .int_add = 1},
    {random_work, 39.5, 1.5, 3, 0, RC_BRANCH_WORK, 1},
    {random_work_not_taken, 40.5, 2, 3, 0, RC_BRANCH_WORK, 1},
    {random_work_taken, 40, 1.5, 3, 0, RC_BRANCH_WORK, 1},
    {random_alone, 7.5, 1.5, 3, 0, 0, 1},
    {random_not_taken, 8.5, 2, 3, 0, 0, 1},
    {random_taken, 8, 1.5, 3, 0, 0, 1},
    {goto_, .ins = 4, .int_add = 1},
    {loop, .ins = 2, .int_add = 1},
};

#endif
