/* dcache_loops.h - the pointer chases
 *
 * The code of each processor includes it once, after defining: NEXT(from, to), a load;
 * BACK, which decrements loops and goes back to label 1; READ_BYTES, which loads so
 * many bytes of a line into value (the first 8 of 16, by READ_16 and READ_16_END); TAG,
 * which doubles the tag in a vector; WRITE_BYTES, which stores so many bytes of it
 * after the links of a line; TAG_IN, where the tag lies; VECTOR, the vector register;
 * AGAIN(word), a load from that word of the line to line; ORDER, which makes 'at' the
 * offset of the next line, in three instructions; and STORE(word), which stores the tag
 * to that word of it.
 */
#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

#define REPEAT(times, code)                                                            \
    ".p2align 6\n"                                                                     \
    "1:\n"                                                                             \
    ".rept " TEXT(times) "\n" code ".endr\n" BACK

/* 'two' is the code of two accesses. */
#define LOOP(two) REPEAT(RC_CHASE_UNROLL / 2, two)

struct rc_chase_line *rc_chase_read(struct rc_chase_line *line, uint64_t loops)
{
    __asm__ volatile(LOOP(NEXT("line", "line") NEXT("line", "line"))
                     : [line] "+r"(line), [loops] "+r"(loops)
                     :
                     : "memory", "cc");
    return line;
}

#define READ(load, end)                                                                \
    __asm__ volatile(LOOP(load NEXT("line", "line")) end ""                            \
                     : [line] "+r"(line), [loops] "+r"(loops), [value] "=&r"(*value)   \
                     :                                                                 \
                     : VECTOR, "memory", "cc")

struct rc_chase_line *rc_chase_read_wide(struct rc_chase_line *line, uint64_t loops,
                                         int width, uint64_t *value)
{
    if (width == 1)
        READ(READ_1, "");
    else if (width == 2)
        READ(READ_2, "");
    else if (width == 4)
        READ(READ_4, "");
    else
        READ(READ_16, READ_16_END);
    return line;
}

#define WRITE(store)                                                                   \
    __asm__ volatile(TAG LOOP(NEXT("line", "other") store("line")                      \
                                  NEXT("other", "line") store("other"))                \
                     : [line] "+r"(line), [loops] "+r"(loops), [other] "=&r"(other)    \
                     : [tag] TAG_IN(tag)                                               \
                     : VECTOR, "memory", "cc")

struct rc_chase_line *rc_chase_write(struct rc_chase_line *line, uint64_t loops,
                                     int width, uint64_t tag,
                                     struct rc_chase_line **last)
{
    struct rc_chase_line *other;

    if (width == 1)
        WRITE(WRITE_1);
    else if (width == 2)
        WRITE(WRITE_2);
    else if (width == 4)
        WRITE(WRITE_4);
    else if (width == 8)
        WRITE(WRITE_8);
    else
        WRITE(WRITE_16);
    *last = other;
    return line;
}

#define READ_AGAIN(loads)                                                              \
    __asm__ volatile(REPEAT(RC_CHASE_FEW, loads NEXT("line", "line"))                  \
                     : [line] "+r"(line), [loops] "+r"(loops)                          \
                     :                                                                 \
                     : "memory", "cc")

struct rc_chase_line *rc_chase_read_again(struct rc_chase_line *line, uint64_t loops,
                                          int loads)
{
    if (loads == 2)
        READ_AGAIN(AGAIN(2));
    else
        READ_AGAIN(AGAIN(2) AGAIN(3) AGAIN(2));
    return line;
}

void rc_chase_read_two(struct rc_chase_line *line[2], uint64_t loops)
{
    __asm__ volatile(REPEAT(RC_CHASE_FEW, NEXT("line", "line") NEXT("other", "other"))
                     : [line] "+r"(line[0]), [other] "+r"(line[1]), [loops] "+r"(loops)
                     :
                     : "memory", "cc");
}

#define STORE_EACH(stores)                                                             \
    __asm__ volatile(                                                                  \
        REPEAT(RC_CHASE_FEW, ORDER stores)                                             \
        : [at] "+r"(order->at), [loops] "+r"(loops)                                    \
        : [step] "r"(order->step), [mask] "r"(order->mask), [tag] "r"(tag),            \
          [factor] FACTOR_IN((uint64_t)RC_CHASE_FACTOR), [word0] "r"(word),            \
          [word1] "r"(word + 1), [word2] "r"(word + 2), [word3] "r"(word + 3)          \
        : "memory", "cc")

void rc_chase_store(void *buffer, struct rc_chase_order *order, uint64_t loops,
                    int stores, uint64_t tag)
{
    uint64_t *word = buffer;

    if (stores == 1)
        STORE_EACH(STORE(0));
    else if (stores == 2)
        STORE_EACH(STORE(1) STORE(0));
    else
        STORE_EACH(STORE(1) STORE(2) STORE(3) STORE(0));
}
