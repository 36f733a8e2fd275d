/* The loops of the suite 'flops' for aarch64, in inline assembly. */
#include "kernels/flops/flops.h"

#ifdef __aarch64__

#include <stddef.h>

/* The same as flops_x86.c, with as many registers and instructions; the scalar forms
 * use the low element of the vectors.
 */
#define CLOBBERS                                                                       \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", \
        "memory", "cc"

#define MOVE_IN(byte, n) "ldr q" #n ", [%[data], #" #byte "]\n"
#define MOVE_OUT(byte, n) "str q" #n ", [%[data], #" #byte "]\n"
#define LOADS(u)                                                                       \
    MOVE_IN(0, 0)                                                                      \
    MOVE_IN(64, 1)                                                                     \
    MOVE_IN(128, 2)                                                                    \
    MOVE_IN(u, 3)                                                                      \
    MOVE_IN(u, 4)                                                                      \
    MOVE_IN(u, 5)                                                                      \
    MOVE_IN(384, 6)                                                                    \
    MOVE_IN(512, 7)                                                                    \
    MOVE_IN(448, 16)                                                                   \
    MOVE_IN(576, 17)                                                                   \
    MOVE_IN(640, 18)                                                                   \
    MOVE_IN(704, 19)                                                                   \
    MOVE_IN(768, 20)
#define STORES                                                                         \
    MOVE_OUT(192, 0)                                                                   \
    MOVE_OUT(256, 1)                                                                   \
    MOVE_OUT(320, 2)

#define BACK                                                                           \
    "subs %[n], %[n], #1\n"                                                            \
    "b.ne 1b\n"

#include "kernels/flops/flops_loops.h"

#define STEP(O, op, b0, b1, b2, a0, a1, a2) O(op, b0, a0) O(op, b1, a1) O(op, b2, a2)
/* In the longest loop x is doubled by an addition; flops_x86.c has the reason. */
#define TIMES_TWO(O) STEP(O, "fmul", 19, 19, 19, 0, 1, 2)
#define PLUS_ITSELF(O) STEP(O, "fadd", 0, 1, 2, 0, 1, 2)
#define UNIT(O, DOUBLED)                                                               \
    STEP(O, "fadd", 0, 1, 2, 3, 4, 5)                                                  \
    STEP(O, "fmul", 6, 16, 6, 3, 4, 5)                                                 \
    STEP(O, "fadd", 18, 18, 18, 3, 4, 5)                                               \
    STEP(O, "fsub", 18, 18, 18, 3, 4, 5)                                               \
    STEP(O, "fmul", 7, 17, 7, 3, 4, 5)                                                 \
    DOUBLED(O)                                                                         \
    STEP(O, "fsub", 3, 4, 5, 0, 1, 2)                                                  \
    STEP(O, "fsub", 3, 4, 5, 3, 4, 5)

/* The operand is the instruction for a += b c, or that for a -= b c. */
#define PAIR(O, b0, c0, a0, b1, c1, a1) O(c0, b0, a0) O(c1, b1, a1)
#define FMA_UNIT(PLUS, MINUS)                                                          \
    PAIR(PLUS, 0, 6, 3, 1, 16, 4)                                                      \
    PAIR(MINUS, 18, 20, 3, 18, 20, 4)                                                  \
    PAIR(PLUS, 0, 20, 0, 1, 20, 1)                                                     \
    PAIR(MINUS, 3, 7, 0, 4, 17, 1)                                                     \
    PAIR(MINUS, 3, 20, 3, 4, 20, 4)                                                    \
    PAIR(PLUS, 18, 20, 3, 18, 20, 4)

#define O_S(op, b, a) op " s" #a ", s" #a ", s" #b "\n"
#define O_D(op, b, a) op " d" #a ", d" #a ", d" #b "\n"
#define O_V(type, op, b, a) op " v" #a type ", v" #a type ", v" #b type "\n"
#define O_4S(op, b, a) O_V(".4s", op, b, a)
#define O_2D(op, b, a) O_V(".2d", op, b, a)
#define PLUS_S(c, b, a) "fmadd s" #a ", s" #b ", s" #c ", s" #a "\n"
#define MINUS_S(c, b, a) "fmsub s" #a ", s" #b ", s" #c ", s" #a "\n"
#define PLUS_D(c, b, a) "fmadd d" #a ", d" #b ", d" #c ", d" #a "\n"
#define MINUS_D(c, b, a) "fmsub d" #a ", d" #b ", d" #c ", d" #a "\n"
#define FMLA(type, c, b, a) "fmla v" #a type ", v" #b type ", v" #c type "\n"
#define FMLS(type, c, b, a) "fmls v" #a type ", v" #b type ", v" #c type "\n"
#define PLUS_4S(c, b, a) FMLA(".4s", c, b, a)
#define MINUS_4S(c, b, a) FMLS(".4s", c, b, a)
#define PLUS_2D(c, b, a) FMLA(".2d", c, b, a)
#define MINUS_2D(c, b, a) FMLS(".2d", c, b, a)

#define PLAIN_LOOPS(name, O)                                                           \
    LOOPS(name, LOADS(832), UNIT(O, TIMES_TWO), UNIT(O, PLUS_ITSELF), STORES)
#define FMA_LOOPS(name, PLUS, MINUS)                                                   \
    LOOPS(name, LOADS(640), FMA_UNIT(PLUS, MINUS), FMA_UNIT(PLUS, MINUS), STORES)

PLAIN_LOOPS(s, O_S)
PLAIN_LOOPS(d, O_D)
PLAIN_LOOPS(v4s, O_4S)
PLAIN_LOOPS(v2d, O_2D)
FMA_LOOPS(f_s, PLUS_S, MINUS_S)
FMA_LOOPS(f_d, PLUS_D, MINUS_D)
FMA_LOOPS(f_v4s, PLUS_4S, MINUS_4S)
FMA_LOOPS(f_v2d, PLUS_2D, MINUS_2D)

static rc_flops_loop *const loops[2][2][2][RC_FLOPS_BODIES] = {
    {{ROW(s), ROW(v4s)}, {ROW(d), ROW(v2d)}},
    {{ROW(f_s), ROW(f_v4s)}, {ROW(f_d), ROW(f_v2d)}},
};

rc_flops_loop *rc_flops_find(int precision, int width, int fma, int body,
                             const char **unusable)
{
    *unusable = width > 128 ? "this CPU has no vectors of this width" : NULL;
    return *unusable ? NULL : loops[fma][precision][width / 128][body];
}

#endif
