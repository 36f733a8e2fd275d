/* branch_loops.h - the loops of the suite 'branch'
 *
 * The code of each processor includes it once, after defining PASS and WRONG, which
 * count; the branches HALF, NEVER, ALWAYS, RANDOM and JUMP, each with the label of its
 * target; WORK; and BACK, which decrements n and goes back to label 1.
 */

/* One loop is one asm statement: 'body', then BACK.  The registers are loaded before it
 * and stored after it.
 */
#define LOOP(function, body)                                                           \
    static uint64_t function(struct rc_branch_data *data, uint64_t n)                  \
    {                                                                                  \
        uint64_t count = 0, wrong = 0, work = data->work, bit, word;                   \
        __asm__ volatile(                                                              \
            ".p2align 6\n"                                                             \
            "1:\n" body "2:\n" BACK                                                    \
            : [n] "+r"(n), [count] "+r"(count), [wrong] "+r"(wrong),                   \
              [work] "+r"(work), [bit] "=&r"(bit), [word] "=&r"(word)                  \
            : [bits] "r"(data->bits), [half] "r"(data->half), [three] "r"(UINT64_C(3)) \
            : "memory", "cc");                                                         \
        data->count = count;                                                           \
        data->wrong = wrong;                                                           \
        data->work = work;                                                             \
        return n;                                                                      \
    }

LOOP(halves, HALF("2f") PASS)
LOOP(never, NEVER("2f") PASS)
LOOP(always, ALWAYS("2f") WRONG)
LOOP(random_work, RANDOM("3f") PASS WORK)
LOOP(random_work_not_taken, RANDOM("3f") PASS NEVER("3f") PASS WORK)
LOOP(random_work_taken, RANDOM("3f") PASS ALWAYS("3f") WRONG WORK)
LOOP(random_alone, RANDOM("2f") PASS)
LOOP(random_not_taken, RANDOM("2f") PASS NEVER("2f") PASS)
LOOP(random_taken, RANDOM("2f") PASS ALWAYS("2f") WRONG)
LOOP(goto_, NEVER("3f") JUMP("2f") "3:\n" WRONG)
LOOP(loop, "")
