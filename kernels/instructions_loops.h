/* instructions_loops.h - the loops of the suite 'instructions', and the table of them
 *
 * Included once by the code of each processor, which has defined LOOP(function, rept,
 * unit), the units ADD, MUL, LOGIC, MOV, LOAD and MIX, and STORE(byte) of a slot.
 */
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

#define LOOPS(name, unit)                                                              \
    LOOP(name##_1, 1, unit)                                                            \
    LOOP(name##_2, 2, unit)                                                            \
    LOOP(name##_4, 4, unit)

LOOPS(add, ADD)
LOOPS(mul, MUL)
LOOPS(logic, LOGIC)
LOOPS(mov, MOV)
LOOPS(load, LOAD)
LOOPS(store, STORES)
LOOPS(mix, MIX)
LOOP(alone, 1, "")

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
