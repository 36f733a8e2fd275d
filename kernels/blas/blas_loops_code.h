/* blas_loops_code.h - functions around the assembly of blas_loops_x86.c and
 * blas_loops_arm.c
 *
 * Each of the two includes it once, after defining VECTORS, the vector registers that
 * it uses.  Each function does n iterations from a copy of the operands on, and returns
 * the next copy.
 */
#define FIELD(name) [name] "i"(offsetof(struct rc_loop_work, name))

#define NEST_FUNCTION(name, ...)                                                       \
    static unsigned char *name(const struct rc_loop_work *w, unsigned char *copy,      \
                               uint64_t n)                                             \
    {                                                                                  \
        uint64_t a, b, c, i, j, k, row, col, bs;                                       \
        __asm__ volatile(NEST(__VA_ARGS__)                                             \
                         : [copy] "+r"(copy), [n] "+r"(n), [a] "=&r"(a), [b] "=&r"(b), \
                           [c] "=&r"(c), [i] "=&r"(i), [j] "=&r"(j), [k] "=&r"(k),     \
                           [row] "=&r"(row), [col] "=&r"(col), [bs] "=&r"(bs)          \
                         : [w] "r"(w), FIELD(first), FIELD(end), FIELD(step),          \
                           FIELD(b_offset), FIELD(c_offset), FIELD(rows), FIELD(cols), \
                           FIELD(depth), FIELD(a_step), FIELD(a_bytes), FIELD(b_step)  \
                         : "memory", "cc", VECTORS);                                   \
        return copy;                                                                   \
    }

#define STREAM_FUNCTION(name, line) LINES_FUNCTION(name, STREAM(line))

/* The function of a stream or sweep. */
#define LINES_FUNCTION(name, ...)                                                      \
    static unsigned char *name(const struct rc_loop_work *w, unsigned char *copy,      \
                               uint64_t n)                                             \
    {                                                                                  \
        uint64_t a, b, c, i, k;                                                        \
        __asm__ volatile(__VA_ARGS__                                                   \
                         : [copy] "+r"(copy), [n] "+r"(n), [a] "=&r"(a), [b] "=&r"(b), \
                           [c] "=&r"(c), [i] "=&r"(i), [k] "=&r"(k)                    \
                         : [w] "r"(w), FIELD(first), FIELD(end), FIELD(step),          \
                           FIELD(b_offset), FIELD(c_offset), FIELD(a_bytes),           \
                           FIELD(scale)                                                \
                         : "memory", "cc", VECTORS);                                   \
        return copy;                                                                   \
    }
