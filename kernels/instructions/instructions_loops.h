/* instructions_loops.h - the loops of the suite 'instructions', and the table of them
 *
 * The code of each processor includes it once, after defining VALUES, MOVE_IN,
 * MOVE_IN_VECTOR and MOVE_OUT; CLOBBERS; BACK, which increments i and goes back to
 * label 1 unless it is n; the units ADD, MUL, MOV, LOAD and MIX; LOGIC_ROUND and
 * TESTS_AND_SHIFTS, six instructions each; STORE(byte) to a slot; for the longest loops
 * CHASE (three loads), LOAD_SIZES (four loads of 1, 2, 4 and 16 bytes) and STORE_SIZES
 * (three stores of each); and CHAIN, PAIRS and PRODUCTS for the suite 'cycles'.
 */
/* One loop is one asm statement: v0 to v5 are six registers, and v0 and v1 are also in
 * a vector; the loop is 'rept' copies of 'unit', an increment, a comparison and a
 * branch.
 */
#define LOOP(function, rept, unit)                                                     \
    static uint64_t function(struct rc_instructions_data *data, uint64_t iterations)   \
    {                                                                                  \
        uint64_t i = 0;                                                                \
        __asm__ volatile(                                                              \
            VALUES(MOVE_IN) MOVE_IN_VECTOR ".p2align 6\n"                              \
                                           "1:\n"                                      \
                                           ".rept " #rept "\n" unit                    \
                                           ".endr\n" BACK VALUES(MOVE_OUT)             \
            : [i] "+r"(i)                                                              \
            : [n] "r"(iterations), [data] "r"(data), [k] "r"(data->multiplier)         \
            : CLOBBERS);                                                               \
        return i;                                                                      \
    }

#define TWICE(x) x x
#define THRICE(x) x x x
#define SIX(x) TWICE(THRICE(x))

#define STORE4(a, b, c, d) STORE(a) STORE(b) STORE(c) STORE(d)
#define STORES                                                                         \
    STORE4(128, 136, 144, 152)                                                         \
    STORE4(160, 168, 176, 184)                                                         \
    STORE4(192, 200, 208, 216)                                                         \
    STORE4(224, 232, 240, 248)                                                         \
    STORE4(256, 264, 272, 280)                                                         \
    STORE4(288, 296, 304, 312)

/* In the longest loops half of the loads and stores have other sizes, so that an event
 * that counts only those of 8 bytes does not pass for one that counts all.
 */
#define LOADS_OF_ALL_SIZES TWICE(TWICE(CHASE)) THRICE(LOAD_SIZES)
#define STORES_OF_ALL_SIZES                                                            \
    STORE4(128, 136, 144, 152)                                                         \
    STORE4(160, 168, 176, 184)                                                         \
    STORE4(192, 200, 208, 216)                                                         \
    STORE_SIZES

/* In the longest loop an eighth of the logic tests bits and an eighth shifts: other
 * loops do that only before branches that are hard to predict.
 */
#define LOGIC TWICE(TWICE(LOGIC_ROUND))
#define LOGIC_OF_ALL_KINDS THRICE(LOGIC_ROUND) TESTS_AND_SHIFTS

#define LOOPS(name, unit, longest)                                                     \
    LOOP(name##_1, 1, unit)                                                            \
    LOOP(name##_2, 2, unit)                                                            \
    LOOP(name##_4, 4, longest)

LOOPS(add, ADD, ADD)
LOOPS(mul, MUL, MUL)
LOOPS(logic, LOGIC, LOGIC_OF_ALL_KINDS)
LOOPS(mov, MOV, MOV)
LOOPS(load, LOAD, LOADS_OF_ALL_SIZES)
LOOPS(store, STORES, STORES_OF_ALL_SIZES)
LOOPS(mix, MIX, MIX)
LOOP(alone, 1, "")

#define LONG_LOOPS(name, unit)                                                         \
    LOOP(name##_1, 8, unit)                                                            \
    LOOP(name##_2, 16, unit)                                                           \
    LOOP(name##_4, 24, unit)

LONG_LOOPS(chain, CHAIN)
LONG_LOOPS(pairs, PAIRS)
LONG_LOOPS(products, PRODUCTS)

#define ROW(name)                                                                      \
    {                                                                                  \
        name##_1, name##_2, name##_4                                                   \
    }
static rc_instructions_loop *const loops[RC_INSTRUCTIONS_CLASSES][3] = {
    [RC_INSTRUCTIONS_ADD] = ROW(add),     [RC_INSTRUCTIONS_MUL] = ROW(mul),
    [RC_INSTRUCTIONS_LOGIC] = ROW(logic), [RC_INSTRUCTIONS_MOV] = ROW(mov),
    [RC_INSTRUCTIONS_LOAD] = ROW(load),   [RC_INSTRUCTIONS_STORE] = ROW(store),
    [RC_INSTRUCTIONS_MIX] = ROW(mix),     [RC_INSTRUCTIONS_LOOP] = {alone},
};

rc_instructions_loop *rc_instructions_find(enum rc_instructions_class which, int body)
{
    return loops[which][body];
}

static rc_instructions_loop *const chains[RC_CYCLES_CLASSES][3] = {
    [RC_CYCLES_CHAIN] = ROW(chain),
    [RC_CYCLES_PAIRS] = ROW(pairs),
    [RC_CYCLES_PRODUCTS] = ROW(products),
};

rc_instructions_loop *rc_cycles_find(enum rc_cycles_class which, int body)
{
    return chains[which][body];
}
