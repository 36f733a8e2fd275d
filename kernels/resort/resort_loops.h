/* resort_loops.h - the functions around the loops of assembly, and their table
 *
 * Included once by the code of each processor, which has defined: LOOPS(body), the
 * loops; DATA and DATA_OUT, a variable that the body needs, and as an operand;
 * CLOBBERS, the registers that the loops use.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): adjacent texts */
#define LOOPS_FUNCTION(name, body, end)                                                \
    static void name(const struct rc_resort_work *work, uint64_t n)                    \
    {                                                                                  \
        uint64_t t, w, in, out, is, os, k1, k2, k3, k4;                                \
        DATA __asm__ volatile(                                                         \
            LOOPS(body) end                                                            \
            : [n] "+r"(n), [t] "=&r"(t), [w] "=&r"(w), [in] "=&r"(in),                 \
              [out] "=&r"(out), [is] "=&r"(is), [os] "=&r"(os), [k1] "=&r"(k1),        \
              [k2] "=&r"(k2), [k3] "=&r"(k3), [k4] "=&r"(k4)DATA_OUT                   \
            : [work] "r"(work), [nest] "i"(offsetof(struct rc_resort_work, nest)),     \
              [in_at] "i"(offsetof(struct rc_resort_nest, in)),                        \
              [out_at] "i"(offsetof(struct rc_resort_nest, out)),                      \
              [in_step] "i"(offsetof(struct rc_resort_nest, in_step)),                 \
              [out_step] "i"(offsetof(struct rc_resort_nest, out_step)),               \
              [count] "i"(offsetof(struct rc_resort_nest, count)),                     \
              [bytes] "i"(sizeof(struct rc_resort_nest))                               \
            : "memory", "cc", CLOBBERS);                                               \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

#define RC_RESORT_TABLE                                                                \
    void (*const rc_resort_loops[RC_RESORT_BODIES])(const struct rc_resort_work *work, \
                                                    uint64_t iterations) = {           \
        [RC_RESORT_8] = loops_8,                                                       \
        [RC_RESORT_16] = loops_16,                                                     \
        [RC_RESORT_8_NT] = loops_8_nt,                                                 \
        [RC_RESORT_16_NT] = loops_16_nt,                                               \
    }
