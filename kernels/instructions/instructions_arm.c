/* The loops of the suite 'instructions' for aarch64, in inline assembly. */
#include "kernels/instructions/instructions.h"

#ifdef __aarch64__

/* The same as instructions_x86.c, with as many instructions of each class.  v0 to v5
 * are x9 to x14, q0 is v0 and v1.
 */
#define MOVE_IN(byte, reg) "ldr " #reg ", [%[data], #" #byte "]\n"
#define MOVE_OUT(byte, reg) "str " #reg ", [%[data], #48+" #byte "]\n"
#define VALUES(O) O(0, x9) O(8, x10) O(16, x11) O(24, x12) O(32, x13) O(40, x14)

#define MOVE_IN_VECTOR "ldr q0, [%[data]]\n"
#define CLOBBERS "x9", "x10", "x11", "x12", "x13", "x14", "v0", "memory", "cc"
#define BACK                                                                           \
    "add %[i], %[i], #1\n"                                                             \
    "cmp %[i], %[n]\n"                                                                 \
    "b.ne 1b\n"

#define STORE(byte) "str %[i], [%[data], #" #byte "]\n"

#define ADD                                                                            \
    SIX("add x9, x9, #3\n"                                                             \
        "add x10, x10, #5\n"                                                           \
        "sub x11, x11, #7\n"                                                           \
        "add x12, x12, #11\n")
#define MUL                                                                            \
    SIX("mul x9, x9, %[k]\n"                                                           \
        "mul x10, x10, %[k]\n"                                                         \
        "mul x11, x11, %[k]\n"                                                         \
        "mul x12, x12, %[k]\n")
#define LOGIC_ROUND                                                                    \
    "eor x9, x9, x10\n"                                                                \
    "ror x10, x10, #51\n"                                                              \
    "eor x10, x10, x11\n"                                                              \
    "ror x11, x11, #35\n"                                                              \
    "eor x11, x11, x12\n"                                                              \
    "eor x12, x12, x9\n"
#define TESTS_AND_SHIFTS THRICE("tst x9, #32\nlsr x13, x13, #1\n")
#define MOV                                                                            \
    SIX("mov x12, x11\n"                                                               \
        "mov x11, x10\n"                                                               \
        "mov x10, x9\n"                                                                \
        "mov x9, %[i]\n")
#define CHASE                                                                          \
    "ldr x9, [x9]\n"                                                                   \
    "ldr x10, [x10]\n"                                                                 \
    "ldr x11, [x11]\n"
#define LOAD TWICE(TWICE(TWICE(CHASE)))
#define LOAD_SIZES                                                                     \
    "ldrb w12, [%[data], #96]\n"                                                       \
    "ldrh w13, [%[data], #96]\n"                                                       \
    "ldr w14, [%[data], #96]\n"                                                        \
    "ldr q0, [%[data]]\n"
#define STORE_SIZES                                                                    \
    "strb %w[i], [%[data], #224]\n"                                                    \
    "strb %w[i], [%[data], #232]\n"                                                    \
    "strb %w[i], [%[data], #240]\n"                                                    \
    "strh %w[i], [%[data], #248]\n"                                                    \
    "strh %w[i], [%[data], #256]\n"                                                    \
    "strh %w[i], [%[data], #264]\n"                                                    \
    "str %w[i], [%[data], #272]\n"                                                     \
    "str %w[i], [%[data], #280]\n"                                                     \
    "str %w[i], [%[data], #288]\n" THRICE("str q0, [%[data], #304]\n")
#define CHAIN SIX(TWICE(TWICE("add x9, x9, %[k]\n")))
#define PAIRS SIX(TWICE(TWICE("add x9, x9, %[k]\nadd x10, x10, %[k]\n")))
#define PRODUCTS SIX(TWICE(TWICE("mul x9, x9, %[k]\n")))
#define MIX_PART(logic, move, byte)                                                    \
    "add x9, x9, #3\n"                                                                 \
    "mul x10, x10, %[k]\n" logic "ldr x12, [x12]\n" move                               \
    STORE(byte)
#define MIX                                                                            \
    MIX_PART("ror x11, x11, #59\n", "mov x13, %[i]\n", 128)                            \
    MIX_PART("mvn x11, x11\n", "mov x14, x13\n", 136)                                  \
    MIX_PART("ror x11, x11, #59\n", "mov x13, %[i]\n", 144)                            \
    MIX_PART("ror x11, x11, #59\n", "mov x14, x13\n", 152)

#include "kernels/instructions/instructions_loops.h"

#endif
