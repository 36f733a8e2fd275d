/* flops_loops.h - the loops of the suite 'flops'
 *
 * The code of each processor includes it once, after defining CLOBBERS, and BACK, which
 * decrements n and goes back to label 1.
 */

/* One loop is one asm statement, so that its instructions are the same for any compiler
 * and option: loads, then the loop with 'rept' copies of 'unit' and BACK, then stores.
 */
#define LOOP(function, loads, rept, unit, stores)                                      \
    static uint64_t function(struct rc_flops_data *data, uint64_t iterations)          \
    {                                                                                  \
        __asm__ volatile(loads ".p2align 6\n"                                          \
                               "1:\n"                                                  \
                               ".rept " #rept "\n" unit ".endr\n" BACK stores          \
                         : [n] "+r"(iterations)                                        \
                         : [data] "r"(data)                                            \
                         : CLOBBERS);                                                  \
        return iterations;                                                             \
    }

/* The bodies of a form: one, two and four steps of all chains. */
#define LOOPS(name, loads, unit, longest, stores)                                      \
    LOOP(name##_0, loads, 1, unit, stores)                                             \
    LOOP(name##_1, loads, 2, unit, stores)                                             \
    LOOP(name##_2, loads, 4, longest, stores)

#define ROW(name)                                                                      \
    {                                                                                  \
        name##_0, name##_1, name##_2                                                   \
    }
