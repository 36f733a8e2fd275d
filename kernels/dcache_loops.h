/* dcache_loops.h - the pointer chases
 *
 * Included once by the code of each processor, which has defined: NEXT(from, to), a
 * load; BACK, which decrements loops and goes back to label 1; READ_BYTES, which loads
 * so many bytes of a line into value (of 16 its first 8, by READ_16 and READ_16_END);
 * TAG, which doubles the tag in a vector, and WRITE_BYTES, which stores so many of it
 * behind the links of a line; TAG_IN, where the tag lies; and VECTOR, the register of
 * vectors.
 */
#define TEXT(number) TEXT_(number)
#define TEXT_(number) #number

/* 'two' is the code of two accesses. */
#define LOOP(two)                                                                      \
    ".p2align 6\n"                                                                     \
    "1:\n"                                                                             \
    ".rept " TEXT(RC_CHASE_UNROLL) " / 2\n" two ".endr\n" BACK

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
