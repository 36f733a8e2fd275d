/* The loops of the suite 'flops' for x86-64, in inline assembly. */
#include "kernels/flops/flops.h"

#include <stddef.h>

#ifdef __x86_64__

/* The offsets are in flops.h.
 *
 * Registers: 0..2 the chains' x, 3..5 their u, 6 and 7 2/m and m of modulus 0, 8 and 9
 * of modulus 1, 10 the magic number, 11 two, 12 one.
 */
#define CLOBBERS                                                                       \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",    \
        "xmm10", "xmm11", "xmm12", "memory", "cc"

#define MOVE_IN(move, reg, byte, n) move " " #byte "(%[data]), %%" reg #n "\n"
#define MOVE_OUT(move, reg, byte, n) move " %%" reg #n ", " #byte "(%[data])\n"

#define LOADS(move, reg, u)                                                            \
    MOVE_IN(move, reg, 0, 0)                                                           \
    MOVE_IN(move, reg, 64, 1)                                                          \
    MOVE_IN(move, reg, 128, 2)                                                         \
    MOVE_IN(move, reg, u, 3)                                                           \
    MOVE_IN(move, reg, u, 4)                                                           \
    MOVE_IN(move, reg, u, 5)                                                           \
    MOVE_IN(move, reg, 384, 6)                                                         \
    MOVE_IN(move, reg, 512, 7)                                                         \
    MOVE_IN(move, reg, 448, 8)                                                         \
    MOVE_IN(move, reg, 576, 9)                                                         \
    MOVE_IN(move, reg, 640, 10)                                                        \
    MOVE_IN(move, reg, 704, 11)                                                        \
    MOVE_IN(move, reg, 768, 12)

#define STORES(move, reg, end)                                                         \
    MOVE_OUT(move, reg, 192, 0)                                                        \
    MOVE_OUT(move, reg, 256, 1)                                                        \
    MOVE_OUT(move, reg, 320, 2) end ""

#define BACK                                                                           \
    "decq %[n]\n"                                                                      \
    "jnz 1b\n"

#include "kernels/flops/flops_loops.h"

/* One step of a chain: u = round(x * 2/m);  x = 2x - u m.  u is 0 before and after, or
 * the magic number in the FMA form.  In the longest loop x is doubled by an addition,
 * so that additions and multiplications do not have the same proportion everywhere: an
 * event of one of them is not all of them, scaled.
 */
#define STEP(THREE, op, b0, b1, b2, a0, a1, a2)                                        \
    THREE(op, b0, a0) THREE(op, b1, a1) THREE(op, b2, a2)
#define TIMES_TWO(O) STEP(O, "mul", 11, 11, 11, 0, 1, 2)
#define PLUS_ITSELF(O) STEP(O, "add", 0, 1, 2, 0, 1, 2)
#define UNIT(O, DOUBLED)                                                               \
    STEP(O, "add", 0, 1, 2, 3, 4, 5)                                                   \
    STEP(O, "mul", 6, 8, 6, 3, 4, 5)                                                   \
    STEP(O, "add", 10, 10, 10, 3, 4, 5)                                                \
    STEP(O, "sub", 10, 10, 10, 3, 4, 5)                                                \
    STEP(O, "mul", 7, 9, 7, 3, 4, 5)                                                   \
    DOUBLED(O)                                                                         \
    STEP(O, "sub", 3, 4, 5, 0, 1, 2)                                                   \
    STEP(O, "sub", 3, 4, 5, 3, 4, 5)

/* a += b * c and a -= b * c, for both chains. */
#define PAIR(O, sign, b0, c0, a0, b1, c1, a1) O(sign, c0, b0, a0) O(sign, c1, b1, a1)
#define FMA_UNIT(O)                                                                    \
    PAIR(O, "", 0, 6, 3, 1, 8, 4)                                                      \
    PAIR(O, "n", 10, 12, 3, 10, 12, 4)                                                 \
    PAIR(O, "", 0, 12, 0, 1, 12, 1)                                                    \
    PAIR(O, "n", 3, 7, 0, 4, 9, 1)                                                     \
    PAIR(O, "n", 3, 12, 3, 4, 12, 4)                                                   \
    PAIR(O, "", 10, 12, 3, 10, 12, 4)

/* The instructions by form: b is the source, a is source and destination. */
#define SSE(op, type, b, a) op type " %%xmm" #b ", %%xmm" #a "\n"
#define AVX(op, type, reg, b, a)                                                       \
    "v" op type " %%" reg #b ", %%" reg #a ", %%" reg #a "\n"
#define FMA(sign, type, reg, c, b, a)                                                  \
    "vf" sign "madd231" type " %%" reg #c ", %%" reg #b ", %%" reg #a "\n"

#define O_SS(op, b, a) SSE(op, "ss", b, a)
#define O_SD(op, b, a) SSE(op, "sd", b, a)
#define O_PS_128(op, b, a) SSE(op, "ps", b, a)
#define O_PD_128(op, b, a) SSE(op, "pd", b, a)
#define O_PS_256(op, b, a) AVX(op, "ps", "ymm", b, a)
#define O_PD_256(op, b, a) AVX(op, "pd", "ymm", b, a)
#define O_PS_512(op, b, a) AVX(op, "ps", "zmm", b, a)
#define O_PD_512(op, b, a) AVX(op, "pd", "zmm", b, a)
#define F_SS(sign, c, b, a) FMA(sign, "ss", "xmm", c, b, a)
#define F_SD(sign, c, b, a) FMA(sign, "sd", "xmm", c, b, a)
#define F_PS_128(sign, c, b, a) FMA(sign, "ps", "xmm", c, b, a)
#define F_PD_128(sign, c, b, a) FMA(sign, "pd", "xmm", c, b, a)
#define F_PS_256(sign, c, b, a) FMA(sign, "ps", "ymm", c, b, a)
#define F_PD_256(sign, c, b, a) FMA(sign, "pd", "ymm", c, b, a)
#define F_PS_512(sign, c, b, a) FMA(sign, "ps", "zmm", c, b, a)
#define F_PD_512(sign, c, b, a) FMA(sign, "pd", "zmm", c, b, a)

/* Upper halves stay clean: VEX code ends with vzeroupper. */
#define SSE_LOOPS(name, O)                                                             \
    LOOPS(name, LOADS("movups", "xmm", 832), UNIT(O, TIMES_TWO), UNIT(O, PLUS_ITSELF), \
          STORES("movups", "xmm", ""))
#define VEX_LOOPS(name, reg, u, unit, longest)                                         \
    LOOPS(name, LOADS("vmovups", reg, u), unit, longest,                               \
          STORES("vmovups", reg, "vzeroupper\n"))
#define AVX_LOOPS(name, reg, O)                                                        \
    VEX_LOOPS(name, reg, 832, UNIT(O, TIMES_TWO), UNIT(O, PLUS_ITSELF))
#define FMA_LOOPS(name, reg, F) VEX_LOOPS(name, reg, 640, FMA_UNIT(F), FMA_UNIT(F))

SSE_LOOPS(ss, O_SS)
SSE_LOOPS(sd, O_SD)
SSE_LOOPS(ps_128, O_PS_128)
SSE_LOOPS(pd_128, O_PD_128)
AVX_LOOPS(ps_256, "ymm", O_PS_256)
AVX_LOOPS(pd_256, "ymm", O_PD_256)
AVX_LOOPS(ps_512, "zmm", O_PS_512)
AVX_LOOPS(pd_512, "zmm", O_PD_512)
FMA_LOOPS(f_ss, "xmm", F_SS)
FMA_LOOPS(f_sd, "xmm", F_SD)
FMA_LOOPS(f_ps_128, "xmm", F_PS_128)
FMA_LOOPS(f_pd_128, "xmm", F_PD_128)
FMA_LOOPS(f_ps_256, "ymm", F_PS_256)
FMA_LOOPS(f_pd_256, "ymm", F_PD_256)
FMA_LOOPS(f_ps_512, "zmm", F_PS_512)
FMA_LOOPS(f_pd_512, "zmm", F_PD_512)

static rc_flops_loop *const loops[2][2][RC_FLOPS_WIDTHS][RC_FLOPS_BODIES] = {
    {{ROW(ss), ROW(ps_128), ROW(ps_256), ROW(ps_512)},
     {ROW(sd), ROW(pd_128), ROW(pd_256), ROW(pd_512)}},
    {{ROW(f_ss), ROW(f_ps_128), ROW(f_ps_256), ROW(f_ps_512)},
     {ROW(f_sd), ROW(f_pd_128), ROW(f_pd_256), ROW(f_pd_512)}},
};

rc_flops_loop *rc_flops_find(int precision, int width, int fma, int body,
                             const char **unusable)
{
    int index = width == 512 ? 3 : width / 128;

    *unusable = NULL;
    if (width == 512 && !__builtin_cpu_supports("avx512f"))
        *unusable = "this CPU has no AVX-512";
    else if (fma && width < 512 && !__builtin_cpu_supports("fma"))
        *unusable = "this CPU has no FMA instructions";
    else if (width == 256 && !__builtin_cpu_supports("avx"))
        *unusable = "this CPU has no AVX";
    return *unusable ? NULL : loops[fma][precision][index][body];
}

#elif !defined(__aarch64__)

rc_flops_loop *rc_flops_find(int precision, int width, int fma, int body,
                             const char **unusable)
{
    (void)precision, (void)width, (void)fma, (void)body;
    *unusable = "no kernel is written for this kind of processor";
    return NULL;
}

#endif
